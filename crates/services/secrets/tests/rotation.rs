//! Rotation by functions that are registered with a cloud.

use super::{create, get_secret, options, try_value, value};
use nephos_core::{Error, ErrorKind, SignedDuration, Timestamp, prelude::*};
use nephos_secrets::RotationFunctions as _;
use nephos_secrets::{CURRENT, PENDING, RotationRules, RotationStep, Secret, Step};
use nephos_secrets_cases::Cloud;
use std::sync::{Arc, Mutex, mpsc};

type Log = Arc<Mutex<Vec<String>>>;

const FUNCTION: &str = "arn:aws:lambda:us-east-1:123456789012:function:renew";

/// Executes a step as a correct rotation function does: it is idempotent.
fn execute_step(step: &RotationStep) -> nephos_core::Result<()> {
    let secrets = Secret::objects(step.session());
    let (id, token) = (step.secret_id(), step.client_request_token());
    let described = secrets.describe(id).wait()?;
    assert_eq!(described.rotation_enabled(), Some(true));
    let labels =
        described.version_ids_to_stages().and_then(|labels| labels.get(token)).cloned().unwrap_or_default();
    if labels.iter().any(|label| label == CURRENT) {
        return Ok(());
    }
    assert!(labels.iter().any(|label| label == PENDING), "{labels:?}");
    match step.step() {
        Step::CreateSecret => {
            let there = secrets.get_value(id).version_id(token).version_stage(PENDING).wait();
            match there {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                there => return there.map(drop),
            }
            let put = secrets.set_value(id).client_request_token(token).version_stages([PENDING]);
            put.rotation_token(step.rotation_token()).secret_string(format!("new {token}")).wait()?;
        }
        Step::FinishSecret => {
            let current = secrets.get_value(id).wait()?;
            let stage = secrets.update_version_stage(id, CURRENT).move_to_version_id(token);
            stage.remove_from_version_id(current.version_id().unwrap_or_default()).wait()?;
        }
        _ => {
            let pending = secrets.get_value(id).version_stage(PENDING).wait()?;
            assert_eq!(pending.version_id(), Some(token));
        }
    }
    Ok(())
}

/// Returns a cloud with a function that logs its steps, and fails where `fails` is true.
fn cloud_with(fails: impl Fn(&Step, usize) -> bool + Send + Sync + 'static) -> (Cloud, Log) {
    let cloud = options().in_memory();
    let log = Log::default();
    register(&cloud, &log, fails);
    (cloud, log)
}

fn register(cloud: &Cloud, log: &Log, fails: impl Fn(&Step, usize) -> bool + Send + Sync + 'static) {
    let (log, clock) = (log.clone(), cloud.clock());
    cloud.rotation_function("renew", move |step| {
        let calls = {
            let mut log = log.lock().unwrap();
            log.push(format!("{} {}", clock.now(), step.step().as_str()));
            log.len()
        };
        if fails(&step.step(), calls) {
            return Err(Error::new(ErrorKind::Internal, "unavailable"));
        }
        execute_step(&step)
    });
}

fn steps(log: &Log) -> Vec<String> {
    log.lock().unwrap().iter().filter_map(|line| line.split(' ').nth(1).map(str::to_owned)).collect()
}

fn time(text: &str) -> Option<Timestamp> {
    Some(text.parse().unwrap())
}

fn settle(cloud: &Cloud) {
    cloud.clock().advance(SignedDuration::ZERO).unwrap();
}

fn rules(schedule: &str) -> RotationRules {
    RotationRules::builder().schedule_expression(schedule).build().unwrap()
}

const ALL: [&str; 4] = ["createSecret", "setSecret", "testSecret", "finishSecret"];

#[test]
fn rotation_runs_all_steps_and_makes_new_version_current() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let rotated = secret.rotate().rotation_function_arn(FUNCTION).wait().unwrap();
    let token = rotated.version_id().expect("a rotation creates a version").to_owned();
    assert_eq!(value(&session, "web"), format!("new {token}"), "the rotation completes before the next call");
    assert_eq!(steps(&log), ALL);
    let reloaded = get_secret(&session, "web");
    assert_eq!((reloaded.rotation_enabled(), reloaded.rotation_function_arn()), (Some(true), Some(FUNCTION)));
    assert_eq!(
        (reloaded.last_rotated_date(), reloaded.next_rotation_date()),
        (Some(cloud.clock().now()), None)
    );
    let labels = reloaded.secret_versions_to_stages().unwrap();
    assert_eq!(labels.get(token.as_str()).unwrap(), &[CURRENT, PENDING], "the pending label stays");
    let previous = secret.get_value().version_stage("PROVIDERPREVIOUS").wait().unwrap();
    assert_eq!(previous.secret_string().unwrap().expose(), "old");

    let again = secret.rotate().client_request_token(token.as_str()).wait().unwrap();
    assert_eq!(again.version_id(), Some(token.as_str()));
    settle(&cloud);
    assert_eq!(steps(&log).len(), 4, "a repeated request starts no second rotation");
    secret.rotate().wait().unwrap();
    settle(&cloud);
    assert_eq!(steps(&log).len(), 8, "the function is stored with the secret");
    assert_eq!(cloud.failed_work().unwrap(), []);
}

#[test]
fn rotation_completes_before_next_call_with_running_clock() {
    let (cloud, log) = (Cloud::in_memory(), Log::default());
    register(&cloud, &log, |_, _| false);
    create(&cloud.session(), "web", "old").rotate().rotation_function_arn("renew").wait().unwrap();
    assert!(value(&cloud.session(), "web").starts_with("new "));
    assert_eq!(steps(&log), ALL);
}

#[test]
fn failed_step_is_retried_and_current_value_stays() {
    let (cloud, log) = cloud_with(|step, calls| *step == Step::TestSecret && calls < 6);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    secret.rotate().rotation_function_arn("renew").wait().unwrap();
    settle(&cloud);
    assert_eq!(steps(&log), ["createSecret", "setSecret", "testSecret"]);
    assert_eq!(value(&session, "web"), "old");
    assert!(try_value(&session, "web").is_ok());
    let refused = secret.rotate().wait().unwrap_err();
    assert_eq!(refused.code(), "InvalidRequestException", "the first rotation is in progress");
    cloud.clock().advance(SignedDuration::from_secs(59)).unwrap();
    assert_eq!(steps(&log).len(), 3, "the retry is not due yet");
    cloud.clock().advance(SignedDuration::from_secs(1)).unwrap();
    assert_eq!(steps(&log)[3..], ["testSecret"]);
    cloud.clock().advance(SignedDuration::from_mins(2)).unwrap();
    assert_eq!((steps(&log).len(), value(&session, "web").as_str()), (5, "old"));
    cloud.clock().advance(SignedDuration::from_mins(4)).unwrap();
    assert_eq!(steps(&log)[5..], ["testSecret", "finishSecret"]);
    assert!(value(&session, "web").starts_with("new "));
    let times: Vec<_> = log.lock().unwrap().iter().map(|line| line[..20].to_owned()).collect();
    assert_eq!(times[3..6], ["2026-01-31T12:01:00Z", "2026-01-31T12:03:00Z", "2026-01-31T12:07:00Z"]);
}

#[test]
fn last_step_is_retried_until_label_is_moved() {
    let cloud = options().in_memory();
    cloud.rotation_function("incomplete", |_| Ok(()));
    let session = cloud.session();
    create(&session, "web", "old").rotate().rotation_function_arn("incomplete").wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(12)).unwrap();
    let reloaded = get_secret(&session, "web");
    assert_eq!((reloaded.last_rotated_date(), value(&session, "web").as_str()), (None, "old"));
    let log = Log::default();
    register(&cloud, &log, |_, _| false);
    cloud.rotation_function("incomplete", |step| {
        // The first step has not created the version, so the last one does.
        let secrets = Secret::objects(step.session());
        let put = secrets.set_value(step.secret_id()).client_request_token(step.client_request_token());
        put.secret_string("late").wait().map(drop)
    });
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    assert_eq!(value(&session, "web"), "late");
}

#[test]
fn panic_in_rotation_function_is_retried() {
    let cloud = options().in_memory();
    let (sender, calls) = mpsc::channel();
    cloud.rotation_function("panics", move |_| {
        sender.send(()).unwrap();
        panic!("rotation function failed")
    });
    let session = cloud.session();
    create(&session, "web", "old").rotate().rotation_function_arn("panics").wait().unwrap();
    settle(&cloud);
    assert_eq!((calls.try_iter().count(), value(&session, "web").as_str()), (1, "old"));
    cloud.clock().advance(SignedDuration::from_mins(1)).unwrap();
    assert_eq!(calls.try_iter().count(), 1, "the function is called again");
}

#[test]
fn schedule_rotates_repeatedly() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let daily = RotationRules::builder().automatically_after_days(10).build().unwrap();
    secret.rotate().rotation_function_arn("renew").rotation_rules(daily).wait().unwrap();
    settle(&cloud);
    let reloaded = get_secret(&session, "web");
    assert_eq!(
        reloaded.next_rotation_date(),
        time("2026-02-11T00:00:00Z"),
        "the window closes at the end of the day"
    );
    cloud.clock().advance(SignedDuration::from_hours(24 * 35)).unwrap();
    let began: Vec<_> =
        log.lock().unwrap().iter().filter(|line| line.ends_with("createSecret")).cloned().collect();
    let expected =
        ["2026-01-31T12:00:00Z", "2026-02-10T00:00:00Z", "2026-02-20T00:00:00Z", "2026-03-02T00:00:00Z"];
    assert_eq!(
        began,
        expected.map(|time| format!("{time} createSecret")),
        "each rotation starts at its scheduled time"
    );
    let reloaded = get_secret(&session, "web");
    assert_eq!(reloaded.last_rotated_date(), time("2026-03-02T00:00:00Z"));
    assert_eq!(reloaded.next_rotation_date(), time("2026-03-13T00:00:00Z"));
    assert_eq!(reloaded.rotation_rules().unwrap().automatically_after_days(), Some(10));

    secret.rotate().rotation_rules(rules("cron(0 8 1 * ? *)")).wait().unwrap();
    settle(&cloud);
    let reloaded = get_secret(&session, "web");
    assert_eq!(reloaded.next_rotation_date(), time("2026-04-02T00:00:00Z"));
    assert_eq!(reloaded.rotation_rules().unwrap().automatically_after_days(), Some(25));
    cloud.clock().set(time("2026-04-01T08:00:00Z").unwrap()).unwrap();
    assert_eq!(get_secret(&session, "web").last_rotated_date(), time("2026-04-01T08:00:00Z"));
    secret.rotate().rotation_rules(rules("rate(6 hours)")).rotate_immediately(true).wait().unwrap();
    settle(&cloud);
    assert_eq!(get_secret(&session, "web").next_rotation_date(), time("2026-04-01T15:00:00Z"));
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(get_secret(&session, "web").last_rotated_date(), time("2026-04-02T08:00:00Z"));
    assert_eq!(cloud.failed_work().unwrap(), []);
}

#[test]
fn failed_rotation_continues_in_next_window() {
    let (cloud, log) = cloud_with(|step, calls| *step == Step::SetSecret && calls < 20);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let rules =
        RotationRules::builder().schedule_expression("cron(0 8 * * ? *)").duration("1h").build().unwrap();
    secret
        .rotate()
        .rotation_function_arn("renew")
        .rotation_rules(rules)
        .rotate_immediately(false)
        .wait()
        .unwrap();
    settle(&cloud);
    log.lock().unwrap().clear();
    cloud.clock().set(time("2026-02-01T12:00:00Z").unwrap()).unwrap();
    // At 8:00, and after delays of 1, 2, 4, 8 and 16 minutes; after 32 more the window is closed.
    let tried = log.lock().unwrap().iter().filter(|line| line.ends_with("setSecret")).count();
    assert_eq!(tried, 6);
    assert_eq!(value(&session, "web"), "old");
    let pending = secret.get_value().version_stage(PENDING).wait().unwrap();
    let reloaded = get_secret(&session, "web");
    assert_eq!(reloaded.next_rotation_date(), time("2026-02-02T09:00:00Z"));
    log.lock().unwrap().extend(vec![String::new(); 20]);
    cloud.clock().set(time("2026-02-02T08:00:00Z").unwrap()).unwrap();
    let current = secret.get_value().wait().unwrap();
    assert_eq!(current.version_id(), pending.version_id(), "the next window uses the same version");
}

#[test]
fn scheduled_rotation_is_only_tested_now() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let before = get_secret(&session, "web");
    let later = secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(2 days)"));
    assert_eq!(later.rotate_immediately(false).wait().unwrap().version_id(), None);
    settle(&cloud);
    assert_eq!(steps(&log), ["testSecret"]);
    let after = get_secret(&session, "web");
    assert_eq!(
        after.secret_versions_to_stages(),
        before.secret_versions_to_stages(),
        "the version of the test is removed"
    );
    assert_eq!((after.last_rotated_date(), after.next_rotation_date()), (None, time("2026-02-03T00:00:00Z")));
    cloud.clock().set(time("2026-02-02T00:00:00Z").unwrap()).unwrap();
    assert_eq!(steps(&log)[1..], ALL);
}

#[test]
fn cancelled_rotation_stops() {
    let (cloud, log) = cloud_with(|step, _| *step == Step::SetSecret);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let rotated =
        secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(1 day)")).wait().unwrap();
    settle(&cloud);
    let cancelled = secret.cancel_rotation().wait().unwrap();
    assert_eq!(cancelled.version_id(), rotated.version_id());
    let calls = steps(&log).len();
    cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
    assert_eq!(steps(&log).len(), calls);
    let reloaded = get_secret(&session, "web");
    assert_eq!((reloaded.rotation_enabled(), reloaded.next_rotation_date()), (Some(false), None));
    assert_eq!(reloaded.rotation_function_arn(), Some("renew"), "rotation can be turned on again");
    assert_eq!(value(&session, "web"), "old");
    secret.cancel_rotation().wait().unwrap();
    assert_eq!(secret.rotate().wait().unwrap_err().code(), "InvalidRequestException", "a version is pending");
    secret.rotate().client_request_token(rotated.version_id().unwrap()).wait().unwrap();
    settle(&cloud);
    assert!(steps(&log).len() > calls, "the same rotation can be continued");
    secret.cancel_rotation().wait().unwrap();
    let label = Secret::objects(&session).update_version_stage("web", PENDING);
    label.remove_from_version_id(rotated.version_id().unwrap()).wait().unwrap();
    secret.rotate().wait().unwrap();
    assert_eq!(get_secret(&session, "web").rotation_enabled(), Some(true));
}

#[test]
fn deleted_secret_is_not_rotated() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(1 day)")).wait().unwrap();
    settle(&cloud);
    secret.delete().wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
    assert_eq!(steps(&log).len(), 4);
    secret.restore().wait().unwrap();
    assert_eq!(get_secret(&session, "web").next_rotation_date(), time("2026-02-05T00:00:00Z"));
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(steps(&log).len(), 8, "a restored secret is rotated again");
}

#[test]
fn many_secrets_are_rotated() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    for n in 0..40 {
        let secret = create(&session, &format!("web/{n}"), "old");
        secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(1 day)")).wait().unwrap();
    }
    settle(&cloud);
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(steps(&log).len(), 40 * 4 * 2);
    assert!((0..40).all(|n| value(&session, &format!("web/{n}")).starts_with("new ")));
}

#[test]
fn replicas_follow_rotation() {
    let (cloud, _) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let region = nephos_secrets::ReplicaRegion::new("eu-west-1");
    Secret::objects(&session).replicate_to_regions("web", vec![region]).wait().unwrap();
    secret.rotate().rotation_function_arn("renew").wait().unwrap();
    settle(&cloud);
    let elsewhere = session.with_region("eu-west-1");
    assert_eq!(value(&elsewhere, "web"), value(&session, "web"));
    assert!(value(&elsewhere, "web").starts_with("new "));
    assert_eq!(get_secret(&elsewhere, "web").last_rotated_date(), Some(cloud.clock().now()));
    assert_eq!(get_secret(&elsewhere, "web").rotation_enabled(), Some(true));
    get_secret(&elsewhere, "web").stop_replication().wait().unwrap();
    assert_eq!(
        get_secret(&elsewhere, "web").rotation_enabled(),
        None,
        "a promoted replica has no rotation function"
    );
}

#[test]
fn rotation_continues_after_reopening_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let open = || options().durable(false).open(&path).unwrap();
    let log = Log::default();
    let cloud = open();
    register(&cloud, &log, |step, _| *step == Step::FinishSecret);
    create(&cloud.session(), "web", "old").rotate().rotation_function_arn("renew").wait().unwrap();
    settle(&cloud);
    assert_eq!(steps(&log), ALL);
    cloud.close().unwrap();

    let cloud = open();
    cloud.clock().advance(SignedDuration::from_mins(1)).unwrap();
    assert_eq!(value(&cloud.session(), "web"), "old", "the function is not registered yet");
    register(&cloud, &log, |_, _| false);
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    assert!(value(&cloud.session(), "web").starts_with("new "));
    cloud.close().unwrap();
}

/// Registers the function `slow`; returns the steps that it starts, and a channel that lets it complete one each.
fn register_slow(cloud: &Cloud) -> (mpsc::Receiver<Step>, mpsc::Sender<()>) {
    let (started, was_started) = mpsc::channel();
    let (resume, resumed) = mpsc::channel();
    let resumed = Mutex::new(resumed);
    cloud.rotation_function("slow", move |step| {
        started.send(step.step()).unwrap();
        resumed.lock().unwrap().recv().unwrap();
        execute_step(&step)
    });
    (was_started, resume)
}

#[test]
fn other_calls_do_not_wait_for_rotation_function() {
    let cloud = options().in_memory();
    let session = cloud.session();
    let (was_started, resume) = register_slow(&cloud);
    let secret = create(&session, "web", "old");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            secret.rotate().rotation_function_arn("slow").wait().unwrap();
            try_value(&session, "web").unwrap()
        });
        assert_eq!(was_started.recv().unwrap(), Step::CreateSecret);
        assert_eq!(value(&session, "web"), "old", "other calls do not wait for the function");
        create(&session, "another", "x");
        (0..4).for_each(|_| resume.send(()).unwrap());
        assert!(first.join().unwrap().starts_with("new "), "the call that triggered the function waits");
    });
}

#[test]
fn function_of_a_driven_cloud_delays_no_call() {
    let cloud = options().in_memory();
    let (driving, is_driving) = mpsc::channel();
    let driven = cloud.clone();
    let pause = move |_| {
        // The test does not wait for later pauses.
        let _ = driving.send(());
        std::future::pending::<()>()
    };
    std::thread::spawn(move || nephos_core::wait(driven.drive(pause)));
    is_driving.recv().unwrap();
    let session = cloud.session();
    let (was_started, resume) = register_slow(&cloud);
    let secret = create(&session, "web", "old");
    secret.rotate().rotation_function_arn("slow").wait().unwrap();
    assert_eq!(was_started.recv().unwrap(), Step::CreateSecret);
    assert_eq!(value(&session, "web"), "old");
    create(&session, "another", "x");
    for step in [Step::SetSecret, Step::TestSecret, Step::FinishSecret] {
        resume.send(()).unwrap();
        assert_eq!(was_started.recv().unwrap(), step);
    }
    resume.send(()).unwrap();
}

#[test]
fn fork_rotates_independently() {
    let (cloud, log) = cloud_with(|_, _| false);
    let secret = create(&cloud.session(), "web", "old");
    let fork = cloud.fork().unwrap();
    Secret::objects(&fork.session()).rotate("web").rotation_function_arn("renew").wait().unwrap();
    assert!(
        value(&fork.session(), "web").starts_with("new "),
        "the function receives the session of the fork"
    );
    assert_eq!(steps(&log).len(), 4);
    assert_eq!(value(&cloud.session(), "web"), "old");
    secret.rotate().rotation_function_arn("renew").wait().unwrap();
    assert!(value(&cloud.session(), "web").starts_with("new "));
    assert_eq!(steps(&log).len(), 8);
}

#[test]
fn unknown_rotation_token_is_refused() {
    let cloud = options().in_memory();
    create(&cloud.session(), "web", "old");
    let set = Secret::objects(&cloud.session()).set_value("web").secret_string("x");
    let error = set.rotation_token("00000000-0000-4000-8000-000000000000").wait().unwrap_err();
    assert_eq!((error.code(), error.field()), ("InvalidRequestException", Some("RotationToken")));
}
