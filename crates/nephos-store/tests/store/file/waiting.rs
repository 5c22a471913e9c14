//! Waiting for the writer thread, for space in its queue, and for its end.

use super::{count, increment, run_with_timeout};
use nephos_store::{ErrorKind, OpenOptions, Pending, Result, Store};
use nephos_store_testing::conformance::{block_on, join_all, rows, run_on_threads};
use std::{
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

/// A running transaction that does not end before `end` is called, so that the writer thread is busy.
struct Held {
    release: mpsc::Sender<()>,
    waiting: thread::JoinHandle<Result<()>>,
}

impl Held {
    fn begin(store: &Store) -> Self {
        let (begun, has_begun) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let released = Mutex::new(released);
        let transaction = store.transact(move |txn| {
            begun.send(()).expect("the test waits for this");
            released.lock().expect("no thread panicked").recv().expect("the test releases it");
            txn.put(b"held", b"")
        });
        let waiting = thread::spawn(|| transaction.wait());
        has_begun.recv().expect("it begins");
        Self { release, waiting }
    }

    fn end(self) -> Result<()> {
        self.release.send(()).expect("it waits");
        self.waiting.join().expect("it does not panic")
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn queue_of_one_blocks_callers_but_loses_no_transaction() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = OpenOptions::new().queue(1).open(folder.path().join("store"))?;
    let counter = store.clone();
    let counts = run_with_timeout(move || {
        run_on_threads(8, |thread| {
            let all = (0..20).map(|_| increment(&counter));
            match thread % 3 {
                0 => all.map(Pending::wait).collect::<Vec<_>>(),
                1 => block_on(join_all(all.collect())),
                _ => all.map(block_on).collect(),
            }
        })
    });
    let mut counts = counts.into_iter().flatten().collect::<Result<Vec<_>>>()?;
    counts.sort_unstable();
    assert_eq!(counts, (1..=160).collect::<Vec<_>>());
    assert_eq!(count(&store)?, 160);
    Ok(())
}

#[test]
fn waiting_transactions_share_a_commit() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    let held = Held::begin(&store);
    let mut waiting: Vec<_> = (0..10).map(|_| increment(&store)).collect();
    assert!(waiting.iter_mut().all(|transaction| poll_once(transaction).is_pending()));
    assert_eq!(count(&store)?, 0);
    held.end()?;
    for (n, counted) in block_on(join_all(waiting)).into_iter().enumerate() {
        assert_eq!(counted?, n as u64 + 1, "transactions must run in the order of submission");
    }
    let stats = store.stats()?;
    assert_eq!((stats.commits, stats.committed, stats.group_sizes[3]), (1, 11, 1));
    Ok(())
}

#[test]
fn future_dropped_while_the_queue_is_full_does_nothing() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = OpenOptions::new().queue(1).open(folder.path().join("store"))?;
    let held = Held::begin(&store);
    let put = |key: &'static str| store.transact(move |txn| txn.put(key.as_bytes(), b""));
    let (mut taken, mut waits_for_room) = (put("taken"), put("waits for room"));
    assert!(poll_once(&mut taken).is_pending());
    assert!(poll_once(&mut waits_for_room).is_pending());
    drop((taken, waits_for_room));
    held.end()?;
    put("after").wait()?;
    let found: Vec<_> = rows(&store.snapshot()?)?.into_keys().collect();
    assert_eq!(found, [b"after".to_vec(), b"held".to_vec(), b"taken".to_vec()]);
    Ok(())
}

#[test]
fn future_waiting_for_the_queue_gets_closed_error() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = OpenOptions::new().queue(1).open(folder.path().join("store"))?;
    let held = Held::begin(&store);
    let mut waiting: Vec<_> = (0..5).map(|_| increment(&store)).collect();
    assert!(waiting.iter_mut().all(|transaction| poll_once(transaction).is_pending()));
    let closing = thread::spawn(move || store.close());
    held.end()?;
    let outcomes = run_with_timeout(|| block_on(join_all(waiting)));
    closing.join().unwrap()?;
    // While they are polled one after the other, a later one may get the free space first.
    let mut counts = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(count) => counts.push(count),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Closed),
        }
    }
    counts.sort_unstable();
    assert_eq!(counts, (1..=counts.len() as u64).collect::<Vec<_>>());
    let kept = Store::open(folder.path().join("store"))?;
    assert_eq!(count(&kept)?, counts.len() as u64, "a rejected transaction must not be committed");
    Ok(())
}

#[test]
fn panicking_waker_does_not_affect_others() -> Result<()> {
    struct Panics(AtomicU64);
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
            // Unlike `panic!`, this prints nothing.
            std::panic::resume_unwind(Box::new("a waker panicked"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let store = OpenOptions::new().queue(1).open(folder.path().join("store"))?;
    let held = Held::begin(&store);
    let panics = Arc::new(Panics(AtomicU64::new(0)));
    let (mut answered, mut waits_for_room) = (increment(&store), increment(&store));
    let waker = panics.clone().into();
    assert!(Pin::new(&mut answered).poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(Pin::new(&mut waits_for_room).poll(&mut Context::from_waker(&waker)).is_pending());
    let mut other = increment(&store);
    assert!(poll_once(&mut other).is_pending());
    held.end()?;
    let later = increment(&store);
    assert_eq!(run_with_timeout(|| later.wait())?, 2);
    assert_eq!(panics.0.load(Ordering::Relaxed), 2);
    assert_eq!(run_with_timeout(|| block_on(answered))?, 1);
    assert_eq!(run_with_timeout(|| block_on(other))?, 3);
    Ok(())
}

#[test]
fn blocking_call_inside_a_transaction_is_rejected() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    let requests: [fn(&Store) -> Result<()>; 4] =
        [Store::close, Store::flush, |store| store.compact(|_| {}), |store| store.check().map(drop)];
    for request in requests {
        let handle = store.clone();
        let asking = store.transact(move |_| request(&handle));
        assert_eq!(run_with_timeout(|| asking.wait()).unwrap_err().kind(), ErrorKind::Busy);
    }
    assert_eq!(increment(&store).wait()?, 1);
    Ok(())
}

#[test]
fn file_can_be_opened_after_concurrent_closes() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let path = folder.path().join(format!("store-{round}"));
        let store = Store::open(&path)?;
        let held = Held::begin(&store);
        let mut waiting: Vec<_> = (0..10).map(|_| increment(&store)).collect();
        assert!(waiting.iter_mut().all(|transaction| poll_once(transaction).is_pending()));
        let opened = run_on_threads(4, |n| {
            if n == 0 {
                held.release.send(()).unwrap();
                return Ok(());
            }
            store.close()?;
            match Store::open(&path) {
                Ok(again) => {
                    assert_eq!(count(&again)?, 10);
                    again.close()
                }
                // One of the other closers has opened it.
                Err(error) if error.kind() == ErrorKind::Locked && error.message().contains("process") => {
                    Ok(())
                }
                Err(error) => Err(error),
            }
        });
        opened.into_iter().collect::<Result<()>>()?;
        assert_eq!(
            block_on(join_all(waiting)).into_iter().collect::<Result<Vec<_>>>()?,
            (1..=10).collect::<Vec<_>>()
        );
        assert_eq!(count(&Store::open(&path)?)?, 10);
    }
    Ok(())
}

#[test]
fn dropping_the_last_handle_unlocks_the_file() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::open(&path)?;
    let handle = store.clone();
    increment(&store).wait()?;
    drop(store);
    assert_eq!(Store::open(&path).unwrap_err().kind(), ErrorKind::Locked);
    let pending = increment(&handle);
    drop(handle);
    assert_eq!(Store::open(&path).unwrap_err().kind(), ErrorKind::Locked);
    assert_eq!(pending.wait()?, 2, "a transaction must keep the store open");
    assert_eq!(count(&Store::open(&path)?)?, 2);
    Ok(())
}

#[test]
fn transaction_can_drop_the_last_handle() -> Result<()> {
    /// Reports when its store has been dropped.
    struct LastHandle(Option<Store>, mpsc::Sender<()>);
    impl Drop for LastHandle {
        fn drop(&mut self) {
            drop(self.0.take());
            let _ = self.1.send(());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::open(&path)?;
    let (dropped, was_dropped) = mpsc::channel();
    let (alone, is_alone) = mpsc::channel();
    let is_alone = Mutex::new(is_alone);
    let handle = LastHandle(Some(store.clone()), dropped);
    let mut transaction = store.transact(move |txn| {
        let _ = &handle;
        is_alone.lock().expect("no thread panicked").recv().expect("the test sends");
        txn.put(b"counter", &[7])
    });
    assert!(poll_once(&mut transaction).is_pending());
    drop((transaction, store));
    alone.send(()).unwrap();
    was_dropped.recv_timeout(Duration::from_secs(600)).expect("the writer must not wait for itself");
    let opened = run_with_timeout(move || {
        loop {
            match Store::open(&path) {
                Err(error) if error.kind() == ErrorKind::Locked => thread::yield_now(),
                opened => return opened,
            }
        }
    })?;
    assert_eq!(count(&opened)?, 7);
    Ok(())
}
