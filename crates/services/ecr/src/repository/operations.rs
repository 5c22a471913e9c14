//! Operations on repositories: create, get, list and delete.

use super::{
    EncryptionConfiguration, ImageTagMutability, Repository, RepositoryManager, policy, require,
    settings::check_exclusion_filters,
};
use crate::{
    access::{RegistryId, run_in_registry},
    errors, image, lifecycle,
    paging::{self, Page},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, StoredResource, Tx, tags::to_list};
use nephos_core::{ErrorKind, ManagerOperation, Record, Result, Text, WorkflowContext, operation, with_tags};

/// Quota of repositories per account and Region.
const REPOSITORIES: Quota = Quota { counter: "ecr/repository", max: 100_000, what: "repositories" };

/// Creates a repository.
#[operation(
    of = Repository, case = "camel", call = "create", model, read_back, needs(repository_name), takes(settable), wraps(repository),
    effect = write, also_requires("TagResource" = "tags?")
)]
pub struct CreateRepository {}

impl Handler for CreateRepository {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |mut operation, cx| {
            let tags = tagging::RULES.read_list(&operation.tags.take().unwrap_or_default())?;
            check_exclusion_filters(
                operation.image_tag_mutability.as_ref(),
                operation.image_tag_mutability_exclusion_filters.as_deref(),
            )?;
            if Repository::find_by(cx, &[&operation.repository_name])?.is_some() {
                let refused = errors::repository_exists(&operation.repository_name, cx.scope().account());
                return Err(refused.with_field("repositoryName"));
            }
            let encryption = operation.encryption_configuration.take();
            let mut repository = Repository::from_given(operation);
            repository.set_derived(cx.scope());
            repository.tags = to_list(tags);
            repository.created_at = Some(cx.now());
            repository.image_tag_mutability.get_or_insert(ImageTagMutability::Mutable);
            repository.set_scanning();
            let encryption = EncryptionConfiguration::for_repository(cx, repository.own_arn(), encryption)?;
            repository.encryption_configuration = Some(encryption);
            REPOSITORIES.add_one(cx, errors::too_many_repositories)?;
            cx.put(repository.clone())?;
            Ok(repository.into())
        })
    }
}

/// Describes repositories, in order of their names, or in the order of the given names.
#[operation(
    of = Repository, case = "camel", call = "list", page(repositories, next_token), include(RegistryId, Page), effect = read,
    subject = "repository/{repositoryNames}"
)]
pub struct DescribeRepositories {
    /// Names of the repositories; all if they are not given.
    #[field(length(1..=100), each(like = Repository::repository_name))]
    pub repository_names: Option<Vec<Text>>,
}

impl Handler for DescribeRepositories {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let names = operation.repository_names.as_deref();
            Ok(paging::page_named_or_all(cx, &operation, "repositoryNames", names, require)?.into())
        })
    }
}

/// Gets the repository; none if it does not exist. The tags of a repository of another account may be unknown.
#[operation(
    kind = Repository, call = "get", case = "camel", include(RegistryId), effect = read, output = Option<Repository>
)]
pub struct RepositoryGet {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
}

impl ManagerOperation for RepositoryGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Repository>> {
        let mut describe = DescribeRepositories::new();
        describe.registry_id.clone_from(&self.registry_id);
        describe.repository_names = Some(vec![self.repository_name.clone()]);
        let found = context.find(describe).await?;
        let Some(repository) = found.and_then(|found| found.repositories?.into_iter().next()) else {
            return Ok(None);
        };
        match with_tags(context, repository.clone()).await {
            // Tags are listed by the owner of the registry only.
            Err(error) if self.registry_id.is_some() && is_of_other_account(&error) => Ok(Some(repository)),
            found => found.map(Some),
        }
    }
}

fn is_of_other_account(error: &nephos_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Denied | ErrorKind::Invalid)
}

/// Deletes a repository, which must not contain images unless the deletion is forced.
#[operation(
    of = Repository, case = "camel", call = "delete", on_model, needs(repository_name), include(RegistryId), wraps(repository),
    effect = write
)]
pub struct DeleteRepository {
    /// True to delete the images of the repository, too.
    pub force: Option<bool>,
}

impl Handler for DeleteRepository {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = require(cx, &operation.repository_name)?;
            if operation.force != Some(true) && image::has_images(cx, &repository)? {
                let name = &operation.repository_name;
                return Err(
                    errors::repository_not_empty(name, cx.scope().account()).with_field("repositoryName")
                );
            }
            image::remove_all(cx, &repository)?;
            policy::remove(cx, &repository)?;
            lifecycle::remove(cx, &repository)?;
            REPOSITORIES.remove_one(cx)?;
            cx.remove(&repository)?;
            Ok(repository.into())
        })
    }
}
