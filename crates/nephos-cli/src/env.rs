//! Environment of the program: variables, streams, terminal and clock are read here once and passed in.

use crate::{printable::printable_line, prompt};
use nephos::{Clock, Cloud};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, BufWriter, IsTerminal, Stderr, Stdin, StdoutLock, Write},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// Asks a question, and returns the answer.
pub type Prompt = dyn FnMut(&str) -> std::io::Result<String>;

/// Environment of a run of the program.
pub struct Environment<'a> {
    /// Environment variables.
    pub variables: HashMap<String, String>,
    /// Standard input.
    pub input: &'a mut dyn BufRead,
    /// Standard output, for answers.
    pub out: &'a mut dyn Write,
    /// Standard error, for errors and progress.
    pub err: &'a mut dyn Write,
    /// Writes a log line; called by other threads.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
    /// Properties of the terminal.
    pub terminal: Terminal,
    /// Source of the current time.
    pub clock: Clock,
    /// Seed of generated IDs; for tests only.
    pub seed: Option<u64>,
    /// An open cloud that is used instead of the state file.
    pub cloud: Option<Cloud>,
    /// Asks for a text on the terminal without showing what is typed; none if standard input is no terminal.
    pub prompt: Option<&'a mut Prompt>,
    /// Sleeps for the duration; returns false to stop.
    pub pause: &'a mut dyn FnMut(Duration) -> bool,
    /// Path of this program, for completion scripts.
    pub program: PathBuf,
    /// Folder for temporary files.
    pub temp_dir: PathBuf,
}

/// Properties of the terminal that shows the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Width in columns; none if the output is not a terminal.
    pub width: Option<u16>,
    /// True if output may be coloured.
    pub colour: bool,
    /// True if progress bars can be drawn.
    pub progress: bool,
}

impl Environment<'_> {
    /// Returns the environment variable, if it is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Interval between two polls of commands that follow changes.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Width of a terminal whose width is unknown.
const DEFAULT_WIDTH: u16 = 80;

/// Streams of the process.
pub struct System {
    input: BufReader<Stdin>,
    out: BufWriter<StdoutLock<'static>>,
    err: Stderr,
    prompt: fn(&str) -> std::io::Result<String>,
    pause: fn(Duration) -> bool,
}

impl System {
    /// Opens the streams of this process.
    pub fn new() -> Self {
        let out = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
        // Not locked, because a prompt reads standard input too.
        let input = BufReader::with_capacity(64 << 10, std::io::stdin());
        Self { input, out, err: std::io::stderr(), prompt: prompt::ask, pause: sleep }
    }
}

impl Default for System {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("System")
    }
}

impl std::fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("terminal", &self.terminal).finish_non_exhaustive()
    }
}

impl<'a> Environment<'a> {
    /// Reads the environment of this process.
    #[expect(clippy::disallowed_methods, reason = "the only place where the environment is read")]
    pub fn from_system(system: &'a mut System) -> Self {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let variables: HashMap<_, _> =
            std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
        let set = |name: &str| variables.get(name).is_some_and(|value| !value.is_empty());
        let (out_is_terminal, err_is_terminal) =
            (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        let forced =
            set("CLICOLOR_FORCE") && variables.get("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let terminal = Terminal {
            width: out_is_terminal
                .then(|| terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0)),
            colour: forced || (out_is_terminal && !set("NO_COLOR")),
            progress: err_is_terminal,
        };
        Self {
            variables,
            input: &mut system.input,
            out: &mut system.out,
            err: &mut system.err,
            log: Arc::new(log),
            terminal,
            clock: Clock::system(),
            seed: None,
            cloud: None,
            prompt: match std::io::stdin().is_terminal() {
                true => Some(&mut system.prompt),
                false => None,
            },
            pause: &mut system.pause,
            program: std::env::current_exe().unwrap_or_else(|_| "nephos".into()),
            temp_dir: std::env::temp_dir(),
        }
    }
}

fn log(line: &str) {
    let line = printable_line(line);
    // There is no other place to report a failed write to standard error.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "tail -f polls at an interval")]
fn sleep(duration: Duration) -> bool {
    std::thread::sleep(duration);
    true
}
