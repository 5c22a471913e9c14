//! For tests of stores: the conformance suite of backends, a disk that fails, and a PostgreSQL in a scratch folder.

pub mod conformance;
pub mod faults;
pub mod postgres;
