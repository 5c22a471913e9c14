//! Tests of parts of `log_group`.

mod find;
mod list_groups;
