//! Operations that create, describe, reboot and delete clusters.

use super::{
    CacheCluster, CacheClusterManager, CacheParameterGroupStatus, IpDiscovery, PendingModifiedValues,
    PendingRow, log_delivery, nodes, require, settings,
};
use crate::{
    CacheSnapshot, NetworkType,
    engine::{self, Engine, Version},
    errors,
    identifier::{self, Page},
    parameter_group, replication_group, service_update, snapshot,
    subnet_group::{self, CacheSubnetGroup},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, own_arn, tags::to_list};
use nephos_core::{
    AnyPredicate, ManagerOperation, Result, Secret, Text, WorkflowContext, choices, field_value::FieldType,
    operation, with_tags,
};
use nephos_ec2 as ec2;

/// Quota of nodes of an account in a Region.
pub(crate) const NODES: Quota = Quota { counter: "elasticache/nodes", max: 300, what: "cache nodes" };

/// Page with clients to download.
const LANDING_PAGE: &str = "https://console.aws.amazon.com/elasticache/home#client-download:";

choices! {
    /// Placement of the nodes of a memcached cluster.
    pub enum AZMode {
        /// All nodes in one zone.
        SingleAz = "single-az",
        /// Nodes in several zones.
        CrossAz = "cross-az",
    }
}

choices! {
    /// Placement of nodes on Outposts.
    pub enum OutpostMode {
        /// All nodes on one Outpost.
        SingleOutpost = "single-outpost",
        /// Nodes on several Outposts.
        CrossOutpost = "cross-outpost",
    }
}

/// Creates a cluster.
#[operation(
    of = CacheCluster, call = "create", model, overrides(tags), needs(cache_cluster_id),
    takes(settable, log_delivery_configurations(item = "LogDeliveryConfigurationRequest")),
    wraps(cache_cluster), effect = write, also_requires("AddTagsToResource" = "Tags?"),
    subject = "cluster:{CacheClusterId} + CacheParameterGroupName? parametergroup:{CacheParameterGroupName} + \
        CacheSubnetGroupName? subnetgroup:{CacheSubnetGroupName} + \
        ReplicationGroupId? replicationgroup:{ReplicationGroupId}"
)]
pub struct CreateCacheCluster {
    /// Placement of the nodes, for memcached.
    #[field(name = "AZMode", condition = "elasticache:MultiAZEnabled is cross-az")]
    pub az_mode: Option<AZMode>,
    /// Zones of the nodes, one for each, for memcached.
    #[field(item = "PreferredAvailabilityZone")]
    pub preferred_availability_zones: Option<Vec<Text>>,
    /// Name of the parameter group; the default one of the version by default.
    #[field(condition = "elasticache:CacheParameterGroupName")]
    pub cache_parameter_group_name: Option<Text>,
    /// Cache security groups. Accounts of today have none, so that they are refused.
    #[field(item = "CacheSecurityGroupName")]
    pub cache_security_group_names: Option<Vec<Text>>,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(item = "SecurityGroupId")]
    pub security_group_ids: Option<Vec<Text>>,
    /// Objects with snapshots to restore. There are no buckets, so that they are refused.
    #[field(item = "SnapshotArn")]
    pub snapshot_arns: Option<Vec<Text>>,
    /// Name of the snapshot to restore, for redis and valkey.
    pub snapshot_name: Option<Text>,
    /// Port; 6379 for redis and valkey, 11211 for memcached by default.
    #[field(range(1..=65535))]
    pub port: Option<i64>,
    /// ARN of the topic that is told about events.
    pub notification_topic_arn: Option<Text>,
    /// Token of clients. It needs a replication group, so that it is refused here.
    #[field(sensitive, condition = "elasticache:AuthTokenEnabled is given = false")]
    pub auth_token: Option<Secret>,
    /// Placement on Outposts. There are none, so that it is refused.
    pub outpost_mode: Option<OutpostMode>,
    /// ARNs of the Outposts of the nodes. There are none, so that they are refused.
    #[field(item = "PreferredOutpostArn")]
    pub preferred_outpost_arns: Option<Vec<Text>>,
}

impl Handler for CreateCacheCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let id = identifier::read(&self.cache_cluster_id, "CacheClusterId", nodes::MAX_ID_LENGTH)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        self.refuse_unsupported()?;
        if CacheCluster::find_by(cx, &[&id])?.is_some() {
            return Err(errors::cluster_exists().with_field("CacheClusterId"));
        }
        let mut cluster = match &self.replication_group_id {
            Some(group) => replication_group::build_replica(cx, &self, group, id)?,
            None => self.restoring(cx)?.build(cx, id)?,
        };
        cluster.tags = to_list(tags);
        cluster.count_nodes(cx)?;
        if self.replication_group_id.is_some() {
            replication_group::add_replica(cx, &cluster)?;
        }
        cluster.store_new(cx)?;
        Ok(cluster.described(false).into())
    }
}

impl CreateCacheCluster {
    /// Refuses what no account here can have.
    fn refuse_unsupported(&self) -> Result<()> {
        settings::refuse_cache_security_groups(self.cache_security_group_names.as_deref())?;
        let outposts = [
            ("OutpostMode", self.outpost_mode.is_some()),
            ("PreferredOutpostArn", self.preferred_outpost_arn.is_some()),
            ("PreferredOutpostArns", self.preferred_outpost_arns.is_some()),
        ];
        if let Some((field, _)) = outposts.into_iter().find(|(_, given)| *given) {
            return Err(errors::outposts_unsupported().with_field(field));
        }
        if self.snapshot_arns.as_ref().is_some_and(|arns| !arns.is_empty()) {
            return Err(errors::snapshot_objects_unsupported().with_field("SnapshotArns"));
        }
        Ok(())
    }

    /// Completes the parameters by a snapshot to restore, which must be available.
    fn restoring(&self, cx: &Tx<'_>) -> Result<Self> {
        let mut create = self.clone();
        let Some(name) = &self.snapshot_name else { return Ok(create) };
        let snapshot = snapshot::require(cx, name, "SnapshotName")?;
        snapshot.check_available("SnapshotName")?;
        if create.engine.is_some() && create.engine != snapshot.engine {
            return Err(errors::snapshot_of_other_engine(name).with_field("Engine"));
        }
        create.engine = snapshot.engine;
        create.engine_version = create.engine_version.or(snapshot.engine_version);
        create.cache_node_type = create.cache_node_type.or(snapshot.cache_node_type);
        create.port = create.port.or(snapshot.port);
        Ok(create)
    }

    /// Builds the cluster with defaults, and validates it.
    pub(crate) fn build(&self, cx: &mut Tx<'_>, id: Text) -> Result<CacheCluster> {
        let node_type = self.cache_node_type.as_deref();
        let node_type =
            node_type.ok_or_else(|| errors::parameter_null("CacheNodeType").with_field("CacheNodeType"))?;
        engine::node_types::check(node_type, "CacheNodeType")?;
        let engine = self.engine.as_deref().map_or(Ok(Engine::Memcached), Engine::read)?;
        let version = engine::version(engine, self.engine_version.as_deref())?;
        self.check_encryption(engine, version)?;
        let mut cluster = CacheCluster::blank();
        cluster.cache_cluster_id = Some(id);
        cluster.arn = own_arn(&cluster, cx.scope());
        (cluster.engine, cluster.engine_version) = (Some(engine.name().into()), Some(version.number.into()));
        cluster.cache_node_type = Some(node_type.into());
        let subnet_name = self.cache_subnet_group_name.as_deref().unwrap_or(subnet_group::DEFAULT);
        let group = subnet_group::find(cx, subnet_name)?;
        let missing = || errors::subnet_group_not_found(subnet_name).with_field("CacheSubnetGroupName");
        let group = group.ok_or_else(missing)?;
        cluster.cache_subnet_group_name.clone_from(&group.cache_subnet_group_name);
        let vpc = group.vpc_id.clone().unwrap_or_default();
        let groups = settings::read_security_groups(cx, &vpc, self.security_group_ids.as_deref())?;
        cluster.security_groups = Some(groups);
        let parameters = match &self.cache_parameter_group_name {
            Some(name) => {
                let group = parameter_group::require(cx, name, version.family, "CacheParameterGroupName")?;
                group.cache_parameter_group_name.unwrap_or_default()
            }
            None => parameter_group::default_name(version, false),
        };
        cluster.cache_parameter_group = Some(CacheParameterGroupStatus::in_sync(parameters));
        let zones = self.choose_zones(cx, engine, &group)?;
        let port = self.port.unwrap_or(engine.port());
        cluster.add_nodes(cx, &zones, port);
        cluster.set_configuration_endpoint(cx, engine, port);
        let maintenance = self.preferred_maintenance_window.as_deref();
        cluster.set_windows(
            cx,
            maintenance,
            self.snapshot_window.as_deref(),
            self.snapshot_retention_limit,
        )?;
        if engine != Engine::Memcached {
            cluster.snapshot_retention_limit.get_or_insert(0);
        }
        settings::check_network(self.network_type.as_ref(), self.ip_discovery.as_ref())?;
        (cluster.network_type, cluster.ip_discovery) = (Some(NetworkType::Ipv4), Some(IpDiscovery::Ipv4));
        let given = self.log_delivery_configurations.as_deref().unwrap_or_default();
        cluster.log_delivery_configurations =
            Some(log_delivery::change(cx, &[], given, engine, version.number)?);
        cluster.notification_configuration =
            self.notification_topic_arn.as_deref().map(settings::read_topic).transpose()?;
        cluster.auto_minor_version_upgrade = Some(self.auto_minor_version_upgrade.unwrap_or(true));
        cluster.transit_encryption_enabled = Some(self.transit_encryption_enabled == Some(true));
        cluster.at_rest_encryption_enabled = Some(false);
        cluster.auth_token_enabled = Some(false);
        cluster.replication_group_log_delivery_enabled = Some(false);
        cluster.client_download_landing_page = Some(LANDING_PAGE.into());
        cluster.cache_security_groups = Some(Vec::new());
        cluster.pending_modified_values = Some(PendingModifiedValues::blank());
        cluster.cache_cluster_status = Some("creating".into());
        cluster.cache_cluster_create_time = Some(cx.now());
        Ok(cluster)
    }

    /// Refuses encryption that the engine or its version does not have, and tokens without a replication group.
    fn check_encryption(&self, engine: Engine, version: &Version) -> Result<()> {
        let refuse = |error: nephos_core::Error, field: &'static str| Err(error.with_field(field));
        if self.auth_token.is_some() {
            return refuse(errors::token_without_replication_group(), "AuthToken");
        }
        if self.transit_encryption_enabled != Some(true) {
            return Ok(());
        }
        if engine != Engine::Memcached {
            let name = engine.name().to_ascii_uppercase();
            return refuse(errors::encryption_unsupported(name), "TransitEncryptionEnabled");
        }
        if version.parts() < [1, 6, 12] {
            return refuse(
                errors::encryption_needs_newer_version(version.number),
                "TransitEncryptionEnabled",
            );
        }
        Ok(())
    }

    /// Chooses the zones of the nodes, one for each.
    fn choose_zones(&self, cx: &Tx<'_>, engine: Engine, group: &CacheSubnetGroup) -> Result<Vec<Text>> {
        let count = self.num_cache_nodes.unwrap_or(1);
        if engine != Engine::Memcached {
            if count != 1 {
                return Err(errors::single_node_engine(engine.description()).with_field("NumCacheNodes"));
            }
            if self.az_mode.is_some() {
                return Err(errors::zones_unsupported().with_field("AZMode"));
            }
            if self.preferred_availability_zones.as_ref().is_some_and(|zones| !zones.is_empty()) {
                return Err(errors::zones_unsupported().with_field("PreferredAvailabilityZones"));
            }
        } else if count < 1 {
            return Err(errors::node_count_invalid().with_field("NumCacheNodes"));
        } else if count > nodes::MAX_NODES {
            return Err(errors::too_many_nodes_in_cluster(nodes::MAX_NODES).with_field("NumCacheNodes"));
        }
        let known: Vec<_> = group.subnets.iter().flatten().map(|subnet| Text::new(subnet.zone())).collect();
        let check = |zone: &Text, field: &'static str| match known.contains(zone) {
            true => Ok(()),
            false => Err(errors::zone_without_subnet(zone).with_field(field)),
        };
        let count = usize::try_from(count).unwrap_or(1);
        if let Some(zones) = self.preferred_availability_zones.as_ref().filter(|zones| !zones.is_empty()) {
            zones.iter().try_for_each(|zone| check(zone, "PreferredAvailabilityZones"))?;
            if zones.len() != count {
                return Err(errors::zone_count(count).with_field("PreferredAvailabilityZones"));
            }
            return Ok(zones.clone());
        }
        let several = || known.iter().cycle().take(count).cloned().collect();
        match (&self.preferred_availability_zone, &self.az_mode) {
            (Some(zone), Some(AZMode::CrossAz)) if zone != "Multiple" => {
                Err(errors::zone_with_cross_az().with_field("PreferredAvailabilityZone"))
            }
            (Some(zone), _) if zone != "Multiple" => {
                check(zone, "PreferredAvailabilityZone")?;
                Ok(vec![zone.clone(); count])
            }
            (_, Some(AZMode::CrossAz)) if count < 2 => {
                Err(errors::cross_az_needs_nodes().with_field("AZMode"))
            }
            (Some(_), _) | (_, Some(AZMode::CrossAz)) => Ok(several()),
            _ => {
                let limit = u64::try_from(known.len()).unwrap_or(1).max(1);
                let chosen = usize::try_from(cx.ids().below(limit)).unwrap_or_default();
                Ok(vec![known.get(chosen).cloned().unwrap_or_default(); count])
            }
        }
    }
}

impl CacheCluster {
    /// Counts the nodes of a new cluster.
    pub(crate) fn count_nodes(&self, cx: &mut Tx<'_>) -> Result<()> {
        for _ in 0..self.num_cache_nodes.unwrap_or_default() {
            NODES.add_one(cx, errors::too_many_nodes)?;
        }
        Ok(())
    }

    /// Stores a new cluster, and notes what it uses.
    pub(crate) fn store_new(&self, cx: &mut Tx<'_>) -> Result<()> {
        self.attach(cx, &[])?;
        let arn = self.arn.as_deref().unwrap_or_default();
        parameter_group::note_use(cx, self.parameter_group_name(), arn, true)?;
        snapshot::schedule(cx, self)?;
        cx.put_and_schedule_transition(self.clone())
    }

    /// Name of the parameter group.
    pub(crate) fn parameter_group_name(&self) -> &str {
        let group = self.cache_parameter_group.as_ref();
        group.and_then(|group| group.cache_parameter_group_name.as_deref()).unwrap_or_default()
    }

    /// Subnets with nodes of the cluster.
    pub(crate) fn used_subnets(&self, cx: &Tx<'_>) -> Result<Vec<Text>> {
        let name = self.cache_subnet_group_name.as_deref().unwrap_or_default();
        let Some(group) = subnet_group::find(cx, name)? else { return Ok(Vec::new()) };
        let zones: Vec<_> = self
            .cache_nodes
            .iter()
            .flatten()
            .filter_map(|node| node.customer_availability_zone.clone())
            .collect();
        let subnets =
            group.subnets.iter().flatten().filter(|subnet| zones.iter().any(|zone| zone == subnet.zone()));
        Ok(subnets.filter_map(|subnet| subnet.subnet_identifier.clone()).collect())
    }

    /// Attaches the cluster to the subnets with its nodes, and detaches it from those `before` that have none any more.
    pub(crate) fn attach(&self, cx: &mut Tx<'_>, before: &[Text]) -> Result<()> {
        let subnets = self.used_subnets(cx)?;
        let arn = self.arn.as_deref().unwrap_or_default();
        ec2::update_attachments(cx, arn, before, &subnets, &self.group_ids())
    }

    /// Removes what a deleted cluster leaves behind.
    pub(super) fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let subnets = self.used_subnets(cx)?;
        let arn = self.arn.clone().unwrap_or_default();
        ec2::update_attachments(cx, &arn, &subnets, &[], &[])?;
        parameter_group::note_use(cx, self.parameter_group_name(), &arn, false)?;
        snapshot::remove_of(cx, self.id())?;
        if let Some(row) = self.pending_row(cx)? {
            cx.remove(&row)?;
        }
        for _ in 0..self.num_cache_nodes.unwrap_or_default() {
            NODES.remove_one(cx)?;
        }
        service_update::remove_of(cx, false, self.id())?;
        self.write_event(cx, "Cache cluster deleted")
    }

    /// Marks all nodes for a reboot, after which changed parameters are in effect.
    pub(crate) fn mark_for_reboot(&mut self) {
        let ids: Vec<_> = self.cache_nodes.iter().flatten().map(|node| node.id().into()).collect();
        for node in self.cache_nodes.iter_mut().flatten() {
            node.parameter_group_status = Some("pending-reboot".into());
        }
        if let Some(group) = &mut self.cache_parameter_group {
            group.parameter_apply_status = Some("pending-reboot".into());
            group.cache_node_ids_to_reboot = Some(ids);
        }
    }

    /// Ends a reboot: changes of parameters are in effect.
    pub(super) fn finish_reboot(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        for node in self.cache_nodes.iter().flatten() {
            if node.cache_node_status.as_deref() == Some("rebooting") {
                self.write_restart(cx, node.id())?;
            }
        }
        for node in self.cache_nodes.iter_mut().flatten() {
            node.cache_node_status = Some("available".into());
        }
        let nodes = self.cache_nodes.as_deref().unwrap_or_default();
        let is_in_sync = nodes.iter().all(|node| node.parameter_group_status.as_deref() == Some("in-sync"));
        if let Some(group) = self.cache_parameter_group.as_mut().filter(|_| is_in_sync) {
            group.parameter_apply_status = Some("in-sync".into());
        }
        Ok(())
    }
}

/// Describes clusters, in order of their IDs.
#[operation(
    of = CacheCluster, call = "list", page(cache_clusters(item = "CacheCluster"), marker), include(Page),
    pushdown(show_cache_node_info = with_nodes_by_default), effect = read, access = list
)]
pub struct DescribeCacheClusters {
    /// ID of one cluster.
    pub cache_cluster_id: Option<Text>,
    /// True for the nodes of the clusters, too.
    pub show_cache_node_info: Option<bool>,
    /// True to leave out clusters in replication groups.
    pub show_cache_clusters_not_in_replication_groups: Option<bool>,
}

/// Models in a listing have their nodes, unless the caller does not want them.
fn with_nodes_by_default(given: Option<bool>, _predicate: &AnyPredicate) -> Option<bool> {
    Some(given.unwrap_or(true))
}

impl Handler for DescribeCacheClusters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let with_nodes = self.show_cache_node_info == Some(true);
        let is_shown = |cluster: &CacheCluster| {
            self.show_cache_clusters_not_in_replication_groups != Some(true)
                || cluster.replication_group_id.is_none()
        };
        let page = match &self.cache_cluster_id {
            Some(id) => {
                let found = require(cx, id)?;
                cx.page_list(&self, is_shown(&found).then(|| found.described(with_nodes)))?
            }
            None => cx.page_rows(&self, &CacheCluster::table(cx.scope()), |cluster: CacheCluster| {
                Ok(is_shown(&cluster).then(|| cluster.described(with_nodes)))
            })?,
        };
        Ok(page.into())
    }
}

/// Gets a cluster with its nodes; none if it does not exist.
#[operation(kind = CacheCluster, call = "get", effect = read, output = Option<CacheCluster>)]
pub struct CacheClusterGet {
    /// ID of the cluster.
    #[field(from_field = "CacheClusterId")]
    pub cache_cluster_id: Text,
    /// False to leave out the nodes.
    pub show_cache_node_info: Option<bool>,
    /// True to find it only if it is not in a replication group.
    pub show_cache_clusters_not_in_replication_groups: Option<bool>,
}

impl ManagerOperation for CacheClusterGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<CacheCluster>> {
        let mut describe = DescribeCacheClusters::new();
        describe.cache_cluster_id = Some(self.cache_cluster_id.clone());
        describe.show_cache_node_info = Some(self.show_cache_node_info.unwrap_or(true));
        describe.show_cache_clusters_not_in_replication_groups =
            self.show_cache_clusters_not_in_replication_groups;
        let found = match context.call(describe).await {
            Err(error) if error.kind() == nephos_core::ErrorKind::NotFound => return Ok(None),
            found => found?.cache_clusters.unwrap_or_default().into_iter().next(),
        };
        match found {
            Some(cluster) => with_tags(context, cluster).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Reboots nodes of a cluster. Changes of parameters that need it are then in effect.
#[operation(
    of = CacheCluster, call = "reboot", on_model(cache_node_ids_to_reboot), needs(cache_cluster_id), wraps(cache_cluster),
    effect = write
)]
pub struct RebootCacheCluster {
    /// IDs of the nodes.
    #[field(item = "CacheNodeId")]
    pub cache_node_ids_to_reboot: Vec<Text>,
}

impl Handler for RebootCacheCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.cache_cluster_id)?;
        cluster.check_available()?;
        for id in &self.cache_node_ids_to_reboot {
            let mut nodes = cluster.cache_nodes.iter_mut().flatten();
            let Some(node) = nodes.find(|node| node.id() == id) else {
                return Err(errors::node_not_found(id).with_field("CacheNodeIdsToReboot"));
            };
            node.cache_node_status = Some("rebooting".into());
            node.parameter_group_status = Some("in-sync".into());
        }
        if let Some(left) =
            cluster.cache_parameter_group.as_mut().and_then(|group| group.cache_node_ids_to_reboot.as_mut())
        {
            left.retain(|id| !self.cache_node_ids_to_reboot.contains(id));
        }
        cluster.cache_cluster_status = Some("rebooting cluster nodes".into());
        cx.put_and_schedule_transition(cluster.clone())?;
        Ok(cluster.described(true).into())
    }
}

/// Deletes a cluster.
#[operation(of = CacheCluster, call = "delete", on_model, needs(cache_cluster_id), wraps(cache_cluster), effect = write)]
pub struct DeleteCacheCluster {
    /// Name of the last snapshot, for redis and valkey.
    pub final_snapshot_identifier: Option<Text>,
}

impl Handler for DeleteCacheCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.cache_cluster_id)?;
        if cluster.status() != "available" {
            return Err(errors::cluster_not_deletable(cluster.id()).with_field("CacheClusterId"));
        }
        replication_group::remove_replica(cx, &cluster)?;
        cluster.cache_cluster_status = Some("deleting".into());
        if let Some(name) = &self.final_snapshot_identifier {
            let field = "FinalSnapshotIdentifier";
            let name = snapshot::read_new_name(cx, name, field)?;
            snapshot::check_cluster(cx, &cluster, field)?;
            let last = CacheSnapshot::of_cluster(cx, &cluster, name, "manual")?;
            cx.put_and_schedule_transition(last)?;
            let id = cluster.cache_cluster_id.clone();
            cx.put(PendingRow {
                cache_cluster_id: id,
                new_zones: None,
                engine: None,
                is_deleted: Some(true),
            })?;
            cluster.cache_cluster_status = Some("snapshotting".into());
        }
        cx.put_and_schedule_transition(cluster.clone())?;
        Ok(cluster.described(false).into())
    }
}
