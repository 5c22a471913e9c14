//! Conversion from OpenAPI 3 to JSON Schema draft 4: components become definitions, the event envelope becomes the root.

use crate::{
    schema::content::{self, DocumentError},
    validation::openapi::{self, CheckResult, Conversion, SCHEMAS, ValueKind},
};
use nephos_core::Result;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Prefix of references to definitions in JSON Schema.
const DEFINITIONS: &str = "#/definitions/";

/// Name of the component that is the envelope of an event.
const ENVELOPE: &str = "AWSEvent";

/// Prefix of the extensions that describe the event itself; they are kept.
const EVENT_EXTENSIONS: &str = "x-amazon-events-";

/// Converts an OpenAPI document to JSON Schema.
///
/// The root is the component `AWSEvent`, or else the only component that no other refers to. If there are several such
/// components, the root has no constraints, and all components are definitions.
pub fn from_openapi(document: &Value) -> Result<Value> {
    let schema = Converter { minor: openapi::minor_version(document)? }.convert_document(document)?;
    check_references(&schema, &schema)?;
    content::check_draft4(&schema)?;
    Ok(schema)
}

struct Converter {
    minor: u32,
}

type Keywords = Map<String, Value>;

impl Converter {
    fn convert_document(&self, document: &Value) -> CheckResult<Value> {
        let components = document.pointer("/components/schemas").and_then(Value::as_object);
        let Some(components) = components.filter(|components| !components.is_empty()) else {
            return Err(
                DocumentError::new("must contain at least one schema to export").in_field("components")
            );
        };
        let references = References::collect(components);
        let top = references.root_component(components);
        let mut definitions = Keywords::new();
        for (name, schema) in components {
            if Some(name.as_str()) == top && !references.all.contains(name.as_str()) {
                continue;
            }
            definitions.insert(name.clone(), self.convert_component(name, schema)?);
        }
        let mut root = Keywords::new();
        root.insert("$schema".into(), "http://json-schema.org/draft-04/schema#".into());
        root.extend(document.pointer("/info/title").map(|title| ("title".to_owned(), title.clone())));
        if !definitions.is_empty() {
            root.insert("definitions".into(), Value::Object(definitions));
        }
        if let Some((name, schema)) = top.and_then(|top| components.get_key_value(top)) {
            let schema = self.convert_component(name, schema)?;
            match schema.get("$ref") {
                // Members beside a `$ref` are ignored, but the root must also have `definitions`.
                Some(_) => drop(root.insert("allOf".into(), json!([schema]))),
                None => root.extend(schema.as_object().cloned().unwrap_or_default()),
            }
        }
        Ok(Value::Object(root))
    }

    fn convert_component(&self, name: &str, schema: &Value) -> CheckResult<Value> {
        self.convert_schema(schema)
            .map_err(|error| error.in_field(name).in_field("schemas").in_field("components"))
    }

    fn convert_schema(&self, schema: &Value) -> CheckResult<Value> {
        let from = match schema {
            Value::Bool(true) => return Ok(json!({})),
            Value::Bool(false) => return Ok(json!({ "not": {} })),
            Value::Object(from) => from,
            _ => return Err(DocumentError::new("must be a schema")),
        };
        let reference =
            from.get("$ref").map(convert_reference).transpose().map_err(|error| error.in_field("$ref"))?;
        if let (0, Some(reference)) = (self.minor, &reference) {
            return Ok(json!({ "$ref": reference }));
        }
        let mut into = Keywords::new();
        for (name, value) in from {
            self.convert_keyword(name, value, from, &mut into).map_err(|error| error.in_field(name))?;
        }
        if let (1.., Some(value)) = (self.minor, from.get("const")) {
            add_to_all_of(&mut into, json!({ "enum": [value] }));
        }
        if let Some(reference) = reference {
            let reference = json!({ "$ref": reference });
            if into.is_empty() {
                return Ok(reference);
            }
            add_to_all_of(&mut into, reference);
        }
        Ok(Value::Object(into))
    }

    /// Converts the keyword `name` of `from`, and adds it to the schema `into`.
    fn convert_keyword(
        &self,
        name: &str,
        value: &Value,
        from: &Keywords,
        into: &mut Keywords,
    ) -> CheckResult {
        match openapi::find_keyword(name) {
            Some((kind, Conversion::Same)) => {
                into.insert(name.into(), self.convert_value(kind, value)?);
            }
            Some((_, Conversion::Changed)) => self.convert_changed_keyword(name, value, from, into)?,
            Some((_, Conversion::Unsupported)) if self.minor > 0 => {
                return Err(DocumentError::new("has no equivalent in JSON Schema draft 4"));
            }
            None if name.starts_with(EVENT_EXTENSIONS) => drop(into.insert(name.into(), value.clone())),
            // An unknown keyword of OpenAPI could be a keyword of draft 4, so it is dropped.
            Some((_, Conversion::Dropped | Conversion::Unsupported)) | None => {}
        }
        Ok(())
    }

    fn convert_value(&self, kind: ValueKind, value: &Value) -> CheckResult<Value> {
        let each = |(n, item)| self.convert_schema(item).map_err(|error: DocumentError| error.in_field(n));
        match (kind, value) {
            (ValueKind::Schema, schema) => self.convert_schema(schema),
            (ValueKind::SchemaOrBoolean, Value::Object(_)) => self.convert_schema(value),
            (ValueKind::Schemas, Value::Array(items)) => items.iter().enumerate().map(each).collect(),
            (ValueKind::SchemaMap, Value::Object(schemas)) => {
                let converted = schemas.iter().map(|(name, schema)| {
                    Ok((name.clone(), self.convert_schema(schema).map_err(|error| error.in_field(name))?))
                });
                converted.collect::<CheckResult<Keywords>>().map(Value::Object)
            }
            (_, value) => Ok(value.clone()),
        }
    }

    /// Converts a keyword that has another form in draft 4.
    fn convert_changed_keyword(
        &self,
        name: &str,
        value: &Value,
        from: &Keywords,
        into: &mut Keywords,
    ) -> CheckResult {
        let mut put = |name: &str, value: Value| drop(into.insert(name.into(), value));
        match name {
            "type" if self.minor == 0 && from.get("nullable") == Some(&Value::Bool(true)) => {
                put("type", json!([value, "null"]));
            }
            "type" => put("type", value.clone()),
            "enum" => put("enum", remove_duplicates(value)),
            "required" if value.as_array().is_some_and(|names| !names.is_empty()) => {
                put("required", value.clone());
            }
            "patternProperties" if self.minor > 0 => {
                put(name, self.convert_value(ValueKind::SchemaMap, value)?)
            }
            "minimum" | "exclusiveMinimum" => {
                convert_bound(from, into, ["minimum", "exclusiveMinimum"], f64::gt)
            }
            "maximum" | "exclusiveMaximum" => {
                convert_bound(from, into, ["maximum", "exclusiveMaximum"], f64::lt)
            }
            // An empty `required` is no constraint; `nullable` and `const` are converted elsewhere.
            _ => {}
        }
        Ok(())
    }
}

/// Converts the lower or upper bound of `from`; `is_narrower` compares two bounds.
fn convert_bound(
    from: &Keywords,
    into: &mut Keywords,
    [limit, exclusive]: [&str; 2],
    is_narrower: fn(&f64, &f64) -> bool,
) {
    let (bound, excluded) = match (from.get(limit), from.get(exclusive)) {
        (Some(bound), Some(Value::Number(other))) => {
            let both = bound.as_f64().zip(other.as_f64());
            let narrower = both.is_some_and(|(bound, other)| is_narrower(&bound, &other));
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

/// Adds a schema to `allOf`.
fn add_to_all_of(into: &mut Keywords, schema: Value) {
    match into.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(schema),
        None => drop(into.insert("allOf".into(), json!([schema]))),
    }
}

/// Removes duplicates from a list, which draft 4 does not allow in `enum`.
fn remove_duplicates(values: &Value) -> Value {
    let mut seen = HashSet::new();
    let values = values.as_array().into_iter().flatten();
    values.filter(|value| seen.insert(value.to_string())).cloned().collect()
}

/// Converts a reference to a component into one to a definition.
fn convert_reference(reference: &Value) -> CheckResult<String> {
    let reference = reference.as_str().unwrap_or_default();
    match reference.strip_prefix(SCHEMAS) {
        Some(component) => Ok([DEFINITIONS, component].concat()),
        None => Err(DocumentError::new(format!("must be a reference into {SCHEMAS}, got {reference:?}"))),
    }
}

/// Components that are referred to: by any component, and by others than themselves.
#[derive(Default)]
struct References<'d> {
    all: HashSet<&'d str>,
    from_others: HashSet<&'d str>,
}

impl<'d> References<'d> {
    fn collect(components: &'d Keywords) -> Self {
        let mut references = Self::default();
        for (name, schema) in components {
            let mut names = HashSet::new();
            collect_references(schema, &mut names);
            references.all.extend(&names);
            names.remove(name.as_str());
            references.from_others.extend(&names);
        }
        references
    }

    /// Returns the component that becomes the root, if there is one.
    fn root_component(&self, components: &'d Keywords) -> Option<&'d str> {
        if let Some((name, _)) = components.get_key_value(ENVELOPE) {
            return Some(name);
        }
        let mut tops = components.keys().filter(|name| !self.from_others.contains(name.as_str()));
        tops.next().filter(|_| tops.next().is_none()).map(String::as_str)
    }
}

/// Collects the names of the components that `value` refers to.
fn collect_references<'v>(value: &'v Value, names: &mut HashSet<&'v str>) {
    match value {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            let component = reference.and_then(|reference| reference.strip_prefix(SCHEMAS));
            names.extend(component.and_then(|component| component.split('/').next()));
            members.values().for_each(|member| collect_references(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, names)),
        _ => {}
    }
}

/// Checks that every reference exists in the exported document.
fn check_references(value: &Value, root: &Value) -> CheckResult {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str)
                && reference.strip_prefix('#').is_some_and(|pointer| root.pointer(pointer).is_none())
            {
                let message = format!("refers to {reference}, which is not part of the exported document");
                return Err(DocumentError::new(message).in_field("$ref"));
            }
            members.iter().try_for_each(|(name, member)| {
                check_references(member, root).map_err(|error| error.in_field(name))
            })
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(n, item)| check_references(item, root).map_err(|error| error.in_field(n))),
        _ => Ok(()),
    }
}
