//! Listings: filtered, sorted, limited, and streamed page by page.

use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure},
    inputs::Input,
    output::{Columns, Format, Output},
    resource_names,
    target::{GivenValue, Target, fill_given, filter_path, select_fields},
};
use clap::ArgMatches;
use nephos::{AnyPredicate, Error, Order, Result, Session, Value};
use nephos_core::{
    dynamic::{self, AnyResults},
    json::{self, Writing},
    record,
    shape::KindShape,
    wait,
};

/// Lists resources with the options in `matches`.
pub(crate) fn run(
    target: Target,
    given: &[GivenValue],
    fields: &[String],
    matches: &ArgMatches,
    output: &Output,
    context: &Context,
    env: &mut Environment<'_>,
) -> CmdResult {
    let texts =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let kind = target.listed_kind();
    // These errors name a field, not the flag of a parameter.
    let with_service_code = |error| {
        let error = target.with_service_code(error);
        let text = error.to_string();
        Failure::InCall(error, text)
    };
    let predicates = texts("where")
        .iter()
        .map(|text| AnyPredicate::parse_text(&with_filter_path(text), kind))
        .collect::<Result<Vec<_>>>();
    let predicates = predicates.map_err(with_service_code)?;
    let orders: Vec<_> = texts("sort").iter().map(|order| filter_path(order)).collect();
    orders.iter().try_for_each(|order| check_order(target.kind, order)).map_err(with_service_code)?;
    let connection = context.connect(target.access(), env)?;
    let mut given = given.to_vec();
    resource_names::resolve(target, &connection.session, &mut given)?;
    let mut results = open_results(target, &connection.session, &given)?;
    if !predicates.is_empty() {
        results = results.filter(AnyPredicate::All(predicates));
    }
    // The sort is stable, so the first --sort is applied last.
    for order in orders.iter().rev() {
        results = results.order_by(Order::from(order.as_str()));
    }
    if !fields.is_empty() {
        results = results.with_fields(&fields.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let limit = matches.get_one::<usize>("limit").copied().unwrap_or(usize::MAX);
    let columns = match fields {
        [] => Columns::for_kind(kind),
        fields => Columns::chosen(fields.to_vec()),
    };
    let select = |value: Value| match fields {
        [] => value,
        fields => select_fields(&value, &canonical_names(kind, fields)),
    };
    if !output.is_streaming() {
        let mut values = Vec::new();
        while values.len() < limit
            && let Some(model) = wait(results.try_next())?
        {
            values.push(select(record::to_value(&*model)));
        }
        drop((results, connection));
        return output.show(env, &Value::List(values), &columns);
    }
    // The next command of a pipe may wait for the state, which must not stay open until the lines are read.
    let mut held = connection.cloud.is_some().then(String::new);
    let mut failure = None;
    for n in 0..limit {
        let model = match wait(results.try_next()) {
            Ok(Some(model)) => model,
            Ok(None) => break,
            Err(error) => {
                failure = Some((n, error));
                break;
            }
        };
        let value = select(record::to_value(&*model));
        let Some(line) = output.item_line(env.terminal, &value, &columns) else { continue };
        match &mut held {
            Some(lines) => {
                lines.push_str(&line);
                lines.push('\n');
            }
            None => writeln!(env.out, "{line}")?,
        }
        if held.as_ref().is_some_and(|lines| lines.len() > MAX_HELD_BYTES) {
            env.out.write_all(held.take().unwrap_or_default().as_bytes())?;
        }
        // The reader sees results before a long listing ends.
        if n % 50 == 49 && held.is_none() {
            env.out.flush()?;
        }
    }
    drop((results, connection));
    env.out.write_all(held.unwrap_or_default().as_bytes())?;
    match failure {
        None => Ok(()),
        Some((n, error)) => {
            if output.format == Format::Jsonl && n > 0 {
                write_error_line(env, &error)?;
            }
            Err(error.into())
        }
    }
}

/// Maximum number of bytes of lines that are held until the state is closed.
const MAX_HELD_BYTES: usize = 64 << 20;

/// Field of the last line of a listing that failed after its first line.
pub(crate) const ERROR_FIELD: &str = "$error";

/// Ends the lines of a failed listing so that a command that reads them fails too.
fn write_error_line(env: &mut Environment<'_>, error: &Error) -> CmdResult {
    let line = Value::Map([(ERROR_FIELD.into(), error.to_string().into())].into_iter().collect());
    Ok(writeln!(env.out, "{}", json::write(line.view(), Writing::SHOWN))?)
}

/// Returns the result set of a listing.
pub(crate) fn open_results(target: Target, session: &Session, given: &[GivenValue]) -> Result<AnyResults> {
    dynamic::results(target.call, session, &mut |params| fill_given(params, given, false))
}

/// Returns the field names as the kind spells them.
fn canonical_names(kind: &KindShape, fields: &[String]) -> Vec<String> {
    let canonical =
        |name: &String| kind.record.field(name).map_or(name.clone(), |(_, field)| field.name.to_owned());
    fields.iter().map(canonical).collect()
}

/// Returns a filter with its path as filters have it.
fn with_filter_path(filter: &str) -> String {
    match filter.split_once('=') {
        Some((path, value)) => format!("{}={value}", filter_path(path)),
        None => filter.to_owned(),
    }
}

fn check_order(kind: &KindShape, order: &str) -> Result<()> {
    let path = order.strip_prefix('-').unwrap_or(order);
    let first = path.split("__").next().unwrap_or_default();
    let is_relation = |name: &str| kind.relations.iter().any(|relation| relation.name == name);
    if kind.record.field(first).is_some()
        || matches!(first, "arn" | "name" | "pk")
        || is_relation(first)
        || kind.record.extras
    {
        return Ok(());
    }
    Err(record::unknown_field(kind.record, first))
}

/// Returns the input for the parameter `name`.
pub(crate) fn find_input<'i>(inputs: &'i [Input], name: &str) -> Option<&'i Input> {
    inputs.iter().find(|input| input.field.name == name)
}
