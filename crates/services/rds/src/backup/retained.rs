//! Automated backups that are kept after their database was deleted, until their retention ends.

use super::{RestoreWindow, expire};
use crate::snapshot::{SavedRow, family::Snapshot};
use nephos_cloud::{Stored, Tx};
use nephos_core::{Result, SignedDuration, Text, Timestamp};

/// The automated backups of a kind of databases. Only those of deleted databases are stored.
pub(crate) trait AutomatedBackup: Stored + Clone {
    /// Kind of their snapshots.
    type Snapshot: Snapshot;
    /// What is kept for restores.
    type Saved: SavedRow;
    /// True if the database can be restored to each time within the retention, with or without a snapshot.
    const IS_CONTINUOUS: bool;

    /// Resource ID of the database.
    fn resource_id(&self) -> &str;
    /// ARN of the backups.
    fn backups_arn(&self) -> &str;
    /// Status: creating, active or retained.
    fn status_text(&self) -> &str;
    /// Days that backups are kept.
    fn retention(&self) -> i64;
    /// Times that the database can be restored to.
    fn window(&self) -> Option<&RestoreWindow>;
    /// Sets the earliest time that the database can be restored to.
    fn set_earliest(&mut self, time: Timestamp);
    /// Schedules the next look at kept backups.
    fn schedule_expiry(&self, cx: &mut Tx<'_>, time: Timestamp) -> Result<()>;

    /// True for the backups of the database with this resource ID, in any case.
    fn is_of(&self, resource_id: &str) -> bool {
        self.resource_id().eq_ignore_ascii_case(resource_id)
    }

    /// True for the backups of a deleted database.
    fn is_retained(&self) -> bool {
        self.status_text() == "retained"
    }

    /// Earliest and latest time that the database can be restored to.
    fn restorable(&self) -> Option<(Timestamp, Timestamp)> {
        let window = self.window()?;
        Some((window.earliest_time?, window.latest_time?))
    }

    /// Finds the kept backups of a deleted database.
    fn find_retained(cx: &Tx<'_>, resource_id: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(resource_id))
    }

    /// Keeps the backups of a deleted database, or what is left of them: those whose retention is over are removed.
    fn keep(mut self, cx: &mut Tx<'_>) -> Result<()> {
        let kept = SignedDuration::from_hours(24 * self.retention());
        let after = |time: Timestamp| time.checked_add(kept).unwrap_or(Timestamp::MAX);
        let first = expire::<Self::Snapshot>(cx, self.resource_id(), self.retention())?;
        let earliest = match self.restorable() {
            Some((_, latest)) if after(latest) <= cx.now() => None,
            Some((earliest, _)) if Self::IS_CONTINUOUS => {
                Some(cx.now().checked_sub(kept).unwrap_or(earliest).max(earliest))
            }
            Some(_) => first,
            None => None,
        };
        let (Some(earliest), Some((_, latest))) = (earliest, self.restorable()) else {
            return self.remove(cx);
        };
        self.set_earliest(earliest);
        self.schedule_expiry(cx, first.map_or(after(latest), |first| after(first).min(after(latest))))?;
        cx.put(self)
    }

    /// Removes kept backups.
    fn remove(&self, cx: &mut Tx<'_>) -> Result<()> {
        expire::<Self::Snapshot>(cx, self.resource_id(), 0)?;
        Self::Saved::remove(cx, self.backups_arn())?;
        cx.remove(self)
    }
}

/// ARN of the automated backups of the database with this resource ID: `auto-backup:ab-` and its characters.
pub(crate) fn backups_arn(cx: &Tx<'_>, kind: &str, resource_id: &str) -> Text {
    let (_, characters) = resource_id.split_once('-').unwrap_or(("", resource_id));
    let id = format!("ab-{}", characters.to_ascii_lowercase());
    cx.scope().arn("rds", &[kind, ":", &id]).into()
}
