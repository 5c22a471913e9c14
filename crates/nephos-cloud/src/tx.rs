//! The transaction that a behaviour runs in: its only door to everything outside it.

use crate::{
    Callback, Key, Scope, Service, Stored, Transitions, Work,
    due::{self, Due},
    key::Parts,
    outside::Functions,
    rows,
    seal::Seals,
    stored,
    tokens::Tokens,
};
use nephos_core::{Ids, Result, SignedDuration, Timestamp};
use nephos_store::{Direction, KeyRange, Txn, View};
use std::{ops::ControlFlow, sync::Arc};

/// A running transaction of the cloud: caller, clock, randomness, rows, and work for later.
///
/// A behaviour sees nothing else, so that it does the same whenever it is run again on the same rows. It refuses before
/// it writes: a workflow may go on after a refusal, and keeps what was written until then.
pub struct Tx<'t> {
    pub(crate) backing: Backing<'t>,
    pub(crate) services: &'static [&'static Service],
    pub(crate) scope: Scope,
    pub(crate) now: Timestamp,
    pub(crate) ids: &'t Ids,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) seals: &'t Seals,
    pub(crate) functions: &'t Functions,
    pub(crate) transitions: Transitions,
    /// The work that this transaction does, if it does any.
    pub(crate) doing: Option<Due>,
    /// The earliest work that this transaction leaves for later.
    pub(crate) earliest: Option<Timestamp>,
    /// What is done once it has answered, although it only reads.
    pub(crate) afterwards: Vec<Due>,
}

/// What a transaction stands on.
pub(crate) enum Backing<'t> {
    /// A state that it can only read.
    Read(&'t dyn View),
    /// The store's own transaction.
    Write(&'t mut dyn Writable),
}

/// The store's transaction, whatever its lifetime.
pub(crate) trait Writable {
    fn view(&self) -> &dyn View;
    fn put(&mut self, key: &[u8], value: &[u8]) -> nephos_store::Result<()>;
    fn delete(&mut self, key: &[u8]) -> nephos_store::Result<()>;
}

impl Writable for Txn<'_> {
    fn view(&self) -> &dyn View {
        self
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> nephos_store::Result<()> {
        Txn::put(self, key, value)
    }

    fn delete(&mut self, key: &[u8]) -> nephos_store::Result<()> {
        Txn::delete(self, key)
    }
}

impl<'t> Tx<'t> {
    /// Where the caller acts.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The time, the same for the whole transaction.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// How long resources take from one state to the next.
    pub fn transitions(&self) -> Transitions {
        self.transitions
    }

    /// Where ids and randomness come from; the same ones come again if the transaction is run again.
    pub fn ids(&self) -> &Ids {
        self.ids
    }

    fn view(&self) -> &dyn View {
        match &self.backing {
            Backing::Read(view) => *view,
            Backing::Write(txn) => txn.view(),
        }
    }

    /// The record under `key` in `scope`.
    pub fn get_in<R: Stored>(&self, scope: &Scope, key: &Key) -> Result<Option<R>> {
        let Some(row) = self.view().get(key.as_bytes()).map_err(stored)? else { return Ok(None) };
        let mut record: R = rows::decode(&row)?;
        record.restore(scope, Parts::after(key.as_bytes(), &R::table(scope)));
        Ok(Some(record))
    }

    /// The record under `key` without what its key says and what follows from the rest.
    pub fn get_shed<R: Stored>(&self, key: &Key) -> Result<Option<R>> {
        self.view().get(key.as_bytes()).map_err(stored)?.map(|row| rows::decode(&row)).transpose()
    }

    /// The record under `key`.
    pub fn get<R: Stored>(&self, key: &Key) -> Result<Option<R>> {
        self.get_in(&self.scope, key)
    }

    /// Whether there is a row under `key`.
    pub fn exists(&self, key: &Key) -> Result<bool> {
        Ok(self.view().get(key.as_bytes()).map_err(stored)?.is_some())
    }

    /// Hands every record of `range` to `visit`, in order, until it breaks off.
    pub fn scan<R: Stored>(
        &self,
        scope: &Scope,
        range: &KeyRange,
        direction: Direction,
        mut visit: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<()> {
        let (table, restore) = (R::table(scope), R::restorer(scope));
        self.scan_keys(range, direction, |key, row| {
            let mut record = R::blank();
            rows::decode_into(&mut record, row)?;
            restore(&mut record, Parts::after(key, &table));
            Ok(visit(record))
        })
    }

    /// Adds the records under keys of this range that are wanted to `found`, until there are `most` in it.
    pub fn gather<R: Stored>(
        &self,
        scope: &Scope,
        range: &KeyRange,
        direction: Direction,
        wanted: impl Fn(&R) -> bool,
        most: usize,
        found: &mut Vec<R>,
    ) -> Result<()> {
        if found.len() >= most {
            return Ok(());
        }
        let (table, restore) = (R::table(scope), R::restorer(scope));
        self.scan_keys(range, direction, |key, row| {
            // Each is made where it stays: a record is large, and there are many.
            let record = found.push_mut(R::blank());
            rows::decode_into(record, row)?;
            restore(record, Parts::after(key, &table));
            if !wanted(record) {
                found.pop();
            }
            Ok(if found.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }

    /// Every record of this scope whose key begins so, in order.
    pub fn all<R: Stored>(&self, within: &Key) -> Result<Vec<R>> {
        let mut found = Vec::new();
        self.gather(
            &self.scope,
            &within.prefix_range(),
            Direction::Ascending,
            |_| true,
            usize::MAX,
            &mut found,
        )?;
        Ok(found)
    }

    /// The same with rows as they stand.
    pub fn scan_keys(
        &self,
        range: &KeyRange,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut failed = Ok(());
        let scanned = self.view().scan(range, direction, &mut |key, row| match visit(key, row) {
            Ok(flow) => flow,
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        });
        scanned.map_err(stored)?;
        failed
    }

    /// The record under a key of this range that comes first in `direction`.
    pub fn first<R: Stored>(&self, range: &KeyRange, direction: Direction) -> Result<Option<R>> {
        let mut found = None;
        self.scan(&self.scope, range, direction, |record| {
            found = Some(record);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Puts a record in its row, in place of what was there.
    pub fn put<R: Stored>(&mut self, mut record: R) -> Result<()> {
        let key = record.key(&self.scope);
        record.strip_derived();
        self.put_row(&key, &rows::encode(&record))
    }

    /// Removes the row of a record.
    pub fn remove<R: Stored>(&mut self, record: &R) -> Result<()> {
        let key = record.key(&self.scope);
        self.remove_row(&key)
    }

    /// The bytes under `key`, for rows that are no records.
    pub(crate) fn row(&self, key: &Key) -> Result<Option<nephos_store::Value>> {
        self.view().get(key.as_bytes()).map_err(stored)
    }

    /// Puts bytes under `key`.
    pub fn put_row(&mut self, key: &Key, row: &[u8]) -> Result<()> {
        self.txn()?.put(key.as_bytes(), row).map_err(stored)
    }

    /// Removes the row under `key`.
    pub fn remove_row(&mut self, key: &Key) -> Result<()> {
        self.txn()?.delete(key.as_bytes()).map_err(stored)
    }

    /// Removes every row of `range`; says how many there were.
    pub fn remove_all(&mut self, range: &KeyRange) -> Result<usize> {
        let mut keys = Vec::new();
        self.scan_keys(range, Direction::Ascending, |key, _| {
            keys.push(key.to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
        let txn = self.txn()?;
        keys.iter().try_for_each(|key| txn.delete(key)).map_err(stored)?;
        Ok(keys.len())
    }

    fn txn(&mut self) -> Result<&mut dyn Writable> {
        match &mut self.backing {
            Backing::Write(txn) => Ok(&mut **txn),
            Backing::Read(_) => Err(crate::internal("an operation that only reads tried to write")),
        }
    }

    /// How many of something there are in this scope, as [`add_to_count`](Self::add_to_count) left it.
    pub fn count(&self, what: &str) -> Result<i64> {
        let row = self.row(&self.scope.key(COUNTS).text(what))?;
        match row {
            None => Ok(0),
            Some(row) => std::str::from_utf8(&row)
                .ok()
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| crate::corrupt("a count is not a number")),
        }
    }

    /// Counts `change` more of something, or fewer; says how many there are then.
    pub fn add_to_count(&mut self, what: &str, change: i64) -> Result<i64> {
        let key = self.scope.key(COUNTS).text(what);
        let count = self.count(what)? + change;
        if count == 0 {
            self.remove_row(&key)?
        } else {
            self.put_row(&key, count.to_string().as_bytes())?
        }
        Ok(count)
    }

    /// Leaves `work` to be done at `time`, in this scope. The same work at the same time is done once.
    pub fn schedule<W: Work>(&mut self, time: Timestamp, work: &W) -> Result<()> {
        self.leave(due::WORK, Due::new(time.max(self.now), &self.scope, W::NAME, rows::encode(work)))
    }

    /// Leaves `callback` to be run at `time`, in this scope, once this transaction is committed.
    pub fn callback<E: Callback>(&mut self, time: Timestamp, callback: &E) -> Result<()> {
        self.leave(due::CALLBACKS, Due::new(time.max(self.now), &self.scope, E::NAME, rows::encode(callback)))
    }

    fn leave(&mut self, table: &str, due: Due) -> Result<()> {
        // It would be done again at once, and again, and time would never move on.
        if self.doing.as_ref().is_some_and(|doing| due.repeats(doing)) {
            let why =
                format!("the job {} plans itself for {}, which is not later than now", due.name, due.time());
            return Err(crate::internal(why));
        }
        self.earliest = Some(self.earliest.map_or(due.time(), |earliest| earliest.min(due.time())));
        self.put_row(&due.key(table), &[])
    }

    /// Leaves `work` to be done as soon as this transaction has answered, even if it only reads. What comes of it is told
    /// to nobody: it is for notes that a reader should not have to wait for, or fail by.
    pub fn afterwards<W: Work>(&mut self, work: &W) -> Result<()> {
        match self.backing {
            Backing::Write(_) => self.schedule(self.now, work),
            Backing::Read(_) => {
                self.afterwards.push(Due::new(self.now, &self.scope, W::NAME, rows::encode(work)));
                Ok(())
            }
        }
    }

    /// Whether a function of this name or resource name is registered with the cloud.
    pub fn can_call(&self, function: &str) -> bool {
        self.functions.find(function).is_some()
    }

    /// Does something in another scope, such as another Region of the account.
    pub fn in_scope<T>(&mut self, scope: &Scope, act: impl FnOnce(&mut Self) -> T) -> T {
        let own = std::mem::replace(&mut self.scope, scope.clone());
        let done = act(self);
        self.scope = own;
        done
    }

    /// Leaves `work`, which takes a resource on to its next state, to be done at once, or after as long as it takes at the
    /// provider if the cloud is to be that realistic. The answer of the running call does not show it yet.
    pub fn settle<W: Work>(&mut self, realistic: SignedDuration, work: &W) -> Result<()> {
        let time = match self.transitions {
            Transitions::Instant => self.now,
            Transitions::Realistic => self.now.checked_add(realistic).unwrap_or(Timestamp::MAX),
        };
        self.schedule(time, work)
    }
}

/// The table of counts.
const COUNTS: &str = "count";

impl std::fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("scope", &self.scope).field("now", &self.now).finish_non_exhaustive()
    }
}
