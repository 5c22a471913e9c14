//! Actions: the handling of a request, with a config for each type.

mod authenticate;
mod check;
mod forward;
mod jwt;
pub(crate) mod redirect;

pub use authenticate::{AuthenticateOidcConfig, AuthenticateUserPoolConfig, OnUnauthenticatedRequest};
pub(crate) use check::ListenerContext;
pub use forward::{ForwardConfig, TargetGroupStickinessConfig, TargetGroupTuple};
pub use jwt::{ClaimFormat, JwtAdditionalClaim, JwtValidationConfig};
pub use redirect::{RedirectConfig, RedirectConfigBuilder, RedirectStatusCode};

use crate::TargetGroup;
use nephos_cloud::Addressed;
use nephos_core::{Record, Text, choices};

choices! {
    /// Type of an action.
    pub enum ActionType {
        /// Forwards the request to a target.
        Forward = "forward",
        /// Authenticates the client with an OpenID Connect provider.
        AuthenticateOidc = "authenticate-oidc",
        /// Authenticates the client with a user pool.
        AuthenticateUserpool = "authenticate-userpool" => "authenticate-cognito",
        /// Redirects the client to another URL.
        Redirect = "redirect",
        /// Returns a fixed response.
        FixedResponse = "fixed-response",
        /// Validates the JSON Web Token of the request.
        JwtValidation = "jwt-validation",
    }
}

/// An action: the handling of a request.
#[derive(Record)]
pub struct Action {
    /// Type of the action.
    #[field(required)]
    pub(crate) r#type: Option<ActionType>,
    /// ARN of the target group, for `forward` to a single one.
    pub(crate) target_group_arn: Option<Text>,
    /// OpenID Connect provider, for `authenticate-oidc`.
    authenticate_oidc_config: Option<AuthenticateOidcConfig>,
    /// User pool, for `authenticate-userpool`.
    #[field(wire = "AuthenticateCognitoConfig")]
    authenticate_user_pool_config: Option<AuthenticateUserPoolConfig>,
    /// Order among several actions; the last one must be forward, redirect or fixed-response.
    #[field(range(1..=50000))]
    order: Option<i64>,
    /// URL that clients are redirected to, for `redirect`.
    redirect_config: Option<RedirectConfig>,
    /// Response, for `fixed-response`.
    fixed_response_config: Option<FixedResponseConfig>,
    /// Target groups, for `forward`.
    pub(crate) forward_config: Option<ForwardConfig>,
    /// Validation of tokens, for `jwt-validation`.
    jwt_validation_config: Option<JwtValidationConfig>,
}

/// A response without a target.
#[derive(Record)]
pub struct FixedResponseConfig {
    /// Body of the response.
    #[field(length(..=1024))]
    message_body: Option<Text>,
    /// HTTP status code: 2XX, 4XX or 5XX.
    #[field(required, pattern = r"(2|4|5)[0-9][0-9]")]
    status_code: Option<Text>,
    /// Content type of the body.
    #[field(one_of("text/plain", "text/css", "text/html", "application/javascript", "application/json"))]
    content_type: Option<Text>,
}

impl Action {
    /// Returns the ARNs of the target groups that the action forwards to.
    pub(crate) fn group_arns(&self) -> impl Iterator<Item = &Text> {
        let several = self.forward_config.iter().flat_map(|config| config.arns());
        let one = self.target_group_arn.iter().filter(|_| self.forward_config.is_none());
        one.chain(several)
    }
}

/// Returns the names of the target groups that the actions forward to.
pub(crate) fn group_names(actions: Option<&[Action]>) -> Vec<Text> {
    let arns = actions.unwrap_or_default().iter().flat_map(Action::group_arns);
    let mut groups: Vec<Text> =
        arns.filter_map(|arn| TargetGroup::read_arn(arn)?.first().map(|name| Text::new(name))).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}
