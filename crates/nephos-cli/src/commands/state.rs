//! `nephos state`: checks, compacts and describes the state file.

use super::to_map;
use crate::{
    context::Context,
    env::Environment,
    exit::CmdResult,
    opening::Access,
    output::{Columns, Output},
    progress,
};
use clap::{ArgMatches, Command};
use nephos::Value;

pub(super) fn command() -> Command {
    Command::new("state")
        .about("Check, compact or describe the state file")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("check").about("Verify the integrity of the state file"))
        .subcommand(Command::new("compact").about("Compact the state file"))
        .subcommand(Command::new("stats").about("Show the number of rows and bytes, and failed due work"))
        .subcommand(Command::new("path").about("Print the path of the state file"))
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let (context, output) = (Context::read(own, env)?, Output::read(own)?);
    if name == "path" {
        let path =
            context.state.as_ref().map_or_else(|| "memory".to_owned(), |path| path.display().to_string());
        writeln!(env.out, "{path}")?;
        return Ok(());
    }
    let cloud = match name {
        "compact" => context.open(env)?,
        _ => {
            context.check_is_local()?;
            context.open_for(Access::Read, env)?
        }
    };
    let answer = match name {
        "check" => to_map([("health", format!("{:?}", cloud.check()?).to_lowercase().into())]),
        "compact" => {
            let before = cloud.stats()?.file_bytes;
            let bar = progress::bar(env, None);
            cloud.compact(|rows| progress::set_rows(&bar, rows))?;
            bar.finish_and_clear();
            to_map([("bytesBefore", bytes(before)), ("bytesAfter", bytes(cloud.stats()?.file_bytes))])
        }
        _ => {
            let stats = cloud.stats()?;
            let failed = cloud.failed_work()?.into_iter().map(|(time, work, error)| {
                to_map([("time", time.into()), ("work", work.into()), ("error", error.into())])
            });
            to_map([
                ("rows", bytes(Some(stats.rows))),
                ("bytes", bytes(Some(stats.bytes))),
                ("fileBytes", bytes(stats.file_bytes)),
                ("failedWork", Value::List(failed.collect())),
            ])
        }
    };
    output.show(env, &answer, &Columns::default())
}

fn bytes(count: Option<u64>) -> Value {
    count.map(|count| i64::try_from(count).unwrap_or(i64::MAX)).into()
}
