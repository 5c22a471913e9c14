//! Settings of a replication group and its clusters that are in effect at once, and changes of the clusters.

use super::{
    CreateReplicationGroup, DataTieringStatus, EffectiveDurability, ModifyReplicationGroup, NodeGroup,
    ReplicationGroup, ReplicationGroupPendingModifiedValues, change::Change,
};
use crate::{
    CacheCluster, IpDiscovery, NetworkType, PendingModifiedValues,
    cluster::{PendingRow, log_delivery, settings},
    engine::Version,
    errors, parameter_group, subnet_group,
};
use nephos_cloud::Tx;
use nephos_core::{Result, field_value::FieldType};

/// Clusters of a group before and after a change.
pub(super) type ChangedClusters = Vec<(CacheCluster, CacheCluster)>;

impl CreateReplicationGroup {
    /// Sets the settings of a new group that have no rules beyond their own.
    pub(super) fn set_settings(
        &self,
        cx: &mut Tx<'_>,
        group: &mut ReplicationGroup,
        version: &Version,
    ) -> Result<()> {
        settings::check_network(self.network_type.as_ref(), self.ip_discovery.as_ref())?;
        (group.network_type, group.ip_discovery) = (Some(NetworkType::Ipv4), Some(IpDiscovery::Ipv4));
        let logs = self.log_delivery_configurations.as_deref().unwrap_or_default();
        group.log_delivery_configurations =
            Some(log_delivery::change(cx, &[], logs, version.engine(), version.number)?);
        let has_tiers = self.data_tiering_enabled == Some(true);
        group.data_tiering =
            Some(if has_tiers { DataTieringStatus::Enabled } else { DataTieringStatus::Disabled });
        group.description = Some(self.description.clone());
        group.auto_minor_version_upgrade = Some(self.auto_minor_version_upgrade.unwrap_or(true));
        group.snapshot_retention_limit = Some(self.snapshot_retention_limit.unwrap_or_default());
        group.effective_durability = self.durability.as_ref().map(EffectiveDurability::of);
        group.durability.clone_from(&self.durability);
        group.pending_modified_values = Some(ReplicationGroupPendingModifiedValues::blank());
        group.replication_group_create_time = Some(cx.now());
        group.status = Some("creating".into());
        Ok(())
    }
}

impl ModifyReplicationGroup {
    /// Changes the settings of the group that are in effect at once.
    pub(super) fn change_group(
        &self,
        cx: &mut Tx<'_>,
        group: &mut ReplicationGroup,
        version: &Version,
    ) -> Result<()> {
        if let Some(description) = &self.description {
            group.description = Some(description.clone());
        }
        let maintenance = group.maintenance_window(cx)?;
        let maintenance = self.preferred_maintenance_window.as_ref().unwrap_or(&maintenance);
        let snapshot = self.snapshot_window.as_ref().or(group.snapshot_window.as_ref());
        let snapshot = snapshot.map(|window| window.as_str());
        let (_, snapshot) = settings::read_windows(cx, version.engine(), Some(maintenance), snapshot)?;
        group.snapshot_window = snapshot;
        self.change_snapshots(group)?;
        settings::check_network(None, self.ip_discovery.as_ref())?;
        group.auto_minor_version_upgrade =
            self.auto_minor_version_upgrade.or(group.auto_minor_version_upgrade);
        if let Some(durability) = &self.durability {
            group.effective_durability = Some(EffectiveDurability::of(durability));
            group.durability = Some(durability.clone());
        }
        if let Some(given) = self.log_delivery_configurations.as_deref() {
            let before = group.log_delivery_configurations.clone().unwrap_or_default();
            let after = log_delivery::change(cx, &before, given, version.engine(), version.number)?;
            group.log_delivery_configurations = Some(after);
        }
        Ok(())
    }

    /// Changes the retention of snapshots, and the cluster that they are taken of.
    fn change_snapshots(&self, group: &mut ReplicationGroup) -> Result<()> {
        group.snapshot_retention_limit = self.snapshot_retention_limit.or(group.snapshot_retention_limit);
        if let Some(id) = &self.snapshotting_cluster_id {
            let field = "SnapshottingClusterId";
            let id = id.to_ascii_lowercase();
            if group.is_cluster_mode() {
                return Err(errors::cluster_mode_off_required(field).with_field(field));
            }
            let mut members = group.node_groups.iter().flatten().flat_map(NodeGroup::members);
            if !members.any(|member| member.id() == id) {
                return Err(errors::not_in_replication_group(&id, group.id()).with_field(field));
            }
            group.snapshotting_cluster_id = Some(id);
        }
        if self.snapshot_retention_limit == Some(0) && self.snapshotting_cluster_id.is_none() {
            group.snapshotting_cluster_id = None;
        }
        let takes_snapshots = group.snapshot_retention_limit.is_some_and(|days| days > 0);
        if takes_snapshots && group.snapshotting_cluster_id.is_none() {
            group.snapshotting_cluster_id = group.default_snapshotting_cluster();
        }
        Ok(())
    }

    /// Returns the clusters with the settings that are in effect at once, and with pending changes of nodes
    /// and engine.
    pub(super) fn change_clusters(
        &self,
        cx: &Tx<'_>,
        group: &ReplicationGroup,
        primary: &CacheCluster,
        version: Option<&Version>,
        change: &Change,
    ) -> Result<ChangedClusters> {
        let security_groups = match self.security_group_ids.as_deref() {
            Some(ids) => {
                let name = primary.cache_subnet_group_name.as_deref().unwrap_or_default();
                let vpc = subnet_group::find(cx, name)?.and_then(|group| group.vpc_id).unwrap_or_default();
                Some(settings::read_security_groups(cx, &vpc, Some(ids))?)
            }
            None => None,
        };
        let mut topic = match self.notification_topic_arn.as_deref() {
            Some(arn) => Some(settings::read_topic(arn)?),
            None => primary.notification_configuration.clone(),
        };
        if let Some(status) = &self.notification_topic_status {
            let is_known = ["active", "inactive"].contains(&status.as_str());
            let Some(topic) = topic.as_mut().filter(|_| is_known) else {
                return Err(errors::topic_status_invalid(status).with_field("NotificationTopicStatus"));
            };
            topic.topic_status = Some(status.clone());
        }
        self.check_parameter_group(cx, group, version.unwrap_or(primary.own_version()?))?;
        let mut changed = Vec::new();
        for before in group.member_rows(cx)? {
            let mut after = before.clone();
            if let Some(groups) = &security_groups {
                after.security_groups = Some(groups.clone());
            }
            after.notification_configuration.clone_from(&topic);
            if let Some(window) = &self.preferred_maintenance_window {
                after.preferred_maintenance_window = Some(window.clone());
            }
            let pending = after.pending_modified_values.get_or_insert_with(PendingModifiedValues::blank);
            if change.row.cache_node_type.is_some() {
                pending.cache_node_type.clone_from(&change.row.cache_node_type);
            }
            if change.row.engine_version.is_some() {
                pending.engine_version.clone_from(&change.row.engine_version);
            }
            changed.push((before, after));
        }
        Ok(changed)
    }

    /// Refuses a parameter group of another family or cluster mode.
    fn check_parameter_group(&self, cx: &Tx<'_>, group: &ReplicationGroup, version: &Version) -> Result<()> {
        let field = "CacheParameterGroupName";
        let Some(name) = &self.cache_parameter_group_name else { return Ok(()) };
        let found = parameter_group::require(cx, name, version.family, field)?;
        let mode = self.cluster_mode.as_ref().or(group.cluster_mode.as_ref());
        let is_on = mode.is_some_and(|mode| *mode != super::ClusterMode::Disabled);
        if parameter_group::is_cluster_mode(cx, &found)? != is_on {
            return Err(errors::cluster_mode_conflict(name).with_field(field));
        }
        Ok(())
    }

    /// Stores the changed clusters, and notes what they use.
    pub(super) fn store_clusters(
        &self,
        cx: &mut Tx<'_>,
        group: &ReplicationGroup,
        clusters: ChangedClusters,
        change: &Change,
    ) -> Result<()> {
        for (before, after) in clusters {
            if before == after {
                continue;
            }
            if before.security_groups != after.security_groups {
                let subnets = after.used_subnets(cx)?;
                after.attach(cx, &subnets)?;
            }
            after.write_changed_settings(cx, &before)?;
            if change.row.engine.is_some() {
                cx.put(PendingRow {
                    cache_cluster_id: after.cache_cluster_id.clone(),
                    new_zones: None,
                    engine: change.row.engine.clone(),
                    is_deleted: None,
                })?;
            }
            cx.put(after)?;
        }
        match &self.cache_parameter_group_name {
            Some(name) => group.set_parameter_group(cx, &name.to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}
