//! An ordered transactional key-value store that loses nothing: in memory, or in one file.
//!
//! A [`Store`] holds rows, byte strings under byte-string keys in byte order. It is changed by *transactions*, pure
//! functions from what they read to an answer and a set of writes, which are serializable and all or nothing; it is
//! read through *snapshots*, which never wait and never hold anybody up. A transaction is acknowledged when its
//! writes are on disk; killing the process at any instant loses no acknowledged transaction and shows no half of
//! one.
//!
//! The crate knows nothing of what the rows mean.

mod backend;
#[cfg(feature = "testing")]
pub mod conformance;
mod error;
#[cfg(feature = "testing")]
pub mod faults;
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
pub use file::OpenOptions;
pub use pending::Pending;
pub use range::{Direction, KeyRange};
pub use stats::{GROUP_SIZES, Stats};
pub use store::{Health, Store};
pub use txn::{MAX_KEY_BYTES, MAX_VALUE_BYTES, RowChange, Txn};
pub use view::{Key, Row, Snapshot, Value, View, Visitor};
