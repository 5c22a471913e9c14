//! Operations on schemas as a whole.

use super::{Schema, SchemaManager, SchemaRow, key_prefix, page, require};
use crate::{
    Empty, SchemaType, errors,
    paging::Pagination,
    registry::{self, provider},
    schema::{bindings, content, versions},
    tagging,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Path parameters of requests for one schema. They are not validated: a schema with an invalid name is not found.
#[derive(Record)]
#[record(shared)]
pub struct SchemaPath {
    /// Name of the registry.
    #[field(required, wire = "registryName", in_path)]
    registry_name: Option<Text>,
    /// Name of the schema.
    #[field(required, wire = "schemaName", in_path)]
    schema_name: Option<Text>,
}

/// Creates a schema and its first version.
#[operation(
    of = Schema, call = "create", model, read_back,
    needs(content, registry_name(wire = "registryName", in_path), schema_name(wire = "schemaName", in_path)),
    takes(settable), except(r#type), effect = write, output = Schema,
    http("POST", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 201)
)]
pub struct CreateSchema {
    /// Type of the document.
    #[field(from_model)]
    pub r#type: SchemaType,
}

impl Handler for CreateSchema {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Schema> {
        content::check(&self.r#type, &self.content)?;
        self.tags = tagging::check_tags(self.tags)?;
        registry::require(cx, &self.registry_name)?;
        provider::check_changeable(&self.registry_name)?;
        if cx.exists(&key_prefix(cx.scope(), &self.registry_name).text(&self.schema_name))? {
            let refused = errors::schema_exists(&self.schema_name);
            return Err(refused.with_hint(format!("in registry {}", self.registry_name)));
        }
        let kind = self.r#type.clone();
        let content = self.content.clone();
        let description = self.description.take();
        let mut schema_row = SchemaRow::from_given(self);
        // An empty description is stored, too.
        schema_row.description = description;
        schema_row.last_modified = Some(cx.now());
        let version = schema_row.add_version(cx, kind, content)?;
        let schema = schema_row.to_schema_with(cx.scope(), &version);
        cx.put(schema_row.clone())?;
        schema_row.send_events(cx, &version)?;
        Ok(schema)
    }
}

/// Describes a schema and one of its versions.
#[operation(
    of = Schema, call = "get", none_if_missing, copies_to_answer(registry_name), include(SchemaPath),
    takes(schema_version(wire = "schemaVersion", in_query)), effect = read, output = Schema,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 200)
)]
pub struct DescribeSchema {}

impl Handler for DescribeSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Schema> {
        let number = self.schema_version.as_deref();
        let (schema_row, version) = versions::find(cx, &self.registry_name, &self.schema_name, number)?;
        let mut schema = schema_row.to_schema_with(cx.scope(), &version);
        schema.content = version.content;
        Ok(schema)
    }
}

/// Lists the schemas of a registry, in ASCII order of their names.
#[operation(
    of = Schema, call = "list", page(schemas, next_token), include(Pagination),
    pushdown(schema_name_prefix = "SchemaName"), copies_to_answer(registry_name), effect = read,
    http("GET", "/v1/registries/name/{registryName}/schemas", 200), subject = "schema/{RegistryName}/*"
)]
pub struct ListSchemas {
    /// Name of the registry.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// Prefix of the names of schemas.
    #[field(wire = "schemaNamePrefix", in_query)]
    pub schema_name_prefix: Option<Text>,
}

impl Handler for ListSchemas {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let prefix = self.schema_name_prefix.as_ref();
        let page = page(cx, &self, &self.registry_name, prefix, |found: SchemaRow| {
            let mut schema = found.to_schema(cx.scope());
            schema.version_count = found.version_count;
            Ok(Some(schema))
        })?;
        Ok(page.into())
    }
}

/// Updates a schema. A change of the document or its type creates a new version.
///
/// An update without changes has no effect, whatever its idempotency token.
#[operation(
    of = Schema, include(SchemaPath), takes(content, description), effect = write, output = Schema,
    http("PUT", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 200)
)]
pub struct UpdateSchema {
    /// Idempotency token.
    #[field(idempotency_token, length(..=36))]
    pub client_token_id: Option<Text>,
    /// Type of the document; unchanged by default.
    pub r#type: Option<SchemaType>,
}

impl Handler for UpdateSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Schema> {
        let (mut schema_row, mut version) = versions::find(cx, &self.registry_name, &self.schema_name, None)?;
        provider::check_changeable(&self.registry_name)?;
        let content = self.content.or_else(|| version.content.clone()).unwrap_or_default();
        let kind = self.r#type.or_else(|| version.r#type.clone()).unwrap_or(SchemaType::OpenApi3);
        let renewed = Some(&content) != version.content.as_ref() || Some(&kind) != version.r#type.as_ref();
        if renewed {
            content::check(&kind, &content)?;
            version = schema_row.add_version(cx, kind, content)?;
        }
        let described = self.description.is_some() && self.description != schema_row.description;
        if renewed || described {
            schema_row.description = self.description.or(schema_row.description);
            schema_row.last_modified = Some(cx.now());
            cx.put(schema_row.clone())?;
        }
        if renewed {
            schema_row.send_events(cx, &version)?;
        }
        Ok(schema_row.to_schema_with(cx.scope(), &version))
    }
}

/// Deletes a schema with all its versions and their code bindings.
#[operation(
    of = Schema, call = "delete", on_model, include(SchemaPath), effect = write,
    http("DELETE", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 204)
)]
pub struct DeleteSchema {}

impl Handler for DeleteSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let schema_row = require(cx, &self.registry_name, &self.schema_name)?;
        provider::check_changeable(&self.registry_name)?;
        for all in [versions::key_prefix, bindings::key_prefix] {
            cx.remove_all(&all(cx.scope(), &self.registry_name, &self.schema_name).prefix_range())?;
        }
        cx.remove(&schema_row)?;
        Ok(Empty {})
    }
}

/// Changes the document, its type, the description and the tags of a schema, where the model was changed. Another
/// document creates a new version.
#[operation(kind = Schema, call = "update", changes(UpdateSchema), effect = write)]
pub struct SchemaUpdate {
    /// Idempotency token.
    #[field(idempotency_token, length(..=36))]
    pub client_token_id: Option<Text>,
}
