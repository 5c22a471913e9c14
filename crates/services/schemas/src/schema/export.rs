//! Export of schemas, with conversion from OpenAPI 3 to JSON Schema draft 4.

use crate::{
    Schema, SchemaManager, SchemaType, errors,
    schema::{SchemaPath, content, versions},
    validation::draft4,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Choice as _, ManagerOperation, Record, Result, Text, WorkflowContext, operation, record_of,
};

/// Exports a version of a schema, as stored or converted from OpenAPI 3 to JSON Schema draft 4.
///
/// Every OpenAPI 3 document can be converted, while the provider converts only schemas that it manages or discovered.
/// A keyword without equivalent in draft 4 is an error that names its path in the document. JSON Schema cannot be
/// converted to OpenAPI.
#[operation(
    of = Schema, include(SchemaPath),
    takes(schema_version(wire = "schemaVersion", in_query)), effect = read, output = ExportSchemaResponse,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/export", 200),
    subject = "schema/{RegistryName}/{SchemaName} + registry/{RegistryName}"
)]
pub struct ExportSchema {
    /// Type of the exported document.
    #[field(wire = "type", in_query)]
    pub r#type: Text,
}

/// Exported document.
#[record_of(of = Schema, answer, takes(content, schema_arn, schema_name, schema_version, r#type))]
pub struct ExportSchemaResponse {}

impl Handler for ExportSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<ExportSchemaResponse> {
        let requested = SchemaType::parse_name(&self.r#type)?;
        let number = self.schema_version.as_deref();
        let (schema, version) = versions::find(cx, &self.registry_name, &self.schema_name, number)?;
        let document = version.content.as_deref().unwrap_or_default();
        let exported = match (&version.r#type, &requested) {
            (Some(stored), requested) if stored == requested => Text::from(document),
            (Some(SchemaType::OpenApi3), SchemaType::JsonSchemaDraft4) => {
                draft4::from_openapi(&content::parse(document)?)?.to_string().into()
            }
            (stored, requested) => {
                let stored = stored.as_ref().map(SchemaType::as_str).unwrap_or_default();
                return Err(errors::export_type_unsupported(stored, requested).with_field("Type"));
            }
        };
        Ok(ExportSchemaResponse {
            content: Some(exported),
            schema_arn: schema.arn(cx.scope()),
            schema_version: Some(version.number_text()),
            schema_name: Some(self.schema_name),
            r#type: Some(requested.as_str().into()),
        })
    }
}

/// Exports a version of a schema, if it exists.
#[operation(
    kind = Schema, of = Schema, call = "export", on_model, include(SchemaPath), takes(schema_version),
    effect = read, output = Option<ExportSchemaResponse>
)]
pub struct SchemaExport {
    /// Type of the exported document; `JSONSchemaDraft4` by default.
    pub r#type: Option<Text>,
}

impl ManagerOperation for SchemaExport {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<ExportSchemaResponse>> {
        let mut export = ExportSchema::from_given(self.clone());
        export.r#type = self.r#type.clone().unwrap_or_else(|| SchemaType::JsonSchemaDraft4.as_str().into());
        context.find(export).await
    }
}
