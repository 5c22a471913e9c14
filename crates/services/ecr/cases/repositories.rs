//! Cases: repositories are created, described, changed and deleted.

use super::{World, create, existing, plan};
use nephos_core::{Result, prelude::*};
use nephos_ecr::{
    CreateRepository, DescribeRepositories, EncryptionConfiguration, EncryptionType,
    ImageScanningConfiguration, ImageTagMutability, ImageTagMutabilityExclusionFilter,
    ImageTagMutabilityExclusionFilterType, PutImageTagMutability, Repository, errors,
};
use nephos_testing::ask;

pub(super) fn created_repository_is_returned_by_get(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    let created = repositories.create(&plan("web/api").tags([("team", "web")]).build()?).wait()?;
    assert_eq!(created.repository_arn(), Some("arn:aws:ecr:us-east-1:123456789012:repository/web/api"));
    assert_eq!(created.repository_uri(), Some("123456789012.dkr.ecr.us-east-1.amazonaws.com/web/api"));
    assert_eq!(created.registry_id(), Some("123456789012"));
    assert_eq!(
        created.image_scanning_configuration().and_then(|scanning| scanning.scan_on_push()),
        Some(false)
    );
    assert_eq!(created.created_at().map(|at| at.as_millisecond()), Some(world.now()));
    assert_eq!(created.tags_map().wait()?.get("team").map(|team| team.as_str()), Some("web"));
    assert_eq!(repositories.get("web/api").wait()?, Some(created.clone()));
    let deleted = repositories.delete("web/api").wait()?;
    assert_eq!(deleted.repository_arn(), created.repository_arn());
    assert_eq!(repositories.get("web/api").wait()?, None);
    Ok(())
}

/// On the wire, only the name is required.
pub(super) fn settings_have_defaults_on_the_wire(world: &World) -> Result<()> {
    let created = ask(&world.session(), CreateRepository::new("web"))?;
    let repository = created.repository().cloned().unwrap();
    assert_eq!(repository.image_tag_mutability(), Some(&ImageTagMutability::Mutable));
    let encryption = repository.encryption_configuration().unwrap();
    assert_eq!(encryption.encryption_type(), Some(&EncryptionType::Aes256));
    assert_eq!(encryption.crypto_key(), None);
    Ok(())
}

pub(super) fn duplicate_name_is_refused(world: &World) -> Result<()> {
    create(&world.session(), "web")?;
    let refused =
        world.refused(&errors::REPOSITORY_EXISTS, "repositoryName", || create(&world.session(), "web"));
    let text = "The repository with name 'web' already exists in the registry with id '123456789012'";
    assert_eq!(refused.wire_message(), text);
    Ok(())
}

pub(super) fn missing_repository_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let text = "The repository with name 'web' does not exist in the registry with id '123456789012'";
    let delete = || Repository::objects(&session).delete("web").force(true).wait();
    let refused = world.refused(&errors::REPOSITORY_NOT_FOUND, "repositoryName", delete);
    assert_eq!(refused.wire_message(), text);
    create(&session, "api")?;
    let describe = || ask(&session, DescribeRepositories::new().repository_names(["api", "web"]));
    let refused = world.refused(&errors::REPOSITORY_NOT_FOUND, "repositoryName", describe);
    assert_eq!(refused.wire_message(), text);
    Ok(())
}

pub(super) fn invalid_names_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["Web", "web/", "/web", "a b", "web-", "a..b"] {
        world.refused(&errors::INVALID, "repositoryName", || ask(&session, CreateRepository::new(name)));
        plan(name).build().unwrap_err();
    }
    for name in ["w", &"w".repeat(257)] {
        world.refused(&errors::INVALID, "repositoryName", || ask(&session, CreateRepository::new(name)));
    }
    for name in ["a1", "1a", "a__b", "a---b/c.d_e"] {
        create(&session, name)?;
    }
    Ok(())
}

pub(super) fn accounts_and_regions_are_isolated(world: &World) -> Result<()> {
    create(&world.session(), "web")?;
    for session in [world.other_account(), world.other_region()] {
        assert_eq!(Repository::objects(&session).get("web").wait()?, None);
        let other = create(&session, "web")?;
        assert!(other.repository_uri().is_some_and(|uri| uri.starts_with(other.registry_id().unwrap())));
    }
    Ok(())
}

pub(super) fn repositories_are_listed_by_name_or_in_pages(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["c", "a", "b"] {
        create(&session, &format!("team/{name}"))?;
    }
    let names = |found: Vec<Repository>| -> Vec<String> {
        found.iter().map(|found| found.repository_name().unwrap().to_owned()).collect()
    };
    let repositories = Repository::objects(&session);
    let all = repositories.list().max_results(1).results().all().wait()?;
    assert_eq!(names(all), ["team/a", "team/b", "team/c"]);
    let some = repositories.list().repository_names(["team/c", "team/a"]).results().all().wait()?;
    assert_eq!(names(some), ["team/c", "team/a"]);
    let both = DescribeRepositories::new().repository_names(["team/c"]);
    world.refused(&errors::INVALID, "maxResults", || ask(&session, both.clone().max_results(1)));
    world.refused(&errors::INVALID, "nextToken", || ask(&session, both.clone().next_token("x")));
    Ok(())
}

fn filter(pattern: &str) -> Result<ImageTagMutabilityExclusionFilter> {
    let wildcard = ImageTagMutabilityExclusionFilterType::Wildcard;
    ImageTagMutabilityExclusionFilter::builder().filter_type(wildcard).filter(pattern).build()
}

pub(super) fn save_creates_then_sends_what_changed(world: &World) -> Result<()> {
    let session = world.session();
    let mut repository = plan("web").tags([("team", "web"), ("old", "1")]).build()?;
    repository.set_session(session.clone());
    repository.save().wait()?;
    repository.set_image_tag_mutability(ImageTagMutability::ImmutableWithExclusion)?;
    repository.set_image_tag_mutability_exclusion_filters(vec![filter("latest")?, filter("dev-*")?])?;
    repository.set_image_scanning_configuration(
        ImageScanningConfiguration::builder().scan_on_push(true).build().unwrap(),
    )?;
    let mut tags = repository.tags_mut().wait()?;
    tags.insert("team", "api")?;
    tags.remove("old")?;
    repository.save().wait()?;
    let found = existing(&session, "web")?;
    assert_eq!(found, repository);
    assert_eq!(found.image_tag_mutability(), Some(&ImageTagMutability::ImmutableWithExclusion));
    let filters = found.image_tag_mutability_exclusion_filters().unwrap();
    assert_eq!(
        filters.iter().map(|filter| filter.filter()).collect::<Vec<_>>(),
        [Some("latest"), Some("dev-*")]
    );
    assert_eq!(found.image_scanning_configuration().and_then(|scanning| scanning.scan_on_push()), Some(true));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    // The filters go with the mutability that has none.
    repository.set_image_tag_mutability(ImageTagMutability::Immutable)?;
    repository.clear_image_tag_mutability_exclusion_filters()?;
    repository.save().wait()?;
    assert_eq!(existing(&session, "web")?.image_tag_mutability_exclusion_filters(), None);
    Ok(())
}

pub(super) fn fixed_fields_cannot_be_changed(world: &World) -> Result<()> {
    let repository = create(&world.session(), "web")?;
    let refused = |field: &str, change: &dyn Fn(&mut Repository) -> Result<()>| -> Result<()> {
        let mut changed = repository.clone();
        change(&mut changed)?;
        world.refused(&errors::INVALID, field, || changed.save().wait());
        Ok(())
    };
    let encryption = EncryptionConfiguration::builder().encryption_type(EncryptionType::Crypto).build()?;
    refused("encryptionConfiguration", &|changed| {
        changed.set_encryption_configuration(encryption.clone()).map(drop)
    })?;
    refused("repositoryName", &|changed| changed.set_repository_name("api").map(drop))?;
    refused("registryId", &|changed| changed.set_registry_id("210987654321").map(drop))
}

pub(super) fn exclusion_filters_fit_to_the_mutability(world: &World) -> Result<()> {
    use ImageTagMutability::{Immutable, ImmutableWithExclusion, Mutable, MutableWithExclusion};
    let session = world.session();
    create(&session, "web")?;
    let member = "imageTagMutabilityExclusionFilters";
    let refused = |mutability: ImageTagMutability, filters: Option<Vec<_>>| {
        let mut put = PutImageTagMutability::new("web", mutability.clone());
        put.image_tag_mutability_exclusion_filters.clone_from(&filters);
        let by_put = world.refused(&errors::INVALID, member, || ask(&session, put.clone()));
        let mut new = CreateRepository::new("api").image_tag_mutability(mutability.clone());
        new.image_tag_mutability_exclusion_filters.clone_from(&filters);
        let by_create = world.refused(&errors::INVALID, member, || ask(&session, new.clone()));
        assert_eq!(by_put.wire_message(), by_create.wire_message());
        by_put.wire_message().to_owned()
    };
    for mutability in [ImmutableWithExclusion, MutableWithExclusion] {
        let text = format!(
            "Invalid parameter at '{member}' failed to satisfy constraint: 'ImageTagMutabilityExclusionFilters can't be \
             null when imageTagMutability is set as {mutability}'"
        );
        assert_eq!(refused(mutability, None), text);
    }
    for mutability in [Immutable, Mutable] {
        refused(mutability, Some(vec![filter("dev-*")?]));
    }
    let text = refused(ImmutableWithExclusion, Some(vec![filter("a*b*c*")?]));
    assert!(
        text.contains("Image tag mutability exclusion filter can contain a maximum of 2 wildcards"),
        "{text}"
    );
    refused(ImmutableWithExclusion, Some(Vec::new()));
    refused(ImmutableWithExclusion, Some(vec![filter("a")?; 6]));
    filter("a b").unwrap_err();
    Ok(())
}

pub(super) fn repository_is_encrypted_under_a_crypto_key(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    let encryption = EncryptionConfiguration::builder().encryption_type(EncryptionType::Crypto);
    let key = world.crypto_key("images");
    let plan_with_key =
        plan("web").encryption_configuration(encryption.clone().crypto_key(key.as_str()).build()?);
    let created = repositories.create(&plan_with_key.build()?).wait()?;
    assert_eq!(created.encryption_configuration().and_then(|own| own.crypto_key()), Some(key.as_str()));
    let unused =
        EncryptionConfiguration::builder().encryption_type(EncryptionType::Aes256).crypto_key(key.as_str());
    let plan_with_unused = plan("api").encryption_configuration(unused.build()?).build()?;
    let field = "encryptionConfiguration.cryptoKey";
    world.refused(&errors::INVALID, field, || repositories.create(&plan_with_unused).wait());
    Ok(())
}
