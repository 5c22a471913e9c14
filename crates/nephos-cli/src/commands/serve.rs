//! `nephos serve`: serves the cloud to AWS clients over HTTP.

use crate::{context::Context, env::Environment, exit::CmdResult};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nephos::{Cloud, Error, ErrorKind, Permissions};
use nephos_server::{Auth, RootKey, Server};
use std::net::SocketAddr;
use tokio::signal::unix::{SignalKind, signal};

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serve the cloud over the AWS wire protocols until SIGINT or SIGTERM")
        .long_about(
            "Serve the cloud over the AWS wire protocols until SIGINT (Ctrl-C) or SIGTERM.\n\nBy default, any well-formed \
             credentials are accepted: the Region is the one in the signature, and an access key of twelve digits is the \
             account ID. With --auth strict, signatures are verified: a root key is created on the first start, printed \
             once, and stored encrypted in the state file. While the server runs, the state file is locked: use --endpoint \
             with other commands.\n\nThe control endpoint /_nephos/ offers GET health, kinds, clock, state, forks, \
             permissions, access/log; POST clock, reset, snapshot, restore, links, functions, target-health, open-id-keys, \
             fork, permissions, access/why, access/log, access/policy; and DELETE forks/NAME, access/log. It \
             accepts requests from this machine or, with --auth strict, requests signed with the root key for the service \
             nephos. A fork is a copy in memory; send requests to /_nephos/forks/NAME, or with the header \
             x-nephos-fork: NAME.",
        )
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
                .help("Allow a non-loopback address although credentials are not verified"),
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
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .action(ArgAction::SetTrue)
                .help("Do not log requests to standard error"),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some(&address) = matches.get_one::<SocketAddr>("listen") else { return Ok(()) };
    let context = Context::read(matches, env);
    let cloud = context.open(env)?;
    if let Some(mode) = matches.get_one::<String>("permissions") {
        cloud.set_permissions(mode.parse()?)?;
    }
    if let Some(setting) = matches.get_one::<String>("own-events") {
        cloud.set_own_events(setting == "on")?;
    }
    let mut server =
        Server::new((*cloud).clone()).clock(env.clock.clone()).insecure(matches.get_flag("insecure"));
    if matches.get_one::<String>("auth").is_some_and(|auth| auth == "strict") {
        server = server.auth(Auth::Strict).root(root_key(&cloud, &context, env)?);
    }
    for name in matches.get_many::<String>("host").into_iter().flatten() {
        server = server.host(name)?;
    }
    for origin in matches.get_many::<String>("allow-origin").into_iter().flatten() {
        server = server.allow_origin(origin)?;
    }
    if let Some(address) = matches.get_one::<String>("fallback") {
        server = server.fallback(address)?;
    }
    if !matches.get_flag("quiet") {
        let log = env.log.clone();
        server = server.log(move |line| log(&line.to_string()));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Error::new(ErrorKind::Internal, format!("cannot start the async runtime: {error}"))
    })?;
    runtime.block_on(async {
        let (mut interrupt, mut terminate) =
            (signal_stream(SignalKind::interrupt())?, signal_stream(SignalKind::terminate())?);
        let bound = server.bind(address).await?;
        writeln!(env.out, "listening at http://{}", bound.address())?;
        env.out.flush()?;
        let stop = async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        bound.run(stop).await;
        Ok(())
    })
}

/// Returns the root key; creates and prints it on the first start.
fn root_key(cloud: &Cloud, context: &Context, env: &mut Environment<'_>) -> CmdResult<RootKey> {
    let (key, is_new) = cloud.root_key()?;
    if is_new {
        let lifetime = if context.state.is_some() {
            "stored encrypted in the state file"
        } else {
            "valid until the server stops"
        };
        writeln!(env.out, "root key, printed only once, {lifetime}:")?;
        writeln!(env.out, "  export AWS_ACCESS_KEY_ID={}", key.access_key_id)?;
        writeln!(env.out, "  export AWS_SECRET_ACCESS_KEY={}", key.secret_access_key.expose())?;
    }
    Ok(key)
}

fn signal_stream(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Error> {
    signal(kind)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot install a signal handler: {error}")))
}
