//! Time of matching one event with 1, 1,000 and 100,000 rules of which one matches, as ratios within one run.
//!
//! `cargo bench -p nephos-events` prints one markdown table. After `--`, `--quick` selects few rules and rounds.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

#[path = "../../../nephos-store/benches/measure/mod.rs"]
#[allow(dead_code, reason = "used by the benchmark of the store")]
mod measure;

use measure::{Figure, Table, Target, alone, cpu_each, pair};
use nephos_core::{Value, json};
use nephos_events::pattern::{Event, Index, Pattern};
use std::{env, fs, hint::black_box};

/// The allocator of the `nephos` program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Form of rules, of which the event of [`event`] matches the one with number 0.
type Form = fn(usize) -> String;

/// Names and forms of rules.
const FORMS: [(&str, Form); 9] = [
    ("exact value", |n| format!(r#"{{"source":["shop"],"detail":{{"order":["order-{n}"]}}}}"#)),
    ("prefix", |n| format!(r#"{{"source":["shop"],"detail":{{"key":[{{"prefix":"team-{n}/"}}]}}}}"#)),
    ("suffix", |n| format!(r#"{{"source":["shop"],"detail":{{"key":[{{"suffix":"-{n}.json"}}]}}}}"#)),
    ("wildcard", |n| format!(r#"{{"source":["shop"],"detail":{{"key":[{{"wildcard":"*/job-{n}/*"}}]}}}}"#)),
    ("numeric", |n| {
        format!(r#"{{"source":["shop"],"detail":{{"total":[{{"numeric":[">=",{n},"<",{}]}}]}}}}"#, n + 1)
    }),
    ("cidr", |n| {
        let (first, second) = (n / 256 % 256, n % 256);
        format!(
            r#"{{"source":["shop"],"detail":{{"ip":[{{"cidr":"{}.{first}.{second}.0/24"}}]}}}}"#,
            10 + n / 65536
        )
    }),
    ("anything-but", |n| {
        format!(
            r#"{{"source":["shop"],"detail-type":[{{"anything-but":"x"}}],"detail":{{"order":["order-{n}"]}}}}"#
        )
    }),
    ("two shared values", |n| {
        let (order, state) = (n % 300, n / 300);
        let state = if state == 0 { "paid".to_owned() } else { format!("state-{state}") };
        format!(r#"{{"source":["shop"],"detail":{{"order":["order-{order}"],"state":["{state}"]}}}}"#)
    }),
    ("$or", |n| {
        format!(
            r#"{{"source":["shop"],"$or":[{{"detail":{{"order":["order-{n}"]}}}},{{"detail":{{"order":["or-{n}"]}}}}]}}"#
        )
    }),
];

fn event() -> Value {
    let text = r#"{"version": "0", "id": "6a7e8feb-b491-4cf7-a9f1-bf3703467718", "detail-type": "Order Paid",
        "source": "shop", "account": "111122223333", "time": "2017-12-22T18:43:48Z", "region": "us-west-1",
        "resources": ["arn:aws:shop:us-west-1:123456789012:order/order-0"],
        "detail": {"order": "order-0", "state": "paid", "total": 0.5, "currency": "EUR", "ip": "10.0.0.7",
            "key": "team-0/job-0/report-0.json", "items": [{"sku": "a", "count": 1}, {"sku": "b", "count": 2}]}}"#;
    json::parse(text.as_bytes()).expect("the event is JSON")
}

fn fill(rules: usize, form: Form) -> Index<usize> {
    let mut index = Index::default();
    // The rule that matches is added last, when the others have taken the best places.
    for rule in (0..rules).rev() {
        index.add(rule, &Pattern::parse(&form(rule)).expect("the pattern is valid"));
    }
    index
}

fn main() {
    let quick = env::args().any(|argument| argument == "--quick");
    let (many, rounds, events) = if quick { (10_000, 3, 500) } else { (100_000, 9, 5_000) };
    let mut table = Table::default();
    // First, while no memory was used before.
    changes(&mut table, many);
    let value = event();
    table.alone(
        "prepare an event of 16 values (CPU)",
        alone(rounds, || prepare(events, &value)),
        Target::Information,
    );
    for (name, form) in FORMS {
        let one = fill(1, form);
        for rules in [1_000, many] {
            let index = fill(rules, form);
            let label = format!("{name}: event with {rules} rules, against 1 (CPU)");
            let compared =
                pair(rounds, || one_event(events, &index, &value), || one_event(events, &one, &value));
            table.pair(&label, compared, Target::RatioAtMost(3.0));
            let label = format!("{name}: match alone, {rules} rules, against 1 (CPU)");
            let compared =
                pair(rounds, || match_alone(events, &index, &value), || match_alone(events, &one, &value));
            table.pair(&label, compared, Target::Information);
        }
    }
    worst_cases(&mut table, rounds, &value);
    println!("{table}");
}

fn prepare(events: usize, value: &Value) -> Figure {
    cpu_each(events, |_| {
        black_box(Event::prepare(black_box(value)));
    })
}

/// Prepares and matches an event.
fn one_event(events: usize, index: &Index<usize>, value: &Value) -> Figure {
    cpu_each(events, |_| {
        let event = Event::prepare(black_box(value)).expect("the event is an object");
        assert_eq!(black_box(index.matches(&event)), [&0]);
    })
}

fn match_alone(events: usize, index: &Index<usize>, value: &Value) -> Figure {
    let event = Event::prepare(value).expect("the event is an object");
    cpu_each(events, |_| assert_eq!(black_box(index.matches(black_box(&event))), [&0]))
}

/// Rules that most events match.
fn worst_cases(table: &mut Table, rounds: usize, value: &Value) {
    let forms: [(&str, Form); 2] = [
        ("1,000 rules with only anything-but, all match", |n| {
            format!(r#"{{"detail":{{"state":[{{"anything-but":"state-{n}"}}]}}}}"#)
        }),
        ("1,000 rules with only exists: false, all match", |n| {
            format!(r#"{{"detail":{{"field-{n}":[{{"exists":false}}]}}}}"#)
        }),
    ];
    for (name, form) in forms {
        let index = fill(1_000, form);
        let matched = || {
            cpu_each(50, |_| {
                let event = Event::prepare(value).expect("the event is an object");
                assert_eq!(black_box(index.matches(&event)).len(), 1_000);
            })
        };
        table.alone(&format!("{name} (CPU)"), alone(rounds, matched), Target::Information);
    }
}

/// Cost of adding and removing rules, and their memory.
fn changes(table: &mut Table, rules: usize) {
    let before = resident_bytes();
    let patterns: Vec<Pattern> =
        (0..rules).map(|n| Pattern::parse(&FORMS[0].1(n)).expect("it is valid")).collect();
    let bytes = resident_bytes().saturating_sub(before);
    table.alone("memory of a pattern", Figure::Bytes(bytes as f64 / rules as f64), Target::Information);
    let parse = || {
        cpu_each(1_000, |n| {
            black_box(Pattern::parse(&FORMS[0].1(n)).expect("it is valid"));
        })
    };
    table.alone("parse a pattern (CPU)", alone(5, parse), Target::Information);
    let before = resident_bytes();
    let mut index = Index::default();
    let add = cpu_each(rules, |n| index.add(n, &patterns[n]));
    let bytes = resident_bytes().saturating_sub(before);
    table.alone(&format!("add a rule, {rules} rules (CPU)"), add, Target::Information);
    table.alone(
        "memory of the index for a rule",
        Figure::Bytes(bytes as f64 / rules as f64),
        Target::Information,
    );
    let remove = cpu_each(rules, |n| assert!(index.remove(&n)));
    table.alone(&format!("remove a rule, {rules} rules (CPU)"), remove, Target::Information);
}

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").expect("Linux reports the memory of a process");
    let pages: u64 =
        text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("the second field is a number");
    pages * 4096
}
