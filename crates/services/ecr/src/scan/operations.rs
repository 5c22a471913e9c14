//! Operations on scans: start, and the findings.

use super::{
    EnhancedImageScanFinding, ImageScanFinding, ImageScanStatus, SCAN_INTERVAL, ScanRow, is_scannable,
};
use crate::{
    ImageDetail, ImageIdentifier, Repository, ScanType,
    access::{RegistryId, run_in_registry},
    errors,
    image::rows,
    paging::Page,
    registry, repository,
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Error, Map, Record, Result, Text, Timestamp, operation, record_of};

/// A scan that was started.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct StartedScan {
    /// Digest of the image, and the tag that it was found by.
    image_id: Option<ImageIdentifier>,
    /// Status of the scan.
    image_scan_status: Option<ImageScanStatus>,
}

/// Starts a scan of an image, which is scanned at most once in 24 hours.
#[operation(
    of = Repository, case = "camel", needs(repository_name), include(RegistryId), effect = write, output = StartedScan
)]
pub struct StartImageScan {
    /// Digest or tag of the image.
    pub image_id: ImageIdentifier,
}

impl Handler for StartImageScan {
    fn run(self, cx: &mut Tx<'_>) -> Result<StartedScan> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = repository::require(cx, &operation.repository_name)?;
            let image = rows::require(cx, &operation.repository_name, &operation.image_id)?;
            if registry::scanning_of(cx, &repository)?.scan_type == ScanType::Enhanced {
                return Err(errors::scan_disabled());
            }
            if image.is_archived() {
                return Err(errors::image_archived(image.digest()).with_field("imageId"));
            }
            if !is_scannable(&image) {
                let media_type = image.image_manifest_media_type.unwrap_or_default();
                return Err(errors::image_not_scannable(media_type).with_field("imageId"));
            }
            let last = ScanRow::find_stored(cx, &image)?.and_then(|scan| scan.started_at);
            if last.is_some_and(|last| cx.now().duration_since(last) < SCAN_INTERVAL) {
                return Err(errors::too_many_scans().with_field("imageId"));
            }
            let status = ScanRow::start(cx, &image, ScanType::Basic)?;
            Ok(StartedScan {
                image_id: Some(ImageIdentifier::new(image.image_digest, operation.image_id.image_tag)),
                image_scan_status: Some(status),
                ..repository.into()
            })
        })
    }
}

/// Findings of a scan.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageScanFindings {
    /// Time of completion of the scan.
    image_scan_completed_at: Option<Timestamp>,
    /// Time of the last change of the data about vulnerabilities.
    vulnerability_source_updated_at: Option<Timestamp>,
    /// Number of findings by severity.
    finding_severity_counts: Option<Map<i64>>,
    /// Findings of basic scanning.
    findings: Option<Vec<ImageScanFinding>>,
    /// Findings of enhanced scanning.
    enhanced_findings: Option<Vec<EnhancedImageScanFinding>>,
}

/// A page of the findings of the scan of an image.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct ScannedImage {
    /// Digest of the image, and the tag that it was found by.
    image_id: Option<ImageIdentifier>,
    /// Status of the scan.
    image_scan_status: Option<ImageScanStatus>,
    /// Findings; absent while the scan runs.
    image_scan_findings: Option<ImageScanFindings>,
    /// Pagination token of the next page.
    pub(super) next_token: Option<Text>,
}

/// Returns the findings of the scan of an image.
#[operation(
    of = Repository, case = "camel", needs(repository_name), include(RegistryId, Page), effect = read, output = ScannedImage
)]
pub struct DescribeImageScanFindings {
    /// Digest or tag of the image.
    pub image_id: ImageIdentifier,
}

impl Handler for DescribeImageScanFindings {
    fn run(self, cx: &mut Tx<'_>) -> Result<ScannedImage> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = repository::require(cx, &operation.repository_name)?;
            let image = rows::require(cx, &operation.repository_name, &operation.image_id)?;
            let scanning = registry::scanning_of(cx, &repository)?;
            let Some(mut scan) = ScanRow::find(cx, &image, &scanning)? else {
                return Err(operation.scan_not_found(cx, &repository));
            };
            let (found, next_token) = match scan.completed_at {
                None => (None, None),
                Some(_) => {
                    let counts = scan.severity_counts();
                    let all = scan.findings.take().unwrap_or_default();
                    let (page, next_token) = cx.page_list(&operation, all)?;
                    (Some(scan.to_findings(cx, &image, page, counts)), next_token)
                }
            };
            Ok(ScannedImage {
                image_id: Some(ImageIdentifier::new(image.image_digest, operation.image_id.image_tag)),
                image_scan_status: Some(scan.to_status()),
                image_scan_findings: found,
                next_token,
                ..repository.into()
            })
        })
    }
}

impl DescribeImageScanFindings {
    fn scan_not_found(&self, cx: &Tx<'_>, repository: &Repository) -> Error {
        let text = |value: &Option<Text>| value.clone().unwrap_or_else(|| "null".into());
        let digest = text(&self.image_id.image_digest);
        let tag = text(&self.image_id.image_tag);
        let account = cx.scope().account();
        errors::scan_not_found(digest, tag, repository.own_name(), account).with_field("imageId")
    }
}

impl ScanRow {
    /// Returns a page of findings. Without any, an enhanced scan has no numbers.
    fn to_findings(
        &self,
        cx: &Tx<'_>,
        image: &ImageDetail,
        page: Vec<ImageScanFinding>,
        counts: Map<i64>,
    ) -> ImageScanFindings {
        let is_empty = self.is_enhanced() && counts.is_empty();
        let time = self.completed_at.filter(|_| !is_empty);
        let (findings, enhanced) = if self.is_enhanced() && !is_empty {
            let enhance = |finding| EnhancedImageScanFinding::new(cx.scope(), image, time, finding);
            (None, Some(page.into_iter().map(enhance).collect()))
        } else {
            (Some(page), None)
        };
        ImageScanFindings {
            image_scan_completed_at: time,
            vulnerability_source_updated_at: time,
            finding_severity_counts: (!is_empty).then_some(counts),
            findings,
            enhanced_findings: enhanced,
        }
    }
}
