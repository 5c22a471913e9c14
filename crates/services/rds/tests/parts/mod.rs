//! Tests of parts of the service that no case can show alone.

mod engine;
mod event;
mod instance;
mod log_file;
mod option_group;
mod parameter_group;
