//! Remote sessions: the same calls, sent as signed requests to any AWS-compatible endpoint.

#[cfg(feature = "profiles")]
mod chain;
mod client;
mod control;
mod environment;
mod retry;

#[cfg(feature = "profiles")]
use chain::{Chain, Profile};
use client::{Client, SigningScope};
use environment::Environment;
use nephos_core::{
    Answer, BoxFuture, Clock, Credentials, DEFAULT_REGION, Error, ErrorKind, Execution, Ids, NextStep,
    Outcome, Request, Result, Session, Text, Transport, Value, Workflow, partition_of,
    shape::{Effect, ServiceShape},
};
use retry::{Budget, Retries};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Extension of `Session` for remote sessions: `Session::remote()`.
///
/// ```no_run
/// use nephos::{LogGroup, Session, prelude::*};
///
/// let session = Session::remote().endpoint("http://127.0.0.1:4566").keys("test", "test").build()?;
/// let groups = LogGroup::objects(&session).list().results().all().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub trait RemoteSession {
    /// Returns a builder of a remote session.
    fn remote() -> RemoteBuilder;
}

impl RemoteSession for Session {
    fn remote() -> RemoteBuilder {
        RemoteBuilder::default()
    }
}

/// Builder of a remote session.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct RemoteBuilder {
    endpoint: Option<Text>,
    region: Option<Text>,
    account: Text,
    credentials: Option<Credentials>,
    #[cfg(feature = "profiles")]
    profile: Option<Text>,
    environment: Option<Environment>,
    clock: Clock,
    ids: Ids,
    timeout: Duration,
    retries: Retries,
    ca_bundle: Option<PathBuf>,
}

impl Default for RemoteBuilder {
    fn default() -> Self {
        Self {
            endpoint: None,
            region: None,
            account: Text::const_new(""),
            credentials: None,
            #[cfg(feature = "profiles")]
            profile: None,
            environment: None,
            clock: Clock::system(),
            ids: Ids::system(),
            timeout: Duration::from_secs(30),
            retries: Retries::default(),
            ca_bundle: None,
        }
    }
}

impl RemoteBuilder {
    /// Sets the endpoint URL; the endpoints of the provider by default.
    pub fn endpoint(mut self, address: impl Into<Text>) -> Self {
        self.endpoint = Some(address.into());
        self
    }

    /// Sets the Region; by default, that of the environment or the profile, or `us-east-1`.
    pub fn region(mut self, region: impl Into<Text>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Sets the account ID of the credentials, if it is known.
    pub fn account(mut self, account: impl Into<Text>) -> Self {
        self.account = account.into();
        self
    }

    /// Sets the credentials that requests are signed with.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = Some(credentials);
        self
    }

    /// Sets the access key that requests are signed with.
    pub fn keys(self, access_key_id: impl Into<Text>, secret_access_key: impl Into<String>) -> Self {
        self.credentials(Credentials {
            access_key_id: access_key_id.into(),
            secret_access_key: secret_access_key.into().into(),
            session_token: None,
            expiration: None,
        })
    }

    /// Reads settings that are not set otherwise from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL`, `AWS_CA_BUNDLE`.
    ///
    /// With the feature `profiles`, also the variables of profile files (`AWS_PROFILE`, `AWS_CONFIG_FILE`,
    /// `AWS_SHARED_CREDENTIALS_FILE`, `HOME`), web identity (`AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`), container
    /// credentials (`AWS_CONTAINER_CREDENTIALS_FULL_URI` and similar) and instance metadata
    /// (`AWS_EC2_METADATA_SERVICE_ENDPOINT`). Instance metadata is queried only if that variable is set, or if no
    /// endpoint is set: on other machines the query takes a while to time out.
    pub fn environment(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        self.environment = Some(Environment::read(variable));
        self
    }

    /// Reads credentials, Region and endpoint from a profile in `~/.aws/config` and `~/.aws/credentials`, which takes
    /// precedence over access keys in the environment. Credentials may be access keys, an assumed role, web identity, or
    /// those of a container or an instance. They are fetched on first use and refreshed before they expire.
    #[cfg(feature = "profiles")]
    pub fn profile(mut self, name: impl Into<Text>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Sets the clock for signatures, and the source of random tokens and delays.
    pub fn sources(mut self, clock: Clock, ids: Ids) -> Self {
        (self.clock, self.ids) = (clock, ids);
        self
    }

    /// Sets the timeout of a request; 30 seconds by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum number of attempts of a request that is safe to retry; 3 by default.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.retries.attempts = attempts.max(1);
        self
    }

    /// Trusts only servers whose certificate is in this PEM file, or signed by one in it; by default, the certificate
    /// authorities that browsers trust.
    pub fn ca_bundle(mut self, file: impl Into<PathBuf>) -> Self {
        self.ca_bundle = Some(file.into());
        self
    }

    /// Builds the session.
    pub fn build(self) -> Result<Session> {
        let in_environment = |name: &str| self.environment.as_ref().and_then(|all| all.get(name));
        let ca_bundle = self.ca_bundle.as_deref().or_else(|| in_environment("AWS_CA_BUNDLE").map(Path::new));
        let client = Client::new(self.clock.clone(), self.timeout, ca_bundle)?;
        let source = self.source(&client)?;
        let endpoint = self.endpoint.or_else(|| in_environment("AWS_ENDPOINT_URL").map(Text::from));
        let endpoint = endpoint.or(source.endpoint);
        if let Some(endpoint) = &endpoint {
            check_endpoint(endpoint)?;
        }
        let region = self.region.or_else(|| {
            let found = in_environment("AWS_REGION").or_else(|| in_environment("AWS_DEFAULT_REGION"));
            found.map(Text::from)
        });
        let region = region.or(source.region).unwrap_or(Text::const_new(DEFAULT_REGION));
        let remote = Remote {
            client,
            endpoint,
            ids: self.ids,
            retries: self.retries,
            budget: Budget::new(),
            #[cfg(feature = "profiles")]
            chain: source.chain,
        };
        let session = Session::new(Arc::new(Endpoint(Arc::new(remote))));
        Ok(session.with_account(self.account).with_region(region).with_credentials(source.credentials))
    }

    /// Returns the credentials that are set, or the access keys in the environment.
    fn static_credentials(&self) -> Option<Credentials> {
        self.credentials.clone().or_else(|| self.environment.as_ref()?.credentials())
    }

    /// Returns the source of the credentials.
    #[cfg(not(feature = "profiles"))]
    fn source(&self, _client: &Client) -> Result<Source> {
        let credentials = Some(self.static_credentials().ok_or_else(no_credentials)?);
        Ok(Source { credentials, region: None, endpoint: None })
    }

    /// Returns the source of the credentials, and the Region and endpoint of the profile.
    #[cfg(feature = "profiles")]
    fn source(&self, client: &Client) -> Result<Source> {
        let named = self.profile.is_some();
        let credentials = if named { self.credentials.clone() } else { self.static_credentials() };
        if !named && self.environment.is_none() {
            let credentials = Some(credentials.ok_or_else(no_credentials)?);
            return Ok(Source { credentials, region: None, endpoint: None, chain: None });
        }
        let profile = Profile::read(self.environment.as_ref(), self.profile.as_deref(), client)?;
        let (region, endpoint) = (profile.region.clone(), profile.endpoint.clone());
        if credentials.is_some() {
            return Ok(Source { credentials, region, endpoint, chain: None });
        }
        let has_source = self.environment.as_ref().is_some_and(Environment::has_credential_source);
        let is_aws = self.endpoint.is_none() && endpoint.is_none();
        if !(named || profile.has_credentials || has_source || is_aws) {
            return Err(no_credentials());
        }
        let chain = Chain::new(self.environment.as_ref(), &profile, named, client, self.clock.clone())?;
        Ok(Source { credentials: None, region, endpoint, chain: Some(chain) })
    }
}

/// Credentials, and defaults from the profile.
struct Source {
    credentials: Option<Credentials>,
    region: Option<Text>,
    endpoint: Option<Text>,
    #[cfg(feature = "profiles")]
    chain: Option<Chain>,
}

fn no_credentials() -> Error {
    let message =
        "a remote session needs credentials: set an access key, or use the environment or a profile";
    Error::new(ErrorKind::Denied, message)
}

fn check_endpoint(endpoint: &str) -> Result<()> {
    let invalid = |message: &str| Err(Error::invalid("endpoint", format!("{endpoint:?} {message}")));
    match endpoint.parse::<http::Uri>() {
        Ok(uri) if !matches!(uri.scheme_str(), Some("http" | "https")) => {
            invalid("must start with http:// or https://")
        }
        Ok(uri) => match (uri.authority(), nephos_wire::explicit_port(&uri)) {
            (None, _) => invalid("has no host"),
            // It may have a password.
            (Some(authority), _) if authority.as_str().contains('@') => {
                Err(Error::invalid("endpoint", "a URL with a user name is not allowed"))
            }
            (Some(_), checked) => checked.map(drop).or_else(invalid),
        },
        Err(_) => invalid("is not a valid URL"),
    }
}

struct Remote {
    client: Client,
    endpoint: Option<Text>,
    ids: Ids,
    retries: Retries,
    budget: Budget,
    #[cfg(feature = "profiles")]
    chain: Option<Chain>,
}

impl Remote {
    /// Returns the credentials that requests of `session` are signed with.
    async fn credentials(&self, session: &Session) -> Result<Credentials> {
        #[cfg(feature = "profiles")]
        if let (None, Some(chain)) = (session.credentials(), &self.chain) {
            return chain.credentials().await;
        }
        let missing = || Error::new(ErrorKind::NoSession, "the session has no credentials");
        session.credentials().cloned().ok_or_else(missing)
    }

    /// Returns the URL of `service` in `region`.
    fn service_url(&self, service: &ServiceShape, region: &str) -> String {
        if let Some(endpoint) = &self.endpoint {
            return endpoint.trim_end_matches('/').to_owned();
        }
        let host = match (service.global, partition_of(region)) {
            (false, "aws-cn") => format!("{region}.amazonaws.com.cn"),
            (false, _) => format!("{region}.amazonaws.com"),
            (true, "aws-cn") => "cn-north-1.amazonaws.com.cn".to_owned(),
            (true, "aws-us-gov") => "us-gov.amazonaws.com".to_owned(),
            (true, _) => "amazonaws.com".to_owned(),
        };
        format!("https://{}.{host}", service.endpoint)
    }

    /// Sends `request`, and retries while that is safe and within the retry budget.
    async fn send_with_retries(&self, session: &Session, request: &Request) -> Answer {
        let address = self.service_url(request.service, session.region());
        let message = nephos_wire::encode_request(request)?;
        let repeatable = request.operation.effect == Effect::Read;
        let mut attempt = 1;
        loop {
            let credentials = match request.operation.permission.unsigned {
                true => None,
                false => Some(self.credentials(session).await?),
            };
            let region = request.service.signing_region(session.region());
            let signing = SigningScope { service: request.service.signing, region };
            let sent = self.client.send(credentials.as_ref(), signing, &address, &message).await;
            let answer = sent.and_then(|response| nephos_wire::decode_answer(request, &response));
            let Err(error) = &answer else {
                self.budget.refund();
                return answer;
            };
            // A throttled request was not executed, so any operation can be retried. A request whose response was lost may
            // have been executed.
            let safe = error.kind() == ErrorKind::Throttled || (repeatable && retry::is_transient(error));
            if !safe || attempt >= self.retries.attempts || !self.budget.spend() {
                return answer;
            }
            self.client.pause(self.retries.backoff(attempt, &self.ids)).await;
            attempt += 1;
        }
    }
}

/// Transport of remote sessions.
struct Endpoint(Arc<Remote>);

impl Transport for Endpoint {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let (remote, session) = (self.0.clone(), session.clone());
        let handle = self.0.client.handle();
        // Requests run on the runtime of the client: the caller may have another one, or none.
        let task = handle.spawn(async move {
            let mut execution = Execution::start_in_parts(workflow, &session);
            loop {
                match execution.next_step() {
                    NextStep::Call(mut request) => {
                        nephos_wire::fill_tokens(&mut *request.params, &remote.ids);
                        let answer = remote.send_with_retries(&session, &request).await;
                        execution.answer(answer);
                    }
                    NextStep::Done(outcome) => return outcome,
                }
            }
        });
        Box::pin(async move {
            task.await.unwrap_or_else(|error| {
                Err(Error::new(ErrorKind::Internal, format!("the task of a call ended early: {error}")))
            })
        })
    }

    fn control(
        &self,
        session: &Session,
        method: &'static str,
        path: &str,
        body: Value,
    ) -> BoxFuture<'static, Result<Value>> {
        let (remote, session, path) = (self.0.clone(), session.clone(), path.to_owned());
        let task =
            self.0.client.handle().spawn(async move { remote.control(&session, method, &path, body).await });
        Box::pin(async move {
            task.await.unwrap_or_else(|error| {
                Err(Error::new(ErrorKind::Internal, format!("the task of a call ended early: {error}")))
            })
        })
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let remote = self.0.clone();
        let paused = self.0.client.handle().spawn(async move { remote.client.pause(duration).await });
        Box::pin(async move { drop(paused.await) })
    }
}
