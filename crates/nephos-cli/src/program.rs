//! Parses the command line and runs the command.

use crate::{
    commands, complete,
    env::{Environment, System},
    exit::{self, CmdResult},
    explain, grammar, invoke,
    panics::install_panic_hook,
    target::Target,
    tour,
};
use clap::{ArgMatches, ColorChoice};
use nephos::{ErrorKind, REGISTRY};
use nephos_core::shape::KindShape;
use std::{
    ffi::OsString,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
};

/// Runs the program with the environment and the streams of this process; the first argument is its name. `program` is the path
/// of the program, if this process is another one. Returns the exit code.
pub fn run_process(args: impl IntoIterator<Item = OsString>, program: Option<PathBuf>) -> u8 {
    let mut system = System::new();
    let mut env = Environment::from_system(&mut system);
    env.program = program.unwrap_or(env.program);
    install_panic_hook(&env);
    let done = panic::catch_unwind(AssertUnwindSafe(|| run(args, &mut env)));
    // The panic hook has printed the message.
    done.unwrap_or(exit::exit_code(ErrorKind::Internal))
}

/// Runs the program; the first argument is its name. Returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &mut Environment<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let result = match env.variable("COMPLETE").map(str::to_owned) {
        Some(shell) => complete::print_candidates(&shell, args, env),
        None => dispatch(&args, env),
    };
    let result = result.and_then(|()| Ok(env.out.flush()?));
    match result {
        Ok(()) => 0,
        Err(failure) => {
            let code = exit::report(failure, env);
            // A failed write was already reported.
            let _ = env.out.flush();
            code
        }
    }
}

fn dispatch(args: &[OsString], env: &mut Environment<'_>) -> CmdResult {
    let colour = if env.terminal.colour { ColorChoice::Always } else { ColorChoice::Never };
    let width = env.terminal.width.map_or(100, |width| usize::from(width.clamp(40, 120)));
    let grammar = grammar::of_command_line(args).color(colour).term_width(width);
    let args = grammar::join_optional_values(&grammar, args);
    let matches = grammar.try_get_matches_from(args)?;
    match matches.subcommand() {
        Some(("explain", matches)) => explain::run(matches, env),
        Some(("kinds", matches)) => explain::list_kinds(matches, env),
        Some(("completions", matches)) => complete::print_script(matches, env),
        Some(("tour", _)) => tour::run(env, run),
        Some((name, matches)) if commands::is_command(name) => commands::run(name, matches, env),
        Some((name, matches)) => match REGISTRY.kind(name) {
            Some(kind) => run_call(kind, matches, env),
            None => commands::run(name, matches, env),
        },
        None => Ok(()),
    }
}

fn run_call(kind: &'static KindShape, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    match Target::new(kind, name) {
        Some(target) => invoke::run(target, matches, env),
        None => commands::run_view(kind, name, matches, env),
    }
}
