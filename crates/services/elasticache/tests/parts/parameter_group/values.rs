//! Tests of `parameter_group::values`.

use nephos_elasticache::parts::values::*;

#[test]
fn numbers_are_in_values_and_ranges() {
    for (allowed, number, expected) in [
        ("0,20-", 0, true),
        ("0,20-", 19, false),
        ("0,20-", 1_000_000, true),
        ("1-75", 75, true),
        ("1-75", 76, false),
        ("-5,-4,-3,-2,-1,1-", -3, true),
        ("-5,-4,-3,-2,-1,1-", 0, false),
        ("-", -1, true),
    ] {
        assert_eq!(is_in(allowed, number), expected, "{number} in {allowed}");
    }
    assert!(is_in("1.01-100.00", 1.25));
    assert!(!is_in("1.01-100.00", 1.0));
}

#[test]
fn commands_are_renamed_in_pairs() {
    assert!(renames_commands("FLUSHALL gone keys none"));
    assert!(renames_commands(""));
    assert!(!renames_commands("FLUSHALL"));
    assert!(!renames_commands("CONFIG none"));
}
