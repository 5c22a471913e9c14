//! Views of services, each a subcommand of its service, and of its kind if it has one.

use super::{control::controls, feed, item_table, report};
use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, file_error},
    opening::Access,
};
use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use nephos::{AllServices, Map, Text, Value};
use nephos_cloud::{Control, Service, ServiceSet, ServiceView, ServiceViewForm, ViewArgument};
use nephos_core::shape::{FieldShape, KindShape, Type};

fn services() -> impl Iterator<Item = &'static Service> {
    AllServices::SERVICES.iter().copied().filter(|service| !service.service_views.views.is_empty())
}

/// Returns the commands of services with views.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    services().map(|service| {
        let command = Command::new(service.shape.name)
            .about(service.service_views.docs)
            .subcommand_required(true)
            .arg_required_else_help(true);
        service.service_views.views.iter().fold(command, |command, view| command.subcommand(subcommand(view)))
    })
}

fn views_of(kind: &KindShape) -> impl Iterator<Item = &'static ServiceView> {
    let views = services().flat_map(|service| service.service_views.views);
    views.filter(move |view| view.kind.is_some_and(|of| std::ptr::eq(of, kind)))
}

/// Returns the commands for the views of services that are views of a kind, too.
pub(super) fn kind_commands(kind: &KindShape) -> impl Iterator<Item = Command> {
    views_of(kind).map(subcommand)
}

/// Returns the lines of exit codes of views: the meaning of a negative report, and its command.
pub(crate) fn exit_codes() -> impl Iterator<Item = (u8, String)> {
    services().flat_map(|service| {
        service.service_views.views.iter().filter_map(|view| match &view.form {
            ServiceViewForm::Report(report) => {
                let meaning = format!("{} ({} {})", report.negative, service.shape.name, view.name);
                Some((report::NEGATIVE, meaning))
            }
            _ => None,
        })
    })
}

/// Test control that takes the arguments of a view.
fn control_of(view: &ServiceView) -> Option<&'static Control> {
    let name = match &view.form {
        ServiceViewForm::Table(table) => table.source.control,
        ServiceViewForm::Feed(feed) => feed.source.control,
        ServiceViewForm::Report(_) => return None,
    };
    controls().find(|control| control.name == name)
}

/// Returns the parameter of the test control that takes an argument.
fn parameter(view: &ServiceView, argument: &ViewArgument) -> Option<&'static FieldShape> {
    control_of(view)?.operation().params.field(argument.parameter).map(|(_, field)| field)
}

fn subcommand(view: &'static ServiceView) -> Command {
    let arguments = view.arguments.iter().map(|argument| to_arg(view, argument));
    let command = Command::new(view.name).about(view.docs).args(arguments);
    match &view.form {
        ServiceViewForm::Table(table) => item_table::options(command.after_help(view.notes), table),
        ServiceViewForm::Feed(feed) => feed::options(command, feed, view.notes),
        ServiceViewForm::Report(_) => command.after_help(view.notes),
    }
}

fn to_arg(view: &ServiceView, argument: &'static ViewArgument) -> Arg {
    let arg = Arg::new(argument.name).help(argument.docs).required(argument.is_required);
    let arg = if argument.value.is_empty() {
        arg
    } else {
        arg.long(argument.name).value_name(argument.value).action(ArgAction::Set)
    };
    match parameter(view, argument).map(|field| &field.ty) {
        Some(Type::Int) => arg.value_parser(value_parser!(i64)),
        Some(Type::Choice(choice)) => {
            let names = choice.values.iter().map(|value| value.name);
            arg.value_parser(PossibleValuesParser::new(names)).ignore_case(true)
        }
        _ => arg,
    }
}

/// Runs a view of the service with this name.
pub(super) fn run(name: &str, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some(service) = services().find(|service| service.shape.name == name) else { return Ok(()) };
    let Some((view, own)) = matches.subcommand() else { return Ok(()) };
    let mut views = service.service_views.views.iter();
    match views.find(|known| known.name == view) {
        Some(view) => run_view(view, own, env),
        None => Ok(()),
    }
}

/// Runs a view of a kind.
pub(super) fn run_of_kind(
    kind: &KindShape,
    name: &str,
    matches: &ArgMatches,
    env: &mut Environment<'_>,
) -> CmdResult {
    match views_of(kind).find(|view| view.name == name) {
        Some(view) => run_view(view, matches, env),
        None => Ok(()),
    }
}

fn run_view(view: &'static ServiceView, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let texts = read_texts(view, matches, env)?;
    match &view.form {
        ServiceViewForm::Table(table) => item_table::run(table, &parameters(view, &texts), matches, env),
        ServiceViewForm::Feed(feed) => feed::run(feed, &parameters(view, &texts), matches, env),
        ServiceViewForm::Report(report) => report::run(report, &texts, matches, env),
    }
}

/// Reads the arguments that are given, with the content of files.
fn read_texts(view: &ServiceView, matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult<Map<Text>> {
    let mut texts = Map::default();
    for argument in view.arguments {
        let text = match parameter(view, argument).map(|field| &field.ty) {
            Some(Type::Int) => matches.get_one::<i64>(argument.name).map(i64::to_string),
            _ => matches.get_one::<String>(argument.name).cloned(),
        };
        let Some(text) = text else { continue };
        let text = if argument.is_file { read_file(&text, env)? } else { text };
        texts.insert(argument.name.into(), text.into());
    }
    Ok(texts)
}

/// Reads a file, or standard input if the path is `-`.
fn read_file(path: &str, env: &mut Environment<'_>) -> CmdResult<String> {
    if path != "-" {
        return std::fs::read_to_string(path).map_err(|error| file_error(path, &error));
    }
    let mut text = String::new();
    env.input.read_to_string(&mut text).map_err(|error| file_error("-", &error))?;
    Ok(text)
}

/// Returns the arguments as parameters of the test control of a view.
fn parameters(view: &ServiceView, texts: &Map<Text>) -> Map<Value> {
    let given = view.arguments.iter().filter_map(|argument| {
        let text = texts.get(argument.name)?;
        let value = match parameter(view, argument).map(|field| &field.ty) {
            Some(Type::Int) => Value::Int(text.parse().ok()?),
            Some(Type::Choice(choice)) => {
                let mut names = choice.values.iter().map(|value| value.name);
                names.find(|name| name.eq_ignore_ascii_case(text))?.into()
            }
            _ => text.clone().into(),
        };
        Some((argument.parameter.into(), value))
    });
    given.collect()
}

/// Test controls for the account and Region of the command.
pub(super) struct Controls {
    context: Context,
    /// Account and Region, once they are known.
    scope: Option<Map<Value>>,
}

impl Controls {
    pub(super) fn read(matches: &ArgMatches, env: &Environment<'_>) -> CmdResult<Self> {
        Ok(Self { context: Context::read(matches, env)?, scope: None })
    }

    /// Calls a test control.
    pub(super) fn call(
        &mut self,
        env: &mut Environment<'_>,
        name: &str,
        mut values: Map<Value>,
    ) -> CmdResult<Value> {
        let connection = self.context.connect(Access::SharedRead, env)?;
        let scope = match self.scope.take() {
            Some(scope) => scope,
            None => self.context.control_scope(&connection)?,
        };
        values.extend(self.scope.insert(scope).clone());
        Ok(connection.control(name, values)?)
    }
}

/// Returns the items in a member of an answer.
pub(super) fn items<'v>(answer: &'v Value, name: &str) -> &'v [Value] {
    match answer.get(name) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}
