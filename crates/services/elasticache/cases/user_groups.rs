//! Cache user groups: members, engines and use.

use super::{World, replication_groups};
use nephos_core::{Pk, Result, Session, Text, prelude::*};
use nephos_elasticache::{
    CacheUser, CacheUserGroup, CacheUserGroupManager, CreateUser, CreateUserGroup, DeleteReplicationGroup,
    DeleteUser, DeleteUserGroup, DescribeUserGroups, ListTagsForResource, ModifyUser, ModifyUserGroup,
    errors,
};
use nephos_testing::{HOUR, ask, names};

const PASSWORD: &str = "correct-horse-battery";

fn groups(session: &Session) -> CacheUserGroupManager {
    CacheUserGroup::objects(session)
}

/// Creates a user of an engine with a password.
fn user(session: &Session, id: &str, name: &str, engine: &str) -> Result<CacheUser> {
    ask(session, CreateUser::new(id, name, engine, "on ~* +@all").passwords([PASSWORD]))
}

/// Creates a group of an engine with these users.
fn group(session: &Session, id: &str, engine: &str, users: &[&str]) -> Result<CacheUserGroup> {
    let users: Vec<Text> = users.iter().map(|id| (*id).into()).collect();
    ask(session, CreateUserGroup::new(id, engine).user_ids(users))
}

fn members(session: &Session, id: &str) -> Result<Vec<Text>> {
    Ok(groups(session).get(id).wait()?.unwrap().user_ids().unwrap().to_vec())
}

pub(super) fn user_group_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    user(&session, "app", "app", "redis")?;
    user(&session, "api", "api", "redis")?;
    let model = CacheUserGroup::builder().user_group_id("Web-1").engine("REDIS");
    let model = model.user_ids(["default", "App"]).tags([("team", "web")]).build()?;
    let created = groups(&session).create(&model).wait()?;
    assert_eq!(created.require_name()?, "web-1");
    assert_eq!(created.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:usergroup:web-1");
    assert_eq!(created.pk()?, Pk::Single(created.require_arn()?.into()));
    assert_eq!((created.status(), created.engine()), (Some("creating"), Some("redis")));
    assert_eq!(created.user_ids().unwrap(), ["default", "app"]);
    let mut found = groups(&session).get("WEB-1").wait()?.unwrap();
    assert_eq!((found.status(), found.minimum_engine_version()), (Some("active"), Some("6.0")));
    assert_eq!(found.replication_groups().map(<[Text]>::len), Some(0));
    assert_eq!(found.serverless_caches().map(<[Text]>::len), Some(0));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert_eq!(names(&found.users().wait()?)?, ["default", "app"]);
    let app = CacheUser::objects(&session).get("app").wait()?.unwrap();
    assert_eq!(app.user_group_ids().unwrap(), ["web-1"]);
    assert_eq!(names(&app.groups().wait()?)?, ["web-1"]);
    found.set_user_ids(["default", "api"])?;
    found.tags_mut().wait()?.insert("team", "api")?;
    found.save().wait()?;
    let found = groups(&session).get("web-1").wait()?.unwrap();
    assert_eq!(found.user_ids().unwrap(), ["default", "api"]);
    assert_eq!((found.status(), found.pending_changes()), (Some("active"), None));
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("api"));
    groups(&session).update(&found).user_ids_to_add(["app"]).wait()?;
    assert_eq!(members(&session, "web-1")?, ["default", "api", "app"]);
    groups(&session).update(&found).user_ids_to_remove(["api"]).wait()?;
    assert_eq!(members(&session, "web-1")?, ["default", "app"]);
    assert_eq!(names(&groups(&session).list().results().all().wait()?)?, ["web-1"]);
    assert_eq!(found.delete().wait()?.status(), Some("deleting"));
    assert_eq!(groups(&session).get("web-1").wait()?, None);
    let app = CacheUser::objects(&session).get("app").wait()?.unwrap();
    assert_eq!(app.user_group_ids().map(<[Text]>::len), Some(0));
    Ok(())
}

pub(super) fn user_groups_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    user(&session, "app", "app", "redis")?;
    user(&session, "other-app", "app", "redis")?;
    group(&session, "web", "redis", &["default", "app"])?;
    let error = world
        .refused(&errors::USER_GROUP_EXISTS, "UserGroupId", || group(&session, "WEB", "redis", &["default"]));
    assert_eq!(error.message(), "User Group web already exists.");
    let error =
        world.refused(&errors::INVALID, "UserGroupId", || group(&session, "a_b", "redis", &["default"]));
    assert!(error.message().starts_with("The parameter UserGroupId is not a valid identifier."));
    let error = world.refused(&errors::INVALID, "Engine", || group(&session, "api", "memcached", &[]));
    let text = "Unknown parameter for Engine: \"memcached\", must be one of: redis, valkey";
    assert_eq!(error.message(), text);
    let error = world.refused(&errors::USER_NOT_FOUND, "UserIds", || {
        group(&session, "api", "redis", &["default", "none"])
    });
    assert_eq!(error.message(), "User none not found.");
    for users in [&[][..], &["app"]] {
        let error = world
            .refused(&errors::DEFAULT_USER_REQUIRED, "UserIds", || group(&session, "api", "redis", users));
        assert_eq!(error.message(), "User group needs to contain a user with the user name default.");
    }
    for users in [&["default", "app", "other-app"][..], &["default", "default"]] {
        world.refused(&errors::DUPLICATE_USER_NAME, "UserIds", || group(&session, "api", "redis", users));
    }
    let modify = || ModifyUserGroup::new("web");
    world.refused(&errors::DUPLICATE_USER_NAME, "UserIdsToAdd", || {
        ask(&session, modify().user_ids_to_add(["other-app"]))
    });
    world.refused(&errors::DEFAULT_USER_REQUIRED, "UserIdsToRemove", || {
        ask(&session, modify().user_ids_to_remove(["default"]))
    });
    let error = world.refused(&errors::INVALID, "UserIdsToRemove", || {
        ask(&session, modify().user_ids_to_remove(["other-app"]))
    });
    assert_eq!(error.message(), "User other-app is not a member of user group web");
    world.refused(&errors::INVALID, "UserIdsToAdd", || ask(&session, modify().user_ids_to_add(["app"])));
    let error = world.refused(&errors::INVALID_COMBINATION, None, || ask(&session, modify()));
    assert_eq!(error.message(), "No modifications were requested");
    let missing: [&dyn Fn() -> Result<()>; 3] = [
        &|| ask(&session, ModifyUserGroup::new("none").engine("valkey")).map(drop),
        &|| ask(&session, DeleteUserGroup::new("none")).map(drop),
        &|| ask(&session, DescribeUserGroups::new().user_group_id("none")).map(drop),
    ];
    for call in missing {
        let error = world.refused(&errors::USER_GROUP_NOT_FOUND, "UserGroupId", call);
        assert_eq!(error.message(), "User Group none not found.");
    }
    Ok(())
}

pub(super) fn members_fit_the_engine(world: &World) -> Result<()> {
    let session = world.session();
    user(&session, "old", "old", "redis")?;
    user(&session, "new", "new", "valkey")?;
    ask(&session, CreateUser::new("open", "open", "redis", "on").no_password_required(true))?;
    assert_eq!(group(&session, "empty", "valkey", &[])?.user_ids().map(<[Text]>::len), Some(0));
    group(&session, "mixed", "valkey", &["old", "new"])?;
    for id in ["open", "default"] {
        world.refused(&errors::INVALID_COMBINATION, "UserIds", || group(&session, "api", "valkey", &[id]));
    }
    world.refused(&errors::INVALID_COMBINATION, "UserIds", || {
        group(&session, "api", "redis", &["default", "new"])
    });
    group(&session, "web", "redis", &["default", "old"])?;
    world.refused(&errors::INVALID_COMBINATION, "UserIdsToAdd", || {
        ask(&session, ModifyUserGroup::new("web").user_ids_to_add(["new"]))
    });
    world.refused(&errors::INVALID_COMBINATION, "Engine", || {
        ask(&session, ModifyUserGroup::new("web").engine("valkey"))
    });
    world.refused(&errors::INVALID_COMBINATION, "Engine", || {
        ask(&session, ModifyUser::new("old").engine("valkey"))
    });
    world.refused(&errors::INVALID_COMBINATION, "NoPasswordRequired", || {
        ask(&session, ModifyUser::new("old").no_password_required(true))
    });
    let valkey = ModifyUserGroup::new("web").engine("valkey").user_ids_to_remove(["default"]);
    ask(&session, valkey)?;
    let web = groups(&session).get("web").wait()?.unwrap();
    assert_eq!((web.engine(), web.user_ids().unwrap()), (Some("valkey"), &["old".into()][..]));
    ask(&session, ModifyUser::new("old").engine("valkey"))?;
    Ok(())
}

pub(super) fn deleted_users_leave_their_groups(world: &World) -> Result<()> {
    let session = world.session();
    user(&session, "app", "app", "redis")?;
    user(&session, "own-default", "default", "redis")?;
    group(&session, "api", "redis", &["default", "app"])?;
    group(&session, "web", "redis", &["own-default", "app"])?;
    let error = world
        .refused(&errors::DEFAULT_USER_IN_GROUP, "UserId", || ask(&session, DeleteUser::new("own-default")));
    assert_eq!(error.message(), "User own-default is the default user of user group web.");
    world.refused(&errors::DEFAULT_USER_IN_GROUP, "UserId", || ask(&session, DeleteUser::new("default")));
    ask(&session, DeleteUser::new("app"))?;
    assert_eq!(members(&session, "api")?, ["default"]);
    assert_eq!(members(&session, "web")?, ["own-default"]);
    let swap = ModifyUserGroup::new("web").user_ids_to_add(["default"]);
    ask(&session, swap.user_ids_to_remove(["own-default"]))?;
    assert_eq!(members(&session, "web")?, ["default"]);
    ask(&session, DeleteUser::new("own-default"))?;
    Ok(())
}

pub(super) fn attached_group_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    group(&session, "web", "redis", &["default"])?;
    for id in ["two", "one"] {
        let request =
            replication_groups::request(id).transit_encryption_enabled(true).user_group_ids(["Web"]);
        ask(&session, request.engine("redis").engine_version("7.0"))?;
    }
    let web = groups(&session).get("web").wait()?.unwrap();
    assert_eq!(web.replication_groups().unwrap(), ["one", "two"]);
    let error = world
        .refused(&errors::USER_GROUP_STATE, "UserGroupId", || ask(&session, DeleteUserGroup::new("web")));
    assert_eq!(error.message(), "User group web is attached to one.");
    world.advance(HOUR)?;
    for id in ["one", "two"] {
        ask(&session, DeleteReplicationGroup::new(id))?;
    }
    world.advance(HOUR)?;
    ask(&session, DeleteUserGroup::new("web"))?;
    Ok(())
}

pub(super) fn user_groups_have_tags(world: &World) -> Result<()> {
    let session = world.session();
    let create = CreateUserGroup::new("web", "valkey").tags([("team", "web")]);
    let arn = ask(&session, create)?.require_arn()?.to_owned();
    assert_eq!(ask(&session, ListTagsForResource::new(arn.as_str()))?.tag_list().unwrap().len(), 1);
    let missing = arn.replace(":web", ":none");
    let error = world.refused(&errors::USER_GROUP_NOT_FOUND, "ResourceName", || {
        ask(&session, ListTagsForResource::new(missing.as_str()))
    });
    assert_eq!(error.message(), "none is not present");
    Ok(())
}

pub(super) fn numbers_of_groups_and_members_are_limited(world: &World) -> Result<()> {
    let session = world.session();
    let ids: Vec<Text> = (0..101).map(|n| format!("user-{n}").into()).collect();
    for id in &ids {
        user(&session, id, id, "valkey")?;
    }
    let create =
        |id: &str, users: &[Text]| ask(&session, CreateUserGroup::new(id, "valkey").user_ids(users.to_vec()));
    world.refused(&errors::USER_GROUP_QUOTA, "UserIds", || create("web", &ids));
    create("web", &ids[..100])?;
    world.refused(&errors::USER_GROUP_QUOTA, "UserIdsToAdd", || {
        ask(&session, ModifyUserGroup::new("web").user_ids_to_add([ids[100].as_str()]))
    });
    world.cloud().run_in_transaction(|cx| cx.add_to_count("elasticache/user-groups", 99))?;
    world.refused(&errors::USER_GROUP_QUOTA, None, || create("api", &[]));
    ask(&session, DeleteUserGroup::new("web"))?;
    create("api", &[])?;
    Ok(())
}
