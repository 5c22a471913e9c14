//! Several clouds on one database, as several servers have them.

use nephos::{
    Clock, Cloud, CloudKey, CloudOptions, ErrorKind, Kernel, LogGroup, Permissions, Secret, Session,
    SignedDuration,
    prelude::*,
    services::secrets::{CURRENT, PENDING, Step},
    wait,
};
use nephos_store_testing::postgres::Server;
use std::{
    collections::HashMap,
    future::{Future, poll_fn},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    thread,
    time::Duration,
};

fn options() -> CloudOptions {
    Cloud::options().key(CloudKey::new([7; 32]))
}

fn clouds<const N: usize>(server: &Server) -> [Cloud; N] {
    std::array::from_fn(|_| options().connect(&server.url("cloud")).unwrap())
}

#[test]
fn clock_that_differs_from_that_of_the_database_is_known() {
    let Some(server) = Server::start() else { return };
    let difference = |by: SignedDuration| {
        let clock = Clock::system();
        clock.advance(by);
        options().clock(clock).connect(&server.url("cloud")).unwrap().clock_difference().unwrap()
    };
    assert_eq!(difference(SignedDuration::ZERO), None);
    let ahead = difference(SignedDuration::from_hours(3)).unwrap();
    assert!(ahead > SignedDuration::from_hours(2), "{ahead:#}");
    let ahead = difference(SignedDuration::from_hours(-3)).unwrap();
    assert!(ahead < SignedDuration::from_hours(-2), "{ahead:#}");
    assert_eq!(Cloud::in_memory().clock_difference().unwrap(), None);
}

fn group(name: &str) -> LogGroup {
    LogGroup::builder().log_group_name(name).build().unwrap()
}

#[test]
fn any_server_answers_any_call() {
    let Some(server) = Server::start() else { return };
    let [one, other] = clouds(&server);
    let sessions = [one.session(), other.session()];
    for number in 0..40 {
        let name = format!("/group/{number:02}");
        LogGroup::objects(&sessions[number % 2]).create(&group(&name)).wait().unwrap();
        assert!(LogGroup::objects(&sessions[(number + 1) % 2]).get(name).wait().unwrap().is_some());
    }
    // A page token of one server is valid at the other one.
    let mut token = None;
    let mut found = 0;
    for page in 0.. {
        let next =
            LogGroup::objects(&sessions[page % 2]).list().limit(7).page(token.as_deref()).wait().unwrap();
        found += next.items.len();
        token = next.next_token.map(|token| token.to_string());
        if token.is_none() {
            break;
        }
    }
    assert_eq!(found, 40);
}

#[test]
fn clock_and_settings_are_those_of_all_servers() {
    let Some(server) = Server::start() else { return };
    let [one, other] = clouds(&server);
    let secrets = |cloud: &Cloud| Secret::objects(&cloud.session());
    let secret = Secret::builder().name("web").build().unwrap();
    secrets(&one).create(&secret).secret_string("hidden").wait().unwrap();
    assert_eq!(secrets(&other).get_value("web").wait().unwrap().secret_string().unwrap().expose(), "hidden");
    secrets(&one).delete("web").recovery_window_in_days(7).wait().unwrap();
    // Both advance the clock, and neither change is lost.
    let before = one.clock().now();
    for day in 0..8 {
        let cloud = if day % 2 == 0 { &one } else { &other };
        cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    }
    let elapsed = one.clock().now().duration_since(before);
    assert!(
        elapsed >= SignedDuration::from_hours(8 * 24) && elapsed < SignedDuration::from_hours(9 * 24),
        "{elapsed}"
    );
    assert!(other.clock().now() >= one.clock().now() - SignedDuration::from_secs(60));
    for cloud in [&one, &other] {
        assert!(secrets(cloud).get("web").wait().unwrap().is_none(), "its recovery window has ended");
    }
    other.clock().freeze().unwrap();
    assert!(one.clock().now() == one.clock().now() && one.clock().is_frozen());
    one.set_permissions(Permissions::Enforce).unwrap();
    LogGroup::objects(&other.session()).list().results().count().wait().unwrap();
    assert_eq!(other.permissions(), Permissions::Enforce, "since its next call");
}

#[test]
fn servers_need_the_same_key() {
    let Some(server) = Server::start() else { return };
    let url = server.url("cloud");
    let keyless = Cloud::connect(&url).unwrap();
    LogGroup::objects(&keyless.session()).create(&group("/a")).wait().unwrap();
    let secret = Secret::builder().name("web").build().unwrap();
    let refused = Secret::objects(&keyless.session()).create(&secret).secret_string("x").wait().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Denied, "{refused}");
    let first = options().connect(&url).unwrap();
    let other = Cloud::options().key(CloudKey::new([8; 32])).connect(&url).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Denied, "{other}");
    assert_eq!(Cloud::connect(&url).unwrap_err().kind(), ErrorKind::Denied);
    Secret::objects(&first.session()).create(&secret).secret_string("x").wait().unwrap();
}

#[test]
fn fork_is_a_copy() {
    let Some(server) = Server::start() else { return };
    let [cloud] = clouds(&server);
    let groups = |cloud: &Cloud| LogGroup::objects(&cloud.session());
    groups(&cloud).create(&group("/a")).wait().unwrap();
    let fork = cloud.fork().unwrap();
    groups(&fork).create(&group("/b")).wait().unwrap();
    groups(&cloud).delete("/a").wait().unwrap();
    let names = |cloud: &Cloud| groups(cloud).list().results().all().wait().unwrap().len();
    assert_eq!((names(&fork), names(&cloud)), (2, 0));
    let preview = groups(&cloud).create(&group("/c")).preview().wait().unwrap();
    assert!(!preview.changes.is_empty() && names(&cloud) == 0);
}

/// Interval at which a server looks at the lease.
const BEAT: Duration = Duration::from_secs(1);

/// A server that runs due work and callbacks until it is stopped, without giving back its lease.
struct Driven {
    cloud: Cloud,
    life: Arc<Life>,
}

/// Signs of life of a server that is driven.
#[derive(Default)]
struct Life {
    /// Number of its looks at the lease.
    beats: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Life {
    /// A pause of 20 ms, however long it should be. With a `holder` of the lease, it also lasts until that has looked at the lease
    /// meanwhile, or is stopped: on a busy machine, a holder that is slow would be taken for dead.
    fn pause(
        self: &Arc<Self>,
        length: Duration,
        holder: Option<&Arc<Self>>,
    ) -> impl Future<Output = ()> + use<> {
        let own = self.clone();
        let holder = holder.map(|holder| (holder.clone(), holder.beats.load(Ordering::Acquire)));
        let (is_over, mut is_started) = (Arc::new(AtomicBool::new(false)), false);
        poll_fn(move |task| {
            if is_over.load(Ordering::Acquire) {
                return Poll::Ready(());
            }
            if !std::mem::replace(&mut is_started, true) {
                let (waker, is_over, own, holder) =
                    (task.waker().clone(), is_over.clone(), own.clone(), holder.clone());
                thread::spawn(move || {
                    thread::park_timeout(Duration::from_millis(20));
                    // It looks after a pause and before the next, so two pauses have ended when it has looked for sure.
                    while holder.as_ref().is_some_and(|(holder, seen)| holder.is_alive_with(seen + 1)) {
                        thread::park_timeout(Duration::from_millis(5));
                    }
                    own.beats.fetch_add(usize::from(length == BEAT), Ordering::AcqRel);
                    is_over.store(true, Ordering::Release);
                    waker.wake();
                });
            }
            Poll::Pending
        })
    }

    /// True if it is not stopped and has ended at most `beats` pauses between looks.
    fn is_alive_with(&self, beats: usize) -> bool {
        !self.is_stopped.load(Ordering::Acquire) && self.beats.load(Ordering::Acquire) <= beats
    }
}

impl Driven {
    /// Starts it. With a `holder` of the lease, it does not overtake that.
    fn start(cloud: Cloud, holder: Option<&Self>) -> Self {
        let life = Arc::new(Life::default());
        let (kernel, own, holder) =
            (Kernel::from(cloud.clone()), life.clone(), holder.map(|holder| holder.life.clone()));
        thread::spawn(move || {
            let mut drive = std::pin::pin!(kernel.drive(|length| own.pause(length, holder.as_ref())));
            wait(poll_fn(|task| {
                if own.is_stopped.load(Ordering::Acquire) {
                    return Poll::Ready(());
                }
                drive.as_mut().poll(task).map(drop)
            }));
        });
        Self { cloud, life }
    }

    fn session(&self) -> Session {
        self.cloud.session()
    }
}

#[test]
fn callbacks_are_run_once_and_taken_over() {
    let Some(server) = Server::start() else { return };
    let calls = Arc::new(Mutex::new(HashMap::<String, Vec<usize>>::new()));
    let mut servers: Vec<Driven> = Vec::new();
    for (number, cloud) in clouds::<2>(&server).into_iter().enumerate() {
        let calls = calls.clone();
        cloud.rotation_function("renew", move |step| {
            let secrets = Secret::objects(step.session());
            let (id, token) = (step.secret_id(), step.client_request_token());
            calls.lock().unwrap().entry(format!("{id} {token} {:?}", step.step())).or_default().push(number);
            match step.step() {
                Step::CreateSecret => {
                    let put = secrets.set_value(id).client_request_token(token).version_stages([PENDING]);
                    put.secret_string("new").wait().map(drop)
                }
                Step::FinishSecret => {
                    let old = secrets.get_value(id).wait()?;
                    let stage = secrets.update_version_stage(id, CURRENT).move_to_version_id(token);
                    stage.remove_from_version_id(old.version_id().unwrap_or_default()).wait().map(drop)
                }
                _ => Ok(()),
            }
        });
        let driven = Driven::start(cloud, servers.first());
        // The first one is the holder.
        while driven.cloud.lease_holder().unwrap().is_none() {
            thread::yield_now();
        }
        servers.push(driven);
    }
    let rotate = |server: &Driven, name: &str| {
        let secrets = Secret::objects(&server.session());
        secrets.create(&Secret::builder().name(name).build().unwrap()).secret_string("old").wait().unwrap();
        secrets.rotate(name).rotation_function_arn("renew").wait().unwrap();
    };
    let wait_until_new = |server: &Driven, name: &str| {
        let value = || {
            Secret::objects(&server.session())
                .get_value(name)
                .wait()
                .unwrap()
                .secret_string()
                .unwrap()
                .expose()
                .to_owned()
        };
        while value() != "new" {
            thread::yield_now();
        }
    };
    for number in 0..6 {
        rotate(&servers[number % 2], &format!("secret-{number}"));
    }
    for number in 0..6 {
        wait_until_new(&servers[(number + 1) % 2], &format!("secret-{number}"));
    }
    let runners: Vec<usize> = calls.lock().unwrap().values().flatten().copied().collect();
    assert!(runners.iter().all(|runner| *runner == 0), "the holder runs all of them");
    assert!(calls.lock().unwrap().values().all(|runs| runs.len() == 1), "{calls:?}");

    // The holder dies. The other one takes the lease, and runs what is left.
    servers[0].life.is_stopped.store(true, Ordering::Release);
    let left = &servers[1];
    for number in 6..9 {
        rotate(left, &format!("secret-{number}"));
    }
    for number in 6..9 {
        wait_until_new(left, &format!("secret-{number}"));
    }
    let calls = calls.lock().unwrap();
    assert!(calls.values().all(|runs| runs.len() == 1), "{calls:?}");
    assert!(calls.values().flatten().any(|runner| *runner == 1));
}

#[test]
fn holder_that_was_thought_dead_is_fenced_off() {
    let Some(server) = Server::start() else { return };
    let [one, other] = clouds(&server);
    let calls = Arc::new(Mutex::new(Vec::new()));
    let other_session = other.session();
    let takes_over = Mutex::new(Some(other.clone()));
    for (name, cloud) in [("one", &one), ("other", &other)] {
        let calls = calls.clone();
        let takes_over = if name == "one" { takes_over.lock().unwrap().take() } else { None };
        let takes_over = Mutex::new(takes_over);
        cloud.rotation_function("renew", move |step| {
            calls.lock().unwrap().push((name, step.step()));
            if let Some(other) = takes_over.lock().unwrap().take() {
                // While the function runs, this server seems to be dead.
                let driven = Driven::start(other, None);
                let holder = driven.cloud.lease_holder().unwrap();
                while driven.cloud.lease_holder().unwrap() == holder {
                    thread::yield_now();
                }
                std::mem::forget(driven);
            }
            Ok(())
        });
    }
    let secrets = Secret::objects(&one.session());
    secrets.create(&Secret::builder().name("web").build().unwrap()).secret_string("old").wait().unwrap();
    secrets.rotate("web").rotation_function_arn("renew").wait().unwrap();
    while calls.lock().unwrap().iter().filter(|(name, _)| *name == "other").count() < 1 {
        LogGroup::objects(&other_session).list().results().count().wait().unwrap();
    }
    let calls = calls.lock().unwrap();
    let by_one = calls.iter().filter(|(name, _)| *name == "one").count();
    assert_eq!(by_one, 1, "its result was refused, and it ran no other step: {calls:?}");
    assert_eq!(calls[1], ("other", Step::CreateSecret), "the step runs again: {calls:?}");
}
