//! Actions: what is done with a request, and what each kind of it says.

mod authenticate;
mod check;
mod forward;
mod jwt;
mod redirect;

pub use authenticate::{AuthenticateOidcConfig, AuthenticateUserPoolConfig, OnUnauthenticatedRequest};
pub(super) use check::ListenerContext;
pub use forward::{ForwardConfig, TargetGroupStickinessConfig, TargetGroupTuple};
pub use jwt::{ClaimFormat, JwtAdditionalClaim, JwtValidationConfig};
pub use redirect::{RedirectConfig, RedirectConfigBuilder, RedirectStatusCode};

use super::TargetGroup;
use nephos_core::{Record, Text, choices};

choices! {
    /// What an action does.
    pub enum ActionType {
        /// Hands the request on to a target.
        Forward = "forward",
        /// Lets an OpenID provider say who asks.
        AuthenticateOidc = "authenticate-oidc",
        /// Lets a user pool say who asks.
        AuthenticateUserpool = "authenticate-userpool" => "authenticate-cognito",
        /// Sends the client elsewhere.
        Redirect = "redirect",
        /// Answers by itself.
        FixedResponse = "fixed-response",
        /// Checks the token that comes with the request.
        JwtValidation = "jwt-validation",
    }
}

/// What is done with a request.
#[derive(Record)]
pub struct Action {
    /// What it does.
    #[field(required)]
    pub(super) r#type: Option<ActionType>,
    /// The target group to hand requests on to, if it is only one.
    pub(super) target_group_arn: Option<Text>,
    /// Who says who asks, for `authenticate-oidc`.
    authenticate_oidc_config: Option<AuthenticateOidcConfig>,
    /// Who says who asks, for `authenticate-userpool`.
    #[field(wire = "AuthenticateCognitoConfig")]
    authenticate_user_pool_config: Option<AuthenticateUserPoolConfig>,
    /// When it is done among several; the last is the one that answers.
    #[field(range(1..=50000))]
    order: Option<i64>,
    /// Where clients are sent, for `redirect`.
    redirect_config: Option<RedirectConfig>,
    /// What is answered, for `fixed-response`.
    fixed_response_config: Option<FixedResponseConfig>,
    /// The target groups to hand requests on to, for `forward`.
    pub(super) forward_config: Option<ForwardConfig>,
    /// What tokens have to say, for `jwt-validation`.
    jwt_validation_config: Option<JwtValidationConfig>,
}

/// What is answered without a target.
#[derive(Record)]
pub struct FixedResponseConfig {
    /// The text.
    #[field(length(..=1024))]
    message_body: Option<Text>,
    /// The code: 2XX, 4XX or 5XX.
    #[field(required, pattern = r"(2|4|5)[0-9][0-9]")]
    status_code: Option<Text>,
    /// What the text is.
    #[field(one_of("text/plain", "text/css", "text/html", "application/javascript", "application/json"))]
    content_type: Option<Text>,
}

impl Action {
    /// The ARNs of the target groups that it forwards to.
    pub(super) fn group_arns(&self) -> impl Iterator<Item = &Text> {
        let several = self.forward_config.iter().flat_map(|config| config.arns());
        let one = self.target_group_arn.iter().filter(|_| self.forward_config.is_none());
        one.chain(several)
    }
}

/// The names of the target groups that actions forward to.
pub(super) fn group_names(actions: Option<&[Action]>) -> Vec<Text> {
    let arns = actions.unwrap_or_default().iter().flat_map(Action::group_arns);
    let mut groups: Vec<Text> = arns
        .filter_map(|arn| nephos_cloud::arn_parts::<TargetGroup, 2>(arn))
        .map(|[name, _]| name.into())
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}
