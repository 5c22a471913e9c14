//! Policy documents: validation by the grammar of the provider's policies, evaluation, and detection of public access.

mod check;
mod condition;
mod decision;
mod malformed;
mod pattern;
mod request;
mod statement;

pub use decision::{Decision, Layer, PolicySet, Reason};
pub use malformed::Malformed;
pub use request::{AccessRequest, Context, Principal, PrincipalKind};
pub use statement::{Effect, Mismatch, Statement};

use condition::base_operator;
use nephos_core::{Error, Map, Result, Value, json};

/// Rules for the policies of a service: the error for a malformed document, and what its statements can refer to.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRules {
    /// Error for a document that is malformed for this reason.
    pub malformed: fn(&Malformed) -> Error,
    /// Name of the parameter with the document.
    pub parameter: &'static str,
    /// True for resource policies, whose statements name principals; false for identity policies, whose statements do not.
    pub has_principals: bool,
    /// Resources that statements name.
    pub resources: Resources,
    /// True if the document must have the current version, as managed policies must.
    pub needs_current_version: bool,
    /// Service that all actions and resources must belong to; any service if absent.
    pub service: Option<PolicyService>,
}

/// Resources that the statements of a policy name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resources {
    /// None, as in trust policies of roles: the role is the only one.
    None,
    /// Any texts.
    Any,
    /// ARNs, or parts of them with wildcards.
    Arns,
}

/// A service that the statements of a policy refer to.
#[derive(Clone, Copy, Debug)]
pub struct PolicyService {
    /// Name of the service in actions and ARNs.
    pub name: &'static str,
    /// Noun for a resource of the service, for error messages.
    pub resource: &'static str,
    /// Example of an action, for error messages.
    pub action: &'static str,
    /// Condition keys of the service that restrict the callers, in lower case.
    pub narrowing: &'static [&'static str],
}

/// A valid policy document.
#[derive(Clone, Debug)]
pub struct Policy {
    statements: Vec<Statement>,
    is_public: bool,
}

/// Returns a text, or the texts of a list; `None` if a value is not a text or the list is empty.
fn to_texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::List(items) if items.is_empty() => None,
        Value::List(items) => items.iter().map(Value::as_text).collect(),
        value => value.as_text().map(|text| vec![text]),
    }
}

impl PolicyRules {
    /// Rules for policies of identities: no principals, any service.
    pub const fn new(parameter: &'static str, malformed: fn(&Malformed) -> Error) -> Self {
        let resources = Resources::Arns;
        Self {
            malformed,
            parameter,
            has_principals: false,
            resources,
            needs_current_version: false,
            service: None,
        }
    }

    /// Parses a policy document.
    ///
    /// # Errors
    ///
    /// Refused with `malformed` if the document does not follow the grammar of policies.
    pub fn parse(&self, text: &str) -> Result<Policy> {
        let Ok(Value::Map(document)) = json::parse(text.as_bytes()) else {
            return self.malformed(Malformed::NotJson);
        };
        let read = match self.check(&document) {
            Ok(statements) => statements,
            Err(reason) => return self.malformed(reason),
        };
        let has_variables = document.get("Version").and_then(Value::as_text) == Some("2012-10-17");
        Ok(Policy {
            statements: read.iter().map(|statement| Statement::read(statement, has_variables)).collect(),
            is_public: self.is_public(&read),
        })
    }

    /// True if a statement allows something to all principals, and no condition restricts the callers.
    fn is_public(&self, statements: &[Map<Value>]) -> bool {
        let service_keys = self.service.map_or(&[][..], |service| service.narrowing);
        statements.iter().any(|statement| {
            let allows = statement.get("Effect").and_then(Value::as_text) == Some("Allow");
            allows
                && names_everybody(statement)
                && !restricts_callers(statement.get("Condition"), service_keys)
        })
    }

    fn malformed<T>(&self, reason: Malformed) -> Result<T> {
        Err((self.malformed)(&reason).with_field(self.parameter))
    }
}

impl Policy {
    /// True if a statement allows something to all principals, and no condition restricts the callers.
    pub fn is_public(&self) -> bool {
        self.is_public
    }

    /// Joins the statements of policies.
    pub(crate) fn join<'p>(policies: impl IntoIterator<Item = &'p Self>) -> Self {
        let mut joined = Self { statements: Vec::new(), is_public: false };
        for policy in policies {
            joined.statements.extend(policy.statements.iter().cloned());
            joined.is_public |= policy.is_public;
        }
        joined
    }

    /// Principals that the statements name, also those that they exclude.
    pub fn principals(&self) -> impl Iterator<Item = (PrincipalKind, &str)> {
        self.statements.iter().flat_map(Statement::principals)
    }

    /// Statements of the policy.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Evaluates the policy for a request: a statement that denies wins over those that allow. `None` if no statement
    /// matches.
    pub fn evaluate(&self, request: &AccessRequest) -> Option<(Effect, &Statement)> {
        let mut allowed = None;
        for statement in self.statements.iter().filter(|statement| statement.check(request).is_ok()) {
            match statement.effect {
                Effect::Deny => return Some((Effect::Deny, statement)),
                Effect::Allow => allowed = allowed.or(Some((Effect::Allow, statement))),
            }
        }
        allowed
    }
}

/// True if a statement applies to all principals.
fn names_everybody(statement: &Map<Value>) -> bool {
    match statement.get("Principal") {
        // Everybody except some principals is still public.
        None => statement.contains_key("NotPrincipal"),
        Some(Value::Map(by_kind)) => {
            by_kind.get("AWS").and_then(to_texts).is_some_and(|all| all.contains(&"*"))
        }
        Some(all) => all.as_text() == Some("*"),
    }
}

/// Condition keys of all services that restrict the callers.
const RESTRICTING_KEYS: [&str; 13] = [
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

/// True if a condition restricts the callers; `service_keys` are the keys of the service that do so.
fn restricts_callers(condition: Option<&Value>, service_keys: &[&str]) -> bool {
    let Some(Value::Map(operators)) = condition else { return false };
    operators.iter().any(|(written, keys)| {
        let positive = matches!(
            base_operator(written),
            "StringEquals" | "StringEqualsIgnoreCase" | "StringLike" | "ArnEquals" | "ArnLike" | "IpAddress"
        );
        // Such an operator also matches callers without the key.
        let required = !written.ends_with("IfExists") && !written.starts_with("ForAllValues:");
        let Value::Map(keys) = keys else { return false };
        positive
            && required
            && keys.iter().any(|(key, value)| {
                let fixed = |value: &str| {
                    !value.starts_with('*') && !value.starts_with('?') && !value.ends_with("/0")
                };
                let lower = key.to_ascii_lowercase();
                let restricts = RESTRICTING_KEYS.iter().chain(service_keys).any(|known| *known == lower);
                restricts && to_texts(value).is_some_and(|values| values.into_iter().all(fixed))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_core::{Code, ErrorKind};

    static MALFORMED: Code = Code {
        code: "MalformedPolicyDocument",
        status: 400,
        kind: ErrorKind::Invalid,
        meaning: "The policy document is malformed.",
        texts: &[],
    };

    const SECRET_POLICY: PolicyRules = PolicyRules {
        has_principals: true,
        service: Some(PolicyService {
            name: "secretsmanager",
            resource: "secret",
            action: "secretsmanager:GetSecretValue",
            narrowing: &["secretsmanager:vpcsourceip"],
        }),
        ..PolicyRules::new("ResourcePolicy", |reason| MALFORMED.with_message(reason.to_string()))
    };

    const IDENTITY_POLICY: PolicyRules =
        PolicyRules { parameter: "PolicyDocument", has_principals: false, service: None, ..SECRET_POLICY };

    fn policy(statement: &str) -> String {
        format!(r#"{{"Version": "2012-10-17", "Statement": [{{{statement}}}]}}"#)
    }

    const READS: &str = r#""Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": "*""#;

    #[test]
    fn valid_policies_are_accepted() {
        for text in [
            policy(&format!(r#"{READS}, "Principal": "*""#)),
            policy(&format!(r#"{READS}, "Principal": {{"AWS": "123456789012"}}, "Sid": "a1""#)),
            policy(&format!(r#"{READS}, "Principal": {{"AWS": ["arn:aws:iam::123456789012:root", "*"]}}"#)),
            policy(&format!(r#"{READS}, "NotPrincipal": {{"Service": "rds.amazonaws.com"}}"#)),
            policy(
                r#""Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "arn:aws:secretsmanager:*""#,
            ),
            policy(
                r#""Effect": "Deny", "Principal": "*", "NotAction": ["secretsmanager:Describe*", "*"],
                "NotResource": "arn:aws:secretsmanager:us-east-1:123456789012:secret:web-*",
                "Condition": {"Bool": {"aws:SecureTransport": false}, "ForAnyValue:StringLikeIfExists": {"a:b": ["x"]}}"#,
            ),
            format!(r#"{{"Statement": {{{READS}, "Principal": "*"}}, "Id": "x"}}"#),
        ] {
            SECRET_POLICY.parse(&text).unwrap();
        }
    }

    #[test]
    fn malformed_policies_are_refused() {
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
            policy(&format!(r#"{whole}, "Condition": {{"StringLike": {{"a": {{}}}}}}"#)),
        ] {
            let error = SECRET_POLICY.parse(&text).map(drop).expect_err(&text);
            let expected = ("MalformedPolicyDocument", Some("ResourcePolicy"));
            assert_eq!((error.code(), error.field()), expected, "{text}");
        }
    }

    #[test]
    fn policy_is_public_if_it_allows_all_principals_without_a_restricting_condition() {
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
            assert_eq!(SECRET_POLICY.parse(&policy(&statement)).unwrap().is_public(), public, "{statement}");
        }
    }

    /// Evaluates a policy with these statements for a call of `GetSecretValue` by another account.
    fn decision(statements: &[&str]) -> Option<Effect> {
        let text = format!(r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#, statements.join(","));
        let arn = "arn:aws:secretsmanager:us-east-1:210987654321:secret:web-a1b2c3";
        let request =
            AccessRequest::new(Principal::root("123456789012"), "secretsmanager:GetSecretValue", arn);
        SECRET_POLICY.parse(&text).unwrap().evaluate(&request).map(|(effect, _)| effect)
    }

    #[test]
    fn policy_decides_by_caller_action_resource_and_condition() {
        let allow = |principal: &str, more: &str| format!(r#"{{{READS}, "Principal": {principal}{more}}}"#);
        let condition = |text: &str| allow(r#""*""#, &format!(r#", "Condition": {{{text}}}"#));
        let everybody = allow(r#""*""#, "");
        for (statement, is_allowed) in [
            (everybody.clone(), true),
            (allow(r#"{"AWS": "123456789012"}"#, ""), true),
            (allow(r#"{"AWS": ["111111111111", "arn:aws:iam::123456789012:root"]}"#, ""), true),
            (allow(r#"{"AWS": "111111111111"}"#, ""), false),
            (allow(r#"{"AWS": "arn:aws:iam::123456789012:user/ann"}"#, ""), false),
            (allow(r#"{"Service": "rds.amazonaws.com"}"#, ""), false),
            (everybody.replace("Principal", "NotPrincipal"), false),
            (allow(r#"{"AWS": "111111111111"}"#, "").replace("Principal", "NotPrincipal"), true),
            (everybody.replace("GetSecretValue", "get*"), true),
            (everybody.replace("GetSecretValue", "DescribeSecret"), false),
            (everybody.replace("Action", "NotAction"), false),
            (
                everybody.replace(
                    r#""Resource": "*""#,
                    r#""Resource": "arn:aws:secretsmanager:*:secret:web-??????""#,
                ),
                true,
            ),
            (
                everybody
                    .replace(r#""Resource": "*""#, r#""Resource": "arn:aws:secretsmanager:*:secret:api-*""#),
                false,
            ),
            (condition(r#""StringEquals": {"aws:PrincipalAccount": "123456789012"}"#), true),
            (condition(r#""StringEquals": {"aws:PrincipalOrgID": "o-1"}"#), false),
            (condition(r#""Bool": {"aws:SecureTransport": true}"#), false),
            (
                condition(r#""ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:root"}, "Null": {"a:b": true}"#),
                true,
            ),
        ] {
            let expected = is_allowed.then_some(Effect::Allow);
            assert_eq!(decision(&[&statement]), expected, "{statement}");
            let deny = statement.replace("Allow", "Deny");
            let expected = if is_allowed { Effect::Deny } else { Effect::Allow };
            assert_eq!(decision(&[&everybody, &deny]), Some(expected), "{statement}");
            assert_eq!(decision(&[&deny, &everybody]), Some(expected), "{statement}");
        }
    }

    #[test]
    fn trust_policies_have_no_resources() {
        let rules = PolicyRules { resources: Resources::None, ..SECRET_POLICY };
        let trust = r#""Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Principal": "*""#;
        let request = AccessRequest::new(Principal::root("1"), "secretsmanager:GetSecretValue", "any");
        let decided = rules.parse(&policy(trust)).unwrap();
        assert_eq!(decided.evaluate(&request).map(|(effect, _)| effect), Some(Effect::Allow));
        for element in ["Resource", "NotResource"] {
            let error = rules.parse(&policy(&format!(r#"{trust}, "{element}": "*""#))).unwrap_err();
            assert_eq!(error.message(), format!("a statement of this policy cannot have {element}"));
        }
    }

    #[test]
    fn allow_with_a_variable_without_a_value_does_not_apply() {
        let any = r#""Action": "s3:GetObject", "Resource": "*""#;
        for elements in [
            r#""Action": "s3:GetObject", "Resource": ["*", "arn:aws:s3:::home/${aws:username}"]"#,
            r#""Action": "s3:GetObject", "NotResource": "arn:aws:s3:::home/${aws:username}""#,
            &format!(r#"{any}, "Condition": {{"StringNotEquals": {{"s3:prefix": "${{aws:username}}"}}}}"#),
            &format!(
                r#"{any}, "Condition": {{"ArnNotLike": {{"aws:SourceArn": "arn:aws:s3:::${{aws:username}}"}}}}"#
            ),
        ] {
            let text = policy(&format!(r#""Effect": "Allow", {elements}"#));
            let mut request = AccessRequest::new(Principal::root("1"), "s3:GetObject", "arn:aws:s3:::web/a");
            let decide = |text: &str, request: &AccessRequest| {
                IDENTITY_POLICY.parse(text).unwrap().evaluate(request).map(|(effect, _)| effect)
            };
            assert_eq!(decide(&text, &request), None, "{text}");
            assert_eq!(decide(&text.replace("Allow", "Deny"), &request), Some(Effect::Deny), "{text}");
            request.context = request.context.with("aws:username", "ann");
            assert_eq!(decide(&text, &request), Some(Effect::Allow), "{text}");
        }
    }

    #[test]
    fn identity_policies_have_no_principals_and_allow_any_service() {
        let statement = r#""Effect": "Allow", "Action": ["s3:Get*", "*"], "Resource": "arn:aws:s3:::web/*""#;
        assert!(!IDENTITY_POLICY.parse(&policy(statement)).unwrap().is_public());
        for text in [
            policy(&format!(r#"{statement}, "Principal": "*""#)),
            policy(&statement.replace("s3:Get*", "Get")),
            policy(&statement.replace("arn:aws:s3:::web/*", "web")),
        ] {
            let error = IDENTITY_POLICY.parse(&text).map(drop).expect_err(&text);
            assert_eq!(error.field(), Some("PolicyDocument"), "{text}");
        }
    }
}
