//! Views of lines in order of time, such as `nephos log-group tail`: existing lines and, with `-f`, new ones.

use super::clock::duration;
use crate::{
    context::Context,
    env::{Environment, POLL_INTERVAL},
    exit::{CmdResult, Failure},
    inputs, listing, names,
    opening::Access,
    output::single_line,
    printable::printable_line,
    style::{QUIET, paint},
    target::{GivenValue, Target},
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::{Error, ErrorKind, Session, SignedDuration, Timestamp, Value};
use nephos_core::{record, view::Lines, wait};
use std::collections::HashMap;

/// Returns the listing of the lines.
fn target(lines: &Lines) -> Option<Target> {
    Target::new(lines.kind, "list")
}

/// Returns the name of the filter option, and its help text.
fn filter(lines: &Lines) -> Option<(String, &'static str)> {
    let (_, field) = target(lines)?.call.params.field(lines.filter)?;
    Some((names::flag(field), field.docs.trim_end_matches('.')))
}

pub(super) fn options(command: Command, lines: &Lines) -> Command {
    let option = |name: &'static str| Arg::new(name).long(name);
    let command = command
        .after_help(
            "With -f, the state file is opened once a second and closed between two polls, so that other commands can \
             write.",
        )
        .arg(option("follow").short('f').action(ArgAction::SetTrue).help("Wait for new lines and print them"))
        .arg(option("since").value_name("DURATION").default_value("10m").help("Maximum age of the first line, for example 10m, 2h or 1d"));
    match filter(lines) {
        Some((flag, docs)) => command.arg(Arg::new("filter").long(flag).value_name("PATTERN").help(docs)),
        None => command,
    }
}

pub(super) fn run(lines: &Lines, name: &str, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let context = Context::read(matches, env)?;
    let since = duration(text("since").unwrap_or_default())?;
    let mut tail = Tail { lines, since, seen: HashMap::new() };
    let follow = matches.get_flag("follow");
    loop {
        match context.connect(Access::SharedRead, env) {
            Ok(connection) => {
                // The time of an endpoint is unknown; use the local time.
                let now =
                    connection.cloud.as_ref().map_or_else(|| env.clock.now(), |cloud| cloud.clock().now());
                let lines = tail.poll(now, &connection.session, name, text("filter"), env.terminal.colour)?;
                // The state must not stay open until the lines are read.
                drop(connection);
                env.out.write_all(lines.as_bytes())?;
            }
            // Another command holds the state file; the next poll tries again.
            Err(Failure::Refused(error)) if follow && error.kind() == ErrorKind::Conflict => {}
            Err(failure) => return Err(failure),
        }
        env.out.flush()?;
        if !follow || !(env.pause)(POLL_INTERVAL) {
            return Ok(());
        }
    }
}

struct Tail<'l> {
    lines: &'l Lines,
    /// Maximum age of lines.
    since: SignedDuration,
    /// IDs of printed lines that later polls may return again, with their times.
    seen: HashMap<String, i64>,
}

impl Tail<'_> {
    /// Returns the new lines.
    fn poll(
        &mut self,
        now: Timestamp,
        session: &Session,
        name: &str,
        pattern: Option<&str>,
        colour: bool,
    ) -> CmdResult<String> {
        let lines = self.lines;
        let nothing = || Error::new(ErrorKind::Unsupported, format!("{:?} cannot be listed", lines.kind));
        let target = target(lines).ok_or_else(nothing)?;
        let start = now.checked_sub(self.since).unwrap_or(Timestamp::MIN).as_millisecond().max(0);
        self.seen.retain(|_, time| *time >= start);
        let inputs = inputs::inputs(target.kind, target.call);
        let value_for =
            |name: &str, value: Value| Some(GivenValue::new(listing::find_input(&inputs, name)?, value));
        let given = [
            value_for(lines.subject, name.into()),
            value_for(lines.since, start.into()),
            pattern.and_then(|pattern| value_for(lines.filter, pattern.into())),
        ];
        let given: Vec<_> = given.into_iter().flatten().collect();
        let mut printed = String::new();
        let mut found = listing::open_results(target, session, &given)?;
        while let Some(item) = wait(found.try_next())? {
            let field = |name: &str| record::get(&*item, name).unwrap_or_default();
            let millis = field(lines.time).as_int().unwrap_or_default();
            if self.seen.insert(single_line(&field(lines.id)), millis).is_none() {
                let time = Timestamp::from_millisecond(millis).unwrap_or_default();
                let time = format!("{time:.3}");
                let source = printable_line(&single_line(&field(lines.source))).into_owned();
                let (time, source) = (paint(colour, QUIET, &time), paint(colour, QUIET, &source));
                let text = single_line(&field(lines.text));
                printed.push_str(&format!("{time} {source} {}\n", printable_line(&text)));
            }
        }
        Ok(printed)
    }
}
