//! `nephos serve`: the cloud for every client of the real one.

use crate::{context::Context, env::Environment, exit::CmdResult};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nephos::{Cloud, Error, ErrorKind};
use nephos_server::{Auth, RootKey, Server};
use std::net::SocketAddr;
use tokio::signal::unix::{SignalKind, signal};

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serves the cloud over the AWS wire protocols, until it is told to stop")
        .long_about(
            "Serves the cloud over the AWS wire protocols, until it is told to stop (Ctrl-C, SIGTERM).\n\nAny well-formed \
             credentials are taken: the Region is the one a request is signed for, and an access key of twelve digits is the \
             account. With --auth strict, signatures are checked: a root key is made at the first start, shown once, and kept \
             sealed in the state. The state is in use meanwhile: commands reach the cloud with --endpoint.\n\nUnder \
             /_nephos/ are GET health, kinds, clock, state, forks, POST clock, reset, snapshot, restore, links, \
             rotation-functions, target-health, fork and DELETE forks/NAME: for this machine or, with --auth strict, for \
             requests that are signed with the root key for the service nephos. A fork is a copy in memory, which is \
             reached at /_nephos/forks/NAME, or with the header x-nephos-fork: NAME.",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .value_parser(value_parser!(SocketAddr))
                .default_value("127.0.0.1:4566")
                .help("Where to listen; port 0 is any free one"),
        )
        .arg(
            Arg::new("auth")
                .long("auth")
                .value_name("HOW")
                .value_parser(["open", "strict"])
                .default_value("open")
                .help("Whether anybody is let in, or only requests that are signed with a known key"),
        )
        .arg(
            Arg::new("insecure")
                .long("insecure")
                .action(ArgAction::SetTrue)
                .help("Listen beyond this machine, although nobody's credentials are checked"),
        )
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Answer for this host name, too, beside localhost and loopback addresses"),
        )
        .arg(
            Arg::new("allow-origin")
                .long("allow-origin")
                .value_name("ORIGIN")
                .action(ArgAction::Append)
                .help("Answer web pages of this origin, such as http://localhost:3000; other pages are refused"),
        )
        .arg(
            Arg::new("fallback")
                .long("fallback")
                .value_name("URL")
                .help("An endpoint to pass requests to for services that are not known here"),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .action(ArgAction::SetTrue)
                .help("Write no line about each request to standard error"),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some(&address) = matches.get_one::<SocketAddr>("listen") else { return Ok(()) };
    let context = Context::read(matches, env);
    let cloud = context.open(env)?;
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
    let runtime = runtime.map_err(|error| Error::new(ErrorKind::Internal, format!("no runtime: {error}")))?;
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

/// The root key: the one that is kept or, at the first start, a new one, which is shown.
fn root_key(cloud: &Cloud, context: &Context, env: &mut Environment<'_>) -> CmdResult<RootKey> {
    let (key, is_new) = cloud.root_key()?;
    if is_new {
        let lifetime =
            if context.state.is_some() { "kept sealed in the state" } else { "good until the server stops" };
        writeln!(env.out, "root key, shown this once and {lifetime}:")?;
        writeln!(env.out, "  export AWS_ACCESS_KEY_ID={}", key.access_key_id)?;
        writeln!(env.out, "  export AWS_SECRET_ACCESS_KEY={}", key.secret_access_key.expose())?;
    }
    Ok(key)
}

fn signal_stream(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Error> {
    signal(kind).map_err(|error| Error::new(ErrorKind::Internal, format!("cannot wait for signals: {error}")))
}
