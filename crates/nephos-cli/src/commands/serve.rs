//! `nephos serve`: serves the cloud to AWS clients over HTTP.

use super::{control, root_key};
use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, file_error},
    opening::{Access, OpenCloud},
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nephos::{Clock, Cloud, Error, ErrorKind, Permissions, SignedDuration, Timestamp, parse_duration};
use nephos_server::{Auth, Limits, RootKey, SelfSignedFiles, Server, Tls};
use std::{
    ffi::OsString,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};

/// Value of `--tls` for a certificate that the program makes.
const SELF_SIGNED: &str = "self-signed";

pub(super) fn grammar(command: Command) -> Command {
    command
        .about("Serve the cloud over the AWS wire protocols until SIGINT or SIGTERM")
        .long_about(long_about())
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .value_parser(value_parser!(SocketAddr))
                .default_value("127.0.0.1:4566")
                .help("Address to listen on; port 0 selects a free port"),
        )
        .arg(
            Arg::new("auth")
                .long("auth")
                .value_name("MODE")
                .value_parser(["open", "strict"])
                .default_value("open")
                .help("Authentication: accept any credentials, or only requests signed with a known key"),
        )
        .arg(
            Arg::new("permissions")
                .long("permissions")
                .value_name("MODE")
                .value_parser(Permissions::ALL.map(Permissions::name))
                .help(
                    "Enforcement of policies: off, record (log all decisions, refuse nothing) or enforce; by default as \
                     in the state, which is off in a new one",
                ),
        )
        .arg(
            Arg::new("own-events")
                .long("own-events")
                .value_name("on|off")
                .value_parser(["on", "off"])
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("on")
                .help(
                    "Events about the calls themselves: each successful write sends one to the default event bus; by default \
                     as in the state, which is off in a new one",
                ),
        )
        .arg(
            Arg::new("insecure")
                .long("insecure")
                .action(ArgAction::SetTrue)
                .help(
                    "Allow a non-loopback address although credentials are not verified; the control endpoint requires the root \
                     key",
                ),
        )
        .arg(
            Arg::new("no-outgoing")
                .long("no-outgoing")
                .action(ArgAction::SetTrue)
                .help("Send no requests to functions and API destinations on this machine"),
        )
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Additional host name to accept, besides localhost and loopback addresses"),
        )
        .arg(
            Arg::new("allow-origin")
                .long("allow-origin")
                .value_name("ORIGIN")
                .action(ArgAction::Append)
                .help("Web origin to allow (CORS), such as http://localhost:3000; other origins are rejected"),
        )
        .arg(
            Arg::new("fallback")
                .long("fallback")
                .value_name("URL")
                .help("Endpoint to forward requests for unknown services to"),
        )
        .arg(
            Arg::new("tls")
                .long("tls")
                .value_names(["CERTIFICATE", "KEY"])
                .num_args(1..=2)
                .help("Encrypt connections: files of a certificate and its key in PEM, or the word self-signed"),
        )
        .arg(
            Arg::new("clock")
                .long("clock")
                .value_name("TIME")
                .value_parser(time)
                .help(
                    "Time at which the clock of the cloud starts and runs on, such as 2026-01-31T12:00:00Z; with a state file \
                     not before its time",
                ),
        )
        .arg(
            Arg::new("allow-snapshot-paths")
                .long("allow-snapshot-paths")
                .action(ArgAction::SetTrue)
                .help("Let control requests save and restore snapshots at any path, not only by name"),
        )
        .arg(
            Arg::new("fork-idle")
                .long("fork-idle")
                .value_name("DURATION")
                .value_parser(duration)
                .default_value("1h")
                .help("Drop a fork that was not used for this long"),
        )
        .arg(
            Arg::new("connections-per-address")
                .long("connections-per-address")
                .value_name("NUMBER")
                .value_parser(value_parser!(u32).range(1..))
                .help("Maximum number of connections of one client address; 768 by default"),
        )
        .arg(
            Arg::new("shutdown-timeout")
                .long("shutdown-timeout")
                .value_name("DURATION")
                .value_parser(duration)
                .default_value("10s")
                .help("Time after SIGINT or SIGTERM in which the program ends, also if requests hang"),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .action(ArgAction::SetTrue)
                .help("Do not log requests to standard error"),
        )
}

/// Describes callers and the control endpoint. The test controls are those that the services declare.
fn long_about() -> String {
    let controls: Vec<_> = control::controls().map(|control| control.name).collect();
    format!(
        "Serve the cloud over the AWS wire protocols until SIGINT (Ctrl-C) or SIGTERM.\n\nBy default, any well-formed \
         credentials are accepted: the Region is the one in the signature, and an access key of twelve digits is the \
         account ID. With --auth strict, signatures are verified: a root key is created on the first start, printed \
         once, and stored encrypted in the state. While the server runs, the state file is locked: use --endpoint \
         with other commands. With --store, the state is in a database: any number of servers serve the same cloud, and need \
         the same key file.\n\nThe control endpoint /_nephos/ offers GET health, metrics, kinds, clock, state, forks, \
         permissions, access/log; POST clock, reset, snapshot, restore, functions, fork, permissions, access/why, \
         access/log, access/policy; DELETE forks/NAME, access/log; and POST for the test controls {}. It accepts \
         requests from this machine or, with --auth strict or --insecure, requests signed for the service nephos: with the root \
         key, or with a key whose policies allow nephos:Fork, nephos:AdvanceClock or nephos:Explain. A fork \
         is a copy in memory; send requests to /_nephos/forks/NAME, or with the header x-nephos-fork: NAME. Snapshots have a name and are in the folder STATE.snapshots, with --memory in a temporary folder.",
        controls.join(", ")
    )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some(&address) = matches.get_one::<SocketAddr>("listen") else { return Ok(()) };
    let context = Context::read(matches, env)?;
    let is_strict = matches.get_one::<String>("auth").is_some_and(|auth| auth == "strict");
    // A server that is refused leaves no files.
    let encryption = Encryption::read(matches, env)?;
    with_options(Server::new(Cloud::in_memory()), matches, is_strict)?.check_address(address)?;
    check_start(matches, &context, env)?;
    let cloud = open(matches, &context, env)?;
    if let Some(mode) = matches.get_one::<String>("permissions") {
        cloud.set_permissions(mode.parse()?)?;
        cloud.keep_permissions();
    }
    if let Some(setting) = matches.get_one::<String>("own-events") {
        cloud.set_own_events(setting == "on")?;
        cloud.keep_own_events();
    }
    let mut server =
        with_options(Server::new((*cloud).clone()), matches, is_strict)?.clock(env.clock.clone());
    if let Some(ahead) = cloud.clock_difference()? {
        let side = if ahead.is_negative() { "behind" } else { "ahead of" };
        writeln!(
            env.err,
            "warning: the clock of this machine is {:#} {side} that of the database: schedules and expiries follow the clocks \
             of all servers; run NTP on all machines",
            ahead.abs()
        )?;
    }
    // Clients of other machines must not use the control endpoint as if they were on this one.
    if is_strict || (matches.get_flag("insecure") && !address.ip().to_canonical().is_loopback()) {
        server = server.root(load_or_create_root_key(&cloud, &context, env)?);
    }
    let files = Files::new(&context, env)?;
    let snapshots = files.with_suffix(".snapshots");
    nephos_cloud::remove_leftovers_in(&snapshots);
    server = server.snapshot_folder(snapshots);
    match encryption.into_tls(matches, &files, address, env)? {
        Some(tls) => server = server.tls(tls),
        None if is_strict && !address.ip().to_canonical().is_loopback() => writeln!(
            env.err,
            "warning: connections are not encrypted, so that others on the network can read secrets and repeat signed \
             requests; use --tls"
        )?,
        None => {}
    }
    if !matches.get_flag("quiet") {
        let log = env.log.clone();
        server = server.log(move |line| log(&line.to_string()));
    }
    let grace = Grace::new(matches);
    server = server.limits(limits(matches, &grace));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Error::new(ErrorKind::Internal, format!("cannot start the async runtime: {error}"))
    })?;
    let served = runtime.block_on(serve(server, address, env));
    runtime.shutdown_timeout(grace.jobs);
    close_within(cloud, grace.close);
    served
}

/// Returns the server with the options that need neither files nor keys.
fn with_options(server: Server, matches: &ArgMatches, is_strict: bool) -> Result<Server, Error> {
    let mut server = server
        .auth(if is_strict { Auth::Strict } else { Auth::Open })
        .insecure(matches.get_flag("insecure"))
        .outgoing(!matches.get_flag("no-outgoing"))
        .allow_snapshot_paths(matches.get_flag("allow-snapshot-paths"));
    for name in matches.get_many::<String>("host").into_iter().flatten() {
        server = server.host(name)?;
    }
    for origin in matches.get_many::<String>("allow-origin").into_iter().flatten() {
        server = server.allow_origin(origin)?;
    }
    if let Some(address) = matches.get_one::<String>("fallback") {
        server = server.fallback(address)?;
    }
    match matches.get_one::<SignedDuration>("fork-idle") {
        Some(&idle) => server.fork_idle(idle),
        None => Ok(server),
    }
}

/// Checks the time of `--clock` for a state file that does not exist yet.
fn check_start(matches: &ArgMatches, context: &Context, env: &Environment<'_>) -> Result<(), Error> {
    match matches.get_one::<Timestamp>("clock") {
        Some(&start) if context.is_new_state(Access::Write, env) => {
            Cloud::options().clock(env.clock.clone()).in_memory().clock().set(start).map(drop)
        }
        _ => Ok(()),
    }
}

async fn serve(server: Server, address: SocketAddr, env: &mut Environment<'_>) -> CmdResult {
    let (mut interrupt, mut terminate) =
        (signal_stream(SignalKind::interrupt())?, signal_stream(SignalKind::terminate())?);
    let bound = server.bind(address).await?;
    writeln!(env.out, "listening at {}", bound.url())?;
    env.out.flush()?;
    let stop = async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    bound.run(stop).await;
    Ok(())
}

/// Opens the cloud, and sets its clock to the time of `--clock`.
fn open(matches: &ArgMatches, context: &Context, env: &mut Environment<'_>) -> CmdResult<OpenCloud> {
    let Some(&start) = matches.get_one::<Timestamp>("clock") else { return context.open(env) };
    let wall = env.clock.clone();
    let is_stored = context.state.is_some() || context.store.is_some();
    if !is_stored {
        // A new cloud can begin at any time, also in the past.
        let clock = if wall.runs() { Clock::system() } else { Clock::frozen(wall.now()) };
        clock.advance(start.duration_since(clock.now()));
        env.clock = clock;
    }
    let opened = context.open(env);
    env.clock = wall;
    let cloud = opened?;
    if is_stored {
        cloud.clock().start_at(start)?;
    }
    Ok(cloud)
}

/// Files that belong to the server: beside the state file or, without one, in a temporary folder.
struct Files {
    prefix: PathBuf,
    _temporary: Option<TempDir>,
}

impl Files {
    fn new(context: &Context, env: &Environment<'_>) -> CmdResult<Self> {
        if let Some(state) = &context.state {
            return Ok(Self { prefix: state.clone(), _temporary: None });
        }
        let folder = tempfile::Builder::new().prefix("nephos-").tempdir_in(&env.temp_dir);
        let folder = folder.map_err(|error| file_error(&env.temp_dir.to_string_lossy(), &error))?;
        Ok(Self { prefix: folder.path().join("memory"), _temporary: Some(folder) })
    }

    fn with_suffix(&self, suffix: &str) -> PathBuf {
        let mut path = OsString::from(&self.prefix);
        path.push(suffix);
        path.into()
    }
}

/// Encryption of connections, as `--tls` says.
enum Encryption {
    None,
    Files(Tls),
    SelfSigned,
}

impl Encryption {
    /// Reads `--tls`, and the files that it names.
    fn read(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult<Self> {
        let values: Vec<&String> = matches.get_many("tls").into_iter().flatten().collect();
        match values.as_slice() {
            [] => Ok(Self::None),
            [certificate, key] => {
                let tls = Tls::from_files(Path::new(certificate), Path::new(key))?;
                if let Some(warning) = tls.warning() {
                    writeln!(env.err, "warning: {warning}")?;
                }
                Ok(Self::Files(tls))
            }
            [word] if *word == SELF_SIGNED => Ok(Self::SelfSigned),
            _ => {
                let message = format!("needs the files of a certificate and of its key, or {SELF_SIGNED}");
                Err(Error::invalid("tls", message).into())
            }
        }
    }

    /// Returns the certificate; prints the path and the fingerprint of a self-signed one.
    fn into_tls(
        self,
        matches: &ArgMatches,
        files: &Files,
        address: SocketAddr,
        env: &mut Environment<'_>,
    ) -> CmdResult<Option<Tls>> {
        match self {
            Self::None => Ok(None),
            Self::Files(tls) => Ok(Some(tls)),
            Self::SelfSigned => {
                let files = SelfSignedFiles::with_prefix(&files.prefix);
                let tls = Tls::self_signed(&files, &certificate_names(matches, address), &env.clock)?;
                let path = files.certificate.display();
                writeln!(env.out, "certificate with the SHA-256 fingerprint {}:", tls.fingerprint())?;
                writeln!(env.out, "  export AWS_CA_BUNDLE={path}")?;
                Ok(Some(tls))
            }
        }
    }
}

/// Returns the hosts of a self-signed certificate: this machine, the address, and the names of `--host`.
fn certificate_names(matches: &ArgMatches, address: SocketAddr) -> Vec<String> {
    let mut names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    if !address.ip().is_unspecified() {
        names.push(address.ip().to_string());
    }
    names.extend(matches.get_many::<String>("host").into_iter().flatten().cloned());
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(name.clone()));
    names
}

/// Parts of the time in which the program ends.
struct Grace {
    connections: Duration,
    jobs: Duration,
    close: Duration,
}

impl Grace {
    fn new(matches: &ArgMatches) -> Self {
        let all = matches.get_one::<SignedDuration>("shutdown-timeout").copied().unwrap_or_default();
        let all = all.unsigned_abs();
        Self { connections: all * 3 / 5, jobs: all / 5, close: all / 5 }
    }
}

fn limits(matches: &ArgMatches, grace: &Grace) -> Limits {
    let mut limits = Limits::default();
    limits.shutdown_timeout = grace.connections;
    if let Some(&number) = matches.get_one::<u32>("connections-per-address") {
        limits.connections_per_address = usize::try_from(number).unwrap_or(usize::MAX);
    }
    limits
}

/// Closes the cloud, and compacts its file if most of it is free, unless that takes too long, for example because of a request that
/// hangs: what was acknowledged is on disk.
fn close_within(cloud: OpenCloud, duration: Duration) {
    let (closed, is_closed) = mpsc::channel();
    thread::spawn(move || {
        // A failure is reported by the next check of the state.
        let _ = cloud.compact_if_sparse();
        drop(cloud);
        let _ = closed.send(());
    });
    let _ = is_closed.recv_timeout(duration);
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "write a time such as 2026-01-31T12:00:00Z".to_owned())
}

fn duration(text: &str) -> Result<SignedDuration, String> {
    let valid = parse_duration(text).filter(|duration| duration.is_positive());
    valid.ok_or_else(|| "write a duration such as 90s, 30m, 1h or PT1H".to_owned())
}

/// Returns the root key; creates and prints it on the first start.
fn load_or_create_root_key(
    cloud: &Cloud,
    context: &Context,
    env: &mut Environment<'_>,
) -> CmdResult<RootKey> {
    if let Some(key) = cloud.root_key()? {
        return Ok(key);
    }
    let lifetime = if context.state.is_some() || context.store.is_some() {
        "stored encrypted in the state; nephos root-key show prints it again"
    } else {
        "valid until the server stops"
    };
    writeln!(env.out, "root key, {lifetime}:")?;
    root_key::create(cloud, env)
}

fn signal_stream(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Error> {
    signal(kind)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot install a signal handler: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_the_test_controls() {
        let help = grammar(Command::new("serve")).render_long_help().to_string();
        let words: Vec<_> = help.split([' ', ',', '.', '\n']).collect();
        for control in control::controls() {
            assert!(words.contains(&control.name), "{}", control.name);
        }
    }
}
