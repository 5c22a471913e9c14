//! Findings of enhanced scanning, with packages and scores.

use super::{FindingSeverity, ImageScanFinding};
use crate::{ImageDetail, repository};
use nephos_cloud::{BlobDigest, Scope};
use nephos_core::{Choice, Map, Record, Text, Timestamp, field_value::FieldType as _};

/// A vulnerability that an enhanced scan found.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct EnhancedImageScanFinding {
    /// Account of the image.
    aws_account_id: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// ARN of the finding.
    finding_arn: Option<Text>,
    /// Time of the first scan that found it.
    first_observed_at: Option<Timestamp>,
    /// Time of the last scan that found it.
    last_observed_at: Option<Timestamp>,
    /// The vulnerability, and the packages that have it.
    package_vulnerability_details: Option<PackageVulnerabilityDetails>,
    /// What to do.
    remediation: Option<Remediation>,
    /// The image.
    resources: Option<Vec<ScannedResource>>,
    /// Score.
    score: Option<f64>,
    /// Parts of the score.
    score_details: Option<ScoreDetails>,
    /// Severity.
    severity: Option<Text>,
    /// Status: `ACTIVE`, `SUPPRESSED` or `CLOSED`.
    status: Option<Text>,
    /// Title.
    title: Option<Text>,
    /// Type: `PACKAGE_VULNERABILITY`.
    r#type: Option<Text>,
    /// Time of the last change.
    updated_at: Option<Timestamp>,
    /// Fix: `YES`, `NO` or `PARTIAL`.
    fix_available: Option<Text>,
    /// Known exploit: `YES` or `NO`.
    exploit_available: Option<Text>,
}

/// A vulnerability, and the packages that have it.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct PackageVulnerabilityDetails {
    /// Scores.
    cvss: Option<Vec<CvssScore>>,
    /// Links.
    reference_urls: Option<Vec<Text>>,
    /// IDs of related vulnerabilities.
    related_vulnerabilities: Option<Vec<Text>>,
    /// Source of the data.
    source: Option<Text>,
    /// Link to the source of the data.
    source_url: Option<Text>,
    /// Time of creation at the vendor.
    vendor_created_at: Option<Timestamp>,
    /// Severity by the vendor.
    vendor_severity: Option<Text>,
    /// Time of the last change at the vendor.
    vendor_updated_at: Option<Timestamp>,
    /// ID of the vulnerability.
    vulnerability_id: Option<Text>,
    /// Packages that have the vulnerability.
    vulnerable_packages: Option<Vec<VulnerablePackage>>,
}

/// Score of a vulnerability.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CvssScore {
    /// Score.
    base_score: Option<f64>,
    /// Vector.
    scoring_vector: Option<Text>,
    /// Source.
    source: Option<Text>,
    /// Version of the score.
    version: Option<Text>,
}

/// A package that has a vulnerability.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct VulnerablePackage {
    /// Architecture.
    arch: Option<Text>,
    /// Epoch.
    epoch: Option<i64>,
    /// Path of the file.
    file_path: Option<Text>,
    /// Name.
    name: Option<Text>,
    /// Package manager.
    package_manager: Option<Text>,
    /// Release.
    release: Option<Text>,
    /// Digest of the layer.
    source_layer_hash: Option<Text>,
    /// Version.
    version: Option<Text>,
    /// Version without the vulnerability.
    fixed_in_version: Option<Text>,
}

/// What to do about a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Remediation {
    /// Recommendation.
    recommendation: Option<Recommendation>,
}

/// Recommendation.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Recommendation {
    /// Link.
    url: Option<Text>,
    /// Text.
    text: Option<Text>,
}

/// A resource with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScannedResource {
    /// Facts.
    details: Option<ScannedResourceDetails>,
    /// ARN of the image.
    id: Option<Text>,
    /// Tags.
    tags: Option<Map<Text>>,
    /// Type: `AWS_ECR_CONTAINER_IMAGE`.
    r#type: Option<Text>,
}

/// Facts about a resource with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScannedResourceDetails {
    /// Facts about an image.
    aws_ecr_container_image: Option<ScannedImageDetails>,
}

/// Facts about an image with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScannedImageDetails {
    /// Architecture.
    architecture: Option<Text>,
    /// Author.
    author: Option<Text>,
    /// Digest.
    image_hash: Option<Text>,
    /// Tags.
    image_tags: Option<Vec<Text>>,
    /// Platform.
    platform: Option<Text>,
    /// Time of the push.
    pushed_at: Option<Timestamp>,
    /// Time of the last use by a task.
    last_in_use_at: Option<Timestamp>,
    /// Number of tasks that use it.
    in_use_count: Option<i64>,
    /// Account of the registry.
    registry: Option<Text>,
    /// Name of the repository.
    repository_name: Option<Text>,
}

/// Parts of a score.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScoreDetails {
    /// Parts of the CVSS score.
    cvss: Option<CvssScoreDetails>,
}

/// Parts of a CVSS score.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CvssScoreDetails {
    /// Adjustments.
    adjustments: Option<Vec<CvssScoreAdjustment>>,
    /// Score.
    score: Option<f64>,
    /// Source.
    score_source: Option<Text>,
    /// Vector.
    scoring_vector: Option<Text>,
    /// Version of the score.
    version: Option<Text>,
}

/// Adjustment of a score.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CvssScoreAdjustment {
    /// Metric.
    metric: Option<Text>,
    /// Reason.
    reason: Option<Text>,
}

impl EnhancedImageScanFinding {
    /// Makes the finding of an enhanced scan of what a test control set.
    pub(super) fn new(
        scope: &Scope,
        image: &ImageDetail,
        time: Option<Timestamp>,
        finding: ImageScanFinding,
    ) -> Self {
        let name = finding.name.clone().unwrap_or_default();
        let package = finding.attribute("package_name");
        let identity =
            [image.repository(), image.digest(), &name, package.as_deref().unwrap_or_default()].join(" ");
        let hash = BlobDigest::of(identity.as_bytes()).to_string();
        let id = &hash["sha256:".len()..][..32];
        let title =
            package.as_ref().map_or_else(|| name.clone(), |package| format!("{name} - {package}").into());
        let severity = match &finding.severity {
            Some(FindingSeverity::Undefined) | None => "UNTRIAGED",
            Some(severity) => severity.as_str(),
        };
        let score: Option<f64> = finding.attribute("CVSS2_SCORE").and_then(|score| score.parse().ok());
        Self {
            aws_account_id: Some(scope.account().into()),
            finding_arn: Some(scope.arn("inspector2", &["finding/", id]).into()),
            first_observed_at: time,
            last_observed_at: time,
            updated_at: time,
            remediation: Some(Remediation {
                recommendation: Some(Recommendation { url: None, text: Some("None Provided".into()) }),
            }),
            resources: Some(vec![ScannedResource::new(scope, image)]),
            score,
            severity: Some(severity.into()),
            status: Some("ACTIVE".into()),
            title: Some(title),
            r#type: Some("PACKAGE_VULNERABILITY".into()),
            package_vulnerability_details: Some(PackageVulnerabilityDetails::new(&finding, score)),
            description: finding.description,
            ..Self::blank()
        }
    }
}

impl PackageVulnerabilityDetails {
    fn new(finding: &ImageScanFinding, score: Option<f64>) -> Self {
        let cvss = score.map(|score| CvssScore {
            base_score: Some(score),
            scoring_vector: finding.attribute("CVSS2_VECTOR"),
            source: Some("NVD".into()),
            version: Some("2.0".into()),
        });
        let package = finding.attribute("package_name").map(|name| VulnerablePackage {
            name: Some(name),
            version: finding.attribute("package_version"),
            ..VulnerablePackage::blank()
        });
        Self {
            cvss: Some(cvss.into_iter().collect()),
            source_url: finding.uri.clone(),
            vulnerability_id: finding.name.clone(),
            vulnerable_packages: Some(package.into_iter().collect()),
            ..Self::blank()
        }
    }
}

impl ScannedResource {
    fn new(scope: &Scope, image: &ImageDetail) -> Self {
        let facts = ScannedImageDetails {
            image_hash: image.image_digest.clone(),
            image_tags: image.image_tags.clone(),
            pushed_at: image.image_pushed_at,
            registry: Some(scope.account().into()),
            repository_name: image.repository_name.clone(),
            ..ScannedImageDetails::blank()
        };
        let arn = repository::arn_of(scope, image.repository());
        Self {
            details: Some(ScannedResourceDetails { aws_ecr_container_image: Some(facts) }),
            id: Some(format!("{arn}/{}", image.digest()).into()),
            tags: None,
            r#type: Some("AWS_ECR_CONTAINER_IMAGE".into()),
        }
    }
}
