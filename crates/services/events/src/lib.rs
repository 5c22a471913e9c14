//! Event buses and rules: patterns select the events of a rule.

pub mod pattern;
