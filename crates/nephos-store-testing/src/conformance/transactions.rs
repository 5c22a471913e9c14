//! A single transaction: its reads, its errors, and its statistics.

use super::{Subject, increment, number, put, rows, rows_of};
use nephos_store::{
    Direction, Error, ErrorKind, KeyRange, MAX_KEY_BYTES, MAX_VALUE_BYTES, OpenOptions, Result, RowChange,
    Txn, View,
};
use std::{
    panic::resume_unwind,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

/// A transaction sees its own writes and deletes, by key and in ranges of both directions; others see them after the
/// commit.
pub fn read_your_writes(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("b", "1"), ("d", "1"), ("f", "1"), ("h", "1")])?;
    let expected = [("a", "2"), ("b", "3"), ("d", "2"), ("e", "2"), ("h", "1")];
    let seen = store
        .transact(|txn| {
            txn.put(b"a", b"2")?;
            txn.delete(b"b")?;
            txn.put(b"b", b"3")?;
            txn.put(b"d", b"1")?;
            txn.put(b"d", b"2")?;
            txn.put(b"e", b"2")?;
            txn.delete(b"f")?;
            txn.put(b"g", b"2")?;
            txn.delete(b"g")?;
            txn.delete(b"never there")?;
            let gets = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|key| txn.get(key.as_bytes()));
            let ranges = [
                txn.range(&KeyRange::all(), Direction::Ascending, usize::MAX)?,
                txn.range(&KeyRange::all(), Direction::Descending, usize::MAX)?,
                txn.range(&KeyRange::from_bounds("b".."h"), Direction::Ascending, 2)?,
                txn.range(&KeyRange::from_bounds("b".."h"), Direction::Descending, 2)?,
                txn.range(&KeyRange::from_bounds("f"..="g"), Direction::Ascending, usize::MAX)?,
            ];
            Ok::<_, Error>((gets.into_iter().collect::<Result<Vec<_>>>()?, ranges))
        })
        .wait()?;
    let (gets, ranges) = seen;
    let gets: Vec<_> = gets.iter().map(|value| value.as_deref().map(|value| value[0])).collect();
    assert_eq!(gets, [Some(b'2'), Some(b'3'), None, Some(b'2'), Some(b'2'), None, None, Some(b'1')]);
    let keys = ranges.map(|rows| rows.iter().map(|row| row.key()[0] as char).collect::<String>());
    assert_eq!(keys, ["abdeh", "hedba", "bd", "ed", ""]);
    assert_eq!(rows(&store.snapshot()?)?, rows_of(&expected));
    Ok(())
}

/// With `run_twice` every transaction's code is run twice, and committed once if both runs agree.
pub fn code_run_twice_is_committed_once(subject: &Subject) -> Result<()> {
    let store = subject.store_with(OpenOptions::new().run_twice(true));
    let before = store.stats()?;
    let runs = Arc::new(AtomicU64::new(0));
    for count in 1..=5 {
        let runs = runs.clone();
        let counted = store.transact(move |txn| {
            runs.fetch_add(1, Ordering::Relaxed);
            increment(txn)
        });
        assert_eq!(counted.wait()?, count);
    }
    assert_eq!(runs.load(Ordering::Relaxed), 10);
    assert_eq!(number(&store.snapshot()?, b"counter")?, 5);
    assert_eq!(store.stats()?.committed - before.committed, 5);
    let refused = store.transact(|txn| {
        txn.put(b"a", b"1")?;
        Err::<(), _>(Error::new(ErrorKind::Busy, "no"))
    });
    assert_eq!(refused.wait().expect_err("its code returns an error").kind(), ErrorKind::Busy);
    Ok(())
}

/// Code whose writes depend on anything but what it reads is rejected, and writes nothing.
pub fn code_with_varying_writes_is_rejected(subject: &Subject) -> Result<()> {
    let store = subject.store_with(OpenOptions::new().run_twice(true));
    put(&store, &[("a", "1")])?;
    let runs = Arc::new(AtomicU64::new(0));
    let by_value = {
        let runs = runs.clone();
        store.transact(move |txn| put_number_of(txn, b"a", &runs))
    };
    let by_key = {
        let runs = runs.clone();
        store.transact(move |txn| txn.put(&runs.fetch_add(1, Ordering::Relaxed).to_be_bytes(), b"1"))
    };
    let once_only = store.transact(move |txn| {
        if runs.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { txn.put(b"b", b"1") } else { Ok(()) }
    });
    for impure in [by_value, by_key, once_only] {
        let error = impure.wait().expect_err("its code is not a function of what it reads");
        assert_eq!(error.kind(), ErrorKind::Impure, "{error}");
    }
    assert_eq!(rows(&store.snapshot()?)?, rows_of(&[("a", "1")]));
    put(&store, &[("a", "2")])
}

fn put_number_of(txn: &mut Txn<'_>, key: &[u8], source: &AtomicU64) -> Result<()> {
    super::put_number(txn, key, source.fetch_add(1, Ordering::Relaxed))
}

/// Code that succeeds in one run and fails in the other is rejected, and writes nothing.
pub fn code_with_varying_result_is_rejected(subject: &Subject) -> Result<()> {
    for content_first in [true, false] {
        let store = subject.store_with(OpenOptions::new().run_twice(true));
        let runs = AtomicU64::new(0);
        let impure = store.transact(move |txn| {
            txn.put(b"a", b"1")?;
            let first = runs.fetch_add(1, Ordering::Relaxed) == 0;
            if first == content_first { Ok(()) } else { Err(Error::new(ErrorKind::Busy, "not now")) }
        });
        let error = impure.wait().expect_err("its code returns two different results");
        assert_eq!(error.kind(), ErrorKind::Impure, "{error}");
        assert!(rows(&store.snapshot()?)?.is_empty());
    }
    Ok(())
}

/// A preview returns the answer of the code and the rows it would change, before and after; nothing is written.
pub fn preview_reports_changes_without_writing(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("changed", "1"), ("kept", "1"), ("removed", "1"), ("same", "1")])?;
    let before = rows(&store.snapshot()?)?;
    let counted = store.stats()?;
    let (answer, changes) = store.preview(|txn| {
        txn.put(b"same", b"1")?;
        txn.put(b"changed", b"2")?;
        txn.delete(b"removed")?;
        txn.delete(b"absent")?;
        txn.put(b"added", b"2")?;
        txn.put(b"passing", b"2")?;
        txn.delete(b"passing")?;
        Ok::<_, Error>(txn.range(&KeyRange::all(), Direction::Ascending, usize::MAX)?.len())
    })?;
    assert_eq!(answer, 4);
    let change = |key: &str, before: Option<&str>, after: Option<&str>| RowChange {
        key: key.as_bytes().into(),
        before: before.map(|value| value.as_bytes().into()),
        after: after.map(|value| value.as_bytes().into()),
    };
    let expected = [
        change("added", None, Some("2")),
        change("changed", Some("1"), Some("2")),
        change("removed", Some("1"), None),
    ];
    assert_eq!(changes, expected);
    assert_eq!(rows(&store.snapshot()?)?, before);
    assert_eq!(store.stats()?.committed, counted.committed);
    Ok(())
}

/// A preview whose code fails or panics returns the error, and nothing is written.
pub fn failed_preview_returns_its_error(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("a", "1")])?;
    let refused = store.preview(|txn| {
        txn.put(b"a", b"2")?;
        Err::<(), _>(Error::new(ErrorKind::Busy, "not today"))
    });
    assert_eq!(refused.expect_err("its code returns an error").message(), "not today");
    let panicked = store.preview(|txn| {
        txn.delete(b"a")?;
        // Unlike `panic!`, this prints nothing.
        if txn.get(b"a")?.is_none() { resume_unwind(Box::new("panicked")) } else { Ok::<_, Error>(()) }
    });
    assert_eq!(panicked.expect_err("its code panicked").kind(), ErrorKind::Panicked);
    assert_eq!(rows(&store.snapshot()?)?, rows_of(&[("a", "1")]));
    put(&store, &[("a", "3")])
}

/// Keys and values up to the limits are accepted; one byte more fails the whole transaction.
pub fn oversized_keys_and_values_are_rejected(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let attempts: [fn(&mut Txn<'_>) -> Result<()>; 3] = [
        |txn| txn.put(&[1; MAX_KEY_BYTES + 1], b""),
        |txn| txn.delete(&[1; MAX_KEY_BYTES + 1]),
        |txn| txn.put(b"a", &vec![1; MAX_VALUE_BYTES + 1]),
    ];
    for attempt in attempts {
        let refused = store.transact(move |txn| {
            txn.put(b"beside", b"1")?;
            attempt(txn)
        });
        assert_eq!(refused.wait().expect_err("it is too large").kind(), ErrorKind::TooLarge);
    }
    assert!(rows(&store.snapshot()?)?.is_empty());
    assert_eq!(store.snapshot()?.get(&[1; MAX_KEY_BYTES + 1])?, None);

    let largest = store.transact(|txn| {
        txn.put(&[1; MAX_KEY_BYTES], b"longest key")?;
        txn.put(b"largest value", &vec![7; MAX_VALUE_BYTES])
    });
    largest.wait()?;
    let snapshot = store.snapshot()?;
    assert_eq!(snapshot.get(&[1; MAX_KEY_BYTES])?.as_deref(), Some(b"longest key".as_slice()));
    let value = snapshot.get(b"largest value")?.expect("it was put");
    assert!(value.len() == MAX_VALUE_BYTES && value.iter().all(|byte| *byte == 7));
    Ok(())
}

/// A transaction that is dropped before it is polled or waited for does nothing.
pub fn unstarted_transaction_does_nothing(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let before = store.stats()?;
    let runs = Arc::new(AtomicU64::new(0));
    let never_begun = store.transact({
        let runs = runs.clone();
        move |txn| {
            runs.fetch_add(1, Ordering::Relaxed);
            increment(txn)
        }
    });
    drop(never_begun);
    assert_eq!(store.transact(increment).wait()?, 1);
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    assert_eq!(store.stats()?.committed - before.committed, 1);
    Ok(())
}

/// A transaction that was polled, and so started, can still be waited for.
pub fn polled_transaction_can_be_waited_for(subject: &Subject) -> Result<()> {
    let store = subject.store();
    for count in 1..=5 {
        let mut transaction = store.transact(increment);
        let counted = match Pin::new(&mut transaction).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(counted) => counted,
            Poll::Pending => transaction.wait(),
        };
        assert_eq!(counted?, count);
    }
    Ok(())
}

/// Statistics count the rows, their bytes, and the transactions since the store was opened.
pub fn stats_count_rows_and_transactions(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let before = store.stats()?;
    assert_eq!((before.rows, before.bytes), (0, 0));
    put(&store, &[("a", "12345"), ("bb", "")])?;
    put(&store, &[("a", "123")])?;
    store.transact(|txn| txn.get(b"a").map(drop)).wait()?;
    let refused = store.transact(|txn| {
        txn.put(b"c", b"1")?;
        Err::<(), _>(Error::new(ErrorKind::Busy, "no"))
    });
    refused.wait().expect_err("its code returns an error");

    let after = store.stats()?;
    assert_eq!((after.rows, after.bytes), (2, 6));
    assert_eq!(after.committed - before.committed, 2);
    assert_eq!(after.unwritten - before.unwritten, 2);
    assert_eq!(after.commits - before.commits, 2, "sequential transactions do not share a commit");
    assert_eq!(after.group_sizes[0] - before.group_sizes[0], 2);
    assert_eq!(after.failed, before.failed);
    Ok(())
}

/// Calls inside a transaction that would wait for it are rejected; the transaction itself continues.
pub fn nested_transaction_is_rejected(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let within = store.clone();
    let refused = store.transact(move |txn| {
        txn.put(b"outer", b"1")?;
        let inner = within.transact(|txn| txn.put(b"inner", b"1")).wait();
        let others = [inner, within.compact(|_| {}), within.close()];
        Ok::<_, Error>(
            others.map(|outcome| outcome.expect_err("it would wait for its own transaction").kind()),
        )
    });
    assert_eq!(refused.wait()?, [ErrorKind::Busy; 3]);
    let snapshot = store.snapshot()?;
    assert!(snapshot.get(b"outer")?.is_some() && snapshot.get(b"inner")?.is_none());
    Ok(())
}
