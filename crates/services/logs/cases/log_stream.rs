//! Log streams.

use super::{HOUR, World, ask, errors, names};
use nephos_core::{ErrorKind, Pk, Resource, Result};
use nephos_logs::{CreateLogStream, LogStream, OrderBy};

/// A stream has the service-set fields.
pub(super) fn get_returns_a_log_stream_as_created(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let found = LogStream::objects(&world.session()).get("/web", "main").wait()?.expect("it was created");
    assert_eq!((found.log_group_name(), found.log_stream_name()), (Some("/web"), Some("main")));
    assert_eq!(found.require_name()?, "main");
    assert_eq!(found.require_arn()?, "arn:aws:logs:us-east-1:123456789012:log-group:/web:log-stream:main");
    assert_eq!(found.creation_time(), Some(world.now()));
    assert_eq!((found.first_event_timestamp(), found.last_event_timestamp()), (None, None));
    assert_eq!((found.last_ingestion_time(), found.stored_bytes()), (None, Some(0)));
    assert_eq!(found.upload_sequence_token(), None, "there was no event yet");
    let Pk::Mapping(pk) = found.pk()? else { panic!("the key has two names") };
    let pk: Vec<_> = pk.iter().map(|(name, value)| (name.as_str(), value.as_text())).collect();
    assert_eq!(pk, [("logGroupName", Some("/web")), ("logStreamName", Some("main"))]);
    Ok(())
}

pub(super) fn log_stream_name_is_unique_per_log_group(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.create_group_with_stream("/api")?;
    world.refused(&errors::EXISTS, None, || world.create_stream("/web", "main"));
    Ok(())
}

/// Names have 1 to 512 characters, without colons and asterisks.
pub(super) fn invalid_log_stream_names_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let (longest, too_long) = ("é".repeat(512), "s".repeat(513));
    for name in ["a", "2026/01/31/[$LATEST]x y", longest.as_str(), "日本"] {
        world.create_stream("/web", name)?;
        let found =
            LogStream::objects(&world.session()).get("/web", name).wait()?.expect("the stream exists");
        assert_eq!(found.require_name()?, name);
    }
    for name in ["", "a:b", "a*", too_long.as_str()] {
        let built = LogStream::builder().log_group_name("/web").log_stream_name(name).build();
        let error = built.expect_err("the model rejects it");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("logStreamName")));
        world.assert_invalid("logStreamName", || ask(&world.session(), CreateLogStream::new("/web", name)));
    }
    for built in [
        LogStream::builder().log_group_name("/web").build(),
        LogStream::builder().log_stream_name("main").build(),
    ] {
        assert_eq!(built.expect_err("both are required").kind(), ErrorKind::Invalid);
    }
    Ok(())
}

/// Other streams with the same prefix are not returned.
pub(super) fn get_finds_a_log_stream_by_exact_name(world: &World) -> Result<()> {
    world.create_group("/web")?;
    for name in ["main", "main2", "mai"] {
        world.create_stream("/web", name)?;
    }
    let objects = LogStream::objects(&world.session());
    assert!(objects.get("/web", "main").wait()?.is_some_and(|found| found.log_stream_name() == Some("main")));
    for name in ["ma", "main3", "MAIN", "m"] {
        assert_eq!(objects.get("/web", name).wait()?, None, "{name}");
    }
    for session in [world.other_account(), world.other_region()] {
        assert_eq!(LogStream::objects(&session).get("/web", "main").wait()?, None);
    }
    Ok(())
}

/// Ascending, descending and by prefix.
pub(super) fn list_orders_streams_by_name(world: &World) -> Result<()> {
    world.create_group("/web")?;
    world.create_group_with_stream("/web2")?;
    for name in ["b", "a/2", "a", "B", "a/1"] {
        world.create_stream("/web", name)?;
    }
    let list = || LogStream::objects(&world.session()).list("/web");
    assert_eq!(names(&list().results().all().wait()?)?, ["B", "a", "a/1", "a/2", "b"]);
    assert_eq!(names(&list().descending(true).results().all().wait()?)?, ["b", "a/2", "a/1", "a", "B"]);
    assert_eq!(names(&list().log_stream_name_prefix("a/").results().all().wait()?)?, ["a/1", "a/2"]);
    let both = list().log_stream_name_prefix("a").descending(true).results().all().wait()?;
    assert_eq!(names(&both)?, ["a/2", "a/1", "a"]);
    assert!(both.iter().all(|stream| stream.log_group_name() == Some("/web")));
    Ok(())
}

/// Streams without events sort first.
pub(super) fn list_orders_streams_by_last_event_time(world: &World) -> Result<()> {
    world.create_group("/web")?;
    for (name, hours) in [("a", 2), ("b", 1), ("c", 3)] {
        world.create_stream("/web", name)?;
        world.put_events(
            "/web",
            name,
            &[(world.now() - 5 * HOUR, "old"), (world.now() - hours * HOUR, "new")],
        )?;
    }
    world.create_stream("/web", "empty")?;
    let list = || LogStream::objects(&world.session()).list("/web").order_by(OrderBy::LastEventTime);
    for limit in [1, 2, 50] {
        assert_eq!(names(&list().limit(limit).results().all().wait()?)?, ["empty", "c", "a", "b"]);
        let latest_first = list().limit(limit).descending(true).results().all().wait()?;
        assert_eq!(names(&latest_first)?, ["b", "a", "c", "empty"]);
    }
    world.assert_invalid("logStreamNamePrefix", || list().log_stream_name_prefix("a").results().all().wait());
    Ok(())
}

pub(super) fn invalid_stream_list_parameters_are_rejected(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let list = || LogStream::objects(&world.session()).list("/web");
    for limit in [0, 51] {
        world.assert_invalid("limit", || list().limit(limit).results().all().wait());
    }
    world.assert_invalid("logStreamNamePrefix", || list().log_stream_name_prefix("").results().all().wait());
    world.assert_invalid("logStreamNamePrefix", || {
        list().log_stream_name_prefix("a:b").results().all().wait()
    });
    world.assert_invalid("orderBy", || {
        list().order_by(OrderBy::Unknown("Size".into())).results().all().wait()
    });
    Ok(())
}

pub(super) fn log_stream_reports_event_and_ingestion_times(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let start = world.now();
    let get_stream = || -> Result<LogStream> {
        let found = LogStream::objects(&world.session()).get("/web", "main").wait()?;
        Ok(found.expect("the stream exists"))
    };
    world.put_events("/web", "main", &[(start - HOUR, "a"), (start, "b")])?;
    world.advance(HOUR)?;
    world.put_events("/web", "main", &[(start - 2 * HOUR, "c"), (start - HOUR, "d")])?;
    let found = get_stream()?;
    assert_eq!(found.first_event_timestamp(), Some(start - 2 * HOUR));
    assert_eq!(found.last_event_timestamp(), Some(start));
    assert_eq!(found.last_ingestion_time(), Some(start + HOUR));
    assert_eq!(found.creation_time(), Some(start));
    assert!(found.upload_sequence_token().is_some());
    Ok(())
}

/// Events of other streams are kept.
pub(super) fn delete_stream_removes_its_events_and_bytes(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.create_stream("/web", "other")?;
    world.put_events("/web", "other", &[(world.now(), "stays")])?;
    let before = world.state()?;
    let bytes = world.get_group("/web")?.stored_bytes();
    LogStream::objects(&world.session()).delete("/web", "main").wait()?;
    world.create_stream("/web", "main")?;
    world.assert_unchanged(&before)?;
    world.put_events("/web", "main", &[(world.now() - HOUR, "goes"), (world.now(), "goes, too")])?;
    assert_eq!(world.get_group("/web")?.stored_bytes(), bytes.map(|bytes| bytes + 4 + 26 + 9 + 26));
    LogStream::objects(&world.session()).delete("/web", "main").wait()?;
    assert_eq!(world.get_group("/web")?.stored_bytes(), bytes);
    assert_eq!(world.messages("/web")?, ["stays"]);
    world.refused(&errors::NOT_FOUND, None, || {
        LogStream::objects(&world.session()).delete("/web", "main").wait()
    });
    world.create_stream("/web", "main")?;
    world.assert_unchanged(&before)
}
