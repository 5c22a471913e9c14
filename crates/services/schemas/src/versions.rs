//! Versions of a schema: numbered from 1, none given twice.

use super::{
    Empty, SERVICE, Schema, SchemaManager, SchemaType, errors, paging,
    schema::{self, Definition},
};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Record, Result, Steppable, Steps, Text, Timestamp, operation};
use nephos_store::Direction;

/// One version of a schema: its row.
#[derive(Record)]
#[record(name = "SchemaVersion")]
pub struct Version {
    /// The registry the schema is in.
    registry_name: Option<Text>,
    /// The schema.
    schema_name: Option<Text>,
    /// The number.
    number: Option<i64>,
    /// What language the document is in.
    pub(super) r#type: Option<SchemaType>,
    /// The document.
    pub(super) content: Option<Text>,
    /// When it was made.
    pub(super) created_date: Option<Timestamp>,
}

impl Stored for Version {
    const TABLE: &'static str = "schemas/version";

    fn identify(&self, key: Key) -> Key {
        let (registry, schema) = (self.registry_name.as_deref(), self.schema_name.as_deref());
        let schema = key.text(registry.unwrap_or_default()).text(schema.unwrap_or_default());
        schema.number(self.number.unwrap_or_default())
    }

    fn shed(&mut self) {
        (self.registry_name, self.schema_name, self.number) = (None, None, None);
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        (self.registry_name, self.schema_name) = (identity.text(), identity.text());
        self.number = identity.number();
    }
}

impl Version {
    pub(super) fn new(
        (registry_name, schema_name): (Option<Text>, Option<Text>),
        number: i64,
        r#type: SchemaType,
        content: Text,
        created: Timestamp,
    ) -> Self {
        Self {
            registry_name,
            schema_name,
            number: Some(number),
            r#type: Some(r#type),
            content: Some(content),
            created_date: Some(created),
        }
    }

    /// The number as it is told.
    pub(super) fn number_text(&self) -> Text {
        self.number.unwrap_or_default().to_string().into()
    }
}

/// The versions of a schema.
pub(super) fn within(scope: &Scope, registry: &str, schema: &str) -> Key {
    Version::table(scope).text(registry).text(schema)
}

/// The number that `text` says, as it is told: digits without zeros before them.
fn number(text: &str) -> Option<i64> {
    let number = text.parse::<i64>().ok().filter(|number| *number > 0)?;
    (number.to_string() == text).then_some(number)
}

/// The version of a schema that has the number `version`, or else its newest.
pub(super) fn find(cx: &Tx<'_>, of: &Definition, version: Option<&str>) -> Result<Version> {
    let (registry, schema) = (of.registry_name.as_deref(), of.schema_name.as_deref());
    let (registry, schema) = (registry.unwrap_or_default(), schema.unwrap_or_default());
    let all = within(cx.scope(), registry, schema);
    let found = match version {
        None => cx.first(&all.within(), Direction::Descending)?,
        Some(version) => match number(version) {
            Some(number) => cx.get(&all.number(number))?,
            None => None,
        },
    };
    found.ok_or_else(|| {
        let version = version.unwrap_or("that is newest");
        errors::NOT_FOUND.because(format!("schema {schema} of registry {registry} has no version {version}"))
    })
}

/// What a listing tells of a version.
#[derive(Record)]
pub struct SchemaVersionSummary {
    /// Resource name of the schema.
    schema_arn: Option<Text>,
    /// The schema.
    schema_name: Option<Text>,
    /// The number.
    schema_version: Option<Text>,
    /// What language the document is in.
    r#type: Option<SchemaType>,
}

/// Lists the versions of a schema, in order of their numbers.
#[operation(
    service = SERVICE, effect = read, output = SchemaVersions,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/versions", 200), subject = "schema/{RegistryName}/{SchemaName}")]
pub struct ListSchemaVersions {
    /// How many at most; 100 if not said.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    pub limit: Option<i64>,
    /// Where the page before ended.
    #[field(page_token, wire = "nextToken", in_query)]
    pub next_token: Option<Text>,
    /// The registry the schema is in.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// The schema.
    #[field(wire = "schemaName", in_path)]
    pub schema_name: Text,
}

/// A page of versions.
#[derive(Record)]
#[record(name = "ListSchemaVersionsResponse")]
pub struct SchemaVersions {
    /// Where this page ends.
    next_token: Option<Text>,
    /// The versions.
    schema_versions: Option<Vec<SchemaVersionSummary>>,
}

impl Handler for ListSchemaVersions {
    fn run(self, cx: &mut Tx<'_>) -> Result<SchemaVersions> {
        schema::require(cx, &self.registry_name, &self.schema_name)?;
        let all = within(cx.scope(), &self.registry_name, &self.schema_name);
        let wanted = paging::wanted(&all, self.next_token.as_deref(), self.limit);
        let at = |position: &str| all.clone().number(number(position).unwrap_or_default());
        let arn = Text::from(schema::arn_of(cx.scope(), &self.registry_name, &self.schema_name));
        let (found, next_token) = cx.page(&self, wanted, at, Version::number_text, |version| {
            Ok(Some(SchemaVersionSummary {
                schema_arn: Some(arn.clone()),
                schema_version: Some(version.number_text()),
                schema_name: version.schema_name,
                r#type: version.r#type,
            }))
        })?;
        Ok(SchemaVersions { next_token, schema_versions: Some(found) })
    }
}

/// Deletes one version of a schema, which must have another. Its number is not given again.
#[operation(
    service = SERVICE, effect = write, output = Empty,
    http("DELETE", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/version/{schemaVersion}", 204), subject = "schema/{RegistryName}/{SchemaName}")]
pub struct DeleteSchemaVersion {
    /// The registry the schema is in.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// The schema.
    #[field(wire = "schemaName", in_path)]
    pub schema_name: Text,
    /// The number of the version.
    #[field(wire = "schemaVersion", in_path)]
    pub schema_version: Text,
}

impl Handler for DeleteSchemaVersion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut definition = schema::require(cx, &self.registry_name, &self.schema_name)?;
        let version = find(cx, &definition, Some(&self.schema_version))?;
        if !definition.has_several() {
            let why = "is the only version of the schema; delete the schema instead";
            return Err(errors::INVALID.because(why).with_field("SchemaVersion"));
        }
        definition.lose_version(cx.now());
        cx.remove(&version)?;
        cx.put(definition)?;
        Ok(Empty {})
    }
}

/// All versions of a schema, fetched so many at a time.
async fn all(
    steps: &Steps,
    registry: &Text,
    schema: &Text,
    limit: Option<i64>,
) -> Result<Vec<SchemaVersionSummary>> {
    let mut list = ListSchemaVersions::new(registry.clone(), schema.clone()).limit(limit);
    let mut versions = Vec::new();
    loop {
        let page = steps.call(list.clone()).await?;
        versions.extend(page.schema_versions.into_iter().flatten());
        match page.next_token {
            Some(token) => list = list.next_token(token),
            None => return Ok(versions),
        }
    }
}

/// The versions of a schema, in order of their numbers.
#[operation(kind = Schema, call = "list_versions", effect = read, output = Vec<SchemaVersionSummary>)]
pub struct ListVersions {
    /// The registry the schema is in.
    pub registry_name: Text,
    /// The schema.
    pub schema_name: Text,
    /// How many to fetch at a time; 100 if not said.
    #[field(page_size, range(1..))]
    pub limit: Option<i64>,
}

impl Steppable for ListVersions {
    async fn run(&self, steps: &Steps) -> Result<Vec<SchemaVersionSummary>> {
        all(steps, &self.registry_name, &self.schema_name, self.limit).await
    }
}

/// The versions of a schema, in order of their numbers.
#[operation(kind = Schema, call = "versions", effect = read, output = Vec<SchemaVersionSummary>, instance)]
pub struct Versions {
    /// The registry the schema is in.
    pub registry_name: Text,
    /// The schema.
    pub schema_name: Text,
}

impl Steppable for Versions {
    async fn run(&self, steps: &Steps) -> Result<Vec<SchemaVersionSummary>> {
        all(steps, &self.registry_name, &self.schema_name, None).await
    }
}

/// Deletes one version of a schema, which must have another.
#[operation(kind = Schema, call = "delete_version", effect = write, output = ())]
pub struct DeleteVersion {
    /// The registry the schema is in.
    pub registry_name: Text,
    /// The schema.
    pub schema_name: Text,
    /// The number of the version.
    pub schema_version: Text,
}

impl Steppable for DeleteVersion {
    async fn run(&self, steps: &Steps) -> Result<()> {
        let (registry, schema) = (self.registry_name.clone(), self.schema_name.clone());
        steps.call(DeleteSchemaVersion::new(registry, schema, self.schema_version.clone())).await?;
        Ok(())
    }
}
