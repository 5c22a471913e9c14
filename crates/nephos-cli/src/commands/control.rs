//! `nephos control`: test controls, as declared by the services.

use crate::{
    arguments,
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure},
    inputs::{self, Input},
    names,
    opening::Access,
    output::{Columns, Output},
    values, wording,
};
use clap::{ArgMatches, Command};
use nephos::{AllServices, Control, Error, Map, Result, Value};
use nephos_cloud::ServiceSet;
use nephos_core::{dynamic, fill::Reader, record};

/// Returns the test controls of all services.
pub(super) fn controls() -> impl Iterator<Item = &'static Control> {
    AllServices::SERVICES.iter().flat_map(|service| service.controls)
}

pub(super) fn grammar(command: Command) -> Command {
    let command = command
        .about("Set test controls, such as the health of a target or links between accounts")
        .subcommand_required(true)
        .arg_required_else_help(true);
    controls().fold(command, |command, control| command.subcommand(subcommand(control)))
}

fn subcommand(control: &'static Control) -> Command {
    let inputs = inputs::parameters(control.operation());
    let arguments = inputs
        .iter()
        .filter(|input| input.positional)
        .map(|input| format!("<{}> ", names::placeholder(input.field)));
    let usage = format!("nephos control {} {}[OPTIONS]", control.name, arguments.collect::<String>());
    let command = Command::new(control.name).about(control.operation().docs).override_usage(usage);
    inputs.iter().enumerate().fold(command, |command, (n, input)| {
        let command = command.arg(arguments::flag(input, &inputs));
        if input.positional {
            command.arg(arguments::positional(n, input, &inputs).required(true))
        } else {
            command
        }
    })
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let Some(control) = controls().find(|control| control.name == name) else { return Ok(()) };
    let inputs = inputs::parameters(control.operation());
    let mut given = Map::<Value>::default();
    let with_flags = |error: Error| {
        let text = wording::with_flags_of(&inputs, &error);
        Failure::InCall(error, text)
    };
    for (n, input) in inputs.iter().enumerate() {
        let texts = texts(own, n, input);
        if !texts.is_empty() {
            given.insert(input.field.name.into(), values::read(input.field, &texts, env)?);
        }
    }
    let mut given = typed(control, &given).map_err(with_flags)?;
    let output = Output::read(own)?;
    let context = Context::read(own, env)?;
    if context.is_new_state(Access::Write, env) {
        // What is refused leaves no files.
        let trial = context.open_without_report(Access::DryRun, env)?;
        trial.control_by_name(name, &given).map_err(with_flags)?;
    }
    let connection = context.connect(Access::Write, env)?;
    if ["Account", "Region"].iter().all(|name| control.operation().params.field(name).is_some()) {
        for (name, value) in context.control_scope(&connection)? {
            given.entry(name).or_insert(value);
        }
    }
    let answer = connection.control(name, given).map_err(with_flags)?;
    drop(connection);
    match answer {
        Value::Map(fields) if fields.is_empty() => writeln!(env.out, "done: control {name}")?,
        answer => output.show(env, &answer, &Columns::default())?,
    }
    Ok(())
}

/// Returns the parameters with the types that the control takes: on the command line, a number is a text.
fn typed(control: &Control, given: &Map<Value>) -> Result<Map<Value>> {
    let request = dynamic::request(control.operation(), &mut |params| {
        let mut given = given.iter();
        given.try_for_each(|(name, value)| {
            dynamic::fill_parameter(params, name, value.view(), &Reader::STRINGS)
        })
    })?;
    Ok(record::to_value(&*request.params).as_map().cloned().unwrap_or_default())
}

/// Returns the texts of an input, from its flag or its position.
fn texts(matches: &ArgMatches, n: usize, input: &Input) -> Vec<String> {
    let given = |id: &str| matches.try_get_many::<String>(id).ok().flatten();
    let texts = given(&input.flag).or_else(|| given(&arguments::positional_id(n)));
    texts.into_iter().flatten().cloned().collect()
}
