//! Servers in processes of their own, so that their CPU time can be told from that of the client.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
};

/// A program that serves.
pub(crate) struct Program {
    pub(crate) name: String,
    command: Vec<String>,
}

impl Program {
    /// Lists this program and others, which are given as `NAME=COMMAND`.
    pub(crate) fn all(others: &[String]) -> Vec<Self> {
        let others = others.iter().map(|other| {
            let (name, command) = other.split_once('=').expect("NAME=COMMAND");
            Self { name: name.to_owned(), command: command.split(' ').map(str::to_owned).collect() }
        });
        let own = Self { name: "nephos".to_owned(), command: vec![own_path()] };
        std::iter::once(own).chain(others).collect()
    }

    /// Returns an endpoint of bare hyper.
    pub(crate) fn bare() -> Self {
        Self { name: "hyper".to_owned(), command: vec![own_path(), "bare".to_owned()] }
    }

    /// Starts a server in memory, or on a file.
    pub(crate) fn start(&self, file: Option<&Path>) -> Process {
        let mut command = self.command();
        command.arg("serve");
        match file {
            Some(path) => command.arg("--state-file").arg(path),
            None => command.arg("--memory"),
        };
        // The program of the command line logs each request and listens on a fixed port otherwise.
        command.args(["--quiet", "--listen", "127.0.0.1:0"]);
        self.spawn(command, b"")
    }

    /// Starts a server that reads `input`.
    pub(crate) fn start_with_input(&self, input: &[u8]) -> Process {
        self.spawn(self.command(), input)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        command
    }

    fn spawn(&self, mut command: Command, input: &[u8]) -> Process {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the program starts");
        child.stdin.take().expect("it is piped").write_all(input).expect("the program reads");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        output.read_line(&mut line).expect("the program prints its address");
        let address = line.trim().rsplit("http://").next().and_then(|address| address.parse().ok());
        Process { name: self.name.clone(), address: address.expect("an address"), child }
    }
}

fn own_path() -> String {
    env::current_exe().expect("the path of this program").display().to_string()
}

/// A server that runs; it ends when it is dropped.
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) address: SocketAddr,
    child: Child,
}

/// Microseconds of CPU time.
pub(crate) struct CpuTime {
    pub(crate) user: f64,
    pub(crate) system: f64,
}

/// Microseconds in the unit of times of processes.
const TICK: f64 = 10_000.0;

impl Process {
    /// CPU time of the process so far.
    pub(crate) fn cpu(&self) -> CpuTime {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("the process runs");
        let (_, fields) = stat.rsplit_once(')').expect("the name of the program");
        let ticks = |n: usize| -> f64 {
            let field = fields.split_whitespace().nth(n).and_then(|field| field.parse().ok());
            field.expect("a number of ticks")
        };
        CpuTime { user: ticks(11) * TICK, system: ticks(12) * TICK }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
