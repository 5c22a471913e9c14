//! How a replication group is built of the request to create it.

use super::{
    AutomaticFailoverStatus, ClusterMode, CreateReplicationGroup, MAX_ID_LENGTH, MultiAZStatus, NodeGroup,
    NodeGroupMember, ReplicationGroup, access, find, members, refuse,
    shards::{self, ShardPlan, Zones},
    token,
};
use crate::{
    CacheCluster, CacheSubnetGroup, CreateCacheCluster,
    cluster::settings,
    engine::{self, Engine, Version, node_types},
    errors, identifier, parameter_group, subnet_group, tagging, user_group,
};
use nephos_cloud::{Addressed, Tx, own_arn, tags::to_list};
use nephos_core::{Result, Text, field_value::FieldType};

impl CreateReplicationGroup {
    /// Creates the group and its clusters.
    pub(super) fn create(self, cx: &mut Tx<'_>) -> Result<ReplicationGroup> {
        let id = identifier::read(&self.replication_group_id, "ReplicationGroupId", MAX_ID_LENGTH)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        self.refuse_unsupported()?;
        if find(cx, &id)?.is_some() {
            return refuse(errors::replication_group_exists(&id), "ReplicationGroupId");
        }
        let primary = self.read_primary(cx)?;
        let version = match &primary {
            Some(primary) => primary.own_version()?,
            None => self.read_version()?,
        };
        let node_type = self.read_node_type(primary.as_ref(), version)?;
        let (parameters, is_cluster_mode) = self.read_parameters(cx, primary.as_ref(), version)?;
        let mut group = ReplicationGroup::blank();
        group.replication_group_id = Some(id);
        group.arn = own_arn(&group, cx.scope());
        group.engine = Some(version.engine().name().into());
        group.cache_node_type = Some(node_type);
        group.cluster_enabled = Some(is_cluster_mode);
        let mode = if is_cluster_mode { ClusterMode::Enabled } else { ClusterMode::Disabled };
        group.cluster_mode = Some(mode);
        let subnets = self.read_subnets(cx, primary.as_ref())?;
        let mut zones = Zones::of(cx, &subnets);
        let plans = self.plan_shards(is_cluster_mode, &mut zones)?;
        self.set_failover(&mut group, &plans)?;
        self.set_encryption(cx, &mut group, version)?;
        let users = self.user_group_ids.as_deref().unwrap_or_default();
        let users = access::read_user_groups(cx, users, version, group.is_encrypted(), "UserGroupIds")?;
        if !users.is_empty() && self.auth_token.is_some() {
            return refuse(errors::token_with_user_groups(), "AuthToken");
        }
        group.user_group_ids = Some(users.iter().map(|users| users.id().into()).collect());
        self.set_settings(cx, &mut group, version)?;
        group.tags = to_list(tags);
        let clusters = self.build_clusters(cx, &mut group, primary, parameters, &plans)?;
        if let Some(token) = &self.auth_token {
            token::put(cx, &mut group, token)?;
        }
        for found in users {
            user_group::attach(cx, found, group.id())?;
        }
        for mut cluster in clusters {
            let is_new = cluster.status() == "creating";
            group.mark_member(cx, &mut cluster);
            if is_new { cluster.store_new(cx)? } else { cx.put(cluster)? }
        }
        cx.put_and_schedule_transition(group.clone())?;
        Ok(group)
    }

    /// Refuses what no account here can have.
    fn refuse_unsupported(&self) -> Result<()> {
        settings::refuse_cache_security_groups(self.cache_security_group_names.as_deref())?;
        if let Some(id) = &self.global_replication_group_id {
            return refuse(errors::global_group_not_found(id), "GlobalReplicationGroupId");
        }
        if self.snapshot_arns.as_ref().is_some_and(|arns| !arns.is_empty()) {
            return refuse(errors::snapshot_objects_unsupported(), "SnapshotArns");
        }
        Ok(())
    }

    /// Finds the cluster that becomes the primary. It must be available, and has the settings that are
    /// refused beside it.
    fn read_primary(&self, cx: &Tx<'_>) -> Result<Option<CacheCluster>> {
        let field = "PrimaryClusterId";
        let Some(id) = &self.primary_cluster_id else { return Ok(None) };
        let Some(primary) = CacheCluster::find_by(cx, &[id])? else {
            return refuse(errors::cluster_not_found(id), field);
        };
        let given = [
            ("CacheNodeType", self.cache_node_type.is_some()),
            ("Engine", self.engine.is_some()),
            ("EngineVersion", self.engine_version.is_some()),
            ("CacheParameterGroupName", self.cache_parameter_group_name.is_some()),
            ("CacheSubnetGroupName", self.cache_subnet_group_name.is_some()),
            ("SecurityGroupIds", self.security_group_ids.is_some()),
            ("Port", self.port.is_some()),
            ("NumNodeGroups", self.num_node_groups.is_some_and(|count| count != 1)),
            ("NodeGroupConfiguration", self.node_group_configuration.is_some()),
            ("PreferredCacheClusterAZs", self.preferred_cache_cluster_azs.is_some()),
            ("PreferredMaintenanceWindow", self.preferred_maintenance_window.is_some()),
            ("NotificationTopicArn", self.notification_topic_arn.is_some()),
            ("TransitEncryptionEnabled", self.transit_encryption_enabled == Some(true)),
            ("AtRestEncryptionEnabled", self.at_rest_encryption_enabled == Some(true)),
            ("DataTieringEnabled", self.data_tiering_enabled == Some(true)),
            ("ClusterMode", self.cluster_mode.as_ref().is_some_and(|mode| *mode != ClusterMode::Disabled)),
        ];
        if let Some((field, _)) = given.into_iter().find(|(_, given)| *given) {
            return refuse(errors::primary_parameters(), field);
        }
        if let Some(group) = &primary.replication_group_id {
            return refuse(errors::primary_in_group(primary.id(), group), field);
        }
        if primary.own_engine()? == Engine::Memcached {
            return refuse(errors::replication_engine("memcached"), field);
        }
        primary.check_available().map_err(|error| error.with_field(field))?;
        Ok(Some(primary))
    }

    fn read_version(&self) -> Result<&'static Version> {
        let engine = self.engine.as_deref().map_or(Ok(Engine::Redis), Engine::read)?;
        if engine == Engine::Memcached {
            return refuse(errors::replication_engine(engine.name()), "Engine");
        }
        engine::version(engine, self.engine_version.as_deref())
    }

    /// Reads the type of the nodes, and data tiering, which depends on it.
    fn read_node_type(&self, primary: Option<&CacheCluster>, version: &Version) -> Result<Text> {
        let own = primary.and_then(|primary| primary.cache_node_type.clone());
        let Some(node_type) = own.or_else(|| self.cache_node_type.clone()) else {
            return refuse(errors::parameter_null("CacheNodeType"), "CacheNodeType");
        };
        node_types::check(&node_type, "CacheNodeType")?;
        let has_tiers = self.data_tiering_enabled == Some(true);
        if has_tiers != node_type.starts_with("cache.r6gd.") {
            return refuse(errors::data_tiering_node_type(), "DataTieringEnabled");
        }
        if has_tiers && version.parts() < [6, 2, 0] {
            return refuse(errors::data_tiering_version(), "DataTieringEnabled");
        }
        Ok(node_type)
    }

    /// Reads the name of the parameter group, and returns true with it if cluster mode is on.
    fn read_parameters(
        &self,
        cx: &Tx<'_>,
        primary: Option<&CacheCluster>,
        version: &Version,
    ) -> Result<(Text, bool)> {
        if let Some(primary) = primary {
            return Ok((primary.parameter_group_name().into(), false));
        }
        if self.cluster_mode == Some(ClusterMode::Compatible) {
            return refuse(errors::cluster_mode_compatible_at_first(), "ClusterMode");
        }
        let shards = self.node_group_configuration.as_ref().map_or(0, Vec::len);
        let has_several = shards > 1 || self.num_node_groups.is_some_and(|count| count > 1);
        let asked = self.cluster_mode.as_ref().map(|mode| *mode == ClusterMode::Enabled);
        let (name, is_on) = match &self.cache_parameter_group_name {
            Some(name) => {
                let group = parameter_group::require(cx, name, version.family, "CacheParameterGroupName")?;
                let is_on = parameter_group::is_cluster_mode(cx, &group)?;
                (group.cache_parameter_group_name.unwrap_or_default(), is_on)
            }
            None => {
                let is_on = asked.unwrap_or(has_several) && version.family.has_cluster_mode();
                (parameter_group::default_name(version, is_on), is_on)
            }
        };
        if asked.is_some_and(|asked| asked != is_on) {
            return refuse(errors::cluster_mode_conflict(&name), "ClusterMode");
        }
        if has_several && !is_on {
            let field = if shards > 1 { "NodeGroupConfiguration" } else { "NumNodeGroups" };
            return refuse(errors::cluster_mode_off(), field);
        }
        Ok((name, is_on))
    }

    fn read_subnets(&self, cx: &Tx<'_>, primary: Option<&CacheCluster>) -> Result<CacheSubnetGroup> {
        let own = primary.and_then(|primary| primary.cache_subnet_group_name.as_deref());
        let name = own.or(self.cache_subnet_group_name.as_deref()).unwrap_or(subnet_group::DEFAULT);
        let missing = || errors::subnet_group_not_found(name).with_field("CacheSubnetGroupName");
        subnet_group::find(cx, name)?.ok_or_else(missing)
    }

    /// Plans the shards and the zones of their clusters.
    fn plan_shards(&self, is_cluster_mode: bool, zones: &mut Zones) -> Result<Vec<ShardPlan>> {
        let configured = self.node_group_configuration.as_deref().unwrap_or_default();
        let mut plans = if configured.is_empty() {
            let count = shards::check_shards(self.num_node_groups.unwrap_or(1), "NumNodeGroups")?;
            let (replicas, field) = match (self.num_cache_clusters, self.replicas_per_node_group) {
                (Some(_), Some(_)) => return refuse(errors::counts_combined(), "NumCacheClusters"),
                (Some(_), None) if count > 1 => return refuse(errors::counts_combined(), "NumCacheClusters"),
                (Some(clusters), None) => (clusters - 1, "NumCacheClusters"),
                (None, replicas) => (replicas.unwrap_or_default(), "ReplicasPerNodeGroup"),
            };
            shards::plan_evenly(count, shards::check_replicas(replicas, field)?, zones)
        } else {
            let count = i64::try_from(configured.len()).unwrap_or(i64::MAX);
            shards::check_shards(count, "NodeGroupConfiguration")?;
            if self.num_node_groups.is_some_and(|given| given != count) {
                return refuse(errors::node_group_count(count), "NumNodeGroups");
            }
            if self.num_cache_clusters.is_some() {
                return refuse(errors::counts_combined(), "NumCacheClusters");
            }
            shards::plan_configured(configured, self.replicas_per_node_group, zones)?
        };
        if let Some(given) = self.preferred_cache_cluster_azs.as_ref().filter(|zones| !zones.is_empty()) {
            let field = "PreferredCacheClusterAZs";
            let count = plans.iter().map(|plan| plan.zones.len()).sum::<usize>();
            if plans.len() > 1 || !configured.is_empty() || given.len() != count {
                return refuse(errors::zone_count(count), field);
            }
            let chosen = given.iter().map(|zone| zones.choose(Some(zone), field));
            plans[0].zones = chosen.collect::<Result<_>>()?;
        }
        if !is_cluster_mode {
            plans.iter_mut().for_each(|plan| plan.slots = None);
        }
        Ok(plans)
    }

    /// Sets automatic failover and the placement in several zones, which need replicas.
    fn set_failover(&self, group: &mut ReplicationGroup, plans: &[ShardPlan]) -> Result<()> {
        let is_on = self.automatic_failover_enabled.unwrap_or(group.is_cluster_mode());
        let is_multi_az = self.multi_az_enabled == Some(true);
        if group.is_cluster_mode() && !is_on {
            return refuse(errors::cluster_mode_needs_failover(), "AutomaticFailoverEnabled");
        }
        let has_replicas = plans.iter().all(|plan| plan.zones.len() > 1);
        let node_type = group.cache_node_type.clone().unwrap_or_default();
        super::modify::check_failover(group.is_cluster_mode(), is_on, is_multi_az, has_replicas, &node_type)?;
        group.automatic_failover =
            Some(if is_on { AutomaticFailoverStatus::Enabled } else { AutomaticFailoverStatus::Disabled });
        group.multi_az = Some(if is_multi_az { MultiAZStatus::Enabled } else { MultiAZStatus::Disabled });
        Ok(())
    }

    /// Builds the clusters as planned, and sets what follows from them in the group.
    fn build_clusters(
        &self,
        cx: &mut Tx<'_>,
        group: &mut ReplicationGroup,
        primary: Option<CacheCluster>,
        parameters: Text,
        plans: &[ShardPlan],
    ) -> Result<Vec<CacheCluster>> {
        let first = match primary {
            Some(mut primary) => {
                let maintenance = primary.preferred_maintenance_window.clone();
                let snapshot = self.snapshot_window.clone().or(primary.snapshot_window.clone());
                let (_, snapshot) = settings::read_windows(
                    cx,
                    primary.own_engine()?,
                    maintenance.as_deref(),
                    snapshot.as_deref(),
                )?;
                primary.snapshot_window = snapshot;
                primary
            }
            None => self.build_first(cx, group, parameters, &plans[0])?,
        };
        group.snapshot_window.clone_from(&first.snapshot_window);
        let mut clusters: Vec<CacheCluster> = Vec::new();
        let mut node_groups = Vec::new();
        for plan in plans {
            let mut shard = NodeGroup::blank();
            shard.node_group_id = Some(plan.id.clone());
            shard.slots.clone_from(&plan.slots);
            let own = shard.node_group_members.get_or_insert_default();
            for (n, zone) in plan.zones.iter().enumerate() {
                let cluster = if clusters.is_empty() {
                    first.clone()
                } else {
                    members::like(cx, &first, group.member_id(&plan.id, n + 1), zone.clone())
                };
                own.push(NodeGroupMember::of(&cluster, n == 0));
                clusters.push(cluster);
            }
            node_groups.push(shard);
        }
        let new: Vec<_> = clusters.iter().filter(|cluster| cluster.status() == "creating").cloned().collect();
        members::check_new(cx, &new)?;
        for cluster in clusters.iter_mut().filter(|cluster| cluster.status() == "creating") {
            cluster.tags.clone_from(&group.tags);
        }
        group.node_groups = Some(node_groups);
        group.update_members();
        if group.snapshot_retention_limit.is_some_and(|days| days > 0) {
            group.snapshotting_cluster_id = group.default_snapshotting_cluster();
        }
        group.set_endpoints(cx, first.own_port());
        Ok(clusters)
    }

    /// Builds the first cluster, with all settings that clusters of their own have, too.
    fn build_first(
        &self,
        cx: &mut Tx<'_>,
        group: &ReplicationGroup,
        parameters: Text,
        plan: &ShardPlan,
    ) -> Result<CacheCluster> {
        let id = group.member_id(&plan.id, 1);
        let mut create = CreateCacheCluster::new(id.clone());
        create.engine.clone_from(&group.engine);
        create.engine_version.clone_from(&self.engine_version);
        create.cache_node_type.clone_from(&group.cache_node_type);
        create.cache_subnet_group_name.clone_from(&self.cache_subnet_group_name);
        create.security_group_ids.clone_from(&self.security_group_ids);
        create.cache_parameter_group_name = Some(parameters);
        create.port = self.port;
        create.preferred_availability_zone = plan.zones.first().cloned();
        create.preferred_maintenance_window.clone_from(&self.preferred_maintenance_window);
        create.snapshot_window.clone_from(&self.snapshot_window);
        create.notification_topic_arn.clone_from(&self.notification_topic_arn);
        create.build(cx, id)
    }
}
