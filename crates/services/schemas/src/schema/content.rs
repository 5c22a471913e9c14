//! Validation of schema documents.

use crate::{
    errors,
    validation::{metaschema, openapi},
};
use nephos_core::{Choice, Error, Result, choices};
use serde_json::Value;

choices! {
    /// Type of a schema document.
    pub enum SchemaType {
        /// OpenAPI 3; the events are its components.
        OpenApi3,
        /// JSON Schema, draft 4.
        JsonSchemaDraft4 = "JSONSchemaDraft4",
    }
}

impl SchemaType {
    /// Parses the name of a type.
    pub(crate) fn parse_name(name: &str) -> Result<Self> {
        Self::SHAPE.find(name).map(Self::from_index).ok_or_else(|| Self::unknown_type(name))
    }

    fn unknown_type(name: &str) -> Error {
        errors::type_unknown(name).with_field("Type")
    }
}

/// Error in a document, with its position.
#[derive(Debug)]
pub struct DocumentError {
    /// Names on the path to the error, the last one first.
    path: Vec<String>,
    message: String,
}

impl DocumentError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), message: message.into() }
    }

    /// Adds `name` at the start of the path: the error is inside this member.
    pub(crate) fn in_field(mut self, name: impl ToString) -> Self {
        self.path.push(name.to_string());
        self
    }
}

impl From<DocumentError> for Error {
    fn from(error: DocumentError) -> Self {
        let mut path = String::new();
        for name in error.path.iter().rev() {
            path.push('/');
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        }
        content_error(&path, &error.message)
    }
}

/// Returns the error for a document that is invalid at `path`, a JSON pointer.
fn content_error(path: &str, reason: &str) -> Error {
    let refused = if path.is_empty() { errors::content_invalid() } else { errors::content_invalid_at(path) };
    refused.with_field("Content").with_hint(reason)
}

/// Checks that a document is valid for its type.
pub fn check(r#type: &SchemaType, content: &str) -> Result<()> {
    let document = parse(content)?;
    match r#type {
        SchemaType::OpenApi3 => Ok(openapi::check(&document)?),
        SchemaType::JsonSchemaDraft4 => check_draft4(&document),
        SchemaType::Unknown(name) => Err(SchemaType::unknown_type(name)),
    }
}

/// Parses a document as JSON.
pub fn parse(content: &str) -> Result<Value> {
    let refused = |error: serde_json::Error| {
        errors::content_not_json().with_field("Content").with_hint(error.to_string())
    };
    serde_json::from_str(content).map_err(refused)
}

/// URI of draft 4 in `$schema`; an empty fragment may follow.
const DRAFT4_URI: &str = "http://json-schema.org/draft-04/schema";

/// Checks a document against the meta-schema of draft 4.
pub(crate) fn check_draft4(document: &Value) -> Result<()> {
    if let Some(schema) = document.get("$schema") {
        let draft = schema.as_str().map(|schema| schema.strip_suffix('#').unwrap_or(schema));
        if draft != Some(DRAFT4_URI) {
            return Err(content_error("/$schema", &format!("must be \"{DRAFT4_URI}#\", got {schema}")));
        }
    }
    Ok(metaschema::check(document)?)
}
