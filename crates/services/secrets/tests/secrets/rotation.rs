//! Rotation by functions that are registered with a cloud.

use super::{create, found, options, read, value};
use nephos_core::{Error, ErrorKind, SignedDuration, Timestamp, prelude::*};
use nephos_secrets::RotationFunctions as _;
use nephos_secrets::testing::Cloud;
use nephos_secrets::{CURRENT, PENDING, RotationRules, RotationStep, Secret, Step};
use std::sync::{Arc, Mutex, mpsc};

type Log = Arc<Mutex<Vec<String>>>;

const FUNCTION: &str = "arn:aws:lambda:us-east-1:123456789012:function:renew";

/// Carries out a step as a right function does: it copes with being asked twice.
fn carry_out(step: &RotationStep) -> nephos_core::Result<()> {
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

/// A cloud with a function that writes down its steps, and refuses those that `refuses` says.
fn cloud_with(refuses: impl Fn(&Step, usize) -> bool + Send + Sync + 'static) -> (Cloud, Log) {
    let cloud = options().in_memory();
    let log = Log::default();
    register(&cloud, &log, refuses);
    (cloud, log)
}

fn register(cloud: &Cloud, log: &Log, refuses: impl Fn(&Step, usize) -> bool + Send + Sync + 'static) {
    let (log, clock) = (log.clone(), cloud.clock());
    cloud.rotation_function("renew", move |step| {
        let told = {
            let mut log = log.lock().unwrap();
            log.push(format!("{} {}", clock.now(), step.step().as_str()));
            log.len()
        };
        if refuses(&step.step(), told) {
            return Err(Error::new(ErrorKind::Internal, "not now"));
        }
        carry_out(&step)
    });
}

fn steps(log: &Log) -> Vec<String> {
    log.lock().unwrap().iter().filter_map(|line| line.split(' ').nth(1).map(str::to_owned)).collect()
}

fn at(text: &str) -> Option<Timestamp> {
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
fn a_rotation_goes_through_its_steps_and_makes_a_new_current_version() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let rotated = secret.rotate().rotation_function_arn(FUNCTION).wait().unwrap();
    let token = rotated.version_id().expect("it makes a version").to_owned();
    assert_eq!(value(&session, "web"), format!("new {token}"), "it is done before the next call");
    assert_eq!(steps(&log), ALL);
    let told = found(&session, "web");
    assert_eq!((told.rotation_enabled(), told.rotation_function_arn()), (Some(true), Some(FUNCTION)));
    assert_eq!((told.last_rotated_date(), told.next_rotation_date()), (Some(cloud.clock().now()), None));
    let labels = told.secret_versions_to_stages().unwrap();
    assert_eq!(labels.get(token.as_str()).unwrap(), &[CURRENT], "nothing is pending any more");
    let previous = secret.get_value().version_stage("PROVIDERPREVIOUS").wait().unwrap();
    assert_eq!(previous.secret_string().unwrap().expose(), "old");

    let again = secret.rotate().client_request_token(token.as_str()).wait().unwrap();
    assert_eq!(again.version_id(), Some(token.as_str()));
    settle(&cloud);
    assert_eq!(steps(&log).len(), 4, "the same rotation asked for twice is one");
    secret.rotate().wait().unwrap();
    settle(&cloud);
    assert_eq!(steps(&log).len(), 8, "its function is known by now");
    assert_eq!(cloud.failed_work().unwrap(), []);
}

#[test]
fn all_steps_are_done_before_the_next_call_while_the_time_runs() {
    let (cloud, log) = (Cloud::in_memory(), Log::default());
    register(&cloud, &log, |_, _| false);
    create(&cloud.session(), "web", "old").rotate().rotation_function_arn("renew").wait().unwrap();
    assert!(value(&cloud.session(), "web").starts_with("new "));
    assert_eq!(steps(&log), ALL);
}

#[test]
fn a_step_that_fails_is_tried_again_and_the_current_value_stays() {
    let (cloud, log) = cloud_with(|step, told| *step == Step::TestSecret && told < 6);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    secret.rotate().rotation_function_arn("renew").wait().unwrap();
    settle(&cloud);
    assert_eq!(steps(&log), ["createSecret", "setSecret", "testSecret"]);
    assert_eq!(value(&session, "web"), "old");
    assert!(read(&session, "web").is_ok());
    let refused = secret.rotate().wait().unwrap_err();
    assert_eq!(refused.code(), "InvalidRequestException", "the first one is not complete");
    cloud.clock().advance(SignedDuration::from_secs(59)).unwrap();
    assert_eq!(steps(&log).len(), 3, "not yet");
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
fn a_function_that_says_it_is_done_and_is_not_is_asked_again() {
    let cloud = options().in_memory();
    cloud.rotation_function("lazy", |_| Ok(()));
    let session = cloud.session();
    create(&session, "web", "old").rotate().rotation_function_arn("lazy").wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(12)).unwrap();
    let told = found(&session, "web");
    assert_eq!((told.last_rotated_date(), value(&session, "web").as_str()), (None, "old"));
    let log = Log::default();
    register(&cloud, &log, |_, _| false);
    cloud.rotation_function("lazy", |step| {
        // It has not been made in the first step, so it is made in the last.
        let secrets = Secret::objects(step.session());
        let put = secrets.set_value(step.secret_id()).client_request_token(step.client_request_token());
        put.secret_string("late").wait().map(drop)
    });
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    assert_eq!(value(&session, "web"), "late");
}

#[test]
fn a_panic_in_a_function_is_a_failure_like_any_other() {
    let cloud = options().in_memory();
    let (tell, told) = mpsc::channel();
    cloud.rotation_function("rash", move |_| {
        tell.send(()).unwrap();
        panic!("oh no")
    });
    let session = cloud.session();
    create(&session, "web", "old").rotate().rotation_function_arn("rash").wait().unwrap();
    settle(&cloud);
    assert_eq!((told.try_iter().count(), value(&session, "web").as_str()), (1, "old"));
    cloud.clock().advance(SignedDuration::from_mins(1)).unwrap();
    assert_eq!(told.try_iter().count(), 1, "it is asked again");
}

#[test]
fn a_schedule_rotates_again_and_again() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let daily = RotationRules::builder().automatically_after_days(10).build().unwrap();
    secret.rotate().rotation_function_arn("renew").rotation_rules(daily).wait().unwrap();
    settle(&cloud);
    let told = found(&session, "web");
    assert_eq!(told.next_rotation_date(), at("2026-02-11T00:00:00Z"), "the end of the day is the latest");
    cloud.clock().advance(SignedDuration::from_hours(24 * 35)).unwrap();
    let began: Vec<_> =
        log.lock().unwrap().iter().filter(|line| line.ends_with("createSecret")).cloned().collect();
    let expected =
        ["2026-01-31T12:00:00Z", "2026-02-10T00:00:00Z", "2026-02-20T00:00:00Z", "2026-03-02T00:00:00Z"];
    assert_eq!(began, expected.map(|time| format!("{time} createSecret")), "each at its own time");
    let told = found(&session, "web");
    assert_eq!(told.last_rotated_date(), at("2026-03-02T00:00:00Z"));
    assert_eq!(told.next_rotation_date(), at("2026-03-13T00:00:00Z"));
    assert_eq!(told.rotation_rules().unwrap().automatically_after_days(), Some(10));

    secret.rotate().rotation_rules(rules("cron(0 8 1 * ? *)")).wait().unwrap();
    settle(&cloud);
    let told = found(&session, "web");
    assert_eq!(told.next_rotation_date(), at("2026-04-02T00:00:00Z"));
    assert_eq!(told.rotation_rules().unwrap().automatically_after_days(), Some(25));
    cloud.clock().set(at("2026-04-01T08:00:00Z").unwrap()).unwrap();
    assert_eq!(found(&session, "web").last_rotated_date(), at("2026-04-01T08:00:00Z"));
    secret.rotate().rotation_rules(rules("rate(6 hours)")).rotate_immediately(true).wait().unwrap();
    settle(&cloud);
    assert_eq!(found(&session, "web").next_rotation_date(), at("2026-04-01T15:00:00Z"));
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(found(&session, "web").last_rotated_date(), at("2026-04-02T08:00:00Z"));
    assert_eq!(cloud.failed_work().unwrap(), []);
}

#[test]
fn a_rotation_that_fails_all_through_its_window_is_taken_up_in_the_next() {
    let (cloud, log) = cloud_with(|step, told| *step == Step::SetSecret && told < 20);
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
    cloud.clock().set(at("2026-02-01T12:00:00Z").unwrap()).unwrap();
    // At 8:00, and after pauses of 1, 2, 4, 8, 16 minutes; 32 more would be too late.
    let tried = log.lock().unwrap().iter().filter(|line| line.ends_with("setSecret")).count();
    assert_eq!(tried, 6);
    assert_eq!(value(&session, "web"), "old");
    let pending = secret.get_value().version_stage(PENDING).wait().unwrap();
    let told = found(&session, "web");
    assert_eq!(told.next_rotation_date(), at("2026-02-02T09:00:00Z"));
    log.lock().unwrap().extend(vec![String::new(); 20]);
    cloud.clock().set(at("2026-02-02T08:00:00Z").unwrap()).unwrap();
    let current = secret.get_value().wait().unwrap();
    assert_eq!(current.version_id(), pending.version_id(), "with the same version");
}

#[test]
fn a_rotation_for_later_is_only_tested_now() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let before = found(&session, "web");
    let later = secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(2 days)"));
    assert_eq!(later.rotate_immediately(false).wait().unwrap().version_id(), None);
    settle(&cloud);
    assert_eq!(steps(&log), ["testSecret"]);
    let after = found(&session, "web");
    assert_eq!(
        after.secret_versions_to_stages(),
        before.secret_versions_to_stages(),
        "nothing is left of it"
    );
    assert_eq!((after.last_rotated_date(), after.next_rotation_date()), (None, at("2026-02-03T00:00:00Z")));
    cloud.clock().set(at("2026-02-02T00:00:00Z").unwrap()).unwrap();
    assert_eq!(steps(&log)[1..], ALL);
}

#[test]
fn a_cancelled_rotation_goes_no_further() {
    let (cloud, log) = cloud_with(|step, _| *step == Step::SetSecret);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    let rotated =
        secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(1 day)")).wait().unwrap();
    settle(&cloud);
    let cancelled = secret.cancel_rotation().wait().unwrap();
    assert_eq!(cancelled.version_id(), rotated.version_id());
    let asked = steps(&log).len();
    cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
    assert_eq!(steps(&log).len(), asked);
    let told = found(&session, "web");
    assert_eq!((told.rotation_enabled(), told.next_rotation_date()), (Some(false), None));
    assert_eq!(told.rotation_function_arn(), Some("renew"), "it can be turned on again");
    assert_eq!(value(&session, "web"), "old");
    secret.cancel_rotation().wait().unwrap();
    assert_eq!(secret.rotate().wait().unwrap_err().code(), "InvalidRequestException", "a version is pending");
    secret.rotate().client_request_token(rotated.version_id().unwrap()).wait().unwrap();
    settle(&cloud);
    assert!(steps(&log).len() > asked, "the same rotation can be taken up again");
    secret.cancel_rotation().wait().unwrap();
    let label = Secret::objects(&session).update_version_stage("web", PENDING);
    label.remove_from_version_id(rotated.version_id().unwrap()).wait().unwrap();
    secret.rotate().wait().unwrap();
    assert_eq!(found(&session, "web").rotation_enabled(), Some(true));
}

#[test]
fn a_deleted_secret_is_not_rotated() {
    let (cloud, log) = cloud_with(|_, _| false);
    let session = cloud.session();
    let secret = create(&session, "web", "old");
    secret.rotate().rotation_function_arn("renew").rotation_rules(rules("rate(1 day)")).wait().unwrap();
    settle(&cloud);
    secret.delete().wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
    assert_eq!(steps(&log).len(), 4);
    secret.restore().wait().unwrap();
    assert_eq!(found(&session, "web").next_rotation_date(), at("2026-02-05T00:00:00Z"));
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(steps(&log).len(), 8, "what is restored is rotated again");
}

#[test]
fn many_secrets_are_rotated_one_after_the_other() {
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
fn replicas_follow_a_rotation() {
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
    assert_eq!(found(&elsewhere, "web").last_rotated_date(), Some(cloud.clock().now()));
    assert_eq!(found(&elsewhere, "web").rotation_enabled(), Some(true));
    found(&elsewhere, "web").stop_replication().wait().unwrap();
    assert_eq!(found(&elsewhere, "web").rotation_enabled(), None, "a secret of its own has no function yet");
}

#[test]
fn a_rotation_goes_on_when_the_cloud_is_opened_again() {
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
    assert_eq!(value(&cloud.session(), "web"), "old", "nobody has registered the function");
    register(&cloud, &log, |_, _| false);
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    assert!(value(&cloud.session(), "web").starts_with("new "));
    cloud.close().unwrap();
}

#[test]
fn others_can_call_while_a_function_is_being_asked() {
    let cloud = options().in_memory();
    let session = cloud.session();
    let (asked, was_asked) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel::<()>();
    let goes_on = Mutex::new(goes_on);
    cloud.rotation_function("slow", move |step| {
        asked.send(step.step()).unwrap();
        goes_on.lock().unwrap().recv().unwrap();
        carry_out(&step)
    });
    let secret = create(&session, "web", "old");
    secret.rotate().rotation_function_arn("slow").wait().unwrap();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| read(&session, "web").unwrap());
        assert_eq!(was_asked.recv().unwrap(), Step::CreateSecret);
        assert_eq!(value(&session, "web"), "old", "nobody waits for a function of somebody else");
        create(&session, "another", "x");
        (0..4).for_each(|_| go_on.send(()).unwrap());
        assert!(first.join().unwrap().starts_with("new "), "whoever asked it waits");
    });
}

#[test]
fn a_fork_rotates_by_itself() {
    let (cloud, log) = cloud_with(|_, _| false);
    create(&cloud.session(), "web", "old").rotate().rotation_function_arn("renew").wait().unwrap();
    let fork = cloud.fork().unwrap();
    assert!(value(&fork.session(), "web").starts_with("new "), "the function is given the fork's session");
    assert_eq!(steps(&log).len(), 4);
    assert!(value(&cloud.session(), "web").starts_with("new "));
    assert_eq!(steps(&log).len(), 8);
}

#[test]
fn a_token_of_another_rotation_is_refused() {
    let cloud = options().in_memory();
    create(&cloud.session(), "web", "old");
    let set = Secret::objects(&cloud.session()).set_value("web").secret_string("x");
    let error = set.rotation_token("00000000-0000-4000-8000-000000000000").wait().unwrap_err();
    assert_eq!((error.code(), error.field()), ("InvalidRequestException", Some("RotationToken")));
}
