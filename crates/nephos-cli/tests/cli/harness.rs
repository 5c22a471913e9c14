//! Runs the program in this process, with its own state file and a frozen clock.

use nephos::{Clock, Cloud};
use nephos_cli::{Environment, Terminal, run};
use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::OsString,
    fmt::Write as _,
    io::{BufRead, Write},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// Compares with the snapshot that is named after the test.
macro_rules! assert_snapshot {
    ($($actual:expr),+ $(,)?) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($actual),+) })
    };
}
pub(crate) use assert_snapshot;

/// The program and its environment.
pub(crate) struct Program {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) variables: HashMap<String, String>,
    pub(crate) terminal: Terminal,
    pub(crate) cloud: Option<Cloud>,
    pub(crate) clock: Clock,
    /// Text that is typed at prompts; none if standard input is no terminal.
    pub(crate) typed: Option<String>,
    /// Callbacks of the pauses; the program stops when none are left.
    pub(crate) pauses: RefCell<Vec<Box<dyn FnOnce()>>>,
}

/// Output and exit code of a command.
#[derive(Debug)]
pub(crate) struct CmdOutput {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Program {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state.redb").to_string_lossy().into_owned();
        Self {
            variables: HashMap::from([("NEPHOS_STATE".to_owned(), state)]),
            folder,
            terminal: Terminal { width: Some(100), ..Terminal::default() },
            cloud: None,
            clock: Clock::frozen("2026-01-31T12:00:00Z".parse().unwrap()),
            typed: None,
            pauses: RefCell::default(),
        }
    }

    /// Creates a file.
    pub(crate) fn file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn run(&self, line: &str) -> CmdOutput {
        self.run_with_input(line, "")
    }

    /// Runs a command with standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: &str) -> CmdOutput {
        let (mut out, mut input) = (Vec::new(), input.as_bytes());
        let (code, err) = self.run_with_streams(line, &mut input, &mut out);
        let folder = self.folder.path().to_string_lossy().into_owned();
        CmdOutput { code, out: String::from_utf8(out).unwrap().replace(&folder, "$DIR"), err }
    }

    /// Runs a command with these streams; returns the exit code and standard error.
    pub(crate) fn run_with_streams(
        &self,
        line: &str,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> (u8, String) {
        let folder = self.folder.path().to_string_lossy().into_owned();
        let args = words(line).into_iter().map(|word| OsString::from(word.replace("$DIR", &folder)));
        let mut err = Vec::new();
        let mut pause = |_: Duration| {
            let mut pauses = self.pauses.borrow_mut();
            if pauses.is_empty() {
                return false;
            }
            let callback = pauses.remove(0);
            drop(pauses);
            callback();
            true
        };
        let mut answer = self.typed.clone().map(|typed| move |_: &str| Ok(typed.clone()));
        let mut env = Environment {
            variables: self.variables.clone(),
            input,
            out,
            err: &mut err,
            log: Arc::new(|_| ()),
            terminal: self.terminal,
            clock: self.clock.clone(),
            seed: Some(1),
            cloud: self.cloud.clone(),
            prompt: answer.as_mut().map(|answer| answer as _),
            pause: &mut pause,
            program: "nephos".into(),
            temp_dir: self.folder.path().to_owned(),
        };
        let code = run(std::iter::once("nephos".into()).chain(args), &mut env);
        (code, String::from_utf8(err).unwrap().replace(&folder, "$DIR"))
    }

    /// Runs commands; returns the terminal output.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let mut text = String::new();
        for line in lines {
            let output = self.run(line);
            let _ = writeln!(text, "$ nephos {line}");
            let _ = write!(text, "{}{}", output.out, output.err);
            if output.code != 0 {
                let _ = writeln!(text, "exit code {}", output.code);
            }
            text.push('\n');
        }
        text
    }

    /// Runs commands that must succeed.
    pub(crate) fn run_all(&self, lines: &[&str]) {
        for line in lines {
            let output = self.run(line);
            assert_eq!(output.code, 0, "{line}: {}", output.err);
        }
    }
}

/// Splits a line into words at spaces outside single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (n, part) in line.split('\'').enumerate() {
        if n % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
