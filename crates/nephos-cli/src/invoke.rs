//! Runs one call of a kind with the values from the command line.

use crate::{
    arguments, bulk,
    context::Context,
    dry_run::Rehearsal,
    env::Environment,
    exit::{CmdResult, Failure, exit_code, print_error},
    failed_entries,
    inputs::{self, Input},
    listing, names, one_time,
    opening::Access,
    output::{self, Columns, Output, changes},
    printable, resource_names,
    target::{GivenValue, Target, model_value, prepare_call, select_fields, subject},
    values, wording,
};
use clap::ArgMatches;
use nephos::{Result, Session, Value};
use nephos_core::{
    dynamic::{self, AnyOutput, Reach},
    record,
    shape::{Effect, FieldShape},
    wait,
};
use std::collections::VecDeque;

/// Runs a call with the arguments in `matches`. Errors name flags.
pub(crate) fn run(target: Target, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    run_call(target, matches, env).map_err(|failure| match failure {
        Failure::Refused(error) => {
            let text = wording::with_flags(target, &error);
            Failure::InCall(error, text)
        }
        other => other,
    })
}

fn run_call(target: Target, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let output = Output::read(matches)?;
    let context = Context::read(matches, env)?;
    let from = matches.try_get_one::<String>("from").ok().flatten().cloned();
    let mut given = read_values(target, matches, env, from.is_some())?;
    let clear = fields_to_clear(target, matches)?;
    let fields = selected_fields(target, matches)?;
    if let Reach::List(_) = dynamic::reach(target.call) {
        return listing::run(target, &given, &fields, matches, &output, &context, env);
    }
    let has_flag = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().is_some_and(|flag| *flag);
    let dry_run = has_flag("dry-run");
    if let Some(from) = from {
        let bulk_call =
            bulk::BulkCall { target, given, clear, dry_run, allow_empty: has_flag("allow-empty") };
        return bulk::run(&bulk_call, &from, &output, &context, env);
    }
    if dry_run {
        return Rehearsal::run(&context, env, |rehearsal, env| {
            resource_names::resolve(target, rehearsal.session(), &mut given)?;
            let build = |session: &Session| prepare_call(target, session, &given, &clear);
            let changed = rehearsal.change(target, &given, &build)?;
            changes::show(&output, env, &changed, rehearsal.is_remote())
        });
    }
    let output = match target.call.effect {
        Effect::Write => {
            let example = || one_time::example(target).map(|example| select(target, example, &fields));
            output.before_write(env, &fields, example)?
        }
        Effect::Read => output,
    };
    if context.is_new_state(target.access(), env) {
        // What is refused leaves no files.
        let trial = context.connect(Access::DryRun, env)?;
        let mut given = given.clone();
        resource_names::resolve(target, &trial.session, &mut given)?;
        prepare_call(target, &trial.session, &given, &clear)?.preview().wait()?;
    }
    let connection = context.connect(target.access(), env)?;
    resource_names::resolve(target, &connection.session, &mut given)?;
    let call = prepare_call(target, &connection.session, &given, &clear)?;
    let answer = wait(call.run())?;
    if target.call.effect == Effect::Read {
        // The state must not stay open until the answer is read.
        drop(connection);
    }
    show_answer(target, &given, answer, &fields, &output, env)
}

/// Reads the values of flags and positional arguments.
fn read_values(
    target: Target,
    matches: &ArgMatches,
    env: &mut Environment<'_>,
    from_lines: bool,
) -> CmdResult<Vec<GivenValue>> {
    let inputs = inputs::inputs(target.kind, target.call);
    let (mut given, mut unfilled): (Vec<GivenValue>, Vec<&Input>) = (Vec::new(), Vec::new());
    for input in &inputs {
        match matches.get_many::<String>(&input.flag) {
            Some(texts) => {
                let texts: Vec<_> = texts.cloned().collect();
                given.push(read_value(target, input, &texts, env)?);
            }
            None if input.positional => unfilled.push(input),
            None => {}
        }
    }
    let positions = inputs.iter().take_while(|input| input.positional).enumerate();
    let texts = positions.filter_map(|(n, _)| matches.get_many::<String>(&arguments::positional_id(n)));
    let mut texts: VecDeque<String> = texts.flatten().cloned().collect();
    let mut unfilled = unfilled.into_iter();
    while let Some(text) = texts.pop_front() {
        let Some(input) = unfilled.next() else {
            let message = format!("unexpected argument '{text}' found");
            return Err(clap::Error::raw(clap::error::ErrorKind::UnknownArgument, message).into());
        };
        let mut texts_of_input = vec![text];
        if arguments::takes_words(input, &inputs) {
            texts_of_input.extend(texts.drain(..));
        }
        given.push(read_value(target, input, &texts_of_input, env)?);
    }
    if let Some(input) = inputs::tags_to_add(target.kind, target.call) {
        let texts: Vec<_> = matches.get_many::<String>(&input.flag).into_iter().flatten().cloned().collect();
        if !texts.is_empty() {
            given.push(GivenValue { adds: true, ..read_value(target, &input, &texts, env)? });
        }
    }
    let index = |given: &GivenValue| inputs.iter().position(|input| std::ptr::eq(input.field, given.field));
    given.sort_by_key(index);
    let is_missing =
        |input: &&Input| input.required && !from_lines && model_value(&given, input.field).is_none();
    if let Some(missing) = unfilled.find(is_missing) {
        let message = format!(
            "missing required argument <{}>: {}",
            names::placeholder(missing.field),
            missing.field.docs
        );
        return Err(clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, message).into());
    }
    Ok(given)
}

fn read_value(
    target: Target,
    input: &Input,
    texts: &[String],
    env: &mut Environment<'_>,
) -> CmdResult<GivenValue> {
    let value = values::read(input.field, texts, env).map_err(|failure| match failure {
        Failure::Refused(error) => Failure::Refused(target.with_service_code(error)),
        other => other,
    })?;
    Ok(GivenValue::new(input, value))
}

/// Returns the fields of `--clear`.
fn fields_to_clear(target: Target, matches: &ArgMatches) -> Result<Vec<&'static FieldShape>> {
    let given = matches.try_get_many::<String>("clear").ok().flatten().into_iter().flatten();
    let find = |name: &String| {
        let fields = target.kind.record.fields;
        let found = fields.iter().find(|field| names::flag(field) == *name);
        found
            .or_else(|| target.kind.record.field(name).map(|(_, field)| field))
            .ok_or_else(|| target.with_service_code(record::unknown_field(target.kind.record, name)))
    };
    given.map(find).collect()
}

/// Returns the fields of `--fields`; empty for all.
fn selected_fields(target: Target, matches: &ArgMatches) -> Result<Vec<String>> {
    let given = matches.try_get_many::<String>("fields").ok().flatten().into_iter().flatten();
    let names: Vec<_> = given.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    if let Some(record) = target.call.output.as_ref().and_then(record_shape) {
        output::check_fields(record, &names).map_err(|error| target.with_service_code(error))?;
    }
    Ok(names)
}

fn record_shape(ty: &nephos_core::Type) -> Option<&'static nephos_core::shape::RecordShape> {
    match ty {
        nephos_core::Type::Record(record) => Some(record),
        nephos_core::Type::List(item) => record_shape(item),
        _ => None,
    }
}

/// Prints the answer of a call.
fn show_answer(
    target: Target,
    given: &[GivenValue],
    answer: AnyOutput,
    fields: &[String],
    output: &Output,
    env: &mut Environment<'_>,
) -> CmdResult {
    let Some(answer) = answer else {
        if output.format == output::Format::Table {
            let (kind, call) = (names::kebab(target.kind.name), names::kebab(target.call.name));
            writeln!(env.out, "done: {kind} {call} {}", printable::printable_line(&subject(given)))?;
        }
        return Ok(());
    };
    if answer.view().is_null() {
        return Err(target.not_found(&subject(given), given).into());
    }
    let answer = one_time::expose(target, answer.view().to_value());
    let failed = failed_entries::errors(target, &answer);
    let (value, columns) = select(target, answer, fields);
    output.show(env, &value, &columns)?;
    for error in &failed {
        print_error(env, &wording::with_flags(target, error));
    }
    failed.first().map_or(Ok(()), |error| Err(Failure::AlreadyReported(exit_code(error.kind()))))
}

/// Returns an answer with only these fields, and its columns; with no fields, the whole answer.
fn select(target: Target, answer: Value, fields: &[String]) -> (Value, Columns) {
    if fields.is_empty() {
        return (answer, Columns::for_type(target.kind, target.call.output.as_ref()));
    }
    let value = match answer {
        Value::List(items) => Value::List(items.iter().map(|item| select_fields(item, fields)).collect()),
        value => select_fields(&value, fields),
    };
    (value, Columns::chosen(fields.to_vec()))
}
