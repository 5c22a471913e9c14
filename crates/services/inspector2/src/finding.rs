//! Findings: vulnerabilities of packages in container images.

mod filters;
mod list;

pub use filters::*;
pub use list::*;

use nephos_core::{Extra, Map, Record, Resource, Slot, Text, Timestamp, choices};

choices! {
    /// Type of a finding.
    #[derive(Eq)]
    pub enum FindingType {
        /// A port of an instance can be reached.
        NetworkReachability = "NETWORK_REACHABILITY",
        /// A package has a vulnerability.
        PackageVulnerability = "PACKAGE_VULNERABILITY",
        /// Code has a vulnerability.
        CodeVulnerability = "CODE_VULNERABILITY",
    }
}

choices! {
    /// Severity of a finding.
    #[derive(Eq)]
    pub enum Severity {
        /// For information.
        Informational = "INFORMATIONAL",
        /// Low.
        Low = "LOW",
        /// Medium.
        Medium = "MEDIUM",
        /// High.
        High = "HIGH",
        /// Critical.
        Critical = "CRITICAL",
        /// Not known yet.
        Untriaged = "UNTRIAGED",
    }
}

choices! {
    /// Status of a finding.
    #[derive(Eq)]
    pub enum FindingStatus {
        /// The vulnerability is there.
        Active = "ACTIVE",
        /// A filter hides it.
        Suppressed = "SUPPRESSED",
        /// The vulnerability was removed.
        Closed = "CLOSED",
    }
}

choices! {
    /// A fix of a vulnerability.
    #[derive(Eq)]
    pub enum FixAvailable {
        /// For all packages.
        Yes = "YES",
        /// For no package.
        No = "NO",
        /// For some packages.
        Partial = "PARTIAL",
    }
}

choices! {
    /// A known exploit of a vulnerability.
    #[derive(Eq)]
    pub enum ExploitAvailable {
        /// There is one.
        Yes = "YES",
        /// There is none.
        No = "NO",
    }
}

/// A finding: a vulnerability of packages in a container image. It is read-only.
#[derive(Resource)]
#[resource(case = "camel", arn = "findingArn", pk = "findingArn", exists_if = "findingArn", frozen, extras)]
pub struct Finding {
    /// ARN of the finding.
    pub finding_arn: Option<Text>,
    /// Account of the image.
    pub aws_account_id: Option<Text>,
    /// Type.
    pub r#type: Option<FindingType>,
    /// Description.
    pub description: Option<Text>,
    /// Title.
    pub title: Option<Text>,
    /// What to do.
    pub remediation: Option<Remediation>,
    /// Severity.
    pub severity: Option<Severity>,
    /// Time of the first scan that found it.
    pub first_observed_at: Option<Timestamp>,
    /// Time of the last scan that found it.
    pub last_observed_at: Option<Timestamp>,
    /// Time of the last change.
    pub updated_at: Option<Timestamp>,
    /// Status.
    pub status: Option<FindingStatus>,
    /// The images with the vulnerability.
    pub resources: Option<Vec<FindingResource>>,
    /// Score.
    pub inspector_score: Option<f64>,
    /// Parts of the score.
    pub inspector_score_details: Option<InspectorScoreDetails>,
    /// The vulnerability, and the packages that have it.
    pub package_vulnerability_details: Option<PackageVulnerabilityDetails>,
    /// A fix.
    pub fix_available: Option<FixAvailable>,
    /// A known exploit.
    pub exploit_available: Option<ExploitAvailable>,
    /// Facts about exploits.
    pub exploitability_details: Option<ExploitabilityDetails>,
    /// Probability of an exploit.
    pub epss: Option<EpssDetails>,
    extra: Extra,
    slot: Slot,
}

/// What to do about a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Remediation {
    /// Recommendation.
    pub recommendation: Option<Recommendation>,
}

/// Recommendation.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Recommendation {
    /// Text.
    pub text: Option<Text>,
    /// Link.
    #[field(wire = "Url")]
    pub url: Option<Text>,
}

/// A resource with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct FindingResource {
    /// Type: `AWS_ECR_CONTAINER_IMAGE`.
    pub r#type: Option<Text>,
    /// ARN of the image.
    pub id: Option<Text>,
    /// Partition.
    pub partition: Option<Text>,
    /// Region.
    pub region: Option<Text>,
    /// Tags.
    pub tags: Option<Map<Text>>,
    /// Facts.
    pub details: Option<FindingResourceDetails>,
}

/// Facts about a resource with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct FindingResourceDetails {
    /// Facts about an image.
    pub aws_ecr_container_image: Option<ScannedImageDetails>,
}

/// Facts about an image with a finding.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ScannedImageDetails {
    /// Architecture.
    pub architecture: Option<Text>,
    /// Author.
    pub author: Option<Text>,
    /// Digest.
    pub image_hash: Option<Text>,
    /// Tags.
    pub image_tags: Option<Vec<Text>>,
    /// Platform.
    pub platform: Option<Text>,
    /// Time of the push.
    pub pushed_at: Option<Timestamp>,
    /// Time of the last use by a task.
    pub last_in_use_at: Option<Timestamp>,
    /// Number of tasks that use it.
    pub in_use_count: Option<i64>,
    /// Account of the registry.
    pub registry: Option<Text>,
    /// Name of the repository.
    pub repository_name: Option<Text>,
}

/// Parts of a score.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct InspectorScoreDetails {
    /// Parts of the adjusted score.
    pub adjusted_cvss: Option<AdjustedCvssDetails>,
}

/// Parts of an adjusted score.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct AdjustedCvssDetails {
    /// Source of the score.
    pub score_source: Option<Text>,
    /// Source of the CVSS data.
    pub cvss_source: Option<Text>,
    /// Version of the score.
    pub version: Option<Text>,
    /// Score.
    pub score: Option<f64>,
    /// Vector.
    pub scoring_vector: Option<Text>,
    /// Adjustments.
    pub adjustments: Option<Vec<CvssScoreAdjustment>>,
}

/// Adjustment of a score.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CvssScoreAdjustment {
    /// Metric.
    pub metric: Option<Text>,
    /// Reason.
    pub reason: Option<Text>,
}

/// A vulnerability, and the packages that have it.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct PackageVulnerabilityDetails {
    /// Scores.
    pub cvss: Option<Vec<CvssScore>>,
    /// Links.
    pub reference_urls: Option<Vec<Text>>,
    /// IDs of related vulnerabilities.
    pub related_vulnerabilities: Option<Vec<Text>>,
    /// Source of the data.
    pub source: Option<Text>,
    /// Link to the source of the data.
    pub source_url: Option<Text>,
    /// Time of creation at the vendor.
    pub vendor_created_at: Option<Timestamp>,
    /// Severity by the vendor.
    pub vendor_severity: Option<Text>,
    /// Time of the last change at the vendor.
    pub vendor_updated_at: Option<Timestamp>,
    /// ID of the vulnerability.
    pub vulnerability_id: Option<Text>,
    /// Packages that have the vulnerability.
    pub vulnerable_packages: Option<Vec<VulnerablePackage>>,
}

/// Score of a vulnerability.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CvssScore {
    /// Score.
    pub base_score: Option<f64>,
    /// Vector.
    pub scoring_vector: Option<Text>,
    /// Source.
    pub source: Option<Text>,
    /// Version of the score.
    pub version: Option<Text>,
}

/// A package that has a vulnerability.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct VulnerablePackage {
    /// Architecture.
    pub arch: Option<Text>,
    /// Epoch.
    pub epoch: Option<i64>,
    /// Path of the file.
    pub file_path: Option<Text>,
    /// Name.
    pub name: Option<Text>,
    /// Package manager.
    pub package_manager: Option<Text>,
    /// Release.
    pub release: Option<Text>,
    /// Digest of the layer.
    pub source_layer_hash: Option<Text>,
    /// Version.
    pub version: Option<Text>,
    /// Version without the vulnerability.
    pub fixed_in_version: Option<Text>,
}

/// Facts about exploits of a vulnerability.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ExploitabilityDetails {
    /// Time of the last known exploit.
    pub last_known_exploit_at: Option<Timestamp>,
}

/// Probability of an exploit.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct EpssDetails {
    /// Score.
    pub score: Option<f64>,
}
