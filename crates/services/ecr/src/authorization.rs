//! Tokens that container clients log in with.

use crate::repository::registry_host;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use nephos_cloud::{Caller, Handler, Kernel, RequestSource, Tx};
use nephos_core::{
    DEFAULT_ACCOUNT, DEFAULT_REGION, Map, Record, Result, SignedDuration, Text, Timestamp, Value,
    json::{self, Writing},
    operation,
    shape::Effect,
};

/// Time for which a token is valid.
const VALID: SignedDuration = SignedDuration::from_hours(12);

/// Name of the user of a token.
const USER: &str = "AWS";

/// Associated data of sealed tokens.
const SEALED_FOR: &[u8] = b"ecr/authorization-token";

/// A token for container clients.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct AuthorizationData {
    /// Name and password, separated by a colon, in Base64.
    #[field(sensitive)]
    pub(crate) authorization_token: Option<Text>,
    /// Time at which the token expires.
    expires_at: Option<Timestamp>,
    /// Address of the registry.
    pub(crate) proxy_endpoint: Option<Text>,
}

/// Tokens for container clients.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct AuthorizationTokens {
    /// One token for each registry.
    pub(crate) authorization_data: Option<Vec<AuthorizationData>>,
}

/// Returns a token that container clients log in with: the user `AWS` and a password that is valid for 12 hours.
#[operation(
    of = crate::Repository, case = "camel", call = "get_authorization_token", effect = read, output = AuthorizationTokens, subject = "*"
)]
pub struct GetAuthorizationToken {
    /// Accounts whose registries the addresses are of; that of the caller if they are not given.
    #[field(length(1..=10), each(pattern = "[0-9]{12}"))]
    pub registry_ids: Option<Vec<Text>>,
}

impl Handler for GetAuthorizationToken {
    fn run(self, cx: &mut Tx<'_>) -> Result<AuthorizationTokens> {
        let own = || vec![Text::from(cx.scope().account())];
        let registries = self.registry_ids.unwrap_or_else(own);
        let expires_at = cx.now() + VALID;
        let password = new_password(cx, expires_at)?;
        let token = Text::from(BASE64_STANDARD.encode(format!("{USER}:{password}")));
        let data = registries.iter().map(|registry| AuthorizationData {
            authorization_token: Some(token.clone()),
            expires_at: Some(expires_at),
            proxy_endpoint: Some(format!("https://{}", registry_host(registry, cx.scope().region())).into()),
        });
        Ok(AuthorizationTokens { authorization_data: Some(data.collect()) })
    }
}

/// Facts about the caller in a token.
#[derive(Clone, Debug)]
pub(crate) struct TokenFacts {
    pub(crate) account: Text,
    pub(crate) region: Text,
    /// Access key of the caller; none for the root of the account.
    pub(crate) access_key_id: Option<Text>,
    /// Session token of temporary credentials.
    pub(crate) session_token: Option<Text>,
    pub(crate) is_expired: bool,
}

/// Makes a password: the caller, sealed, in a JSON object in Base64.
fn new_password(cx: &Tx<'_>, expires_at: Timestamp) -> Result<String> {
    let caller = cx.caller();
    let mut facts = Map::from_iter([
        ("account".into(), Value::from(cx.scope().account())),
        ("region".into(), Value::from(cx.scope().region())),
        ("expiration".into(), Value::Int(expires_at.as_second())),
    ]);
    if let Some(session) = caller.session() {
        let credentials = cx.issue_credentials(session.clone())?;
        facts.insert("key".into(), Value::Text(credentials.access_key_id));
        let token = credentials.session_token.as_ref().map(|token| token.expose().into());
        facts.insert("session".into(), token.map_or(Value::Null, Value::Text));
    } else if let Some(id) = caller.access_key_id() {
        facts.insert("key".into(), Value::from(id));
    }
    let facts = json::write(Value::Map(facts).view(), Writing::EXPOSED);
    let payload = BASE64_STANDARD.encode(cx.seal_unbound(SEALED_FOR, facts.as_bytes())?);
    let outer = format!(
        r#"{{"payload":"{payload}","version":"2","type":"DATA_KEY","expiration":{}}}"#,
        expires_at.as_second()
    );
    Ok(BASE64_STANDARD.encode(outer))
}

/// Opens a password; none if it was not made by this cloud.
pub(crate) fn open(cloud: &Kernel, password: &str) -> Result<Option<TokenFacts>> {
    let outer = BASE64_STANDARD.decode(password).ok().and_then(|outer| json::parse(&outer).ok());
    let payload = outer.as_ref().and_then(|outer| outer.get("payload")).and_then(Value::as_text);
    let Some(sealed) = payload.and_then(|payload| BASE64_STANDARD.decode(payload).ok()) else {
        return Ok(None);
    };
    let source = RequestSource::new(Caller::root(DEFAULT_ACCOUNT), DEFAULT_REGION);
    cloud.run_request(source, Effect::Read, move |cx| {
        let Ok(opened) = cx.open_unbound(SEALED_FOR, &sealed) else { return Ok(None) };
        let Ok(facts) = json::parse(&opened) else { return Ok(None) };
        let text = |name: &str| facts.get(name).and_then(Value::as_text).map(Text::from);
        let expiration = match facts.get("expiration") {
            Some(Value::Int(seconds)) => *seconds,
            _ => 0,
        };
        Ok(Some(TokenFacts {
            account: text("account").unwrap_or_default(),
            region: text("region").unwrap_or_default(),
            access_key_id: text("key"),
            session_token: text("session"),
            is_expired: cx.now().as_second() >= expiration,
        }))
    })
}
