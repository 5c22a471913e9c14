//! The Rust example of `docs/testing.md`: a fork for each test, a clock that stands still, and previews.

use nephos::{
    Clock, Cloud, ErrorKind, LogGroup, Result, Secret, SignedDuration,
    services::logs::{InputLogEvent, LogEvent, LogStream},
};
use std::sync::OnceLock;

/// A fork of the cloud that every test starts from.
fn fork() -> Cloud {
    static MAIN: OnceLock<Cloud> = OnceLock::new();
    let main = MAIN.get_or_init(|| prepare().expect("an empty cloud takes a log group"));
    main.fork().expect("a cloud in memory can be forked")
}

/// Creates what every test expects to find. It is done once for each process.
fn prepare() -> Result<Cloud> {
    let start = "2026-01-31T12:00:00Z".parse().expect("a time");
    // With a seed, IDs are the same in every run.
    let cloud = Cloud::options().clock(Clock::frozen(start)).seed(7).in_memory();
    let group = LogGroup::builder().log_group_name("/shared").retention_in_days(30).build()?;
    LogGroup::objects(&cloud.session()).create(&group).wait()?;
    Ok(cloud)
}

fn days(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}

#[test]
fn what_a_test_does_stays_in_its_fork() -> Result<()> {
    let (cloud, other) = (fork(), fork());
    LogGroup::objects(&cloud.session()).delete("/shared").wait()?;
    assert!(LogGroup::objects(&cloud.session()).get("/shared").wait()?.is_none());
    assert!(LogGroup::objects(&other.session()).get("/shared").wait()?.is_some());
    Ok(())
}

#[test]
fn events_expire() -> Result<()> {
    let cloud = fork();
    let session = cloud.session();
    let stream = LogStream::builder().log_group_name("/shared").log_stream_name("main").build()?;
    LogStream::objects(&session).create(&stream).wait()?;
    let now = cloud.clock().now().as_millisecond();
    let event = InputLogEvent::builder().timestamp(now).message("started").build()?;
    LogEvent::objects(&session).put("/shared", "main", vec![event]).wait()?;

    let events = || LogEvent::objects(&session).list("/shared").results().count().wait();
    cloud.clock().advance(days(29))?;
    assert_eq!(events()?, 1);
    let moved = cloud.clock().advance(days(1))?;
    assert_eq!((moved.done, events()?), (1, 0));
    assert_eq!(moved.now.to_string(), "2026-03-02T12:00:00Z");
    Ok(())
}

#[test]
fn a_deleted_secret_can_be_restored_for_seven_days() -> Result<()> {
    let cloud = fork();
    let session = cloud.session();
    let secrets = Secret::objects(&session);
    let secret = Secret::builder().name("db").build()?;
    secrets.create(&secret).secret_string("hunter2").wait()?;
    secrets.delete("db").recovery_window_in_days(7).wait()?;

    // A fork of a fork shows what would happen later; this cloud stays where it is.
    let later = cloud.fork()?;
    later.clock().advance(days(7))?;
    assert!(Secret::objects(&later.session()).get("db").wait()?.is_none());

    secrets.restore("db").wait()?;
    let value = secrets.get_value("db").wait()?;
    assert_eq!(value.secret_string().map(|text| text.expose()), Some("hunter2"));
    Ok(())
}

#[test]
fn a_preview_reports_what_would_change() -> Result<()> {
    let cloud = fork();
    let session = cloud.session();
    let before = cloud.rows()?;
    let preview = LogGroup::objects(&session).delete("/shared").preview().wait()?;
    let rows: Vec<_> = preview.changes.iter().map(|change| change.row.as_str()).collect();
    assert!(rows.contains(&"log-group /shared"), "{rows:?}");
    assert_eq!(cloud.rows()?, before);
    Ok(())
}

#[test]
fn a_refused_call_changes_nothing() -> Result<()> {
    let cloud = fork();
    let before = cloud.rows()?;
    let group = LogGroup::builder().log_group_name("/shared").build()?;
    let refused = LogGroup::objects(&cloud.session()).create(&group).wait().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(cloud.rows()?, before);
    Ok(())
}
