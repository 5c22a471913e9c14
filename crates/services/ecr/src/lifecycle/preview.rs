//! Previews of lifecycle policies: which images a policy would select.

use super::{
    document::{Action, LifecyclePolicy},
    expiry::{SelectedImage, select},
    operations::LifecyclePolicyRow,
};
use crate::{
    ImageDetail, ImageIdentifier, Repository, RepositoryManager, TagStatus,
    access::{RegistryId, run_in_registry},
    errors, paging,
    repository::require,
};
use nephos_cloud::{Handler, Stored, StoredResource, Tx};
use nephos_core::{
    Record, Result, Text, Timestamp, choices,
    json::{self, Writing},
    operation, record_of,
};

choices! {
    /// Status of a preview.
    #[derive(Eq)]
    pub enum LifecyclePolicyPreviewStatus {
        /// The policy is being evaluated.
        InProgress = "IN_PROGRESS",
        /// The results are there.
        Complete = "COMPLETE",
        /// The results are too old.
        Expired = "EXPIRED",
        /// The evaluation failed.
        Failed = "FAILED",
    }
}

choices! {
    /// Action on an image.
    #[derive(Eq)]
    pub enum ImageActionType {
        /// It is deleted.
        Expire = "EXPIRE",
        /// It is moved to another storage class.
        Transition = "TRANSITION",
    }
}

choices! {
    /// Storage class that images are moved to.
    #[derive(Eq)]
    pub enum LifecyclePolicyTargetStorageClass {
        /// The archive.
        Archive = "ARCHIVE",
    }
}

choices! {
    /// Storage class of an image.
    #[derive(Eq)]
    pub enum LifecyclePolicyStorageClass {
        /// The archive.
        Archive = "ARCHIVE",
        /// The storage of images that can be pulled.
        Standard = "STANDARD",
    }
}

/// Action of a rule on an image.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct LifecyclePolicyRuleAction {
    /// Type of the action.
    r#type: Option<ImageActionType>,
    /// Storage class that the image is moved to.
    target_storage_class: Option<LifecyclePolicyTargetStorageClass>,
}

/// An image that a policy selects.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct LifecyclePolicyPreviewResult {
    /// Tags of the image.
    image_tags: Option<Vec<Text>>,
    /// Digest of the image.
    image_digest: Option<Text>,
    /// Time of the push.
    image_pushed_at: Option<Timestamp>,
    /// Action of the rule.
    action: Option<LifecyclePolicyRuleAction>,
    /// Priority of the rule.
    applied_rule_priority: Option<i64>,
    /// Storage class of the image.
    storage_class: Option<LifecyclePolicyStorageClass>,
}

impl LifecyclePolicyPreviewResult {
    fn new(SelectedImage { image, priority, action }: SelectedImage) -> Self {
        let (action, target) = match action {
            Action::Expire => (ImageActionType::Expire, None),
            Action::Archive => {
                (ImageActionType::Transition, Some(LifecyclePolicyTargetStorageClass::Archive))
            }
        };
        let storage_class = if image.is_archived() {
            LifecyclePolicyStorageClass::Archive
        } else {
            LifecyclePolicyStorageClass::Standard
        };
        let ImageDetail { image_tags, image_digest, image_pushed_at, .. } = image;
        Self {
            image_tags,
            image_digest,
            image_pushed_at,
            action: Some(LifecyclePolicyRuleAction { r#type: Some(action), target_storage_class: target }),
            applied_rule_priority: Some(priority),
            storage_class: Some(storage_class),
        }
    }

    fn is_archived(&self) -> bool {
        self.action.as_ref().is_some_and(|action| action.r#type == Some(ImageActionType::Transition))
    }

    fn is_one_of(&self, ids: &[ImageIdentifier]) -> bool {
        let tags = self.image_tags.as_deref().unwrap_or_default();
        ids.iter().any(|id| {
            let has_digest = id.image_digest.is_none() || id.image_digest == self.image_digest;
            has_digest && id.image_tag.as_ref().is_none_or(|tag| tags.contains(tag))
        })
    }
}

/// Row of the last preview of a repository.
#[record_of(of = Repository, case = "camel", takes(repository_name), row)]
pub(crate) struct PreviewRow {
    /// Document of the policy.
    lifecycle_policy_text: Option<Text>,
    /// Status.
    status: Option<LifecyclePolicyPreviewStatus>,
    /// Images that the policy selects.
    preview_results: Option<Vec<LifecyclePolicyPreviewResult>>,
}

nephos_cloud::stored! {
    PreviewRow in "ecr/lifecycle-preview" by repository_name;
    states("status": "IN_PROGRESS" => "COMPLETE" 10 then PreviewRow::complete)
}

impl PreviewRow {
    pub(super) fn find(cx: &Tx<'_>, repository: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(repository))
    }

    fn complete(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let policy = LifecyclePolicy::parse(self.lifecycle_policy_text.as_deref().unwrap_or_default())?;
        let repository = self.repository_name.as_deref().unwrap_or_default();
        let selected = select(cx, repository, &policy)?;
        self.preview_results = Some(selected.into_iter().map(LifecyclePolicyPreviewResult::new).collect());
        Ok(())
    }
}

/// A preview that was started.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct StartedPreview {
    /// Document of the policy.
    lifecycle_policy_text: Option<Text>,
    /// Status.
    status: Option<LifecyclePolicyPreviewStatus>,
}

/// Starts a preview of a lifecycle policy.
#[operation(
    of = Repository, case = "camel", call = "start_lifecycle_policy_preview", needs(repository_name), include(RegistryId),
    effect = write, output = StartedPreview
)]
pub struct StartLifecyclePolicyPreview {
    /// Document of the policy; that of the repository if it is not given.
    #[field(length(100..=30_720))]
    pub lifecycle_policy_text: Option<Text>,
}

impl Handler for StartLifecyclePolicyPreview {
    fn run(self, cx: &mut Tx<'_>) -> Result<StartedPreview> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = require(cx, &operation.repository_name)?;
            let name = repository.own_name();
            let text = match &operation.lifecycle_policy_text {
                Some(text) => {
                    let (_, document) = LifecyclePolicy::read(text)?;
                    Some(Text::from(json::write(document.view(), Writing::EXPOSED)))
                }
                None => LifecyclePolicyRow::require(cx, name)?.lifecycle_policy_text,
            };
            let last = PreviewRow::find(cx, name)?;
            let status = Some(LifecyclePolicyPreviewStatus::InProgress);
            if last.is_some_and(|last| last.status == status) {
                return Err(errors::preview_in_progress(name, cx.scope().account()));
            }
            cx.put_and_schedule_transition(PreviewRow {
                repository_name: repository.repository_name.clone(),
                lifecycle_policy_text: text.clone(),
                status: status.clone(),
                preview_results: None,
            })?;
            Ok(StartedPreview { lifecycle_policy_text: text, status, ..repository.into() })
        })
    }
}

/// Filter of the images of a preview.
#[derive(Record)]
#[record(case = "camel")]
pub struct LifecyclePolicyPreviewFilter {
    /// Images with or without tags; all by default.
    tag_status: Option<TagStatus>,
}

impl LifecyclePolicyPreviewFilter {
    fn matches(&self, result: &LifecyclePolicyPreviewResult) -> bool {
        match self.tag_status {
            Some(TagStatus::Tagged) => result.image_tags.is_some(),
            Some(TagStatus::Untagged) => result.image_tags.is_none(),
            _ => true,
        }
    }
}

/// Number of images that are moved to a storage class.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct TransitioningImageTotalCount {
    /// Storage class.
    target_storage_class: Option<LifecyclePolicyTargetStorageClass>,
    /// Number of images.
    image_total_count: Option<i64>,
}

/// Results of a preview in numbers.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct LifecyclePolicyPreviewSummary {
    /// Number of images that are deleted.
    expiring_image_total_count: Option<i64>,
    /// Numbers of images that are moved to other storage classes.
    transitioning_image_total_counts: Option<Vec<TransitioningImageTotalCount>>,
}

impl LifecyclePolicyPreviewSummary {
    fn new(results: &[LifecyclePolicyPreviewResult]) -> Self {
        let count = |is_archived: bool| {
            results.iter().filter(|result| result.is_archived() == is_archived).map(|_| 1_i64).sum::<i64>()
        };
        let archived = TransitioningImageTotalCount {
            target_storage_class: Some(LifecyclePolicyTargetStorageClass::Archive),
            image_total_count: Some(count(true)),
        };
        Self {
            expiring_image_total_count: Some(count(false)),
            transitioning_image_total_counts: (count(true) > 0).then(|| vec![archived]),
        }
    }
}

/// A page of the results of a preview.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct LifecyclePolicyPreview {
    /// Document of the policy.
    lifecycle_policy_text: Option<Text>,
    /// Status.
    status: Option<LifecyclePolicyPreviewStatus>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
    /// Images that the policy selects.
    preview_results: Option<Vec<LifecyclePolicyPreviewResult>>,
    /// Results in numbers.
    summary: Option<LifecyclePolicyPreviewSummary>,
}

/// Returns the results of the last preview of a repository.
#[operation(
    of = Repository, case = "camel", call = "get_lifecycle_policy_preview", needs(repository_name), include(RegistryId),
    effect = read, output = LifecyclePolicyPreview
)]
pub struct GetLifecyclePolicyPreview {
    /// Digests or tags of the images; all if they are not given.
    #[field(length(1..=100))]
    pub image_ids: Option<Vec<ImageIdentifier>>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub next_token: Option<Text>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=100))]
    pub max_results: Option<i64>,
    /// Filter of the images.
    pub filter: Option<LifecyclePolicyPreviewFilter>,
}

impl Handler for GetLifecyclePolicyPreview {
    fn run(self, cx: &mut Tx<'_>) -> Result<LifecyclePolicyPreview> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = require(cx, &operation.repository_name)?;
            if operation.image_ids.is_some() {
                paging::refuse(&operation, "imageIds")?;
            }
            let name = repository.own_name();
            let row = PreviewRow::find(cx, name)?;
            let row = row.ok_or_else(|| errors::preview_not_found(name, cx.scope().account()))?;
            let all = row.preview_results.unwrap_or_default();
            let summary = LifecyclePolicyPreviewSummary::new(&all);
            let is_wanted = |result: &LifecyclePolicyPreviewResult| {
                let ids = operation.image_ids.as_deref();
                let filter = operation.filter.as_ref();
                ids.is_none_or(|ids| result.is_one_of(ids))
                    && filter.is_none_or(|filter| filter.matches(result))
            };
            let (results, next_token) = cx.page_list(&operation, all.into_iter().filter(is_wanted))?;
            Ok(LifecyclePolicyPreview {
                lifecycle_policy_text: row.lifecycle_policy_text,
                summary: (row.status == Some(LifecyclePolicyPreviewStatus::Complete)).then_some(summary),
                status: row.status,
                next_token,
                preview_results: Some(results),
                ..repository.into()
            })
        })
    }
}
