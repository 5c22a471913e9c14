//! Calls on images about scans.

use super::{DescribeImageScanFindings, ScannedImage, StartImageScan, StartedScan};
use crate::{Image, ImageIdentifier, ImageManager, Repository, access::RegistryId};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Starts a scan of an image.
#[operation(
    kind = Image, call = "start_scan", on_model, case = "camel", include(RegistryId), effect = write, output = StartedScan
)]
pub struct ImageStartScan {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digest or tag of the image.
    #[field(from_field = "imageId")]
    pub image_id: ImageIdentifier,
}

impl ManagerOperation for ImageStartScan {
    async fn run(&self, context: &WorkflowContext) -> Result<StartedScan> {
        context.call(StartImageScan::from_given(self.clone())).await
    }
}

/// Returns the findings of the scan of an image: one response for each page.
#[operation(
    kind = Image, call = "scan_findings", on_model, case = "camel", include(RegistryId), effect = read,
    output = Vec<ScannedImage>
)]
pub struct ImageScanFindingsList {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digest or tag of the image.
    #[field(from_field = "imageId")]
    pub image_id: ImageIdentifier,
}

impl ManagerOperation for ImageScanFindingsList {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<ScannedImage>> {
        let mut describe = DescribeImageScanFindings::from_given(self.clone());
        let mut pages = Vec::new();
        loop {
            let page = context.call(describe.clone()).await?;
            describe.next_token.clone_from(&page.next_token);
            pages.push(page);
            if describe.next_token.is_none() {
                return Ok(pages);
            }
        }
    }
}
