//! Ordered reads: all bounds, both directions, limits, and pages.

use super::{Subject, rows};
use nephos_store::{Direction, Error, KeyRange, Result, Row, Store, View};
use std::ops::{Bound, ControlFlow, RangeBounds};

const DIRECTIONS: [Direction; 2] = [Direction::Ascending, Direction::Descending];

/// Keys at the edges of the order: the empty key, prefixes of each other, neighbours, and the highest bytes.
const KEYS: [&[u8]; 12] = [
    b"",
    b"\0",
    b"\0\0",
    b"a",
    b"a\0",
    b"a\0b",
    b"aa",
    b"b",
    b"\xFE\xFF",
    b"\xFF",
    b"\xFF\0",
    b"\xFF\xFF\xFF",
];

/// Keys without rows, between those of [`KEYS`].
const ABSENT: [&[u8]; 4] = [b"\0\x01", b"a\0a", b"c", b"\xFF\xFF"];

type Bounds = (Bound<&'static [u8]>, Bound<&'static [u8]>);

/// Returns all ranges between two of the keys, included or excluded, also inverted ones.
fn all_bounds() -> Vec<Bounds> {
    let keys = KEYS.into_iter().chain(ABSENT);
    let ends: Vec<_> =
        keys.flat_map(|key| [Bound::Included(key), Bound::Excluded(key)]).chain([Bound::Unbounded]).collect();
    ends.iter().flat_map(|start| ends.iter().map(|end| (*start, *end))).collect()
}

/// Returns the keys for which `inside` is true, in the order of a scan.
fn expected(inside: impl Fn(&[u8]) -> bool, direction: Direction) -> Vec<&'static [u8]> {
    let mut keys: Vec<_> = KEYS.into_iter().filter(|key| inside(key)).collect();
    if direction == Direction::Descending {
        keys.reverse();
    }
    keys
}

fn keys_of(rows: &[Row]) -> Vec<&[u8]> {
    rows.iter().map(|row| row.key()).collect()
}

/// Creates a store with a row for each of [`KEYS`], whose value is its key.
fn filled_store(subject: &Subject) -> Result<Store> {
    let store = subject.store();
    store.transact(|txn| KEYS.iter().try_for_each(|key| txn.put(key, key))).wait()?;
    Ok(store)
}

/// Calls `assert` with the same rows in all kinds of views: a snapshot, a transaction that only reads, one that wrote
/// some or all of them itself, and a fork.
fn for_every_view(subject: &Subject, assert: fn(&dyn View) -> Result<()>) -> Result<()> {
    let store = filled_store(subject)?;
    assert(&store.snapshot()?)?;
    assert(&store.fork()?.snapshot()?)?;
    store.transact(move |txn| assert(txn)).wait()?;
    for own in 1..=3 {
        let store = subject.store();
        store
            .transact(move |txn| {
                ABSENT.iter().try_for_each(|key| txn.put(key, b"to be deleted"))?;
                KEYS.iter().skip(1).step_by(own).try_for_each(|key| txn.put(key, b"to be replaced"))
            })
            .wait()?;
        let complete = move |txn: &mut nephos_store::Txn<'_>| {
            ABSENT.iter().try_for_each(|key| txn.delete(key))?;
            KEYS.iter().try_for_each(|key| txn.put(key, key))?;
            assert(txn)
        };
        store.preview(complete)?;
        let fork = store.fork()?;
        fork.transact(complete).wait()?;
        assert(&fork.snapshot()?)?;
        assert(&fork.fork()?.snapshot()?)?;
        store.transact(complete).wait()?;
        assert(&store.snapshot()?)?;
    }
    Ok(())
}

/// A range holds exactly the rows between its bounds; an inverted or empty range holds none.
pub fn ranges_with_included_and_excluded_bounds(subject: &Subject) -> Result<()> {
    for_every_view(subject, |view| {
        for bounds in all_bounds() {
            let range = KeyRange::from_bounds::<&[u8]>(bounds);
            for direction in DIRECTIONS {
                let found = view.range(&range, direction, usize::MAX)?;
                let expected = expected(|key| RangeBounds::<&[u8]>::contains(&bounds, &key), direction);
                assert_eq!(keys_of(&found), expected, "{bounds:?} {direction:?}");
                assert!(found.iter().all(|row| row.key() == row.value()), "{found:?}");
            }
        }
        for key in KEYS {
            assert_eq!(view.get(key)?.as_deref(), Some(key));
        }
        for key in ABSENT {
            assert_eq!(view.get(key)?, None);
        }
        Ok(())
    })
}

/// A prefix range holds exactly the rows whose keys begin with the prefix, even one of 0xFF bytes only.
pub fn ranges_with_prefix(subject: &Subject) -> Result<()> {
    for_every_view(subject, |view| {
        for prefix in KEYS.into_iter().chain(ABSENT) {
            for direction in DIRECTIONS {
                let found = view.range(&KeyRange::prefix(prefix), direction, usize::MAX)?;
                let expected = expected(|key| key.starts_with(prefix), direction);
                assert_eq!(keys_of(&found), expected, "{prefix:?} {direction:?}");
            }
        }
        Ok(())
    })
}

/// Limits of zero, one, fewer, exactly as many, and more rows than exist; a scan ends when its visitor breaks off.
pub fn range_limits_at_boundaries(subject: &Subject) -> Result<()> {
    for_every_view(subject, |view| {
        for direction in DIRECTIONS {
            let range = KeyRange::from_bounds::<&[u8]>(..=b"b".as_slice());
            let expected = expected(|key| key <= b"b".as_slice(), direction);
            for limit in (0..expected.len() + 2).chain([usize::MAX]) {
                let found = view.range(&range, direction, limit)?;
                assert_eq!(keys_of(&found), expected[..limit.min(expected.len())], "{limit} {direction:?}");
            }
            for stop in 1..=expected.len() {
                let mut visited = 0;
                view.scan(&range, direction, &mut |_, _| {
                    visited += 1;
                    if visited < stop { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })?;
                assert_eq!(visited, stop, "{direction:?}");
            }
        }
        Ok(())
    })
}

/// Continuing after the last key of a page returns each row exactly once, also if that row is deleted meanwhile.
pub fn pagination_returns_each_row_once(subject: &Subject) -> Result<()> {
    for_every_view(subject, |view| {
        for direction in DIRECTIONS {
            for range in [KeyRange::all(), KeyRange::from_bounds("a".."c"), KeyRange::prefix(b"\xFF")] {
                let expected = expected(|key| range.contains(key), direction);
                for size in 1..=expected.len() + 1 {
                    let found =
                        read_pages(&range, direction, size, |rest| view.range(rest, direction, size))?;
                    assert_eq!(keys_of(&found), expected, "{range:?} {direction:?} by {size}");
                }
            }
        }
        Ok(())
    })?;
    for direction in DIRECTIONS {
        let store = filled_store(subject)?;
        let found = read_pages(&KeyRange::all(), direction, 5, |rest| {
            let rest = rest.clone();
            let take = move |txn: &mut nephos_store::Txn<'_>| {
                let page = txn.range(&rest, direction, 5)?;
                page.iter().try_for_each(|row| txn.delete(row.key()))?;
                Ok::<_, Error>(page)
            };
            store.transact(take).wait()
        })?;
        assert_eq!(keys_of(&found), expected(|_| true, direction));
        assert!(rows(&store.snapshot()?)?.is_empty());
    }
    Ok(())
}

/// Reads all rows page by page with `read`.
fn read_pages(
    range: &KeyRange,
    direction: Direction,
    size: usize,
    mut read: impl FnMut(&KeyRange) -> Result<Vec<Row>>,
) -> Result<Vec<Row>> {
    let (mut all, mut rest) = (Vec::new(), range.clone());
    loop {
        let page = read(&rest)?;
        let Some(last) = page.last() else { return Ok(all) };
        assert!(page.len() <= size && all.len() < KEYS.len(), "the pages must end");
        rest = rest.after(last.key(), direction);
        all.extend(page);
    }
}
