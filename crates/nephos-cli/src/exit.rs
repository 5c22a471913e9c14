//! How the program ends: what it says about a failure, and its exit code.

use crate::{
    env::Environment,
    names,
    style::{ERROR, paint},
};
use nephos::{Error, ErrorKind};
use nephos_core::nearest::nearest;
use std::io;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was refused, or something went wrong underneath.
    Refused(Error),
    /// The command line is wrong; or it asks for help.
    Usage(Box<clap::Error>),
    /// The answer could not be written.
    Output(io::Error),
    /// All has been said already.
    AlreadyReported(u8),
}

/// What a command comes to.
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

/// The exit code of an error of this kind.
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

/// The exit codes, for `--help`.
pub(crate) const TABLE: &str = "Exit codes:
  0   done
  2   the command line is wrong
  3   there is no such resource
  4   there is one already, another change got in the way, or the state is in use
  5   a value breaks a rule, or cannot be changed
  6   the resource is protected, or its state does not allow this
  7   the caller may not do this, or a token has expired
  8   a limit is reached
  9   the other side does not answer
  10  the state is damaged
  70  a fault of the program
  74  a file or the output cannot be read or written
  141 whoever reads the output went away before the end";

/// A file that could not be read or written.
pub(crate) fn file_error(path: &str, error: &io::Error) -> Failure {
    Failure::Output(io::Error::new(error.kind(), format!("{path}: {error}")))
}

/// Says what went wrong, in one line, and gives the exit code.
pub(crate) fn report(failure: Failure, env: &mut Environment<'_>) -> u8 {
    match failure {
        Failure::Refused(error) => {
            print_error(env, &error.to_string());
            exit_code(error.kind())
        }
        Failure::Usage(error) if !error.use_stderr() => {
            let text = error.render();
            let text = if env.terminal.colour { text.ansi().to_string() } else { text.to_string() };
            let written = writeln!(env.out, "{}", text.trim_end());
            written.map_or_else(|error| report(error.into(), env), |()| 0)
        }
        Failure::Usage(error) => {
            print_error(env, &usage_line(&error));
            2
        }
        // Whoever reads has seen enough, which is nothing to complain of; but not all may have been done.
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 141,
        Failure::Output(error) => {
            print_error(env, &format!("IO: {error}"));
            74
        }
        Failure::AlreadyReported(code) => code,
    }
}

fn print_error(env: &mut Environment<'_>, line: &str) {
    let name = paint(env.terminal.colour, ERROR, "nephos");
    // There is nobody left to tell if this fails.
    let _ = env.out.flush();
    let _ = writeln!(env.err, "{name}: {line}");
}

/// A message about the command line in one line: what is wrong, and what was probably meant.
fn usage_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:")).map(str::trim);
    let is_message =
        |line: &&str| !line.is_empty() && !line.starts_with("For more") && !line.starts_with("tip: ");
    let joined = lines.filter(is_message).collect::<Vec<_>>().join("; ");
    let hint = suggestion(error).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    format!("usage: {}{hint}", joined.strip_prefix("error: ").unwrap_or(&joined))
}

/// The command or flag that was probably meant, as the help spells it.
fn suggestion(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    };
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
    fn every_kind_of_error_has_its_exit_code_in_the_table() {
        for kind in ErrorKind::ALL {
            let code = format!("\n  {} ", exit_code(kind));
            assert!(TABLE.contains(&code), "{kind:?} ends with {code}, which the help does not explain");
        }
    }

    #[test]
    fn kinds_that_a_script_tells_apart_have_codes_of_their_own() {
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
