//! Access policies of destinations: decide which accounts can create subscription filters for a destination.

use crate::errors;
use nephos_cloud::{AccessRequest, Effect, Policy, PolicyRules, PolicyService, Principal};
use nephos_core::Result;

/// Parameter with an access policy.
const FIELD: &str = "accessPolicy";

/// Action that an access policy allows.
const ACTION: &str = "logs:PutSubscriptionFilter";

/// Maximum size of an access policy in bytes.
const MAX_BYTES: usize = 5120;

const RULES: PolicyRules = PolicyRules {
    has_principals: true,
    service: Some(PolicyService { name: "logs", resource: "destination", action: ACTION, narrowing: &[] }),
    ..PolicyRules::new(FIELD, |reason| errors::invalid_access_policy().with_hint(reason.to_string()))
};

/// Parses an access policy.
pub fn parse(document: &str) -> Result<Policy> {
    if document.len() > MAX_BYTES {
        let hint = format!("got {} bytes", document.len());
        return Err(errors::access_policy_too_long().with_field(FIELD).with_hint(hint));
    }
    RULES.parse(document)
}

/// True if the policy allows the account to create subscription filters for the destination.
pub fn allows(policy: &Policy, account: &str, destination: &str) -> bool {
    let mut request = AccessRequest::new(Principal::root(account), ACTION, destination);
    request.context = request.context.with("aws:SourceAccount", account);
    matches!(policy.evaluate(&request), Some((Effect::Allow, _)))
}

/// True if the policy grants access to an organization.
pub fn names_organization(policy: &Policy) -> bool {
    policy.statements().iter().any(|statement| statement.has_condition_on("aws:PrincipalOrgID"))
}
