//! The group-commit writer under a concurrency checker: under every interleaving every caller gets an answer, and it
//! matches what was committed. Run it with
//! `RUSTFLAGS="--cfg shuttle" cargo test --lib -p nephos-store`.

use crate::{
    Direction, Error, ErrorKind, Health, Key, KeyRange, Pending, Result, Snapshot, Stats, Txn, Value, View,
    backend::{Backend, Progress, Replacement},
    group::{Batch, Engine, Writer},
    memory::Memory,
    pending::Work,
    stats::Counters,
    sync::{Mutex, lock, thread},
    txn::Writes,
    view::Visitor,
};
use shuttle::{
    future::block_on,
    rand::{Rng, thread_rng},
};
use std::{
    collections::BTreeMap,
    future::poll_fn,
    panic::resume_unwind,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll, Waker},
};

const ITERATIONS: usize = 3000;

/// Runs `scenario` under many schedules, chosen at random and by the number of preemptions they need.
fn check(scenario: impl Fn() + Clone + Send + Sync + 'static) {
    shuttle::check_random(scenario.clone(), ITERATIONS);
    shuttle::check_pct(scenario, ITERATIONS, 3);
}

#[derive(Clone, Default)]
struct Rows(BTreeMap<Key, Value>);

impl View for Rows {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        Ok(self.0.get(key).cloned())
    }

    fn scan(&self, range: &KeyRange, _: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        let within = self.0.iter().filter(|(key, _)| range.contains(key));
        let _ = within.map(|(key, value)| visit(key, value)).find(|flow| flow.is_break());
        Ok(())
    }
}

/// A simulated disk: a group becomes visible when it is committed.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<Rows>>);

impl Disk {
    fn rows(&self) -> Rows {
        lock(&self.0).clone()
    }

    fn holds(&self, key: &str) -> bool {
        lock(&self.0).0.contains_key(key.as_bytes())
    }
}

struct ToyEngine {
    disk: Disk,
    /// True if it fails at random, at any point of a group.
    flaky: bool,
}

impl ToyEngine {
    fn may_fail(&self) -> Result<()> {
        thread::yield_now();
        if self.flaky && thread_rng().gen_ratio(1, 8) {
            return Err(Error::new(ErrorKind::Io, "the disk failed"));
        }
        Ok(())
    }
}

impl Engine for ToyEngine {
    fn group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()> {
        self.may_fail()?;
        let mut batch = ToyBatch { rows: self.disk.rows(), engine: self };
        fill(&mut batch)?;
        let rows = batch.rows;
        self.may_fail()?;
        *lock(&self.disk.0) = rows;
        Ok(())
    }
}

struct ToyBatch<'e> {
    rows: Rows,
    engine: &'e ToyEngine,
}

impl Batch for ToyBatch<'_> {
    fn view(&self) -> &dyn View {
        &self.rows
    }

    fn apply(&mut self, writes: Writes) -> Result<()> {
        for (key, change) in writes {
            match change {
                Some(value) => drop(self.rows.0.insert(key, value)),
                None => drop(self.rows.0.remove(&key)),
            }
        }
        self.engine.may_fail()
    }
}

/// The writer as a backend, so that transactions are submitted in the usual way.
struct Toy(Writer<ToyEngine>);

impl Toy {
    fn start(disk: &Disk, flaky: bool, capacity: usize) -> Arc<Self> {
        let engine = ToyEngine { disk: disk.clone(), flaky };
        let writer = Writer::start(engine, Arc::new(Counters::default()), false, capacity);
        Arc::new(Self(writer.expect("the checker can start a thread")))
    }
}

fn unsupported<T>() -> Result<T> {
    Err(Error::new(ErrorKind::Unsupported, "this test backend supports only transactions"))
}

impl Backend for Toy {
    fn submit(&self, work: Box<dyn Work>) {
        self.0.submit(work);
    }

    fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>> {
        self.0.try_submit(work, waker)
    }

    fn snapshot(&self) -> Result<Snapshot> {
        unsupported()
    }

    fn stats(&self) -> Result<Stats> {
        unsupported()
    }

    fn rewrite(&self, _: Option<Replacement>, _: &mut Progress<'_>) -> Result<()> {
        unsupported()
    }

    fn check(&self) -> Result<Health> {
        unsupported()
    }

    fn flush(&self) -> Result<()> {
        unsupported()
    }

    fn close(&self) -> Result<()> {
        self.0.close();
        Ok(())
    }
}

/// End of a transaction's code, after it has incremented the counter and written its row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Return,
    Refuse,
    Panic,
}

/// Way in which the caller gets the answer.
#[derive(Clone, Copy, Debug)]
enum Way {
    Wait,
    Await,
    PollThenWait,
    /// Starts it and drops the future.
    PollThenDrop,
}

const WAYS: [Way; 3] = [Way::Wait, Way::Await, Way::PollThenWait];

fn pick<T: Copy>(from: &[T]) -> T {
    from[thread_rng().gen_range(0..from.len())]
}

fn transaction(backend: Arc<dyn Backend>, name: String, end: End) -> Pending<u8> {
    Pending::new(backend, move |txn: &mut Txn<'_>| {
        let count = txn.get(b"counter")?.map_or(0, |bytes| bytes[0]) + 1;
        txn.put(b"counter", &[count])?;
        txn.put(name.as_bytes(), b"")?;
        match end {
            End::Return => Ok(count),
            End::Refuse => Err(Error::new(ErrorKind::Busy, name.clone())),
            End::Panic => resume_unwind(Box::new(name.clone())),
        }
    })
}

fn execute(mut transaction: Pending<u8>, way: Way) -> Option<Result<u8>> {
    match way {
        Way::Wait => Some(transaction.wait()),
        Way::Await => Some(block_on(transaction)),
        Way::PollThenWait => match Pin::new(&mut transaction).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => Some(transaction.wait()),
        },
        Way::PollThenDrop => match Pin::new(&mut transaction).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        },
    }
}

/// A transaction with its answer.
struct Answered {
    name: String,
    end: End,
    answer: Result<u8>,
}

/// Starts a thread that runs two transactions, and asserts that an acknowledged one is on disk immediately.
fn client(
    backend: Arc<dyn Backend>,
    disk: Disk,
    n: usize,
    ends: &'static [End],
    ways: &'static [Way],
) -> thread::JoinHandle<Vec<Answered>> {
    thread::spawn(move || {
        let mut answered = Vec::new();
        for round in 0..2 {
            let (name, end) = (format!("{n}/{round}"), pick(ends));
            let Some(answer) = execute(transaction(backend.clone(), name.clone(), end), pick(ways)) else {
                continue;
            };
            assert_eq!(answer.is_ok(), disk.holds(&name), "{name} was answered {answer:?}");
            answered.push(Answered { name, end, answer });
        }
        answered
    })
}

/// Asserts that the answers match the rows on the disk.
fn assert_consistent(answered: &[Answered], disk: &Disk, excuses: &[ErrorKind]) {
    let mut counts = Vec::new();
    for Answered { name, end, answer } in answered {
        assert_eq!(answer.is_ok(), disk.holds(name), "{name} was answered {answer:?}");
        match answer {
            Ok(count) => {
                assert_eq!(*end, End::Return);
                counts.push(*count);
            }
            Err(error) if excuses.contains(&error.kind()) => {}
            Err(error) => {
                let expected = if *end == End::Refuse { ErrorKind::Busy } else { ErrorKind::Panicked };
                assert_eq!(error.kind(), expected, "{name}: {error}");
                assert!(*end != End::Return && error.message().ends_with(name.as_str()), "{name}: {error}");
            }
        }
    }
    counts.sort_unstable();
    let rows = disk.rows();
    let counted = rows.0.get(b"counter".as_slice()).map_or(0, |bytes| bytes[0]);
    assert_eq!(usize::from(counted), rows.0.len().saturating_sub(1), "each row must be counted");
    assert!(counts.is_sorted_by(|a, b| a < b), "a count was returned twice: {counts:?}");
    assert!(counts.last().is_none_or(|last| *last <= counted));
}

fn join(clients: Vec<thread::JoinHandle<Vec<Answered>>>) -> Vec<Answered> {
    clients.into_iter().flat_map(|client| client.join().expect("a client must not panic")).collect()
}

#[test]
fn answers_match_committed_rows() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, true, pick(&[1, 2, 8]));
        let ends = &[End::Return, End::Return, End::Refuse, End::Panic];
        let clients = (0..3).map(|n| client(toy.clone(), disk.clone(), n, ends, &WAYS));
        let answered = join(clients.collect());
        toy.0.close();
        assert_eq!(answered.len(), 6);
        assert_consistent(&answered, &disk, &[ErrorKind::Io]);
    });
}

#[test]
fn failed_transaction_does_not_affect_others() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, false, pick(&[1, 8]));
        let clients = vec![
            client(toy.clone(), disk.clone(), 0, &[End::Return], &WAYS),
            client(toy.clone(), disk.clone(), 1, &[End::Refuse, End::Panic], &WAYS),
            client(toy.clone(), disk.clone(), 2, &[End::Return], &WAYS),
        ];
        let answered = join(clients);
        toy.0.close();
        assert_consistent(&answered, &disk, &[]);
        assert_eq!(answered.iter().filter(|answered| answered.answer.is_ok()).count(), 4);
    });
}

#[test]
fn close_answers_all_callers() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, false, pick(&[1, 2]));
        let ends = &[End::Return, End::Return, End::Panic];
        let clients = (0..3).map(|n| client(toy.clone(), disk.clone(), n, ends, &WAYS)).collect();
        let closers = (0..2).map(|_| {
            let (toy, disk) = (toy.clone(), disk.clone());
            thread::spawn(move || {
                toy.0.close();
                disk.rows().0.len()
            })
        });
        let closers: Vec<_> = closers.collect();
        let answered = join(clients);
        for closer in closers {
            let at_its_return = closer.join().expect("a closer must not panic");
            assert_eq!(at_its_return, disk.rows().0.len(), "nothing may be committed after closing");
        }
        assert_eq!(answered.len(), 6);
        assert_consistent(&answered, &disk, &[ErrorKind::Closed]);
    });
}

#[test]
fn dropped_futures_do_not_block_others() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, false, 1);
        let clients = vec![
            client(toy.clone(), disk.clone(), 0, &[End::Return], &[Way::Await]),
            client(toy.clone(), disk.clone(), 1, &[End::Return], &[Way::PollThenDrop]),
            client(toy.clone(), disk.clone(), 2, &[End::Return], &[Way::Wait, Way::Await]),
        ];
        let answered = join(clients);
        toy.0.close();
        assert_consistent(&answered, &disk, &[]);
    });
}

#[test]
fn futures_of_one_task_share_a_queue_of_one() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, false, 1);
        let other = client(toy.clone(), disk.clone(), 9, &[End::Return], &WAYS);
        let transactions = (0..3).map(|n| Some(transaction(toy.clone(), format!("{n}"), End::Return)));
        let mut transactions: Vec<_> = transactions.collect();
        block_on(poll_fn(|cx| {
            for transaction in &mut transactions {
                if let Some(polled) = transaction
                    && let Poll::Ready(answer) = Pin::new(polled).poll(cx)
                {
                    answer.expect("the disk does not fail");
                    *transaction = None;
                }
            }
            if transactions.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
        }));
        other.join().expect("the other client must not panic");
        toy.0.close();
        assert_eq!(disk.rows().0.len(), 6, "five rows and the counter");
    });
}

#[test]
fn closure_is_dropped_before_its_answer() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, false, 2);
        let other = client(toy.clone(), disk.clone(), 0, &[End::Return], &WAYS);
        let held = Arc::new(());
        let code = {
            let held = held.clone();
            move |txn: &mut Txn<'_>| {
                txn.put(b"held", b"")?;
                Ok(Arc::strong_count(&held) as u8)
            }
        };
        let way = pick(&[Way::Wait, Way::Await, Way::PollThenWait]);
        let answer = execute(Pending::new(toy.clone(), code), way);
        assert!(matches!(answer, Some(Ok(2))), "{answer:?}");
        assert_eq!(Arc::strong_count(&held), 1, "the writer must drop the code before it answers");
        other.join().expect("the other client must not panic");
        toy.0.close();
    });
}

/// A transaction that writes one row, without a waiting caller.
struct Put(&'static str);

impl Work for Put {
    fn run(&mut self, _: &dyn View, _: bool) -> Writes {
        Writes::from([(self.0.as_bytes().into(), Some((*b"").into()))])
    }

    fn finish(self: Box<Self>, _: Result<()>) {}
}

#[test]
fn task_runs_after_earlier_and_before_later_work() {
    check(|| {
        let disk = Disk::default();
        let toy = Toy::start(&disk, false, pick(&[1, 4]));
        let other = client(toy.clone(), disk.clone(), 0, &[End::Return], &WAYS);
        let seen = Arc::new(Mutex::new(None));
        let inspect = {
            let seen = seen.clone();
            move |engine: &mut ToyEngine| {
                *lock(&seen) = Some((engine.disk.holds("before"), engine.disk.holds("after")));
            }
        };
        toy.submit(Box::new(Put("before")));
        toy.0.submit_task(inspect).expect("the writer is open");
        toy.submit(Box::new(Put("after")));
        other.join().expect("the other client must not panic");
        toy.0.close();
        assert_eq!(*lock(&seen), Some((true, false)));
        assert!(disk.holds("after"));
    });
}

/// A transaction without writes that decrements the number of waiting transactions when it runs.
struct Waiting(Arc<AtomicI64>);

impl Work for Waiting {
    fn run(&mut self, _: &dyn View, _: bool) -> Writes {
        self.0.fetch_sub(1, Ordering::Relaxed);
        Writes::new()
    }

    fn finish(self: Box<Self>, _: Result<()>) {}
}

#[test]
fn queue_capacity_limits_waiting_work() {
    check(|| {
        let toy = Toy::start(&Disk::default(), false, 1);
        let waiting = Arc::new(AtomicI64::new(0));
        let submitters = (0..3).map(|n| {
            let (toy, waiting) = (toy.clone(), waiting.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    let work = Box::new(Waiting(waiting.clone()));
                    if n > 0 {
                        toy.submit(work);
                    } else if toy.try_submit(work, Waker::noop()).is_err() {
                        continue;
                    }
                    // One is in the queue, and one may have been removed and not yet run.
                    assert!(waiting.fetch_add(1, Ordering::Relaxed) < 2);
                }
            })
        });
        let submitters: Vec<_> = submitters.collect();
        submitters.into_iter().for_each(|submitter| submitter.join().expect("a submitter must not panic"));
        toy.0.close();
        assert_eq!(waiting.load(Ordering::Relaxed), 0, "each must have run");
    });
}

#[test]
fn memory_store_closes_between_transactions() {
    check(|| {
        let memory: Arc<dyn Backend> = Arc::new(Memory::new(false));
        let count = |memory: &Arc<dyn Backend>| transaction(memory.clone(), String::new(), End::Return);
        assert_eq!(count(&memory).wait().ok(), Some(1));
        let clients = (0..2).map(|_| {
            let memory = memory.clone();
            thread::spawn(move || [(); 2].map(|()| execute(count(&memory), pick(&WAYS))))
        });
        let clients: Vec<_> = clients.collect();
        let reader = thread::spawn({
            let memory = memory.clone();
            move || match memory.snapshot() {
                Ok(snapshot) => assert!(matches!(snapshot.get(b"counter"), Ok(Some(_)))),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Closed),
            }
        });
        let closer = thread::spawn(move || memory.close());
        let mut counts = vec![1];
        for answer in clients.into_iter().flat_map(|client| client.join().expect("a client must not panic")) {
            match answer.expect("each is waited for") {
                Ok(count) => counts.push(count),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Closed),
            }
        }
        reader.join().expect("the reader must not panic");
        closer.join().expect("the closer must not panic").expect("a memory store can always be closed");
        counts.sort_unstable();
        assert_eq!(counts, (1..=counts.len() as u8).collect::<Vec<_>>());
    });
}
