//! Commands about the cloud itself, and the extra commands of two kinds.

mod clock;
mod control;
pub(crate) mod map;
mod serve;
mod snapshot;
mod state;
pub(crate) mod tail;

use crate::{complete, edge::Edge, exit::Done};
use clap::{ArgMatches, Command};
use nephos_core::shape::KindShape;

/// The commands.
pub(crate) fn all() -> [Command; 6] {
    [
        serve::command(),
        clock::command(),
        snapshot::command(),
        state::command(),
        control::command(),
        complete::command(),
    ]
}

/// Runs the command of that name.
pub(crate) fn run(name: &str, matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    match name {
        "serve" => serve::run(matches, edge),
        "clock" => clock::run(matches, edge),
        "snapshot" => snapshot::run(matches, edge),
        "state" => state::run(matches, edge),
        "control" => control::run(matches, edge),
        _ => complete::register(matches, edge),
    }
}

/// A command that a kind has beside its calls.
pub(crate) fn extra(kind: &KindShape) -> Option<Command> {
    match kind.name {
        tail::KIND => Some(tail::command()),
        map::KIND => Some(map::command()),
        _ => None,
    }
}

/// Runs it.
pub(crate) fn run_extra(name: &str, matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    match name {
        "map" => map::run(matches, edge),
        _ => tail::run(matches, edge),
    }
}

/// A mapping of names and values, to be shown.
fn facts<const N: usize>(entries: [(&str, nephos::Value); N]) -> nephos::Value {
    nephos::Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
}
