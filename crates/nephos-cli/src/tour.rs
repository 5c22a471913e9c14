//! `nephos tour`.

use crate::{edge::Edge, exit::Failure};
use clap::{ArgMatches, Command};

pub(crate) fn command() -> Command {
    Command::new("tour").about("Shows what this is, on a cloud in memory that is thrown away")
}

pub(crate) fn run(_matches: &ArgMatches, _edge: &mut Edge<'_>) -> Result<(), Failure> {
    Ok(())
}
