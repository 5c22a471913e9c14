//! Snapshots of clusters: their settings at a time, from which a cluster can be created.

mod automatic;
mod operations;

pub(crate) use automatic::{AutomaticClusterSnapshot, remove_of, schedule};
pub use operations::*;

use crate::{
    AutomaticFailoverStatus, CacheCluster, DataTieringStatus, Durability, NodeGroupConfiguration, SourceType,
    errors, event,
};
use nephos_cloud::{Addressed, Tx, own_arn};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, field_value::FieldType};

/// A node in a snapshot.
#[derive(Record)]
pub struct NodeSnapshot {
    /// ID of the cluster.
    pub(crate) cache_cluster_id: Option<Text>,
    /// ID of the shard.
    pub(crate) node_group_id: Option<Text>,
    /// ID of the node.
    cache_node_id: Option<Text>,
    /// Shard of the node.
    pub(crate) node_group_configuration: Option<NodeGroupConfiguration>,
    /// Size of the data.
    cache_size: Option<Text>,
    /// Time of creation of the node.
    cache_node_create_time: Option<Timestamp>,
    /// Time of the snapshot.
    snapshot_create_time: Option<Timestamp>,
}

/// A snapshot of a cluster or replication group.
#[derive(Resource)]
#[resource(
    arn("ARN", "snapshot:{SnapshotName}"), not_found = |name| errors::snapshot_not_found(name),
    name = "SnapshotName", pk = "SnapshotName", exists_if = "ARN", tags = "Tags",
    relation(cache_cluster, one = CacheCluster, with = find_cluster)
)]
pub struct CacheSnapshot {
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=255))]
    pub(crate) snapshot_name: Option<Text>,
    /// ID of the replication group.
    #[field(fixed)]
    pub(crate) replication_group_id: Option<Text>,
    /// Description of the replication group.
    #[field(service_set)]
    pub(crate) replication_group_description: Option<Text>,
    /// ID of the cluster.
    #[field(fixed)]
    pub(crate) cache_cluster_id: Option<Text>,
    /// Status: creating, available, copying or deleting.
    #[field(service_set)]
    pub(crate) snapshot_status: Option<Text>,
    /// Source: manual or automated.
    #[field(service_set)]
    pub(crate) snapshot_source: Option<Text>,
    /// Type of the nodes.
    #[field(service_set)]
    pub(crate) cache_node_type: Option<Text>,
    /// Engine.
    #[field(service_set)]
    pub(crate) engine: Option<Text>,
    /// Version of the engine.
    #[field(service_set)]
    pub(crate) engine_version: Option<Text>,
    /// Number of nodes.
    #[field(service_set)]
    num_cache_nodes: Option<i64>,
    /// Zone of the nodes.
    #[field(service_set)]
    preferred_availability_zone: Option<Text>,
    /// ARN of the Outpost of the nodes.
    #[field(service_set)]
    preferred_outpost_arn: Option<Text>,
    /// Time of creation of the cluster.
    #[field(service_set)]
    cache_cluster_create_time: Option<Timestamp>,
    /// Maintenance window.
    #[field(service_set)]
    preferred_maintenance_window: Option<Text>,
    /// ARN of the topic that is told about events.
    #[field(service_set)]
    topic_arn: Option<Text>,
    /// Port.
    #[field(service_set)]
    pub(crate) port: Option<i64>,
    /// Name of the parameter group.
    #[field(service_set)]
    cache_parameter_group_name: Option<Text>,
    /// Name of the subnet group.
    #[field(service_set)]
    cache_subnet_group_name: Option<Text>,
    /// ID of the VPC.
    #[field(service_set)]
    vpc_id: Option<Text>,
    /// True if new minor versions are installed in the maintenance window.
    #[field(service_set)]
    auto_minor_version_upgrade: Option<bool>,
    /// Days that automatic snapshots are kept.
    #[field(service_set)]
    snapshot_retention_limit: Option<i64>,
    /// Window of automatic snapshots.
    #[field(service_set)]
    snapshot_window: Option<Text>,
    /// Number of shards.
    #[field(service_set)]
    pub(crate) num_node_groups: Option<i64>,
    /// Automatic failover.
    #[field(service_set)]
    pub(crate) automatic_failover: Option<AutomaticFailoverStatus>,
    /// Nodes.
    #[field(service_set, item = "NodeSnapshot")]
    pub(crate) node_snapshots: Option<Vec<NodeSnapshot>>,
    /// ID or ARN of the crypto key.
    #[field(fixed, wire = "KmsKeyId", condition = "elasticache:KmsKeyId")]
    pub(crate) crypto_key_id: Option<Text>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    pub(crate) arn: Option<Text>,
    /// Data tiering.
    #[field(service_set)]
    pub(crate) data_tiering: Option<DataTieringStatus>,
    /// Durability.
    #[field(service_set)]
    pub(crate) durability: Option<Durability>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    CacheSnapshot in "elasticache/snapshot" by snapshot_name;
    arn arn;
    states(
        "SnapshotStatus":
        "creating" => "available" 60 then CacheSnapshot::finish_creation,
        "copying" => "available" 60 then CacheSnapshot::finish_copy,
        "deleting" => removed 30
    )
}

/// Finds a snapshot by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<CacheSnapshot>> {
    CacheSnapshot::find_by(cx, &[name])
}

/// Returns the snapshot with this name, or refuses; `field` is the parameter with the name.
pub(crate) fn require(cx: &Tx<'_>, name: &str, field: &str) -> Result<CacheSnapshot> {
    find(cx, name)?.ok_or_else(|| errors::snapshot_not_found(name).with_field(field))
}

impl CacheSnapshot {
    /// Name of the snapshot.
    pub(crate) fn snapshot_name_text(&self) -> &str {
        self.snapshot_name.as_deref().unwrap_or_default()
    }

    /// True for a snapshot that was taken by the service.
    pub(crate) fn is_automatic(&self) -> bool {
        self.snapshot_source.as_deref() == Some("automated")
    }

    /// Refuses a snapshot that is not available.
    pub(crate) fn check_available(&self, field: &str) -> Result<()> {
        match self.snapshot_status.as_deref() {
            Some("available") => Ok(()),
            status => {
                let error = errors::snapshot_not_available(self.snapshot_name_text());
                Err(error.with_field(field).with_hint(status.unwrap_or_default()))
            }
        }
    }

    /// Describes a cluster as it is now.
    pub(crate) fn of_cluster(cx: &Tx<'_>, cluster: &CacheCluster, name: Text, source: &str) -> Result<Self> {
        let mut snapshot = Self::blank();
        snapshot.snapshot_name = Some(name);
        snapshot.arn = own_arn(&snapshot, cx.scope());
        snapshot.snapshot_status = Some("creating".into());
        snapshot.snapshot_source = Some(source.into());
        snapshot.cache_cluster_id.clone_from(&cluster.cache_cluster_id);
        snapshot.cache_node_type.clone_from(&cluster.cache_node_type);
        snapshot.engine.clone_from(&cluster.engine);
        snapshot.engine_version.clone_from(&cluster.engine_version);
        snapshot.num_cache_nodes = cluster.num_cache_nodes;
        snapshot.preferred_availability_zone.clone_from(&cluster.preferred_availability_zone);
        snapshot.cache_cluster_create_time = cluster.cache_cluster_create_time;
        snapshot.preferred_maintenance_window.clone_from(&cluster.preferred_maintenance_window);
        let topic = cluster.notification_configuration.as_ref();
        snapshot.topic_arn = topic.and_then(|topic| topic.topic_arn.clone());
        snapshot.port = Some(cluster.own_port());
        snapshot.cache_parameter_group_name = Some(cluster.parameter_group_name().into());
        snapshot.cache_subnet_group_name.clone_from(&cluster.cache_subnet_group_name);
        let group =
            crate::subnet_group::find(cx, cluster.cache_subnet_group_name.as_deref().unwrap_or_default())?;
        snapshot.vpc_id = group.and_then(|group| group.vpc_id);
        snapshot.auto_minor_version_upgrade = cluster.auto_minor_version_upgrade;
        snapshot.snapshot_retention_limit = cluster.snapshot_retention_limit;
        snapshot.snapshot_window.clone_from(&cluster.snapshot_window);
        snapshot.data_tiering = Some(DataTieringStatus::Disabled);
        let nodes = cluster.cache_nodes.iter().flatten().map(|node| NodeSnapshot {
            cache_cluster_id: cluster.cache_cluster_id.clone(),
            node_group_id: None,
            cache_node_id: node.cache_node_id.clone(),
            node_group_configuration: None,
            cache_size: Some("0 MB".into()),
            cache_node_create_time: node.cache_node_create_time,
            snapshot_create_time: Some(cx.now()),
        });
        snapshot.node_snapshots = Some(nodes.collect());
        Ok(snapshot)
    }

    /// Ends the creation.
    fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "Snapshot succeeded")
    }

    /// Ends a copy.
    fn finish_copy(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "Snapshot copy succeeded")
    }

    /// Writes an event of the cluster that the snapshot was taken of.
    fn write_event(&self, cx: &mut Tx<'_>, outcome: &str) -> Result<()> {
        let nodes = self.node_snapshots.iter().flatten();
        let member = nodes.filter_map(|node| node.cache_cluster_id.as_deref()).next();
        let cluster = self.cache_cluster_id.as_deref().or(member).unwrap_or_default();
        let (kind, id) = match self.replication_group_id.as_deref() {
            Some(group) => ("replication group", group),
            None => ("cache cluster", cluster),
        };
        let name = self.snapshot_name_text();
        let message = format!("{outcome} for snapshot with ID '{name}' of {kind} with ID '{id}'");
        event::write(cx, (SourceType::CacheCluster, cluster), message)
    }

    /// Time of the snapshot.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.node_snapshots.iter().flatten().find_map(|node| node.snapshot_create_time)
    }
}

async fn find_cluster(snapshot: &CacheSnapshot) -> Result<Option<CacheCluster>> {
    let Some(id) = snapshot.cache_cluster_id.clone() else { return Ok(None) };
    CacheCluster::objects(snapshot.require_session()?).get(id).await
}
