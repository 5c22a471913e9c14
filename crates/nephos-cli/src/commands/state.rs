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
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::{Cloud, Value};

pub(super) fn command() -> Command {
    Command::new("state")
        .about("Check, compact or describe the state file")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("check").about("Verify the integrity of the state file"))
        .subcommand(Command::new("compact").about("Compact the state file"))
        .subcommand(
            Command::new("stats").about("Show the number of rows and bytes, and failed due work").arg(
                Arg::new("tables")
                    .long("tables")
                    .action(ArgAction::SetTrue)
                    .help("Show the rows and bytes of each table instead, the largest first"),
            ),
        )
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
        _ if own.get_flag("tables") => Value::List(tables(&cloud)?),
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

/// Returns the tables with their rows and bytes, the largest first.
fn tables(cloud: &Cloud) -> CmdResult<Vec<Value>> {
    let mut tables: Vec<_> = cloud.tables()?.into_iter().collect();
    tables.sort_by_key(|(_, (_, bytes))| std::cmp::Reverse(*bytes));
    let row = |(name, (rows, size)): (String, (u64, u64))| {
        to_map([("table", name.into()), ("rows", bytes(Some(rows))), ("bytes", bytes(Some(size)))])
    };
    Ok(tables.into_iter().map(row).collect())
}

fn bytes(count: Option<u64>) -> Value {
    count.map(|count| i64::try_from(count).unwrap_or(i64::MAX)).into()
}
