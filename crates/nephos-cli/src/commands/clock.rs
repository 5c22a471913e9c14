//! `nephos clock`: shows and changes the time of the cloud.

use super::to_map;
use crate::{
    context::Context,
    env::Environment,
    exit::CmdResult,
    opening::Access,
    output::{Columns, Output},
};
use clap::{Arg, ArgMatches, Command};
use nephos::{Error, SignedDuration, Timestamp, Value};

pub(super) fn grammar(command: Command) -> Command {
    let argument =
        |name: &'static str, help: &'static str| Arg::new(name).value_name(name).required(true).help(help);
    command
        .about("Show, advance, set or freeze the time of the cloud, or let it go on")
        .subcommand(
            Command::new("advance")
                .about("Advance the time by a duration and run the work that falls due")
                .arg(argument("BY", "Duration, for example 30d, 12h, 90m or 1d12h")),
        )
        .subcommand(
            Command::new("set")
                .about("Advance the time to an instant and run the work that falls due")
                .arg(argument("TIME", "Time in ISO 8601, for example 2026-01-31T12:00:00Z")),
        )
        .subcommand(Command::new("freeze").about("Stop the clock"))
        .subcommand(
            Command::new("resume")
                .alias("run")
                .about("Let a frozen clock run, from the current time of the cloud"),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let subcommand = matches.subcommand();
    let own = subcommand.map_or(matches, |(_, own)| own);
    let (context, output) = (Context::read(own, env)?, Output::read(own)?);
    let text = |name: &str| own.get_one::<String>(name).map_or("", String::as_str);
    let change = match subcommand.map(|(name, _)| name) {
        Some("advance") => Some(Change::Advance(duration(text("BY"))?)),
        Some("set") => Some(Change::Set(
            nephos_core::time::parse(text("TIME"))
                .ok_or_else(|| Error::invalid("time", "expected a time such as 2026-01-31T12:00:00Z"))?,
        )),
        Some("freeze") => Some(Change::Freeze(true)),
        Some("resume") => Some(Change::Freeze(false)),
        _ => None,
    };
    let answer = match context.is_remote() {
        true => change_remotely(&context, change, env)?,
        false => change_locally(&context, change, env)?,
    };
    output.show(env, &answer, &Columns::default())
}

/// A change of the clock.
enum Change {
    Advance(SignedDuration),
    Set(Timestamp),
    Freeze(bool),
}

fn change_locally(context: &Context, change: Option<Change>, env: &mut Environment<'_>) -> CmdResult<Value> {
    let cloud = context.open_for(if change.is_some() { Access::Write } else { Access::SharedRead }, env)?;
    let clock = cloud.clock();
    let mut done = None;
    match change {
        Some(Change::Advance(by)) => done = Some(clock.advance(by)?.done),
        Some(Change::Set(time)) => done = Some(clock.set(time)?.done),
        Some(Change::Freeze(true)) => clock.freeze()?,
        Some(Change::Freeze(false)) => clock.run()?,
        None => {}
    }
    let mut answer = vec![("now", clock.now().into()), ("state", state_text(clock.is_frozen()).into())];
    answer.extend(done.map(|done| ("workDone", as_int(done))));
    Ok(Value::Map(answer.into_iter().map(|(name, value)| (name.into(), value)).collect()))
}

fn change_remotely(context: &Context, change: Option<Change>, env: &mut Environment<'_>) -> CmdResult<Value> {
    let body = match change {
        Some(Change::Advance(by)) => to_map([("advance", by.to_string().into())]),
        Some(Change::Set(time)) => to_map([("set", time.to_string().into())]),
        Some(Change::Freeze(frozen)) => to_map([("frozen", frozen.into())]),
        None => Value::Null,
    };
    let method = if body == Value::Null { "GET" } else { "POST" };
    let answer = context.control_remotely(env, method, "clock", body)?;
    let field = |name: &str| match &answer {
        Value::Map(fields) => fields.get(name).cloned().unwrap_or_default(),
        _ => Value::Null,
    };
    let state = state_text(field("frozen") == Value::Bool(true));
    Ok(to_map([("now", field("now")), ("state", state.into())]))
}

fn state_text(is_frozen: bool) -> &'static str {
    if is_frozen { "frozen" } else { "running" }
}

fn as_int(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Parses a duration: `30d`, `1d12h`, `90 minutes`.
pub(crate) fn duration(text: &str) -> Result<SignedDuration, Error> {
    let invalid =
        || Error::invalid("duration", format!("expected a duration such as 30d, 12h or 90m, found {text:?}"));
    nephos::parse_duration(text).ok_or_else(invalid)
}
