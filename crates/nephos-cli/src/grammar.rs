//! Command-line grammar, generated from the registry: kinds are commands, their calls are subcommands, and the inputs
//! of a call are its arguments.

use crate::{
    arguments::{self, flag, positional},
    commands, context, exit, explain,
    inputs::{self, Input},
    names, output,
};
use clap::{Arg, ArgAction, Command};
use nephos::REGISTRY;
use nephos_core::shape::{Effect, KindShape, OperationShape};
use std::ffi::OsString;

const EXAMPLES: &str = "Examples:
  nephos tour
  nephos kinds
  nephos explain LogGroup.create
  nephos log-group create /web/api --retention-in-days 30 --tags team=web
  nephos log-group list --where retentionInDays__gte=30 --sort -creationTime
  nephos log-group update /web/api --clear retention-in-days --dry-run
  nephos log-group create --from groups.jsonl
  nephos clock advance 31d";

/// Adds completion candidates to an argument of a call.
pub(crate) type AddCandidates<'a> = &'a dyn Fn(Arg, &'static KindShape, &Input) -> Arg;

/// Returns a predicate that is true for the kinds in `args`.
pub(crate) fn mentioned_in(args: &[OsString]) -> impl Fn(&KindShape) -> bool {
    move |kind| {
        args.iter()
            .filter_map(|arg| arg.to_str())
            .any(|arg| arg == kind.name || arg == names::kebab(kind.name))
    }
}

/// Joins flags with an optional value and a value after a space: `--enabled false` becomes `--enabled=false`. To the parser,
/// what follows a space is the next argument.
pub(crate) fn join_optional_values(grammar: &Command, args: &[OsString]) -> Vec<OsString> {
    let mut flags = Vec::new();
    add_flags_with_optional_value(grammar, &mut flags);
    let takes = |flag: &OsString, value: &OsString| {
        let name = flag.to_str().and_then(|flag| flag.strip_prefix("--"));
        name.is_some_and(|name| flags.iter().any(|flag| has_name(flag, name) && takes_value(flag, value)))
    };
    let mut joined: Vec<OsString> = Vec::with_capacity(args.len());
    let mut can_join = true;
    for arg in args {
        can_join &= arg != "--";
        match joined.last_mut() {
            Some(flag) if can_join && takes(flag, arg) => {
                flag.push("=");
                flag.push(arg);
            }
            _ => joined.push(arg.clone()),
        }
    }
    joined
}

fn add_flags_with_optional_value<'c>(command: &'c Command, flags: &mut Vec<&'c Arg>) {
    flags.extend(command.get_arguments().filter(|arg| arg.is_require_equals_set()));
    command.get_subcommands().for_each(|command| add_flags_with_optional_value(command, flags));
}

fn has_name(flag: &Arg, name: &str) -> bool {
    flag.get_long() == Some(name) || flag.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
}

/// True if `value` is one of the flag's values, which are those of a boolean if it has none of its own.
fn takes_value(flag: &Arg, value: &OsString) -> bool {
    let own = flag.get_possible_values();
    match own.is_empty() {
        true => ["true", "false", "yes", "no"].iter().any(|known| value.eq_ignore_ascii_case(known)),
        false => own.iter().any(|known| value.eq_ignore_ascii_case(known.get_name())),
    }
}

/// Returns the grammar of a command line: of the command or the kind that it begins with, if it does, because reading the tables of
/// everything takes longer than most calls.
pub(crate) fn of_command_line(args: &[OsString]) -> Command {
    let first = args.get(1..2).unwrap_or_default();
    let command = first.iter().find_map(|first| commands::command(first.to_str()?));
    let of_kind = || {
        let kind = REGISTRY.kinds().find(|kind| mentioned_in(first)(kind))?;
        Some(with_calls(kind_command(kind), kind, None))
    };
    match command.or_else(of_kind) {
        Some(subcommand) => root().subcommand(subcommand),
        None => root_command(&mentioned_in(args), None),
    }
}

/// Returns the grammar with the calls of the kinds that `include` selects; of other kinds, only the names.
pub(crate) fn root_command(
    include: &dyn Fn(&KindShape) -> bool,
    add_candidates: Option<AddCandidates<'_>>,
) -> Command {
    let kinds: Vec<_> = REGISTRY.kinds().map(|kind| (kind, kind_command(kind))).collect();
    let listed =
        kinds.iter().map(|(kind, command)| format!("  {:<22} {}", command.get_name(), kind.record.docs));
    let examples = format!("Kinds:\n{}\n\n{EXAMPLES}", listed.collect::<Vec<_>>().join("\n"));
    let root = root()
        .after_long_help(format!(
            "{examples}\n\n{}\n\n{}",
            context::PRECEDENCE,
            exit::table(commands::exit_codes())
        ))
        .after_help(examples)
        .subcommands(commands::commands())
        .subcommand(commands::completions())
        .subcommand(explain::command())
        .subcommand(explain::kinds_command())
        .subcommand(
            Command::new("tour")
                .about("Show the main features with example commands on a temporary cloud in memory"),
        );
    kinds.into_iter().fold(root, |root, (kind, command)| {
        root.subcommand(if include(kind) { with_calls(command, kind, add_candidates) } else { command })
    })
}

/// The program and its global options.
fn root() -> Command {
    Command::new("nephos")
        .version(concat!(
            env!("CARGO_PKG_VERSION"),
            " (nephos-cloud: typed AWS resources, and a cloud that answers for them)"
        ))
        .about("Manage cloud resources on a local, durable cloud or an AWS-compatible endpoint.")
        .override_usage("nephos <KIND> <CALL> [ARGUMENTS]\n       nephos <COMMAND> [ARGUMENTS]")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(context::options())
        .args(output::options())
}

/// The command of a kind, without its calls.
fn kind_command(kind: &'static KindShape) -> Command {
    Command::new(names::kebab(kind.name)).about(kind.record.docs).alias(kind.name).hide(true)
}

/// Returns the full grammar, with every call of every kind.
pub fn full_grammar() -> Command {
    root_command(&|_| true, None)
}

fn with_calls(
    command: Command,
    kind: &'static KindShape,
    add_candidates: Option<AddCandidates<'_>>,
) -> Command {
    let calls = kind.calls().into_iter().map(|call| call_command(kind, call, add_candidates));
    let command = command.subcommand_required(true).arg_required_else_help(true).subcommands(calls);
    commands::view_commands(kind).fold(command, Command::subcommand)
}

fn call_command(
    kind: &'static KindShape,
    call: &'static OperationShape,
    add_candidates: Option<AddCandidates<'_>>,
) -> Command {
    let name = names::kebab(call.name);
    let mut command = Command::new(name.clone()).about(call.docs);
    if name != call.name {
        command = command.alias(call.name);
    }
    let inputs = inputs::inputs(kind, call);
    command = command.override_usage(usage(kind, &name, &inputs));
    if let Some(input) = inputs::tags_to_add(kind, call) {
        let replacing = inputs.iter().find(|other| std::ptr::eq(other.field, input.field));
        command = command.arg(arguments::add_tags(&input, replacing));
    }
    for (n, input) in inputs.iter().enumerate() {
        let complete = |arg: Arg| add_candidates.map_or(arg.clone(), |add| add(arg, kind, input));
        if input.positional {
            command = command.arg(complete(positional(n, input, &inputs)));
        }
        let mut flag = complete(flag(input, &inputs));
        if inputs::lookup_call(kind, call).is_some()
            && kind.tags.is_some_and(|tags| std::ptr::eq(input.field, &kind.record.fields[tags]))
        {
            flag = flag.help("Tags, which replace all tags of the resource; --add-tags keeps the others");
        }
        command = command.arg(flag);
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
                .help("Show only these fields"),
        );
    }
    if call.effect == Effect::Write {
        command = command.args(writing_options());
    }
    if inputs::lookup_call(kind, call).is_some() {
        let help = "Remove the value of a field";
        command = command.arg(option("clear").value_name("FIELD").action(ArgAction::Append).help(help));
    }
    command
}

fn usage(kind: &KindShape, call: &str, inputs: &[Input]) -> String {
    let arguments = inputs.iter().filter(|input| input.positional).map(|input| {
        let words = if arguments::takes_words(input, inputs) { "…" } else { "" };
        let name = names::placeholder(input.field);
        if input.required { format!("<{name}>{words} ") } else { format!("[{name}]{words} ") }
    });
    format!("nephos {} {call} {}[OPTIONS]", names::kebab(kind.name), arguments.collect::<String>())
}

fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name).help_heading("Common options").display_order(800)
}

fn listing_options() -> [Arg; 3] {
    [
        option("where")
            .value_name("FIELD__LOOKUP=VALUE")
            .action(ArgAction::Append)
            .help("Show only resources that match, for example retentionInDays__gte=30"),
        option("sort")
            .value_name("[-]FIELD")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help("Sort by a field; a leading minus sorts in descending order"),
        option("limit")
            .value_name("N")
            .value_parser(clap::value_parser!(usize))
            .help("Maximum number of results; further pages are not fetched"),
    ]
}

fn writing_options() -> [Arg; 3] {
    [
        option("dry-run").action(ArgAction::SetTrue).help("Show the changes without making them"),
        option("from")
            .value_name("FILE|-")
            .help("Make one call for each line of a file; each line is a JSON object of parameters"),
        option("allow-empty")
            .action(ArgAction::SetTrue)
            .requires("from")
            .help("Accept an input of --from without lines, which is an error by default"),
    ]
}

#[cfg(test)]
mod tests {
    use super::{full_grammar, join_optional_values, of_command_line};
    use std::ffi::OsString;

    #[test]
    fn flags_are_joined_with_their_values() {
        for (line, expected) in [
            ("nephos serve --own-events on --memory", "nephos serve --own-events=on --memory"),
            ("nephos serve --own-events --memory", "nephos serve --own-events --memory"),
            ("nephos serve --own-events true", "nephos serve --own-events true"),
            ("nephos serve --host on", "nephos serve --host on"),
            (
                "nephos log-group create --deletion-protection-enabled No /a",
                "nephos log-group create --deletion-protection-enabled=No /a",
            ),
            (
                "nephos log-group create --deletion-protection-enabled on",
                "nephos log-group create --deletion-protection-enabled on",
            ),
            ("nephos serve -- --own-events on", "nephos serve -- --own-events on"),
        ] {
            let args: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let joined = join_optional_values(&of_command_line(&args), &args);
            assert_eq!(joined.join(" ".as_ref()), expected, "{line}");
        }
    }

    #[test]
    fn a_command_line_has_the_grammar_of_its_first_word() {
        let whole = full_grammar();
        for expected in whole.get_subcommands() {
            for name in [expected.get_name()].into_iter().chain(expected.get_all_aliases()) {
                let mut grammar = of_command_line(&["nephos", name].map(Into::into));
                let command = grammar.find_subcommand_mut(name).expect("the command exists");
                let help = expected.clone().render_long_help().to_string();
                assert_eq!(command.render_long_help().to_string(), help, "{name}");
            }
        }
    }
}
