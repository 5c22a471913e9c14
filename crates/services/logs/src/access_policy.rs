//! Access policies of destinations: decide which accounts can create subscription filters for a destination.

use super::errors;
use nephos_cloud::{PolicyRules, PolicyService};
use nephos_core::{Map, Result, Value, json};

/// Parameter with an access policy.
pub(super) const FIELD: &str = "accessPolicy";

/// Action that an access policy allows.
const ACTION: &str = "logs:PutSubscriptionFilter";

/// Maximum size of an access policy in bytes.
const MAX_BYTES: usize = 5120;

const RULES: PolicyRules = PolicyRules {
    malformed: |reason| errors::invalid_access_policy().with_hint(reason),
    parameter: FIELD,
    has_principals: true,
    service: Some(PolicyService { name: "logs", resource: "destination", action: ACTION, narrowing: &[] }),
};

/// Checks an access policy.
pub(super) fn check(document: &str) -> Result<()> {
    if document.len() > MAX_BYTES {
        let hint = format!("got {} bytes", document.len());
        return Err(errors::access_policy_too_long().with_field(FIELD).with_hint(hint));
    }
    RULES.parse(document).map(drop)
}

/// True if the policy allows the account to create subscription filters for the destination.
pub(super) fn allows(document: &str, account: &str, destination: &str) -> bool {
    let statements = statements_of(document);
    let applies = |statement: &&Map<Value>| {
        matches_element(statement, "Principal", "NotPrincipal", |value| names_account(value, account))
            && matches_element(statement, "Action", "NotAction", |value| matches_any(value, ACTION))
            && matches_element(statement, "Resource", "NotResource", |value| matches_any(value, destination))
            && holds(statement.get("Condition"), account)
    };
    let has_effect = |effect: &str| {
        let mut applicable = statements.iter().filter(applies);
        applicable.any(|statement| statement.get("Effect").and_then(Value::as_text) == Some(effect))
    };
    has_effect("Allow") && !has_effect("Deny")
}

/// True if the policy grants access to an organization.
pub(super) fn names_organization(document: &str) -> bool {
    let is_organization = |key: &str| key.eq_ignore_ascii_case("aws:PrincipalOrgID");
    let names_organization = |condition: &Value| match condition {
        Value::Map(operators) => operators
            .values()
            .any(|keys| matches!(keys, Value::Map(keys) if keys.keys().any(|key| is_organization(key)))),
        _ => false,
    };
    statements_of(document).iter().filter_map(|statement| statement.get("Condition")).any(names_organization)
}

/// Returns the statements of a valid policy.
fn statements_of(document: &str) -> Vec<Map<Value>> {
    let Ok(Value::Map(mut document)) = json::parse(document.as_bytes()) else { return Vec::new() };
    let to_map = |value| if let Value::Map(map) = value { Some(map) } else { None };
    match document.swap_remove("Statement") {
        Some(Value::List(statements)) => statements.into_iter().filter_map(to_map).collect(),
        statement => statement.and_then(to_map).into_iter().collect(),
    }
}

/// Returns a text, or the texts of a list.
fn texts_of(value: &Value) -> Vec<&str> {
    match value {
        Value::List(items) => items.iter().filter_map(Value::as_text).collect(),
        value => value.as_text().into_iter().collect(),
    }
}

fn matches_element(
    statement: &Map<Value>,
    element: &str,
    negated: &str,
    matches: impl Fn(&Value) -> bool,
) -> bool {
    match (statement.get(element), statement.get(negated)) {
        (Some(value), _) => matches(value),
        (None, Some(value)) => !matches(value),
        (None, None) => false,
    }
}

fn matches_any(value: &Value, text: &str) -> bool {
    texts_of(value).into_iter().any(|pattern| matches_wildcards(pattern, text))
}

/// True if a principal is the whole account.
fn names_account(principal: &Value, account: &str) -> bool {
    let names = match principal {
        Value::Map(by_kind) => by_kind.get("AWS").map(texts_of).unwrap_or_default(),
        value => texts_of(value),
    };
    let is_root =
        |name: &str| name.strip_suffix(":root").is_some_and(|arn| arn.ends_with(&format!(":iam::{account}")));
    names.into_iter().any(|name| name == "*" || name == account || is_root(name))
}

/// True if a condition holds for a caller of the account, of whom only the account is known.
fn holds(condition: Option<&Value>, account: &str) -> bool {
    let Some(Value::Map(operators)) = condition else { return true };
    operators.iter().all(|(operator, keys)| {
        let Value::Map(keys) = keys else { return false };
        keys.iter().all(|(key, wanted)| {
            let known = ["aws:PrincipalAccount", "aws:SourceAccount"];
            let value = known.iter().any(|known| known.eq_ignore_ascii_case(key)).then_some(account);
            holds_for_value(operator, value, &texts_of(wanted))
        })
    })
}

fn holds_for_value(operator: &str, value: Option<&str>, wanted: &[&str]) -> bool {
    let if_exists = operator.strip_suffix("IfExists");
    let base = if_exists.unwrap_or(operator);
    let for_all = base.starts_with("ForAllValues:");
    let base = base.rsplit(':').next().unwrap_or(base);
    if base == "Null" {
        return wanted.contains(&if value.is_none() { "true" } else { "false" });
    }
    let is_negated = base.contains("Not");
    let Some(value) = value else { return if_exists.is_some() || for_all || is_negated };
    let is_match = match base {
        "StringLike" | "StringNotLike" => wanted.iter().any(|wanted| matches_wildcards(wanted, value)),
        _ => wanted.contains(&value),
    };
    is_match != is_negated
}

/// True if the text matches a pattern in which `*` stands for any characters and `?` for one.
fn matches_wildcards(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = &pattern[1..];
            text.char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .any(|at| matches_wildcards(rest, &text[at..]))
        }
        Some(first) => {
            let mut chars = text.chars();
            let next = chars.next();
            (first == '?' && next.is_some() || next == Some(first))
                && matches_wildcards(&pattern[first.len_utf8()..], chars.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARN: &str = "arn:aws:logs:us-east-1:210987654321:destination:central";
    const ACCOUNT: &str = "123456789012";

    fn policy(statements: &str) -> String {
        format!(r#"{{"Version": "2012-10-17", "Statement": [{statements}]}}"#)
    }

    fn statement(effect: &str, principal: &str, more: &str) -> String {
        format!(
            r#"{{"Effect": "{effect}", "Principal": {principal}, "Action": "logs:PutSubscriptionFilter",
            "Resource": "{ARN}"{more}}}"#
        )
    }

    #[test]
    fn policy_allows_the_accounts_that_it_names() {
        let allow = |principal: &str, more: &str| policy(&statement("Allow", principal, more));
        let condition = |text: &str| allow(r#""*""#, &format!(r#", "Condition": {{{text}}}"#));
        let deny = statement("Deny", r#"{"AWS": "123456789012"}"#, "");
        let both = policy(&format!("{}, {deny}", statement("Allow", r#""*""#, "")));
        for (document, expected) in [
            (allow(r#""*""#, ""), true),
            (allow(r#"{"AWS": "123456789012"}"#, ""), true),
            (allow(r#"{"AWS": ["111111111111", "arn:aws:iam::123456789012:root"]}"#, ""), true),
            (allow(r#"{"AWS": "111111111111"}"#, ""), false),
            (allow(r#"{"AWS": "arn:aws:iam::123456789012:user/ann"}"#, ""), false),
            (allow(r#""*""#, "").replace("Put", "*"), true),
            (allow(r#""*""#, "").replace("PutSubscriptionFilter", "P?tSub*"), true),
            (allow(r#""*""#, "").replace("PutSubscriptionFilter", "PutLogEvents"), false),
            (allow(r#""*""#, "").replace("\"Action\"", "\"NotAction\""), false),
            (allow(r#""*""#, "").replace("central", "other"), false),
            (allow(r#""*""#, "").replace(ARN, "*"), true),
            (both, false),
            (condition(r#""StringEquals": {"aws:PrincipalAccount": "123456789012"}"#), true),
            (condition(r#""StringEquals": {"aws:PrincipalAccount": ["1", "2"]}"#), false),
            (condition(r#""StringLike": {"AWS:SourceAccount": "1234*"}"#), true),
            (condition(r#""StringNotEquals": {"aws:PrincipalAccount": "123456789012"}"#), false),
            (condition(r#""StringEquals": {"aws:PrincipalOrgID": "o-1"}"#), false),
            (condition(r#""StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}"#), true),
            (condition(r#""Null": {"aws:PrincipalOrgID": "true"}"#), true),
        ] {
            check(&document).unwrap();
            assert_eq!(allows(&document, ACCOUNT, ARN), expected, "{document}");
        }
    }

    #[test]
    fn policy_that_names_an_organization_is_recognized() {
        let accounts = policy(&statement("Allow", r#""*""#, ""));
        let condition = r#", "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}"#;
        assert!(!names_organization(&accounts));
        assert!(names_organization(&policy(&statement("Allow", r#""*""#, condition))));
    }
}
