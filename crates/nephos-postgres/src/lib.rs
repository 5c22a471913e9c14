//! A store on a PostgreSQL-compatible database: the same rows as in a file, shared by several machines.
//!
//! Transactions are serializable ones of the database, and snapshots are read-only ones. Each process has one connection that
//! writes, and a pool of connections that read. The design is described in `docs/decisions/0035-several-machines-on-postgresql.md`.
//!
//! The client speaks the PostgreSQL protocol, in the messages of `postgres-protocol`, over blocking sockets, because a store is read by synchronous code, inside and
//! outside of async runtimes.

mod address;
mod backend;
mod connection;
mod counts;
mod failure;
mod message;
mod newest;
mod pool;
mod reading;
mod schema;
mod sql;
mod stream;
mod writer;

pub use address::Address;

use backend::Database;
use connection::Connection;
use nephos_store::{OpenOptions, Result, Store};
use std::sync::{Arc, atomic::Ordering};

/// Opens the store in the database at `address`; its tables are created if they do not exist.
///
/// ```no_run
/// use nephos_store::OpenOptions;
///
/// let address = "postgres://nephos@db.example.com/nephos".parse()?;
/// let store = nephos_postgres::open(&address, &OpenOptions::new())?;
/// # Ok::<(), nephos_store::Error>(())
/// ```
pub fn open(address: &Address, options: &OpenOptions) -> Result<Store> {
    open_counted(address, options).map(|(store, _)| store)
}

/// Like [`open`]; also returns the counts of the store's work.
pub fn open_counted(address: &Address, options: &OpenOptions) -> Result<(Store, Counts)> {
    let database = Database::open(address.clone(), options)?;
    let counts = Counts(database.counts.clone());
    Ok((Store::on(database), counts))
}

/// Counts of the work of a store since it was opened.
#[derive(Clone, Debug)]
pub struct Counts(Arc<counts::Counts>);

impl Counts {
    /// Number of groups of transactions that ran again because of a conflict with another process.
    pub fn conflicts(&self) -> u64 {
        self.0.conflicts.load(Ordering::Relaxed)
    }

    /// Number of commits whose connection was lost, and of which it had to be found out whether they were carried out.
    pub fn resolved(&self) -> u64 {
        self.0.resolved.load(Ordering::Relaxed)
    }

    /// Number of round trips to the database, for reads and writes.
    pub fn round_trips(&self) -> u64 {
        self.0.round_trips.load(Ordering::Relaxed)
    }
}

/// Runs statements on a connection of their own; returns the first column of the rows of the first one. For tests.
#[doc(hidden)]
pub fn query_texts(address: &Address, sql: &str) -> Result<Vec<String>> {
    let mut connection = Connection::open(address, false).map_err(|failure| failure.to_error())?;
    let answers = connection.query(sql).map_err(|failure| failure.to_error())?;
    let rows = answers.first().map(|answer| answer.rows.iter().map(|row| row.text(0)).collect());
    Ok(rows.unwrap_or_default())
}
