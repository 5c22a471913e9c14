//! Connections that read, and the snapshots on them.

use crate::{
    address::Address,
    connection::Connection,
    counts::Counts,
    failure::Failure,
    reading::{self, FirstReads, Reading},
    sql::Sql,
};
use nephos_store::{Direction, Error, ErrorKind, KeyRange, Result, Snapshot, Value, View, Visitor};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::Ordering};

/// Beginning of a transaction that only reads.
const BEGIN: &[Sql] = &[Sql::BeginRead];

/// A pool of connections, up to the limit of the address.
pub(crate) struct Pool {
    address: Address,
    state: Mutex<State>,
    returned: Condvar,
    status: Arc<Status>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    /// Number of connections, including those in use.
    open: usize,
    is_closed: bool,
}

/// The last failure of the database, until something succeeds.
#[derive(Default)]
pub(crate) struct Status(Mutex<Option<Error>>);

impl Status {
    pub(crate) fn get(&self) -> Option<Error> {
        lock(&self.0).clone()
    }

    /// Notes that the database answered.
    pub(crate) fn succeeded(&self) {
        *lock(&self.0) = None;
    }

    /// Notes a failure, if it says something about the database.
    pub(crate) fn failed(&self, error: &Error) {
        if matches!(
            error.kind(),
            ErrorKind::Unavailable | ErrorKind::Unknown | ErrorKind::Full | ErrorKind::Corrupt
        ) {
            *lock(&self.0) = Some(error.clone());
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub(crate) fn new(address: Address, status: Arc<Status>, counts: Arc<Counts>) -> Self {
        Self { address, state: Mutex::default(), returned: Condvar::new(), status, counts }
    }

    /// Takes an idle connection, or opens one; waits while all are in use.
    fn take(&self) -> Result<Connection> {
        let mut state = lock(&self.state);
        loop {
            if state.is_closed {
                return Err(Error::closed());
            }
            if let Some(idle) = state.idle.pop() {
                if !idle.is_lost() {
                    return Ok(idle);
                }
                state.open -= 1;
                continue;
            }
            if state.open < self.address.connections {
                state.open += 1;
                break;
            }
            let waited = self.returned.wait_timeout(state, self.address.timeout);
            let (next, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = next;
            if timeout.timed_out() && state.idle.is_empty() && state.open >= self.address.connections {
                let message = format!(
                    "all {} connections to the database are in use; the option connections of its address allows more",
                    self.address.connections
                );
                return Err(Error::new(ErrorKind::Unavailable, message));
            }
        }
        drop(state);
        self.connect()
    }

    /// Opens a connection that was counted.
    fn connect(&self) -> Result<Connection> {
        Connection::open(&self.address, true).map_err(|failure| {
            self.forget_one();
            let error = failure.to_error();
            self.status.failed(&error);
            error
        })
    }

    fn forget_one(&self) {
        lock(&self.state).open -= 1;
        self.returned.notify_one();
    }

    /// Takes back a connection.
    fn put(&self, mut connection: Connection) {
        self.counts.round_trips.fetch_add(connection.take_round_trips(), Ordering::Relaxed);
        let mut state = lock(&self.state);
        if connection.is_lost() || state.is_closed {
            if connection.is_lost() {
                // The others were probably lost with it.
                state.open -= state.idle.len();
                let lost = std::mem::take(&mut state.idle);
                state.open -= 1;
                drop(state);
                drop((lost, connection));
            } else {
                state.open -= 1;
            }
        } else {
            state.idle.push(connection);
        }
        self.returned.notify_one();
    }

    /// Closes the idle connections; those in use are closed when they are returned.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        state.open -= state.idle.len();
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle);
        self.returned.notify_all();
    }

    /// Returns the number that a statement without parameters selects.
    pub(crate) fn number(&self, sql: Sql) -> Result<u64> {
        let mut connection = self.take()?;
        connection.push(sql, &[]);
        let answers = connection.run();
        self.put(connection);
        let answers = answers.map_err(|failure| failure.to_error())?;
        let number = answers.first().and_then(|answer| answer.rows.first()).map_or(0, |row| row.int(0));
        Ok(u64::try_from(number).unwrap_or(0))
    }

    /// Returns a snapshot that is taken when it is first read.
    pub(crate) fn snapshot(self: &Arc<Self>, first_reads: Arc<FirstReads>) -> Result<PoolView> {
        let reading = Reading::new(self.take()?, BEGIN, first_reads);
        Ok(PoolView { pool: self.clone(), reading: Mutex::new(Some(reading)) })
    }
}

/// A snapshot on a connection of the pool.
pub(crate) struct PoolView {
    pool: Arc<Pool>,
    /// There until the snapshot is dropped.
    reading: Mutex<Option<Reading>>,
}

impl PoolView {
    /// Takes the snapshot now.
    pub(crate) fn begun(self) -> Result<Snapshot> {
        self.with(Reading::begin)?;
        Ok(self.into_snapshot())
    }

    pub(crate) fn into_snapshot(self) -> Snapshot {
        Snapshot::new(Arc::new(self))
    }

    /// Runs a read, again with a new connection if the one from the pool was lost while nobody used it.
    fn with<T>(&self, mut read: impl FnMut(&mut Reading) -> Result<T>) -> Result<T> {
        let mut reading = lock(&self.reading);
        let reading = reading.as_mut().ok_or_else(Error::closed)?;
        let mut found = read(reading);
        if found.is_err() && reading.can_begin_again() {
            reading.reconnect(Connection::open(&self.pool.address, true).map_err(|failure| {
                let error = failure.to_error();
                self.pool.status.failed(&error);
                error
            })?);
            found = read(reading);
        }
        match (&found, reading.failure()) {
            (Ok(_), _) => self.pool.status.succeeded(),
            (Err(error), Some(Failure::Lost(_) | Failure::Store(_))) => self.pool.status.failed(error),
            (Err(_), _) => {}
        }
        found
    }
}

impl View for PoolView {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        self.with(|reading| reading.get(key))
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        reading::scan(|read| self.with(read), range, direction, visit)
    }
}

impl Drop for PoolView {
    fn drop(&mut self) {
        let reading = self.reading.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(reading) = reading {
            self.pool.put(reading.end().0);
        }
    }
}
