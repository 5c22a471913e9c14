//! The status of the replication of an image.

use super::{ReplicationRow, ReplicationStatus, rows_of};
use crate::{
    Image, ImageIdentifier, ImageManager, Repository,
    access::{RegistryId, run_in_registry},
    image::rows,
    repository,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation, record_of};

/// Status of the replication of an image to a registry.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageReplicationStatus {
    /// Region of the other registry.
    region: Option<Text>,
    /// Account of the other registry.
    registry_id: Option<Text>,
    /// Status.
    status: Option<ReplicationStatus>,
    /// Code of the error for which the image could not be copied.
    failure_code: Option<Text>,
}

impl ImageReplicationStatus {
    fn new(row: ReplicationRow) -> Self {
        Self {
            region: row.region,
            registry_id: row.registry_id,
            status: row.status,
            failure_code: row.failure_code,
        }
    }
}

/// Status of the replication of an image.
#[record_of(of = Repository, case = "camel", takes(repository_name), answer)]
pub struct ReplicatedImage {
    /// Digest of the image, and the tag that it was found by.
    image_id: Option<ImageIdentifier>,
    /// Registries that the image is replicated to.
    replication_statuses: Option<Vec<ImageReplicationStatus>>,
}

/// Returns the status of the replication of an image.
#[operation(
    of = Repository, case = "camel", needs(repository_name), include(RegistryId), effect = read, output = ReplicatedImage
)]
pub struct DescribeImageReplicationStatus {
    /// Digest or tag of the image.
    pub image_id: ImageIdentifier,
}

impl Handler for DescribeImageReplicationStatus {
    fn run(self, cx: &mut Tx<'_>) -> Result<ReplicatedImage> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = repository::require(cx, &operation.repository_name)?;
            let image = rows::require(cx, &operation.repository_name, &operation.image_id)?;
            let statuses: Vec<ReplicationRow> = cx.all(&rows_of(cx, &image))?;
            Ok(ReplicatedImage {
                image_id: Some(ImageIdentifier::new(image.image_digest, operation.image_id.image_tag)),
                replication_statuses: Some(statuses.into_iter().map(ImageReplicationStatus::new).collect()),
                ..repository.into()
            })
        })
    }
}

/// Returns the status of the replication of an image.
#[operation(
    kind = Image, call = "replication_status", on_model, case = "camel", include(RegistryId), effect = read,
    output = ReplicatedImage
)]
pub struct ImageReplicationStatusGet {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digest or tag of the image.
    #[field(from_field = "imageId")]
    pub image_id: ImageIdentifier,
}

impl ManagerOperation for ImageReplicationStatusGet {
    async fn run(&self, context: &WorkflowContext) -> Result<ReplicatedImage> {
        context.call(DescribeImageReplicationStatus::from_given(self.clone())).await
    }
}
