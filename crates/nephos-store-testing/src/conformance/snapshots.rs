//! Snapshots during writes: each shows one unchanged state.

use super::{Subject, block_on, increment, join_all, number, put_number, rows, run_on_threads};
use nephos_store::{Direction, Error, KeyRange, Result, Store, Txn, View};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

/// A snapshot shows the same rows while hundreds of later transactions change all of them.
pub fn snapshot_is_unchanged_by_later_writes(subject: &Subject) -> Result<()> {
    const ROWS: usize = 40;
    let store = subject.store();
    store
        .transact(|txn| (0..ROWS).try_for_each(|n| txn.put(format!("{n:03}").as_bytes(), b"before")))
        .wait()?;
    let before = store.snapshot()?;
    let seen = rows(&before)?;
    assert_eq!(seen.len(), ROWS);

    let mut later = Vec::new();
    for round in 0..8 {
        let change = |n| store.transact(move |txn| change_three_rows(txn, n, round));
        for changed in block_on(join_all((0..ROWS).map(change).collect())) {
            changed?;
        }
        assert_eq!(rows(&before)?, seen, "round {round}");
        let now = store.snapshot()?;
        later.push((rows(&now)?, now));
    }
    assert_eq!(before.get(b"007")?.as_deref(), Some(b"before".as_slice()));
    assert_eq!(before.get(b"007/new")?, None);
    let last = before.range(&KeyRange::all(), Direction::Descending, 1)?;
    assert_eq!(last[0].key(), format!("{:03}", ROWS - 1).as_bytes());
    for (round, (then, snapshot)) in later.iter().enumerate() {
        assert_eq!(&rows(snapshot)?, then, "the snapshot of round {round} has changed");
        assert_ne!(then, &seen);
    }
    Ok(())
}

fn change_three_rows(txn: &mut Txn<'_>, n: usize, round: usize) -> Result<()> {
    let old = format!("{n:03}");
    match round % 3 {
        0 => txn.put(old.as_bytes(), format!("round {round}").as_bytes())?,
        1 => txn.delete(old.as_bytes())?,
        _ => txn.put(old.as_bytes(), b"again")?,
    }
    txn.put(format!("{n:03}/new").as_bytes(), &[0; 300])?;
    txn.put(format!("{n:03}/{round}").as_bytes(), b"")
}

/// Every snapshot taken during transfers between accounts shows the same total, by key and by range.
pub fn snapshot_is_consistent_during_writes(subject: &Subject) -> Result<()> {
    const ACCOUNTS: usize = 8;
    const TOTAL: u64 = 100 * ACCOUNTS as u64;
    let store = subject.store();
    store.transact(|txn| (0..ACCOUNTS).try_for_each(|n| put_number(txn, &[n as u8], 100))).wait()?;
    let moved = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            loop {
                // Read before the snapshot is taken, so that the last snapshot shows the last transfer.
                let last = moved.load(Ordering::Acquire);
                assert_eq!(sum_of_snapshot(&store)?, (TOTAL, TOTAL));
                if last {
                    return Ok::<_, Error>(());
                }
            }
        });
        let writers = run_on_threads(2, |writer| {
            (0..60).try_for_each(|n| {
                let (from, to) = ((n + writer) % ACCOUNTS, (n * 3 + 1) % ACCOUNTS);
                store.transact(move |txn| transfer(txn, from, to)).wait()
            })
        });
        moved.store(true, Ordering::Release);
        writers.into_iter().collect::<Result<()>>()?;
        reader.join().expect("every snapshot must show the same sum")
    })
}

fn transfer(txn: &mut Txn<'_>, from: usize, to: usize) -> Result<()> {
    let (from, to) = ([from as u8], [to as u8]);
    let amount = number(txn, &from)?.min(7);
    put_number(txn, &from, number(txn, &from)? - amount)?;
    put_number(txn, &to, number(txn, &to)? + amount)
}

/// Returns the sum of all accounts in a new snapshot, read by key and as a range.
fn sum_of_snapshot(store: &Store) -> Result<(u64, u64)> {
    let snapshot = store.snapshot()?;
    let mut sums = (0, 0);
    for row in snapshot.range(&KeyRange::all(), Direction::Ascending, usize::MAX)? {
        sums.0 += number(&snapshot, row.key())?;
        sums.1 += u64::from_be_bytes(row.value().try_into().expect("a number has eight bytes"));
    }
    Ok(sums)
}

/// After a transaction is acknowledged, the next snapshot shows it, through any handle.
pub fn snapshot_shows_acknowledged_writes(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let done = run_on_threads(4, |_| {
        let handle = store.clone();
        for _ in 0..25 {
            let count = store.transact(increment).wait()?;
            assert!(number(&handle.snapshot()?, b"counter")? >= count, "{count} was acknowledged");
        }
        Ok(())
    });
    done.into_iter().collect()
}
