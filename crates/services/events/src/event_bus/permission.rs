//! Resource policies of buses: a whole document, or one statement for each account that can send events.

use crate::{EventBus, EventBusManager, errors, event_bus};
use nephos_cloud::{Handler, Malformed, PolicyRules, PolicyService, Tx};
use nephos_core::{
    Empty, Error, Map, Record, Result, Text, Value,
    json::{self, Writing},
    operation, partition_of,
};

/// The only action that a statement can allow.
const PUT_EVENTS: &str = "events:PutEvents";

/// Maximum number of characters of a policy.
const MAX_POLICY_LENGTH: usize = 10_240;

/// Rules for policies of buses.
const RULES: PolicyRules = PolicyRules {
    has_principals: true,
    service: Some(PolicyService {
        name: "events",
        resource: "event bus",
        action: PUT_EVENTS,
        narrowing: &[],
    }),
    ..PolicyRules::new("Policy", malformed_policy)
};

/// Elements of a policy, and those of a statement, in the order in which they are stored.
const ELEMENTS: [&str; 3] = ["Version", "Id", "Statement"];
const STATEMENT_ELEMENTS: [&str; 9] = [
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];

/// Error for a policy that is malformed for this reason.
fn malformed_policy(reason: &Malformed) -> Error {
    let error = match reason {
        Malformed::NotJson => errors::policy_not_json(),
        Malformed::NoStatements => errors::policy_without_statements(),
        Malformed::NoEffect => errors::policy_field_missing("Effect"),
        Malformed::Missing(element, _) => errors::policy_field_missing(element),
        _ => errors::malformed_policy(),
    };
    error.with_hint(reason.to_string())
}

/// Condition of a statement.
#[derive(Record)]
pub struct Condition {
    /// Operator: `StringEquals`.
    #[field(required)]
    r#type: Option<Text>,
    /// Condition key: `aws:PrincipalOrgID`.
    #[field(required)]
    key: Option<Text>,
    /// ID of the organization.
    #[field(required)]
    value: Option<Text>,
}

/// Adds a statement to the policy of a bus, or replaces the whole policy.
#[operation(
    of = EventBus, call = "put_permission", on_model, effect = write, subject = "event-bus/{EventBusName}",
    access = permissions
)]
pub struct PutPermission {
    /// Name of the bus; the default bus if it is not given.
    #[field(from_field = "Name", length(1..=256), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub event_bus_name: Option<Text>,
    /// Action of the statement: `events:PutEvents`.
    #[field(length(1..=64), pattern = "events:[a-zA-Z]+")]
    pub action: Option<Text>,
    /// Account that the statement is for; `*` for all.
    #[field(length(1..=12), pattern = r"(\d{12}|\*)")]
    pub principal: Option<Text>,
    /// ID of the statement; an existing statement with this ID is replaced.
    #[field(length(1..=64), pattern = "[a-zA-Z0-9-_]+")]
    pub statement_id: Option<Text>,
    /// Condition of the statement: the organization of the account.
    pub condition: Option<Condition>,
    /// Policy document, instead of a statement.
    pub policy: Option<Text>,
}

impl PutPermission {
    /// Makes the statement of the parameters, for the bus with this ARN.
    fn to_statement(&self, arn: &str, region: &str) -> Result<Value> {
        let given =
            [("Action", &self.action), ("Principal", &self.principal), ("StatementId", &self.statement_id)];
        if let Some((missing, _)) = given.iter().find(|(_, value)| value.is_none()) {
            return Err(errors::permission_incomplete(missing).with_field(*missing));
        }
        if self.action.as_deref() != Some(PUT_EVENTS) {
            return Err(errors::permission_action_unsupported().with_field("Action").with_hint(PUT_EVENTS));
        }
        let text = |text: &str| Value::Text(text.into());
        let principal = self.principal.as_deref().unwrap_or_default();
        let principal_value = match principal {
            "*" => text("*"),
            account => with_arns(&Value::from_iter([("AWS", text(account))]), region),
        };
        let mut statement = vec![
            ("Sid", text(self.statement_id.as_deref().unwrap_or_default())),
            ("Effect", text("Allow")),
            ("Principal", principal_value),
            ("Action", text(PUT_EVENTS)),
            ("Resource", text(arn)),
        ];
        if let Some(condition) = &self.condition {
            let [kind, key, value] = [&condition.r#type, &condition.key, &condition.value]
                .map(|part| part.as_deref().unwrap_or_default());
            check_condition(kind, key, value).map_err(|refused| refused.with_field("Condition"))?;
            if principal != "*" {
                return Err(errors::condition_of_account().with_field("Condition"));
            }
            statement.push(("Condition", Value::from_iter([(kind, Value::from_iter([(key, text(value))]))])));
        }
        Ok(Value::from_iter(statement))
    }
}

/// Refuses a condition that is not on the organization of the caller.
fn check_condition(kind: &str, key: &str, value: &str) -> Result<()> {
    let is_plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_id = |id: &str| (10..=32).contains(&id.len()) && is_plain(id);
    match (kind, key) {
        ("StringEquals", "aws:PrincipalOrgID") if value.strip_prefix("o-").is_some_and(is_id) => Ok(()),
        ("StringEquals", "aws:PrincipalOrgID") => Err(errors::condition_value_invalid()),
        ("StringEquals", _) => Err(errors::condition_part_unsupported("key")),
        _ => Err(errors::condition_part_unsupported("type")),
    }
}

/// Writes a policy document in the form in which it is stored: compact, with a list of statements, elements in order, and ARNs
/// of accounts.
fn normalize(policy: &str, region: &str) -> Result<Text> {
    let missing = |field: &str| errors::policy_field_missing(field).with_field("Policy");
    let mut document = match json::parse(policy.as_bytes()) {
        Ok(Value::Map(document)) if !document.contains_key("Version") => return Err(missing("Version")),
        Ok(Value::Map(document)) => document,
        Ok(_) => return Err(errors::not_a_policy().with_field("Policy")),
        Err(_) => return Err(malformed_policy(&Malformed::NotJson).with_field("Policy")),
    };
    RULES.parse(policy)?;
    let mut statements = Vec::new();
    for statement in document.get("Statement").map(statements_in).unwrap_or_default() {
        let Value::Map(mut statement) = statement else { continue };
        if !statement.contains_key("Sid") {
            return Err(missing("Sid"));
        }
        for element in ["Principal", "NotPrincipal"] {
            if let Some(principal) = statement.get_mut(element) {
                *principal = with_arns(principal, region);
            }
        }
        statements.push(in_order(&statement, &STATEMENT_ELEMENTS));
    }
    document.insert("Statement".into(), Value::List(statements));
    Ok(json::write(in_order(&document, &ELEMENTS).view(), Writing::EXPOSED).into())
}

/// Returns these elements of an object, in this order.
fn in_order(object: &Map<Value>, elements: &[&'static str]) -> Value {
    elements.iter().filter_map(|name| Some((*name, object.get(*name)?.clone()))).collect()
}

/// Replaces IDs of accounts in a principal by the ARNs of their roots.
fn with_arns(principal: &Value, region: &str) -> Value {
    match principal {
        Value::Text(id) if id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_digit()) => {
            Value::Text(format!("arn:{}:iam::{id}:root", partition_of(region)).into())
        }
        Value::List(names) => Value::List(names.iter().map(|name| with_arns(name, region)).collect()),
        Value::Map(kinds) => {
            Value::Map(kinds.iter().map(|(kind, names)| (kind.clone(), with_arns(names, region))).collect())
        }
        other => other.clone(),
    }
}

/// Reads the statements of a policy that was stored.
fn statements_of(policy: Option<&Text>) -> Vec<Value> {
    let document = policy.and_then(|policy| json::parse(policy.as_bytes()).ok());
    document.and_then(|document| document.get("Statement").map(statements_in)).unwrap_or_default()
}

/// Returns the statements in an element, which is one or a list.
fn statements_in(element: &Value) -> Vec<Value> {
    match element {
        Value::List(statements) => statements.clone(),
        statement => vec![statement.clone()],
    }
}

/// True if a statement has this ID.
fn has_id(statement: &Value, id: Option<&str>) -> bool {
    statement.get("Sid").and_then(Value::as_text) == id
}

/// Writes statements as a policy document.
fn to_policy(statements: Vec<Value>) -> Text {
    let version = Value::Text("2012-10-17".into());
    let document = Value::from_iter([("Version", version), ("Statement", Value::List(statements))]);
    json::write(document.view(), Writing::EXPOSED).into()
}

impl Handler for PutPermission {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut bus = event_bus::require(cx, self.event_bus_name.as_deref())?;
        let policy = if let Some(policy) = &self.policy {
            let has_statement =
                self.action.is_some() || self.principal.is_some() || self.statement_id.is_some();
            if has_statement || self.condition.is_some() {
                return Err(errors::permission_forms_given().with_field("Policy"));
            }
            normalize(policy, cx.scope().region())?
        } else {
            let statement = self.to_statement(bus.arn.as_deref().unwrap_or_default(), cx.scope().region())?;
            let mut statements = statements_of(bus.policy.as_ref());
            statements.retain(|existing| !has_id(existing, self.statement_id.as_deref()));
            statements.push(statement);
            to_policy(statements)
        };
        if policy.chars().count() > MAX_POLICY_LENGTH {
            return Err(errors::policy_too_long().with_field("Policy"));
        }
        bus.policy = Some(policy);
        bus.put_changed(cx)?;
        Ok(Empty {})
    }
}

/// Removes a statement from the policy of a bus, or the whole policy.
#[operation(
    of = EventBus, call = "remove_permission", on_model, effect = write, subject = "event-bus/{EventBusName}",
    access = permissions
)]
pub struct RemovePermission {
    /// ID of the statement.
    #[field(like = PutPermission::statement_id)]
    pub statement_id: Option<Text>,
    /// True to remove the whole policy.
    pub remove_all_permissions: Option<bool>,
    /// Name of the bus; the default bus if it is not given.
    #[field(from_field = "Name", like = PutPermission::event_bus_name)]
    pub event_bus_name: Option<Text>,
}

impl Handler for RemovePermission {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut bus = event_bus::require(cx, self.event_bus_name.as_deref())?;
        if self.remove_all_permissions == Some(true) {
            if self.statement_id.is_some() {
                return Err(errors::statement_and_all_given().with_field("StatementId"));
            }
            if bus.policy.take().is_some() {
                bus.put_changed(cx)?;
            }
            return Ok(Empty {});
        }
        let Some(id) = self.statement_id.as_deref() else {
            return Err(errors::permission_incomplete("StatementId").with_field("StatementId"));
        };
        let mut statements = statements_of(bus.policy.as_ref());
        let before = statements.len();
        statements.retain(|statement| !has_id(statement, Some(id)));
        if statements.len() == before {
            return Err(errors::statement_not_found().with_field("StatementId").with_hint(id));
        }
        bus.policy = (!statements.is_empty()).then(|| to_policy(statements));
        bus.put_changed(cx)?;
        Ok(Empty {})
    }
}
