//! Rates and costs of eight requests.
//!
//! `rates` measures servers in turns: this build, bare hyper, and the programs of `--program NAME=COMMAND`, such as
//! `--program before=target/before/nephos`. `drive REQUEST NUMBER` sends a number of requests to a server in this process, under a
//! profiler. `serve` and `bare` are the servers that `rates` starts.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

#[path = "../../load/mod.rs"]
mod load;
mod process;
mod requests;

use load::{answer, bare_hyper, load, median, runtime};
use nephos::Cloud;
use nephos_server::Server;
use process::{Process, Program};
use requests::{Measured, REQUESTS};
use std::{
    env,
    future::pending,
    io::Read as _,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Allocator of the program that uses the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let values = |name: &str| -> Vec<String> {
        let pairs = arguments.windows(2).filter(|pair| pair[0] == name);
        pairs.map(|pair| pair[1].clone()).collect()
    };
    let number = |name: &str, default: usize| {
        values(name).first().map_or(default, |value| value.parse().expect("a number"))
    };
    match arguments.first().map(String::as_str) {
        Some("serve") => run_forever(serve(2, values("--state-file").first().map(String::as_str))),
        Some("bare") => {
            let mut body = Vec::new();
            std::io::stdin().read_to_end(&mut body).expect("the body of the answer");
            run_forever(bare_hyper(2, body.into()));
        }
        Some("drive") => {
            let request = requests::find(&arguments[1]);
            let address = match arguments.iter().any(|argument| argument == "--bare") {
                true => bare_hyper(1, vec![b'x'; 200].into()),
                false => serve(1, None),
            };
            (request.prepare)(&|message| drop(answer(address, &message)), number("--fill", 1_000));
            drive(address, request, arguments[2].parse().expect("a number"));
        }
        Some("rates") => rates(&Options {
            programs: values("--program"),
            requests: values("--request"),
            connections: values("--connections")
                .iter()
                .map(|value| value.parse().expect("a number"))
                .collect(),
            fill: number("--fill", 10_000),
            rounds: number("--rounds", 7),
            is_durable: arguments.iter().any(|argument| argument == "--durable"),
        }),
        _ => panic!("usage: rates, drive REQUEST NUMBER, serve or bare"),
    }
}

fn run_forever(address: SocketAddr) {
    println!("listening at http://{address}");
    loop {
        std::thread::park();
    }
}

/// Starts a server of this build, in memory or on a file, in this process.
fn serve(threads: usize, file: Option<&str>) -> SocketAddr {
    let cloud = match file {
        Some(path) => Cloud::open(path).expect("the state opens"),
        None => Cloud::in_memory(),
    };
    runtime(threads, |address, runtime| {
        runtime.block_on(async {
            let server = Server::new(cloud).bind("127.0.0.1:0".parse().expect("an address"));
            let bound = server.await.expect("a free port");
            address.send(bound.address()).expect("the caller waits");
            bound.run(pending()).await;
        });
    })
}

/// Sends requests over one connection, one after another.
fn drive(address: SocketAddr, request: &Measured, count: u64) {
    let (mut stream, mut buffer) = (load::connect(address), Vec::new());
    for n in 0..count {
        load::send(&mut stream, &(request.make)(n), &mut buffer);
    }
}

/// Measurement of `rates`.
struct Options {
    /// Servers of other builds: a name and a command each.
    programs: Vec<String>,
    /// Names of requests; all if there are none.
    requests: Vec<String>,
    /// Numbers of connections; eight if there are none.
    connections: Vec<usize>,
    /// Number of resources that are listed and read.
    fill: usize,
    rounds: usize,
    /// Servers of this and other builds have a state file.
    is_durable: bool,
}

/// Measures all servers in turns, and prints the medians of the rounds.
fn rates(options: &Options) {
    let folder = tempfile::tempdir_in("target").expect("a folder for state files");
    println!("| Request | Connections | Server | Requests/s | User CPU | System CPU | / hyper | / first |");
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    let is_chosen = |request: &&Measured| {
        options.requests.is_empty() || options.requests.iter().any(|name| name == request.name)
    };
    for request in REQUESTS.iter().filter(is_chosen) {
        let mut servers: Vec<Process> = Vec::new();
        for program in Program::all(&options.programs) {
            let state = folder.path().join(format!("{}-{}.redb", request.name, program.name));
            let server = program.start(options.is_durable.then_some(&state));
            (request.prepare)(&|message| drop(answer(server.address, &message)), options.fill);
            servers.push(server);
        }
        let body = answer(servers[0].address, &(request.make)(u64::MAX >> 32));
        servers.push(Program::bare().start_with_input(&body));
        let connections = if options.connections.is_empty() { &[8][..] } else { &options.connections };
        for &connections in connections {
            compare(request, &servers, connections, options.rounds);
        }
    }
}

/// A round of one server: requests in a second, and microseconds of user and system CPU for each.
#[derive(Clone, Copy)]
struct Round {
    rate: f64,
    user: f64,
    system: f64,
}

fn compare(request: &Measured, servers: &[Process], connections: usize, rounds: usize) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let measure = |server: &Process| {
        let before = server.cpu();
        let first = NEXT.load(Ordering::Relaxed);
        let next = || (request.make)(NEXT.fetch_add(1, Ordering::Relaxed));
        let rate = load(server.address, connections, Duration::from_secs(1), &next);
        let after = server.cpu();
        let done = (NEXT.load(Ordering::Relaxed) - first) as f64;
        Round { rate, user: (after.user - before.user) / done, system: (after.system - before.system) / done }
    };
    let rounds: Vec<Vec<Round>> = (0..rounds).map(|_| servers.iter().map(measure).collect()).collect();
    for (n, server) in servers.iter().enumerate() {
        let of = |part: fn(&Round) -> f64| median(rounds.iter().map(|round| part(&round[n])).collect());
        let ratio = |to: usize| median(rounds.iter().map(|round| round[n].rate / round[to].rate).collect());
        println!(
            "| {} | {connections} | {} | {:.0} | {:.1} us | {:.1} us | {:.2} | {:.2} |",
            request.name,
            server.name,
            of(|round| round.rate),
            of(|round| round.user),
            of(|round| round.system),
            ratio(servers.len() - 1),
            ratio(0),
        );
    }
}
