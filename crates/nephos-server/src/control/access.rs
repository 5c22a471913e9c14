//! Control requests about permissions: the setting, explanations, the log of decisions, and policies made from it.

use super::{known_fields, object};
use nephos::{AccessQuery, Error, ErrorKind, Kernel, Map, Result, Text, Value, smallest_policy};
use nephos_core::record;

/// Number of decisions in a part of the log, and its maximum.
const PAGE: i64 = 1000;
const MAX_PAGE: i64 = 10_000;

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
        ("GET", "access/log") => log(cloud, &Map::default()),
        ("POST", "access/log") => {
            log(cloud, &known_fields(body, &["principal", "denied", "after", "limit"])?)
        }
        ("DELETE", "access/log") => {
            cloud.clear_decisions()?;
            Ok(object([]))
        }
        ("POST", "access/policy") => {
            let fields = known_fields(body, &["principal"])?;
            let principal = fields.get("principal").and_then(Value::as_text);
            let decisions = cloud.decisions(principal)?;
            if decisions.is_empty() {
                let of = principal.map(|principal| format!(" of {principal}")).unwrap_or_default();
                let message =
                    format!("no requests{of} are logged; set permissions to record, and repeat them");
                return Err(Error::new(ErrorKind::NotFound, message));
            }
            Ok(smallest_policy(&decisions))
        }
        _ => Err(Error::new(ErrorKind::Unsupported, format!("unknown control request {method} {path}"))),
    }
}

fn permissions(cloud: &Kernel) -> Value {
    object([("permissions", cloud.permissions().name().into())])
}

/// Returns a part of the log, and the position of the next one.
fn log(cloud: &Kernel, wanted: &Map<Value>) -> Result<Value> {
    let text = |name: &str| wanted.get(name).and_then(Value::as_text);
    let limit = match wanted.get("limit").map(Value::as_int) {
        None => PAGE,
        Some(Some(limit @ 1..=MAX_PAGE)) => limit,
        Some(_) => return Err(Error::invalid("limit", format!("must be a number from 1 to {MAX_PAGE}"))),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let page = cloud.decision_page(text("principal"), text("after"), limit)?;
    let only_denied = wanted.get("denied") == Some(&Value::Bool(true));
    let shown = page.decisions.iter().filter(|decision| !only_denied || decision.allowed == Some(false));
    let decisions = Value::List(shown.map(|decision| record::to_value(decision)).collect());
    let next = page.next.map(|next| ("next", next.into()));
    Ok(object([("decisions", decisions)].into_iter().chain(next)))
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
