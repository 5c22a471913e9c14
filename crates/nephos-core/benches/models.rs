//! Speed of models, measured on two records that `benches/pydantic/models.py` has, too: `Settings`, thirty short
//! values, and `Machine`, thirty fields, among them ARNs, instants, lists, a mapping and a nested record.
//!
//! `benches/compare` runs both and prints the ratios.

#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(missing_docs, reason = "nothing here is used from outside")]

use nephos_core::{
    Choice, Code, ErrorKind, Map, Predicate, Record, Resource, Results, Slot, Text, Timestamp,
    shape::ServiceShape,
};
use std::{hint::black_box, time::Instant};

/// The allocator of the programs that are built from this crate.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static INVALID: Code =
    Code { code: "Invalid", status: 400, kind: ErrorKind::Invalid, meaning: "A value is wrong.", texts: &[] };

static SERVICE: ServiceShape = ServiceShape {
    docs: "Machines.",
    kinds: &[Machine::KIND, Settings::KIND],
    codes: &[&INVALID],
    invalid: &INVALID,
    ..ServiceShape::named("bench")
};

/// State of a machine.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum State {
    /// Running.
    #[choice("RUNNING")]
    Running,
    /// Stopped.
    #[choice("STOPPED")]
    Stopped,
    /// Starting or stopping.
    #[choice("PENDING")]
    Pending,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// Endpoint of a machine.
#[derive(Record)]
#[record(hot)]
pub struct Endpoint {
    /// Host.
    #[field(required)]
    address: Option<Text>,
    /// Port.
    #[field(range(1..=65535))]
    port: Option<i64>,
}

/// A machine of thirty fields.
#[derive(Resource)]
#[resource(service = SERVICE, hot, name = "Name", arn = "Arn", pk = "Name")]
pub struct Machine {
    /// Name.
    #[field(required, length(1..=64), pattern = "[a-z][a-z0-9-]*")]
    name: Option<Text>,
    /// ARN.
    #[field(length(20..=2048))]
    arn: Option<Text>,
    /// Description.
    #[field(length(..=256))]
    description: Option<Text>,
    /// Class.
    #[field(required)]
    class: Option<Text>,
    /// Engine.
    #[field(required)]
    engine: Option<Text>,
    /// Version of the engine.
    #[field(pattern = r"[0-9]+(\.[0-9]+)*")]
    engine_version: Option<Text>,
    /// Zone.
    zone: Option<Text>,
    /// Network.
    network: Option<Text>,
    /// Key.
    key_id: Option<Text>,
    /// Owner.
    #[field(pattern = "[0-9]{12}")]
    owner: Option<Text>,
    /// Size.
    #[field(range(1..=65536))]
    size: Option<i64>,
    /// I/O operations per second.
    #[field(range(0..=100000))]
    iops: Option<i64>,
    /// Throughput.
    throughput: Option<i64>,
    /// Port.
    #[field(range(1..=65535))]
    port: Option<i64>,
    /// Retention.
    #[field(one_of(1, 3, 5, 7, 14, 30, 60, 90))]
    retention: Option<i64>,
    /// Tier.
    #[field(range(0..=15))]
    tier: Option<i64>,
    /// Encrypted.
    encrypted: Option<bool>,
    /// Protected.
    protected: Option<bool>,
    /// Public.
    public: Option<bool>,
    /// Load.
    load: Option<f64>,
    /// Cost.
    cost: Option<f64>,
    /// Created.
    created: Option<Timestamp>,
    /// Changed.
    changed_at: Option<Timestamp>,
    /// Restorable.
    restorable: Option<Timestamp>,
    /// State.
    state: Option<State>,
    /// Desired state.
    wanted: Option<State>,
    /// Groups.
    #[field(length(..=16))]
    groups: Option<Vec<Text>>,
    /// Zones.
    zones: Option<Vec<Text>>,
    /// Labels.
    labels: Option<Map<Text>>,
    /// Endpoint.
    endpoint: Option<Endpoint>,
    slot: Slot,
}

/// Settings of a machine: thirty fields of short values.
#[derive(Resource)]
#[resource(service = SERVICE, hot, name = "Name", pk = "Name")]
pub struct Settings {
    /// Name.
    #[field(required, length(1..=64), pattern = "[a-z][a-z0-9-]*")]
    name: Option<Text>,
    /// Class.
    #[field(required)]
    class: Option<Text>,
    /// Engine.
    #[field(required, length(1..=32))]
    engine: Option<Text>,
    /// Version of the engine.
    #[field(pattern = r"[0-9]+(\.[0-9]+)*")]
    engine_version: Option<Text>,
    /// Zone.
    zone: Option<Text>,
    /// Owner.
    #[field(pattern = "[0-9]{12}")]
    owner: Option<Text>,
    /// License.
    license: Option<Text>,
    /// Type of storage.
    storage: Option<Text>,
    /// Type of network.
    network: Option<Text>,
    /// Character set.
    charset: Option<Text>,
    /// Maintenance window.
    #[field(length(11..=11))]
    window: Option<Text>,
    /// Days of maintenance.
    days: Option<Text>,
    /// Size.
    #[field(range(1..=65536))]
    size: Option<i64>,
    /// Maximum size.
    #[field(range(1..=65536))]
    max_size: Option<i64>,
    /// I/O operations per second.
    #[field(range(0..=100000))]
    iops: Option<i64>,
    /// Throughput.
    throughput: Option<i64>,
    /// Port.
    #[field(range(1..=65535))]
    port: Option<i64>,
    /// Retention.
    #[field(one_of(1, 3, 5, 7, 14, 30, 60, 90))]
    retention: Option<i64>,
    /// Tier.
    #[field(range(0..=15))]
    tier: Option<i64>,
    /// Interval.
    interval: Option<i64>,
    /// Encrypted.
    encrypted: Option<bool>,
    /// Protected.
    protected: Option<bool>,
    /// Public.
    public: Option<bool>,
    /// Deployment in several zones.
    multi_az: Option<bool>,
    /// Automatic minor upgrades.
    minor: Option<bool>,
    /// Copying of tags to snapshots.
    copy_tags: Option<bool>,
    /// Performance insights.
    insights: Option<bool>,
    /// Dedicated hardware.
    dedicated: Option<bool>,
    /// State.
    state: Option<State>,
    /// Desired state.
    wanted: Option<State>,
    slot: Slot,
}

const MACHINE: &str = include_str!("pydantic/machine.json");
const SETTINGS: &str = include_str!("pydantic/settings.json");

fn main() {
    // `profile` decodes a fixed number of times, for tools that count instructions.
    if std::env::args().any(|argument| argument == "profile") {
        for _ in 0..2000 {
            drop(black_box(Settings::from_json(black_box(SETTINGS)).expect("valid settings")));
        }
        return;
    }
    let machine = Machine::from_json(MACHINE).expect("a valid machine");
    let settings = Settings::from_json(SETTINGS).expect("valid settings");
    report("decode_short", 400_000, || {
        drop(black_box(Settings::from_json(black_box(SETTINGS)).expect("valid settings")))
    });
    report("decode_long", 200_000, || {
        drop(black_box(Machine::from_json(black_box(MACHINE)).expect("a valid machine")))
    });
    report("encode_short", 500_000, || drop(black_box(black_box(&settings).to_json())));
    report("encode_long", 500_000, || drop(black_box(black_box(&machine).to_json())));
    let mut assigned = machine.clone();
    let mut n = 0_i64;
    report("assign_int", 5_000_000, || {
        n = (n + 1) % 60_000;
        assigned.set_size(black_box(n + 1)).expect("in range");
    });
    let names = ["alpha-1", "beta-22"];
    report("assign_text", 5_000_000, || {
        n += 1;
        assigned.set_name(black_box(names[n as usize % 2])).expect("a valid name");
    });
    report("assign_refused", 1_000_000, || {
        let _ = black_box(assigned.set_size(black_box(0_i64)));
    });
    filter(&machine);
}

/// Measures three lookups over many models.
fn filter(machine: &Machine) {
    const MODELS: usize = 100_000;
    let models: Vec<_> = (0..MODELS)
        .map(|n| {
            let mut one = machine.clone();
            one.set_size(n as i64 % 1000 + 1).expect("in range");
            one
        })
        .collect();
    let results = Results::from_models(models);
    let predicate = Predicate::parse("Size__gte", 500).expect("a valid lookup")
        & Predicate::parse("Name__startswith", "db").expect("a valid lookup")
        & Predicate::parse("Created__year", 2026).expect("a valid lookup");
    let started = Instant::now();
    let found = results.filter(predicate).count().wait().expect("the models are in memory");
    let each = started.elapsed().as_nanos() as f64 / MODELS as f64;
    assert!(found > 0 && found < MODELS, "the filter must accept some models, accepted {found}");
    println!("filter {each:.1}");
}

/// Prints the nanoseconds of one run of `work`, in the best of five rounds.
fn report(name: &str, times: u32, mut work: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        for _ in 0..times / 5 {
            work();
        }
        best = best.min(started.elapsed().as_nanos() as f64 / f64::from(times / 5));
    }
    println!("{name} {best:.1}");
}
