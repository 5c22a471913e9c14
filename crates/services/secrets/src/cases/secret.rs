//! Secrets as such: made, looked at, changed.

use super::{World, ask, errors, token, value};
use crate::{CreateSecret, DescribeSecret, Secret, SecretVersion, UpdateSecret};
use nephos_core::{ErrorKind, Resource, Result, Tag, Tagged};

/// What is created is got as it was written, with what the service adds.
pub(super) fn a_created_secret_is_got_as_it_was_written(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = Secret::builder().name("web/db").description("the database").crypto_key_id("alias/web");
    let secret = secret.r#type("partner").tags([("team", "web")]).build()?;
    let created = objects.create(&secret).secret_string("hunter2").client_request_token(token(1)).wait()?;
    let got = world.found_secret("web/db")?;
    assert_eq!(created, got);
    assert_eq!((got.require_name()?, got.description()), ("web/db", Some("the database")));
    assert_eq!((got.crypto_key_id(), got.r#type()), (Some("alias/web"), Some("partner")));
    assert_eq!(got.tags(), Some(&[Tag::new("team", "web")][..]));
    let arn = got.require_arn()?;
    let suffix = arn.strip_prefix("arn:aws:secretsmanager:us-east-1:123456789012:secret:web/db-");
    assert!(suffix.is_some_and(|suffix| suffix.len() == 6), "{arn}");
    assert_eq!(got.created_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(got.last_changed_date(), got.created_date());
    let stages = got.secret_versions_to_stages().expect("it has a version");
    assert_eq!(stages.get(token(1).as_str()).map(Vec::as_slice), Some(&["PROVIDERCURRENT".into()][..]));
    assert_eq!((got.deleted_date(), got.last_accessed_date(), got.last_rotated_date()), (None, None, None));
    assert_eq!((got.rotation_enabled(), got.next_rotation_date(), got.primary_region()), (None, None, None));
    assert_eq!(value(&world.session(), "web/db")?, "hunter2");
    let described = got.describe().wait()?;
    assert_eq!(described.version_ids_to_stages(), got.secret_versions_to_stages());
    assert_eq!(described.tags_map(), got.tags_map().wait()?);
    assert_eq!(described.replication_status(), None);
    Ok(())
}

/// A secret can be created before it has a value.
pub(super) fn a_secret_without_a_value_has_no_versions(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = objects.create(&Secret::builder().name("empty").build()?).wait()?;
    assert_eq!(secret.secret_versions_to_stages(), None);
    assert!(SecretVersion::objects(&world.session()).list("empty").results().all().wait()?.is_empty());
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("empty").wait());
    objects.set_value("empty").secret_string("first").version_stages(["mine"]).wait()?;
    let labels = world.found_secret("empty")?.secret_versions_to_stages().cloned().unwrap_or_default();
    let labels: Vec<_> = labels.values().flatten().map(|label| label.as_str()).collect();
    assert_eq!(labels, ["mine", "PROVIDERCURRENT"], "the first value is the current one");
    assert_eq!(value(&world.session(), "empty")?, "first");
    Ok(())
}

/// Names have letters, digits and some signs.
pub(super) fn a_name_has_an_alphabet_and_a_length(world: &World) -> Result<()> {
    let create = |name: &str| {
        let secret = Secret::builder().name(name).build()?;
        Secret::objects(&world.session()).create(&secret).wait()
    };
    let longest = "x".repeat(512);
    for name in ["a", "web/Api_1+x=y.z@home-!", longest.as_str(), "name-AbCdEf"] {
        assert_eq!(create(name)?.require_name()?, name);
        assert_eq!(world.found_secret(name)?.require_name()?, name);
    }
    for name in ["a b", "a:b", "a*", "ä", "a\n", "a,b", "a#"] {
        world.refused(&errors::INVALID_NAME, "Name", || create(name));
    }
    let error = Secret::builder().name("x".repeat(513)).build().expect_err("it is too long");
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("Name")));
    assert_eq!(Secret::builder().build().expect_err("it has no name").field(), Some("Name"));
    world.invalid_secret("Name", || ask(&world.session(), CreateSecret::new("")));
    Ok(())
}

/// A name, a resource name, and a resource name without its end name a secret.
pub(super) fn a_secret_is_found_by_name_and_resource_names(world: &World) -> Result<()> {
    let secret = world.secret("web", "x")?;
    let like = world.secret("web-AbCdEf", "y")?;
    let get = |id: &str| Secret::objects(&world.session()).get(id).wait();
    let (arn, partial) = (secret.require_arn()?, "arn:aws:secretsmanager:us-east-1:123456789012:secret:web");
    for id in ["web", arn, partial] {
        assert_eq!(get(id)?.as_ref(), Some(&secret), "{id}");
    }
    for id in ["web-AbCdEf", like.require_arn()?, &format!("{partial}-AbCdEf")] {
        assert_eq!(get(id)?.as_ref(), Some(&like), "{id}");
    }
    let other = format!("{}zzzzzz", &arn[..arn.len() - 6]);
    for id in
        [other.as_str(), &arn.replace("us-east-1", "eu-west-1"), &arn.replace("1234", "4321"), "we", "web-"]
    {
        assert_eq!(get(id)?, None, "{id}");
    }
    for id in [
        "arn:aws:logs:us-east-1:123456789012:log-group:web",
        "arn:aws:secretsmanager:us-east-1:123456789012:web",
    ] {
        world.invalid_secret("SecretId", || ask(&world.session(), DescribeSecret::new(id)));
    }
    Ok(())
}

/// `get` of what is not there is nothing; everything else is refused.
pub(super) fn a_secret_that_is_not_there_is_none(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    assert_eq!(objects.get("none").wait()?, None);
    world.refused(&errors::NOT_FOUND, None, || objects.describe("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.set_value("none").secret_string("x").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.delete("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.restore("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.rotate("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.cancel_rotation("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.get_resource_policy("none").wait());
    world.refused(&errors::NOT_FOUND, None, || {
        objects.tag("none", [("a", "b")].map(Tag::from).to_vec()).wait()
    });
    world.refused(&errors::NOT_FOUND, None, || {
        objects.update(&Secret::builder().name("none").description("x").build()?).wait()
    });
    let listed = || SecretVersion::objects(&world.session()).list("none").results().all().wait();
    world.refused(&errors::NOT_FOUND, None, listed);
    Ok(())
}

/// There is one secret of a name.
pub(super) fn a_name_is_taken_once(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    world.refused(&errors::EXISTS, None, || world.secret("web", "y"));
    world.refused(&errors::EXISTS, None, || ask(&world.session(), CreateSecret::new("web")));
    assert_eq!(value(&world.session(), "web")?, "x");
    Ok(())
}

/// A creation that is asked for twice, with the same token and value, is one.
pub(super) fn the_same_creation_twice_is_one(world: &World) -> Result<()> {
    let create = |token: &str, value: &str| {
        ask(&world.session(), CreateSecret::new("web").client_request_token(token).secret_string(value))
    };
    let first = create(&token(1), "x")?;
    let before = world.state()?;
    assert_eq!(create(&token(1), "x")?, first);
    world.assert_unchanged(&before)?;
    world.refused(&errors::EXISTS, None, || create(&token(1), "y"));
    world.refused(&errors::EXISTS, None, || create(&token(2), "x"));
    world.invalid_secret("ClientRequestToken", || create("short", "x"));
    world.invalid_secret("ClientRequestToken", || create(&"x".repeat(65), "x"));
    Ok(())
}

/// Accounts and Regions have secrets of their own.
pub(super) fn secrets_of_other_accounts_and_regions_are_not_seen(world: &World) -> Result<()> {
    let secret = world.secret("web", "here")?;
    for session in [world.other_account(), world.other_region()] {
        assert_eq!(Secret::objects(&session).get("web").wait()?, None);
        assert_eq!(Secret::objects(&session).get(secret.require_arn()?).wait()?, None);
        assert_eq!(Secret::objects(&session).list().results().count().wait()?, 0);
        let own = Secret::builder().name("web").build()?;
        Secret::objects(&session).create(&own).secret_string("there").wait()?;
        assert_eq!(value(&session, "web")?, "there");
    }
    assert_eq!(value(&world.session(), "web")?, "here");
    Ok(())
}

/// An update sends what differs, and moves the date of the last change.
pub(super) fn an_update_changes_what_differs(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = Secret::builder().name("web").description("one").tags([("a", "1"), ("b", "2")]).build()?;
    let mut secret = objects.create(&secret).secret_string("x").wait()?;
    world.advance(1000)?;
    let before = world.state()?;
    assert_eq!(objects.update(&secret).wait()?, secret);
    world.assert_unchanged(&before)?;
    secret.set_description("two")?;
    secret.tags_mut().wait()?.remove("a")?;
    secret.tags_mut().wait()?.insert("c", "3")?;
    let updated = objects.update(&secret).wait()?;
    assert_eq!((updated.description(), updated.tags_map().wait()?.len()), (Some("two"), 2));
    assert_eq!(updated.last_changed_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_ne!(updated.last_changed_date(), updated.created_date());
    assert_eq!(updated.secret_versions_to_stages(), secret.secret_versions_to_stages());
    let mut cleared = updated.clone();
    cleared.set_description(None::<&str>)?;
    assert_eq!(objects.update(&cleared).wait()?.description(), None);
    cleared.set_name("other")?;
    world.invalid_secret("Name", || objects.update(&cleared).wait());
    world.invalid_secret("ClientRequestToken", || {
        objects.update(&updated).client_request_token(token(9)).wait()
    });
    Ok(())
}

/// An update with a value makes a version, which is the current one.
pub(super) fn an_update_with_a_value_makes_a_version(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = world.secret("web", "one")?;
    let updated = objects.update(&secret).secret_string("two").client_request_token(token(2)).wait()?;
    assert_eq!(value(&world.session(), "web")?, "two");
    let stages = updated.secret_versions_to_stages().expect("it has versions");
    assert_eq!(stages.get(token(2).as_str()).map(|labels| labels[0].as_str()), Some("PROVIDERCURRENT"));
    assert_eq!(stages.len(), 2);
    for value in ["two", "three"] {
        world.refused(&errors::EXISTS, "ClientRequestToken", || {
            objects.update(&secret).secret_string(value).client_request_token(token(2)).wait()
        });
    }
    let plain = ask(&world.session(), UpdateSecret::new("web").description("x"))?;
    assert_eq!(plain.version_id(), None, "only a value makes a version");
    Ok(())
}

/// A key is said, told, and given back for the provider's own.
pub(super) fn a_key_is_taken_and_given_back(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let mut secret = world.secret("web", "x")?;
    let keys = || -> Result<Vec<String>> {
        let versions = SecretVersion::objects(&world.session()).list("web").results().all().wait()?;
        Ok(versions
            .iter()
            .flat_map(|version| version.crypto_key_ids().unwrap_or_default())
            .map(|key| key.to_string())
            .collect())
    };
    assert_eq!(keys()?, ["DefaultEncryptionKey"]);
    secret.set_crypto_key_id("alias/web")?;
    assert_eq!(objects.update(&secret).wait()?.crypto_key_id(), Some("alias/web"));
    assert_eq!(keys()?, ["alias/web"]);
    ask(&world.session(), UpdateSecret::new("web").crypto_key_id(""))?;
    assert_eq!(world.found_secret("web")?.crypto_key_id(), None);
    assert_eq!(keys()?, ["DefaultEncryptionKey"]);
    assert_eq!(value(&world.session(), "web")?, "x");
    Ok(())
}

/// A model that is saved is created the first time, and updated from then on.
pub(super) fn a_saved_secret_is_created_once_and_updated_then(world: &World) -> Result<()> {
    let mut secret = Secret::builder().name("web").build()?;
    secret.set_session(world.session());
    secret.save().wait()?;
    let arn = secret.require_arn()?.to_owned();
    secret.set_description("saved")?;
    secret.save().wait()?;
    let found = world.found_secret("web")?;
    assert_eq!((found.require_arn()?, found.description()), (arn.as_str(), Some("saved")));
    assert!(secret.versions().wait()?.is_empty());
    secret.set_value().secret_string("one").wait()?;
    assert_eq!(secret.versions().wait()?.len(), 1, "versions are looked up each time");
    let gone = secret.delete().recovery_window_in_days(7).wait()?;
    assert_eq!(gone.arn(), Some(arn.as_str()));
    Ok(())
}

/// What the service sets is not for callers.
pub(super) fn what_the_service_sets_is_not_assigned(world: &World) -> Result<()> {
    let mut secret = world.secret("web", "x")?;
    for field in ["ARN", "RotationEnabled", "LastChangedDate", "SecretVersionsToStages", "PrimaryRegion"] {
        let error = nephos_core::Record::set(&mut secret, field, "x").expect_err(field);
        assert_eq!((error.kind(), error.field()), (ErrorKind::Frozen, Some(field)));
    }
    Ok(())
}
