//! Completion in shells: of commands and flags from the grammar, of values from the shapes, and of names of resources
//! from the state.

use crate::{
    context::Context,
    env::Environment,
    exit::CmdResult,
    explain, grammar,
    inputs::{self, Input},
    listing,
    target::{GivenValue, Target},
};
use clap::{Arg, ArgMatches, Command};
use clap_complete::{
    engine::{ArgValueCompleter, CompletionCandidate},
    env::Shells,
};
use nephos::{AnyPredicate, Clock, REGISTRY, Value};
use nephos_core::{
    record,
    shape::{FieldShape, Identity, KindShape},
    wait,
};
use std::{
    ffi::{OsStr, OsString},
    sync::Arc,
};

/// How many names of resources are offered.
const MAX_NAMES: usize = 50;

/// Prints the script that makes a shell ask this program.
pub(crate) fn print_script(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let shell = matches.get_one::<String>("SHELL").map_or("", String::as_str);
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(shell) else { return Ok(()) };
    let program = env.program.to_string_lossy().into_owned();
    Ok(shell.write_registration("COMPLETE", "nephos", "nephos", &program, env.out)?)
}

/// Answers a shell that asks how the words in `args` may go on.
pub(crate) fn print_candidates(shell: &str, args: Vec<OsString>, env: &mut Environment<'_>) -> CmdResult {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(shell) else { return Ok(()) };
    // The shell's words follow a `--` of ours; without any, it asks for the script.
    let Some(separator) = args.iter().position(|arg| arg == "--") else {
        let program = env.program.to_string_lossy().into_owned();
        return Ok(shell.write_registration("COMPLETE", "nephos", "nephos", &program, env.out)?);
    };
    let words = args[separator + 1..].to_vec();
    let mut grammar = completion_grammar(&words, env);
    Ok(shell.write_complete(&mut grammar, words, None, env.out)?)
}

/// The grammar for completing `words`.
fn completion_grammar(words: &[OsString], env: &Environment<'_>) -> Command {
    let candidates = Candidates::new(words, env);
    let add_candidates =
        |arg: Arg, kind: &'static KindShape, input: &Input| candidates.attach(arg, kind, input);
    grammar::root_command(&grammar::mentioned_in(words), Some(&add_candidates))
}

/// What is offered for values.
#[derive(Clone, Debug)]
struct Candidates(Arc<Completion>);

#[derive(Debug)]
struct Completion {
    context: Option<Context>,
    clock: Clock,
    cloud: Option<nephos::Cloud>,
    words: Vec<OsString>,
}

impl Candidates {
    fn new(words: &[OsString], env: &Environment<'_>) -> Self {
        // What is complete so far says where to look.
        let partial = grammar::root_command(&grammar::mentioned_in(words), None).ignore_errors(true);
        let matches = partial.try_get_matches_from(words).ok();
        let context = matches.map(|matches| Context::read(&matches, env));
        Self(Arc::new(Completion {
            context,
            clock: env.clock.clone(),
            cloud: env.cloud.clone(),
            words: words.to_vec(),
        }))
    }

    /// `arg` with what may stand for it.
    fn attach(&self, arg: Arg, kind: &'static KindShape, input: &Input) -> Arg {
        if let Some(values) = explain::choices(&input.field.ty) {
            return arg.add(ArgValueCompleter::new(move |current: &OsStr| {
                let current = current.to_string_lossy().into_owned();
                let matching = values.iter().filter(|value| value.starts_with(&current));
                matching.map(CompletionCandidate::new).collect()
            }));
        }
        let Some(named_kind) = kind_named_by(kind, input.field) else { return arg };
        let completion = self.0.clone();
        arg.add(ArgValueCompleter::new(move |current: &OsStr| {
            let prefix = current.to_string_lossy();
            // A state that is in use or not there has no names to offer, and that is no error.
            completion
                .names(named_kind, &prefix)
                .unwrap_or_default()
                .into_iter()
                .map(CompletionCandidate::new)
                .collect()
        }))
    }
}

/// The kind whose resources a field names: `logGroupName` and `logGroupIdentifier` name a LogGroup.
fn kind_named_by(kind: &'static KindShape, field: &FieldShape) -> Option<&'static KindShape> {
    if name_field(kind).is_some_and(|name| name == field.name || name == field.from) {
        return Some(kind);
    }
    let by_suffix = |name: &str| {
        ["Name", "Identifier", "Id"].iter().find_map(|end| REGISTRY.kind(name.strip_suffix(end)?))
    };
    by_suffix(field.name)
}

fn name_field(kind: &KindShape) -> Option<&'static str> {
    match kind.name_identity {
        Identity::Path([name]) => Some(name),
        _ => None,
    }
}

impl Completion {
    /// The names of resources of `kind` that begin with `prefix`.
    fn names(&self, kind: &'static KindShape, prefix: &str) -> Option<Vec<String>> {
        let field = name_field(kind)?;
        let target = Target::new(kind, "list")?;
        let context = self.context.as_ref()?;
        let cloud = context.open_existing(self.cloud.as_ref(), &self.clock)?;
        let given = self.listing_parameters(target);
        let has_prefix = AnyPredicate::parse(&format!("{field}__startswith"), prefix).ok()?;
        let mut results =
            listing::open_results(target, &context.session(&cloud), &given).ok()?.filter(has_prefix);
        let mut names = Vec::new();
        while names.len() < MAX_NAMES {
            let Some(model) = wait(results.try_next()).ok()? else { break };
            if let Ok(Value::Text(name)) = record::get(&*model, field) {
                names.push(name.to_string());
            }
        }
        Some(names)
    }

    /// What the listing needs, from the words that are there: the streams of the group that was named before.
    fn listing_parameters(&self, target: Target) -> Vec<GivenValue> {
        let required = inputs::inputs(target.kind, target.call).into_iter().filter(|input| input.required);
        let words =
            self.words.iter().filter_map(|word| word.to_str()).skip(3).filter(|word| !word.starts_with('-'));
        let given = required.zip(words).map(|(input, word)| GivenValue::new(&input, word.into()));
        given.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_names_a_kind_by_what_it_is_called() {
        let kind = |name: &str| REGISTRY.kind(name).unwrap();
        let field = |kind: &str, call: &str, n: usize| {
            let target = Target::new(REGISTRY.kind(kind).unwrap(), call).unwrap();
            inputs::inputs(target.kind, target.call)[n].field
        };
        let kind_of =
            |of: &str, call: &str, n| kind_named_by(kind(of), field(of, call, n)).map(|kind| kind.name);
        assert_eq!(kind_of("LogGroup", "get", 0), Some("LogGroup"));
        assert_eq!(kind_of("LogGroup", "delete", 0), Some("LogGroup"));
        assert_eq!(kind_of("LogStream", "get", 0), Some("LogGroup"));
        assert_eq!(kind_of("LogStream", "get", 1), Some("LogStream"));
        assert_eq!(kind_of("LogEvent", "list", 0), Some("LogGroup"));
    }
}
