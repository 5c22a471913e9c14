//! How the cloud carries out workflows: each in one transaction, on the time it is played at.

use crate::{
    Kernel, Moved, Scope, Tx, WorkEntry, clock, due, internal,
    kernel::Inner,
    outside, rows,
    service::{Entry, How},
    states, stored,
    tx::Backing,
};
use nephos_core::{
    Answer, BoxFuture, Change, Error, ErrorKind, Execution, Ids, NextStep, Outcome, Request, Result, Session,
    SignedDuration, Timestamp, Transport, Workflow, shape::Effect,
};
use nephos_store::Txn;
use std::{
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Duration,
};

/// The transport of sessions of a cloud.
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
            cloud.try_out(&session, &workflow, now)
        })
    }

    /// Time that stands still is moved, or a wait would never end.
    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let cloud = self.0.clone();
        Box::pin(async move {
            let by = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
            let target = cloud.0.time.now().checked_add(by).unwrap_or(Timestamp::MAX);
            // What goes wrong now goes wrong again at the next look, which can tell of it.
            let _ = cloud.move_to(target).await;
        })
    }
}

/// A refusal on its way through the store, which has errors of its own.
struct Refusal(Error);

impl From<nephos_store::Error> for Refusal {
    fn from(error: nephos_store::Error) -> Self {
        Self(stored(error))
    }
}

impl Kernel {
    async fn read(&self, session: &Session, workflow: Arc<dyn Workflow>, now: Timestamp) -> Result<Outcome> {
        let scope = Scope::from_session(session)?;
        let (outcome, afterwards) =
            self.look(scope, now, |inner, tx| inner.execute(session, workflow, tx))?;
        self.do_afterwards(afterwards).await;
        Ok(outcome)
    }

    /// Reads in a transaction that writes nothing; gives back what is to be done afterwards, too.
    pub(crate) fn look<T>(
        &self,
        scope: Scope,
        now: Timestamp,
        read: impl FnOnce(&Inner, &mut Tx<'_>) -> Result<T>,
    ) -> Result<(T, Vec<due::Due>)> {
        let inner = &*self.0;
        let snapshot = inner.store.snapshot().map_err(stored)?;
        let mut tx = inner.tx(scope, Backing::Read(&snapshot), now, &inner.ids);
        let found = read(inner, &mut tx)?;
        Ok((found, tx.afterwards))
    }

    /// Does what a reader left to be done afterwards. It has its answer, whatever comes of this.
    async fn do_afterwards(&self, afterwards: Vec<due::Due>) {
        for due in afterwards {
            let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
            let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
                ids.rewind();
                let mut tx = cloud.tx(due.scope.clone(), Backing::Write(txn), due.time(), &ids);
                cloud.do_work(&due, &mut tx).map_err(Refusal)
            });
            let _ = done.await;
        }
    }

    async fn write(&self, session: Session, workflow: Arc<dyn Workflow>, now: Timestamp) -> Result<Outcome> {
        let (cloud, scope) = (self.0.clone(), Scope::from_session(&session)?);
        let ids = cloud.ids.recorded();
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(scope.clone(), Backing::Write(txn), now, &ids);
            let outcome = cloud.execute(&session, workflow.clone(), &mut tx).map_err(Refusal)?;
            Ok((outcome, tx.earliest))
        });
        let (outcome, earliest) = written.await.map_err(|refusal: Refusal| refusal.0)?;
        self.0.note_due(earliest);
        Ok(outcome)
    }

    /// Carries out one operation of a service in a Region of an account, in a transaction of its own. `make` makes the
    /// request, again if the transaction has to be run again.
    pub async fn request(
        &self,
        account: &str,
        region: &str,
        effect: Effect,
        make: impl Fn() -> Result<Request> + Send + 'static,
    ) -> Answer {
        let now = self.catch_up().await?;
        let scope = Scope::parse(account, region)?;
        if effect == Effect::Read {
            let (answer, afterwards) = self.look(scope, now, |inner, tx| inner.answer(make()?, tx))?;
            self.do_afterwards(afterwards).await;
            return Ok(answer);
        }
        let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(scope.clone(), Backing::Write(txn), now, &ids);
            let answer = make().and_then(|request| cloud.answer(request, &mut tx)).map_err(Refusal)?;
            Ok((answer, tx.earliest))
        });
        let (answer, earliest) = written.await.map_err(|refusal: Refusal| refusal.0)?;
        self.0.note_due(earliest);
        Ok(answer)
    }

    /// Does what no operation of a service does, in a transaction of its own.
    pub(crate) fn arrange(
        &self,
        scope: Scope,
        body: impl Fn(&mut Tx<'_>) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let (inner, now) = (self.0.clone(), nephos_core::wait(self.catch_up())?);
        let ids = inner.ids.recorded();
        let arranged = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = inner.tx(scope.clone(), Backing::Write(txn), now, &ids);
            body(&mut tx).map_err(Refusal)?;
            Ok(tx.earliest)
        });
        let earliest = arranged.wait().map_err(|refusal: Refusal| refusal.0)?;
        self.0.note_due(earliest);
        Ok(())
    }

    fn try_out(
        &self,
        session: &Session,
        workflow: &Arc<dyn Workflow>,
        now: Timestamp,
    ) -> Result<(Outcome, Vec<Change>)> {
        let inner = &*self.0;
        let scope = Scope::from_session(session)?;
        let ids = inner.ids.recorded();
        let tried = inner.store.preview(|txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = inner.tx(scope.clone(), Backing::Write(txn), now, &ids);
            inner.execute(session, workflow.clone(), &mut tx).map_err(Refusal)
        });
        let (outcome, changes) = tried.map_err(|refusal: Refusal| refusal.0)?;
        let tables: Vec<_> = inner.services.iter().flat_map(|service| service.tables).copied().collect();
        let changes =
            changes.iter().filter_map(|change| rows::describe(change, &tables)).collect::<Result<_>>()?;
        Ok((outcome, changes))
    }

    /// Does what has fallen due by now; says when that is.
    async fn catch_up(&self) -> Result<Timestamp> {
        let now = self.0.time.now();
        if now.as_microsecond() < self.0.next_due.load(Ordering::Acquire) {
            return Ok(now);
        }
        self.work_until(None).await?;
        Ok(self.0.time.now())
    }

    /// Moves the time on to `target`, doing what falls due meanwhile, in order, each at its time.
    pub(crate) async fn move_to(&self, target: Timestamp) -> Result<Moved> {
        let done = self.work_until(Some(target)).await?;
        let working = self.0.working.lock().await;
        self.set_time(target).await?;
        drop(working);
        Ok(Moved { now: self.0.time.now(), done })
    }

    /// Lets it be `target`, unless it is later already.
    async fn set_time(&self, target: Timestamp) -> Result<()> {
        let (row, settle) = self.0.time.setting_row(target.max(self.0.time.now()));
        let key = clock::key();
        self.0.store.transact(move |txn| txn.put(key.as_bytes(), &row)).await.map_err(stored)?;
        settle();
        Ok(())
    }

    /// Does what falls due until the time that it is `moving` to, or until now, and says how much that was. Whoever is
    /// called meanwhile finds the time where it should be.
    async fn work_until(&self, moving: Option<Timestamp>) -> Result<usize> {
        let inner = &*self.0;
        let mut done = 0;
        loop {
            let working = inner.working.lock().await;
            // One callback may leave the next, while the time runs on.
            let target = moving.unwrap_or_else(|| inner.time.now());
            // What is left by others from here on makes this earlier again.
            inner.next_due.store(i64::MAX, Ordering::Release);
            let snapshot = inner.store.snapshot().map_err(stored)?;
            let work = due::first(&snapshot, due::WORK)?;
            let callback = due::first(&snapshot, due::CALLBACKS)?;
            drop(snapshot);
            let [work_time, callback_time] = [&work, &callback].map(|due| due.as_ref().map(due::Due::time));
            // While somebody is on a callback, others wait: they see to those, and whoever they call must not.
            let on_errand = inner.on_errand.try_lock();
            let callback = callback.filter(|callback| {
                let first = work_time.is_none_or(|work| callback.time() < work);
                first && callback.time() <= target && on_errand.is_some()
            });
            if let Some(callback) = callback {
                drop(working);
                if moving.is_some() {
                    self.set_time(callback.time()).await?;
                }
                self.run_errand(callback).await?;
            } else if let Some(work) = work.filter(|work| work.time() <= target) {
                self.carry_out(work).await?;
            } else {
                inner.note_due(work_time);
                inner.note_due(callback_time);
                return Ok(done);
            }
            done += 1;
        }
    }

    /// Does one piece of work, at its own time. What fails is put aside with the reason, and holds nothing else up.
    async fn carry_out(&self, due: due::Due) -> Result<()> {
        let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
        let work = due.clone();
        let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(work.scope.clone(), Backing::Write(txn), work.time(), &ids);
            tx.remove_row(&work.key(due::WORK)).map_err(Refusal)?;
            tx.doing = Some(work.clone());
            cloud.do_work(&work, &mut tx).map_err(Refusal)
        });
        match done.await {
            Ok(()) => Ok(()),
            Err(Refusal(error)) => self.put_aside(due::WORK, due, error).await,
        }
    }

    /// Asks a function outside, and settles what came of it. Until then its row stays, so that it is asked again if this
    /// process ends.
    async fn run_errand(&self, due: due::Due) -> Result<()> {
        let outcome = self.ask(&due).await;
        let (cloud, ids) = (self.0.clone(), self.0.ids.recorded());
        let (callback, now) = (due.clone(), self.0.time.now().max(due.time()));
        let settled = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(callback.scope.clone(), Backing::Write(txn), now, &ids);
            tx.remove_row(&callback.key(due::CALLBACKS)).map_err(Refusal)?;
            if let Some(outcome) = outcome.clone() {
                let How::Callback { settle, .. } = cloud.entry(&callback).map_err(Refusal)?.how else {
                    return Err(Refusal(due::unknown(&callback.name)));
                };
                settle(callback.work.as_bytes(), outcome, &mut tx).map_err(Refusal)?;
            }
            Ok(tx.earliest)
        });
        match settled.await {
            Ok(earliest) => {
                self.0.note_due(earliest);
                Ok(())
            }
            Err(Refusal(error)) => self.put_aside(due::CALLBACKS, due, error).await,
        }
    }

    /// What came of asking; none if there is nothing to ask any more.
    async fn ask(&self, due: &due::Due) -> Option<Result<()>> {
        let question = || {
            let How::Callback { ask, .. } = self.0.entry(due)?.how else {
                return Err(due::unknown(&due.name));
            };
            let snapshot = self.0.store.snapshot().map_err(stored)?;
            let now = self.0.time.now().max(due.time());
            let tx = self.0.tx(due.scope.clone(), Backing::Read(&snapshot), now, &self.0.ids);
            ask(due.work.as_bytes(), &tx)
        };
        let question = match question() {
            Ok(question) => question?,
            Err(error) => return Some(Err(error)),
        };
        let Some(function) = self.0.functions.find(&question.function) else {
            return Some(Err(outside::unknown(&question.function)));
        };
        let session = self.session().with_account(due.scope.account()).with_region(due.scope.region());
        Some(outside::call(function, session, question.event).await)
    }

    /// Puts what failed aside, with the reason.
    async fn put_aside(&self, table: &'static str, due: due::Due, error: Error) -> Result<()> {
        if error.kind() == ErrorKind::Internal && error.retryable() {
            return Err(error);
        }
        let why = error.to_string();
        let aside = self.0.store.transact(move |txn: &mut Txn<'_>| {
            txn.delete(due.key(table).as_bytes())?;
            txn.put(due.failed_key().as_bytes(), why.as_bytes())
        });
        aside.await.map_err(stored)
    }
}

impl Inner {
    /// The entry of the work that is due.
    fn entry(&self, due: &due::Due) -> Result<&'static WorkEntry> {
        let works = self.services.iter().flat_map(|service| service.works);
        works.into_iter().find(|entry| entry.name == due.name).ok_or_else(|| due::unknown(&due.name))
    }

    /// Does one piece of work in `tx`.
    fn do_work(&self, due: &due::Due, tx: &mut Tx<'_>) -> Result<()> {
        if due.name == states::NAME {
            return states::run(due.work.as_bytes(), tx);
        }
        match self.entry(due)?.how {
            How::Work(run) => run(due.work.as_bytes(), tx),
            How::Callback { .. } => Err(due::unknown(&due.name)),
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
        Tx {
            backing,
            services: self.services,
            scope,
            now,
            ids,
            tokens,
            seals: &self.seals,
            functions: &self.functions,
            transitions: self.transitions,
            doing: None,
            earliest: None,
            afterwards: Vec::new(),
        }
    }

    fn note_due(&self, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.next_due.fetch_min(time.as_microsecond(), Ordering::AcqRel);
        }
    }

    /// Plays `workflow` to its end, answering each step in `tx`.
    fn execute(&self, session: &Session, workflow: Arc<dyn Workflow>, tx: &mut Tx<'_>) -> Result<Outcome> {
        let mut play = Execution::start(workflow, session);
        loop {
            match play.next_step() {
                NextStep::Call(request) => {
                    let answer = self.answer(request, tx);
                    play.answer(answer);
                }
                NextStep::Done(outcome) => return outcome,
            }
        }
    }

    fn answer(&self, request: Request, tx: &mut Tx<'_>) -> Answer {
        let address = std::ptr::from_ref(request.operation).addr();
        let Some(Entry { run, .. }) = self.handlers.get(&address) else {
            return Err(internal(format!("nothing here carries out {}", request.operation.name)));
        };
        if !request.service.global {
            return run(request.params, tx);
        }
        let caller = tx.scope.clone();
        tx.scope = caller.for_service(request.service);
        let answer = run(request.params, tx);
        tx.scope = caller;
        answer
    }
}

#[cfg(any(test, feature = "testing"))]
impl Kernel {
    /// Runs `body` in a transaction of the default account and Region, for tests of what no operation does by itself.
    pub fn inside<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (inner, scope) = (self.0.clone(), Scope::from_session(&self.session())?);
        let now = inner.time.now();
        let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
            body(&mut inner.tx(scope.clone(), Backing::Write(txn), now, &inner.ids)).map_err(Refusal)
        });
        done.wait().map_err(|refusal: Refusal| refusal.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloud, Transitions, Work};
    use nephos_core::{Record, field_value::FieldType};

    /// Does nothing.
    #[derive(Record)]
    struct Idle {
        /// What it is about.
        about: Option<nephos_core::Text>,
    }

    impl Work for Idle {
        const NAME: &'static str = "test/idle";

        fn run(self, _cx: &mut Tx<'_>) -> Result<()> {
            Ok(())
        }
    }

    /// When a transaction is made, and when work falls due in it that takes a resource on within two minutes.
    fn settled(transitions: Transitions) -> (Timestamp, Timestamp) {
        let cloud = Cloud::<()>::options().transitions(transitions).in_memory().fork().unwrap();
        let settle = |tx: &mut Tx<'_>| {
            tx.settle(SignedDuration::from_mins(2), &Idle::blank())?;
            Ok(tx.now())
        };
        let now = cloud.inside(settle).unwrap();
        let snapshot = cloud.0.store.snapshot().unwrap();
        (now, due::first(&snapshot, due::WORK).unwrap().unwrap().time())
    }

    #[test]
    fn states_change_at_once_or_after_as_long_as_they_take() {
        let (now, due) = settled(Transitions::Instant);
        assert_eq!(due.as_microsecond(), now.as_microsecond());
        let (now, due) = settled(Transitions::Realistic);
        assert_eq!(due.as_microsecond(), (now + SignedDuration::from_mins(2)).as_microsecond());
    }

    #[test]
    fn a_job_that_plans_itself_for_now_is_refused() {
        let cloud = Cloud::<()>::in_memory();
        let scope = Scope::from_session(&cloud.session()).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let work = due::Due::new(now, &scope, Idle::NAME, b"{}".to_vec());
        let plan = |due: due::Due, later: i64| {
            let inner = cloud.0.clone();
            let planned = cloud.0.store.preview(move |txn: &mut Txn<'_>| {
                let mut tx = inner.tx(due.scope.clone(), Backing::Write(txn), now, &inner.ids);
                tx.doing = Some(due.clone());
                tx.schedule(now + SignedDuration::from_micros(later), &Idle::blank()).map_err(Refusal)
            });
            planned.map(drop).map_err(|refusal| refusal.0.kind())
        };
        assert_eq!(plan(work.clone(), 0), Err(ErrorKind::Internal));
        assert_eq!(plan(work.clone(), -1), Err(ErrorKind::Internal));
        assert_eq!(plan(work.clone(), 1), Ok(()));
        let other = due::Due::new(now, &scope, Idle::NAME, b"{\"About\":\"a\"}".to_vec());
        assert_eq!(plan(other, 0), Ok(()), "work on something else");
    }
}
