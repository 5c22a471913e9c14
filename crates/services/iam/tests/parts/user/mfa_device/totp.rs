//! Tests of `user::mfa_device::totp`.

use nephos_core::Timestamp;
use nephos_iam::parts::totp::*;

/// Test vectors of RFC 6238, with six digits.
#[test]
fn codes_are_those_of_the_standard() {
    let seed = b"12345678901234567890";
    let vectors = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];
    for (second, code) in vectors {
        let step = step_at(Timestamp::from_second(second).unwrap());
        assert_eq!(code_at(seed, step), code);
        assert_eq!(find_step(seed, step - 1..=step + 1, &[code]), Some(step));
        assert_eq!(find_step(seed, step - 1..=step + 1, &[code, &code_at(seed, step + 1)]), Some(step));
        assert_eq!(find_step(seed, step - 1..=step + 1, &[&code_at(seed, step + 1), code]), None);
    }
}

/// Test vectors of RFC 4648, without padding.
#[test]
fn base32_is_that_of_the_standard() {
    let vectors = [
        ("", ""),
        ("f", "MY"),
        ("fo", "MZXQ"),
        ("foo", "MZXW6"),
        ("foob", "MZXW6YQ"),
        ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ];
    for (seed, text) in vectors {
        assert_eq!(to_base32(seed.as_bytes()), text);
    }
}
