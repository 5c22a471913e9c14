//! The operations of the manager of schemas that concern a schema as a whole.

use super::{CreateSchema, DeleteSchema, DescribeSchema, ListSchemas, Schema, SchemaManager, UpdateSchema};
use crate::{SchemaType, given, paging, tagging};
use nephos_core::{
    ErrorKind, Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Text, operation,
};

/// The wire does not repeat the registry in its schemas.
fn in_registry(mut schema: Schema, registry: &Text) -> Schema {
    schema.registry_name = Some(registry.clone());
    schema
}

/// Creates a schema, with its first version and its tags.
#[operation(kind = Schema, call = "create", case = "snake", effect = write, output = Schema)]
pub struct Create {
    /// The schema: it needs `RegistryName`, `SchemaName`, `Content` and `Type`.
    #[field(model)]
    pub model: Schema,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Schema> {
        let schema = &self.model;
        let registry = given(&schema.registry_name, "RegistryName")?;
        let name = given(&schema.schema_name, "SchemaName")?;
        let content = given(&schema.content, "Content")?;
        let kind = SchemaType::named(&given(&schema.r#type, "Type")?)?;
        let create = CreateSchema::new(content, registry.clone(), name.clone(), kind)
            .description(schema.description.clone())
            .tags(schema.tags.clone());
        steps.call(create).await?;
        let schema = steps.call(DescribeSchema::new(registry.clone(), name)).await?;
        Ok(in_registry(schema, &registry))
    }
}

/// A schema with one of its versions, if there is one.
#[operation(kind = Schema, call = "get", effect = read, output = Option<Schema>)]
pub struct Get {
    /// The registry it is in.
    pub registry_name: Text,
    /// Its name.
    pub schema_name: Text,
    /// Which version; the newest if not said.
    pub schema_version: Option<Text>,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<Schema>> {
        let describe = DescribeSchema::new(self.registry_name.clone(), self.schema_name.clone());
        match steps.call(describe.schema_version(self.schema_version.clone())).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => found.map(|schema| Some(in_registry(schema, &self.registry_name))),
        }
    }
}

/// The schemas of a registry, in ASCII order of their names.
#[operation(kind = Schema, call = "list", effect = read, output = Page<Schema>, pages)]
pub struct List {
    /// The registry.
    pub registry_name: Text,
    /// How many to fetch at a time; 100 if not said.
    #[field(page_size, range(1..))]
    pub limit: Option<i64>,
    /// Only those whose names begin so.
    pub schema_name_prefix: Option<Text>,
}

impl Listing for List {
    type Model = Schema;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Schema>> {
        let narrowed = || paging::beginning(&request.filter, "SchemaName");
        let list = ListSchemas::new(self.registry_name.clone())
            .limit(self.limit)
            .schema_name_prefix(self.schema_name_prefix.clone().or_else(narrowed))
            .next_token(request.token.clone());
        let found = steps.call(list).await?;
        let schemas = found.schemas.into_iter().flatten();
        let items = schemas.map(|schema| in_registry(schema, &self.registry_name)).collect();
        Ok(Page { items, next_token: found.next_token })
    }
}

/// Changes the document, its language, the description and the tags of a schema: what differs from what the model was
/// read with. Another document is a new version.
#[operation(kind = Schema, call = "update", case = "snake", effect = write, output = Schema)]
pub struct Update {
    /// The schema.
    #[field(model)]
    pub model: Schema,
    /// What tells this update from others.
    #[field(name = "ClientTokenId", token, length(..=36))]
    pub client_token_id: Option<Text>,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Schema> {
        let (model, changed) = (&self.model, self.model.changed());
        let registry = given(&model.registry_name, "RegistryName")?;
        let name = given(&model.schema_name, "SchemaName")?;
        model.check_changes()?;
        let describe = DescribeSchema::new(registry.clone(), name.clone());
        let current = steps.call(describe.clone()).await?;
        let mut update =
            UpdateSchema::new(registry.clone(), name).client_token_id(self.client_token_id.clone());
        let mut any = false;
        if changed.contains(&"Content") {
            (update.content, any) = (Some(given(&model.content, "Content")?), true);
        }
        if changed.contains(&"Type") {
            (update.r#type, any) = (Some(SchemaType::named(&given(&model.r#type, "Type")?)?), true);
        }
        if changed.contains(&"Description") {
            (update.description, any) = (Some(model.description.clone().unwrap_or_default()), true);
        }
        if any {
            steps.call(update).await?;
        }
        tagging::retag(steps, &current.schema_arn, &current, model).await?;
        Ok(in_registry(steps.call(describe).await?, &registry))
    }
}

/// Deletes a schema with all its versions.
#[operation(kind = Schema, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// The registry it is in.
    pub registry_name: Text,
    /// Its name.
    pub schema_name: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteSchema::new(self.registry_name.clone(), self.schema_name.clone())).await?;
        Ok(())
    }
}
