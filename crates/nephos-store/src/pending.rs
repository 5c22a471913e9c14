//! A submitted transaction: the future of the caller, and the work of the backend.

use crate::{
    Error, ErrorKind, Result, Txn, View,
    backend::Backend,
    sync::{Condvar, Mutex, lock, thread_local, wait},
    txn::Writes,
};
use std::{
    any::Any,
    cell::Cell,
    future::Future,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

/// A transaction as a backend sees it: code to run, and a caller that waits for the result.
///
/// If it is dropped unfinished, the caller gets the error that the store is closed.
pub trait Work: Send {
    /// Runs the transaction's code on `base`; returns its writes, none if it failed.
    fn run(&mut self, base: &dyn View, run_twice: bool) -> Writes;

    /// Completes the future of the caller: with the code's answer if the writes are `committed`, else with the error.
    fn finish(self: Box<Self>, committed: Result<()>);
}

/// A transaction that has been prepared but not started.
///
/// Nothing happens until it is awaited, or [`wait`](Self::wait) is called. If the future is dropped after its first
/// poll, its transaction may still be committed.
#[must_use = "a transaction runs only when it is awaited or waited for"]
pub struct Pending<T, E = Error> {
    backend: Arc<dyn Backend>,
    work: Option<Box<dyn Work>>,
    answer: Arc<Slot<Result<T, E>>>,
}

impl<T, E> Pending<T, E>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    pub(crate) fn new<F>(backend: Arc<dyn Backend>, body: F) -> Self
    where
        F: Fn(&mut Txn<'_>) -> Result<T, E> + Send + 'static,
    {
        let answer = Arc::new(Slot::new());
        let work = Job { body: Some(body), outcome: None, answer: Some(answer.clone()) };
        Self { backend, work: Some(Box::new(work)), answer }
    }

    /// Runs the transaction and blocks this thread until its writes are as durable as the store promises.
    pub fn wait(mut self) -> Result<T, E> {
        check_not_in_transaction()?;
        if let Some(work) = self.work.take() {
            self.backend.submit(work);
        }
        self.answer.wait()
    }
}

impl<T, E: From<Error>> Future for Pending<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Err(inside) = check_not_in_transaction() {
            return Poll::Ready(Err(inside.into()));
        }
        if let Some(work) = self.work.take()
            && let Err(work) = self.backend.try_submit(work, cx.waker())
        {
            self.work = Some(work);
            return Poll::Pending;
        }
        self.answer.poll(cx)
    }
}

impl<T, E> std::fmt::Debug for Pending<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("begun", &self.work.is_none()).finish_non_exhaustive()
    }
}

thread_local! {
    /// True while this thread runs the code of a transaction.
    static IN_TRANSACTION: Cell<bool> = const { Cell::new(false) };
}

/// Rejects a call inside a transaction that would wait for the same transaction.
pub fn check_not_in_transaction() -> Result<()> {
    if IN_TRANSACTION.with(Cell::get) {
        return Err(Error::new(ErrorKind::Busy, "this call is not allowed inside a transaction"));
    }
    Ok(())
}

/// The caller's code with the slot for its answer.
struct Job<F, T, E: From<Error>> {
    body: Option<F>,
    outcome: Option<Result<T, E>>,
    answer: Option<Arc<Slot<Result<T, E>>>>,
}

impl<F, T, E> Work for Job<F, T, E>
where
    F: Fn(&mut Txn<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, base: &dyn View, run_twice: bool) -> Writes {
        let Some(body) = &self.body else { return Writes::new() };
        let (mut outcome, mut writes) = attempt(body, base);
        if run_twice {
            let (second, again) = attempt(body, base);
            if second.is_ok() != outcome.is_ok() || again != writes {
                let message =
                    "the transaction's code gave a different result when run again on the same data";
                outcome = Err(Error::new(ErrorKind::Impure, message).into());
                writes = Writes::new();
            }
        }
        self.outcome = Some(outcome);
        writes
    }

    fn finish(mut self: Box<Self>, committed: Result<()>) {
        let outcome = match committed {
            Ok(()) => self.outcome.take().unwrap_or_else(|| Err(Error::closed().into())),
            Err(error) => Err(error.into()),
        };
        self.answer(outcome);
    }
}

impl<F, T, E: From<Error>> Job<F, T, E> {
    /// Completes the future of the caller, unless that was done before.
    ///
    /// Drops the code first, with everything it holds: the caller may then drop the last other handle of the store, and
    /// the file is closed when that returns.
    fn answer(&mut self, outcome: Result<T, E>) {
        // The code may hold values of the caller with destructors: a panic there does not change what was committed.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(self.body.take())));
        if let Some(answer) = self.answer.take() {
            answer.put(outcome);
        }
    }
}

impl<F, T, E: From<Error>> Drop for Job<F, T, E> {
    fn drop(&mut self) {
        if self.answer.is_some() {
            self.answer(Err(Error::closed().into()));
        }
    }
}

/// Runs `body` once on `base`. After an error or a panic there are no writes.
pub(crate) fn attempt<T, E: From<Error>>(
    body: impl Fn(&mut Txn<'_>) -> Result<T, E>,
    base: &dyn View,
) -> (Result<T, E>, Writes) {
    let mut txn = Txn::new(base);
    let outside = IN_TRANSACTION.with(|inside| inside.replace(true));
    let ran = catch_unwind(AssertUnwindSafe(|| body(&mut txn)));
    IN_TRANSACTION.with(|inside| inside.set(outside));
    match ran {
        Ok(Ok(answer)) => (Ok(answer), txn.into_writes()),
        Ok(Err(refusal)) => (Err(refusal), Writes::new()),
        Err(panic) => {
            let message = format!("the transaction's code panicked: {}", panic_text(&*panic));
            (Err(Error::new(ErrorKind::Panicked, message).into()), Writes::new())
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "no message"
    }
}

/// A slot for one answer, filled by one thread and taken by another thread or by a task.
pub(crate) struct Slot<V> {
    state: Mutex<SlotState<V>>,
    filled: Condvar,
}

enum SlotState<V> {
    Empty,
    /// A thread waits for the condvar.
    Blocked,
    /// A task waits to be woken.
    Waited(Waker),
    Filled(V),
    Taken,
}

impl<V> Slot<V> {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(SlotState::Empty), filled: Condvar::new() }
    }

    pub(crate) fn put(&self, value: V) {
        let before = mem::replace(&mut *lock(&self.state), SlotState::Filled(value));
        match before {
            SlotState::Waited(waker) => waker.wake(),
            // A condvar makes a system call even if nobody waits for it.
            SlotState::Blocked => self.filled.notify_one(),
            _ => {}
        }
    }

    pub(crate) fn wait(&self) -> V {
        let mut state = lock(&self.state);
        loop {
            if let Some(value) = state.take() {
                return value;
            }
            // A caller that polled before blocks here now: it must be notified by the condvar, not by its waker.
            *state = SlotState::Blocked;
            state = wait(&self.filled, state);
        }
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<V> {
        let mut state = lock(&self.state);
        match state.take() {
            Some(value) => Poll::Ready(value),
            None => {
                *state = SlotState::Waited(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<V> SlotState<V> {
    fn take(&mut self) -> Option<V> {
        match mem::replace(self, SlotState::Taken) {
            SlotState::Filled(value) => Some(value),
            SlotState::Taken => panic!("a transaction was polled after it had returned its answer"),
            waiting => {
                *self = waiting;
                None
            }
        }
    }
}
