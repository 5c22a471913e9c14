//! Findings of scans, and the test control that sets them.

use crate::{ImageDetail, Repository, errors, repository};
use nephos_cloud::{Addressed, Handler, Scope, Stored, Tx};
use nephos_core::{Arn, Empty, Record, Result, Text, choices, operation};

/// Name in a test control that stands for all images of a repository.
const ALL_IMAGES: &str = "*";

choices! {
    /// Severity of a finding.
    #[derive(Eq)]
    pub enum FindingSeverity {
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
        /// Not known.
        Undefined = "UNDEFINED",
    }
}

/// Attribute of a finding, such as `package_name`.
#[derive(Record)]
#[record(case = "camel")]
pub struct Attribute {
    /// Name.
    #[field(required, length(1..=128))]
    key: Option<Text>,
    /// Value.
    #[field(length(1..=256))]
    value: Option<Text>,
}

/// A vulnerability that a scan found.
#[derive(Record)]
#[record(case = "camel")]
pub struct ImageScanFinding {
    /// Name, such as `CVE-2019-5188`.
    pub(super) name: Option<Text>,
    /// Description.
    pub(super) description: Option<Text>,
    /// Link to the description.
    pub(super) uri: Option<Text>,
    /// Severity.
    pub(super) severity: Option<FindingSeverity>,
    /// Attributes: `package_name`, `package_version`, `CVSS2_VECTOR`, `CVSS2_SCORE`.
    #[field(length(..=50))]
    pub(super) attributes: Option<Vec<Attribute>>,
}

impl ImageScanFinding {
    /// Returns the value of an attribute.
    pub(super) fn attribute(&self, key: &str) -> Option<Text> {
        let mut attributes = self.attributes.iter().flatten();
        attributes.find(|attribute| attribute.key.as_deref() == Some(key))?.value.clone()
    }
}

/// Row of the findings of future scans of an image.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct FindingsRow {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// Digest or tag of the image, or `*`.
    image: Option<Text>,
    /// Findings.
    findings: Option<Vec<ImageScanFinding>>,
}

nephos_cloud::stored!(FindingsRow in "ecr/findings" by repository_name, image);

/// Returns the findings that are set for the digest of an image, else for one of its tags, else for all images.
pub(super) fn of_image(cx: &Tx<'_>, image: &ImageDetail) -> Result<Vec<ImageScanFinding>> {
    let tags = image.tags().iter().map(Text::as_str);
    for name in [image.digest()].into_iter().chain(tags).chain([ALL_IMAGES]) {
        let key = FindingsRow::table(cx.scope()).text(image.repository()).text(name);
        if let Some(row) = cx.get::<FindingsRow>(&key)? {
            return Ok(row.findings.unwrap_or_default());
        }
    }
    Ok(Vec::new())
}

/// Sets what future scans of an image find, for tests. Continuous scans find it at once.
#[operation(case = "camel", effect = write, subject = "{repositoryArn}")]
pub struct SetImageFindings {
    /// ARN of the repository: `arn:aws:ecr:us-east-1:123456789012:repository/web`.
    pub repository_arn: Text,
    /// Digest or tag of the image; `*` for all images of the repository. Findings of a digest win over those of a tag, and
    /// these over those of all images.
    #[field(length(1..=300))]
    pub image: Text,
    /// Findings; with an empty list, scans find nothing.
    pub findings: Vec<ImageScanFinding>,
}

impl Handler for SetImageFindings {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let parts = Arn::parts(&self.repository_arn).zip(Repository::read_arn(&self.repository_arn));
        let Some(([_, _, region, account, _], names)) = parts else {
            let refused = errors::invalid_parameter("repositoryArn", "Invalid ARN");
            return Err(refused.with_field("repositoryArn"));
        };
        cx.in_scope(&Scope::new(account, region), |cx| {
            let repository = repository::require(cx, names[0])?;
            cx.put(FindingsRow {
                repository_name: repository.repository_name,
                image: Some(self.image),
                findings: Some(self.findings),
            })
        })?;
        Ok(Empty {})
    }
}
