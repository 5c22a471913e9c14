//! The `nephos` command line: every kind, call and parameter in the registry, and commands about the cloud itself.
//! Nothing here is specific to a kind.

mod arguments;
mod bulk;
mod commands;
mod complete;
mod context;
mod dry_run;
mod env;
mod exit;
mod explain;
mod failed_entries;
mod grammar;
mod inputs;
mod invoke;
mod listing;
mod names;
mod one_time;
mod opening;
mod output;
mod panics;
mod printable;
mod program;
mod progress;
mod prompt;
mod resource_names;
mod scope;
mod style;
mod target;
mod tour;
mod values;
mod wording;

pub use env::{Environment, Prompt, System, Terminal};
pub use exit::exit_code;
pub use grammar::full_grammar;
pub use panics::install_panic_hook;
pub use program::{run, run_process};
