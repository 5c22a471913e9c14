//! Access keys.

use super::{World, ask, errors};
use nephos_cloud::account_of_access_key;
use nephos_core::{Credentials, Resource, Result, Session};
use nephos_iam::{
    AccessKey, AccessKeyStatus, DeleteAccessKey, GetAccessKeyLastUsed, GetUser, ListAccessKeys,
    UpdateAccessKey, User,
};
use nephos_testing::{HOUR, OTHER_REGION};

fn create(world: &World, user: &str) -> Result<AccessKey> {
    AccessKey::objects(&world.session()).create().user_name(user).wait()
}

/// Returns the credentials of a new key.
pub(super) fn credentials(key: &AccessKey) -> Credentials {
    Credentials {
        access_key_id: key.access_key_id().unwrap_or_default().into(),
        secret_access_key: key.secret_access_key().cloned().unwrap_or_else(|| "".into()),
        session_token: None,
        expiration: None,
    }
}

/// Returns the name of the user that calls in `session`.
fn caller(session: &Session) -> Result<Option<String>> {
    let answer = ask(session, GetUser::new())?;
    Ok(answer.user().and_then(|user| user.user_name().map(str::to_owned)))
}

pub(super) fn session_with_a_key_is_its_user_while_the_key_is_active(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let mut key = create(world, "ann")?;
    let credentials = credentials(&key);
    let ann = world.session_with(credentials.clone());
    assert_eq!(caller(&ann)?.as_deref(), Some("ann"));
    assert_eq!(caller(&ann.with_region(OTHER_REGION))?.as_deref(), Some("ann"));
    assert_eq!(caller(&world.session())?, None, "the root user has no name");
    let own = AccessKey::objects(&ann).list().results().all().wait()?;
    assert_eq!(own.len(), 1, "a user without a name is the caller");

    key.set_status(AccessKeyStatus::Inactive)?;
    key.save().wait()?;
    assert!(caller(&ann).is_err(), "the key is not active");
    key.set_status(AccessKeyStatus::Active)?;
    key.save().wait()?;
    assert!(caller(&ann).is_ok());
    key.delete().wait()?;
    assert!(!matches!(caller(&ann), Ok(Some(_))), "the key is deleted");
    Ok(())
}

pub(super) fn use_of_a_key_is_recorded(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let key = create(world, "ann")?;
    let ann = world.session_with(credentials(&key)).with_region(OTHER_REGION);
    let last_used = || key.last_used().wait().map(|answer| answer.access_key_last_used().cloned());
    assert_eq!(last_used()?.and_then(|used| used.last_used_date()), None);
    caller(&ann)?;
    let used = last_used()?.expect("the key was used");
    assert_eq!(used.last_used_date().map(|time| time.as_millisecond()), Some(world.now()));
    let expected = (Some("iam"), Some("us-east-1"));
    assert_eq!((used.service_name(), used.region()), expected, "a global service has one Region");
    world.advance(HOUR)?;
    world.create_user("ben")?;
    assert_eq!(last_used()?, Some(used), "only requests with the key count");
    Ok(())
}

fn list(world: &World, user: &str) -> Result<Vec<AccessKey>> {
    AccessKey::objects(&world.session()).list().user_name(user).results().all().wait()
}

pub(super) fn secret_is_returned_only_at_creation(world: &World) -> Result<()> {
    world.create_user("Ann")?;
    let key = create(world, "ann")?;
    let id = key.access_key_id().unwrap_or_default();
    assert!(id.starts_with("AKIA") && id.len() == 20, "{id}");
    assert_eq!(account_of_access_key(id).as_deref(), Some("123456789012"));
    assert_eq!((key.user_name(), key.status()), (Some("Ann"), Some(&AccessKeyStatus::Active)));
    assert_eq!(key.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    let secret = key.secret_access_key().map(|secret| secret.expose().to_owned()).unwrap_or_default();
    assert_eq!(secret.len(), 40);
    assert!(!format!("{key:?}").contains(&secret));
    for (_, row) in world.state()? {
        assert!(!String::from_utf8_lossy(&row).contains(&secret));
    }
    let listed = list(world, "ANN")?;
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].access_key_id(), listed[0].secret_access_key()), (Some(id), None));
    assert_eq!((listed[0].user_name(), listed[0].create_date()), (Some("Ann"), key.create_date()));
    Ok(())
}

pub(super) fn user_can_have_two_access_keys(world: &World) -> Result<()> {
    world.create_user("ann")?;
    world.create_user("bea")?;
    let first = create(world, "ann")?;
    create(world, "ann")?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || create(world, "ann"));
    assert_eq!(error.message(), "Cannot exceed quota for AccessKeysPerUser: 2");
    create(world, "bea")?;
    first.delete().wait()?;
    create(world, "ann")?;
    let page = ask(&world.session(), ListAccessKeys::new().user_name("ann").max_items(1))?;
    assert_eq!((page.access_key_metadata().map(<[_]>::len), page.is_truncated()), (Some(1), Some(true)));
    let list = AccessKey::objects(&world.session()).list().user_name("ann").max_items(1);
    assert_eq!(list.results().all().wait()?.len(), 2);
    world.refused(&errors::NOT_FOUND, None, || create(world, "cid"));
    Ok(())
}

pub(super) fn access_key_is_activated_and_deactivated(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let mut key = create(world, "ann")?;
    key.set_status(AccessKeyStatus::Inactive)?;
    key.save().wait()?;
    assert_eq!(list(world, "ann")?[0].status(), Some(&AccessKeyStatus::Inactive));
    let id = key.access_key_id().unwrap_or_default();
    let update = |status| ask(&world.session(), UpdateAccessKey::new(id, status).user_name("ann"));
    world.refused(&errors::INVALID_INPUT, "Status", || update(AccessKeyStatus::Expired));
    update(AccessKeyStatus::Active)?;
    assert_eq!(list(world, "ann")?[0].status(), Some(&AccessKeyStatus::Active));
    Ok(())
}

/// Calls that name another user, or none, do not find the key. A renamed user keeps its keys.
pub(super) fn access_key_belongs_to_its_user(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    world.create_user("bea")?;
    let key = create(world, "ann")?;
    let id = key.access_key_id().unwrap_or_default();
    let session = world.session();
    let delete = || DeleteAccessKey::new(id);
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, delete().user_name("bea")));
    assert_eq!(error.message(), format!("The Access Key with id {id} cannot be found"));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, delete()));
    world.refused(&errors::NOT_FOUND, None, || ask(&world.other_account(), GetAccessKeyLastUsed::new(id)));
    world.refused(&errors::INVALID, "AccessKeyId", || ask(&session, DeleteAccessKey::new("short")));
    User::objects(&session).update(&ann).new_user_name("cid").wait()?;
    assert_eq!(list(world, "cid")?[0].user_name(), Some("cid"));
    assert_eq!(ask(&session, GetAccessKeyLastUsed::new(id))?.user_name(), Some("cid"));
    ask(&session, delete().user_name("cid"))?;
    Ok(())
}

pub(super) fn deleted_access_key_is_gone(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let key = create(world, "ann")?;
    key.delete().wait()?;
    assert!(list(world, "ann")?.is_empty());
    world.refused(&errors::NOT_FOUND, None, || key.delete().wait());
    world.refused(&errors::NOT_FOUND, None, || key.last_used().wait());
    Ok(())
}

pub(super) fn last_use_of_unused_key_is_not_available(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let used = create(world, "ann")?.last_used().wait()?;
    assert_eq!(used.user_name(), Some("ann"));
    let last = used.access_key_last_used().expect("the key exists");
    assert_eq!((last.service_name(), last.region()), (Some("N/A"), Some("N/A")));
    assert_eq!(last.last_used_date(), None);
    Ok(())
}

pub(super) fn access_key_leads_to_its_user(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let key = create(world, "ann")?;
    assert_eq!(key.user().wait()?.as_deref(), Some(&ann));
    assert_eq!(list(world, "ann")?[0].user().wait()?.as_deref(), Some(&ann));
    Ok(())
}

pub(super) fn access_keys_of_root_user_have_no_name(world: &World) -> Result<()> {
    let objects = AccessKey::objects(&world.session());
    let key = objects.create().wait()?;
    assert_eq!(key.user_name(), None);
    assert_eq!(key.last_used().wait()?.user_name(), None);
    assert!(key.user().wait()?.is_none());
    objects.create().wait()?;
    world.refused(&errors::LIMIT_EXCEEDED, None, || objects.create().wait());
    assert_eq!(objects.list().results().all().wait()?.len(), 2);
    objects.delete(key.access_key_id().unwrap_or_default()).wait()?;
    let left = objects.list().results().all().wait()?;
    assert_eq!(left.len(), 1);
    left[0].delete().wait()?;
    assert!(objects.list().results().all().wait()?.is_empty());
    Ok(())
}
