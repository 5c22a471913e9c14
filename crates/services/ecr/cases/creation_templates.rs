//! Cases: repository creation templates.

use super::World;
use nephos_core::{Result, Tag};
use nephos_ecr::{EncryptionType, ImageTagMutability, RCTAppliedFor, Repository, errors};

pub(super) fn template_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let repositories = Repository::objects(&world.session());
    let create = || repositories.create_creation_template("team", [RCTAppliedFor::PullThroughCache]);
    let created = create().description("d").wait()?;
    assert_eq!(created.registry_id(), Some("123456789012"));
    let template = created.repository_creation_template().unwrap();
    assert_eq!(template.image_tag_mutability(), Some(&ImageTagMutability::Mutable));
    let encryption = template.encryption_configuration().unwrap();
    assert_eq!(encryption.encryption_type(), Some(&EncryptionType::Aes256));
    world.refused(&errors::TEMPLATE_EXISTS, "prefix", || create().wait());
    repositories.create_creation_template("ROOT", [RCTAppliedFor::Replication]).wait()?;
    let change = repositories.update_creation_template("team");
    change.image_tag_mutability(ImageTagMutability::Immutable).wait()?;
    let all = repositories.list_creation_templates().max_results(1).wait()?;
    let prefixes: Vec<_> = all.iter().map(|template| template.prefix().unwrap()).collect();
    assert_eq!(prefixes, ["ROOT", "team"]);
    assert_eq!(all[1].description(), Some("d"));
    assert_eq!(all[1].image_tag_mutability(), Some(&ImageTagMutability::Immutable));
    repositories.delete_creation_template("team").wait()?;
    for call in [true, false] {
        world.refused(&errors::TEMPLATE_NOT_FOUND, "prefix", || match call {
            true => repositories.delete_creation_template("team").wait().map(drop),
            false => repositories.list_creation_templates().prefixes(["team"]).wait().map(drop),
        });
    }
    Ok(())
}

pub(super) fn settings_of_a_creation_template_are_checked(world: &World) -> Result<()> {
    let repositories = Repository::objects(&world.session());
    let create = || repositories.create_creation_template("team", [RCTAppliedFor::PullThroughCache]);
    world.refused(&errors::INVALID, "repositoryPolicy", || create().repository_policy("{}").wait());
    world.refused(&errors::INVALID, "lifecyclePolicy", || create().lifecycle_policy("{}").wait());
    let with_exclusion = || create().image_tag_mutability(ImageTagMutability::MutableWithExclusion).wait();
    world.refused(&errors::INVALID, "imageTagMutabilityExclusionFilters", with_exclusion);
    let reserved = || create().resource_tags(vec![Tag::new("aws:a", "b")]).wait();
    world.refused(&errors::INVALID_TAG, "resourceTags", reserved);
    Ok(())
}
