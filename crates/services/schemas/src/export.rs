//! Exporting schemas: documents in another language than they were created in.

use super::{
    SERVICE, Schema, SchemaManager, SchemaType, content, draft4, errors,
    schema::{self, SchemaPath},
    versions,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Choice as _, ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Exports a version of a schema: as it was created, or an OpenAPI 3 document as JSON Schema draft 4.
///
/// Every OpenAPI 3 document is converted. (The provider converts those that it made or discovered itself, and refuses
/// others.) What draft 4 cannot express is refused with its place in the document; so is an export of JSON Schema as
/// OpenAPI.
#[operation(
    service = SERVICE, of = Schema, also(SchemaPath),
    takes(schema_version(wire = "schemaVersion", in_query)), effect = read, output = ExportSchemaResponse,
    http("GET", "/v1/registries/name/{registryName}/schemas/name/{schemaName}/export", 200),
    subject = "schema/{RegistryName}/{SchemaName}"
)]
pub struct ExportSchema {
    /// Language to export to.
    #[field(wire = "type", in_query)]
    pub r#type: Text,
}

/// An exported document.
#[derive(Record)]
#[record(answer)]
pub struct ExportSchemaResponse {
    /// Document.
    content: Option<Text>,
    /// ARN of the schema.
    schema_arn: Option<Text>,
    /// Name of the schema.
    schema_name: Option<Text>,
    /// Number of the version.
    schema_version: Option<Text>,
    /// Language of the document.
    r#type: Option<Text>,
}

impl Handler for ExportSchema {
    fn run(self, cx: &mut Tx<'_>) -> Result<ExportSchemaResponse> {
        let wanted = SchemaType::parse_name(&self.r#type)?;
        let number = self.schema_version.as_deref();
        let (_, version) = versions::find(cx, &self.registry_name, &self.schema_name, number)?;
        let document = version.content.as_deref().unwrap_or_default();
        let exported = match (&version.r#type, &wanted) {
            (Some(put), wanted) if put == wanted => Text::from(document),
            (Some(SchemaType::OpenApi3), SchemaType::JsonSchemaDraft4) => {
                draft4::from_openapi(&content::parse(document)?)?.to_string().into()
            }
            (put, wanted) => {
                let put = put.as_ref().map(SchemaType::as_str).unwrap_or_default();
                let message = format!("a schema of type {put} cannot be exported as {wanted}");
                return Err(errors::invalid("Type", message));
            }
        };
        Ok(ExportSchemaResponse {
            content: Some(exported),
            schema_arn: Some(schema::arn_of(cx.scope(), &self.registry_name, &self.schema_name).into()),
            schema_version: Some(version.number_text()),
            schema_name: Some(self.schema_name),
            r#type: Some(wanted.as_str().into()),
        })
    }
}

/// A version of a schema in a language of choice, if there is one.
#[operation(
    kind = Schema, of = Schema, call = "export", instance, also(SchemaPath), takes(schema_version),
    effect = read, output = Option<ExportSchemaResponse>
)]
pub struct SchemaExport {
    /// Language to export to; `JSONSchemaDraft4` by default.
    pub r#type: Option<Text>,
}

impl ManagerOperation for SchemaExport {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<ExportSchemaResponse>> {
        let mut export = ExportSchema::from_given(self.clone());
        export.r#type = self.r#type.clone().unwrap_or_else(|| SchemaType::JsonSchemaDraft4.as_str().into());
        context.find(export).await
    }
}
