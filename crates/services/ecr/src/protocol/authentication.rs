//! Callers of the registry: by the token of `GetAuthorizationToken`, as the password of basic authentication.

use super::refusal::Refusal;
use crate::authorization::{self, TokenFacts};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use nephos_cloud::{Caller, FrontRequest, Kernel, Permissions, RequestSource};
use nephos_core::{DEFAULT_ACCOUNT, DEFAULT_REGION, ErrorKind, Text};

/// The caller of a request, and the registry that it is for.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) source: RequestSource,
    /// Account of the registry.
    pub(super) registry: Text,
}

impl Access {
    /// Authenticates the caller. A server that does not verify credentials accepts any, and none.
    pub(super) fn authenticate(cloud: &Kernel, request: &FrontRequest) -> Result<Self, Refusal> {
        let host = Host::parse(request.header("host").unwrap_or_default());
        let password = request.header("authorization").and_then(read_password);
        let facts =
            password.as_deref().map(|password| authorization::open(cloud, password)).transpose()?.flatten();
        let caller = match &facts {
            Some(facts) if facts.is_expired => return Err(expired()),
            Some(facts) => find_caller(cloud, facts, request.is_strict)?,
            None if request.is_strict && password.is_some() => return Err(invalid()),
            None if request.is_strict => return Err(challenge(request)),
            None => Caller::root(host.as_ref().map_or(DEFAULT_ACCOUNT, |host| host.account.as_str())),
        };
        let of_token = facts.map(|facts| facts.region);
        let (registry, of_host) = match host {
            Some(host) => (host.account, Some(host.region)),
            None => (caller.account().into(), None),
        };
        let mut source = RequestSource::new(caller, of_host.or(of_token).unwrap_or(DEFAULT_REGION.into()));
        source.address = Some(request.address);
        source.user_agent = request.header("user-agent").map(Text::from);
        source.is_encrypted = request.is_encrypted;
        Ok(Self { source, registry })
    }
}

/// Returns the caller that a token was made for. As with signed requests, a caller that is no longer known is nobody where
/// credentials are verified or policies enforced, and the root of the account elsewhere.
fn find_caller(cloud: &Kernel, facts: &TokenFacts, is_strict: bool) -> Result<Caller, Refusal> {
    let Some(id) = &facts.access_key_id else { return Ok(Caller::root(facts.account.clone())) };
    let token = facts.session_token.as_deref();
    let found = cloud.find_key(id, token).map_err(|error| match error.kind() {
        ErrorKind::Expired => expired(),
        _ => invalid(),
    })?;
    match found {
        Some(known) => Ok(known.caller),
        None if is_strict || cloud.permissions() == Permissions::Enforce => Err(invalid()),
        None => Ok(Caller::root(facts.account.clone())),
    }
}

fn expired() -> Refusal {
    Refusal::new(403, "DENIED", "Your authorization token has expired. Reauthenticate and try again.")
}

fn invalid() -> Refusal {
    Refusal::new(403, "DENIED", "Your Authorization Token is invalid.")
}

/// Asks for credentials.
fn challenge(request: &FrontRequest) -> Refusal {
    let scheme = if request.is_encrypted { "https" } else { "http" };
    let host = request.header("host").unwrap_or_default();
    let realm = format!(r#"Basic realm="{scheme}://{host}/",service="ecr.amazonaws.com""#);
    Refusal::new(401, "UNAUTHORIZED", "Not Authorized").header("WWW-Authenticate", realm)
}

/// Returns the password of basic authentication.
fn read_password(header: &str) -> Option<String> {
    let (scheme, encoded) = header.split_once(' ')?;
    let decoded =
        BASE64_STANDARD.decode(encoded.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let decoded = String::from_utf8(decoded).ok()?;
    // A client without a login answers the challenge with empty credentials.
    let (_, password) = decoded.split_once(':')?;
    (!password.is_empty()).then(|| password.to_owned())
}

/// Account and Region in the name of a host: `123456789012.dkr.ecr.us-east-1.amazonaws.com`.
struct Host {
    account: Text,
    region: Text,
}

impl Host {
    fn parse(host: &str) -> Option<Self> {
        let (account, rest) = host.split_once(".dkr.ecr.")?;
        let (region, _) = rest.split_once('.')?;
        let is_account = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
        is_account.then(|| Self { account: account.into(), region: region.into() })
    }
}
