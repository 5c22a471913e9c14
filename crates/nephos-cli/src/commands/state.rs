//! `nephos state`: checks, compacts and describes the state file, and replaces its key.

use super::to_map;
use crate::{
    context::Context,
    env::Environment,
    exit::CmdResult,
    opening::{Access, run_key_command},
    output::{Columns, Output},
    progress,
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::{Cloud, Error, NewKey, SecretText, Value};

pub(super) fn grammar(command: Command) -> Command {
    command
        .about("Check, compact or describe the state file, or replace its key")
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
        .subcommand(
            Command::new("rekey")
                .about("Replace the key that encrypts secrets at rest, in its file and in the state file")
                .arg(
                    Arg::new("passphrase").long("passphrase").action(ArgAction::SetTrue).help(
                        "Protect the new key file by a passphrase: that in NEPHOS_NEW_KEY_PASSPHRASE, or one that is asked for",
                    ),
                )
                .arg(
                    Arg::new("to-command")
                        .long("to-command")
                        .value_name("COMMAND")
                        .conflicts_with("passphrase")
                        .help("Take the new key from a command that prints it, and keep it in no file"),
                ),
        )
        .subcommand(
            Command::new("move")
                .about("Copy the whole state into a new state file or an empty database, and verify the copy")
                .long_about(
                    "Copy the whole state from one place to another, and verify that all rows are the same. A place is the path of a \
                     state file or the address of a database, postgres://USER@HOST/DATABASE. The target must be a new file or a \
                     database without a state. The source is not changed; nothing may write it meanwhile. The key stays the \
                     same: give its file with --key-file, or it is that beside the state file.",
                )
                .arg(Arg::new("FROM").required(true).value_name("FROM").help("State file or address of a database"))
                .arg(Arg::new("TO").required(true).value_name("TO").help("New state file or address of a database")),
        )
        .subcommand(Command::new("path").about("Print the path of the state file, or the address of its database without the password"))
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let (context, output) = (Context::read(own, env)?, Output::read(own)?);
    if name == "path" {
        let path = match (&context.store, &context.state) {
            (Some(url), _) => without_password(url.expose()),
            (None, Some(path)) => path.display().to_string(),
            (None, None) => "memory".to_owned(),
        };
        writeln!(env.out, "{path}")?;
        return Ok(());
    }
    if name == "move" {
        return super::state_move::run(&context, own, &output, env);
    }
    if name == "rekey" {
        return rekey(&context, own, &output, env);
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

/// Returns the address of a database without the password.
pub(super) fn without_password(url: &str) -> String {
    let shown = url.split_once("://").and_then(|(scheme, rest)| {
        let (credentials, host) = rest.rsplit_once('@')?;
        let user = credentials.split_once(':').map_or(credentials, |(user, _)| user);
        Some(format!("{scheme}://{user}@{host}"))
    });
    shown.unwrap_or_else(|| url.to_owned())
}

/// Replaces the key of the state file.
fn rekey(context: &Context, matches: &ArgMatches, output: &Output, env: &mut Environment<'_>) -> CmdResult {
    context.check_is_local()?;
    context.check_state_exists(env)?;
    if context.store.is_some() {
        let message = "the key of a state in a database is replaced in a file: state move, state rekey, and state move back";
        return Err(Error::new(nephos::ErrorKind::Unsupported, message).into());
    }
    let Some(path) = context.state.as_ref().filter(|_| env.cloud.is_none()) else {
        return Err(Error::invalid("--memory", "a cloud in memory has no key that can be replaced").into());
    };
    let options = context.with_passphrase(env)?.cloud_options(env);
    let options = context.with_key_of_command(options)?;
    let new = match matches.get_one::<String>("to-command") {
        Some(command) => NewKey::Given(run_key_command(command)?),
        None if matches.get_flag("passphrase") => NewKey::Protected(new_passphrase(env)?),
        None => NewKey::Random,
    };
    options.rekey(path, new)?;
    output.show(env, &to_map([("rekeyed", path.display().to_string().into())]), &Columns::default())
}

/// Returns the passphrase of a new key: from the environment, or typed twice.
fn new_passphrase(env: &mut Environment<'_>) -> CmdResult<SecretText> {
    if let Some(passphrase) = env.variable("NEPHOS_NEW_KEY_PASSPHRASE") {
        return Ok(passphrase.into());
    }
    let Some(prompt) = env.prompt.as_mut() else {
        return Err(Error::invalid(
            "--passphrase",
            "set NEPHOS_NEW_KEY_PASSPHRASE, or run this on a terminal",
        )
        .into());
    };
    let passphrase = SecretText::from(prompt("New passphrase of the key file: ")?);
    if prompt("The same passphrase again: ")? != passphrase.expose() {
        return Err(Error::invalid("--passphrase", "the two passphrases differ").into());
    }
    Ok(passphrase)
}
