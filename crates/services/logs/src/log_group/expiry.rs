//! Retention: events expire after the retention of their log group.

use crate::{
    log_group::LogGroup,
    log_stream::{self, events},
};
use nephos_cloud::{Addressed, Tx, Work};
use nephos_core::{Record, Result, Text, Timestamp};

pub(crate) const MINUTE: i64 = 60 * 1000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Due work that removes the expired events of a log group.
#[derive(Record)]
pub(crate) struct EventExpiry {
    /// Name of the log group.
    log_group_name: Option<Text>,
}

impl Work for EventExpiry {
    const NAME: &'static str = "logs/expire";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let name = self.log_group_name.unwrap_or_default();
        // Meanwhile the group may have been deleted, or its retention changed.
        let Some(mut group) = LogGroup::find_by(cx, &[&name])? else {
            return Ok(());
        };
        let Some(limit) = expiry_cutoff(&group, cx.now().as_millisecond()) else { return Ok(()) };
        let is_expired = |time: Option<i64>| time.is_some_and(|time| time < limit);
        let mut freed = 0;
        for mut stream in
            log_stream::find_streams(cx, &name, |stream| is_expired(stream.first_event_timestamp))?
        {
            let stream_name = stream.log_stream_name.clone().unwrap_or_default();
            freed += events::remove_events(cx, &name, &stream_name, limit)?;
            stream.first_event_timestamp = events::oldest_timestamp(cx, &name, &stream_name)?;
            if stream.first_event_timestamp.is_none() {
                stream.last_event_timestamp = None;
            }
            cx.put(stream)?;
        }
        if freed > 0 {
            group.stored_bytes = Some(group.stored_bytes.unwrap_or(0) - freed);
        }
        schedule_next_expiry(cx, &group)?;
        if freed > 0 { cx.put(group) } else { Ok(()) }
    }
}

/// Returns the time in milliseconds before which events are expired at `now`; `None` if events never expire.
pub(crate) fn expiry_cutoff(group: &LogGroup, now: i64) -> Option<i64> {
    // Round to whole minutes, so that a busy group has at most one expiry per minute.
    let minute = now - now.rem_euclid(MINUTE);
    group.retention_in_days.map(|days| minute - days * DAY + 1)
}

/// Schedules the next expiry of a log group.
pub(crate) fn schedule_next_expiry(cx: &mut Tx<'_>, group: &LogGroup) -> Result<()> {
    let name = group.log_group_name.clone().unwrap_or_default();
    let streams = log_stream::find_streams(cx, &name, |stream| stream.first_event_timestamp.is_some())?;
    match streams.iter().filter_map(|stream| stream.first_event_timestamp).min() {
        Some(oldest) => schedule_expiry(cx, group, oldest),
        None => Ok(()),
    }
}

/// Schedules the expiry of a log group whose oldest event has the time `oldest`.
pub(crate) fn schedule_expiry(cx: &mut Tx<'_>, group: &LogGroup, oldest: i64) -> Result<()> {
    let Some(days) = group.retention_in_days else { return Ok(()) };
    let end = oldest + days * DAY;
    let minute = end + (MINUTE - end.rem_euclid(MINUTE)) % MINUTE;
    let time = Timestamp::from_millisecond(minute).unwrap_or(Timestamp::MAX);
    cx.schedule(time, &EventExpiry { log_group_name: group.log_group_name.clone() })
}
