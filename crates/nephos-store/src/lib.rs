//! An ordered, transactional, durable key-value store: in memory, or in one file.
//!
//! A [`Store`] holds rows: byte-string values under byte-string keys, in byte order. *Transactions* change it: pure
//! functions from the rows they read to an answer and a set of writes. They are serializable and atomic.
//! *Snapshots* read it, without blocking and without being blocked. A transaction is acknowledged when its writes
//! are on disk: if the process is killed at any moment, every acknowledged transaction is there, and none in part.
//!
//! The crate does not interpret the rows.

pub mod backend;
mod error;
mod file;
mod group;
#[cfg(all(test, shuttle))]
mod group_check;
mod memory;
mod overlay;
mod pending;
mod range;
mod stats;
mod store;
mod sync;
mod txn;
mod view;

pub use error::{Error, ErrorKind, Result};
pub use file::{OpenOptions, remove_leftovers_in};
pub use pending::Pending;
pub use range::{Direction, KeyRange};
pub use stats::{GROUP_SIZES, Stats};
pub use store::{Health, Store};
pub use txn::{MAX_KEY_BYTES, MAX_VALUE_BYTES, RowChange, Txn};
pub use view::{Key, Row, Snapshot, Value, View, Visitor};
