//! `nephos snapshot` over the endpoint of a nephos server, which reads and writes the snapshot.

use super::to_map;
use crate::{context::Context, env::Environment, exit::CmdResult};
use clap::ArgMatches;

/// Runs `snapshot save` or `snapshot restore` on the server; returns false if `context` has no endpoint.
pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult<bool> {
    let Some((name, own)) = matches.subcommand() else { return Ok(false) };
    let context = Context::read(own, env)?;
    if !context.is_remote() {
        return Ok(false);
    }
    let file = own.get_one::<String>("FILE").map_or("", String::as_str);
    let path = if name == "save" { "snapshot" } else { "restore" };
    context.control_remotely(env, "POST", path, to_map([("path", file.into())]))?;
    writeln!(env.out, "done: snapshot {name} {file}, on the server")?;
    Ok(true)
}
