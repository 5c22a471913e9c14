//! Policy documents of repositories and of the registry: their rules, and the form in which the service returns them.

use crate::errors;
use nephos_cloud::{Policy, PolicyRules, PrincipalKind, Resources, Tx};
use nephos_core::{
    Arn, Error, Map, Result, Text, Value,
    json::{self, Writing},
};
use std::fmt::Write as _;

/// Policies of repositories or of registries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyKind {
    rules: PolicyRules,
    /// True if statements name resources; those of a repository are about the repository.
    has_resources: bool,
}

/// Policies of repositories.
pub(crate) const OF_REPOSITORY: PolicyKind = PolicyKind {
    rules: PolicyRules {
        has_principals: true,
        resources: Resources::Any,
        ..PolicyRules::new("policyText", |reason| {
            errors::invalid_repository_policy().with_hint(reason.to_string())
        })
    },
    has_resources: false,
};

/// Policies of registries.
pub(crate) const OF_REGISTRY: PolicyKind = PolicyKind {
    rules: PolicyRules {
        has_principals: true,
        resources: Resources::Any,
        ..PolicyRules::new("policyText", |reason| {
            errors::invalid_registry_policy().with_hint(reason.to_string())
        })
    },
    has_resources: true,
};

/// A policy that was accepted.
pub(crate) struct CheckedPolicy {
    /// The policy.
    pub(crate) policy: Policy,
    /// The document in the form in which the service returns it.
    pub(crate) text: Text,
}

impl PolicyKind {
    /// Parses a document with actions of the service that `is_allowed` accepts. Its principals must exist.
    pub(crate) fn check(
        &self,
        cx: &mut Tx<'_>,
        text: &str,
        is_allowed: impl Fn(&str) -> bool,
    ) -> Result<CheckedPolicy> {
        let document = json::parse(text.as_bytes()).unwrap_or(Value::Null);
        let complete = if self.has_resources { Some(document.clone()) } else { with_resources(&document) };
        let Some(complete) = complete else { return Err(self.refusal("a statement cannot have a Resource")) };
        let policy = self.rules.parse(&json::write(complete.view(), Writing::EXPOSED))?;
        for action in statements(&document).iter().flat_map(actions) {
            if !is_allowed(action) {
                return Err(self.refusal(&format!("the policy cannot have the action {action}")));
            }
        }
        for (kind, name) in policy.principals() {
            let is_arn = kind == PrincipalKind::Aws && Arn::parts(name).is_some();
            if is_arn && !cx.has_principal(name)? {
                let hint = format!("{name} does not exist");
                return Err(errors::principal_not_found().with_field("policyText").with_hint(hint));
            }
        }
        Ok(CheckedPolicy { policy, text: format(&document).into() })
    }

    fn refusal(&self, reason: &str) -> Error {
        let error = if self.has_resources {
            errors::invalid_registry_policy()
        } else {
            errors::invalid_repository_policy()
        };
        error.with_field("policyText").with_hint(reason)
    }
}

/// True if an action is one of the service.
pub(crate) fn is_own_action(action: &str) -> bool {
    action == "*" || action.split_once(':').is_some_and(|(service, _)| service.eq_ignore_ascii_case("ecr"))
}

/// True if an action stands for all actions.
pub(crate) fn is_any_action(action: &str) -> bool {
    action == "*" || action.eq_ignore_ascii_case("ecr:*")
}

/// Returns a policy in which statements about all actions are about these only.
pub(crate) fn narrowed(text: &str, narrow: &[&str]) -> Option<Text> {
    let mut document = json::parse(text.as_bytes()).ok()?;
    let Value::Map(members) = &mut document else { return None };
    let statements = match members.get_mut("Statement")? {
        Value::List(items) => items.as_mut_slice(),
        one => std::slice::from_mut(one),
    };
    for statement in statements {
        if actions(statement).any(is_any_action)
            && let Value::Map(members) = statement
        {
            let narrow = narrow.iter().map(|action| Value::Text((*action).into())).collect();
            members.insert("Action".into(), Value::List(narrow));
        }
    }
    Some(json::write(document.view(), Writing::EXPOSED).into())
}

/// Returns a policy of a repository as one for decisions, whose statements name resources.
pub(crate) fn for_decisions(text: &str) -> Option<Text> {
    let document = with_resources(&json::parse(text.as_bytes()).ok()?)?;
    Some(json::write(document.view(), Writing::EXPOSED).into())
}

/// Adds all resources to each statement; none if a statement names resources.
fn with_resources(document: &Value) -> Option<Value> {
    let complete = |statement: &Map<Value>| {
        let names_resources = ["Resource", "NotResource"].iter().any(|name| statement.contains_key(*name));
        let mut statement = statement.clone();
        statement.insert("Resource".into(), Value::Text("*".into()));
        (!names_resources).then_some(Value::Map(statement))
    };
    let Value::Map(members) = document else { return Some(document.clone()) };
    let mut members = members.clone();
    match members.get_mut("Statement") {
        Some(Value::List(items)) => {
            for item in items.iter_mut() {
                if let Value::Map(statement) = &*item {
                    *item = complete(statement)?;
                }
            }
        }
        Some(Value::Map(statement)) => {
            let completed = complete(statement)?;
            members.insert("Statement".into(), completed);
        }
        _ => {}
    }
    Some(Value::Map(members))
}

fn statements(document: &Value) -> &[Value] {
    match document.get("Statement") {
        Some(Value::List(items)) => items,
        Some(statement) => std::slice::from_ref(statement),
        None => &[],
    }
}

/// Returns the actions of a statement, also those that it excludes.
fn actions(statement: &Value) -> impl Iterator<Item = &str> {
    let listed = ["Action", "NotAction"].into_iter().filter_map(|name| statement.get(name));
    listed
        .flat_map(|value| match value {
            Value::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        })
        .filter_map(Value::as_text)
}

/// Formats a document as the service does: a line for each member, and items of lists on one line.
pub fn format(document: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, document, 0);
    out
}

fn write_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Map(members) if !members.is_empty() => {
            let indent = "  ".repeat(depth + 1);
            for (n, (name, member)) in members.iter().enumerate() {
                let start = if n == 0 { "{" } else { "," };
                let name = json::write(Value::from(name.as_str()).view(), Writing::EXPOSED);
                let _ = write!(out, "{start}\n{indent}{name} : ");
                write_value(out, member, depth + 1);
            }
            let _ = write!(out, "\n{}}}", "  ".repeat(depth));
        }
        Value::List(items) if !items.is_empty() => {
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "[ " } else { ", " });
                write_value(out, item, depth);
            }
            out.push_str(" ]");
        }
        Value::Map(_) => out.push_str("{ }"),
        Value::List(_) => out.push_str("[ ]"),
        scalar => out.push_str(&json::write(scalar.view(), Writing::EXPOSED)),
    }
}
