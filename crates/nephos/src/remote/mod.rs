//! Sessions on any AWS-compatible endpoint: the same calls, signed.

#[cfg(feature = "profiles")]
mod chain;
mod client;
mod environment;
mod retry;

#[cfg(feature = "profiles")]
use chain::{Chain, Profile};
use client::Client;
use environment::Environment;
use nephos_core::{
    Answer, BoxFuture, Clock, Credentials, DEFAULT_REGION, Error, ErrorKind, Execution, Ids, NextStep,
    Outcome, Request, Result, Session, Text, Transport, Workflow, partition_of,
    shape::{Effect, ServiceShape},
};
use retry::{Budget, Retries};
use std::{sync::Arc, time::Duration};

/// Sessions on an endpoint: `Session::remote()`.
///
/// ```no_run
/// use nephos::{LogGroup, Session, prelude::*};
///
/// let session = Session::remote().endpoint("http://127.0.0.1:4566").keys("test", "test").build()?;
/// let groups = LogGroup::objects(&session).list().results().all().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub trait RemoteSession {
    /// A session on an endpoint, being prepared.
    fn remote() -> RemoteBuilder;
}

impl RemoteSession for Session {
    fn remote() -> RemoteBuilder {
        RemoteBuilder::default()
    }
}

/// A session on an endpoint, being prepared.
#[derive(Clone, Debug)]
#[must_use = "this is how a session will be; build it"]
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
        }
    }
}

impl RemoteBuilder {
    /// Sends everything to this address; to the provider's own ones if not said.
    pub fn endpoint(mut self, address: impl Into<Text>) -> Self {
        self.endpoint = Some(address.into());
        self
    }

    /// The Region; if not said, that of the environment or the profile, or the default one.
    pub fn region(mut self, region: impl Into<Text>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// The account that the credentials belong to, where it is known.
    pub fn account(mut self, account: impl Into<Text>) -> Self {
        self.account = account.into();
        self
    }

    /// Signs with these credentials.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = Some(credentials);
        self
    }

    /// Signs with an access key.
    pub fn keys(self, access_key_id: impl Into<Text>, secret_access_key: impl Into<String>) -> Self {
        self.credentials(Credentials {
            access_key_id: access_key_id.into(),
            secret_access_key: secret_access_key.into().into(),
            session_token: None,
            expiration: None,
        })
    }

    /// Takes what is not said otherwise from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL`.
    ///
    /// With the feature `profiles` also what it says of the files of profiles (`AWS_PROFILE`, `AWS_CONFIG_FILE`,
    /// `AWS_SHARED_CREDENTIALS_FILE`, `HOME`), of web identity (`AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`), of
    /// containers (`AWS_CONTAINER_CREDENTIALS_FULL_URI` and its like) and of instances
    /// (`AWS_EC2_METADATA_SERVICE_ENDPOINT`). Instances are asked for credentials only if that is set, or if no endpoint
    /// is: on other machines it takes a while to learn that nobody answers.
    pub fn environment(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        self.environment = Some(Environment::read(variable));
        self
    }

    /// Takes credentials, Region and endpoint from the profile of that name in `~/.aws/config` and
    /// `~/.aws/credentials`, in place of keys in the environment: keys, a role with a source of its own, web identity,
    /// those of a container or an instance. They are fetched when they are needed, and again before they run out.
    #[cfg(feature = "profiles")]
    pub fn profile(mut self, name: impl Into<Text>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Takes the time for signatures from `clock`, and randomness from `ids`.
    pub fn sources(mut self, clock: Clock, ids: Ids) -> Self {
        (self.clock, self.ids) = (clock, ids);
        self
    }

    /// How long one request may take; 30 seconds if not said.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often a request is tried where repeating it is safe; 3 times if not said.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.retries.attempts = attempts.max(1);
        self
    }

    /// The session.
    pub fn build(self) -> Result<Session> {
        let client = Client::new(self.clock.clone(), self.timeout)?;
        let from = self.source(&client)?;
        let in_environment = |name: &str| self.environment.as_ref().and_then(|all| all.get(name));
        let endpoint = self.endpoint.or_else(|| in_environment("AWS_ENDPOINT_URL").map(Text::from));
        let endpoint = endpoint.or(from.endpoint);
        if let Some(endpoint) = &endpoint {
            check_endpoint(endpoint)?;
        }
        let region = self.region.or_else(|| {
            let found = in_environment("AWS_REGION").or_else(|| in_environment("AWS_DEFAULT_REGION"));
            found.map(Text::from)
        });
        let region = region.or(from.region).unwrap_or(Text::const_new(DEFAULT_REGION));
        let remote = Remote {
            client,
            endpoint,
            ids: self.ids,
            retries: self.retries,
            budget: Budget::new(),
            #[cfg(feature = "profiles")]
            chain: from.chain,
        };
        let session = Session::new(Arc::new(Endpoint(Arc::new(remote))));
        Ok(session.with_account(self.account).with_region(region).with_credentials(from.credentials))
    }

    /// The keys that are said, or are in the environment.
    fn keys_at_hand(&self) -> Option<Credentials> {
        self.credentials.clone().or_else(|| self.environment.as_ref()?.credentials())
    }

    /// Where the credentials come from.
    #[cfg(not(feature = "profiles"))]
    fn source(&self, _client: &Client) -> Result<Source> {
        let credentials = Some(self.keys_at_hand().ok_or_else(no_credentials)?);
        Ok(Source { credentials, region: None, endpoint: None })
    }

    /// Where the credentials come from, and what the profile says besides.
    #[cfg(feature = "profiles")]
    fn source(&self, client: &Client) -> Result<Source> {
        let named = self.profile.is_some();
        let known = if named { self.credentials.clone() } else { self.keys_at_hand() };
        if !named && self.environment.is_none() {
            let credentials = Some(known.ok_or_else(no_credentials)?);
            return Ok(Source { credentials, region: None, endpoint: None, chain: None });
        }
        let profile = Profile::read(self.environment.as_ref(), self.profile.as_deref(), client)?;
        let (region, endpoint) = (profile.region.clone(), profile.endpoint.clone());
        if known.is_some() {
            return Ok(Source { credentials: known, region, endpoint, chain: None });
        }
        let asks = self.environment.as_ref().is_some_and(Environment::names_a_source);
        let elsewhere = self.endpoint.is_none() && endpoint.is_none();
        if !(named || profile.has_credentials || asks || elsewhere) {
            return Err(no_credentials());
        }
        let chain = Chain::new(self.environment.as_ref(), &profile, named, client, self.clock.clone())?;
        Ok(Source { credentials: None, region, endpoint, chain: Some(chain) })
    }
}

/// What a session is made from besides what is said.
struct Source {
    credentials: Option<Credentials>,
    region: Option<Text>,
    endpoint: Option<Text>,
    #[cfg(feature = "profiles")]
    chain: Option<Chain>,
}

fn no_credentials() -> Error {
    let why = "a session on an endpoint needs credentials: say keys, or take them from the environment or a profile";
    Error::new(ErrorKind::Denied, why)
}

fn check_endpoint(endpoint: &str) -> Result<()> {
    let wrong = |why: &str| Err(Error::invalid("endpoint", format!("{endpoint:?} {why}")));
    match endpoint.parse::<http::Uri>() {
        Ok(uri) if !matches!(uri.scheme_str(), Some("http" | "https")) => {
            wrong("must begin with http:// or https://")
        }
        Ok(uri) if uri.authority().is_none() => wrong("names no host"),
        Ok(_) => Ok(()),
        Err(_) => wrong("is not an address"),
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
    /// What requests of `session` are signed with.
    async fn credentials(&self, session: &Session) -> Result<Credentials> {
        #[cfg(feature = "profiles")]
        if let (None, Some(chain)) = (session.credentials(), &self.chain) {
            return chain.credentials().await;
        }
        let none = || Error::new(ErrorKind::NoSession, "the session has no credentials to sign with");
        session.credentials().cloned().ok_or_else(none)
    }

    /// The address of `service` in `region`.
    fn address(&self, service: &ServiceShape, region: &str) -> String {
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

    /// Sends `request` until it is answered, or trying again is not safe or not worth it.
    async fn answer(&self, session: &Session, request: &Request) -> Answer {
        let address = self.address(request.service, session.region());
        let message = nephos_wire::encode_request(request)?;
        let repeatable = request.operation.effect == Effect::Read;
        let mut attempt = 1;
        loop {
            let credentials = self.credentials(session).await?;
            let sent = self.client.send(session, &credentials, request.service, &address, &message).await;
            let answer = sent.and_then(|response| nephos_wire::decode_answer(request, &response));
            let Err(error) = &answer else {
                self.budget.refund();
                return answer;
            };
            // A refusal for being too busy was not carried out, whatever it was; a lost answer may have been.
            let safe = error.kind() == ErrorKind::Throttled || (repeatable && retry::is_passing(error));
            if !safe || attempt >= self.retries.attempts || !self.budget.spend() {
                return answer;
            }
            self.client.pause(self.retries.pause(attempt, &self.ids)).await;
            attempt += 1;
        }
    }
}

/// The Region that requests for `service` are signed for: a global service has one in each partition.
fn signing_region<'r>(service: &ServiceShape, region: &'r str) -> &'r str {
    match (service.global, partition_of(region)) {
        (false, _) => region,
        (true, "aws-cn") => "cn-north-1",
        (true, "aws-us-gov") => "us-gov-west-1",
        (true, _) => "us-east-1",
    }
}

/// The transport of sessions on an endpoint.
struct Endpoint(Arc<Remote>);

impl Transport for Endpoint {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let (remote, session) = (self.0.clone(), session.clone());
        let handle = self.0.client.handle();
        // Requests need a runtime of their own: the caller may have another one, or none.
        let played = handle.spawn(async move {
            let mut play = Execution::start(workflow, &session);
            loop {
                match play.next_step() {
                    NextStep::Call(mut request) => {
                        nephos_wire::fill_tokens(&mut *request.params, &remote.ids);
                        let answer = remote.answer(&session, &request).await;
                        play.answer(answer);
                    }
                    NextStep::Done(outcome) => return outcome,
                }
            }
        });
        Box::pin(async move {
            played.await.unwrap_or_else(|error| {
                Err(Error::new(ErrorKind::Internal, format!("a call ended early: {error}")))
            })
        })
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let remote = self.0.clone();
        let paused = self.0.client.handle().spawn(async move { remote.client.pause(duration).await });
        Box::pin(async move { drop(paused.await) })
    }
}
