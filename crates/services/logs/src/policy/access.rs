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
pub(crate) fn parse(document: &str) -> Result<Policy> {
    if document.len() > MAX_BYTES {
        let hint = format!("got {} bytes", document.len());
        return Err(errors::access_policy_too_long().with_field(FIELD).with_hint(hint));
    }
    RULES.parse(document)
}

/// True if the policy allows the account to create subscription filters for the destination.
pub(crate) fn allows(policy: &Policy, account: &str, destination: &str) -> bool {
    let mut request = AccessRequest::new(Principal::root(account), ACTION, destination);
    request.context = request.context.with("aws:SourceAccount", account);
    matches!(policy.evaluate(&request), Some((Effect::Allow, _)))
}

/// True if the policy grants access to an organization.
pub(crate) fn names_organization(policy: &Policy) -> bool {
    policy.statements().iter().any(|statement| statement.has_condition_on("aws:PrincipalOrgID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARN: &str = "arn:aws:logs:us-east-1:210987654321:destination:central";

    fn document(principal: &str, more: &str) -> String {
        format!(
            r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": {principal},
            "Action": "logs:PutSubscriptionFilter", "Resource": "{ARN}"{more}}}]}}"#
        )
    }

    #[test]
    fn policy_allows_the_accounts_that_it_names() {
        let condition = |text: &str| document(r#""*""#, &format!(r#", "Condition": {{{text}}}"#));
        for (document, expected) in [
            (document(r#""*""#, ""), true),
            (document(r#"{"AWS": "123456789012"}"#, ""), true),
            (document(r#"{"AWS": ["111111111111", "arn:aws:iam::123456789012:root"]}"#, ""), true),
            (document(r#"{"AWS": "111111111111"}"#, ""), false),
            (document(r#"{"AWS": "arn:aws:iam::123456789012:user/ann"}"#, ""), false),
            (document(r#""*""#, "").replace("PutSubscriptionFilter", "PutLogEvents"), false),
            (document(r#""*""#, "").replace("central", "other"), false),
            (document(r#""*""#, "").replace("Allow", "Deny"), false),
            (condition(r#""StringLike": {"aws:SourceAccount": "1234*"}"#), true),
            (condition(r#""StringEquals": {"aws:PrincipalAccount": "111111111111"}"#), false),
            (condition(r#""StringEquals": {"aws:PrincipalOrgID": "o-1"}"#), false),
        ] {
            assert_eq!(allows(&parse(&document).unwrap(), "123456789012", ARN), expected, "{document}");
        }
    }

    #[test]
    fn policy_that_names_an_organization_is_recognized() {
        let condition = r#", "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}"#;
        assert!(!names_organization(&parse(&document(r#""*""#, "")).unwrap()));
        assert!(names_organization(&parse(&document(r#""*""#, condition)).unwrap()));
    }
}
