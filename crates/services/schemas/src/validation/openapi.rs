//! Validation of OpenAPI 3 documents, and the keywords of their schemas.

use crate::schema::content::DocumentError;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Result of a check of a document.
pub(crate) type CheckResult<T = ()> = Result<T, DocumentError>;

/// Prefix of references to schemas of a document.
pub(crate) const SCHEMAS: &str = "#/components/schemas/";

/// Kind of value that a keyword of a schema has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ValueKind {
    /// Any value.
    Anything,
    /// A string.
    String,
    /// True or false.
    Boolean,
    /// A number.
    Number,
    /// A number greater than 0.
    Positive,
    /// A whole number of 0 or more.
    Count,
    /// Unique strings.
    Strings,
    /// Values, at least one.
    Values,
    /// The name of a type; since 3.1 also a list of types.
    Type,
    /// A boolean that excludes the bound; since 3.1 the bound itself.
    Bound,
    /// A schema.
    Schema,
    /// A schema, or true or false.
    SchemaOrBoolean,
    /// Schemas, at least one.
    Schemas,
    /// Schemas by name.
    SchemaMap,
}

/// Conversion of a keyword to JSON Schema draft 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Conversion {
    /// The keyword is the same.
    Same,
    /// The keyword is dropped, because it does not constrain values.
    Dropped,
    /// The keyword has another form.
    Changed,
    /// The keyword has no equivalent, since OpenAPI 3.1; before 3.1, it is not a keyword.
    Unsupported,
}

/// Returns the kind of value and the conversion of a keyword, if it is known.
pub(crate) fn find_keyword(name: &str) -> Option<(ValueKind, Conversion)> {
    use Conversion::{Changed, Dropped, Same, Unsupported};
    use ValueKind::*;
    Some(match name {
        "title" | "description" | "format" | "pattern" => (String, Same),
        "default" => (Anything, Same),
        "multipleOf" => (Positive, Same),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            (Count, Same)
        }
        "uniqueItems" => (Boolean, Same),
        "properties" => (SchemaMap, Same),
        "patternProperties" => (SchemaMap, Changed),
        "additionalProperties" => (SchemaOrBoolean, Same),
        "items" | "not" => (Schema, Same),
        "allOf" | "anyOf" | "oneOf" => (Schemas, Same),
        "type" => (Type, Changed),
        "nullable" => (Boolean, Changed),
        "enum" => (Values, Changed),
        "const" => (Anything, Changed),
        "required" => (Strings, Changed),
        "minimum" | "maximum" => (Number, Changed),
        "exclusiveMinimum" | "exclusiveMaximum" => (Bound, Changed),
        "discriminator" | "xml" | "externalDocs" | "example" | "examples" => (Anything, Dropped),
        "readOnly" | "writeOnly" | "deprecated" => (Boolean, Dropped),
        "if" | "then" | "else" | "contains" | "minContains" | "maxContains" | "propertyNames" => {
            (Anything, Unsupported)
        }
        "prefixItems" | "dependentSchemas" | "dependentRequired" => (Anything, Unsupported),
        "unevaluatedProperties" | "unevaluatedItems" | "$defs" | "definitions" => (Anything, Unsupported),
        "$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" => (Anything, Unsupported),
        _ => return None,
    })
}

/// Returns the minor version of OpenAPI 3.
pub(crate) fn minor_version(document: &Value) -> CheckResult<u32> {
    let version = document
        .get("openapi")
        .ok_or_else(|| DocumentError::new("must have the member openapi, the version of OpenAPI"))?;
    let numbers: Option<Vec<u32>> =
        version.as_str().and_then(|text| text.split('.').map(|part| part.parse().ok()).collect());
    match numbers.as_deref() {
        Some([3, minor, _]) => Ok(*minor),
        _ => Err(DocumentError::new(format!(
            "must be a version of OpenAPI 3 such as \"3.0.0\", got {version}"
        ))
        .in_field("openapi")),
    }
}

/// Checks that a document is valid OpenAPI 3.
pub(crate) fn check(document: &Value) -> CheckResult {
    let root = as_object(document)?;
    let minor = minor_version(document)?;
    let info = required_member(root, "info")?;
    let info = as_object(info).map_err(|error| error.in_field("info"))?;
    for name in ["title", "version"] {
        let value = required_member(info, name).map_err(|error| error.in_field("info"))?;
        as_text(value).map_err(|error| error.in_field(name).in_field("info"))?;
    }
    let paths = required_member(root, "paths")?;
    for (path, item) in as_object(paths).map_err(|error| error.in_field("paths"))? {
        let checked = match path.starts_with('/') {
            true => as_object(item).map(drop),
            false if path.starts_with("x-") => Ok(()),
            false => Err(DocumentError::new("must be a path that begins with /")),
        };
        checked.map_err(|error| error.in_field(path).in_field("paths"))?;
    }
    let Some(components) = root.get("components") else { return Ok(()) };
    let components = as_object(components).map_err(|error| error.in_field("components"))?;
    let Some(schemas) = components.get("schemas") else { return Ok(()) };
    let in_schemas = |error: DocumentError| error.in_field("schemas").in_field("components");
    for (name, schema) in as_object(schemas).map_err(in_schemas)? {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let checked = match !name.is_empty() && name.bytes().all(is_allowed) {
            true => SchemaChecker { document, minor }.check(schema),
            false => Err(DocumentError::new("must be a name of letters, digits and . _ -")),
        };
        checked.map_err(|error| in_schemas(error.in_field(name)))?;
    }
    Ok(())
}

/// Checks the schemas of a document.
struct SchemaChecker<'d> {
    document: &'d Value,
    minor: u32,
}

impl SchemaChecker<'_> {
    fn check(&self, schema: &Value) -> CheckResult {
        if self.minor > 0 && schema.is_boolean() {
            return Ok(());
        }
        let keywords = as_object(schema)?;
        if let Some(reference) = keywords.get("$ref") {
            self.check_reference(reference).map_err(|error| error.in_field("$ref"))?;
            if self.minor == 0 {
                // Before 3.1, members beside a `$ref` are ignored.
                return Ok(());
            }
        }
        for (name, value) in keywords {
            if let Some((kind, _)) = find_keyword(name) {
                self.check_value(kind, value).map_err(|error| error.in_field(name))?;
            }
        }
        Ok(())
    }

    /// Checks that a reference into the document exists.
    fn check_reference(&self, reference: &Value) -> CheckResult {
        let reference = as_text(reference)?;
        match reference.strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || self.document.pointer(pointer).is_none() => {
                Err(DocumentError::new(format!("refers to {reference}, which does not exist")))
            }
            _ => Ok(()),
        }
    }

    fn check_value(&self, kind: ValueKind, value: &Value) -> CheckResult {
        let ensure = |condition: bool, expected: &str| match condition {
            true => Ok(()),
            false => Err(unexpected(expected, value)),
        };
        match kind {
            ValueKind::Anything => Ok(()),
            ValueKind::String => as_text(value).map(drop),
            ValueKind::Boolean => ensure(value.is_boolean(), "true or false"),
            ValueKind::Number => ensure(value.is_number(), "a number"),
            ValueKind::Positive => {
                ensure(value.as_f64().is_some_and(|number| number > 0.0), "a number greater than 0")
            }
            ValueKind::Count => ensure(value.is_u64(), "a whole number of 0 or more"),
            ValueKind::Bound if self.minor == 0 => ensure(value.is_boolean(), "true or false"),
            ValueKind::Bound => ensure(value.is_number(), "a number"),
            ValueKind::Strings => as_list(value).and_then(|items| {
                check_each(items, |item| as_text(item).map(drop))?;
                ensure(are_unique(items), "a list of unique strings")
            }),
            ValueKind::Values => {
                as_list(value).and_then(|items| ensure(!items.is_empty(), "a list of at least one value"))
            }
            ValueKind::Type => self.check_types(value),
            ValueKind::Schema => self.check(value),
            ValueKind::SchemaOrBoolean if value.is_boolean() => Ok(()),
            ValueKind::SchemaOrBoolean => self.check(value),
            ValueKind::Schemas => as_list(value).and_then(|items| {
                ensure(!items.is_empty(), "a list of at least one schema")?;
                check_each(items, |item| self.check(item))
            }),
            ValueKind::SchemaMap => as_object(value)?
                .iter()
                .try_for_each(|(name, schema)| self.check(schema).map_err(|error| error.in_field(name))),
        }
    }

    fn check_types(&self, value: &Value) -> CheckResult {
        let one = |value: &Value| {
            let name = as_text(value)?;
            let known = ["array", "boolean", "integer", "number", "object", "string"];
            if known.contains(&name) || (self.minor > 0 && name == "null") {
                return Ok(());
            }
            Err(DocumentError::new(format!("must be a type, got {name:?}")))
        };
        match value {
            Value::Array(items) if self.minor > 0 => {
                check_each(items, one)?;
                match !items.is_empty() && are_unique(items) {
                    true => Ok(()),
                    false => Err(DocumentError::new("must be a non-empty list of unique types")),
                }
            }
            value => one(value),
        }
    }
}

pub(crate) fn are_unique(texts: &[Value]) -> bool {
    let mut seen = HashSet::new();
    texts.iter().all(|text| seen.insert(text.as_str()))
}

pub(crate) fn check_each(items: &[Value], check: impl Fn(&Value) -> CheckResult) -> CheckResult {
    items.iter().enumerate().try_for_each(|(n, item)| check(item).map_err(|error| error.in_field(n)))
}

fn required_member<'v>(object: &'v Map<String, Value>, name: &str) -> CheckResult<&'v Value> {
    object.get(name).ok_or_else(|| DocumentError::new(format!("must have the member {name}")))
}

/// Returns the error for a value of the wrong type. Strings, lists and objects may be long and are not printed.
fn unexpected(expected: &str, value: &Value) -> DocumentError {
    DocumentError::new(match value {
        Value::String(_) | Value::Array(_) | Value::Object(_) => format!("must be {expected}"),
        value => format!("must be {expected}, got {value}"),
    })
}

pub(crate) fn as_object(value: &Value) -> CheckResult<&Map<String, Value>> {
    value.as_object().ok_or_else(|| unexpected("an object", value))
}

pub(crate) fn as_list(value: &Value) -> CheckResult<&[Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| unexpected("a list", value))
}

pub(crate) fn as_text(value: &Value) -> CheckResult<&str> {
    value.as_str().ok_or_else(|| unexpected("a string", value))
}
