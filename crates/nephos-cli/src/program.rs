//! From the command line to the command.

use crate::{
    commands, complete,
    env::Environment,
    exit::{self, CmdResult},
    explain, grammar, invoke,
    target::Target,
    tour,
};
use clap::{ArgMatches, ColorChoice};
use nephos::REGISTRY;
use nephos_core::shape::KindShape;
use std::ffi::OsString;

/// Runs the program with these arguments, its own name the first of them; gives its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &mut Environment<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let done = match env.variable("COMPLETE").map(str::to_owned) {
        Some(shell) => complete::answer(&shell, args, env),
        None => go(&args, env),
    };
    let done = done.and_then(|()| Ok(env.out.flush()?));
    match done {
        Ok(()) => 0,
        Err(failure) => {
            let code = exit::report(failure, env);
            // A failure to write was reported already, if it was that.
            let _ = env.out.flush();
            code
        }
    }
}

fn go(args: &[OsString], env: &mut Environment<'_>) -> CmdResult {
    let colour = if env.terminal.colour { ColorChoice::Always } else { ColorChoice::Never };
    let width = env.terminal.width.map_or(100, |width| usize::from(width.clamp(40, 120)));
    let grammar = grammar::root(&grammar::mentioned(args), None).color(colour).term_width(width);
    let matches = grammar.try_get_matches_from(args)?;
    match matches.subcommand() {
        Some(("explain", matches)) => explain::run(matches, env),
        Some(("kinds", matches)) => explain::kinds(matches, env),
        Some(("completions", matches)) => complete::register(matches, env),
        Some(("tour", _)) => tour::run(env, run),
        Some((name, matches)) => match REGISTRY.kind(name) {
            Some(kind) => call(kind, matches, env),
            None => commands::run(name, matches, env),
        },
        None => Ok(()),
    }
}

fn call(kind: &'static KindShape, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    match Target::new(kind, name) {
        Some(target) => invoke::run(target, matches, env),
        None => commands::view(kind, name, matches, env),
    }
}
