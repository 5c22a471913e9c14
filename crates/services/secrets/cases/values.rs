//! Values of versions.

use super::{DAY, HOUR, World, ask, errors, token, value};
use nephos_core::{Blob, Result};
use nephos_secrets::{GetSecretValue, PutSecretValue, Secret, SecretVersion};

pub(super) fn value_is_read_by_version_id_label_both_or_neither(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.create_secret("web", "one")?;
    objects.set_value("web").secret_string("two").client_request_token(token(2)).wait()?;
    let put = objects.set_value("web").secret_string("three").client_request_token(token(3)).wait()?;
    assert_eq!(put.version_id(), Some(token(3).as_str()));
    assert_eq!(put.version_stages(), Some(&["PROVIDERCURRENT".into()][..]));
    let got = |id: Option<&str>, stage: Option<&str>| {
        let value = ask(&world.session(), GetSecretValue::new("web").version_id(id).version_stage(stage))?;
        Ok(value.secret_string().map(|text| text.expose().to_owned()).unwrap_or_default())
    };
    assert_eq!(got(None, None)?, "three");
    assert_eq!(got(Some(&token(2)), None)?, "two");
    assert_eq!(got(None, Some("PROVIDERPREVIOUS"))?, "two");
    assert_eq!(got(None, Some("PROVIDERCURRENT"))?, "three");
    assert_eq!(got(Some(&token(3)), Some("PROVIDERCURRENT"))?, "three");
    world.refused(&errors::INVALID_REQUEST, "VersionStage", || got(Some(&token(2)), Some("PROVIDERCURRENT")));
    world.refused(&errors::INVALID_REQUEST, "VersionStage", || got(Some(&token(2)), Some("none")));
    let whole = objects.get_value("web").version_id(token(2)).wait()?;
    assert_eq!((whole.name(), whole.version_id()), (Some("web"), Some(token(2).as_str())));
    assert_eq!(whole.version_stages(), Some(&["PROVIDERPREVIOUS".into()][..]));
    assert_eq!(whole.created_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(whole.secret_binary(), None);
    Ok(())
}

pub(super) fn missing_version_or_label_is_not_found(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.create_secret("web", "one")?;
    let error =
        world.refused(&errors::NOT_FOUND, None, || objects.get_value("web").version_id(token(7)).wait());
    let text = format!("Secrets Manager can't find the specified secret value for VersionId: {}", token(7));
    assert_eq!(error.message(), text);
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("web").version_stage("none").wait());
    let error = world.refused(&errors::NOT_FOUND, None, || {
        objects.get_value("web").version_stage("PROVIDERPREVIOUS").wait()
    });
    let text = "Secrets Manager can't find the specified secret value for staging label: AWSPREVIOUS";
    assert_eq!(error.message(), text);
    world.assert_violation("VersionId", || objects.get_value("web").version_id("short").wait());
    Ok(())
}

pub(super) fn value_is_binary_or_text(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let bytes = Blob::from((0..=255).collect::<Vec<u8>>());
    let secret = Secret::builder().name("bytes").build()?;
    objects.create(&secret).secret_binary(bytes.clone()).wait()?;
    let got = objects.get_value("bytes").wait()?;
    assert_eq!((got.secret_binary(), got.secret_string()), (Some(&bytes), None));
    objects.set_value("bytes").secret_string("{\"user\": \"ä\u{1F512}\n\"}").wait()?;
    assert_eq!(value(&world.session(), "bytes")?, "{\"user\": \"ä\u{1F512}\n\"}");
    let both = || objects.set_value("bytes").secret_string("x").secret_binary(bytes.clone()).wait();
    world.assert_invalid(None, both);
    world.refused(&errors::INVALID_REQUEST, None, || objects.set_value("bytes").wait());
    world.assert_violation("SecretString", || objects.set_value("bytes").secret_string("").wait());
    world.assert_violation("SecretBinary", || {
        objects.set_value("bytes").secret_binary(Vec::<u8>::new()).wait()
    });
    let two = Secret::builder().name("two").build()?;
    world
        .assert_invalid(None, || objects.create(&two).secret_string("x").secret_binary(bytes.clone()).wait());
    Ok(())
}

/// The limit counts bytes, not characters.
pub(super) fn value_can_have_at_most_65536_bytes(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let longest = "x".repeat(65_536);
    world.create_secret("web", &longest)?;
    assert_eq!(value(&world.session(), "web")?, longest);
    world.assert_violation("SecretString", || {
        objects.set_value("web").secret_string("x".repeat(65_537)).wait()
    });
    world
        .assert_invalid("SecretString", || objects.set_value("web").secret_string("ä".repeat(32_769)).wait());
    world.assert_violation("SecretBinary", || objects.set_value("web").secret_binary(vec![0; 65_537]).wait());
    objects.set_value("web").secret_binary(vec![7; 65_536]).wait()?;
    Ok(())
}

/// Another value with the same token is refused.
pub(super) fn repeated_put_with_same_token_is_idempotent(world: &World) -> Result<()> {
    world.create_secret("web", "one")?;
    let put = |value: &str| {
        ask(&world.session(), PutSecretValue::new("web").client_request_token(token(2)).secret_string(value))
    };
    let first = put("two")?;
    let before = world.state()?;
    assert_eq!(put("two")?, first);
    world.assert_unchanged(&before)?;
    world.refused(&errors::EXISTS, "ClientRequestToken", || put("three"));
    let as_bytes = PutSecretValue::new("web").client_request_token(token(2)).secret_binary(b"two".to_vec());
    world.refused(&errors::EXISTS, "ClientRequestToken", || ask(&world.session(), as_bytes));
    Ok(())
}

/// The date is recorded for the secret and for the version.
pub(super) fn last_accessed_date_is_recorded_once_per_day(world: &World) -> Result<()> {
    let session = world.session();
    world.create_secret("web", "one")?;
    let last = || -> Result<_> {
        let version = SecretVersion::objects(&session).list("web").results().first().wait()?;
        let version = version.expect("the secret has a version");
        Ok((world.existing_secret("web")?.last_accessed_date(), version.last_accessed_date()))
    };
    assert_eq!(last()?, (None, None));
    let changed = world.existing_secret("web")?.last_changed_date();
    value(&session, "web")?;
    let (today, of_version) = last()?;
    assert_eq!(today, of_version);
    assert_eq!(today.map(|day| day.to_string()).as_deref(), Some("2026-01-31T00:00:00Z"));
    let before = world.state()?;
    world.advance(11 * HOUR)?;
    let recorded = world.state()?;
    value(&session, "web")?;
    world.assert_unchanged(&recorded)?;
    assert_ne!(before, recorded, "the clock moved");
    world.advance(DAY)?;
    assert_eq!(last()?.0, today, "only a read of the value counts");
    value(&session, "web")?;
    assert_eq!(last()?.0.map(|day| day.to_string()).as_deref(), Some("2026-02-01T00:00:00Z"));
    assert_eq!(world.existing_secret("web")?.last_changed_date(), changed, "a read is not a change");
    Ok(())
}

/// Above 100 versions, those without labels that are older than a day are removed; newer ones stay, up to 150.
pub(super) fn old_versions_are_removed_above_the_limit(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.create_secret("web", "0")?;
    let put = |n: usize| {
        objects.set_value("web").secret_string(n.to_string()).client_request_token(token(n)).wait()
    };
    let count = || {
        let list = SecretVersion::objects(&world.session()).list("web").include_deprecated(true);
        list.results().count().wait()
    };
    for n in 1..150 {
        put(n)?;
    }
    assert_eq!(count()?, 150);
    world.refused(&errors::LIMIT_EXCEEDED, None, || put(150));
    world.advance(DAY)?;
    put(150)?;
    assert_eq!(count()?, 100, "the oldest versions are removed");
    for n in [0, 1, 50] {
        world.refused(&errors::NOT_FOUND, None, || objects.get_value("web").version_id(token(n)).wait());
    }
    assert_eq!(value(&world.session(), "web")?, "150");
    let previous = objects.get_value("web").version_stage("PROVIDERPREVIOUS").wait()?;
    assert_eq!(previous.secret_string().map(|text| text.expose()), Some("149"));
    Ok(())
}

/// Debug output, JSON values and errors do not contain the value.
pub(super) fn value_is_never_printed(world: &World) -> Result<()> {
    let marker = "MARKER-5ecre7";
    let objects = Secret::objects(&world.session());
    let create = objects.create(&Secret::builder().name("web").build()?).secret_string(marker);
    assert!(!format!("{create:?}").contains(marker));
    let secret = create.wait()?;
    let set = objects.set_value("web").secret_binary(marker.as_bytes().to_vec());
    assert!(!format!("{set:?}").contains(marker) && !format!("{set:?}").contains("77"));
    let text = secret.get_value().wait()?;
    set.wait()?;
    let bytes = secret.get_value().wait()?;
    let shown =
        [format!("{text:?}"), format!("{bytes:?}"), format!("{:?}", nephos_core::record::to_value(&text))];
    for shown in shown {
        assert!(shown.contains("<secret>"), "{shown}");
        assert!(!shown.contains(marker) && !shown.contains(&Blob::from(marker).to_base64()), "{shown}");
    }
    let twice = ask(
        &world.session(),
        PutSecretValue::new("web").secret_string(marker).secret_binary(marker.as_bytes().to_vec()),
    );
    let error = twice.expect_err("a value is text or binary");
    assert!(!format!("{error} {error:?}").contains(marker));
    let long = objects
        .set_value("web")
        .secret_string(marker.repeat(6000))
        .wait()
        .expect_err("the value is too long");
    assert!(!format!("{long} {long:?}").contains(marker));
    let short = objects
        .set_value("web")
        .secret_string("x")
        .rotation_token(marker)
        .wait()
        .expect_err("the token is too short");
    assert!(!format!("{short} {short:?}").contains(marker), "{short}");
    Ok(())
}

/// Neither the value nor the sealed value is shown.
pub(super) fn preview_shows_no_value(world: &World) -> Result<()> {
    let marker = "MARKER-5ecre7";
    let objects = Secret::objects(&world.session());
    let secret = Secret::builder().name("web").build()?;
    let create = || objects.create(&secret).secret_string(marker);
    let preview = create().preview().wait()?;
    assert!(preview.changes.iter().any(|change| change.row == "secret web"), "{:?}", preview.changes);
    let value =
        preview.changes.iter().find(|change| change.row.starts_with("value web")).expect("a value is stored");
    assert!(format!("{value:?}").contains("<secret>"), "{value:?}");
    assert!(!format!("{preview:?}").contains(marker));
    create().wait()?;
    let preview = objects.set_value("web").secret_string(marker).preview().wait()?;
    assert!(!format!("{preview:?}").contains(marker));
    Ok(())
}
