//! The operation `AssumeRoleWithWebIdentity`: sessions of roles for tokens of OpenID Connect providers.

use super::{
    AssumeRole, AssumeRoleManager, errors,
    federated::{FederatedIdentity, FederatedRequest, MAX_SKEW},
    jwt::{Token, Verification},
    role_session::RoleDuration,
    session_policy::SessionPolicies,
    session_tags::SessionTags,
    trust::check_role_arn,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Arn, Result, Secret, Tag, Text, Value, operation};
use nephos_iam::find_open_id_provider;

/// Claim with session tags.
const TAGS_CLAIM: &str = "https://aws.amazon.com/tags";

/// Claim with the source identity.
const SOURCE_IDENTITY_CLAIM: &str = "https://aws.amazon.com/source_identity";

/// Creates a session of a role for a token of an OpenID Connect provider. The provider is in the account of the role, and the
/// key set of its issuer must be registered with the cloud. The request is not signed.
#[operation(
    of = AssumeRole, call = "assume_with_web_identity", include(SessionPolicies, RoleDuration),
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
        let VerifiedToken { identity, subject, audience } = verified;
        let provider = identity.provider.clone();
        let request = FederatedRequest {
            action: "sts:AssumeRoleWithWebIdentity",
            refused: errors::web_identity_not_authorized,
            account: account.into(),
            role_arn: self.role_arn,
            session_name: self.role_session_name,
            duration_seconds: self.duration_seconds,
            policy: self.policy,
            policy_arns: self.policy_arns,
        };
        let mut answer = identity.assume(cx, request)?;
        answer.provider = Some(provider);
        answer.subject_from_web_identity_token = Some(subject);
        answer.audience = Some(audience);
        Ok(answer)
    }
}

/// A token that was verified, and what it says.
struct VerifiedToken {
    identity: FederatedIdentity,
    subject: Text,
    audience: Text,
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
        let mut keys: Vec<(Text, Vec<Text>)> = Vec::new();
        let mut add = |key: &str, values: &[&str]| {
            let values = values.iter().copied().map(Text::new).collect();
            keys.push((Text::from(format!("{}:{key}", provider.issuer)), values));
        };
        add("aud", &[audience]);
        add("sub", &[subject]);
        if let (Some(_), Some(original)) = (token.text("azp"), token.texts("aud").first()) {
            add("oaud", &[original]);
        }
        if let Some(email) = token.text("email") {
            add("email", &[email]);
        }
        let methods = token.texts("amr");
        if !methods.is_empty() {
            add("amr", &methods);
        }
        let session_keys = keys.iter().map(|(key, values)| (key.clone(), values.join(",").into())).collect();
        let (subject, audience) = (subject.into(), audience.into());
        let tags = read_tags(token.claims.get(TAGS_CLAIM))?;
        let source_identity = token.text(SOURCE_IDENTITY_CLAIM).map(Text::from);
        let provider = provider.arn;
        let identity =
            FederatedIdentity { provider, keys, session_keys, tags, source_identity, session_end: None };
        Ok(Self { identity, subject, audience })
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
