//! `nephos tour`: example commands that are run on a cloud in memory.

use crate::{
    env::Environment,
    exit::{CmdResult, file_error},
    style::{HEADING, QUIET, paint},
};
use nephos::{Clock, Cloud, Error, ErrorKind, Timestamp};
use std::ffi::OsString;

/// Start time of the cloud, whose clock is frozen.
const START_TIME: &str = "2026-01-31T12:00:00Z";

/// Placeholder for the temporary folder in the output.
const FOLDER: &str = "$DIR";

/// Cloud that a command runs on.
#[derive(Clone, Copy, PartialEq)]
enum Backend {
    /// The cloud in memory.
    Cloud,
    /// A fork of the cloud in memory.
    Fork,
    /// A state file, opened by each command.
    File,
}

/// A step of the tour.
enum Step {
    /// A section: title and description.
    Section(&'static str, &'static str),
    /// A command and its expected exit code.
    Run(Backend, &'static str, u8),
    /// A command, its standard input and its expected exit code.
    Feed(&'static str, &'static str, u8),
    /// Forks the cloud.
    Fork,
}

use Step::{Feed, Fork, Run, Section};

const STEPS: &[Step] = &[
    Section(
        "A cloud in this process",
        "No account and no network needed. Kinds, calls and flags are generated from one description of each kind.",
    ),
    Run(Backend::Cloud, "log-group create /web/api --retention-in-days 30 --tags team=web,stage=prod", 0),
    Run(Backend::Cloud, "log-group create /web/shop --retention-in-days 90 --tags team=web", 0),
    Run(Backend::Cloud, "log-group create /batch/nightly --deletion-protection-enabled", 0),
    Run(Backend::Cloud, "log-group get /web/api --fields logGroupName,retentionInDays,Tags,Arn", 0),
    Section(
        "Validation",
        "Errors are one line: the error code of the service, the field and the reason. The exit code tells the kind of error.",
    ),
    Run(Backend::Cloud, "log-group create /web/new --retention-in-days 31", 5),
    Run(Backend::Cloud, "log-group create /web/new --log-group-class STANDRD", 5),
    Run(Backend::Cloud, "log-group delete /batch/nightly", 6),
    Run(Backend::Cloud, "log-group get /web/aip", 3),
    Section("Listing resources", "Filter, sort and query; five output formats."),
    Run(
        Backend::Cloud,
        "log-group list --fields logGroupName,retentionInDays --where retentionInDays__gte=30 --sort -retentionInDays",
        0,
    ),
    Run(Backend::Cloud, "log-group list -o json --query '[?deletionProtectionEnabled].logGroupName'", 0),
    Section("Log events", "Search events by a filter pattern, show their fields, and tail a log group."),
    Run(Backend::Cloud, "log-stream create /web/api host-1", 0),
    Run(
        Backend::Cloud,
        r#"log-event put /web/api host-1 --log-events '[{"timestamp":1769860790000,"message":"{\"level\":\"info\",\"ms\":12}"},{"timestamp":1769860795000,"message":"{\"level\":\"ERROR\",\"ms\":950}"}]'"#,
        0,
    ),
    Run(
        Backend::Cloud,
        "log-event list /web/api --filter-pattern ERROR --fields timestamp,logStreamName,message",
        0,
    ),
    Run(Backend::Cloud, "log-group get-fields /web/api", 0),
    Run(Backend::Cloud, "log-group tail /web/api", 0),
    Section("Dry run", "A dry run executes the call, shows the rows that it changes, and rolls back."),
    Run(Backend::Cloud, "log-group update /web/shop --retention-in-days 365 --tags team=shop --dry-run", 0),
    Run(Backend::Cloud, "log-group get /web/shop --fields retentionInDays,Tags", 0),
    Section(
        "Forks",
        "Forking takes the same time whatever the size of the cloud; changes of a fork stay in it. In Rust: cloud.fork()?",
    ),
    Fork,
    Run(Backend::Fork, "log-group delete /web/api", 0),
    Run(Backend::Fork, "log-group list -o text --fields logGroupName", 0),
    Run(Backend::Cloud, "log-group list -o text --fields logGroupName", 0),
    Section(
        "Bulk calls",
        "One call for each line of JSON; a failed line is reported, and the others are processed.",
    ),
    Feed(
        "log-group create --from - -o text",
        "{\"logGroupName\": \"/job/1\", \"retentionInDays\": 7}\n{\"logGroupName\": \"/job/2\", \"retentionInDays\": 8}\n{\"logGroupName\": \"/job/3\"}\n",
        5,
    ),
    Section("Clock", "Advance the clock, and due work runs in order: /web/api keeps events for 30 days."),
    Run(Backend::Cloud, "clock", 0),
    Run(Backend::Cloud, "clock advance 31d", 0),
    Run(Backend::Cloud, "log-event list /web/api", 0),
    Run(Backend::Cloud, "log-group get /web/api --fields logGroupName,storedBytes", 0),
    Section(
        "Durable state",
        "All resources are in one state file, which each of these commands opens and closes.",
    ),
    Run(Backend::Cloud, "snapshot save $DIR/tour.snapshot", 0),
    Run(Backend::File, "--state-file $DIR/state.redb snapshot restore $DIR/tour.snapshot", 0),
    Run(Backend::File, "--state-file $DIR/state.redb state check", 0),
    Run(
        Backend::File,
        "--state-file $DIR/state.redb log-group list --fields logGroupName,retentionInDays,deletionProtectionEnabled",
        0,
    ),
];

/// Function that runs a command line and returns its exit code.
pub(crate) type Program = fn(Vec<OsString>, &mut Environment<'_>) -> u8;

/// Runs the tour; `program` runs the commands.
pub(crate) fn run(env: &mut Environment<'_>, program: Program) -> CmdResult {
    let start = nephos_core::time::parse(START_TIME).unwrap_or(Timestamp::UNIX_EPOCH);
    let clock = Clock::frozen(start);
    let cloud = Cloud::options().clock(clock.clone()).seed(1).in_memory();
    let folder = tempfile::tempdir_in(&env.temp_dir).map_err(|error| file_error("tour", &error))?;
    let folder_name = folder.path().to_string_lossy().into_owned();
    let mut tour = Tour { env, program, clock, fork: cloud.clone(), cloud, folder: folder_name, section: 0 };
    STEPS.iter().try_for_each(|step| tour.run_step(step))?;
    let next = "Try it: nephos log-group create /web/api; nephos kinds; nephos explain LogGroup";
    writeln!(tour.env.out, "\n{next}")?;
    Ok(())
}

struct Tour<'t, 'e> {
    env: &'t mut Environment<'e>,
    program: Program,
    clock: Clock,
    cloud: Cloud,
    fork: Cloud,
    folder: String,
    section: usize,
}

impl Tour<'_, '_> {
    fn run_step(&mut self, step: &Step) -> CmdResult {
        let colour = self.env.terminal.colour;
        match step {
            Section(title, text) => {
                self.section += 1;
                let title = paint(colour, HEADING, &format!("{}. {title}", self.section));
                writeln!(self.env.out, "\n{title}\n{}", paint(colour, QUIET, text))?;
                Ok(())
            }
            Fork => {
                self.fork = self.cloud.fork()?;
                Ok(())
            }
            Run(backend, line, code) => {
                let note = if *backend == Backend::Fork { "   # on the fork" } else { "" };
                writeln!(self.env.out, "\n$ nephos {line}{}", paint(colour, QUIET, note))?;
                self.run_command(*backend, line, "", *code)
            }
            Feed(line, input, code) => {
                writeln!(self.env.out, "\n$ nephos {line} <<END\n{input}END")?;
                self.run_command(Backend::Cloud, line, input, *code)
            }
        }
    }

    /// Runs a command and writes its output.
    fn run_command(&mut self, backend: Backend, line: &str, input: &str, expected: u8) -> CmdResult {
        let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), input.as_bytes());
        let mut terminal = self.env.terminal;
        terminal.progress = false;
        terminal.width = Some(terminal.width.unwrap_or(100));
        let args = ["nephos".to_owned()]
            .into_iter()
            .chain(words(line))
            .map(|word| word.replace(FOLDER, &self.folder));
        let args: Vec<_> = args.map(OsString::from).collect();
        let mut env = Environment {
            variables: Default::default(),
            input: &mut input,
            out: &mut out,
            err: &mut err,
            log: self.env.log.clone(),
            terminal,
            clock: self.clock.clone(),
            seed: Some(1),
            cloud: match backend {
                Backend::Cloud => Some(self.cloud.clone()),
                Backend::Fork => Some(self.fork.clone()),
                Backend::File => None,
            },
            prompt: None,
            pause: &mut |_| false,
            program: self.env.program.clone(),
            temp_dir: self.env.temp_dir.clone(),
        };
        let code = (self.program)(args, &mut env);
        for output in [out, err] {
            write!(self.env.out, "{}", String::from_utf8_lossy(&output).replace(&self.folder, FOLDER))?;
        }
        if code != 0 {
            let note = paint(self.env.terminal.colour, QUIET, &format!("exit code {code}"));
            writeln!(self.env.out, "{note}")?;
        }
        if code != expected {
            let message = format!("expected exit code {expected}, got {code}: nephos {line}");
            return Err(Error::new(ErrorKind::Internal, message).into());
        }
        Ok(())
    }
}

/// Splits a command line into words at spaces outside single quotes.
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
