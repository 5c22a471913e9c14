//! `nephos snapshot`: saves the whole state to a file and restores it.

use crate::{context::Context, env::Environment, exit::CmdResult, progress};
use clap::{Arg, ArgMatches, Command};

pub(super) fn command() -> Command {
    let file = || Arg::new("FILE").required(true).value_name("FILE").help("Snapshot file");
    Command::new("snapshot")
        .about("Save the state to a snapshot file, or restore it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
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
    let cloud = Context::read(own, env).open(env)?;
    let bar = progress::bar(env, None);
    let mut rows = 0;
    let mut count = |so_far: u64| {
        rows = so_far;
        progress::set_rows(&bar, so_far);
    };
    match name {
        "save" => cloud.save_to(file, &mut count)?,
        _ => cloud.restore_from(file, &mut count)?,
    }
    bar.finish_and_clear();
    writeln!(env.out, "done: snapshot {name} {file}, {rows} rows")?;
    Ok(())
}
