//! `nephos clock`: shows and changes the time of the cloud.

use super::to_map;
use crate::{
    context::Context,
    env::Environment,
    exit::CmdResult,
    output::{Columns, Output},
};
use clap::{Arg, ArgMatches, Command};
use nephos::{Error, SignedDuration, Value};

pub(super) fn command() -> Command {
    let argument =
        |name: &'static str, help: &'static str| Arg::new(name).value_name(name).required(true).help(help);
    Command::new("clock")
        .about("Show, advance, freeze or resume the time of the cloud")
        .disable_help_subcommand(true)
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
        .subcommand(Command::new("run").about("Resume the clock at the current time of the cloud"))
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let subcommand = matches.subcommand();
    let own = subcommand.map_or(matches, |(_, own)| own);
    let output = Output::read(own)?;
    let cloud = Context::read(own, env).open(env)?;
    let clock = cloud.clock();
    let text = |name: &str| own.get_one::<String>(name).map_or("", String::as_str);
    let mut done = Value::Null;
    match subcommand.map(|(name, _)| name) {
        Some("advance") => done = as_int(clock.advance(duration(text("BY"))?)?.done),
        Some("set") => {
            let time = nephos_core::time::parse(text("TIME"))
                .ok_or_else(|| Error::invalid("time", "expected a time such as 2026-01-31T12:00:00Z"))?;
            done = as_int(clock.set(time)?.done);
        }
        Some("freeze") => clock.freeze()?,
        Some("run") => clock.run()?,
        _ => {}
    }
    let state = if clock.is_frozen() { "frozen" } else { "running" };
    let mut answer = to_map([("now", clock.now().into()), ("state", state.into()), ("workDone", done)]);
    if let Value::Map(fields) = &mut answer {
        fields.retain(|_, value| *value != Value::Null);
    }
    output.show(env, &answer, &Columns::default())
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
