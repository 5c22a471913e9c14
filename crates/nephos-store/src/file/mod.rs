//! The file backend: one redb file, written by one thread, read through any number of snapshots.

mod copy;
mod database;
mod disk;
mod engine;
mod failure;
mod lock;
mod open;
mod place;
mod read_only;
mod row_format;
mod rows;
mod verify;

pub use open::OpenOptions;
pub(crate) use open::{read_file, save};
pub use place::remove_leftovers_in;
pub use row_format::{decode_row, encode_row};

use crate::{
    Error, ErrorKind, Health, Result, Snapshot, Stats,
    backend::{Backend, Progress, Replacement},
    group::Writer,
    pending::Work,
    stats::Counters,
};
use database::Database;
use engine::RedbEngine;
use read_only::Stop;
use std::{sync::Arc, task::Waker};

/// A store in a file.
pub(crate) struct File {
    writer: Writer<RedbEngine>,
    database: Arc<Database>,
    counters: Arc<Counters>,
    run_twice: bool,
    /// Ends running verifications.
    stop: Stop,
}

impl File {
    /// Starts the writer thread. Verifications that `stop` ends may run already.
    fn start(engine: RedbEngine, stop: Stop) -> Result<Self> {
        let counters = Arc::new(Counters::default());
        let database = engine.database();
        let (run_twice, queue) = (database.opener.options.run_twice, database.opener.options.queue);
        let writer = Writer::start(engine, counters.clone(), run_twice, queue)?;
        Ok(Self { writer, database, counters, run_twice, stop })
    }

    /// True if every transaction is run twice.
    pub(crate) fn runs_twice(&self) -> bool {
        self.run_twice
    }

    /// Verifies all pages while commits wait, after a verification beside them has failed. It may have found damage, or
    /// more was overwritten than it could keep.
    fn verify_again(&self) -> Result<()> {
        if self.stop.is_set() {
            return Err(Error::closed());
        }
        self.writer.run_exclusive(|engine, _| engine.verify(), &mut |_| {})
    }
}

impl Backend for File {
    fn submit(&self, work: Box<dyn Work>) {
        self.writer.submit(work);
    }

    fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>> {
        self.writer.try_submit(work, waker)
    }

    fn snapshot(&self) -> Result<Snapshot> {
        self.database.snapshot()
    }

    fn verified_snapshot(&self) -> Result<Snapshot> {
        let stop = self.stop.clone();
        let (snapshot, disk) = self.writer.run_exclusive(|engine, _| engine.freeze(stop), &mut |_| {})?;
        verify::verify(disk).or_else(|_| self.verify_again())?;
        Ok(snapshot)
    }

    fn problem(&self) -> Option<Error> {
        self.database.problem()
    }

    fn stats(&self) -> Result<Stats> {
        Ok(Stats { file_bytes: Some(self.database.file_bytes()?), ..self.counters.read() })
    }

    fn rewrite(&self, with: Option<Replacement>, progress: &mut Progress<'_>) -> Result<()> {
        self.writer.run_exclusive(move |engine, progress| engine.rewrite(with, progress), progress)
    }

    fn check(&self) -> Result<Health> {
        self.writer.run_exclusive(|engine, _| engine.check(), &mut |_| {})
    }

    fn flush(&self) -> Result<()> {
        self.writer.run_exclusive(|engine, _| engine.flush(), &mut |_| {})
    }

    fn close(&self) -> Result<()> {
        self.stop.set();
        let flushed = self.flush();
        if self.writer.is_current_thread() {
            return flushed;
        }
        self.writer.close();
        self.database.close();
        match flushed {
            Err(error) if error.kind() == ErrorKind::Closed => Ok(()),
            other => other,
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if self.writer.is_current_thread() {
            // A transaction or a waker held the last handle. The thread ends when it has finished the accepted work,
            // and closes the file then.
            self.stop.set();
            return self.writer.stop_accepting();
        }
        // There is no caller to report a failure to; acknowledged writes are already on disk.
        let _ = self.close();
    }
}
