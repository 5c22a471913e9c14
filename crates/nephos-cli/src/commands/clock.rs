//! `nephos clock`: the cloud's time, to be looked at and moved.

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
        .about("Shows the cloud's time, moves it, stops it or lets it run")
        .disable_help_subcommand(true)
        .subcommand(
            Command::new("advance")
                .about("Moves the time on, and does what falls due meanwhile")
                .arg(argument("BY", "How far: 30d, 12h, 90m, 1d12h")),
        )
        .subcommand(
            Command::new("set")
                .about("Moves the time on to an instant, and does what falls due meanwhile")
                .arg(argument("TIME", "When: 2026-01-31T12:00:00Z")),
        )
        .subcommand(Command::new("freeze").about("Lets the time stand still"))
        .subcommand(Command::new("run").about("Lets the time run on from where it stands"))
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
                .ok_or_else(|| Error::invalid("time", "expected an instant like 2026-01-31T12:00:00Z"))?;
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

/// A duration as people write it: `30d`, `1d12h`, `90 minutes`.
pub(crate) fn duration(text: &str) -> Result<SignedDuration, Error> {
    let invalid =
        || Error::invalid("duration", format!("expected a duration like 30d, 12h or 90m, found {text:?}"));
    let span: jiff::Span = text.parse().map_err(|_| invalid())?;
    // The cloud's days have 24 hours, whatever a calendar says.
    span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).map_err(|_| invalid())
}
