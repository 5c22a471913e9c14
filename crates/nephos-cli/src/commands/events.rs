//! `nephos events`: follows a bus, explains matches, and lists deliveries.

use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure, file_error},
    opening::Access,
    output::{Columns, Format, Output, single_line},
    style::{BAD, GOOD, QUIET, paint},
    target::select_fields,
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nephos::{
    Error, ErrorKind, EventBus, EventRule, Map, Resource as _, Value,
    prelude::*,
    services::events::{
        DeliveryState, RuleState, errors,
        pattern::{Event, Explanation, FieldExplanation, Pattern},
    },
};
use nephos_core::{
    json::{self, Writing},
    shape::KindShape,
};
use std::time::Duration;

/// Interval between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Exit code of `explain-match` if the event does not match.
const NO_MATCH: u8 = 1;

/// Maximum length of the pattern of a rule.
const MAX_PATTERN: usize = 4096;

/// Fields of deliveries in a table; other formats have all fields.
const DELIVERY_COLUMNS: [&str; 6] = ["Number", "State", "Rule", "TargetArn", "NextAttempt", "ErrorCode"];

/// Number of deliveries that are fetched at once.
const DELIVERY_PAGE: i64 = 1000;

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn bus() -> Arg {
    option("bus", "NAME", "Name of the event bus; the default bus if it is not given")
}

pub(super) fn command() -> Command {
    Command::new("events")
        .about("Follow an event bus, explain matches, and list deliveries")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("watch")
                .about("Print the events that arrive at a bus, with the rules that they match")
                .after_help(
                    "A bus keeps its newest 1000 events. A state file is opened once a second, and closed between two \
                     polls, so that other commands can write.",
                )
                .arg(bus())
                .arg(option("pattern", "FILE|-", "File of an event pattern that events must match"))
                .arg(
                    option("limit", "N", "Number of events after which the command ends")
                        .value_parser(value_parser!(u64).range(1..)),
                )
                .arg(
                    Arg::new("since-start")
                        .long("since-start")
                        .action(ArgAction::SetTrue)
                        .help("Print the events that the bus has kept, too"),
                ),
        )
        .subcommand(
            Command::new("explain-match")
                .about("Show which part of the pattern of a rule an event does not match")
                .after_help("Exit code: 0 if the event matches, 1 if it does not.")
                .arg(Arg::new("RULE").required(true).help("Name of the rule"))
                .arg(
                    Arg::new("EVENT_FILE")
                        .required(true)
                        .help("File of an event as JSON, with its envelope; - for standard input"),
                )
                .arg(bus()),
        )
        .subcommand(deliveries_command())
}

fn deliveries_command() -> Command {
    let states: Vec<_> = DeliveryState::SHAPE.values.iter().map(|state| state.name).collect();
    Command::new("deliveries")
        .about("List deliveries that are not done, and those to targets outside the cloud")
        .arg(Arg::new("NAME").help("Name of the event bus; all buses if it is not given"))
        .arg(option("rule", "NAME", "Only deliveries of this rule"))
        .arg(option("target-arn", "ARN", "Only deliveries to this target"))
        .arg(
            option("state", "STATE", "Only deliveries in this state")
                .value_parser(clap::builder::PossibleValuesParser::new(states))
                .ignore_case(true),
        )
        .arg(
            option("after", "NUMBER", "Only deliveries after the one with this number")
                .value_parser(value_parser!(i64)),
        )
        .arg(
            option("limit", "N", "Maximum number of deliveries, oldest first; all by default")
                .value_parser(value_parser!(i64).range(1..)),
        )
}

/// Returns the commands of a kind that are not calls: `event-bus deliveries`.
pub(super) fn kind_commands(kind: &KindShape) -> Option<Command> {
    std::ptr::eq(kind, EventBus::KIND).then(deliveries_command)
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    match matches.subcommand() {
        Some(("watch", own)) => watch(own, env),
        Some(("explain-match", own)) => explain_match(own, env),
        Some((_, own)) => run_deliveries(own, env),
        None => Ok(()),
    }
}

/// Test controls for the account and Region of the command.
struct Controls {
    context: Context,
    /// Account and Region, once they are known.
    scope: Option<Map<Value>>,
}

impl Controls {
    fn read(matches: &ArgMatches, env: &Environment<'_>) -> CmdResult<Self> {
        Ok(Self { context: Context::read(matches, env)?, scope: None })
    }

    /// Calls a test control.
    fn call(&mut self, env: &mut Environment<'_>, name: &str, mut values: Map<Value>) -> CmdResult<Value> {
        let connection = self.context.connect(Access::SharedRead, env)?;
        let scope = match self.scope.take() {
            Some(scope) => scope,
            None => self.context.control_scope(&connection)?,
        };
        values.extend(self.scope.insert(scope).clone());
        Ok(connection.control(name, values)?)
    }
}

/// Reads a file, or standard input if the path is `-`.
fn read_text(path: &str, env: &mut Environment<'_>) -> CmdResult<String> {
    let mut text = String::new();
    match path {
        "-" => drop(env.input.read_to_string(&mut text).map_err(|error| file_error("-", &error))?),
        path => text = std::fs::read_to_string(path).map_err(|error| file_error(path, &error))?,
    }
    Ok(text)
}

/// Collects the values that are given.
fn given<const N: usize>(values: [(&str, Option<Value>); N]) -> Map<Value> {
    values.into_iter().filter_map(|(name, value)| Some((name.into(), value?))).collect()
}

fn text_of(matches: &ArgMatches, name: &str) -> Option<Value> {
    matches.get_one::<String>(name).map(|text| text.as_str().into())
}

fn items<'v>(answer: &'v Value, name: &str) -> &'v [Value] {
    match answer.get(name) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

fn watch(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let (mut controls, output) = (Controls::read(matches, env)?, Output::read(matches)?);
    let pattern = matches.get_one::<String>("pattern").map(|path| read_text(path, env)).transpose()?;
    let has_query = matches.get_one::<String>("query").is_some();
    let mut remaining = matches.get_one::<u64>("limit").copied();
    // None until the first poll, unless the kept events are printed, too.
    let mut after = matches.get_flag("since-start").then_some(0);
    loop {
        let values = given([
            ("EventBusName", text_of(matches, "bus")),
            ("EventPattern", pattern.as_deref().map(Value::from)),
            ("After", after.map(Value::Int)),
        ]);
        match controls.call(env, "recent-events", values) {
            Ok(answer) => {
                let last = answer.get("Last").and_then(Value::as_int).unwrap_or_default();
                let is_first = after.is_none();
                // The numbers of a cloud that was reset begin again.
                let is_reset = after.is_some_and(|after| last < after);
                after = Some(if is_reset { 0 } else { last });
                for recent in items(&answer, "Events").iter().filter(|_| !is_first) {
                    match output.format {
                        Format::Table if !has_query => print_event(recent, env)?,
                        _ => output.show(env, &event_of(recent), &Columns::default())?,
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

/// Returns the event of an entry of the control `recent-events`.
fn event_of(recent: &Value) -> Value {
    let text = recent.get("Event").and_then(Value::as_text).unwrap_or_default();
    json::parse(text.as_bytes()).unwrap_or(Value::Null)
}

/// Prints an event in one line.
fn print_event(recent: &Value, env: &mut Environment<'_>) -> CmdResult {
    let event = event_of(recent);
    let line = |value: Option<&Value>| value.map(single_line).unwrap_or_default();
    let detail = event.get("detail").map(|detail| json::write(detail.view(), Writing::SHOWN));
    let rules = items(recent, "Rules").iter().map(single_line).collect::<Vec<_>>().join(", ");
    let colour = env.terminal.colour;
    let rules = match rules.as_str() {
        "" => paint(colour, QUIET, "(no rule)"),
        rules => paint(colour, GOOD, &format!("({rules})")),
    };
    let time = paint(colour, QUIET, &line(event.get("time")));
    let (source, detail_type) = (line(event.get("source")), line(event.get("detail-type")));
    let detail = single_line(&detail.unwrap_or_default().as_str().into());
    writeln!(env.out, "{time} {source} {detail_type:?} {rules} {detail}")?;
    Ok(())
}

fn explain_match(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let (context, output) = (Context::read(matches, env)?, Output::read(matches)?);
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let (name, path) = (text("RULE").unwrap_or_default(), text("EVENT_FILE").unwrap_or_default());
    let event =
        json::parse(read_text(path, env)?.as_bytes()).map_err(|error| error.in_field("EVENT_FILE"))?;
    let event = Event::prepare(&event).ok_or_else(|| {
        Error::invalid("EVENT_FILE", "an event is a JSON object with source, detail-type and detail")
    })?;
    let rule = {
        let connection = context.connect(Access::SharedRead, env)?;
        EventRule::objects(&connection.session).get(name).event_bus_name(text("bus")).wait()?
    };
    let bus = text("bus").unwrap_or("default");
    let missing = || errors::NOT_FOUND.with_message(format!("Rule {name} does not exist on EventBus {bus}."));
    let rule = rule.ok_or_else(missing)?;
    let pattern = rule.event_pattern().ok_or_else(|| {
        Error::invalid("RULE", format!("the rule {name} has a schedule and no event pattern"))
    })?;
    let pattern = Pattern::parse_up_to(pattern, MAX_PATTERN)
        .map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
    let explanation = pattern.explain(&event);
    match output.format {
        Format::Table => print_explanation(&explanation, env)?,
        _ => output.show(env, &explanation_value(&explanation), &Columns::default())?,
    }
    if rule.state() == Some(&RuleState::Disabled) {
        writeln!(env.err, "nephos: the rule {name} is disabled, so it matches no event")?;
    }
    if explanation.matched { Ok(()) } else { Err(Failure::AlreadyReported(NO_MATCH)) }
}

fn print_explanation(explanation: &Explanation, env: &mut Environment<'_>) -> CmdResult {
    let colour = env.terminal.colour;
    for line in explanation.to_string().lines() {
        let line = single_line(&line.into());
        let style = match line.trim_start() {
            line if line.starts_with(['✗']) || line.starts_with("no match") => BAD,
            line if line.starts_with(['✓']) || line.starts_with("match") => GOOD,
            _ => QUIET,
        };
        writeln!(
            env.out,
            "{}{}",
            " ".repeat(line.len() - line.trim_start().len()),
            paint(colour, style, line.trim_start())
        )?;
    }
    Ok(())
}

/// Returns an explanation as a value, for other output formats.
fn explanation_value(explanation: &Explanation) -> Value {
    let texts = |texts: &[String]| Value::List(texts.iter().map(|text| text.as_str().into()).collect());
    let field = |field: &FieldExplanation| {
        super::to_map([
            ("field", field.field.as_str().into()),
            ("matched", field.matched.into()),
            ("values", texts(&field.values)),
            ("choices", texts(&field.choices)),
        ])
    };
    let alternatives = explanation.alternatives.iter().map(|alternative| {
        let fields = alternative.fields.iter().map(field).collect();
        super::to_map([("matched", alternative.matched.into()), ("fields", Value::List(fields))])
    });
    super::to_map([
        ("matched", explanation.matched.into()),
        ("alternatives", Value::List(alternatives.collect())),
    ])
}

/// Runs `events deliveries` and `event-bus deliveries`.
pub(super) fn run_deliveries(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let (mut controls, output) = (Controls::read(matches, env)?, Output::read(matches)?);
    let state = matches.get_one::<String>("state").map(|state| state.to_uppercase());
    let mut remaining = matches.get_one::<i64>("limit").copied().unwrap_or(i64::MAX);
    let mut after = matches.get_one::<i64>("after").copied();
    let names = DELIVERY_COLUMNS.map(str::to_owned);
    let columns = Columns::ordered(&DELIVERY_COLUMNS);
    let is_table = output.format == Format::Table && matches.get_one::<String>("query").is_none();
    let mut collected = Vec::new();
    loop {
        let page_size = remaining.min(DELIVERY_PAGE);
        let values = given([
            ("EventBusName", text_of(matches, "NAME")),
            ("Rule", text_of(matches, "rule")),
            ("TargetArn", text_of(matches, "target-arn")),
            ("State", state.as_deref().map(Value::from)),
            ("After", after.map(Value::Int)),
            ("Limit", Some(Value::Int(page_size))),
        ]);
        let answer = controls.call(env, "event-deliveries", values)?;
        let page = items(&answer, "Deliveries");
        if output.is_streaming() {
            page.iter().try_for_each(|delivery| output.write_item(env, delivery, &columns))?;
        } else {
            let shown = |delivery: &Value| {
                if is_table { select_fields(delivery, &names) } else { delivery.clone() }
            };
            collected.extend(page.iter().map(shown));
        }
        let count = i64::try_from(page.len()).unwrap_or(i64::MAX);
        remaining -= count;
        after = page.last().and_then(|last| last.get("Number")).and_then(Value::as_int);
        if count < page_size || remaining == 0 {
            break;
        }
    }
    if output.is_streaming() { Ok(()) } else { output.show(env, &Value::List(collected), &columns) }
}
