//! Credential chain: credentials of profiles, roles, containers and instances, through the provider's configuration
//! crate. They are fetched on first use and refreshed before they expire.

use super::{
    client::{Client, WebClient, cause, system_time},
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

/// Time before expiration at which credentials are refreshed.
const REFRESH_BEFORE: SignedDuration = SignedDuration::from_mins(5);

/// Timeout of fetching credentials.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum size of a response of a credential provider, in bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Profile settings that provide credentials.
const CREDENTIAL_SETTINGS: [&str; 7] = [
    "aws_access_key_id",
    "credential_process",
    "credential_source",
    "role_arn",
    "sso_account_id",
    "sso_session",
    "web_identity_token_file",
];

/// Variables of access keys; a profile that is selected by name takes precedence over them.
const KEY_VARIABLES: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// Settings of a profile, other than its credentials.
pub(super) struct Profile {
    name: Text,
    pub(super) region: Option<Text>,
    pub(super) endpoint: Option<Text>,
    pub(super) has_credentials: bool,
}

impl Profile {
    /// Reads the profile `name`; without a name, that of `AWS_PROFILE`, or the default one, which may be missing.
    pub(super) fn read(
        environment: Option<&Environment>,
        name: Option<&str>,
        client: &Client,
    ) -> Result<Self> {
        let env = variables(environment, false);
        let name = name.or_else(|| environment?.get("AWS_PROFILE")).map(str::to_owned);
        let selected = name.clone();
        let files = EnvConfigFiles::default();
        let load = async move { profile::load(&Fs::real(), &env, &files, selected.map(Into::into)).await };
        let profiles = client.wait(load)?.map_err(|error| {
            Error::new(ErrorKind::Invalid, format!("cannot read the profile files: {}", cause(&error)))
        })?;
        if let Some(name) = name.filter(|name| profiles.get_profile(name).is_none()) {
            let known: Vec<_> = profiles.profiles().collect();
            let hint = suggest(&name, known.iter().copied());
            return Err(Error::invalid("profile", format!("profile {name:?} does not exist{hint}")));
        }
        let get = |key: &str| profiles.get(key).map(Text::from);
        Ok(Self {
            name: profiles.selected_profile().into(),
            region: get("region"),
            endpoint: get("endpoint_url"),
            has_credentials: CREDENTIAL_SETTINGS.iter().any(|key| profiles.get(key).is_some()),
        })
    }
}

/// Returns the variables for the provider's crate: those of the process if `environment` is none.
fn variables(environment: Option<&Environment>, without_keys: bool) -> Env {
    let Some(environment) = environment else { return Env::real() };
    let is_included = |(name, _): &(&str, &str)| !(without_keys && KEY_VARIABLES.contains(name));
    Env::from_slice(&environment.pairs().filter(is_included).collect::<Vec<_>>())
}

/// Credential provider with a cache.
pub(super) struct Chain {
    provider: SharedCredentialsProvider,
    clock: Clock,
    /// Cached credentials; locked while they are fetched, so that concurrent requests fetch them once.
    cached: Mutex<Option<Credentials>>,
}

impl Chain {
    /// Creates the chain for `profile`, or for the source that the environment names. If the profile is `named`, access
    /// keys in the environment are ignored.
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
            .http_client(HttpClientAdapter(client.web()))
            .time_source(ClockAdapter(clock.clone()));
        if named {
            loader = loader.profile_name(profile.name.as_str());
        }
        let config = client.wait(loader.load())?;
        let provider = config.credentials_provider();
        let provider = provider
            .ok_or_else(|| Error::new(ErrorKind::Internal, "no credential provider is configured"))?;
        Ok(Self { provider, clock, cached: Mutex::new(None) })
    }

    /// Returns cached credentials, or fetches new ones if they expire soon.
    pub(super) async fn credentials(&self) -> Result<Credentials> {
        let mut cached = self.cached.lock().await;
        let time_left = |credentials: &Credentials| match credentials.expiration {
            Some(end) => end.duration_since(self.clock.now()),
            None => SignedDuration::MAX,
        };
        if let Some(valid) = cached.as_ref().filter(|cached| time_left(cached) > REFRESH_BEFORE) {
            return Ok(valid.clone());
        }
        match self.fetch().await {
            Ok(fetched) => Ok(cached.insert(fetched).clone()),
            // The provider may be available again before the cached credentials expire.
            Err(error) => match cached.as_ref().filter(|cached| time_left(cached) > SignedDuration::ZERO) {
                Some(old) => Ok(old.clone()),
                None => Err(error),
            },
        }
    }

    async fn fetch(&self) -> Result<Credentials> {
        let fetched = tokio::time::timeout(FETCH_TIMEOUT, self.provider.provide_credentials()).await;
        let fetched = fetched.map_err(|_| {
            let message = format!("timed out after {FETCH_TIMEOUT:?} fetching credentials");
            Error::new(ErrorKind::Transport, message)
        })?;
        let credentials = fetched.map_err(|error| {
            let kind = match error {
                CredentialsError::ProviderTimedOut(_) => ErrorKind::Transport,
                _ => ErrorKind::Denied,
            };
            Error::new(kind, format!("cannot fetch credentials: {}", cause(&error)))
        })?;
        Ok(Credentials {
            access_key_id: credentials.access_key_id().into(),
            secret_access_key: credentials.secret_access_key().into(),
            session_token: credentials.session_token().map(Into::into),
            expiration: credentials.expiry().and_then(|end| Timestamp::try_from(end).ok()),
        })
    }
}

/// Adapts the clock of the session for the provider's crate.
#[derive(Debug)]
struct ClockAdapter(Clock);

impl TimeSource for ClockAdapter {
    fn now(&self) -> SystemTime {
        system_time(&self.0)
    }
}

/// Adapts the HTTP client of the session for the provider's crate.
#[derive(Clone)]
struct HttpClientAdapter(WebClient);

impl fmt::Debug for HttpClientAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClientAdapter")
    }
}

impl HttpClient for HttpClientAdapter {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let (connect, read) = (settings.connect_timeout(), settings.read_timeout());
        let timeout = connect.unwrap_or_default().saturating_add(read.unwrap_or_default());
        let timeout = if timeout.is_zero() { FETCH_TIMEOUT } else { timeout };
        SharedHttpConnector::new(Connector { web: self.0.clone(), timeout })
    }
}

struct Connector {
    web: WebClient,
    timeout: Duration,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (web, timeout) = (self.web.clone(), self.timeout);
        HttpConnectorFuture::new(async move {
            let answered = tokio::time::timeout(timeout, exchange(web, request)).await;
            let timed_out = || ConnectorError::timeout(format!("no response within {timeout:?}").into());
            answered.unwrap_or_else(|_| Err(timed_out()))
        })
    }
}

async fn exchange(web: WebClient, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
    let (head, body) =
        request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?.into_parts();
    let body = body.bytes().map(Bytes::copy_from_slice).unwrap_or_default();
    let answer = web.request(http::Request::from_parts(head, Full::new(body))).await;
    let answer = answer.map_err(|error| ConnectorError::io(error.into()))?;
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await.map_err(ConnectorError::io)?.to_bytes();
    let answer = http::Response::from_parts(head, SdkBody::from(body.to_vec()));
    HttpResponse::try_from(answer).map_err(|error| ConnectorError::other(error.into(), None))
}
