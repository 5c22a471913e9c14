//! Changes of a cluster that are not applied yet, and the maintenance window in which they are.

use super::{
    AuthTokenUpdateStatus, CacheCluster, PendingLogDeliveryConfiguration, TransitEncryptionMode, settings,
};
use crate::engine;
use nephos_cloud::{Addressed, Stored, Tx, Work};
use nephos_core::{Record, Result, Text, field_value::FieldType};

/// Pace at which a cluster is scaled.
#[derive(Record)]
pub struct ScaleConfig {
    /// Share of the capacity that is moved at once, in percent.
    #[field(range(1..=100))]
    pub(crate) scale_percentage: Option<i64>,
    /// Minutes between two steps.
    #[field(range(1..))]
    pub(crate) scale_interval_minutes: Option<i64>,
}

/// Changes of a cluster that are not applied yet.
#[derive(Record)]
pub struct PendingModifiedValues {
    /// New number of nodes.
    pub(crate) num_cache_nodes: Option<i64>,
    /// IDs of the nodes to remove.
    #[field(item = "CacheNodeId")]
    pub(crate) cache_node_ids_to_remove: Option<Vec<Text>>,
    /// New version of the engine.
    pub(crate) engine_version: Option<Text>,
    /// New type of the nodes.
    pub(crate) cache_node_type: Option<Text>,
    /// Change of the token.
    pub(crate) auth_token_status: Option<AuthTokenUpdateStatus>,
    /// New destinations of logs.
    #[field(wire = "PendingLogDeliveryConfiguration")]
    pub(crate) log_delivery_configurations: Option<Vec<PendingLogDeliveryConfiguration>>,
    /// New encryption in transit.
    pub(crate) transit_encryption_enabled: Option<bool>,
    /// New use of encryption in transit.
    pub(crate) transit_encryption_mode: Option<TransitEncryptionMode>,
    /// Pace of the change.
    pub(crate) scale_config: Option<ScaleConfig>,
}

impl PendingModifiedValues {
    /// True if nothing is pending.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::blank()
    }
}

/// Row with what a pending change needs and what is not shown.
#[derive(Record)]
#[record(row)]
pub(crate) struct PendingRow {
    /// ID of the cluster.
    pub(crate) cache_cluster_id: Option<Text>,
    /// Zones of new nodes.
    pub(crate) new_zones: Option<Vec<Text>>,
    /// New engine.
    pub(crate) engine: Option<Text>,
    /// True if the cluster is deleted after its last snapshot.
    pub(crate) is_deleted: Option<bool>,
}

nephos_cloud::stored!(PendingRow in "elasticache/pending" by cache_cluster_id);

impl CacheCluster {
    /// Applies the pending changes. The cluster was modified.
    pub(super) fn apply_pending(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let before = self.clone();
        let pending = self.pending_modified_values.take().unwrap_or_else(PendingModifiedValues::blank);
        self.pending_modified_values = Some(PendingModifiedValues::blank());
        let row = self.pending_row(cx)?;
        let subnets = self.used_subnets(cx)?;
        if let Some(removed) = &pending.cache_node_ids_to_remove {
            self.cache_nodes.get_or_insert_default().retain(|node| !removed.iter().any(|id| id == node.id()));
            self.update_nodes();
        }
        if let Some(zones) = row.as_ref().and_then(|row| row.new_zones.as_deref()) {
            let port = self.own_port();
            self.add_nodes(cx, zones, port);
        }
        if let Some(name) = row.as_ref().and_then(|row| row.engine.clone()) {
            self.engine = Some(name);
        }
        if let Some(version) = pending.engine_version {
            let new = engine::version(self.own_engine()?, Some(&version))?;
            self.follow_version(cx, new)?;
            self.engine_version = Some(version);
        }
        self.cache_node_type = pending.cache_node_type.or(self.cache_node_type.take());
        self.attach(cx, &subnets)?;
        if let Some(row) = row {
            cx.remove(&row)?;
        }
        self.write_applied(cx, &before)
    }

    /// What a pending change needs and what is not shown.
    pub(super) fn pending_row(&self, cx: &Tx<'_>) -> Result<Option<PendingRow>> {
        cx.get(&PendingRow::table(cx.scope()).text(self.id()))
    }

    /// Ends a snapshot. After the last one, the cluster is deleted.
    pub(super) fn finish_snapshot(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let row = self.pending_row(cx)?;
        if row.is_some_and(|row| row.is_deleted == Some(true)) {
            self.cache_cluster_status = Some("deleting".into());
        }
        Ok(())
    }

    /// Schedules the pending changes for the next maintenance window.
    pub(super) fn schedule_pending(&self, cx: &mut Tx<'_>) -> Result<()> {
        let window = self.preferred_maintenance_window.as_deref().unwrap_or_default();
        let time = settings::read_maintenance_window(window)?.next(cx.now());
        cx.schedule(time, &MaintenanceWork { cache_cluster_id: self.cache_cluster_id.clone() })
    }
}

/// Due work: applies the pending changes of a cluster in its maintenance window.
#[derive(Record)]
pub(crate) struct MaintenanceWork {
    /// ID of the cluster.
    cache_cluster_id: Option<Text>,
}

impl Work for MaintenanceWork {
    const NAME: &'static str = "elasticache/maintenance";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.cache_cluster_id.unwrap_or_default();
        let Some(mut cluster) = CacheCluster::find_by(cx, &[&id])? else { return Ok(()) };
        let is_pending = cluster.pending_modified_values.as_ref().is_some_and(|pending| !pending.is_empty());
        if cluster.status() != "available" || !is_pending {
            return Ok(());
        }
        cluster.cache_cluster_status = Some("modifying".into());
        cluster.write_started(cx)?;
        cx.put_and_schedule_transition(cluster)
    }
}
