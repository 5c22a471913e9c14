//! Snapshots of replication groups: taken of a member, and restored.

use super::{CreateReplicationGroup, NodeGroup, ReplicationGroup, refuse};
use crate::{
    CacheSnapshot, NodeGroupConfiguration, ServerlessCacheSnapshotStatus, errors, serverless_cache, snapshot,
};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, field_value::FieldType};

impl ReplicationGroup {
    /// Describes the group as it is now.
    pub(crate) fn take_snapshot(&self, cx: &Tx<'_>, name: Text, source: &str) -> Result<CacheSnapshot> {
        let primary = self.first_primary(cx)?;
        let mut taken = CacheSnapshot::of_cluster(cx, &primary, name, source)?;
        taken.replication_group_id.clone_from(&self.replication_group_id);
        taken.replication_group_description.clone_from(&self.description);
        taken.automatic_failover.clone_from(&self.automatic_failover);
        taken.data_tiering.clone_from(&self.data_tiering);
        taken.durability.clone_from(&self.durability);
        taken.crypto_key_id.clone_from(&self.crypto_key_id);
        let shards = self.node_groups.as_deref().unwrap_or_default();
        taken.num_node_groups = i64::try_from(shards.len()).ok();
        if self.is_cluster_mode() {
            taken.cache_cluster_id = None;
        } else {
            taken.cache_cluster_id.clone_from(&self.snapshotting_cluster_id);
        }
        let like = taken.node_snapshots.take().unwrap_or_default().into_iter().next();
        let node = |shard: &NodeGroup| {
            let mut node = like.clone()?;
            let member = shard.primary()?;
            node.cache_cluster_id = Some(member.id().into());
            node.node_group_id.clone_from(&shard.node_group_id);
            let mut settings = NodeGroupConfiguration::blank();
            settings.node_group_id.clone_from(&shard.node_group_id);
            settings.slots.clone_from(&shard.slots);
            let members = shard.node_group_members.as_ref().map_or(0, Vec::len);
            settings.replica_count = i64::try_from(members.saturating_sub(1)).ok();
            node.node_group_configuration = Some(settings);
            Some(node)
        };
        taken.node_snapshots = Some(shards.iter().filter_map(node).collect());
        Ok(taken)
    }
}

impl CreateReplicationGroup {
    /// Completes the parameters by a snapshot to restore, which must be available.
    pub(super) fn restoring(mut self, cx: &Tx<'_>) -> Result<Self> {
        if let Some(name) = &self.snapshot_name {
            let found = snapshot::require(cx, name, "SnapshotName")?;
            found.check_available("SnapshotName")?;
            if self.engine.is_some() && self.engine != found.engine {
                return refuse(errors::snapshot_of_other_engine(name), "Engine");
            }
            self.engine = found.engine;
            self.engine_version = self.engine_version.or(found.engine_version);
            self.cache_node_type = self.cache_node_type.or(found.cache_node_type);
            self.port = self.port.or(found.port);
            let shards = found.num_node_groups.filter(|count| *count > 1);
            if self.node_group_configuration.is_none() && self.num_cache_clusters.is_none() {
                self.num_node_groups = self.num_node_groups.or(shards);
            }
        }
        if let Some(name) = &self.serverless_cache_snapshot_name {
            let field = "ServerlessCacheSnapshotName";
            let Some(found) = serverless_cache::find_snapshot(cx, name)? else {
                return refuse(errors::snapshot_not_found(name), field);
            };
            if found.status != Some(ServerlessCacheSnapshotStatus::Available) {
                return refuse(errors::snapshot_not_available(name), field);
            }
            let engine = found.serverless_cache_configuration.and_then(|settings| settings.engine);
            if self.engine.is_some() && self.engine != engine {
                return refuse(errors::snapshot_of_other_engine(name), "Engine");
            }
            self.engine = engine;
        }
        Ok(self)
    }
}
