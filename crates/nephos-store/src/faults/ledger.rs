//! A workload that detects lost and partial transactions.
//!
//! Every [`enter`] adds one entry to the book of a writer. An entry changes rows far apart in the key order: three with
//! the newest entry of the book, one for the entry itself, one total of all books; and it deletes the oldest entry of
//! a full book. Every few entries it adds or removes a row so large that the store grows or shrinks. [`read`] rejects
//! a store in which these rows do not agree.

use super::Random;
use crate::{Direction, Error, ErrorKind, KeyRange, Result, Txn, View};
use std::{collections::BTreeMap, ops::ControlFlow};

/// Maximum number of entries of a book.
pub const KEPT: u64 = 48;

/// Number of entries between adding and removing the large row of a book.
const TIDE: u64 = 8;

const LARGE: usize = 200_000;

/// Key prefixes of the rows with the newest entry of each book, far apart from one another.
const PLACES: [&str; 3] = ["a", "m", "z"];

const TOTAL: &[u8] = b"total";

/// An acknowledged entry: its position in the book, and its stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Position in the book, counted from 1.
    pub number: u64,
    /// Stamp from the writer, different for each attempt.
    pub stamp: u64,
}

/// Returns the transaction that adds an entry to the book of `writer`; its answer is the entry.
pub fn enter(writer: u64, stamp: u64) -> impl Fn(&mut Txn<'_>) -> Result<Entry> + Send + 'static {
    move |txn| {
        let last = entry(txn.get(&progress(PLACES[0], writer))?.as_deref())?;
        let number = last.map_or(1, |last| last.number + 1);
        let entry = Entry { number, stamp };
        for place in PLACES {
            txn.put(&progress(place, writer), &head(entry))?;
        }
        txn.put(&page(writer, number), &body(entry))?;
        if let Some(old) = number.checked_sub(KEPT) {
            txn.delete(&page(writer, old))?;
        }
        if number % TIDE == 0 {
            match large(number) {
                Some(value) => txn.put(&progress("large", writer), &value)?,
                None => txn.delete(&progress("large", writer))?,
            }
        }
        let total = count(txn.get(TOTAL)?.as_deref())?;
        txn.put(TOTAL, &(total + 1).to_be_bytes())?;
        Ok(entry)
    }
}

/// The books of all writers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Stamps of the newest entries of each writer, by number.
    entries: BTreeMap<u64, BTreeMap<u64, u64>>,
}

impl Books {
    /// Returns the newest entry of `writer`.
    pub fn last(&self, writer: u64) -> Option<Entry> {
        let (&number, &stamp) = self.entries.get(&writer)?.last_key_value()?;
        Some(Entry { number, stamp })
    }

    /// Returns the stamps of the newest entries of `writer`.
    pub fn stamps(&self, writer: u64) -> impl Iterator<Item = u64> {
        self.entries.get(&writer).into_iter().flat_map(|book| book.values().copied())
    }

    /// True if `entry` is in the book of `writer`, or was deleted as too old.
    pub fn hold(&self, writer: u64, entry: Entry) -> bool {
        match self.entries.get(&writer).and_then(|book| book.get(&entry.number)) {
            Some(&stamp) => stamp == entry.stamp,
            None => self.last(writer).is_some_and(|last| last.number >= entry.number + KEPT),
        }
    }
}

/// Reads all books; returns [`ErrorKind::Corrupt`] if a part of any transaction is missing.
pub fn read(view: &dyn View) -> Result<Books> {
    let mut rows = BTreeMap::new();
    view.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
        rows.insert(String::from_utf8_lossy(key).into_owned(), value.to_vec());
        ControlFlow::Continue(())
    })?;
    let total = count(rows.remove("total").as_deref())?;
    let mut books = Books::default();
    let mut heads = BTreeMap::new();
    let mut large_rows = BTreeMap::new();
    for (key, value) in &rows {
        let mut words = key.split('/');
        let (place, writer) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let writer = writer.parse().map_err(|_| half(format!("unexpected row {key}")))?;
        if place == "large" {
            large_rows.insert(writer, value);
            continue;
        }
        let found = entry(Some(value))?.ok_or_else(|| half(format!("{key} is empty")))?;
        if place == "log" {
            if key.as_bytes() != page(writer, found.number) || *value != body(found) {
                return Err(half(format!("{key} has an unexpected value")));
            }
            books.entries.entry(writer).or_default().insert(found.number, found.stamp);
        } else {
            heads.entry(writer).or_insert_with(Vec::new).push(found);
        }
    }
    for (writer, heads) in &heads {
        if heads.len() != PLACES.len() || heads.iter().any(|&head| Some(head) != books.last(*writer)) {
            let last = books.last(*writer);
            return Err(half(format!("book {writer} ends with {last:?}, but its progress is {heads:?}")));
        }
    }
    let mut sum = 0;
    for (writer, book) in &books.entries {
        let last = book.last_key_value().map_or(0, |(&number, _)| number);
        let first = last.saturating_sub(KEPT) + 1;
        if !book.keys().copied().eq(first..=last) || !heads.contains_key(writer) {
            return Err(half(format!("book {writer} has gaps: {:?}", book.keys())));
        }
        if large(last).as_ref() != large_rows.remove(writer) {
            return Err(half(format!("book {writer} is at {last}, but its large row is not")));
        }
        sum += last;
    }
    if sum != total || !large_rows.is_empty() {
        return Err(half(format!("there are {sum} entries, but the total says {total}")));
    }
    Ok(books)
}

fn half(message: String) -> Error {
    Error::new(ErrorKind::Corrupt, format!("partial transaction: {message}"))
}

fn progress(place: &str, writer: u64) -> Vec<u8> {
    format!("{place}/{writer}").into_bytes()
}

fn page(writer: u64, number: u64) -> Vec<u8> {
    format!("log/{writer}/{number:016}").into_bytes()
}

fn head(entry: Entry) -> Vec<u8> {
    [entry.number.to_be_bytes(), entry.stamp.to_be_bytes()].concat()
}

/// Encodes an entry: its head, and padding that depends on its stamp, rarely more than a page of the disk.
fn body(entry: Entry) -> Vec<u8> {
    let mut random = Random::new(entry.stamp);
    let most = if random.one_in(16) { 24_000 } else { 1_500 };
    let mut body = head(entry);
    body.resize(body.len() + random.below(most) as usize, random.any() as u8);
    body
}

/// Returns the large row of a book with `entries` entries, if it has one.
fn large(entries: u64) -> Option<Vec<u8>> {
    let tide = entries / TIDE;
    (tide % 2 == 1).then(|| vec![tide as u8; LARGE])
}

fn entry(value: Option<&[u8]>) -> Result<Option<Entry>> {
    let Some(value) = value else { return Ok(None) };
    match value.get(..16).map(|head| head.split_at(8)) {
        Some((number, stamp)) => Ok(Some(Entry { number: count(Some(number))?, stamp: count(Some(stamp))? })),
        None => Err(half(format!("an entry has {} bytes", value.len()))),
    }
}

fn count(value: Option<&[u8]>) -> Result<u64> {
    match value {
        None => Ok(0),
        Some(value) => {
            value.try_into().map(u64::from_be_bytes).map_err(|_| half("a number is torn".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    fn written() -> Store {
        let store = Store::in_memory();
        for stamp in 0..2 * KEPT + 2 * TIDE {
            store.transact(enter(stamp % 2, stamp)).wait().unwrap();
        }
        store
    }

    #[test]
    fn consistent_books_are_read() {
        let store = written();
        let third = store.transact(enter(0, 1000)).wait().unwrap();
        let books = read(&store.snapshot().unwrap()).unwrap();
        assert_eq!(books.last(0), Some(third));
        assert!(books.hold(1, Entry { number: 1, stamp: 1 }));
        assert!(!books.hold(0, Entry { number: third.number, stamp: 999 }));
        assert!(!books.hold(0, Entry { number: third.number + 1, stamp: 1001 }));
    }

    #[test]
    fn any_missing_row_is_detected() {
        let store = written();
        let rows = store.snapshot().unwrap().range(&KeyRange::all(), Direction::Ascending, 1000).unwrap();
        for row in rows {
            let fork = store.fork().unwrap();
            fork.transact(move |txn| txn.delete(row.key())).wait().unwrap();
            assert_eq!(read(&fork.snapshot().unwrap()).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn any_stale_row_is_detected() {
        let store = written();
        let before = store.snapshot().unwrap();
        store.transact(enter(1, 5000)).wait().unwrap();
        for row in before.range(&KeyRange::all(), Direction::Ascending, 1000).unwrap() {
            let now = store.snapshot().unwrap().get(row.key()).unwrap();
            if now.as_deref() != Some(row.value()) {
                let fork = store.fork().unwrap();
                fork.transact(move |txn| txn.put(row.key(), row.value())).wait().unwrap();
                assert_eq!(read(&fork.snapshot().unwrap()).unwrap_err().kind(), ErrorKind::Corrupt);
            }
        }
    }
}
