//! Control requests about permissions: the setting, explanations, the log of decisions, and policies made from it.

use super::{known_fields, object};
use nephos::{AccessQuery, Error, ErrorKind, Kernel, Result, Text, Value, smallest_policy};
use nephos_core::record;

/// Methods and paths of the requests.
const REQUESTS: [(&str, &str); 7] = [
    ("GET", "permissions"),
    ("POST", "permissions"),
    ("POST", "access/why"),
    ("GET", "access/log"),
    ("POST", "access/log"),
    ("DELETE", "access/log"),
    ("POST", "access/policy"),
];

/// True if there is such a request.
pub(super) fn is_known(method: &str, path: &str) -> bool {
    REQUESTS.contains(&(method, path))
}

/// Answers a control request about permissions: method, path after the prefix, and body in JSON.
pub fn execute(cloud: &Kernel, method: &str, path: &str, body: &[u8]) -> Result<Value> {
    match (method, path) {
        ("GET", "permissions") => Ok(permissions(cloud)),
        ("POST", "permissions") => {
            let fields = known_fields(body, &["permissions"])?;
            let setting = fields.get("permissions").and_then(Value::as_text);
            let missing = || Error::invalid("permissions", "is required: off, record or enforce");
            cloud.set_permissions(setting.ok_or_else(missing)?.parse()?)?;
            Ok(permissions(cloud))
        }
        ("POST", "access/why") => Ok(record::to_value(&cloud.explain_access(&read_query(body)?)?)),
        ("GET", "access/log") => log(cloud, None, false),
        ("POST", "access/log") => {
            let fields = known_fields(body, &["principal", "denied"])?;
            let principal = fields.get("principal").and_then(Value::as_text);
            log(cloud, principal, fields.get("denied") == Some(&Value::Bool(true)))
        }
        ("DELETE", "access/log") => {
            cloud.clear_decisions()?;
            Ok(object([]))
        }
        ("POST", "access/policy") => {
            let fields = known_fields(body, &["principal"])?;
            let principal = fields.get("principal").and_then(Value::as_text);
            Ok(smallest_policy(&cloud.decisions(principal)?))
        }
        _ => Err(Error::new(ErrorKind::Unsupported, format!("unknown control request {method} {path}"))),
    }
}

fn permissions(cloud: &Kernel) -> Value {
    object([("permissions", cloud.permissions().name().into())])
}

fn log(cloud: &Kernel, principal: Option<&str>, only_denied: bool) -> Result<Value> {
    let decisions = cloud.decisions(principal)?;
    let wanted = decisions.iter().filter(|decision| !only_denied || decision.allowed == Some(false));
    Ok(object([("decisions", Value::List(wanted.map(|decision| record::to_value(decision)).collect()))]))
}

/// Reads a question about access. A value of the context is a text, a number, a bool or a list of them.
fn read_query(body: &[u8]) -> Result<AccessQuery> {
    let fields = known_fields(body, &["principal", "action", "resource", "context"])?;
    let text = |name: &str| {
        let given = fields.get(name).and_then(Value::as_text);
        given.map(Text::from).ok_or_else(|| Error::invalid(name, "is required and must be text"))
    };
    let mut query =
        AccessQuery { principal: text("principal")?, action: text("action")?, ..AccessQuery::default() };
    query.resource = text("resource")?;
    let context = match fields.get("context") {
        None | Some(Value::Null) => return Ok(query),
        Some(Value::Map(context)) => context,
        Some(_) => return Err(Error::invalid("context", "must be an object of condition keys and values")),
    };
    for (key, value) in context {
        let values = match value {
            Value::List(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            let text = value.view().text_form();
            let text =
                text.ok_or_else(|| Error::invalid(key.as_str(), "must be text, or a list of texts"))?;
            query.context.push((key.clone(), Text::from(&*text)));
        }
    }
    Ok(query)
}
