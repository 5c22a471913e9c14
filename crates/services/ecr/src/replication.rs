//! Replication of pushed images to the registries that the replication of the registry names.

mod copy;
mod operations;

pub use operations::*;

use crate::{ImageDetail, ReplicationDestination, Repository, registry};
use nephos_cloud::{Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// Status of the replication of an image to a registry.
    #[derive(Eq)]
    pub enum ReplicationStatus {
        /// The image is being copied.
        InProgress = "IN_PROGRESS",
        /// The image was copied.
        Complete = "COMPLETE",
        /// The image could not be copied.
        Failed = "FAILED",
    }
}

/// Row of the replication of an image to a registry.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ReplicationRow {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// Digest of the image.
    image_digest: Option<Text>,
    /// Region of the other registry.
    region: Option<Text>,
    /// Account of the other registry.
    registry_id: Option<Text>,
    /// Status.
    status: Option<ReplicationStatus>,
    /// Code of the error for which the image could not be copied.
    failure_code: Option<Text>,
}

nephos_cloud::stored! {
    ReplicationRow in "ecr/replication" by repository_name, image_digest, region, registry_id;
    states("status": "IN_PROGRESS" => "COMPLETE" 30 then ReplicationRow::copy)
}

impl ReplicationRow {
    fn new(image: &ImageDetail, destination: ReplicationDestination) -> Self {
        Self {
            repository_name: image.repository_name.clone(),
            image_digest: image.image_digest.clone(),
            region: destination.region,
            registry_id: destination.registry_id,
            status: Some(ReplicationStatus::InProgress),
            failure_code: None,
        }
    }

    /// Scope of the other registry.
    fn destination(&self) -> Scope {
        let text = |value: &Option<Text>| value.clone().unwrap_or_default();
        Scope::new(text(&self.registry_id), text(&self.region))
    }

    /// Copies the image at the end of the time that this takes.
    fn copy(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let repository = self.repository_name.clone().unwrap_or_default();
        let digest = self.image_digest.clone().unwrap_or_default();
        if let Err(error) = copy::copy(cx, &self.destination(), &repository, &digest) {
            self.status = Some(ReplicationStatus::Failed);
            self.failure_code = Some(error.code().into());
        }
        Ok(())
    }
}

/// Key prefix of the rows of an image.
fn rows_of(cx: &Tx<'_>, image: &ImageDetail) -> Key {
    ReplicationRow::table(cx.scope()).text(image.repository()).text(image.digest())
}

/// Starts the replication of an image that was pushed, or that got a tag.
pub(crate) fn replicate(cx: &mut Tx<'_>, repository: &Repository, image: &ImageDetail) -> Result<()> {
    for destination in registry::replication_destinations(cx, repository.own_name())? {
        cx.put_and_schedule_transition(ReplicationRow::new(image, destination))?;
    }
    Ok(())
}

/// Removes the facts about the replication of an image that is removed. Its copies stay.
pub(crate) fn remove(cx: &mut Tx<'_>, image: &ImageDetail) -> Result<()> {
    let rows = rows_of(cx, image);
    cx.remove_all(&rows.prefix_range()).map(|_| ())
}
