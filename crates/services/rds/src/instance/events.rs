//! Events of instances.

use super::{DBInstance, PendingModifiedValues};
use crate::{
    SourceType,
    event::{self, KnownEvent, Source, known},
};
use nephos_cloud::Tx;
use nephos_core::Result;

impl DBInstance {
    /// Records an event of the instance, with the arguments of its message.
    pub(crate) fn record(&self, cx: &mut Tx<'_>, event: &KnownEvent, arguments: &[&str]) -> Result<()> {
        let source =
            Source { kind: SourceType::DbInstance, id: self.id(), arn: self.own_arn(), logged: Some(self) };
        event::record(cx, &source, event, arguments)
    }

    fn record_all(&self, cx: &mut Tx<'_>, events: &[(bool, &KnownEvent)]) -> Result<()> {
        let happened = events.iter().filter(|(happened, _)| *happened);
        happened.map(|(_, event)| event).try_for_each(|event| self.record(cx, event, &[]))
    }

    /// Name of the parameter group.
    fn parameter_group_name(&self) -> Option<&str> {
        let group = self.db_parameter_groups.iter().flatten().next();
        group.and_then(|group| group.db_parameter_group_name.as_deref())
    }

    /// Records changes of settings that were made at once.
    pub(super) fn record_changed_settings(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        let group = self.parameter_group_name();
        if before.parameter_group_name() != group {
            self.record(cx, &known::PARAMETER_GROUP_CHANGED, &[group.unwrap_or_default()])?;
        }
        if before.monitoring_interval != self.monitoring_interval {
            let interval = self.monitoring_interval.unwrap_or_default().to_string();
            self.record(cx, &known::MONITORING_CHANGED, &[&interval])?;
        }
        Ok(())
    }

    /// Records that pending changes are being applied.
    pub(super) fn record_started(&self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(pending) = &self.pending_modified_values else { return Ok(()) };
        self.record_all(
            cx,
            &[
                (pending.engine_version.is_some(), &known::INSTANCE_UPGRADE_STARTED),
                (pending.db_instance_class.is_some(), &known::CLASS_CHANGE_STARTED),
                (changes_storage(pending), &known::STORAGE_CHANGE_STARTED),
                (pending.multi_az == Some(true), &known::STANDBY_STARTED),
                (pending.multi_az == Some(false), &known::STANDBY_REMOVAL_STARTED),
                (restarts(pending), &known::INSTANCE_SHUTDOWN),
            ],
        )
    }

    /// Records that pending changes were applied.
    pub(super) fn record_applied(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        let Some(pending) = &before.pending_modified_values else { return Ok(()) };
        let has_backups = |instance: &Self| instance.backup_retention_period.unwrap_or_default() > 0;
        let had_backups = has_backups(before);
        let upgrades = pending.engine_version.is_some();
        let is_patch = upgrades && !before.own_version()?.is_other_major(self.own_version()?);
        self.record_all(
            cx,
            &[
                (upgrades, &known::INSTANCE_UPGRADED),
                (is_patch, &known::INSTANCE_PATCHED),
                (pending.db_instance_class.is_some(), &known::CLASS_CHANGED),
                (changes_storage(pending), &known::STORAGE_CHANGED),
                (pending.multi_az == Some(true), &known::STANDBY_ADDED),
                (pending.multi_az == Some(false), &known::STANDBY_REMOVED),
                (pending.master_user_password.is_some(), &known::PASSWORD_RESET),
                (restarts(pending), &known::INSTANCE_RESTARTED),
                (!had_backups && has_backups(self), &known::BACKUPS_ENABLED),
                (had_backups && !has_backups(self), &known::BACKUPS_DISABLED),
            ],
        )
    }
}

/// True if the storage changes.
fn changes_storage(pending: &PendingModifiedValues) -> bool {
    pending.allocated_storage.is_some()
        || pending.storage_type.is_some()
        || pending.iops.is_some()
        || pending.storage_throughput.is_some()
}

/// True if the instance is restarted for the changes.
fn restarts(pending: &PendingModifiedValues) -> bool {
    pending.engine_version.is_some()
        || pending.db_instance_class.is_some()
        || pending.db_instance_identifier.is_some()
        || pending.port.is_some()
        || pending.processor_features.is_some()
        || pending.ca_certificate_identifier.is_some()
}
