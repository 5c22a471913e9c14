//! Runs due work and callbacks: before calls, when the clock is advanced, and for the driver.

use crate::{
    ClockAdvance, FunctionCall, Kernel, TIMEOUT_CODE, Tx, WorkEntry,
    callbacks::Destination,
    clock::{self, Stop},
    due::{self, Earliest},
    from_store_error,
    kernel::Inner,
    outside,
    service::Implementation,
    shared, states,
    transport::Refusal,
    tx::Backing,
};
use nephos_core::{Error, ErrorKind, Ids, Result, Timestamp};
use nephos_store::{Txn, View};
use std::collections::HashSet;

/// Maximum number of pieces of due work in one transaction.
const MAX_WORKS_IN_TRANSACTION: usize = 64;

/// The failure of a piece of work after `done` others in the same transaction.
struct WorkFailure {
    done: usize,
    refusal: Refusal,
}

/// Response of the destination of a callback in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Responded {
    Yes,
    No,
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
        self.run_due_work(None, !self.0.next_due.is_driven(), &Stop::default()).await?;
        Ok(self.0.time.now())
    }

    /// Advances the time to `target` and runs the work that falls due in between, in order, each at its own time.
    pub(crate) async fn advance_to(&self, target: Timestamp, stop: &Stop) -> Result<ClockAdvance> {
        let done = self.run_due_work(Some(target), true, stop).await?;
        if stop.is_set() {
            return Ok(ClockAdvance { now: self.0.time.now(), done });
        }
        let working = self.0.working.lock().await;
        self.set_time(target).await?;
        drop(working);
        Ok(ClockAdvance { now: self.0.time.now(), done })
    }

    /// Runs the work and callbacks that fall due until `until`, to which the clock is being advanced, or until now; returns
    /// their number. The function of a callback sees the clock at the time of the callback.
    pub(crate) async fn run_due(&self, until: Option<Timestamp>) -> Result<usize> {
        self.run_due_work(until, true, &Stop::default()).await
    }

    pub(crate) async fn run_due_work(
        &self,
        until: Option<Timestamp>,
        with_callbacks: bool,
        stop: &Stop,
    ) -> Result<usize> {
        let inner = &*self.0;
        let (mut done, mut put_off) = (0, HashSet::new());
        loop {
            if stop.is_set() {
                return Ok(done);
            }
            let working = inner.working.lock().await;
            // Read again in each round: a callback may schedule the next one while the clock runs.
            let target = until.unwrap_or_else(|| inner.time.now());
            inner.next_due.start_round();
            let snapshot = inner.store.lazy_snapshot().map_err(from_store_error)?;
            if inner.take_settings(&snapshot)? {
                // Another server changed the clock.
                continue;
            }
            let work = due::first(&snapshot, due::WORK)?;
            let work_time = work.as_ref().map(due::Due::time);
            // Only one task runs callbacks, including those that fall due meanwhile. Calls from inside a function run none.
            let running_callback = inner.running_callback.try_lock().filter(|_| with_callbacks);
            let callback = match running_callback {
                Some(_) => self.next_callback(&snapshot, target, &put_off)?,
                None => None,
            };
            // The server that has the lease runs it.
            let callback = match callback {
                Some(_) if !self.keep_lease(false).await? => None,
                callback => callback,
            };
            if let Some((destination, callback)) =
                callback.clone().filter(|(_, callback)| work_time.is_none_or(|work| callback.time() < work))
            {
                drop((snapshot, working));
                // The driver may have started it.
                if !inner.callbacks.start(&destination, &callback) {
                    put_off.insert(destination);
                    continue;
                }
                let ran = self.run_callback_now(callback.clone(), until.is_some()).await;
                inner.callbacks.finish(&destination, &callback);
                // Others of a destination that does not respond are left to the driver, or to the next call.
                if ran? == Responded::No && until.is_some() {
                    put_off.insert(destination);
                }
                done += 1;
            } else if let Some(work) = work.filter(|work| work.time() <= target) {
                drop(snapshot);
                // Callbacks come before work of the same time or later.
                let last = callback.map_or(target, |(_, callback)| target.min(callback.time()));
                done += self.run_scheduled(work, last, until.is_some()).await?;
            } else {
                // The driver knows the callbacks that are due.
                let callback = match inner.next_due.is_driven() {
                    true => due::first_after(&snapshot, due::CALLBACKS, target)?,
                    false => due::first(&snapshot, due::CALLBACKS)?.map(|due| due.time()),
                };
                inner.next_due.end_round(Earliest { work: work_time, callback });
                return Ok(done);
            }
        }
    }

    /// Returns the first callback that falls due until `last`, without those of destinations that are put off.
    fn next_callback(
        &self,
        view: &dyn View,
        last: Timestamp,
        put_off: &HashSet<Destination>,
    ) -> Result<Option<(Destination, due::Due)>> {
        if put_off.is_empty() {
            let first = due::first(view, due::CALLBACKS)?.filter(|due| due.time() <= last);
            return Ok(first.map(|due| (self.destination_of(&due), due)));
        }
        let all = due::until(view, due::CALLBACKS, last, |_| false)?;
        let mut all = all.into_iter().map(|due| (self.destination_of(&due), due));
        Ok(all.find(|(destination, _)| !put_off.contains(destination)))
    }

    /// Runs a callback; if the clock is being advanced, at the time of the callback.
    async fn run_callback_now(&self, callback: due::Due, sets_clock: bool) -> Result<Responded> {
        if sets_clock {
            self.set_time(callback.time()).await?;
        }
        self.run_callback(callback).await
    }

    /// Runs the work `first`, and what falls due after it until `last`, each at its own time, several pieces in one transaction;
    /// returns their number. If the clock is being advanced, it is set to the time of the last piece in the same transaction, so
    /// that nothing was done that is still to come. Work that fails is moved to the failed work, so that it does not block the rest.
    pub(crate) async fn run_scheduled(
        &self,
        first: due::Due,
        last: Timestamp,
        sets_clock: bool,
    ) -> Result<usize> {
        let _changing = match sets_clock {
            true => Some(self.0.time.start_change().await),
            false => None,
        };
        let mut max = MAX_WORKS_IN_TRANSACTION;
        loop {
            let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
            let work = first.clone();
            // Outside the transaction, which may run again.
            let present = (!sets_clock).then(|| self.0.time.now());
            let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                cloud
                    .check_current(txn, last, false)
                    .map_err(|error| WorkFailure { done: 0, refusal: error.into() })?;
                let (done, time) = cloud.run_works(txn, &ids, work.clone(), last, max, present)?;
                let setting = time.filter(|_| sets_clock).map(|time| cloud.time.setting_after(time));
                if let Some(setting) = setting {
                    txn.put(clock::key().as_bytes(), &setting.to_row())?;
                    // Before the commit, so that nobody sees the work before the time. In a shared cloud the commit may fail, and
                    // others compare the row of the clock.
                    if !cloud.is_shared() {
                        cloud.time.set(setting);
                    }
                }
                Ok((done, setting))
            });
            match done.await {
                Ok((done, setting)) => {
                    if let Some(setting) = setting {
                        self.0.time.set(setting);
                    }
                    self.0.next_due.count_done(done);
                    return Ok(done);
                }
                // It is found again, at the time that another server set.
                Err(WorkFailure { refusal, .. }) if shared::is_stale(&refusal.error) => {
                    self.refresh()?;
                    return Ok(0);
                }
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
    pub(crate) async fn run_callback(&self, due: due::Due) -> Result<Responded> {
        if !self.is_left_to_run(&due)? {
            return Ok(Responded::Yes);
        }
        let outcome = self.call_function(&due).await;
        let responded = match &outcome {
            Some(Err(error)) if error.code() == TIMEOUT_CODE => Responded::No,
            _ => Responded::Yes,
        };
        let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
        let (callback, now) = (due.clone(), self.0.time.now().max(due.time()));
        let completed = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            // Another server took the lease, and runs the callback.
            if cloud.is_shared()
                && !(cloud.holds_lease_in(txn)? && callback.is_scheduled(txn, due::CALLBACKS)?)
            {
                return Ok(Earliest::default());
            }
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
                self.0.next_due.count_done(1);
            }
            Err(Refusal { error, .. }) => self.move_to_failed(due::CALLBACKS, due, error).await?,
        }
        Ok(responded)
    }

    /// True if this server has to run the callback: in a shared cloud, another one may have taken the lease or done it.
    fn is_left_to_run(&self, due: &due::Due) -> Result<bool> {
        if !self.0.is_shared() {
            return Ok(true);
        }
        let snapshot = self.0.store.lazy_snapshot().map_err(from_store_error)?;
        Ok(self.0.holds_lease_in(&snapshot)? && due.is_scheduled(&snapshot, due::CALLBACKS)?)
    }

    /// Returns the call of a callback; none if it has nothing to call any more.
    pub(crate) fn function_call(&self, due: &due::Due) -> Result<Option<FunctionCall>> {
        let Implementation::Callback { function_call, .. } = self.0.entry(due)?.implementation else {
            return Err(due::unknown(&due.name));
        };
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let now = self.0.time.now().max(due.time());
        let tx = self.0.tx(due.scope.clone(), Backing::Read(&snapshot), now, &self.0.ids);
        function_call(due.work.as_bytes(), &tx)
    }

    /// Calls the function of a callback; `None` if the callback has nothing to call any more.
    async fn call_function(&self, due: &due::Due) -> Option<Result<()>> {
        let call = match self.function_call(due) {
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
    /// callback is scheduled, which may have to run before the next piece. Returns the number of pieces and the time of the last one.
    fn run_works(
        &self,
        txn: &mut Txn<'_>,
        ids: &Ids,
        first: due::Due,
        last: Timestamp,
        max: usize,
        present: Option<Timestamp>,
    ) -> Result<(usize, Option<Timestamp>), WorkFailure> {
        // It may have been deleted since it was found, with everything else.
        let is_scheduled = first
            .is_scheduled(txn, due::WORK)
            .map_err(|error| WorkFailure { done: 0, refusal: error.into() })?;
        let mut next = Some(first).filter(|_| is_scheduled);
        let (mut done, mut time) = (0, None);
        while let Some(work) = next.take() {
            let failed = |error: Error| WorkFailure { done, refusal: error.into() };
            let mut tx = self.tx(work.scope.clone(), Backing::Write(txn), work.time(), ids);
            tx.remove_row(&work.key(due::WORK)).map_err(failed)?;
            tx.doing = Some(work.clone());
            tx.present = present;
            self.run_work(&work, &mut tx).map_err(failed)?;
            let has_callback = tx.earliest.callback.is_some();
            done += 1;
            time = Some(work.time());
            if done < max && !has_callback {
                let found = due::first(txn, due::WORK)
                    .map_err(|error| WorkFailure { done, refusal: error.into() })?;
                next = found.filter(|work| work.time() <= last);
            }
        }
        Ok((done, time))
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
