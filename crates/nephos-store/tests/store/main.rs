//! Tests of the store: its conformance, its file, and what it keeps when the disk, the power or the process fails.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod failing_disk;
mod file;
mod kill;
mod model;
mod power_loss;
mod victim;
