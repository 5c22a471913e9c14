//! Groups and their users.

use super::{DOCUMENT, World, ask, errors};
use nephos_core::{Resource, Result};
use nephos_iam::{AddUserToGroup, CreateGroup, GetGroup, Group, User};

pub(super) fn created_group_is_returned_by_get(world: &World) -> Result<()> {
    let objects = Group::objects(&world.session());
    let group = objects.create(&Group::builder().group_name("Web").path("/team/").build()?).wait()?;
    assert_eq!(group.require_arn()?, "arn:aws:iam::123456789012:group/team/Web");
    let id = group.group_id().unwrap_or_default();
    assert!(id.starts_with("AGPA") && id.len() == 21, "{id}");
    assert_eq!(group.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(objects.get("wEB").wait()?, Some(group));
    for name in ["", "a b", &"a".repeat(129)] {
        world.refused(&errors::INVALID, "GroupName", || ask(&world.session(), CreateGroup::new(name)));
    }
    Ok(())
}

pub(super) fn group_name_is_unique_ignoring_case(world: &World) -> Result<()> {
    let web = world.create_group("Web")?;
    let error = world.refused(&errors::EXISTS, None, || world.create_group("web"));
    assert_eq!(error.message(), "Group with name web already exists.");
    world.create_group("api")?;
    let objects = Group::objects(&world.session());
    world.refused(&errors::EXISTS, None, || objects.update(&web).new_group_name("API").wait());
    Ok(())
}

pub(super) fn missing_group_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let objects = Group::objects(&session);
    world.create_user("ann")?;
    assert!(objects.get("web").wait()?.is_none());
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, GetGroup::new("web")));
    assert_eq!(error.message(), "The group with name web cannot be found.");
    world.refused(&errors::NOT_FOUND, None, || objects.delete("web").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.users("web").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.add_user("web", "ann").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.remove_user("web", "ann").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.list_for_user("bea").wait());
    Ok(())
}

/// Adding and removing twice changes nothing.
pub(super) fn models_add_and_remove_users(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    web.add_user("ann").wait()?;
    let before = world.state()?;
    web.add_user("ANN").wait()?;
    ann.add_to_group("web").wait()?;
    world.assert_unchanged(&before)?;
    assert_eq!(web.users().wait()?, [world.existing_user("ann")?]);
    assert_eq!(ann.list_groups().wait()?, std::slice::from_ref(&web));
    assert_eq!(Group::objects(&world.session()).list_for_user("ann").wait()?, std::slice::from_ref(&web));
    web.remove_user("ann").wait()?;
    let before = world.state()?;
    web.remove_user("ann").wait()?;
    world.assert_unchanged(&before)?;
    assert!(web.users().wait()?.is_empty() && ann.list_groups().wait()?.is_empty());
    Ok(())
}

pub(super) fn users_of_group_are_sorted_by_name(world: &World) -> Result<()> {
    world.create_group("web")?;
    for name in ["cid", "Bea", "ann", "Dan"] {
        world.create_user(name)?;
        Group::objects(&world.session()).add_user("web", name).wait()?;
    }
    assert_eq!(world.users_of("web")?, ["ann", "Bea", "cid", "Dan"]);
    Ok(())
}

pub(super) fn renamed_user_keeps_groups(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    world.create_user("bea")?;
    for group in ["web", "api"] {
        world.create_group(group)?;
        ann.add_to_group(group).wait()?;
    }
    User::objects(&world.session()).add_to_group("bea", "web").wait()?;
    User::objects(&world.session()).update(&ann).new_user_name("Cid").wait()?;
    assert_eq!(world.users_of("web")?, ["bea", "Cid"]);
    assert_eq!(world.groups_of("cid")?, ["api", "web"]);
    // A new user with the old name is in none of the groups.
    world.create_user("ann")?;
    assert!(world.groups_of("ann")?.is_empty());
    assert_eq!(world.users_of("api")?, ["Cid"]);
    Ok(())
}

pub(super) fn renamed_group_keeps_users(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    web.add_user("ann").wait()?;
    let objects = Group::objects(&world.session());
    let api = objects.update(&web).new_group_name("api").new_path("/team/").wait()?;
    assert_eq!((api.group_id(), api.path()), (web.group_id(), Some("/team/")));
    assert_eq!(world.users_of("api")?, ["ann"]);
    assert_eq!(ann.list_groups().wait()?, [api]);
    world.create_group("web")?;
    assert!(world.users_of("web")?.is_empty());
    Ok(())
}

pub(super) fn save_creates_then_renames_group(world: &World) -> Result<()> {
    let mut group = Group::builder().group_name("web").build()?;
    group.set_session(world.session());
    group.save().wait()?;
    group.set_group_name("api")?;
    group.set_path("/team/")?;
    group.save().wait()?;
    assert_eq!(group.require_arn()?, "arn:aws:iam::123456789012:group/team/api");
    let objects = Group::objects(&world.session());
    assert_eq!(objects.get("api").wait()?, Some(group.clone()));
    assert!(objects.get("web").wait()?.is_none());
    group.delete().wait()?;
    world.refused(&errors::INVALID, "Arn", || {
        objects.update(&Group::builder().group_name("x").build()?).wait()
    });
    Ok(())
}

pub(super) fn group_with_users_cannot_be_deleted(world: &World) -> Result<()> {
    let web = world.create_group("web")?;
    world.create_user("ann")?;
    web.add_user("ann").wait()?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || web.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must remove users from group first.");
    web.remove_user("ann").wait()?;
    web.delete().wait()?;
    assert!(Group::objects(&world.session()).get("web").wait()?.is_none());
    Ok(())
}

pub(super) fn user_can_be_in_ten_groups(world: &World) -> Result<()> {
    world.create_user("ann")?;
    for n in 0..11 {
        world.create_group(&format!("group-{n}"))?;
    }
    let add = |n: usize| ask(&world.session(), AddUserToGroup::new(format!("group-{n}"), "ann"));
    (0..10).try_for_each(|n| add(n).map(drop))?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || add(10));
    assert_eq!(error.message(), "Cannot exceed quota for GroupsPerUser: 10");
    add(3)?;
    Ok(())
}

/// The manager has the calls of users and roles beside those of the specification.
pub(super) fn manager_has_calls_for_policies(world: &World) -> Result<()> {
    let (web, read) = (world.create_group("web")?, world.create_policy("read")?);
    let objects = Group::objects(&world.session());
    objects.put_policy("web", "one", DOCUMENT).wait()?;
    objects.put_inline_policy("web", "two", DOCUMENT).wait()?;
    assert_eq!(objects.list_policies("web").wait()?, ["one", "two"]);
    assert_eq!(objects.list_policies("web").wait()?, web.inline_policies().wait()?);
    objects.delete_policy("web", "one").wait()?;
    assert_eq!(objects.list_policies("web").wait()?, ["two"]);
    objects.attach_policy("web", read.require_arn()?).wait()?;
    assert_eq!(objects.list_attached_policies("web").wait()?, web.attached_policies().wait()?);
    assert!(objects.list_attached_policies("web").path_prefix("/web/").wait()?.is_empty());
    world.refused(&errors::NOT_FOUND, None, || objects.list_attached_policies("api").wait());
    Ok(())
}
