//! Automated backups: a snapshot a day at the start of the backup window, kept for the retention, and restores to a point in time.

mod cluster;
mod instance;
mod restore;
mod retained;
mod tags;

pub use cluster::*;
pub(crate) use cluster::{ClusterBackup, RetainedClusterBackupExpiry};
pub use instance::*;
pub(crate) use instance::{InstanceBackup, RetainedBackupExpiry};
pub(crate) use restore::{RestoreTime, find_source};
pub(crate) use retained::{AutomatedBackup, backups_arn};
pub(crate) use tags::{BackupTagsRow, OF_CLUSTER, OF_INSTANCE, add_tags, read_tags, remove_tags, tags_of};

use crate::snapshot::family::{self, Snapshot};
use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp};

/// Times that a database can be restored to.
#[derive(Record)]
pub struct RestoreWindow {
    /// Earliest time.
    pub(crate) earliest_time: Option<Timestamp>,
    /// Latest time.
    pub(crate) latest_time: Option<Timestamp>,
}

/// Row of a snapshot that the service made, by the database and the time.
#[derive(Record)]
#[record(row)]
pub(crate) struct BackupRow {
    /// Resource ID of the database.
    resource_id: Option<Text>,
    /// Time of the snapshot, in seconds since 1970.
    taken: Option<i64>,
    /// Identifier of the snapshot.
    snapshot: Option<Text>,
}

nephos_cloud::stored!(BackupRow in "rds/backup" by resource_id, taken);

impl BackupRow {
    /// Time of the snapshot.
    fn time(&self) -> Timestamp {
        Timestamp::from_second(self.taken.unwrap_or_default()).unwrap_or(Timestamp::MIN)
    }
}

/// Identifier of an automated snapshot that is made now.
pub(crate) fn new_identifier(cx: &Tx<'_>, database: &str) -> Text {
    format!("{}{database}-{}", family::AUTOMATED_PREFIX, cx.now().strftime("%Y-%m-%d-%H-%M")).into()
}

/// Notes an automated snapshot of a database.
pub(crate) fn note(cx: &mut Tx<'_>, resource_id: &str, snapshot: &str) -> Result<()> {
    cx.put(BackupRow {
        resource_id: Some(resource_id.into()),
        taken: Some(cx.now().as_second()),
        snapshot: Some(snapshot.into()),
    })
}

/// Returns the automated snapshots of a database, oldest first.
pub(crate) fn all_of(cx: &Tx<'_>, resource_id: &str) -> Result<Vec<BackupRow>> {
    cx.all(&BackupRow::table(cx.scope()).text(resource_id))
}

/// Removes the automated snapshots of a database that are older than a number of days; all for 0. Returns the time of the first one
/// that stays.
pub(crate) fn expire<S: Snapshot>(
    cx: &mut Tx<'_>,
    resource_id: &str,
    days: i64,
) -> Result<Option<Timestamp>> {
    let kept = SignedDuration::from_hours(24 * days);
    for row in all_of(cx, resource_id)? {
        if cx.now().duration_since(row.time()) < kept {
            return Ok(Some(row.time()));
        }
        if let Some(snapshot) = S::find_by(cx, &[row.snapshot.as_deref().unwrap_or_default()])? {
            family::remove(cx, &snapshot)?;
        }
        cx.remove(&row)?;
    }
    Ok(None)
}

/// Returns the earliest time that a database can be restored to: that of its first backup, within the retention.
pub(crate) fn earliest(cx: &Tx<'_>, resource_id: &str, days: i64) -> Result<Option<Timestamp>> {
    let first = all_of(cx, resource_id)?.first().map(BackupRow::time);
    let oldest = cx.now().checked_sub(SignedDuration::from_hours(24 * days)).ok();
    Ok(first.and_then(|first| oldest.map(|oldest| first.max(oldest))))
}

/// Returns the last multiple of five minutes, up to which changes of a database are stored.
pub(crate) fn last_stored(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second().div_euclid(300) * 300).unwrap_or(now)
}
