//! The cloud itself: its time, work that falls due, forks, copies, scopes, and what survives.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use nephos::services::logs::{InputLogEvent, LOGS, LogEvent, LogStream};
use nephos::{Clock, Cloud, ErrorKind, LogGroup, SignedDuration, Timestamp, prelude::*, testing};
use std::path::Path;

const DAY: i64 = 24;

fn options() -> nephos::CloudOptions {
    Cloud::options().clock(testing::clock()).seed(7)
}

fn open(path: &Path) -> Cloud {
    options().open(path).unwrap()
}

fn hours(hours: i64) -> SignedDuration {
    SignedDuration::from_hours(hours)
}

/// Creates a group that keeps events for so many days, with an event now.
fn group(session: &Session, name: &str, days: i64) {
    let group = LogGroup::builder().log_group_name(name).retention_in_days(days).build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
    let stream = LogStream::builder().log_group_name(name).log_stream_name("main").build().unwrap();
    LogStream::objects(session).create(&stream).wait().unwrap();
}

fn put(session: &Session, name: &str, time: Timestamp) {
    let event = InputLogEvent::builder().timestamp(time.as_millisecond()).message("x").build().unwrap();
    LogEvent::objects(session).put(name, "main", vec![event]).wait().unwrap();
}

fn events(session: &Session, name: &str) -> usize {
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
fn due_work_is_done_in_order_and_each_at_its_own_time() {
    let cloud = options().in_memory();
    let (here, there) = (cloud.session(), cloud.session().with_region("eu-west-1"));
    for (session, name, days) in [(&here, "/three", 3), (&here, "/one", 1), (&there, "/one", 1)] {
        group(session, name, days);
        put(session, name, cloud.clock().now());
        put(session, name, cloud.clock().now() + hours(1));
    }
    assert_eq!(cloud.clock().advance(hours(DAY) - SignedDuration::from_micros(1)).unwrap().done, 0);
    assert_eq!(cloud.clock().advance(SignedDuration::from_micros(1)).unwrap().done, 2);
    assert_eq!((events(&here, "/one"), events(&there, "/one"), events(&here, "/three")), (1, 1, 2));
    let moved = cloud.clock().advance(hours(3 * DAY)).unwrap();
    assert_eq!(moved.done, 4, "two for each hour of events that is left");
    assert_eq!(moved.now, cloud.clock().now());
    assert_eq!((events(&here, "/one"), events(&here, "/three")), (0, 0));
    assert_eq!(cloud.failed_work().unwrap(), []);
}

#[test]
fn work_goes_on_after_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let whole = options().in_memory();
    for cloud in [&whole, &open(&path)] {
        group(&cloud.session(), "/web", 1);
        for n in 0..6 {
            put(&cloud.session(), "/web", cloud.clock().now() + hours(n) / 3);
        }
        cloud.close().unwrap_or_else(|_| unreachable!("nothing is wrong with it"));
    }
    let half = open(&path);
    half.clock().advance(hours(DAY + 1)).unwrap();
    assert!((1..6).contains(&events(&half.session(), "/web")));
    half.close().unwrap();
    drop(half);
    let rest = open(&path);
    rest.clock().advance(hours(DAY)).unwrap();
    assert_eq!(events(&rest.session(), "/web"), 0);
}

#[test]
fn work_that_fell_due_while_nobody_looked_is_done_before_the_next_call() {
    let clock = testing::clock();
    let cloud = Cloud::options().clock(clock.clone()).in_memory();
    group(&cloud.session(), "/web", 1);
    put(&cloud.session(), "/web", cloud.clock().now());
    clock.advance(hours(DAY));
    assert_eq!(events(&cloud.session(), "/web"), 0);
    group(&cloud.session(), "/api", 1);
    put(&cloud.session(), "/api", cloud.clock().now());
    clock.advance(hours(DAY));
    let preview = LogGroup::objects(&cloud.session()).delete("/api").preview().wait().unwrap();
    assert!(preview.changes.iter().all(|change| !change.row.starts_with("log-event")));
}

/// Leaves work of that name and content for the cloud at `path` at `time`.
fn leave_work(path: &Path, time: Timestamp, name: &str, work: &str) {
    let key = nephos_cloud::Key::table("due").number(time.as_microsecond());
    let key = key.text("123456789012").text("us-east-1").text(name).text(work);
    let store = nephos_store::Store::open(path).unwrap();
    store.transact(move |txn| txn.put(key.as_bytes(), b"")).wait().unwrap();
    store.close().unwrap();
}

#[test]
fn work_that_fails_is_put_aside_and_holds_nothing_else_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let cloud = open(&path);
    group(&cloud.session(), "/web", 1);
    put(&cloud.session(), "/web", cloud.clock().now());
    let start = cloud.clock().now();
    cloud.close().unwrap();
    drop(cloud);
    leave_work(&path, start + hours(1), "logs/of-the-future", "{}");
    leave_work(&path, start + hours(2), "logs/expire", "not json");
    leave_work(&path, start + hours(3), "logs/expire", "{\"LogGroupName\":\"/gone\",\"new\":1}");

    let cloud = open(&path);
    assert_eq!(names(&cloud.session()), ["/web"]);
    assert_eq!(cloud.clock().advance(hours(DAY)).unwrap().done, 4);
    assert_eq!(events(&cloud.session(), "/web"), 0);
    let failed = cloud.failed_work().unwrap();
    let told: Vec<_> = failed.iter().map(|(time, name, _)| (*time, name.as_str())).collect();
    assert_eq!(told, [(start + hours(1), "logs/of-the-future"), (start + hours(2), "logs/expire")]);
    assert!(failed[0].2.contains("unknown due work logs/of-the-future"), "{}", failed[0].2);
    cloud.close().unwrap();
    drop(cloud);
    assert_eq!(open(&path).failed_work().unwrap(), failed);
}

#[test]
fn the_time_stands_where_it_was_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let start = testing::clock().now();
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
    assert_eq!(cloud.clock().now(), frozen + hours(3), "it runs on from where it stood");
    cloud.close().unwrap();
    drop(cloud);
    let cloud = reopened(Clock::frozen(start + hours(16)));
    assert_eq!(cloud.clock().now(), frozen + hours(13));
}

#[test]
fn time_only_moves_forwards() {
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
fn a_fork_and_its_origin_do_not_see_each_other() {
    let folder = tempfile::tempdir().unwrap();
    for origin in [options().in_memory(), open(&folder.path().join("cloud"))] {
        group(&origin.session(), "/web", 1);
        put(&origin.session(), "/web", origin.clock().now());
        origin.clock().advance(hours(1)).unwrap();
        let (rows, now) = (origin.rows().unwrap(), origin.clock().now());
        let fork = origin.fork().unwrap();
        assert_eq!((fork.rows().unwrap(), fork.clock().now()), (rows.clone(), now));

        create(&fork.session(), "/fork");
        fork.clock().advance(hours(DAY)).unwrap();
        assert_eq!(events(&fork.session(), "/web"), 0);
        assert_eq!((origin.rows().unwrap(), origin.clock().now()), (rows, now));
        let forked = fork.rows().unwrap();
        create(&origin.session(), "/origin");
        origin.clock().advance(hours(2)).unwrap();
        origin.clock().freeze().unwrap();
        assert_eq!((fork.rows().unwrap(), fork.clock().now()), (forked, now + hours(DAY)));
        assert_eq!(names(&fork.session()), ["/fork", "/web"]);
        assert_eq!(names(&origin.session()), ["/origin", "/web"]);
        assert_eq!(events(&origin.session(), "/web"), 1);
    }
}

#[test]
fn a_preview_changes_nothing_and_tells_the_rows() {
    let cloud = options().in_memory();
    group(&cloud.session(), "/web", 1);
    put(&cloud.session(), "/web", cloud.clock().now());
    let before = cloud.rows().unwrap();
    let mut found = LogGroup::objects(&cloud.session()).get("/web").wait().unwrap().unwrap();
    found.set_retention_in_days(7).unwrap();
    let preview = LogGroup::objects(&cloud.session()).update(&found).preview().wait().unwrap();
    assert_eq!(preview.answer.retention_in_days(), Some(7));
    let [change] = &preview.changes[..] else { panic!("one row changes: {:?}", preview.changes) };
    assert_eq!(change.row, "log-group /web");
    assert_eq!(change.before.get("retentionInDays"), Some(&1.into()));
    assert_eq!(change.after.get("retentionInDays"), Some(&7.into()));
    assert_eq!(change.after.get("logGroupName"), Some(&"/web".into()), "what the key says is told, too");
    let read = LogGroup::objects(&cloud.session()).get("/web").preview().wait().unwrap();
    assert!(read.answer.is_some() && read.changes.is_empty());
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn a_copy_brings_everything_back_and_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    for (n, cloud) in [options().in_memory(), open(&folder.path().join("cloud"))].into_iter().enumerate() {
        group(&cloud.session(), "/web", 1);
        put(&cloud.session(), "/web", cloud.clock().now());
        cloud.clock().advance(hours(1)).unwrap();
        let copy = copy.with_extension(n.to_string());
        cloud.save_to(&copy, |_| {}).unwrap();
        let (rows, now) = (cloud.rows().unwrap(), cloud.clock().now());
        cloud.clock().advance(hours(2 * DAY)).unwrap();
        create(&cloud.session(), "/later");
        cloud.restore_from(&copy, |_| {}).unwrap();
        assert_eq!((cloud.rows().unwrap(), cloud.clock().now()), (rows.clone(), now));
        assert_eq!(events(&cloud.session(), "/web"), 1);
        cloud.clock().advance(hours(DAY)).unwrap();
        assert_eq!(events(&cloud.session(), "/web"), 0, "the work is there again, too");
        let error = cloud.restore_from(folder.path().join("none"), |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let opened = open(&copy);
        assert_eq!((names(&opened.session()), opened.clock().now()), (vec!["/web".to_owned()], now));
    }
}

#[test]
fn work_of_a_copy_falls_due_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, copy) = (testing::clock(), folder.path().join("copy"));
    let cloud = Cloud::options().clock(clock.clone()).in_memory();
    group(&cloud.session(), "/web", 1);
    put(&cloud.session(), "/web", cloud.clock().now());
    cloud.save_to(&copy, |_| {}).unwrap();
    cloud.clock().advance(hours(2 * DAY)).unwrap();
    cloud.restore_from(&copy, |_| {}).unwrap();
    assert_eq!(events(&cloud.session(), "/web"), 1);
    LogGroup::objects(&cloud.session()).delete("/web").wait().unwrap();
    cloud.clock().advance(hours(2 * DAY)).unwrap();
    cloud.restore_from(&copy, |_| {}).unwrap();
    clock.advance(hours(DAY));
    assert_eq!(events(&cloud.session(), "/web"), 0, "without anybody moving the cloud's own time");
}

/// A page of one group, after the page that `token` came with; its name, and the token of the next page.
fn page(cloud: &Cloud, token: Option<Value>) -> nephos::Result<(String, Value)> {
    let entry = LOGS.handlers.iter().find(|entry| entry.operation.name == "DescribeLogGroups").unwrap();
    let workflow = entry.workflow(&mut |params| {
        let given = token.iter().map(|token| ("nextToken", token.clone())).chain([("limit", 1.into())]);
        given.into_iter().try_for_each(|(name, value)| nephos_core::record::set(params, name, value))
    })?;
    let outcome = nephos_core::wait(cloud.session().transport().run(&cloud.session(), workflow))?;
    let answer = outcome.downcast::<Box<dyn nephos_core::record::Fields>>().unwrap();
    let told = |path: &str| nephos_core::record::get(&**answer, path);
    Ok((told("logGroups[0].logGroupName")?.as_text().unwrap().to_owned(), told("nextToken")?))
}

#[test]
fn tokens_are_of_the_cloud_that_was_restored() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("cloud"), folder.path().join("copy"));
    let reopened = |path: &Path| Cloud::options().clock(testing::clock()).open(path).unwrap();
    let other = Cloud::options().clock(testing::clock()).in_memory();
    (0..3).for_each(|n| create(&other.session(), &format!("/{n}")));
    other.save_to(&copy, |_| {}).unwrap();
    let cloud = reopened(&path);
    (0..3).for_each(|n| create(&cloud.session(), &format!("/{n}")));
    let (_, before) = page(&cloud, None).unwrap();
    cloud.restore_from(&copy, |_| {}).unwrap();
    assert!(page(&cloud, Some(before)).is_err(), "it was of a cloud that is no more");
    let (name, token) = page(&cloud, None).unwrap();
    assert_eq!(name, "/0");
    cloud.close().unwrap();
    drop(cloud);
    assert_eq!(page(&reopened(&path), Some(token)).unwrap().0, "/1");
}

#[test]
fn accounts_and_regions_are_written_as_such() {
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
fn accounts_and_regions_do_not_see_each_other() {
    let cloud = options().in_memory();
    let here = cloud.session();
    let scopes = [here.clone(), here.with_account("210987654321"), here.with_region("us-east-2")];
    for (n, session) in scopes.iter().enumerate() {
        group(session, "/web", 1);
        create(session, &format!("/{n}"));
        put(session, "/web", cloud.clock().now());
    }
    LogGroup::objects(&scopes[1]).delete("/web").wait().unwrap();
    assert_eq!(names(&scopes[0]), ["/0", "/web"]);
    assert_eq!(names(&scopes[1]), ["/1"]);
    assert_eq!(names(&scopes[2]), ["/2", "/web"]);
    assert_eq!((events(&scopes[0], "/web"), events(&scopes[2], "/web")), (1, 1));
}

#[test]
fn writers_on_many_threads_lose_nothing() {
    const THREADS: usize = 8;
    const EACH: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    for cloud in [options().in_memory(), options().durable(false).open(folder.path().join("cloud")).unwrap()]
    {
        group(&cloud.session(), "/shared", 1);
        let cloud = &cloud;
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let session = cloud.session();
                    for n in 0..EACH {
                        create(&session, &format!("/{thread}/{n}"));
                        put(&session, "/shared", cloud.clock().now());
                    }
                    LogGroup::objects(&session).delete(format!("/{thread}/0")).wait().unwrap();
                });
            }
        });
        assert_eq!(names(&cloud.session()).len(), THREADS * (EACH - 1) + 1);
        assert_eq!(events(&cloud.session(), "/shared"), THREADS * EACH);
        let shared = LogGroup::objects(&cloud.session()).get("/shared").wait().unwrap().unwrap();
        assert_eq!(shared.stored_bytes(), Some((THREADS * EACH * 27) as i64));
        for name in names(&cloud.session()) {
            LogGroup::objects(&cloud.session()).delete(name).wait().unwrap();
        }
        let counted = cloud.rows().unwrap().iter().filter(|(key, _)| key.starts_with(b"count")).count();
        assert_eq!(counted, 0, "as many were counted as there were");
    }
}

#[test]
fn a_region_of_an_account_has_a_million_groups_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let counted = |number: &'static str| {
        let key = nephos_cloud::Key::table("count").text("123456789012").text("us-east-1").text("log-group");
        let store = nephos_store::Store::open(&path).unwrap();
        store.transact(move |txn| txn.put(key.as_bytes(), number.as_bytes())).wait().unwrap();
        store.close().unwrap();
    };
    counted("999999");
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
fn one_of_many_threads_gets_a_name() {
    let cloud = options().in_memory();
    let made: usize = std::thread::scope(|scope| {
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
    assert_eq!(made, 1);
}

#[test]
fn a_shortened_retention_is_carried_out_by_whoever_looks_next() {
    let cloud = options().in_memory();
    group(&cloud.session(), "/web", 7);
    put(&cloud.session(), "/web", cloud.clock().now() - hours(2 * DAY));
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
