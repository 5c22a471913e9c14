//! How the cloud carries out scripts: each in one transaction, on the time it is played at.

use super::{Cloud, Inner, Moved, Scope, Tx, clock, due, internal, rows, service::Entry, stored, tx::Ground};
use crate::services;
use nephos_core::{
    Answer, BoxFuture, Change, Error, ErrorKind, Ids, Outcome, Play, Request, Result, Script, Session,
    SignedDuration, Timestamp, Transport, Turn, shape::Effect,
};
use nephos_store::Txn;
use std::{
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Duration,
};

/// The transport of sessions of a cloud.
pub(super) struct Endpoint(pub(super) Cloud);

impl Transport for Endpoint {
    fn run(&self, session: &Session, script: Arc<dyn Script>) -> BoxFuture<'static, Result<Outcome>> {
        let (cloud, session) = (self.0.clone(), session.clone());
        Box::pin(async move {
            let now = cloud.catch_up().await?;
            match script.effect() {
                Effect::Read => cloud.read(&session, script, now),
                Effect::Write => cloud.write(session, script, now).await,
            }
        })
    }

    fn preview(
        &self,
        session: &Session,
        script: Arc<dyn Script>,
    ) -> BoxFuture<'static, Result<(Outcome, Vec<Change>)>> {
        let (cloud, session) = (self.0.clone(), session.clone());
        Box::pin(async move {
            let now = cloud.catch_up().await?;
            cloud.try_out(&session, &script, now)
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

impl Cloud {
    fn read(&self, session: &Session, script: Arc<dyn Script>, now: Timestamp) -> Result<Outcome> {
        let inner = &*self.0;
        let snapshot = inner.store.snapshot().map_err(stored)?;
        let mut tx = inner.tx(Scope::of(session)?, Ground::Read(&snapshot), now, &inner.ids);
        inner.play(session, script, &mut tx)
    }

    async fn write(&self, session: Session, script: Arc<dyn Script>, now: Timestamp) -> Result<Outcome> {
        let (cloud, scope) = (self.0.clone(), Scope::of(&session)?);
        let ids = cloud.ids.taped();
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(scope.clone(), Ground::Write(txn), now, &ids);
            let outcome = cloud.play(&session, script.clone(), &mut tx).map_err(Refusal)?;
            Ok((outcome, tx.earliest))
        });
        let (outcome, earliest) = written.await.map_err(|refusal: Refusal| refusal.0)?;
        self.0.note_due(earliest);
        Ok(outcome)
    }

    /// Carries out one operation of a service for `session`, in a transaction of its own. `make` makes the request, again
    /// if the transaction has to be run again.
    pub async fn request(
        &self,
        session: &Session,
        effect: Effect,
        make: impl Fn() -> Result<Request> + Send + 'static,
    ) -> Answer {
        let now = self.catch_up().await?;
        let (cloud, scope) = (self.0.clone(), Scope::of(session)?);
        if effect == Effect::Read {
            let snapshot = cloud.store.snapshot().map_err(stored)?;
            let mut tx = cloud.tx(scope, Ground::Read(&snapshot), now, &cloud.ids);
            return cloud.answer(make()?, &mut tx);
        }
        let ids = cloud.ids.taped();
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(scope.clone(), Ground::Write(txn), now, &ids);
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
        let ids = inner.ids.taped();
        let arranged = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = inner.tx(scope.clone(), Ground::Write(txn), now, &ids);
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
        script: &Arc<dyn Script>,
        now: Timestamp,
    ) -> Result<(Outcome, Vec<Change>)> {
        let inner = &*self.0;
        let scope = Scope::of(session)?;
        let ids = inner.ids.taped();
        let tried = inner.store.preview(|txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = inner.tx(scope.clone(), Ground::Write(txn), now, &ids);
            inner.play(session, script.clone(), &mut tx).map_err(Refusal)
        });
        let (outcome, changes) = tried.map_err(|refusal: Refusal| refusal.0)?;
        let tables: Vec<_> = services::ALL.iter().flat_map(|service| service.tables).copied().collect();
        let changes =
            changes.iter().filter_map(|change| rows::told(change, &tables)).collect::<Result<_>>()?;
        Ok((outcome, changes))
    }

    /// Does what has fallen due by now; says when that is.
    async fn catch_up(&self) -> Result<Timestamp> {
        let now = self.0.time.now();
        if now.as_microsecond() < self.0.next_due.load(Ordering::Acquire) {
            return Ok(now);
        }
        let _working = self.0.working.lock().await;
        self.work_until(now).await?;
        Ok(now)
    }

    /// Moves the time on to `target`, doing what falls due meanwhile, in order, each at its time.
    pub(super) async fn move_to(&self, target: Timestamp) -> Result<Moved> {
        let working = self.0.working.lock().await;
        let done = self.work_until(target).await?;
        let (row, settle) = self.0.time.at(target.max(self.0.time.now()));
        let key = clock::key();
        self.0.store.transact(move |txn| txn.put(key.as_bytes(), &row)).await.map_err(stored)?;
        settle();
        drop(working);
        Ok(Moved { now: self.0.time.now(), done })
    }

    /// Does what falls due until `target`, and says how much that was.
    async fn work_until(&self, target: Timestamp) -> Result<usize> {
        let inner = &*self.0;
        let mut done = 0;
        loop {
            // What is left by others from here on makes this earlier again.
            inner.next_due.store(i64::MAX, Ordering::Release);
            let snapshot = inner.store.snapshot().map_err(stored)?;
            let Some(due) = due::first(&snapshot, Timestamp::MAX)? else { return Ok(done) };
            if due.time() > target {
                inner.note_due(Some(due.time()));
                return Ok(done);
            }
            drop(snapshot);
            self.carry_out(due).await?;
            done += 1;
        }
    }

    /// Does one piece of work, at its own time. What fails is put aside with the reason, and holds nothing else up.
    async fn carry_out(&self, due: due::Due) -> Result<()> {
        let (cloud, ids) = (self.0.clone(), self.0.ids.taped());
        let works = services::ALL.iter().flat_map(|service| service.works);
        let entry = works.into_iter().find(|entry| entry.name == due.name).copied();
        let work = due.clone();
        let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(work.scope.clone(), Ground::Write(txn), work.time(), &ids);
            tx.remove_row(&work.key()).map_err(Refusal)?;
            let entry = entry.ok_or_else(|| Refusal(due::unknown(&work.name)))?;
            (entry.run)(work.work.as_bytes(), &mut tx).map_err(Refusal)
        });
        let Err(Refusal(error)) = done.await else { return Ok(()) };
        if error.kind() == ErrorKind::Internal && error.retryable() {
            return Err(error);
        }
        let why = error.to_string();
        let aside = self.0.store.transact(move |txn: &mut Txn<'_>| {
            txn.delete(due.key().as_bytes())?;
            txn.put(due.failed_key().as_bytes(), why.as_bytes())
        });
        aside.await.map_err(stored)
    }
}

impl Inner {
    pub(super) fn tx<'t>(&'t self, scope: Scope, ground: Ground<'t>, now: Timestamp, ids: &'t Ids) -> Tx<'t> {
        let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (seals, transitions) = (&self.seals, self.transitions);
        Tx { ground, scope, now, ids, tokens, seals, transitions, earliest: None }
    }

    fn note_due(&self, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.next_due.fetch_min(time.as_microsecond(), Ordering::AcqRel);
        }
    }

    /// Plays `script` to its end, answering each step in `tx`.
    fn play(&self, session: &Session, script: Arc<dyn Script>, tx: &mut Tx<'_>) -> Result<Outcome> {
        let mut play = Play::start(script, session);
        loop {
            match play.turn() {
                Turn::Ask(request) => {
                    let answer = self.answer(request, tx);
                    play.answer(answer);
                }
                Turn::Done(outcome) => return outcome,
            }
        }
    }

    fn answer(&self, request: Request, tx: &mut Tx<'_>) -> Answer {
        let address = std::ptr::from_ref(request.operation).addr();
        let Some(Entry { run, .. }) = self.behaviours.get(&address) else {
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

#[cfg(test)]
impl Cloud {
    /// Runs `body` in a transaction of the default account and Region, for tests of what no operation does by itself.
    pub(crate) fn inside<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (inner, scope) = (self.0.clone(), Scope::of(&self.session())?);
        let now = inner.time.now();
        let done = self.0.store.transact(move |txn: &mut Txn<'_>| {
            body(&mut inner.tx(scope.clone(), Ground::Write(txn), now, &inner.ids)).map_err(Refusal)
        });
        done.wait().map_err(|refusal: Refusal| refusal.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Transitions, services::logs::Expire};
    use nephos_core::datum::DatumType;

    /// When a transaction is made, and when work falls due in it that takes a resource on within two minutes.
    fn settled(transitions: Transitions) -> (Timestamp, Timestamp) {
        let cloud = Cloud::options().transitions(transitions).in_memory().fork().unwrap();
        let settle = |tx: &mut Tx<'_>| {
            tx.settle(SignedDuration::from_mins(2), &Expire::blank())?;
            Ok(tx.now())
        };
        let now = cloud.inside(settle).unwrap();
        let snapshot = cloud.0.store.snapshot().unwrap();
        (now, due::first(&snapshot, Timestamp::MAX).unwrap().unwrap().time())
    }

    #[test]
    fn states_change_at_once_or_after_as_long_as_they_take() {
        let (now, due) = settled(Transitions::Instant);
        assert_eq!(due.as_microsecond(), now.as_microsecond());
        let (now, due) = settled(Transitions::Realistic);
        assert_eq!(due.as_microsecond(), (now + SignedDuration::from_mins(2)).as_microsecond());
    }
}
