//! Runs the program in this process, on a state file of its own, at a time that stands still.

use nephos::{Clock, Cloud};
use nephos_cli::{Environment, Terminal, run};
use std::{
    cell::RefCell, collections::HashMap, ffi::OsString, fmt::Write as _, path::PathBuf, sync::Arc,
    time::Duration,
};

/// Compares with the snapshot of the test's name.
macro_rules! shows {
    ($($seen:expr),+ $(,)?) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($seen),+) })
    };
}
pub(crate) use shows;

/// The program with its surroundings.
pub(crate) struct Program {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) variables: HashMap<String, String>,
    pub(crate) terminal: Terminal,
    pub(crate) cloud: Option<Cloud>,
    pub(crate) clock: Clock,
    /// What happens in each pause; the program stops when none are left.
    pub(crate) pauses: RefCell<Vec<Box<dyn FnOnce()>>>,
}

/// What a command line led to.
#[derive(Debug)]
pub(crate) struct Ended {
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
            pauses: RefCell::default(),
        }
    }

    /// A file of these contents.
    pub(crate) fn file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn run(&self, line: &str) -> Ended {
        self.feed(line, "")
    }

    /// Runs a command line with something piped in.
    pub(crate) fn feed(&self, line: &str, input: &str) -> Ended {
        let folder = self.folder.path().to_string_lossy().into_owned();
        let args = words(line).into_iter().map(|word| OsString::from(word.replace("$DIR", &folder)));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut input = input.as_bytes();
        let mut pause = |_: Duration| {
            let mut pauses = self.pauses.borrow_mut();
            if pauses.is_empty() {
                return false;
            }
            let happens = pauses.remove(0);
            drop(pauses);
            happens();
            true
        };
        let mut env = Environment {
            variables: self.variables.clone(),
            input: &mut input,
            out: &mut out,
            err: &mut err,
            log: Arc::new(|_| ()),
            terminal: self.terminal,
            clock: self.clock.clone(),
            seed: Some(1),
            cloud: self.cloud.clone(),
            pause: &mut pause,
            program: "nephos".into(),
            temporary: self.folder.path().to_owned(),
        };
        let code = run(std::iter::once("nephos".into()).chain(args), &mut env);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&folder, "$DIR");
        Ended { code, out: text(out), err: text(err) }
    }

    /// What a person would see who types these lines.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let mut seen = String::new();
        for line in lines {
            let ended = self.run(line);
            let _ = writeln!(seen, "$ nephos {line}");
            let _ = write!(seen, "{}{}", ended.out, ended.err);
            if ended.code != 0 {
                let _ = writeln!(seen, "exit code {}", ended.code);
            }
            seen.push('\n');
        }
        seen
    }

    /// Runs lines that are not looked at; each must end well.
    pub(crate) fn given(&self, lines: &[&str]) {
        for line in lines {
            let ended = self.run(line);
            assert_eq!(ended.code, 0, "{line}: {}", ended.err);
        }
    }
}

/// The words of a line: split at spaces, but not within single quotes.
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
