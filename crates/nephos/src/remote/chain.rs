//! Credentials of profiles, roles, containers and instances, through the provider's own configuration crate: fetched when
//! they are needed, and again before they run out.

use super::{
    client::{Client, Web, cause, system_time},
    environment::Environment,
};
use aws_config::{BehaviorVersion, Region, profile};
use aws_credential_types::provider::{
    ProvideCredentials as _, SharedCredentialsProvider, error::CredentialsError,
};
use aws_runtime::env_config::file::EnvConfigFiles;
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime_api::client::{
    http::{HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector},
    orchestrator::{HttpRequest, HttpResponse},
    result::ConnectorError,
    runtime_components::RuntimeComponents,
};
use aws_smithy_types::body::SdkBody;
use aws_types::os_shim_internal::{Env, Fs};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use nephos_core::{
    Clock, Credentials, DEFAULT_REGION, Error, ErrorKind, Result, SignedDuration, Text, Timestamp,
    nearest::suggest,
};
use std::{
    fmt,
    time::{Duration, SystemTime},
};
use tokio::sync::Mutex;

/// How long before they run out credentials are fetched again.
const EARLY: SignedDuration = SignedDuration::from_mins(5);

/// How long it may take to fetch them.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest answer of whoever gives them out.
const LONGEST: usize = 1 << 20;

/// Settings that give a profile credentials.
const CREDENTIALS: [&str; 7] = [
    "aws_access_key_id",
    "credential_process",
    "credential_source",
    "role_arn",
    "sso_account_id",
    "sso_session",
    "web_identity_token_file",
];

/// Keys in the environment, which a profile that is asked for by name stands before.
const KEYS: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// What a profile says besides its credentials.
pub(super) struct Profile {
    name: Text,
    pub(super) region: Option<Text>,
    pub(super) endpoint: Option<Text>,
    pub(super) has_credentials: bool,
}

impl Profile {
    /// The profile of that name; without one, that of the environment, or the default one, which need not be there.
    pub(super) fn read(
        environment: Option<&Environment>,
        name: Option<&str>,
        client: &Client,
    ) -> Result<Self> {
        let env = variables(environment, false);
        let named = name.or_else(|| environment?.get("AWS_PROFILE")).map(str::to_owned);
        let wanted = named.clone();
        let files = EnvConfigFiles::default();
        let load = async move { profile::load(&Fs::real(), &env, &files, wanted.map(Into::into)).await };
        let profiles = client.wait(load)?.map_err(|error| {
            Error::new(ErrorKind::Invalid, format!("the files of profiles cannot be read: {}", cause(&error)))
        })?;
        if let Some(name) = named.filter(|name| profiles.get_profile(name).is_none()) {
            let known: Vec<_> = profiles.profiles().collect();
            let hint = suggest(&name, known.iter().copied());
            return Err(Error::invalid("profile", format!("there is no profile {name:?}{hint}")));
        }
        let get = |key: &str| profiles.get(key).map(Text::from);
        Ok(Self {
            name: profiles.selected_profile().into(),
            region: get("region"),
            endpoint: get("endpoint_url"),
            has_credentials: CREDENTIALS.iter().any(|key| profiles.get(key).is_some()),
        })
    }
}

/// The variables as the provider's crate reads them: those of the process, if no others are given.
fn variables(environment: Option<&Environment>, without_keys: bool) -> Env {
    let Some(environment) = environment else { return Env::real() };
    let kept = |(name, _): &(&str, &str)| !(without_keys && KEYS.contains(name));
    Env::from_slice(&environment.pairs().filter(kept).collect::<Vec<_>>())
}

/// Where credentials are fetched, and those that were.
pub(super) struct Chain {
    provider: SharedCredentialsProvider,
    clock: Clock,
    /// Held while they are fetched, so that all wait for the one who does it.
    kept: Mutex<Option<Credentials>>,
}

impl Chain {
    /// What gives credentials for `profile`, or whatever the environment names. If the profile is `named`, keys in the
    /// environment do not count.
    pub(super) fn new(
        environment: Option<&Environment>,
        profile: &Profile,
        named: bool,
        client: &Client,
        clock: Clock,
    ) -> Result<Self> {
        let region = profile.region.clone().unwrap_or(Text::const_new(DEFAULT_REGION));
        let mut loader = aws_config::defaults(BehaviorVersion::latest())
            .env(variables(environment, named))
            .region(Region::new(region.to_string()))
            .http_client(Sender(client.web()))
            .time_source(Time(clock.clone()));
        if named {
            loader = loader.profile_name(profile.name.as_str());
        }
        let config = client.wait(loader.load())?;
        let provider = config.credentials_provider();
        let provider =
            provider.ok_or_else(|| Error::new(ErrorKind::Internal, "nothing gives credentials"))?;
        Ok(Self { provider, clock, kept: Mutex::new(None) })
    }

    /// Credentials that are good for a while yet.
    pub(super) async fn credentials(&self) -> Result<Credentials> {
        let mut kept = self.kept.lock().await;
        let left = |credentials: &Credentials| match credentials.expiration {
            Some(end) => end.duration_since(self.clock.now()),
            None => SignedDuration::MAX,
        };
        if let Some(good) = kept.as_ref().filter(|kept| left(kept) > EARLY) {
            return Ok(good.clone());
        }
        match self.fetch().await {
            Ok(fetched) => Ok(kept.insert(fetched).clone()),
            // Whoever gives them out may be back before the old ones have run out.
            Err(error) => match kept.as_ref().filter(|kept| left(kept) > SignedDuration::ZERO) {
                Some(old) => Ok(old.clone()),
                None => Err(error),
            },
        }
    }

    async fn fetch(&self) -> Result<Credentials> {
        let fetched = tokio::time::timeout(PATIENCE, self.provider.provide_credentials()).await;
        let fetched = fetched.map_err(|_| {
            let why = format!("nobody gave credentials within {PATIENCE:?}");
            Error::new(ErrorKind::Transport, why)
        })?;
        let found = fetched.map_err(|error| {
            let kind = match error {
                CredentialsError::ProviderTimedOut(_) => ErrorKind::Transport,
                _ => ErrorKind::Denied,
            };
            Error::new(kind, format!("there are no credentials: {}", cause(&error)))
        })?;
        Ok(Credentials {
            access_key_id: found.access_key_id().into(),
            secret_access_key: found.secret_access_key().into(),
            session_token: found.session_token().map(Into::into),
            expiration: found.expiry().and_then(|end| Timestamp::try_from(end).ok()),
        })
    }
}

/// The clock of the session, for the provider's crate.
#[derive(Debug)]
struct Time(Clock);

impl TimeSource for Time {
    fn now(&self) -> SystemTime {
        system_time(&self.0)
    }
}

/// The client of the session, for the provider's crate.
#[derive(Clone)]
struct Sender(Web);

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

impl HttpClient for Sender {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let (connect, read) = (settings.connect_timeout(), settings.read_timeout());
        let patience = connect.unwrap_or_default().saturating_add(read.unwrap_or_default());
        let patience = if patience.is_zero() { PATIENCE } else { patience };
        SharedHttpConnector::new(Connector { web: self.0.clone(), patience })
    }
}

struct Connector {
    web: Web,
    patience: Duration,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (web, patience) = (self.web.clone(), self.patience);
        HttpConnectorFuture::new(async move {
            let answered = tokio::time::timeout(patience, exchange(web, request)).await;
            let late = || ConnectorError::timeout(format!("no answer within {patience:?}").into());
            answered.unwrap_or_else(|_| Err(late()))
        })
    }
}

async fn exchange(web: Web, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
    let (head, body) =
        request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?.into_parts();
    let body = body.bytes().map(Bytes::copy_from_slice).unwrap_or_default();
    let answer = web.request(http::Request::from_parts(head, Full::new(body))).await;
    let answer = answer.map_err(|error| ConnectorError::io(error.into()))?;
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, LONGEST).collect().await.map_err(ConnectorError::io)?.to_bytes();
    let answer = http::Response::from_parts(head, SdkBody::from(body.to_vec()));
    HttpResponse::try_from(answer).map_err(|error| ConnectorError::other(error.into(), None))
}
