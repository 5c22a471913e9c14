//! Scans of images for vulnerabilities. What a scan finds is set by a test control; without it, a scan finds nothing.

mod calls;
mod enhanced;
mod findings;
mod operations;
mod vulnerabilities;

pub use calls::*;
pub use enhanced::*;
pub use findings::*;
pub use operations::*;
pub(crate) use vulnerabilities::find_vulnerabilities;
pub use vulnerabilities::*;

use crate::{
    ImageDetail, Repository, ScanFrequency, ScanType,
    image::manifest,
    registry::{self, RepositoryScanning},
    repository,
};
use nephos_cloud::{Stored, StoredResource, Tx};
use nephos_core::{Choice, Map, Record, Result, SignedDuration, Text, Timestamp, Value, choices};

/// Time in which an image is scanned at most once.
const SCAN_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

choices! {
    /// Status of a scan.
    #[derive(Eq)]
    pub enum ScanStatus {
        /// The scan runs.
        InProgress = "IN_PROGRESS",
        /// The scan is complete.
        Complete = "COMPLETE",
        /// The scan failed.
        Failed = "FAILED",
        /// The image cannot be scanned.
        UnsupportedImage = "UNSUPPORTED_IMAGE",
        /// The image is scanned continuously.
        Active = "ACTIVE",
        /// The scan waits.
        Pending = "PENDING",
        /// The image is too old for continuous scanning.
        ScanEligibilityExpired = "SCAN_ELIGIBILITY_EXPIRED",
        /// There are no findings.
        FindingsUnavailable = "FINDINGS_UNAVAILABLE",
        /// A limit of scans is reached.
        LimitExceeded = "LIMIT_EXCEEDED",
        /// The image is in the archive.
        ImageArchived = "IMAGE_ARCHIVED",
    }
}

/// Status of the scan of an image.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageScanStatus {
    /// Status.
    status: Option<ScanStatus>,
    /// Status in words.
    description: Option<Text>,
}

/// Findings of the scan of an image in numbers.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageScanFindingsSummary {
    /// Time of completion of the scan.
    image_scan_completed_at: Option<Timestamp>,
    /// Time of the last change of the data about vulnerabilities.
    vulnerability_source_updated_at: Option<Timestamp>,
    /// Number of findings by severity.
    finding_severity_counts: Option<Map<i64>>,
}

/// Row of the last scan of an image.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ScanRow {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// Digest of the image.
    image_digest: Option<Text>,
    /// Type of scanning.
    scan_type: Option<ScanType>,
    /// Status of the scan.
    status: Option<ScanStatus>,
    /// Time of the start.
    started_at: Option<Timestamp>,
    /// Time of completion.
    completed_at: Option<Timestamp>,
    /// Findings.
    findings: Option<Vec<ImageScanFinding>>,
}

nephos_cloud::stored! {
    ScanRow in "ecr/scan" by repository_name, image_digest;
    states("status": "IN_PROGRESS" => "COMPLETE" 30 then ScanRow::complete)
}

impl ScanRow {
    fn new(image: &ImageDetail, scan_type: ScanType, status: ScanStatus, now: Timestamp) -> Self {
        Self {
            repository_name: image.repository_name.clone(),
            image_digest: image.image_digest.clone(),
            scan_type: Some(scan_type),
            status: Some(status),
            started_at: Some(now),
            completed_at: None,
            findings: None,
        }
    }

    /// Finds the last scan that was started.
    fn find_stored(cx: &Tx<'_>, image: &ImageDetail) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(image.repository()).text(image.digest()))
    }

    /// Finds the scan of an image: the continuous one, or the last that was started.
    pub(crate) fn find(
        cx: &Tx<'_>,
        image: &ImageDetail,
        scanning: &RepositoryScanning,
    ) -> Result<Option<Self>> {
        if scanning.frequency != ScanFrequency::ContinuousScan || !is_scannable(image) {
            return Self::find_stored(cx, image);
        }
        let pushed = image.image_pushed_at.unwrap_or(cx.now());
        let mut scan = Self::new(image, ScanType::Enhanced, ScanStatus::Active, pushed);
        scan.set_findings(findings::of_image(cx, image)?, pushed);
        Ok(Some(scan))
    }

    /// Starts a scan.
    fn start(cx: &mut Tx<'_>, image: &ImageDetail, scan_type: ScanType) -> Result<ImageScanStatus> {
        let scan = Self::new(image, scan_type, ScanStatus::InProgress, cx.now());
        let status = scan.to_status();
        cx.put_and_schedule_transition(scan)?;
        Ok(status)
    }

    /// Takes the findings at the end of a scan, and sends the event about it.
    fn complete(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let repository = self.repository_name.clone().unwrap_or_default();
        let digest = self.image_digest.clone().unwrap_or_default();
        let Some(image) = crate::image::rows::find(cx, &repository, &digest)? else { return Ok(()) };
        self.set_findings(findings::of_image(cx, &image)?, cx.now());
        let tags = image.tags().iter().map(|tag| Value::from(tag.as_str())).collect();
        let counts = self.severity_counts().into_iter();
        let detail = Value::from_iter([
            ("scan-status", Value::from(ScanStatus::Complete.as_str())),
            ("repository-name", Value::from(repository.as_str())),
            ("finding-severity-counts", counts.map(|(name, count)| (name, Value::Int(count))).collect()),
            ("image-digest", Value::from(digest.as_str())),
            ("image-tags", Value::List(tags)),
        ]);
        let arn = repository::arn_of(cx.scope(), &repository);
        cx.send_own_event("aws.ecr", "ECR Image Scan", &detail, vec![arn])
    }

    fn set_findings(&mut self, findings: Vec<ImageScanFinding>, now: Timestamp) {
        self.findings = Some(findings);
        self.completed_at = Some(now);
    }

    /// True if the scan looked for all packages.
    fn is_enhanced(&self) -> bool {
        self.scan_type == Some(ScanType::Enhanced)
    }

    fn to_status(&self) -> ImageScanStatus {
        let description = match self.status {
            Some(ScanStatus::Complete) => Some("The scan was completed successfully."),
            Some(ScanStatus::Active) => Some("Continuous scan is selected for image."),
            _ => None,
        };
        ImageScanStatus { status: self.status.clone(), description: description.map(Text::from) }
    }

    fn severity_counts(&self) -> Map<i64> {
        let mut counts = Map::default();
        for severity in self.findings.iter().flatten().filter_map(|finding| finding.severity.as_ref()) {
            let count = counts.get(severity.as_str()).copied().unwrap_or(0);
            counts.insert(severity.as_str().into(), count + 1);
        }
        counts
    }
}

/// True for images that can be scanned, which lists cannot.
fn is_scannable(image: &ImageDetail) -> bool {
    !manifest::is_list(image.image_manifest_media_type.as_deref().unwrap_or_default())
}

/// Scans an image that was pushed, if its repository is scanned then.
pub(crate) fn scan_on_push(cx: &mut Tx<'_>, repository: &Repository, image: &ImageDetail) -> Result<()> {
    let scanning = registry::scanning_of(cx, repository)?;
    if scanning.frequency != ScanFrequency::ScanOnPush || !is_scannable(image) {
        return Ok(());
    }
    ScanRow::start(cx, image, scanning.scan_type).map(|_| ())
}

/// Adds status and summary of the scan to the facts about an image. Facts do not have them with enhanced scanning.
pub(crate) fn add_to_detail(
    cx: &Tx<'_>,
    scanning: &RepositoryScanning,
    mut image: ImageDetail,
) -> Result<ImageDetail> {
    if scanning.scan_type == ScanType::Enhanced {
        return Ok(image);
    }
    let Some(scan) = ScanRow::find_stored(cx, &image)?.filter(|scan| !scan.is_enhanced()) else {
        return Ok(image);
    };
    image.image_scan_status = Some(scan.to_status());
    image.image_scan_findings_summary = scan.completed_at.map(|time| ImageScanFindingsSummary {
        image_scan_completed_at: Some(time),
        vulnerability_source_updated_at: Some(time),
        finding_severity_counts: Some(scan.severity_counts()),
    });
    Ok(image)
}

/// Removes the scan of an image that is removed.
pub(crate) fn remove(cx: &mut Tx<'_>, image: &ImageDetail) -> Result<()> {
    match ScanRow::find_stored(cx, image)? {
        Some(scan) => cx.remove(&scan),
        None => Ok(()),
    }
}

/// Removes the findings that were set for a repository that is removed.
pub(crate) fn remove_all(cx: &mut Tx<'_>, repository: &Repository) -> Result<()> {
    let rows = findings::FindingsRow::table(cx.scope()).text(repository.own_name());
    cx.remove_all(&rows.prefix_range()).map(|_| ())
}
