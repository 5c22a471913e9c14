//! The listing of findings.

use super::{
    FilterCriteria, Finding, FindingManager,
    filters::{find_values, to_number},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, Value, choices, operation};
use std::cmp::Ordering;

choices! {
    /// Field that findings are sorted by.
    #[derive(Eq)]
    pub enum SortField {
        /// Account.
        AwsAccountId = "AWS_ACCOUNT_ID",
        /// Type.
        FindingType = "FINDING_TYPE",
        /// Severity.
        Severity = "SEVERITY",
        /// Time of the first scan.
        FirstObservedAt = "FIRST_OBSERVED_AT",
        /// Time of the last scan.
        LastObservedAt = "LAST_OBSERVED_AT",
        /// Status.
        FindingStatus = "FINDING_STATUS",
        /// Type of the resource.
        ResourceType = "RESOURCE_TYPE",
        /// Time of the push of the image.
        EcrImagePushedAt = "ECR_IMAGE_PUSHED_AT",
        /// Repository of the image.
        EcrImageRepositoryName = "ECR_IMAGE_REPOSITORY_NAME",
        /// Registry of the image.
        EcrImageRegistry = "ECR_IMAGE_REGISTRY",
        /// Network protocol.
        NetworkProtocol = "NETWORK_PROTOCOL",
        /// Type of the component.
        ComponentType = "COMPONENT_TYPE",
        /// ID of the vulnerability.
        VulnerabilityId = "VULNERABILITY_ID",
        /// Source of the data about the vulnerability.
        VulnerabilitySource = "VULNERABILITY_SOURCE",
        /// Score.
        InspectorScore = "INSPECTOR_SCORE",
        /// Severity by the vendor.
        VendorSeverity = "VENDOR_SEVERITY",
        /// Probability of an exploit.
        EpssScore = "EPSS_SCORE",
    }
}

impl SortField {
    /// Path of the value in a finding.
    fn path(&self) -> &'static str {
        match self {
            Self::AwsAccountId => "awsAccountId",
            Self::FindingType => "type",
            Self::Severity => "severity",
            Self::FirstObservedAt => "firstObservedAt",
            Self::LastObservedAt => "lastObservedAt",
            Self::FindingStatus => "status",
            Self::ResourceType => "resources.type",
            Self::EcrImagePushedAt => "resources.details.awsEcrContainerImage.pushedAt",
            Self::EcrImageRepositoryName => "resources.details.awsEcrContainerImage.repositoryName",
            Self::EcrImageRegistry => "resources.details.awsEcrContainerImage.registry",
            Self::VulnerabilityId => "packageVulnerabilityDetails.vulnerabilityId",
            Self::VulnerabilitySource => "packageVulnerabilityDetails.source",
            Self::InspectorScore => "inspectorScore",
            Self::VendorSeverity => "packageVulnerabilityDetails.vendorSeverity",
            Self::EpssScore => "epss.score",
            _ => "",
        }
    }

    fn compare(&self, one: &Value, other: &Value) -> Ordering {
        let key = |finding: &Value| {
            let value = find_values(finding, self.path()).first().map(|value| (*value).clone());
            let text = value.as_ref().and_then(Value::as_text).map(Text::from).unwrap_or_default();
            let rank = SEVERITIES.iter().position(|severity| *severity == text);
            let number = match self {
                Self::Severity => rank.map(|rank| rank as f64),
                _ => value.as_ref().and_then(to_number),
            };
            (number.unwrap_or(-1.0), text)
        };
        let (one, other) = (key(one), key(other));
        one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1))
    }
}

/// Severities in their order.
const SEVERITIES: [&str; 6] = ["UNTRIAGED", "INFORMATIONAL", "LOW", "MEDIUM", "HIGH", "CRITICAL"];

choices! {
    /// Order of findings.
    #[derive(Eq)]
    pub enum SortOrder {
        /// Smallest first.
        Asc = "ASC",
        /// Largest first.
        Desc = "DESC",
    }
}

/// Order of findings.
#[derive(Record)]
#[record(case = "camel")]
pub struct SortCriteria {
    /// Field.
    #[field(required)]
    field: Option<SortField>,
    /// Order.
    #[field(required)]
    sort_order: Option<SortOrder>,
}

/// Lists findings, in order of repositories and images, or as requested.
#[operation(
    of = Finding, case = "camel", call = "list", page(findings, next_token), effect = read,
    http("POST", "/findings/list", 200)
)]
pub struct ListFindings {
    /// Maximum number of results on a page.
    #[field(page_size, range(1..=100))]
    pub max_results: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token, length(..=1_000_000))]
    pub next_token: Option<Text>,
    /// Criteria.
    pub filter_criteria: Option<FilterCriteria>,
    /// Order.
    pub sort_criteria: Option<SortCriteria>,
}

impl Handler for ListFindings {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut findings = find_all(cx)?;
        if let Some(criteria) = &self.filter_criteria {
            findings.retain(|finding| criteria.matches(finding));
        }
        if let Some(SortCriteria { field: Some(field), sort_order, .. }) = &self.sort_criteria {
            findings.sort_by(|one, other| field.compare(one, other));
            if *sort_order == Some(SortOrder::Desc) {
                findings.reverse();
            }
        }
        let (page, next_token) = cx.page_list(&self, findings)?;
        let page = page.iter().map(to_finding).collect::<Result<Vec<_>>>()?;
        Ok((page, next_token).into())
    }
}

/// Returns the findings of all scans of the account and Region.
fn find_all(cx: &mut Tx<'_>) -> Result<Vec<Value>> {
    let answer = cx.call_service_for_value("ecr", "ListScanFindings", &[])?;
    match answer.as_ref().and_then(|answer| answer.get("findings")) {
        Some(Value::List(findings)) => Ok(findings.clone()),
        _ => Ok(Vec::new()),
    }
}

fn to_finding(value: &Value) -> Result<Finding> {
    match value {
        Value::Map(members) => Finding::from_values(members),
        _ => Finding::from_values(&nephos_core::Map::default()),
    }
}
