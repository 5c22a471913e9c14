//! Calls of the manager of archives.

use super::{Archive, ArchiveManager, CreateArchive, DescribeArchive, UpdateArchive, errors};
use nephos_core::{FromModel, ManagerOperation, Resource, Result, Text, WorkflowContext, operation};

/// Creates an archive of a bus.
#[operation(kind = Archive, call = "create", effect = write, output = Archive)]
pub struct ArchiveCreate {
    /// The archive.
    #[field(model, name = "model")]
    pub model: Archive,
}

impl ManagerOperation for ArchiveCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Archive> {
        context.call(CreateArchive::from_model(&self.model)?).await?;
        context.call(DescribeArchive::from_model(&self.model)?).await
    }
}

/// Changes the settings of an archive, where the model was changed. The event pattern cannot be removed.
#[operation(kind = Archive, call = "update", effect = write, output = Archive)]
pub struct ArchiveUpdate {
    /// The archive.
    #[field(model, name = "model")]
    pub model: Archive,
}

impl ManagerOperation for ArchiveUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Archive> {
        let model = &self.model;
        let empty = || Some(Text::default());
        if let Some(mut update) = UpdateArchive::changes_of(model)? {
            // The service keeps settings that are not given.
            for field in model.changed() {
                match field {
                    "Description" => update.description = update.description.or_else(empty),
                    "KmsKeyIdentifier" => {
                        update.kms_key_identifier = update.kms_key_identifier.or_else(empty)
                    }
                    "RetentionDays" => update.retention_days = update.retention_days.or(Some(0)),
                    "EventPattern" if update.event_pattern.is_none() => {
                        return Err(errors::archive_pattern_removed().with_field("EventPattern"));
                    }
                    _ => {}
                }
            }
            context.call(update).await?;
        }
        context.call(DescribeArchive::from_model(model)?).await
    }
}
