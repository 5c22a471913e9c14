//! The schema of lifecycle policies, and a validator with the sentences of the provider's.

use nephos_core::{Map, Value};

/// Schema of a value.
pub(super) enum Schema {
    /// An object with these properties only.
    Object(ObjectSchema),
    /// A list of 1 to `max` items.
    List { items: &'static Schema, max: usize },
    /// A text.
    Text,
    /// One of several texts. The sentence about another one shows the first list; those of the second are accepted, too.
    Choice { shown: &'static [&'static str], further: &'static [&'static str] },
    /// A number of at least 1.
    Count,
}

/// Schema of an object.
pub(super) struct ObjectSchema {
    /// Properties that it must have, in alphabetical order.
    pub(super) required: &'static [&'static str],
    /// Properties that it can have, in the order in which they are checked.
    pub(super) properties: &'static [(&'static str, Schema)],
    /// True if the properties fit to each other; a null fits to nothing.
    pub(super) fits: Option<fn(&Map<Value>) -> bool>,
}

impl Schema {
    /// Validates a value, and describes the first violation.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        match (self, value) {
            (Self::Object(schema), Value::Map(members)) => schema.check(members),
            (Self::List { items: schema, max }, Value::List(items)) => {
                check_length(items.len(), *max)?;
                items.iter().try_for_each(|item| schema.check(item))
            }
            (Self::Text, Value::Text(_)) => Ok(()),
            (Self::Choice { shown, further }, Value::Text(text)) => {
                if shown.iter().chain(*further).any(|known| known == text) {
                    return Ok(());
                }
                Err(format!("instance value ({text}) not found in enum :(possible values: {})", list(shown)))
            }
            (Self::Count, Value::Int(number)) if *number < 1 => Err(format!(
                "numeric instance is lower than the required minimum (minimum: 1, found: {number})"
            )),
            (Self::Count, Value::Int(_)) => Ok(()),
            _ => {
                let (given, allowed) = (type_of(value), list(&[self.type_name()]));
                let rule = "does not match any allowed primitive type";
                Err(format!("instance type ({given}) {rule} (allowed: {allowed})"))
            }
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Object(_) => "object",
            Self::List { .. } => "array",
            Self::Text | Self::Choice { .. } => "string",
            Self::Count => "integer",
        }
    }
}

impl ObjectSchema {
    fn check(&self, members: &Map<Value>) -> Result<(), String> {
        let missing: Vec<_> =
            self.required.iter().copied().filter(|name| !members.contains_key(*name)).collect();
        if !missing.is_empty() {
            return Err(format!("object has missing required properties ({})", list(&missing)));
        }
        let is_known = |name: &str| self.properties.iter().any(|(known, _)| *known == name);
        let mut unknown: Vec<_> =
            members.keys().map(|name| name.as_str()).filter(|name| !is_known(name)).collect();
        if !unknown.is_empty() {
            unknown.sort_unstable();
            let rule = "object instance has properties which are not allowed by the schema:";
            return Err(format!("{rule} ({})", list(&unknown)));
        }
        for (name, schema) in self.properties {
            match members.get(*name) {
                Some(Value::Null) if self.fits.is_some() => {}
                Some(value) => schema.check(value)?,
                None => {}
            }
        }
        let has_nulls = members.values().any(|value| matches!(value, Value::Null));
        match self.fits {
            Some(fits) if has_nulls || !fits(members) => {
                Err("instance failed to match exactly one schema (matched 0 out of 2)".to_owned())
            }
            _ => Ok(()),
        }
    }
}

fn check_length(length: usize, max: usize) -> Result<(), String> {
    let elements = |limit: &str, bound: usize| {
        Err(format!("array is too {limit} {bound} elements but instance has {length} elements"))
    };
    match length {
        0 => elements("short: must have at least", 1),
        _ if length > max => elements("long: must have at most", max),
        _ => Ok(()),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::List(_) => "array",
        Value::Map(_) => "object",
        _ => "string",
    }
}

/// Prints a list of names: `["action","selection"]`.
fn list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("[{}]", quoted.join(","))
}
