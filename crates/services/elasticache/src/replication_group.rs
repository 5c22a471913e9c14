//! Replication groups: a primary cluster and its read replicas, in one shard or in several.

mod access;
mod change;
mod create;
mod events;
mod members;
mod modify;
mod operations;
mod records;
mod replicas;
mod scaling;
mod settings;
pub(crate) mod shards;
mod snapshots;
pub(crate) mod token;

pub(crate) use change::{GroupChangeRow, GroupMaintenanceWork};
pub use modify::*;
pub use operations::*;
pub use records::*;
pub use replicas::*;
pub(crate) use replicas::{add_replica, build_replica, remove_replica};
pub use scaling::*;
pub use shards::NodeGroupConfiguration;
pub(crate) use token::AuthTokensRow;

use crate::{
    CacheCluster, CacheUserGroup, Endpoint, IpDiscovery, LogDeliveryConfiguration, NetworkType,
    TransitEncryptionMode, engine::Engine, errors, identifier,
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Error, Resource, Result, Slot, Tag, Text, Timestamp};

/// Maximum length of the ID of a group.
const MAX_ID_LENGTH: usize = 40;

/// Status of a group that can be changed.
const AVAILABLE: &str = "available";

/// Status of a group that is being changed.
const MODIFYING: &str = "modifying";

/// Role of the cluster of a shard that takes writes.
const PRIMARY: &str = "primary";

/// Role of a read replica.
const REPLICA: &str = "replica";

/// A replication group.
#[derive(Resource)]
#[resource(
    arn("ARN", "replicationgroup:{ReplicationGroupId}"),
    not_found = |id| errors::replication_group_not_found(id),
    name = "ReplicationGroupId", pk = "ReplicationGroupId", exists_if = "ARN", tags = "Tags",
    relation(member_cache_clusters, many = CacheCluster, with = find_members),
    relation(user_groups, many = CacheUserGroup, with = find_user_groups)
)]
pub struct ReplicationGroup {
    /// ID, unique within account and Region and kept in lower case: a letter, then letters, digits and single
    /// hyphens.
    #[field(required, fixed, length(1..))]
    pub(crate) replication_group_id: Option<Text>,
    /// Description.
    #[field(required)]
    description: Option<Text>,
    /// Global replication group. There are none, so that it is never set.
    #[field(service_set)]
    global_replication_group_info: Option<GlobalReplicationGroupInfo>,
    /// Status: creating, available, modifying or deleting.
    #[field(service_set)]
    pub(crate) status: Option<Text>,
    /// Changes that are not applied yet.
    #[field(service_set)]
    pending_modified_values: Option<ReplicationGroupPendingModifiedValues>,
    /// IDs of the clusters.
    #[field(service_set, item = "ClusterId")]
    pub(crate) member_clusters: Option<Vec<Text>>,
    /// Shards.
    #[field(service_set, item = "NodeGroup")]
    node_groups: Option<Vec<NodeGroup>>,
    /// ID of the cluster that snapshots are taken of. For groups with cluster mode off.
    #[field(service_set)]
    snapshotting_cluster_id: Option<Text>,
    /// Automatic failover.
    #[field(service_set)]
    automatic_failover: Option<AutomaticFailoverStatus>,
    /// Placement in several zones.
    #[field(name = "MultiAZ", service_set)]
    multi_az: Option<MultiAZStatus>,
    /// Endpoint by which clients find all shards, with cluster mode on.
    #[field(service_set)]
    configuration_endpoint: Option<Endpoint>,
    /// Days that automatic snapshots are kept; 0 for none.
    #[field(range(0..=35), condition = "elasticache:SnapshotRetentionLimit")]
    snapshot_retention_limit: Option<i64>,
    /// Window of the day in which snapshots are taken: `05:30-06:30` in UTC, at least an hour.
    snapshot_window: Option<Text>,
    /// True if cluster mode is on.
    #[field(service_set)]
    cluster_enabled: Option<bool>,
    /// Type of the nodes: `cache.t4g.micro`, for example.
    #[field(condition = "elasticache:CacheNodeType")]
    cache_node_type: Option<Text>,
    /// True if clients need a token.
    #[field(service_set)]
    auth_token_enabled: Option<bool>,
    /// Time of the last change of the token.
    #[field(service_set)]
    auth_token_last_modified_date: Option<Timestamp>,
    /// True if connections are encrypted.
    #[field(condition = "elasticache:TransitEncryptionEnabled")]
    transit_encryption_enabled: Option<bool>,
    /// True if data are encrypted at rest; true by default for valkey.
    #[field(fixed, condition = "elasticache:AtRestEncryptionEnabled")]
    at_rest_encryption_enabled: Option<bool>,
    /// ARNs of the Outposts of the clusters. There are none, so that it is never set.
    #[field(service_set, item = "ReplicationGroupOutpostArn")]
    member_clusters_outpost_arns: Option<Vec<Text>>,
    /// ID, ARN or alias of the KMS key that encrypts data at rest.
    #[field(fixed, wire = "KmsKeyId", condition = "elasticache:KmsKeyId")]
    crypto_key_id: Option<Text>,
    /// Encryption at rest.
    #[field(service_set)]
    storage_encryption_type: Option<StorageEncryptionType>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    arn: Option<Text>,
    /// ID of the user group. An update changes it with `UserGroupIdsToAdd` and `UserGroupIdsToRemove`.
    #[field(fixed, condition = "elasticache:UserGroupId")]
    user_group_ids: Option<Vec<Text>>,
    /// Destinations of the logs.
    #[field(item = "LogDeliveryConfiguration")]
    log_delivery_configurations: Option<Vec<LogDeliveryConfiguration>>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) replication_group_create_time: Option<Timestamp>,
    /// Data tiering, for r6gd nodes.
    #[field(service_set)]
    data_tiering: Option<DataTieringStatus>,
    /// True if new minor versions are installed in the maintenance window; true by default.
    auto_minor_version_upgrade: Option<bool>,
    /// Type of addresses; IPv4 by default.
    #[field(fixed)]
    network_type: Option<NetworkType>,
    /// Type of addresses that clients discover nodes by; IPv4 by default.
    ip_discovery: Option<IpDiscovery>,
    /// Use of encryption in transit; required by default, if connections are encrypted.
    transit_encryption_mode: Option<TransitEncryptionMode>,
    /// Cluster mode; that of the parameter group by default.
    #[field(condition = "elasticache:ClusterModeEnabled is enabled")]
    cluster_mode: Option<ClusterMode>,
    /// Engine: redis or valkey; redis by default.
    #[field(condition = "elasticache:EngineType")]
    engine: Option<Text>,
    /// Durability of writes.
    #[field(no_effect)]
    durability: Option<Durability>,
    /// Durability that is in effect.
    #[field(service_set)]
    effective_durability: Option<EffectiveDurability>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    ReplicationGroup in "elasticache/replication-group" by replication_group_id;
    arn arn;
    states(
        "Status": "creating" => "available" 300 then ReplicationGroup::finish_creation,
        "snapshotting" => "available" 60,
        "modifying" => "available" 120 then ReplicationGroup::apply_changes,
        "deleting" => removed 120 then ReplicationGroup::clean_up
    )
}

/// Refuses with the parameter that is the reason.
fn refuse<T>(error: Error, field: &str) -> Result<T> {
    Err(error.with_field(field))
}

/// Finds a group by its ID, in any case.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<ReplicationGroup>> {
    ReplicationGroup::find_by(cx, &[id])
}

/// Finds the group with this ID, in any case, or refuses.
pub(crate) fn require(cx: &Tx<'_>, id: &str) -> Result<ReplicationGroup> {
    let id = identifier::read(id, "ReplicationGroupId", MAX_ID_LENGTH)?;
    let found = find(cx, &id)?;
    found.ok_or_else(|| errors::replication_group_not_found(&id).with_field("ReplicationGroupId"))
}

/// Finds the group with this ID, in any case, or refuses: it must be available.
pub(crate) fn require_available(cx: &Tx<'_>, id: &str) -> Result<ReplicationGroup> {
    let group = require(cx, id)?;
    match group.status.as_deref().unwrap_or_default() {
        AVAILABLE => Ok(group),
        status => Err(errors::replication_group_not_available(group.id())
            .with_field("ReplicationGroupId")
            .with_hint(status)),
    }
}

impl ReplicationGroup {
    /// IDs of the shards and of their clusters, the primary last.
    pub(crate) fn members_by_shard(&self) -> Vec<(Text, Vec<Text>)> {
        let members = |shard: &NodeGroup| {
            shard.replicas().chain(shard.primary()).map(|member| member.id().into()).collect()
        };
        self.node_groups.iter().flatten().map(|shard| (shard.id().into(), members(shard))).collect()
    }

    fn id(&self) -> &str {
        self.replication_group_id.as_deref().unwrap_or_default()
    }

    fn own_engine(&self) -> Result<Engine> {
        Engine::read(self.engine.as_deref().unwrap_or_default())
    }

    fn is_cluster_mode(&self) -> bool {
        self.cluster_enabled == Some(true)
    }

    fn is_encrypted(&self) -> bool {
        self.transit_encryption_enabled == Some(true)
    }

    fn has_failover(&self) -> bool {
        self.automatic_failover == Some(AutomaticFailoverStatus::Enabled)
    }

    /// True if automatic failover is on, or will be when pending changes are applied.
    fn has_failover_or_pending(&self) -> bool {
        let pending = self.pending_modified_values.as_ref();
        let pending = pending.and_then(|pending| pending.automatic_failover_status.clone());
        self.has_failover() || pending == Some(PendingAutomaticFailoverStatus::Enabled)
    }

    /// The shard with this ID.
    fn shard(&self, id: &str) -> Option<&NodeGroup> {
        self.node_groups.iter().flatten().find(|shard| shard.id() == id)
    }

    /// Returns the group as it is described: without what a group that is being created does not have yet,
    /// and without roles with cluster mode on.
    fn described(mut self, cx: &Tx<'_>) -> Result<Self> {
        let status = self.status.clone();
        if status.as_deref() == Some("creating") {
            self.node_groups = None;
            self.configuration_endpoint = None;
        }
        let hides_roles = self.cluster_mode == Some(ClusterMode::Enabled);
        for shard in self.node_groups.iter_mut().flatten() {
            shard.status = shard.status.take().or_else(|| status.clone());
            for member in shard.node_group_members.iter_mut().flatten().filter(|_| hides_roles) {
                member.current_role = None;
            }
        }
        change::set_progress(&mut self, cx)?;
        Ok(self)
    }
}

async fn find_members(group: &ReplicationGroup) -> Result<Vec<CacheCluster>> {
    let clusters = CacheCluster::objects(group.require_session()?);
    let mut found = Vec::new();
    for id in group.member_clusters.iter().flatten() {
        found.extend(clusters.get(id.clone()).await?);
    }
    Ok(found)
}

async fn find_user_groups(group: &ReplicationGroup) -> Result<Vec<CacheUserGroup>> {
    let groups = CacheUserGroup::objects(group.require_session()?);
    let mut found = Vec::new();
    for id in group.user_group_ids.iter().flatten() {
        found.extend(groups.get(id.clone()).await?);
    }
    Ok(found)
}
