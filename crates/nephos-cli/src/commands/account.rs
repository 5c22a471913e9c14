//! `nephos account`: accounts that may look into each other.

use crate::{edge::Edge, exit::Done, place::Place};
use clap::{Arg, ArgMatches, Command};

pub(super) fn command() -> Command {
    let one =
        |name: &'static str, help: &'static str| Arg::new(name).value_name(name).required(true).help(help);
    Command::new("account")
        .about("Links accounts")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(
            Command::new("link")
                .about("Lets a monitoring account see the log groups of another one")
                .arg(one("MONITORING", "The account that sees"))
                .arg(one("SOURCE", "The account that is seen")),
        )
}

pub(super) fn run(matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    let Some((_, own)) = matches.subcommand() else { return Ok(()) };
    let text = |name: &str| own.get_one::<String>(name).map_or("", String::as_str);
    let cloud = Place::read(own, edge).open(edge)?;
    cloud.link_accounts(text("MONITORING"), text("SOURCE"))?;
    writeln!(edge.out, "done: account link {} {}", text("MONITORING"), text("SOURCE"))?;
    Ok(())
}
