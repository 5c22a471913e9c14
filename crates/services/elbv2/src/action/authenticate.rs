//! Actions that authenticate clients.

use nephos_core::{Map, Record, Secret, Text, choices};

choices! {
    /// What is done with requests that are not authenticated.
    pub enum OnUnauthenticatedRequest {
        /// They are refused.
        Deny = "deny",
        /// They are handed on.
        Allow = "allow",
        /// The client is sent to say who it is.
        Authenticate = "authenticate",
    }
}

/// Authentication by a user pool.
#[derive(Record)]
pub struct AuthenticateUserPoolConfig {
    /// ARN of the user pool.
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
    /// Scope that is requested; `openid` by default.
    scope: Option<Text>,
    /// Seconds that a session lasts; a week by default.
    #[field(range(1..=604800))]
    session_timeout: Option<i64>,
    /// What else is sent to the pool.
    #[field(length(..=10))]
    authentication_request_extra_params: Option<Map<Text>>,
    /// What is done with requests that are not authenticated; clients must authenticate by default.
    on_unauthenticated_request: Option<OnUnauthenticatedRequest>,
}

/// Authentication by an OpenID provider.
#[derive(Record)]
pub struct AuthenticateOidcConfig {
    /// The provider.
    #[field(required, pattern = "https://.+")]
    issuer: Option<Text>,
    /// Endpoint where clients authenticate.
    #[field(required, pattern = "https://.+")]
    authorization_endpoint: Option<Text>,
    /// Endpoint that issues tokens.
    #[field(required, pattern = "https://.+")]
    token_endpoint: Option<Text>,
    /// Endpoint that describes users.
    #[field(required, pattern = "https://.+")]
    user_info_endpoint: Option<Text>,
    /// Client id of the load balancer.
    #[field(required, length(1..))]
    client_id: Option<Text>,
    /// Client secret; required unless the existing one is to be used. It is never returned.
    client_secret: Option<Secret>,
    /// The cookie that keeps the session.
    session_cookie_name: Option<Text>,
    /// Scope that is requested; `openid` by default.
    scope: Option<Text>,
    /// Seconds that a session lasts; a week by default.
    #[field(range(1..=604800))]
    session_timeout: Option<i64>,
    /// What else is sent to the provider.
    #[field(length(..=10))]
    authentication_request_extra_params: Option<Map<Text>>,
    /// What is done with requests that are not authenticated; clients must authenticate by default.
    on_unauthenticated_request: Option<OnUnauthenticatedRequest>,
    /// True to use the secret that the rule has.
    use_existing_client_secret: Option<bool>,
}

/// Seconds that a session lasts by default: a week.
const DEFAULT_SESSION_TIMEOUT: i64 = 604_800;

impl AuthenticateUserPoolConfig {
    /// The config with defaults filled in.
    pub(super) fn with_defaults(mut self) -> Self {
        self.scope.get_or_insert("openid".into());
        self.session_timeout.get_or_insert(DEFAULT_SESSION_TIMEOUT);
        self.on_unauthenticated_request.get_or_insert(OnUnauthenticatedRequest::Authenticate);
        self
    }
}

impl AuthenticateOidcConfig {
    /// The config with defaults filled in, and without the secret: it is in no answer, so it is not stored.
    pub(super) fn with_defaults(mut self) -> Self {
        (self.client_secret, self.use_existing_client_secret) = (None, None);
        self.scope.get_or_insert("openid".into());
        self.session_timeout.get_or_insert(DEFAULT_SESSION_TIMEOUT);
        self.on_unauthenticated_request.get_or_insert(OnUnauthenticatedRequest::Authenticate);
        self
    }

    /// The reason to refuse its secret, if there is one; `before` is the config that the rule has.
    pub(super) fn secret_error(&self, before: Option<&Self>) -> Option<&'static str> {
        let existing = self.use_existing_client_secret == Some(true);
        let same =
            before.is_some_and(|before| before.issuer == self.issuer && before.client_id == self.client_id);
        match (&self.client_secret, existing) {
            (None, false) => Some("is required unless UseExistingClientSecret is true"),
            (Some(_), true) => Some("cannot be combined with UseExistingClientSecret"),
            (None, true) if !same => Some("is required: no secret is stored for this issuer and client id"),
            _ => None,
        }
    }
}
