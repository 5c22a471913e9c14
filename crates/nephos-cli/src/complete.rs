//! Shell completion: commands and flags from the grammar, values from the shapes, and resource names from the state
//! file.

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

/// Maximum number of resource names that are offered.
const MAX_NAMES: usize = 50;

/// Prints the completion script of a shell.
pub(crate) fn print_script(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let shell = matches.get_one::<String>("SHELL").map_or("", String::as_str);
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(shell) else { return Ok(()) };
    let program = env.program.to_string_lossy().into_owned();
    Ok(shell.write_registration("COMPLETE", "nephos", "nephos", &program, env.out)?)
}

/// Prints the completion candidates for the last of the words in `args`.
pub(crate) fn print_candidates(shell: &str, args: Vec<OsString>, env: &mut Environment<'_>) -> CmdResult {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(shell) else { return Ok(()) };
    // The words to complete follow a `--`; without it, the shell requests the script.
    let Some(separator) = args.iter().position(|arg| arg == "--") else {
        let program = env.program.to_string_lossy().into_owned();
        return Ok(shell.write_registration("COMPLETE", "nephos", "nephos", &program, env.out)?);
    };
    let words = args[separator + 1..].to_vec();
    let mut grammar = completion_grammar(&words, env);
    Ok(shell.write_complete(&mut grammar, words, None, env.out)?)
}

/// Returns the grammar for completing `words`.
fn completion_grammar(words: &[OsString], env: &Environment<'_>) -> Command {
    let candidates = Candidates::new(words, env);
    let add_candidates =
        |arg: Arg, kind: &'static KindShape, input: &Input| candidates.attach(arg, kind, input);
    grammar::root_command(&grammar::mentioned_in(words), Some(&add_candidates))
}

/// Completion candidates for values.
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
        // Options before the word to complete select the state file, account and Region.
        let partial = grammar::root_command(&grammar::mentioned_in(words), None).ignore_errors(true);
        let matches = partial.try_get_matches_from(words).ok();
        let context = matches.and_then(|matches| Context::read(&matches, env).ok());
        Self(Arc::new(Completion {
            context,
            clock: env.clock.clone(),
            cloud: env.cloud.clone(),
            words: words.to_vec(),
        }))
    }

    /// Adds completion candidates to `arg`.
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
            // A state file that is in use or missing offers no names; completion must not fail.
            completion
                .names(named_kind, &prefix)
                .unwrap_or_default()
                .into_iter()
                .map(CompletionCandidate::new)
                .collect()
        }))
    }
}

/// Returns the kind whose resources a field names: `logGroupName` and `logGroupIdentifier` name a LogGroup.
fn kind_named_by(kind: &'static KindShape, field: &FieldShape) -> Option<&'static KindShape> {
    if name_field(kind).is_some_and(|name| name == field.name || field.is_taken_from(name)) {
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
    /// Returns the names of resources of `kind` that start with `prefix`.
    fn names(&self, kind: &'static KindShape, prefix: &str) -> Option<Vec<String>> {
        let field = name_field(kind)?;
        let target = Target::new(kind, "list")?;
        let context = self.context.as_ref()?;
        let cloud = context.open_for_completion(self.cloud.as_ref(), &self.clock)?;
        let given = self.listing_parameters(target);
        let has_prefix = AnyPredicate::parse(&format!("{field}__startswith"), prefix).ok()?;
        let mut results =
            listing::open_results(target, &context.session(&cloud), &given).ok()?.filter(has_prefix);
        let mut names = Vec::new();
        while names.len() < MAX_NAMES {
            let Some(model) = wait(results.try_next()).ok()? else { break };
            if let Ok(Value::Text(name)) = record::get(&*model, field)
                && !name.contains(crate::printable::is_control)
            {
                names.push(name.to_string());
            }
        }
        Some(names)
    }

    /// Returns the parameters of the listing that are keys of the resources, taken from the previous words: the log group of a
    /// log stream, the bus of a rule.
    fn listing_parameters(&self, target: Target) -> Vec<GivenValue> {
        let keys = inputs::composite_keys(target.kind);
        let is_key = |input: &Input| keys.iter().any(|key| inputs::model_field(key) == input.model_field());
        let inputs: Vec<_> = inputs::inputs(target.kind, target.call)
            .into_iter()
            .filter(|input| input.required || is_key(input))
            .collect();
        let (mut given, mut positional) = (Vec::new(), Vec::new());
        let mut words = self.words.iter().filter_map(|word| word.to_str()).skip(3);
        while let Some(word) = words.next() {
            let (flag, value) =
                word.split_once('=').map_or((word, None), |(flag, value)| (flag, Some(value)));
            let flag = flag.strip_prefix("--");
            let input =
                inputs.iter().find(|input| Some(&*input.flag) == flag || Some(input.field.name) == flag);
            match (input, value) {
                (Some(input), Some(value)) => given.push(GivenValue::new(input, value.into())),
                (Some(input), None) => {
                    given.extend(words.next().map(|value| GivenValue::new(input, value.into())));
                }
                (None, _) if !word.starts_with('-') => positional.push(word),
                (None, _) => {}
            }
        }
        let is_given = |input: &&Input| given.iter().any(|given| std::ptr::eq(given.field, input.field));
        let required = inputs.iter().filter(|input| input.required && !is_given(input));
        let by_position: Vec<_> =
            required.zip(positional).map(|(input, word)| GivenValue::new(input, word.into())).collect();
        given.extend(by_position);
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_names_lead_to_the_kind_they_name() {
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
