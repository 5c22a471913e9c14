//! Key policies.

use crate::{CryptoKey, errors, key};
use nephos_cloud::{AccessRequest, Effect, Key, Policy, PolicyRules, PrincipalKind, Scope, Stored, Tx};
use nephos_core::{Arn, Result, Text, record_of};

/// Row of the policy of a key. A key without one has the default policy.
#[record_of(of = CryptoKey, takes(key_id), row, name = "KeyPolicy")]
pub(crate) struct PolicyRow {
    /// Policy document.
    pub(crate) policy: Option<Text>,
}

nephos_cloud::stored!(PolicyRow in "kms/policy" by key_id);

/// Rules for key policies.
const RULES: PolicyRules = PolicyRules {
    has_principals: true,
    ..PolicyRules::new("Policy", |reason| errors::malformed_policy().with_hint(reason.to_string()))
};

fn row_key(scope: &Scope, id: &str) -> Key {
    PolicyRow::table(scope).text(id)
}

/// Refuses a malformed policy, one with principals that do not exist, and one that does not let the caller change it
/// afterwards, unless that is bypassed.
pub(crate) fn check(cx: &mut Tx<'_>, policy: &str, is_bypassed: bool) -> Result<()> {
    let policy = RULES.parse(policy)?;
    for (kind, name) in policy.principals() {
        let is_arn = kind == PrincipalKind::Aws && Arn::parts(name).is_some();
        if is_arn && !cx.has_principal(name)? {
            let hint = format!("{name} does not exist");
            return Err(errors::invalid_principals().with_field("Policy").with_hint(hint));
        }
    }
    if is_bypassed || lets_caller_change(cx, &policy)? {
        return Ok(());
    }
    let hint = format!("the policy does not allow kms:PutKeyPolicy to {}", cx.caller().principal().arn);
    Err(errors::policy_locks_out().with_field("Policy").with_hint(hint))
}

/// True if a policy allows the caller, or the account of the caller, to change it.
fn lets_caller_change(cx: &mut Tx<'_>, policy: &Policy) -> Result<bool> {
    let any_key = key::arn(cx.scope(), "*");
    let mut request = AccessRequest::new(cx.caller().principal(), "kms:PutKeyPolicy", any_key.as_str());
    request.context = cx.caller_context()?.with("kms:CallerAccount", cx.caller().account());
    Ok(matches!(policy.evaluate(&request), Some((Effect::Allow, _))))
}

/// Stores the policy of a key.
pub(crate) fn put(cx: &mut Tx<'_>, id: &str, policy: Text) -> Result<()> {
    cx.put(PolicyRow { key_id: Some(id.into()), policy: Some(policy) })
}

/// Removes the policy of a key.
pub(crate) fn remove(cx: &mut Tx<'_>, id: &str) -> Result<()> {
    let key = row_key(cx.scope(), id);
    cx.remove_row(&key)
}

/// Returns the policy of a key.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Text> {
    let row: Option<PolicyRow> = cx.get(&row_key(cx.scope(), id))?;
    Ok(row.and_then(|row| row.policy).unwrap_or_else(|| default_policy(cx.scope())))
}

/// Returns the policy of keys that were created without one: the account decides by its own policies.
fn default_policy(scope: &Scope) -> Text {
    let account = scope.account();
    format!(
        r#"{{
  "Version" : "2012-10-17",
  "Id" : "key-default-1",
  "Statement" : [ {{
    "Sid" : "Enable IAM User Permissions",
    "Effect" : "Allow",
    "Principal" : {{
      "AWS" : "arn:aws:iam::{account}:root"
    }},
    "Action" : "kms:*",
    "Resource" : "*"
  }} ]
}}"#
    )
    .into()
}
