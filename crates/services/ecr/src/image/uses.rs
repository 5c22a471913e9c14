//! Lookups of task definitions and services that use an image, and of images that are in use.

use super::{BatchGetImage, Image, ImageIdentifier, ImageManager, OfImage};
use crate::{DescribeRepositories, Repository};
use nephos_core::{
    Choice, Error, Listing, ManagerOperation, Map, Page, PageRequest, Record, Result, Tag, Text,
    WorkflowContext, choices, operation, with_tags,
};
use nephos_ecs::{
    DescribeTaskDefinition, ListClusters, ListTaskDefinitionFamilies, ListTaskDefinitions, Service,
    SortOrder, TaskDefinition, TaskDefinitionFamilyStatus, TaskDefinitionField, TaskDefinitionStatus,
};

/// Number of images that one request returns.
const BATCH: usize = 100;

choices! {
    /// Task definitions of a lookup, by their status.
    #[derive(Eq)]
    pub enum UseStatus {
        /// Those that can be used.
        Active = "ACTIVE",
        /// Those that were deregistered.
        Inactive = "INACTIVE",
        /// Both.
        All = "ALL",
    }
}

/// Restrictions of a lookup of uses.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct UseFilter {
    /// Status of the task definitions; those that can be used by default.
    status: Option<UseStatus>,
    /// Tags that the results have.
    tags: Option<Map<Text>>,
    /// Reports of the progress; there are none.
    #[field(no_effect)]
    verbose: Option<bool>,
}

/// True if a resource has all of the wanted tags.
fn has_tags(wanted: Option<&Map<Text>>, tags: Option<&[Tag]>) -> bool {
    let has = |key: &str, value: &Text| {
        tags.unwrap_or_default().iter().any(|tag| tag.key() == Some(key) && tag.value() == Some(value))
    };
    wanted.is_none_or(|wanted| wanted.iter().all(|(key, value)| has(key, value)))
}

/// Finds all task definitions with this status that fit.
async fn find_definitions(
    context: &WorkflowContext,
    status: Option<&UseStatus>,
    fits: impl Fn(&TaskDefinition) -> bool,
) -> Result<Vec<TaskDefinition>> {
    let status = status.unwrap_or(&UseStatus::Active);
    let all = [TaskDefinitionStatus::Active, TaskDefinitionStatus::Inactive];
    let statuses = all.iter().filter(|one| *status == UseStatus::All || one.as_str() == status.as_str());
    let mut found = Vec::new();
    for status in statuses {
        for family in find_families(context).await? {
            let list = ListTaskDefinitions::new().family_prefix(family).status(status.clone());
            let mut list = list.sort(SortOrder::Desc);
            loop {
                let page = context.call(list.clone()).await?;
                for arn in page.task_definition_arns().unwrap_or_default() {
                    let describe =
                        DescribeTaskDefinition::new(arn.as_str()).include([TaskDefinitionField::Tags]);
                    let described = context.call(describe).await?;
                    found.extend(described.into_model().filter(&fits));
                }
                list.next_token = page.next_token().map(Text::from);
                if list.next_token.is_none() {
                    break;
                }
            }
        }
    }
    Ok(found)
}

/// Finds the names of all families.
async fn find_families(context: &WorkflowContext) -> Result<Vec<Text>> {
    let mut list = ListTaskDefinitionFamilies::new().status(TaskDefinitionFamilyStatus::All);
    let mut families = Vec::new();
    loop {
        let page = context.call(list.clone()).await?;
        families.extend(page.families().unwrap_or_default().iter().cloned());
        list.next_token = page.next_token().map(Text::from);
        if list.next_token.is_none() {
            return Ok(families);
        }
    }
}

/// True if a container has one of these images.
fn uses(definition: &TaskDefinition, references: &[Text]) -> bool {
    let is_one = |image: &str| references.iter().any(|reference| reference == image);
    let mut containers = definition.container_definitions().unwrap_or_default().iter();
    containers.any(|container| container.image().is_some_and(is_one))
}

/// Finds the task definitions with this status that use an image.
async fn find_users(
    context: &WorkflowContext,
    image: OfImage,
    status: Option<&UseStatus>,
) -> Result<Vec<TaskDefinition>> {
    let references = image.references(context).await?;
    find_definitions(context, status, |definition| uses(definition, &references)).await
}

/// Finds the task definitions that use an image.
#[operation(
    kind = Image, call = "task_definitions", on_model, case = "camel", include(OfImage, UseFilter), effect = read,
    output = Vec<TaskDefinition>
)]
pub struct ImageTaskDefinitions {}

impl ManagerOperation for ImageTaskDefinitions {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<TaskDefinition>> {
        let mut found = find_users(context, OfImage::from_given(self.clone()), self.status.as_ref()).await?;
        found.retain(|definition| has_tags(self.tags.as_ref(), definition.tags()));
        Ok(found)
    }
}

/// Finds the services that use an image, by their task definitions.
#[operation(
    kind = Image, call = "services", on_model, case = "camel", include(OfImage, UseFilter), effect = read,
    output = Vec<Service>
)]
pub struct ImageServices {}

impl ManagerOperation for ImageServices {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Service>> {
        let definitions =
            find_users(context, OfImage::from_given(self.clone()), self.status.as_ref()).await?;
        find_services(context, definitions, self.tags.as_ref()).await
    }
}

/// Finds the services of all clusters with one of these task definitions.
async fn find_services(
    context: &WorkflowContext,
    definitions: Vec<TaskDefinition>,
    tags: Option<&Map<Text>>,
) -> Result<Vec<Service>> {
    let mut found = Vec::new();
    let mut list = ListClusters::new();
    loop {
        let page = context.call(list.clone()).await?;
        for cluster in page.cluster_arns().unwrap_or_default() {
            let mut request = PageRequest::first();
            loop {
                let services =
                    nephos_ecs::ServiceList::new().cluster(cluster.as_str()).page(context, &request).await?;
                let is_used = |service: &Service| {
                    let mut arns = definitions.iter().map(|definition| definition.task_definition_arn());
                    arns.any(|arn| arn == service.task_definition()) && has_tags(tags, service.tags())
                };
                found.extend(services.items.into_iter().filter(is_used));
                request.token = services.next_token;
                if request.token.is_none() {
                    break;
                }
            }
        }
        list.next_token = page.next_token().map(Text::from);
        if list.next_token.is_none() {
            return Ok(found);
        }
    }
}

/// Finds the images of repositories that an active task definition uses.
#[operation(kind = Image, call = "in_use", case = "camel", pages, effect = read, output = Page<Image>)]
pub struct ImageInUse {
    /// Names of the repositories; all if they are not given.
    pub repository_names: Option<Vec<Text>>,
    /// Prefix of the names of the repositories, instead of names.
    pub repository_prefix: Option<Text>,
    /// Tags that the repositories have.
    pub tags: Option<Map<Text>>,
    /// Reports of the progress; there are none.
    #[field(no_effect)]
    pub verbose: Option<bool>,
}

impl Listing for ImageInUse {
    type Model = Image;

    async fn page(&self, context: &WorkflowContext, _: &PageRequest) -> Result<Page<Image>> {
        if self.repository_names.is_some() && self.repository_prefix.is_some() {
            let rule = "give either repositoryNames or repositoryPrefix";
            return Err(Error::invalid("repositoryPrefix", rule));
        }
        let definitions = find_definitions(context, None, |_| true).await?;
        let containers = definitions.iter().flat_map(|one| one.container_definitions().unwrap_or_default());
        let used: Vec<&str> = containers.filter_map(|container| container.image()).collect();
        let mut items = Vec::new();
        for repository in self.find_repositories(context).await? {
            let uri = repository.repository_uri.clone().unwrap_or_default();
            let mut ids: Vec<ImageIdentifier> = Vec::new();
            for id in used.iter().filter_map(|image| read_id(image.strip_prefix(uri.as_str())?)) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            for batch in ids.chunks(BATCH) {
                let name = repository.repository_name.clone().unwrap_or_default();
                let get = BatchGetImage::new(name, batch.to_vec());
                items.extend(context.call(get).await?.images.unwrap_or_default());
            }
        }
        Ok(Page { items, next_token: None })
    }
}

impl ImageInUse {
    /// Finds the repositories with the names or the prefix, and with the tags.
    async fn find_repositories(&self, context: &WorkflowContext) -> Result<Vec<Repository>> {
        let mut describe = DescribeRepositories::new();
        describe.repository_names.clone_from(&self.repository_names);
        let prefix = self.repository_prefix.as_deref().unwrap_or_default();
        let mut found = Vec::new();
        loop {
            let page = context.call(describe.clone()).await?;
            describe.next_token.clone_from(&page.next_token);
            for repository in page.repositories.into_iter().flatten() {
                if !repository.repository_name.as_deref().unwrap_or_default().starts_with(prefix) {
                    continue;
                }
                let repository = with_tags(context, repository).await?;
                if has_tags(self.tags.as_ref(), repository.tags.as_deref()) {
                    found.push(repository);
                }
            }
            if describe.next_token.is_none() {
                return Ok(found);
            }
        }
    }
}

/// Returns the tag or digest after the address of a repository; `latest` if there is none.
fn read_id(rest: &str) -> Option<ImageIdentifier> {
    match rest.split_at_checked(1) {
        None => Some(ImageIdentifier::new(None, Some("latest".into()))),
        Some((":", tag)) => Some(ImageIdentifier::new(None, Some(tag.into()))),
        Some(("@", digest)) => Some(ImageIdentifier::new(Some(digest.into()), None)),
        _ => None,
    }
}
