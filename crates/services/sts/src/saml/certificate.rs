//! Public keys of X.509 certificates.

/// Tag of a sequence in DER.
pub const SEQUENCE: u8 = 0x30;

/// Tag of the version of a certificate in DER.
pub const VERSION: u8 = 0xa0;

/// Number of fields between the version and the public key of a certificate: serial number, algorithm, issuer, validity and
/// subject.
const FIELDS_BEFORE_KEY: usize = 5;

/// A value in DER.
struct Der<'d> {
    tag: u8,
    /// The value without tag and length.
    content: &'d [u8],
    /// The value with tag and length.
    whole: &'d [u8],
}

/// Takes the first value of `input`.
fn take<'d>(input: &mut &'d [u8]) -> Option<Der<'d>> {
    let (&tag, rest) = input.split_first()?;
    let (&first, rest) = rest.split_first()?;
    // A length below 128 has one byte. Otherwise the first byte has the number of the bytes of the length.
    let (length, rest) = match usize::from(first).checked_sub(0x80) {
        None => (usize::from(first), rest),
        Some(size @ 1..=4) => {
            let (bytes, rest) = rest.split_at_checked(size)?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        Some(_) => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    let whole = &input[..input.len() - rest.len()];
    *input = rest;
    Some(Der { tag, content, whole })
}

/// Returns the public key of a certificate (`SubjectPublicKeyInfo`), both in DER.
pub fn public_key(mut certificate: &[u8]) -> Option<&[u8]> {
    let mut signed = take(&mut certificate).filter(|value| value.tag == SEQUENCE)?.content;
    let mut fields = take(&mut signed).filter(|value| value.tag == SEQUENCE)?.content;
    let mut key = take(&mut fields)?;
    // The version is not there in certificates of the first version.
    let before = if key.tag == VERSION { FIELDS_BEFORE_KEY + 1 } else { FIELDS_BEFORE_KEY };
    for _ in 0..before {
        key = take(&mut fields)?;
    }
    (key.tag == SEQUENCE).then_some(key.whole)
}
