//! A cloud whose state others write, too: other servers on the same database.
//!
//! A server keeps a few settings in memory: the clock, whether policies are enforced, whether the cloud sends events of its own, and the
//! key of page tokens. Every transaction reads their rows and compares them with those that the settings came from; if they differ,
//! or if work of another server has fallen due, the settings are read again, the work is done, and the transaction runs again.

use crate::{
    Kernel, Key, access, clock, corrupt, due, from_store_error, internal,
    kernel::{self, Inner, read_tokens_of},
    own_events,
};
use nephos_core::{Error, Result, Timestamp};
use nephos_store::{Value, View, backend::FirstRead};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Code of the error of a transaction that has to run again.
const STALE: &str = "StaleSettings";

/// Maximum number of times that a transaction runs again because work has fallen due. It falls due faster than it is done then.
const MAX_RUNS_FOR_WORK: u32 = 8;

/// Rows of the settings that are kept in memory, as they were read last.
#[derive(Default)]
pub(crate) struct SeenSettings(Mutex<Vec<Option<Value>>>);

impl SeenSettings {
    fn lock(&self) -> MutexGuard<'_, Vec<Option<Value>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn setting_keys() -> [Key; 4] {
    [clock::key(), access::setting_key(), own_events::setting_key(), kernel::token_key_key()]
}

/// The reads that every transaction of a shared cloud begins with.
pub(crate) fn first_reads() -> Vec<FirstRead> {
    let settings = setting_keys().map(|key| FirstRead::Get(key.as_bytes().to_vec()));
    let due = [due::WORK, due::CALLBACKS].map(|table| FirstRead::First(Key::table(table).prefix_range()));
    settings.into_iter().chain(due).collect()
}

fn read(view: &dyn View) -> Result<Vec<Option<Value>>> {
    setting_keys()
        .iter()
        .map(|key| view.get(key.as_bytes()))
        .collect::<nephos_store::Result<_>>()
        .map_err(from_store_error)
}

/// True for the error of a transaction that has to run again after [`Kernel::refresh`].
pub(crate) fn is_stale(error: &Error) -> bool {
    error.code() == STALE
}

fn stale(message: &'static str) -> Error {
    internal(message).with_wire_code(STALE, 503)
}

/// A call on a cloud that others may change: the time at which it runs, and the number of times that it ran.
pub(crate) struct Run {
    pub(crate) now: Timestamp,
    runs: u32,
}

impl Run {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self { now, runs: 0 }
    }

    /// True if work that has fallen due is done before the call.
    pub(crate) fn waits_for_work(&self) -> bool {
        self.runs < MAX_RUNS_FOR_WORK
    }

    /// Prepares another run.
    pub(crate) async fn repeat(&mut self, cloud: &Kernel) -> Result<()> {
        self.runs += 1;
        cloud.refresh()?;
        self.now = cloud.catch_up().await?;
        Ok(())
    }
}

impl Inner {
    /// True if other processes write the state.
    pub(crate) fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    /// Refuses a transaction at `now` on `view` if it has to run again: another server changed a setting or, if it `waits_for_work`,
    /// work has fallen due.
    pub(crate) fn check_current(&self, view: &dyn View, now: Timestamp, waits_for_work: bool) -> Result<()> {
        if !self.is_shared() {
            return Ok(());
        }
        if *self.seen.lock() != read(view)? {
            return Err(stale("another server changed the settings of the cloud meanwhile"));
        }
        if waits_for_work && due::first(view, due::WORK)?.is_some_and(|first| first.time() <= now) {
            return Err(stale("work has fallen due meanwhile"));
        }
        Ok(())
    }

    /// Reads the settings in `view`, if they changed; returns true if they did.
    pub(crate) fn take_settings(&self, view: &dyn View) -> Result<bool> {
        if !self.is_shared() {
            return Ok(false);
        }
        // Others wait, so that the settings and the rows belong together.
        let mut seen = self.seen.lock();
        let found = read(view)?;
        if *seen == found {
            return Ok(false);
        }
        self.time.reload(view)?;
        self.permissions.set(access::Setting::read(view)?.get());
        self.own_events.set(own_events::Setting::read(view)?.get());
        let tokens =
            read_tokens_of(view)?.ok_or_else(|| corrupt("the row of the pagination token key is missing"))?;
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
        *seen = found;
        Ok(true)
    }
}

impl Kernel {
    /// True if other servers may change the cloud: its state is in a database.
    pub fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    /// Reads the settings again, and looks for due work at the next call.
    pub(crate) fn refresh(&self) -> Result<()> {
        let snapshot = self.0.store.lazy_snapshot().map_err(from_store_error)?;
        self.0.take_settings(&snapshot)?;
        self.0.next_due.forget();
        Ok(())
    }
}
