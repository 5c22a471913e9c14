//! Webhooks: addresses that start a pipeline when a repository or another system calls them.

pub(crate) mod filter;
mod operations;
mod request;

pub use operations::*;
pub(crate) use request::FRONT;

use crate::{errors, pipeline::ActionDeclaration};
use nephos_cloud::{Scope, Stored, Tx};
use nephos_core::{Blob, Record, Result, Tag, Text, Timestamp, choices, field_value::FieldType};

choices! {
    /// Authentication of the requests of a webhook.
    #[derive(Eq)]
    pub enum WebhookAuthenticationType {
        /// A signature with a secret.
        GithubHmac = "GITHUB_HMAC",
        /// The address of the caller.
        Ip = "IP",
        /// None.
        Unauthenticated = "UNAUTHENTICATED",
    }
}

/// Settings of the authentication of a webhook.
#[derive(Record)]
#[record(case = "camel")]
pub struct WebhookAuthConfiguration {
    /// Range of addresses that can call the webhook.
    #[field(name = "AllowedIPRange", length(1..=100))]
    allowed_ip_range: Option<Text>,
    /// Secret that signs the requests.
    #[field(name = "SecretToken", length(1..=100))]
    secret_token: Option<Text>,
}

/// Filter of the requests of a webhook.
#[derive(Record)]
#[record(case = "camel")]
pub struct WebhookFilterRule {
    /// Path of a value in the body of the request.
    #[field(required, length(1..=150))]
    json_path: Option<Text>,
    /// Value that must be there. `{Branch}` stands for that property of the target action.
    #[field(length(1..=150))]
    match_equals: Option<Text>,
}

/// A webhook.
#[derive(Record)]
#[record(case = "camel")]
pub struct WebhookDefinition {
    /// Name of the webhook, unique within account and Region.
    #[field(required, like = ActionDeclaration::name)]
    name: Option<Text>,
    /// Name of the pipeline that the webhook starts.
    #[field(required, like = ActionDeclaration::name)]
    target_pipeline: Option<Text>,
    /// Name of the source action that the webhook starts.
    #[field(required, like = ActionDeclaration::name)]
    target_action: Option<Text>,
    /// Filters, which a request must all match.
    #[field(required, length(..=5))]
    filters: Option<Vec<WebhookFilterRule>>,
    /// Authentication of requests.
    #[field(required)]
    authentication: Option<WebhookAuthenticationType>,
    /// Settings of the authentication.
    #[field(required)]
    authentication_configuration: Option<WebhookAuthConfiguration>,
}

/// Row of a webhook. Its secret is sealed, and masked in the definition.
#[derive(Record)]
#[record(row)]
pub(crate) struct WebhookRow {
    /// Name of the webhook.
    name: Option<Text>,
    /// The webhook.
    definition: Option<WebhookDefinition>,
    /// Secret part of its address.
    url_token: Option<Text>,
    /// Secret of its authentication, sealed.
    #[field(sensitive)]
    secret_token: Option<Blob>,
    /// Time of the last request that started the pipeline.
    last_triggered: Option<Timestamp>,
    /// True if it was registered with the third party.
    is_registered: Option<bool>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

nephos_cloud::stored!(WebhookRow in "codepipeline/webhook" by name);

impl WebhookRow {
    /// ARN of the webhook.
    pub(crate) fn arn(&self, scope: &Scope) -> Text {
        scope.arn("codepipeline", &["webhook:", self.name.as_deref().unwrap_or_default()]).into()
    }

    /// Address that the third party calls.
    fn url(&self, scope: &Scope) -> Text {
        format!("https://{}.webhooks.aws/trigger?t={}&v=1", scope.region(), self.address_token(scope)).into()
    }
}

/// Finds a webhook.
pub(crate) fn find_row(cx: &Tx<'_>, name: &str) -> Result<Option<WebhookRow>> {
    cx.get(&WebhookRow::table(cx.scope()).text(name))
}

impl WebhookDefinition {
    /// Refuses filters that are no paths, and settings that do not fit to the authentication.
    fn check(&self) -> Result<()> {
        let filters = self.filters.as_deref().unwrap_or_default();
        if filters.is_empty() {
            return Err(errors::webhook_filters_missing().with_field("webhook.filters"));
        }
        for (n, filter) in filters.iter().enumerate() {
            let path = filter.json_path.as_deref().unwrap_or_default();
            if !path.starts_with('$') {
                let refused = errors::webhook_filter_invalid(path);
                return Err(refused.with_field(format!("webhook.filters[{n}].jsonPath")));
            }
        }
        self.check_authentication().map_err(|error| error.with_field("webhook.authenticationConfiguration"))
    }

    fn check_authentication(&self) -> Result<()> {
        use WebhookAuthenticationType::{GithubHmac, Ip};
        let blank = WebhookAuthConfiguration::blank();
        let settings = self.authentication_configuration.as_ref().unwrap_or(&blank);
        let authentication =
            self.authentication.clone().unwrap_or(WebhookAuthenticationType::Unauthenticated);
        match (&authentication, &settings.secret_token) {
            (GithubHmac, None) => return Err(errors::webhook_secret_missing()),
            (GithubHmac, Some(_)) | (_, None) => {}
            (other, Some(_)) => return Err(errors::webhook_authentication_given("SecretToken", other)),
        }
        match (&authentication, settings.allowed_ip_range.as_deref()) {
            (Ip, None) => Err(errors::webhook_range_missing()),
            (Ip, Some(range)) if !is_cidr_range(range) => Err(errors::webhook_range_invalid(range)),
            (Ip, Some(_)) | (_, None) => Ok(()),
            (other, Some(_)) => Err(errors::webhook_authentication_given("AllowedIPRange", other)),
        }
    }
}

/// True for `192.0.2.0/24`, and for a range of IPv6.
fn is_cidr_range(range: &str) -> bool {
    let Some((address, bits)) = range.split_once('/') else { return false };
    let max = match address.parse() {
        Ok(std::net::IpAddr::V4(_)) => 32,
        Ok(std::net::IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    bits.parse::<u8>().is_ok_and(|bits| bits <= max)
}
