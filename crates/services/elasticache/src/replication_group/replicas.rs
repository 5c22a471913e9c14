//! Read replicas of replication groups: more of them, and fewer.

use super::{
    MultiAZStatus, NodeGroup, ReplicationGroup, ReplicationGroupManager,
    change::Change,
    find, members, refuse, require_available,
    shards::{self, Zones, read_shard_id},
};
use crate::{CacheCluster, CreateCacheCluster, errors, subnet_group};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// New number of replicas of a shard.
#[derive(Record)]
pub struct ConfigureShard {
    /// ID of the shard.
    #[field(required, length(1..=4), pattern = r"\d+")]
    node_group_id: Option<Text>,
    /// New number of replicas.
    #[field(required)]
    new_replica_count: Option<i64>,
    /// Zones of the primary and of the replicas, one for each.
    #[field(item = "PreferredAvailabilityZone")]
    preferred_availability_zones: Option<Vec<Text>>,
    /// ARNs of the Outposts of the clusters. There are none, so that they are refused.
    #[field(item = "PreferredOutpostArn")]
    preferred_outpost_arns: Option<Vec<Text>>,
}

/// The number of replicas that a shard is to have, and the zones of its clusters if they are given.
struct Target {
    shard: NodeGroup,
    replicas: usize,
    zones: Option<Vec<Text>>,
}

/// Refuses a change in the maintenance window, which is not possible for replicas and shards.
pub(super) fn check_immediate(apply_immediately: bool) -> Result<()> {
    if apply_immediately {
        return Ok(());
    }
    refuse(errors::apply_immediately_required(), "ApplyImmediately")
}

/// Reads the new numbers of replicas: one for all shards, or one for each of some.
fn read_targets(
    group: &ReplicationGroup,
    count: Option<i64>,
    configured: Option<&[ConfigureShard]>,
) -> Result<Vec<Target>> {
    let field = "ReplicaConfiguration";
    let shards = group.node_groups.iter().flatten();
    let Some(configured) = configured.filter(|configured| !configured.is_empty()) else {
        let Some(count) = count else { return refuse(errors::replica_counts_combined(), "NewReplicaCount") };
        let replicas = shards::check_replicas(count, "NewReplicaCount")?;
        let target = |shard: &NodeGroup| Target { shard: shard.clone(), replicas, zones: None };
        return Ok(shards.map(target).collect());
    };
    if count.is_some() {
        return refuse(errors::replica_counts_combined(), field);
    }
    let mut targets: Vec<Target> = Vec::new();
    for one in configured {
        let id = read_shard_id(one.node_group_id.as_deref().unwrap_or_default());
        let Some(shard) = group.shard(&id) else { return refuse(errors::node_group_not_found(&id), field) };
        if targets.iter().any(|target| target.shard.id() == id) {
            return refuse(errors::node_group_duplicate(&id), field);
        }
        if one.preferred_outpost_arns.is_some() {
            return refuse(errors::outposts_unsupported(), field);
        }
        let replicas = shards::check_replicas(one.new_replica_count.unwrap_or_default(), field)?;
        let zones = one.preferred_availability_zones.clone().filter(|zones| !zones.is_empty());
        if zones.as_ref().is_some_and(|zones| zones.len() != replicas + 1) {
            return refuse(errors::zone_count(replicas + 1), field);
        }
        targets.push(Target { shard: shard.clone(), replicas, zones });
    }
    Ok(targets)
}

/// Removes the zone of a cluster from the given ones; false if they do not have it.
fn take_zone(zones: &mut Vec<Text>, zone: Option<&Text>) -> bool {
    let found = zones.iter().position(|known| Some(known) == zone);
    found.map(|index| zones.remove(index)).is_some()
}

/// Adds replicas to all shards of a group, or to some.
#[operation(
    of = ReplicationGroup, call = "increase_replica_count", on_model(apply_immediately),
    needs(replication_group_id), wraps(replication_group), effect = write
)]
pub struct IncreaseReplicaCount {
    /// True. Replicas cannot be added in the maintenance window.
    pub apply_immediately: bool,
    /// New number of replicas of each shard, up to 5.
    #[field(condition = "elasticache:ReplicasPerNodeGroup")]
    pub new_replica_count: Option<i64>,
    /// New numbers of replicas of some shards.
    #[field(item = "ConfigureShard")]
    pub replica_configuration: Option<Vec<ConfigureShard>>,
}

impl Handler for IncreaseReplicaCount {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_available(cx, &self.replication_group_id)?;
        check_immediate(self.apply_immediately)?;
        let targets = read_targets(&group, self.new_replica_count, self.replica_configuration.as_deref())?;
        let field = if self.new_replica_count.is_some() { "NewReplicaCount" } else { "ReplicaConfiguration" };
        let template = group.first_primary(cx)?;
        let mut zones = group.zones(cx, &template)?;
        let mut added: Vec<(Text, Vec<CacheCluster>)> = Vec::new();
        for Target { shard, replicas, zones: given } in targets {
            let current = shard.replicas().count();
            if replicas < current {
                return refuse(errors::replica_count_not_more(current), field);
            }
            let mut left = given.unwrap_or_default();
            for member in shard.members() {
                take_zone(&mut left, member.preferred_availability_zone.as_ref());
            }
            let ids = group.free_ids(cx, shard.id(), replicas - current)?;
            let mut clusters = Vec::new();
            for (n, id) in ids.into_iter().enumerate() {
                let zone = zones.choose(left.get(n), field)?;
                clusters.push(members::like(cx, &template, id, zone));
            }
            added.push((shard.id().into(), clusters));
        }
        let all: Vec<_> = added.iter().flat_map(|(_, clusters)| clusters).cloned().collect();
        if all.is_empty() {
            return refuse(errors::no_operation(), field);
        }
        members::check_new(cx, &all)?;
        for (shard, clusters) in &added {
            group.add_to_shard(shard, clusters);
        }
        let port = group.own_port();
        group.set_endpoints(cx, port);
        for mut cluster in all {
            group.mark_member(cx, &mut cluster);
            cluster.store_new(cx)?;
        }
        Change::of(cx, &group, true)?.start(cx, &mut group)?;
        Ok(group.described(cx)?.into())
    }
}

/// Removes replicas from all shards of a group, from some, or by their IDs.
#[operation(
    of = ReplicationGroup, call = "decrease_replica_count", on_model(apply_immediately),
    needs(replication_group_id), wraps(replication_group), effect = write
)]
pub struct DecreaseReplicaCount {
    /// True. Replicas cannot be removed in the maintenance window.
    pub apply_immediately: bool,
    /// New number of replicas of each shard.
    #[field(condition = "elasticache:ReplicasPerNodeGroup")]
    pub new_replica_count: Option<i64>,
    /// New numbers of replicas of some shards.
    #[field(item = "ConfigureShard")]
    pub replica_configuration: Option<Vec<ConfigureShard>>,
    /// IDs of the replicas to remove.
    pub replicas_to_remove: Option<Vec<Text>>,
}

impl Handler for DecreaseReplicaCount {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_available(cx, &self.replication_group_id)?;
        check_immediate(self.apply_immediately)?;
        let (removed, field) = self.read_removed(&group)?;
        if removed.is_empty() {
            return refuse(errors::no_operation(), field);
        }
        let mut after = group.node_groups.clone().unwrap_or_default();
        for shard in &mut after {
            let members = shard.node_group_members.get_or_insert_default();
            members.retain(|member| !removed.iter().any(|id| id == member.id()));
        }
        group.check_replicas_left(&after, field)?;
        group.delete_members(cx, &removed)?;
        let mut change = Change::of(cx, &group, true)?;
        change.row.node_groups = Some(after);
        change.start(cx, &mut group)?;
        Ok(group.described(cx)?.into())
    }
}

impl DecreaseReplicaCount {
    /// Reads the IDs of the replicas to remove, and the parameter that says so.
    fn read_removed(&self, group: &ReplicationGroup) -> Result<(Vec<Text>, &'static str)> {
        let configured = self.replica_configuration.as_deref().unwrap_or_default();
        if let Some(ids) = self.replicas_to_remove.as_ref().filter(|ids| !ids.is_empty()) {
            let field = "ReplicasToRemove";
            if self.new_replica_count.is_some() || !configured.is_empty() {
                return refuse(errors::replica_counts_combined(), field);
            }
            let ids: Vec<Text> = ids.iter().map(|id| id.to_ascii_lowercase()).collect();
            let replicas: Vec<_> = group.node_groups.iter().flatten().flat_map(NodeGroup::replicas).collect();
            let is_stranger = |id: &&Text| !replicas.iter().any(|member| member.id() == id.as_str());
            if let Some(stranger) = ids.iter().find(is_stranger) {
                return refuse(errors::not_in_replication_group(stranger, group.id()), field);
            }
            return Ok((ids, field));
        }
        let field = if configured.is_empty() { "NewReplicaCount" } else { "ReplicaConfiguration" };
        let mut removed = Vec::new();
        for target in read_targets(group, self.new_replica_count, Some(configured))? {
            let current = target.shard.replicas().count();
            let Some(surplus) = current.checked_sub(target.replicas) else {
                return refuse(errors::replica_count_not_less(current), field);
            };
            let mut left = target.zones.clone().unwrap_or_default();
            let primary = target.shard.primary();
            take_zone(&mut left, primary.and_then(|primary| primary.preferred_availability_zone.as_ref()));
            // Replicas in other zones than the given ones go first, then those with the highest numbers.
            let keeps = |member: &&super::NodeGroupMember| {
                take_zone(&mut left, member.preferred_availability_zone.as_ref())
            };
            let (kept, mut order): (Vec<_>, Vec<_>) = target.shard.replicas().partition(keeps);
            order.reverse();
            order.extend(kept.into_iter().rev());
            let ids = order.into_iter().take(surplus);
            removed.extend(ids.filter_map(|member| member.cache_cluster_id.clone()));
        }
        Ok((removed, field))
    }
}

impl ReplicationGroup {
    /// Zones of the subnets of the group.
    pub(super) fn zones(&self, cx: &Tx<'_>, template: &CacheCluster) -> Result<Zones> {
        let name = template.cache_subnet_group_name.as_deref().unwrap_or_default();
        let missing = || errors::subnet_group_not_found(name).with_field("CacheSubnetGroupName");
        Ok(Zones::of(cx, &subnet_group::find(cx, name)?.ok_or_else(missing)?))
    }

    /// Refuses shards without the replicas that failover and placement in several zones need.
    fn check_replicas_left(&self, after: &[NodeGroup], field: &str) -> Result<()> {
        if after.iter().all(|shard| shard.replicas().next().is_some()) {
            return Ok(());
        }
        if !self.is_cluster_mode() && self.has_failover_or_pending() {
            return refuse(errors::failover_needs_replica(), field);
        }
        if self.multi_az == Some(MultiAZStatus::Enabled) {
            return refuse(errors::multi_az_needs_replica(), field);
        }
        Ok(())
    }

    /// Starts to delete clusters of the group.
    pub(super) fn delete_members(&self, cx: &mut Tx<'_>, ids: &[Text]) -> Result<()> {
        for mut cluster in self.member_rows(cx)? {
            if ids.iter().any(|id| id == cluster.id()) {
                cluster.cache_cluster_status = Some("deleting".into());
                cx.put_and_schedule_transition(cluster)?;
            }
        }
        Ok(())
    }
}

/// Builds the read replica that a caller creates as a cluster.
pub(crate) fn build_replica(
    cx: &Tx<'_>,
    request: &CreateCacheCluster,
    group: &str,
    id: Text,
) -> Result<CacheCluster> {
    let field = "ReplicationGroupId";
    if find(cx, group)?.is_none() {
        return refuse(errors::replication_group_not_found(group), field);
    }
    let given = [
        ("Engine", request.engine.is_some()),
        ("EngineVersion", request.engine_version.is_some()),
        ("CacheNodeType", request.cache_node_type.is_some()),
        ("NumCacheNodes", request.num_cache_nodes.is_some_and(|count| count != 1)),
        ("AZMode", request.az_mode.is_some()),
        ("PreferredAvailabilityZones", request.preferred_availability_zones.is_some()),
        ("CacheParameterGroupName", request.cache_parameter_group_name.is_some()),
        ("CacheSubnetGroupName", request.cache_subnet_group_name.is_some()),
        ("SecurityGroupIds", request.security_group_ids.is_some()),
        ("Port", request.port.is_some()),
        ("PreferredMaintenanceWindow", request.preferred_maintenance_window.is_some()),
        ("NotificationTopicArn", request.notification_topic_arn.is_some()),
        ("AutoMinorVersionUpgrade", request.auto_minor_version_upgrade.is_some()),
        ("SnapshotRetentionLimit", request.snapshot_retention_limit.is_some()),
        ("SnapshotWindow", request.snapshot_window.is_some()),
        ("AuthToken", request.auth_token.is_some()),
        ("TransitEncryptionEnabled", request.transit_encryption_enabled.is_some()),
        ("LogDeliveryConfigurations", request.log_delivery_configurations.is_some()),
        ("NetworkType", request.network_type.is_some()),
        ("IpDiscovery", request.ip_discovery.is_some()),
    ];
    if let Some((field, _)) = given.into_iter().find(|(_, given)| *given) {
        return refuse(errors::replica_parameters(), field);
    }
    let group = require_available(cx, group)?;
    if group.is_cluster_mode() {
        return refuse(errors::replica_in_cluster_mode(group.id()), field);
    }
    let replicas = group.node_groups.iter().flatten().flat_map(NodeGroup::replicas).count() + 1;
    shards::check_replicas(i64::try_from(replicas).unwrap_or(i64::MAX), field)?;
    let template = group.first_primary(cx)?;
    let zone = request.preferred_availability_zone.as_ref();
    let zone = group.zones(cx, &template)?.choose(zone, "PreferredAvailabilityZone")?;
    let mut cluster = members::like(cx, &template, id, zone);
    group.mark_member(cx, &mut cluster);
    Ok(cluster)
}

/// Adds a new cluster to its group, as a replica.
pub(crate) fn add_replica(cx: &mut Tx<'_>, cluster: &CacheCluster) -> Result<()> {
    let mut group = require_available(cx, cluster.replication_group_id.as_deref().unwrap_or_default())?;
    let port = group.own_port();
    let shard = group.node_groups.iter().flatten().next().map(|shard| Text::new(shard.id()));
    group.add_to_shard(&shard.unwrap_or_default(), std::slice::from_ref(cluster));
    group.set_endpoints(cx, port);
    Change::of(cx, &group, true)?.start(cx, &mut group)
}

/// Removes a cluster that is deleted from its group, or refuses: the group must be able to do without it.
pub(crate) fn remove_replica(cx: &mut Tx<'_>, cluster: &CacheCluster) -> Result<()> {
    let field = "CacheClusterId";
    let Some(id) = cluster.replication_group_id.as_deref() else { return Ok(()) };
    let Some(group) = find(cx, id)? else { return Ok(()) };
    let mut group = require_available(cx, group.id()).map_err(|error| error.with_field(field))?;
    let mut shards = group.node_groups.iter().flatten();
    let shard = shards.find(|shard| shard.members().iter().any(|member| member.id() == cluster.id()));
    let Some(shard) = shard else { return Ok(()) };
    if shard.primary().is_some_and(|primary| primary.id() == cluster.id()) {
        return refuse(errors::primary_not_deletable(cluster.id(), group.id()), field);
    }
    if group.is_cluster_mode() {
        return refuse(errors::replica_in_cluster_mode(group.id()), field);
    }
    if shard.replicas().count() == 1 && group.has_failover_or_pending() {
        return refuse(errors::only_replica(group.id()), field);
    }
    for shard in group.node_groups.iter_mut().flatten() {
        shard.node_group_members.get_or_insert_default().retain(|member| member.id() != cluster.id());
    }
    group.update_members();
    group.refresh_members(cx)?;
    cx.put(group)
}
