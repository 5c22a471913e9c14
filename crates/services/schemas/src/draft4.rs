//! From OpenAPI 3 to JSON Schema draft 4: the components become definitions, the event's envelope the root.

use super::{
    content::{self, DocumentError},
    openapi::{self, Becomes, CheckResult, Holds, SCHEMAS},
};
use nephos_core::Result;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Where the definitions of a JSON Schema stand.
const DEFINITIONS: &str = "#/definitions/";

/// What the envelope of an event is called among the components.
const ENVELOPE: &str = "AWSEvent";

/// What of the specification's extensions says something about the event itself.
const EVENT_EXTENSIONS: &str = "x-amazon-events-";

/// The JSON Schema of what an OpenAPI document describes.
///
/// Its root is the component `AWSEvent`, or else the only one that no other refers to. If there are several of those, the
/// root asks for nothing, and each stands among the definitions.
pub(super) fn from_openapi(document: &Value) -> Result<Value> {
    let schema = Converter { minor: openapi::minor(document)? }.document(document)?;
    every_reference_leads_somewhere(&schema, &schema)?;
    content::check_draft4(&schema)?;
    Ok(schema)
}

struct Converter {
    minor: u32,
}

type Keywords = Map<String, Value>;

impl Converter {
    fn document(&self, document: &Value) -> CheckResult<Value> {
        let components = document.pointer("/components/schemas").and_then(Value::as_object);
        let Some(components) = components.filter(|components| !components.is_empty()) else {
            return Err(DocumentError::new("has no schemas to export").in_field("components"));
        };
        let references = References::among(components);
        let top = references.top(components);
        let mut definitions = Keywords::new();
        for (name, schema) in components {
            if Some(name.as_str()) == top && !references.by_any.contains(name.as_str()) {
                continue;
            }
            definitions.insert(name.clone(), self.component(name, schema)?);
        }
        let mut root = Keywords::new();
        root.insert("$schema".into(), "http://json-schema.org/draft-04/schema#".into());
        root.extend(document.pointer("/info/title").map(|title| ("title".to_owned(), title.clone())));
        if !definitions.is_empty() {
            root.insert("definitions".into(), Value::Object(definitions));
        }
        if let Some((name, schema)) = top.and_then(|top| components.get_key_value(top)) {
            let schema = self.component(name, schema)?;
            match schema.get("$ref") {
                // What stands beside a reference means nothing, and the definitions have to stand beside it.
                Some(_) => drop(root.insert("allOf".into(), json!([schema]))),
                None => root.extend(schema.as_object().cloned().unwrap_or_default()),
            }
        }
        Ok(Value::Object(root))
    }

    fn component(&self, name: &str, schema: &Value) -> CheckResult<Value> {
        self.schema(schema).map_err(|error| error.in_field(name).in_field("schemas").in_field("components"))
    }

    fn schema(&self, schema: &Value) -> CheckResult<Value> {
        let from = match schema {
            Value::Bool(true) => return Ok(json!({})),
            Value::Bool(false) => return Ok(json!({ "not": {} })),
            Value::Object(from) => from,
            _ => return Err(DocumentError::new("is not a schema")),
        };
        let reference =
            from.get("$ref").map(reference).transpose().map_err(|error| error.in_field("$ref"))?;
        if let (0, Some(reference)) = (self.minor, &reference) {
            return Ok(json!({ "$ref": reference }));
        }
        let mut into = Keywords::new();
        for (name, value) in from {
            self.keyword(name, value, from, &mut into).map_err(|error| error.in_field(name))?;
        }
        if let (1.., Some(value)) = (self.minor, from.get("const")) {
            also(&mut into, json!({ "enum": [value] }));
        }
        if let Some(reference) = reference {
            let reference = json!({ "$ref": reference });
            if into.is_empty() {
                return Ok(reference);
            }
            also(&mut into, reference);
        }
        Ok(Value::Object(into))
    }

    /// Puts what the keyword `name` of `from` says into the schema `into`.
    fn keyword(&self, name: &str, value: &Value, from: &Keywords, into: &mut Keywords) -> CheckResult {
        match openapi::keyword(name) {
            Some((holds, Becomes::Same)) => {
                into.insert(name.into(), self.held(holds, value)?);
            }
            Some((_, Becomes::Else)) => self.other(name, value, from, into)?,
            Some((_, Becomes::Beyond)) if self.minor > 0 => {
                return Err(DocumentError::new("cannot be said in JSON Schema draft 4"));
            }
            None if name.starts_with(EVENT_EXTENSIONS) => drop(into.insert(name.into(), value.clone())),
            // What is no keyword here might be one there.
            Some((_, Becomes::Nothing | Becomes::Beyond)) | None => {}
        }
        Ok(())
    }

    fn held(&self, holds: Holds, value: &Value) -> CheckResult<Value> {
        let each = |(n, item)| self.schema(item).map_err(|error: DocumentError| error.in_field(n));
        match (holds, value) {
            (Holds::Schema, schema) => self.schema(schema),
            (Holds::SchemaOrFlag, Value::Object(_)) => self.schema(value),
            (Holds::Schemas, Value::Array(items)) => items.iter().enumerate().map(each).collect(),
            (Holds::Named, Value::Object(schemas)) => {
                let named = schemas.iter().map(|(name, schema)| {
                    Ok((name.clone(), self.schema(schema).map_err(|error| error.in_field(name))?))
                });
                named.collect::<CheckResult<Keywords>>().map(Value::Object)
            }
            (_, value) => Ok(value.clone()),
        }
    }

    /// The same for keywords that are not the same there.
    fn other(&self, name: &str, value: &Value, from: &Keywords, into: &mut Keywords) -> CheckResult {
        let mut put = |name: &str, value: Value| drop(into.insert(name.into(), value));
        match name {
            "type" if self.minor == 0 && from.get("nullable") == Some(&Value::Bool(true)) => {
                put("type", json!([value, "null"]));
            }
            "type" => put("type", value.clone()),
            "enum" => put("enum", distinct(value)),
            "required" if value.as_array().is_some_and(|names| !names.is_empty()) => {
                put("required", value.clone());
            }
            "patternProperties" if self.minor > 0 => put(name, self.held(Holds::Named, value)?),
            "minimum" | "exclusiveMinimum" => bound(from, into, ["minimum", "exclusiveMinimum"], f64::gt),
            "maximum" | "exclusiveMaximum" => bound(from, into, ["maximum", "exclusiveMaximum"], f64::lt),
            // What is empty or not known yet says nothing; the rest is said with the type, or at the end.
            _ => {}
        }
        Ok(())
    }
}

/// The lower or upper bound that `from` sets, excluded or not; `within` says whether the first of two bounds is the
/// narrower one.
fn bound(
    from: &Keywords,
    into: &mut Keywords,
    [limit, exclusive]: [&str; 2],
    within: fn(&f64, &f64) -> bool,
) {
    let (bound, excluded) = match (from.get(limit), from.get(exclusive)) {
        (Some(bound), Some(Value::Number(other))) => {
            let both = bound.as_f64().zip(other.as_f64());
            let narrower = both.is_some_and(|(bound, other)| within(&bound, &other));
            if narrower { (bound.clone(), false) } else { (Value::Number(other.clone()), true) }
        }
        (None, Some(Value::Number(other))) => (Value::Number(other.clone()), true),
        (Some(bound), excluded) => (bound.clone(), excluded == Some(&Value::Bool(true))),
        (None, _) => return,
    };
    into.insert(limit.into(), bound);
    if excluded {
        into.insert(exclusive.into(), Value::Bool(true));
    }
}

/// Asks for `schema` besides everything else.
fn also(into: &mut Keywords, schema: Value) {
    match into.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(schema),
        None => drop(into.insert("allOf".into(), json!([schema]))),
    }
}

fn distinct(values: &Value) -> Value {
    let mut seen = HashSet::new();
    let values = values.as_array().into_iter().flatten();
    values.filter(|value| seen.insert(value.to_string())).cloned().collect()
}

/// A reference to a component as one to a definition.
fn reference(reference: &Value) -> CheckResult<String> {
    let reference = reference.as_str().unwrap_or_default();
    match reference.strip_prefix(SCHEMAS) {
        Some(component) => Ok([DEFINITIONS, component].concat()),
        None => Err(DocumentError::new(format!("{reference} is not within {SCHEMAS}"))),
    }
}

/// Which components are referred to.
#[derive(Default)]
struct References<'d> {
    by_any: HashSet<&'d str>,
    by_others: HashSet<&'d str>,
}

impl<'d> References<'d> {
    fn among(components: &'d Keywords) -> Self {
        let mut references = Self::default();
        for (name, schema) in components {
            let mut names = HashSet::new();
            names_referred_to(schema, &mut names);
            references.by_any.extend(&names);
            names.remove(name.as_str());
            references.by_others.extend(&names);
        }
        references
    }

    /// The component that the others are parts of, if there is one.
    fn top(&self, components: &'d Keywords) -> Option<&'d str> {
        if let Some((name, _)) = components.get_key_value(ENVELOPE) {
            return Some(name);
        }
        let mut tops = components.keys().filter(|name| !self.by_others.contains(name.as_str()));
        tops.next().filter(|_| tops.next().is_none()).map(String::as_str)
    }
}

/// Adds the components that `value` refers to, or to something within them.
fn names_referred_to<'v>(value: &'v Value, names: &mut HashSet<&'v str>) {
    match value {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            let component = reference.and_then(|reference| reference.strip_prefix(SCHEMAS));
            names.extend(component.and_then(|component| component.split('/').next()));
            members.values().for_each(|member| names_referred_to(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| names_referred_to(item, names)),
        _ => {}
    }
}

/// Refuses references to what was left out.
fn every_reference_leads_somewhere(value: &Value, root: &Value) -> CheckResult {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str)
                && reference.strip_prefix('#').is_some_and(|pointer| root.pointer(pointer).is_none())
            {
                let message = format!("{reference} would lead nowhere in JSON Schema draft 4");
                return Err(DocumentError::new(message).in_field("$ref"));
            }
            members.iter().try_for_each(|(name, member)| {
                every_reference_leads_somewhere(member, root).map_err(|error| error.in_field(name))
            })
        }
        Value::Array(items) => items.iter().enumerate().try_for_each(|(n, item)| {
            every_reference_leads_somewhere(item, root).map_err(|error| error.in_field(n))
        }),
        _ => Ok(()),
    }
}
