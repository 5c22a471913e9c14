//! The provider's own registries, which are computed and not stored.
//!
//! `aws.events` has the schemas of some well-known events of the provider, which cannot be changed. `discovered-schemas` has
//! the schemas that discoverers infer; it exists while there are discoverers or schemas in it.

use crate::{
    Registry, SchemaType, discoverer, errors,
    schema::{self, SchemaRow, versions::VersionRow},
};
use nephos_cloud::Tx;
use nephos_core::{Record, Result, Text, Timestamp};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Registry of the schemas of the provider's events.
pub(crate) const EVENTS: &str = "aws.events";

/// Registry of the schemas that discoverers infer.
pub(crate) const DISCOVERED: &str = "discovered-schemas";

/// Prefix of the names that callers cannot use for registries.
const RESERVED: &str = "aws.";

/// Time at which all schemas of the provider were created, in seconds since 1970: December 1, 2019.
const CREATED: i64 = 1_575_158_400;

/// True if callers cannot create a registry with this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    name.starts_with(RESERVED) || name == DISCOVERED
}

/// Refuses to change the provider's registry or a schema in it.
pub(crate) fn check_changeable(registry: &str) -> Result<()> {
    if registry == EVENTS { Err(errors::provider_owned().with_hint(registry)) } else { Ok(()) }
}

/// Refuses to change a registry that the provider manages.
pub(crate) fn check_registry_changeable(registry: &str) -> Result<()> {
    if is_reserved(registry) { Err(errors::provider_owned().with_hint(registry)) } else { Ok(()) }
}

/// Finds a registry of the provider.
pub(crate) fn find_registry(cx: &Tx<'_>, name: &str) -> Result<Option<Registry>> {
    let exists = match name {
        EVENTS => true,
        DISCOVERED => discoverer::has_discoverers(cx)? || schema::has_schemas(cx, DISCOVERED)?,
        _ => false,
    };
    Ok(exists.then(|| Registry::for_provider(cx.scope(), name)))
}

/// Returns the registries of the provider that exist.
pub(crate) fn registries(cx: &Tx<'_>) -> Result<Vec<Registry>> {
    let found = [EVENTS, DISCOVERED].into_iter().map(|name| find_registry(cx, name));
    found.filter_map(Result::transpose).collect()
}

/// A schema of the provider, which has one version.
pub struct ProviderSchema {
    row: SchemaRow,
    /// The only version.
    pub version: VersionRow,
}

/// Schemas of the provider, in order of their names.
pub static SCHEMAS: LazyLock<Vec<ProviderSchema>> = LazyLock::new(|| {
    let events: Vec<Value> = serde_json::from_str(include_str!("aws_events.json")).unwrap_or_default();
    events.iter().filter_map(ProviderSchema::for_event).collect()
});

impl ProviderSchema {
    /// Builds the schema of an event: the envelope, its detail, and the components of the detail.
    fn for_event(event: &Value) -> Option<Self> {
        let (source, detail_type) = (event["source"].as_str()?, event["detail-type"].as_str()?);
        let components = event["schemas"].as_object()?;
        let detail = components.keys().next()?;
        let mut schemas = Map::new();
        schemas.insert("AWSEvent".to_owned(), build_envelope(source, detail_type, detail));
        schemas.extend(components.clone());
        let document = json!({
            "openapi": "3.0.0",
            "info": { "version": "1.0.0", "title": detail },
            "paths": {},
            "components": { "schemas": schemas },
        });
        let created = Timestamp::from_second(CREATED).ok()?;
        let description = format!("Schema for event type {detail}, published by AWS service {source}");
        let name = format!("{source}@{detail}");
        let row = SchemaRow::for_provider(EVENTS, &name, &description, created);
        let mut version = VersionRow::from_given(row.clone());
        (version.number, version.created_date) = (Some(1), Some(created));
        (version.r#type, version.content) = (Some(SchemaType::OpenApi3), Some(document.to_string().into()));
        Some(Self { row, version })
    }

    /// Name of the schema.
    pub fn name(&self) -> &str {
        self.row.schema_name.as_deref().unwrap_or_default()
    }
}

/// Builds the envelope of an event whose detail is the component `detail`.
fn build_envelope(source: &str, detail_type: &str, detail: &str) -> Value {
    json!({
        "type": "object",
        "required": ["detail-type", "resources", "detail", "id", "source", "time", "region", "version", "account"],
        "x-amazon-events-detail-type": detail_type,
        "x-amazon-events-source": source,
        "properties": {
            "detail": { "$ref": format!("#/components/schemas/{detail}") },
            "account": { "type": "string" },
            "detail-type": { "type": "string" },
            "id": { "type": "string" },
            "region": { "type": "string" },
            "resources": { "type": "array", "items": { "type": "string" } },
            "source": { "type": "string" },
            "time": { "type": "string", "format": "date-time" },
            "version": { "type": "string" },
        },
    })
}

/// Finds a schema of the provider.
fn find(name: &str) -> Option<&'static ProviderSchema> {
    SCHEMAS.iter().find(|schema| schema.name() == name)
}

/// Finds the row of a schema of the provider.
pub(crate) fn find_schema(name: &str) -> Option<SchemaRow> {
    find(name).map(|schema| schema.row.clone())
}

/// Finds the only version of a schema of the provider.
pub(crate) fn find_version(name: &str) -> Option<VersionRow> {
    find(name).map(|schema| schema.version.clone())
}

/// Returns the rows of all schemas of the provider, with their names and in their order.
pub(crate) fn schemas() -> impl Iterator<Item = (Text, SchemaRow)> {
    SCHEMAS.iter().map(|schema| (schema.name().into(), schema.row.clone()))
}
