//! The transaction that a handler runs in: its only access to everything outside it.

use crate::{
    Blobs, Callback, Caller, Key, LoggedDecision, Permissions, RequestSource, Scope, Service, Stored,
    Transitions, Work,
    access::PolicyCache,
    cache::Cache,
    computation::Computations,
    due::{self, Due, Earliest},
    from_store_error,
    kernel::Settings,
    key::Parts,
    outside::Functions,
    rows,
    seal::Seals,
    tokens::Tokens,
};
use nephos_core::{Ids, Result, SignedDuration, Timestamp};
use nephos_store::{Direction, KeyRange, Txn, View};
use std::{
    ops::ControlFlow,
    sync::{Arc, PoisonError, RwLock},
};

/// A running transaction of the cloud: scope of the caller, clock, randomness, rows and due work.
///
/// A handler has no other input, so that running it again on the same rows has the same result. It must refuse before it
/// writes: a workflow may continue after a refusal, and what was written until then is committed.
pub struct Tx<'t> {
    pub(crate) backing: Backing<'t>,
    pub(crate) services: &'static [&'static Service],
    pub(crate) scope: Scope,
    pub(crate) now: Timestamp,
    pub(crate) ids: &'t Ids,
    /// Signer of pagination tokens, which few transactions need.
    pub(crate) tokens: &'t RwLock<Arc<Tokens>>,
    pub(crate) seals: &'t Seals,
    pub(crate) functions: &'t Functions,
    pub(crate) settings: Settings,
    /// Caller of the operation; for due work, the root of the account.
    pub(crate) caller: Caller,
    /// Source of a request that came over the network.
    pub(crate) source: Option<Arc<RequestSource>>,
    pub(crate) permissions: Permissions,
    /// True if the cloud sends events of its own.
    pub(crate) own_events: bool,
    pub(crate) policies: &'t PolicyCache,
    pub(crate) cache: &'t Cache,
    pub(crate) blobs: &'t Blobs,
    /// Versions of cached values that this transaction changed.
    pub(crate) changed_versions: Vec<Key>,
    /// Decisions over the requests of this transaction.
    pub(crate) decisions: Vec<LoggedDecision>,
    /// The due work that this transaction runs, if any.
    pub(crate) doing: Option<Due>,
    /// The present, if this transaction runs due work that was not run at its time, because nobody had the cloud open.
    pub(crate) present: Option<Timestamp>,
    /// Times of the earliest work and callback that this transaction schedules.
    pub(crate) earliest: Earliest,
    /// Work to run after the answer of a transaction that only reads.
    pub(crate) afterwards: Vec<Due>,
    pub(crate) computations: Computations,
}

/// The state that a transaction reads and writes.
pub(crate) enum Backing<'t> {
    /// A read-only snapshot.
    Read(&'t dyn View),
    /// A transaction of the store.
    Write(&'t mut dyn Writable),
}

/// A transaction of the store, without its lifetime parameter.
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

/// Function that is called with the key and the bytes of each row.
type Visit<'v> = &'v mut dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>;

impl<'t> Tx<'t> {
    /// Account and Region that the handler works in.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Current time; it does not change during the transaction.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the present, if this is due work whose time has passed. None if the clock is being advanced through its time, and
    /// for requests: their time is the present.
    pub fn present(&self) -> Option<Timestamp> {
        self.present
    }

    /// True if the request was read from the wire, and not made by the typed API. Its idempotency tokens are the client's.
    pub fn is_from_wire(&self) -> bool {
        self.source.is_some()
    }

    /// Duration of transitions.
    pub fn transitions(&self) -> Transitions {
        self.settings.transitions
    }

    /// True if the quotas of the provider hold.
    pub fn has_quotas(&self) -> bool {
        self.settings.quotas
    }

    /// Source of IDs and randomness. A transaction that runs again gets the same values.
    pub fn ids(&self) -> &Ids {
        self.ids
    }

    /// Signer of pagination tokens.
    pub(crate) fn tokens(&self) -> Arc<Tokens> {
        self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn view(&self) -> &dyn View {
        match &self.backing {
            Backing::Read(view) => *view,
            Backing::Write(txn) => txn.view(),
        }
    }

    /// Reads the record under `key` in `scope`.
    pub fn get_in<R: Stored>(&self, scope: &Scope, key: &Key) -> Result<Option<R>> {
        let Some(row) = self.row(key)? else { return Ok(None) };
        let mut record = R::blank();
        rows::decode_into(&mut record, &row)?;
        record.restore(scope, Parts::after(key.as_bytes(), &R::table(scope)));
        Ok(Some(record))
    }

    /// Reads the record under `key` as it is stored, without the fields that are derived from the key or other fields.
    pub fn get_stripped<R: Stored>(&self, key: &Key) -> Result<Option<R>> {
        self.view().get(key.as_bytes()).map_err(from_store_error)?.map(|row| rows::decode(&row)).transpose()
    }

    /// Reads the record under `key`.
    pub fn get<R: Stored>(&self, key: &Key) -> Result<Option<R>> {
        self.get_in(&self.scope, key)
    }

    /// True if there is a row under `key`.
    pub fn exists(&self, key: &Key) -> Result<bool> {
        Ok(self.view().get(key.as_bytes()).map_err(from_store_error)?.is_some())
    }

    /// Visits the records of `range` in order, until `visit` returns `Break`.
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

    /// Appends the records of `range` that are `wanted` to `found`, until it has `max` records.
    pub fn gather<R: Stored>(
        &self,
        scope: &Scope,
        range: &KeyRange,
        direction: Direction,
        wanted: impl Fn(&R) -> bool,
        max: usize,
        found: &mut Vec<R>,
    ) -> Result<()> {
        if found.len() >= max {
            return Ok(());
        }
        let (table, restore) = (R::table(scope), R::restorer(scope));
        self.scan_keys(range, direction, |key, row| {
            // Decoded in place: records are large, and there are many.
            let record = found.push_mut(R::blank());
            rows::decode_into(record, row)?;
            restore(record, Parts::after(key, &table));
            if !wanted(record) {
                found.pop();
            }
            Ok(if found.len() == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }

    /// Reads all records of this scope whose keys have the prefix `prefix`, in order.
    pub fn all<R: Stored>(&self, prefix: &Key) -> Result<Vec<R>> {
        let mut found = Vec::new();
        self.gather(
            &self.scope,
            &prefix.prefix_range(),
            Direction::Ascending,
            |_| true,
            usize::MAX,
            &mut found,
        )?;
        Ok(found)
    }

    /// Visits the keys and rows of `range` in order, undecoded, until `visit` returns `Break`.
    pub fn scan_keys(
        &self,
        range: &KeyRange,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.scan_each(range, direction, &mut visit)
    }

    fn scan_each(&self, range: &KeyRange, direction: Direction, visit: Visit<'_>) -> Result<()> {
        let mut failed = Ok(());
        let scanned = self.view().scan(range, direction, &mut |key, row| match visit(key, row) {
            Ok(flow) => flow,
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        });
        scanned.map_err(from_store_error)?;
        failed
    }

    /// Reads the first record of `range` in `direction`.
    pub fn first<R: Stored>(&self, range: &KeyRange, direction: Direction) -> Result<Option<R>> {
        let mut found = None;
        self.scan(&self.scope, range, direction, |record| {
            found = Some(record);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Writes the row of a record, replacing the previous one.
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

    /// Reads the bytes under `key`, for rows that are not records.
    pub(crate) fn row(&self, key: &Key) -> Result<Option<nephos_store::Value>> {
        self.view().get(key.as_bytes()).map_err(from_store_error)
    }

    /// Writes bytes under `key`.
    pub fn put_row(&mut self, key: &Key, row: &[u8]) -> Result<()> {
        self.txn()?.put(key.as_bytes(), row).map_err(from_store_error)
    }

    /// Removes the row under `key`.
    pub fn remove_row(&mut self, key: &Key) -> Result<()> {
        self.txn()?.delete(key.as_bytes()).map_err(from_store_error)
    }

    /// Removes all rows of `range`; returns their number.
    pub fn remove_all(&mut self, range: &KeyRange) -> Result<usize> {
        let mut keys = Vec::new();
        self.scan_keys(range, Direction::Ascending, |key, _| {
            keys.push(key.to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
        let txn = self.txn()?;
        keys.iter().try_for_each(|key| txn.delete(key)).map_err(from_store_error)?;
        Ok(keys.len())
    }

    pub(crate) fn txn(&mut self) -> Result<&mut dyn Writable> {
        match &mut self.backing {
            Backing::Write(txn) => Ok(&mut **txn),
            Backing::Read(_) => Err(crate::internal("a read operation tried to write")),
        }
    }

    /// Value of a counter of this scope, as [`add_to_count`](Self::add_to_count) set it.
    pub fn count(&self, what: &str) -> Result<i64> {
        self.count_at(&self.scope.key(COUNTS).text(what))
    }

    fn count_at(&self, key: &Key) -> Result<i64> {
        match self.row(key)? {
            None => Ok(0),
            Some(row) => std::str::from_utf8(&row)
                .ok()
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| crate::corrupt("the row of a counter is not a number")),
        }
    }

    /// Adds `change` to a counter of this scope; returns the new value.
    pub fn add_to_count(&mut self, what: &str, change: i64) -> Result<i64> {
        self.add_to_count_if(what, change, |_| Ok(()))
    }

    /// Adds `change` to a counter of this scope, unless `check` refuses its value; returns the new value.
    pub(crate) fn add_to_count_if(
        &mut self,
        what: &str,
        change: i64,
        check: impl FnOnce(i64) -> Result<()>,
    ) -> Result<i64> {
        let key = self.scope.key(COUNTS).text(what);
        let before = self.count_at(&key)?;
        check(before)?;
        let count = before + change;
        if count == 0 {
            self.remove_row(&key)?
        } else {
            self.put_row(&key, count.to_string().as_bytes())?
        }
        Ok(count)
    }

    /// Schedules `work` for `time`, in this scope. The same work at the same time runs once.
    pub fn schedule<W: Work>(&mut self, time: Timestamp, work: &W) -> Result<()> {
        self.put_due(due::WORK, Due::new(time.max(self.now), &self.scope, W::NAME, rows::encode(work)))
    }

    /// Schedules `callback` for `time`, in this scope. It runs after this transaction is committed.
    pub fn callback<C: Callback>(&mut self, time: Timestamp, callback: &C) -> Result<()> {
        self.put_due(
            due::CALLBACKS,
            Due::new(time.max(self.now), &self.scope, C::NAME, rows::encode(callback)),
        )
    }

    fn put_due(&mut self, table: &str, due: Due) -> Result<()> {
        // It would run again at once, forever, and time would never advance.
        if self.doing.as_ref().is_some_and(|doing| due.repeats(doing)) {
            let message = format!(
                "the work {} schedules itself for {}, which is not in the future",
                due.name,
                due.time()
            );
            return Err(crate::internal(message));
        }
        self.earliest.add(table, due.time());
        self.put_row(&due.key(table), &[])
    }

    /// Runs `work` right after the answer of this transaction, even if the transaction only reads. Errors of the work are
    /// ignored: it is for bookkeeping that must neither delay nor fail a read.
    pub fn schedule_after_answer<W: Work>(&mut self, work: &W) -> Result<()> {
        match self.backing {
            Backing::Write(_) => self.schedule(self.now, work),
            Backing::Read(_) => {
                self.afterwards.push(Due::new(self.now, &self.scope, W::NAME, rows::encode(work)));
                Ok(())
            }
        }
    }

    /// True if a function with this name or ARN is registered with the cloud.
    pub fn has_function(&self, function: &str) -> bool {
        self.functions.find(function).is_some()
    }

    /// Calls `body` in another scope, such as another Region of the account.
    pub fn in_scope<T>(&mut self, scope: &Scope, body: impl FnOnce(&mut Self) -> T) -> T {
        let own = std::mem::replace(&mut self.scope, scope.clone());
        let result = body(self);
        self.scope = own;
        result
    }

    /// Schedules `work` that moves a resource to its next state: for now, or, with realistic transitions, after the time that
    /// it takes at the provider. The answer of the running call shows the state before.
    pub fn schedule_transition<W: Work>(&mut self, realistic: SignedDuration, work: &W) -> Result<()> {
        let time = match self.settings.transitions {
            Transitions::Instant => self.now,
            Transitions::Realistic => self.now.checked_add(realistic).unwrap_or(Timestamp::MAX),
        };
        self.schedule(time, work)
    }
}

/// Table of counters.
const COUNTS: &str = "count";

impl std::fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("scope", &self.scope).field("now", &self.now).finish_non_exhaustive()
    }
}
