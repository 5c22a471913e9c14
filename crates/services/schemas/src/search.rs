//! Finding schemas by what their names and documents say.

use super::{
    SERVICE, Schema, SchemaManager, SchemaType, errors, paging, registry,
    schema::{self, Definition},
    versions::{self, Version},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Steppable, Steps, Text, Timestamp, operation};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Finds the schemas of a registry that have all keywords in their names or documents, in any letter case.
#[operation(
    service = SERVICE, effect = read, output = FoundSchemas,
    http("GET", "/v1/registries/name/{registryName}/schemas/search", 200), subject = "schema/{RegistryName}/*")]
pub struct SearchSchemas {
    /// The keywords, with spaces between them.
    #[field(wire = "keywords", in_query)]
    pub keywords: Text,
    /// How many at most; 100 if not said.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    pub limit: Option<i64>,
    /// Where the page before ended.
    #[field(page_token, wire = "nextToken", in_query)]
    pub next_token: Option<Text>,
    /// The registry.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
}

/// A version that has the keywords.
#[derive(Record)]
pub struct SearchSchemaVersionSummary {
    /// When it was made.
    #[field(time = "iso8601")]
    created_date: Option<Timestamp>,
    /// The number.
    schema_version: Option<Text>,
    /// What language the document is in.
    r#type: Option<SchemaType>,
}

/// A schema that has the keywords.
#[derive(Record)]
pub struct SearchSchemaSummary {
    /// The registry it is in.
    registry_name: Option<Text>,
    /// Resource name.
    schema_arn: Option<Text>,
    /// Its name.
    schema_name: Option<Text>,
    /// Those of its versions that have them, in order of their numbers.
    schema_versions: Option<Vec<SearchSchemaVersionSummary>>,
}

/// A page of schemas that were found.
#[derive(Record)]
#[record(name = "SearchSchemasResponse")]
pub struct FoundSchemas {
    /// Where this page ends.
    next_token: Option<Text>,
    /// The schemas.
    schemas: Option<Vec<SearchSchemaSummary>>,
}

impl Handler for SearchSchemas {
    fn run(self, cx: &mut Tx<'_>) -> Result<FoundSchemas> {
        let keywords: Vec<_> = self.keywords.split_whitespace().map(str::to_lowercase).collect();
        if keywords.is_empty() {
            return Err(errors::INVALID.because("has no keyword").with_field("Keywords"));
        }
        registry::require(cx, &self.registry_name)?;
        let all = schema::within(cx.scope(), &self.registry_name);
        let wanted = paging::wanted(&all, self.next_token.as_deref(), self.limit);
        let name = |found: &Definition| found.schema_name.clone().unwrap_or_default();
        let cx = &*cx;
        let (schemas, next_token) = cx.page(
            &self,
            wanted,
            |name| all.clone().text(name),
            name,
            |found: Definition| matching(cx, &self.registry_name, found, &keywords),
        )?;
        Ok(FoundSchemas { next_token, schemas: Some(schemas) })
    }
}

/// What there is to tell of a schema, if any of its versions has all keywords.
fn matching(
    cx: &Tx<'_>,
    registry: &Text,
    found: Definition,
    keywords: &[String],
) -> Result<Option<SearchSchemaSummary>> {
    let name = found.schema_name.unwrap_or_default();
    let named = name.to_lowercase();
    let left: Vec<_> = keywords.iter().filter(|keyword| !named.contains(keyword.as_str())).collect();
    let mut versions = Vec::new();
    let all = versions::within(cx.scope(), registry, &name).within();
    cx.scan(cx.scope(), &all, Direction::Ascending, |version: Version| {
        let has_all = left.is_empty() || {
            let content = version.content.as_deref().unwrap_or_default().to_lowercase();
            left.iter().all(|keyword| content.contains(keyword.as_str()))
        };
        if has_all {
            versions.push(SearchSchemaVersionSummary {
                created_date: version.created_date,
                schema_version: Some(version.number_text()),
                r#type: version.r#type,
            });
        }
        ControlFlow::Continue(())
    })?;
    Ok((!versions.is_empty()).then(|| SearchSchemaSummary {
        registry_name: Some(registry.clone()),
        schema_arn: Some(schema::arn_of(cx.scope(), registry, &name).into()),
        schema_name: Some(name),
        schema_versions: Some(versions),
    }))
}

/// The schemas of a registry that have all keywords in their names or documents, in any letter case.
#[operation(kind = Schema, call = "search", effect = read, output = Vec<SearchSchemaSummary>)]
pub struct Search {
    /// The registry.
    pub registry_name: Text,
    /// The keywords, with spaces between them.
    pub keywords: Text,
    /// How many to fetch at a time; 100 if not said.
    #[field(page_size, range(1..))]
    pub limit: Option<i64>,
}

impl Steppable for Search {
    async fn run(&self, steps: &Steps) -> Result<Vec<SearchSchemaSummary>> {
        let mut search =
            SearchSchemas::new(self.keywords.clone(), self.registry_name.clone()).limit(self.limit);
        let mut found = Vec::new();
        loop {
            let page = steps.call(search.clone()).await?;
            found.extend(page.schemas.into_iter().flatten());
            match page.next_token {
                Some(token) => search = search.next_token(token),
                None => return Ok(found),
            }
        }
    }
}
