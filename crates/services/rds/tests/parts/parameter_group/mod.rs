//! Tests of parts of `parameter_group`.

mod tables;
mod values;
