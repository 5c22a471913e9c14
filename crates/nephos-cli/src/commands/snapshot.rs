//! `nephos snapshot`: everything into a file, and back.

use crate::{context::Context, env::Environment, exit::CmdResult, progress};
use clap::{Arg, ArgMatches, Command};

pub(super) fn command() -> Command {
    let file = || Arg::new("FILE").required(true).value_name("FILE").help("The file of the snapshot");
    Command::new("snapshot")
        .about("Saves everything in a file, or puts it back")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(Command::new("save").about("Writes everything into a new file").arg(file()))
        .subcommand(
            Command::new("restore")
                .about("Puts a snapshot in place of everything, the time included")
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
