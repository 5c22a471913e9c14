//! Where a command acts: which state or endpoint, account and Region.

use crate::{
    env::Environment,
    exit::{CmdResult, file_error},
};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use nephos::{
    Clock, Cloud, DEFAULT_ACCOUNT, DEFAULT_REGION, Error, ErrorKind, Ids, RemoteSession as _, Session,
    Transitions,
};
use std::path::{Path, PathBuf};

/// A state or an endpoint, an account and a Region.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The file of the state; none for a cloud that is thrown away.
    pub(crate) state: Option<PathBuf>,
    /// The file of the key that the state is sealed with; none for the one beside the state.
    key_file: Option<PathBuf>,
    /// The endpoint that is called instead.
    endpoint: Option<String>,
    /// The profile whose credentials it is called with.
    profile: Option<String>,
    account: String,
    region: Option<String>,
    transitions: Transitions,
}

/// The options that say where.
pub(crate) fn options() -> [Arg; 8] {
    let option = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).global(true).help(help).help_heading("Where").display_order(900)
    };
    [
        option("state", "The file of the cloud's state [env: NEPHOS_STATE]")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf)),
        option("memory", "A new cloud in memory, thrown away in the end")
            .action(ArgAction::SetTrue)
            .conflicts_with("state"),
        option("key-file", "The file of the key that secrets are sealed with [env: NEPHOS_KEY_FILE]")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with_all(["memory", "endpoint"]),
        option("endpoint", "An AWS-compatible endpoint to call, with the credentials of the environment")
            .value_name("URL")
            .conflicts_with_all(["state", "memory"]),
        option("profile", "A profile to call an endpoint with, or AWS itself [env: AWS_PROFILE]")
            .value_name("NAME")
            .conflicts_with_all(["state", "memory"]),
        option("account", "The account to act in [env: NEPHOS_ACCOUNT]").value_name("ACCOUNT"),
        option("region", "The Region to act in [env: NEPHOS_REGION, AWS_REGION]").value_name("REGION"),
        option("transitions", "How long states take to change: no time, or about as long as at the provider")
            .value_name("HOW")
            .value_parser(["instant", "realistic"])
            .conflicts_with_all(["endpoint", "profile"]),
    ]
}

impl Context {
    /// Where `matches` and the environment say.
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
            transitions: match given("transitions").as_deref() {
                Some("realistic") => Transitions::Realistic,
                _ => Transitions::Instant,
            },
        }
    }

    /// A caller there: of the cloud, made on first use, or of the endpoint.
    pub(crate) fn connect(&self, env: &Environment<'_>) -> CmdResult<Connection> {
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
            // Without credentials, an endpoint such as ours takes the account itself for an access key.
            Err(error) if error.kind() == ErrorKind::Denied && self.profile.is_none() => {
                remote.keys(self.account.as_str(), "nephos").account(self.account.as_str()).build()?
            }
            session => session?,
        };
        Ok(Connection { session, cloud: None })
    }

    /// Whether an endpoint is called, and no state is used. A profile in the environment alone does not say so.
    fn is_remote(&self) -> bool {
        self.endpoint.is_some() || self.profile.is_some()
    }

    /// The cloud there, made on first use.
    pub(crate) fn open(&self, env: &Environment<'_>) -> CmdResult<OpenCloud> {
        if self.is_remote() {
            let message = "this command is about a state on this machine, not about an endpoint";
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

    /// The cloud there, if it is there and nobody else uses it.
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

    /// A caller of `cloud` in the account and Region.
    pub(crate) fn session(&self, cloud: &Cloud) -> Session {
        let region = self.region.as_deref().unwrap_or(DEFAULT_REGION);
        cloud.session().with_account(self.account.as_str()).with_region(region)
    }
}

/// A caller, and what has to stay open meanwhile.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The caller.
    pub(crate) session: Session,
    /// The cloud it calls; none if that is elsewhere.
    pub(crate) cloud: Option<OpenCloud>,
}

/// A cloud that is let go of in the end, if it was opened here.
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
            // What was acknowledged is on disk already; the file is only let go of.
            let _ = self.cloud.close();
        }
    }
}

/// The state of a user who names none.
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
