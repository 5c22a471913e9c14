//! `nephos root-key`: shows or renews the access key of the operator of a server.

use crate::{context::Context, env::Environment, exit::CmdResult, opening::Access};
use clap::{ArgMatches, Command};
use nephos::{Cloud, Error, ErrorKind};
use nephos_server::RootKey;

pub(super) fn grammar(command: Command) -> Command {
    command
        .about("Show or renew the root key of a server with --auth strict")
        .long_about(
            "Show or renew the root key of a server with --auth strict: the access key that may do everything, and that \
             the control endpoint requires. The key is stored encrypted in the state. No server may be running on a \
             state file; those on a database use a new key from their next start.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("show").about("Print the root key, including its secret part"))
        .subcommand(Command::new("renew").about("Replace the root key by a new one, and print it"))
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let context = Context::read(own, env)?;
    if context.state.is_none() && context.store.is_none() {
        let message = "this command needs a state file or a database; it does not support --memory";
        return Err(Error::new(ErrorKind::Unsupported, message).into());
    }
    if name == "renew" {
        let cloud = context.open(env)?;
        create(&cloud, env)?;
        return Ok(());
    }
    context.check_is_local()?;
    let cloud = context.open_for(Access::SharedRead, env)?;
    let key = cloud.root_key()?.ok_or_else(|| {
        let message =
            "this state has no root key: nephos serve --auth strict creates one, and so does root-key renew";
        Error::new(ErrorKind::NotFound, message)
    })?;
    print(&key, env)
}

/// Creates a root key, prints it, and then stores it: a key that nobody has seen would lock everybody out.
pub(super) fn create(cloud: &Cloud, env: &mut Environment<'_>) -> CmdResult<RootKey> {
    let key = cloud.new_root_key();
    print(&key, env)?;
    env.out.flush()?;
    cloud.set_root_key(key.clone())?;
    Ok(key)
}

fn print(key: &RootKey, env: &mut Environment<'_>) -> CmdResult {
    writeln!(env.out, "  export AWS_ACCESS_KEY_ID={}", key.access_key_id)?;
    writeln!(env.out, "  export AWS_SECRET_ACCESS_KEY={}", key.secret_access_key.expose())?;
    Ok(())
}
