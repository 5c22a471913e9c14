//! The operation that describes clusters.

use super::{DBCluster, DBClusterManager, require};
use crate::{
    DBInstance,
    filters::{self, Filter},
    identifier::{self, Page},
};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{ErrorKind, ManagerOperation, Result, Text, WorkflowContext, operation};

/// Filters of clusters.
const FILTERS: &[&str] = &["db-cluster-id", "db-cluster-resource-id", "domain", "engine", "clone-group-id"];

/// Describes clusters, in order of their identifiers. Clusters of document and graph databases are among them; the listing of
/// this kind leaves them out.
#[operation(
    of = DBCluster, call = "list",
    page(db_clusters(name = "DBClusters", item = "DBCluster"): DBCluster => relational_only, marker), include(Page),
    effect = read, access = list
)]
pub struct DescribeDBClusters {
    /// Identifier or ARN of one cluster.
    #[field(name = "DBClusterIdentifier")]
    pub db_cluster_identifier: Option<Text>,
    /// Filters: db-cluster-id, db-cluster-resource-id, domain, engine, clone-group-id.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// True for clusters that other accounts share. There are none.
    #[field(no_effect)]
    pub include_shared: Option<bool>,
}

/// Leaves out the clusters of other kinds.
fn relational_only(clusters: Vec<DBCluster>) -> Vec<DBCluster> {
    clusters.into_iter().filter(DBCluster::is_relational).collect()
}

impl Handler for DescribeDBClusters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        let is_shown = |cluster: &DBCluster| filters.match_all(|name, value| cluster.has(cx, name, value));
        let page = match &self.db_cluster_identifier {
            Some(id) => {
                let found = require(cx, id, "DBClusterIdentifier")?;
                let found = if is_shown(&found) { Some(found.described(cx)?) } else { None };
                cx.page_list(&self, found)?
            }
            None => cx.page_rows(&self, &DBCluster::table(cx.scope()), |cluster: DBCluster| {
                if is_shown(&cluster) { cluster.described(cx).map(Some) } else { Ok(None) }
            })?,
        };
        Ok(page.into())
    }
}

/// Gets a cluster of relational databases; none if it does not exist, or has another kind of database.
#[operation(kind = DBCluster, call = "get", effect = read, output = Option<DBCluster>)]
pub struct DBClusterGet {
    /// Identifier or ARN of the cluster.
    #[field(name = "DBClusterIdentifier", from_field = "DBClusterIdentifier")]
    pub db_cluster_identifier: Text,
}

impl ManagerOperation for DBClusterGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<DBCluster>> {
        Ok(find(context, &self.db_cluster_identifier).await?.filter(DBCluster::is_relational))
    }
}

/// Finds a cluster of any kind of database through its description.
pub(crate) async fn find(context: &WorkflowContext, id: &Text) -> Result<Option<DBCluster>> {
    match context.call(DescribeDBClusters::new().db_cluster_identifier(id.clone())).await {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => Ok(found?.db_clusters.unwrap_or_default().into_iter().next()),
    }
}

impl DBCluster {
    /// True for a relational database.
    pub(crate) fn is_relational(&self) -> bool {
        !matches!(self.engine.as_deref(), Some("docdb" | "neptune"))
    }

    /// True if the cluster has the value of a filter.
    fn has(&self, cx: &Tx<'_>, name: &str, value: &str) -> bool {
        let own = match name {
            "db-cluster-id" => {
                let id = identifier::read_or_arn::<Self>(cx, value, "Filters");
                return id.is_ok_and(|id| id == self.id());
            }
            "db-cluster-resource-id" => &self.db_cluster_resource_id,
            "engine" => &self.engine,
            "clone-group-id" => &self.clone_group_id,
            // There are no directories.
            _ => &None,
        };
        own.as_deref() == Some(value)
    }

    /// Completes a cluster by what follows from its members and from the time.
    pub(crate) fn described(mut self, cx: &Tx<'_>) -> Result<Self> {
        self.tag_list.get_or_insert_default();
        let mut zones = Vec::new();
        for member in self.members() {
            let id = member.db_instance_identifier.as_deref().unwrap_or_default();
            zones.extend(DBInstance::find_by(cx, &[id])?.and_then(|instance| instance.availability_zone));
        }
        zones.sort_unstable();
        zones.dedup();
        self.multi_az = Some(zones.len() > 1);
        (self.earliest_restorable_time, self.latest_restorable_time) = self.restorable(cx.now()).unzip();
        Ok(self)
    }
}
