//! Forks: independent stores that start with the rows of another.

use super::{Subject, block_on, delete, increment, number, put, rows, rows_of, run_on_threads};
use nephos_store::{Direction, Error, KeyRange, Result, Store, View};

/// Neither store sees later writes of the other, also while both write.
pub fn fork_and_origin_are_isolated(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("kept", "1"), ("changed", "1"), ("removed", "1")])?;
    let fork = store.fork()?;
    let before = rows_of(&[("kept", "1"), ("changed", "1"), ("removed", "1")]);
    assert_eq!(rows(&fork.snapshot()?)?, before);

    put(&fork, &[("changed", "fork"), ("added", "fork")])?;
    delete(&fork, "removed")?;
    let of_fork = rows_of(&[("kept", "1"), ("changed", "fork"), ("added", "fork")]);
    assert_eq!(rows(&fork.snapshot()?)?, of_fork);
    assert_eq!(rows(&store.snapshot()?)?, before);

    put(&store, &[("kept", "origin"), ("removed", "origin"), ("more", "origin")])?;
    delete(&store, "changed")?;
    let of_store = rows_of(&[("kept", "origin"), ("removed", "origin"), ("more", "origin")]);
    assert_eq!(rows(&fork.snapshot()?)?, of_fork);
    assert_eq!(rows(&store.snapshot()?)?, of_store);

    let counts = run_on_threads(2, |n| {
        let store = if n == 0 { &store } else { &fork };
        (0..40).try_for_each(|_| block_on(store.transact(increment)).map(drop))
    });
    counts.into_iter().collect::<Result<()>>()?;
    assert_eq!(number(&store.snapshot()?, b"counter")?, 40);
    assert_eq!(number(&fork.snapshot()?, b"counter")?, 40);
    Ok(())
}

/// Ranges of a fork merge its own writes with the rows it started with, and omit the deleted ones.
pub fn fork_merges_its_writes_with_its_origin(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("b", "1"), ("d", "1"), ("f", "1"), ("h", "1")])?;
    let fork = store.fork()?;
    put(&fork, &[("a", "2"), ("d", "2"), ("e", "2"), ("i", "2")])?;
    delete(&fork, "f")?;
    delete(&fork, "h")?;
    delete(&fork, "z")?;
    let expected = [("a", "2"), ("b", "1"), ("d", "2"), ("e", "2"), ("i", "2")];
    assert_reads(&fork, &expected)?;

    // Two layers: a transaction on top of the fork on top of its origin.
    let woven = fork
        .transact(|txn| {
            txn.delete(b"a")?;
            txn.delete(b"b")?;
            txn.put(b"f", b"3")?;
            let up = txn.range(&KeyRange::from_bounds("a".."i"), Direction::Ascending, 3)?;
            let down = txn.range(&KeyRange::from_bounds("a"..="h"), Direction::Descending, 2)?;
            txn.put(b"a", b"2")?;
            txn.put(b"b", b"1")?;
            txn.delete(b"f")?;
            Ok::<_, Error>(
                [up, down].map(|rows| rows.iter().map(|row| row.key().to_vec()).collect::<Vec<_>>()),
            )
        })
        .wait()?;
    assert_eq!(
        woven,
        [vec![b"d".to_vec(), b"e".to_vec(), b"f".to_vec()], vec![b"f".to_vec(), b"e".to_vec()]]
    );
    assert_reads(&fork, &expected)?;

    put(&fork, &[("h", "3")])?;
    assert_reads(&fork, &[("a", "2"), ("b", "1"), ("d", "2"), ("e", "2"), ("h", "3"), ("i", "2")])?;
    assert_reads(&store, &[("b", "1"), ("d", "1"), ("f", "1"), ("h", "1")])
}

/// Asserts that `store` holds exactly `expected`, by every way of reading.
fn assert_reads(store: &Store, expected: &[(&str, &str)]) -> Result<()> {
    let snapshot = store.snapshot()?;
    assert_eq!(rows(&snapshot)?, rows_of(expected));
    for direction in [Direction::Ascending, Direction::Descending] {
        let mut keys: Vec<_> = expected.iter().map(|(key, _)| key.as_bytes()).collect();
        if direction == Direction::Descending {
            keys.reverse();
        }
        for limit in 1..=keys.len() {
            let found = snapshot.range(&KeyRange::all(), direction, limit)?;
            assert_eq!(found.iter().map(|row| row.key()).collect::<Vec<_>>(), keys[..limit]);
        }
    }
    for key in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "z"] {
        let value = expected.iter().find(|(at, _)| *at == key).map(|(_, value)| value.as_bytes());
        assert_eq!(snapshot.get(key.as_bytes())?.as_deref(), value, "{key}");
    }
    Ok(())
}

/// A fork can be forked; closing or dropping one leaves the others as they are.
pub fn fork_of_a_fork_is_independent(subject: &Subject) -> Result<()> {
    let store = subject.store();
    put(&store, &[("a", "store"), ("b", "store"), ("c", "store")])?;
    let child = store.fork()?;
    put(&child, &[("b", "child")])?;
    delete(&child, "a")?;
    let grandchild = child.fork()?;
    put(&grandchild, &[("a", "grandchild"), ("d", "grandchild")])?;
    delete(&grandchild, "b")?;
    put(&child, &[("c", "child")])?;

    assert_eq!(rows(&store.snapshot()?)?, rows_of(&[("a", "store"), ("b", "store"), ("c", "store")]));
    assert_eq!(rows(&child.snapshot()?)?, rows_of(&[("b", "child"), ("c", "child")]));
    let of_grandchild = rows_of(&[("a", "grandchild"), ("c", "store"), ("d", "grandchild")]);
    assert_eq!(rows(&grandchild.snapshot()?)?, of_grandchild);

    child.close()?;
    assert_eq!(rows(&grandchild.snapshot()?)?, of_grandchild);
    grandchild.compact(|_| {})?;
    assert_eq!(rows(&grandchild.snapshot()?)?, of_grandchild);
    drop((child, grandchild));
    assert_eq!(rows(&store.snapshot()?)?, rows_of(&[("a", "store"), ("b", "store"), ("c", "store")]));
    Ok(())
}
