//! Sessions on any AWS-compatible endpoint: the same calls, signed.

mod client;
mod retry;

use client::Client;
use nephos_core::{
    Answer, BoxFuture, Clock, Credentials, DEFAULT_REGION, Error, ErrorKind, Ids, Outcome, Play, Request,
    Result, Script, Session, Text, Transport, Turn, partition_of,
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
    region: Text,
    account: Text,
    credentials: Option<Credentials>,
    clock: Clock,
    ids: Ids,
    timeout: Duration,
    retries: Retries,
}

impl Default for RemoteBuilder {
    fn default() -> Self {
        Self {
            endpoint: None,
            region: DEFAULT_REGION.into(),
            account: Text::const_new(""),
            credentials: None,
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

    /// The Region.
    pub fn region(mut self, region: impl Into<Text>) -> Self {
        self.region = region.into();
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

    /// Takes what the environment says: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or
    /// `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL`. What was said before, or is not in the environment, stays.
    pub fn environment(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let keys = (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"));
        if let (None, (Some(key), Some(secret))) = (&self.credentials, keys) {
            self.credentials = Some(Credentials {
                access_key_id: key.into(),
                secret_access_key: secret.into(),
                session_token: variable("AWS_SESSION_TOKEN").map(Into::into),
                expiration: None,
            });
        }
        if let Some(region) = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")) {
            self.region = region.into();
        }
        self.endpoint = self.endpoint.or_else(|| variable("AWS_ENDPOINT_URL").map(Text::from));
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
        let Some(credentials) = self.credentials else {
            let why =
                "a session on an endpoint needs credentials: say keys, or take them from the environment";
            return Err(Error::new(ErrorKind::Denied, why));
        };
        if let Some(endpoint) = &self.endpoint {
            check_endpoint(endpoint)?;
        }
        let client = Client::new(self.clock, self.timeout)?;
        let remote = Remote {
            client,
            endpoint: self.endpoint,
            ids: self.ids,
            retries: self.retries,
            budget: Budget::new(),
        };
        let session = Session::new(Arc::new(Endpoint(Arc::new(remote))));
        Ok(session.with_account(self.account).with_region(self.region).with_credentials(credentials))
    }
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
}

impl Remote {
    /// The address of `service` in `region`.
    fn address(&self, service: &ServiceShape, region: &str) -> String {
        if let Some(endpoint) = &self.endpoint {
            return endpoint.trim_end_matches('/').to_owned();
        }
        let suffix = if partition_of(region) == "aws-cn" { "amazonaws.com.cn" } else { "amazonaws.com" };
        match service.global {
            true => format!("https://{}.{suffix}", service.endpoint),
            false => format!("https://{}.{region}.{suffix}", service.endpoint),
        }
    }

    /// Sends `request` until it is answered, or trying again is not safe or not worth it.
    async fn answer(&self, session: &Session, request: &Request) -> Answer {
        let address = self.address(request.service, session.region());
        let message = nephos_wire::encode_request(request)?;
        let repeatable = request.operation.effect == Effect::Read;
        let mut attempt = 1;
        loop {
            let sent = self.client.send(session, request.service, &address, &message).await;
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

/// The transport of sessions on an endpoint.
struct Endpoint(Arc<Remote>);

impl Transport for Endpoint {
    fn run(&self, session: &Session, script: Arc<dyn Script>) -> BoxFuture<'static, Result<Outcome>> {
        let (remote, session) = (self.0.clone(), session.clone());
        let handle = self.0.client.handle();
        // Requests need a runtime of their own: the caller may have another one, or none.
        let played = handle.spawn(async move {
            let mut play = Play::start(script, &session);
            loop {
                match play.turn() {
                    Turn::Ask(mut request) => {
                        nephos_wire::fill_tokens(&mut *request.params, &remote.ids);
                        let answer = remote.answer(&session, &request).await;
                        play.answer(answer);
                    }
                    Turn::Done(outcome) => return outcome,
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
