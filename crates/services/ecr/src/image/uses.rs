//! Lookups of task definitions and services that use an image, and of images that are in use.

use super::{BatchGetImage, Image, ImageIdentifier, ImageManager, OfImage};
use crate::{DescribeRepositories, Repository};
use nephos_core::{
    Choice, Error, Listing, Map, Page, PageRequest, Record, Result, Tag, Text, WorkflowContext, choices,
    operation, with_tags,
};
use nephos_ecs::{
    DescribeTaskDefinition, ListClusters, ListTaskDefinitions, Service, TaskDefinition, TaskDefinitionField,
    TaskDefinitionStatus,
};
use std::collections::HashMap;

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

/// Mark of the tokens of deregistered task definitions in a listing of all.
const INACTIVE: &str = "INACTIVE:";

/// Returns a page of the task definitions with a status. The service lists one status at a time.
async fn page_of_definitions(
    context: &WorkflowContext,
    status: Option<&UseStatus>,
    token: Option<&str>,
) -> Result<Page<TaskDefinition>> {
    let lists_all = status == Some(&UseStatus::All);
    let second = token.filter(|_| lists_all).and_then(|token| token.strip_prefix(INACTIVE));
    let is_inactive = second.is_some() || status == Some(&UseStatus::Inactive);
    let status = if is_inactive { TaskDefinitionStatus::Inactive } else { TaskDefinitionStatus::Active };
    let mut list = ListTaskDefinitions::new().status(status);
    list.next_token = second.or(token).filter(|token| !token.is_empty()).map(Text::from);
    let page = context.call(list).await?;
    let mut items = Vec::new();
    for arn in page.task_definition_arns().unwrap_or_default() {
        items.extend(describe(context, arn).await?);
    }
    let next_token = match page.next_token() {
        Some(next) if second.is_some() => Some(format!("{INACTIVE}{next}").into()),
        None if lists_all && second.is_none() => Some(INACTIVE.into()),
        next => next.map(Text::from),
    };
    Ok(Page { items, next_token })
}

/// Returns a task definition with its tags; none if it does not exist.
async fn describe(context: &WorkflowContext, arn: &str) -> Result<Option<TaskDefinition>> {
    let describe = DescribeTaskDefinition::new(arn).include([TaskDefinitionField::Tags]);
    Ok(context.find(describe).await?.and_then(|found| found.into_model()))
}

/// True if a container has one of these images.
fn uses(definition: &TaskDefinition, references: &[Text]) -> bool {
    let is_one = |image: &str| references.iter().any(|reference| reference == image);
    let mut containers = definition.container_definitions().unwrap_or_default().iter();
    containers.any(|container| container.image().is_some_and(is_one))
}

/// Lists the task definitions that use an image.
#[operation(
    kind = Image, call = "task_definitions", on_model, pages, case = "camel", include(OfImage, UseFilter), effect = read,
    output = Page<TaskDefinition>
)]
pub struct ImageTaskDefinitions {}

impl Listing for ImageTaskDefinitions {
    type Model = TaskDefinition;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<TaskDefinition>> {
        let references = OfImage::from_given(self.clone()).references(context).await?;
        let mut page = page_of_definitions(context, self.status.as_ref(), request.token.as_deref()).await?;
        page.items.retain(|one| uses(one, &references) && has_tags(self.tags.as_ref(), one.tags()));
        Ok(page)
    }
}

/// Lists the services that use an image, by their task definitions.
#[operation(
    kind = Image, call = "services", on_model, pages, case = "camel", include(OfImage, UseFilter), effect = read,
    output = Page<Service>
)]
pub struct ImageServices {}

impl Listing for ImageServices {
    type Model = Service;

    /// Returns the services of the clusters on a page.
    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<Service>> {
        let references = OfImage::from_given(self.clone()).references(context).await?;
        let mut list = ListClusters::new();
        list.next_token.clone_from(&request.token);
        let clusters = context.call(list).await?;
        let mut items = Vec::new();
        for cluster in clusters.cluster_arns().unwrap_or_default() {
            items.extend(services_of(context, cluster).await?);
        }
        items.retain(|service| has_tags(self.tags.as_ref(), service.tags()));
        let mut users: HashMap<Text, bool> = HashMap::new();
        for arn in items.iter().filter_map(Service::task_definition) {
            if !users.contains_key(arn) {
                let definition = describe(context, arn).await?;
                let is_user = |one: &TaskDefinition| self.is_wanted(one) && uses(one, &references);
                users.insert(arn.into(), definition.as_ref().is_some_and(is_user));
            }
        }
        items.retain(|service| service.task_definition().is_some_and(|arn| users.get(arn) == Some(&true)));
        Ok(Page { items, next_token: clusters.next_token().map(Text::from) })
    }
}

impl ImageServices {
    /// True for a task definition with the status.
    fn is_wanted(&self, definition: &TaskDefinition) -> bool {
        match (self.status.as_ref().unwrap_or(&UseStatus::Active), definition.status()) {
            (UseStatus::All, _) => true,
            (wanted, status) => status.is_some_and(|status| status.as_str() == wanted.as_str()),
        }
    }
}

/// Returns the services of a cluster.
async fn services_of(context: &WorkflowContext, cluster: &str) -> Result<Vec<Service>> {
    let (list, mut request) = (nephos_ecs::ServiceList::new().cluster(cluster), PageRequest::first());
    let mut services = Vec::new();
    loop {
        let page = list.page(context, &request).await?;
        services.extend(page.items);
        request.token = page.next_token;
        if request.token.is_none() {
            return Ok(services);
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

/// Returns the names of the images of all active task definitions.
async fn used_images(context: &WorkflowContext) -> Result<Vec<Text>> {
    let (mut images, mut token) = (Vec::new(), None);
    loop {
        let page: Page<TaskDefinition> = page_of_definitions(context, None, token.as_deref()).await?;
        let containers = page.items.iter().flat_map(|one| one.container_definitions().unwrap_or_default());
        images.extend(containers.filter_map(|container| container.image()).map(Text::from));
        token = page.next_token;
        if token.is_none() {
            return Ok(images);
        }
    }
}

impl Listing for ImageInUse {
    type Model = Image;

    async fn page(&self, context: &WorkflowContext, _: &PageRequest) -> Result<Page<Image>> {
        if self.repository_names.is_some() && self.repository_prefix.is_some() {
            let rule = "give either repositoryNames or repositoryPrefix";
            return Err(Error::invalid("repositoryPrefix", rule));
        }
        let used = used_images(context).await?;
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
