//! Operations on repository creation templates.

use super::{
    EncryptionConfigurationForRepositoryCreationTemplate, RCTAppliedFor, RepositoryCreationTemplate, find,
    require,
};
use crate::{
    ImageTagMutability, ImageTagMutabilityExclusionFilter, Repository, RepositoryManager, errors,
    paging::{self, Page},
};
use nephos_cloud::{Handler, Quota, Tx};
use nephos_core::{Record, Result, Tag, Text, operation};

/// Quota of templates per registry.
const TEMPLATES: Quota =
    Quota { counter: "ecr/creation-template", max: 50, what: "repository creation templates" };

/// Settings of a template that are given at creation and changed later.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct TemplateSettings {
    /// Prefix of the repositories, unique in the registry; `ROOT` for all without a template of their own.
    #[field(required, like = RepositoryCreationTemplate::prefix)]
    prefix: Option<Text>,
    /// Description.
    #[field(like = RepositoryCreationTemplate::description)]
    description: Option<Text>,
    /// Encryption at rest.
    #[field(no_effect)]
    encryption_configuration: Option<EncryptionConfigurationForRepositoryCreationTemplate>,
    /// Tags of the repositories.
    #[field(no_effect)]
    resource_tags: Option<Vec<Tag>>,
    /// Tags of images that can be moved to another image.
    #[field(no_effect)]
    image_tag_mutability: Option<ImageTagMutability>,
    /// Filters of tags that are excluded from the mutability.
    #[field(like = Repository::image_tag_mutability_exclusion_filters, no_effect)]
    image_tag_mutability_exclusion_filters: Option<Vec<ImageTagMutabilityExclusionFilter>>,
    /// Policy of the repositories.
    #[field(like = RepositoryCreationTemplate::repository_policy, no_effect)]
    repository_policy: Option<Text>,
    /// Lifecycle policy of the repositories.
    #[field(like = RepositoryCreationTemplate::lifecycle_policy, no_effect)]
    lifecycle_policy: Option<Text>,
    /// ARN of the role that the service assumes to create repositories.
    #[field(like = RepositoryCreationTemplate::custom_role_arn, no_effect)]
    custom_role_arn: Option<Text>,
}

/// A repository creation template of a registry.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RegistryCreationTemplate {
    /// Account of the registry.
    registry_id: Option<Text>,
    /// The template.
    repository_creation_template: Option<RepositoryCreationTemplate>,
}

impl RegistryCreationTemplate {
    fn new(cx: &Tx<'_>, template: RepositoryCreationTemplate) -> Self {
        Self { registry_id: Some(cx.scope().account().into()), repository_creation_template: Some(template) }
    }
}

/// Creates a repository creation template.
#[operation(
    of = Repository, case = "camel", call = "create_creation_template", include(TemplateSettings), effect = write,
    output = RegistryCreationTemplate, subject = "*",
    also_requires("iam:PassRole" = "customRoleArn? {customRoleArn}")
)]
pub struct CreateRepositoryCreationTemplate {
    /// Causes for which repositories are created by the template.
    #[field(no_effect)]
    pub applied_for: Vec<RCTAppliedFor>,
}

impl Handler for CreateRepositoryCreationTemplate {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryCreationTemplate> {
        if find(cx, &self.prefix)?.is_some() {
            return Err(errors::template_exists(&self.prefix, cx.scope().account()).with_field("prefix"));
        }
        let mut template = RepositoryCreationTemplate::from_given(self);
        template.check(cx)?;
        TEMPLATES.add_one(cx, errors::too_many_templates)?;
        template.set_defaults();
        template.created_at = Some(cx.now());
        template.updated_at = template.created_at;
        cx.put(template.clone())?;
        Ok(RegistryCreationTemplate::new(cx, template))
    }
}

/// Changes a repository creation template. What is not given stays.
#[operation(
    of = Repository, case = "camel", call = "update_creation_template", include(TemplateSettings), effect = write,
    output = RegistryCreationTemplate, subject = "*",
    also_requires("iam:PassRole" = "customRoleArn? {customRoleArn}")
)]
pub struct UpdateRepositoryCreationTemplate {
    /// Causes for which repositories are created by the template.
    #[field(no_effect)]
    pub applied_for: Option<Vec<RCTAppliedFor>>,
}

impl Handler for UpdateRepositoryCreationTemplate {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<RegistryCreationTemplate> {
        let mut template = require(cx, &self.prefix)?;
        // A new mutability comes with its own filters.
        if self.image_tag_mutability.is_some() {
            template.image_tag_mutability_exclusion_filters = None;
        }
        template.take_given(&mut self);
        template.check(cx)?;
        template.updated_at = Some(cx.now());
        cx.put(template.clone())?;
        Ok(RegistryCreationTemplate::new(cx, template))
    }
}

/// Page of repository creation templates.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct DescribeRepositoryCreationTemplatesResponse {
    /// Account of the registry.
    registry_id: Option<Text>,
    /// Templates.
    repository_creation_templates: Option<Vec<RepositoryCreationTemplate>>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
}

/// Describes repository creation templates, in order of their prefixes, or in the order of the given prefixes.
#[operation(
    of = Repository, case = "camel", call = "list_creation_templates",
    returns(repository_creation_templates: Vec<RepositoryCreationTemplate>, next_token), include(Page), effect = read,
    output = DescribeRepositoryCreationTemplatesResponse, subject = "*"
)]
pub struct DescribeRepositoryCreationTemplates {
    /// Prefixes of the templates; all if they are not given.
    #[field(each(like = RepositoryCreationTemplate::prefix))]
    pub prefixes: Option<Vec<Text>>,
}

impl Handler for DescribeRepositoryCreationTemplates {
    fn run(self, cx: &mut Tx<'_>) -> Result<DescribeRepositoryCreationTemplatesResponse> {
        let prefixes = self.prefixes.as_deref().filter(|prefixes| !prefixes.is_empty());
        let (found, next_token) = paging::page_named_or_all(cx, &self, "prefixes", prefixes, require)?;
        Ok(DescribeRepositoryCreationTemplatesResponse {
            registry_id: Some(cx.scope().account().into()),
            repository_creation_templates: Some(found),
            next_token,
        })
    }
}

/// Deletes a repository creation template, and returns it.
#[operation(
    of = Repository, case = "camel", call = "delete_creation_template", effect = write, output = RegistryCreationTemplate,
    subject = "*"
)]
pub struct DeleteRepositoryCreationTemplate {
    /// Prefix of the repositories.
    #[field(like = RepositoryCreationTemplate::prefix)]
    pub prefix: Text,
}

impl Handler for DeleteRepositoryCreationTemplate {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryCreationTemplate> {
        let template = require(cx, &self.prefix)?;
        TEMPLATES.remove_one(cx)?;
        cx.remove(&template)?;
        Ok(RegistryCreationTemplate::new(cx, template))
    }
}
