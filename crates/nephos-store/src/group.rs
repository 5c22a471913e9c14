//! Group commit: one thread runs all waiting transactions and commits them together, so that they share one sync.
//! Callers get their answers after the commit.

use crate::{
    Error, ErrorKind, Result, View,
    backend::Progress,
    pending::{Work, check_not_in_transaction},
    stats::Counters,
    sync::{Condvar, Mutex, lock, thread, wait},
    txn::Writes,
};
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    task::Waker,
};

/// Maximum number of waiting transactions; beyond it callers block.
pub const MAX_QUEUED: usize = 1024;

/// Number of written bytes after which a group is committed without adding more transactions.
const MAX_GROUP_BYTES: usize = 64 << 20;

/// A storage engine that the writer thread drives: makes a batch of writes durable atomically.
pub trait Engine: Send + Sized + 'static {
    /// True if other processes write the same rows. Then a group has only transactions that were submitted before its batch
    /// was opened: a later one could miss what others were told meanwhile.
    const IS_SHARED: bool = false;

    /// Maximum number of transactions in one group.
    const MAX_GROUP: usize = 1024;

    /// Opens a batch, calls `fill` to add writes to it, and makes them durable. If `fill` or anything else fails, no
    /// write of the batch may become visible. After a conflict with other processes, `fill` may be called again with a new
    /// batch: the same transactions run again.
    fn group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()>;
}

/// An open batch: the newest state, with the writes of the group so far.
pub trait Batch {
    /// The rows as the next transaction of the group sees them.
    fn view(&self) -> &dyn View;

    /// Adds the writes of a transaction.
    fn apply(&mut self, writes: Writes) -> Result<()>;
}

/// Work that needs exclusive use of the engine, between two groups.
type Task<E> = Box<dyn FnOnce(&mut E) + Send>;

/// Message of the writer thread about a running task to the caller that waits for it.
enum Report<T> {
    Rows(u64),
    Done(Result<T>),
}

enum Item<E> {
    Work(Box<dyn Work>),
    Task(Task<E>),
}

/// Handle of the writer thread and its queue.
pub struct Writer<E: Engine> {
    queue: Arc<Queue<E>>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
    thread_id: thread::ThreadId,
}

impl<E: Engine> Writer<E> {
    /// Starts the thread. At most `capacity` transactions wait; `run_twice` runs the code of each twice and compares.
    pub fn start(engine: E, counters: Arc<Counters>, run_twice: bool, capacity: usize) -> Result<Self> {
        let queue = Arc::new(Queue::new(capacity));
        let thread = thread::Builder::new().name("nephos-store".to_owned()).spawn({
            let queue = queue.clone();
            move || run(engine, &queue, &counters, run_twice)
        });
        let thread = thread.map_err(|cause| Error::io("cannot start the writer thread", cause))?;
        let thread_id = thread.thread().id();
        Ok(Self { queue, thread: Mutex::new(Some(thread)), thread_id })
    }

    /// Accepts `work`, waiting for space in the queue.
    pub fn submit(&self, work: Box<dyn Work>) {
        if let Some(Item::Work(refused)) = self.queue.push(Item::Work(work)) {
            refused.finish(Err(Error::closed()));
        }
    }

    /// Accepts `work`, or returns it and wakes the task when there is space in the queue.
    pub fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>> {
        match self.queue.try_push(Item::Work(work), waker) {
            PushOutcome::Taken => Ok(()),
            PushOutcome::Closed(Item::Work(work)) => {
                work.finish(Err(Error::closed()));
                Ok(())
            }
            PushOutcome::Full(Item::Work(work)) => Err(work),
            PushOutcome::Closed(Item::Task(_)) | PushOutcome::Full(Item::Task(_)) => {
                unreachable!("only work was pushed")
            }
        }
    }

    /// Runs `task` alone on the writer thread, after everything submitted before, and waits for it; `progress` is called on
    /// this thread.
    pub fn run_exclusive<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut E, &mut Progress<'_>) -> Result<T> + Send + 'static,
        progress: &mut Progress<'_>,
    ) -> Result<T> {
        check_not_in_transaction()?;
        if self.is_current_thread() {
            return Err(Error::new(ErrorKind::Busy, "this call is not allowed on the writer thread"));
        }
        let (reports, received) = mpsc::channel();
        self.submit_task(move |engine| {
            // If the caller no longer listens, the task is finished nevertheless.
            let done = task(engine, &mut |rows| drop(reports.send(Report::Rows(rows))));
            drop(reports.send(Report::Done(done)));
        })?;
        for report in received {
            match report {
                Report::Rows(rows) => progress(rows),
                Report::Done(done) => return done,
            }
        }
        Err(Error::closed())
    }

    /// Runs `task` alone on the writer thread, after everything submitted before.
    pub(crate) fn submit_task(&self, task: impl FnOnce(&mut E) + Send + 'static) -> Result<()> {
        match self.queue.push(Item::Task(Box::new(task))) {
            None => Ok(()),
            Some(_) => Err(Error::closed()),
        }
    }

    /// True if called on the writer thread, which cannot wait for its own work.
    pub fn is_current_thread(&self) -> bool {
        thread::current().id() == self.thread_id
    }

    /// Rejects new work; the thread finishes accepted work and ends.
    pub fn stop_accepting(&self) {
        self.queue.close();
    }

    /// Rejects new work, finishes accepted work, and waits for the thread to end.
    pub fn close(&self) {
        self.stop_accepting();
        // Held until the thread has ended, so that a concurrent close also waits for it.
        let mut thread = lock(&self.thread);
        if let Some(thread) = thread.take() {
            // A writer that panicked has answered its callers by dropping their work.
            let _ = thread.join();
        }
    }
}

fn run<E: Engine>(mut engine: E, queue: &Queue<E>, counters: &Counters, run_twice: bool) {
    /// Closes the queue however the thread ends, so that no caller waits forever.
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
            Item::Work(first) => {
                let mut waiting = VecDeque::from([first]);
                if E::IS_SHARED {
                    let more = std::iter::from_fn(|| queue.next_work());
                    waiting.extend(more.take(E::MAX_GROUP - 1));
                }
                while !waiting.is_empty() {
                    commit_group(&mut engine, &mut waiting, queue, counters, run_twice);
                }
            }
        }
    }
}

/// Commits the transactions in `waiting`, as far as they fit into one group, and, if the rows are not shared, those that are
/// submitted meanwhile.
fn commit_group<E: Engine>(
    engine: &mut E,
    waiting: &mut VecDeque<Box<dyn Work>>,
    queue: &Queue<E>,
    counters: &Counters,
    run_twice: bool,
) {
    let mut ran: Vec<Box<dyn Work>> = Vec::new();
    let mut written = 0;
    let committed = engine.group(&mut |batch| {
        let mut bytes = 0;
        written = 0;
        let mut run = |work: &mut Box<dyn Work>, batch: &mut dyn Batch| {
            let writes = work.run(batch.view(), run_twice);
            if writes.is_empty() {
                return Ok(bytes);
            }
            written += 1;
            bytes += writes.iter().map(|(k, v)| k.len() + v.as_ref().map_or(0, |v| v.len())).sum::<usize>();
            batch.apply(writes).map(|()| bytes)
        };
        // After a conflict, they run again.
        for work in &mut ran {
            run(work, batch)?;
        }
        let late = || if E::IS_SHARED { None } else { queue.next_work() };
        while let Some(work) = waiting.pop_front().or_else(late) {
            let bytes = run(ran.push_mut(work), batch)?;
            if ran.len() >= E::MAX_GROUP || bytes >= MAX_GROUP_BYTES {
                break;
            }
        }
        Ok(())
    });
    match &committed {
        Ok(()) => counters.record_group(written, ran.len() as u64 - written),
        Err(_) => counters.record_failure(),
    }
    if ran.is_empty() {
        // The engine could not open a batch.
        ran.extend(waiting.drain(..));
    }
    // An error of a transaction also waits for the commit: it may depend on a write of the same group that failed.
    for work in ran {
        // Wakers and destructors are the caller's code: a panic there must not end the writer.
        let _ = catch_unwind(AssertUnwindSafe(|| work.finish(committed.clone())));
    }
}

/// A bounded queue that accepts items from threads and from tasks.
struct Queue<E> {
    state: Mutex<QueueState<E>>,
    capacity: usize,
    filled: Condvar,
    drained: Condvar,
}

struct QueueState<E> {
    items: VecDeque<Item<E>>,
    closed: bool,
    /// Threads that wait for space.
    blocked: usize,
    /// Tasks that wait for space.
    wakers: Vec<Waker>,
}

enum PushOutcome<E> {
    Taken,
    Full(Item<E>),
    Closed(Item<E>),
}

impl<E> Queue<E> {
    fn new(capacity: usize) -> Self {
        let state = QueueState { items: VecDeque::new(), closed: false, blocked: 0, wakers: Vec::new() };
        Self { state: Mutex::new(state), capacity, filled: Condvar::new(), drained: Condvar::new() }
    }

    /// Adds `item`, waiting for space; returns it if the queue is closed.
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

    /// Adds `item`, or stores the waker until there is space.
    fn try_push(&self, item: Item<E>, waker: &Waker) -> PushOutcome<E> {
        let mut state = lock(&self.state);
        if state.closed {
            return PushOutcome::Closed(item);
        }
        if state.items.len() >= self.capacity {
            if !state.wakers.iter().any(|known| known.will_wake(waker)) {
                state.wakers.push(waker.clone());
            }
            return PushOutcome::Full(item);
        }
        state.items.push_back(item);
        drop(state);
        self.filled.notify_one();
        PushOutcome::Taken
    }

    /// Waits for the next item; `None` once the queue is closed and empty.
    fn next(&self) -> Option<Item<E>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(item) = state.items.pop_front() {
                self.notify_space(state);
                return Some(item);
            }
            if state.closed {
                return None;
            }
            state = wait(&self.filled, state);
        }
    }

    /// Returns the next item if it is already there and is a transaction.
    fn next_work(&self) -> Option<Box<dyn Work>> {
        let mut state = lock(&self.state);
        match state.items.pop_front()? {
            Item::Work(work) => {
                self.notify_space(state);
                Some(work)
            }
            task => {
                state.items.push_front(task);
                None
            }
        }
    }

    /// Notifies waiting threads and tasks that an item was removed.
    fn notify_space(&self, mut state: crate::sync::MutexGuard<'_, QueueState<E>>) {
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

/// Wakes all tasks. A waker is the caller's code: a panic must neither end the writer nor skip the other wakers.
fn wake_all(wakers: Vec<Waker>) {
    for waker in wakers {
        let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
    }
}
