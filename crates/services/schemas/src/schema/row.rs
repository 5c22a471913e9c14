//! Row of a schema: the fields that all versions share.

use super::Schema;
use crate::{SchemaType, schema::versions::VersionRow};
use nephos_cloud::{Scope, Tx, own_arn};
use nephos_core::{Choice as _, Record, Result, Text, Timestamp, Value, record_of};

/// Row of a schema: the fields that all versions share.
#[record_of(
    of = Schema, row, name = "Schema",
    takes(registry_name, schema_name, description, tags, last_modified, version_count)
)]
pub(crate) struct SchemaRow {
    /// Highest version number so far; numbers of deleted versions are not reused.
    last_number: Option<i64>,
}

nephos_cloud::stored!(SchemaRow in "schemas/schema" by registry_name, schema_name);

impl SchemaRow {
    /// Creates the row of a schema of the provider, which has one version and is not stored.
    pub(crate) fn for_provider(registry: &str, name: &str, description: &str, created: Timestamp) -> Self {
        Self {
            registry_name: Some(registry.into()),
            schema_name: Some(name.into()),
            description: Some(description.into()),
            tags: None,
            last_modified: Some(created),
            version_count: Some(1),
            last_number: Some(1),
        }
    }

    /// Adds a version, created now.
    pub(super) fn add_version(
        &mut self,
        cx: &mut Tx<'_>,
        r#type: SchemaType,
        content: Text,
    ) -> Result<VersionRow> {
        let number = self.last_number.unwrap_or(0) + 1;
        (self.last_number, self.version_count) = (Some(number), Some(self.version_count.unwrap_or(0) + 1));
        let mut version = VersionRow::from_given(self.clone());
        (version.number, version.created_date) = (Some(number), Some(cx.now()));
        (version.r#type, version.content) = (Some(r#type), Some(content));
        cx.put(version.clone())?;
        Ok(version)
    }

    /// Sends the events about a new version, and, if it is the first one, about the new schema.
    pub(super) fn send_events(&self, cx: &mut Tx<'_>, version: &VersionRow) -> Result<()> {
        if !cx.has_own_events() {
            return Ok(());
        }
        let arn = self.arn(cx.scope()).unwrap_or_default();
        let detail: Value = [
            ("SchemaName", self.schema_name.as_deref().into()),
            ("SchemaType", version.r#type.as_ref().map(|kind| kind.as_str()).into()),
            ("RegistryName", self.registry_name.as_deref().into()),
            ("CreationDate", version.created_date.map(|date| format!("{date:.0}")).into()),
            ("Version", Value::from(version.number_text())),
        ]
        .into_iter()
        .collect();
        let types: &[&str] = match version.number {
            Some(1) => &["Schema Created", "Schema Version Created"],
            _ => &["Schema Version Created"],
        };
        types.iter().try_for_each(|kind| cx.send_own_event("aws.schemas", kind, &detail, vec![arn.clone()]))
    }

    /// Returns the ARN of the schema.
    pub(crate) fn arn(&self, scope: &Scope) -> Option<Text> {
        self.to_schema(scope).schema_arn
    }

    /// Returns the model with the fields that every answer has.
    pub(super) fn to_schema(&self, scope: &Scope) -> Schema {
        let mut schema = Schema::from_given(self.clone());
        (schema.description, schema.version_count) = (None, None);
        schema.schema_arn = own_arn(&schema, scope);
        schema
    }

    /// Returns the model with the fields of one version, without the document.
    pub(super) fn to_schema_with(&self, scope: &Scope, version: &VersionRow) -> Schema {
        let mut schema = self.to_schema(scope);
        schema.description = self.description.clone();
        schema.schema_version = Some(version.number_text());
        schema.r#type = version.r#type.as_ref().map(|kind| kind.as_str().into());
        schema.version_created_date = version.created_date;
        schema
    }
}
