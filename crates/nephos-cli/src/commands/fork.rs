//! `nephos fork`: forks of a served cloud, each with an endpoint of its own.

use super::to_map;
use crate::{
    context::Context,
    env::Environment,
    exit::CmdResult,
    output::{Columns, Output},
};
use clap::{Arg, ArgMatches, Command};
use nephos::{Error, ErrorKind, Value};

pub(super) fn grammar(command: Command) -> Command {
    let name = |help: &'static str| Arg::new("NAME").value_name("NAME").help(help);
    command
        .about("Create, list or delete forks of a served cloud")
        .after_help(
            "A fork is a copy in memory that goes its own way; its endpoint takes all commands. It needs the endpoint of \
             a nephos server.\n\nExample:\n  nephos fork create try --endpoint http://127.0.0.1:4566\n  nephos log-group \
             list --endpoint http://127.0.0.1:4566/_nephos/forks/try",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("create")
                .about("Create a fork, and print its name and endpoint")
                .arg(name("Name of the fork; by default, the server chooses one")),
        )
        .subcommand(Command::new("list").about("List the forks"))
        .subcommand(
            Command::new("delete").about("Delete a fork").arg(name("Name of the fork").required(true)),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((subcommand, own)) = matches.subcommand() else { return Ok(()) };
    let (context, output) = (Context::read(own, env)?, Output::read(own)?);
    let name = own.try_get_one::<String>("NAME").ok().flatten().map(String::as_str);
    match subcommand {
        "create" => {
            let fork = create(&context, name, env)?;
            output.show(env, &fork.to_value(), &Columns::default())
        }
        "delete" => {
            let name = name.unwrap_or_default();
            delete(&context, name, env)?;
            writeln!(env.out, "done: fork delete {name}")?;
            Ok(())
        }
        _ => {
            let answer = request(&context, "GET", "forks", Value::Null, env)?;
            let forks = match &answer {
                Value::Map(fields) => fields.get("forks"),
                _ => None,
            };
            let forks = match forks {
                Some(Value::List(forks)) => {
                    forks.iter().map(|fork| Fork::read(&context, fork).to_value()).collect()
                }
                _ => Vec::new(),
            };
            output.show(env, &Value::List(forks), &Columns::default())
        }
    }
}

/// A fork of a served cloud.
#[derive(Debug)]
pub(crate) struct Fork {
    pub(crate) name: String,
    pub(crate) endpoint: String,
}

impl Fork {
    fn read(context: &Context, answer: &Value) -> Self {
        let text = |name: &str| match answer {
            Value::Map(fields) => fields.get(name).and_then(Value::as_text).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let endpoint = context.endpoint().unwrap_or_default();
        // The endpoint may be that of a fork; the path is below the server itself.
        let server = endpoint.split("/_nephos/forks/").next().unwrap_or_default().trim_end_matches('/');
        Self { name: text("name"), endpoint: server.to_owned() + &text("path") }
    }

    fn to_value(&self) -> Value {
        to_map([("name", self.name.as_str().into()), ("endpoint", self.endpoint.as_str().into())])
    }
}

/// Creates a fork of the cloud at the endpoint.
pub(crate) fn create(context: &Context, name: Option<&str>, env: &mut Environment<'_>) -> CmdResult<Fork> {
    let body = name.map_or(Value::Null, |name| to_map([("name", name.into())]));
    let fork = Fork::read(context, &request(context, "POST", "fork", body, env)?);
    if fork.name.is_empty() {
        let message =
            format!("{} is not a nephos server, and has no forks", context.endpoint().unwrap_or_default());
        return Err(Error::new(ErrorKind::Unsupported, message).into());
    }
    Ok(fork)
}

/// Deletes a fork of the cloud at the endpoint.
pub(crate) fn delete(context: &Context, name: &str, env: &mut Environment<'_>) -> CmdResult {
    // The name becomes a part of a path.
    if name.contains(['/', '?', '#', '%']) {
        return Err(Error::invalid("NAME", format!("{name:?} is not the name of a fork")).into());
    }
    request(context, "DELETE", &format!("forks/{name}"), Value::Null, env).map(drop)
}

fn request(
    context: &Context,
    method: &'static str,
    path: &str,
    body: Value,
    env: &mut Environment<'_>,
) -> CmdResult<Value> {
    if context.endpoint().is_none() {
        let message =
            "forks need the endpoint of a nephos server: start nephos serve, and add --endpoint URL";
        return Err(Error::new(ErrorKind::Unsupported, message).into());
    }
    context.control_remotely(env, method, path, body)
}
