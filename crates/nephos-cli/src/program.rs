//! From the command line to the command.

use crate::{
    commands, complete,
    edge::Edge,
    exit::{self, Done},
    explain, grammar, invoke,
    target::Target,
    tour,
};
use clap::{ArgMatches, ColorChoice};
use nephos::REGISTRY;
use nephos_core::shape::KindShape;
use std::ffi::OsString;

/// Runs the program with these arguments, its own name the first of them; gives its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, edge: &mut Edge<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let done = match edge.variable("COMPLETE").map(str::to_owned) {
        Some(shell) => complete::answer(&shell, args, edge),
        None => go(&args, edge),
    };
    let done = done.and_then(|()| Ok(edge.out.flush()?));
    match done {
        Ok(()) => 0,
        Err(failure) => {
            let code = exit::report(failure, edge);
            // A failure to write was reported already, if it was that.
            let _ = edge.out.flush();
            code
        }
    }
}

fn go(args: &[OsString], edge: &mut Edge<'_>) -> Done {
    let colour = if edge.terminal.colour { ColorChoice::Always } else { ColorChoice::Never };
    let width = edge.terminal.width.map_or(100, |width| usize::from(width.clamp(40, 120)));
    let grammar = grammar::root(&grammar::mentioned(args), None).color(colour).term_width(width);
    let matches = grammar.try_get_matches_from(args)?;
    match matches.subcommand() {
        Some(("explain", matches)) => explain::run(matches, edge),
        Some(("kinds", matches)) => explain::kinds(matches, edge),
        Some(("completions", matches)) => complete::register(matches, edge),
        Some(("tour", _)) => tour::run(edge, run),
        Some((name, matches)) => match REGISTRY.kind(name) {
            Some(kind) => call(kind, matches, edge),
            None => commands::run(name, matches, edge),
        },
        None => Ok(()),
    }
}

fn call(kind: &'static KindShape, matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    match Target::new(kind, name) {
        Some(target) => invoke::run(target, matches, edge),
        None => commands::view(kind, name, matches, edge),
    }
}
