//! Cases: repositories are created, described and deleted.

use super::{World, create, plan};
use crate::{Repository, errors};
use nephos_core::Result;

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
    assert_eq!(repositories.get("web/api").wait()?, Some(created.clone()));
    let deleted = repositories.delete("web/api").wait()?;
    assert_eq!(deleted.repository_arn(), created.repository_arn());
    assert_eq!(repositories.get("web/api").wait()?, None);
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
    let delete = || Repository::objects(&session).delete("web").force(true).wait();
    let refused = world.refused(&errors::REPOSITORY_NOT_FOUND, "repositoryName", delete);
    let text = "The repository with name 'web' does not exist in the registry with id '123456789012'";
    assert_eq!(refused.wire_message(), text);
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
