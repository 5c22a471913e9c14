//! Access to secrets of other accounts, which the resource policies of the secrets allow.

use super::{errors, policy, secret_row};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Arn, Map, Operation, Place, Result, Value, global_region, json, operation::WireOperation};

/// An operation on one secret, which may belong to another account.
pub(super) trait SecretHandler: WireOperation {
    /// Executes the operation in the account of the secret.
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<Self::Output>;
}

/// Implements the handlers of operations on one secret.
macro_rules! secret_handlers {
    ($($operation:ident),+ $(,)?) => { $(
        impl Handler for super::$operation {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let id = self.secret_id.clone();
                run_in_account_of(cx, &id, Self::OPERATION.name, |cx| self.run_in_owner(cx))
            }
        }
    )+ };
}

secret_handlers! {
    DescribeSecret, UpdateSecret, DeleteSecret, RestoreSecret,
    GetSecretValue, PutSecretValue, ListSecretVersionIds, UpdateSecretVersionStage,
    RotateSecret, CancelRotateSecret,
    PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy,
    ReplicateSecretToRegions, RemoveRegionsFromReplication, StopReplicationToReplica,
    TagResource, UntagResource,
}

/// Operations that use the key of a secret, which other accounts cannot do with the provider's default key.
const KEY_USERS: [&str; 2] = ["GetSecretValue", "PutSecretValue"];

/// Calls `body` in the account that owns the secret `id`. If it is not the account of the caller, the resource policy of
/// the secret must allow `operation`.
pub(super) fn run_in_account_of<T>(
    cx: &mut Tx<'_>,
    id: &str,
    operation: &str,
    body: impl FnOnce(&mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    let Some(owner) = other_account(cx.scope(), id) else { return body(cx) };
    let caller = cx.scope().clone();
    cx.in_scope(&owner, |cx| {
        check_access(cx, &caller, id, operation)?;
        body(cx)
    })
}

/// Returns the scope of the secret `id` if it is an ARN of another account.
fn other_account(caller: &Scope, id: &str) -> Option<Scope> {
    let [_, service, _, account, _] = Arn::parts(id)?;
    (service == "secretsmanager" && account != caller.account()).then(|| caller.with_account(account))
}

/// Checks that the resource policy of a secret of this scope allows an operation to another account.
fn check_access(cx: &Tx<'_>, caller: &Scope, id: &str, operation: &str) -> Result<()> {
    let root = Place::new(global_region(caller.region()), caller.account()).arn("iam", &["root"]);
    let action = format!("secretsmanager:{operation}");
    let secret = secret_row::find(cx, id)?;
    let attached = match &secret {
        Some(secret) => policy::find(cx, secret)?.and_then(|attached| attached.resource_policy),
        None => None,
    };
    let resource = secret.as_ref().map(|secret| secret.arn(cx.scope()));
    let request = Request {
        account: caller.account(),
        root: root.as_str(),
        action: &action,
        resource: resource.as_ref().map_or(id, Arn::as_str),
    };
    match request.decide(attached.as_deref().unwrap_or_default()) {
        Decision::Denied => return Err(errors::explicitly_denied(root, action, id)),
        Decision::NotAllowed => return Err(errors::not_allowed(root, action, id)),
        Decision::Allowed => {}
    }
    if KEY_USERS.contains(&operation) && secret.is_some_and(|secret| secret.crypto_key_id.is_none()) {
        return Err(errors::default_key_of_other_account());
    }
    Ok(())
}

/// Result of the evaluation of a policy.
#[derive(Debug, PartialEq)]
enum Decision {
    /// A statement allows the request, and none denies it.
    Allowed,
    /// A statement denies the request.
    Denied,
    /// No statement applies to the request.
    NotAllowed,
}

/// A request of another account that a policy is evaluated for.
struct Request<'r> {
    /// Account of the caller.
    account: &'r str,
    /// ARN of the root user of that account.
    root: &'r str,
    /// Action: `secretsmanager:GetSecretValue`.
    action: &'r str,
    /// ARN of the secret.
    resource: &'r str,
}

impl Request<'_> {
    /// Evaluates a policy document. A condition counts as met in a statement that denies, and as not met in one that
    /// allows.
    fn decide(&self, document: &str) -> Decision {
        let Ok(Value::Map(document)) = json::parse(document.as_bytes()) else { return Decision::NotAllowed };
        let statements = match document.get("Statement") {
            Some(Value::List(statements)) => statements.iter().collect(),
            statement => Vec::from_iter(statement),
        };
        let mut decision = Decision::NotAllowed;
        for statement in statements {
            let Value::Map(statement) = statement else { continue };
            if !self.is_covered_by(statement) {
                continue;
            }
            match statement.get("Effect").and_then(Value::as_text) {
                Some("Deny") => return Decision::Denied,
                Some("Allow") if !statement.contains_key("Condition") => decision = Decision::Allowed,
                _ => {}
            }
        }
        decision
    }

    /// True if principal, action and resource of a statement cover the request.
    fn is_covered_by(&self, statement: &Map<Value>) -> bool {
        let covers = |element: &str, matches: &dyn Fn(&Value) -> bool| match statement.get(element) {
            Some(value) => matches(value),
            None => statement.get(format!("Not{element}").as_str()).is_some_and(|value| !matches(value)),
        };
        let action = self.action.to_ascii_lowercase();
        covers("Principal", &|value| self.is_principal(value))
            && covers("Action", &|value| {
                texts(value).any(|pattern| matches_wildcards(&pattern.to_ascii_lowercase(), &action))
            })
            && covers("Resource", &|value| {
                texts(value).any(|pattern| matches_wildcards(pattern, self.resource))
            })
    }

    /// True if a principal is the account of the caller, or everyone.
    fn is_principal(&self, value: &Value) -> bool {
        let own = |name: &str| name == "*" || name == self.account || name == self.root;
        match value {
            Value::Map(by_kind) => by_kind.get("AWS").is_some_and(|names| texts(names).any(own)),
            value => value.as_text() == Some("*"),
        }
    }
}

/// Iterates over a text, or the texts of a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let values = match value {
        Value::List(items) => items.as_slice(),
        value => std::slice::from_ref(value),
    };
    values.iter().filter_map(Value::as_text)
}

/// True if `text` matches `pattern`, in which `*` stands for any text and `?` for one character.
fn matches_wildcards(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<_>, Vec<_>) = (pattern.chars().collect(), text.chars().collect());
    // Position after the last `*`, and the position in the text up to which it matches.
    let mut star = None;
    let (mut at, mut reached) = (0, 0);
    while reached < text.len() {
        match pattern.get(at) {
            Some('*') => {
                at += 1;
                star = Some((at, reached));
            }
            Some(c) if *c == '?' || *c == text[reached] => (at, reached) = (at + 1, reached + 1),
            _ => {
                let Some((after, until)) = star else { return false };
                star = Some((after, until + 1));
                (at, reached) = (after, until + 1);
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARN: &str = "arn:aws:secretsmanager:us-east-1:123456789012:secret:web-AbCdEf";

    fn decide(statements: &str) -> Decision {
        let request = Request {
            account: "210987654321",
            root: "arn:aws:iam::210987654321:root",
            action: "secretsmanager:GetSecretValue",
            resource: ARN,
        };
        request.decide(&format!(r#"{{"Statement": {statements}}}"#))
    }

    fn statement(effect: &str, rest: &str) -> String {
        format!(r#"{{"Effect": "{effect}", {rest}}}"#)
    }

    #[test]
    fn statement_must_cover_principal_action_and_resource() {
        use Decision::{Allowed, NotAllowed};
        for (principal, action, resource, expected) in [
            (r#""*""#, "*", "*", Allowed),
            (r#"{"AWS": "*"}"#, "secretsmanager:*", "*", Allowed),
            (r#"{"AWS": "210987654321"}"#, "secretsmanager:getsecretvalue", ARN, Allowed),
            (r#"{"AWS": ["1", "arn:aws:iam::210987654321:root"]}"#, "secretsmanager:Get*", "*web-*", Allowed),
            (
                r#"{"AWS": "210987654321"}"#,
                "secretsmanager:Get?ecretValue",
                &ARN.replace("AbC", "???"),
                Allowed,
            ),
            (r#"{"AWS": "123456789012"}"#, "*", "*", NotAllowed),
            (r#"{"AWS": "arn:aws:iam::210987654321:role/x"}"#, "*", "*", NotAllowed),
            (r#"{"Service": "210987654321"}"#, "*", "*", NotAllowed),
            (r#""*""#, "secretsmanager:DescribeSecret", "*", NotAllowed),
            (r#""*""#, "*", "arn:aws:secretsmanager:*:secret:other-*", NotAllowed),
        ] {
            let rest =
                format!(r#""Principal": {principal}, "Action": ["{action}"], "Resource": "{resource}""#);
            assert_eq!(decide(&statement("Allow", &rest)), expected, "{rest}");
        }
        let excepted = |element: &str, value: &str| {
            let all = r#""Principal": "*", "Action": "*", "Resource": "*""#;
            let rest = all.replace(&format!(r#""{element}": "*""#), &format!(r#""Not{element}": {value}"#));
            decide(&statement("Allow", &rest))
        };
        assert_eq!(excepted("Action", r#""secretsmanager:Put*""#), Allowed);
        assert_eq!(excepted("Action", r#""secretsmanager:Get*""#), NotAllowed);
        assert_eq!(excepted("Principal", r#"{"AWS": "123456789012"}"#), Allowed);
        assert_eq!(excepted("Principal", r#"{"AWS": "210987654321"}"#), NotAllowed);
        assert_eq!(excepted("Resource", r#""*:secret:web-??????""#), NotAllowed);
    }

    #[test]
    fn deny_wins_and_conditions_do_not_allow() {
        let all = r#""Principal": "*", "Action": "*", "Resource": "*""#;
        let condition = format!(r#"{all}, "Condition": {{"Bool": {{"aws:SecureTransport": "true"}}}}"#);
        let allow = statement("Allow", all);
        for (statements, expected) in [
            (format!("[{allow}, {}]", statement("Deny", all)), Decision::Denied),
            (format!("[{}, {allow}]", statement("Deny", all)), Decision::Denied),
            (statement("Allow", &condition), Decision::NotAllowed),
            (format!("[{allow}, {}]", statement("Deny", &condition)), Decision::Denied),
            ("[]".to_owned(), Decision::NotAllowed),
        ] {
            assert_eq!(decide(&statements), expected, "{statements}");
        }
    }
}
