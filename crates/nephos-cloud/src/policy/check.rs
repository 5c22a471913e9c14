//! Validation of policy documents, in the order of the provider: syntax of the whole document, version, what an older parser of the
//! provider refuses, IDs of statements, and then what the statements refer to.

use super::{Malformed, PolicyRules, PolicyService, Resources, condition::Condition, to_texts};
use nephos_core::{Arn, Map, Value};
use std::collections::HashSet;

type Checked = Result<(), Malformed>;

/// Elements of a statement of which it has one or the other.
const PAIRS: [(&str, &str); 3] =
    [("Principal", "NotPrincipal"), ("Action", "NotAction"), ("Resource", "NotResource")];

/// First parts of the paths of resources of identities.
const IDENTITY_PATHS: [&str; 13] = [
    "user/",
    "federated-user/",
    "role/",
    "group/",
    "instance-profile/",
    "mfa/",
    "server-certificate/",
    "policy/",
    "sms-mfa/",
    "saml-provider/",
    "oidc-provider/",
    "report/",
    "access-report/",
];

const PARTITIONS: [&str; 8] =
    ["aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-iso-e", "aws-iso-f", "aws-eusc"];

impl PolicyRules {
    /// Returns the statements of a document.
    pub(super) fn check(&self, document: &Map<Value>) -> Result<Vec<Map<Value>>, Malformed> {
        let statements = check_syntax(document)?;
        let each = |check: &dyn Fn(&Map<Value>) -> Checked| statements.iter().try_for_each(check);
        if self.needs_current_version && !is_current(document) {
            return Err(Malformed::OldVersion);
        }
        each(&check_effect)?;
        let mut resource_error = Ok(());
        if self.resources == Resources::Arns {
            each(&check_dates)?;
            for statement in &statements {
                resource_error = resource_error.and_then(|()| self.check_resources(statement));
                if resource_error.is_ok() {
                    check_legacy_resources(statement)?;
                }
            }
        }
        self.check_ids(&statements)?;
        each(&|statement| self.check_prohibited(statement))?;
        if self.has_principals {
            each(&|statement| check_present(statement, "Principal", "NotPrincipal"))?;
        }
        each(&|statement| check_present(statement, "Action", "NotAction"))?;
        resource_error?;
        each(&|statement| self.check_actions(statement))?;
        if self.resources != Resources::None {
            each(&|statement| check_present(statement, "Resource", "NotResource"))?;
        }
        each(&check_principals)?;
        Ok(statements)
    }

    /// Refuses IDs of statements that are not distinct or not plain.
    fn check_ids(&self, statements: &[Map<Value>]) -> Checked {
        // Those of resource policies that are not bound to one service may have any characters.
        let is_free = self.has_principals && self.resources != Resources::None && self.service.is_none();
        let mut ids = HashSet::new();
        for id in statements.iter().filter_map(|statement| statement.get("Sid")?.as_text()) {
            if !is_free && !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Err(Malformed::Sid);
            }
            if !id.is_empty() && !ids.insert(id) {
                return Err(Malformed::RepeatedSid(id.to_owned()));
            }
        }
        Ok(())
    }

    fn check_prohibited(&self, statement: &Map<Value>) -> Checked {
        let allowed = [self.has_principals, true, self.resources != Resources::None];
        let prohibited = PAIRS.into_iter().zip(allowed).filter(|(_, is_allowed)| !is_allowed);
        let mut elements = prohibited.flat_map(|((one, other), _)| [one, other]);
        match elements.find(|element| statement.contains_key(*element)) {
            Some(element) => Err(Malformed::Prohibited(element)),
            None => Ok(()),
        }
    }

    fn check_actions(&self, statement: &Map<Value>) -> Checked {
        for action in listed(statement, "Action", "NotAction").filter(|action| *action != "*") {
            let (vendor, name) = match action.split_once(':') {
                Some((vendor, name)) => (vendor, Some(name)),
                None => (action, None),
            };
            if let Some(PolicyService { name: own, resource, action: example, .. }) = self.service
                && (name.is_none() || !vendor.eq_ignore_ascii_case(own))
            {
                return Err(Malformed::ForeignAction { action: action.to_owned(), resource, example });
            }
            let Some(name) = name else { return Err(Malformed::Action(action.to_owned())) };
            if name.contains(':') {
                return Err(Malformed::Colons(action.to_owned()));
            }
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
            if vendor != "*" && !vendor.bytes().all(is_plain) {
                return Err(Malformed::Vendor(vendor.to_owned()));
            }
            // In policies of identities, names may have any characters.
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"*?".contains(&byte);
            if self.has_principals && (name.is_empty() || !name.bytes().all(is_name)) {
                return Err(Malformed::Action(action.to_owned()));
            }
        }
        Ok(())
    }

    fn check_resources(&self, statement: &Map<Value>) -> Checked {
        for resource in listed(statement, "Resource", "NotResource").filter(|resource| *resource != "*") {
            match self.service {
                Some(own) if !is_arn_of(resource, own.name) => {
                    let (resource, expected) = (resource.to_owned(), own.resource);
                    return Err(Malformed::ForeignResource { resource, expected });
                }
                None if self.has_principals && !is_arn(resource) => {
                    return Err(Malformed::Resource(resource.to_owned()));
                }
                None if !self.has_principals => check_any_resource(resource)?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn is_current(document: &Map<Value>) -> bool {
    document.get("Version").and_then(Value::as_text) == Some("2012-10-17")
}

/// Returns the texts of an element or its negation. The syntax was checked.
fn listed<'s>(statement: &'s Map<Value>, one: &str, other: &str) -> impl Iterator<Item = &'s str> {
    let value = statement.get(one).or_else(|| statement.get(other));
    value.and_then(to_texts).unwrap_or_default().into_iter()
}

/// Refuses a statement that has neither of these elements, or an empty list in it.
fn check_present(statement: &Map<Value>, one: &'static str, other: &'static str) -> Checked {
    let is_empty = |value: &Value| matches!(value, Value::List(items) if items.is_empty());
    match statement.get(one).or_else(|| statement.get(other)) {
        Some(value) if !is_empty(value) => Ok(()),
        _ => Err(Malformed::Missing(one, other)),
    }
}

/// Returns the statements of a document whose elements all have the right types.
fn check_syntax(document: &Map<Value>) -> Result<Vec<Map<Value>>, Malformed> {
    for (element, value) in document {
        match element.as_str() {
            "Version" if !matches!(value.as_text(), Some("2012-10-17" | "2008-10-17")) => {
                return Err(Malformed::Version);
            }
            "Id" if value.as_text().is_none() => return Err(Malformed::Id),
            "Version" | "Id" | "Statement" => {}
            other => return Err(Malformed::Element(other.to_owned())),
        }
    }
    let statements = match document.get("Statement") {
        Some(Value::List(items)) if !items.is_empty() => items.clone(),
        Some(statement @ Value::Map(_)) => vec![statement.clone()],
        _ => return Err(Malformed::NoStatements),
    };
    let read = |statement| match statement {
        Value::Map(statement) => check_statement_syntax(&statement).map(|()| statement),
        _ => Err(Malformed::NoObject),
    };
    statements.into_iter().map(read).collect()
}

fn check_statement_syntax(statement: &Map<Value>) -> Checked {
    let has = |element: &str| statement.contains_key(element);
    if let Some((one, other)) = PAIRS.into_iter().find(|(one, other)| has(one) && has(other)) {
        return Err(Malformed::Both(one, other));
    }
    if !has("Effect") {
        return Err(Malformed::NoEffect);
    }
    for (element, value) in statement {
        match element.as_str() {
            "Sid" if value.as_text().is_none() => return Err(Malformed::Sid),
            "Effect" => {
                let is_effect = |text: &str| ["allow", "deny"].contains(&text.to_ascii_lowercase().as_str());
                if !value.as_text().is_some_and(is_effect) {
                    return Err(Malformed::Effect);
                }
            }
            "Principal" | "NotPrincipal" => {
                let is_everybody = value.as_text() == Some("*");
                if !is_everybody && !matches!(value, Value::Map(by_kind) if !by_kind.is_empty()) {
                    return Err(Malformed::Principal);
                }
            }
            "Action" | "NotAction" | "Resource" | "NotResource" => {
                let is_empty = matches!(value, Value::List(items) if items.is_empty());
                if !is_empty && to_texts(value).is_none() {
                    return Err(Malformed::NoTexts(element.to_string()));
                }
            }
            "Condition" => check_condition_syntax(value)?,
            "Sid" => {}
            other => return Err(Malformed::StatementElement(other.to_owned())),
        }
    }
    Ok(())
}

fn check_condition_syntax(value: &Value) -> Checked {
    let Value::Map(operators) = value else { return Err(Malformed::Condition) };
    for (written, keys) in operators {
        let Value::Map(keys) = keys else {
            return Err(Malformed::OperatorValue(written.to_string()));
        };
        // The provider does not look at the name of an operator without keys.
        if !keys.is_empty() && Condition::read(written, "", &[], false).is_none() {
            return Err(Malformed::Operator(written.to_string()));
        }
        let scalar = |value: &Value| value.view().text_form().is_some();
        let is_valid = |value: &Value| match value {
            Value::List(items) => items.iter().all(scalar),
            value => scalar(value),
        };
        if let Some((key, _)) = keys.iter().find(|(_, value)| !is_valid(value)) {
            return Err(Malformed::ConditionValues(key.to_string()));
        }
    }
    Ok(())
}

/// Refuses an effect in the wrong case.
fn check_effect(statement: &Map<Value>) -> Checked {
    match statement.get("Effect").and_then(Value::as_text) {
        Some("Allow" | "Deny") => Ok(()),
        _ => Err(Malformed::Legacy("an Effect must be Allow or Deny".to_owned())),
    }
}

/// Refuses dates that are none.
fn check_dates(statement: &Map<Value>) -> Checked {
    let Some(Value::Map(operators)) = statement.get("Condition") else { return Ok(()) };
    let dates = operators.iter().filter(|(written, _)| super::base_operator(written).starts_with("Date"));
    for (_, keys) in dates {
        let Value::Map(keys) = keys else { continue };
        for text in keys.values().filter_map(to_texts).flatten() {
            if !text.contains("${") && !is_date(text) {
                return Err(Malformed::Legacy(format!("{text:?} is not a date")));
            }
        }
    }
    Ok(())
}

/// Refuses ARNs with empty parts and too few of them.
fn check_legacy_resources(statement: &Map<Value>) -> Checked {
    for resource in listed(statement, "Resource", "NotResource").filter(|resource| *resource != "*") {
        let is_complete = resource.matches(':').count() >= 5 || !resource.contains("::");
        if !is_complete || resource.split(':').nth(2) == Some("") {
            return Err(Malformed::Legacy(format!("{resource:?} is not an ARN")));
        }
    }
    Ok(())
}

/// True for a date and time, or the beginning of one, and for seconds since 1970.
fn is_date(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    if !text.contains(['t', '-']) {
        return text.parse::<i64>().is_ok_and(|seconds| seconds >= 0);
    }
    let number = |text: &str, min: i64, max: i64| text.parse().is_ok_and(|n: i64| (min..=max).contains(&n));
    let (date, time) = text.split_once('t').unwrap_or((&text, ""));
    let mut date = date.strip_prefix('-').unwrap_or(date).split('-');
    let is_part = |part: Option<&str>, max: i64| part.is_none_or(|part| number(part, 1, max));
    if !number(date.next().unwrap_or_default(), 0, 292_278_993)
        || !is_part(date.next(), 12)
        || !is_part(date.next(), 31)
        || date.next().is_some()
    {
        return false;
    }
    let (time, zone) = match time.find(['z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let is_zone = |zone: &str| {
        let (hours, minutes) = zone.split_once(':').unwrap_or((zone, "00"));
        hours.len() == 2 && minutes.len() == 2 && number(hours, 0, 23) && number(minutes, 0, 59)
    };
    let mut parts = time.split(':');
    let seconds = parts.clone().nth(2).unwrap_or("0");
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let hours = parts.next().filter(|hours| !hours.is_empty()).unwrap_or("0");
    (zone.is_empty() || zone == "z" || is_zone(&zone[1..]))
        && number(hours, 0, 23)
        && number(parts.next().unwrap_or("0"), 0, 59)
        && number(seconds, 0, 59)
        && number(fraction, 0, 999_999_999)
}

/// True for an ARN, which may end early with a wildcard: `arn:aws:logs:*`.
fn is_arn(resource: &str) -> bool {
    let parts = resource.split(':').count();
    resource.starts_with("arn:") && (parts >= 6 || (parts > 2 && resource.ends_with('*')))
}

fn is_arn_of(resource: &str, service: &str) -> bool {
    is_arn(resource) && resource.split(':').nth(2) == Some(service)
}

/// Checks a resource of any service.
fn check_any_resource(resource: &str) -> Checked {
    let Some((_, after)) = resource.split_once(':') else {
        return Err(Malformed::Resource(resource.to_owned()));
    };
    let (partition, rest) = match after.split_once(':') {
        Some((partition, rest)) => (partition, Some(rest)),
        None => (after, None),
    };
    if !partition.contains(['*', '?']) && !PARTITIONS.contains(&partition) {
        let mut parts: Vec<_> = rest.into_iter().flat_map(|rest| rest.splitn(4, ':')).collect();
        parts.resize(4, "*");
        let arn = format!("arn:{partition}:{}", parts.join(":"));
        return Err(Malformed::Partition { partition: partition.to_owned(), arn });
    }
    if !resource.starts_with("arn:") {
        return Err(Malformed::Resource(resource.to_owned()));
    }
    let Some(rest) = rest else { return Err(Malformed::ResourceVendor) };
    let mut parts = rest.splitn(4, ':');
    let service = parts.next().unwrap_or_default();
    let region = parts.next();
    let path = parts.nth(1).unwrap_or_default();
    let has_region = region.is_some_and(|region| !region.is_empty());
    match service {
        "iam" | "s3" if has_region && !path.starts_with("accesspoint/") && !region.is_some_and(is_wild) => {
            Err(Malformed::Region { resource: resource.to_owned(), is_identity: service == "iam" })
        }
        "iam" if !path.is_empty() && !is_identity_path(path) => {
            Err(Malformed::IdentityPath(IDENTITY_PATHS.join(", ")))
        }
        _ => Ok(()),
    }
}

fn is_wild(text: &str) -> bool {
    text.contains(['*', '?', '$'])
}

fn is_identity_path(path: &str) -> bool {
    // The provider accepts the root user and templates of roles, too, but does not list them.
    path == "root"
        || path.starts_with("role-template/")
        || is_wild(path.split('/').next().unwrap_or_default())
        || IDENTITY_PATHS.iter().any(|start| path.starts_with(start))
}

fn check_principals(statement: &Map<Value>) -> Checked {
    let value = statement.get("Principal").or_else(|| statement.get("NotPrincipal"));
    let Some(Value::Map(by_kind)) = value else { return Ok(()) };
    for (kind, value) in by_kind {
        let names = to_texts(value).ok_or_else(|| Malformed::NoTexts(kind.to_string()))?;
        for name in names {
            let is_valid = match kind.as_str() {
                "AWS" => {
                    let account = name.len() == 12 && name.bytes().all(|byte| byte.is_ascii_digit());
                    // A deleted user or role is shown by its ID.
                    let id = name.len() >= 16 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    let arn =
                        Arn::parts(name).is_some_and(|[_, service, ..]| matches!(service, "iam" | "sts"));
                    name == "*" || account || id || arn
                }
                "Service" => name.contains('.') && !name.contains(['*', ' ', '/']),
                "Federated" | "CanonicalUser" => !name.is_empty(),
                other => return Err(Malformed::PrincipalKind(other.to_owned())),
            };
            if !is_valid {
                return Err(Malformed::PrincipalName { kind: kind.to_string(), name: name.to_owned() });
            }
        }
    }
    Ok(())
}
