//! Tests of `schema::bindings::zip`.

use nephos_schemas::parts::zip::checksum;

#[test]
fn checksum_is_crc_32() {
    assert_eq!(checksum(b""), 0);
    assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
}
