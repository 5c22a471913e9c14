//! Group commit: one thread runs every waiting transaction and commits them together, so that they share the cost
//! of reaching the disk. Everybody is answered only after that.

use crate::{
    Error, Result, View,
    pending::Work,
    stats::Counters,
    sync::{Condvar, Mutex, lock, thread, wait},
    txn::Writes,
};
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::Waker,
};

/// The most transactions that may wait; beyond it callers wait for room.
pub(crate) const QUEUE: usize = 1024;

/// The most transactions in one commit.
const GROUP: usize = 1024;

/// A group that has written this many bytes is committed without taking in more.
const GROUP_BYTES: usize = 64 << 20;

/// What the writer thread drives: something that makes a batch of writes durable all at once.
pub(crate) trait Engine: Send + Sized + 'static {
    /// Opens a batch, lets `fill` put writes into it, and makes them durable. If `fill` or anything else fails,
    /// nothing of the batch may be seen by anybody.
    fn group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()>;
}

/// An open batch: the newest state, with the writes of the group so far.
pub(crate) trait Batch {
    fn view(&self) -> &dyn View;
    fn apply(&mut self, writes: Writes) -> Result<()>;
}

/// Work that wants the engine to itself, between two groups.
type Task<E> = Box<dyn FnOnce(&mut E) + Send>;

enum Item<E> {
    Work(Box<dyn Work>),
    Task(Task<E>),
}

/// The way to the writer thread, and the thread itself.
pub(crate) struct Writer<E: Engine> {
    queue: Arc<Queue<E>>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
    thread_id: thread::ThreadId,
}

impl<E: Engine> Writer<E> {
    pub(crate) fn start(engine: E, counters: Arc<Counters>, rehearse: bool, capacity: usize) -> Result<Self> {
        let queue = Arc::new(Queue::new(capacity));
        let thread = thread::Builder::new().name("nephos-store".to_owned()).spawn({
            let queue = queue.clone();
            move || run(engine, &queue, &counters, rehearse)
        });
        let thread = thread.map_err(|cause| Error::io("cannot start the writer thread", cause))?;
        let thread_id = thread.thread().id();
        Ok(Self { queue, thread: Mutex::new(Some(thread)), thread_id })
    }

    pub(crate) fn submit(&self, work: Box<dyn Work>) {
        if let Some(Item::Work(refused)) = self.queue.push(Item::Work(work)) {
            refused.finish(Err(Error::closed()));
        }
    }

    pub(crate) fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>> {
        match self.queue.try_push(Item::Work(work), waker) {
            Pushed::Taken => Ok(()),
            Pushed::Closed(Item::Work(work)) => {
                work.finish(Err(Error::closed()));
                Ok(())
            }
            Pushed::Full(Item::Work(work)) => Err(work),
            Pushed::Closed(Item::Task(_)) | Pushed::Full(Item::Task(_)) => {
                unreachable!("only work was pushed")
            }
        }
    }

    /// Has the writer thread run `task` alone, after everything submitted before.
    pub(crate) fn task(&self, task: impl FnOnce(&mut E) + Send + 'static) -> Result<()> {
        match self.queue.push(Item::Task(Box::new(task))) {
            None => Ok(()),
            Some(_) => Err(Error::closed()),
        }
    }

    /// Whether this is the writer thread, which can wait for nothing that it has to do itself.
    pub(crate) fn is_here(&self) -> bool {
        thread::current().id() == self.thread_id
    }

    /// Refuses what comes from now on; the thread finishes what was taken and ends.
    pub(crate) fn refuse(&self) {
        self.queue.close();
    }

    /// Refuses what comes from now on, finishes what was taken, and waits for the thread to end.
    pub(crate) fn close(&self) {
        self.refuse();
        // Held until the thread has ended, so that whoever else is closing waits for that as well.
        let mut thread = lock(&self.thread);
        if let Some(thread) = thread.take() {
            // A writer that panicked has answered its waiters by dropping them.
            let _ = thread.join();
        }
    }
}

fn run<E: Engine>(mut engine: E, queue: &Queue<E>, counters: &Counters, rehearse: bool) {
    /// Whatever ends this thread, nobody may go on waiting for it.
    struct CloseAtEnd<'a, E>(&'a Queue<E>);
    impl<E> Drop for CloseAtEnd<'_, E> {
        fn drop(&mut self) {
            self.0.close();
            drop(self.0.drain());
        }
    }
    let _close_at_end = CloseAtEnd(queue);

    while let Some(item) = queue.next() {
        match item {
            Item::Task(task) => task(&mut engine),
            Item::Work(first) => commit_group(&mut engine, first, queue, counters, rehearse),
        }
    }
}

fn commit_group<E: Engine>(
    engine: &mut E,
    first: Box<dyn Work>,
    queue: &Queue<E>,
    counters: &Counters,
    rehearse: bool,
) {
    let mut next = Some(first);
    let mut ran: Vec<Box<dyn Work>> = Vec::new();
    let mut written = 0;
    let committed = engine.group(&mut |batch| {
        let mut bytes = 0;
        while let Some(mut work) = next.take().or_else(|| queue.next_work()) {
            let writes = work.run(batch.view(), rehearse);
            ran.push(work);
            if !writes.is_empty() {
                written += 1;
                bytes +=
                    writes.iter().map(|(k, v)| k.len() + v.as_ref().map_or(0, |v| v.len())).sum::<usize>();
                batch.apply(writes)?;
            }
            if ran.len() >= GROUP || bytes >= GROUP_BYTES {
                break;
            }
        }
        Ok(())
    });
    match &committed {
        Ok(()) => counters.group(written, ran.len() as u64 - written),
        Err(_) => counters.failure(),
    }
    // A refusal waits for the commit as well: it may rest on a write of the same group that then failed.
    for work in ran.into_iter().chain(next) {
        // Wakers and destructors are the caller's code: one that panics must not take the writer with it.
        let _ = catch_unwind(AssertUnwindSafe(|| work.finish(committed.clone())));
    }
}

/// A bounded queue that takes from threads and tasks alike.
struct Queue<E> {
    state: Mutex<QueueState<E>>,
    capacity: usize,
    filled: Condvar,
    drained: Condvar,
}

struct QueueState<E> {
    items: VecDeque<Item<E>>,
    closed: bool,
    /// Threads that wait for room.
    blocked: usize,
    /// Tasks that wait for room.
    wakers: Vec<Waker>,
}

enum Pushed<E> {
    Taken,
    Full(Item<E>),
    Closed(Item<E>),
}

impl<E> Queue<E> {
    fn new(capacity: usize) -> Self {
        let state = QueueState { items: VecDeque::new(), closed: false, blocked: 0, wakers: Vec::new() };
        Self { state: Mutex::new(state), capacity, filled: Condvar::new(), drained: Condvar::new() }
    }

    /// Adds `item`, waiting for room; gives it back if the queue is closed.
    fn push(&self, item: Item<E>) -> Option<Item<E>> {
        let mut state = lock(&self.state);
        while state.items.len() >= self.capacity && !state.closed {
            state.blocked += 1;
            state = wait(&self.drained, state);
            state.blocked -= 1;
        }
        if state.closed {
            return Some(item);
        }
        state.items.push_back(item);
        drop(state);
        self.filled.notify_one();
        None
    }

    /// Adds `item`, or keeps the waker for when there is room.
    fn try_push(&self, item: Item<E>, waker: &Waker) -> Pushed<E> {
        let mut state = lock(&self.state);
        if state.closed {
            return Pushed::Closed(item);
        }
        if state.items.len() >= self.capacity {
            if !state.wakers.iter().any(|known| known.will_wake(waker)) {
                state.wakers.push(waker.clone());
            }
            return Pushed::Full(item);
        }
        state.items.push_back(item);
        drop(state);
        self.filled.notify_one();
        Pushed::Taken
    }

    /// The next item; `None` once the queue is closed and empty.
    fn next(&self) -> Option<Item<E>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(item) = state.items.pop_front() {
                self.room(state);
                return Some(item);
            }
            if state.closed {
                return None;
            }
            state = wait(&self.filled, state);
        }
    }

    /// The next item, if it is there already and is a transaction.
    fn next_work(&self) -> Option<Box<dyn Work>> {
        let mut state = lock(&self.state);
        match state.items.pop_front()? {
            Item::Work(work) => {
                self.room(state);
                Some(work)
            }
            task => {
                state.items.push_front(task);
                None
            }
        }
    }

    /// Tells whoever waits that an item has left.
    fn room(&self, mut state: crate::sync::MutexGuard<'_, QueueState<E>>) {
        let wakers = std::mem::take(&mut state.wakers);
        let blocked = state.blocked > 0;
        drop(state);
        if blocked {
            self.drained.notify_one();
        }
        wake_all(wakers);
    }

    fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.filled.notify_all();
        self.drained.notify_all();
        wake_all(wakers);
    }

    fn drain(&self) -> VecDeque<Item<E>> {
        std::mem::take(&mut lock(&self.state).items)
    }
}

/// Wakers are the caller's code: one that panics must neither take the writer with it nor leave the others asleep.
fn wake_all(wakers: Vec<Waker>) {
    for waker in wakers {
        let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
    }
}
