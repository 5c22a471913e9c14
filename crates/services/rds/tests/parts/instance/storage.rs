//! Tests of `instance::storage`.

use nephos_core::Result;
use nephos_rds::engine;
use nephos_rds::parts::storage::*;

fn read(engine: &str, given: GivenStorage<'_>) -> Result<Storage> {
    given.read(engine::find(engine).unwrap())
}

#[test]
fn operations_and_throughput_follow_from_type_and_size() {
    let given = GivenStorage { kind: None, size: Some(20), iops: None, throughput: None };
    let storage = |size, kind| GivenStorage { size: Some(size), kind, ..given };
    for (engine, given, expected) in [
        ("mysql", given, ("gp3", Some(3000), Some(125))),
        ("mysql", storage(400, None), ("gp3", Some(12_000), Some(500))),
        ("oracle-ee", storage(200, None), ("gp3", Some(12_000), Some(500))),
        ("sqlserver-ex", storage(1000, None), ("gp3", Some(3000), Some(125))),
        ("postgres", storage(20, Some("gp2")), ("gp2", None, None)),
        ("postgres", GivenStorage { size: Some(100), iops: Some(1000), ..given }, ("io1", Some(1000), None)),
    ] {
        let read = read(engine, given).unwrap();
        assert_eq!((read.kind.as_str(), read.iops, read.throughput), expected, "{engine} {given:?}");
    }
}

#[test]
fn changes_keep_what_is_not_given() {
    let engine = engine::find("mysql").unwrap();
    let nothing = GivenStorage { kind: None, size: None, iops: None, throughput: None };
    let current = |kind: &str, size, iops, throughput| Storage { kind: kind.into(), size, iops, throughput };
    for (before, given, after) in [
        (
            current("gp3", 20, Some(3000), Some(125)),
            GivenStorage { size: Some(21), ..nothing },
            current("gp3", 22, Some(3000), Some(125)),
        ),
        (
            current("gp3", 390, Some(3000), Some(125)),
            GivenStorage { size: Some(400), ..nothing },
            current("gp3", 429, Some(12_000), Some(500)),
        ),
        (
            current("gp3", 400, Some(15_000), Some(600)),
            GivenStorage { size: Some(500), ..nothing },
            current("gp3", 500, Some(15_000), Some(600)),
        ),
        (
            current("io1", 100, Some(1000), None),
            GivenStorage { kind: Some("gp3"), ..nothing },
            current("gp3", 100, Some(3000), Some(125)),
        ),
        (
            current("io1", 100, Some(1000), None),
            GivenStorage { size: Some(200), ..nothing },
            current("io1", 200, Some(1000), None),
        ),
    ] {
        assert_eq!(given.change(&before, engine).unwrap(), after, "{before:?} {given:?}");
    }
    let smaller = GivenStorage { size: Some(10), ..nothing };
    let error = smaller.change(&current("gp3", 20, None, None), engine).unwrap_err();
    assert_eq!(error.field(), Some("AllocatedStorage"));
}

#[test]
fn sizes_and_ratios_are_checked() {
    let given = GivenStorage { kind: Some("io1"), size: Some(100), iops: Some(1000), throughput: None };
    for (given, field) in [
        (GivenStorage { size: Some(99), ..given }, "AllocatedStorage"),
        (GivenStorage { size: None, ..given }, "AllocatedStorage"),
        (GivenStorage { iops: None, ..given }, "Iops"),
        (GivenStorage { iops: Some(5001), ..given }, "Iops"),
        (GivenStorage { kind: Some("gp2"), ..given }, "Iops"),
        (GivenStorage { kind: Some("gp3"), ..given }, "Iops"),
        (GivenStorage { kind: Some("gp9"), ..given }, "StorageType"),
        (GivenStorage { throughput: Some(500), ..given }, "StorageThroughput"),
    ] {
        assert_eq!(read("mysql", given).unwrap_err().field(), Some(field), "{given:?}");
    }
}
