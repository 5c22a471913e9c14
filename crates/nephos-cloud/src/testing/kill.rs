//! Tests that kill a process in the midst of its work.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

/// What stands before each thing that a process says it has done.
const DONE: &str = "done ";

/// Says that something is done, in the process that is to be killed.
///
/// # Panics
///
/// If nobody listens.
pub fn say_done(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{DONE}{what}").and_then(|()| out.flush()).expect("somebody listens");
}

/// Runs the ignored test `test` of this program in a process of its own, with these variables, and kills it once it has
/// said that `count` things are done; gives all that it said.
///
/// # Panics
///
/// If the process cannot be started.
pub fn kill_after(count: usize, test: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let program = std::env::current_exe().expect("a test runs in a program");
    let mut victim = Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", test])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the process starts");
    let said = BufReader::new(victim.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    let mut done = said.filter_map(|line| line.split_once(DONE).map(|(_, what)| what.to_owned()));
    let mut all: Vec<_> = done.by_ref().take(count).collect();
    victim.kill().expect("it runs until it is killed");
    all.extend(done);
    victim.wait().expect("it has ended");
    all
}
