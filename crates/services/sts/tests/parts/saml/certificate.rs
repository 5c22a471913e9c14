//! Tests of `saml::certificate`.

use nephos_sts::parts::certificate::*;

#[test]
fn malformed_certificates_have_no_key() {
    let value = |tag: u8, content: &[u8]| [&[tag, content.len() as u8][..], content].concat();
    let key = value(SEQUENCE, &[5, 0]);
    let fields = [&value(2, &[1])[..], &value(SEQUENCE, &[]).repeat(4), &key].concat();
    let with_version = [&value(VERSION, &[2, 1, 2])[..], &fields].concat();
    for fields in [&fields, &with_version] {
        let certificate = value(SEQUENCE, &value(SEQUENCE, fields));
        assert_eq!(public_key(&certificate), Some(&key[..]));
        for length in 0..certificate.len() {
            assert_eq!(public_key(&certificate[..length]), None, "{length}");
        }
    }
    for wrong in [
        &[SEQUENCE, 0x80, 0, 0][..],
        &[SEQUENCE, 0x85, 0, 0, 0, 0, 1, 0],
        &[SEQUENCE, 0x84, 0xff, 0xff, 0xff, 0xff],
    ] {
        assert_eq!(public_key(wrong), None);
    }
}
