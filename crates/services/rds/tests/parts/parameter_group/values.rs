//! Tests of `parameter_group::values`.

use nephos_rds::parts::values::*;

#[test]
fn numbers_are_in_values_and_ranges() {
    for (allowed, number, expected) in [
        ("0,20-100", 0, true),
        ("0,20-100", 19, false),
        ("1-75", 75, true),
        ("1-75", 76, false),
        ("-1-2147483647", -1, true),
        ("-1-2147483647", -2, false),
        ("", 5, true),
    ] {
        assert_eq!(is_in(allowed, number), expected, "{number} in {allowed}");
    }
    assert!(is_in("0.5-100", 0.5) && !is_in("0.5-100", 0.25));
}

#[test]
fn formulas_have_known_names() {
    for good in [
        "{DBInstanceClassMemory*3/4}",
        "LEAST({DBInstanceClassMemory/9531392},5000)",
        "GREATEST({log(DBInstanceClassMemory/805306368)*45},{DBInstanceVCPU/2})",
    ] {
        assert!(is_formula(good), "{good}");
    }
    for bad in ["5", "{Memory}", "{DBInstanceClassMemory", "DBInstanceClassMemory", "}{", "{DBInstanceVCPU;}"]
    {
        assert!(!is_formula(bad), "{bad}");
    }
}
