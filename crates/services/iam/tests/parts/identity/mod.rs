//! Tests of parts of `identity`.

mod session_rules;
