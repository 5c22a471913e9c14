//! What all versions of a schema have in common, as it stands in the schema's row.

use super::{Schema, arn_of};
use crate::{SchemaType, versions};
use nephos_cloud::{Key, Parts, Scope, Stored, Tx};
use nephos_core::{Choice as _, Map, Record, Result, Text, Timestamp, datum::DatumType};

/// What all versions of a schema have in common: its row.
#[derive(Record)]
#[record(name = "Schema")]
pub struct Definition {
    /// The registry it is in.
    pub(crate) registry_name: Option<Text>,
    /// Its name.
    pub(crate) schema_name: Option<Text>,
    /// What it describes.
    pub(super) description: Option<Text>,
    /// Its tags.
    pub(crate) tags: Option<Map<Text>>,
    /// When anything of it was last changed.
    pub(super) last_modified: Option<Timestamp>,
    /// How many versions it has.
    pub(super) version_count: Option<i64>,
    /// The number of the newest version it ever had: none is given twice.
    pub(super) last_number: Option<i64>,
}

impl Stored for Definition {
    const TABLE: &'static str = "schemas/schema";

    fn identify(&self, key: Key) -> Key {
        let (registry, schema) = (self.registry_name.as_deref(), self.schema_name.as_deref());
        key.text(registry.unwrap_or_default()).text(schema.unwrap_or_default())
    }

    fn shed(&mut self) {
        (self.registry_name, self.schema_name) = (None, None);
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        (self.registry_name, self.schema_name) = (identity.text(), identity.text());
    }
}

impl Definition {
    /// Adds a version, made now.
    pub(super) fn add_version(
        &mut self,
        cx: &mut Tx<'_>,
        r#type: SchemaType,
        content: Text,
    ) -> Result<versions::Version> {
        let number = self.last_number.unwrap_or(0) + 1;
        let names = (self.registry_name.clone(), self.schema_name.clone());
        let version = versions::Version::new(names, number, r#type, content, cx.now());
        self.last_number = Some(number);
        self.version_count = Some(self.version_count.unwrap_or(0) + 1);
        cx.put(version.clone())?;
        Ok(version)
    }

    /// Whether it has more than one version.
    pub(crate) fn has_several(&self) -> bool {
        self.version_count.unwrap_or(0) > 1
    }

    /// Notes that a version was removed.
    pub(crate) fn lose_version(&mut self, now: Timestamp) {
        self.version_count = Some(self.version_count.unwrap_or(0) - 1);
        self.last_modified = Some(now);
    }

    /// What every answer tells.
    pub(super) fn told(&self, scope: &Scope) -> Schema {
        let mut schema = Schema::blank();
        let (registry, name) = (self.registry_name.as_deref(), self.schema_name.as_deref());
        schema.schema_arn =
            Some(arn_of(scope, registry.unwrap_or_default(), name.unwrap_or_default()).into());
        (schema.registry_name, schema.schema_name) = (self.registry_name.clone(), self.schema_name.clone());
        (schema.last_modified, schema.tags) = (self.last_modified, self.tags.clone());
        schema
    }

    /// What an answer about one version tells, but for its document.
    pub(super) fn told_with(&self, scope: &Scope, version: &versions::Version) -> Schema {
        let mut schema = self.told(scope);
        schema.description = self.description.clone();
        schema.schema_version = Some(version.number_text());
        schema.r#type = version.r#type.as_ref().map(|kind| kind.as_str().into());
        schema.version_created_date = version.created_date;
        schema
    }
}
