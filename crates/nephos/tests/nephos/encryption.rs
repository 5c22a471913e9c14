//! Data of services under crypto keys: readable as long as the key is usable.

use nephos::{
    Cloud, CryptoKey, DBInstance, KeyAlias, LogGroup, Secret, Session, SignedDuration,
    prelude::*,
    services::logs::{InputLogEvent, LogEvent, LogStream},
};
use std::fmt::Debug;

fn create_key(session: &Session) -> CryptoKey {
    CryptoKey::objects(session).create(&CryptoKey::builder().build().unwrap()).wait().unwrap()
}

fn create_secret(session: &Session, name: &str, key: &str) -> nephos::Result<Secret> {
    let secret = Secret::builder().name(name).crypto_key_id(key).build()?;
    Secret::objects(session).create(&secret).secret_string("hunter2").wait()
}

fn read_secret(session: &Session, name: &str) -> nephos::Result<String> {
    let value = Secret::objects(session).get_value(name).wait()?;
    Ok(value.secret_string().map(|value| value.expose().to_owned()).unwrap_or_default())
}

#[track_caller]
fn code<T: Debug>(result: nephos::Result<T>) -> String {
    result.expect_err("it is refused").code().to_owned()
}

#[test]
fn secret_is_readable_while_its_key_is_usable() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let key = create_key(&session);
    let secret = create_secret(&session, "web", key.key_id().unwrap()).unwrap();
    assert_eq!(read_secret(&session, "web").unwrap(), "hunter2");
    assert_eq!(secret.crypto_key().wait().unwrap().as_deref(), Some(&key));

    key.disable().wait().unwrap();
    assert_eq!(code(read_secret(&session, "web")), "DecryptionFailure");
    let put = Secret::objects(&session).set_value("web").secret_string("other").wait();
    assert_eq!(code(put), "DecryptionFailure");
    assert_eq!(code(create_secret(&session, "new", key.key_id().unwrap())), "EncryptionFailure");
    key.enable().wait().unwrap();
    assert_eq!(read_secret(&session, "web").unwrap(), "hunter2");

    key.delete().pending_window_in_days(7).wait().unwrap();
    assert_eq!(code(read_secret(&session, "web")), "DecryptionFailure");
    key.cancel_deletion().wait().unwrap();
    key.enable().wait().unwrap();
    assert_eq!(read_secret(&session, "web").unwrap(), "hunter2");
    key.delete().pending_window_in_days(7).wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(8 * 24)).unwrap();
    assert_eq!(code(read_secret(&session, "web")), "DecryptionFailure");
    assert_eq!(secret.crypto_key().wait().unwrap().as_deref(), Some(&key), "the relation is remembered");
}

#[test]
fn only_labelled_versions_are_encrypted_under_a_new_key() {
    let session = Cloud::in_memory().session();
    let (old, new) = (create_key(&session), create_key(&session));
    create_secret(&session, "web", old.key_id().unwrap()).unwrap();
    let secrets = Secret::objects(&session);
    let first = secrets.get_value("web").wait().unwrap().version_id().unwrap().to_owned();
    for value in ["two", "three"] {
        secrets.set_value("web").secret_string(value).wait().unwrap();
    }
    let mut secret = secrets.get("web").wait().unwrap().unwrap();
    secret.set_crypto_key_id(new.key_id().unwrap()).unwrap();
    secret.save().wait().unwrap();
    old.disable().wait().unwrap();
    assert_eq!(read_secret(&session, "web").unwrap(), "three");
    let previous = secrets.get_value("web").version_stage("PROVIDERPREVIOUS").wait().unwrap();
    assert_eq!(previous.secret_string().map(|value| value.expose()), Some("two"));
    let read_first = || secrets.get_value("web").version_id(first.as_str()).wait();
    assert_eq!(code(read_first()), "DecryptionFailure");
    new.disable().wait().unwrap();
    old.enable().wait().unwrap();
    assert_eq!(code(read_secret(&session, "web")), "DecryptionFailure");
    assert_eq!(read_first().unwrap().secret_string().map(|value| value.expose()), Some("hunter2"));
}

#[test]
fn key_of_the_provider_appears_when_a_service_first_uses_it() {
    let session = Cloud::in_memory().session();
    // The aliases of the provider are listed before their keys exist.
    let aliases = || {
        let all = KeyAlias::objects(&session).list().results().all().wait().unwrap();
        all.into_iter().filter(|alias| alias.target_key_id().is_some()).collect::<Vec<_>>()
    };
    assert_eq!(aliases(), []);
    let secret = Secret::builder().name("web").build().unwrap();
    let secret = Secret::objects(&session).create(&secret).secret_string("hunter2").wait().unwrap();
    assert_eq!(secret.crypto_key_id(), None);
    let [alias] = &aliases()[..] else { panic!("one alias") };
    assert_eq!(alias.alias_name(), Some("alias/aws/secretsmanager"));
    let key = alias.crypto_key().wait().unwrap().unwrap();
    assert_eq!(key.get("KeyManager").unwrap().as_text(), Some("PROVIDER"));
    assert_eq!(code(key.disable().wait()), "UnsupportedOperationException");
    assert_eq!(code(key.delete().wait()), "UnsupportedOperationException");
    Secret::objects(&session).set_value("web").secret_string("other").wait().unwrap();
    assert_eq!(aliases().len(), 1);
}

#[test]
fn events_are_readable_while_the_key_of_their_group_is_usable() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let key = create_key(&session);
    let group =
        LogGroup::builder().log_group_name("/web").kms_key_id(key.arn().unwrap().unwrap()).build().unwrap();
    LogGroup::objects(&session).create(&group).wait().unwrap();
    let stream = LogStream::builder().log_group_name("/web").log_stream_name("s").build().unwrap();
    LogStream::objects(&session).create(&stream).wait().unwrap();
    let put = |message: &str| {
        let now = cloud.clock().now().as_millisecond();
        let event = InputLogEvent::builder().timestamp(now).message(message).build().unwrap();
        LogEvent::objects(&session).put("/web", "s", [event]).wait()
    };
    let read = || {
        let events = LogEvent::objects(&session).list("/web").results().all().wait()?;
        Ok(events.iter().filter_map(|event| event.message().map(str::to_owned)).collect::<Vec<_>>())
    };
    put("one").unwrap();
    assert_eq!(read().unwrap(), ["one"]);
    let found = LogGroup::objects(&session).get("/web").wait().unwrap().unwrap();
    assert_eq!(found.crypto_key().wait().unwrap().as_deref(), Some(&key));

    key.disable().wait().unwrap();
    assert_eq!(code(read()), "AccessDeniedException");
    assert_eq!(code(put("two")), "AccessDeniedException");
    let other = LogGroup::builder().log_group_name("/other").kms_key_id(key.arn().unwrap().unwrap());
    let refused = LogGroup::objects(&session).create(&other.build().unwrap()).wait();
    assert_eq!(code(refused), "InvalidParameterException");
    key.enable().wait().unwrap();
    put("two").unwrap();
    assert_eq!(read().unwrap(), ["one", "two"]);
}

#[test]
fn alias_of_the_managed_key_is_the_default_of_databases() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let create = |id: &str, key: Option<&str>| {
        let mut model = DBInstance::builder()
            .db_instance_identifier(id)
            .db_instance_class("db.t4g.micro")
            .engine("mysql")
            .engine_version("8.0")
            .allocated_storage(20)
            .storage_encrypted(true)
            .master_username("boss");
        if let Some(key) = key {
            model = model.crypto_key_id(key);
        }
        let create = DBInstance::objects(&session).create(&model.build()?);
        create.master_user_password("correct-horse").wait()
    };
    let named = create("named", Some("alias/aws/rds")).unwrap();
    let default = create("default", None).unwrap();
    assert!(named.crypto_key_id().unwrap().contains(":key/"), "{named:?}");
    assert_eq!(named.crypto_key_id(), default.crypto_key_id());
}
