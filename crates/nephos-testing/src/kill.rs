//! Crash tests: kill a process during its work.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

/// Prefix of each line that reports completed work.
const DONE: &str = "done ";

/// Reports completed work, in the process that will be killed.
///
/// # Panics
///
/// If standard output is closed.
pub fn report_done(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{DONE}{what}")
        .and_then(|()| out.flush())
        .expect("the parent process reads standard output");
}

/// Runs the ignored test `test` of this program in a new process, with these environment variables, and kills it after
/// `count` reports of [`report_done`]; returns all reports.
///
/// # Panics
///
/// If the process cannot be started.
pub fn kill_after(count: usize, test: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let program = std::env::current_exe().expect("the path of the test program is known");
    let mut process = Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", test])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the process starts");
    let lines = BufReader::new(process.stdout.take().expect("standard output is piped"))
        .lines()
        .map_while(Result::ok);
    let mut reports = lines.filter_map(|line| line.split_once(DONE).map(|(_, what)| what.to_owned()));
    let mut all: Vec<_> = reports.by_ref().take(count).collect();
    process.kill().expect("the process runs until it is killed");
    all.extend(reports);
    process.wait().expect("the process has ended");
    all
}
