//! Findings of enhanced scanning, with packages and scores.

use super::{FindingSeverity, ImageScanFinding};
use crate::{ImageDetail, repository};
use nephos_cloud::{BlobDigest, Scope};
use nephos_core::{Choice, Map, Record, Text, Timestamp, field_value::FieldType as _};

pub use nephos_inspector2::{
    CvssScore, CvssScoreAdjustment, PackageVulnerabilityDetails, ScannedImageDetails, VulnerablePackage,
};

/// A vulnerability that an enhanced scan found.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct EnhancedImageScanFinding {
    /// Account of the image.
    pub(super) aws_account_id: Option<Text>,
    /// Description.
    pub(super) description: Option<Text>,
    /// ARN of the finding.
    pub(super) finding_arn: Option<Text>,
    /// Time of the first scan that found it.
    pub(super) first_observed_at: Option<Timestamp>,
    /// Time of the last scan that found it.
    pub(super) last_observed_at: Option<Timestamp>,
    /// The vulnerability, and the packages that have it.
    pub(super) package_vulnerability_details: Option<PackageVulnerabilityDetails>,
    /// What to do.
    pub(super) remediation: Option<Remediation>,
    /// The image.
    pub(super) resources: Option<Vec<ScannedResource>>,
    /// Score.
    pub(super) score: Option<f64>,
    /// Parts of the score.
    pub(super) score_details: Option<ScoreDetails>,
    /// Severity.
    pub(super) severity: Option<Text>,
    /// Status: `ACTIVE`, `SUPPRESSED` or `CLOSED`.
    pub(super) status: Option<Text>,
    /// Title.
    pub(super) title: Option<Text>,
    /// Type: `PACKAGE_VULNERABILITY`.
    pub(super) r#type: Option<Text>,
    /// Time of the last change.
    pub(super) updated_at: Option<Timestamp>,
    /// Fix: `YES`, `NO` or `PARTIAL`.
    pub(super) fix_available: Option<Text>,
    /// Known exploit: `YES` or `NO`.
    pub(super) exploit_available: Option<Text>,
}

/// What to do about a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Remediation {
    /// Recommendation.
    pub(super) recommendation: Option<Recommendation>,
}

/// Recommendation.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Recommendation {
    /// Link.
    pub(super) url: Option<Text>,
    /// Text.
    pub(super) text: Option<Text>,
}

/// A resource with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScannedResource {
    /// Facts.
    pub(super) details: Option<ScannedResourceDetails>,
    /// ARN of the image.
    pub(super) id: Option<Text>,
    /// Tags.
    pub(super) tags: Option<Map<Text>>,
    /// Type: `AWS_ECR_CONTAINER_IMAGE`.
    pub(super) r#type: Option<Text>,
}

/// Facts about a resource with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScannedResourceDetails {
    /// Facts about an image.
    pub(super) aws_ecr_container_image: Option<ScannedImageDetails>,
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
            package_vulnerability_details: Some(vulnerability_of(&finding, score)),
            description: finding.description,
            ..Self::blank()
        }
    }
}

/// Returns the vulnerability of a finding, and its package.
fn vulnerability_of(finding: &ImageScanFinding, score: Option<f64>) -> PackageVulnerabilityDetails {
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
    PackageVulnerabilityDetails {
        cvss: Some(cvss.into_iter().collect()),
        source_url: finding.uri.clone(),
        vulnerability_id: finding.name.clone(),
        vulnerable_packages: Some(package.into_iter().collect()),
        ..PackageVulnerabilityDetails::blank()
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
