//! Changes of a replication group that are not applied yet, and when they are.

use super::{
    AVAILABLE, AutomaticFailoverStatus, ClusterMode, MODIFYING, MultiAZStatus, NodeGroup,
    PendingAutomaticFailoverStatus, ReplicationGroup, ReplicationGroupPendingModifiedValues, access, token,
};
use crate::{CacheCluster, TransitEncryptionMode, cluster::settings, service_update};
use nephos_cloud::{Addressed, Stored, Transitions, Tx, Work};
use nephos_core::{Record, Result, Text, Timestamp, field_value::FieldType};

/// Milliseconds that a change takes.
const DURATION: f64 = 120_000.0;

/// Row with what a pending change of a group needs and what is not shown.
#[derive(Record)]
#[record(row)]
pub(crate) struct GroupChangeRow {
    /// ID of the group.
    replication_group_id: Option<Text>,
    /// New type of the nodes.
    pub(super) cache_node_type: Option<Text>,
    /// New engine.
    pub(super) engine: Option<Text>,
    /// New version of the engine.
    pub(super) engine_version: Option<Text>,
    /// New placement in several zones.
    pub(super) multi_az: Option<MultiAZStatus>,
    /// Shards after the change.
    pub(super) node_groups: Option<Vec<NodeGroup>>,
    /// IDs of the clusters that become primaries.
    pub(super) primaries: Option<Vec<Text>>,
    /// Start of a change of the number of shards.
    pub(super) started: Option<Timestamp>,
}

nephos_cloud::stored!(GroupChangeRow in "elasticache/group-change" by replication_group_id);

impl GroupChangeRow {
    fn find(cx: &Tx<'_>, id: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(id))
    }

    fn of(id: Option<Text>) -> Self {
        Self { replication_group_id: id, ..Self::blank() }
    }
}

/// A change of a group that is being prepared, with what is pending already.
pub(super) struct Change {
    /// What is shown.
    pub(super) pending: ReplicationGroupPendingModifiedValues,
    /// What is not shown.
    pub(super) row: GroupChangeRow,
    /// True if the change is applied at once instead of in the maintenance window.
    pub(super) is_immediate: bool,
}

impl Change {
    pub(super) fn of(cx: &Tx<'_>, group: &ReplicationGroup, is_immediate: bool) -> Result<Self> {
        let row = GroupChangeRow::find(cx, group.id())?;
        Ok(Self {
            pending: group
                .pending_modified_values
                .clone()
                .unwrap_or_else(ReplicationGroupPendingModifiedValues::blank),
            row: row.unwrap_or_else(|| GroupChangeRow::of(group.replication_group_id.clone())),
            is_immediate,
        })
    }

    /// True if there is something to apply.
    pub(super) fn is_waiting(&self) -> bool {
        self.row != GroupChangeRow::of(self.row.replication_group_id.clone()) || !self.pending.is_empty()
    }

    /// Stores the group, and applies the change when its time has come.
    pub(super) fn start(self, cx: &mut Tx<'_>, group: &mut ReplicationGroup) -> Result<()> {
        let has_row = self.row != GroupChangeRow::of(group.replication_group_id.clone());
        let is_pending = self.is_waiting();
        group.pending_modified_values = Some(self.pending);
        if has_row {
            cx.put(self.row)?;
        }
        if self.is_immediate {
            return group.start_modifying(cx);
        }
        if is_pending {
            let window = group.maintenance_window(cx)?;
            let time = settings::read_maintenance_window(&window)?.next(cx.now());
            let work = GroupMaintenanceWork { replication_group_id: group.replication_group_id.clone() };
            cx.schedule(time, &work)?;
        }
        cx.put(group.clone())
    }
}

impl ReplicationGroup {
    /// Starts to apply pending changes of the group and its clusters.
    fn start_modifying(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        for mut cluster in self.member_rows(cx)? {
            let is_pending =
                cluster.pending_modified_values.as_ref().is_some_and(|pending| !pending.is_empty());
            if is_pending && cluster.status() == AVAILABLE {
                cluster.cache_cluster_status = Some(MODIFYING.into());
                cx.put_and_schedule_transition(cluster)?;
            }
        }
        self.status = Some(MODIFYING.into());
        cx.put_and_schedule_transition(self.clone())
    }

    /// Applies pending changes. The group was modified.
    pub(super) fn apply_changes(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let is_creating = |cluster: &CacheCluster| cluster.status() == "creating";
        if cx.transitions() == Transitions::Realistic && self.member_rows(cx)?.iter().any(is_creating) {
            self.status = Some(MODIFYING.into());
            return Ok(());
        }
        let port = self.own_port();
        let before = self.clone();
        let pending = self.pending_modified_values.take();
        let pending = pending.unwrap_or_else(ReplicationGroupPendingModifiedValues::blank);
        self.pending_modified_values = Some(ReplicationGroupPendingModifiedValues::blank());
        if let Some(row) = GroupChangeRow::find(cx, self.id())? {
            cx.remove(&row)?;
            self.apply_row(row);
        }
        self.automatic_failover = match pending.automatic_failover_status {
            Some(PendingAutomaticFailoverStatus::Enabled) => Some(AutomaticFailoverStatus::Enabled),
            Some(_) => Some(AutomaticFailoverStatus::Disabled),
            None => self.automatic_failover.take(),
        };
        if let Some(users) = pending.user_groups {
            access::apply_user_groups(cx, self, users)?;
        }
        token::apply(cx, self)?;
        self.transit_encryption_enabled =
            pending.transit_encryption_enabled.or(self.transit_encryption_enabled);
        self.transit_encryption_mode =
            pending.transit_encryption_mode.or(self.transit_encryption_mode.take());
        if self.transit_encryption_enabled != Some(true) {
            self.transit_encryption_mode = None;
        }
        if let Some(mode) = pending.cluster_mode {
            self.apply_cluster_mode(cx, mode)?;
        }
        self.set_endpoints(cx, port);
        self.refresh_members(cx)?;
        self.write_applied(cx, &before)
    }

    fn apply_row(&mut self, row: GroupChangeRow) {
        if let Some(shards) = row.node_groups {
            self.node_groups = Some(shards);
        }
        for primary in row.primaries.iter().flatten() {
            self.node_groups.iter_mut().flatten().for_each(|shard| shard.promote(primary));
        }
        self.update_members();
        self.cache_node_type = row.cache_node_type.or(self.cache_node_type.take());
        self.engine = row.engine.or(self.engine.take());
        self.multi_az = row.multi_az.or(self.multi_az.take());
    }

    /// Changes the cluster mode, and the default parameter group with it.
    fn apply_cluster_mode(&mut self, cx: &mut Tx<'_>, mode: ClusterMode) -> Result<()> {
        let is_on = mode != ClusterMode::Disabled;
        self.cluster_enabled = Some(is_on);
        self.cluster_mode = Some(mode);
        for shard in self.node_groups.iter_mut().flatten() {
            shard.slots = is_on.then(|| "0-16383".into());
        }
        if is_on {
            self.snapshotting_cluster_id = None;
        }
        self.follow_cluster_mode(cx, is_on)
    }

    /// Removes what a deleted group leaves behind.
    pub(super) fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        access::detach_all(cx, self)?;
        token::remove(cx, self.id())?;
        cx.remove_row(&GroupChangeRow::table(cx.scope()).text(self.id()))?;
        service_update::remove_of(cx, true, self.id())?;
        self.write_event(cx, format!("Replication group {} deleted", self.id()))
    }
}

/// Sets the progress of a change of the number of shards, by the clock.
pub(super) fn set_progress(group: &mut ReplicationGroup, cx: &Tx<'_>) -> Result<()> {
    let started = GroupChangeRow::find(cx, group.id())?.and_then(|row| row.started);
    let resharding = group.pending_modified_values.as_mut().and_then(|pending| pending.resharding.as_mut());
    let migration = resharding.and_then(|resharding| resharding.slot_migration.as_mut());
    if let (Some(started), Some(migration)) = (started, migration) {
        let elapsed = cx.now().as_millisecond() - started.as_millisecond();
        migration.progress_percentage = Some((elapsed as f64 * 100.0 / DURATION).clamp(0.0, 100.0));
    }
    Ok(())
}

/// True if a new use of encryption in transit may follow the current one.
pub(super) fn is_next_mode(
    is_encrypted: bool,
    current: Option<&TransitEncryptionMode>,
    enabled: bool,
    mode: Option<&TransitEncryptionMode>,
) -> bool {
    match (is_encrypted, enabled) {
        (false, true) => mode == Some(&TransitEncryptionMode::Preferred),
        (true, false) => current == Some(&TransitEncryptionMode::Preferred) && mode.is_none(),
        (true, true) => true,
        (false, false) => mode.is_none(),
    }
}

/// Due work: applies the pending changes of a group in its maintenance window.
#[derive(Record)]
pub(crate) struct GroupMaintenanceWork {
    /// ID of the group.
    replication_group_id: Option<Text>,
}

impl Work for GroupMaintenanceWork {
    const NAME: &'static str = "elasticache/group-maintenance";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.replication_group_id.unwrap_or_default();
        let Some(mut group) = ReplicationGroup::find_by(cx, &[&id])? else { return Ok(()) };
        let is_shown = group.pending_modified_values.as_ref().is_some_and(|pending| !pending.is_empty());
        let is_pending = is_shown || GroupChangeRow::find(cx, &id)?.is_some();
        if group.status.as_deref() != Some(AVAILABLE) || !is_pending {
            return Ok(());
        }
        group.start_modifying(cx)
    }
}
