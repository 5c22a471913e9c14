//! Grants as policies: the statements that allow what a grant allows.

use crate::{GrantConstraints, GrantOperation, KeyGrant};
use nephos_core::{
    Map, Text, Value,
    json::{self, Writing},
};

/// Conditions of a statement: operator, key and values.
type Conditions = Vec<(&'static str, Text, Value)>;

/// Returns the policy that allows the grantee what a grant allows. Constraints on the encryption context do not apply to
/// descriptions of the key. Grants that the grantee creates are at most as permissive as its own.
pub(crate) fn permissions(grant: &KeyGrant) -> Text {
    let general = [GrantOperation::CreateGrant, GrantOperation::DescribeKey, GrantOperation::RetireGrant];
    let operations = grant.operations.as_deref().unwrap_or_default();
    let cryptographic: Vec<_> = operations.iter().filter(|operation| !general.contains(operation)).collect();
    let constraints = grant.constraints.as_ref();
    let grantee = grantee(grant);
    let mut statements = Vec::new();
    if !cryptographic.is_empty() {
        let conditions = [on_context(constraints), on_source("aws:SourceArn", constraints)].concat();
        statements.push(allow(&grantee, &cryptographic, conditions));
    }
    if grant.allows(&GrantOperation::DescribeKey) {
        let conditions = on_source("aws:SourceArn", constraints);
        statements.push(allow(&grantee, &[&GrantOperation::DescribeKey], conditions));
    }
    if grant.allows(&GrantOperation::CreateGrant) {
        let mut conditions = on_context(constraints);
        if constraints.is_some_and(|constraints| constraints.encryption_context_equals.is_some()) {
            let equals = Value::from("EncryptionContextEquals");
            conditions.push(("ForAnyValue:StringEquals", "kms:GrantConstraintType".into(), equals));
        }
        conditions.extend(on_source("kms:GrantConstraintSourceArn", constraints));
        let allowed = operations.iter().map(|operation| Value::from(operation.to_string())).collect();
        let names = "kms:GrantOperations".into();
        conditions.push(("ForAllValues:StringEquals", names, Value::List(allowed)));
        statements.push(allow(&grantee, &[&GrantOperation::CreateGrant], conditions));
    }
    document(statements)
}

/// Returns the policy that allows the retirement of a grant: to its retiring principal, to its grantee if the grant allows that,
/// and to the accounts that created it and that own the key.
pub(crate) fn retirement(grant: &KeyGrant, owner: &Text) -> Text {
    let retire = [&GrantOperation::RetireGrant];
    let mut principals = Vec::new();
    principals.extend(grant.retiring_principal.as_ref().map(|arn| principal("AWS", arn)));
    principals.extend(grant.retiring_service_principal.as_ref().map(|name| principal("Service", name)));
    if grant.allows(&GrantOperation::RetireGrant) {
        principals.push(grantee(grant));
    }
    principals.extend(grant.issuing_account.iter().chain([owner]).map(|arn| principal("AWS", arn)));
    document(principals.iter().map(|principal| allow(principal, &retire, Vec::new())).collect())
}

fn grantee(grant: &KeyGrant) -> Value {
    match (&grant.grantee_principal, &grant.grantee_service_principal) {
        (None, Some(service)) => principal("Service", service),
        (arn, _) => principal("AWS", arn.as_deref().unwrap_or_default()),
    }
}

fn principal(kind: &str, name: &str) -> Value {
    object([(kind, name.into())])
}

/// Returns the conditions of a constraint on the encryption context. The names of its pairs ignore case.
fn on_context(constraints: Option<&GrantConstraints>) -> Conditions {
    let Some(constraints) = constraints else { return Vec::new() };
    let (equals, subset) = (&constraints.encryption_context_equals, &constraints.encryption_context_subset);
    let pairs = equals.iter().chain(subset).flatten();
    let mut conditions: Conditions = pairs
        .map(|(name, value)| {
            let key = format!("kms:EncryptionContext:{name}").into();
            ("StringEquals", key, Value::from(value.as_str()))
        })
        .collect();
    let keys = Text::const_new("kms:EncryptionContextKeys");
    match equals {
        Some(equals) if equals.is_empty() => conditions.push(("Null", keys, Value::from("true"))),
        Some(equals) => {
            let names = equals.iter().map(|(name, _)| Value::from(name.as_str())).collect();
            conditions.push(("ForAllValues:StringEqualsIgnoreCase", keys, Value::List(names)));
        }
        None => {}
    }
    conditions
}

fn on_source(key: &'static str, constraints: Option<&GrantConstraints>) -> Conditions {
    let source = constraints.and_then(|constraints| constraints.source_arn.as_ref());
    source.map(|arn| ("StringEquals", key.into(), Value::from(arn.as_str()))).into_iter().collect()
}

fn allow(principal: &Value, operations: &[&GrantOperation], conditions: Conditions) -> Value {
    let actions = operations.iter().map(|operation| Value::from(format!("kms:{operation}"))).collect();
    let mut operators: Map<Value> = Map::default();
    for (operator, key, values) in conditions {
        if !operators.contains_key(operator) {
            operators.insert(operator.into(), Value::Map(Map::default()));
        }
        if let Some(Value::Map(keys)) = operators.get_mut(operator) {
            keys.insert(key, values);
        }
    }
    object([
        ("Effect", "Allow".into()),
        ("Principal", principal.clone()),
        ("Action", Value::List(actions)),
        ("Resource", "*".into()),
        ("Condition", Value::Map(operators)),
    ])
}

/// Returns a policy document. Its version has no variables, so that texts of callers are compared as they are.
fn document(statements: Vec<Value>) -> Text {
    let document = object([("Version", "2008-10-17".into()), ("Statement", Value::List(statements))]);
    json::write(document.view(), Writing::EXPOSED).into()
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}
