//! Letting somebody else say who asks.

use nephos_core::{Map, Record, Secret, Text, choices};

choices! {
    /// What becomes of requests of nobody known.
    pub enum OnUnauthenticatedRequest {
        /// They are refused.
        Deny = "deny",
        /// They are handed on.
        Allow = "allow",
        /// The client is sent to say who it is.
        Authenticate = "authenticate",
    }
}

/// A user pool that says who asks.
#[derive(Record)]
pub struct AuthenticateUserPoolConfig {
    /// The pool's resource name.
    #[field(required, pattern = "arn:[^:]+:cognito-idp:[^:]+:[0-9]{12}:userpool/.+")]
    user_pool_arn: Option<Text>,
    /// The pool's client.
    #[field(required, length(1..))]
    user_pool_client_id: Option<Text>,
    /// The pool's domain.
    #[field(required, length(1..))]
    user_pool_domain: Option<Text>,
    /// The cookie that keeps the session.
    session_cookie_name: Option<Text>,
    /// What is asked of the pool: `openid` if not said.
    scope: Option<Text>,
    /// How many seconds a session lasts: a week if not said.
    #[field(range(1..=604800))]
    session_timeout: Option<i64>,
    /// What else is sent to the pool.
    #[field(length(..=10))]
    authentication_request_extra_params: Option<Map<Text>>,
    /// What becomes of requests of nobody known: the client is sent to say who it is, if not said.
    on_unauthenticated_request: Option<OnUnauthenticatedRequest>,
}

/// An OpenID provider that says who asks.
#[derive(Record)]
pub struct AuthenticateOidcConfig {
    /// The provider.
    #[field(required, pattern = "https://.+")]
    issuer: Option<Text>,
    /// Where clients say who they are.
    #[field(required, pattern = "https://.+")]
    authorization_endpoint: Option<Text>,
    /// Where tokens are given out.
    #[field(required, pattern = "https://.+")]
    token_endpoint: Option<Text>,
    /// Where users are described.
    #[field(required, pattern = "https://.+")]
    user_info_endpoint: Option<Text>,
    /// What the provider calls the balancer.
    #[field(required, length(1..))]
    client_id: Option<Text>,
    /// What the balancer proves itself with; needed unless the one it has is to be used. It is never told again.
    client_secret: Option<Secret>,
    /// The cookie that keeps the session.
    session_cookie_name: Option<Text>,
    /// What is asked of the provider: `openid` if not said.
    scope: Option<Text>,
    /// How many seconds a session lasts: a week if not said.
    #[field(range(1..=604800))]
    session_timeout: Option<i64>,
    /// What else is sent to the provider.
    #[field(length(..=10))]
    authentication_request_extra_params: Option<Map<Text>>,
    /// What becomes of requests of nobody known: the client is sent to say who it is, if not said.
    on_unauthenticated_request: Option<OnUnauthenticatedRequest>,
    /// Whether the secret that the rule has is to be used.
    use_existing_client_secret: Option<bool>,
}

/// How many seconds a session lasts if not said: a week.
const WEEK: i64 = 604_800;

impl AuthenticateUserPoolConfig {
    /// The same with everything that was not said.
    pub(super) fn settled(mut self) -> Self {
        self.scope.get_or_insert("openid".into());
        self.session_timeout.get_or_insert(WEEK);
        self.on_unauthenticated_request.get_or_insert(OnUnauthenticatedRequest::Authenticate);
        self
    }
}

impl AuthenticateOidcConfig {
    /// The same with everything that was not said, and without the secret: whoever has a config has one, and no answer
    /// ever tells it, so it is not kept.
    pub(super) fn settled(mut self) -> Self {
        (self.client_secret, self.use_existing_client_secret) = (None, None);
        self.scope.get_or_insert("openid".into());
        self.session_timeout.get_or_insert(WEEK);
        self.on_unauthenticated_request.get_or_insert(OnUnauthenticatedRequest::Authenticate);
        self
    }

    /// Why the secret it is given, or said to have, does not do; `before` is what the rule has.
    pub(super) fn secret_refused(&self, before: Option<&Self>) -> Option<&'static str> {
        let existing = self.use_existing_client_secret == Some(true);
        let same =
            before.is_some_and(|before| before.issuer == self.issuer && before.client_id == self.client_id);
        match (&self.client_secret, existing) {
            (None, false) => Some("is required unless UseExistingClientSecret is true"),
            (Some(_), true) => Some("is not for a config with UseExistingClientSecret"),
            (None, true) if !same => Some("is required: there is no secret for this issuer and client yet"),
            _ => None,
        }
    }
}
