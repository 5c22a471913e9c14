//! Records of replication groups: shards, their members, and pending changes.

use super::{PRIMARY, REPLICA};
use crate::{AuthTokenUpdateStatus, Endpoint, PendingLogDeliveryConfiguration, TransitEncryptionMode};
use nephos_core::{Record, Text, choices, field_value::FieldType};

choices! {
    /// Cluster mode.
    #[derive(Eq)]
    pub enum ClusterMode {
        /// Clients use the protocol of clusters.
        Enabled = "enabled",
        /// Clients do not use the protocol of clusters.
        Disabled = "disabled",
        /// Clients use either, while a group moves to cluster mode.
        Compatible = "compatible",
    }
}

choices! {
    /// Durability of writes.
    #[derive(Eq)]
    pub enum Durability {
        /// That of the engine.
        Default = "default",
        /// Writes are made durable later.
        Async = "async",
        /// Writes are durable when they are answered.
        Sync = "sync",
        /// Writes are not durable.
        Disabled = "disabled",
    }
}

choices! {
    /// Durability that is in effect.
    #[derive(Eq)]
    pub enum EffectiveDurability {
        /// Writes are made durable later.
        Async = "async",
        /// Writes are durable when they are answered.
        Sync = "sync",
        /// Writes are not durable.
        Disabled = "disabled",
    }
}

impl EffectiveDurability {
    /// Durability in effect for a setting.
    pub(super) fn of(setting: &Durability) -> Self {
        match setting {
            Durability::Sync => Self::Sync,
            Durability::Disabled => Self::Disabled,
            _ => Self::Async,
        }
    }
}

choices! {
    /// Automatic failover of a group.
    #[derive(Eq)]
    pub enum AutomaticFailoverStatus {
        /// A replica replaces a failed primary.
        Enabled = "enabled",
        /// A failed primary is not replaced.
        Disabled = "disabled",
        /// It is being turned on.
        Enabling = "enabling",
        /// It is being turned off.
        Disabling = "disabling",
    }
}

choices! {
    /// Automatic failover that is not in effect yet.
    #[derive(Eq)]
    pub enum PendingAutomaticFailoverStatus {
        /// It will be turned on.
        Enabled = "enabled",
        /// It will be turned off.
        Disabled = "disabled",
    }
}

choices! {
    /// Placement in several zones.
    #[derive(Eq)]
    pub enum MultiAZStatus {
        /// The clusters of a shard are in several zones.
        Enabled = "enabled",
        /// The clusters of a shard may be in one zone.
        Disabled = "disabled",
    }
}

choices! {
    /// Encryption at rest.
    #[derive(Eq)]
    pub enum StorageEncryptionType {
        /// Data are not encrypted.
        None = "none",
        /// Data are encrypted with a key of the service.
        SseElasticache = "sse-elasticache",
        /// Data are encrypted with a KMS key.
        SseKms = "sse-kms",
    }
}

choices! {
    /// Data tiering.
    #[derive(Eq)]
    pub enum DataTieringStatus {
        /// Data are in memory and on disks.
        Enabled = "enabled",
        /// Data are in memory.
        Disabled = "disabled",
    }
}

/// A global replication group that a group is a member of.
#[derive(Record)]
#[record(answer)]
pub struct GlobalReplicationGroupInfo {
    /// ID of the global group.
    global_replication_group_id: Option<Text>,
    /// Role of the member.
    global_replication_group_member_role: Option<Text>,
}

/// A move of slots between shards.
#[derive(Record)]
pub struct SlotMigration {
    /// Progress in percent.
    pub(super) progress_percentage: Option<f64>,
}

/// A change of the number of shards.
#[derive(Record)]
pub struct ReshardingStatus {
    /// Move of the slots.
    pub(super) slot_migration: Option<SlotMigration>,
}

/// A change of the user groups.
#[derive(Record)]
pub struct UserGroupsUpdateStatus {
    /// IDs of the user groups to add.
    pub(super) user_group_ids_to_add: Option<Vec<Text>>,
    /// IDs of the user groups to remove.
    pub(super) user_group_ids_to_remove: Option<Vec<Text>>,
}

/// Changes of a group that are not applied yet.
#[derive(Record)]
pub struct ReplicationGroupPendingModifiedValues {
    /// ID of the new primary cluster.
    pub(super) primary_cluster_id: Option<Text>,
    /// New automatic failover.
    pub(super) automatic_failover_status: Option<PendingAutomaticFailoverStatus>,
    /// Change of the number of shards.
    pub(super) resharding: Option<ReshardingStatus>,
    /// Change of the token.
    pub(super) auth_token_status: Option<AuthTokenUpdateStatus>,
    /// Change of the user groups.
    pub(super) user_groups: Option<UserGroupsUpdateStatus>,
    /// New destinations of logs.
    #[field(wire = "PendingLogDeliveryConfiguration")]
    pub(super) log_delivery_configurations: Option<Vec<PendingLogDeliveryConfiguration>>,
    /// New encryption in transit.
    pub(super) transit_encryption_enabled: Option<bool>,
    /// New use of encryption in transit.
    pub(super) transit_encryption_mode: Option<TransitEncryptionMode>,
    /// New cluster mode.
    pub(super) cluster_mode: Option<ClusterMode>,
}

impl ReplicationGroupPendingModifiedValues {
    /// True if nothing is pending.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::blank()
    }
}

/// A cluster of a shard.
#[derive(Record)]
pub struct NodeGroupMember {
    /// ID of the cluster.
    pub(super) cache_cluster_id: Option<Text>,
    /// ID of the node.
    pub(super) cache_node_id: Option<Text>,
    /// Endpoint for reads, with cluster mode off.
    pub(super) read_endpoint: Option<Endpoint>,
    /// Zone.
    pub(super) preferred_availability_zone: Option<Text>,
    /// ARN of the Outpost.
    pub(super) preferred_outpost_arn: Option<Text>,
    /// Role: primary or replica, with cluster mode off.
    pub(super) current_role: Option<Text>,
}

impl NodeGroupMember {
    pub(super) fn id(&self) -> &str {
        self.cache_cluster_id.as_deref().unwrap_or_default()
    }

    pub(super) fn is_primary(&self) -> bool {
        self.current_role.as_deref() == Some(PRIMARY)
    }

    pub(super) fn set_primary(&mut self, is_primary: bool) {
        self.current_role = Some(if is_primary { PRIMARY.into() } else { REPLICA.into() });
    }
}

/// A shard.
#[derive(Record)]
pub struct NodeGroup {
    /// ID of the shard: 0001, 0002 and so on.
    pub(super) node_group_id: Option<Text>,
    /// Status: creating, available, modifying or deleting.
    pub(super) status: Option<Text>,
    /// Endpoint of the primary, with cluster mode off.
    pub(super) primary_endpoint: Option<Endpoint>,
    /// Endpoint of the replicas, with cluster mode off.
    pub(super) reader_endpoint: Option<Endpoint>,
    /// Slots of the keys of the shard, with cluster mode on: `0-8191`.
    pub(super) slots: Option<Text>,
    /// Clusters.
    #[field(item = "NodeGroupMember")]
    pub(super) node_group_members: Option<Vec<NodeGroupMember>>,
}

impl NodeGroup {
    pub(super) fn id(&self) -> &str {
        self.node_group_id.as_deref().unwrap_or_default()
    }

    pub(super) fn members(&self) -> &[NodeGroupMember] {
        self.node_group_members.as_deref().unwrap_or_default()
    }

    pub(super) fn replicas(&self) -> impl DoubleEndedIterator<Item = &NodeGroupMember> {
        self.members().iter().filter(|member| !member.is_primary())
    }

    pub(super) fn primary(&self) -> Option<&NodeGroupMember> {
        self.members().iter().find(|member| member.is_primary())
    }

    /// Makes a member the primary.
    pub(super) fn promote(&mut self, id: &str) {
        if self.members().iter().any(|member| member.id() == id) {
            for member in self.node_group_members.iter_mut().flatten() {
                member.set_primary(member.id() == id);
            }
        }
    }
}
