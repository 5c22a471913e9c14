//! Reads of one transaction of the database. Its rows do not change, so that what was read once is known until its end.

use crate::{
    connection::{Answer, Connection},
    failure::{Failure, Meaning, Outcome},
    message::{DataRow, Param},
    sql::{SHORT_KEY, Sql, StoredKey},
};
use nephos_store::{
    Direction, Key, KeyRange, MAX_KEY_BYTES, Result, Row, Value,
    backend::{FirstRead, decode_row},
};
use std::{
    collections::HashMap,
    ops::{Bound, ControlFlow},
    sync::Arc,
};

/// Number of rows that a scan reads first; each time it continues, it reads four times as many.
const FIRST_ROWS: usize = 16;

/// Maximum number of rows that a scan reads at a time.
const MAX_ROWS: usize = 4096;

/// Maximum number of rows of one read that are kept.
const MAX_KEPT: usize = 64;

/// The reads that all transactions begin with, as they are sent.
#[derive(Debug, Default)]
pub(crate) struct FirstReads {
    keys: Vec<Vec<u8>>,
    ranges: Vec<KeyRange>,
}

impl FirstReads {
    pub(crate) fn new(reads: Vec<FirstRead>) -> Self {
        let mut first = Self::default();
        for read in reads {
            match read {
                FirstRead::Get(key) if key.len() <= SHORT_KEY => first.keys.push(key),
                FirstRead::First(range) if Bounds::new(&range).is_short() => first.ranges.push(range),
                // They are read when they are needed.
                FirstRead::Get(_) | FirstRead::First(_) => {}
            }
        }
        first
    }

    fn push(&self, connection: &mut Connection) {
        if !self.keys.is_empty() {
            let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
            connection.push(Sql::GetMany, &[Param::Array(&keys)]);
        }
        for range in &self.ranges {
            Bounds::new(range).push(connection, Direction::Ascending, 1);
        }
    }
}

/// A transaction of the database, which begins with its first read.
pub(crate) struct Reading {
    pub(crate) connection: Connection,
    begin: &'static [Sql],
    has_begun: bool,
    first_reads: Arc<FirstReads>,
    rows: HashMap<Key, Option<Value>>,
    /// First rows of ranges; none if a range is empty.
    firsts: Vec<(KeyRange, Option<Row>)>,
    failure: Option<Failure>,
}

impl Reading {
    /// Creates a transaction that begins with the statements `begin`.
    pub(crate) fn new(connection: Connection, begin: &'static [Sql], first_reads: Arc<FirstReads>) -> Self {
        let (rows, firsts) = (HashMap::new(), Vec::new());
        Self { connection, begin, has_begun: false, first_reads, rows, firsts, failure: None }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    pub(crate) fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Ends the transaction, which wrote nothing, and returns its connection and the failure of a read.
    pub(crate) fn end(mut self) -> (Connection, Option<Failure>) {
        if self.has_begun && !self.connection.is_lost() {
            self.connection.push(Sql::Rollback, &[]);
            self.connection.post();
        }
        (self.connection, self.failure)
    }

    /// True if the transaction has done nothing yet and its connection was lost while it was not used.
    pub(crate) fn can_begin_again(&self) -> bool {
        !self.has_begun && self.failure.as_ref().is_some_and(|failure| failure.meaning() == Meaning::Lost)
    }

    /// Replaces the connection of a transaction that has not begun.
    pub(crate) fn reconnect(&mut self, connection: Connection) {
        self.connection = connection;
        self.failure = None;
    }

    /// Adds the beginning of the transaction to the pipeline, if it has not begun.
    pub(crate) fn push_begin(&mut self) -> usize {
        if self.has_begun {
            return 0;
        }
        for sql in self.begin {
            self.connection.push(*sql, &[]);
        }
        self.begin.len()
    }

    /// Begins the transaction now.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.exchange(|connection| connection.push(Sql::Now, &[])).map(drop)
    }

    /// Sends statements, in the first round trip together with the beginning and the first reads; returns the answers to them.
    fn exchange(&mut self, push: impl Fn(&mut Connection)) -> Result<Vec<Answer>> {
        if let Some(failure) = &self.failure {
            return Err(failure.to_error());
        }
        let answers = self.try_exchange(push);
        answers.map_err(|failure| self.failure.insert(failure).to_error())
    }

    fn try_exchange(&mut self, push: impl Fn(&mut Connection)) -> Outcome<Vec<Answer>> {
        let begun = self.push_begin();
        if self.has_begun {
            push(&mut self.connection);
            return self.connection.run();
        }
        let first = self.first_reads.clone();
        first.push(&mut self.connection);
        push(&mut self.connection);
        let mut answers = self.connection.run()?.into_iter().skip(begun);
        self.has_begun = true;
        if !first.keys.is_empty() {
            let rows = answers.next().unwrap_or_default().rows;
            self.rows.extend(first.keys.iter().map(|key| (key.as_slice().into(), None)));
            for row in rows {
                let row = to_row(&row)?;
                self.rows.insert(row.key().into(), Some(row.value().into()));
            }
        }
        for range in &first.ranges {
            let row = answers.next().unwrap_or_default().rows.first().map(to_row).transpose()?;
            // A long key may be the first one without being the first in the answer.
            if row.as_ref().is_none_or(|row| row.key().len() < SHORT_KEY) {
                self.firsts.push((range.clone(), row));
            }
        }
        Ok(answers.collect())
    }

    pub(crate) fn get(&mut self, key: &[u8]) -> Result<Option<Value>> {
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        if let Some(known) = self.rows.get(key) {
            return Ok(known.clone());
        }
        let stored = StoredKey::new(key);
        let answers = self.exchange(|connection| {
            connection.push(Sql::Get, &[Param::Bytes(stored.k), Param::Bytes(stored.h())]);
        })?;
        if let Some(known) = self.rows.get(key) {
            return Ok(known.clone());
        }
        let found = answers.first().and_then(|answer| answer.rows.first()).map(to_row).transpose();
        let found = found.map_err(|failure| self.failure.insert(failure).to_error())?;
        let value: Option<Value> = found.map(|row| row.value().into());
        self.rows.insert(key.into(), value.clone());
        Ok(value)
    }

    /// Returns the first row of `range`, if it is known: none inside if there is none.
    fn known_first(&self, range: &KeyRange) -> Option<Option<Row>> {
        self.firsts.iter().find(|(known, _)| known == range).map(|(_, row)| row.clone())
    }

    /// Reads the first `limit` rows of `range`.
    fn read_rows(&mut self, range: &KeyRange, direction: Direction, limit: usize) -> Result<Vec<Row>> {
        let bounds = Bounds::new(range);
        let mut is_exact = !bounds.is_short();
        loop {
            let answers = self.exchange(|connection| {
                if is_exact {
                    bounds.push_exact(connection, direction, limit)
                } else {
                    bounds.push(connection, direction, limit)
                }
            })?;
            let rows: Outcome<Vec<Row>> =
                answers.iter().flat_map(|answer| &answer.rows).map(to_row).collect();
            let rows = rows.map_err(|failure| self.failure.insert(failure).to_error())?;
            // Long keys that begin alike are in no order.
            if !is_exact && rows.iter().any(|row| row.key().len() > SHORT_KEY) {
                is_exact = true;
                continue;
            }
            if rows.len() <= MAX_KEPT {
                self.rows.extend(rows.iter().map(|row| (row.key().into(), Some(row.value().into()))));
            }
            return Ok(rows);
        }
    }
}

/// Scans `range`, reading rows with `with_reading` a few at a time. Nothing is locked while `visit` runs, which may read as well.
pub(crate) fn scan(
    with_reading: impl Fn(&mut dyn FnMut(&mut Reading) -> Result<Vec<Row>>) -> Result<Vec<Row>>,
    range: &KeyRange,
    direction: Direction,
    visit: &mut nephos_store::Visitor<'_>,
) -> Result<()> {
    let mut rest = range.clone();
    let mut limit = FIRST_ROWS;
    while !rest.is_empty() {
        let mut is_first = false;
        let rows = with_reading(&mut |reading| {
            if limit == FIRST_ROWS && direction == Direction::Ascending && !is_first {
                // The first read of a transaction also brings the first rows.
                if !reading.has_begun() && reading.first_reads.ranges.contains(&rest) {
                    reading.begin()?;
                }
                if let Some(first) = reading.known_first(&rest) {
                    is_first = true;
                    return Ok(first.into_iter().collect());
                }
            }
            reading.read_rows(&rest, direction, limit)
        })?;
        for row in &rows {
            if visit(row.key(), row.value()) == ControlFlow::Break(()) {
                return Ok(());
            }
        }
        let is_end = if is_first { rows.is_empty() } else { rows.len() < limit };
        let Some(last) = rows.last().filter(|_| !is_end) else { return Ok(()) };
        rest = rest.after(last.key(), direction);
        if !is_first {
            limit = (limit * 4).min(MAX_ROWS);
        }
    }
    Ok(())
}

/// Bounds of a range: from `start` inclusive to `end` exclusive.
struct Bounds {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl Bounds {
    fn new(range: &KeyRange) -> Self {
        // The first key after a key is the same key with a zero byte.
        let after = |key: &[u8]| [key, &[0]].concat();
        let (start, end) = range.bounds();
        Self {
            start: match start {
                Bound::Included(key) => key.to_vec(),
                Bound::Excluded(key) => after(key),
                Bound::Unbounded => Vec::new(),
            },
            end: match end {
                Bound::Included(key) => Some(after(key)),
                Bound::Excluded(key) => Some(key.to_vec()),
                Bound::Unbounded => None,
            },
        }
    }

    /// True if comparing only the first bytes of keys is the same as comparing keys.
    fn is_short(&self) -> bool {
        self.start.len() < SHORT_KEY && self.end.as_ref().is_none_or(|end| end.len() < SHORT_KEY)
    }

    fn push(&self, connection: &mut Connection, direction: Direction, limit: usize) {
        let limit = Param::Int(limit as i64);
        let start = Param::Bytes(&self.start);
        let (bounded, unbounded) = match direction {
            Direction::Ascending => (Sql::Up, Sql::UpToEnd),
            Direction::Descending => (Sql::Down, Sql::DownFromEnd),
        };
        match &self.end {
            Some(end) => connection.push(bounded, &[start, Param::Bytes(end), limit]),
            None => connection.push(unbounded, &[start, limit]),
        }
    }

    fn push_exact(&self, connection: &mut Connection, direction: Direction, limit: usize) {
        let start = StoredKey::new(&self.start);
        let end = self.end.as_deref().map(StoredKey::new);
        let sql = match direction {
            Direction::Ascending => Sql::LongUp,
            Direction::Descending => Sql::LongDown,
        };
        let end_k = end.as_ref().map_or(Param::Null, |end| Param::Bytes(end.k));
        let end_o = end.as_ref().map_or(Param::Null, |end| Param::Bytes(end.o));
        let limit = Param::Int(limit as i64);
        connection.push(sql, &[Param::Bytes(start.k), Param::Bytes(start.o), end_k, end_o, limit]);
    }
}

/// Returns a row of the database, whose checksum is verified.
fn to_row(found: &DataRow) -> Outcome<Row> {
    let (k, o) = (found.bytes(0), found.bytes(1));
    let joined;
    let key = if o.is_empty() {
        k
    } else {
        joined = [k, o].concat();
        &joined
    };
    decode_row(key, found.bytes(2)).map(|value| Row::new(key, value)).map_err(Failure::Store)
}
