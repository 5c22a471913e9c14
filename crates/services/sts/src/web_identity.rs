//! The operation `AssumeRoleWithWebIdentity`: sessions of roles for tokens of OpenID Connect providers.

use super::{
    AssumeRole, AssumeRoleManager, SERVICE, errors,
    jwt::{Token, Verification},
    role_session::{NewSession, RoleDuration, check_duration},
    session_policy::{CheckedPolicies, SessionPolicies},
    session_tags::SessionTags,
    trust::{TrustRequest, check_role_arn},
};
use nephos_cloud::{Context, Handler, Principal, Tx};
use nephos_core::{Arn, Map, Result, Secret, Tag, Text, Value, operation};
use nephos_iam::{OpenIdProvider, find_open_id_provider, find_role};

/// Seconds by which the clock of an issuer may be ahead.
const MAX_SKEW: i64 = 300;

/// Claim with session tags.
const TAGS_CLAIM: &str = "https://aws.amazon.com/tags";

/// Claim with the source identity.
const SOURCE_IDENTITY_CLAIM: &str = "https://aws.amazon.com/source_identity";

/// Condition keys about the request that do not depend on a caller.
const REQUEST_KEYS: [&str; 6] = [
    "aws:currenttime",
    "aws:epochtime",
    "aws:requestedregion",
    "aws:securetransport",
    "aws:sourceip",
    "aws:useragent",
];

/// Creates a session of a role for a token of an OpenID Connect provider. The provider is in the account of the role, and the
/// key set of its issuer must be registered with the cloud. The request is not signed.
#[operation(
    service = SERVICE, of = AssumeRole, call = "assume_with_web_identity", also(SessionPolicies, RoleDuration),
    effect = read, output = AssumeRole, subject = "{RoleArn}", no_permission, unsigned
)]
pub struct AssumeRoleWithWebIdentity {
    /// ARN of the role.
    #[field(length(20..=2048))]
    pub role_arn: Text,
    /// Name of the session.
    #[field(length(2..=64), pattern = r"[\w+=,.@-]*")]
    pub role_session_name: Text,
    /// Token of the provider, a JSON Web Token.
    #[field(length(4..=20_000))]
    pub web_identity_token: Secret,
    /// Host of an OAuth 2.0 provider, for access tokens. They are not supported.
    #[field(length(4..=2048))]
    pub provider_id: Option<Text>,
}

impl Handler for AssumeRoleWithWebIdentity {
    fn run(self, cx: &mut Tx<'_>) -> Result<AssumeRole> {
        check_role_arn(&self.role_arn, errors::request_arn_invalid)?;
        let account = Arn::parts(&self.role_arn).map_or("", |[_, _, _, account, _]| account);
        let verified =
            VerifiedToken::read(cx, account, &self.web_identity_token, self.provider_id.is_some())?;
        let not_authorized = || errors::web_identity_not_authorized().with_field("RoleArn");
        let role = find_role(cx, &self.role_arn)?
            .ok_or_else(|| not_authorized().with_hint("there is no such role"))?;
        let context =
            verified.add_to(cx.caller_context()?).with("sts:RoleSessionName", &*self.role_session_name);
        let principal = Principal::federated(account, verified.provider.arn.clone());
        let mut trust = TrustRequest::new(cx, principal, &role, context)?;
        trust.check("sts:AssumeRoleWithWebIdentity", not_authorized)?;
        if !verified.tags.is_empty() {
            trust.check("sts:TagSession", not_authorized)?;
        }
        if verified.source_identity.is_some() {
            trust.check("sts:SetSourceIdentity", not_authorized)?;
        }
        let duration = check_duration(self.duration_seconds, &role, false)?;
        let policies = CheckedPolicies::read(cx, &role.account, self.policy, self.policy_arns)?;
        let VerifiedToken { provider, subject, audience, federated, tags, source_identity } = verified;
        let session = NewSession { name: self.role_session_name, duration, policies, tags, source_identity };
        let mut answer = session.create(cx, &role, |session| {
            session.federated_provider = Some(provider.arn.clone());
            session.federated_context = Some(federated);
        })?;
        answer.provider = Some(provider.arn);
        answer.subject_from_web_identity_token = Some(subject);
        answer.audience = Some(audience);
        Ok(answer)
    }
}

/// A token that was verified, and what it says.
struct VerifiedToken {
    provider: OpenIdProvider,
    subject: Text,
    audience: Text,
    /// Condition keys of the provider, which the session keeps. Several values are separated by commas.
    federated: Map<Text>,
    tags: SessionTags,
    source_identity: Option<Text>,
}

impl VerifiedToken {
    /// Verifies a token with the provider of its issuer in an account.
    fn read(cx: &mut Tx<'_>, account: &str, token: &Secret, has_provider_id: bool) -> Result<Self> {
        let field = "WebIdentityToken";
        let token = match Token::read(token.expose()) {
            Some(token) if !has_provider_id => token,
            // A provider ID is only for access tokens, which are not supported.
            _ => return Err(errors::not_a_token().with_field(field)),
        };
        let missing = |claim| errors::claim_missing(claim).with_field(field);
        let issuer = token.text("iss").ok_or_else(|| missing("iss"))?;
        let provider = find_open_id_provider(cx, account, issuer)?;
        let provider = provider.ok_or_else(|| errors::provider_not_found(issuer).with_field(field))?;
        let verification = provider.keys.as_ref().map(|keys| token.verify(keys));
        match verification {
            Some(Verification::Valid) => {}
            Some(Verification::Invalid) => return Err(errors::signature_invalid().with_field(field)),
            Some(Verification::NoKey) => {
                let hint = "the registered key set has no key for the token";
                return Err(errors::key_not_found().with_field(field).with_hint(hint));
            }
            None => {
                let hint = format!("register the key set of {issuer} with the control open-id-keys");
                return Err(errors::key_not_found().with_field(field).with_hint(hint));
            }
        }
        check_times(&token, cx.now().as_second()).map_err(|error| error.with_field(field))?;
        let subject = token.text("sub").ok_or_else(|| missing("sub"))?;
        let audiences = match token.text("azp") {
            Some(party) => vec![party],
            None => token.texts("aud"),
        };
        if audiences.is_empty() {
            return Err(missing("aud"));
        }
        let is_client = |audience: &&&str| provider.client_ids.iter().any(|id| id.as_str() == **audience);
        let audience = *audiences.iter().find(is_client).ok_or_else(|| {
            let hint = format!("the token is for {}", audiences.join(", "));
            errors::audience_wrong().with_field(field).with_hint(hint)
        })?;
        let mut federated = Map::default();
        let mut add = |key: &str, value: &str| {
            federated.insert(Text::from(format!("{}:{key}", provider.issuer)), Text::from(value));
        };
        add("aud", audience);
        add("sub", subject);
        if let (Some(_), Some(original)) = (token.text("azp"), token.texts("aud").first()) {
            add("oaud", original);
        }
        if let Some(email) = token.text("email") {
            add("email", email);
        }
        let methods = token.texts("amr");
        if !methods.is_empty() {
            add("amr", &methods.join(","));
        }
        let (subject, audience) = (subject.into(), audience.into());
        let tags = read_tags(token.claims.get(TAGS_CLAIM))?;
        let source_identity = token.text(SOURCE_IDENTITY_CLAIM).map(Text::from);
        Ok(Self { provider, subject, audience, federated, tags, source_identity })
    }

    /// Returns the condition keys of the request, which has no caller, with those of the token.
    fn add_to(&self, request: Context) -> Context {
        let mut context = Context::default().with("aws:FederatedProvider", self.provider.arn.clone());
        for (key, values) in request.iter().filter(|(key, _)| REQUEST_KEYS.contains(key)) {
            context = values.iter().fold(context, |context, value| context.with(key, value.clone()));
        }
        for (key, value) in &self.federated {
            let values: Vec<&str> = match key.ends_with(":amr") {
                true => value.split(',').collect(),
                false => vec![value.as_str()],
            };
            context = values.into_iter().fold(context, |context, value| context.with(key, value));
        }
        if let Some(source) = &self.source_identity {
            context = context.with("sts:SourceIdentity", source.clone());
        }
        self.tags.add_to(context)
    }
}

/// Checks the times of a token, in seconds since 1970.
fn check_times(token: &Token<'_>, now: i64) -> Result<()> {
    let expiration = token.time("exp").ok_or_else(|| errors::claim_missing("exp"))?;
    if expiration <= now {
        return Err(errors::token_expired(now, expiration));
    }
    token.time("iat").ok_or_else(|| errors::claim_missing("iat"))?;
    for start in [token.time("nbf"), token.time("iat")].into_iter().flatten() {
        if start > now + MAX_SKEW {
            return Err(errors::token_not_valid_yet(now, start));
        }
    }
    Ok(())
}

/// Reads the claim with session tags: `{"principal_tags": {"team": ["web"]}, "transitive_tag_keys": ["team"]}`.
fn read_tags(claim: Option<&Value>) -> Result<SessionTags> {
    let Some(claim) = claim else { return Ok(SessionTags::default()) };
    let mut tags = Vec::new();
    if let Some(Value::Map(given)) = claim.get("principal_tags") {
        for (key, value) in given {
            let value = match value {
                Value::List(values) => values.first().and_then(Value::as_text),
                value => value.as_text(),
            };
            tags.push(Tag::new(key.clone(), value.unwrap_or_default()));
        }
    }
    let keys = match claim.get("transitive_tag_keys") {
        Some(Value::List(keys)) => keys.iter().filter_map(Value::as_text).map(Text::from).collect(),
        _ => Vec::new(),
    };
    SessionTags::read(&tags, Some(keys), None)
}
