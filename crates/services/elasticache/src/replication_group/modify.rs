//! The operation that changes a replication group.

use super::{
    ClusterMode, MultiAZStatus, PendingAutomaticFailoverStatus, ReplicationGroup, ReplicationGroupManager,
    change::{self, Change},
    refuse, require_available,
    shards::read_shard_id,
    token::TokenChange,
};
use crate::{
    AuthTokenUpdateStrategyType,
    cluster::settings,
    engine::{self, Engine, Version, node_types},
    errors, user_group,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Secret, Text, operation};

/// Parameters of a change that are no fields of a group.
#[derive(Record)]
#[record(shared)]
pub struct ReplicationGroupChange {
    /// ID of the replica that becomes the primary. Automatic failover must be off.
    primary_cluster_id: Option<Text>,
    /// ID of the cluster that snapshots are taken of. For groups with cluster mode off.
    snapshotting_cluster_id: Option<Text>,
    /// True if a replica replaces a failed primary.
    #[field(condition = "elasticache:AutomaticFailoverEnabled")]
    automatic_failover_enabled: Option<bool>,
    /// True to place the clusters of a shard in several zones.
    #[field(name = "MultiAZEnabled", condition = "elasticache:MultiAZEnabled")]
    multi_az_enabled: Option<bool>,
    /// ID of a shard. It must exist, and changes nothing.
    node_group_id: Option<Text>,
    /// Cache security groups. Accounts of today have none, so that they are refused.
    #[field(item = "CacheSecurityGroupName")]
    cache_security_group_names: Option<Vec<Text>>,
    /// IDs of the security groups.
    #[field(item = "SecurityGroupId")]
    security_group_ids: Option<Vec<Text>>,
    /// Window of the week in which changes are applied: `sun:23:00-mon:01:30` in UTC, at least an hour.
    preferred_maintenance_window: Option<Text>,
    /// ARN of the topic that is told about events.
    notification_topic_arn: Option<Text>,
    /// Name of the parameter group.
    #[field(condition = "elasticache:CacheParameterGroupName")]
    cache_parameter_group_name: Option<Text>,
    /// Status of the topic: active or inactive.
    notification_topic_status: Option<Text>,
    /// True to apply the change at once instead of in the maintenance window.
    apply_immediately: Option<bool>,
    /// Version of the engine. Versions only become newer.
    #[field(condition = "elasticache:EngineVersion")]
    engine_version: Option<Text>,
    /// New token of clients: 16 to 128 letters, digits and characters of `!&#$^<>-`.
    #[field(sensitive, condition = "elasticache:AuthTokenEnabled is given = false")]
    auth_token: Option<Secret>,
    /// What becomes of the current token; ROTATE by default. DELETE is for a group that user groups are added
    /// to.
    auth_token_update_strategy: Option<AuthTokenUpdateStrategyType>,
    /// IDs of the user groups to add.
    user_group_ids_to_add: Option<Vec<Text>>,
    /// IDs of the user groups to remove.
    user_group_ids_to_remove: Option<Vec<Text>>,
    /// True to remove all user groups.
    remove_user_groups: Option<bool>,
}

/// Changes a replication group. Nodes, engine, failover, encryption and cluster mode change in the
/// maintenance window, or at once with `ApplyImmediately`; tokens, user groups and other settings change at
/// once.
#[operation(
    of = ReplicationGroup, needs(replication_group_id), include(ReplicationGroupChange),
    takes(
        changeable, description(wire = "ReplicationGroupDescription"),
        log_delivery_configurations(item = "LogDeliveryConfigurationRequest")
    ),
    except(tags), wraps(replication_group), effect = write
)]
pub struct ModifyReplicationGroup {}

/// Changes a replication group to what the model describes: what was changed since the model was read.
#[operation(
    kind = ReplicationGroup, call = "update", changes(ModifyReplicationGroup), include(ReplicationGroupChange),
    effect = write
)]
pub struct ReplicationGroupUpdate {}

/// Refuses automatic failover and placement in several zones where they are not possible.
pub(super) fn check_failover(
    is_cluster_mode: bool,
    is_on: bool,
    is_multi_az: bool,
    has_replicas: bool,
    node_type: &str,
) -> Result<()> {
    let field = "AutomaticFailoverEnabled";
    if is_multi_az && !is_on {
        return refuse(errors::multi_az_needs_failover(), "MultiAZEnabled");
    }
    if is_multi_az && is_cluster_mode && !has_replicas {
        return refuse(errors::multi_az_needs_replica(), "MultiAZEnabled");
    }
    if !is_on {
        return Ok(());
    }
    if ["cache.t1.", "cache.t2."].iter().any(|old| node_type.starts_with(old)) {
        return refuse(errors::failover_node_type(), field);
    }
    if !is_cluster_mode && !has_replicas {
        return refuse(errors::failover_needs_replica(), field);
    }
    Ok(())
}

impl Handler for ModifyReplicationGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_available(cx, &self.replication_group_id)?;
        let primary = group.first_primary(cx)?;
        let version = primary.own_version()?;
        settings::refuse_cache_security_groups(self.cache_security_group_names.as_deref())?;
        if let Some(id) = self.node_group_id.as_deref().filter(|id| group.shard(&read_shard_id(id)).is_none())
        {
            return refuse(errors::node_group_not_found(id), "NodeGroupId");
        }
        let is_immediate = self.apply_immediately == Some(true);
        let before = group.clone();
        let mut change = Change::of(cx, &group, false)?;
        let (pending, row) = (change.pending.clone(), change.row.clone());
        let new_version = self.change_engine(&group, version, &mut change)?;
        self.change_node_type(&group, &mut change)?;
        self.change_failover(&group, &mut change)?;
        self.change_primary(&group, &mut change)?;
        self.change_encryption(&group, version, &mut change)?;
        self.change_cluster_mode(&group, version, &mut change)?;
        let users = self.change_users(cx, &group, version, &mut change)?;
        let adds_users = !users.is_empty();
        let token = self.auth_token.as_ref();
        let token = TokenChange::read(&group, token, self.auth_token_update_strategy.as_ref(), adds_users)?;
        if adds_users && group.auth_token_enabled == Some(true) && token.is_none() {
            return refuse(errors::token_with_user_groups(), "UserGroupIdsToAdd");
        }
        self.change_group(cx, &mut group, version)?;
        let clusters = self.change_clusters(cx, &group, &primary, new_version, &change)?;
        let is_changed = group != before
            || clusters.iter().any(|(before, after)| before != after)
            || change.pending != pending
            || change.row != row
            || token.is_some();
        let applies_waiting = is_immediate && change.is_waiting();
        if !is_changed && !applies_waiting {
            return Err(errors::nothing_to_modify());
        }
        self.store_clusters(cx, &group, clusters, &change)?;
        if let Some(token) = token {
            token.put(cx, &group, &mut change)?;
        }
        for found in users {
            user_group::attach(cx, found, group.id())?;
        }
        change.is_immediate |= applies_waiting;
        group.refresh_members(cx)?;
        change.start(cx, &mut group)?;
        Ok(group.described(cx)?.into())
    }
}

impl ModifyReplicationGroup {
    /// Reads a new engine and version: redis becomes valkey, and versions only become newer.
    fn change_engine(
        &self,
        group: &ReplicationGroup,
        current: &'static Version,
        change: &mut Change,
    ) -> Result<Option<&'static Version>> {
        let engine = self.engine.as_deref().map_or(group.own_engine(), Engine::read)?;
        if engine != current.engine() {
            if (current.engine(), engine) != (Engine::Redis, Engine::Valkey) {
                return refuse(
                    errors::engine_not_changeable(current.engine().name(), engine.name()),
                    "Engine",
                );
            }
            change.row.engine = Some(engine.name().into());
        } else if self.engine_version.is_none() {
            return Ok(None);
        }
        let version = engine::version(engine, self.engine_version.as_deref())?;
        if version == current {
            return Ok(None);
        }
        if !engine::is_upgrade(current, version) {
            return refuse(errors::downgrade_refused(current.number, version.number), "EngineVersion");
        }
        change.row.engine_version = Some(version.number.into());
        Ok(Some(version))
    }

    fn change_node_type(&self, group: &ReplicationGroup, change: &mut Change) -> Result<()> {
        let Some(node_type) = &self.cache_node_type else { return Ok(()) };
        node_types::check(node_type, "CacheNodeType")?;
        let is_tiered = |name: &str| name.starts_with("cache.r6gd.");
        if is_tiered(node_type) != is_tiered(group.cache_node_type.as_deref().unwrap_or_default()) {
            return refuse(errors::data_tiering_node_type(), "CacheNodeType");
        }
        if group.cache_node_type.as_ref() != Some(node_type) {
            change.row.cache_node_type = Some(node_type.clone());
        }
        Ok(())
    }

    fn change_failover(&self, group: &ReplicationGroup, change: &mut Change) -> Result<()> {
        let current = group.has_failover();
        let has_zones = group.multi_az == Some(MultiAZStatus::Enabled);
        let pending = change.pending.automatic_failover_status.as_ref();
        let pending = pending.map_or(current, |status| *status == PendingAutomaticFailoverStatus::Enabled);
        let pending_zones = change.row.multi_az.as_ref();
        let pending_zones = pending_zones.map_or(has_zones, |status| *status == MultiAZStatus::Enabled);
        let is_on = self.automatic_failover_enabled.unwrap_or(pending);
        let is_multi_az = self.multi_az_enabled.unwrap_or(pending_zones);
        if !is_on && group.is_cluster_mode() {
            return refuse(errors::failover_fixed_in_cluster_mode(), "AutomaticFailoverEnabled");
        }
        let has_replicas = group.node_groups.iter().flatten().all(|shard| shard.replicas().next().is_some());
        let node_type = self.cache_node_type.as_ref().or(group.cache_node_type.as_ref());
        let node_type = node_type.map(Text::as_str).unwrap_or_default();
        check_failover(group.is_cluster_mode(), is_on, is_multi_az, has_replicas, node_type)?;
        change.pending.automatic_failover_status = (is_on != current).then(|| {
            if is_on {
                PendingAutomaticFailoverStatus::Enabled
            } else {
                PendingAutomaticFailoverStatus::Disabled
            }
        });
        let status = if is_multi_az { MultiAZStatus::Enabled } else { MultiAZStatus::Disabled };
        change.row.multi_az = Some(status).filter(|_| is_multi_az != has_zones);
        Ok(())
    }

    /// Reads the replica that becomes the primary.
    fn change_primary(&self, group: &ReplicationGroup, change: &mut Change) -> Result<()> {
        let field = "PrimaryClusterId";
        let Some(id) = self.primary_cluster_id.as_deref().map(str::to_ascii_lowercase) else { return Ok(()) };
        if group.is_cluster_mode() {
            return refuse(errors::cluster_mode_off_required(field), field);
        }
        let mut shards = group.node_groups.iter().flatten();
        let found = shards.find(|shard| shard.members().iter().any(|member| member.id() == id));
        let Some(shard) = found else {
            return refuse(errors::not_in_replication_group(&id, group.id()), field);
        };
        if shard.primary().is_some_and(|primary| primary.id() == id) {
            return Ok(());
        }
        if group.has_failover() && self.automatic_failover_enabled != Some(false) {
            return refuse(errors::failover_prevents_promotion(), field);
        }
        change.pending.primary_cluster_id = Some(id.as_str().into());
        change.row.primaries = Some(vec![id.into()]);
        Ok(())
    }

    /// Reads new encryption in transit, which is turned on and off step by step.
    fn change_encryption(
        &self,
        group: &ReplicationGroup,
        version: &Version,
        change: &mut Change,
    ) -> Result<()> {
        let field = match (&self.transit_encryption_enabled, &self.transit_encryption_mode) {
            (None, None) => return Ok(()),
            (Some(_), _) => "TransitEncryptionEnabled",
            (None, Some(_)) => "TransitEncryptionMode",
        };
        let enabled = self.transit_encryption_enabled.unwrap_or(group.is_encrypted());
        let current = group.transit_encryption_mode.as_ref();
        let mode = self.transit_encryption_mode.as_ref();
        if enabled == group.is_encrypted() && (mode.is_none() || mode == current) {
            return Ok(());
        }
        if group.user_group_ids.as_ref().is_some_and(|ids| !ids.is_empty()) {
            return refuse(errors::transit_change_with_users(), field);
        }
        if version.parts() < [7, 0, 0] {
            return refuse(errors::transit_change_version(), field);
        }
        if !change::is_next_mode(group.is_encrypted(), current, enabled, mode) {
            return refuse(errors::transit_mode_order(), field);
        }
        if !enabled && group.auth_token_enabled == Some(true) {
            return refuse(errors::token_needs_encryption(), field);
        }
        change.pending.transit_encryption_enabled = Some(enabled);
        change.pending.transit_encryption_mode.clone_from(&self.transit_encryption_mode);
        Ok(())
    }

    /// Reads a new cluster mode: from disabled to compatible and on to enabled, or back.
    fn change_cluster_mode(
        &self,
        group: &ReplicationGroup,
        version: &Version,
        change: &mut Change,
    ) -> Result<()> {
        use ClusterMode::{Compatible, Disabled, Enabled};
        let field = "ClusterMode";
        let (Some(mode), Some(current)) = (&self.cluster_mode, &group.cluster_mode) else { return Ok(()) };
        if mode == current {
            return Ok(());
        }
        if version.parts() < [7, 0, 0] {
            return refuse(errors::cluster_mode_version(), field);
        }
        match (current, mode) {
            (Disabled, Compatible) | (Compatible, Enabled | Disabled) => {}
            _ => return refuse(errors::cluster_mode_change(current, mode), field),
        }
        let failover = self.automatic_failover_enabled.unwrap_or(group.has_failover());
        if *mode != Disabled && !failover {
            return refuse(errors::cluster_mode_needs_failover(), field);
        }
        change.pending.cluster_mode = Some(mode.clone());
        Ok(())
    }
}
