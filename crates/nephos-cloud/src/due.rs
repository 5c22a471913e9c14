//! Work that is due at a time: rows in the order in which they fall due.

use crate::{
    Key, Scope, corrupt,
    key::{self, Part},
    stored,
};
use nephos_core::{Error, ErrorKind, Result, Text, Timestamp};
use nephos_store::{Direction, View};
use std::ops::ControlFlow;

/// The table of work that is to be done, by time.
pub(crate) const WORK: &str = "due";

/// The table of callbacks, by time.
pub(crate) const CALLBACKS: &str = "errand";

/// The table of work that was tried and failed, by time.
const FAILED: &str = "failed";

/// Work that is due at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    micros: i64,
    pub(crate) scope: Scope,
    pub(crate) name: Text,
    /// What is to be done, as [`Work`](crate::Work) is written in a row.
    pub(crate) work: Text,
}

impl Due {
    pub(crate) fn new(time: Timestamp, scope: &Scope, name: &str, work: Vec<u8>) -> Self {
        let work = String::from_utf8(work).expect("rows are text").into();
        Self { micros: time.as_microsecond(), scope: scope.clone(), name: name.into(), work }
    }

    pub(crate) fn time(&self) -> Timestamp {
        Timestamp::from_microsecond(self.micros).unwrap_or(Timestamp::MAX)
    }

    /// True if it is the same work as `done`, and due no later.
    pub(crate) fn repeats(&self, done: &Self) -> bool {
        let same = (&self.name, &self.work, &self.scope) == (&done.name, &done.work, &done.scope);
        same && self.micros <= done.micros
    }

    /// The key of its row in `table`. Everything is in the key, so that the same work at the same time is one row.
    pub(crate) fn key(&self, table: &str) -> Key {
        let key = Key::table(table).number(self.micros).text(self.scope.account()).text(self.scope.region());
        key.text(&self.name).text(&self.work)
    }

    /// Its key once it has failed; the row says why.
    pub(crate) fn failed_key(&self) -> Key {
        self.key(FAILED)
    }
}

fn read(key: &[u8]) -> Result<Due> {
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
        _ => Err(corrupt("a row of due work cannot be read")),
    }
}

/// What falls due first in `table`.
pub(crate) fn first(view: &dyn View, table: &str) -> Result<Option<Due>> {
    let mut found = Ok(None);
    let scanned = view.scan(&Key::table(table).prefix_range(), Direction::Ascending, &mut |key, _| {
        found = read(key).map(Some);
        ControlFlow::Break(())
    });
    scanned.map_err(stored)?;
    found
}

/// Work that failed, with the reason.
pub(crate) fn failed(view: &dyn View) -> Result<Vec<(Timestamp, Text, Text)>> {
    let rows =
        view.range(&Key::table(FAILED).prefix_range(), Direction::Ascending, usize::MAX).map_err(stored)?;
    let read = |row: &nephos_store::Row| {
        let due = read(row.key())?;
        Ok((due.time(), due.name, String::from_utf8_lossy(row.value()).as_ref().into()))
    };
    rows.iter().map(read).collect()
}

/// Nobody does this work.
pub(crate) fn unknown(name: &str) -> Error {
    let why = format!("there is no work called {name}; a newer version may have left it");
    Error::new(ErrorKind::Unsupported, why)
}
