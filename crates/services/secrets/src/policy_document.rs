//! Resource policies as documents: whether they are written as the provider's policies are, and whether they let
//! everybody in.

use super::errors;
use nephos_core::{Arn, Map, Result, Value, json};
use std::collections::HashSet;

/// A resource policy that is written as one.
pub(super) struct Policy {
    statements: Vec<Map<Value>>,
}

fn malformed<T>(why: impl std::fmt::Display) -> Result<T> {
    Err(errors::MALFORMED_POLICY
        .because(format!("the policy is not written as one: {why}"))
        .with_field("ResourcePolicy"))
}

/// A value, or the values of a list, all of which have to be texts.
fn texts<'v>(value: &'v Value, of: &str) -> Result<Vec<&'v str>> {
    let text = |value: &'v Value| value.as_text();
    let found = match value {
        Value::List(items) if items.is_empty() => None,
        Value::List(items) => items.iter().map(text).collect::<Option<Vec<_>>>(),
        value => text(value).map(|text| vec![text]),
    };
    found.map_or_else(|| malformed(format!("{of} is a text, or a list of texts")), Ok)
}

impl Policy {
    /// The policy that `text` is.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let Ok(Value::Map(document)) = json::parse(text.as_bytes()) else {
            return malformed("it is no JSON object");
        };
        for (element, value) in &document {
            match element.as_str() {
                "Version" if !matches!(value.as_text(), Some("2012-10-17" | "2008-10-17")) => {
                    return malformed("Version is 2012-10-17 or 2008-10-17");
                }
                "Id" if value.as_text().is_none() => return malformed("Id is a text"),
                "Version" | "Id" | "Statement" => {}
                other => return malformed(format!("there is no element {other}")),
            }
        }
        let statements = match document.get("Statement") {
            Some(Value::List(items)) if !items.is_empty() => items.clone(),
            Some(statement @ Value::Map(_)) => vec![statement.clone()],
            _ => return malformed("Statement is an object, or a list of objects"),
        };
        let mut ids = HashSet::new();
        let mut read = Vec::new();
        for statement in statements {
            let Value::Map(statement) = statement else { return malformed("a statement is an object") };
            check_statement(&statement)?;
            if let Some(id) = statement.get("Sid").and_then(Value::as_text)
                && !id.is_empty()
                && !ids.insert(id.to_owned())
            {
                return malformed(format!("two statements have the Sid {id}"));
            }
            read.push(statement);
        }
        Ok(Self { statements: read })
    }

    /// Whether it lets everybody in: it allows something to all principals, under no condition that tells them apart.
    pub(super) fn is_public(&self) -> bool {
        self.statements.iter().any(|statement| {
            let allows = statement.get("Effect").and_then(Value::as_text) == Some("Allow");
            allows && names_everybody(statement) && !narrows(statement.get("Condition"))
        })
    }
}

fn check_statement(statement: &Map<Value>) -> Result<()> {
    let has = |element: &str| statement.contains_key(element);
    for (one, other) in [("Principal", "NotPrincipal"), ("Action", "NotAction"), ("Resource", "NotResource")]
    {
        if has(one) == has(other) {
            return malformed(format!("a statement has {one} or {other}"));
        }
    }
    if !has("Effect") {
        return malformed("a statement has an Effect");
    }
    for (element, value) in statement {
        match element.as_str() {
            "Sid" => {
                let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric());
                if !value.as_text().is_some_and(plain) {
                    return malformed("a Sid has letters and digits only");
                }
            }
            "Effect" => {
                if !matches!(value.as_text(), Some("Allow" | "Deny")) {
                    return malformed("an Effect is Allow or Deny");
                }
            }
            "Principal" | "NotPrincipal" => check_principal(value)?,
            "Action" | "NotAction" => check_actions(value)?,
            "Resource" | "NotResource" => check_resources(value)?,
            "Condition" => check_condition(value)?,
            other => return malformed(format!("a statement has no element {other}")),
        }
    }
    Ok(())
}

fn check_principal(value: &Value) -> Result<()> {
    let by_kind = match value {
        Value::Text(all) if all == "*" => return Ok(()),
        Value::Map(by_kind) if !by_kind.is_empty() => by_kind,
        _ => {
            return malformed(
                "a principal is \"*\", or an object of AWS, Service, Federated or CanonicalUser",
            );
        }
    };
    for (kind, value) in by_kind {
        for name in texts(value, kind)? {
            let right = match kind.as_str() {
                "AWS" => {
                    let account = name.len() == 12 && name.bytes().all(|byte| byte.is_ascii_digit());
                    // What was a user or role once is told by its id.
                    let id = name.len() >= 16 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    let arn =
                        Arn::parts(name).is_some_and(|[_, service, ..]| matches!(service, "iam" | "sts"));
                    name == "*" || account || id || arn
                }
                "Service" => name.contains('.') && !name.contains(['*', ' ', '/']),
                "Federated" | "CanonicalUser" => !name.is_empty(),
                other => return malformed(format!("there are no principals of kind {other}")),
            };
            if !right {
                return malformed(format!("{name:?} is no principal of kind {kind}"));
            }
        }
    }
    Ok(())
}

fn check_actions(value: &Value) -> Result<()> {
    for action in texts(value, "an action")? {
        let name = match action.split_once(':') {
            Some((service, name)) if service.eq_ignore_ascii_case("secretsmanager") => name,
            _ if action == "*" => continue,
            _ => {
                return malformed(format!(
                    "{action:?} is no action on secrets, such as secretsmanager:GetSecretValue"
                ));
            }
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*?".contains(&byte))
        {
            return malformed(format!("{action:?} is no action"));
        }
    }
    Ok(())
}

fn check_resources(value: &Value) -> Result<()> {
    for resource in texts(value, "a resource")? {
        let secret = Arn::parts(resource).is_some_and(|[_, service, ..]| service == "secretsmanager");
        if resource != "*" && !secret {
            return malformed(format!("{resource:?} is neither \"*\" nor the resource name of a secret"));
        }
    }
    Ok(())
}

/// What conditions compare with.
const OPERATORS: [&str; 27] = [
    "StringEquals",
    "StringNotEquals",
    "StringEqualsIgnoreCase",
    "StringNotEqualsIgnoreCase",
    "StringLike",
    "StringNotLike",
    "NumericEquals",
    "NumericNotEquals",
    "NumericLessThan",
    "NumericLessThanEquals",
    "NumericGreaterThan",
    "NumericGreaterThanEquals",
    "DateEquals",
    "DateNotEquals",
    "DateLessThan",
    "DateLessThanEquals",
    "DateGreaterThan",
    "DateGreaterThanEquals",
    "Bool",
    "BinaryEquals",
    "IpAddress",
    "NotIpAddress",
    "ArnEquals",
    "ArnLike",
    "ArnNotEquals",
    "ArnNotLike",
    "Null",
];

/// An operator without what may stand before and after it.
fn operator(written: &str) -> &str {
    let written = written.strip_suffix("IfExists").unwrap_or(written);
    ["ForAllValues:", "ForAnyValue:"].iter().find_map(|set| written.strip_prefix(set)).unwrap_or(written)
}

fn check_condition(value: &Value) -> Result<()> {
    let Value::Map(operators) = value else { return malformed("a Condition is an object") };
    for (written, keys) in operators {
        if !OPERATORS.contains(&operator(written)) {
            return malformed(format!("conditions have no operator {written}"));
        }
        let Value::Map(keys) = keys else { return malformed(format!("{written} is an object of keys")) };
        for (key, value) in keys {
            if !key.contains(':') {
                return malformed(format!("{key:?} is no key of a condition"));
            }
            let scalar = |value: &Value| value.view().text_form().is_some();
            let right = match value {
                Value::List(items) => !items.is_empty() && items.iter().all(scalar),
                value => scalar(value),
            };
            if !right {
                return malformed(format!("{key} has a value, or a list of values"));
            }
        }
    }
    Ok(())
}

/// Whether a statement is about all principals.
fn names_everybody(statement: &Map<Value>) -> bool {
    match statement.get("Principal") {
        // Everybody but somebody is still everybody.
        None => statement.contains_key("NotPrincipal"),
        Some(Value::Map(by_kind)) => by_kind
            .get("AWS")
            .and_then(|value| texts(value, "AWS").ok())
            .is_some_and(|all| all.contains(&"*")),
        Some(all) => all.as_text() == Some("*"),
    }
}

/// Keys of conditions that tell callers apart.
const NARROWING: [&str; 14] = [
    "aws:principalorgid",
    "aws:principalorgpaths",
    "aws:principalaccount",
    "aws:principalarn",
    "aws:userid",
    "aws:username",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceorgid",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:sourceowner",
    "aws:sourceip",
    "secretsmanager:vpcsourceip",
];

/// Whether a condition lets only some callers pass.
fn narrows(condition: Option<&Value>) -> bool {
    let Some(Value::Map(operators)) = condition else { return false };
    operators.iter().any(|(written, keys)| {
        let positive = matches!(
            operator(written),
            "StringEquals" | "StringEqualsIgnoreCase" | "StringLike" | "ArnEquals" | "ArnLike" | "IpAddress"
        );
        // Where a key that is missing passes, everybody without it passes.
        let always = !written.ends_with("IfExists") && !written.starts_with("ForAllValues:");
        let Value::Map(keys) = keys else { return false };
        positive
            && always
            && keys.iter().any(|(key, value)| {
                let fixed = |value: &str| {
                    !value.starts_with('*') && !value.starts_with('?') && !value.ends_with("/0")
                };
                NARROWING.contains(&key.to_ascii_lowercase().as_str())
                    && texts(value, key).is_ok_and(|values| values.into_iter().all(fixed))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(statement: &str) -> String {
        format!(r#"{{"Version": "2012-10-17", "Statement": [{{{statement}}}]}}"#)
    }

    const READS: &str = r#""Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": "*""#;

    #[test]
    fn policies_are_written_in_many_ways() {
        for text in [
            policy(&format!(r#"{READS}, "Principal": "*""#)),
            policy(&format!(r#"{READS}, "Principal": {{"AWS": "123456789012"}}, "Sid": "a1""#)),
            policy(&format!(r#"{READS}, "Principal": {{"AWS": ["arn:aws:iam::123456789012:root", "*"]}}"#)),
            policy(&format!(r#"{READS}, "NotPrincipal": {{"Service": "rds.amazonaws.com"}}"#)),
            policy(
                r#""Effect": "Deny", "Principal": "*", "NotAction": ["secretsmanager:Describe*", "*"],
                "NotResource": "arn:aws:secretsmanager:us-east-1:123456789012:secret:web-*",
                "Condition": {"Bool": {"aws:SecureTransport": false}, "ForAnyValue:StringLikeIfExists": {"a:b": ["x"]}}"#,
            ),
            format!(r#"{{"Statement": {{{READS}, "Principal": "*"}}, "Id": "x"}}"#),
        ] {
            Policy::parse(&text).unwrap();
        }
    }

    #[test]
    fn what_is_no_policy_is_refused() {
        let whole = format!(r#"{READS}, "Principal": "*""#);
        for text in [
            "".to_owned(),
            "[]".to_owned(),
            "{".to_owned(),
            "{}".to_owned(),
            r#"{"Statement": []}"#.to_owned(),
            r#"{"Statement": ["x"]}"#.to_owned(),
            format!(r#"{{"Version": "2020-01-01", "Statement": {{{whole}}}}}"#),
            format!(r#"{{"Extra": 1, "Statement": {{{whole}}}}}"#),
            format!(r#"{{"Statement": [{{{whole}, "Sid": "a"}}, {{{whole}, "Sid": "a"}}]}}"#),
            policy(READS),
            policy(&format!(r#"{whole}, "NotPrincipal": "*""#)),
            policy(&format!(r#"{whole}, "Sid": "a b""#)),
            policy(&format!(r#"{whole}, "Extra": 1"#)),
            policy(&whole.replace("Allow", "allow")),
            policy(&whole.replace("secretsmanager:", "s3:")),
            policy(&whole.replace("GetSecretValue", "Get Value")),
            policy(&whole.replace(r#""Resource": "*""#, r#""Resource": "web""#)),
            policy(&whole.replace(r#""Resource": "*""#, r#""Resource": []"#)),
            policy(&format!(r#"{READS}, "Principal": "123456789012""#)),
            policy(&format!(r#"{READS}, "Principal": {{"AWS": "me"}}"#)),
            policy(&format!(r#"{READS}, "Principal": {{"Human": "me"}}"#)),
            policy(&format!(r#"{whole}, "Condition": {{"StringIs": {{"a:b": "x"}}}}"#)),
            policy(&format!(r#"{whole}, "Condition": {{"StringLike": {{"a": "x"}}}}"#)),
            policy(&format!(r#"{whole}, "Condition": {{"StringLike": {{"a:b": []}}}}"#)),
        ] {
            let error = Policy::parse(&text).map(drop).expect_err(&text);
            assert_eq!(error.code(), "MalformedPolicyDocumentException", "{text}");
        }
    }

    #[test]
    fn a_policy_is_public_if_everybody_may_do_something() {
        let everybody = format!(r#"{READS}, "Principal": "*""#);
        let with = |condition: &str| format!(r#"{everybody}, "Condition": {{{condition}}}"#);
        for (statement, public) in [
            (everybody.clone(), true),
            (format!(r#"{READS}, "Principal": {{"AWS": ["123456789012", "*"]}}"#), true),
            (format!(r#"{READS}, "NotPrincipal": {{"AWS": "123456789012"}}"#), true),
            (format!(r#"{READS}, "Principal": {{"AWS": "123456789012"}}"#), false),
            (everybody.replace("Allow", "Deny"), false),
            (with(r#""StringEquals": {"aws:PrincipalOrgID": "o-1"}"#), false),
            (with(r#""IpAddress": {"aws:SourceIp": "10.0.0.0/8"}"#), false),
            (with(r#""IpAddress": {"aws:SourceIp": "0.0.0.0/0"}"#), true),
            (with(r#""StringLike": {"aws:PrincipalArn": "*"}"#), true),
            (with(r#""StringNotEquals": {"aws:PrincipalOrgID": "o-1"}"#), true),
            (with(r#""StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}"#), true),
            (with(r#""Bool": {"aws:SecureTransport": "true"}"#), true),
        ] {
            assert_eq!(Policy::parse(&policy(&statement)).unwrap().is_public(), public, "{statement}");
        }
    }
}
