//! `nephos snapshot`: saves the whole state to a file and restores it.

use super::snapshot_remote;
use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure, file_error},
    opening::{Access, OpenCloud, snapshot_failure},
    progress,
};
use clap::{Arg, ArgMatches, Command};
use nephos::{Error, ErrorKind, blobs_folder};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

pub(super) fn grammar(command: Command) -> Command {
    let file = || Arg::new("FILE").required(true).value_name("FILE").help("Snapshot file");
    command
        .about("Save the state to a snapshot file, or restore it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("save").about("Save all resources and the time to a new file").arg(file()))
        .subcommand(
            Command::new("restore")
                .about("Replace all resources and the time by those of a snapshot")
                .arg(file()),
        )
}

pub(super) fn run(matches: &ArgMatches, env: &mut Environment<'_>) -> CmdResult {
    let Some((name, own)) = matches.subcommand() else { return Ok(()) };
    let file = own.get_one::<String>("FILE").map_or("", String::as_str);
    let context = Context::read(own, env)?;
    if context.is_remote() {
        return snapshot_remote::run(&context, name, file, env);
    }
    context.check_is_local()?;
    let (cloud, damaged) = if name == "restore" {
        // Before a state file is created.
        check_is_readable(file).map_err(|error| file_error(file, &error))?;
        open_to_restore(&context, env)?
    } else {
        (context.open_for(Access::Read, env)?, None)
    };
    let bar = progress::bar(env, None);
    let mut rows = 0;
    let mut count = |so_far: u64| {
        rows = so_far;
        progress::set_rows(&bar, so_far);
    };
    let done = match name {
        "save" => cloud.save_to(file, &mut count),
        _ => cloud.restore_from(file, &mut count),
    };
    bar.finish_and_clear();
    if let Some(damaged) = damaged {
        drop(cloud);
        damaged.finish(done.is_ok(), env)?;
    }
    done.map_err(|error| snapshot_failure(file, error))?;
    writeln!(env.out, "done: snapshot {name} {file}, {rows} rows")?;
    Ok(())
}

/// Renames a state file, and the folder with its blobs, which a new state would remove.
fn move_state(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    match fs::rename(blobs_folder(from), blobs_folder(to)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A damaged state file that has another name while a snapshot is restored.
struct DamagedState {
    path: PathBuf,
    kept: PathBuf,
}

impl DamagedState {
    /// Gives the file a name of its own.
    fn set_aside(state: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(state)?;
        let names = (1..).map(|number| {
            let mut name = OsString::from(&path);
            name.push(if number == 1 { ".damaged".to_owned() } else { format!(".damaged-{number}") });
            PathBuf::from(name)
        });
        let kept = names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| path.clone());
        move_state(&path, &kept)?;
        Ok(Self { path, kept })
    }

    /// Says where the file is, or gives it its name back if nothing was restored.
    fn finish(self, restored: bool, env: &mut Environment<'_>) -> CmdResult {
        if restored {
            let kept = self.kept.display();
            writeln!(
                env.err,
                "nephos: the state was damaged; it was kept as {kept}, and its root key is no longer used"
            )?;
            return Ok(());
        }
        // Links to the blobs of the snapshot.
        let _ = fs::remove_dir_all(blobs_folder(&self.path));
        let returned = move_state(&self.kept, &self.path);
        returned.map_err(|error| file_error(&self.kept.to_string_lossy(), &error))
    }
}

/// Opens the cloud to restore a snapshot. If its state file is damaged, a new one takes its place.
fn open_to_restore(
    context: &Context,
    env: &mut Environment<'_>,
) -> CmdResult<(OpenCloud, Option<DamagedState>)> {
    match (context.open(env), &context.state) {
        (Err(Failure::Refused(error)), Some(state)) if is_damaged(&error) => {
            let set_aside = DamagedState::set_aside(state);
            let damaged = set_aside.map_err(|error| file_error(&state.to_string_lossy(), &error))?;
            match context.open_without_report(Access::Write, env) {
                Ok(cloud) => Ok((cloud, Some(damaged))),
                Err(failure) => {
                    let _ = move_state(&damaged.kept, &damaged.path);
                    Err(failure)
                }
            }
        }
        (opened, _) => Ok((opened?, None)),
    }
}

fn is_damaged(error: &Error) -> bool {
    error.kind() == ErrorKind::Corrupt
}

/// Opens only a regular file: opening a FIFO waits for its other end.
fn check_is_readable(file: &str) -> io::Result<()> {
    match fs::metadata(file)?.is_file() {
        true => File::open(file).map(drop),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")),
    }
}
