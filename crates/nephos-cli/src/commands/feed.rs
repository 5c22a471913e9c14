//! Views of items in lines, such as `nephos events watch`: existing items, and new ones as they arrive.

use super::service_views::{Controls, items};
use crate::{
    env::{Environment, POLL_INTERVAL},
    exit::{CmdResult, Failure},
    output::{Columns, Format, Output, single_line},
    printable::printable_line,
    style::{paint, style_of},
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nephos::{ErrorKind, Map, Value};
use nephos_cloud::{ItemFeed, Span};

const POLLING: &str =
    "A state file is opened once a second, and closed between two polls, so that other commands can write.";

pub(super) fn options(command: Command, feed: &ItemFeed, notes: &str) -> Command {
    command
        .after_help(format!("{notes} {POLLING}").trim_start().to_owned())
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .help(feed.limit_docs)
                .value_parser(value_parser!(u64).range(1..)),
        )
        .arg(
            Arg::new("since-start")
                .long("since-start")
                .action(ArgAction::SetTrue)
                .help(feed.since_start_docs),
        )
}

pub(super) fn run(
    feed: &ItemFeed,
    given: &Map<Value>,
    matches: &ArgMatches,
    env: &mut Environment<'_>,
) -> CmdResult {
    let mut controls = Controls::read(matches, env)?;
    let output = Output::read(matches)?;
    let is_table = output.format == Format::Table && matches.get_one::<String>("query").is_none();
    let mut remaining = matches.get_one::<u64>("limit").copied();
    // None until the first poll, unless the existing items are printed, too.
    let mut after = matches.get_flag("since-start").then_some(0);
    loop {
        let mut values = given.clone();
        values.extend(after.map(|after| (feed.source.after.into(), Value::Int(after))));
        match controls.call(env, feed.source.control, values) {
            Ok(answer) => {
                let last = answer.get(feed.last).and_then(Value::as_int).unwrap_or_default();
                let is_first = after.is_none();
                // The numbers of a cloud that was reset begin again.
                let is_reset = after.is_some_and(|after| last < after);
                after = Some(if is_reset { 0 } else { last });
                for item in items(&answer, feed.source.items).iter().filter(|_| !is_first) {
                    if is_table {
                        print_line(&(feed.line)(item), env)?;
                    } else {
                        output.show(env, &(feed.value)(item), &Columns::default())?;
                    }
                    remaining = remaining.map(|count| count - 1);
                    if remaining == Some(0) {
                        return Ok(());
                    }
                }
            }
            // Another command holds the state file; the next poll tries again.
            Err(Failure::Refused(error)) if error.kind() == ErrorKind::Conflict => {}
            Err(failure) => return Err(failure),
        }
        env.out.flush()?;
        if !(env.pause)(POLL_INTERVAL) {
            return Ok(());
        }
    }
}

fn print_line(spans: &[Span], env: &mut Environment<'_>) -> CmdResult {
    let colour = env.terminal.colour;
    let parts = spans.iter().map(|span| {
        let text = single_line(&span.text.as_str().into());
        paint(colour, style_of(span.tone), &printable_line(&text))
    });
    let line = parts.collect::<Vec<_>>().join(" ");
    writeln!(env.out, "{line}")?;
    Ok(())
}
