//! Runs due work and callbacks: before calls, when the clock is advanced, and for the driver.

use crate::{
    ClockAdvance, Kernel, Tx, WorkEntry,
    due::{self, Earliest},
    from_store_error,
    kernel::Inner,
    outside,
    service::Implementation,
    states,
    transport::Refusal,
    tx::Backing,
};
use nephos_core::{Error, ErrorKind, Ids, Result, Timestamp};
use nephos_store::{Txn, View};

/// Maximum number of pieces of due work in one transaction.
const MAX_WORKS_IN_TRANSACTION: usize = 64;

/// The failure of a piece of work after `done` others in the same transaction.
struct WorkFailure {
    done: usize,
    refusal: Refusal,
}

impl From<nephos_store::Error> for WorkFailure {
    fn from(error: nephos_store::Error) -> Self {
        Self { done: 0, refusal: error.into() }
    }
}

impl Kernel {
    /// Runs the work that is due, and the callbacks, unless the cloud is driven; returns the current time.
    pub(crate) async fn catch_up(&self) -> Result<Timestamp> {
        let now = self.0.time.now();
        if !self.0.next_due.is_reached(now) {
            return Ok(now);
        }
        self.run_due_work(None, !self.0.next_due.is_driven()).await?;
        Ok(self.0.time.now())
    }

    /// Advances the time to `target` and runs the work that falls due in between, in order, each at its own time.
    pub(crate) async fn advance_to(&self, target: Timestamp) -> Result<ClockAdvance> {
        let done = self.run_due(Some(target)).await?;
        let working = self.0.working.lock().await;
        self.set_time(target).await?;
        drop(working);
        Ok(ClockAdvance { now: self.0.time.now(), done })
    }

    /// Runs the work and callbacks that fall due until `until`, to which the clock is being advanced, or until now; returns
    /// their number. The function of a callback sees the clock at the time of the callback.
    pub(crate) async fn run_due(&self, until: Option<Timestamp>) -> Result<usize> {
        self.run_due_work(until, true).await
    }

    async fn run_due_work(&self, until: Option<Timestamp>, with_callbacks: bool) -> Result<usize> {
        let inner = &*self.0;
        let mut done = 0;
        loop {
            let working = inner.working.lock().await;
            // Read again in each round: a callback may schedule the next one while the clock runs.
            let target = until.unwrap_or_else(|| inner.time.now());
            inner.next_due.start_round();
            let snapshot = inner.store.snapshot().map_err(from_store_error)?;
            let work = due::first(&snapshot, due::WORK)?;
            let callback = due::first(&snapshot, due::CALLBACKS)?;
            drop(snapshot);
            let [work_time, callback_time] = [&work, &callback].map(|due| due.as_ref().map(due::Due::time));
            // Only one task runs callbacks, including those that fall due meanwhile. Calls from inside a function run none.
            let running_callback = inner.running_callback.try_lock();
            let callback = callback.filter(|callback| {
                let first = work_time.is_none_or(|work| callback.time() < work);
                with_callbacks && first && callback.time() <= target && running_callback.is_some()
            });
            if let Some(callback) = callback {
                drop(working);
                if until.is_some() {
                    self.set_time(callback.time()).await?;
                }
                self.run_callback(callback).await?;
            } else if let Some(work) = work.filter(|work| work.time() <= target) {
                // Callbacks come before work of the same time or later.
                let last = callback_time.map_or(target, |callback| target.min(callback));
                done += self.run_scheduled(work, last).await?;
                continue;
            } else {
                inner.next_due.end_round(Earliest { work: work_time, callback: callback_time });
                return Ok(done);
            }
            done += 1;
        }
    }

    /// Runs the work `first`, and what falls due after it until `last`, each at its own time, several pieces in one transaction;
    /// returns their number. Work that fails is moved to the failed work, so that it does not block the rest.
    pub(crate) async fn run_scheduled(&self, first: due::Due, last: Timestamp) -> Result<usize> {
        let mut max = MAX_WORKS_IN_TRANSACTION;
        loop {
            let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
            let work = first.clone();
            let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                cloud.run_works(txn, &ids, work.clone(), last, max)
            });
            match done.await {
                Ok(done) => return Ok(done),
                Err(WorkFailure { done: 0, refusal }) => {
                    self.move_to_failed(due::WORK, first, refusal.error).await?;
                    return Ok(1);
                }
                // Nothing was written. What comes before the piece that failed runs alone, and then that piece fails as the first.
                Err(WorkFailure { done, .. }) => max = done,
            }
        }
    }

    /// Calls the function of a callback, and processes its result. The row stays until then, so that the function is called
    /// again if this process ends.
    async fn run_callback(&self, due: due::Due) -> Result<()> {
        let outcome = self.call_function(&due).await;
        let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
        let (callback, now) = (due.clone(), self.0.time.now().max(due.time()));
        let completed = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(callback.scope.clone(), Backing::Write(txn), now, &ids);
            tx.remove_row(&callback.key(due::CALLBACKS)).map_err(Refusal::from)?;
            if let Some(outcome) = outcome.clone() {
                let Implementation::Callback { complete, .. } =
                    cloud.entry(&callback).map_err(Refusal::from)?.implementation
                else {
                    return Err(due::unknown(&callback.name).into());
                };
                complete(callback.work.as_bytes(), outcome, &mut tx).map_err(Refusal::from)?;
            }
            Ok(tx.earliest)
        });
        match completed.await {
            Ok(earliest) => {
                self.0.next_due.add(earliest);
                Ok(())
            }
            Err(Refusal { error, .. }) => self.move_to_failed(due::CALLBACKS, due, error).await,
        }
    }

    /// Calls the function of a callback; `None` if the callback has nothing to call any more.
    async fn call_function(&self, due: &due::Due) -> Option<Result<()>> {
        let call = || {
            let Implementation::Callback { function_call, .. } = self.0.entry(due)?.implementation else {
                return Err(due::unknown(&due.name));
            };
            let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
            let now = self.0.time.now().max(due.time());
            let tx = self.0.tx(due.scope.clone(), Backing::Read(&snapshot), now, &self.0.ids);
            function_call(due.work.as_bytes(), &tx)
        };
        let call = match call() {
            Ok(call) => call?,
            Err(error) => return Some(Err(error)),
        };
        let Some(function) = self.0.functions.find(&call.function) else {
            return Some(Err(outside::unknown(&call.function)));
        };
        let session = self.session().with_account(due.scope.account()).with_region(due.scope.region());
        Some(outside::call(function, session, call.event).await)
    }

    /// Moves work to the failed work, with its error.
    async fn move_to_failed(&self, table: &'static str, due: due::Due, error: Error) -> Result<()> {
        if error.kind() == ErrorKind::Internal && error.retryable() {
            return Err(error);
        }
        let message = error.to_string();
        let moved = self.0.store.transact(move |txn: &mut Txn<'_>| {
            txn.delete(due.key(table).as_bytes())?;
            txn.put(due.failed_key().as_bytes(), message.as_bytes())
        });
        moved.await.map_err(from_store_error)
    }
}

impl Inner {
    /// Finds the entry of due work.
    fn entry(&self, due: &due::Due) -> Result<&'static WorkEntry> {
        let works = self.services.iter().flat_map(|service| service.works);
        works.into_iter().find(|entry| entry.name == due.name).ok_or_else(|| due::unknown(&due.name))
    }

    /// Runs `first`, and then the work that falls due until `last`, in one transaction; at most `max` pieces. It ends early when a
    /// callback is scheduled, which may have to run before the next piece.
    fn run_works(
        &self,
        txn: &mut Txn<'_>,
        ids: &Ids,
        first: due::Due,
        last: Timestamp,
        max: usize,
    ) -> Result<usize, WorkFailure> {
        // It may have been deleted since it was found, with everything else.
        let is_scheduled = txn.get(first.key(due::WORK).as_bytes())?.is_some();
        let (mut next, mut done) = (Some(first).filter(|_| is_scheduled), 0);
        while let Some(work) = next.take() {
            let failed = |error: Error| WorkFailure { done, refusal: error.into() };
            let mut tx = self.tx(work.scope.clone(), Backing::Write(txn), work.time(), ids);
            tx.remove_row(&work.key(due::WORK)).map_err(failed)?;
            tx.doing = Some(work.clone());
            self.run_work(&work, &mut tx).map_err(failed)?;
            let has_callback = tx.earliest.callback.is_some();
            done += 1;
            if done < max && !has_callback {
                let found = due::first(txn, due::WORK)
                    .map_err(|error| WorkFailure { done, refusal: error.into() })?;
                next = found.filter(|work| work.time() <= last);
            }
        }
        Ok(done)
    }

    /// Runs one piece of work in `tx`.
    pub(crate) fn run_work(&self, due: &due::Due, tx: &mut Tx<'_>) -> Result<()> {
        if due.name == states::NAME {
            return states::run(due.work.as_bytes(), tx);
        }
        match self.entry(due)?.implementation {
            Implementation::Work(run) => run(due.work.as_bytes(), tx),
            Implementation::Callback { .. } => Err(due::unknown(&due.name)),
        }
    }
}
