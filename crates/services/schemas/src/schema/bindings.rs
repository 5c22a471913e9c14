//! Code bindings: source code that is generated from a version of a schema, in one of four languages.
//!
//! Only the request for a code binding is stored. The source is generated from the document when it is read.

use crate::{
    Schema, SchemaManager, errors,
    registry::provider,
    schema::{
        SchemaPath, content,
        versions::{self, VersionRow},
    },
};
use nephos_cloud::{Handler, Key, Scope, Stored, Tx};
use nephos_core::{Blob, Choice, Record, Result, Text, Timestamp, choices, operation};

mod go;
mod java;
mod model;
pub(crate) mod names;
mod package;
mod python;
mod typescript;
pub(crate) mod zip;

choices! {
    /// Language of a code binding.
    pub enum CodeBindingLanguage {
        /// Python 3.6 or newer.
        Python = "Python36",
        /// Java 8 or newer.
        Java = "Java8",
        /// TypeScript 3 or newer.
        TypeScript = "TypeScript3",
        /// Go 1.
        Go = "Go1",
    }
}

impl CodeBindingLanguage {
    /// Parses the name of a language.
    fn parse_name(name: &str) -> Result<Self> {
        let unknown = || {
            let hint = nephos_core::nearest::hint(name, Self::SHAPE.values.iter().map(|value| value.name));
            errors::language_unknown(name).with_field("Language").with_hint(hint)
        };
        Self::SHAPE.find(name).map(Self::from_index).ok_or_else(unknown)
    }
}

choices! {
    /// Status of the generation of a code binding.
    pub enum CodeGenerationStatus {
        /// The code binding is being generated.
        CreateInProgress = "CREATE_IN_PROGRESS",
        /// The code binding can be downloaded.
        CreateComplete = "CREATE_COMPLETE",
        /// The code binding could not be generated.
        CreateFailed = "CREATE_FAILED",
    }
}

/// Row of a code binding of a version of a schema.
#[derive(Record)]
#[record(row, name = "CodeBinding")]
pub(crate) struct BindingRow {
    /// Name of the registry.
    registry_name: Option<Text>,
    /// Name of the schema.
    schema_name: Option<Text>,
    /// Version number.
    number: Option<i64>,
    /// Language.
    language: Option<Text>,
    /// Time of the request for the code binding.
    creation_date: Option<Timestamp>,
    /// Status of the generation.
    status: Option<CodeGenerationStatus>,
}

nephos_cloud::stored! {
    BindingRow in "schemas/binding" by registry_name, schema_name, number, language;
    states("Status": "CREATE_IN_PROGRESS" => "CREATE_COMPLETE" 5)
}

/// Returns the key prefix of the code bindings of a schema.
pub(crate) fn key_prefix(scope: &Scope, registry: &str, schema: &str) -> Key {
    BindingRow::table(scope).text(registry).text(schema)
}

/// Parameters of requests for a code binding.
#[derive(Record)]
#[record(shared)]
pub struct CodeBindingPath {
    /// Language: `Python36`, `Java8`, `TypeScript3` or `Go1`.
    #[field(required, wire = "language", in_path)]
    language: Option<Text>,
    /// Version number of the schema; the newest version by default.
    #[field(wire = "schemaVersion", in_query)]
    schema_version: Option<Text>,
}

/// A code binding of a version of a schema.
struct Binding {
    language: CodeBindingLanguage,
    version: VersionRow,
    /// Row of the code binding; absent if it was not requested.
    row: Option<BindingRow>,
}

impl Binding {
    /// Finds the version of a schema and its code binding. The code bindings of the provider's schemas exist from the start.
    fn find(cx: &Tx<'_>, registry: &str, schema: &str, number: Option<&str>, language: &str) -> Result<Self> {
        let language = CodeBindingLanguage::parse_name(language)?;
        let (_, version) = versions::find(cx, registry, schema, number)?;
        let number = version.number.unwrap_or_default();
        let row = match registry {
            provider::EVENTS => Some(BindingRow {
                registry_name: Some(registry.into()),
                schema_name: Some(schema.into()),
                number: version.number,
                language: Some(language.as_str().into()),
                creation_date: version.created_date,
                status: Some(CodeGenerationStatus::CreateComplete),
            }),
            _ => cx.get(&key_prefix(cx.scope(), registry, schema).number(number).text(language.as_str()))?,
        };
        Ok(Self { language, version, row })
    }

    /// Returns the row, or an error if the code binding was not requested.
    fn require_row(&self, schema: &str) -> Result<&BindingRow> {
        self.row.as_ref().ok_or_else(|| self.not_found(schema))
    }

    fn not_found(&self, schema: &str) -> nephos_core::Error {
        errors::binding_not_found(&self.language, schema, self.version.number_text())
    }
}

/// Code binding of a version of a schema.
#[derive(Record)]
#[record(answer, name = "DescribeCodeBindingResponse")]
pub struct CodeBinding {
    /// Time of the request for the code binding.
    #[field(time = "iso8601")]
    creation_date: Option<Timestamp>,
    /// Time of the last change of the code binding.
    #[field(time = "iso8601")]
    last_modified: Option<Timestamp>,
    /// Version number of the schema.
    schema_version: Option<Text>,
    /// Status of the generation.
    status: Option<CodeGenerationStatus>,
}

impl From<BindingRow> for CodeBinding {
    fn from(row: BindingRow) -> Self {
        Self {
            creation_date: row.creation_date,
            last_modified: row.creation_date,
            schema_version: row.number.map(|number| number.to_string().into()),
            status: row.status,
        }
    }
}

/// Generates a code binding of a version of a schema. No effect if it exists.
#[operation(
    of = Schema, call = "put_code_binding", include(SchemaPath, CodeBindingPath),
    effect = write, output = CodeBinding,
    http("POST", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/language/{language}", 202)
)]
pub struct PutCodeBinding {}

impl Handler for PutCodeBinding {
    fn run(self, cx: &mut Tx<'_>) -> Result<CodeBinding> {
        let number = self.schema_version.as_deref();
        let found = Binding::find(cx, &self.registry_name, &self.schema_name, number, &self.language)?;
        if let Some(row) = found.row {
            return Ok(row.into());
        }
        let row = BindingRow {
            registry_name: Some(self.registry_name),
            schema_name: Some(self.schema_name),
            number: found.version.number,
            language: Some(found.language.as_str().into()),
            creation_date: Some(cx.now()),
            status: Some(CodeGenerationStatus::CreateInProgress),
        };
        cx.put_and_schedule_transition(row.clone())?;
        Ok(row.into())
    }
}

/// Describes a code binding of a version of a schema.
#[operation(
    of = Schema, call = "get_code_binding", none_if_missing, include(SchemaPath, CodeBindingPath),
    effect = read, output = CodeBinding,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/language/{language}", 200)
)]
pub struct DescribeCodeBinding {}

impl Handler for DescribeCodeBinding {
    fn run(self, cx: &mut Tx<'_>) -> Result<CodeBinding> {
        let number = self.schema_version.as_deref();
        let found = Binding::find(cx, &self.registry_name, &self.schema_name, number, &self.language)?;
        Ok(found.require_row(&self.schema_name)?.clone().into())
    }
}

/// Returns the source code of a code binding: a ZIP archive with a class for each type of the schema, and a marshaller
/// that converts them to JSON and back. It does not exist while the code binding is being generated.
#[operation(
    of = Schema, call = "get_code_binding_source", none_if_missing, include(SchemaPath, CodeBindingPath),
    effect = read, output = CodeBindingSource,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/language/{language}/source", 200)
)]
pub struct GetCodeBindingSource {}

/// Source code of a code binding.
#[derive(Record)]
#[record(answer, name = "GetCodeBindingSourceResponse")]
pub struct CodeBindingSource {
    /// ZIP archive of the source files.
    #[field(payload)]
    body: Option<Blob>,
}

impl Handler for GetCodeBindingSource {
    fn run(self, cx: &mut Tx<'_>) -> Result<CodeBindingSource> {
        let number = self.schema_version.as_deref();
        let found = Binding::find(cx, &self.registry_name, &self.schema_name, number, &self.language)?;
        let row = found.require_row(&self.schema_name)?;
        if row.status != Some(CodeGenerationStatus::CreateComplete) {
            let refused = found.not_found(&self.schema_name);
            return Err(refused.with_hint("the code binding is being generated"));
        }
        let document = content::parse(found.version.content.as_deref().unwrap_or_default())?;
        let files = package::generate(&found.language, &self.schema_name, &document);
        Ok(CodeBindingSource { body: Some(zip::write_archive(&files).into()) })
    }
}
