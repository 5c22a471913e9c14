//! The `nephos` command line: every kind, call and parameter in the registry, and commands about the cloud itself.
//! Nothing here is specific to a kind.

mod arguments;
mod bulk;
mod commands;
mod complete;
mod context;
mod env;
mod exit;
mod explain;
mod grammar;
mod inputs;
mod invoke;
mod listing;
mod names;
mod output;
mod program;
mod progress;
mod style;
mod target;
mod tour;
mod values;

pub use env::{Environment, System, Terminal};
pub use exit::exit_code;
pub use grammar::full_grammar;
pub use program::run;
