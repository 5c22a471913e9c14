//! Users.

use super::{World, ask, errors, names};
use nephos_cloud::read_key;
use nephos_core::{Resource, Result};
use nephos_iam::{AccessKey, CreateUser, GetUser, Group, User};

pub(super) fn created_user_is_returned_by_get(world: &World) -> Result<()> {
    let user = world.create_user_in("/team/web/", "Ann")?;
    assert_eq!(user.require_arn()?, "arn:aws:iam::123456789012:user/team/web/Ann");
    assert_eq!((user.path(), user.user_name()), (Some("/team/web/"), Some("Ann")));
    assert_eq!(user.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    let id = user.user_id().unwrap_or_default();
    assert!(id.starts_with("AIDA") && id.len() == 21, "{id}");
    assert_eq!(world.existing_user("Ann")?, user);
    assert_eq!(world.existing_user("aNN")?, user);
    let plain = world.create_user("bob")?;
    assert_eq!((plain.path(), plain.require_arn()?), (Some("/"), "arn:aws:iam::123456789012:user/bob"));
    assert_ne!(plain.user_id(), user.user_id());
    Ok(())
}

pub(super) fn user_name_is_unique_ignoring_case(world: &World) -> Result<()> {
    world.create_user("Ann")?;
    let error = world.refused(&errors::EXISTS, None, || world.create_user("ann"));
    assert_eq!(error.message(), "User with name ann already exists.");
    world.create_group("ann")?;
    Ok(())
}

pub(super) fn missing_user_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let objects = User::objects(&session);
    assert!(objects.get("ann").wait()?.is_none());
    let get = || ask(&session, GetUser::new().user_name("ann"));
    let error = world.refused(&errors::NOT_FOUND, None, get);
    assert_eq!(error.message(), "The user with name ann cannot be found.");
    world.refused(&errors::NOT_FOUND, None, || objects.delete("ann").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.list_tags("ann").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.untag("ann", vec!["a".into()]).wait());
    world.refused(&errors::NOT_FOUND, None, || objects.list_groups("ann").wait());
    world.create_group("web")?;
    world.refused(&errors::NOT_FOUND, None, || objects.add_to_group("ann", "web").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.remove_from_group("ann", "web").wait());
    Ok(())
}

pub(super) fn name_and_path_rules_are_checked(world: &World) -> Result<()> {
    let create = |name: &str, path: &str| ask(&world.session(), CreateUser::new(name).path(path));
    for name in ["", "a b", "a/b", "a:b", &"a".repeat(65)] {
        world.refused(&errors::INVALID, "UserName", || create(name, "/"));
    }
    for path in ["", "a", "/a", "a/", "/a b/", &format!("/{}/", "a".repeat(511))] {
        world.refused(&errors::INVALID, "Path", || create("ann", path));
    }
    create(&"a".repeat(64), &format!("/{}/", "a".repeat(510)))?;
    create("a_b+c=d,e.f@g-h", "/!/~/")?;
    Ok(())
}

/// The provider returns the root user for calls without a name.
pub(super) fn caller_is_root_user(world: &World) -> Result<()> {
    let found = ask(&world.session(), GetUser::new())?;
    let root = found.user().expect("there is a root user");
    assert_eq!((root.user_id(), root.user_name()), (Some("123456789012"), None));
    assert_eq!(root.require_arn()?, "arn:aws:iam::123456789012:root");
    Ok(())
}

pub(super) fn accounts_are_isolated_and_regions_share_users(world: &World) -> Result<()> {
    let user = world.create_user("ann")?;
    assert!(User::objects(&world.other_account()).get("ann").wait()?.is_none());
    assert_eq!(User::objects(&world.other_region()).get("ann").wait()?, Some(user));
    Ok(())
}

pub(super) fn renamed_user_keeps_id(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let objects = User::objects(&world.session());
    objects.tag("ann", vec![("team", "web").into()]).wait()?;
    let bea = objects.update(&ann).new_user_name("bea").new_path("/web/").wait()?;
    assert_eq!((bea.user_id(), bea.create_date()), (ann.user_id(), ann.create_date()));
    assert_eq!(bea.require_arn()?, "arn:aws:iam::123456789012:user/web/bea");
    assert_eq!(bea.tags().map(<[_]>::len), Some(1));
    assert!(objects.get("ann").wait()?.is_none());
    assert_eq!(world.existing_user("bea")?, bea);
    assert_eq!(names(&objects.list().path_prefix("/web/").results().all().wait()?)?, ["bea"]);
    objects.update(&bea).new_path("/").wait()?;
    assert!(objects.list().path_prefix("/web/").results().all().wait()?.is_empty());
    world.create_user("ann")?;
    Ok(())
}

pub(super) fn rename_changes_case_of_name(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    world.create_group("web")?;
    Group::objects(&world.session()).add_user("web", "ann").wait()?;
    User::objects(&world.session()).update(&ann).new_user_name("ANN").wait()?;
    assert_eq!(world.existing_user("ann")?.user_name(), Some("ANN"));
    assert_eq!(world.users_of("web")?, ["ANN"]);
    Ok(())
}

pub(super) fn rename_to_taken_name_is_refused(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    world.create_user("bea")?;
    let objects = User::objects(&world.session());
    world.refused(&errors::EXISTS, None, || objects.update(&ann).new_user_name("BEA").wait());
    world.refused(&errors::INVALID, "NewUserName", || objects.update(&ann).new_user_name("a b").wait());
    Ok(())
}

/// A changed name of a model renames the user that the model was read from.
pub(super) fn save_creates_then_updates_user(world: &World) -> Result<()> {
    let mut user = User::builder().user_name("ann").tags([("team", "web")]).build()?;
    user.set_session(world.session());
    user.save().wait()?;
    let id = user.user_id().map(str::to_owned);
    assert!(id.is_some());
    user.set_path("/web/")?;
    user.set_user_name("bea")?;
    user.save().wait()?;
    assert_eq!(user.require_arn()?, "arn:aws:iam::123456789012:user/web/bea");
    assert_eq!(user.user_id(), id.as_deref());
    assert_eq!(user.tags().map(<[_]>::len), Some(1));
    let before = world.state()?;
    user.save().wait()?;
    world.assert_unchanged(&before)?;
    user.delete().wait()?;
    assert!(User::objects(&world.session()).get("bea").wait()?.is_none());
    Ok(())
}

pub(super) fn user_with_groups_or_keys_cannot_be_deleted(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    world.create_group("web")?;
    let session = world.session();
    ann.add_to_group("web").wait()?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must remove users from group first.");
    ann.remove_from_group("web").wait()?;
    let key = AccessKey::objects(&session).create().user_name("ann").wait()?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must delete access keys first.");
    key.delete().wait()?;
    ann.delete().wait()?;
    Ok(())
}

pub(super) fn every_row_belongs_to_a_listed_table(world: &World) -> Result<()> {
    let empty = world.state()?.len();
    let ann = world.create_user_in("/web/", "ann")?;
    let web = world.create_group("web")?;
    ann.add_to_group("web").wait()?;
    let key = AccessKey::objects(&world.session()).create().user_name("ann").wait()?;
    let read = world.create_policy("read")?;
    ann.attach_policy(read.require_arn()?).wait()?;
    ann.put_policy("read", super::DOCUMENT).wait()?;
    let own: Vec<_> = nephos_iam::IAM.tables.iter().map(|table| table.name).collect();
    for (key, _) in world.state()? {
        let table = read_key(&key).map(|(table, _)| table.to_owned()).unwrap_or_default();
        assert!(own.contains(&table.as_str()) || ["count", "cloud"].contains(&table.as_str()), "{table}");
    }
    key.delete().wait()?;
    ann.remove_from_group("web").wait()?;
    ann.detach_policy(read.require_arn()?).wait()?;
    ann.delete_policy("read").wait()?;
    ann.delete().wait()?;
    read.delete().wait()?;
    web.delete().wait()?;
    // The row that identifies the key of the cloud stays.
    assert_eq!(world.state()?.len(), empty + 1);
    Ok(())
}
