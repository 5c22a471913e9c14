//! `nephos kinds` and `nephos explain`: documentation of the kinds in the registry.

mod permissions;
mod services;
mod wire;

use crate::{
    env::Environment,
    exit::CmdResult,
    inputs, names,
    output::{Columns, Format, Output, grid, plain_text},
    style::{HEADING, paint},
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::{Error, ErrorKind, REGISTRY, Value};
use nephos_core::shape::{FieldShape, KindShape, OperationShape, Presence, Rule, Type};

pub(crate) fn kinds_command() -> Command {
    Command::new("kinds").about("List the kinds of resources")
}

pub(crate) fn command() -> Command {
    Command::new("explain")
        .about("Show the documentation of a kind: fields, calls, relations and errors")
        .after_help(
            "Examples:\n  nephos explain LogGroup\n  nephos explain LogGroup.retentionInDays\n  nephos explain \
             log-group.create\n  nephos explain --wire logs.CreateLogGroup\n  nephos explain --wire -o json\n  nephos explain \
             --errors logs\n  nephos explain --permissions logs.CreateLogGroup",
        )
        .arg(
            Arg::new("WHAT")
                .required_unless_present_any(["wire", "errors", "permissions"])
                .value_name("KIND[.FIELD|.CALL]")
                .help("Kind, field or call to explain"),
        )
        .arg(
            Arg::new("wire")
                .long("wire")
                .action(ArgAction::SetTrue)
                .help("Explain the wire format of a service or operation (SERVICE[.OPERATION]), or of all services"),
        )
        .arg(
            Arg::new("errors")
                .long("errors")
                .action(ArgAction::SetTrue)
                .conflicts_with("wire")
                .help("List the error codes of a service, or of all services, with their texts"),
        )
        .arg(
            Arg::new("permissions")
                .long("permissions")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["wire", "errors"])
                .help("List the actions, resources and condition keys of a service or operation (SERVICE[.OPERATION]), or of all services"),
        )
}

fn non_empty_map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries = entries.into_iter().filter(|(_, value)| *value != Value::Null && *value != Value::from(""));
    Value::Map(entries.map(|(name, value)| (name.into(), value)).collect())
}

/// Lists the kinds.
pub(crate) fn list_kinds(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let output = Output::read(matches)?;
    let rows = REGISTRY.kinds().map(|kind| {
        let calls = kind.calls().into_iter().map(|call| names::kebab(call.name)).collect::<Vec<_>>();
        let calls = match output.format {
            Format::Table | Format::Text => calls.join(", ").into(),
            _ => Value::from(calls),
        };
        non_empty_map([
            ("kind", kind.name.into()),
            ("command", names::kebab(kind.name).into()),
            ("service", (kind.service)().name.into()),
            ("calls", calls),
            ("what", kind.record.docs.into()),
        ])
    });
    let columns = ["kind", "command", "service", "calls", "what"].map(str::to_owned).to_vec();
    output.show(env, &Value::List(rows.collect()), &Columns::chosen(columns))
}

/// Explains the kind, field, call, service or operation in `matches`.
pub(crate) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let output = Output::read(matches)?;
    let what = matches.get_one::<String>("WHAT").map(String::as_str);
    let explained = if matches.get_flag("wire") {
        wire::explain(what)?
    } else if matches.get_flag("errors") {
        wire::explain_errors(what)?
    } else if matches.get_flag("permissions") {
        permissions::explain(what)?
    } else {
        explain_kind_or_part(what.unwrap_or_default())?
    };
    match (output.format, &explained) {
        (Format::Table, Value::List(services)) => {
            services.iter().try_for_each(|service| write_sections(env, service))
        }
        (Format::Table, explained) => write_sections(env, explained),
        (_, explained) => output.show(env, explained, &Columns::default()),
    }
}

/// Explains a kind, or one of its fields or calls.
fn explain_kind_or_part(what: &str) -> Result<Value, Error> {
    let (name, part) = what.split_once('.').map_or((what, None), |(name, part)| (name, Some(part)));
    let kind = REGISTRY.kind(name).ok_or_else(|| {
        let hint = names::hint(name, REGISTRY.kinds().map(|kind| kind.name));
        Error::new(ErrorKind::NotFound, format!("kind {name} does not exist{hint}"))
    })?;
    match part {
        None => Ok(explain_kind(kind)),
        Some(part) => explain_part(kind, part),
    }
}

fn explain_kind(kind: &'static KindShape) -> Value {
    let service = (kind.service)();
    let fields = kind.record.fields.iter().map(explain_field).collect();
    let calls = kind.calls().into_iter().map(|call| {
        let params = inputs::inputs(kind, call);
        let arguments = params.iter().map(|input| match (input.positional, input.required) {
            (true, true) => format!("<{}>", names::placeholder(input.field)),
            (true, false) => format!("[{}]", names::placeholder(input.field)),
            _ => format!("--{}", input.flag),
        });
        non_empty_map([
            ("call", names::kebab(call.name).into()),
            ("parameters", arguments.collect::<Vec<_>>().join(" ").into()),
            ("answers", output_type(call).into()),
            ("docs", call.docs.into()),
        ])
    });
    let relations = kind.relations.iter().map(|relation| {
        let many = if relation.many { "any number of" } else { "one" };
        non_empty_map([
            ("relation", relation.name.into()),
            ("leads to", format!("{many} {}", relation.kind.name).into()),
        ])
    });
    non_empty_map([
        ("kind", kind.name.into()),
        ("service", service.name.into()),
        ("docs", kind.record.docs.into()),
        ("fields", Value::List(fields)),
        ("calls", Value::List(calls.collect())),
        ("relations", Value::List(relations.collect())),
        ("errors", errors(kind)),
    ])
}

fn errors(kind: &KindShape) -> Value {
    let codes = (kind.service)().codes.iter().map(|code| {
        let exit = i64::from(crate::exit_code(code.kind));
        non_empty_map([("code", code.code.into()), ("exit", exit.into()), ("meaning", code.meaning.into())])
    });
    Value::List(codes.collect())
}

/// Explains a field or call of a kind.
fn explain_part(kind: &'static KindShape, part: &str) -> Result<Value, Error> {
    if let Some((_, found)) = kind.record.field(part) {
        return Ok(explain_field(found));
    }
    let calls = || kind.calls().into_iter();
    if let Some(call) = calls().find(|call| call.name == part || names::kebab(call.name) == part) {
        let params = inputs::inputs(kind, call).into_iter().map(|input| {
            let flag = match input.positional {
                true => names::placeholder(input.field),
                false => format!("--{}", input.flag),
            };
            let mut row = explain_input(input.field, input.field.docs);
            if let Value::Map(row) = &mut row {
                row.insert("flag".into(), flag.into());
                row.move_index(row.len() - 1, 0);
                row.shift_remove("set by");
            }
            row
        });
        return Ok(non_empty_map([
            ("call", format!("{} {}", names::kebab(kind.name), names::kebab(call.name)).into()),
            ("docs", call.docs.into()),
            ("answers", output_type(call).into()),
            ("parameters", Value::List(params.collect())),
            ("errors", errors(kind)),
        ]));
    }
    let known = kind.record.fields.iter().map(|field| field.name).chain(calls().map(|call| call.name));
    let hint = names::hint(part, known);
    Err(Error::new(ErrorKind::NotFound, format!("{} has no field or call {part}{hint}", kind.name)))
}

fn output_type(call: &OperationShape) -> String {
    call.output.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string)
}

fn explain_field(field: &FieldShape) -> Value {
    match field.not_in_list {
        true => explain_input(field, &format!("{} Listings omit it.", field.docs)),
        false => explain_input(field, field.docs),
    }
}

fn explain_input(field: &FieldShape, docs: &str) -> Value {
    let set_by = match field.presence {
        Presence::Required => "caller, always",
        Presence::Optional => "caller",
        Presence::ServiceSet => "service",
    };
    non_empty_map([
        ("name", field.name.into()),
        ("type", field.ty.to_string().into()),
        ("set by", set_by.into()),
        ("rules", rules(field).into()),
        ("default", field.default.map(|default| default.to_string()).into()),
        ("effect", field.details.no_effect.then_some("kept, changes nothing else").into()),
        ("docs", docs.into()),
    ])
}

/// Returns the validation rules of a field as text.
pub(crate) fn rules(field: &FieldShape) -> String {
    let mut parts: Vec<String> = field.rules.iter().map(rule_text).collect();
    if let Some(names) = choices(&field.ty) {
        parts.push(names.join(", "));
    }
    parts.join("; ")
}

/// Returns the values of an enum.
pub(crate) fn choices(ty: &Type) -> Option<Vec<&'static str>> {
    match ty {
        Type::Choice(choice) => Some(choice.values.iter().map(|value| value.name).collect()),
        Type::List(item) => choices(item),
        _ => None,
    }
}

fn rule_text(rule: &Rule) -> String {
    let bounds = |min: i128, max: i128, lowest: i128, highest: i128| match (min > lowest, max < highest) {
        (true, true) => format!("{min} to {max}"),
        (true, false) => format!("at least {min}"),
        (false, true) => format!("at most {max}"),
        (false, false) => "any".to_owned(),
    };
    match rule {
        Rule::Length { min, max } => {
            format!("length {}", bounds(*min as i128, *max as i128, 0, usize::MAX as i128))
        }
        Rule::Range { min, max } => bounds((*min).into(), (*max).into(), i64::MIN.into(), i64::MAX.into()),
        Rule::Pattern(pattern) => format!("matches {}", pattern.as_str()),
        Rule::OneOf(literals) => {
            let names: Vec<_> = literals.iter().map(ToString::to_string).collect();
            format!("one of {}", names.join(", "))
        }
        Rule::Each(rules) => format!("each {}", rules.iter().map(rule_text).collect::<Vec<_>>().join(", ")),
    }
}

/// Columns of the tables, in order.
const COLUMNS: [&str; 25] = [
    "flag",
    "name",
    "member",
    "operation",
    "call",
    "relation",
    "action",
    "access",
    "resources",
    "furtherActions",
    "conditionKeys",
    "code",
    "status",
    "type",
    "required",
    "in",
    "set by",
    "parameters",
    "answers",
    "leads to",
    "exit",
    "rules",
    "default",
    "effect",
    "docs",
];

fn is_table(value: &Value) -> bool {
    matches!(value, Value::List(items) if matches!(items.first(), Some(Value::Map(_))))
}

/// Writes an explanation: a line for each scalar, a table for each list.
fn write_sections(env: &mut Environment<'_>, explained: &Value) -> CmdResult {
    let Value::Map(entries) = explained else { return Ok(()) };
    let (colour, width) = (env.terminal.colour, env.terminal.width);
    let scalars = entries.iter().filter(|(_, value)| !is_table(value));
    let widest = scalars.map(|(name, _)| name.len()).fold(9, usize::max);
    for (name, value) in entries {
        match value {
            Value::List(items) if items.is_empty() => {}
            Value::List(items) if is_table(value) => {
                writeln!(env.out, "\n{}", paint(colour, HEADING, &name.to_uppercase()))?;
                let rows: Vec<_> = items
                    .iter()
                    .filter_map(|item| match item {
                        Value::Map(row) => Some(row),
                        _ => None,
                    })
                    .collect();
                let mut columns = Columns::ordered(&COLUMNS).present_in(&rows);
                // Nested tables do not fit into a cell.
                columns.retain(|name| !rows.iter().filter_map(|row| row.get(name.as_str())).any(is_table));
                let cells = rows.iter().map(|row| {
                    columns
                        .iter()
                        .map(|name| row.get(name.as_str()).map_or_else(String::new, plain_text))
                        .collect()
                });
                writeln!(env.out, "{}", grid(&columns, cells.collect(), width))?;
            }
            value => {
                let name = paint(colour, HEADING, &format!("{name:<widest$}"));
                writeln!(env.out, "{name} {}", plain_text(value))?;
            }
        }
    }
    Ok(())
}
