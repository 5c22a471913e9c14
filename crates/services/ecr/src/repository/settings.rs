//! Settings of a repository that can be changed: the mutability of tags, and scanning.

use super::{ImageTagMutability, ImageTagMutabilityExclusionFilter, Repository, RepositoryManager, require};
use crate::{
    access::{RegistryId, run_in_registry},
    errors,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, operation};

/// Maximum number of wildcards in a filter.
const MAX_WILDCARDS: usize = 2;

/// Refuses filters of tags that the mutability does not take, or that are invalid; and a mutability without the filters that it
/// needs.
pub(crate) fn check_exclusion_filters(
    mutability: Option<&ImageTagMutability>,
    filters: Option<&[ImageTagMutabilityExclusionFilter]>,
) -> Result<()> {
    use ImageTagMutability::{ImmutableWithExclusion, Mutable, MutableWithExclusion};
    let member = "imageTagMutabilityExclusionFilters";
    let refused = |reason: String| Err(errors::invalid_parameter(member, reason).with_field(member));
    let mutability = mutability.unwrap_or(&Mutable);
    let has_exclusion = matches!(mutability, ImmutableWithExclusion | MutableWithExclusion);
    let Some(filters) = filters else {
        if has_exclusion {
            let rule = "ImageTagMutabilityExclusionFilters can't be null when imageTagMutability is set as";
            return refused(format!("{rule} {mutability}"));
        }
        return Ok(());
    };
    if !has_exclusion {
        let rule = "ImageTagMutabilityExclusionFilters must be null when imageTagMutability is set as";
        return refused(format!("{rule} {mutability}"));
    }
    let wildcards = |filter: &ImageTagMutabilityExclusionFilter| {
        filter.filter.as_deref().unwrap_or_default().matches('*').count()
    };
    if filters.iter().any(|filter| wildcards(filter) > MAX_WILDCARDS) {
        let rule = "Image tag mutability exclusion filter can contain a maximum of";
        return refused(format!("{rule} {MAX_WILDCARDS} wildcards"));
    }
    Ok(())
}

/// Replaces the mutability of the tags of a repository, with its filters.
#[operation(
    of = Repository, case = "camel", needs(repository_name, image_tag_mutability), takes(image_tag_mutability_exclusion_filters),
    include(RegistryId), replaces,
    answers(registry_id, repository_name, image_tag_mutability, image_tag_mutability_exclusion_filters), effect = write
)]
pub struct PutImageTagMutability {}

impl Handler for PutImageTagMutability {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |mut operation, cx| {
            let filters = operation.image_tag_mutability_exclusion_filters.as_deref();
            check_exclusion_filters(Some(&operation.image_tag_mutability), filters)?;
            let mut repository = require(cx, &operation.repository_name)?;
            repository.replace_given(&mut operation);
            cx.put(repository.clone())?;
            Ok(repository.into())
        })
    }
}

/// Replaces the scanning of a repository.
#[operation(
    of = Repository, case = "camel", needs(repository_name, image_scanning_configuration), include(RegistryId),
    answers(registry_id, repository_name, image_scanning_configuration), effect = write
)]
pub struct PutImageScanningConfiguration {}

impl Handler for PutImageScanningConfiguration {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |mut operation, cx| {
            let mut repository = require(cx, &operation.repository_name)?;
            repository.take_given(&mut operation);
            repository.set_scanning();
            cx.put(repository.clone())?;
            Ok(repository.into())
        })
    }
}

/// Sends what changed in a repository: the mutability of its tags, scanning, and its own tags.
#[operation(
    kind = Repository, call = "update", case = "camel", changes(PutImageTagMutability, PutImageScanningConfiguration), effect = write
)]
pub struct RepositoryUpdate {}
