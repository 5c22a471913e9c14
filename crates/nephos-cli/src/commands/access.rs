//! `nephos access`: permissions, decisions over requests and their reasons.

use super::{report::NEGATIVE, to_map};
use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure},
    opening::Access,
    output::{Columns, Format, Output},
    printable::{printable_json, printable_line},
    style::{BAD, GOOD, paint},
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::{Error, Map, Permissions, Value};
use nephos_core::json::{self, Writing};

pub(super) fn grammar(command: Command) -> Command {
    let argument =
        |name: &'static str, help: &'static str| Arg::new(name).value_name(name).required(true).help(help);
    let principal =
        || Arg::new("as").long("as").value_name("ARN").help("Caller: a user, a role, a session or a root");
    command
        .about("Explain, log and set permissions")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("why")
                .about("Decide over a request that is not made, and show the statement that decides")
                .after_help("Exit code: 0 if the request is allowed, 1 if it is denied.")
                .arg(principal().required(true))
                .arg(argument("ACTION", "Action, for example secretsmanager:GetSecretValue"))
                .arg(argument("RESOURCE", "ARN of the resource, or *"))
                .arg(
                    Arg::new("context")
                        .long("context")
                        .value_name("KEY=VALUE")
                        .action(ArgAction::Append)
                        .help("Condition key and value, for example aws:SourceIp=10.0.0.1"),
                ),
        )
        .subcommand(
            Command::new("log")
                .about("List the logged decisions, oldest first")
                .arg(principal())
                .arg(
                    Arg::new("denied")
                        .long("denied")
                        .action(ArgAction::SetTrue)
                        .help("Only requests that the policies do not allow"),
                )
                .arg(
                    Arg::new("clear")
                        .long("clear")
                        .action(ArgAction::SetTrue)
                        .help("Remove all logged decisions"),
                ),
        )
        .subcommand(
            Command::new("policy")
                .about("Print the smallest policy that allows the logged requests")
                .arg(principal()),
        )
        .subcommand(
            Command::new("mode").about("Show or set the enforcement of policies").arg(
                Arg::new("MODE")
                    .value_parser(Permissions::ALL.map(Permissions::name))
                    .help("off: no decisions; record: log all decisions, refuse nothing; enforce: refuse"),
            ),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let (context, output) = (Context::read(own, env)?, Output::read(own)?);
    let text = |name: &str| own.get_one::<String>(name).map_or(Value::Null, |text| text.as_str().into());
    match name {
        "why" => {
            let question = to_map([
                ("principal", text("as")),
                ("action", text("ACTION")),
                ("resource", text("RESOURCE")),
                ("context", read_context(own)?),
            ]);
            let answer = context.control(Access::Read, env, "POST", "access/why", question)?;
            match output.format {
                Format::Table => explain(env, &answer)?,
                _ => output.show(env, &answer, &Columns::default())?,
            }
            if is_allowed(&answer) { Ok(()) } else { Err(Failure::AlreadyReported(NEGATIVE)) }
        }
        "log" if own.get_flag("clear") => {
            context.control(Access::Write, env, "DELETE", "access/log", Value::Null)?;
            writeln!(env.out, "done: the log of decisions is empty")?;
            Ok(())
        }
        "log" => {
            let (mut decisions, mut after) = (Vec::new(), Value::Null);
            loop {
                let denied = own.get_flag("denied").into();
                let wanted = to_map([("principal", text("as")), ("denied", denied), ("after", after)]);
                let answer = context.control(Access::Read, env, "POST", "access/log", wanted)?;
                if let Some(Value::List(page)) = field(&answer, "decisions") {
                    decisions.extend(page.iter().cloned());
                }
                match field(&answer, "next") {
                    Some(next) => after = next.clone(),
                    None => return output.show(env, &Value::List(decisions), &Columns::default()),
                }
            }
        }
        "policy" => {
            let policy = context.control(
                Access::Read,
                env,
                "POST",
                "access/policy",
                to_map([("principal", text("as"))]),
            )?;
            match output.format {
                // A policy is a document: the table is JSON, too.
                Format::Table => {
                    let written = json::Written { value: policy.view(), writing: Writing::SHOWN };
                    let text = serde_json::to_string_pretty(&written).map_err(std::io::Error::other)?;
                    writeln!(env.out, "{}", printable_json(&text))?;
                    Ok(())
                }
                _ => output.show(env, &policy, &Columns::default()),
            }
        }
        _ => {
            let (access, method, body) = match own.get_one::<String>("MODE") {
                None => (Access::SharedRead, "GET", Value::Null),
                Some(mode) => (Access::Write, "POST", to_map([("permissions", mode.as_str().into())])),
            };
            let answer = context.control(access, env, method, "permissions", body)?;
            output.show(env, &answer, &Columns::default())
        }
    }
}

/// Reads `--context KEY=VALUE`; a key with several values is repeated.
fn read_context(matches: &ArgMatches) -> Result<Value, Error> {
    let mut context = Map::<Value>::default();
    for given in matches.get_many::<String>("context").into_iter().flatten() {
        let (key, value) = given.split_once('=').ok_or_else(|| {
            Error::invalid("context", format!("{given:?} is not KEY=VALUE, such as aws:SourceIp=10.0.0.1"))
        })?;
        match context.entry(key.into()).or_insert_with(|| Value::List(Vec::new())) {
            Value::List(values) => values.push(value.into()),
            other => *other = value.into(),
        }
    }
    Ok(Value::Map(context))
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Map(fields) => fields.get(name).filter(|value| **value != Value::Null),
        _ => None,
    }
}

/// True for a decision that allows the request.
fn is_allowed(answer: &Value) -> bool {
    field(answer, "Allowed") == Some(&Value::Bool(true))
}

/// Writes a decision in sentences.
fn explain(env: &mut Environment<'_>, answer: &Value) -> CmdResult {
    let text = |name: &str| printable_line(field(answer, name).and_then(Value::as_text).unwrap_or_default());
    let verdict = match is_allowed(answer) {
        true => paint(env.terminal.colour, GOOD, "allowed"),
        false => paint(env.terminal.colour, BAD, "denied"),
    };
    writeln!(env.out, "{verdict}: {} {} on {}", text("Principal"), text("Action"), text("Resource"))?;
    writeln!(env.out, "  because  {}", text("Reason"))?;
    for (label, name) in [("nearest  ", "Nearest"), ("error    ", "Refusal")] {
        if !text(name).is_empty() {
            writeln!(env.out, "  {label}{}", text(name).trim_start_matches("nearest is "))?;
        }
    }
    Ok(())
}
