//! Trust policies: they decide who may assume a role, in every permission mode, because that is part of the operation.

use super::errors;
use nephos_cloud::{
    AccessRequest, Context, Effect, Mismatch, Policy, PolicyForm, Principal, ResourceFacts, Tx,
};
use nephos_core::{Arn, Error, Result, Text, tags};
use nephos_iam::{AssumableRole, find_role};
use std::sync::Arc;

/// Finds the trust policy and the tags of a role, for decisions about requests to assume it.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let role = find_role(cx, arn.as_str())?;
    Ok(role.map(|role| ResourceFacts {
        policies: vec![role.trust_policy],
        policy_form: PolicyForm::Trust,
        ..ResourceFacts::tagged(tags::to_map(&role.tags))
    }))
}

/// Refuses a text that is not the ARN of a role.
pub(crate) fn check_role_arn(arn: &str, invalid: impl FnOnce() -> Error) -> Result<()> {
    account_in_arn(arn, "role/").map(drop).ok_or_else(|| invalid().with_field("RoleArn"))
}

/// Returns the account in the ARN of a resource whose type is `prefix`; `None` if the text is no such ARN.
pub(crate) fn account_in_arn<'a>(arn: &'a str, prefix: &str) -> Option<&'a str> {
    match Arn::parts(arn)? {
        [_, "iam", "", account, resource] if is_account(account) && resource.starts_with(prefix) => {
            Some(account)
        }
        _ => None,
    }
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A request to assume a role, with the trust policy of the role.
#[derive(Debug)]
pub(crate) struct TrustRequest {
    request: AccessRequest,
    policy: Arc<Policy>,
}

impl TrustRequest {
    pub(crate) fn new(
        cx: &Tx<'_>,
        principal: Principal,
        role: &AssumableRole,
        context: Context,
    ) -> Result<Self> {
        let policy = cx.parse_policy(&role.trust_policy, PolicyForm::Trust)?;
        let mut request = AccessRequest::new(principal, "", role.arn.clone());
        request.context = context;
        Ok(Self { request, policy })
    }

    /// Checks that the trust policy allows an action.
    ///
    /// # Errors
    ///
    /// Refused with the text `refused`, and the part of the policy that does not match as a hint.
    pub(crate) fn check(&mut self, action: &str, refused: impl FnOnce() -> Error) -> Result<()> {
        self.request.action = action.into();
        match self.policy.evaluate(&self.request) {
            Some((Effect::Allow, _)) => Ok(()),
            Some((Effect::Deny, _)) => Err(refused().with_hint("a statement of the trust policy denies it")),
            None => {
                let reason = self.nearest().map_or_else(String::new, |mismatch| format!(": {mismatch}"));
                Err(refused().with_hint(format!("the trust policy does not allow {action}{reason}")))
            }
        }
    }

    /// Returns the part of the statement nearest to allowing the request that does not match.
    fn nearest(&self) -> Option<Mismatch> {
        let allowing = self.policy.statements().iter().filter(|statement| statement.effect == Effect::Allow);
        let mismatches = allowing.filter_map(|statement| statement.check(&self.request).err());
        mismatches.max_by_key(|mismatch| match mismatch {
            Mismatch::Principal => 0,
            Mismatch::Action => 1,
            Mismatch::Resource => 2,
            Mismatch::Condition { .. } => 3,
        })
    }
}

/// Creates the error for a caller who may not do `action` to a role.
pub(crate) fn not_authorized(principal: &Principal, action: &str, role_arn: &Text) -> Error {
    errors::not_authorized(&principal.arn, action, role_arn)
}
