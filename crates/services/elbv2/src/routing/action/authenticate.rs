//! Actions that authenticate clients.

use crate::errors;
use nephos_core::{Error, Map, Record, Secret, Text, choices};

choices! {
    /// Handling of unauthenticated requests.
    pub enum OnUnauthenticatedRequest {
        /// Denies the request.
        Deny = "deny",
        /// Forwards the request.
        Allow = "allow",
        /// Redirects the client to authenticate.
        Authenticate = "authenticate",
    }
}

/// Authentication by a user pool.
#[derive(Record)]
pub struct AuthenticateUserPoolConfig {
    /// ARN of the user pool.
    #[field(required, pattern = "arn:[^:]+:cognito-idp:[^:]+:[0-9]{12}:userpool/.+")]
    user_pool_arn: Option<Text>,
    /// Client ID of the load balancer in the user pool.
    #[field(required, length(1..))]
    user_pool_client_id: Option<Text>,
    /// Domain of the user pool.
    #[field(required, length(1..))]
    user_pool_domain: Option<Text>,
    /// Name of the session cookie.
    session_cookie_name: Option<Text>,
    /// Requested scope; `openid` by default.
    scope: Option<Text>,
    /// Session timeout in seconds; a week by default.
    #[field(range(1..=604800))]
    session_timeout: Option<i64>,
    /// Additional parameters of the authentication request.
    #[field(length(..=10))]
    authentication_request_extra_params: Option<Map<Text>>,
    /// Handling of unauthenticated requests; `authenticate` by default.
    on_unauthenticated_request: Option<OnUnauthenticatedRequest>,
}

/// Authentication by an OpenID Connect provider.
#[derive(Record)]
pub struct AuthenticateOidcConfig {
    /// Issuer: URL of the provider.
    #[field(required, pattern = "https://.+")]
    issuer: Option<Text>,
    /// Authorization endpoint of the provider.
    #[field(required, pattern = "https://.+")]
    authorization_endpoint: Option<Text>,
    /// Token endpoint of the provider.
    #[field(required, pattern = "https://.+")]
    token_endpoint: Option<Text>,
    /// User info endpoint of the provider.
    #[field(required, pattern = "https://.+")]
    user_info_endpoint: Option<Text>,
    /// Client ID of the load balancer.
    #[field(required, length(1..))]
    client_id: Option<Text>,
    /// Client secret; required unless `UseExistingClientSecret` is true. It is never returned.
    client_secret: Option<Secret>,
    /// Name of the session cookie.
    session_cookie_name: Option<Text>,
    /// Requested scope; `openid` by default.
    scope: Option<Text>,
    /// Session timeout in seconds; a week by default.
    #[field(range(1..=604800))]
    session_timeout: Option<i64>,
    /// Additional parameters of the authentication request.
    #[field(length(..=10))]
    authentication_request_extra_params: Option<Map<Text>>,
    /// Handling of unauthenticated requests; `authenticate` by default.
    on_unauthenticated_request: Option<OnUnauthenticatedRequest>,
    /// True to use the existing client secret of the rule.
    use_existing_client_secret: Option<bool>,
}

/// Default session timeout in seconds: a week.
const DEFAULT_SESSION_TIMEOUT: i64 = 604_800;

impl AuthenticateUserPoolConfig {
    /// Fills in defaults.
    pub(super) fn with_defaults(mut self) -> Self {
        self.scope.get_or_insert("openid".into());
        self.session_timeout.get_or_insert(DEFAULT_SESSION_TIMEOUT);
        self.on_unauthenticated_request.get_or_insert(OnUnauthenticatedRequest::Authenticate);
        self
    }
}

impl AuthenticateOidcConfig {
    /// Fills in defaults and removes the secret: no answer contains it, so it is not stored.
    pub(super) fn with_defaults(mut self) -> Self {
        (self.client_secret, self.use_existing_client_secret) = (None, None);
        self.scope.get_or_insert("openid".into());
        self.session_timeout.get_or_insert(DEFAULT_SESSION_TIMEOUT);
        self.on_unauthenticated_request.get_or_insert(OnUnauthenticatedRequest::Authenticate);
        self
    }

    /// Returns an error if the secret is invalid; `before` is the current config of the rule.
    pub(super) fn secret_error(&self, before: Option<&Self>) -> Option<Error> {
        let existing = self.use_existing_client_secret == Some(true);
        let same =
            before.is_some_and(|before| before.issuer == self.issuer && before.client_id == self.client_id);
        match (&self.client_secret, existing) {
            (None, false) => Some(
                errors::action_field_missing("authenticate-oidc", "ClientSecret")
                    .with_hint("unless UseExistingClientSecret is true"),
            ),
            (Some(_), true) => Some(errors::client_secrets_given()),
            (None, true) if !same => {
                let text = |text: &Option<Text>| text.clone().unwrap_or_default();
                Some(errors::client_secret_unknown(text(&self.issuer), text(&self.client_id)))
            }
            _ => None,
        }
    }
}
