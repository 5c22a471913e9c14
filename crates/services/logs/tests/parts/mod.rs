//! Tests of parts of the service that no case can show alone.

mod filter;
mod log_group;
mod log_stream;
mod masking;
mod policy;
