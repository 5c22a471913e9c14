//! Versions of a schema: numbered from 1; numbers are not reused.

use crate::{
    Empty, Schema, SchemaManager, SchemaType, errors,
    paging::{self, Pagination},
    registry::provider,
    schema::{self, SchemaPath, SchemaRow, bindings},
};
use nephos_cloud::{Direction, Handler, Key, Scope, Stored, Tx};
use nephos_core::{Result, Text, Timestamp, operation, record_of};

/// Row of a version of a schema.
#[record_of(of = Schema, row, name = "SchemaVersion", takes(registry_name, schema_name))]
pub struct VersionRow {
    /// Version number.
    pub(crate) number: Option<i64>,
    /// Type of the document.
    pub(crate) r#type: Option<SchemaType>,
    /// Schema document, as JSON.
    pub(crate) content: Option<Text>,
    /// Time at which the version was created.
    pub(crate) created_date: Option<Timestamp>,
}

nephos_cloud::stored!(VersionRow in "schemas/version" by registry_name, schema_name, number);

impl VersionRow {
    /// Returns the version number as text.
    pub(crate) fn number_text(&self) -> Text {
        self.number.unwrap_or_default().to_string().into()
    }
}

/// Returns the key prefix of the versions of a schema.
pub(crate) fn key_prefix(scope: &Scope, registry: &str, schema: &str) -> Key {
    VersionRow::table(scope).text(registry).text(schema)
}

/// Parses a version number: digits without leading zeros.
fn parse_number(text: &str) -> Option<i64> {
    let number = text.parse::<i64>().ok().filter(|number| *number > 0)?;
    (number.to_string() == text).then_some(number)
}

/// Returns a schema and its version `version`, by default the newest; an error if either does not exist.
pub(crate) fn find(
    cx: &Tx<'_>,
    registry: &str,
    schema: &str,
    version: Option<&str>,
) -> Result<(SchemaRow, VersionRow)> {
    let schema_row = schema::require(cx, registry, schema)?;
    let all = key_prefix(cx.scope(), registry, schema);
    let found = match version.map(parse_number) {
        number if registry == provider::EVENTS => provider::find_version(schema)
            .filter(|version| number.is_none_or(|number| number == version.number)),
        None => cx.first(&all.prefix_range(), Direction::Descending)?,
        Some(number) => number.map_or(Ok(None), |number| cx.get(&all.number(number)))?,
    };
    let missing = || {
        let refused = errors::version_not_found(schema, version.unwrap_or("1"));
        refused.with_hint(format!("in registry {registry}"))
    };
    Ok((schema_row, found.ok_or_else(missing)?))
}

/// Returns all versions of a schema, in order of their numbers.
pub(crate) fn all(cx: &Tx<'_>, registry: &str, schema: &str) -> Result<Vec<VersionRow>> {
    match registry {
        provider::EVENTS => Ok(provider::find_version(schema).into_iter().collect()),
        _ => cx.all(&key_prefix(cx.scope(), registry, schema)),
    }
}

/// Summary of a version, as listings return it.
#[record_of(of = Schema, answer, takes(schema_arn, schema_name, schema_version))]
pub struct SchemaVersionSummary {
    /// Type of the document.
    r#type: Option<SchemaType>,
}

/// Lists the versions of a schema, in order of their numbers.
#[operation(
    of = Schema, call = "list_versions", page(schema_versions: SchemaVersionSummary, next_token),
    include(SchemaPath, Pagination), effect = read,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/versions", 200)
)]
pub struct ListSchemaVersions {}

impl Handler for ListSchemaVersions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let arn = schema::require(cx, &self.registry_name, &self.schema_name)?.arn(cx.scope());
        let summarize = |version: VersionRow| SchemaVersionSummary {
            schema_arn: arn.clone(),
            schema_version: Some(version.number_text()),
            schema_name: version.schema_name,
            r#type: version.r#type,
        };
        let page = match self.registry_name.as_str() {
            provider::EVENTS => {
                let only = provider::find_version(&self.schema_name).map(summarize);
                cx.page_items(&self, only, |version| version.schema_version.clone().unwrap_or_default())?
            }
            _ => {
                let all = key_prefix(cx.scope(), &self.registry_name, &self.schema_name);
                paging::page(cx, &self, all, None, |version| Ok(Some(summarize(version))))?
            }
        };
        Ok(page.into())
    }
}

/// Deletes a version of a schema, unless it is the only one, and its code bindings. Its number is not reused.
#[operation(
    of = Schema, call = "delete_version", include(SchemaPath),
    needs(schema_version(wire = "schemaVersion", in_path)), effect = write,
    http("DELETE", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/version/{schemaVersion}", 204)
)]
pub struct DeleteSchemaVersion {}

impl Handler for DeleteSchemaVersion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let (mut schema_row, version) =
            find(cx, &self.registry_name, &self.schema_name, Some(&self.schema_version))?;
        provider::check_changeable(&self.registry_name)?;
        let count = schema_row.version_count.unwrap_or(0);
        if count <= 1 {
            let refused = errors::only_version(&self.schema_version).with_field("SchemaVersion");
            return Err(refused.with_hint("delete the schema instead"));
        }
        let bindings = bindings::key_prefix(cx.scope(), &self.registry_name, &self.schema_name);
        cx.remove_all(&bindings.number(version.number.unwrap_or_default()).prefix_range())?;
        (schema_row.version_count, schema_row.last_modified) = (Some(count - 1), Some(cx.now()));
        cx.remove(&version)?;
        cx.put(schema_row)?;
        Ok(Empty {})
    }
}

/// Lists the versions of a schema, in order of their numbers.
#[operation(
    kind = Schema, call = "versions", on_model, include(SchemaPath), effect = read, runs = ListSchemaVersions,
    returns(schema_versions: Vec<SchemaVersionSummary>, next_token)
)]
pub struct SchemaListVersions {}
