//! Clusters of replication groups, and the endpoints of both.

use super::{ClusterMode, NodeGroup, NodeGroupMember, ReplicationGroup};
use crate::{CacheCluster, CacheParameterGroupStatus, Endpoint, cluster::domain, errors, parameter_group};
use nephos_cloud::{Addressed, Tx, own_arn};
use nephos_core::{Result, Text, field_value::FieldType};

/// ID of the only node of a cluster of a group.
const NODE: &str = "0001";

/// Host names of a group.
struct Hosts {
    group: Text,
    is_encrypted: bool,
    part: String,
    domain: String,
}

impl Hosts {
    fn node(&self, member: &str) -> String {
        let Self { group, part, domain, .. } = self;
        if self.is_encrypted {
            format!("{member}.{group}.{part}.{domain}")
        } else {
            format!("{member}.{part}.{NODE}.{domain}")
        }
    }

    fn configuration(&self) -> String {
        let Self { group, part, domain, .. } = self;
        if self.is_encrypted {
            format!("clustercfg.{group}.{part}.{domain}")
        } else {
            format!("{group}.{part}.clustercfg.{domain}")
        }
    }

    /// Host name of the primary of a shard, or of its replicas.
    fn shard(&self, shard: &str, is_primary: bool) -> String {
        let Self { group, part, domain, .. } = self;
        let role = if is_primary { "master" } else { "replica" };
        let suffix = if is_primary { "" } else { "-ro" };
        if self.is_encrypted {
            format!("{role}.{group}.{part}.{domain}")
        } else {
            format!("{group}{suffix}.{part}.ng.{shard}.{domain}")
        }
    }
}

/// Creates a cluster like another one of its group.
pub(super) fn like(cx: &Tx<'_>, other: &CacheCluster, id: Text, zone: Text) -> CacheCluster {
    let mut cluster = other.clone();
    cluster.cache_cluster_id = Some(id);
    cluster.arn = own_arn(&cluster, cx.scope());
    cluster.cache_nodes = None;
    cluster.add_nodes(cx, &[zone], other.own_port());
    cluster.pending_modified_values = Some(crate::PendingModifiedValues::blank());
    cluster.cache_cluster_status = Some("creating".into());
    cluster.cache_cluster_create_time = Some(cx.now());
    cluster.snapshot_retention_limit = Some(0);
    cluster
}

/// Refuses clusters whose IDs other clusters have, and counts their nodes.
pub(super) fn check_new(cx: &mut Tx<'_>, clusters: &[CacheCluster]) -> Result<()> {
    for cluster in clusters {
        if CacheCluster::find_by(cx, &[cluster.id()])?.is_some() {
            return Err(errors::cluster_exists().with_field("ReplicationGroupId").with_hint(cluster.id()));
        }
    }
    clusters.iter().try_for_each(|cluster| cluster.count_nodes(cx))
}

impl NodeGroupMember {
    /// The member that a cluster is.
    pub(super) fn of(cluster: &CacheCluster, is_primary: bool) -> Self {
        let mut member = Self::blank();
        member.cache_cluster_id.clone_from(&cluster.cache_cluster_id);
        member.cache_node_id = Some(NODE.into());
        member.preferred_availability_zone.clone_from(&cluster.preferred_availability_zone);
        member.set_primary(is_primary);
        member
    }
}

impl ReplicationGroup {
    /// ID of the cluster with this number in a shard.
    pub(super) fn member_id(&self, shard: &str, number: usize) -> Text {
        let id = self.id();
        if self.is_cluster_mode() {
            format!("{id}-{shard}-{number:03}").into()
        } else {
            format!("{id}-{number:03}").into()
        }
    }

    /// IDs of new clusters of a shard: those with the lowest free numbers.
    pub(super) fn free_ids(&self, cx: &Tx<'_>, shard: &str, count: usize) -> Result<Vec<Text>> {
        let mut free = Vec::new();
        for number in 1.. {
            if free.len() == count {
                break;
            }
            let id = self.member_id(shard, number);
            if CacheCluster::find_by(cx, &[&id])?.is_none() {
                free.push(id);
            }
        }
        Ok(free)
    }

    /// The rows of the clusters.
    pub(crate) fn member_rows(&self, cx: &Tx<'_>) -> Result<Vec<CacheCluster>> {
        let mut rows = Vec::new();
        for id in self.member_clusters.iter().flatten() {
            rows.extend(CacheCluster::find_by(cx, &[id])?);
        }
        Ok(rows)
    }

    /// The cluster that new ones are like: the first primary.
    pub(super) fn first_primary(&self, cx: &Tx<'_>) -> Result<CacheCluster> {
        let shard = self.node_groups.iter().flatten().next();
        let id = shard.and_then(NodeGroup::primary).map(NodeGroupMember::id).unwrap_or_default();
        let found = CacheCluster::find_by(cx, &[id])?;
        found.ok_or_else(|| errors::cluster_not_found(id).with_field("ReplicationGroupId"))
    }

    /// Maintenance window of the clusters.
    pub(super) fn maintenance_window(&self, cx: &Tx<'_>) -> Result<Text> {
        Ok(self.first_primary(cx)?.preferred_maintenance_window.unwrap_or_default())
    }

    fn hosts(&self, cx: &Tx<'_>) -> Hosts {
        Hosts {
            group: self.id().into(),
            is_encrypted: self.is_encrypted(),
            part: cx.scope().host_part(6),
            domain: domain(cx),
        }
    }

    /// Port of the nodes.
    pub(super) fn own_port(&self) -> i64 {
        let shard = self.node_groups.iter().flatten().find_map(|shard| shard.primary_endpoint.as_ref());
        self.configuration_endpoint.as_ref().or(shard).and_then(|endpoint| endpoint.port).unwrap_or_default()
    }

    /// Sets the endpoints, which follow from the shards, the cluster mode and encryption in transit.
    pub(super) fn set_endpoints(&mut self, cx: &Tx<'_>, port: i64) {
        let hosts = self.hosts(cx);
        let mode = self.cluster_mode.clone();
        let endpoint = |is_shown: bool, host: String| is_shown.then(|| Endpoint::new(host, port));
        let has_roles = mode != Some(ClusterMode::Enabled);
        let has_slots = mode != Some(ClusterMode::Disabled);
        self.configuration_endpoint = endpoint(has_slots, hosts.configuration());
        for shard in self.node_groups.iter_mut().flatten() {
            shard.primary_endpoint = endpoint(has_roles, hosts.shard(shard.id(), true));
            shard.reader_endpoint = endpoint(has_roles, hosts.shard(shard.id(), false));
            for member in shard.node_group_members.iter_mut().flatten() {
                member.read_endpoint = endpoint(has_roles, hosts.node(member.id()));
            }
        }
    }

    /// Sets in a cluster what follows from its group.
    pub(super) fn mark_member(&self, cx: &Tx<'_>, cluster: &mut CacheCluster) {
        let hosts = self.hosts(cx);
        cluster.replication_group_id.clone_from(&self.replication_group_id);
        cluster.transit_encryption_enabled = self.transit_encryption_enabled;
        cluster.transit_encryption_mode.clone_from(&self.transit_encryption_mode);
        cluster.at_rest_encryption_enabled = self.at_rest_encryption_enabled;
        cluster.auth_token_enabled = self.auth_token_enabled;
        cluster.auth_token_last_modified_date = self.auth_token_last_modified_date;
        cluster.auto_minor_version_upgrade = self.auto_minor_version_upgrade;
        cluster.snapshot_window.clone_from(&self.snapshot_window);
        let logs = self.log_delivery_configurations.as_ref().is_some_and(|logs| !logs.is_empty());
        cluster.replication_group_log_delivery_enabled = Some(logs);
        let is_snapshotting = self.snapshotting_cluster_id.as_deref() == Some(cluster.id());
        let retention = self.snapshot_retention_limit.filter(|_| is_snapshotting);
        cluster.snapshot_retention_limit = Some(retention.unwrap_or_default());
        let host = hosts.node(cluster.id());
        let port = cluster.own_port();
        for node in cluster.cache_nodes.iter_mut().flatten() {
            node.endpoint = Some(Endpoint::new(host.as_str(), port));
        }
    }

    /// Updates the clusters with what follows from the group.
    pub(super) fn refresh_members(&self, cx: &mut Tx<'_>) -> Result<()> {
        for mut cluster in self.member_rows(cx)? {
            let before = cluster.clone();
            self.mark_member(cx, &mut cluster);
            if cluster != before {
                cx.put(cluster)?;
            }
        }
        Ok(())
    }

    /// Gives the clusters this parameter group.
    pub(super) fn set_parameter_group(&self, cx: &mut Tx<'_>, name: &Text) -> Result<()> {
        for mut cluster in self.member_rows(cx)? {
            let before = cluster.parameter_group_name().to_owned();
            if before == *name {
                continue;
            }
            let arn = cluster.arn.clone().unwrap_or_default();
            parameter_group::note_use(cx, &before, &arn, false)?;
            parameter_group::note_use(cx, name, &arn, true)?;
            let old = cluster.clone();
            cluster.cache_parameter_group = Some(CacheParameterGroupStatus::in_sync(name.clone()));
            cluster.write_changed_settings(cx, &old)?;
            cx.put(cluster)?;
        }
        Ok(())
    }

    /// Replaces a default parameter group by that of the cluster mode.
    pub(super) fn follow_cluster_mode(&self, cx: &mut Tx<'_>, is_on: bool) -> Result<()> {
        let primary = self.first_primary(cx)?;
        if !parameter_group::is_default(primary.parameter_group_name()) {
            return Ok(());
        }
        let name = parameter_group::default_name(primary.own_version()?, is_on);
        self.set_parameter_group(cx, &name)
    }

    /// Adds new clusters to a shard, as replicas.
    pub(super) fn add_to_shard(&mut self, shard: &str, clusters: &[CacheCluster]) {
        let added = clusters.iter().map(|cluster| NodeGroupMember::of(cluster, false));
        if let Some(found) = self.node_groups.iter_mut().flatten().find(|known| known.id() == shard) {
            found.node_group_members.get_or_insert_default().extend(added);
        }
        self.update_members();
    }
}
