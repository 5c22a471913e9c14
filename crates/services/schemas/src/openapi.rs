//! OpenAPI 3 documents: what they must have, and what the keywords of their schemas hold.

use super::content::DocumentError;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// What is right, or what is error.
pub(super) type CheckResult<T = ()> = Result<T, DocumentError>;

/// Where the schemas of a document stand.
pub(super) const SCHEMAS: &str = "#/components/schemas/";

/// What a keyword of a schema holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Holds {
    /// Anything.
    Anything,
    /// Text.
    Text,
    /// True or false.
    Flag,
    /// A number.
    Number,
    /// A number above 0.
    Positive,
    /// A whole number of 0 or more.
    Count,
    /// Different texts.
    Texts,
    /// Values, at least one.
    Values,
    /// The name of a type; since 3.1 also several.
    Type,
    /// Whether a bound is excluded; since 3.1 the bound itself.
    Bound,
    /// A schema.
    Schema,
    /// A schema, or true or false.
    SchemaOrFlag,
    /// Schemas, at least one.
    Schemas,
    /// Schemas by name.
    Named,
}

/// What becomes of a keyword in JSON Schema draft 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Becomes {
    /// The same.
    Same,
    /// Nothing: it says nothing about which values are right.
    Nothing,
    /// Something else.
    Else,
    /// Nothing that draft 4 has words for, since OpenAPI 3.1; before, it is no keyword.
    Beyond,
}

/// What a keyword of a schema holds and becomes, if it is known.
pub(super) fn keyword(name: &str) -> Option<(Holds, Becomes)> {
    use Becomes::{Beyond, Else, Nothing, Same};
    use Holds::*;
    Some(match name {
        "title" | "description" | "format" | "pattern" => (Text, Same),
        "default" => (Anything, Same),
        "multipleOf" => (Positive, Same),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            (Count, Same)
        }
        "uniqueItems" => (Flag, Same),
        "properties" => (Named, Same),
        "patternProperties" => (Named, Else),
        "additionalProperties" => (SchemaOrFlag, Same),
        "items" | "not" => (Schema, Same),
        "allOf" | "anyOf" | "oneOf" => (Schemas, Same),
        "type" => (Type, Else),
        "nullable" => (Flag, Else),
        "enum" => (Values, Else),
        "const" => (Anything, Else),
        "required" => (Texts, Else),
        "minimum" | "maximum" => (Number, Else),
        "exclusiveMinimum" | "exclusiveMaximum" => (Bound, Else),
        "discriminator" | "xml" | "externalDocs" | "example" | "examples" => (Anything, Nothing),
        "readOnly" | "writeOnly" | "deprecated" => (Flag, Nothing),
        "if" | "then" | "else" | "contains" | "minContains" | "maxContains" | "propertyNames" => {
            (Anything, Beyond)
        }
        "prefixItems" | "dependentSchemas" | "dependentRequired" => (Anything, Beyond),
        "unevaluatedProperties" | "unevaluatedItems" | "$defs" | "definitions" => (Anything, Beyond),
        "$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" => (Anything, Beyond),
        _ => return None,
    })
}

/// Which OpenAPI 3: its minor version.
pub(super) fn minor(document: &Value) -> CheckResult<u32> {
    let version = document.get("openapi").ok_or_else(|| DocumentError::new("has no openapi: its version"))?;
    let numbers: Option<Vec<u32>> =
        version.as_str().and_then(|text| text.split('.').map(|part| part.parse().ok()).collect());
    match numbers.as_deref() {
        Some([3, minor, _]) => Ok(*minor),
        _ => Err(DocumentError::new(format!("{version} is not a version of OpenAPI 3, such as \"3.0.0\""))
            .in_field("openapi")),
    }
}

/// Refuses what is no OpenAPI 3 document.
pub(super) fn check(document: &Value) -> CheckResult {
    let root = object(document)?;
    let minor = minor(document)?;
    let info = member(root, "info")?;
    let info = object(info).map_err(|error| error.in_field("info"))?;
    for name in ["title", "version"] {
        let value = member(info, name).map_err(|error| error.in_field("info"))?;
        text(value).map_err(|error| error.in_field(name).in_field("info"))?;
    }
    let paths = member(root, "paths")?;
    for (path, item) in object(paths).map_err(|error| error.in_field("paths"))? {
        let checked = match path.starts_with('/') {
            true => object(item).map(drop),
            false if path.starts_with("x-") => Ok(()),
            false => Err(DocumentError::new("is not a path: it begins with /")),
        };
        checked.map_err(|error| error.in_field(path).in_field("paths"))?;
    }
    let Some(components) = root.get("components") else { return Ok(()) };
    let components = object(components).map_err(|error| error.in_field("components"))?;
    let Some(schemas) = components.get("schemas") else { return Ok(()) };
    let up = |error: DocumentError| error.in_field("schemas").in_field("components");
    for (name, schema) in object(schemas).map_err(up)? {
        let named = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let checked = match !name.is_empty() && name.bytes().all(named) {
            true => Schemas { document, minor }.check(schema),
            false => Err(DocumentError::new("is not a name: letters, digits and . _ - are allowed")),
        };
        checked.map_err(|error| up(error.in_field(name)))?;
    }
    Ok(())
}

/// What the schemas of a document are checked with.
struct Schemas<'d> {
    document: &'d Value,
    minor: u32,
}

impl Schemas<'_> {
    fn check(&self, schema: &Value) -> CheckResult {
        if self.minor > 0 && schema.is_boolean() {
            return Ok(());
        }
        let keywords = object(schema)?;
        if let Some(reference) = keywords.get("$ref") {
            self.refer(reference).map_err(|error| error.in_field("$ref"))?;
            if self.minor == 0 {
                // Whatever stands beside a reference means nothing before 3.1.
                return Ok(());
            }
        }
        for (name, value) in keywords {
            if let Some((holds, _)) = keyword(name) {
                self.holds(holds, value).map_err(|error| error.in_field(name))?;
            }
        }
        Ok(())
    }

    /// A reference into the document must lead somewhere.
    fn refer(&self, reference: &Value) -> CheckResult {
        let reference = text(reference)?;
        match reference.strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || self.document.pointer(pointer).is_none() => {
                Err(DocumentError::new(format!("nothing stands at {reference}")))
            }
            _ => Ok(()),
        }
    }

    fn holds(&self, holds: Holds, value: &Value) -> CheckResult {
        let is = |right: bool, what: &str| match right {
            true => Ok(()),
            false => Err(DocumentError::new(format!("is not {what}"))),
        };
        match holds {
            Holds::Anything => Ok(()),
            Holds::Text => text(value).map(drop),
            Holds::Flag => is(value.is_boolean(), "true or false"),
            Holds::Number => is(value.is_number(), "a number"),
            Holds::Positive => is(value.as_f64().is_some_and(|number| number > 0.0), "a number above 0"),
            Holds::Count => is(value.is_u64(), "a whole number of 0 or more"),
            Holds::Bound if self.minor == 0 => is(value.is_boolean(), "true or false"),
            Holds::Bound => is(value.is_number(), "a number"),
            Holds::Texts => list(value).and_then(|items| {
                each(items, |item| text(item).map(drop))?;
                is(are_different(items), "a list of different texts")
            }),
            Holds::Values => {
                list(value).and_then(|items| is(!items.is_empty(), "a list of at least one value"))
            }
            Holds::Type => self.types(value),
            Holds::Schema => self.check(value),
            Holds::SchemaOrFlag if value.is_boolean() => Ok(()),
            Holds::SchemaOrFlag => self.check(value),
            Holds::Schemas => list(value).and_then(|items| {
                is(!items.is_empty(), "a list of at least one schema")?;
                each(items, |item| self.check(item))
            }),
            Holds::Named => object(value)?
                .iter()
                .try_for_each(|(name, schema)| self.check(schema).map_err(|error| error.in_field(name))),
        }
    }

    fn types(&self, value: &Value) -> CheckResult {
        let one = |value: &Value| {
            let name = text(value)?;
            let known = ["array", "boolean", "integer", "number", "object", "string"];
            if known.contains(&name) || (self.minor > 0 && name == "null") {
                return Ok(());
            }
            Err(DocumentError::new(format!("{name:?} is not a type")))
        };
        match value {
            Value::Array(items) if self.minor > 0 => {
                each(items, one)?;
                match !items.is_empty() && are_different(items) {
                    true => Ok(()),
                    false => Err(DocumentError::new("is not a list of different types")),
                }
            }
            value => one(value),
        }
    }
}

pub(super) fn are_different(texts: &[Value]) -> bool {
    let mut seen = HashSet::new();
    texts.iter().all(|text| seen.insert(text.as_str()))
}

pub(super) fn each(items: &[Value], check: impl Fn(&Value) -> CheckResult) -> CheckResult {
    items.iter().enumerate().try_for_each(|(n, item)| check(item).map_err(|error| error.in_field(n)))
}

fn member<'v>(object: &'v Map<String, Value>, name: &str) -> CheckResult<&'v Value> {
    object.get(name).ok_or_else(|| DocumentError::new(format!("has no {name}")))
}

pub(super) fn object(value: &Value) -> CheckResult<&Map<String, Value>> {
    value.as_object().ok_or_else(|| DocumentError::new("is not an object"))
}

pub(super) fn list(value: &Value) -> CheckResult<&[Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| DocumentError::new("is not a list"))
}

pub(super) fn text(value: &Value) -> CheckResult<&str> {
    value.as_str().ok_or_else(|| DocumentError::new("is not text"))
}
