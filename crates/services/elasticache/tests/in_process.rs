//! States of users and user groups over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration, Text};
use nephos_elasticache::{
    CacheUser, CacheUserGroup, CreateUser, CreateUserGroup, DeleteUser, DeleteUserGroup, ModifyUser,
    ModifyUserGroup, errors,
};
use nephos_elasticache_cases::Cloud;
use nephos_testing::ask;

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

fn user(session: &Session, id: &str) -> Result<Option<CacheUser>> {
    CacheUser::objects(session).get(id).wait()
}

fn group(session: &Session, id: &str) -> Result<Option<CacheUserGroup>> {
    CacheUserGroup::objects(session).get(id).wait()
}

fn status(group: Option<&CacheUserGroup>) -> Option<&str> {
    group.and_then(CacheUserGroup::status)
}

#[test]
fn user_is_modified_and_deleted_after_some_time() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    let create = CreateUser::new("app", "app", "redis", "on").no_password_required(true);
    assert_eq!(ask(&session, create)?.status(), Some("active"), "at once");
    ask(&session, ModifyUser::new("app").access_string("off"))?;
    advance(&cloud, 29);
    assert_eq!(user(&session, "app")?.unwrap().status(), Some("modifying"));
    for refused in
        [ask(&session, ModifyUser::new("app").access_string("on")), ask(&session, DeleteUser::new("app"))]
    {
        let error = refused.unwrap_err();
        assert_eq!(error.code(), errors::USER_STATE.code);
        assert_eq!(error.message(), "User app has status modifying. Only active users can be modified.");
    }
    advance(&cloud, 1);
    assert_eq!(user(&session, "app")?.unwrap().status(), Some("active"));
    ask(&session, DeleteUser::new("app"))?;
    assert_eq!(user(&session, "app")?.unwrap().status(), Some("deleting"));
    let joined = CreateUserGroup::new("web", "redis").user_ids(["default", "app"]);
    assert_eq!(ask(&session, joined).unwrap_err().code(), errors::USER_NOT_FOUND.code);
    let error = ask(&session, DeleteUser::new("app")).unwrap_err();
    assert_eq!(error.message(), "User app has status deleting. Only active users can be modified.");
    advance(&cloud, 30);
    assert_eq!(user(&session, "app")?, None);
    Ok(())
}

#[test]
fn changes_of_a_group_are_pending_until_it_is_active() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    for id in ["app", "api", "web"] {
        ask(&session, CreateUser::new(id, id, "redis", "on").no_password_required(true))?;
    }
    ask(&session, CreateUserGroup::new("all", "redis").user_ids(["default", "app"]))?;
    assert_eq!(status(group(&session, "all")?.as_ref()), Some("creating"));
    let modify = || ModifyUserGroup::new("all").user_ids_to_add(["api", "web"]).user_ids_to_remove(["app"]);
    for refused in [ask(&session, modify()), ask(&session, DeleteUserGroup::new("all"))] {
        let error = refused.unwrap_err();
        assert_eq!(error.code(), errors::USER_GROUP_STATE.code);
        let text = "User group all has status creating. Only active user groups can be modified.";
        assert_eq!(error.message(), text);
    }
    advance(&cloud, 30);
    let answer = ask(&session, modify())?;
    let pending = answer.pending_changes().unwrap();
    assert_eq!(pending.user_ids_to_add().unwrap(), ["api", "web"]);
    assert_eq!(pending.user_ids_to_remove().unwrap(), ["app"]);
    assert_eq!(
        (answer.status(), answer.user_ids().unwrap()),
        (Some("modifying"), &texts(["default", "app"])[..])
    );
    assert_eq!(user(&session, "api")?.unwrap().user_group_ids().map(<[Text]>::len), Some(0));
    // A user that is deleted meanwhile is not added.
    ask(&session, DeleteUser::new("web"))?;
    advance(&cloud, 30);
    let all = group(&session, "all")?.unwrap();
    assert_eq!((all.status(), all.pending_changes()), (Some("active"), None));
    assert_eq!(all.user_ids().unwrap(), ["default", "api"]);
    assert_eq!(user(&session, "api")?.unwrap().user_group_ids().unwrap(), ["all"]);
    assert_eq!(user(&session, "app")?.unwrap().user_group_ids().map(<[Text]>::len), Some(0));
    ask(&session, DeleteUserGroup::new("all"))?;
    assert_eq!(status(group(&session, "all")?.as_ref()), Some("deleting"));
    advance(&cloud, 30);
    assert_eq!(group(&session, "all")?, None);
    Ok(())
}

fn texts(ids: [&str; 2]) -> [Text; 2] {
    ids.map(Text::new)
}
