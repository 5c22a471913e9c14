//! `nephos log-group tail`: the events of a log group as lines, and, if asked, those that come.

use super::clock::duration;
use crate::{
    edge::Edge,
    exit::{Done, Failure},
    inputs,
    invoke::{Said, Target},
    listing,
    output::{QUIET, line, paint},
    place::Place,
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::{Error, ErrorKind, REGISTRY, Session, SignedDuration, Timestamp, Value};
use nephos_core::{record, wait};
use std::{collections::HashMap, time::Duration};

/// The kind that has this command.
pub(crate) const KIND: &str = "LogGroup";

/// How long to wait between two looks.
const INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn command() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name);
    Command::new("tail")
        .about("Prints the events of a log group: time, stream, message")
        .after_help(
            "With -f the state file is opened for each look, once a second, and let go of between two looks, so that \
             other commands can write meanwhile. One that comes just then is told that the state is in use.",
        )
        .arg(Arg::new("NAME").required(true).value_name("NAME").help("The log group's name"))
        .arg(option("follow").short('f').action(ArgAction::SetTrue).help("Goes on looking for new events"))
        .arg(option("since").value_name("DURATION").default_value("10m").help("Begins so long ago: 10m, 2h, 1d"))
        .arg(option("filter-pattern").value_name("PATTERN").help("Only events that match this filter pattern"))
}

pub(super) fn run(matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let place = Place::read(matches, edge);
    let since = duration(text("since").unwrap_or_default())?;
    let mut tail = Tail { since, seen: HashMap::new() };
    let follow = matches.get_flag("follow");
    loop {
        match place.reach(edge) {
            Ok(reached) => {
                // An endpoint's time is not known; ours is as good as any.
                let now =
                    reached.cloud.as_ref().map_or_else(|| edge.clock.now(), |cloud| cloud.clock().now());
                let name = text("NAME").unwrap_or_default();
                tail.look(now, &reached.session, name, text("filter-pattern"), edge)?;
            }
            // Another command is at work; there is another look to come.
            Err(Failure::Refused(error)) if follow && error.kind() == ErrorKind::Conflict => {}
            Err(failure) => return Err(failure),
        }
        edge.out.flush()?;
        if !follow || !(edge.pause)(INTERVAL) {
            return Ok(());
        }
    }
}

struct Tail {
    /// How long ago events may have happened to be looked at.
    since: SignedDuration,
    /// Those that were printed already and may be found again, with their times.
    seen: HashMap<String, i64>,
}

impl Tail {
    fn look(
        &mut self,
        now: Timestamp,
        session: &Session,
        name: &str,
        pattern: Option<&str>,
        edge: &mut Edge<'_>,
    ) -> Done {
        let found = REGISTRY.kind("LogEvent").and_then(|kind| Target::new(kind, "list"));
        let target = found.ok_or_else(|| Error::new(ErrorKind::Unsupported, "there are no log events"))?;
        let start = now.checked_sub(self.since).unwrap_or(Timestamp::MIN).as_millisecond().max(0);
        self.seen.retain(|_, time| *time >= start);
        let inputs = inputs::inputs(target.kind, target.call);
        let say = |name: &str, value: Value| Some(Said::new(listing::input(&inputs, name)?, value));
        let said = [
            say("logGroupIdentifier", name.into()),
            say("startTime", start.into()),
            pattern.and_then(|pattern| say("filterPattern", pattern.into())),
        ];
        let said: Vec<_> = said.into_iter().flatten().collect();
        let mut events = listing::open(target, session, &said)?;
        while let Some(event) = wait(events.try_next())? {
            let field = |name: &str| record::get(&*event, name).unwrap_or_default();
            let millis = field("timestamp").as_int().unwrap_or_default();
            if self.seen.insert(line(&field("eventId")), millis).is_none() {
                let time = Timestamp::from_millisecond(millis).unwrap_or_default();
                let time = format!("{time:.3}");
                let stream = line(&field("logStreamName"));
                let colour = edge.terminal.colour;
                let (time, stream) = (paint(colour, QUIET, &time), paint(colour, QUIET, &stream));
                writeln!(edge.out, "{time} {stream} {}", line(&field("message")))?;
            }
        }
        Ok(())
    }
}
