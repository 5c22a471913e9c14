//! The backend of a store on a database.

use crate::{
    address::Address,
    counts::Counts,
    pool::{Pool, Status, lock},
    reading::FirstReads,
    schema,
    sql::Sql,
    writer::Writing,
};
use nephos_store::{
    Direction, Error, Health, KeyRange, OpenOptions, Result, Snapshot, Stats, View,
    backend::{
        Backend, Counters, FirstRead, MAX_QUEUED, Progress, Replacement, Work, Writer,
        check_not_in_transaction,
    },
};
use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
    time::Duration,
};

/// A store on a database.
pub(crate) struct Database {
    writer: Writer<Writing>,
    pool: Arc<Pool>,
    first_reads: Arc<Mutex<Arc<FirstReads>>>,
    status: Arc<Status>,
    counters: Arc<Counters>,
    pub(crate) counts: Arc<Counts>,
    is_closed: AtomicBool,
}

impl Database {
    /// Connects to the database, and creates its tables or brings them up to date.
    pub(crate) fn open(mut address: Address, options: &OpenOptions) -> Result<Self> {
        // What one store has seen says nothing about another one.
        address.newest = Arc::default();
        schema::migrate(&address).map_err(|failure| {
            let error = failure.to_error();
            Error::new(error.kind(), format!("cannot open the state in {address}: {error}"))
                .with_source(error)
        })?;
        let status = Arc::<Status>::default();
        let counts = Arc::<Counts>::default();
        let counters = Arc::<Counters>::default();
        let first_reads = Arc::<Mutex<Arc<FirstReads>>>::default();
        let pool = Arc::new(Pool::new(address.clone(), status.clone(), counts.clone()));
        let writing = Writing::open(address, first_reads.clone(), status.clone(), counts.clone())?;
        let writer = Writer::start(writing, counters.clone(), options.runs_twice(), MAX_QUEUED)?;
        let is_closed = AtomicBool::new(false);
        Ok(Self { writer, pool, first_reads, status, counters, counts, is_closed })
    }

    fn check_open(&self) -> Result<()> {
        if self.is_closed.load(Ordering::Acquire) { Err(Error::closed()) } else { Ok(()) }
    }

    /// Reads all rows, whose checksums are verified.
    fn verify(&self, progress: &mut Progress<'_>) -> Result<()> {
        let mut rows = 0;
        self.snapshot()?.scan(&KeyRange::all(), Direction::Ascending, &mut |_, _| {
            rows += 1;
            progress(rows);
            ControlFlow::Continue(())
        })
    }
}

impl Backend for Database {
    fn submit(&self, work: Box<dyn Work>) {
        self.writer.submit(work);
    }

    fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>> {
        self.writer.try_submit(work, waker)
    }

    fn snapshot(&self) -> Result<Snapshot> {
        self.check_open()?;
        // It may be read much later, and then its first reads would be of no use.
        self.pool.snapshot(Arc::default())?.begun()
    }

    fn lazy_snapshot(&self) -> Result<Snapshot> {
        self.check_open()?;
        Ok(self.pool.snapshot(lock(&self.first_reads).clone())?.into_snapshot())
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn time(&self) -> Result<Option<Duration>> {
        self.check_open()?;
        Ok(Some(Duration::from_micros(self.pool.number(Sql::Time)?)))
    }

    fn set_first_reads(&self, reads: Vec<FirstRead>) {
        *lock(&self.first_reads) = Arc::new(FirstReads::new(reads));
    }

    fn problem(&self) -> Option<Error> {
        self.status.get()
    }

    fn stats(&self) -> Result<Stats> {
        self.check_open()?;
        let mut stats = self.counters.read();
        stats.file_bytes = Some(self.pool.number(Sql::Size)?);
        Ok(stats)
    }

    fn rewrite(&self, with: Option<Replacement>, progress: &mut Progress<'_>) -> Result<()> {
        check_not_in_transaction()?;
        self.check_open()?;
        match with {
            Some(with) => {
                self.writer.run_exclusive(move |writing, progress| writing.replace(with, progress), progress)
            }
            None => {
                self.verify(progress)?;
                self.writer.run_exclusive(|writing, _| writing.vacuum(), &mut |_| {})
            }
        }
    }

    fn check(&self) -> Result<Health> {
        check_not_in_transaction()?;
        self.verify(&mut |_| {}).map(|()| Health::Sound)
    }

    fn flush(&self) -> Result<()> {
        self.check_open()
    }

    fn close(&self) -> Result<()> {
        check_not_in_transaction()?;
        self.is_closed.store(true, Ordering::Release);
        if self.writer.is_current_thread() {
            self.writer.stop_accepting();
        } else {
            self.writer.close();
        }
        self.pool.close();
        Ok(())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // There is no caller to report a failure to; acknowledged writes are committed.
        let _ = self.close();
    }
}
