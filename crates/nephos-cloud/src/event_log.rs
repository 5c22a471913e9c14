//! Logs of events: what happened to the resources of a service, kept for 14 days.
//!
//! The rows are in order of their times. The work that removes them runs at full hours, so that there is one for all events of an
//! hour.

use crate::{Stored, Tx, Work, page_size};
use nephos_core::{Error, Operation, Result, SignedDuration, Text, Timestamp};
use nephos_store::Direction;
use std::ops::ControlFlow;

const MINUTE: i64 = 60 * 1000;
const HOUR: i64 = 60 * MINUTE;

/// Time for which events are kept, in milliseconds.
const RETENTION: i64 = 14 * 24 * HOUR;

/// Maximum number of events that are removed at once.
const MAX_REMOVED: usize = 500;

/// A row of a log of events, whose key is its time in milliseconds since 1970 and its number among those of the same time.
/// [`event_log!`](crate::event_log) implements it.
pub trait EventRow: Stored {
    /// Due work that removes old rows.
    type Expiry: Work;

    /// Makes the due work.
    fn expiry() -> Self::Expiry;

    /// Returns the time and the number.
    fn position(&self) -> (i64, i64);

    /// Sets the time and the number.
    fn set_position(&mut self, time: i64, number: i64);
}

/// Makes a log of events of a record with the fields `time` and `number`: stores it in a table, and defines the due work that
/// removes old rows, which the service lists. `event_log! { EventRow in "cache/event"; ExpireEvents = "cache/expire-events" }`
#[macro_export]
macro_rules! event_log {
    ($row:ident in $table:literal; $work:ident = $name:literal) => {
        $crate::stored!($row in $table by time, number);

        impl $crate::EventRow for $row {
            type Expiry = $work;

            fn expiry() -> $work {
                $work {}
            }

            fn position(&self) -> (i64, i64) {
                (self.time.unwrap_or_default(), self.number.unwrap_or_default())
            }

            fn set_position(&mut self, time: i64, number: i64) {
                (self.time, self.number) = (Some(time), Some(number));
            }
        }

        /// Due work that removes the events whose retention has ended.
        #[derive(::nephos_core::Record)]
        #[record(row)]
        pub(crate) struct $work {}

        impl $crate::Work for $work {
            const NAME: &'static str = $name;

            fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<()> {
                cx.expire_events::<$row>(&self)
            }
        }
    };
}

/// Times that select events: a start, an end and a number of minutes.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventTimes {
    /// Start.
    pub start: Option<Timestamp>,
    /// End; now by default.
    pub end: Option<Timestamp>,
    /// Number of minutes before the end, or after the start if only that is given; 60 by default.
    pub minutes: Option<i64>,
}

/// Errors of a service for times that select no events.
#[derive(Clone, Copy, Debug)]
pub struct EventTimeErrors {
    /// All three times are given.
    pub combined: fn() -> Error,
    /// The start is after the end.
    pub reversed: fn() -> Error,
}

impl EventTimes {
    /// Returns the first and the last time of the events, in milliseconds since 1970, or refuses.
    pub fn interval(self, now: Timestamp, errors: EventTimeErrors) -> Result<(i64, i64)> {
        let now = now.as_millisecond();
        let millis = |time: Timestamp| time.as_millisecond();
        let length = self.minutes.map(|minutes| minutes.saturating_mul(MINUTE));
        let (start, end) = match (self.start.map(millis), self.end.map(millis), length) {
            (Some(_), Some(_), Some(_)) => return Err((errors.combined)().with_field("Duration")),
            (Some(start), Some(end), None) if start > end => {
                return Err((errors.reversed)().with_field("StartTime"));
            }
            (Some(start), None, Some(length)) => (start, start.saturating_add(length)),
            (Some(start), end, _) => (start, end.unwrap_or(now)),
            (None, end, length) => {
                let end = end.unwrap_or(now);
                (end.saturating_sub(length.unwrap_or(HOUR)), end)
            }
        };
        Ok((start.max(now - RETENTION), end))
    }
}

impl Tx<'_> {
    /// Writes an event at the current time, and schedules its removal.
    pub fn log_event<R: EventRow>(&mut self, mut row: R) -> Result<()> {
        let time = self.now().as_millisecond();
        let same_time = R::table(self.scope()).number(time).prefix_range();
        let last: Option<R> = self.first(&same_time, Direction::Descending)?;
        row.set_position(time, last.map_or(0, |last| last.position().1 + 1));
        self.put(row)?;
        let next_hour = (time.div_euclid(HOUR) + 1) * HOUR;
        let end = Timestamp::from_millisecond(next_hour + RETENTION).unwrap_or(Timestamp::MAX);
        self.schedule(end, &R::expiry())
    }

    /// Removes the events whose retention has ended; if there are many, `work` is scheduled again for the rest.
    pub fn expire_events<R: EventRow>(&mut self, work: &R::Expiry) -> Result<()> {
        let last = self.now().as_millisecond() - RETENTION;
        let mut expired: Vec<R> = Vec::new();
        let mut more = false;
        let all = R::table(self.scope()).prefix_range();
        self.scan(self.scope(), &all, Direction::Ascending, |row: R| {
            let is_expired = row.position().0 <= last;
            more = is_expired && expired.len() == MAX_REMOVED;
            if !is_expired || more {
                return ControlFlow::Break(());
            }
            expired.push(row);
            ControlFlow::Continue(())
        })?;
        expired.iter().try_for_each(|row| self.remove(row))?;
        if more {
            self.schedule(self.now() + SignedDuration::from_secs(1), work)?;
        }
        Ok(())
    }

    /// Returns one page of the events of an interval that `accepts` accepts, in order of their times, and the token of the next
    /// page.
    pub fn page_events<R: EventRow>(
        &self,
        query: &impl Operation,
        (start, end): (i64, i64),
        direction: Direction,
        accepts: impl Fn(&R) -> bool,
    ) -> Result<(Vec<R>, Option<Text>)> {
        let table = R::table(self.scope());
        let at = |time: i64| table.clone().number(time);
        let mut range = table.prefix_range().after(at(start).as_bytes(), Direction::Ascending);
        range = range.after(at(end.saturating_add(1)).as_bytes(), Direction::Descending);
        if let Some((time, number)) = self.page_after(query)?.as_deref().and_then(read_position) {
            range = range.after(at(time).number(number).as_bytes(), direction);
        }
        let size = page_size(query);
        let mut found: Vec<R> = Vec::new();
        let mut more = false;
        self.scan(self.scope(), &range, direction, |row: R| {
            if !accepts(&row) {
                return ControlFlow::Continue(());
            }
            more = found.len() == size;
            if more {
                return ControlFlow::Break(());
            }
            found.push(row);
            ControlFlow::Continue(())
        })?;
        let next = found.last().filter(|_| more).map(|row| {
            let (time, number) = row.position();
            self.page_token(query, &format!("{time}/{number}"))
        });
        Ok((found, next))
    }
}

/// Reads a position in a listing: a time and a number.
fn read_position(position: &str) -> Option<(i64, i64)> {
    let (time, number) = position.split_once('/')?;
    Some((time.parse().ok()?, number.parse().ok()?))
}
