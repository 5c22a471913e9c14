//! Opening of the state file: to write it, or to read it together with other commands.

use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure, file_error},
    printable::printable_line,
    style::{QUIET, paint},
};
use nephos::{Cloud, CloudKey, CloudOptions, Error, Permissions, SecretText};
use std::{io, path::Path, process};

/// Use that a command makes of the cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Changes the cloud. The state file is created on first use.
    Write,
    /// Changes resources that exist. A state file that was named must exist.
    Change,
    /// Reads the cloud, and may store that it did so, such as the time of the last use. The state file must exist.
    Read,
    /// Reads the cloud, at the same time as other commands. The state file must exist.
    SharedRead,
    /// Changes nothing that stays. Without a state file, the cloud is empty.
    DryRun,
}

/// A cloud that is closed on drop if this program opened it.
#[derive(Debug)]
pub(crate) struct OpenCloud {
    cloud: Cloud,
    close_on_drop: bool,
}

impl OpenCloud {
    /// Returns a cloud that stays open.
    pub(crate) fn borrowed(cloud: &Cloud) -> Self {
        Self { cloud: cloud.clone(), close_on_drop: false }
    }

    fn owned(cloud: Cloud) -> Self {
        Self { cloud, close_on_drop: true }
    }
}

impl std::ops::Deref for OpenCloud {
    type Target = Cloud;

    fn deref(&self) -> &Cloud {
        &self.cloud
    }
}

impl Drop for OpenCloud {
    fn drop(&mut self) {
        if self.close_on_drop {
            // Acknowledged writes are already on disk; closing only releases the file.
            let _ = self.cloud.close();
        }
    }
}

impl Context {
    /// Opens the cloud in the state file for `access`, and reports a state file that it creates: its path may be a mistake,
    /// such as a word that was meant for another option.
    pub(crate) fn open_for(&self, access: Access, env: &mut Environment<'_>) -> CmdResult<OpenCloud> {
        let creates = matches!(access, Access::Write | Access::Change) && env.cloud.is_none();
        let new_file = self.state.as_ref().filter(|path| creates && !path.exists());
        let cloud = self.with_passphrase(env)?.open_without_report(access, env)?;
        if let Some(path) = new_file {
            let note = format!("created the state file {}", printable_line(&path.to_string_lossy()));
            writeln!(env.err, "{}", paint(env.terminal.colour, QUIET, &note))?;
        }
        Ok(cloud)
    }

    /// Opens the cloud in the state file for `access`, and does not report a state file that it creates.
    pub(crate) fn open_without_report(&self, access: Access, env: &Environment<'_>) -> CmdResult<OpenCloud> {
        if let Some(cloud) = &env.cloud {
            return match access {
                Access::DryRun => Ok(OpenCloud::owned(cloud.fork()?)),
                _ => Ok(OpenCloud::borrowed(cloud)),
            };
        }
        let options = self.cloud_options(env);
        if let Some(url) = &self.store {
            let cloud = connect(self.with_key_of_command(options)?, url.expose())?;
            return match access {
                // A copy in memory: the state itself is not changed.
                Access::DryRun => Ok(OpenCloud::owned(cloud.fork()?)),
                _ => Ok(OpenCloud::owned(cloud)),
            };
        }
        let Some(path) = &self.state else { return Ok(OpenCloud::owned(options.in_memory())) };
        let options = self.with_key_of_command(options)?;
        check_is_file(path)?;
        let opened = match (access, path.exists()) {
            (Access::Change, false) if !self.is_default_state => return Err(missing_state(path)),
            (Access::Write | Access::Change, exists) => {
                if !exists {
                    create_folder(path)?;
                }
                options.open(path)
            }
            (Access::DryRun, true) => options.open_shared(path),
            (Access::DryRun, false) => Ok(options.in_memory()),
            // Nothing was created yet, so that there is nothing to find.
            (_, false) if self.is_default_state => Ok(options.in_memory()),
            (_, false) => return Err(missing_state(path)),
            (Access::SharedRead, true) => open_shared(&options, path),
            (Access::Read, true) => open_writable_or_shared(&options, path),
        };
        opened.map(OpenCloud::owned).map_err(place_failure)
    }

    /// True if a command with this access would create the state file.
    pub(crate) fn is_new_state(&self, access: Access, env: &Environment<'_>) -> bool {
        let is_file = !self.is_remote() && self.store.is_none() && env.cloud.is_none();
        let creates = access == Access::Write || access == Access::Change && self.is_default_state;
        is_file && creates && self.state.as_ref().is_some_and(|path| !path.exists())
    }

    /// Returns an error if the state file does not exist.
    pub(crate) fn check_state_exists(&self, env: &Environment<'_>) -> CmdResult {
        match &self.state {
            Some(path) if env.cloud.is_none() && !self.has_remote_option() => {
                check_is_file(path)?;
                if path.exists() { Ok(()) } else { Err(missing_state(path)) }
            }
            _ => Ok(()),
        }
    }

    /// Opens the cloud for completion, if its state file exists and nothing writes it.
    pub(crate) fn open_for_completion(
        &self,
        env_cloud: Option<&Cloud>,
        clock: &nephos::Clock,
    ) -> Option<OpenCloud> {
        if let Some(cloud) = env_cloud {
            return Some(OpenCloud::borrowed(cloud));
        }
        let path = self.state.as_ref().filter(|path| path.is_file() && !self.is_remote())?;
        // Completion runs no commands.
        let options = self.with_key_file(Cloud::options().clock(clock.clone()));
        options.open_shared(path).ok().map(OpenCloud::owned)
    }

    /// Asks for the passphrase of the key file, if it needs one that is not in the environment.
    pub(crate) fn with_passphrase(&self, env: &mut Environment<'_>) -> CmdResult<Self> {
        let mut context = self.clone();
        let needs = self.state.as_ref().is_some_and(|path| self.cloud_options(env).needs_passphrase(path));
        if let Some(prompt) = env.prompt.as_mut().filter(|_| needs && env.cloud.is_none()) {
            context.passphrase = Some(prompt("Passphrase of the key file: ")?.into());
        }
        Ok(context)
    }

    pub(crate) fn cloud_options(&self, env: &Environment<'_>) -> CloudOptions {
        let options = Cloud::options().clock(env.clock.clone()).transitions(self.transitions);
        let options = match env.seed {
            Some(seed) => options.seed(seed),
            None => options,
        };
        let options = match &self.blobs_folder {
            Some(folder) => options.blobs_folder(folder),
            None => options,
        };
        self.with_key_file(options.lock_wait(self.lock_wait))
    }

    fn with_key_file(&self, options: CloudOptions) -> CloudOptions {
        let options = match &self.key_file {
            Some(file) => options.key_file(file),
            None => options,
        };
        match &self.passphrase {
            Some(passphrase) => options.passphrase(passphrase.clone()),
            None => options,
        }
    }

    /// Runs the command that prints the key, if there is one.
    pub(crate) fn with_key_of_command(&self, options: CloudOptions) -> CmdResult<CloudOptions> {
        match &self.key_command {
            Some(command) => Ok(options.key(run_key_command(command)?)),
            None => Ok(options),
        }
    }
}

/// Opens the cloud in a database.
pub(crate) fn connect(options: CloudOptions, url: &str) -> Result<Cloud, Error> {
    nephos::ConnectOptions::connect(options, url)
}

/// Runs a command of the user that prints a key, and returns the key.
pub(crate) fn run_key_command(command: &str) -> CmdResult<CloudKey> {
    // The command is not repeated: a secret may be in it.
    let failed = |why: String| Error::invalid("--key-command", why);
    let ran = process::Command::new("sh").arg("-c").arg(command).stderr(process::Stdio::inherit()).output();
    let ran = ran.map_err(|error| failed(format!("cannot be run: {error}")))?;
    let text = SecretText::from(String::from_utf8(ran.stdout).unwrap_or_default());
    if !ran.status.success() {
        return Err(failed(format!("ended with {}", ran.status)).into());
    }
    let key = CloudKey::parse(text.expose());
    key.map_err(|error| failed(format!("the printed key {}", error.message())).into())
}

/// Opens the state together with other readers, unless a read has something to store: due work or a decision.
fn open_shared(options: &CloudOptions, path: &Path) -> Result<Cloud, Error> {
    let cloud = options.clone().open_shared(path)?;
    if cloud.permissions() == Permissions::Off && !cloud.has_due_work()? {
        return Ok(cloud);
    }
    cloud.close()?;
    open_writable_or_shared(options, path)
}

/// Opens the state so that reads can store something; in a place that cannot be written, they do not.
fn open_writable_or_shared(options: &CloudOptions, path: &Path) -> Result<Cloud, Error> {
    options.clone().open(path).or_else(|error| match io_kind(&error) {
        Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            options.clone().open_shared(path)
        }
        _ => Err(error),
    })
}

/// Returns the kind of I/O error that caused `error`.
fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    io_causes(error).next().map(io::Error::kind)
}

/// Iterates over the I/O errors that caused `error`, the innermost last.
fn io_causes(error: &Error) -> impl Iterator<Item = &io::Error> {
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    causes.filter_map(|error| error.downcast_ref::<io::Error>())
}

/// Turns an error of a snapshot into a failure to read or write its file, if the system is the reason.
pub(crate) fn snapshot_failure(file: &str, error: Error) -> Failure {
    use nephos::ErrorKind as Kind;
    match (error.kind(), io_causes(&error).last()) {
        (Kind::Internal | Kind::NotFound, Some(cause)) => file_error(file, cause),
        _ => error.into(),
    }
}

/// Turns an error about the place of the state file into a failure to read or write a file.
fn place_failure(error: Error) -> Failure {
    use nephos::ErrorKind as Kind;
    match (error.kind(), io_kind(&error)) {
        (Kind::Internal | Kind::NotFound | Kind::AlreadyExists, Some(kind)) => {
            Failure::Output(io::Error::new(kind, error.message().to_owned()))
        }
        (Kind::Conflict, _) => {
            error.with_hint("if it is a server, add --endpoint; otherwise --lock-wait waits longer").into()
        }
        _ => error.into(),
    }
}

fn missing_state(path: &Path) -> Failure {
    let message = format!(
        "the state file {} does not exist; the first command that changes something creates it, for example nephos \
         log-group create /web/api --state-file {0}",
        path.display()
    );
    Failure::Output(io::Error::new(io::ErrorKind::NotFound, message))
}

/// Refuses folders and devices before anything is created beside them.
fn check_is_file(path: &Path) -> CmdResult {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(metadata) => {
            let what = if metadata.is_dir() { "a folder" } else { "no regular file" };
            let message = format!("the state file {} is {what}", path.display());
            Err(Failure::Output(io::Error::new(io::ErrorKind::InvalidInput, message)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(file_error(&path.to_string_lossy(), &error)),
    }
}

fn create_folder(path: &Path) -> CmdResult {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| file_error(&folder.to_string_lossy(), &error))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos::ErrorKind as Kind;

    #[test]
    fn failures_of_the_place_are_failures_to_read_or_write_a_file() {
        let store = |kind: io::ErrorKind| io::Error::other(io::Error::from(kind));
        let failure =
            |kind, cause| place_failure(Error::new(kind, "cannot lock state").with_source(store(cause)));
        for (kind, cause) in [
            (Kind::Internal, io::ErrorKind::PermissionDenied),
            (Kind::Internal, io::ErrorKind::ReadOnlyFilesystem),
            (Kind::NotFound, io::ErrorKind::NotFound),
        ] {
            assert!(matches!(failure(kind, cause), Failure::Output(_)), "{kind:?} {cause:?}");
        }
        assert!(matches!(failure(Kind::Corrupt, io::ErrorKind::UnexpectedEof), Failure::Refused(_)));
        let internal = place_failure(Error::new(Kind::Internal, "a fault"));
        assert!(matches!(internal, Failure::Refused(_)));
    }
}
