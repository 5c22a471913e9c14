//! Tests of `protocol::blobs`.

use nephos_ecr::protocol::blobs::read_range;

#[test]
fn ranges_are_within_the_blob() {
    for (range, expected) in [
        ("0-0", Some((0, 0))),
        ("2-", Some((2, 9))),
        ("2-99", Some((2, 9))),
        ("-3", Some((7, 9))),
        ("-99", Some((0, 9))),
        ("10-", None),
        ("3-2", None),
        ("-0", None),
        ("a-b", None),
        ("5", None),
    ] {
        assert_eq!(read_range(range, 10), expected, "{range}");
    }
    assert_eq!(read_range("0-", 0), None);
}
