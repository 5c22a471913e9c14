//! `nephos serve`: the cloud for every client of the real one.

use crate::{edge::Edge, exit::Done, place::Place};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nephos::{Error, ErrorKind};
use nephos_server::Server;
use std::net::SocketAddr;
use tokio::signal::unix::{SignalKind, signal};

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serves the cloud over the AWS wire protocols, until it is told to stop")
        .long_about(
            "Serves the cloud over the AWS wire protocols, until it is told to stop (Ctrl-C, SIGTERM).\n\nAny well-formed \
             credentials are taken: the Region is the one a request is signed for, and an access key of twelve digits is the \
             account. The state is in use meanwhile: commands reach the cloud with --endpoint. Health, clock, snapshots and a \
             reset are under /_nephos/.",
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
            Arg::new("insecure")
                .long("insecure")
                .action(ArgAction::SetTrue)
                .help("Listen beyond this machine, although nobody's credentials are checked"),
        )
}

pub(super) fn run(matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    let Some(&address) = matches.get_one::<SocketAddr>("listen") else { return Ok(()) };
    let cloud = Place::read(matches, edge).open(edge)?;
    let server = Server::new((*cloud).clone()).insecure(matches.get_flag("insecure"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(ErrorKind::Internal, format!("no runtime: {error}")))?;
    runtime.block_on(async {
        let (mut interrupt, mut terminate) =
            (stopped(SignalKind::interrupt())?, stopped(SignalKind::terminate())?);
        let bound = server.bind(address).await?;
        writeln!(edge.out, "listening at http://{}", bound.address())?;
        edge.out.flush()?;
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

fn stopped(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Error> {
    signal(kind).map_err(|error| Error::new(ErrorKind::Internal, format!("cannot wait for signals: {error}")))
}
