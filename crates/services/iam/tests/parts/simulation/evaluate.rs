//! Tests of `simulation::evaluate`.

use nephos_iam::parts::evaluate::*;

#[test]
fn page_has_bounded_work() {
    assert_eq!(limit_page(100, 6144 * 10, 60), 100, "what people have fits");
    assert_eq!(limit_page(1000, 0, 0), 1000);
    for bytes in (0..=1_000_000).step_by(99_991) {
        for length in (0..=2048).step_by(256) {
            let size = usize::try_from(limit_page(1000, bytes, length)).unwrap();
            let work = size * bytes * (1 + length / WEIGHED_LENGTH);
            assert!(size == 1 || work <= MAX_PAGE_WORK, "{size} requests, {bytes} bytes, {length}");
        }
    }
}
