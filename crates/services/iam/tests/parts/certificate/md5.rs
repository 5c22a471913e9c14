//! Tests of `certificate::md5`.

use nephos_iam::parts::md5::*;

#[test]
fn digests_are_those_of_the_standard() {
    for (text, expected) in [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ] {
        let found: String = digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, expected, "{text}");
    }
}
