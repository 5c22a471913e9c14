//! The connection that writes: each group of transactions is one serializable transaction of the database.

use crate::{
    address::Address,
    connection::Connection,
    counts::Counts,
    failure::{Failure, Meaning, Outcome},
    message::Param,
    pool::{Status, lock},
    reading::{self, FirstReads, Reading},
    sql::{SHORT_KEY, Sql, StoredKey},
};
use nephos_store::{
    Direction, Error, ErrorKind, KeyRange, Result, Value, View, Visitor,
    backend::{Batch, Engine, Overlay, Progress, Replacement, Writes, encode_row},
};
use std::{
    cell::RefCell,
    sync::{Arc, Mutex, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

/// Beginning of a transaction beside those of other processes.
const BEGIN_WITH_OTHERS: &[Sql] = &[Sql::BeginWrite, Sql::TakeTurnWithOthers];

/// Beginning of a transaction that runs alone, after a conflict: it cannot have another one.
const BEGIN_ALONE: &[Sql] = &[Sql::BeginWrite, Sql::TakeTurnAlone];

/// Number of groups that run alone after a conflict, because the next one would probably have a conflict, too.
const ALONE_AFTER_CONFLICT: u32 = 16;

/// Maximum number of attempts of a group that has conflicts. Only programs that are not ours can cause the third.
const MAX_CONFLICTS: u32 = 8;

/// Maximum number of attempts of a group whose connection is lost.
const MAX_LOST: u32 = 3;

/// Time in which it is tried to find out whether a commit was carried out, and the pause between two attempts.
const RESOLVE_TIME: Duration = Duration::from_secs(10);
const RESOLVE_PAUSE: Duration = Duration::from_millis(250);

/// Maximum number of rows and bytes of one statement that writes.
const ROWS_OF_STATEMENT: usize = 5000;
const BYTES_OF_STATEMENT: usize = 8 << 20;

/// The writer of a process.
pub(crate) struct Writing {
    address: Address,
    connection: Option<Connection>,
    first_reads: Arc<Mutex<Arc<FirstReads>>>,
    status: Arc<Status>,
    counts: Arc<Counts>,
    /// Name of this writer in the table of writers.
    slot: [u8; 16],
    /// Number of its last transaction.
    number: i64,
    fence: i64,
    /// Number of groups that still run alone.
    alone: u32,
}

impl Writing {
    pub(crate) fn open(
        address: Address,
        first_reads: Arc<Mutex<Arc<FirstReads>>>,
        status: Arc<Status>,
        counts: Arc<Counts>,
    ) -> Result<Self> {
        let mut slot = [0; 16];
        getrandom::fill(&mut slot)
            .map_err(|error| Error::new(ErrorKind::Io, format!("the system has no random bytes: {error}")))?;
        let (number, fence, alone) = (0, 0, 0);
        let mut writing =
            Self { address, connection: None, first_reads, status, counts, slot, number, fence, alone };
        let connection = writing.connect().map_err(|failure| failure.to_error())?;
        writing.connection = Some(connection);
        Ok(writing)
    }

    fn connect(&mut self) -> Outcome<Connection> {
        let mut connection = Connection::open(&self.address, true)?;
        // A process that stops must not keep the others from writing.
        let idle = 2 * self.address.timeout.as_millis();
        connection.query(&format!("SET idle_in_transaction_session_timeout = {idle}"))?;
        connection.push(Sql::AddWriter, &[Param::Bytes(&self.slot)]);
        connection.push(Sql::ForgetWriters, &[Param::Bytes(&self.slot)]);
        connection.push(Sql::ReadFence, &[Param::Bytes(&self.slot)]);
        let answers = connection.run()?;
        // It may have been raised without an answer.
        let fence = answers.last().and_then(|answer| answer.rows.first()).map(|row| row.int(0));
        self.fence = fence.unwrap_or(self.fence);
        Ok(connection)
    }

    fn take_connection(&mut self) -> Outcome<Connection> {
        match self.connection.take().filter(|connection| !connection.is_lost()) {
            Some(connection) => Ok(connection),
            None => self.connect(),
        }
    }

    /// Begins a transaction of the database.
    fn begin(&mut self, is_alone: bool) -> Outcome<Reading> {
        let begin = if is_alone { BEGIN_ALONE } else { BEGIN_WITH_OTHERS };
        let first_reads = lock(&self.first_reads).clone();
        Ok(Reading::new(self.take_connection()?, begin, first_reads))
    }

    /// Commits the transaction with `writes`.
    fn commit(&mut self, mut reading: Reading, writes: &Writes) -> Outcome<()> {
        if reading.failure().is_some() || (!reading.has_begun() && writes.is_empty()) {
            let (connection, failure) = reading.end();
            self.connection = Some(connection);
            return failure.map_or(Ok(()), Err);
        }
        reading.push_begin();
        let mut connection = reading.connection;
        push_writes(&mut connection, writes);
        let is_marked = !writes.is_empty();
        if is_marked {
            self.push_mark(&mut connection);
        }
        connection.push(Sql::Commit, &[]);
        let committed = connection.run_commit().and_then(|answers| match answers.last() {
            Some(answer) if answer.tag == "COMMIT" => Ok(()),
            _ => {
                let message = "the database rolled the transaction back".to_owned();
                Err(Failure::Refused { code: "40000".to_owned(), message })
            }
        });
        self.connection = Some(connection);
        self.acknowledge(committed, is_marked)
    }

    /// Notes what became of a commit, and finds it out if the connection was lost.
    fn acknowledge(&mut self, committed: Outcome<()>, is_marked: bool) -> Outcome<()> {
        let known = match committed {
            Err(lost @ Failure::Lost(_)) if is_marked => self.resolve(lost),
            committed => committed,
        };
        if known.is_ok() && is_marked {
            self.address.newest.acknowledge(self.slot, self.number);
        }
        known
    }

    /// Adds the number of this transaction to it.
    fn push_mark(&mut self, connection: &mut Connection) {
        self.number += 1;
        let params = [Param::Bytes(&self.slot), Param::Int(self.number), Param::Int(self.fence)];
        connection.push(Sql::Mark, &params);
    }

    /// Finds out whether the last transaction was committed, after the connection was lost while that was done: a transaction
    /// that is still under way is waited for, and one that comes later fails.
    #[expect(
        clippy::disallowed_methods,
        reason = "the time of a machine that does not answer is not the cloud's"
    )]
    fn resolve(&mut self, lost: Failure) -> Outcome<()> {
        self.connection = None;
        self.counts.resolved.fetch_add(1, Ordering::Relaxed);
        // Others see the reason while this waits.
        self.status.failed(&lost.to_error());
        let start = Instant::now();
        while start.elapsed() < RESOLVE_TIME {
            match self.raise_fence() {
                Ok(Some(number)) => return if number == self.number { Ok(()) } else { Err(lost) },
                // The row of this writer is gone.
                Ok(None) => break,
                Err(_) => thread::park_timeout(RESOLVE_PAUSE),
            }
        }
        let message = "the connection to the database was lost during the commit, and whether the write was carried out is unknown; \
                       look before you repeat it";
        Err(Failure::Store(Error::new(ErrorKind::Unknown, message)))
    }

    /// Raises the fence on a new connection, and returns the number of the last transaction that was committed.
    fn raise_fence(&mut self) -> Outcome<Option<i64>> {
        let mut connection = self.connect()?;
        connection.push(Sql::Fence, &[Param::Bytes(&self.slot)]);
        let answers = connection.run_commit()?;
        let Some(row) = answers.first().and_then(|answer| answer.rows.first()) else { return Ok(None) };
        self.fence = row.int(1);
        self.connection = Some(connection);
        Ok(Some(row.int(0)))
    }

    /// Replaces all rows in one transaction.
    pub(crate) fn replace(&mut self, with: Replacement, progress: &mut Progress<'_>) -> Result<()> {
        let replaced = self.try_replace(with, progress);
        self.note(replaced.map_err(|failure| failure.to_error()))
    }

    fn try_replace(&mut self, with: Replacement, progress: &mut Progress<'_>) -> Outcome<()> {
        let mut connection = self.take_connection()?;
        connection.without_timeouts()?;
        let view = WriterView(RefCell::new(Reading::new(connection, BEGIN_ALONE, Arc::default())));
        let merged = with.merge(&view).map_err(Failure::Store)?;
        let mut reading = view.0.into_inner();
        if !reading.has_begun() {
            reading.begin().map_err(Failure::Store)?;
        }
        let mut connection = reading.connection;
        connection.push(Sql::DeleteAll, &[]);
        let mut writes = Writes::new();
        let mut bytes = 0;
        let mut done = 0;
        let mut failure = None;
        merged
            .scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
                bytes += key.len() + value.len();
                writes.insert(key.into(), Some(value.into()));
                done += 1;
                if writes.len() >= ROWS_OF_STATEMENT || bytes >= BYTES_OF_STATEMENT {
                    push_writes(&mut connection, &std::mem::take(&mut writes));
                    bytes = 0;
                    failure = connection.run().err();
                }
                progress(done);
                if failure.is_some() {
                    std::ops::ControlFlow::Break(())
                } else {
                    std::ops::ControlFlow::Continue(())
                }
            })
            .map_err(Failure::Store)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        push_writes(&mut connection, &writes);
        self.push_mark(&mut connection);
        connection.push(Sql::Commit, &[]);
        // The connection has no limits of time any more, so that it is not used again.
        let committed = connection.run_commit().map(drop);
        self.acknowledge(committed, true)
    }

    /// Removes the versions of rows that nobody can see any more. Only the owner of the table can do that; for others the database
    /// does it in the background.
    pub(crate) fn vacuum(&mut self) -> Result<()> {
        let vacuumed = self.take_connection().and_then(|mut connection| {
            connection.without_timeouts()?;
            connection.query("VACUUM (ANALYZE) rows")
        });
        self.note(vacuumed.map(drop).map_err(|failure| failure.to_error()))
    }

    /// Notes in the status what became of a request.
    fn note<T>(&self, result: Result<T>) -> Result<T> {
        match &result {
            Ok(_) => self.status.succeeded(),
            Err(error) => self.status.failed(error),
        }
        result
    }

    fn try_group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()> {
        let mut conflicts = 0;
        let mut lost = 0;
        loop {
            let is_alone = conflicts > 0 || self.alone > 0;
            let begun = self.begin(is_alone);
            let attempted = begun.and_then(|reading| {
                let view = WriterView(RefCell::new(reading));
                let mut batch = OpenBatch(Overlay::new(&view));
                let filled = fill(&mut batch);
                let writes = batch.0.into_writes();
                let reading = view.0.into_inner();
                match filled {
                    Ok(()) => self.commit(reading, &writes),
                    Err(error) => {
                        self.connection = Some(reading.end().0);
                        Err(Failure::Store(error))
                    }
                }
            });
            if let Some(connection) = &mut self.connection {
                self.counts.round_trips.fetch_add(connection.take_round_trips(), Ordering::Relaxed);
            }
            self.alone = self.alone.saturating_sub(1);
            let Err(failure) = attempted else { return Ok(()) };
            match failure.meaning() {
                Meaning::Conflict if conflicts < MAX_CONFLICTS => {
                    conflicts += 1;
                    self.counts.conflicts.fetch_add(1, Ordering::Relaxed);
                    self.alone = ALONE_AFTER_CONFLICT;
                }
                Meaning::Lost if lost < MAX_LOST => {
                    lost += 1;
                    if lost > 1 {
                        thread::park_timeout(RESOLVE_PAUSE);
                    }
                }
                _ => return Err(failure.to_error()),
            }
        }
    }
}

impl Engine for Writing {
    const IS_SHARED: bool = true;

    /// A longer transaction has more conflicts with those of others, and loses more work by each.
    const MAX_GROUP: usize = 64;

    fn group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()> {
        let done = self.try_group(fill);
        self.note(done)
    }
}

/// Adds statements that make `writes` to the pipeline.
fn push_writes(connection: &mut Connection, writes: &Writes) {
    let (mut short, mut long) = (Vec::new(), Vec::new());
    let mut puts = Puts::default();
    for (key, change) in writes {
        match change {
            Some(value) => {
                puts.rows.push((key, encode_row(key, value)));
                puts.bytes += key.len() + value.len();
                if puts.rows.len() >= ROWS_OF_STATEMENT || puts.bytes >= BYTES_OF_STATEMENT {
                    std::mem::take(&mut puts).push(connection);
                }
            }
            None if key.len() <= SHORT_KEY => short.push(&**key),
            None => long.push(StoredKey::new(key)),
        }
    }
    if !puts.rows.is_empty() {
        puts.push(connection);
    }
    if !short.is_empty() {
        connection.push(Sql::Delete, &[Param::Array(&short)]);
    }
    if !long.is_empty() {
        let keys: Vec<&[u8]> = long.iter().map(|key| key.k).collect();
        let digests: Vec<&[u8]> = long.iter().map(StoredKey::h).collect();
        connection.push(Sql::DeleteLong, &[Param::Array(&keys), Param::Array(&digests)]);
    }
}

/// Rows that one statement puts.
#[derive(Default)]
struct Puts<'w> {
    rows: Vec<(&'w [u8], Vec<u8>)>,
    bytes: usize,
}

impl Puts<'_> {
    fn push(self, connection: &mut Connection) {
        let stored: Vec<_> = self.rows.iter().map(|(key, _)| StoredKey::new(key)).collect();
        let keys: Vec<&[u8]> = stored.iter().map(|key| key.k).collect();
        let digests: Vec<&[u8]> = stored.iter().map(StoredKey::h).collect();
        let rests: Vec<&[u8]> = stored.iter().map(|key| key.o).collect();
        let values: Vec<&[u8]> = self.rows.iter().map(|(_, value)| value.as_slice()).collect();
        connection.push(
            Sql::Put,
            &[Param::Array(&keys), Param::Array(&digests), Param::Array(&rests), Param::Array(&values)],
        );
    }
}

/// Rows that the transactions of a group have read.
struct WriterView(RefCell<Reading>);

impl View for WriterView {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        self.0.borrow_mut().get(key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        reading::scan(|read| read(&mut self.0.borrow_mut()), range, direction, visit)
    }
}

/// A group in progress.
struct OpenBatch<'v>(Overlay<'v>);

impl Batch for OpenBatch<'_> {
    fn view(&self) -> &dyn View {
        &self.0
    }

    fn apply(&mut self, writes: Writes) -> Result<()> {
        self.0.apply(writes);
        Ok(())
    }
}
