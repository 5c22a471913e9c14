//! Context of a command: state file or endpoint, account and Region.

use crate::{
    env::Environment,
    exit::CmdResult,
    opening::{Access, OpenCloud},
    scope::{check_account, check_region},
};
use clap::{Arg, ArgAction, ArgMatches, parser::ValueSource, value_parser};
use nephos::{
    AssumeSession as _, CallerIdentity, Cloud, ContainerDaemon, DEFAULT_ACCOUNT, DEFAULT_REGION, DaemonReply,
    DaemonRequest, Error, ErrorKind, Ids, LocalDaemon, Map, RemoteSession as _, SecretText, Session,
    SignedDuration, Text, Transitions, Value, prelude::*, wait,
};
use nephos_core::{
    json::{self, Writing},
    record,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// State file or endpoint, account and Region that a command acts on.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// State file; none for a temporary cloud in memory.
    pub(crate) state: Option<PathBuf>,
    /// Address of the database with the state, instead of a state file.
    pub(crate) store: Option<SecretText>,
    /// Folder of blobs of a cloud in a database.
    pub(crate) blobs_folder: Option<PathBuf>,
    /// True if neither an option nor an environment variable names the state file.
    pub(crate) is_default_state: bool,
    /// File of the encryption key; none for the default one next to the state file.
    pub(crate) key_file: Option<PathBuf>,
    /// Command that prints the encryption key.
    pub(crate) key_command: Option<String>,
    /// Passphrase of the key file.
    pub(crate) passphrase: Option<SecretText>,
    /// Time to wait for other commands that use the state file.
    pub(crate) lock_wait: Duration,
    /// Endpoint to call instead of opening a state file.
    endpoint: Option<String>,
    /// True if the endpoint is from the environment: then commands that need a state file ignore it.
    is_environment_endpoint: bool,
    /// Profile whose credentials the endpoint is called with.
    profile: Option<String>,
    account: String,
    /// True if neither an option nor an environment variable names the account.
    is_default_account: bool,
    region: Option<String>,
    /// Role that the command runs with.
    role: Option<AssumedRole>,
    pub(crate) transitions: Transitions,
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

/// Time to wait for other commands by default.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Order in which options and environment variables select the cloud, for `--help`.
pub(crate) const PRECEDENCE: &str = "Cloud:
  1. the options --memory, --state-file, --store, --endpoint, --profile
  2. the environment variables NEPHOS_ENDPOINT, NEPHOS_STATE, NEPHOS_STORE,
     AWS_ENDPOINT_URL, in this order; serve, state and root-key ignore endpoints
  3. the state file in $XDG_DATA_HOME/nephos or ~/.local/share/nephos
  Commands that change something create the state file and report it, except
  update and delete. Those that read need it to exist, and share it; the
  others wait for each other.";

/// Returns the options that select the context.
pub(crate) fn options() -> [Arg; 15] {
    let option = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).global(true).help(help).help_heading("Global options").display_order(900)
    };
    [
        option("state-file", "State file of the cloud [env: NEPHOS_STATE]")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf)),
        option("memory", "Use a new, temporary cloud in memory")
            .action(ArgAction::SetTrue)
            .conflicts_with("state-file"),
        option(
            "store",
            "Database with the state of the cloud, such as postgres://nephos@host/nephos; its password is in \
             NEPHOS_STORE_PASSWORD [env: NEPHOS_STORE]",
        )
        .value_name("URL")
        .conflicts_with_all(["state-file", "memory"]),
        option(
            "blobs-folder",
            "Folder of image layers of a cloud in a database, shared by all its servers [env: NEPHOS_BLOBS_FOLDER]",
        )
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .conflicts_with_all(["state-file", "memory"]),
        option("key-file", "File of the key that encrypts secrets at rest [env: NEPHOS_KEY_FILE]")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with_all(["memory", "endpoint"]),
        option(
            "key-command",
            "Command that prints the key that encrypts secrets at rest [env: NEPHOS_KEY_COMMAND]",
        )
        .value_name("COMMAND")
        .conflicts_with_all(["memory", "endpoint", "key-file"]),
        option("lock-wait", "Time to wait while another command uses the state file; 5s by default")
            .value_name("DURATION")
            .value_parser(lock_wait)
            .conflicts_with("memory"),
        option(
            "endpoint",
            "AWS-compatible endpoint to call, with credentials from the environment [env: NEPHOS_ENDPOINT, \
             AWS_ENDPOINT_URL]",
        )
        .value_name("URL")
        .conflicts_with_all(["state-file", "memory", "store"]),
        option(
            "profile",
            "AWS profile; without --endpoint, calls AWS itself [env: AWS_PROFILE, only with --endpoint]",
        )
        .value_name("NAME")
        .conflicts_with_all(["state-file", "memory", "store"]),
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
    /// Reads the context from options and environment variables, and checks account and Region.
    pub(crate) fn read(matches: &ArgMatches, env: &Environment<'_>) -> Result<Self, Error> {
        let given = |option: &str| matches.get_one::<String>(option).cloned();
        let set = |name: &str| env.variable(name).map(str::to_owned);
        let path = |option: &str| matches.get_one::<PathBuf>(option).cloned();
        let has = |option: &str| matches.value_source(option) == Some(ValueSource::CommandLine);
        // Options win over the environment, and among variables, those of this program win.
        let is_local =
            ["state-file", "memory", "store", "key-file", "key-command", "transitions"].into_iter().any(has);
        let from_environment = || {
            let has_state = set("NEPHOS_STATE").or_else(|| set("NEPHOS_STORE")).is_some();
            let aws = || set("AWS_ENDPOINT_URL").filter(|_| !has_state);
            if is_local { None } else { set("NEPHOS_ENDPOINT").or_else(aws) }
        };
        let is_environment_endpoint = given("endpoint").is_none();
        // The option or the first of the variables that is set.
        let first = |option: &str, variables: &[&'static str]| {
            let variable = || variables.iter().find_map(|name| Some(((*name).to_owned(), set(name)?)));
            given(option).map(|value| (format!("--{option}"), value)).or_else(variable)
        };
        let account = first("account", &["NEPHOS_ACCOUNT"]);
        let region = first("region", &["NEPHOS_REGION", "AWS_REGION"]);
        if let Some((source, account)) = &account {
            check_account(source, account)?;
        }
        if let Some((source, region)) = &region {
            check_region(source, region)?;
        }
        let store = given("store").or_else(|| {
            let is_other = has("state-file") || has("memory") || set("NEPHOS_STATE").is_some();
            set("NEPHOS_STORE").filter(|_| !is_other)
        });
        let store = store.map(|url| with_password(url, "--store", env)).transpose()?;
        let has_file = !has("memory") && store.is_none();
        Ok(Self {
            state: has_file.then(|| path("state-file").unwrap_or_else(|| default_state(env))),
            store,
            blobs_folder: path("blobs-folder").or_else(|| set("NEPHOS_BLOBS_FOLDER").map(PathBuf::from)),
            is_default_state: !has("state-file") && set("NEPHOS_STATE").is_none(),
            key_file: path("key-file").or_else(|| set("NEPHOS_KEY_FILE").map(PathBuf::from)),
            key_command: given("key-command")
                .or_else(|| set("NEPHOS_KEY_COMMAND").filter(|_| !has("key-file"))),
            passphrase: set("NEPHOS_KEY_PASSPHRASE").map(SecretText::from),
            lock_wait: matches.get_one::<Duration>("lock-wait").copied().unwrap_or(LOCK_WAIT),
            endpoint: given("endpoint").or_else(from_environment),
            is_environment_endpoint,
            profile: given("profile"),
            is_default_account: account.is_none(),
            account: account.map_or_else(|| DEFAULT_ACCOUNT.into(), |(_, account)| account),
            region: region.map(|(_, region)| region),
            role: given("role").map(|arn| AssumedRole {
                arn,
                session_name: given("role-session-name").unwrap_or_else(|| ROLE_SESSION_NAME.into()),
                external_id: given("external-id"),
            }),
            transitions: match given("transitions").as_deref() {
                Some("realistic") => Transitions::Realistic,
                _ => Transitions::Instant,
            },
        })
    }

    /// Opens a session on the cloud or on the endpoint; with a role, it is a session of the role.
    pub(crate) fn connect(&self, access: Access, env: &mut Environment<'_>) -> CmdResult<Connection> {
        // The last use of a role is stored.
        let access = match access {
            Access::SharedRead if self.role.is_some() => Access::Read,
            access => access,
        };
        let mut connection = self.connect_as_caller(access, env)?;
        let daemon = container_daemon(env.variable("DOCKER_HOST"));
        connection.session = connection.session.with_container_daemon(daemon);
        if let Some(AssumedRole { arn, session_name, external_id }) = &self.role {
            let assumed = connection.session.assume(arn.as_str(), session_name.as_str());
            connection.session = assumed.external_id(external_id.as_deref()).wait()?;
        }
        Ok(connection)
    }

    fn connect_as_caller(&self, access: Access, env: &mut Environment<'_>) -> CmdResult<Connection> {
        if !self.is_remote() {
            let cloud = self.open_for(access, env)?;
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
        // It may be from AWS_DEFAULT_REGION or a profile.
        check_region("Region", session.region())?;
        Ok(Connection { session, cloud: None })
    }

    /// Sends a control request to the server, or answers it from the state file.
    pub(crate) fn control(
        &self,
        access: Access,
        env: &mut Environment<'_>,
        method: &'static str,
        path: &str,
        body: Value,
    ) -> CmdResult<Value> {
        if self.is_remote() {
            return self.control_remotely(env, method, path, body);
        }
        let cloud = self.open_for(access, env)?;
        let body = json::write(body.view(), Writing::EXPOSED);
        Ok(nephos_server::control_access(&cloud, method, path, body.as_bytes())?)
    }

    /// Sends a control request to the server.
    pub(crate) fn control_remotely(
        &self,
        env: &mut Environment<'_>,
        method: &'static str,
        path: &str,
        body: Value,
    ) -> CmdResult<Value> {
        let Connection { session, .. } = self.connect(Access::Write, env)?;
        Ok(wait(session.transport().control(&session, method, path, body))?)
    }

    /// Returns the account and Region of the command as parameters of a test control. At an endpoint, the account of the caller is
    /// that of its credentials, as the server knows it.
    pub(crate) fn control_scope(&self, connection: &Connection) -> Result<Map<Value>, Error> {
        let session = &connection.session;
        let is_remote = connection.cloud.is_none();
        let account: Text = match session.account() {
            _ if is_remote && !self.is_default_account && self.role.is_none() => self.account.as_str().into(),
            "" => CallerIdentity::objects(session).get().wait()?.account().unwrap_or_default().into(),
            account => account.into(),
        };
        let values = [("Account", account), ("Region", session.region().into())];
        let given = values.into_iter().filter(|(_, value)| !value.is_empty());
        Ok(given.map(|(name, value)| (name.into(), Value::Text(value))).collect())
    }

    /// Endpoint that is called instead of opening a state file.
    pub(crate) fn endpoint(&self) -> Option<&str> {
        self.endpoint.as_deref()
    }

    /// Returns the context with another endpoint.
    pub(crate) fn with_endpoint(&self, endpoint: String) -> Self {
        Self { endpoint: Some(endpoint), ..self.clone() }
    }

    /// True if an endpoint is called instead of opening a state file. `AWS_PROFILE` alone does not select an endpoint.
    pub(crate) fn is_remote(&self) -> bool {
        self.endpoint.is_some() || self.profile.is_some()
    }

    /// True if options select an endpoint. Commands that work on the state file only ignore one of the environment.
    pub(crate) fn has_remote_option(&self) -> bool {
        self.profile.is_some() || (self.endpoint.is_some() && !self.is_environment_endpoint)
    }

    /// Opens the cloud for a command that works on the state file only; creates it on first use.
    pub(crate) fn open(&self, env: &mut Environment<'_>) -> CmdResult<OpenCloud> {
        self.check_is_local()?;
        self.open_for(Access::Write, env)
    }

    /// Returns an error if options select an endpoint, for a command that works on the state file only.
    pub(crate) fn check_is_local(&self) -> Result<(), Error> {
        if self.has_remote_option() {
            let message = "this command needs a state file; it does not support --endpoint and --profile";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Ok(())
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

impl Connection {
    /// Calls a test control.
    pub(crate) fn control(&self, name: &str, values: Map<Value>) -> Result<Value, Error> {
        match &self.cloud {
            Some(cloud) => Ok(record::to_value(&*cloud.control_by_name(name, &values)?)),
            None => wait(self.session.transport().control(&self.session, "POST", name, Value::Map(values))),
        }
    }
}

/// Parses the value of `--lock-wait`.
fn lock_wait(text: &str) -> Result<Duration, String> {
    let parsed = if text == "0" { Some(SignedDuration::ZERO) } else { nephos::parse_duration(text) };
    let parsed = parsed.and_then(|wait| Duration::try_from(wait).ok());
    parsed.ok_or_else(|| "expected a duration such as 5s, 1m or 0s".to_owned())
}

/// Returns the address of a database, which `argument` has, with the password of the environment, which other users of the machine
/// cannot see.
pub(crate) fn with_password(url: String, argument: &str, env: &Environment<'_>) -> Result<SecretText, Error> {
    let Some(password) = env.variable("NEPHOS_STORE_PASSWORD") else { return Ok(url.into()) };
    let parts = url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?)));
    match parts {
        // Another address than that of a database is refused when it is opened.
        _ if !url.starts_with("postgres") => Ok(url.into()),
        Some((scheme, (user, rest))) if !user.contains(':') => {
            let password: String = password.bytes().map(|byte| format!("%{byte:02x}")).collect();
            Ok(format!("{scheme}://{user}:{password}@{rest}").into())
        }
        _ => {
            let message = "must name a user and no password if NEPHOS_STORE_PASSWORD is set, such as postgres://nephos@host/nephos";
            Err(Error::invalid(argument, message))
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

/// The container daemon at an address as in `DOCKER_HOST`. An address that is not supported is refused when the daemon is asked: most
/// commands do not need one.
fn container_daemon(address: Option<&str>) -> Arc<dyn ContainerDaemon> {
    match address.map_or_else(|| Ok(LocalDaemon::default()), LocalDaemon::at) {
        Ok(daemon) => Arc::new(daemon),
        Err(refusal) => Arc::new(UnusableDaemon(refusal)),
    }
}

/// A daemon whose address is not supported.
#[derive(Debug)]
struct UnusableDaemon(Error);

impl ContainerDaemon for UnusableDaemon {
    fn send(&self, _: &DaemonRequest) -> nephos::Result<DaemonReply> {
        Err(self.0.clone())
    }
}
