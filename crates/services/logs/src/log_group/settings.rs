//! Updates of a log group: retention, deletion protection, bearer token authentication, KMS key and tags.

use crate::{
    Empty, LogGroup, LogGroupClass, LogGroupGet, LogGroupManager, errors,
    log_group::{self, LogGroupIdentifier, encryption, expiry, parse_identifier, resolve_name},
};
use nephos_cloud::{Addressed, Handler, Scope, Tx};
use nephos_core::{Arn, ManagerOperation, Resource, Result, Text, WorkflowContext, operation, retag};

/// Sets or clears the retention of a group; the retention of class DELIVERY cannot be changed.
fn set_retention(cx: &mut Tx<'_>, name: &str, days: Option<i64>) -> Result<Empty> {
    let mut group = LogGroup::require(cx, name, "logGroupName")?;
    if group.log_group_class == Some(LogGroupClass::Delivery) {
        return Err(errors::fixed_retention().with_field("retentionInDays").with_hint("it is one day"));
    }
    group.retention_in_days = days;
    if days.is_some() {
        expiry::schedule_next_expiry(cx, &group)?;
    }
    cx.put(group)?;
    Ok(Empty {})
}

/// Sets the retention of a log group in days.
#[operation(
    hot, of = LogGroup, case = "camel", needs(log_group_name, retention_in_days),
    effect = write, subject = "log-group:{logGroupName}:log-stream:"
)]
pub struct PutRetentionPolicy {}

impl Handler for PutRetentionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        set_retention(cx, &self.log_group_name, Some(self.retention_in_days))
    }
}

/// Clears the retention of a log group: events never expire.
#[operation(
    of = LogGroup, case = "camel", needs(log_group_name),
    effect = write, subject = "log-group:{logGroupName}:log-stream:"
)]
pub struct DeleteRetentionPolicy {}

impl Handler for DeleteRetentionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        set_retention(cx, &self.log_group_name, None)
    }
}

/// Sets the deletion protection of a log group.
#[operation(
    of = LogGroup, case = "camel", include(LogGroupIdentifier), needs(deletion_protection_enabled),
    effect = write, subject = "log-group:{logGroupIdentifier}:log-stream:"
)]
pub struct PutLogGroupDeletionProtection {}

impl Handler for PutLogGroupDeletionProtection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = parse_identifier(cx.scope(), &self.log_group_identifier, "logGroupIdentifier")?;
        let enabled = Some(self.deletion_protection_enabled);
        log_group::change(cx, name, |group| group.deletion_protection_enabled = enabled)
    }
}

/// Enables or disables authentication with bearer tokens for a log group.
#[operation(
    of = LogGroup, case = "camel", call = "put_bearer_token_authentication",
    on_model(bearer_token_authentication_enabled), effect = write,
    subject = "log-group:{logGroupIdentifier}:log-stream:"
)]
pub struct PutBearerTokenAuthentication {
    /// Name or ARN of the log group.
    #[field(from_field = "logGroupName", like = LogGroupIdentifier::log_group_identifier)]
    pub log_group_identifier: Text,
    /// True to enable it.
    pub bearer_token_authentication_enabled: bool,
}

impl Handler for PutBearerTokenAuthentication {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = parse_identifier(cx.scope(), &self.log_group_identifier, "logGroupIdentifier")?;
        let enabled = Some(self.bearer_token_authentication_enabled);
        log_group::change(cx, name, |group| group.bearer_token_authentication_enabled = enabled)
    }
}

/// Encrypts the events of a log group with a KMS key from now on.
#[operation(
    of = LogGroup, case = "camel", needs(kms_key_id), takes(log_group_name),
    effect = write, subject = "log-group:{resourceIdentifier|logGroupName}:log-stream:"
)]
pub struct AssociateKmsKey {
    /// ARN of the log group, instead of `logGroupName`.
    #[field(length(1..=2048))]
    pub resource_identifier: Option<Text>,
}

impl Handler for AssociateKmsKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = resolve_name(cx.scope(), &self.log_group_name, &self.resource_identifier)?;
        check_kms_key(cx.scope(), &self.kms_key_id)?;
        LogGroup::require(cx, name, "logGroupName")?;
        encryption::check_key(cx, name, &self.kms_key_id)?;
        log_group::change(cx, name, |group| group.kms_key_id = Some(self.kms_key_id))
    }
}

/// Stops encrypting the events of a log group with the caller's KMS key.
#[operation(
    of = LogGroup, case = "camel", takes(log_group_name),
    effect = write, subject = "log-group:{resourceIdentifier|logGroupName}:log-stream:"
)]
pub struct DisassociateKmsKey {
    /// ARN of the log group, instead of `logGroupName`.
    #[field(length(1..=2048))]
    pub resource_identifier: Option<Text>,
}

impl Handler for DisassociateKmsKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = resolve_name(cx.scope(), &self.log_group_name, &self.resource_identifier)?;
        log_group::change(cx, name, |group| group.kms_key_id = None)
    }
}

/// Checks that `key` is the ARN of a KMS key in the Region.
pub(crate) fn check_kms_key(scope: &Scope, key: &str) -> Result<()> {
    let is_key = |arn: &Arn| {
        arn.service() == "kms" && arn.resource().strip_prefix("key/").is_some_and(|id| !id.is_empty())
    };
    let hint = match Arn::read(key).filter(is_key) {
        Some(arn) if arn.region() == scope.region() => return Ok(()),
        Some(arn) => format!("the key is in Region {}, must be in {}", arn.region(), scope.region()),
        None => format!("{key:?} is not the ARN of a key (arn:aws:kms:region:account:key/id)"),
    };
    Err(errors::kms_key_not_found().with_field("kmsKeyId").with_hint(hint))
}

/// Updates the retention, deletion protection, KMS key and tags of a log group where the model was changed.
#[operation(kind = LogGroup, call = "update", case = "snake", effect = write, output = LogGroup)]
pub struct LogGroupUpdate {
    /// The log group.
    #[field(model)]
    pub model: LogGroup,
}

impl ManagerOperation for LogGroupUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<LogGroup> {
        let model = &self.model;
        let Some(name) = model.log_group_name.clone() else {
            return Err(errors::log_group_name_missing().with_field("logGroupName"));
        };
        let get = LogGroupGet::new(name.clone());
        let Some(current) = get.run(context).await? else { return Err(LogGroup::not_found(&name)) };
        let is_changed = |field| model.changed().contains(&field);
        if is_changed("retentionInDays") && model.retention_in_days != current.retention_in_days {
            match model.retention_in_days {
                Some(days) => context.call(PutRetentionPolicy::new(name.clone(), days)).await?,
                None => context.call(DeleteRetentionPolicy::new(name.clone())).await?,
            };
        }
        if is_changed("kmsKeyId") && model.kms_key_id != current.kms_key_id {
            match model.kms_key_id.clone() {
                Some(key) => context.call(AssociateKmsKey::new(key).log_group_name(name.clone())).await?,
                None => context.call(DisassociateKmsKey::new().log_group_name(name.clone())).await?,
            };
        }
        let arn = current.log_group_arn.clone().unwrap_or_default();
        let protected = model.deletion_protection_enabled.unwrap_or(false);
        if is_changed("deletionProtectionEnabled") && current.deletion_protection_enabled != Some(protected) {
            context.call(PutLogGroupDeletionProtection::new(arn.clone(), protected)).await?;
        }
        retag(context, model, &current).await?;
        get.run(context).await?.ok_or_else(|| LogGroup::not_found(&name))
    }
}
