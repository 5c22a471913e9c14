//! Error messages and exit codes.

use crate::{
    env::Environment,
    names,
    printable::printable_line,
    style::{ERROR, paint},
};
use nephos::{Error, ErrorKind};
use nephos_core::nearest::nearest;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    io,
};

/// Failure of a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Error of a call, a service or the store.
    Refused(Error),
    /// Error of a call, with its text for the command line.
    InCall(Error, String),
    /// Invalid command line, or a request for help.
    Usage(Box<clap::Error>),
    /// I/O error.
    Output(io::Error),
    /// Failure that was already reported; only the exit code is left.
    AlreadyReported(u8),
}

/// Result of a command.
pub(crate) type CmdResult<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(Box::new(error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Returns the exit code for a kind of error.
pub fn exit_code(kind: ErrorKind) -> u8 {
    use ErrorKind as Kind;
    match kind {
        Kind::NotFound => 3,
        Kind::AlreadyExists | Kind::Conflict => 4,
        Kind::Invalid | Kind::Frozen | Kind::NoMatch | Kind::NotUpdatable | Kind::Unsupported => 5,
        Kind::Protected | Kind::InState => 6,
        Kind::Denied | Kind::Expired | Kind::NoSession => 7,
        Kind::Throttled | Kind::LimitExceeded => 8,
        Kind::Transport | Kind::DaemonDown => 9,
        Kind::Corrupt => 10,
        _ => 70,
    }
}

/// Exit codes that every command has, and their meanings.
const CODES: [(u8, &str); 15] = [
    (0, "success"),
    (1, "request denied (access why)"),
    (2, "invalid or incomplete command line"),
    (3, "resource not found"),
    (4, "resource already exists, conflict with another change or resource, or state file in use"),
    (5, "invalid value, unsupported operation, or a field that cannot be changed"),
    (6, "resource is protected, or its state does not allow the operation"),
    (7, "access denied, no credentials, or expired token"),
    (8, "quota exceeded, or too many requests"),
    (9, "endpoint unreachable or timed out"),
    (10, "state file is damaged"),
    (70, "internal error"),
    (74, "file or output cannot be read or written"),
    (130, "interrupted at a prompt"),
    (141, "output pipe closed"),
];

/// Returns the table of exit codes in `--help`, with `further` codes of single commands.
pub(crate) fn table(further: impl Iterator<Item = (u8, String)>) -> String {
    let common = CODES.map(|(code, meaning)| (code, meaning.to_owned()));
    let mut codes = BTreeMap::<u8, String>::new();
    for (code, meaning) in common.into_iter().chain(further) {
        match codes.entry(code) {
            Entry::Vacant(entry) => {
                entry.insert(meaning);
            }
            Entry::Occupied(mut entry) => entry.get_mut().push_str(&format!(", or {meaning}")),
        }
    }
    let lines = codes.iter().map(|(code, meaning)| format!("\n  {code:<4} {meaning}"));
    format!("Exit codes:{}", lines.collect::<String>())
}

/// Exit code after an interrupt at a prompt, as that of a program that an interrupt ends.
pub(crate) const INTERRUPTED: u8 = 130;

/// Returns the failure to read or write a file.
pub(crate) fn file_error(path: &str, error: &io::Error) -> Failure {
    Failure::Output(io::Error::new(error.kind(), format!("{path}: {error}")))
}

/// Prints a failure in one line; returns the exit code.
pub(crate) fn report(failure: Failure, env: &mut Environment<'_>) -> u8 {
    match failure {
        Failure::Refused(error) => {
            print_error(env, &error.to_string());
            exit_code(error.kind())
        }
        Failure::InCall(error, text) => {
            print_error(env, &text);
            exit_code(error.kind())
        }
        Failure::Usage(error) if !error.use_stderr() => {
            let written = writeln!(env.out, "{}", rendered(&error, env.terminal.colour));
            written.map_or_else(|error| report(error.into(), env), |()| 0)
        }
        Failure::Usage(error)
            if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            let written = writeln!(env.err, "{}", rendered(&error, env.terminal.colour));
            written.map_or_else(|error| report(error.into(), env), |()| 2)
        }
        Failure::Usage(error) => {
            print_error(env, &usage_line(&error));
            2
        }
        // A closed pipe is not an error to print, but the command may not have finished.
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 141,
        Failure::Output(error) => {
            print_error(env, &format!("IO: {error}"));
            74
        }
        Failure::AlreadyReported(code) => code,
    }
}

/// Formats the help or the error message of the command-line parser.
fn rendered(error: &clap::Error, colour: bool) -> String {
    let text = error.render();
    let text = if colour { text.ansi().to_string() } else { text.to_string() };
    text.trim_end().to_owned()
}

/// Prints an error in one line.
pub(crate) fn print_error(env: &mut Environment<'_>, line: &str) {
    let name = paint(env.terminal.colour, ERROR, "nephos");
    // There is no other place to report a failed write to standard error.
    let _ = env.out.flush();
    let line = line.replace('\n', " ");
    let _ = writeln!(env.err, "{name}: {}", printable_line(&line));
}

/// Formats an error of the command line in one line, with a suggestion.
fn usage_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:")).map(str::trim);
    let is_message =
        |line: &&str| !line.is_empty() && !line.starts_with("For more") && !line.starts_with("tip: ");
    let joined = lines.filter(is_message).collect::<Vec<_>>().join("; ");
    let hint = suggestion(error).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    format!("usage: {}{hint}", joined.strip_prefix("error: ").unwrap_or(&joined))
}

/// Returns the nearest known command or flag, as the help spells it.
fn suggestion(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    };
    // The option that selects the state file; another one may have a name that is nearer.
    if text(ContextKind::InvalidArg).is_some_and(|flag| flag == "--state") {
        return Some("--state-file".to_owned());
    }
    if let Some(flag) = text(ContextKind::SuggestedArg) {
        return Some(format!("--{}", names::kebab(flag.trim_start_matches('-'))));
    }
    let (Some(ContextValue::Strings(known)), Some(wrong)) =
        (error.get(ContextKind::SuggestedSubcommand), text(ContextKind::InvalidSubcommand))
    else {
        return None;
    };
    let known: Vec<_> = known.iter().map(|name| names::kebab(name)).collect();
    nearest(&wrong, known.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_code_of_every_error_kind_is_in_the_help() {
        for kind in ErrorKind::ALL {
            let code = format!("\n  {} ", exit_code(kind));
            assert!(
                table(std::iter::empty()).contains(&code),
                "{kind:?}: exit code {code} is not in the help"
            );
        }
    }

    #[test]
    fn common_error_kinds_have_distinct_exit_codes() {
        let codes = [ErrorKind::NotFound, ErrorKind::AlreadyExists, ErrorKind::Invalid, ErrorKind::Protected]
            .map(exit_code);
        assert_eq!(codes, [3, 4, 5, 6]);
        assert_eq!(exit_code(ErrorKind::Denied), 7);
        assert_eq!(exit_code(ErrorKind::LimitExceeded), 8);
        assert_eq!(exit_code(ErrorKind::Transport), 9);
        assert_eq!(exit_code(ErrorKind::Corrupt), 10);
        assert_eq!(exit_code(ErrorKind::Internal), 70);
    }
}
