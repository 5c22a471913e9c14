//! Cost of calls on the cloud, as ratios within one run where there is a baseline.
//!
//! `cargo bench -p nephos` prints one markdown table. After `--`, `--quick` selects small sizes and few rounds; `small`,
//! `secrets`, `keys`, `events`, `pipelines`, `access`, `users`, `million`, `file` and `list` run these parts only. `list FILE` writes the time of a listing there, for `compare`.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

#[path = "../../nephos-store/benches/measure/mod.rs"]
#[allow(dead_code, reason = "used by the benchmark of the store")]
mod measure;

#[path = "cloud/events.rs"]
mod events;
#[path = "cloud/keys.rs"]
mod keys;
#[path = "cloud/pipelines.rs"]
mod pipelines;

use measure::{Table, Target, alone, cpu_each, pair, wall, wall_each};
use nephos::{
    AccessKey, CallerIdentity, Cloud, Credentials, LogGroup, Permissions, Policy, Secret, Session, User,
    prelude::*,
};
use nephos_cloud::{AccessRequest, PolicyRules, PolicySet, Principal};
use nephos_store::{OpenOptions, Store};
use std::{env, fs, hint::black_box, path::Path, time::Instant};

/// The allocator of the `nephos` program, for both sides of a comparison.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Sizes {
    /// Groups of the large cloud.
    many: usize,
    rounds: usize,
    /// Calls in a round.
    calls: usize,
}

const FULL: Sizes = Sizes { many: 1_000_000, rounds: 9, calls: 2_000 };
const QUICK: Sizes = Sizes { many: 20_000, rounds: 3, calls: 300 };

/// Groups of the small cloud.
const FEW: usize = 1_000;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [first, path] = &*arguments
        && first == "list"
    {
        return fs::write(path, format!("{:.9}", list(10_000).as_secs_f64()))
            .expect("the file can be written");
    }
    let sizes = if arguments.iter().any(|argument| argument == "--quick") { QUICK } else { FULL };
    let parts: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-')).collect();
    let is_selected = |part| parts.is_empty() || parts.contains(&part);
    let folder =
        tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder can be created");

    let mut table = Table::default();
    if is_selected("small") {
        small(&mut table, &sizes);
    }
    if is_selected("secrets") {
        secrets(&mut table, &sizes, folder.path());
    }
    if is_selected("keys") {
        keys::operations(&mut table, &sizes);
        keys::writers(&mut table, &sizes);
    }
    if is_selected("events") {
        events::rules(&mut table, &sizes);
        events::delivery(&mut table, &sizes);
    }
    if is_selected("pipelines") {
        pipelines::executions(&mut table, &sizes);
    }
    if is_selected("access") {
        evaluation(&mut table, &sizes);
        access(&mut table, &sizes);
    }
    if is_selected("users") {
        users(&mut table, &sizes);
    }
    if is_selected("million") {
        million(&mut table, &sizes, folder.path());
    }
    if is_selected("file") {
        durable(&mut table, &sizes, folder.path());
    }
    println!("{table}");
}

/// Returns the name of the `n`th group; groups are created in mixed order.
fn name(n: usize, of: usize) -> String {
    let mixed = (n * 7919 + 13) % of;
    format!("/team-{:02}/service-{:04}/part-{mixed:07}", mixed % 37, mixed % 1013)
}

fn fill(cloud: &Cloud, groups: usize) {
    let session = cloud.session();
    for n in 0..groups {
        create(&session, &name(n, groups));
    }
}

fn create(session: &Session, name: &str) {
    let group =
        LogGroup::builder().log_group_name(name).retention_in_days(30).build().expect("the group is valid");
    LogGroup::objects(session).create(&group).wait().expect("the group is new");
}

fn page(session: &Session) {
    let groups = LogGroup::objects(session).list().results();
    black_box(groups.first().wait().expect("the cloud answers").expect("the cloud has groups"));
}

fn search(session: &Session, pattern: &str) {
    let groups = LogGroup::objects(session).list().log_group_name_pattern(pattern).results();
    black_box(groups.first().wait().expect("the cloud answers"));
}

fn small(table: &mut Table, sizes: &Sizes) {
    let cloud = Cloud::in_memory();
    fill(&cloud, FEW);
    let session = cloud.session();
    let names: Vec<_> = (0..FEW).map(|n| name(n, FEW)).collect();
    let get = || {
        cpu_each(sizes.calls, |n| {
            let group =
                LogGroup::objects(&session).get(names[n % FEW].as_str()).wait().expect("the cloud answers");
            black_box(group.expect("the resource exists"));
        })
    };
    table.alone("get in memory (CPU)", alone(sizes.rounds, get), Target::Below(3e-6));
    let mut round = 0;
    let make = || {
        round += 1;
        cpu_each(sizes.calls, |n| create(&session, &format!("/new/{round}/{n}")))
    };
    table.alone("create in memory, with retention (CPU)", alone(sizes.rounds, make), Target::Below(12e-6));
    let pages = || cpu_each(sizes.calls / 10, |_| page(&session));
    table.alone("page of 50 in memory (CPU)", alone(sizes.rounds, pages), Target::Below(40e-6));
}

/// Reads secret values: lookup, decryption, and the check of the last access date.
fn secrets(table: &mut Table, sizes: &Sizes, folder: &Path) {
    let file = Cloud::open(folder.join("secrets.redb")).expect("the file can be created");
    for (storage, cloud) in [("in memory", Cloud::in_memory()), ("in a file", file)] {
        let session = cloud.session();
        let names: Vec<_> = (0..100).map(|n| format!("team-{n}/database")).collect();
        for name in &names {
            let secret =
                Secret::builder().name(name).tags([("team", "web")]).build().expect("the secret is valid");
            let value = format!("{{\"username\": \"web\", \"password\": \"{name}\"}}");
            Secret::objects(&session).create(&secret).secret_string(value).wait().expect("the secret is new");
        }
        let read = || {
            cpu_each(sizes.calls, |n| {
                let value = Secret::objects(&session).get_value(names[n % names.len()].as_str()).wait();
                black_box(value.expect("the resource exists"));
            })
        };
        let target = if storage == "in memory" { Target::Below(15e-6) } else { Target::Information };
        table.alone(&format!("get_value {storage} (CPU)"), alone(sizes.rounds, read), target);
    }
}

/// Compares calls of a user whose policies are enforced with those of a cloud that enforces nothing.
fn access(table: &mut Table, sizes: &Sizes) {
    let [off, enforced] = [Permissions::Off, Permissions::Enforce].map(|permissions| {
        let cloud = Cloud::options().permissions(permissions).in_memory();
        let session = cloud.session();
        fill(&cloud, FEW);
        let user = User::builder().user_name("ann").build().expect("the user is valid");
        User::objects(&session).create(&user).wait().expect("the user is new");
        for policy in 0..10 {
            let statement = |n: usize| {
                format!(
                    r#"{{"Effect":"Allow","Action":"logs:Describe*","Resource":"arn:aws:logs:*:*:log-group:/team-{policy}{n}/*"}}"#
                )
            };
            let statements: Vec<_> = (0..20).map(statement).collect();
            let last = r#"{"Effect":"Allow","Action":"logs:*","Resource":"*"}"#;
            let document = format!(r#"{{"Version":"2012-10-17","Statement":[{},{last}]}}"#, statements.join(","));
            let name = format!("policy-{policy}");
            let policy = Policy::builder().policy_name(&name).build().expect("the policy is valid");
            let policy = Policy::objects(&session).create(&policy, document).wait().expect("the policy is new");
            let arn = policy.require_arn().expect("the policy has an ARN").to_owned();
            User::objects(&session).attach_policy("ann", arn).wait().expect("the policy can be attached");
        }
        let key = AccessKey::objects(&session).create().user_name("ann").wait().expect("the user has no key");
        let credentials = Credentials {
            access_key_id: key.access_key_id().expect("a key has an ID").into(),
            secret_access_key: key.secret_access_key().expect("a new key has its secret").clone(),
            session_token: None,
            expiration: None,
        };
        (cloud.session().with_credentials(credentials), cloud)
    });
    let identity = |session: &Session| {
        let session = session.clone();
        move || {
            cpu_each(sizes.calls, |_| {
                black_box(CallerIdentity::objects(&session).get().wait().expect("the cloud answers"));
            })
        }
    };
    let measured = pair(sizes.rounds, identity(&enforced.0), identity(&off.0));
    table.pair("identity of a caller, enforced / off (CPU)", measured, Target::RatioAtMost(1.15));
    let pages = |session: &Session| {
        let session = session.clone();
        move || cpu_each(sizes.calls / 10, |_| page(&session))
    };
    let measured = pair(sizes.rounds, pages(&enforced.0), pages(&off.0));
    table.pair(
        "page of 50 with ten policies of 21 statements, enforced / off (CPU)",
        measured,
        Target::Information,
    );
}

/// Evaluates ten policies of twenty statements, of which the last one allows the request.
fn evaluation(table: &mut Table, sizes: &Sizes) {
    let rules = PolicyRules::new("PolicyDocument", |reason| panic!("{reason}"));
    let policy = |policy: usize| {
        let statement = |n: usize| {
            let team = if (policy, n) == (9, 19) { "*".to_owned() } else { format!("team-{policy}-{n}/*") };
            format!(
                r#"{{"Effect":"Allow","Action":["logs:Describe*","logs:Get*"],"Resource":"arn:aws:logs:*:123456789012:log-group:/{team}"}}"#
            )
        };
        let statements: Vec<_> = (0..20).map(statement).collect();
        let document = format!(r#"{{"Version":"2012-10-17","Statement":[{}]}}"#, statements.join(","));
        rules.parse(&document).expect("the policy is valid")
    };
    let policies: Vec<_> = (0..10).map(policy).collect();
    let named = policies.iter().enumerate().map(|(n, policy)| (format!("policy-{n}").into(), policy));
    let set = PolicySet { identity: named.collect(), ..PolicySet::default() };
    let caller = Principal::new("123456789012", "arn:aws:iam::123456789012:user/ann");
    let resource = "arn:aws:logs:us-east-1:123456789012:log-group:/web/api";
    let request = AccessRequest::new(caller, "logs:DescribeLogGroups", resource);
    assert!(set.decide(&request).is_allowed, "the last statement allows the request");
    let decide = || {
        cpu_each(sizes.calls, |_| {
            black_box(set.decide(black_box(&request)));
        })
    };
    table.alone(
        "decision over ten policies of twenty statements (CPU)",
        alone(sizes.rounds, decide),
        Target::Below(10e-6),
    );
}

/// Compares pages of many users with pages of few.
fn users(table: &mut Table, sizes: &Sizes) {
    let fill = |users: usize| {
        let cloud = Cloud::options().quotas(false).in_memory();
        let session = cloud.session();
        for n in 0..users {
            let user = User::builder().user_name(format!("user-{:07}", (n * 7919 + 13) % users)).build();
            User::objects(&session)
                .create(&user.expect("the user is valid"))
                .wait()
                .expect("the user is new");
        }
        cloud
    };
    let (few, many) = (fill(FEW), fill(sizes.many));
    let pages = |cloud: &Cloud| {
        let session = cloud.session();
        move || {
            cpu_each(sizes.calls / 10, |_| {
                let first = User::objects(&session).list().results().first().wait();
                black_box(first.expect("the cloud answers").expect("the cloud has users"));
            })
        }
    };
    let measured = pair(sizes.rounds, pages(&many), pages(&few));
    table.pair("page of 100 of many users / of a thousand (CPU)", measured, Target::RatioAtMost(1.5));
}

fn million(table: &mut Table, sizes: &Sizes, folder: &Path) {
    let few = Cloud::in_memory();
    fill(&few, FEW);
    let many = Cloud::in_memory();
    let filled = wall(|| fill(&many, sizes.many));
    table.alone(&format!("create {} groups in memory", sizes.many), filled, Target::Information);
    let (few, session) = (few.session(), many.session());
    let pages = pair(
        sizes.rounds,
        || cpu_each(sizes.calls / 10, |_| page(&session)),
        || cpu_each(sizes.calls / 10, |_| page(&few)),
    );
    table.pair("page of 50 of many / of a thousand (CPU)", pages, Target::RatioAtMost(1.5));
    for (place, pattern) in [("everywhere", "vice"), ("in one name", "part-0000007"), ("nowhere", "part-x")] {
        let searched = alone(sizes.rounds, || wall_each(5, |_| search(&session, pattern)));
        table.alone(&format!("first page by a pattern found {place}"), searched, Target::Below(30e-3));
    }
    let all = alone(1, || {
        wall(|| {
            let count =
                LogGroup::objects(&session).list().results().count().wait().expect("the cloud answers");
            assert_eq!(count, sizes.many);
        })
    });
    table.alone("list all of them", all, Target::Information);

    let path = folder.join("many.redb");
    let saved = wall(|| many.save_to(&path, |_| ()).expect("the disk has space"));
    table.alone("save all of them to a file", saved, Target::Information);
    drop(many);
    let open = || {
        wall(|| {
            let cloud = Cloud::open(&path).expect("the file can be opened");
            let first = LogGroup::objects(&cloud.session())
                .get(name(7, sizes.many))
                .wait()
                .expect("the cloud answers");
            black_box(first.expect("the resource exists"));
        })
    };
    table.alone(
        "open a file of them until the first answer",
        alone(sizes.rounds, open),
        Target::Below(50e-3),
    );
    let cloud = Cloud::open(&path).expect("the file can be opened");
    let session = cloud.session();
    let searched = alone(sizes.rounds, || wall_each(3, |_| search(&session, "part-x")));
    table.alone("first page by a pattern found nowhere, in the file", searched, Target::Below(30e-3));
    let pages = alone(sizes.rounds, || cpu_each(sizes.calls / 10, |_| page(&session)));
    table.alone("page of 50 in the file (CPU)", pages, Target::Information);
}

/// Compares a durable create with a commit of the same rows to a bare store.
fn durable(table: &mut Table, sizes: &Sizes, folder: &Path) {
    let cloud = Cloud::open(folder.join("cloud.redb")).expect("the file can be created");
    fill(&cloud, FEW);
    let session = cloud.session();
    // The same rows as a create writes: equal sizes, and keys in the same order.
    let before = cloud.rows().expect("the cloud answers");
    create(&session, "/bare/0000");
    let written: Vec<_> =
        cloud.rows().expect("the cloud answers").into_iter().filter(|row| !before.contains(row)).collect();
    let store = OpenOptions::new().open(folder.join("bare.redb")).expect("the file can be created");
    put_all(&store, &before);
    let calls = sizes.calls / 50;
    let (mut ours_round, mut bare_round) = (0, 0);
    let pair = pair(
        sizes.rounds,
        || {
            ours_round += 1;
            wall_each(calls, |n| create(&session, &format!("/bare/{ours_round:04}/{n:04}")))
        },
        || {
            bare_round += 1;
            wall_each(calls, |n| {
                let rows = written.iter().map(|(key, value)| {
                    let mut key = key.clone();
                    // A create adds one row and changes the others.
                    if key.starts_with(b"logs/log-group") {
                        key.extend_from_slice(format!("{bare_round:04}/{n:04}").as_bytes());
                    }
                    (key, value.clone())
                });
                put_all(&store, &rows.collect::<Vec<_>>());
            })
        },
    );
    table.pair("durable create by one writer / bare commit of the same rows", pair, Target::RatioAtMost(1.5));
}

fn put_all(store: &Store, rows: &[(Vec<u8>, Vec<u8>)]) {
    let rows = rows.to_vec();
    let put = store.transact(move |txn| rows.iter().try_for_each(|(key, value)| txn.put(key, value)));
    put.wait().expect("the disk has space");
}

/// Measures a listing of `groups` log groups; returns the best of five.
fn list(groups: usize) -> std::time::Duration {
    let cloud = Cloud::in_memory();
    fill(&cloud, groups);
    let session = cloud.session();
    let once = || {
        let start = Instant::now();
        let found = LogGroup::objects(&session).list().results().all().wait().expect("the cloud answers");
        assert_eq!(found.len(), groups);
        start.elapsed()
    };
    (0..5).map(|_| once()).min().expect("five runs were measured")
}
