//! Automatic snapshots of serverless caches: one a day, removed after the retention.

use super::{ServerlessCacheSnapshot, ServerlessCacheSnapshotType, find, of_cache};
use crate::serverless_cache::{self, ServerlessCache, ServerlessCacheStatus};
use nephos_cloud::{DailyWindow, StoredResource, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp};

/// Time of day of the snapshots of caches that are created without one.
pub(crate) const DEFAULT_TIME: &str = "04:00";

/// Schedules the next automatic snapshot of a cache, if it has any.
pub(crate) fn schedule(cx: &mut Tx<'_>, cache: &ServerlessCache) -> Result<()> {
    match snapshot_time(cache) {
        Some(time) => {
            let work = AutomaticSnapshot { serverless_cache_name: cache.serverless_cache_name.clone() };
            cx.schedule(time.next_start(cx.now()), &work)
        }
        None => Ok(()),
    }
}

/// Returns the time of day at which snapshots of a cache are taken; none if there are no automatic ones.
fn snapshot_time(cache: &ServerlessCache) -> Option<DailyWindow> {
    let is_on = cache.snapshot_retention_limit.unwrap_or_default() > 0;
    let time = cache.daily_snapshot_time.as_deref().unwrap_or(DEFAULT_TIME);
    DailyWindow::at(time).filter(|_| is_on)
}

/// Due work that takes an automatic snapshot of a cache, every day.
#[derive(Record)]
#[record(row)]
pub(crate) struct AutomaticSnapshot {
    /// Name of the cache.
    serverless_cache_name: Option<Text>,
}

impl Work for AutomaticSnapshot {
    const NAME: &'static str = "elasticache/automatic-snapshot";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let name = self.serverless_cache_name.as_deref().unwrap_or_default();
        let Some(cache) = serverless_cache::find(cx, name)? else { return Ok(()) };
        // The time may have been changed, or the cache replaced by another of that name.
        if snapshot_time(&cache).is_none_or(|time| !time.starts_at(cx.now())) {
            return Ok(());
        }
        match cache.status {
            Some(ServerlessCacheStatus::Available | ServerlessCacheStatus::Modifying) => take(cx, &cache)?,
            Some(ServerlessCacheStatus::Deleting) => return Ok(()),
            _ => {}
        }
        schedule(cx, &cache)
    }
}

/// Takes an automatic snapshot of a cache, and schedules its removal.
fn take(cx: &mut Tx<'_>, cache: &ServerlessCache) -> Result<()> {
    let name: Text = format!("automatic.{}-{}", cache.own_name(), cx.now().strftime("%Y-%m-%d-%H-%M")).into();
    if find(cx, &name)?.is_some() {
        return Ok(());
    }
    let days = cache.snapshot_retention_limit.unwrap_or_default();
    let expiry = cx.now().checked_add(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MAX);
    let mut snapshot = ServerlessCacheSnapshot::of_cache(cx, cache, name.clone());
    snapshot.snapshot_type = Some(ServerlessCacheSnapshotType::Automated);
    snapshot.expiry_time = Some(expiry);
    cx.put_and_schedule_transition(snapshot)?;
    cx.schedule(expiry, &SnapshotExpiry { serverless_cache_snapshot_name: Some(name) })
}

/// Due work that removes an automatic snapshot after its retention.
#[derive(Record)]
#[record(row)]
pub(crate) struct SnapshotExpiry {
    /// Name of the snapshot.
    serverless_cache_snapshot_name: Option<Text>,
}

impl Work for SnapshotExpiry {
    const NAME: &'static str = "elasticache/snapshot-expiry";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let name = self.serverless_cache_snapshot_name.as_deref().unwrap_or_default();
        let is_due = |snapshot: &ServerlessCacheSnapshot| {
            snapshot.is_automatic() && snapshot.expiry_time.is_some_and(|time| time <= cx.now())
        };
        match find(cx, name)?.filter(is_due) {
            Some(snapshot) => cx.remove(&snapshot),
            None => Ok(()),
        }
    }
}

/// Removes the automatic snapshots of a cache.
pub(crate) fn remove_all(cx: &mut Tx<'_>, cache: &str) -> Result<()> {
    for snapshot in of_cache(cx, cache)?.iter().filter(|snapshot| snapshot.is_automatic()) {
        cx.remove(snapshot)?;
    }
    Ok(())
}
