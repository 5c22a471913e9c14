//! Data protection policies of log groups and accounts, which mask sensitive values in events.

use crate::{
    DataProtectionStatus, Empty, LogGroup, LogGroupManager, errors,
    log_group::{LogGroupIdentifier, parse_identifier},
    masking::Policy,
    policy::account,
};
use nephos_cloud::{Addressed, Handler, Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, operation};
use std::borrow::Cow;

/// Data protection policies that mask messages, each with the time from which it applies.
pub(crate) struct Mask(Vec<(Policy, i64)>);

impl Mask {
    /// Masks the message of an event that was ingested at `ingested`.
    pub(crate) fn apply(&self, message: Text, ingested: Option<i64>) -> Text {
        self.0.iter().fold(message, |message, (policy, since)| {
            // Events that were ingested before the policy are not masked.
            if ingested < Some(*since) {
                return message;
            }
            match policy.mask(&message) {
                Cow::Borrowed(_) => message,
                Cow::Owned(masked) => masked.into(),
            }
        })
    }
}

/// Returns the policies that mask the messages of a log group; none if `unmask` is set.
pub(crate) fn group_mask(cx: &Tx<'_>, group: &str, unmask: Option<bool>) -> Result<Mask> {
    if unmask == Some(true) {
        return Ok(Mask(Vec::new()));
    }
    let own = cx.get::<DataProtectionPolicy>(&key_of(cx.scope(), group))?;
    let own = own.map(|policy| (policy.policy_document, policy.since));
    let account = account::find_policy(cx, cx.scope())?.map(|policy| (policy.policy_document, policy.since));
    let policies = own.into_iter().chain(account).map(|(document, since)| {
        Ok((Policy::parse(document.as_deref().unwrap_or_default())?, since.unwrap_or(0)))
    });
    Ok(Mask(policies.collect::<Result<_>>()?))
}

/// Returns the row key of the policy of a log group.
pub(crate) fn key_of(scope: &Scope, group: &str) -> Key {
    DataProtectionPolicy::table(scope).text(group)
}

/// Data protection policy of a log group.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct DataProtectionPolicy {
    /// Name of the log group.
    log_group_identifier: Option<Text>,
    /// Policy document, as JSON.
    policy_document: Option<Text>,
    /// Time of the last change, in milliseconds since 1970.
    last_updated_time: Option<i64>,
    /// Time from which events are masked, in milliseconds since 1970.
    #[field(not_on_wire)]
    since: Option<i64>,
}

nephos_cloud::stored!(DataProtectionPolicy in "logs/data-protection-policy" by log_group_identifier);

/// Returns the log group and its policy, or a not-found error if the log group does not exist.
fn require_with_policy(cx: &Tx<'_>, identifier: &str) -> Result<(LogGroup, Option<DataProtectionPolicy>)> {
    let name = parse_identifier(cx.scope(), identifier, "logGroupIdentifier")?;
    Ok((LogGroup::require(cx, name, "logGroupName")?, cx.get(&key_of(cx.scope(), name))?))
}

/// Puts a data protection policy on a log group: it masks sensitive values in events that are ingested from now on.
#[operation(
    of = LogGroup, call = "put_data_protection_policy", case = "camel", include(LogGroupIdentifier),
    effect = write, output = DataProtectionPolicy, subject = "log-group:{logGroupIdentifier}:log-stream:"
)]
pub struct PutDataProtectionPolicy {
    /// Policy document, as JSON.
    #[field(length(1..=30720))]
    pub policy_document: Text,
}

impl Handler for PutDataProtectionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<DataProtectionPolicy> {
        let (mut group, before) = require_with_policy(cx, &self.log_group_identifier)?;
        Policy::parse(&self.policy_document)?;
        let now = cx.now().as_millisecond();
        let policy = DataProtectionPolicy {
            log_group_identifier: group.log_group_name.clone(),
            policy_document: Some(self.policy_document),
            last_updated_time: Some(now),
            since: before.and_then(|before| before.since).or(Some(now)),
        };
        group.data_protection_status = Some(DataProtectionStatus::Activated);
        cx.put(group)?;
        cx.put(policy.clone())?;
        Ok(policy)
    }
}

/// Gets the data protection policy of a log group, if it has one.
#[operation(
    of = LogGroup, call = "get_data_protection_policy", none_if_missing, case = "camel",
    include(LogGroupIdentifier), effect = read, output = DataProtectionPolicy,
    subject = "log-group:{logGroupIdentifier}:log-stream:"
)]
pub struct GetDataProtectionPolicy {}

impl Handler for GetDataProtectionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<DataProtectionPolicy> {
        let (group, policy) = require_with_policy(cx, &self.log_group_identifier)?;
        policy.ok_or_else(|| policy_not_found(&group))
    }
}

fn policy_not_found(group: &LogGroup) -> nephos_core::Error {
    errors::data_protection_policy_not_found().with_hint(group.own_name())
}

/// Deletes the data protection policy of a log group.
#[operation(
    of = LogGroup, call = "delete_data_protection_policy", case = "camel", include(LogGroupIdentifier),
    effect = write, subject = "log-group:{logGroupIdentifier}:log-stream:"
)]
pub struct DeleteDataProtectionPolicy {}

impl Handler for DeleteDataProtectionPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let (mut group, policy) = require_with_policy(cx, &self.log_group_identifier)?;
        cx.remove(&policy.ok_or_else(|| policy_not_found(&group))?)?;
        group.data_protection_status = Some(DataProtectionStatus::Deleted);
        cx.put(group)?;
        Ok(Empty {})
    }
}
