//! Operations on webhooks: put, list, delete, and the registration with a third party.

use super::{WebhookDefinition, WebhookRow, find_row};
use crate::{
    Pipeline, PipelineManager, errors,
    pipeline::{self, ActionDeclaration, SECRET_MASK},
    tagging,
};
use nephos_cloud::{Handler, Quota, Scope, Stored, Tx, tags::to_list};
use nephos_core::{Empty, Record, Result, Tag, Text, Timestamp, operation};

/// Quota of webhooks per account and Region.
const WEBHOOKS: Quota = Quota { counter: "codepipeline/webhook", max: 300, what: "webhooks" };

/// A webhook, with its address and state.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ListWebhookItem {
    /// The webhook.
    definition: Option<WebhookDefinition>,
    /// Address that the third party calls.
    url: Option<Text>,
    /// Message of the last error.
    error_message: Option<Text>,
    /// Code of the last error.
    error_code: Option<Text>,
    /// Time of the last request that started the pipeline.
    last_triggered: Option<Timestamp>,
    /// ARN of the webhook.
    arn: Option<Text>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

impl ListWebhookItem {
    fn from_row(row: WebhookRow, scope: &Scope) -> Self {
        Self {
            url: Some(row.url(scope)),
            arn: Some(row.arn(scope)),
            error_message: None,
            error_code: None,
            last_triggered: row.last_triggered,
            tags: row.tags,
            definition: row.definition,
        }
    }
}

/// Creates a webhook, or replaces the one with the same name, which keeps its address.
#[operation(
    of = Pipeline, case = "camel", call = "put_webhook", wraps(webhook: ListWebhookItem), effect = write,
    subject = "{webhook.targetPipeline} + webhook:{webhook.name}"
)]
pub struct PutWebhook {
    /// The webhook.
    pub webhook: WebhookDefinition,
    /// Tags.
    pub tags: Option<Vec<Tag>>,
}

impl Handler for PutWebhook {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let Self { webhook: mut definition, tags } = self;
        let tags = tagging::RULES.read_list(&tags.unwrap_or_default())?;
        definition.check()?;
        let target = definition.target_pipeline.clone().unwrap_or_default();
        pipeline::require(cx, &target).map_err(|error| error.with_field("webhook.targetPipeline"))?;
        let name = definition.name.clone().unwrap_or_default();
        let before = find_row(cx, &name)?;
        if before.is_none() {
            WEBHOOKS.add_one(cx, errors::too_many_webhooks)?;
        }
        let secret = definition
            .authentication_configuration
            .as_mut()
            .and_then(|settings| settings.secret_token.as_mut());
        let secret_token = match secret {
            Some(secret) => {
                let sealed = cx.seal(&[WebhookRow::TABLE, &name], secret.as_bytes())?;
                *secret = SECRET_MASK.into();
                Some(sealed)
            }
            None => None,
        };
        let url_token = before.as_ref().and_then(|row| row.url_token.clone());
        let url_token = url_token.unwrap_or_else(|| cx.ids().uuid());
        let row = WebhookRow {
            name: Some(name),
            definition: Some(definition),
            url_token: Some(url_token),
            secret_token,
            last_triggered: before.as_ref().and_then(|row| row.last_triggered),
            is_registered: before.and_then(|row| row.is_registered),
            tags: to_list(tags),
        };
        cx.put(row.clone())?;
        Ok(ListWebhookItem::from_row(row, cx.scope()).into())
    }
}

/// Lists webhooks, in order of their names.
#[operation(
    of = Pipeline, case = "camel", call = "list_webhooks", page(webhooks: ListWebhookItem, next_token(name = "NextToken")),
    effect = read, subject = "webhook:*"
)]
pub struct ListWebhooks {
    /// Pagination token of the previous page.
    #[field(name = "NextToken", page_token, length(1..=2048))]
    pub next_token: Option<Text>,
    /// Maximum number of results on a page.
    #[field(name = "MaxResults", page_size = 100, range(1..=100))]
    pub max_results: Option<i64>,
}

impl Handler for ListWebhooks {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let rows = WebhookRow::table(cx.scope());
        let scope = cx.scope().clone();
        Ok(cx
            .page_rows(&self, &rows, |row: WebhookRow| Ok(Some(ListWebhookItem::from_row(row, &scope))))?
            .into())
    }
}

/// Deletes a webhook. A webhook that does not exist is no error.
#[operation(of = Pipeline, case = "camel", call = "delete_webhook", effect = write, subject = "webhook:{name}")]
pub struct DeleteWebhook {
    /// Name of the webhook.
    #[field(like = ActionDeclaration::name)]
    pub name: Text,
}

impl Handler for DeleteWebhook {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if let Some(row) = find_row(cx, &self.name)? {
            WEBHOOKS.remove_one(cx)?;
            cx.remove(&row)?;
        }
        Ok(Empty {})
    }
}

/// Parameter that names a webhook.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct WebhookName {
    /// Name of the webhook.
    #[field(like = ActionDeclaration::name)]
    webhook_name: Option<Text>,
}

/// Records that a third party calls the webhook.
#[operation(
    of = Pipeline, case = "camel", call = "register_webhook", include(WebhookName), effect = write,
    subject = "webhook:{webhookName}"
)]
pub struct RegisterWebhookWithThirdParty {}

impl Handler for RegisterWebhookWithThirdParty {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        set_registered(cx, self.webhook_name.as_deref(), true)
    }
}

/// Records that a third party no longer calls the webhook.
#[operation(
    of = Pipeline, case = "camel", call = "deregister_webhook", include(WebhookName), effect = write,
    subject = "webhook:{webhookName}"
)]
pub struct DeregisterWebhookWithThirdParty {}

impl Handler for DeregisterWebhookWithThirdParty {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        set_registered(cx, self.webhook_name.as_deref(), false)
    }
}

fn set_registered(cx: &mut Tx<'_>, name: Option<&str>, is_registered: bool) -> Result<Empty> {
    let name = name.unwrap_or_default();
    let missing = || errors::webhook_not_found(cx.scope().account(), name).with_field("webhookName");
    let mut row = find_row(cx, name)?.ok_or_else(missing)?;
    row.is_registered = Some(is_registered);
    cx.put(row)?;
    Ok(Empty {})
}
