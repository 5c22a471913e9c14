//! Tests of the kernel.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod decisions;
pub mod describing_a_kind;

// The words of operations look for it in the root of the crate.
use describing_a_kind::SERVICE;
