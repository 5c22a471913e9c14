//! The transport of the cloud: executes each workflow in one transaction, at one time.

use crate::{
    Caller, Kernel, LoggedDecision, Permissions, RequestSource, Scope, Tx,
    clock::Stop,
    computation::{self, Computation, Computations},
    due::{self, Earliest},
    from_store_error, internal,
    kernel::Inner,
    own_events::ApiCall,
    rows,
    shared::{self, Run},
    tx::Backing,
};
use nephos_core::{
    Answer, BoxFuture, Change, Error, Execution, Ids, NextStep, Outcome, Request, Result, Session,
    SignedDuration, Timestamp, Transport, Workflow, shape::Effect,
};
use nephos_store::Txn;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Work before each run of a transaction, for which other writers would wait inside of it.
type Prepare<'p> = &'p (dyn Fn() -> Result<()> + Sync);

/// No work before a transaction.
const NOTHING: Prepare<'static> = &|| Ok(());

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
            let mut run = Run::new(cloud.catch_up().await?);
            loop {
                match cloud.preview(&session, &workflow, &run) {
                    Err(error) if shared::is_stale(&error) => run.repeat(&cloud).await?,
                    previewed => return previewed,
                }
            }
        })
    }

    /// Advances the clock, because a waiter on a frozen clock would never end.
    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let cloud = self.0.clone();
        Box::pin(async move {
            let by = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
            let target = cloud.0.time.now().checked_add(by).unwrap_or(Timestamp::MAX);
            // An error here occurs again at the next poll, which reports it.
            let _ = cloud.advance_to(target, &Stop::default()).await;
        })
    }
}

/// An error of a handler inside a transaction of the store, which has its own error type.
pub(crate) struct Refusal {
    pub(crate) error: Error,
    decisions: Vec<LoggedDecision>,
    /// The computation that the transaction waits for: then it is no refusal.
    wanted: Option<Computation>,
}

impl From<nephos_store::Error> for Refusal {
    fn from(error: nephos_store::Error) -> Self {
        from_store_error(error).into()
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
    pub(crate) decisions: Vec<LoggedDecision>,
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
        self.read_with_computations(scope, now, NOTHING, |inner, tx| {
            inner.execute(session, workflow.clone(), tx)
        })
        .await
    }

    /// Runs `read` in a read-only transaction, again after each computation that it waits for, and then what is to be done
    /// after the answer. `prepare` runs before each transaction.
    async fn read_with_computations<T>(
        &self,
        scope: Scope,
        now: Timestamp,
        prepare: Prepare<'_>,
        read: impl Fn(&Inner, &mut Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut results = computation::Results::default();
        let mut run = Run::new(now);
        loop {
            prepare()?;
            let mut wanted = None;
            let (found, afterwards) = self.read_in(scope.clone(), run.now, |inner, tx| {
                inner.check_current(tx.view(), run.now, run.waits_for_work())?;
                tx.computations = Computations::outside(&results);
                let found = read(inner, tx);
                wanted = tx.take_wanted();
                found
            });
            if found.as_ref().is_err_and(shared::is_stale) {
                run.repeat(self).await?;
                continue;
            }
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
        let snapshot = match inner.store.lazy_snapshot() {
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
        self.write_with_computations(scope, now, NOTHING, execute).await
    }

    /// Runs `write` in a transaction, again after each computation that it waits for. `prepare` runs before each transaction.
    async fn write_with_computations<T: Send + 'static>(
        &self,
        scope: Scope,
        now: Timestamp,
        prepare: Prepare<'_>,
        write: impl Fn(&Inner, &mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let write = Arc::new(write);
        let mut results = computation::Results::default();
        let ids = self.0.ids.recorded();
        let mut run = Run::new(now);
        loop {
            prepare()?;
            let (cloud, scope, ids) = (self.0.clone(), scope.clone(), ids.clone());
            let (write, computed) = (write.clone(), results.clone());
            let (now, waits_for_work) = (run.now, run.waits_for_work());
            let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = cloud.tx(scope.clone(), Backing::Write(txn), now, &ids);
                cloud.check_current(tx.view(), now, waits_for_work)?;
                tx.computations = Computations::outside(&computed);
                let outcome = write(&cloud, &mut tx);
                tx.finish(outcome)
            });
            match written.await {
                Err(Refusal { wanted: Some(computation), .. }) => results.add(computation).await?,
                Err(refusal) if shared::is_stale(&refusal.error) => run.repeat(self).await?,
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
        let request = Arc::new((make, Mutex::new(None)));
        let prepare = {
            let request = request.clone();
            let is_open = self.permissions() == Permissions::Off;
            // Before the transaction, for which other writers wait.
            move || {
                let (make, made) = &*request;
                let new = if is_open { make()?.checked()? } else { make()? };
                *made.lock().unwrap_or_else(PoisonError::into_inner) = Some(new);
                Ok(())
            }
        };
        let answer = move |inner: &Inner, tx: &mut Tx<'_>| {
            let (make, made) = &*request;
            let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
            inner.answer(made.map_or_else(make, Ok)?, tx)
        };
        self.run_from(source, effect, &prepare, answer).await
    }

    /// Runs `body` in a transaction of its own, for a request that came over the network and is not an operation. `body` checks the
    /// permissions.
    pub fn run_request<T: Send + 'static>(
        &self,
        source: RequestSource,
        effect: Effect,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        nephos_core::wait(self.run_from(source, effect, NOTHING, move |_, tx| body(tx)))
    }

    /// Runs `body` in a transaction of the caller and Region of `source`. `prepare` runs before each transaction.
    async fn run_from<T: Send + 'static>(
        &self,
        source: RequestSource,
        effect: Effect,
        prepare: Prepare<'_>,
        body: impl Fn(&Inner, &mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let now = self.catch_up().await?;
        let scope = Scope::parse(source.caller.account(), &source.region)?;
        let source = Arc::new(source);
        let answer = move |inner: &Inner, tx: &mut Tx<'_>| {
            tx.set_source(source.clone());
            body(inner, tx)
        };
        match effect {
            Effect::Read => self.read_with_computations(scope, now, prepare, answer).await,
            Effect::Write => self.write_with_computations(scope, now, prepare, answer).await,
        }
    }

    /// Runs `body` in a write transaction of its own, for what is not an operation of a service.
    pub(crate) fn write_in(
        &self,
        scope: Scope,
        body: impl Fn(&mut Tx<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        let ids = self.0.ids.recorded();
        let body = Arc::new(body);
        let mut run = Run::new(nephos_core::wait(self.catch_up())?);
        loop {
            let (inner, scope, ids, body) = (self.0.clone(), scope.clone(), ids.clone(), body.clone());
            let (now, waits_for_work) = (run.now, run.waits_for_work());
            let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = inner.tx(scope.clone(), Backing::Write(txn), now, &ids);
                inner.check_current(tx.view(), now, waits_for_work)?;
                body(&mut tx).map_err(Refusal::from)?;
                Ok(tx.earliest)
            });
            match written.wait().map_err(|refusal: Refusal| refusal.error) {
                Err(error) if shared::is_stale(&error) => nephos_core::wait(run.repeat(self))?,
                earliest => {
                    self.0.next_due.add(earliest?);
                    return Ok(());
                }
            }
        }
    }

    /// Executes a workflow and rolls it back; returns its outcome and the changes of rows.
    fn preview(
        &self,
        session: &Session,
        workflow: &Arc<dyn Workflow>,
        run: &Run,
    ) -> Result<(Outcome, Vec<Change>)> {
        let inner = &*self.0;
        let scope = Scope::from_session(session)?;
        let ids = inner.ids.recorded();
        let mut results = computation::Results::default();
        let previewed = loop {
            let previewed = inner.store.preview(|txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = inner.tx(scope.clone(), Backing::Write(txn), run.now, &ids);
                inner.check_current(tx.view(), run.now, run.waits_for_work())?;
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
}

impl Inner {
    pub(crate) fn tx<'t>(
        &'t self,
        scope: Scope,
        backing: Backing<'t>,
        now: Timestamp,
        ids: &'t Ids,
    ) -> Tx<'t> {
        let caller = Caller::root(scope.account());
        Tx {
            backing,
            services: self.services,
            scope,
            now,
            ids,
            tokens: &self.tokens,
            seals: &self.seals,
            functions: &self.functions,
            settings: self.settings,
            caller,
            source: None,
            permissions: self.permissions.get(),
            own_events: self.own_events.get(),
            policies: &self.policies,
            cache: &self.cache,
            blobs: &self.blobs,
            changed_versions: Vec::new(),
            decisions: Vec::new(),
            doing: None,
            present: None,
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
        let Some(handler) = self.handlers.get(&address) else {
            return Err(internal(format!("this cloud has no handler of {}", request.operation.name)));
        };
        // Before the rules of parameters: AWS authorizes a request before it validates it, so that nobody learns from the difference
        // between two refusals what a service takes, or who may call it.
        tx.check_access(&request)?;
        let request = request.checked()?;
        tx.note_use(request.service)?;
        let call = ApiCall::of_request(&request, tx);
        let answer = match request.service.global {
            false => handler.run(request.params, tx),
            true => {
                let scope = tx.scope.for_service(request.service);
                tx.in_scope(&scope, |tx| handler.run(request.params, tx))
            }
        }?;
        if let Some(call) = call {
            call.send(tx, &*answer)?;
        }
        Ok(answer)
    }
}

impl Kernel {
    /// Runs `body` in a transaction of the default account and Region, for tests of what is not an operation.
    #[doc(hidden)]
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
    use nephos_core::{ErrorKind, Record, field_value::FieldType};
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
        let written =
            cloud.write_with_computations(scope.clone(), Timestamp::UNIX_EPOCH, NOTHING, write.clone());
        let (id, sum, count) = nephos_core::wait(written).unwrap();
        assert_eq!((sum, count, runs.load(Ordering::Relaxed)), (41, 1, 3));
        let other = cloud.write_with_computations(scope, Timestamp::UNIX_EPOCH, NOTHING, write);
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
