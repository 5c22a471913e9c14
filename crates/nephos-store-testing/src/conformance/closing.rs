//! Closing: accepted transactions are finished, and no caller waits forever.

use super::{Subject, block_on, increment, number, put, run_on_threads};
use nephos_store::{Error, ErrorKind, Result, Store, Txn};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

/// A closed store rejects every call, also through another handle or a prepared transaction; closing twice is allowed.
pub fn closed_store_rejects_every_call(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("a", "1")])?;
    let saved = subject.scratch("saved before closing");
    store.save_to(&saved, |_| {})?;
    let handle = store.clone();
    let begun_late = store.transact(increment);
    store.close()?;
    store.close()?;
    handle.close()?;

    let refusals = [
        ("a transaction made before", begun_late.wait().map(drop)),
        ("a transaction", handle.transact(increment).wait().map(drop)),
        ("an awaited transaction", block_on(store.transact(increment)).map(drop)),
        ("snapshot", store.snapshot().map(drop)),
        ("preview", store.preview(increment).map(drop)),
        ("fork", store.fork().map(drop)),
        ("save_to", store.save_to(subject.scratch("never written"), |_| {})),
        ("restore_from", store.restore_from(&saved, |_| {})),
        ("compact", store.compact(|_| {})),
        ("check", store.check().map(drop)),
        ("flush", store.flush()),
        ("stats", store.stats().map(drop)),
    ];
    for (what, outcome) in refusals {
        let error = outcome.expect_err(what);
        assert_eq!(error.kind(), ErrorKind::Closed, "{what}: {error}");
    }
    assert!(!subject.scratch("never written").exists());
    Ok(())
}

/// Threads and tasks increment a counter while the store is closed: each gets a count or the error `Closed`, and the
/// counts have no gap and no duplicate.
pub fn close_finishes_accepted_transactions(subject: &Subject) -> Result<()> {
    for _ in 0..20 {
        let store = subject.store();
        assert_counted_until_closed(&store, Store::close)?;
    }
    Ok(())
}

/// A close that runs concurrently with another returns when the store is closed, not before.
pub fn concurrent_close_waits_until_closed(subject: &Subject) -> Result<()> {
    for _ in 0..20 {
        let store = subject.store();
        let close = |store: &Store| run_on_threads(3, |_| store.close()).into_iter().collect();
        assert_counted_until_closed(&store, close)?;
    }
    Ok(())
}

/// The code of a transaction is dropped before its answer arrives: if the caller then drops the last handle, the store
/// is closed by that drop, and not later by the thread that ran the code.
pub fn closure_is_dropped_before_its_answer(subject: &Subject) -> Result<()> {
    let store = subject.store();
    for n in 0..200 {
        let held = Arc::new(());
        let code = {
            let held = held.clone();
            move |txn: &mut Txn<'_>| {
                let _ = &held;
                increment(txn)
            }
        };
        let transaction = store.transact(code);
        let counted = if n % 2 == 0 { transaction.wait()? } else { block_on(transaction)? };
        assert_eq!((counted, Arc::strong_count(&held)), (n + 1, 1));
    }
    Ok(())
}

fn assert_counted_until_closed(store: &Store, close: impl FnOnce(&Store) -> Result<()>) -> Result<()> {
    let acknowledged = AtomicU64::new(0);
    let counts = thread::scope(|scope| {
        let count = |n| {
            let acknowledged = &acknowledged;
            let next = move || {
                let transaction = store.transact(increment);
                if n % 2 == 0 { transaction.wait() } else { block_on(transaction) }
            };
            scope.spawn(move || {
                let mut counts = Vec::new();
                loop {
                    match next() {
                        Ok(count) => counts.push(count),
                        Err(error) => return (counts, error),
                    }
                    acknowledged.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let counting: Vec<_> = (0..4).map(count).collect();
        let watching = scope.spawn(|| watch_until_closed(store));
        while acknowledged.load(Ordering::Relaxed) < 10 {
            thread::yield_now();
        }
        close(store)?;
        let counts =
            counting.into_iter().map(|thread| thread.join().expect("a counting thread must not panic"));
        let counts = counts.collect::<Vec<_>>();
        watching.join().expect("the watching thread must not panic");
        Ok::<_, Error>(counts)
    })?;
    let mut all = Vec::new();
    for (counts, end) in counts {
        assert_eq!(end.kind(), ErrorKind::Closed, "{end}");
        all.extend(counts);
    }
    all.sort_unstable();
    assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
    Ok(())
}

/// Takes snapshots until the store is closed, and asserts that the count never decreases.
fn watch_until_closed(store: &Store) {
    let mut seen = 0;
    loop {
        match store.snapshot().and_then(|snapshot| number(&snapshot, b"counter")) {
            Ok(count) if count >= seen => seen = count,
            Ok(count) => panic!("{count} after {seen}"),
            Err(error) => return assert_eq!(error.kind(), ErrorKind::Closed, "{error}"),
        }
    }
}
