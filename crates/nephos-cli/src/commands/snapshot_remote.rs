//! `nephos snapshot` over the endpoint of a nephos server, which reads and writes the snapshot.

use super::to_map;
use crate::{context::Context, env::Environment, exit::CmdResult};

/// Runs `snapshot save` or `snapshot restore` on the server.
pub(super) fn run(context: &Context, name: &str, file: &str, env: &mut Environment<'_>) -> CmdResult {
    let path = if name == "save" { "snapshot" } else { "restore" };
    context.control_remotely(env, "POST", path, to_map([("path", file.into())]))?;
    Ok(writeln!(env.out, "done: snapshot {name} {file}, on the server")?)
}
