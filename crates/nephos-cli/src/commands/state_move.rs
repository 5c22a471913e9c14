//! `nephos state move`: copies the whole state between a state file and a database.

use super::{state::without_password, to_map};
use crate::{
    context::{Context, with_password},
    env::Environment,
    exit::CmdResult,
    opening::{connect, snapshot_failure},
    output::{Columns, Output},
    progress,
};
use clap::ArgMatches;
use nephos::{Cloud, CloudOptions, Error, ErrorKind, SecretText};
use std::path::{Path, PathBuf};

/// A place of a state.
enum Place {
    File(PathBuf),
    Database(SecretText),
}

impl Place {
    fn new(text: &str, argument: &str, env: &Environment<'_>) -> Result<Self, Error> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return with_password(text.to_owned(), argument, env).map(Self::Database);
        }
        Ok(Self::File(text.into()))
    }

    fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Database(url) => without_password(url.expose()),
        }
    }
}

pub(super) fn run(
    context: &Context,
    matches: &ArgMatches,
    output: &Output,
    env: &mut Environment<'_>,
) -> CmdResult {
    let place = |name: &str| {
        let text = matches.get_one::<String>(name).map_or("", String::as_str);
        Place::new(text, name, env)
    };
    let (from, to) = (place("FROM")?, place("TO")?);
    let options = context.with_passphrase(env)?.cloud_options(env);
    let options = context.with_key_of_command(options)?;
    let bar = progress::bar(env, None);
    let mut count = |rows: u64| progress::set_rows(&bar, rows);
    let verified = match (&from, &to) {
        (Place::File(from), Place::Database(to)) => {
            file_to_database(context, options, from, to.expose(), &mut count)
        }
        (Place::Database(from), Place::File(to)) => {
            let cloud = connect(options.clone(), from.expose())?;
            cloud.save_to(to, &mut count).map_err(|error| snapshot_failure(&to.to_string_lossy(), error))?;
            let copy = open_copy(context, options, to)?;
            compare(&cloud, &copy)
        }
        _ => return Err(Error::invalid("TO", "one place must be a file and the other one a database").into()),
    };
    bar.finish_and_clear();
    let (digest, rows) = verified?;
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let answer = to_map([
        ("from", from.name().into()),
        ("to", to.name().into()),
        ("rows", rows.into()),
        ("digest", digest.into()),
    ]);
    output.show(env, &answer, &Columns::default())
}

fn file_to_database(
    context: &Context,
    options: CloudOptions,
    from: &Path,
    to: &str,
    count: &mut dyn FnMut(u64),
) -> Result<(String, u64), Error> {
    let options = match context.key_file.is_some() || context.key_command.is_some() {
        true => options,
        false => options.key_file(beside(from)),
    };
    // Before anything is written into the database.
    let source = options.clone().open_shared(from)?;
    let target = connect(options.clone(), to)?;
    if !target.is_new()? {
        let message =
            "the database has a state already; drop its schema, or name another one with schema=NAME";
        return Err(Error::new(ErrorKind::AlreadyExists, message));
    }
    drop(source);
    target.restore_from(from, count)?;
    let source = options.open_shared(from)?;
    compare(&source, &target)
}

/// Default path of the key file of the state at `path`.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".nephos-key");
    name.into()
}

/// Opens a state file for reading, with the key of the state.
fn open_copy(context: &Context, options: CloudOptions, path: &Path) -> Result<Cloud, Error> {
    let options = match &context.key_file {
        Some(file) => options.key_file(file),
        None => options,
    };
    let options = match &context.passphrase {
        Some(passphrase) => options.passphrase(passphrase.clone()),
        None => options,
    };
    options.open_shared(path)
}

/// Compares all rows; returns their digest and number.
fn compare(source: &Cloud, copy: &Cloud) -> Result<(String, u64), Error> {
    let (expected, found) = (source.digest()?, copy.digest()?);
    let closed = copy.close();
    if expected != found {
        let message = format!(
            "the copy differs: {} rows with the digest {} became {} rows with the digest {}",
            expected.1, expected.0, found.1, found.0
        );
        return Err(Error::new(ErrorKind::Corrupt, message));
    }
    closed.map(|()| found)
}
