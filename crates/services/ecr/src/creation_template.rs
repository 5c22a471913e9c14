//! Repository creation templates: settings of repositories that the service creates by itself. It creates none here; the
//! templates are kept and checked.

mod operations;

pub use operations::*;

use crate::{
    EncryptionType, ImageTagMutability, ImageTagMutabilityExclusionFilter, Repository, errors,
    lifecycle::LifecyclePolicy, policy, repository::check_exclusion_filters, tagging,
};
use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, Tag, Text, Timestamp, choices};

choices! {
    /// Cause for which the service creates a repository.
    pub enum RCTAppliedFor {
        /// Replication of images from another registry.
        Replication = "REPLICATION",
        /// A pull through the cache.
        PullThroughCache = "PULL_THROUGH_CACHE",
        /// A push to a repository that does not exist.
        CreateOnPush = "CREATE_ON_PUSH",
    }
}

/// Encryption of the repositories of a template at rest.
#[derive(Record)]
#[record(case = "camel")]
pub struct EncryptionConfigurationForRepositoryCreationTemplate {
    /// Type of encryption.
    #[field(required)]
    encryption_type: Option<EncryptionType>,
    /// ARN of the crypto key.
    #[field(
        wire = "kmsKey", length(..=2048), pattern = r"^$|arn:aws[a-z0-9-]*:kms:[a-z0-9-]+:[0-9]{12}:key\/[a-z0-9-]+"
    )]
    crypto_key: Option<Text>,
}

/// A repository creation template: settings of the repositories with a prefix that the service creates.
#[derive(Record)]
#[record(case = "camel")]
pub struct RepositoryCreationTemplate {
    /// Prefix of the repositories, unique in the registry; `ROOT` for all without a template of their own.
    #[field(
        length(1..=256),
        pattern = r"^([a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*\/?|ROOT)$"
    )]
    prefix: Option<Text>,
    /// Description.
    #[field(length(..=256))]
    description: Option<Text>,
    /// Encryption at rest.
    encryption_configuration: Option<EncryptionConfigurationForRepositoryCreationTemplate>,
    /// Tags of the repositories.
    resource_tags: Option<Vec<Tag>>,
    /// Tags of images that can be moved to another image.
    image_tag_mutability: Option<ImageTagMutability>,
    /// Filters of tags that are excluded from the mutability.
    #[field(like = Repository::image_tag_mutability_exclusion_filters)]
    image_tag_mutability_exclusion_filters: Option<Vec<ImageTagMutabilityExclusionFilter>>,
    /// Policy of the repositories.
    #[field(length(..=10_240))]
    repository_policy: Option<Text>,
    /// Lifecycle policy of the repositories.
    #[field(length(..=30_720))]
    lifecycle_policy: Option<Text>,
    /// Causes for which repositories are created by the template.
    applied_for: Option<Vec<RCTAppliedFor>>,
    /// ARN of the role that the service assumes to create repositories.
    #[field(length(..=2048))]
    custom_role_arn: Option<Text>,
    /// Time of creation.
    created_at: Option<Timestamp>,
    /// Time of the last change.
    updated_at: Option<Timestamp>,
}

nephos_cloud::stored!(RepositoryCreationTemplate in "ecr/creation-template" by prefix);

impl RepositoryCreationTemplate {
    /// Refuses settings that no repository can have.
    fn check(&self, cx: &mut Tx<'_>) -> Result<()> {
        tagging::RULES
            .read_list(self.resource_tags.as_deref().unwrap_or_default())
            .map_err(|error| error.with_field("resourceTags"))?;
        check_exclusion_filters(
            self.image_tag_mutability.as_ref(),
            self.image_tag_mutability_exclusion_filters.as_deref(),
        )?;
        if let Some(text) = self.repository_policy.as_deref().filter(|text| !text.is_empty()) {
            let checked = policy::OF_REPOSITORY.check(cx, text, policy::is_own_action);
            checked.map_err(|error| error.with_field("repositoryPolicy"))?;
        }
        if let Some(text) = self.lifecycle_policy.as_deref().filter(|text| !text.is_empty()) {
            LifecyclePolicy::parse(text).map_err(|error| error.with_field("lifecyclePolicy"))?;
        }
        Ok(())
    }

    /// Sets what is not given.
    fn set_defaults(&mut self) {
        self.image_tag_mutability.get_or_insert(ImageTagMutability::Mutable);
        self.encryption_configuration.get_or_insert(EncryptionConfigurationForRepositoryCreationTemplate {
            encryption_type: Some(EncryptionType::Aes256),
            crypto_key: None,
        });
    }
}

/// Finds the template with this prefix.
fn find(cx: &Tx<'_>, prefix: &str) -> Result<Option<RepositoryCreationTemplate>> {
    cx.get(&RepositoryCreationTemplate::table(cx.scope()).text(prefix))
}

/// Finds the template with this prefix, or refuses.
fn require(cx: &Tx<'_>, prefix: &str) -> Result<RepositoryCreationTemplate> {
    let missing = || errors::template_not_found(prefix, cx.scope().account()).with_field("prefix");
    find(cx, prefix)?.ok_or_else(missing)
}
