//! Event patterns and events: the pattern in the first line, the event in the rest. All ways to match agree.

#[path = "../../../../crates/services/events/tests/consistency.rs"]
mod consistency;

pub(crate) use consistency::check;
