//! Tests of parts of `log_file`.

mod format;
