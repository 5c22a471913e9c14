//! Cost of calls on the cloud, as ratios within one run where there is a baseline.
//!
//! `cargo bench -p nephos` prints one markdown table. After `--`, `--quick` selects small sizes and few rounds; `small`,
//! `secrets`, `million`, `file` and `list` run these parts only. `list FILE` writes the time of a listing there, for `compare`.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

#[path = "../../nephos-store/benches/measure/mod.rs"]
#[allow(dead_code, reason = "used by the benchmark of the store")]
mod measure;

use measure::{Table, Target, alone, cpu_each, pair, wall, wall_each};
use nephos::{Cloud, LogGroup, Secret, Session};
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
