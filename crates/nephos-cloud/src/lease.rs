//! The lease of callbacks: of several servers on one database, one calls functions outside the cloud.
//!
//! The holder is in a row, with a token that is higher for each new holder; a second row changes while the holder is alive. If it does
//! not change for some time, another server takes the lease. No clocks are compared: each server measures the time between two looks.
//! The result of a callback is written only if its server still holds the lease with the same token.

use crate::{Kernel, Key, corrupt, from_store_error, kernel::Inner};
use nephos_core::{Result, Text};
use nephos_store::{Txn, View};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Interval at which the holder shows that it is alive, and others look.
pub(crate) const BEAT: Duration = Duration::from_secs(1);

/// Number of intervals without a sign of life after which another server takes the lease.
const BEATS_TO_TAKE: u32 = 5;

/// This server's view of the lease.
#[derive(Default)]
pub(crate) struct Lease(Mutex<State>);

#[derive(Default)]
struct State {
    /// Token of the lease, if this server holds it.
    held: Option<u64>,
    /// The sign of life that was seen last, and the number of looks at which it was the same.
    seen: Option<(Vec<u8>, u32)>,
}

/// The row of the lease: its token, and its holder, which is empty after it was given back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LeaseRow {
    token: u64,
    holder: Text,
}

fn lease_key() -> Key {
    Key::of_cloud("lease")
}

fn beat_key() -> Key {
    Key::of_cloud("lease-beat")
}

/// Keys of the rows of the lease.
pub(crate) fn keys() -> [Key; 2] {
    [lease_key(), beat_key()]
}

impl LeaseRow {
    fn read(view: &dyn View) -> nephos_store::Result<Option<Self>> {
        let row = view.get(lease_key().as_bytes())?;
        Ok(row.and_then(|row| {
            let (token, holder) = std::str::from_utf8(&row).ok()?.split_once(' ')?;
            Some(Self { token: token.parse().ok()?, holder: holder.into() })
        }))
    }

    fn write(&self, txn: &mut Txn<'_>) -> nephos_store::Result<()> {
        txn.put(lease_key().as_bytes(), format!("{} {}", self.token, self.holder).as_bytes())
    }
}

impl Lease {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Result of an attempt to keep or take the lease.
enum Attempt {
    Held(u64),
    /// Another server holds it, with this sign of life.
    Others(Vec<u8>),
}

impl Inner {
    /// True if this server holds the lease in `view`, or needs none.
    pub(crate) fn holds_lease_in(&self, view: &dyn View) -> Result<bool> {
        if !self.is_shared() {
            return Ok(true);
        }
        let held = self.lease.lock().held;
        let row = LeaseRow::read(view).map_err(from_store_error)?;
        Ok(row.is_some_and(|row| Some(row.token) == held && row.holder == self.server))
    }
}

impl Kernel {
    /// True if this server held the lease when it looked last, or needs none.
    pub(crate) fn holds_lease(&self) -> bool {
        !self.0.is_shared() || self.0.lease.lock().held.is_some()
    }

    /// Shows that this server is alive, if it holds the lease; takes the lease if nobody holds it, or, if this is one of the looks at
    /// regular intervals, if its holder has shown no sign of life for some of them. Returns true if this server holds it.
    pub(crate) async fn keep_lease(&self, is_look: bool) -> Result<bool> {
        if !self.0.is_shared() {
            return Ok(true);
        }
        let me = self.0.server.clone();
        let (held, dead) = {
            let state = self.0.lease.lock();
            let dead = state.seen.as_ref().filter(|(_, looks)| is_look && *looks + 1 >= BEATS_TO_TAKE);
            (state.held, dead.map(|(beat, _)| beat.clone()))
        };
        let attempted = self.0.store.transact(move |txn: &mut Txn<'_>| {
            let row = LeaseRow::read(txn)?;
            let beat = txn.get(beat_key().as_bytes())?.map(|beat| beat.to_vec()).unwrap_or_default();
            let is_mine = row.as_ref().is_some_and(|row| row.holder == me && Some(row.token) == held);
            let is_free = row.as_ref().is_none_or(|row| row.holder.is_empty() || row.holder == me);
            let LeaseRow { token, .. } = row.unwrap_or_default();
            if is_mine && !is_look {
                return Ok::<_, nephos_store::Error>(Attempt::Held(token));
            }
            if !is_mine && !is_free && dead.as_ref() != Some(&beat) {
                return Ok(Attempt::Others(beat));
            }
            let token = if is_mine { token } else { token + 1 };
            let count =
                std::str::from_utf8(&beat).ok().and_then(|count| count.split_once(' ')?.1.parse().ok());
            let count = count.unwrap_or(0u64) + 1;
            if !is_mine {
                LeaseRow { token, holder: me.clone() }.write(txn)?;
            }
            txn.put(beat_key().as_bytes(), format!("{token} {count}").as_bytes())?;
            Ok(Attempt::Held(token))
        });
        let attempt = attempted.await.map_err(from_store_error)?;
        let mut state = self.0.lease.lock();
        match attempt {
            Attempt::Held(token) => {
                *state = State { held: Some(token), seen: None };
                Ok(true)
            }
            Attempt::Others(beat) => {
                let looks = match state.seen.take() {
                    Some((seen, looks)) if seen == beat => looks + u32::from(is_look),
                    _ => 0,
                };
                *state = State { held: None, seen: Some((beat, looks)) };
                Ok(false)
            }
        }
    }

    /// Gives the lease back, if this server holds it, so that another one takes it at once.
    pub(crate) fn give_lease_back(&self) -> Result<()> {
        let Some(token) = self.0.lease.lock().held.take() else { return Ok(()) };
        let me = self.0.server.clone();
        let given = self.0.store.transact(move |txn: &mut Txn<'_>| match LeaseRow::read(txn)? {
            Some(row) if row.token == token && row.holder == me => {
                LeaseRow { token, holder: Text::default() }.write(txn)
            }
            _ => Ok::<_, nephos_store::Error>(()),
        });
        given.wait().map_err(from_store_error)
    }

    /// Name of the server that holds the lease; none if nobody does.
    pub fn lease_holder(&self) -> Result<Option<Text>> {
        let snapshot = self.0.store.lazy_snapshot().map_err(from_store_error)?;
        let row = LeaseRow::read(&snapshot).map_err(|_| corrupt("the row of the lease cannot be read"))?;
        Ok(row.map(|row| row.holder).filter(|holder| !holder.is_empty()))
    }
}
