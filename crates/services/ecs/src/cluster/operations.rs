//! Operations on clusters.

use super::{Cluster, ClusterManager, DEFAULT, name_of, require};
use crate::{
    Failure, errors,
    paging::{Page, is_name},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Stored, Tx, own_arn, tags::to_list};
use nephos_core::{
    Listing, ManagerOperation, Page as ModelPage, PageRequest, Record, Result, Text, WorkflowContext,
    choices, operation,
};

/// Maximum number of clusters of a description.
const MAX_DESCRIBED: usize = 100;

/// Creates a cluster. If it exists, it is returned as it is.
#[operation(
    of = Cluster, case = "camel", call = "create", model, takes(settable), wraps(cluster), effect = write,
    also_requires("TagResource" = "tags?"), subject = "*"
)]
pub struct CreateCluster {}

impl Handler for CreateCluster {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        let name = self.cluster_name.get_or_insert_with(|| DEFAULT.into()).clone();
        if !is_name(&name) {
            return Err(errors::invalid_name("Cluster names").with_field("clusterName"));
        }
        if let Some(cluster) = Cluster::find_by(cx, &[&name])? {
            return Ok(cluster.with_counts(cx)?.into());
        }
        let mut cluster = Cluster::from_given(self);
        cluster.cluster_arn = own_arn(&cluster, cx.scope());
        cluster.status = Some("ACTIVE".into());
        cluster.tags = to_list(tags);
        cx.put(cluster.clone())?;
        Ok(cluster.with_counts(cx)?.into())
    }
}

/// Deletes a cluster that has no services.
#[operation(
    of = Cluster, case = "camel", call = "delete", on_model, wraps(cluster), effect = write, subject = "cluster/{cluster}"
)]
pub struct DeleteCluster {
    /// Name or ARN of the cluster.
    #[field(from_field = "clusterName")]
    pub cluster: Text,
}

impl Handler for DeleteCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cluster = require(cx, Some(&self.cluster))?;
        if cluster.has_services(cx)? {
            return Err(errors::cluster_contains_services());
        }
        cx.remove(&cluster)?;
        let mut cluster = cluster.with_counts(cx)?;
        cluster.status = Some("INACTIVE".into());
        Ok(cluster.into())
    }
}

choices! {
    /// Facts of a description that must be asked for.
    #[derive(Eq)]
    pub enum ClusterField {
        /// Attachments; there are none.
        Attachments = "ATTACHMENTS",
        /// Configuration; there is none.
        Configurations = "CONFIGURATIONS",
        /// Settings.
        Settings = "SETTINGS",
        /// Statistics; there are none.
        Statistics = "STATISTICS",
        /// Tags.
        Tags = "TAGS",
    }
}

/// Clusters of a description.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct DescribedClusters {
    /// Clusters that exist.
    clusters: Option<Vec<Cluster>>,
    /// Clusters that do not exist.
    failures: Option<Vec<Failure>>,
}

/// Describes clusters.
#[operation(
    of = Cluster, case = "camel", effect = read, output = DescribedClusters, subject = "cluster/{clusters}"
)]
pub struct DescribeClusters {
    /// Names or ARNs of the clusters; the default cluster if they are not given.
    pub clusters: Option<Vec<Text>>,
    /// Facts that are added.
    pub include: Option<Vec<ClusterField>>,
}

impl Handler for DescribeClusters {
    fn run(self, cx: &mut Tx<'_>) -> Result<DescribedClusters> {
        let given = self.clusters.unwrap_or_else(|| vec![DEFAULT.into()]);
        if given.len() > MAX_DESCRIBED {
            return Err(errors::too_many_names(MAX_DESCRIBED).with_field("clusters"));
        }
        let includes = |field| self.include.iter().flatten().any(|included| *included == field);
        let mut clusters = Vec::new();
        let mut failures = Vec::new();
        for given in given {
            match Cluster::find(cx, &given, "clusters")? {
                Some(cluster) => {
                    let mut cluster = cluster.with_counts(cx)?;
                    cluster.tags = cluster.tags.filter(|_| includes(ClusterField::Tags));
                    cluster.settings = cluster.settings.filter(|_| includes(ClusterField::Settings));
                    clusters.push(cluster);
                }
                None => {
                    let arn = cx.scope().arn("ecs", &["cluster/", name_of(Some(&given))]);
                    failures.push(Failure::missing(arn.into()));
                }
            }
        }
        Ok(DescribedClusters { clusters: Some(clusters), failures: Some(failures) })
    }
}

/// Lists the ARNs of clusters, in order of their names.
#[operation(
    of = Cluster, case = "camel", page(cluster_arns: Text, next_token), include(Page), effect = read, subject = "*"
)]
pub struct ListClusters {}

impl Handler for ListClusters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let rows = Cluster::table(cx.scope());
        Ok(cx.page_rows(&self, &rows, |cluster: Cluster| Ok(cluster.cluster_arn))?.into())
    }
}

/// Facts of descriptions in the typed API.
const ALL_FIELDS: [ClusterField; 2] = [ClusterField::Settings, ClusterField::Tags];

/// Gets a cluster; none if it does not exist.
#[operation(kind = Cluster, call = "get", case = "camel", effect = read, output = Option<Cluster>)]
pub struct ClusterGet {
    /// Name or ARN of the cluster.
    #[field(from_field = "clusterName")]
    pub cluster: Text,
}

impl ManagerOperation for ClusterGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Cluster>> {
        let describe = DescribeClusters::new().clusters([self.cluster.clone()]).include(ALL_FIELDS.to_vec());
        Ok(context.call(describe).await?.clusters.and_then(|found| found.into_iter().next()))
    }
}

/// Lists clusters, in order of their names.
#[operation(kind = Cluster, call = "list", case = "camel", pages, effect = read, output = ModelPage<Cluster>)]
pub struct ClusterList {}

impl Listing for ClusterList {
    type Model = Cluster;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<ModelPage<Cluster>> {
        let mut list = ListClusters::new();
        list.next_token.clone_from(&request.token);
        let found = context.call(list).await?;
        let arns = found.cluster_arns.unwrap_or_default();
        if arns.is_empty() {
            return Ok(ModelPage { items: Vec::new(), next_token: found.next_token });
        }
        let describe = DescribeClusters::new().clusters(arns).include(ALL_FIELDS.to_vec());
        let items = context.call(describe).await?.clusters.unwrap_or_default();
        Ok(ModelPage { items, next_token: found.next_token })
    }
}
