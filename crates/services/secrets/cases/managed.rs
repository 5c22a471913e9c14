//! Secrets that another service manages.

use super::{World, errors, value};
use nephos_core::{Resource, Result, Tag};
use nephos_secrets::{Secret, SetSecretOwner};

pub(super) fn managed_secret_is_changed_only_by_its_service(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = world.create_secret("web", "one")?;
    let set_owner = |service: Option<&str>| {
        let mut set = SetSecretOwner::new("web");
        set.owning_service = service.map(Into::into);
        world.call_internal(set)
    };
    set_owner(Some("events"))?;
    assert_eq!(world.existing_secret("web")?.owning_service(), Some("events"));
    let listed = objects.list().results().all().wait()?;
    assert_eq!(listed[0].owning_service(), Some("events"));
    assert_eq!(value(&world.session(), "web")?, "one");
    let arn = secret.require_arn()?;
    let refused = world.refused(&errors::INVALID_REQUEST, None, || objects.delete(arn).wait());
    assert_eq!(refused.message(), "Operation is not allowed on secret owned by events");
    let forced = || objects.delete("web").force_delete_without_recovery(true).wait();
    world.refused(&errors::INVALID_REQUEST, None, forced);
    world.refused(&errors::INVALID_REQUEST, None, || objects.set_value("web").secret_string("two").wait());
    world.refused(&errors::INVALID_REQUEST, None, || objects.tag(arn, vec![Tag::new("a", "b")]).wait());
    set_owner(None)?;
    assert_eq!(world.existing_secret("web")?.owning_service(), None);
    forced().map(drop)
}
