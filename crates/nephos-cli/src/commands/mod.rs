//! Commands about the cloud itself, and the views of kinds.

mod access;
mod clock;
mod control;
mod dot;
mod events;
mod serve;
mod snapshot;
mod state;
mod tail;
mod tree;
mod views;

use crate::{env::Environment, exit::CmdResult};
use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser};

pub(crate) use views::{run_view, view_commands};

/// Returns the commands about the cloud itself.
pub(crate) fn commands() -> [Command; 8] {
    [
        serve::command(),
        clock::command(),
        snapshot::command(),
        state::command(),
        control::command(),
        access::command(),
        events::command(),
        completions(),
    ]
}

/// Runs the command `name`.
pub(crate) fn run(name: &str, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    match name {
        "serve" => serve::run(matches, env),
        "clock" => clock::run(matches, env),
        "snapshot" => snapshot::run(matches, env),
        "state" => state::run(matches, env),
        "access" => access::run(matches, env),
        "events" => events::run(matches, env),
        _ => control::run(matches, env),
    }
}

/// Returns the command that prints a completion script.
fn completions() -> Command {
    Command::new("completions")
        .about("Print the shell completion script for commands, values and resource names")
        .after_help("Examples:\n  source <(nephos completions bash)\n  nephos completions fish | source")
        .arg(
            Arg::new("SHELL")
                .required(true)
                .value_parser(PossibleValuesParser::new(["bash", "zsh", "fish", "elvish", "powershell"]))
                .help("Shell"),
        )
}

/// Creates a mapping.
fn to_map<const N: usize>(entries: [(&str, nephos::Value); N]) -> nephos::Value {
    nephos::Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
}
