//! Restores to a point in time: the time, and what an instance is restored from.

use super::{AutomatedBackup, DBInstanceAutomatedBackup};
use crate::{
    DBInstance, errors, instance, master_user,
    snapshot::{SavedInstanceRow, SavedRow},
};
use nephos_cloud::Tx;
use nephos_core::{Result, Secret, Text, Timestamp};

/// The time that a database is restored to.
pub(crate) struct RestoreTime {
    /// Parameter with the time.
    field: &'static str,
    /// None for the latest time.
    time: Option<Timestamp>,
}

impl RestoreTime {
    /// Reads the time, or that it is the latest one. One of both must be given.
    pub(crate) fn read(field: &'static str, time: Option<Timestamp>, latest: Option<bool>) -> Result<Self> {
        match (time, latest == Some(true)) {
            (Some(_), true) => Err(errors::restore_time_and_latest(field).with_field(field)),
            (None, false) => Err(errors::restore_time_needed(field).with_field(field)),
            _ => Ok(Self { field, time }),
        }
    }

    /// Returns the time; refuses one that a database cannot be restored to. `what` is instance or cluster.
    pub(crate) fn read_within(
        &self,
        earliest: Timestamp,
        latest: Timestamp,
        what: &str,
    ) -> Result<Timestamp> {
        let seconds = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        match self.time {
            Some(time) if time > latest => {
                Err(errors::restore_time_late(what, seconds(latest)).with_field(self.field))
            }
            Some(time) if time < earliest => {
                Err(errors::restore_time_early(what, seconds(earliest)).with_field(self.field))
            }
            time => Ok(time.unwrap_or(latest)),
        }
    }
}

/// An instance, or what is left of a deleted one, that can be restored to a point in time.
pub(crate) struct InstanceSource {
    pub(crate) id: Text,
    pub(crate) saved: SavedInstanceRow,
    pub(crate) password: Option<Secret>,
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
}

/// Finds the source of a restore by one of these: the identifier of an instance, its resource ID, or the ARN of its automated backups.
pub(crate) fn find_source(
    cx: &mut Tx<'_>,
    id: Option<&str>,
    resource_id: Option<&str>,
    backups: Option<&str>,
) -> Result<InstanceSource> {
    let field = "SourceDBInstanceIdentifier";
    let (found, given, field) = match (id, resource_id, backups) {
        (Some(id), None, None) => return of_instance(cx, &instance::require(cx, id, field)?, field),
        (None, Some(given), None) => {
            let found = |backup: &DBInstanceAutomatedBackup| backup.is_of(given);
            (super::instance::find(cx, found)?, given, "SourceDbiResourceId")
        }
        (None, None, Some(given)) => {
            let found = |backup: &DBInstanceAutomatedBackup| backup.has_arn(given);
            (super::instance::find(cx, found)?, given, "SourceDBInstanceAutomatedBackupsArn")
        }
        (None, None, None) => return Err(errors::parameter_blank(field).with_field(field)),
        _ => return Err(errors::restore_sources().with_field(field)),
    };
    let missing = || errors::automated_backup_not_found(given).with_field(field);
    let found = found.ok_or_else(missing)?;
    let live = found.instance(cx)?;
    match live {
        Some(live) => of_instance(cx, &live, field),
        None => of_retained(cx, &found)?.ok_or_else(missing),
    }
}

/// Reads what an instance is restored from.
fn of_instance(cx: &mut Tx<'_>, instance: &DBInstance, field: &str) -> Result<InstanceSource> {
    if instance.status() == "deleting" {
        return Err(errors::instance_being_deleted(instance.id()).with_field(field));
    }
    let resource_id = instance.dbi_resource_id.as_deref().unwrap_or_default();
    let Some((earliest, latest)) = instance.restorable(cx)? else {
        return Err(errors::restore_not_enabled(instance.id()).with_field(field));
    };
    let password = master_user::read_password(cx, resource_id, instance.master_user_secret.as_ref())?;
    let saved = SavedInstanceRow::of_instance(instance);
    Ok(InstanceSource { id: instance.id().into(), saved, password, earliest, latest })
}

/// Reads what a deleted instance is restored from.
fn of_retained(cx: &Tx<'_>, backup: &DBInstanceAutomatedBackup) -> Result<Option<InstanceSource>> {
    let Some(saved) = SavedInstanceRow::find(cx, backup.backups_arn())? else { return Ok(None) };
    let Some((earliest, latest)) = backup.restorable() else { return Ok(None) };
    let password = saved.open_password(cx)?;
    let id = backup.db_instance_identifier.clone().unwrap_or_default();
    Ok(Some(InstanceSource { id, saved, password, earliest, latest }))
}
