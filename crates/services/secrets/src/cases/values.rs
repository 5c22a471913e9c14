//! Values of versions.

use super::{DAY, HOUR, World, ask, errors, token, value};
use crate::{GetSecretValue, PutSecretValue, Secret, SecretVersion};
use nephos_core::{Blob, Result};

/// A value is named by its version, by a label, by both, or by neither.
pub(super) fn a_value_is_got_by_id_by_label_by_both_and_by_neither(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.secret("web", "one")?;
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

/// Versions and labels that are not there are refused.
pub(super) fn a_value_that_is_not_there_is_refused(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.secret("web", "one")?;
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("web").version_id(token(7)).wait());
    world.refused(&errors::NOT_FOUND, None, || objects.get_value("web").version_stage("none").wait());
    world.refused(&errors::NOT_FOUND, None, || {
        objects.get_value("web").version_stage("PROVIDERPREVIOUS").wait()
    });
    world.invalid_secret("VersionId", || objects.get_value("web").version_id("short").wait());
    Ok(())
}

/// A value is bytes or text, and comes back as what it was.
pub(super) fn a_value_is_bytes_or_text(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let bytes = Blob::from((0..=255).collect::<Vec<u8>>());
    let secret = Secret::builder().name("bytes").build()?;
    objects.create(&secret).secret_binary(bytes.clone()).wait()?;
    let got = objects.get_value("bytes").wait()?;
    assert_eq!((got.secret_binary(), got.secret_string()), (Some(&bytes), None));
    objects.set_value("bytes").secret_string("{\"user\": \"ä\u{1F512}\n\"}").wait()?;
    assert_eq!(value(&world.session(), "bytes")?, "{\"user\": \"ä\u{1F512}\n\"}");
    let both = || objects.set_value("bytes").secret_string("x").secret_binary(bytes.clone()).wait();
    world.invalid_secret(None, both);
    world.invalid_secret(None, || objects.set_value("bytes").wait());
    world.invalid_secret("SecretString", || objects.set_value("bytes").secret_string("").wait());
    world
        .invalid_secret("SecretBinary", || objects.set_value("bytes").secret_binary(Vec::<u8>::new()).wait());
    let two = Secret::builder().name("two").build()?;
    world
        .invalid_secret(None, || objects.create(&two).secret_string("x").secret_binary(bytes.clone()).wait());
    Ok(())
}

/// A value has so many bytes, not characters.
pub(super) fn a_value_has_65536_bytes_at_most(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let longest = "x".repeat(65_536);
    world.secret("web", &longest)?;
    assert_eq!(value(&world.session(), "web")?, longest);
    world
        .invalid_secret("SecretString", || objects.set_value("web").secret_string("x".repeat(65_537)).wait());
    world
        .invalid_secret("SecretString", || objects.set_value("web").secret_string("ä".repeat(32_769)).wait());
    world.invalid_secret("SecretBinary", || objects.set_value("web").secret_binary(vec![0; 65_537]).wait());
    objects.set_value("web").secret_binary(vec![7; 65_536]).wait()?;
    Ok(())
}

/// The same value under the same token is one version; another value is refused.
pub(super) fn the_same_token_and_value_is_one_version(world: &World) -> Result<()> {
    world.secret("web", "one")?;
    let put = |value: &str| {
        ask(&world.session(), PutSecretValue::new("web").client_request_token(token(2)).secret_string(value))
    };
    let first = put("two")?;
    let before = world.state()?;
    assert_eq!(put("two")?, first);
    world.assert_unchanged(&before)?;
    world.refused(&errors::EXISTS, None, || put("three"));
    let as_bytes = PutSecretValue::new("web").client_request_token(token(2)).secret_binary(b"two".to_vec());
    world.refused(&errors::EXISTS, None, || ask(&world.session(), as_bytes));
    Ok(())
}

/// The first read of a day is noted, for the secret and the version.
pub(super) fn reading_a_value_is_noted_by_the_day(world: &World) -> Result<()> {
    let session = world.session();
    world.secret("web", "one")?;
    let last = || -> Result<_> {
        let version = SecretVersion::objects(&session).list("web").results().first().wait()?;
        let version = version.expect("it has a version");
        Ok((world.found_secret("web")?.last_accessed_date(), version.last_accessed_date()))
    };
    assert_eq!(last()?, (None, None));
    let changed = world.found_secret("web")?.last_changed_date();
    value(&session, "web")?;
    let (today, of_version) = last()?;
    assert_eq!(today, of_version);
    assert_eq!(today.map(|day| day.to_string()).as_deref(), Some("2026-01-31T00:00:00Z"));
    let before = world.state()?;
    world.advance(11 * HOUR)?;
    let noted = world.state()?;
    value(&session, "web")?;
    world.assert_unchanged(&noted)?;
    assert_ne!(before, noted, "the clock moved");
    world.advance(DAY)?;
    assert_eq!(last()?.0, today, "it is the reading that counts");
    value(&session, "web")?;
    assert_eq!(last()?.0.map(|day| day.to_string()).as_deref(), Some("2026-02-01T00:00:00Z"));
    assert_eq!(world.found_secret("web")?.last_changed_date(), changed, "reading changes nothing");
    Ok(())
}

/// Above a hundred versions, old ones without labels go; young ones stay, up to a limit.
pub(super) fn old_versions_make_room(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.secret("web", "0")?;
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
    assert_eq!(count()?, 100, "the oldest went");
    for n in [0, 1, 50] {
        world.refused(&errors::NOT_FOUND, None, || objects.get_value("web").version_id(token(n)).wait());
    }
    assert_eq!(value(&world.session(), "web")?, "150");
    let previous = objects.get_value("web").version_stage("PROVIDERPREVIOUS").wait()?;
    assert_eq!(previous.secret_string().map(|text| text.expose()), Some("149"));
    Ok(())
}

/// No printed form of anything shows a value.
pub(super) fn a_value_is_never_printed(world: &World) -> Result<()> {
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
    let error = twice.expect_err("a value is one of the two");
    assert!(!format!("{error} {error:?}").contains(marker));
    let long =
        objects.set_value("web").secret_string(marker.repeat(6000)).wait().expect_err("it is too long");
    assert!(!format!("{long} {long:?}").contains(marker));
    let short =
        objects.set_value("web").secret_string("x").rotation_token(marker).wait().expect_err("too short");
    assert!(!format!("{short} {short:?}").contains(marker), "{short}");
    Ok(())
}

/// What a call would change is told without values, sealed or not.
pub(super) fn a_preview_shows_no_value(world: &World) -> Result<()> {
    let marker = "MARKER-5ecre7";
    let objects = Secret::objects(&world.session());
    let secret = Secret::builder().name("web").build()?;
    let create = || objects.create(&secret).secret_string(marker);
    let tried = create().preview().wait()?;
    assert!(tried.changes.iter().any(|change| change.row == "secret web"), "{:?}", tried.changes);
    let value =
        tried.changes.iter().find(|change| change.row.starts_with("value web")).expect("a value is put");
    assert!(format!("{value:?}").contains("<secret>"), "{value:?}");
    assert!(!format!("{tried:?}").contains(marker));
    create().wait()?;
    let tried = objects.set_value("web").secret_string(marker).preview().wait()?;
    assert!(!format!("{tried:?}").contains(marker));
    Ok(())
}
