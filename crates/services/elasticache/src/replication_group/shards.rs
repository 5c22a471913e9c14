//! Shards of replication groups: how many there are, their slots, and the zones of their clusters.

use super::{NodeGroup, ReplicationGroup};
use crate::{CacheSubnetGroup, errors};
use nephos_cloud::Tx;
use nephos_core::{Error, Record, Result, Text};

/// Number of slots of keys.
const SLOTS: usize = 16384;

/// Maximum number of shards of a group.
pub(super) const MAX_SHARDS: i64 = 90;

/// Maximum number of replicas of a shard.
pub(super) const MAX_REPLICAS: i64 = 5;

/// A shard to create.
#[derive(Record)]
pub struct NodeGroupConfiguration {
    /// ID of the shard; 0001, 0002 and so on by default.
    #[field(length(1..=4), pattern = r"\d+")]
    pub(super) node_group_id: Option<Text>,
    /// Slots of the keys of the shard: `0-8191`. All shards have them, or none.
    pub(super) slots: Option<Text>,
    /// Number of replicas.
    pub(super) replica_count: Option<i64>,
    /// Zone of the primary.
    pub(super) primary_availability_zone: Option<Text>,
    /// Zones of the replicas, one for each.
    #[field(item = "AvailabilityZone")]
    pub(super) replica_availability_zones: Option<Vec<Text>>,
    /// ARN of the Outpost of the primary. There are none, so that it is refused.
    pub(super) primary_outpost_arn: Option<Text>,
    /// ARNs of the Outposts of the replicas. There are none, so that they are refused.
    #[field(item = "OutpostArn")]
    pub(super) replica_outpost_arns: Option<Vec<Text>>,
}

/// A shard that is to be created, with the zones of its clusters, the primary first.
pub struct ShardPlan {
    /// ID.
    pub id: Text,
    /// Slots, such as `0-8191`.
    pub slots: Option<Text>,
    /// Zones of its clusters, that of the primary first.
    pub zones: Vec<Text>,
}

/// Zones of a subnet group, given out in turn.
pub(super) struct Zones {
    known: Vec<Text>,
    next: usize,
}

impl Zones {
    /// Zones of the subnets of a group, beginning with any of them.
    pub(super) fn of(cx: &Tx<'_>, group: &CacheSubnetGroup) -> Self {
        let mut known: Vec<_> =
            group.subnets.iter().flatten().map(|subnet| Text::new(subnet.zone())).collect();
        known.sort();
        known.dedup();
        let limit = u64::try_from(known.len()).unwrap_or(1).max(1);
        Self { known, next: usize::try_from(cx.ids().below(limit)).unwrap_or_default() }
    }

    /// The next zone.
    pub(super) fn next(&mut self) -> Text {
        self.next += 1;
        let index = (self.next - 1) % self.known.len().max(1);
        self.known.get(index).cloned().unwrap_or_default()
    }

    /// Returns this zone if the subnets have it, or refuses; the next one if none is given.
    pub(super) fn choose(&mut self, given: Option<&Text>, field: &str) -> Result<Text> {
        match given {
            None => Ok(self.next()),
            Some(zone) if self.known.contains(zone) => Ok(zone.clone()),
            Some(zone) => Err(errors::zone_without_subnet(zone).with_field(field)),
        }
    }
}

/// ID of the shard with this number.
pub(super) fn shard_id(number: usize) -> Text {
    format!("{number:04}").into()
}

/// Returns the ID of a shard with four digits.
pub(super) fn read_shard_id(given: &str) -> Text {
    format!("{given:0>4}").into()
}

/// Refuses a number of replicas that a shard cannot have.
pub(super) fn check_replicas(count: i64, field: &str) -> Result<usize> {
    match usize::try_from(count) {
        Ok(replicas) if count <= MAX_REPLICAS => Ok(replicas),
        _ => Err(errors::replica_count_invalid().with_field(field)),
    }
}

/// Refuses a number of shards that a group cannot have.
pub(super) fn check_shards(count: i64, field: &str) -> Result<usize> {
    let refuse = |error: Error| Err(error.with_field(field));
    match usize::try_from(count) {
        Err(_) | Ok(0) => refuse(errors::shard_count_invalid()),
        Ok(_) if count > MAX_SHARDS => refuse(errors::too_many_node_groups()),
        Ok(shards) => Ok(shards),
    }
}

/// Slots of each of `count` shards, split evenly.
pub fn even_slots(count: usize) -> impl Iterator<Item = Text> {
    let start = move |shard: usize| shard * SLOTS / count.max(1);
    (0..count).map(move |shard| format!("{}-{}", start(shard), start(shard + 1) - 1).into())
}

/// Gives the slots to these shards evenly.
pub(super) fn spread_slots(shards: &mut [NodeGroup]) {
    let slots: Vec<_> = even_slots(shards.len()).collect();
    for (shard, slots) in shards.iter_mut().zip(slots) {
        shard.slots = Some(slots);
    }
}

/// Refuses slots of shards that are not all slots, each one once.
pub fn check_slots(plans: &[ShardPlan]) -> Result<()> {
    let field = "NodeGroupConfiguration";
    let mut seen = vec![false; SLOTS];
    let given: Vec<_> = plans.iter().map(|plan| plan.slots.as_deref().unwrap_or_default()).collect();
    let refuse = |slots: &str| Err(errors::slots_invalid(slots).with_field(field));
    for slots in &given {
        for range in slots.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>()) else {
                return refuse(slots);
            };
            if last >= SLOTS || first > last || seen[first..=last].contains(&true) {
                return refuse(slots);
            }
            seen[first..=last].fill(true);
        }
    }
    if seen.contains(&false) { refuse(&given.join(",")) } else { Ok(()) }
}

/// Plans the shards that a caller describes. `replicas` is the number of replicas of those that do not say
/// it.
pub(super) fn plan_configured(
    given: &[NodeGroupConfiguration],
    replicas: Option<i64>,
    zones: &mut Zones,
) -> Result<Vec<ShardPlan>> {
    let field = "NodeGroupConfiguration";
    let mut plans: Vec<ShardPlan> = Vec::new();
    for (n, one) in given.iter().enumerate() {
        if one.primary_outpost_arn.is_some() || one.replica_outpost_arns.is_some() {
            return Err(errors::outposts_unsupported().with_field(field));
        }
        let id = one.node_group_id.as_deref().map_or_else(|| shard_id(n + 1), read_shard_id);
        if plans.iter().any(|plan| plan.id == id) {
            return Err(errors::node_group_duplicate(&id).with_field(field));
        }
        let replica_zones = one.replica_availability_zones.as_deref().unwrap_or_default();
        let from_zones = i64::try_from(replica_zones.len()).ok().filter(|count| *count > 0);
        let count = one.replica_count.or(replicas).or(from_zones).unwrap_or_default();
        let count = check_replicas(count, field)?;
        if !replica_zones.is_empty() && replica_zones.len() != count {
            return Err(errors::zone_count(count).with_field(field));
        }
        let mut own = vec![zones.choose(one.primary_availability_zone.as_ref(), field)?];
        for replica in 0..count {
            own.push(zones.choose(replica_zones.get(replica), field)?);
        }
        plans.push(ShardPlan { id, slots: one.slots.clone(), zones: own });
    }
    if plans.iter().any(|plan| plan.slots.is_some()) {
        check_slots(&plans)?;
    } else {
        let slots: Vec<_> = even_slots(plans.len()).collect();
        plans.iter_mut().zip(slots).for_each(|(plan, slots)| plan.slots = Some(slots));
    }
    Ok(plans)
}

/// Plans this number of shards with this number of replicas each.
pub(super) fn plan_evenly(shards: usize, replicas: usize, zones: &mut Zones) -> Vec<ShardPlan> {
    let plan = |(n, slots): (usize, Text)| {
        let zones = (0..=replicas).map(|_| zones.next()).collect();
        ShardPlan { id: shard_id(n + 1), slots: Some(slots), zones }
    };
    even_slots(shards).enumerate().map(plan).collect()
}

impl ReplicationGroup {
    /// Updates the IDs of the clusters, which follow from the shards.
    pub(super) fn update_members(&mut self) {
        let members = self.node_groups.iter().flatten().flat_map(NodeGroup::members);
        let mut ids: Vec<_> = members.filter_map(|member| member.cache_cluster_id.clone()).collect();
        ids.sort();
        let is_member = |id: &Text| ids.contains(id);
        let replaced = self.snapshotting_cluster_id.take();
        let had_one = replaced.is_some();
        self.snapshotting_cluster_id = replaced.filter(is_member);
        self.member_clusters = Some(ids);
        if had_one && self.snapshotting_cluster_id.is_none() {
            self.snapshotting_cluster_id = self.default_snapshotting_cluster();
        }
    }

    /// The cluster that snapshots are taken of, if the caller names none: a replica, or the only cluster.
    pub(super) fn default_snapshotting_cluster(&self) -> Option<Text> {
        let shard = self.node_groups.iter().flatten().next().filter(|_| !self.is_cluster_mode())?;
        let member = shard.replicas().next().or_else(|| shard.primary())?;
        member.cache_cluster_id.clone()
    }
}
