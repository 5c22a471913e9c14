//! The transport of the cloud: executes each workflow in one transaction, at one time.

use crate::{
    Caller, ClockAdvance, Kernel, LoggedDecision, RequestSource, Scope, Tx, WorkEntry, clock,
    computation::{self, Computation, Computations},
    due::{self, Earliest},
    from_store_error, internal,
    kernel::Inner,
    outside,
    own_events::ApiCall,
    rows,
    service::{Entry, Implementation},
    states,
    tx::Backing,
};
use nephos_core::{
    Answer, BoxFuture, Change, Error, ErrorKind, Execution, Ids, NextStep, Outcome, Request, Result, Session,
    SignedDuration, Timestamp, Transport, Workflow, shape::Effect,
};
use nephos_store::Txn;
use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

/// Maximum number of pieces of due work in one transaction.
const MAX_WORKS_IN_TRANSACTION: usize = 64;

/// Transport of the sessions of a cloud.
pub(crate) struct Endpoint(pub(crate) Kernel);

impl Transport for Endpoint {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let (cloud, session) = (self.0.clone(), session.clone());
        Box::pin(async move {
            let now = cloud.catch_up().await?;
            match workflow.effect() {
                Effect::Read => cloud.read(&session, workflow, now).await,
                Effect::Write => cloud.write(session, workflow, now).await,
            }
        })
    }

    fn preview(
        &self,
        session: &Session,
        workflow: Arc<dyn Workflow>,
    ) -> BoxFuture<'static, Result<(Outcome, Vec<Change>)>> {
        let (cloud, session) = (self.0.clone(), session.clone());
        Box::pin(async move {
            let now = cloud.catch_up().await?;
            cloud.preview(&session, &workflow, now)
        })
    }

    /// Advances the clock, because a waiter on a frozen clock would never end.
    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let cloud = self.0.clone();
        Box::pin(async move {
            let by = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
            let target = cloud.0.time.now().checked_add(by).unwrap_or(Timestamp::MAX);
            // An error here occurs again at the next poll, which reports it.
            let _ = cloud.advance_to(target).await;
        })
    }
}

/// An error of a handler inside a transaction of the store, which has its own error type.
struct Refusal {
    error: Error,
    decisions: Vec<LoggedDecision>,
    /// The computation that the transaction waits for: then it is no refusal.
    wanted: Option<Computation>,
}

impl From<nephos_store::Error> for Refusal {
    fn from(error: nephos_store::Error) -> Self {
        from_store_error(error).into()
    }
}

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

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, decisions: Vec::new(), wanted: None }
    }
}

/// Work and logged decisions of a transaction that only reads, which are written after its answer.
#[derive(Default)]
pub(crate) struct Afterwards {
    works: Vec<due::Due>,
    decisions: Vec<LoggedDecision>,
}

impl Tx<'_> {
    fn set_source(&mut self, source: Arc<RequestSource>) {
        self.caller = source.caller.clone();
        self.source = Some(source);
    }

    /// Returns the end of a transaction that waits for a computation, even if a workflow went on after the error of that.
    fn waiting(&mut self) -> Option<Refusal> {
        let wanted = self.take_wanted();
        wanted.map(|wanted| Refusal { wanted: Some(wanted), ..computation::waiting().into() })
    }

    /// Ends a transaction that writes: its decisions are logged with what it writes, or, if it was refused, returned with the
    /// error. Also returns the times of the earliest work and callback that it scheduled.
    fn finish<T>(mut self, outcome: Result<T>) -> Result<(T, Earliest), Refusal> {
        let decisions = std::mem::take(&mut self.decisions);
        if let Some(refusal) = self.waiting() {
            return Err(refusal);
        }
        match outcome {
            Ok(answer) => {
                self.put_decisions(&decisions)?;
                Ok((answer, self.earliest))
            }
            Err(error) => Err(Refusal { error, decisions, wanted: None }),
        }
    }
}

impl Kernel {
    async fn read(&self, session: &Session, workflow: Arc<dyn Workflow>, now: Timestamp) -> Result<Outcome> {
        let scope = Scope::from_session(session)?;
        self.read_with_computations(scope, now, |inner, tx| inner.execute(session, workflow.clone(), tx))
            .await
    }

    /// Runs `read` in a read-only transaction, again after each computation that it waits for, and then what is to be done
    /// after the answer.
    async fn read_with_computations<T>(
        &self,
        scope: Scope,
        now: Timestamp,
        read: impl Fn(&Inner, &mut Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut results = computation::Results::default();
        loop {
            let mut wanted = None;
            let (found, afterwards) = self.read_in(scope.clone(), now, |inner, tx| {
                tx.computations = Computations::outside(&results);
                let found = read(inner, tx);
                wanted = tx.take_wanted();
                found
            });
            match wanted {
                Some(computation) => results.add(computation).await?,
                None => {
                    self.run_afterwards(afterwards).await?;
                    return found;
                }
            }
        }
    }

    /// Runs `read` in a read-only transaction; also returns what is to be done after the answer.
    pub(crate) fn read_in<T>(
        &self,
        scope: Scope,
        now: Timestamp,
        read: impl FnOnce(&Inner, &mut Tx<'_>) -> Result<T>,
    ) -> (Result<T>, Afterwards) {
        let inner = &*self.0;
        let snapshot = match inner.store.snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return (Err(from_store_error(error)), Afterwards::default()),
        };
        let mut tx = inner.tx(scope, Backing::Read(&snapshot), now, &inner.ids);
        let found = read(inner, &mut tx);
        let works = if found.is_ok() { tx.afterwards } else { Vec::new() };
        (found, Afterwards { works, decisions: tx.decisions })
    }

    /// Logs the decisions of a read, and runs the work that it scheduled for after its answer. Errors of the work are ignored,
    /// because the answer does not depend on it.
    async fn run_afterwards(&self, afterwards: Afterwards) -> Result<()> {
        self.log_decisions(afterwards.decisions).await?;
        for due in afterwards.works {
            let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
            let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = cloud.tx(due.scope.clone(), Backing::Write(txn), due.time(), &ids);
                cloud.run_work(&due, &mut tx).map_err(Refusal::from)?;
                Ok::<_, Refusal>(tx.earliest)
            });
            if let Ok(earliest) = done.await {
                self.0.next_due.add(earliest);
            }
        }
        Ok(())
    }

    async fn write(&self, session: Session, workflow: Arc<dyn Workflow>, now: Timestamp) -> Result<Outcome> {
        let scope = Scope::from_session(&session)?;
        let execute = move |inner: &Inner, tx: &mut Tx<'_>| inner.execute(&session, workflow.clone(), tx);
        self.write_with_computations(scope, now, execute).await
    }

    /// Runs `write` in a transaction, again after each computation that it waits for.
    async fn write_with_computations<T: Send + 'static>(
        &self,
        scope: Scope,
        now: Timestamp,
        write: impl Fn(&Inner, &mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let write = Arc::new(write);
        let mut results = computation::Results::default();
        let ids = self.0.ids.recorded();
        loop {
            let (cloud, scope, ids) = (self.0.clone(), scope.clone(), ids.clone());
            let (write, computed) = (write.clone(), results.clone());
            let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = cloud.tx(scope.clone(), Backing::Write(txn), now, &ids);
                tx.computations = Computations::outside(&computed);
                let outcome = write(&cloud, &mut tx);
                tx.finish(outcome)
            });
            match written.await {
                Err(Refusal { wanted: Some(computation), .. }) => results.add(computation).await?,
                written => return self.written(written).await,
            }
        }
    }

    /// Completes a write: logs the decisions of one that was refused, notes its due work, and runs the callbacks that it scheduled
    /// for now, unless the cloud is driven.
    async fn written<T>(&self, written: Result<(T, Earliest), Refusal>) -> Result<T> {
        match written {
            Ok((answer, earliest)) => {
                self.0.next_due.add(earliest);
                let is_due = earliest.callback.is_some_and(|time| time <= self.0.time.now());
                if is_due && !self.0.next_due.is_driven() {
                    // An error here occurs again in the next call, which reports it.
                    let _ = self.run_due(None).await;
                }
                Ok(answer)
            }
            Err(Refusal { error, decisions, .. }) => {
                self.log_decisions(decisions).await?;
                Err(error)
            }
        }
    }

    /// Executes one operation of a service, which came over the network, in a transaction of its own. `make` builds the
    /// request; it is called again if the transaction has to run again.
    pub async fn request(
        &self,
        source: RequestSource,
        effect: Effect,
        make: impl Fn() -> Result<Request> + Send + Sync + 'static,
    ) -> Answer {
        let now = self.catch_up().await?;
        let scope = Scope::parse(source.caller.account(), &source.region)?;
        let source = Arc::new(source);
        let answer = move |inner: &Inner, tx: &mut Tx<'_>| {
            tx.set_source(source.clone());
            inner.answer(make()?, tx)
        };
        match effect {
            Effect::Read => self.read_with_computations(scope, now, answer).await,
            Effect::Write => self.write_with_computations(scope, now, answer).await,
        }
    }

    /// Runs `body` in a write transaction of its own, for what is not an operation of a service.
    pub(crate) fn write_in(
        &self,
        scope: Scope,
        body: impl Fn(&mut Tx<'_>) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let (inner, now) = (self.0.clone(), nephos_core::wait(self.catch_up())?);
        let ids = inner.ids.recorded();
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = inner.tx(scope.clone(), Backing::Write(txn), now, &ids);
            body(&mut tx).map_err(Refusal::from)?;
            Ok(tx.earliest)
        });
        let earliest = written.wait().map_err(|refusal: Refusal| refusal.error)?;
        self.0.next_due.add(earliest);
        Ok(())
    }

    /// Executes a workflow and rolls it back; returns its outcome and the changes of rows.
    fn preview(
        &self,
        session: &Session,
        workflow: &Arc<dyn Workflow>,
        now: Timestamp,
    ) -> Result<(Outcome, Vec<Change>)> {
        let inner = &*self.0;
        let scope = Scope::from_session(session)?;
        let ids = inner.ids.recorded();
        let mut results = computation::Results::default();
        let previewed = loop {
            let previewed = inner.store.preview(|txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = inner.tx(scope.clone(), Backing::Write(txn), now, &ids);
                tx.computations = Computations::outside(&results);
                let outcome = inner.execute(session, workflow.clone(), &mut tx);
                tx.waiting().map_or(outcome.map_err(Refusal::from), Err)
            });
            match previewed {
                Err(Refusal { wanted: Some(computation), .. }) => results.add_here(computation)?,
                previewed => break previewed,
            }
        };
        let (outcome, changes) = previewed.map_err(|refusal: Refusal| refusal.error)?;
        let tables: Vec<_> = inner.services.iter().flat_map(|service| service.tables).copied().collect();
        let changes =
            changes.iter().filter_map(|change| rows::describe(change, &tables)).collect::<Result<_>>()?;
        Ok((outcome, changes))
    }

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

    /// Sets the time to `target`, unless it is later already.
    async fn set_time(&self, target: Timestamp) -> Result<()> {
        let (row, apply) = self.0.time.setting_row(target.max(self.0.time.now()));
        let key = clock::key();
        self.0.store.transact(move |txn| txn.put(key.as_bytes(), &row)).await.map_err(from_store_error)?;
        apply();
        self.0.next_due.wake();
        Ok(())
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
            // Work that others schedule from here on lowers this again.
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
    async fn run_scheduled(&self, first: due::Due, last: Timestamp) -> Result<usize> {
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
        let (mut next, mut done) = (Some(first), 0);
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
    fn run_work(&self, due: &due::Due, tx: &mut Tx<'_>) -> Result<()> {
        if due.name == states::NAME {
            return states::run(due.work.as_bytes(), tx);
        }
        match self.entry(due)?.implementation {
            Implementation::Work(run) => run(due.work.as_bytes(), tx),
            Implementation::Callback { .. } => Err(due::unknown(&due.name)),
        }
    }

    pub(crate) fn tx<'t>(
        &'t self,
        scope: Scope,
        backing: Backing<'t>,
        now: Timestamp,
        ids: &'t Ids,
    ) -> Tx<'t> {
        let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone();
        let caller = Caller::root(scope.account());
        Tx {
            backing,
            services: self.services,
            scope,
            now,
            ids,
            tokens,
            seals: &self.seals,
            functions: &self.functions,
            settings: self.settings,
            caller,
            source: None,
            permissions: self.permissions.get(),
            own_events: self.own_events.get(),
            policies: &self.policies,
            cache: &self.cache,
            changed_versions: Vec::new(),
            decisions: Vec::new(),
            doing: None,
            earliest: Earliest::default(),
            afterwards: Vec::new(),
            computations: Computations::default(),
        }
    }

    /// Executes `workflow` to its end, answering each of its steps in `tx`.
    fn execute(&self, session: &Session, workflow: Arc<dyn Workflow>, tx: &mut Tx<'_>) -> Result<Outcome> {
        tx.caller = self.caller_of(session, tx)?;
        if tx.caller.account() != tx.scope.account() {
            tx.scope = tx.scope.with_account(tx.caller.account());
        }
        let mut execution = Execution::start(workflow, session);
        loop {
            match execution.next_step() {
                NextStep::Call(request) => {
                    let answer = self.answer(request, tx);
                    execution.answer(answer);
                }
                NextStep::Done(outcome) => return outcome,
            }
        }
    }

    fn answer(&self, request: Request, tx: &mut Tx<'_>) -> Answer {
        let address = std::ptr::from_ref(request.operation).addr();
        let Some(Entry { run, .. }) = self.handlers.get(&address) else {
            return Err(internal(format!("this cloud has no handler of {}", request.operation.name)));
        };
        tx.check_access(&request)?;
        tx.note_use(request.service)?;
        let call = ApiCall::of_request(&request, tx);
        let answer = match request.service.global {
            false => run(request.params, tx),
            true => {
                let scope = tx.scope.for_service(request.service);
                tx.in_scope(&scope, |tx| run(request.params, tx))
            }
        }?;
        if let Some(call) = call {
            call.send(tx, &*answer)?;
        }
        Ok(answer)
    }
}

#[cfg(any(test, feature = "testing"))]
impl Kernel {
    /// Runs `body` in a transaction of the default account and Region, for tests of what is not an operation.
    pub fn run_in_transaction<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (inner, scope) = (self.0.clone(), Scope::from_session(&self.session())?);
        let now = inner.time.now();
        let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
            body(&mut inner.tx(scope.clone(), Backing::Write(txn), now, &inner.ids)).map_err(Refusal::from)
        });
        done.wait().map_err(|refusal: Refusal| refusal.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloud, Transitions, Work};
    use nephos_core::{Record, field_value::FieldType};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Due work that does nothing.
    #[derive(Record)]
    struct Idle {
        /// Any text.
        about: Option<nephos_core::Text>,
    }

    impl Work for Idle {
        const NAME: &'static str = "test/idle";

        fn run(self, _cx: &mut Tx<'_>) -> Result<()> {
            Ok(())
        }
    }

    /// Returns the time of a transaction that schedules a transition of two minutes, and the time at which that falls due.
    fn schedule_transition(transitions: Transitions) -> (Timestamp, Timestamp) {
        let cloud = Cloud::<()>::options().transitions(transitions).in_memory().fork().unwrap();
        let schedule = |tx: &mut Tx<'_>| {
            tx.schedule_transition(SignedDuration::from_mins(2), &Idle::blank())?;
            Ok(tx.now())
        };
        let now = cloud.run_in_transaction(schedule).unwrap();
        let snapshot = cloud.0.store.snapshot().unwrap();
        (now, due::first(&snapshot, due::WORK).unwrap().unwrap().time())
    }

    #[test]
    fn transitions_are_instant_or_take_their_realistic_time() {
        let (now, due) = schedule_transition(Transitions::Instant);
        assert_eq!(due.as_microsecond(), now.as_microsecond());
        let (now, due) = schedule_transition(Transitions::Realistic);
        assert_eq!(due.as_microsecond(), (now + SignedDuration::from_mins(2)).as_microsecond());
    }

    #[test]
    fn transaction_runs_again_with_results_of_its_computations() {
        let cloud = Cloud::<()>::in_memory();
        let scope = Scope::from_session(&cloud.session()).unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let write = move |_: &Inner, tx: &mut Tx<'_>| {
            counted.fetch_add(1, Ordering::Relaxed);
            tx.add_to_count("runs", 1)?;
            let id = tx.ids().uuid();
            let first = tx.compute(|| Ok(20)).unwrap_or_default();
            let second = tx.compute(move || Ok(first + 1)).unwrap_or_default();
            Ok((id, first + second, tx.count("runs")?))
        };
        let written = cloud.write_with_computations(scope.clone(), Timestamp::UNIX_EPOCH, write.clone());
        let (id, sum, count) = nephos_core::wait(written).unwrap();
        assert_eq!((sum, count, runs.load(Ordering::Relaxed)), (41, 1, 3));
        let other = cloud.write_with_computations(scope, Timestamp::UNIX_EPOCH, write);
        assert_ne!(nephos_core::wait(other).unwrap().0, id);
    }

    #[test]
    fn work_that_schedules_itself_for_now_is_refused() {
        let cloud = Cloud::<()>::in_memory();
        let scope = Scope::from_session(&cloud.session()).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let work = due::Due::new(now, &scope, Idle::NAME, b"{}".to_vec());
        let schedule = |due: due::Due, later: i64| {
            let inner = cloud.0.clone();
            let scheduled = cloud.0.store.preview(move |txn: &mut Txn<'_>| {
                let mut tx = inner.tx(due.scope.clone(), Backing::Write(txn), now, &inner.ids);
                tx.doing = Some(due.clone());
                tx.schedule(now + SignedDuration::from_micros(later), &Idle::blank()).map_err(Refusal::from)
            });
            scheduled.map(drop).map_err(|refusal| refusal.error.kind())
        };
        assert_eq!(schedule(work.clone(), 0), Err(ErrorKind::Internal));
        assert_eq!(schedule(work.clone(), -1), Err(ErrorKind::Internal));
        assert_eq!(schedule(work.clone(), 1), Ok(()));
        let other = due::Due::new(now, &scope, Idle::NAME, b"{\"About\":\"a\"}".to_vec());
        assert_eq!(schedule(other, 0), Ok(()), "other work");
    }
}
