//! `nephos snapshot`: saves the whole state to a file and restores it.

use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, file_error},
    opening::snapshot_failure,
    progress,
};
use clap::{Arg, ArgMatches, Command};
use std::{fs::File, io};

pub(super) fn command() -> Command {
    let file = || Arg::new("FILE").required(true).value_name("FILE").help("Snapshot file");
    Command::new("snapshot")
        .about("Save the state to a snapshot file, or restore it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("save").about("Save all resources and the time to a new file").arg(file()))
        .subcommand(
            Command::new("restore")
                .about("Replace all resources and the time by those of a snapshot")
                .arg(file()),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let file = own.get_one::<String>("FILE").map_or("", String::as_str);
    let context = Context::read(own, env);
    if name == "restore" {
        context.check_is_local()?;
        // Before a state file is created.
        check_is_readable(file).map_err(|error| file_error(file, &error))?;
    }
    let cloud = context.open(env)?;
    let bar = progress::bar(env, None);
    let mut rows = 0;
    let mut count = |so_far: u64| {
        rows = so_far;
        progress::set_rows(&bar, so_far);
    };
    let done = match name {
        "save" => cloud.save_to(file, &mut count),
        _ => cloud.restore_from(file, &mut count),
    };
    bar.finish_and_clear();
    done.map_err(|error| snapshot_failure(file, error))?;
    writeln!(env.out, "done: snapshot {name} {file}, {rows} rows")?;
    Ok(())
}

fn check_is_readable(file: &str) -> io::Result<()> {
    match File::open(file)?.metadata()?.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file")),
    }
}
