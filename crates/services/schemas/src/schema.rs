//! Schemas: versioned descriptions of the structure of events.

use super::{
    errors, paging,
    registry::{self, provider},
};
use nephos_cloud::{Direction, Key, Scope, Stored, Tx};
use nephos_core::{Map, Operation, Resource, Result, Slot, Text, Timestamp};
use std::ops::ControlFlow;

pub(crate) mod bindings;
pub(crate) mod content;
mod export;
mod operations;
mod row;
mod search;
pub(crate) mod versions;

pub(super) use operations::SchemaPath;
pub use operations::{
    CreateSchema, DeleteSchema, DescribeSchema, ListSchemas, ListSchemasResponse, SchemaCreate, SchemaUpdate,
    UpdateSchema,
};
pub(super) use row::SchemaRow;
pub use {bindings::*, content::SchemaType, export::*, search::*, versions::*};

/// A schema: a versioned description of the structure of an event.
#[derive(Resource)]
#[resource(
    arn("SchemaArn", "schema/{RegistryName}/{SchemaName}"), name = "SchemaName", pk("RegistryName", "SchemaName"),
    exists_if = "SchemaArn", tags = "Tags", not_found = |name| errors::schema_not_found(name)
)]
pub struct Schema {
    /// Time of the last change.
    #[field(service_set, time = "iso8601")]
    last_modified: Option<Timestamp>,
    /// ARN of the schema.
    #[field(service_set)]
    schema_arn: Option<Text>,
    /// Name of the schema, unique within the registry.
    #[field(fixed, length(1..=385), pattern = r"[.\-_@A-Za-z0-9]+")]
    schema_name: Option<Text>,
    /// Tags.
    #[field(wire = "tags")]
    tags: Option<Map<Text>>,
    /// Number of versions; only a listing returns it.
    #[field(service_set)]
    version_count: Option<i64>,
    /// Name of the registry.
    #[field(fixed, not_on_wire, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    registry_name: Option<Text>,
    /// Schema document, as JSON.
    #[field(not_in_list, length(1..=100000))]
    content: Option<Text>,
    /// Description.
    #[field(not_in_list, length(..=256), clear = "")]
    description: Option<Text>,
    /// Version number.
    #[field(not_in_list, service_set)]
    schema_version: Option<Text>,
    /// Type of the document: `OpenApi3` or `JSONSchemaDraft4`.
    #[field(not_in_list)]
    r#type: Option<Text>,
    /// Time at which the version was created.
    #[field(not_in_list, service_set, time = "iso8601")]
    version_created_date: Option<Timestamp>,
    slot: Slot,
}

/// Returns the key prefix of the schemas of a registry.
pub(super) fn key_prefix(scope: &Scope, registry: &str) -> Key {
    SchemaRow::table(scope).text(registry)
}

/// True if a registry contains a schema.
pub(super) fn has_schemas(cx: &Tx<'_>, registry: &str) -> Result<bool> {
    let mut any = false;
    cx.scan_keys(&key_prefix(cx.scope(), registry).prefix_range(), Direction::Ascending, |_, _| {
        any = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(any)
}

/// Returns a schema, or an error if it or its registry does not exist.
pub(super) fn require(cx: &Tx<'_>, registry: &str, schema: &str) -> Result<SchemaRow> {
    let found = match registry {
        provider::EVENTS => provider::find_schema(schema),
        _ => cx.get(&key_prefix(cx.scope(), registry).text(schema))?,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    registry::require(cx, registry)?;
    Err(errors::schema_not_found(schema).with_hint(format!("in registry {registry}")))
}

/// Reads one page of the schemas of a registry, in ASCII order of their names: the items that `take` returns, and the
/// pagination token of the next page.
pub(super) fn page<T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    registry: &str,
    prefix: Option<&Text>,
    mut take: impl FnMut(SchemaRow) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    registry::require(cx, registry)?;
    if registry != provider::EVENTS {
        return paging::page(cx, query, key_prefix(cx.scope(), registry), prefix, take);
    }
    let prefix = prefix.map(Text::as_str).unwrap_or_default();
    let mut items = Vec::new();
    for (name, row) in provider::schemas().filter(|(name, _)| name.starts_with(prefix)) {
        items.extend(take(row)?.map(|item| (name, item)));
    }
    let (page, next) = cx.page_items(query, items, |(name, _)| name.clone())?;
    Ok((page.into_iter().map(|(_, item)| item).collect(), next))
}
