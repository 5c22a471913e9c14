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

/// A command about the cloud itself.
struct OwnCommand {
    name: &'static str,
    /// Adds the description and the arguments to the command of this name.
    grammar: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut Environment<'_>) -> CmdResult,
}

const COMMANDS: [OwnCommand; 8] = [
    OwnCommand { name: "serve", grammar: serve::grammar, run: serve::run },
    OwnCommand { name: "clock", grammar: clock::grammar, run: clock::run },
    OwnCommand { name: "snapshot", grammar: snapshot::grammar, run: snapshot::run },
    OwnCommand { name: "fork", grammar: fork::grammar, run: fork::run },
    OwnCommand { name: "state", grammar: state::grammar, run: state::run },
    OwnCommand { name: "root-key", grammar: root_key::grammar, run: root_key::run },
    OwnCommand { name: "control", grammar: control::grammar, run: control::run },
    OwnCommand { name: "access", grammar: access::grammar, run: access::run },
];

impl OwnCommand {
    fn find(name: &str) -> Option<Self> {
        COMMANDS.into_iter().find(|known| known.name == name)
    }

    fn build(self) -> Command {
        (self.grammar)(Command::new(self.name))
    }
}

/// True if a command about the cloud itself has this name.
pub(crate) fn is_command(name: &str) -> bool {
    OwnCommand::find(name).is_some()
}

/// Returns the command `name` about the cloud itself.
pub(crate) fn command(name: &str) -> Option<Command> {
    OwnCommand::find(name).map(OwnCommand::build)
}

/// Returns the commands about the cloud itself, and the views of services.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    COMMANDS.into_iter().map(OwnCommand::build).chain(service_views::commands())
}

/// Runs the command `name`.
pub(crate) fn run(name: &str, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    if let Some(own) = reading_subcommand(name, matches) {
        let context = Context::read(own, env)?;
        if name == "state" || !context.is_remote() {
            context.check_state_exists(env)?;
        }
    }
    match OwnCommand::find(name) {
        Some(command) => (command.run)(matches, env),
        None => service_views::run(name, matches, env),
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
