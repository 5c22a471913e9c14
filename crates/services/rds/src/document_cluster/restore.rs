//! Restores of clusters of document databases.

use super::{DocDBCluster, DocDBClusterManager, operations::ENGINE};
use crate::{
    DBCluster, RestoreDBClusterFromSnapshot, RestoreDBClusterToPointInTime, ServerlessV2ScalingConfiguration,
    cluster, errors,
};
use nephos_core::{
    ManagerOperation, Record, Result, Tag, Text, Timestamp, WorkflowContext, operation,
    operation::missing_in_answer,
};

/// Settings of a restored cluster of document databases; those of the source by default.
#[derive(Record)]
#[record(shared)]
pub struct DocDBClusterRestore {
    /// Port.
    #[field(like = DBCluster::port)]
    port: Option<i64>,
    /// Name of the subnet group; `default` by default.
    #[field(name = "DBSubnetGroupName")]
    db_subnet_group_name: Option<Text>,
    /// IDs of the security groups; the default one of the VPC by default.
    vpc_security_group_ids: Option<Vec<Text>>,
    /// Tags.
    tags: Option<Vec<Tag>>,
    /// Crypto key of the storage.
    crypto_key_id: Option<Text>,
    /// Types of logs to export.
    enable_logs_exports: Option<Vec<Text>>,
    /// True if the cluster cannot be deleted.
    deletion_protection: Option<bool>,
    /// Capacity of serverless instances.
    serverless_v2_scaling_configuration: Option<ServerlessV2ScalingConfiguration>,
    /// Type of storage: standard or iopt1.
    storage_type: Option<Text>,
    /// Type of addresses: IPV4. Subnets have no others.
    network_type: Option<Text>,
}

/// Restores a cluster of document databases to a point in time, or clones it. It has no instances yet.
#[operation(
    kind = DocDBCluster, call = "restore_to_point_in_time", include(DocDBClusterRestore), effect = write, output = DocDBCluster
)]
pub struct DocDBClusterRestoreToPointInTime {
    /// Identifier of the restored cluster.
    #[field(name = "DBClusterIdentifier")]
    pub db_cluster_identifier: Text,
    /// Identifier of the source.
    #[field(name = "SourceDBClusterIdentifier")]
    pub source_db_cluster_identifier: Text,
    /// Type: full-copy by default, or copy-on-write for a clone.
    #[field(one_of("full-copy", "copy-on-write"))]
    pub restore_type: Option<Text>,
    /// Time to restore to.
    pub restore_to_time: Option<Timestamp>,
    /// True for the latest time that the source can be restored to.
    pub use_latest_restorable_time: Option<bool>,
}

impl ManagerOperation for DocDBClusterRestoreToPointInTime {
    async fn run(&self, context: &WorkflowContext) -> Result<DocDBCluster> {
        let source = cluster::describe::find(context, &self.source_db_cluster_identifier).await?;
        if source.as_ref().is_some_and(|cluster| cluster.engine.as_deref() != Some(ENGINE)) {
            let error = errors::cluster_not_found(&self.source_db_cluster_identifier);
            return Err(error.with_field("SourceDBClusterIdentifier"));
        }
        let mut restore = RestoreDBClusterToPointInTime::from_given(self.clone());
        // The operation has the port of the engine by default.
        restore.port = self.port.or(source.and_then(|cluster| cluster.port));
        restore.tag_list.clone_from(&self.tags);
        restore.enabled_log_exports.clone_from(&self.enable_logs_exports);
        from_answer(context.call(restore).await?.db_cluster)
    }
}

/// Returns the cluster that an operation answers.
pub(super) fn from_answer(cluster: Option<DBCluster>) -> Result<DocDBCluster> {
    cluster.map(DocDBCluster::from).ok_or_else(|| missing_in_answer("DBCluster"))
}

/// Restores a cluster of document databases from a snapshot. It has no instances yet.
#[operation(
    kind = DocDBCluster, call = "restore_from_snapshot", include(DocDBClusterRestore), effect = write, output = DocDBCluster
)]
pub struct DocDBClusterRestoreFromSnapshot {
    /// Identifier of the restored cluster.
    #[field(name = "DBClusterIdentifier")]
    pub db_cluster_identifier: Text,
    /// Identifier or ARN of the snapshot.
    pub snapshot_identifier: Text,
    /// Version of the engine; the one of the snapshot by default.
    pub engine_version: Option<Text>,
    /// Zones of the storage.
    pub availability_zones: Option<Vec<Text>>,
    /// Name of the parameter group; the default one of the version by default.
    #[field(name = "DBClusterParameterGroupName")]
    pub db_cluster_parameter_group_name: Option<Text>,
}

impl ManagerOperation for DocDBClusterRestoreFromSnapshot {
    async fn run(&self, context: &WorkflowContext) -> Result<DocDBCluster> {
        let mut restore = RestoreDBClusterFromSnapshot::from_given(self.clone());
        restore.engine = ENGINE.into();
        restore.tag_list.clone_from(&self.tags);
        restore.enabled_log_exports.clone_from(&self.enable_logs_exports);
        from_answer(context.call(restore).await?.db_cluster)
    }
}
