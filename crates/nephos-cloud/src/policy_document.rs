//! Policy documents: whether they are written as the provider's policies are, and whether they let everybody in.

use nephos_core::{Arn, Code, Map, Result, Value, json};
use std::{collections::HashSet, fmt::Display};

/// The rules for policies of a service: the code for a document that breaks one, and what its statements can be about.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRules {
    /// The code for a document that is not written as a policy.
    pub malformed: &'static Code,
    /// The parameter that holds the document.
    pub parameter: &'static str,
    /// True for policies of resources, whose statements name principals; false for those of identities, whose do not.
    pub has_principals: bool,
    /// The service that actions and resources have to be of; any if absent.
    pub service: Option<PolicyService>,
}

/// A service that the statements of a policy are about.
#[derive(Clone, Copy, Debug)]
pub struct PolicyService {
    /// The name of the service in actions and ARNs.
    pub name: &'static str,
    /// The word for one of its resources, for the refusal.
    pub resource: &'static str,
    /// One of its actions, for the refusal.
    pub action: &'static str,
    /// Condition keys of its own that tell callers apart, in lower case.
    pub narrowing: &'static [&'static str],
}

/// A document that is written as a policy.
#[derive(Clone, Debug)]
pub struct Policy {
    rules: PolicyRules,
    statements: Vec<Map<Value>>,
}

/// A value, or the values of a list; none unless all of them are texts.
fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::List(items) if items.is_empty() => None,
        Value::List(items) => items.iter().map(Value::as_text).collect(),
        value => value.as_text().map(|text| vec![text]),
    }
}

impl PolicyRules {
    /// The policy that `text` is.
    ///
    /// # Errors
    ///
    /// What is not written as a policy is refused with the code for that.
    pub fn parse(&self, text: &str) -> Result<Policy> {
        let Ok(Value::Map(document)) = json::parse(text.as_bytes()) else {
            return self.malformed("it is no JSON object");
        };
        for (element, value) in &document {
            match element.as_str() {
                "Version" if !matches!(value.as_text(), Some("2012-10-17" | "2008-10-17")) => {
                    return self.malformed("Version is 2012-10-17 or 2008-10-17");
                }
                "Id" if value.as_text().is_none() => return self.malformed("Id is a text"),
                "Version" | "Id" | "Statement" => {}
                other => return self.malformed(format!("there is no element {other}")),
            }
        }
        let statements = match document.get("Statement") {
            Some(Value::List(items)) if !items.is_empty() => items.clone(),
            Some(statement @ Value::Map(_)) => vec![statement.clone()],
            _ => return self.malformed("Statement is an object, or a list of objects"),
        };
        let mut ids = HashSet::new();
        let mut read = Vec::new();
        for statement in statements {
            let Value::Map(statement) = statement else {
                return self.malformed("a statement is an object");
            };
            self.check_statement(&statement)?;
            if let Some(id) = statement.get("Sid").and_then(Value::as_text)
                && !id.is_empty()
                && !ids.insert(id.to_owned())
            {
                return self.malformed(format!("two statements have the Sid {id}"));
            }
            read.push(statement);
        }
        Ok(Policy { rules: *self, statements: read })
    }

    fn malformed<T>(&self, why: impl Display) -> Result<T> {
        let why = format!("the policy is not written as one: {why}");
        Err(self.malformed.with_message(why).with_field(self.parameter))
    }

    fn texts<'v>(&self, value: &'v Value, of: &str) -> Result<Vec<&'v str>> {
        texts(value).map_or_else(|| self.malformed(format!("{of} is a text, or a list of texts")), Ok)
    }

    fn check_statement(&self, statement: &Map<Value>) -> Result<()> {
        let has = |element: &str| statement.contains_key(element);
        let pairs = [("Principal", "NotPrincipal"), ("Action", "NotAction"), ("Resource", "NotResource")];
        for (one, other) in pairs.into_iter().skip(usize::from(!self.has_principals)) {
            if has(one) == has(other) {
                return self.malformed(format!("a statement has {one} or {other}"));
            }
        }
        if !has("Effect") {
            return self.malformed("a statement has an Effect");
        }
        for (element, value) in statement {
            match element.as_str() {
                "Sid" => {
                    let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    if !value.as_text().is_some_and(plain) {
                        return self.malformed("a Sid has letters and digits only");
                    }
                }
                "Effect" => {
                    if !matches!(value.as_text(), Some("Allow" | "Deny")) {
                        return self.malformed("an Effect is Allow or Deny");
                    }
                }
                "Principal" | "NotPrincipal" if self.has_principals => self.check_principal(value)?,
                "Action" | "NotAction" => self.check_actions(value)?,
                "Resource" | "NotResource" => self.check_resources(value)?,
                "Condition" => self.check_condition(value)?,
                other => return self.malformed(format!("a statement has no element {other}")),
            }
        }
        Ok(())
    }

    fn check_principal(&self, value: &Value) -> Result<()> {
        let by_kind = match value {
            Value::Text(all) if all == "*" => return Ok(()),
            Value::Map(by_kind) if !by_kind.is_empty() => by_kind,
            _ => {
                return self.malformed(
                    "a principal is \"*\", or an object of AWS, Service, Federated or CanonicalUser",
                );
            }
        };
        for (kind, value) in by_kind {
            for name in self.texts(value, kind)? {
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
                    other => return self.malformed(format!("there are no principals of kind {other}")),
                };
                if !right {
                    return self.malformed(format!("{name:?} is no principal of kind {kind}"));
                }
            }
        }
        Ok(())
    }

    fn check_actions(&self, value: &Value) -> Result<()> {
        for action in self.texts(value, "an action")?.into_iter().filter(|action| *action != "*") {
            let parts = action.split_once(':');
            if let Some(PolicyService { name, resource, action: known, .. }) = self.service
                && !parts.is_some_and(|(service, _)| service.eq_ignore_ascii_case(name))
            {
                return self.malformed(format!("{action:?} is no action on {resource}s, such as {known}"));
            }
            let plain =
                |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*?".contains(&byte));
            if !parts.is_some_and(|(_, name)| !name.is_empty() && plain(name)) {
                return self.malformed(format!("{action:?} is no action"));
            }
        }
        Ok(())
    }

    fn check_resources(&self, value: &Value) -> Result<()> {
        for resource in self.texts(value, "a resource")?.into_iter().filter(|resource| *resource != "*") {
            let service = Arn::parts(resource).map(|[_, service, ..]| service);
            match self.service {
                Some(own) if service != Some(own.name) => {
                    let what = own.resource;
                    return self.malformed(format!(
                        "{resource:?} is neither \"*\" nor the resource name of a {what}"
                    ));
                }
                None if service.is_none() => {
                    return self.malformed(format!("{resource:?} is neither \"*\" nor an ARN"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_condition(&self, value: &Value) -> Result<()> {
        let Value::Map(operators) = value else { return self.malformed("a Condition is an object") };
        for (written, keys) in operators {
            if !OPERATORS.contains(&operator(written)) {
                return self.malformed(format!("conditions have no operator {written}"));
            }
            let Value::Map(keys) = keys else {
                return self.malformed(format!("{written} is an object of keys"));
            };
            for (key, value) in keys {
                if !key.contains(':') {
                    return self.malformed(format!("{key:?} is no key of a condition"));
                }
                let scalar = |value: &Value| value.view().text_form().is_some();
                let right = match value {
                    Value::List(items) => !items.is_empty() && items.iter().all(scalar),
                    value => scalar(value),
                };
                if !right {
                    return self.malformed(format!("{key} has a value, or a list of values"));
                }
            }
        }
        Ok(())
    }
}

impl Policy {
    /// Whether it lets everybody in: it allows something to all principals, under no condition that tells them apart.
    pub fn is_public(&self) -> bool {
        let own = self.rules.service.map_or(&[][..], |service| service.narrowing);
        self.statements.iter().any(|statement| {
            let allows = statement.get("Effect").and_then(Value::as_text) == Some("Allow");
            allows && names_everybody(statement) && !narrows(statement.get("Condition"), own)
        })
    }
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

/// Whether a statement is about all principals.
fn names_everybody(statement: &Map<Value>) -> bool {
    match statement.get("Principal") {
        // Everybody but somebody is still everybody.
        None => statement.contains_key("NotPrincipal"),
        Some(Value::Map(by_kind)) => by_kind.get("AWS").and_then(texts).is_some_and(|all| all.contains(&"*")),
        Some(all) => all.as_text() == Some("*"),
    }
}

/// Keys of conditions of every service that tell callers apart.
const NARROWING: [&str; 13] = [
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
];

/// Whether a condition lets only some callers pass; `own` are the keys of the service that tell callers apart.
fn narrows(condition: Option<&Value>, own: &[&str]) -> bool {
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
                let lower = key.to_ascii_lowercase();
                let tells_apart = NARROWING.iter().chain(own).any(|known| *known == lower);
                tells_apart && texts(value).is_some_and(|values| values.into_iter().all(fixed))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_core::ErrorKind;

    static MALFORMED: Code = Code {
        code: "MalformedPolicyDocument",
        status: 400,
        kind: ErrorKind::Invalid,
        meaning: "It is no policy.",
    };

    const OF_SECRETS: PolicyRules = PolicyRules {
        malformed: &MALFORMED,
        parameter: "ResourcePolicy",
        has_principals: true,
        service: Some(PolicyService {
            name: "secretsmanager",
            resource: "secret",
            action: "secretsmanager:GetSecretValue",
            narrowing: &["secretsmanager:vpcsourceip"],
        }),
    };

    const OF_IDENTITIES: PolicyRules =
        PolicyRules { parameter: "PolicyDocument", has_principals: false, service: None, ..OF_SECRETS };

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
            OF_SECRETS.parse(&text).unwrap();
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
            let error = OF_SECRETS.parse(&text).map(drop).expect_err(&text);
            let expected = ("MalformedPolicyDocument", Some("ResourcePolicy"));
            assert_eq!((error.code(), error.field()), expected, "{text}");
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
            (with(r#""IpAddress": {"secretsmanager:VpcSourceIp": "10.0.0.0/8"}"#), false),
        ] {
            assert_eq!(OF_SECRETS.parse(&policy(&statement)).unwrap().is_public(), public, "{statement}");
        }
    }

    #[test]
    fn policies_of_identities_have_no_principals_and_are_about_any_service() {
        let statement = r#""Effect": "Allow", "Action": ["s3:Get*", "*"], "Resource": "arn:aws:s3:::web/*""#;
        assert!(!OF_IDENTITIES.parse(&policy(statement)).unwrap().is_public());
        for text in [
            policy(&format!(r#"{statement}, "Principal": "*""#)),
            policy(&statement.replace("s3:Get*", "Get")),
            policy(&statement.replace("arn:aws:s3:::web/*", "web")),
        ] {
            let error = OF_IDENTITIES.parse(&text).map(drop).expect_err(&text);
            assert_eq!(error.field(), Some("PolicyDocument"), "{text}");
        }
    }
}
