//! What can be changed about a log group: retention, protection, bearer tokens, its key.

use super::{
    Empty, LogGroupClass, SERVICE, errors, expiry,
    log_group::{self, LogGroup},
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Arn, Result, Text, operation};

/// Changes the group called `name`.
fn change(cx: &mut Tx<'_>, name: &str, change: impl FnOnce(&mut LogGroup) -> Result<()>) -> Result<Empty> {
    let mut group = log_group::require(cx, name)?;
    change(&mut group)?;
    cx.put(group)?;
    Ok(Empty {})
}

/// The same of the group that an identifier names.
fn change_identified(
    cx: &mut Tx<'_>,
    identifier: &str,
    change_it: impl FnOnce(&mut LogGroup) -> Result<()>,
) -> Result<Empty> {
    let scope = cx.scope().clone();
    change(cx, log_group::name_in(&scope, identifier, "logGroupIdentifier")?, change_it)
}

/// What is only passed on is kept for a day.
fn has_retention_of_its_own(group: &LogGroup) -> Result<()> {
    if group.log_group_class != Some(LogGroupClass::Delivery) {
        return Ok(());
    }
    let why = "events of a log group of class DELIVERY are kept for one day";
    Err(errors::INVALID.because(why).with_field("retentionInDays"))
}

/// Sets how long events of a log group are kept.
#[operation(service = SERVICE, hot, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct PutRetentionPolicy {
    /// The log group's name.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// Days that events are kept.
    #[field(one_of(
        1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
        3653
    ))]
    pub retention_in_days: i64,
}

impl Handler for PutRetentionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = log_group::require(cx, &self.log_group_name)?;
        has_retention_of_its_own(&group)?;
        group.retention_in_days = Some(self.retention_in_days);
        expiry::plan(cx, &group)?;
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Keeps events of a log group for ever.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct DeleteRetentionPolicy {
    /// The log group's name.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
}

impl Handler for DeleteRetentionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        change(cx, &self.log_group_name, |group| {
            has_retention_of_its_own(group)?;
            group.retention_in_days = None;
            Ok(())
        })
    }
}

/// Protects a log group from deletion, or no longer.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupIdentifier}")]
pub struct PutLogGroupDeletionProtection {
    /// The log group's name or resource name.
    #[field(length(1..=2048))]
    pub log_group_identifier: Text,
    /// Whether it is protected.
    pub deletion_protection_enabled: bool,
}

impl Handler for PutLogGroupDeletionProtection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        change_identified(cx, &self.log_group_identifier, |group| {
            group.deletion_protection_enabled = Some(self.deletion_protection_enabled);
            Ok(())
        })
    }
}

/// Lets calls on a log group authenticate with a bearer token, or no longer.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupIdentifier}")]
pub struct PutBearerTokenAuthentication {
    /// The log group's name or resource name.
    #[field(length(1..=2048))]
    pub log_group_identifier: Text,
    /// Whether calls may.
    pub bearer_token_authentication_enabled: bool,
}

impl Handler for PutBearerTokenAuthentication {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        change_identified(cx, &self.log_group_identifier, |group| {
            group.bearer_token_authentication_enabled = Some(self.bearer_token_authentication_enabled);
            Ok(())
        })
    }
}

/// Encrypts events of a log group with a key from now on.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{resourceIdentifier|logGroupName}")]
pub struct AssociateKmsKey {
    /// The log group's name; or say `resourceIdentifier`.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Option<Text>,
    /// The key's resource name.
    #[field(length(..=256))]
    pub kms_key_id: Text,
    /// The log group's resource name.
    #[field(length(1..=2048))]
    pub resource_identifier: Option<Text>,
}

impl Handler for AssociateKmsKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let scope = cx.scope().clone();
        let name = either(&scope, self.log_group_name.as_deref(), self.resource_identifier.as_deref())?;
        check_key(&scope, &self.kms_key_id)?;
        change(cx, name, |group| {
            group.kms_key_id = Some(self.kms_key_id);
            Ok(())
        })
    }
}

/// Encrypts events of a log group with no key of the caller's from now on.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{resourceIdentifier|logGroupName}")]
pub struct DisassociateKmsKey {
    /// The log group's name; or say `resourceIdentifier`.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Option<Text>,
    /// The log group's resource name.
    #[field(length(1..=2048))]
    pub resource_identifier: Option<Text>,
}

impl Handler for DisassociateKmsKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let scope = cx.scope().clone();
        let name = either(&scope, self.log_group_name.as_deref(), self.resource_identifier.as_deref())?;
        change(cx, name, |group| {
            group.kms_key_id = None;
            Ok(())
        })
    }
}

/// The name of the group that is named in one of two ways; both or neither is refused.
pub(super) fn either<'a>(
    scope: &Scope,
    name: Option<&'a str>,
    identifier: Option<&'a str>,
) -> Result<&'a str> {
    match (name, identifier) {
        (Some(name), None) => Ok(name),
        (None, Some(identifier)) => log_group::name_in(scope, identifier, "logGroupIdentifier"),
        (None, None) => Err(errors::INVALID
            .because("say logGroupName or an identifier of the log group")
            .with_field("logGroupName")),
        (Some(_), Some(_)) => Err(errors::INVALID
            .because("say logGroupName or an identifier, not both")
            .with_field("logGroupName")),
    }
}

/// Refuses what cannot be the key of a log group here.
pub(super) fn check_key(scope: &Scope, key: &str) -> Result<()> {
    let wrong = |why: &str| errors::INVALID.because(why).with_field("kmsKeyId");
    let Some(arn) = Arn::read(key) else {
        return Err(wrong("is not the resource name of a key (arn:aws:kms:region:account:key/id)"));
    };
    if arn.service() != "kms" || !arn.resource().starts_with("key/") || arn.resource().len() == "key/".len() {
        return Err(wrong("is not the resource name of a key (arn:aws:kms:region:account:key/id)"));
    }
    if arn.region() != scope.region() {
        return Err(wrong("is a key of another Region"));
    }
    Ok(())
}
