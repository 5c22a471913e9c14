//! The cloud itself: clock, due work, forks, snapshots, scopes and durability.

use nephos::services::logs::{InputLogEvent, LOGS, LogEvent, LogStream};
use nephos::{Clock, Cloud, ErrorKind, LogGroup, SignedDuration, Timestamp, prelude::*};
use std::path::Path;

const DAY: i64 = 24;

fn options() -> nephos::CloudOptions {
    Cloud::options().clock(nephos_testing::clock()).seed(7)
}

fn open(path: &Path) -> Cloud {
    options().open(path).unwrap()
}

fn hours(hours: i64) -> SignedDuration {
    SignedDuration::from_hours(hours)
}

/// Creates a log group with a retention in days, and a log stream.
fn create_with_retention(session: &Session, name: &str, days: i64) {
    let group = LogGroup::builder().log_group_name(name).retention_in_days(days).build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
    let stream = LogStream::builder().log_group_name(name).log_stream_name("main").build().unwrap();
    LogStream::objects(session).create(&stream).wait().unwrap();
}

fn put_event(session: &Session, name: &str, time: Timestamp) {
    let event = InputLogEvent::builder().timestamp(time.as_millisecond()).message("x").build().unwrap();
    LogEvent::objects(session).put(name, "main", vec![event]).wait().unwrap();
}

fn count_events(session: &Session, name: &str) -> usize {
    LogEvent::objects(session).list(name).results().count().wait().unwrap()
}

fn names(session: &Session) -> Vec<String> {
    let all = LogGroup::objects(session).list().results().all().wait().unwrap();
    all.iter().map(|group| group.require_name().unwrap().to_owned()).collect()
}

fn create(session: &Session, name: &str) {
    let group = LogGroup::builder().log_group_name(name).build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
}

#[test]
fn due_work_runs_in_order_at_its_time() {
    let cloud = options().in_memory();
    let (here, there) = (cloud.session(), cloud.session().with_region("eu-west-1"));
    for (session, name, days) in [(&here, "/three", 3), (&here, "/one", 1), (&there, "/one", 1)] {
        create_with_retention(session, name, days);
        put_event(session, name, cloud.clock().now());
        put_event(session, name, cloud.clock().now() + hours(1));
    }
    assert_eq!(cloud.clock().advance(hours(DAY) - SignedDuration::from_micros(1)).unwrap().done, 0);
    assert_eq!(cloud.clock().advance(SignedDuration::from_micros(1)).unwrap().done, 2);
    assert_eq!(
        (count_events(&here, "/one"), count_events(&there, "/one"), count_events(&here, "/three")),
        (1, 1, 2)
    );
    let moved = cloud.clock().advance(hours(3 * DAY)).unwrap();
    assert_eq!(moved.done, 4, "two for each remaining hour of events");
    assert_eq!(moved.now, cloud.clock().now());
    assert_eq!((count_events(&here, "/one"), count_events(&here, "/three")), (0, 0));
    assert_eq!(cloud.failed_work().unwrap(), []);
}

#[test]
fn due_work_continues_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let whole = options().in_memory();
    for cloud in [&whole, &open(&path)] {
        create_with_retention(&cloud.session(), "/web", 1);
        for n in 0..6 {
            put_event(&cloud.session(), "/web", cloud.clock().now() + hours(n) / 3);
        }
        cloud.close().unwrap_or_else(|_| unreachable!("closing cannot fail"));
    }
    let half = open(&path);
    half.clock().advance(hours(DAY + 1)).unwrap();
    assert!((1..6).contains(&count_events(&half.session(), "/web")));
    half.close().unwrap();
    drop(half);
    let rest = open(&path);
    rest.clock().advance(hours(DAY)).unwrap();
    assert_eq!(count_events(&rest.session(), "/web"), 0);
}

#[test]
fn overdue_work_runs_before_the_next_call() {
    let clock = nephos_testing::clock();
    let cloud = Cloud::options().clock(clock.clone()).in_memory();
    create_with_retention(&cloud.session(), "/web", 1);
    put_event(&cloud.session(), "/web", cloud.clock().now());
    clock.advance(hours(DAY));
    assert_eq!(count_events(&cloud.session(), "/web"), 0);
    create_with_retention(&cloud.session(), "/api", 1);
    put_event(&cloud.session(), "/api", cloud.clock().now());
    clock.advance(hours(DAY));
    let preview = LogGroup::objects(&cloud.session()).delete("/api").preview().wait().unwrap();
    assert!(preview.changes.iter().all(|change| !change.row.starts_with("log-event")));
}

/// Stores due work in the state file at `path`.
fn store_due_work(path: &Path, time: Timestamp, name: &str, work: &str) {
    let key = nephos_cloud::Key::table("due").number(time.as_microsecond());
    let key = key.text("123456789012").text("us-east-1").text(name).text(work);
    let store = nephos_store::Store::open(path).unwrap();
    store.transact(move |txn| txn.put(key.as_bytes(), b"")).wait().unwrap();
    store.close().unwrap();
}

#[test]
fn failed_work_is_recorded_and_other_work_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let cloud = open(&path);
    create_with_retention(&cloud.session(), "/web", 1);
    put_event(&cloud.session(), "/web", cloud.clock().now());
    let start = cloud.clock().now();
    cloud.close().unwrap();
    drop(cloud);
    store_due_work(&path, start + hours(1), "logs/of-the-future", "{}");
    store_due_work(&path, start + hours(2), "logs/expire", "not json");
    store_due_work(&path, start + hours(3), "logs/expire", "{\"LogGroupName\":\"/gone\",\"new\":1}");

    let cloud = open(&path);
    assert_eq!(names(&cloud.session()), ["/web"]);
    assert_eq!(cloud.clock().advance(hours(DAY)).unwrap().done, 4);
    assert_eq!(count_events(&cloud.session(), "/web"), 0);
    let failed = cloud.failed_work().unwrap();
    let times: Vec<_> = failed.iter().map(|(time, name, _)| (*time, name.as_str())).collect();
    assert_eq!(times, [(start + hours(1), "logs/of-the-future"), (start + hours(2), "logs/expire")]);
    assert!(failed[0].2.contains("unknown due work logs/of-the-future"), "{}", failed[0].2);
    cloud.close().unwrap();
    drop(cloud);
    assert_eq!(open(&path).failed_work().unwrap(), failed);
}

#[test]
fn clock_is_restored_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let start = nephos_testing::clock().now();
    let reopened = |clock: Clock| Cloud::options().clock(clock).open(&path).unwrap();
    let cloud = reopened(Clock::system());
    cloud.clock().set(cloud.clock().now() + hours(1000)).unwrap();
    cloud.clock().freeze().unwrap();
    let frozen = cloud.clock().now();
    assert!(cloud.clock().is_frozen());
    cloud.close().unwrap();
    drop(cloud);

    let cloud = reopened(Clock::frozen(start));
    assert_eq!((cloud.clock().now(), cloud.clock().is_frozen()), (frozen, true));
    cloud.clock().advance(hours(2)).unwrap();
    assert_eq!(cloud.clock().now(), frozen + hours(2));
    cloud.close().unwrap();
    drop(cloud);

    let clock = Clock::frozen(start + hours(5));
    let cloud = reopened(clock.clone());
    assert_eq!(cloud.clock().now(), frozen + hours(2));
    cloud.clock().run().unwrap();
    clock.advance(hours(1));
    assert_eq!(cloud.clock().now(), frozen + hours(3), "the clock resumes at its time");
    cloud.close().unwrap();
    drop(cloud);
    let cloud = reopened(Clock::frozen(start + hours(16)));
    assert_eq!(cloud.clock().now(), frozen + hours(13));
}

#[test]
fn clock_cannot_move_backwards() {
    let cloud = options().in_memory();
    create(&cloud.session(), "/web");
    let (now, rows) = (cloud.clock().now(), cloud.rows().unwrap());
    for refused in [
        cloud.clock().advance(-SignedDuration::from_micros(1)),
        cloud.clock().set(now - hours(1)),
        cloud.clock().advance(SignedDuration::MAX),
        cloud.clock().advance(SignedDuration::MIN),
    ] {
        let error = refused.unwrap_err();
        assert!(error.is_value_error() && error.field().is_some(), "{error}");
    }
    assert_eq!((cloud.clock().now(), cloud.rows().unwrap()), (now, rows));
    assert_eq!(cloud.clock().set(now).unwrap().now, now);
}

#[test]
fn fork_and_origin_are_isolated() {
    let folder = tempfile::tempdir().unwrap();
    for origin in [options().in_memory(), open(&folder.path().join("cloud"))] {
        create_with_retention(&origin.session(), "/web", 1);
        put_event(&origin.session(), "/web", origin.clock().now());
        origin.clock().advance(hours(1)).unwrap();
        let (rows, now) = (origin.rows().unwrap(), origin.clock().now());
        let fork = origin.fork().unwrap();
        assert_eq!((fork.rows().unwrap(), fork.clock().now()), (rows.clone(), now));

        create(&fork.session(), "/fork");
        fork.clock().advance(hours(DAY)).unwrap();
        assert_eq!(count_events(&fork.session(), "/web"), 0);
        assert_eq!((origin.rows().unwrap(), origin.clock().now()), (rows, now));
        let forked = fork.rows().unwrap();
        create(&origin.session(), "/origin");
        origin.clock().advance(hours(2)).unwrap();
        origin.clock().freeze().unwrap();
        assert_eq!((fork.rows().unwrap(), fork.clock().now()), (forked, now + hours(DAY)));
        assert_eq!(names(&fork.session()), ["/fork", "/web"]);
        assert_eq!(names(&origin.session()), ["/origin", "/web"]);
        assert_eq!(count_events(&origin.session(), "/web"), 1);
    }
}

#[test]
fn preview_changes_nothing_and_returns_changed_rows() {
    let cloud = options().in_memory();
    create_with_retention(&cloud.session(), "/web", 1);
    put_event(&cloud.session(), "/web", cloud.clock().now());
    let before = cloud.rows().unwrap();
    let mut found = LogGroup::objects(&cloud.session()).get("/web").wait().unwrap().unwrap();
    found.set_retention_in_days(7).unwrap();
    let preview = LogGroup::objects(&cloud.session()).update(&found).preview().wait().unwrap();
    assert_eq!(preview.answer.retention_in_days(), Some(7));
    let [change] = &preview.changes[..] else {
        panic!("expected one changed row, got {:?}", preview.changes)
    };
    assert_eq!(change.row, "log-group /web");
    assert_eq!(change.before.get("retentionInDays"), Some(&1.into()));
    assert_eq!(change.after.get("retentionInDays"), Some(&7.into()));
    assert_eq!(change.after.get("logGroupName"), Some(&"/web".into()), "derived fields are included");
    let read = LogGroup::objects(&cloud.session()).get("/web").preview().wait().unwrap();
    assert!(read.answer.is_some() && read.changes.is_empty());
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn restored_snapshot_has_all_rows_and_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = folder.path().join("copy");
    for (n, cloud) in [options().in_memory(), open(&folder.path().join("cloud"))].into_iter().enumerate() {
        create_with_retention(&cloud.session(), "/web", 1);
        put_event(&cloud.session(), "/web", cloud.clock().now());
        cloud.clock().advance(hours(1)).unwrap();
        let snapshot = snapshot.with_extension(n.to_string());
        cloud.save_to(&snapshot, |_| {}).unwrap();
        let (rows, now) = (cloud.rows().unwrap(), cloud.clock().now());
        cloud.clock().advance(hours(2 * DAY)).unwrap();
        create(&cloud.session(), "/later");
        cloud.restore_from(&snapshot, |_| {}).unwrap();
        assert_eq!((cloud.rows().unwrap(), cloud.clock().now()), (rows.clone(), now));
        assert_eq!(count_events(&cloud.session(), "/web"), 1);
        cloud.clock().advance(hours(DAY)).unwrap();
        assert_eq!(count_events(&cloud.session(), "/web"), 0, "due work is restored, too");
        let error = cloud.restore_from(folder.path().join("none"), |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let opened = open(&snapshot);
        assert_eq!((names(&opened.session()), opened.clock().now()), (vec!["/web".to_owned()], now));
    }
}

#[test]
fn due_work_of_a_restored_snapshot_runs_when_time_passes() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, snapshot) = (nephos_testing::clock(), folder.path().join("copy"));
    let cloud = Cloud::options().clock(clock.clone()).in_memory();
    create_with_retention(&cloud.session(), "/web", 1);
    put_event(&cloud.session(), "/web", cloud.clock().now());
    cloud.save_to(&snapshot, |_| {}).unwrap();
    cloud.clock().advance(hours(2 * DAY)).unwrap();
    cloud.restore_from(&snapshot, |_| {}).unwrap();
    assert_eq!(count_events(&cloud.session(), "/web"), 1);
    LogGroup::objects(&cloud.session()).delete("/web").wait().unwrap();
    cloud.clock().advance(hours(2 * DAY)).unwrap();
    cloud.restore_from(&snapshot, |_| {}).unwrap();
    clock.advance(hours(DAY));
    assert_eq!(count_events(&cloud.session(), "/web"), 0, "without advancing the clock of the cloud");
}

/// Reads a page of one group; returns its name and the pagination token.
fn page(cloud: &Cloud, token: Option<Value>) -> nephos::Result<(String, Value)> {
    let entry = LOGS.handlers.iter().find(|entry| entry.operation.name == "DescribeLogGroups").unwrap();
    let workflow = entry.workflow(&mut |params| {
        let input = token.iter().map(|token| ("nextToken", token.clone())).chain([("limit", 1.into())]);
        input.into_iter().try_for_each(|(name, value)| nephos_core::record::set(params, name, value))
    })?;
    let outcome = nephos_core::wait(cloud.session().transport().run(&cloud.session(), workflow))?;
    let answer = outcome.downcast::<Box<dyn nephos_core::record::Fields>>().unwrap();
    let field = |path: &str| nephos_core::record::get(&**answer, path);
    Ok((field("logGroups[0].logGroupName")?.as_text().unwrap().to_owned(), field("nextToken")?))
}

#[test]
fn pagination_tokens_belong_to_the_restored_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let (path, snapshot) = (folder.path().join("cloud"), folder.path().join("copy"));
    let reopened = |path: &Path| Cloud::options().clock(nephos_testing::clock()).open(path).unwrap();
    let other = Cloud::options().clock(nephos_testing::clock()).in_memory();
    (0..3).for_each(|n| create(&other.session(), &format!("/{n}")));
    other.save_to(&snapshot, |_| {}).unwrap();
    let cloud = reopened(&path);
    (0..3).for_each(|n| create(&cloud.session(), &format!("/{n}")));
    let (_, before) = page(&cloud, None).unwrap();
    cloud.restore_from(&snapshot, |_| {}).unwrap();
    assert!(page(&cloud, Some(before)).is_err(), "the token belongs to the replaced cloud");
    let (name, token) = page(&cloud, None).unwrap();
    assert_eq!(name, "/0");
    cloud.close().unwrap();
    drop(cloud);
    assert_eq!(page(&reopened(&path), Some(token)).unwrap().0, "/1");
}

#[test]
fn invalid_account_or_region_is_refused() {
    let cloud = options().in_memory();
    let before = cloud.rows().unwrap();
    let refused = |session: Session, field: &str| {
        let group = LogGroup::builder().log_group_name("/web").build().unwrap();
        let objects = LogGroup::objects(&session);
        for error in [
            objects.create(&group).wait().unwrap_err(),
            objects.get("/web").wait().unwrap_err(),
            objects.list().results().all().wait().unwrap_err(),
            objects.delete("/web").preview().wait().unwrap_err(),
        ] {
            assert!(error.is_value_error(), "{error}");
            assert_eq!(error.field(), Some(field), "{error}");
        }
    };
    for account in ["", "12", "1234567890123", "12345678901x", "１２３４５６７８９０１２"] {
        refused(cloud.session().with_account(account), "account");
    }
    for region in ["", "US-EAST-1", "us east", "us-east-1\0", "a".repeat(33).as_str()] {
        refused(cloud.session().with_region(region), "region");
    }
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn accounts_and_regions_are_isolated() {
    let cloud = options().in_memory();
    let here = cloud.session();
    let scopes = [here.clone(), here.with_account("210987654321"), here.with_region("us-east-2")];
    for (n, session) in scopes.iter().enumerate() {
        create_with_retention(session, "/web", 1);
        create(session, &format!("/{n}"));
        put_event(session, "/web", cloud.clock().now());
    }
    LogGroup::objects(&scopes[1]).delete("/web").wait().unwrap();
    assert_eq!(names(&scopes[0]), ["/0", "/web"]);
    assert_eq!(names(&scopes[1]), ["/1"]);
    assert_eq!(names(&scopes[2]), ["/2", "/web"]);
    assert_eq!((count_events(&scopes[0], "/web"), count_events(&scopes[2], "/web")), (1, 1));
}

#[test]
fn concurrent_writers_lose_nothing() {
    const THREADS: usize = 8;
    const EACH: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    for cloud in [options().in_memory(), options().durable(false).open(folder.path().join("cloud")).unwrap()]
    {
        create_with_retention(&cloud.session(), "/shared", 1);
        let cloud = &cloud;
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let session = cloud.session();
                    for n in 0..EACH {
                        create(&session, &format!("/{thread}/{n}"));
                        put_event(&session, "/shared", cloud.clock().now());
                    }
                    LogGroup::objects(&session).delete(format!("/{thread}/0")).wait().unwrap();
                });
            }
        });
        assert_eq!(names(&cloud.session()).len(), THREADS * (EACH - 1) + 1);
        assert_eq!(count_events(&cloud.session(), "/shared"), THREADS * EACH);
        let shared = LogGroup::objects(&cloud.session()).get("/shared").wait().unwrap().unwrap();
        assert_eq!(shared.stored_bytes(), Some((THREADS * EACH * 27) as i64));
        for name in names(&cloud.session()) {
            LogGroup::objects(&cloud.session()).delete(name).wait().unwrap();
        }
        let counted = cloud.rows().unwrap().iter().filter(|(key, _)| key.starts_with(b"count")).count();
        assert_eq!(counted, 0, "the counters are removed with the resources");
    }
}

#[test]
fn quota_of_a_million_log_groups_per_region() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let set_count = |number: &'static str| {
        let key = nephos_cloud::Key::table("count").text("123456789012").text("us-east-1").text("log-group");
        let store = nephos_store::Store::open(&path).unwrap();
        store.transact(move |txn| txn.put(key.as_bytes(), number.as_bytes())).wait().unwrap();
        store.close().unwrap();
    };
    set_count("999999");
    let cloud = open(&path);
    create(&cloud.session(), "/last");
    let (before, group) =
        (cloud.rows().unwrap(), LogGroup::builder().log_group_name("/more").build().unwrap());
    let error = LogGroup::objects(&cloud.session()).create(&group).wait().unwrap_err();
    assert_eq!((error.code(), error.kind()), ("LimitExceededException", ErrorKind::LimitExceeded));
    assert_eq!(cloud.rows().unwrap(), before);
    create(&cloud.session().with_region("eu-west-1"), "/more");
    LogGroup::objects(&cloud.session()).delete("/last").wait().unwrap();
    create(&cloud.session(), "/more");
}

#[test]
fn concurrent_creates_of_one_name_succeed_once() {
    let cloud = options().in_memory();
    let created: usize = std::thread::scope(|scope| {
        let one = || {
            let group = LogGroup::builder().log_group_name("/web").build().unwrap();
            match LogGroup::objects(&cloud.session()).create(&group).wait() {
                Ok(()) => 1,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
                    0
                }
            }
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(created, 1);
}

#[test]
fn shortened_retention_applies_to_the_next_read() {
    let cloud = options().in_memory();
    create_with_retention(&cloud.session(), "/web", 7);
    put_event(&cloud.session(), "/web", cloud.clock().now() - hours(2 * DAY));
    let mut found = LogGroup::objects(&cloud.session()).get("/web").wait().unwrap().unwrap();
    found.set_retention_in_days(1).unwrap();
    found.save().wait().unwrap();
    let found = LogGroup::objects(&cloud.session()).get("/web").wait().unwrap().unwrap();
    assert_eq!(found.stored_bytes(), Some(0));
}

#[test]
fn a_save_can_be_previewed_and_changes_nothing() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let mut group = LogGroup::builder().log_group_name("/web").retention_in_days(30).build().unwrap();
    group.set_session(session.clone());
    let preview = group.save().preview().wait().unwrap();
    assert!(preview.answer.is_saved() && !group.is_saved());
    assert!(preview.changes.iter().any(|change| change.row == "log-group /web" && change.before.is_empty()));
    assert!(LogGroup::objects(&session).get("/web").wait().unwrap().is_none());

    group.save().wait().unwrap();
    group.set_retention_in_days(7).unwrap();
    let preview = group.save().preview().wait().unwrap();
    assert_eq!(preview.answer.retention_in_days(), Some(7));
    assert_eq!(group.changed(), ["retentionInDays"], "the change is still to be saved");
    let stored = LogGroup::objects(&session).get("/web").wait().unwrap().unwrap();
    assert_eq!(stored.retention_in_days(), Some(30));
}

#[test]
fn a_closed_cloud_says_so() {
    let cloud = options().in_memory();
    let fork = cloud.fork().unwrap();
    let session = fork.session();
    fork.close().unwrap();
    let group = LogGroup::builder().log_group_name("/web").build().unwrap();
    for error in [
        LogGroup::objects(&session).create(&group).wait().unwrap_err(),
        LogGroup::objects(&session).get("/web").wait().unwrap_err(),
        fork.clock().advance(hours(1)).unwrap_err(),
        fork.fork().unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.code()), (ErrorKind::NoSession, "CloudClosed"), "{error}");
        assert!(error.message().starts_with("the cloud was closed"), "{error}");
    }
    assert_eq!(names(&cloud.session()), [""; 0]);
}
