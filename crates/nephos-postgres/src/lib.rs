//! A store on a PostgreSQL-compatible database: the same rows as in a file, shared by several machines.
//!
//! Transactions are serializable ones of the database, and snapshots are read-only ones. Each process has one connection that
//! writes, and a pool of connections that read. The design is described in `docs/decisions/0035-several-machines-on-postgresql.md`.
//!
//! The client speaks the PostgreSQL protocol over blocking sockets, because a store is read by synchronous code, inside and
//! outside of async runtimes.

mod address;
mod backend;
mod connection;
mod failure;
mod message;
mod pool;
mod reading;
mod schema;
mod scram;
mod sql;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod writer;

pub use address::Address;

use backend::Database;
use nephos_store::{OpenOptions, Result, Store};

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
    Ok(Store::on(Database::open(address.clone(), options)?))
}
