//! The operation that changes a cluster.

use super::{
    AZMode, CacheCluster, CacheClusterManager, CacheParameterGroupStatus, PendingModifiedValues, ScaleConfig,
    log_delivery, nodes, operations::NODES, pending::PendingRow, require, settings,
};
use crate::{
    engine::{self, Engine, Version},
    errors, parameter_group, snapshot, subnet_group,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Secret, Text, choices, field_value::FieldType, operation};

choices! {
    /// Change of the token of clients.
    pub enum AuthTokenUpdateStrategyType {
        /// The new token replaces all others.
        Set = "SET",
        /// The new token is valid beside the old one.
        Rotate = "ROTATE",
        /// The token is removed.
        Delete = "DELETE",
    }
}

choices! {
    /// Change of a token that is not in effect yet.
    pub enum AuthTokenUpdateStatus {
        /// It is being set.
        Setting = "SETTING",
        /// It is being rotated.
        Rotating = "ROTATING",
    }
}

/// Parameters of a change that are no fields of a cluster.
#[derive(Record)]
#[record(shared)]
pub struct ClusterChange {
    /// IDs of the nodes to remove, as many as the number of nodes becomes less. For memcached.
    #[field(item = "CacheNodeId")]
    cache_node_ids_to_remove: Option<Vec<Text>>,
    /// Placement of new nodes, for memcached.
    #[field(name = "AZMode", condition = "elasticache:MultiAZEnabled is cross-az")]
    az_mode: Option<AZMode>,
    /// Zones of new nodes, one for each, for memcached.
    #[field(item = "PreferredAvailabilityZone")]
    new_availability_zones: Option<Vec<Text>>,
    /// Cache security groups. Accounts of today have none, so that they are refused.
    #[field(item = "CacheSecurityGroupName")]
    cache_security_group_names: Option<Vec<Text>>,
    /// IDs of the security groups.
    #[field(item = "SecurityGroupId")]
    security_group_ids: Option<Vec<Text>>,
    /// ARN of the topic that is told about events.
    notification_topic_arn: Option<Text>,
    /// Name of the parameter group.
    #[field(condition = "elasticache:CacheParameterGroupName")]
    cache_parameter_group_name: Option<Text>,
    /// Status of the topic: active or inactive.
    notification_topic_status: Option<Text>,
    /// True to apply the change at once instead of in the maintenance window.
    apply_immediately: Option<bool>,
    /// Token of clients. It needs a replication group, so that it is refused here.
    #[field(sensitive, condition = "elasticache:AuthTokenEnabled is given = false")]
    auth_token: Option<Secret>,
    /// Change of the token.
    auth_token_update_strategy: Option<AuthTokenUpdateStrategyType>,
    /// Pace at which the cluster is scaled.
    scale_config: Option<ScaleConfig>,
}

/// Changes a cluster. The number and type of nodes and the version of the engine change in the maintenance window, or at once with
/// `ApplyImmediately`; other settings change at once.
#[operation(
    of = CacheCluster, needs(cache_cluster_id), include(ClusterChange),
    takes(changeable, log_delivery_configurations(item = "LogDeliveryConfigurationRequest")), except(tags),
    wraps(cache_cluster), effect = write
)]
pub struct ModifyCacheCluster {}

/// Changes a cluster to what the model describes: what was changed since the model was read.
#[operation(kind = CacheCluster, call = "update", changes(ModifyCacheCluster), include(ClusterChange), effect = write)]
pub struct CacheClusterUpdate {}

impl Handler for ModifyCacheCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.cache_cluster_id)?;
        cluster.check_available()?;
        self.refuse_in_replication_group(&cluster)?;
        if self.auth_token.is_some() || self.auth_token_update_strategy.is_some() {
            return Err(errors::token_without_replication_group().with_field("AuthToken"));
        }
        settings::refuse_cache_security_groups(self.cache_security_group_names.as_deref())?;
        let before = cluster.clone();
        let mut row = PendingRow {
            cache_cluster_id: cluster.cache_cluster_id.clone(),
            new_zones: None,
            engine: None,
            is_deleted: None,
        };
        let mut pending =
            cluster.pending_modified_values.clone().unwrap_or_else(PendingModifiedValues::blank);
        self.change_engine(&cluster, &mut pending, &mut row)?;
        self.change_nodes(cx, &cluster, &mut pending, &mut row)?;
        self.change_node_type(&cluster, &mut pending)?;
        cluster.pending_modified_values = Some(pending);
        self.change_settings(cx, &mut cluster)?;
        if cluster == before && self.apply_immediately != Some(true) {
            return Err(errors::nothing_to_modify());
        }
        let snapshots = |cluster: &CacheCluster| {
            (cluster.snapshot_window.clone(), cluster.snapshot_retention_limit.unwrap_or_default() > 0)
        };
        if snapshots(&before) != snapshots(&cluster) {
            snapshot::schedule(cx, &cluster)?;
        }
        let added = row.new_zones.as_ref().map_or(0, Vec::len);
        for _ in 0..added {
            NODES.add_one(cx, errors::too_many_nodes)?;
        }
        if before.parameter_group_name() != cluster.parameter_group_name() {
            let arn = cluster.arn.clone().unwrap_or_default();
            parameter_group::note_use(cx, before.parameter_group_name(), &arn, false)?;
            parameter_group::note_use(cx, cluster.parameter_group_name(), &arn, true)?;
        }
        if before.security_groups != cluster.security_groups {
            let subnets = cluster.used_subnets(cx)?;
            cluster.attach(cx, &subnets)?;
        }
        if row.new_zones.is_some() || row.engine.is_some() {
            cx.put(row)?;
        }
        let is_pending = cluster.pending_modified_values.as_ref().is_some_and(|pending| !pending.is_empty());
        if is_pending && self.apply_immediately != Some(true) {
            cluster.schedule_pending(cx)?;
        }
        if self.apply_immediately == Some(true) && is_pending {
            cluster.cache_cluster_status = Some("modifying".into());
            cluster.write_started(cx)?;
        }
        cluster.write_changed_settings(cx, &before)?;
        cx.put_and_schedule_transition(cluster.clone())?;
        Ok(cluster.described(true).into())
    }
}

impl ModifyCacheCluster {
    /// Refuses changes of a member of a replication group that all its members must have.
    fn refuse_in_replication_group(&self, cluster: &CacheCluster) -> Result<()> {
        let Some(group) = &cluster.replication_group_id else { return Ok(()) };
        let shared = [
            ("CacheNodeType", self.cache_node_type.is_some()),
            ("Engine", self.engine.is_some()),
            ("EngineVersion", self.engine_version.is_some()),
            ("CacheParameterGroupName", self.cache_parameter_group_name.is_some()),
            ("LogDeliveryConfigurations", self.log_delivery_configurations.is_some()),
        ];
        match shared.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(errors::member_parameters(group).with_field(field)),
            None => Ok(()),
        }
    }

    /// Reads a new engine and version: redis becomes valkey, and versions only become newer.
    fn change_engine(
        &self,
        cluster: &CacheCluster,
        pending: &mut PendingModifiedValues,
        row: &mut PendingRow,
    ) -> Result<()> {
        let current = cluster.own_engine()?;
        let engine = self.engine.as_deref().map_or(Ok(current), Engine::read)?;
        if engine != current {
            if (current, engine) != (Engine::Redis, Engine::Valkey) {
                let error = errors::engine_not_changeable(current.name(), engine.name());
                return Err(error.with_field("Engine"));
            }
            row.engine = Some(engine.name().into());
        }
        let given = self.engine_version.as_deref();
        if given.is_none() && engine == current {
            return Ok(());
        }
        let version = engine::version(engine, given)?;
        let before = cluster.own_version()?;
        if version == before {
            return Ok(());
        }
        if !engine::is_upgrade(before, version) {
            return Err(errors::downgrade_refused(before.number, version.number).with_field("EngineVersion"));
        }
        pending.engine_version = Some(version.number.into());
        Ok(())
    }

    /// Reads a new number of nodes, and the nodes to remove or the zones of new ones.
    fn change_nodes(
        &self,
        cx: &Tx<'_>,
        cluster: &CacheCluster,
        pending: &mut PendingModifiedValues,
        row: &mut PendingRow,
    ) -> Result<()> {
        let current = cluster.num_cache_nodes.unwrap_or_default();
        let removed = self.cache_node_ids_to_remove.clone().unwrap_or_default();
        let new = self.num_cache_nodes.unwrap_or(current);
        let refuse = |error: nephos_core::Error, field: &'static str| Err(error.with_field(field));
        if new == current {
            if !removed.is_empty() {
                return refuse(errors::removed_nodes_count(0), "CacheNodeIdsToRemove");
            }
            return Ok(());
        }
        let engine = cluster.own_engine()?;
        if engine != Engine::Memcached {
            return refuse(errors::single_node_engine(engine.description()), "NumCacheNodes");
        }
        if new < 1 {
            return refuse(errors::node_count_invalid(), "NumCacheNodes");
        }
        if new > nodes::MAX_NODES {
            return refuse(errors::too_many_nodes_in_cluster(nodes::MAX_NODES), "NumCacheNodes");
        }
        if new < current {
            if removed.len() != usize::try_from(current - new).unwrap_or_default() {
                return refuse(errors::removed_nodes_count(current - new), "CacheNodeIdsToRemove");
            }
            let known =
                |id: &&Text| !cluster.cache_nodes.iter().flatten().any(|node| node.id() == id.as_str());
            if let Some(unknown) = removed.iter().find(known) {
                return refuse(errors::node_not_found(unknown), "CacheNodeIdsToRemove");
            }
            pending.cache_node_ids_to_remove = Some(removed);
        } else {
            if !removed.is_empty() {
                return refuse(errors::removed_nodes_count(0), "CacheNodeIdsToRemove");
            }
            row.new_zones = Some(self.zones_of_new_nodes(cx, cluster, new - current)?);
        }
        pending.num_cache_nodes = Some(new);
        Ok(())
    }

    fn zones_of_new_nodes(&self, cx: &Tx<'_>, cluster: &CacheCluster, count: i64) -> Result<Vec<Text>> {
        let name = cluster.cache_subnet_group_name.as_deref().unwrap_or_default();
        let group = subnet_group::find(cx, name)?;
        let subnets = group.and_then(|group| group.subnets).unwrap_or_default();
        let known: Vec<_> = subnets.iter().map(|subnet| Text::new(subnet.zone())).collect();
        let count = usize::try_from(count).unwrap_or_default();
        let Some(given) = self.new_availability_zones.as_ref().filter(|zones| !zones.is_empty()) else {
            let current = cluster.preferred_availability_zone.clone().unwrap_or_default();
            let several = current == "Multiple" || self.az_mode == Some(AZMode::CrossAz);
            return Ok(match several {
                true => known.iter().cycle().take(count).cloned().collect(),
                false => vec![current; count],
            });
        };
        let field = "NewAvailabilityZones";
        if given.len() != count {
            return Err(errors::zone_count(count).with_field(field));
        }
        match given.iter().find(|zone| !known.contains(zone)) {
            Some(zone) => Err(errors::zone_without_subnet(zone).with_field(field)),
            None => Ok(given.clone()),
        }
    }

    fn change_node_type(&self, cluster: &CacheCluster, pending: &mut PendingModifiedValues) -> Result<()> {
        let Some(node_type) = &self.cache_node_type else { return Ok(()) };
        engine::node_types::check(node_type, "CacheNodeType")?;
        if cluster.own_engine()? == Engine::Memcached {
            return Err(errors::node_type_not_changeable().with_field("CacheNodeType"));
        }
        if cluster.cache_node_type.as_ref() != Some(node_type) {
            pending.cache_node_type = Some(node_type.clone());
            pending.scale_config.clone_from(&self.scale_config);
        }
        Ok(())
    }

    /// Changes the settings that are in effect at once.
    fn change_settings(&self, cx: &mut Tx<'_>, cluster: &mut CacheCluster) -> Result<()> {
        let maintenance = self.preferred_maintenance_window.as_deref();
        cluster.set_windows(
            cx,
            maintenance,
            self.snapshot_window.as_deref(),
            self.snapshot_retention_limit,
        )?;
        if let Some(ids) = self.security_group_ids.as_deref() {
            let name = cluster.cache_subnet_group_name.as_deref().unwrap_or_default();
            let vpc = subnet_group::find(cx, name)?.and_then(|group| group.vpc_id).unwrap_or_default();
            cluster.security_groups = Some(settings::read_security_groups(cx, &vpc, Some(ids))?);
        }
        if let Some(arn) = self.notification_topic_arn.as_deref() {
            cluster.notification_configuration = Some(settings::read_topic(arn)?);
        }
        if let Some(status) = &self.notification_topic_status {
            let is_known = ["active", "inactive"].contains(&status.as_str());
            match cluster.notification_configuration.as_mut().filter(|_| is_known) {
                Some(topic) => topic.topic_status = Some(status.clone()),
                None => {
                    return Err(errors::topic_status_invalid(status).with_field("NotificationTopicStatus"));
                }
            }
        }
        if let Some(name) = &self.cache_parameter_group_name {
            let family = cluster.own_version()?.family;
            let group = parameter_group::require(cx, name, family, "CacheParameterGroupName")?;
            let name = group.cache_parameter_group_name.unwrap_or_default();
            if name != cluster.parameter_group_name() {
                cluster.cache_parameter_group = Some(CacheParameterGroupStatus::in_sync(name));
            }
        }
        settings::check_network(None, self.ip_discovery.as_ref())?;
        cluster.auto_minor_version_upgrade =
            self.auto_minor_version_upgrade.or(cluster.auto_minor_version_upgrade);
        if let Some(given) = self.log_delivery_configurations.as_deref() {
            let before = cluster.log_delivery_configurations.clone().unwrap_or_default();
            let version = cluster.engine_version.clone().unwrap_or_default();
            let after = log_delivery::change(cx, &before, given, cluster.own_engine()?, &version)?;
            cluster.log_delivery_configurations = Some(after);
        }
        Ok(())
    }
}

impl CacheCluster {
    /// Replaces a default parameter group by that of the family of a new version.
    pub(crate) fn follow_version(&mut self, cx: &mut Tx<'_>, version: &Version) -> Result<()> {
        let before = self.parameter_group_name().to_owned();
        if !parameter_group::is_default(&before) {
            return Ok(());
        }
        let after = parameter_group::default_name(version, before.ends_with(".cluster.on"));
        let arn = self.arn.clone().unwrap_or_default();
        parameter_group::note_use(cx, &before, &arn, false)?;
        parameter_group::note_use(cx, &after, &arn, true)?;
        if let Some(group) = &mut self.cache_parameter_group {
            group.cache_parameter_group_name = Some(after);
        }
        Ok(())
    }
}
