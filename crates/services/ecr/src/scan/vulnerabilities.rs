//! Findings of scans for the service that lists them, and the lookup of those of an image.

use super::{EnhancedImageScanFinding, ScanRow};
use crate::{Image, ImageDetail, ImageManager, OfImage, Repository, registry};
use nephos_cloud::{Handler, Stored, StoredResource, Tx};
use nephos_core::{
    Listing, Page, PageRequest, Record, Result, WorkflowContext, field_value::FieldType as _, operation,
};
use nephos_inspector2::{
    FilterCriteria, Finding, FindingResource, FindingResourceDetails, FindingStatus, FindingType,
    ListFindings, Recommendation, Remediation, StringComparison, StringFilter,
};

/// Lists the findings of all scans, for the service `inspector2`.
#[operation(case = "camel", wraps(findings: Vec<Finding>), effect = read, subject = "*")]
pub struct ListScanFindings {}

impl Handler for ListScanFindings {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut found = Vec::new();
        for repository in cx.all::<Repository>(&Repository::table(cx.scope()))? {
            let scanning = registry::scanning_of(cx, &repository)?;
            let images = ImageDetail::table(cx.scope()).text(repository.own_name());
            for image in cx.all::<ImageDetail>(&images)? {
                let Some(scan) = ScanRow::find(cx, &image, &scanning)? else { continue };
                let time = scan.completed_at;
                let findings = scan.findings.unwrap_or_default().into_iter();
                found.extend(findings.map(|finding| {
                    EnhancedImageScanFinding::new(cx.scope(), &image, time, finding).into_finding(cx)
                }));
            }
        }
        Ok(found.into())
    }
}

impl EnhancedImageScanFinding {
    fn into_finding(self, cx: &Tx<'_>) -> Finding {
        let mut finding = Finding::blank();
        finding.finding_arn = self.finding_arn;
        finding.aws_account_id = self.aws_account_id;
        finding.r#type = Some(FindingType::PackageVulnerability);
        finding.description = self.description;
        finding.title = self.title;
        let text = self.remediation.and_then(|remediation| remediation.recommendation?.text);
        finding.remediation = Some(Remediation { recommendation: Some(Recommendation { text, url: None }) });
        finding.severity = self.severity.as_deref().and_then(|text| text.parse().ok());
        finding.first_observed_at = self.first_observed_at;
        finding.last_observed_at = self.last_observed_at;
        finding.updated_at = self.updated_at;
        finding.status = Some(FindingStatus::Active);
        finding.inspector_score = self.score;
        finding.package_vulnerability_details = self.package_vulnerability_details;
        let resources = self.resources.into_iter().flatten().map(|resource| FindingResource {
            r#type: resource.r#type,
            id: resource.id,
            partition: Some("aws".into()),
            region: Some(cx.scope().region().into()),
            tags: resource.tags,
            details: resource.details.map(|details| FindingResourceDetails {
                aws_ecr_container_image: details.aws_ecr_container_image,
            }),
        });
        finding.resources = Some(resources.collect());
        finding
    }
}

/// Lists the findings of the scans of an image, by the service `inspector2`.
#[operation(
    kind = Image, call = "vulnerabilities", on_model, pages, case = "camel", include(OfImage), effect = read,
    output = Page<Finding>
)]
pub struct ImageVulnerabilities {}

impl Listing for ImageVulnerabilities {
    type Model = Finding;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<Finding>> {
        let digest = OfImage::from_given(self.clone()).find_digest(context).await?;
        let is_digest = StringFilter::builder().comparison(StringComparison::Equals).value(digest).build()?;
        let criteria = FilterCriteria::builder().ecr_image_hash([is_digest]).build()?;
        ListFindings::new().filter_criteria(criteria).page(context, request).await
    }
}

/// Finds the findings of the scans of an image, for filters.
pub(crate) async fn find_vulnerabilities(image: &Image) -> Result<Vec<Finding>> {
    image.vulnerabilities().results().all().await
}
