//! Secrets: created, read, updated.

use super::{World, ask, errors, token, value};
use nephos_cloud::read_key;
use nephos_core::{ErrorKind, Resource, Result, Tag, Tagged};
use nephos_secrets::{CreateSecret, DescribeSecret, Secret, SecretVersion, UpdateSecret};
use std::collections::BTreeSet;

pub(super) fn created_secret_is_returned_by_get(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let key = world.crypto_key("web");
    let secret = Secret::builder().name("web/db").description("the database").crypto_key_id(key.as_str());
    let secret = secret.r#type("partner").tags([("team", "web")]).build()?;
    let created = objects.create(&secret).secret_string("hunter2").client_request_token(token(1)).wait()?;
    let got = world.existing_secret("web/db")?;
    assert_eq!(created, got);
    assert_eq!((got.require_name()?, got.description()), ("web/db", Some("the database")));
    assert_eq!((got.crypto_key_id(), got.r#type()), (Some(key.as_str()), Some("partner")));
    assert_eq!(got.tags(), Some(&[Tag::new("team", "web")][..]));
    let arn = got.require_arn()?;
    let suffix = arn.strip_prefix("arn:aws:secretsmanager:us-east-1:123456789012:secret:web/db-");
    assert!(suffix.is_some_and(|suffix| suffix.len() == 6), "{arn}");
    assert_eq!(got.created_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(got.last_changed_date(), got.created_date());
    let stages = got.secret_versions_to_stages().expect("the secret has a version");
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

/// The first value is always current.
pub(super) fn secret_without_value_has_no_versions(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = objects.create(&Secret::builder().name("empty").build()?).wait()?;
    assert_eq!(secret.secret_versions_to_stages(), None);
    assert!(SecretVersion::objects(&world.session()).list("empty").results().all().wait()?.is_empty());
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("empty").wait());
    objects.set_value("empty").secret_string("first").version_stages(["mine"]).wait()?;
    let labels = world.existing_secret("empty")?.secret_versions_to_stages().cloned().unwrap_or_default();
    let labels: Vec<_> = labels.values().flatten().map(|label| label.as_str()).collect();
    assert_eq!(labels, ["PROVIDERCURRENT", "mine"], "the first value is current");
    assert_eq!(value(&world.session(), "empty")?, "first");
    Ok(())
}

pub(super) fn name_characters_and_length_are_checked(world: &World) -> Result<()> {
    let create = |name: &str| {
        let secret = Secret::builder().name(name).build()?;
        Secret::objects(&world.session()).create(&secret).wait()
    };
    let longest = "x".repeat(512);
    for name in ["a", "web/Api_1+x=y.z@home-!", longest.as_str(), "name-AbCdEf"] {
        assert_eq!(create(name)?.require_name()?, name);
        assert_eq!(world.existing_secret(name)?.require_name()?, name);
    }
    for name in ["a b", "a:b", "a*", "ä", "a\n", "a,b", "a#"] {
        world.assert_violation("Name", || create(name));
    }
    let error = Secret::builder().name("x".repeat(513)).build().expect_err("the name is too long");
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("Name")));
    assert_eq!(Secret::builder().build().expect_err("the name is missing").field(), Some("Name"));
    world.assert_violation("Name", || ask(&world.session(), CreateSecret::new("")));
    Ok(())
}

pub(super) fn invalid_name_is_refused_by_every_operation(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let error = world.assert_violation("SecretId", || objects.describe("a b").wait());
    assert_eq!(
        error.message(),
        "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!"
    );
    for name in ["a b", "a:b", "ä", "arn:x", "arn:aws:secretsmanager:us-east-1:123456789012:web"] {
        let refused = |call: &dyn Fn() -> Result<()>| {
            world.assert_violation("SecretId", call);
        };
        refused(&|| objects.get(name).wait().map(drop));
        refused(&|| objects.get_value(name).wait().map(drop));
        refused(&|| objects.set_value(name).secret_string("x").wait().map(drop));
        refused(&|| objects.delete(name).force_delete_without_recovery(true).wait().map(drop));
        refused(&|| objects.restore(name).wait().map(drop));
        refused(&|| objects.rotate(name).wait().map(drop));
        refused(&|| objects.cancel_rotation(name).wait().map(drop));
        refused(&|| objects.get_resource_policy(name).wait().map(drop));
        refused(&|| objects.delete_resource_policy(name).wait().map(drop));
        refused(&|| objects.stop_replication(name).wait().map(drop));
        refused(&|| objects.remove_regions(name, vec!["eu-west-1".into()]).wait().map(drop));
        refused(&|| objects.update_version_stage(name, "x").wait().map(drop));
        refused(&|| objects.tag(name, vec![Tag::new("a", "b")]).wait().map(drop));
        refused(&|| objects.untag(name, vec!["a".into()]).wait().map(drop));
        refused(&|| ask(&world.session(), UpdateSecret::new(name).description("x")).map(drop));
        refused(&|| SecretVersion::objects(&world.session()).list(name).results().all().wait().map(drop));
    }
    Ok(())
}

/// The ARN may lack its random suffix.
pub(super) fn secret_is_found_by_name_or_arn(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "x")?;
    let similar = world.create_secret("web-AbCdEf", "y")?;
    let get = |id: &str| Secret::objects(&world.session()).get(id).wait();
    let (arn, partial) = (secret.require_arn()?, "arn:aws:secretsmanager:us-east-1:123456789012:secret:web");
    for id in ["web", arn, partial] {
        assert_eq!(get(id)?.as_ref(), Some(&secret), "{id}");
    }
    for id in ["web-AbCdEf", similar.require_arn()?, &format!("{partial}-AbCdEf")] {
        assert_eq!(get(id)?.as_ref(), Some(&similar), "{id}");
    }
    let other = format!("{}zzzzzz", &arn[..arn.len() - 6]);
    for id in [other.as_str(), &arn.replace("us-east-1", "eu-west-1"), "we", "web-"] {
        assert_eq!(get(id)?, None, "{id}");
    }
    let other_service = "arn:aws:logs:us-east-1:123456789012:log-group:web";
    world.assert_violation("SecretId", || ask(&world.session(), DescribeSecret::new(other_service)));
    Ok(())
}

/// `get` returns `None`; every other call is refused.
pub(super) fn missing_secret_is_not_found(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    assert_eq!(objects.get("none").wait()?, None);
    world.refused(&errors::NOT_FOUND, None, || objects.describe("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.set_value("none").secret_string("x").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.set_value("none").wait());
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

pub(super) fn duplicate_name_is_refused(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    world.refused(&errors::EXISTS, None, || world.create_secret("web", "y"));
    world.refused(&errors::EXISTS, None, || ask(&world.session(), CreateSecret::new("web")));
    assert_eq!(value(&world.session(), "web")?, "x");
    Ok(())
}

/// Another token or another value is refused.
pub(super) fn repeated_create_with_same_token_is_idempotent(world: &World) -> Result<()> {
    let create = |token: &str, value: &str| {
        ask(&world.session(), CreateSecret::new("web").client_request_token(token).secret_string(value))
    };
    let first = create(&token(1), "x")?;
    let before = world.state()?;
    assert_eq!(create(&token(1), "x")?, first);
    world.assert_unchanged(&before)?;
    world.refused(&errors::EXISTS, "ClientRequestToken", || create(&token(1), "y"));
    let error = world.refused(&errors::EXISTS, None, || create(&token(2), "x"));
    assert_eq!(error.message(), "The operation failed because the secret web already exists.");
    world.assert_violation("ClientRequestToken", || create("short", "x"));
    world.assert_violation("ClientRequestToken", || create(&"x".repeat(65), "x"));
    Ok(())
}

/// Another value with the same token is refused; other changes are made.
pub(super) fn repeated_update_with_same_token_is_idempotent(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "one")?;
    let update = |value: &str, description: &str| {
        let update = UpdateSecret::new("web").client_request_token(token(2)).description(description);
        ask(&world.session(), update.secret_string(value))
    };
    let first = update("two", "d")?;
    assert_eq!(first.version_id(), Some(token(2).as_str()));
    world.advance(1000)?;
    let before = world.state()?;
    assert_eq!(update("two", "d")?, first);
    world.assert_unchanged(&before)?;
    let error = world.refused(&errors::EXISTS, "ClientRequestToken", || update("three", "d"));
    let (token, arn) = (token(2), secret.require_arn()?);
    let text = format!(
        "You can't use ClientRequestToken {token} because that value is already in use for a version of secret {arn}."
    );
    assert_eq!(error.message(), text);
    assert_eq!(update("two", "changed")?, first);
    let changed = world.existing_secret("web")?;
    assert_eq!(changed.description(), Some("changed"));
    assert_eq!(changed.secret_versions_to_stages().map(|versions| versions.len()), Some(2));
    Ok(())
}

pub(super) fn accounts_and_regions_are_isolated(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "here")?;
    let arn = secret.require_arn()?;
    assert_eq!(Secret::objects(&world.other_region()).get(arn).wait()?, None);
    world.refused(&errors::DENIED, None, || Secret::objects(&world.other_account()).get(arn).wait());
    for session in [world.other_account(), world.other_region()] {
        assert_eq!(Secret::objects(&session).get("web").wait()?, None);
        assert_eq!(Secret::objects(&session).list().results().count().wait()?, 0);
        let own = Secret::builder().name("web").build()?;
        Secret::objects(&session).create(&own).secret_string("there").wait()?;
        assert_eq!(value(&session, "web")?, "there");
    }
    assert_eq!(value(&world.session(), "web")?, "here");
    Ok(())
}

/// A change sets the date of the last change; a repeated update changes nothing.
pub(super) fn update_changes_only_what_differs(world: &World) -> Result<()> {
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
    world.assert_violation("Name", || objects.update(&cleared).wait());
    world.assert_invalid("ClientRequestToken", || {
        objects.update(&updated).client_request_token(token(9)).wait()
    });
    Ok(())
}

/// The new version is current.
pub(super) fn update_with_value_creates_version(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = world.create_secret("web", "one")?;
    let updated = objects.update(&secret).secret_string("two").client_request_token(token(2)).wait()?;
    assert_eq!(value(&world.session(), "web")?, "two");
    let stages = updated.secret_versions_to_stages().expect("the secret has versions");
    assert_eq!(stages.get(token(2).as_str()).map(|labels| labels[0].as_str()), Some("PROVIDERCURRENT"));
    assert_eq!(stages.len(), 2);
    let plain = ask(&world.session(), UpdateSecret::new("web").description("x"))?;
    assert_eq!(plain.version_id(), None, "only a value creates a version");
    Ok(())
}

/// Without a key, the provider's default key is used.
pub(super) fn crypto_key_can_be_set_and_cleared(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let mut secret = world.create_secret("web", "x")?;
    let keys = || -> Result<Vec<String>> {
        let versions = SecretVersion::objects(&world.session()).list("web").results().all().wait()?;
        Ok(versions
            .iter()
            .flat_map(|version| version.crypto_key_ids().unwrap_or_default())
            .map(|key| key.to_string())
            .collect())
    };
    assert_eq!(keys()?, ["DefaultEncryptionKey"]);
    let key = world.crypto_key("web");
    secret.set_crypto_key_id(key.as_str())?;
    assert_eq!(objects.update(&secret).wait()?.crypto_key_id(), Some(key.as_str()));
    assert_eq!(keys()?, [key]);
    ask(&world.session(), UpdateSecret::new("web").crypto_key_id(""))?;
    assert_eq!(world.existing_secret("web")?.crypto_key_id(), None);
    assert_eq!(keys()?, ["DefaultEncryptionKey"]);
    assert_eq!(value(&world.session(), "web")?, "x");
    Ok(())
}

pub(super) fn save_creates_then_updates(world: &World) -> Result<()> {
    let mut secret = Secret::builder().name("web").build()?;
    secret.set_session(world.session());
    secret.save().wait()?;
    let arn = secret.require_arn()?.to_owned();
    secret.set_description("saved")?;
    secret.save().wait()?;
    let found = world.existing_secret("web")?;
    assert_eq!((found.require_arn()?, found.description()), (arn.as_str(), Some("saved")));
    assert!(secret.versions().wait()?.is_empty());
    secret.set_value().secret_string("one").wait()?;
    assert_eq!(secret.versions().wait()?.len(), 1, "versions are read on each call");
    let gone = secret.delete().recovery_window_in_days(7).wait()?;
    assert_eq!(gone.arn(), Some(arn.as_str()));
    Ok(())
}

/// Previews and the control endpoint only show rows of listed tables.
pub(super) fn every_row_belongs_to_a_listed_table(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    value(&world.session(), "web")?;
    let policy = r#"{"Statement": {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}}"#;
    Secret::objects(&world.session()).set_resource_policy("web", policy).wait()?;
    let rows = world.state()?;
    let tables = rows.iter().filter_map(|(key, _)| Some(read_key(key)?.0));
    let own: BTreeSet<_> = tables.filter(|table| table.starts_with("secretsmanager/")).collect();
    let listed: BTreeSet<_> = nephos_secrets::SECRETS.tables.iter().map(|table| table.name).collect();
    assert_eq!(own, listed);
    Ok(())
}

pub(super) fn service_set_fields_are_read_only(world: &World) -> Result<()> {
    let mut secret = world.create_secret("web", "x")?;
    for field in ["ARN", "RotationEnabled", "LastChangedDate", "SecretVersionsToStages", "PrimaryRegion"] {
        let error = nephos_core::Record::set(&mut secret, field, "x").expect_err(field);
        assert_eq!((error.kind(), error.field()), (ErrorKind::Frozen, Some(field)));
    }
    Ok(())
}
