//! Schemas: descriptions of events, in versions.

use super::{Empty, SERVICE, SchemaType, content, errors, paging, registry, versions};
use nephos_cloud::{Handler, Key, Scope, Stored, Tx};
use nephos_core::{Arn, Map, Record, Resource, Result, Slot, Text, Timestamp, operation};
use nephos_store::Direction;
use std::ops::ControlFlow;

mod calls;
mod definition;

pub use calls::{Create, Delete, Get, List, Update};
pub use definition::Definition;

/// A schema: the description of an event, in versions.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "SchemaArn", name = "SchemaName", pk("RegistryName", "SchemaName"), mark = "SchemaArn",
    tags = "Tags",
    calls(
        Create, Get, List, Update, Delete,
        super::versions::ListVersions, super::versions::Versions, super::versions::DeleteVersion,
        super::export::Export, super::search::Search, super::discover::GetDiscovered,
        super::tagging::of_schema::Tag, super::tagging::of_schema::Untag, super::tagging::of_schema::ListTags
    ),
    create = Create, update = Update, delete = Delete, get = Get,
)]
pub struct Schema {
    /// When anything of it was last changed.
    #[field(service_set, time = "iso8601")]
    last_modified: Option<Timestamp>,
    /// Resource name.
    #[field(service_set)]
    schema_arn: Option<Text>,
    /// Name, unique within the registry.
    #[field(fixed, length(1..=385), pattern = r"[.\-_@A-Za-z0-9]+")]
    schema_name: Option<Text>,
    /// Tags.
    #[field(wire = "tags")]
    tags: Option<Map<Text>>,
    /// How many versions it has; only a listing tells.
    #[field(service_set)]
    version_count: Option<i64>,
    /// The registry it is in.
    #[field(fixed, nowhere, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    registry_name: Option<Text>,
    /// The document, as JSON. A listing does not tell it; `get` does.
    #[field(length(1..=100000))]
    content: Option<Text>,
    /// What it describes. A listing does not tell it; `get` does.
    #[field(length(..=256))]
    description: Option<Text>,
    /// Which version this is; a listing does not say.
    #[field(service_set)]
    schema_version: Option<Text>,
    /// What language the document is in: `OpenApi3` or `JSONSchemaDraft4`.
    r#type: Option<Text>,
    /// When this version was made.
    #[field(service_set, time = "iso8601")]
    version_created_date: Option<Timestamp>,
    slot: Slot,
}

/// The resource name of a schema.
pub(super) fn arn_of(scope: &Scope, registry: &str, schema: &str) -> Arn {
    scope.arn("schemas", &["schema/", registry, "/", schema])
}

/// The schemas of a registry.
pub(super) fn within(scope: &Scope, registry: &str) -> Key {
    Definition::table(scope).text(registry)
}

/// Whether a registry holds any schema.
pub(super) fn any_within(cx: &Tx<'_>, registry: &str) -> Result<bool> {
    let mut any = false;
    cx.scan_keys(&within(cx.scope(), registry).within(), Direction::Ascending, |_, _| {
        any = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(any)
}

/// The schema of that name, which must exist.
pub(super) fn require(cx: &Tx<'_>, registry: &str, schema: &str) -> Result<Definition> {
    if let Some(found) = cx.get(&within(cx.scope(), registry).text(schema))? {
        return Ok(found);
    }
    registry::require(cx, registry)?;
    Err(errors::NOT_FOUND.because(format!("registry {registry} has no schema {schema}")))
}

/// Creates a schema, with its first version.
#[operation(
    service = SERVICE, effect = write, output = Schema,
    http("POST", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 201), subject = "schema/{RegistryName}/{SchemaName}")]
pub struct CreateSchema {
    /// The document, as JSON.
    #[field(length(1..=100000))]
    pub content: Text,
    /// What it describes.
    #[field(length(..=256))]
    pub description: Option<Text>,
    /// The registry it will be in.
    #[field(wire = "registryName", in_path, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub registry_name: Text,
    /// Its name.
    #[field(wire = "schemaName", in_path, length(1..=385), pattern = r"[.\-_@A-Za-z0-9]+")]
    pub schema_name: Text,
    /// Its tags.
    #[field(wire = "tags")]
    pub tags: Option<Map<Text>>,
    /// What language the document is in.
    pub r#type: SchemaType,
}

impl Handler for CreateSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Schema> {
        content::check(&self.r#type, &self.content)?;
        let tags = self.tags.filter(|tags| !tags.is_empty());
        tags.as_ref().map_or(Ok(()), super::tagging::check)?;
        registry::require(cx, &self.registry_name)?;
        if cx.exists(&within(cx.scope(), &self.registry_name).text(&self.schema_name))? {
            let (registry, schema) = (&self.registry_name, &self.schema_name);
            return Err(errors::EXISTS.because(format!("registry {registry} has a schema {schema} already")));
        }
        let mut definition = Definition {
            registry_name: Some(self.registry_name),
            schema_name: Some(self.schema_name),
            description: self.description,
            tags,
            last_modified: Some(cx.now()),
            version_count: None,
            last_number: None,
        };
        let version = definition.add_version(cx, self.r#type, self.content)?;
        let told = definition.told_with(cx.scope(), &version);
        cx.put(definition)?;
        Ok(told)
    }
}

/// Describes a schema with one of its versions.
#[operation(
    service = SERVICE, effect = read, output = Schema,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 200), subject = "schema/{RegistryName}/{SchemaName}")]
pub struct DescribeSchema {
    /// The registry it is in.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// Its name.
    #[field(wire = "schemaName", in_path)]
    pub schema_name: Text,
    /// Which version; the newest if not said.
    #[field(wire = "schemaVersion", in_query)]
    pub schema_version: Option<Text>,
}

impl Handler for DescribeSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Schema> {
        let definition = require(cx, &self.registry_name, &self.schema_name)?;
        let version = versions::find(cx, &definition, self.schema_version.as_deref())?;
        let mut schema = definition.told_with(cx.scope(), &version);
        schema.content = version.content;
        Ok(schema)
    }
}

/// Lists the schemas of a registry, in ASCII order of their names.
#[operation(
    service = SERVICE, effect = read, output = Schemas, http("GET", "/v1/registries/name/{registryName}/schemas", 200), subject = "schema/{RegistryName}/*")]
pub struct ListSchemas {
    /// How many at most; 100 if not said.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    pub limit: Option<i64>,
    /// Where the page before ended.
    #[field(page_token, wire = "nextToken", in_query)]
    pub next_token: Option<Text>,
    /// The registry.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// Only those whose names begin so.
    #[field(wire = "schemaNamePrefix", in_query)]
    pub schema_name_prefix: Option<Text>,
}

/// A page of schemas.
#[derive(Record)]
#[record(name = "ListSchemasResponse")]
pub struct Schemas {
    /// Where this page ends.
    next_token: Option<Text>,
    /// The schemas.
    schemas: Option<Vec<Schema>>,
}

impl Handler for ListSchemas {
    fn run(self, cx: &mut Tx<'_>) -> Result<Schemas> {
        registry::require(cx, &self.registry_name)?;
        let all = within(cx.scope(), &self.registry_name);
        let named = all.clone().text_prefix(self.schema_name_prefix.as_deref().unwrap_or_default());
        let wanted = paging::wanted(&named, self.next_token.as_deref(), self.limit);
        let name = |found: &Definition| found.schema_name.clone().unwrap_or_default();
        let (schemas, next_token) = cx.page(
            &self,
            wanted,
            |name| all.clone().text(name),
            name,
            |found: Definition| {
                let mut schema = found.told(cx.scope());
                schema.version_count = found.version_count;
                Ok(Some(schema))
            },
        )?;
        Ok(Schemas { next_token, schemas: Some(schemas) })
    }
}

/// Changes a schema: another document, or the same in another language, is a new version.
///
/// An update that says what is so already changes nothing, whatever its token.
#[operation(
    service = SERVICE, effect = write, output = Schema,
    http("PUT", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 200), subject = "schema/{RegistryName}/{SchemaName}")]
pub struct UpdateSchema {
    /// What tells this update from others.
    #[field(token, length(..=36))]
    pub client_token_id: Option<Text>,
    /// The document, as JSON; left as it is if not said.
    #[field(length(1..=100000))]
    pub content: Option<Text>,
    /// What it describes; left as it is if not said.
    #[field(length(..=256))]
    pub description: Option<Text>,
    /// The registry it is in.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// Its name.
    #[field(wire = "schemaName", in_path)]
    pub schema_name: Text,
    /// What language the document is in; left as it is if not said.
    pub r#type: Option<SchemaType>,
}

impl Handler for UpdateSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Schema> {
        let mut definition = require(cx, &self.registry_name, &self.schema_name)?;
        let mut version = versions::find(cx, &definition, None)?;
        let content = self.content.or_else(|| version.content.clone()).unwrap_or_default();
        let kind = self.r#type.or_else(|| version.r#type.clone()).unwrap_or(SchemaType::OpenApi3);
        let renewed = Some(&content) != version.content.as_ref() || Some(&kind) != version.r#type.as_ref();
        if renewed {
            content::check(&kind, &content)?;
            version = definition.add_version(cx, kind, content)?;
        }
        let described = self.description.is_some() && self.description != definition.description;
        if renewed || described {
            definition.description = self.description.or(definition.description);
            definition.last_modified = Some(cx.now());
            cx.put(definition.clone())?;
        }
        Ok(definition.told_with(cx.scope(), &version))
    }
}

/// Deletes a schema with all its versions.
#[operation(
    service = SERVICE, effect = write, output = Empty,
    http("DELETE", "/v1/registries/name/{registryName}/schemas/name/{schemaName}", 204), subject = "schema/{RegistryName}/{SchemaName}")]
pub struct DeleteSchema {
    /// The registry it is in.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// Its name.
    #[field(wire = "schemaName", in_path)]
    pub schema_name: Text,
}

impl Handler for DeleteSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let definition = require(cx, &self.registry_name, &self.schema_name)?;
        let all = versions::within(cx.scope(), &self.registry_name, &self.schema_name).within();
        cx.remove_all(&all)?;
        cx.remove(&definition)?;
        Ok(Empty {})
    }
}
