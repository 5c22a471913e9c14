//! Concurrent transactions: whatever the interleaving, the outcome is that of some serial order.

use super::{Subject, block_on, increment, join_all, number, put_number, rows, run_on_threads};
use nephos_store::{Direction, Error, ErrorKind, KeyRange, Result, Store, Txn, View};
use std::panic::resume_unwind;

const THREADS: usize = 4;
const ROUNDS: usize = 25;

/// Increments from several threads lose no update.
pub fn concurrent_increments_lose_no_update(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let counts = run_on_threads(THREADS, |_| {
        (0..ROUNDS).map(|_| store.transact(increment).wait()).collect::<Result<Vec<_>>>()
    });
    assert_counted(&store, counts)
}

/// Increments from several tasks lose no update, whether each task has its own thread or many share one.
pub fn concurrent_async_increments_lose_no_update(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let counts = run_on_threads(THREADS, |thread| {
        block_on(async {
            let mut counts = Vec::new();
            if thread % 2 == 0 {
                for _ in 0..ROUNDS {
                    counts.push(store.transact(increment).await?);
                }
            } else {
                let all = (0..ROUNDS).map(|_| store.transact(increment)).collect();
                for count in join_all(all).await {
                    counts.push(count?);
                }
            }
            Ok(counts)
        })
    });
    assert_counted(&store, counts)
}

fn assert_counted(store: &Store, counts: Vec<Result<Vec<u64>>>) -> Result<()> {
    let mut counts = counts.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let total = (THREADS * ROUNDS) as u64;
    counts.sort_unstable();
    assert_eq!(counts, (1..=total).collect::<Vec<_>>(), "each count must be returned once");
    assert_eq!(number(&store.snapshot()?, b"counter")?, total);
    Ok(())
}

/// Each account may be overdrawn as long as the sum is not: of two withdrawals that first read both accounts and then
/// write different ones, one is rejected.
pub fn no_write_skew(subject: &Subject) -> Result<()> {
    let store = subject.store();
    for round in 0..ROUNDS {
        store
            .transact(|txn: &mut Txn<'_>| {
                put_number(txn, b"one", 100)?;
                put_number(txn, b"other", 100)
            })
            .wait()?;
        let withdrew = run_on_threads(2, |who| {
            let from: &[u8] = if who == 0 { b"one" } else { b"other" };
            store.transact(move |txn| withdraw(txn, from)).wait()
        });
        let withdrew = withdrew.into_iter().collect::<Result<Vec<_>>>()?;
        assert_eq!(withdrew.iter().filter(|done| **done).count(), 1, "round {round}: {withdrew:?}");
        let snapshot = store.snapshot()?;
        assert_eq!(number(&snapshot, b"one")? + number(&snapshot, b"other")?, 100, "round {round}");
    }
    Ok(())
}

fn withdraw(txn: &mut Txn<'_>, from: &[u8]) -> Result<bool> {
    let sum = number(txn, b"one")? + number(txn, b"other")?;
    if sum < 200 {
        return Ok(false);
    }
    put_number(txn, from, number(txn, from)? - 100)?;
    Ok(true)
}

/// A fixed number of seats: counting the taken seats and then taking one is atomic.
pub fn no_phantom_read_by_insert(subject: &Subject) -> Result<()> {
    const SEATS: usize = 3;
    let store = subject.store();
    for round in 0..ROUNDS {
        let flight = format!("flight-{round}/");
        let seated = run_on_threads(THREADS * 2, |passenger| {
            let (seats, seat) = (KeyRange::prefix(flight.as_bytes()), format!("{flight}{passenger}"));
            store
                .transact(move |txn| {
                    let free = txn.range(&seats, Direction::Ascending, usize::MAX)?.len() < SEATS;
                    if free {
                        txn.put(seat.as_bytes(), b"taken")?;
                    }
                    Ok::<_, Error>(free)
                })
                .wait()
        });
        let seated = seated.into_iter().collect::<Result<Vec<_>>>()?;
        let taken = rows(&store.snapshot()?)?.keys().filter(|key| key.starts_with(flight.as_bytes())).count();
        assert_eq!(taken, SEATS, "round {round}");
        assert_eq!(seated.iter().filter(|done| **done).count(), SEATS, "round {round}: {seated:?}");
    }
    Ok(())
}

/// At least one guard stays on duty: seeing another guard and then leaving is atomic.
pub fn no_phantom_read_by_delete(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let guards = KeyRange::prefix(b"guard/");
    for round in 0..ROUNDS {
        store
            .transact(|txn| {
                (0..THREADS).try_for_each(|n| txn.put(format!("guard/{n}").as_bytes(), b"on duty"))
            })
            .wait()?;
        let left = run_on_threads(THREADS, |n| {
            let (guards, me) = (guards.clone(), format!("guard/{n}"));
            store
                .transact(move |txn| {
                    let relieved = txn.range(&guards, Direction::Descending, 2)?.len() == 2;
                    if relieved {
                        txn.delete(me.as_bytes())?;
                    }
                    Ok::<_, Error>(relieved)
                })
                .wait()
        });
        let left = left.into_iter().collect::<Result<Vec<_>>>()?;
        assert_eq!(rows(&store.snapshot()?)?.len(), 1, "round {round}");
        assert_eq!(left.iter().filter(|left| **left).count(), THREADS - 1, "round {round}: {left:?}");
    }
    Ok(())
}

/// Error of a transaction of [`failed_transaction_does_not_affect_others`].
#[derive(Debug)]
enum Failure {
    Refused(usize),
    Store(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// Concurrent transactions, some of which return an error or panic after their writes: only the writes of the others
/// are committed, and each caller gets its own error.
pub fn failed_transaction_does_not_affect_others(subject: &Subject) -> Result<()> {
    const EACH: usize = 30;
    let store = subject.store();
    let outcomes = run_on_threads(THREADS, |thread| {
        let numbers = thread * EACH..(thread + 1) * EACH;
        let all = numbers.map(|n| store.transact(move |txn| fail_two_of_three(txn, n))).collect();
        block_on(join_all(all))
    });
    for (n, outcome) in outcomes.into_iter().flatten().enumerate() {
        match (n % 3, outcome) {
            (0, Ok(answer)) => assert_eq!(answer, n),
            (1, Err(Failure::Refused(who))) => assert_eq!(who, n),
            (2, Err(Failure::Store(error))) => {
                assert_eq!(error.kind(), ErrorKind::Panicked);
                assert!(error.message().ends_with(&format!(" {n} panicked")), "{n} got: {error}");
            }
            (_, outcome) => panic!("{n} got {outcome:?}"),
        }
    }
    let snapshot = store.snapshot()?;
    let kept = (0..THREADS * EACH).filter(|n| n % 3 == 0);
    assert_eq!(number(&snapshot, b"counter")?, kept.clone().count() as u64);
    let mut expected: Vec<_> = kept.map(|n| format!("row/{n:04}").into_bytes()).collect();
    expected.insert(0, b"counter".to_vec());
    assert_eq!(rows(&snapshot)?.into_keys().collect::<Vec<_>>(), expected);
    Ok(())
}

fn fail_two_of_three(txn: &mut Txn<'_>, n: usize) -> Result<usize, Failure> {
    increment(txn)?;
    txn.put(format!("row/{n:04}").as_bytes(), b"")?;
    match n % 3 {
        0 => Ok(n),
        1 => Err(Failure::Refused(n)),
        // Unlike `panic!`, this prints nothing.
        _ => resume_unwind(Box::new(format!("number {n} panicked"))),
    }
}
