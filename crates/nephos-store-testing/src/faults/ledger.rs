//! A workload that detects lost and partial transactions.
//!
//! Every [`add_entry`] adds one entry to the book of a writer. An entry changes rows far apart in the key order: three
//! with the newest entry of the book, one for the entry itself, one total of all books; and it deletes the oldest entry
//! of a full book. Every few entries it adds or removes a row so large that the store grows or shrinks. [`read`]
//! rejects a store in which these rows do not agree.

use super::Random;
use nephos_store::{Direction, Error, ErrorKind, KeyRange, Result, Txn, View};
use std::{collections::BTreeMap, ops::ControlFlow};

/// Maximum number of entries of a book.
pub const MAX_ENTRIES: u64 = 48;

/// Number of entries between adding and removing the large row of a book.
const LARGE_ROW_PERIOD: u64 = 8;

const LARGE_ROW_BYTES: usize = 200_000;

/// Key prefixes of the rows with the newest entry of each book, far apart from one another.
const PROGRESS_PREFIXES: [&str; 3] = ["a", "m", "z"];

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
pub fn add_entry(writer: u64, stamp: u64) -> impl Fn(&mut Txn<'_>) -> Result<Entry> + Send + 'static {
    move |txn| {
        let last = decode_entry(txn.get(&row_key(PROGRESS_PREFIXES[0], writer))?.as_deref())?;
        let number = last.map_or(1, |last| last.number + 1);
        let entry = Entry { number, stamp };
        for place in PROGRESS_PREFIXES {
            txn.put(&row_key(place, writer), &encode_head(entry))?;
        }
        txn.put(&entry_key(writer, number), &encode_entry(entry))?;
        if let Some(old) = number.checked_sub(MAX_ENTRIES) {
            txn.delete(&entry_key(writer, old))?;
        }
        if number % LARGE_ROW_PERIOD == 0 {
            match large_row(number) {
                Some(value) => txn.put(&row_key("large", writer), &value)?,
                None => txn.delete(&row_key("large", writer))?,
            }
        }
        let total = decode_number(txn.get(TOTAL)?.as_deref())?;
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
    pub fn contains(&self, writer: u64, entry: Entry) -> bool {
        match self.entries.get(&writer).and_then(|book| book.get(&entry.number)) {
            Some(&stamp) => stamp == entry.stamp,
            None => self.last(writer).is_some_and(|last| last.number >= entry.number + MAX_ENTRIES),
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
    let total = decode_number(rows.remove("total").as_deref())?;
    let mut books = Books::default();
    let mut heads = BTreeMap::new();
    let mut large_rows = BTreeMap::new();
    for (key, value) in &rows {
        let mut words = key.split('/');
        let (place, writer) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let writer = writer.parse().map_err(|_| partial_transaction(format!("unexpected row {key}")))?;
        if place == "large" {
            large_rows.insert(writer, value);
            continue;
        }
        let found =
            decode_entry(Some(value))?.ok_or_else(|| partial_transaction(format!("{key} is empty")))?;
        if place == "log" {
            if key.as_bytes() != entry_key(writer, found.number) || *value != encode_entry(found) {
                return Err(partial_transaction(format!("{key} has an unexpected value")));
            }
            books.entries.entry(writer).or_default().insert(found.number, found.stamp);
        } else {
            heads.entry(writer).or_insert_with(Vec::new).push(found);
        }
    }
    for (writer, heads) in &heads {
        if heads.len() != PROGRESS_PREFIXES.len()
            || heads.iter().any(|&head| Some(head) != books.last(*writer))
        {
            let last = books.last(*writer);
            return Err(partial_transaction(format!(
                "book {writer} ends with {last:?}, but its progress is {heads:?}"
            )));
        }
    }
    let mut sum = 0;
    for (writer, book) in &books.entries {
        let last = book.last_key_value().map_or(0, |(&number, _)| number);
        let first = last.saturating_sub(MAX_ENTRIES) + 1;
        if !book.keys().copied().eq(first..=last) || !heads.contains_key(writer) {
            return Err(partial_transaction(format!("book {writer} has gaps: {:?}", book.keys())));
        }
        if large_row(last).as_ref() != large_rows.remove(writer) {
            return Err(partial_transaction(format!("book {writer} is at {last}, but its large row is not")));
        }
        sum += last;
    }
    if sum != total || !large_rows.is_empty() {
        return Err(partial_transaction(format!("there are {sum} entries, but the total says {total}")));
    }
    Ok(books)
}

fn partial_transaction(message: String) -> Error {
    Error::new(ErrorKind::Corrupt, format!("partial transaction: {message}"))
}

fn row_key(place: &str, writer: u64) -> Vec<u8> {
    format!("{place}/{writer}").into_bytes()
}

fn entry_key(writer: u64, number: u64) -> Vec<u8> {
    format!("log/{writer}/{number:016}").into_bytes()
}

fn encode_head(entry: Entry) -> Vec<u8> {
    [entry.number.to_be_bytes(), entry.stamp.to_be_bytes()].concat()
}

/// Encodes an entry: its head, and padding that depends on its stamp, rarely more than a page of the disk.
fn encode_entry(entry: Entry) -> Vec<u8> {
    let mut random = Random::new(entry.stamp);
    let max = if random.one_in(16) { 24_000 } else { 1_500 };
    let mut body = encode_head(entry);
    body.resize(body.len() + random.below(max) as usize, random.next_u64() as u8);
    body
}

/// Returns the large row of a book with `entries` entries, if it has one.
fn large_row(entries: u64) -> Option<Vec<u8>> {
    let period = entries / LARGE_ROW_PERIOD;
    (period % 2 == 1).then(|| vec![period as u8; LARGE_ROW_BYTES])
}

fn decode_entry(value: Option<&[u8]>) -> Result<Option<Entry>> {
    let Some(value) = value else { return Ok(None) };
    match value.get(..16).map(|head| head.split_at(8)) {
        Some((number, stamp)) => {
            Ok(Some(Entry { number: decode_number(Some(number))?, stamp: decode_number(Some(stamp))? }))
        }
        None => Err(partial_transaction(format!("an entry has {} bytes", value.len()))),
    }
}

fn decode_number(value: Option<&[u8]>) -> Result<u64> {
    match value {
        None => Ok(0),
        Some(value) => value
            .try_into()
            .map(u64::from_be_bytes)
            .map_err(|_| partial_transaction("a number is torn".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_store::Store;

    fn filled_store() -> Store {
        let store = Store::in_memory();
        for stamp in 0..2 * MAX_ENTRIES + 2 * LARGE_ROW_PERIOD {
            store.transact(add_entry(stamp % 2, stamp)).wait().unwrap();
        }
        store
    }

    #[test]
    fn consistent_books_are_read() {
        let store = filled_store();
        let third = store.transact(add_entry(0, 1000)).wait().unwrap();
        let books = read(&store.snapshot().unwrap()).unwrap();
        assert_eq!(books.last(0), Some(third));
        assert!(books.contains(1, Entry { number: 1, stamp: 1 }));
        assert!(!books.contains(0, Entry { number: third.number, stamp: 999 }));
        assert!(!books.contains(0, Entry { number: third.number + 1, stamp: 1001 }));
    }

    #[test]
    fn any_missing_row_is_detected() {
        let store = filled_store();
        let rows = store.snapshot().unwrap().range(&KeyRange::all(), Direction::Ascending, 1000).unwrap();
        for row in rows {
            let fork = store.fork().unwrap();
            fork.transact(move |txn| txn.delete(row.key())).wait().unwrap();
            assert_eq!(read(&fork.snapshot().unwrap()).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn any_stale_row_is_detected() {
        let store = filled_store();
        let before = store.snapshot().unwrap();
        store.transact(add_entry(1, 5000)).wait().unwrap();
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
