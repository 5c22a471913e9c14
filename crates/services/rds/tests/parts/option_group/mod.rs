//! Tests of parts of `option_group`.

mod table;
