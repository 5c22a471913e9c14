//! Images that are about another image, such as signatures.

use super::{ImageDetail, ImageStatus, ImageStatusFilter, links, manifest::Manifest, rows};
use crate::{
    Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors,
    image::is_digest,
    repository,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Choice, Map, Record, Result, Text, Value, operation};

/// Digest of the image that others are about.
#[derive(Record)]
#[record(case = "camel")]
pub struct SubjectIdentifier {
    /// Digest.
    #[field(required)]
    image_digest: Option<Text>,
}

/// Filter of the images that are about another image.
#[derive(Record)]
#[record(case = "camel")]
pub struct ReferrersFilter {
    /// Media types of artifacts.
    #[field(length(..=5), each(length(1..=255)))]
    artifact_types: Option<Vec<Text>>,
    /// Storage; images that can be pulled by default.
    artifact_status: Option<ImageStatusFilter>,
}

impl ReferrersFilter {
    fn matches(&self, image: &ImageDetail) -> bool {
        let types = self.artifact_types.as_deref().unwrap_or_default();
        let has_type =
            types.is_empty() || image.artifact_media_type.as_ref().is_some_and(|own| types.contains(own));
        let wanted = self.artifact_status.as_ref().unwrap_or(&ImageStatusFilter::Active);
        let status = image.image_status.as_ref().unwrap_or(&ImageStatus::Active);
        has_type && (*wanted == ImageStatusFilter::Any || wanted.as_str() == status.as_str())
    }
}

/// An image that is about another image.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageReferrer {
    /// Digest.
    digest: Option<Text>,
    /// Media type of the manifest.
    media_type: Option<Text>,
    /// Media type of the artifact.
    artifact_type: Option<Text>,
    /// Size of the manifest.
    size: Option<i64>,
    /// Annotations of the manifest.
    annotations: Option<Map<Text>>,
    /// Storage.
    artifact_status: Option<ImageStatus>,
}

impl ImageReferrer {
    fn new(cx: &Tx<'_>, image: ImageDetail) -> Result<Self> {
        let text = rows::manifest_of(cx, &image)?;
        let manifest = Manifest::parse(&text, image.image_manifest_media_type.as_deref())?;
        let annotations: Map<Text> = manifest
            .annotations
            .into_iter()
            .filter_map(|(key, value)| Some((key, Value::as_text(&value).map(Text::from)?)))
            .collect();
        Ok(Self {
            digest: image.image_digest,
            media_type: image.image_manifest_media_type,
            artifact_type: image.artifact_media_type,
            size: i64::try_from(text.len()).ok(),
            annotations: (!annotations.is_empty()).then_some(annotations),
            artifact_status: image.image_status,
        })
    }
}

/// Lists the images that are about another image, in order of their digests.
#[operation(
    of = Repository, case = "camel", call = "list_referrers", needs(repository_name), include(RegistryId),
    page(referrers: ImageReferrer, next_token), effect = read
)]
pub struct ListImageReferrers {
    /// Digest of the other image.
    pub subject_id: SubjectIdentifier,
    /// Filter of the images.
    pub filter: Option<ReferrersFilter>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub next_token: Option<Text>,
    /// Maximum number of results on a page; 20 by default.
    #[field(page_size = 20, range(1..=50))]
    pub max_results: Option<i64>,
}

impl Handler for ListImageReferrers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let name = &operation.repository_name;
            repository::require(cx, name)?;
            let subject = operation.subject_id.image_digest.as_deref().unwrap_or_default();
            if !is_digest(subject) {
                let reason = "must satisfy regular expression '[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+'";
                return Err(errors::invalid_parameter("subjectId", reason).with_field("subjectId"));
            }
            let default = || ReferrersFilter { artifact_types: None, artifact_status: None };
            let filter = operation.filter.clone().unwrap_or_else(default);
            let mut found = Vec::new();
            for digest in links::images_with(cx, name, links::SUBJECT, subject)? {
                let image = rows::find(cx, name, &digest)?.filter(|image| filter.matches(image));
                found.extend(image.map(|image| ImageReferrer::new(cx, image)).transpose()?);
            }
            Ok(cx.page_list(&operation, found)?.into())
        })
    }
}
