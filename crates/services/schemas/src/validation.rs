//! Validation of documents by their type, and conversion from OpenAPI 3 to JSON Schema draft 4.

pub mod draft4;
pub mod metaschema;
pub(crate) mod openapi;
