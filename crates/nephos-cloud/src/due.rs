//! Due work: rows in the order of the times at which they fall due.

use crate::{
    Key, Scope, corrupt, from_store_error,
    key::{self, Part},
};
use nephos_core::{Error, ErrorKind, Result, Text, Timestamp};
use nephos_store::{Direction, View};
use std::ops::ControlFlow;

/// Table of scheduled work, by time.
pub(crate) const WORK: &str = "due";

/// Table of scheduled callbacks, by time.
pub(crate) const CALLBACKS: &str = "errand";

/// Table of work that failed, by time.
const FAILED: &str = "failed";

/// Work or a callback that falls due at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    micros: i64,
    pub(crate) scope: Scope,
    pub(crate) name: Text,
    /// The [`Work`](crate::Work) or [`Callback`](crate::Callback), serialized.
    pub(crate) work: Text,
}

impl Due {
    pub(crate) fn new(time: Timestamp, scope: &Scope, name: &str, work: Vec<u8>) -> Self {
        let work = String::from_utf8(work).expect("a serialized record is UTF-8").into();
        Self { micros: time.as_microsecond(), scope: scope.clone(), name: name.into(), work }
    }

    pub(crate) fn time(&self) -> Timestamp {
        Timestamp::from_microsecond(self.micros).unwrap_or(Timestamp::MAX)
    }

    /// True if this is the same work as `done`, and not due later.
    pub(crate) fn repeats(&self, done: &Self) -> bool {
        let same = (&self.name, &self.work, &self.scope) == (&done.name, &done.work, &done.scope);
        same && self.micros <= done.micros
    }

    /// Key of the row in `table`. It contains everything, so that the same work at the same time is one row.
    pub(crate) fn key(&self, table: &str) -> Key {
        let key = Key::table(table).number(self.micros).text(self.scope.account()).text(self.scope.region());
        key.text(&self.name).text(&self.work)
    }

    /// True if the row is in `table` of `view`.
    pub(crate) fn is_scheduled(&self, view: &dyn View, table: &str) -> Result<bool> {
        Ok(view.get(self.key(table).as_bytes()).map_err(from_store_error)?.is_some())
    }

    /// Key of the row after a failure; the row contains the error.
    pub(crate) fn failed_key(&self) -> Key {
        self.key(FAILED)
    }
}

/// Times of the earliest work and of the earliest callback.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Earliest {
    pub(crate) work: Option<Timestamp>,
    pub(crate) callback: Option<Timestamp>,
}

impl Earliest {
    /// Notes a row of `table` that falls due at `time`.
    pub(crate) fn add(&mut self, table: &str, time: Timestamp) {
        let earliest = if table == CALLBACKS { &mut self.callback } else { &mut self.work };
        *earliest = Some(earliest.map_or(time, |earliest| earliest.min(time)));
    }

    /// Replaces times by those of `other` that are earlier.
    pub(crate) fn lower_to(&mut self, other: Self) {
        for (table, time) in [(WORK, other.work), (CALLBACKS, other.callback)] {
            if let Some(time) = time {
                self.add(table, time);
            }
        }
    }
}

/// Decodes the key of a row.
fn decode(key: &[u8]) -> Result<Due> {
    let parts = key::read(key).map(|(_, parts)| parts);
    match parts.as_deref() {
        Some(
            [
                Part::Number(micros),
                Part::Text(account),
                Part::Text(region),
                Part::Text(name),
                Part::Text(work),
            ],
        ) => {
            let scope = Scope::new(account.clone(), region.clone());
            Ok(Due { micros: *micros, scope, name: name.clone(), work: work.clone() })
        }
        _ => Err(corrupt("the key of a row of due work is malformed")),
    }
}

/// Returns the work in `table` that falls due first.
pub(crate) fn first(view: &dyn View, table: &str) -> Result<Option<Due>> {
    let mut found = Ok(None);
    let scanned = view.scan(&Key::table(table).prefix_range(), Direction::Ascending, &mut |key, _| {
        found = decode(key).map(Some);
        ControlFlow::Break(())
    });
    scanned.map_err(from_store_error)?;
    found
}

/// Returns the work in `table` that falls due until `last`, in order, without that whose key `is_known`.
pub(crate) fn until(
    view: &dyn View,
    table: &str,
    last: Timestamp,
    mut is_known: impl FnMut(&[u8]) -> bool,
) -> Result<Vec<Due>> {
    let mut found = Ok(Vec::new());
    let scanned = view.scan(&Key::table(table).prefix_range(), Direction::Ascending, &mut |key, _| {
        if is_known(key) {
            return ControlFlow::Continue(());
        }
        match decode(key) {
            Ok(due) if due.time() > last => return ControlFlow::Break(()),
            Ok(due) => found.iter_mut().for_each(|found| found.push(due.clone())),
            Err(error) => {
                found = Err(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    scanned.map_err(from_store_error)?;
    found
}

/// Returns the time of the first work in `table` that falls due after `time`.
pub(crate) fn first_after(view: &dyn View, table: &str, time: Timestamp) -> Result<Option<Timestamp>> {
    let mut found = Ok(None);
    let all = Key::table(table);
    let later = all.clone().number(time.as_microsecond().saturating_add(1));
    let scanned = view.scan(&all.prefix_range_after(&later), Direction::Ascending, &mut |key, _| {
        found = decode(key).map(|due| Some(due.time()));
        ControlFlow::Break(())
    });
    scanned.map_err(from_store_error)?;
    found
}

/// Returns the work that failed: its time, its name and the error.
pub(crate) fn failed(view: &dyn View) -> Result<Vec<(Timestamp, Text, Text)>> {
    let rows = view
        .range(&Key::table(FAILED).prefix_range(), Direction::Ascending, usize::MAX)
        .map_err(from_store_error)?;
    let read = |row: &nephos_store::Row| {
        let due = decode(row.key())?;
        Ok((due.time(), due.name, String::from_utf8_lossy(row.value()).as_ref().into()))
    };
    rows.iter().map(read).collect()
}

/// Error for work that no service implements.
pub(crate) fn unknown(name: &str) -> Error {
    let message = format!("unknown due work {name}; a newer version may have scheduled it");
    Error::new(ErrorKind::Unsupported, message)
}
