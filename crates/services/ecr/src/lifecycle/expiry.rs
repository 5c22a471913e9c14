//! Expiry of images by lifecycle policies, every 24 hours of the cloud's clock.

use super::{
    document::{Action, LifecyclePolicy},
    evaluate::{ImageFacts, evaluate},
    operations::LifecyclePolicyRow,
};
use crate::{ImageDetail, ImageStatus, Repository, image};
use nephos_cloud::{Stored, Tx, Work};
use nephos_core::{Result, SignedDuration, record_of};

/// Time between two evaluations of a policy.
const INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// An image that a policy selects.
pub(super) struct SelectedImage {
    /// The image.
    pub(super) image: ImageDetail,
    /// Priority of the rule that selects it.
    pub(super) priority: i64,
    /// Action on it.
    pub(super) action: Action,
}

/// Returns the images of a repository that a policy selects now.
pub(super) fn select(cx: &Tx<'_>, repository: &str, policy: &LifecyclePolicy) -> Result<Vec<SelectedImage>> {
    let images: Vec<ImageDetail> = cx.all(&ImageDetail::table(cx.scope()).text(repository))?;
    let facts: Vec<_> = images.iter().map(|image| ImageFacts::of(image, cx)).collect();
    let action =
        |priority: i64| policy.rules.iter().find(|rule| rule.priority == priority).map(|rule| rule.action);
    let selected = evaluate(policy, &facts, cx.now()).into_iter().filter_map(|(index, priority)| {
        Some(SelectedImage { image: images[index].clone(), priority, action: action(priority)? })
    });
    Ok(selected.collect())
}

impl ImageFacts {
    fn of(image: &ImageDetail, cx: &Tx<'_>) -> Self {
        Self {
            tags: image.tags().to_vec(),
            pushed_at: image.image_pushed_at.unwrap_or(cx.now()),
            pulled_at: image.last_recorded_pull_time,
            archived_at: image.last_archived_at.filter(|_| image.is_archived()),
        }
    }
}

/// Deletes or archives the images of a repository that a policy selects now. Images of lists that stay are kept.
fn apply(cx: &mut Tx<'_>, repository: &str, policy: &LifecyclePolicy) -> Result<()> {
    let (expired, archived): (Vec<_>, Vec<_>) =
        select(cx, repository, policy)?.into_iter().partition(|selected| selected.action == Action::Expire);
    for SelectedImage { mut image, .. } in archived {
        image.image_status = Some(ImageStatus::Archived);
        image.last_archived_at = Some(cx.now());
        cx.put(image)?;
    }
    // A list is deleted before its images, and the lists that it is in before it.
    let mut left: Vec<_> = expired.into_iter().map(|selected| selected.image).collect();
    loop {
        let mut kept = Vec::new();
        for image in &left {
            if !image::delete_by_digest(cx, repository, image.digest())? {
                kept.push(image.clone());
            }
        }
        if kept.len() == left.len() {
            return Ok(());
        }
        left = kept;
    }
}

/// Schedules the next evaluation of a policy, if it has none.
pub(super) fn schedule(cx: &mut Tx<'_>, row: &mut LifecyclePolicyRow) -> Result<()> {
    if row.next_evaluation_at.is_some() {
        return Ok(());
    }
    let next = cx.now() + INTERVAL;
    row.next_evaluation_at = Some(next);
    cx.schedule(next, &EvaluateLifecyclePolicy { repository_name: row.repository_name.clone() })
}

/// Work that evaluates the lifecycle policy of a repository.
#[record_of(of = Repository, case = "camel", takes(repository_name), row)]
pub(crate) struct EvaluateLifecyclePolicy {}

impl Work for EvaluateLifecyclePolicy {
    const NAME: &'static str = "ecr/evaluate-lifecycle-policy";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let repository = self.repository_name.unwrap_or_default();
        let Some(mut row) = LifecyclePolicyRow::find(cx, &repository)? else { return Ok(()) };
        // The policy may have been removed and set again.
        if row.next_evaluation_at != Some(cx.now()) {
            return Ok(());
        }
        let policy = LifecyclePolicy::parse(row.lifecycle_policy_text.as_deref().unwrap_or_default())?;
        apply(cx, &repository, &policy)?;
        row.last_evaluated_at = Some(cx.now());
        row.next_evaluation_at = None;
        schedule(cx, &mut row)?;
        cx.put(row)
    }
}
