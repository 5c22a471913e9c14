//! The environment of the program: everything that comes from outside is read here, once, and passed in.

use nephos::{Clock, Cloud};
use std::{
    collections::HashMap,
    io::{BufRead, BufWriter, IsTerminal, Stderr, StdinLock, StdoutLock, Write},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// What the program can see of the outside.
pub struct Environment<'a> {
    /// The environment.
    pub variables: HashMap<String, String>,
    /// What is piped in.
    pub input: &'a mut dyn BufRead,
    /// Where answers go.
    pub out: &'a mut dyn Write,
    /// Where errors and progress go.
    pub err: &'a mut dyn Write,
    /// Where lines go that other threads write, whole lines at a time.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
    /// Who reads them.
    pub terminal: Terminal,
    /// Where the time comes from.
    pub clock: Clock,
    /// What ids follow from; for tests only.
    pub seed: Option<u64>,
    /// A cloud that is open already, which is used instead of the state file.
    pub cloud: Option<Cloud>,
    /// Lets a while pass; says whether to go on.
    pub pause: &'a mut dyn FnMut(Duration) -> bool,
    /// The path of this program, for shells that call it back.
    pub program: PathBuf,
    /// Where files for a short while may be put.
    pub temp_dir: PathBuf,
}

/// What is known of whoever reads the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// How many columns fit, if it is a terminal.
    pub width: Option<u16>,
    /// Whether answers may have colour.
    pub colour: bool,
    /// Whether a progress bar can be drawn.
    pub progress: bool,
}

impl Environment<'_> {
    /// The variable of that name, if it is set to anything.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// How wide a terminal is taken to be that does not say.
const DEFAULT_WIDTH: u16 = 80;

/// The real outside.
pub struct System {
    input: StdinLock<'static>,
    out: BufWriter<StdoutLock<'static>>,
    err: Stderr,
    pause: fn(Duration) -> bool,
}

impl System {
    /// The streams of this process.
    pub fn new() -> Self {
        let out = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
        Self { input: std::io::stdin().lock(), out, err: std::io::stderr(), pause: sleep }
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
    /// What the process that `system` stands for can see.
    #[expect(clippy::disallowed_methods, reason = "this is the env where the environment is read")]
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
            pause: &mut system.pause,
            program: std::env::current_exe().unwrap_or_else(|_| "nephos".into()),
            temp_dir: std::env::temp_dir(),
        }
    }
}

fn log(line: &str) {
    // There is nobody left to tell if this fails.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "whoever follows a file waits between two looks at it")]
fn sleep(duration: Duration) -> bool {
    std::thread::sleep(duration);
    true
}
