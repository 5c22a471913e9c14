//! Shards of replication groups: their number, their primaries, and the types of their nodes.

use super::{
    NodeGroup, NodeGroupMember, ReplicationGroup, ReplicationGroupManager, ReshardingStatus, SlotMigration,
    change::Change,
    members, refuse,
    replicas::check_immediate,
    require, require_available,
    shards::{self, read_shard_id, shard_id},
};
use crate::{
    CacheCluster, cluster,
    engine::{
        Engine,
        node_types::{NodeValue, values},
    },
    errors,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType, operation};

/// Zones of the clusters of a shard.
#[derive(Record)]
pub struct ReshardingConfiguration {
    /// ID of the shard.
    #[field(length(1..=4), pattern = r"\d+")]
    node_group_id: Option<Text>,
    /// Zones of the primary and of the replicas, one for each.
    #[field(item = "AvailabilityZone")]
    preferred_availability_zones: Option<Vec<Text>>,
}

/// Changes the number of shards of a group with cluster mode on. The slots are then split evenly.
#[operation(
    of = ReplicationGroup, call = "reshard", on_model(node_group_count, apply_immediately),
    needs(replication_group_id), wraps(replication_group), effect = write
)]
pub struct ModifyReplicationGroupShardConfiguration {
    /// New number of shards.
    #[field(condition = "elasticache:NumNodeGroups")]
    pub node_group_count: i64,
    /// True. Shards cannot be changed in the maintenance window.
    pub apply_immediately: bool,
    /// Zones of new shards, or of all shards. Clusters of existing shards stay in their zones.
    #[field(item = "ReshardingConfiguration")]
    pub resharding_configuration: Option<Vec<ReshardingConfiguration>>,
    /// IDs of the shards to remove, if there are fewer.
    #[field(item = "NodeGroupToRemove", each(length(1..=4), pattern = r"\d+"))]
    pub node_groups_to_remove: Option<Vec<Text>>,
    /// IDs of the shards to keep, if there are fewer.
    #[field(item = "NodeGroupToRetain", each(length(1..=4), pattern = r"\d+"))]
    pub node_groups_to_retain: Option<Vec<Text>>,
}

impl Handler for ModifyReplicationGroupShardConfiguration {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_available(cx, &self.replication_group_id)?;
        check_immediate(self.apply_immediately)?;
        if !group.is_cluster_mode() {
            return refuse(errors::cluster_mode_on_required(), "ReplicationGroupId");
        }
        let count = shards::check_shards(self.node_group_count, "NodeGroupCount")?;
        let before = group.node_groups.clone().unwrap_or_default();
        let removed = self.read_removed(&before, count)?;
        if count == before.len() {
            return refuse(errors::no_operation(), "NodeGroupCount");
        }
        let mut after: Vec<_> =
            before.iter().filter(|shard| !removed.contains(&shard.id().into())).cloned().collect();
        if count > before.len() {
            let clusters = self.add_shards(cx, &group, &mut after, count - before.len())?;
            members::check_new(cx, &clusters)?;
            let mut shown = after.clone();
            for shard in shown.iter_mut().skip(before.len()) {
                shard.status = Some("creating".into());
            }
            group.node_groups = Some(shown);
            group.update_members();
            for mut cluster in clusters {
                group.mark_member(cx, &mut cluster);
                cluster.store_new(cx)?;
            }
        } else {
            let gone = before.iter().filter(|shard| removed.contains(&shard.id().into()));
            let gone: Vec<Text> = gone
                .flat_map(NodeGroup::members)
                .filter_map(|member| member.cache_cluster_id.clone())
                .collect();
            group.delete_members(cx, &gone)?;
        }
        shards::spread_slots(&mut after);
        let mut change = Change::of(cx, &group, true)?;
        change.row.node_groups = Some(after);
        change.row.started = Some(cx.now());
        let migration = SlotMigration { progress_percentage: Some(0.0) };
        change.pending.resharding = Some(ReshardingStatus { slot_migration: Some(migration) });
        change.start(cx, &mut group)?;
        Ok(group.described(cx)?.into())
    }
}

impl ModifyReplicationGroupShardConfiguration {
    /// Reads the IDs of the shards to remove.
    fn read_removed(&self, shards: &[NodeGroup], count: usize) -> Result<Vec<Text>> {
        let read = |ids: &Option<Vec<Text>>| -> Vec<Text> {
            ids.iter().flatten().map(|id| read_shard_id(id)).collect()
        };
        let (removed, retained) = (read(&self.node_groups_to_remove), read(&self.node_groups_to_retain));
        let surplus = shards.len().saturating_sub(count);
        for (ids, field) in [(&removed, "NodeGroupsToRemove"), (&retained, "NodeGroupsToRetain")] {
            if let Some(id) = ids.iter().find(|id| !shards.iter().any(|shard| shard.id() == id.as_str())) {
                return refuse(errors::node_group_not_found(id), field);
            }
            if let Some(id) = ids.iter().enumerate().find(|(n, id)| ids[..*n].contains(id)) {
                return refuse(errors::node_group_duplicate(id.1), field);
            }
        }
        let all = shards.iter().map(|shard| Text::new(shard.id()));
        let removed: Vec<Text> = match (removed.is_empty(), retained.is_empty()) {
            (false, true) => removed,
            (true, false) => all.filter(|id| !retained.contains(id)).collect(),
            (true, true) => Vec::new(),
            (false, false) => return refuse(errors::removed_node_groups(surplus), "NodeGroupsToRetain"),
        };
        if removed.len() != surplus {
            return refuse(errors::removed_node_groups(surplus), "NodeGroupsToRemove");
        }
        if surplus > 0 && self.resharding_configuration.as_ref().is_some_and(|given| !given.is_empty()) {
            return refuse(errors::resharding_zones(0), "ReshardingConfiguration");
        }
        Ok(removed)
    }

    /// Adds new shards with as many replicas as the first one has; returns their clusters.
    fn add_shards(
        &self,
        cx: &Tx<'_>,
        group: &ReplicationGroup,
        shards: &mut Vec<NodeGroup>,
        count: usize,
    ) -> Result<Vec<CacheCluster>> {
        let field = "ReshardingConfiguration";
        let given = self.resharding_configuration.as_deref().unwrap_or_default();
        if !given.is_empty() && given.len() != count && given.len() != shards.len() + count {
            return refuse(errors::resharding_zones(count), field);
        }
        let given = given.get(given.len().saturating_sub(count)..).unwrap_or_default();
        let size = shards.first().map_or(1, |shard| shard.members().len());
        let template = group.first_primary(cx)?;
        let mut zones = group.zones(cx, &template)?;
        let mut clusters = Vec::new();
        for n in 0..count {
            let is_free = |id: &Text| !shards.iter().any(|shard| shard.id() == id.as_str());
            let one = given.get(n);
            let named = one.and_then(|one| one.node_group_id.as_deref()).map(read_shard_id);
            if let Some(known) = named.as_ref().filter(|id| !is_free(id)) {
                return refuse(errors::node_group_duplicate(known), field);
            }
            let id = named.or_else(|| (1..).map(shard_id).find(is_free)).unwrap_or_default();
            let chosen = one.and_then(|one| one.preferred_availability_zones.as_deref()).unwrap_or_default();
            if !chosen.is_empty() && chosen.len() != size {
                return refuse(errors::zone_count(size), field);
            }
            let mut shard = NodeGroup::blank();
            for (member, cluster) in group.free_ids(cx, &id, size)?.into_iter().enumerate() {
                let zone = zones.choose(chosen.get(member), field)?;
                let cluster = members::like(cx, &template, cluster, zone);
                let entry = NodeGroupMember::of(&cluster, member == 0);
                shard.node_group_members.get_or_insert_default().push(entry);
                clusters.push(cluster);
            }
            shard.node_group_id = Some(id);
            shards.push(shard);
        }
        Ok(clusters)
    }
}

/// Tests the automatic failover of a shard: a replica becomes its primary.
#[operation(
    of = ReplicationGroup, call = "test_failover", on_model(node_group_id), needs(replication_group_id),
    wraps(replication_group), effect = write
)]
pub struct TestFailover {
    /// ID of the shard.
    #[field(length(1..=4), pattern = r"\d+")]
    pub node_group_id: Text,
}

impl Handler for TestFailover {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_available(cx, &self.replication_group_id)?;
        let shard_id = read_shard_id(&self.node_group_id);
        let Some(shard) = group.shard(&shard_id) else {
            return refuse(errors::node_group_not_found(&self.node_group_id), "NodeGroupId");
        };
        let replica = shard.replicas().next().filter(|_| group.has_failover());
        let Some(replica) = replica.and_then(|replica| replica.cache_cluster_id.clone()) else {
            return refuse(errors::failover_not_available(group.id()), "ReplicationGroupId");
        };
        let mut change = Change::of(cx, &group, true)?;
        change.pending.primary_cluster_id = Some(replica.clone()).filter(|_| !group.is_cluster_mode());
        change.row.primaries = Some(vec![replica]);
        group.write_event(cx, format!("Test Failover API called for node group {}", shard_id))?;
        change.start(cx, &mut group)?;
        Ok(group.described(cx)?.into())
    }
}

/// Types of nodes that a cluster or a group can be changed to.
#[derive(Record)]
#[record(answer)]
pub struct AllowedNodeTypeModificationsMessage {
    /// Types with more memory.
    scale_up_modifications: Option<Vec<Text>>,
    /// Types with less memory.
    scale_down_modifications: Option<Vec<Text>>,
}

/// Lists the types of nodes that a cluster or a group can be changed to.
#[operation(
    of = ReplicationGroup, call = "allowed_node_types", effect = read,
    output = AllowedNodeTypeModificationsMessage,
    subject = "*"
)]
pub struct ListAllowedNodeTypeModifications {
    /// ID of the cluster.
    pub cache_cluster_id: Option<Text>,
    /// ID of the group.
    pub replication_group_id: Option<Text>,
}

impl Handler for ListAllowedNodeTypeModifications {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (engine, current) = match (&self.cache_cluster_id, &self.replication_group_id) {
            (Some(id), None) => {
                let found = cluster::require(cx, id)?;
                (found.own_engine()?, found.cache_node_type)
            }
            (None, Some(id)) => {
                let found = require(cx, id)?;
                (found.own_engine()?, found.cache_node_type)
            }
            _ => return refuse(errors::one_of_cluster_and_group(), "ReplicationGroupId"),
        };
        let current = current.unwrap_or_default();
        let is_tiered = |name: &str| name.starts_with("cache.r6gd.");
        let is_old = |name: &str| {
            ["cache.t1.", "cache.m1.", "cache.m2.", "cache.c1."].iter().any(|old| name.starts_with(old))
        };
        let memory = values(NodeValue::Memory).find(|(name, _)| *name == current.as_str());
        let memory = memory.map(|(_, memory)| memory).unwrap_or_default();
        // Nodes of memcached keep their type.
        let allowed = |name: &str| {
            engine != Engine::Memcached && is_tiered(name) == is_tiered(&current) && !is_old(name)
        };
        let select = |is_wanted: &dyn Fn(u64) -> bool| -> Vec<Text> {
            let known = values(NodeValue::Memory).filter(|(name, own)| allowed(name) && is_wanted(*own));
            known.map(|(name, _)| name.into()).collect()
        };
        Ok(AllowedNodeTypeModificationsMessage {
            scale_up_modifications: Some(select(&|own| own > memory)),
            scale_down_modifications: Some(select(&|own| own < memory)),
        })
    }
}
