//! Operations that create, describe and delete replication groups.

use super::{
    NodeGroup, NodeGroupConfiguration, ReplicationGroup, ReplicationGroupManager, require, require_available,
};
use crate::{CacheCluster, errors, identifier::Page, snapshot};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Result, Secret, Text, operation, with_tags};

/// Creates a replication group with its clusters: one shard with cluster mode off, one or several with
/// cluster mode on.
#[operation(
    of = ReplicationGroup, call = "create", model, overrides(tags),
    needs(replication_group_id, description(wire = "ReplicationGroupDescription")),
    takes(
        settable, log_delivery_configurations(item = "LogDeliveryConfigurationRequest"),
        engine(condition = "elasticache:EngineType = redis"),
        transit_encryption_enabled(condition = "elasticache:TransitEncryptionEnabled = false"),
        at_rest_encryption_enabled(condition = "elasticache:AtRestEncryptionEnabled = false")
    ),
    wraps(replication_group), effect = write, also_requires("AddTagsToResource" = "Tags?"),
    subject = "replicationgroup:{ReplicationGroupId} + \
        CacheParameterGroupName? parametergroup:{CacheParameterGroupName} + \
        CacheSubnetGroupName? subnetgroup:{CacheSubnetGroupName}"
)]
pub struct CreateReplicationGroup {
    /// ID of the global replication group. There are none, so that it is refused.
    pub global_replication_group_id: Option<Text>,
    /// ID of an existing cluster that becomes the primary. Engine, nodes and network are its own.
    pub primary_cluster_id: Option<Text>,
    /// True if a replica replaces a failed primary. With cluster mode on, it is.
    #[field(condition = "elasticache:AutomaticFailoverEnabled")]
    pub automatic_failover_enabled: Option<bool>,
    /// True to place the clusters of a shard in several zones.
    #[field(name = "MultiAZEnabled", condition = "elasticache:MultiAZEnabled")]
    pub multi_az_enabled: Option<bool>,
    /// Number of clusters, with one shard; 1 by default.
    pub num_cache_clusters: Option<i64>,
    /// Zones of the clusters, one for each, with one shard.
    #[field(name = "PreferredCacheClusterAZs", item = "AvailabilityZone")]
    pub preferred_cache_cluster_azs: Option<Vec<Text>>,
    /// Number of shards; 1 by default.
    #[field(condition = "elasticache:NumNodeGroups")]
    pub num_node_groups: Option<i64>,
    /// Number of replicas of each shard, up to 5.
    #[field(condition = "elasticache:ReplicasPerNodeGroup")]
    pub replicas_per_node_group: Option<i64>,
    /// Shards, with their slots and zones.
    #[field(item = "NodeGroupConfiguration")]
    pub node_group_configuration: Option<Vec<NodeGroupConfiguration>>,
    /// Version of the engine; the newest by default.
    #[field(condition = "elasticache:EngineVersion")]
    pub engine_version: Option<Text>,
    /// Name of the parameter group; the default one of the version and the cluster mode by default.
    #[field(condition = "elasticache:CacheParameterGroupName")]
    pub cache_parameter_group_name: Option<Text>,
    /// Name of the subnet group; `default` by default.
    pub cache_subnet_group_name: Option<Text>,
    /// Cache security groups. Accounts of today have none, so that they are refused.
    #[field(item = "CacheSecurityGroupName")]
    pub cache_security_group_names: Option<Vec<Text>>,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(item = "SecurityGroupId")]
    pub security_group_ids: Option<Vec<Text>>,
    /// Objects with snapshots to restore. There are no buckets, so that they are refused.
    #[field(item = "SnapshotArn")]
    pub snapshot_arns: Option<Vec<Text>>,
    /// Name of the snapshot to restore.
    pub snapshot_name: Option<Text>,
    /// Window of the week in which changes are applied: `sun:23:00-mon:01:30` in UTC, at least an hour.
    pub preferred_maintenance_window: Option<Text>,
    /// Port; 6379 by default.
    #[field(range(1..=65535))]
    pub port: Option<i64>,
    /// ARN of the topic that is told about events.
    pub notification_topic_arn: Option<Text>,
    /// Token of clients: 16 to 128 letters, digits and characters of `!&#$^<>-`. It needs encryption in
    /// transit.
    #[field(sensitive, condition = "elasticache:AuthTokenEnabled is given = false")]
    pub auth_token: Option<Secret>,
    /// True to keep data in memory and on disks, for r6gd nodes.
    #[field(condition = "elasticache:DataTieringEnabled")]
    pub data_tiering_enabled: Option<bool>,
    /// Name of the snapshot of a serverless cache to restore.
    pub serverless_cache_snapshot_name: Option<Text>,
}

impl Handler for CreateReplicationGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(self.restoring(cx)?.create(cx)?.described(cx)?.into())
    }
}

/// Describes replication groups, in order of their IDs.
#[operation(
    of = ReplicationGroup, call = "list", page(replication_groups(item = "ReplicationGroup"), marker),
    include(Page), find(replication_group_id), with = with_tags, effect = read, access = list
)]
pub struct DescribeReplicationGroups {
    /// ID of one group.
    pub replication_group_id: Option<Text>,
}

impl Handler for DescribeReplicationGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let page = match &self.replication_group_id {
            Some(id) => {
                let found = require(cx, id)?.described(cx)?;
                cx.page_list(&self, [found])?
            }
            None => {
                let groups = ReplicationGroup::table(cx.scope());
                cx.page_rows(&self, &groups, |group: ReplicationGroup| group.described(cx).map(Some))?
            }
        };
        Ok(page.into())
    }
}

/// Deletes a replication group and its clusters.
#[operation(
    of = ReplicationGroup, call = "delete", on_model, needs(replication_group_id), wraps(replication_group),
    effect = write
)]
pub struct DeleteReplicationGroup {
    /// True to keep the primary as a cluster of its own. For groups with cluster mode off.
    pub retain_primary_cluster: Option<bool>,
    /// Name of the last snapshot.
    pub final_snapshot_identifier: Option<Text>,
}

impl Handler for DeleteReplicationGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_available(cx, &self.replication_group_id)?;
        let last = match &self.final_snapshot_identifier {
            Some(name) => {
                let name = snapshot::read_new_name(cx, name, "FinalSnapshotIdentifier")?;
                Some(group.take_snapshot(cx, name, "manual")?)
            }
            None => None,
        };
        let retains = self.retain_primary_cluster == Some(true);
        if retains && group.is_cluster_mode() {
            return Err(errors::retain_in_cluster_mode().with_field("RetainPrimaryCluster"));
        }
        let primary = group.node_groups.iter().flatten().filter_map(NodeGroup::primary);
        let retained = primary.filter(|_| retains).filter_map(|member| member.cache_cluster_id.clone());
        let retained: Vec<Text> = retained.collect();
        for mut cluster in group.member_rows(cx)? {
            if retained.iter().any(|id| id == cluster.id()) {
                cluster.leave_group();
            } else {
                cluster.cache_cluster_status = Some("deleting".into());
            }
            cx.put_and_schedule_transition(cluster)?;
        }
        if let Some(last) = last {
            cx.put_and_schedule_transition(last)?;
        }
        group.status = Some("deleting".into());
        cx.put_and_schedule_transition(group.clone())?;
        Ok(group.described(cx)?.into())
    }
}

impl CacheCluster {
    /// Makes a cluster of a group one of its own.
    fn leave_group(&mut self) {
        self.replication_group_id = None;
        self.replication_group_log_delivery_enabled = Some(false);
        self.auth_token_enabled = Some(false);
        self.auth_token_last_modified_date = None;
    }
}
