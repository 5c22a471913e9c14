//! Commands about the cloud itself, and the views of kinds.

mod access;
mod clock;
mod control;
mod dot;
mod feed;
pub(crate) mod fork;
mod item_table;
mod report;
mod root_key;
mod serve;
mod service_views;
mod snapshot;
mod snapshot_remote;
mod state;
mod state_move;
mod tail;
mod tree;
mod views;

use crate::{context::Context, env::Environment, exit::CmdResult};
use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser};

pub(crate) use service_views::exit_codes;
pub(crate) use views::{run_view, view_commands};

/// Adds to a command what it has beside its name.
type Grammar = fn(Command) -> Command;

/// Commands about the cloud itself.
const COMMANDS: [(&str, Grammar); 8] = [
    ("serve", serve::grammar),
    ("clock", clock::grammar),
    ("snapshot", snapshot::grammar),
    ("fork", fork::grammar),
    ("state", state::grammar),
    ("root-key", root_key::grammar),
    ("control", control::grammar),
    ("access", access::grammar),
];

/// True if a command about the cloud itself has this name.
pub(crate) fn is_command(name: &str) -> bool {
    COMMANDS.iter().any(|(known, _)| *known == name)
}

/// Returns the command `name` about the cloud itself.
pub(crate) fn command(name: &str) -> Option<Command> {
    let (name, grammar) = COMMANDS.into_iter().find(|(known, _)| *known == name)?;
    Some(grammar(Command::new(name)))
}

/// Returns the commands about the cloud itself, and the views of services.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    let own = COMMANDS.into_iter().map(|(name, grammar)| grammar(Command::new(name)));
    own.chain(service_views::commands())
}

/// Runs the command `name`.
pub(crate) fn run(name: &str, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    if let Some(own) = reading_subcommand(name, matches) {
        let context = Context::read(own, env)?;
        if name == "state" || !context.is_remote() {
            context.check_state_exists(env)?;
        }
    }
    match name {
        "serve" => serve::run(matches, env),
        "clock" => clock::run(matches, env),
        "snapshot" if snapshot_remote::run(matches, env)? => Ok(()),
        "snapshot" => snapshot::run(matches, env),
        "fork" => fork::run(matches, env),
        "state" => state::run(matches, env),
        "root-key" => root_key::run(matches, env),
        "access" => access::run(matches, env),
        name if service_views::run(name, matches, env)? => Ok(()),
        _ => control::run(matches, env),
    }
}

/// Returns the matches of a subcommand that works on an existing state file, and must not create it.
fn reading_subcommand<'m>(name: &str, matches: &'m ArgMatches) -> Option<&'m ArgMatches> {
    let (subcommand, own) = matches.subcommand()?;
    matches!((name, subcommand), ("state", "check" | "compact" | "stats") | ("snapshot", "save"))
        .then_some(own)
}

/// Returns the command that prints a completion script.
pub(crate) fn completions() -> Command {
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
