//! The grammar, made from the registry: kinds are commands, their calls are commands of theirs, and what can be given
//! to a call are its arguments.

use crate::{
    commands,
    complete::Candidates,
    exit, explain,
    inputs::{self, Input},
    names, output, place, tour,
};
use clap::{Arg, ArgAction, Command};
use nephos::REGISTRY;
use nephos_core::shape::{Effect, KindShape, OperationShape, Type};

const EXAMPLES: &str = "Examples:
  nephos tour
  nephos kinds
  nephos explain LogGroup.create
  nephos log-group create /web/api --retention-in-days 30 --tags team=web
  nephos log-group list --where retentionInDays__gte=30 --sort -creationTime
  nephos log-group update /web/api --clear retention-in-days --dry-run
  nephos log-group create --from groups.jsonl
  nephos clock advance 31d";

/// The grammar with the calls of those kinds that `wanted` says; of the others only their names.
///
/// Most command lines are about one kind, and the arguments of all the others take longer than the work.
pub(crate) fn root(wanted: &dyn Fn(&KindShape) -> bool, candidates: Option<&Candidates>) -> Command {
    let kinds: Vec<_> = REGISTRY.kinds().map(|kind| (names::kebab(kind.name), kind)).collect();
    let listed =
        kinds.iter().map(|(name, kind)| format!("  {name:<22} {}", kind.record.docs)).collect::<Vec<_>>();
    let more = format!("Kinds:\n{}\n\n{EXAMPLES}", listed.join("\n"));
    let root = Command::new("nephos")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A cloud on this machine: every kind of resource, nothing lost, time you can move.")
        .override_usage("nephos <KIND> <CALL> [ARGUMENTS]\n       nephos <COMMAND> [ARGUMENTS]")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .args(place::options())
        .args(output::options())
        .after_long_help(format!("{more}\n\n{}", exit::TABLE))
        .after_help(more)
        .subcommands(commands::all())
        .subcommand(explain::command())
        .subcommand(explain::kinds_command())
        .subcommand(tour::command());
    kinds.iter().fold(root, |root, (name, kind)| {
        let command = Command::new(name.clone()).about(kind.record.docs).alias(kind.name).hide(true);
        root.subcommand(if wanted(kind) { with_calls(command, kind, candidates) } else { command })
    })
}

/// The whole grammar, with every call of every kind.
pub fn whole() -> Command {
    root(&|_| true, None)
}

fn with_calls(command: Command, kind: &'static KindShape, candidates: Option<&Candidates>) -> Command {
    let calls = kind.calls.iter().map(|call| call_command(kind, call, candidates));
    let command = command.subcommand_required(true).arg_required_else_help(true).subcommands(calls);
    commands::extra(kind).into_iter().fold(command, Command::subcommand).disable_help_subcommand(true)
}

fn call_command(
    kind: &'static KindShape,
    call: &'static OperationShape,
    candidates: Option<&Candidates>,
) -> Command {
    let name = names::kebab(call.name);
    let mut command = Command::new(name.clone()).about(call.docs);
    if name != call.name {
        command = command.alias(call.name);
    }
    let inputs = inputs::inputs(kind, call);
    command = command.override_usage(usage(kind, &name, &inputs));
    for (n, input) in inputs.iter().enumerate() {
        let complete = |arg: Arg| candidates.map_or(arg.clone(), |known| known.attach(arg, kind, input));
        if input.positional {
            command = command.arg(complete(positional(n, input)));
        }
        command = command.arg(complete(flag(input, &inputs)));
    }
    if call.pages {
        command = command.args(listing_options());
    }
    if call.output.is_some() {
        command = command.arg(
            option("fields")
                .value_name("FIELD,…")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .help("Only these fields"),
        );
    }
    if call.effect == Effect::Write {
        command = command.args(writing_options());
    }
    if inputs::finder(kind, call).is_some() {
        let help = "Takes the value of a field away";
        command = command.arg(option("clear").value_name("FIELD").action(ArgAction::Append).help(help));
    }
    command
}

fn usage(kind: &KindShape, call: &str, inputs: &[Input]) -> String {
    let places = inputs.iter().filter(|input| input.positional).map(|input| {
        let place = names::placeholder(input.field);
        if input.needed { format!("<{place}> ") } else { format!("[{place}] ") }
    });
    format!("nephos {} {call} {}[OPTIONS]", names::kebab(kind.name), places.collect::<String>())
}

/// The id of the argument that stands without a flag.
pub(crate) fn position(n: usize) -> String {
    format!("at-{n}")
}

pub(crate) fn positional(n: usize, input: &Input) -> Arg {
    Arg::new(position(n))
        .value_name(names::placeholder(input.field))
        .help(help(input))
        .allow_negative_numbers(is_number(&input.field.ty))
}

pub(crate) fn flag(input: &Input, all: &[Input]) -> Arg {
    let field = input.field;
    let arg = Arg::new(input.flag.clone()).long(input.flag.clone()).help(help(input)).hide(input.positional);
    let free = !inputs::OWN.contains(&field.name)
        && all.iter().all(|other| {
            other.flag != field.name && (std::ptr::eq(other.field, field) || other.field.name != field.name)
        });
    let arg = if free { arg.alias(field.name) } else { arg };
    let arg = arg.allow_negative_numbers(is_number(&field.ty));
    match &field.ty {
        Type::Bool => {
            arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false")
        }
        Type::List(_) | Type::Map(_) => arg.action(ArgAction::Append).value_name(value_name(&field.ty)),
        ty => arg.value_name(value_name(ty)),
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Float)
}

fn value_name(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "true|false",
        Type::Int => "N",
        Type::Float => "NUMBER",
        Type::Text => "TEXT",
        Type::Time => "TIME",
        Type::Blob => "BASE64",
        Type::Secret => "SECRET",
        Type::Choice(_) => "CHOICE",
        Type::Any | Type::Record(_) => "JSON|@FILE|-",
        Type::Map(_) => "KEY=VALUE,…",
        Type::List(Type::Record(record)) if record.name == "Tag" => "KEY=VALUE,…",
        Type::List(Type::Record(_)) => "JSON|@FILE|-",
        Type::List(_) => "ITEM,…",
    }
}

fn help(input: &Input) -> String {
    let rules = explain::rules(input.field);
    let docs = input.field.docs.trim_end_matches('.');
    if rules.is_empty() { docs.to_owned() } else { format!("{docs} [{rules}]") }
}

fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name).help_heading("What to do with it").display_order(800)
}

fn listing_options() -> [Arg; 3] {
    [
        option("where")
            .value_name("FIELD__LOOKUP=VALUE")
            .action(ArgAction::Append)
            .help("Only those that pass, as in retentionInDays__gte=30"),
        option("sort")
            .value_name("[-]FIELD")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help("In this order; with a minus the largest first"),
        option("limit")
            .value_name("N")
            .value_parser(clap::value_parser!(usize))
            .help("At most so many; no more are fetched than it takes"),
    ]
}

fn writing_options() -> [Arg; 2] {
    [
        option("dry-run").action(ArgAction::SetTrue).help("Shows what would change, and changes nothing"),
        option("from")
            .value_name("FILE|-")
            .help("Once for each line of a file, a JSON object of parameters each"),
    ]
}
