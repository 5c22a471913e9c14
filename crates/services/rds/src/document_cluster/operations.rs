//! Calls on clusters of document databases. They run the operations on clusters.

use super::{DocDBCluster, DocDBClusterManager, restore::from_answer};
use crate::{
    AddTagsToResource, CreateDBCluster, DBCluster, DBClusterAccess, DBClusterChange, DeleteDBCluster,
    DescribeDBClusters, FailoverDBCluster, Filter, ListTagsForResource, Page, RemoveTagsFromResource,
    StartDBCluster, StopDBCluster, cluster,
};
use nephos_core::{
    Listing, ManagerOperation, PageRequest, Record, Result, Tag, Text, WorkflowContext, operation,
};

/// Name of the engine of document databases.
pub(super) const ENGINE: &str = "docdb";

/// Converts the cluster that an operation answers.
async fn to_document(_context: &WorkflowContext, cluster: DBCluster) -> Result<DocDBCluster> {
    Ok(cluster.into())
}

/// Creates a cluster of document databases. It has no instances yet: they are created as members of it.
#[operation(kind = DocDBCluster, call = "create", include(DBClusterAccess), effect = write, output = DocDBCluster)]
pub struct DocDBClusterCreate {
    /// Model of the resource.
    #[field(model, name = "model")]
    pub model: DocDBCluster,
    /// Name of the subnet group. It wins over the one of the model.
    #[field(name = "DBSubnetGroupName")]
    pub db_subnet_group_name: Option<Text>,
    /// A signed request to another Region. There are no replicas in other Regions, so it is refused.
    #[field(sensitive)]
    pub pre_signed_url: Option<Text>,
    /// Global cluster. There are none, so every one is refused.
    #[field(like = DBCluster::global_cluster_identifier)]
    pub global_cluster_identifier: Option<Text>,
    /// Region of the source of a replica. Clients use it to sign a request; the service does not.
    #[field(no_effect)]
    pub source_region: Option<Text>,
}

impl ManagerOperation for DocDBClusterCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<DocDBCluster> {
        let mut model = self.model.clone();
        model.engine.get_or_insert_with(|| ENGINE.into());
        let create: CreateDBCluster = operation::beside_model(&model, self)?;
        from_answer(context.call(create).await?.db_cluster)
    }
}

/// Gets a cluster of document databases; none if it does not exist, or has another engine.
#[operation(kind = DocDBCluster, call = "get", effect = read, output = Option<DocDBCluster>)]
pub struct DocDBClusterGet {
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier", from_field = "DBClusterIdentifier", length(1..))]
    pub db_cluster_identifier: Text,
}

impl ManagerOperation for DocDBClusterGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<DocDBCluster>> {
        let found = cluster::describe::find(context, &self.db_cluster_identifier).await?;
        Ok(documents(found).into_iter().next())
    }
}

/// Leaves out the clusters of other kinds.
fn documents(clusters: impl IntoIterator<Item = DBCluster>) -> Vec<DocDBCluster> {
    let own = clusters.into_iter().filter(|cluster| cluster.engine.as_deref() == Some(ENGINE));
    own.map(DocDBCluster::from).collect()
}

/// Lists clusters of document databases, in order of their identifiers.
#[operation(
    kind = DocDBCluster, call = "list", pages, include(Page), effect = read, output = nephos_core::Page<DocDBCluster>
)]
pub struct DocDBClusterList {
    /// Identifier or ARN of one cluster.
    #[field(name = "DBClusterIdentifier")]
    pub db_cluster_identifier: Option<Text>,
    /// Filters: db-cluster-id, engine. The listing has clusters with the engine docdb only.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Listing for DocDBClusterList {
    type Model = DocDBCluster;

    async fn page(
        &self,
        context: &WorkflowContext,
        request: &PageRequest,
    ) -> Result<nephos_core::Page<DocDBCluster>> {
        let mut describe = DescribeDBClusters::from_given(self.clone()).marker(request.token.clone());
        describe.filters.get_or_insert_default().push(Filter::of("engine", ENGINE));
        let found = context.call(describe).await?;
        let items = documents(found.db_clusters.unwrap_or_default());
        Ok(nephos_core::Page { items, next_token: found.marker })
    }
}

/// Changes a cluster of document databases to what the model describes: what was changed since the model was read.
#[operation(
    kind = DocDBCluster, call = "update", include(DBClusterAccess, DBClusterChange), effect = write, output = DocDBCluster
)]
pub struct DocDBClusterUpdate {
    /// Model of the resource.
    #[field(model, name = "model")]
    pub model: DocDBCluster,
}

impl ManagerOperation for DocDBClusterUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<DocDBCluster> {
        cluster::send_changes(context, &self.model, self).await
    }
}

/// The cluster that a call is about.
#[derive(Record)]
#[record(shared)]
pub struct DocDBClusterKey {
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier", required, from_field = "DBClusterIdentifier")]
    db_cluster_identifier: Option<Text>,
}

/// Deletes a cluster of document databases, after its instances.
#[operation(
    kind = DocDBCluster, call = "delete", on_model, runs = DeleteDBCluster, returns(db_cluster: DocDBCluster), with = to_document,
    include(DocDBClusterKey), effect = write
)]
pub struct DocDBClusterDelete {
    /// True to make no last snapshot.
    pub skip_final_snapshot: Option<bool>,
    /// Identifier of the last snapshot, which is needed unless it is skipped.
    #[field(name = "FinalDBSnapshotIdentifier")]
    pub final_db_snapshot_identifier: Option<Text>,
}

/// Starts a stopped cluster of document databases and its instances.
#[operation(
    kind = DocDBCluster, call = "start", on_model, runs = StartDBCluster, returns(db_cluster: DocDBCluster), with = to_document,
    include(DocDBClusterKey), effect = write
)]
pub struct DocDBClusterStart {}

/// Stops a cluster of document databases and its instances. It is started again after seven days.
#[operation(
    kind = DocDBCluster, call = "stop", on_model, runs = StopDBCluster, returns(db_cluster: DocDBCluster), with = to_document,
    include(DocDBClusterKey), effect = write
)]
pub struct DocDBClusterStop {}

/// Lets a reader of a cluster of document databases take writes.
#[operation(
    kind = DocDBCluster, call = "failover", on_model, runs = FailoverDBCluster, returns(db_cluster: DocDBCluster),
    with = to_document, include(DocDBClusterKey), effect = write
)]
pub struct DocDBClusterFailover {
    /// Identifier of the instance that takes writes.
    #[field(name = "TargetDBInstanceIdentifier")]
    pub target_db_instance_identifier: Option<Text>,
}

/// Sets tags; tags with the same keys are replaced.
#[operation(kind = DocDBCluster, call = "tag", effect = write, runs = AddTagsToResource)]
pub struct DocDBClusterTag {
    /// ARN of the resource.
    #[field(from_field = "DBClusterArn")]
    pub resource_name: Text,
    /// Tags to set.
    pub tags: Vec<Tag>,
}

/// Removes tags.
#[operation(kind = DocDBCluster, call = "untag", effect = write, runs = RemoveTagsFromResource)]
pub struct DocDBClusterUntag {
    /// ARN of the resource.
    #[field(from_field = "DBClusterArn")]
    pub resource_name: Text,
    /// Keys of the tags to remove.
    pub tag_keys: Vec<Text>,
}

/// Lists the tags.
#[operation(
    kind = DocDBCluster, call = "list_tags", effect = read, runs = ListTagsForResource, returns(tag_list: Vec<Tag>), on_model
)]
pub struct DocDBClusterListTags {
    /// ARN of the resource.
    #[field(from_field = "DBClusterArn")]
    pub resource_name: Text,
}
