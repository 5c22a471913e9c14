//! Context of a command: state file or endpoint, account and Region.

use crate::{
    env::Environment,
    exit::{CmdResult, file_error},
};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use nephos::{
    AssumeSession as _, Clock, Cloud, DEFAULT_ACCOUNT, DEFAULT_REGION, Error, ErrorKind, Ids,
    RemoteSession as _, Session, Transitions, Value, wait,
};
use nephos_core::json::{self, Writing};
use std::path::{Path, PathBuf};

/// State file or endpoint, account and Region that a command acts on.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// State file; none for a temporary cloud in memory.
    pub(crate) state: Option<PathBuf>,
    /// File of the encryption key; none for the default one next to the state file.
    key_file: Option<PathBuf>,
    /// Endpoint to call instead of opening a state file.
    endpoint: Option<String>,
    /// Profile whose credentials the endpoint is called with.
    profile: Option<String>,
    account: String,
    region: Option<String>,
    /// Role that the command runs with.
    role: Option<AssumedRole>,
    transitions: Transitions,
}

/// A role to assume before a command runs.
#[derive(Clone, Debug)]
struct AssumedRole {
    arn: String,
    session_name: String,
    external_id: Option<String>,
}

/// Name of sessions of roles by default.
const ROLE_SESSION_NAME: &str = "nephos";

/// Returns the options that select the context.
pub(crate) fn options() -> [Arg; 11] {
    let option = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).global(true).help(help).help_heading("Global options").display_order(900)
    };
    [
        option("state", "State file of the cloud [env: NEPHOS_STATE]")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf)),
        option("memory", "Use a new, temporary cloud in memory")
            .action(ArgAction::SetTrue)
            .conflicts_with("state"),
        option("key-file", "File of the key that encrypts secrets at rest [env: NEPHOS_KEY_FILE]")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with_all(["memory", "endpoint"]),
        option("endpoint", "AWS-compatible endpoint to call, with credentials from the environment")
            .value_name("URL")
            .conflicts_with_all(["state", "memory"]),
        option(
            "profile",
            "AWS profile; without --endpoint, calls AWS itself [env: AWS_PROFILE, only with --endpoint]",
        )
        .value_name("NAME")
        .conflicts_with_all(["state", "memory"]),
        option("account", "Account ID [env: NEPHOS_ACCOUNT]").value_name("ACCOUNT"),
        option("region", "Region [env: NEPHOS_REGION, AWS_REGION]").value_name("REGION"),
        option("role", "Role to assume first; the command runs with its permissions, in its account")
            .value_name("ROLE_ARN"),
        option("role-session-name", "Name of the session of the role; nephos by default")
            .value_name("NAME")
            .requires("role"),
        option("external-id", "External ID that the trust policy of the role requires")
            .value_name("ID")
            .requires("role"),
        option(
            "transitions",
            "Duration of state transitions such as provisioning to active; instant by default",
        )
        .value_name("MODE")
        .value_parser(["instant", "realistic"])
        .conflicts_with_all(["endpoint", "profile"]),
    ]
}

impl Context {
    /// Reads the context from options and environment variables.
    pub(crate) fn read(matches: &ArgMatches, env: &Environment<'_>) -> Self {
        let given = |option: &str| matches.get_one::<String>(option).cloned();
        let set = |name: &str| env.variable(name).map(str::to_owned);
        let state = matches.get_one::<PathBuf>("state").cloned().unwrap_or_else(|| default_state(env));
        Self {
            state: (!matches.get_flag("memory")).then_some(state),
            key_file: matches
                .get_one::<PathBuf>("key-file")
                .cloned()
                .or_else(|| set("NEPHOS_KEY_FILE").map(PathBuf::from)),
            endpoint: given("endpoint"),
            profile: given("profile"),
            account: given("account")
                .or_else(|| set("NEPHOS_ACCOUNT"))
                .unwrap_or_else(|| DEFAULT_ACCOUNT.into()),
            region: given("region").or_else(|| set("NEPHOS_REGION")).or_else(|| set("AWS_REGION")),
            role: given("role").map(|arn| AssumedRole {
                arn,
                session_name: given("role-session-name").unwrap_or_else(|| ROLE_SESSION_NAME.into()),
                external_id: given("external-id"),
            }),
            transitions: match given("transitions").as_deref() {
                Some("realistic") => Transitions::Realistic,
                _ => Transitions::Instant,
            },
        }
    }

    /// Opens a session on the cloud, which is created on first use, or on the endpoint; with a role, it is a session of the
    /// role.
    pub(crate) fn connect(&self, env: &Environment<'_>) -> CmdResult<Connection> {
        let mut connection = self.connect_as_caller(env)?;
        if let Some(AssumedRole { arn, session_name, external_id }) = &self.role {
            let assumed = connection.session.assume(arn.as_str(), session_name.as_str());
            connection.session = assumed.external_id(external_id.as_deref()).wait()?;
        }
        Ok(connection)
    }

    fn connect_as_caller(&self, env: &Environment<'_>) -> CmdResult<Connection> {
        if !self.is_remote() {
            let cloud = self.open(env)?;
            return Ok(Connection { session: self.session(&cloud), cloud: Some(cloud) });
        }
        let mut remote = Session::remote().environment(|name| env.variable(name).map(str::to_owned));
        if let Some(endpoint) = &self.endpoint {
            remote = remote.endpoint(endpoint.as_str());
        }
        if let Some(profile) = &self.profile {
            remote = remote.profile(profile.as_str());
        }
        if let Some(region) = &self.region {
            remote = remote.region(region.as_str());
        }
        let remote = remote.sources(env.clock.clone(), env.seed.map_or_else(Ids::system, Ids::seeded));
        let session = match remote.clone().build() {
            // A nephos server accepts the account ID as the access key if there are no credentials.
            Err(error) if error.kind() == ErrorKind::Denied && self.profile.is_none() => {
                remote.keys(self.account.as_str(), "nephos").account(self.account.as_str()).build()?
            }
            session => session?,
        };
        Ok(Connection { session, cloud: None })
    }

    /// Sends a control request to the server, or answers it from the state file.
    pub(crate) fn control(
        &self,
        env: &Environment<'_>,
        method: &'static str,
        path: &str,
        body: Value,
    ) -> CmdResult<Value> {
        if self.is_remote() {
            let Connection { session, .. } = self.connect(env)?;
            return Ok(wait(session.transport().control(&session, method, path, body))?);
        }
        let cloud = self.open(env)?;
        let body = json::write(body.view(), Writing::EXPOSED);
        Ok(nephos_server::control_access(&cloud, method, path, body.as_bytes())?)
    }

    /// True if an endpoint is called instead of opening a state file. `AWS_PROFILE` alone does not select an endpoint.
    fn is_remote(&self) -> bool {
        self.endpoint.is_some() || self.profile.is_some()
    }

    /// Opens the cloud; creates the state file on first use.
    pub(crate) fn open(&self, env: &Environment<'_>) -> CmdResult<OpenCloud> {
        if self.is_remote() {
            let message = "this command needs a state file; it does not support --endpoint and --profile";
            return Err(Error::new(ErrorKind::Unsupported, message).into());
        }
        if let Some(cloud) = &env.cloud {
            return Ok(OpenCloud { cloud: cloud.clone(), close_on_drop: false });
        }
        let mut options = Cloud::options().clock(env.clock.clone()).transitions(self.transitions);
        if let Some(seed) = env.seed {
            options = options.seed(seed);
        }
        if let Some(file) = &self.key_file {
            options = options.key_file(file);
        }
        let Some(path) = &self.state else {
            return Ok(OpenCloud { cloud: options.in_memory(), close_on_drop: true });
        };
        if let Some(folder) =
            path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            std::fs::create_dir_all(folder).map_err(|error| file_error(&folder.to_string_lossy(), &error))?;
        }
        Ok(OpenCloud { cloud: options.open(path)?, close_on_drop: true })
    }

    /// Opens the cloud if its state file exists and is not in use.
    pub(crate) fn open_existing(&self, open: Option<&Cloud>, clock: &Clock) -> Option<OpenCloud> {
        if let Some(cloud) = open {
            return Some(OpenCloud { cloud: cloud.clone(), close_on_drop: false });
        }
        let path = self.state.as_ref().filter(|path| path.exists())?;
        let mut options = Cloud::options().clock(clock.clone());
        if let Some(file) = &self.key_file {
            options = options.key_file(file);
        }
        Some(OpenCloud { cloud: options.open(path).ok()?, close_on_drop: true })
    }

    /// Returns a session on `cloud` in the account and Region.
    pub(crate) fn session(&self, cloud: &Cloud) -> Session {
        let region = self.region.as_deref().unwrap_or(DEFAULT_REGION);
        cloud.session().with_account(self.account.as_str()).with_region(region)
    }
}

/// A session, and the cloud that must stay open while it is used.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Session of the caller.
    pub(crate) session: Session,
    /// Cloud of the session; none for an endpoint.
    pub(crate) cloud: Option<OpenCloud>,
}

/// A cloud that is closed on drop if this program opened it.
#[derive(Debug)]
pub(crate) struct OpenCloud {
    cloud: Cloud,
    close_on_drop: bool,
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

/// Returns the default path of the state file.
pub(crate) fn default_state(env: &Environment<'_>) -> PathBuf {
    if let Some(path) = env.variable("NEPHOS_STATE") {
        return path.into();
    }
    let data = match (env.variable("XDG_DATA_HOME"), env.variable("HOME")) {
        (Some(data), _) => PathBuf::from(data),
        (None, Some(home)) => Path::new(home).join(".local/share"),
        (None, None) => PathBuf::from("."),
    };
    data.join("nephos/state.redb")
}
