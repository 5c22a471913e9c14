//! Keyword search in names and documents of schemas.

use crate::{
    Schema, SchemaManager, SchemaType, errors,
    paging::Pagination,
    schema::{
        self, SchemaRow,
        versions::{self, VersionRow},
    },
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, Timestamp, operation, record_of};

/// Finds the schemas of a registry whose name or document contains all keywords, ignoring letter case.
#[operation(
    of = Schema, call = "search", page(schemas: SearchSchemaSummary, next_token), include(Pagination), effect = read,
    http("GET", "/v1/registries/name/{registryName}/schemas/search", 200), subject = "schema/{RegistryName}/*",
    access = list
)]
pub struct SearchSchemas {
    /// Name of the registry.
    #[field(wire = "registryName", in_path)]
    pub registry_name: Text,
    /// Keywords, separated by spaces.
    #[field(wire = "keywords", in_query)]
    pub keywords: Text,
}

/// Version that contains the keywords.
#[derive(Record)]
pub struct SearchSchemaVersionSummary {
    /// Time at which the version was created.
    #[field(time = "iso8601")]
    created_date: Option<Timestamp>,
    /// Version number.
    schema_version: Option<Text>,
    /// Type of the document.
    r#type: Option<SchemaType>,
}

/// Schema that contains the keywords.
#[record_of(of = Schema, answer, takes(registry_name, schema_arn, schema_name))]
pub struct SearchSchemaSummary {
    /// Versions that contain the keywords, in order of their numbers.
    schema_versions: Option<Vec<SearchSchemaVersionSummary>>,
}

impl Handler for SearchSchemas {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let keywords: Vec<_> = self.keywords.split_whitespace().map(str::to_lowercase).collect();
        if keywords.is_empty() {
            return Err(errors::keywords_missing().with_field("Keywords"));
        }
        let cx = &*cx;
        let page = schema::page(cx, &self, &self.registry_name, None, |found| {
            summarize_matches(cx, &self.registry_name, found, &keywords)
        })?;
        Ok(page.into())
    }
}

/// Returns the summary of a schema, if any of its versions contains all keywords.
fn summarize_matches(
    cx: &Tx<'_>,
    registry: &Text,
    found: SchemaRow,
    keywords: &[String],
) -> Result<Option<SearchSchemaSummary>> {
    let schema_arn = found.arn(cx.scope());
    let name = found.schema_name.unwrap_or_default();
    let lower_name = name.to_lowercase();
    let left: Vec<_> = keywords.iter().filter(|keyword| !lower_name.contains(keyword.as_str())).collect();
    let has_all = |version: &VersionRow| {
        left.is_empty() || {
            let content = version.content.as_deref().unwrap_or_default().to_lowercase();
            left.iter().all(|keyword| content.contains(keyword.as_str()))
        }
    };
    let matches = versions::all(cx, registry, &name)?.into_iter().filter(has_all);
    let versions: Vec<_> = matches
        .map(|version| SearchSchemaVersionSummary {
            created_date: version.created_date,
            schema_version: Some(version.number_text()),
            r#type: version.r#type,
        })
        .collect();
    Ok((!versions.is_empty()).then(|| SearchSchemaSummary {
        registry_name: Some(registry.clone()),
        schema_arn,
        schema_name: Some(name),
        schema_versions: Some(versions),
    }))
}
