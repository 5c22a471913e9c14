//! Objects in buckets: CA certificates bundles and revocation files. Buckets are not emulated: an object is assumed to
//! exist if a bucket can have that name.

use nephos_cloud::Scope;
use nephos_core::Text;
use std::fmt::Write;

/// True if a bucket can have the name: 3 to 63 small letters, digits, hyphens and dots, with a letter or digit at both ends.
pub fn is_bucket_name(name: &str) -> bool {
    let is_letter_or_digit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (3..=63).contains(&name.len())
        && name.bytes().all(|byte| is_letter_or_digit(byte) || b"-.".contains(&byte))
        && [name.bytes().next(), name.bytes().next_back()].into_iter().flatten().all(is_letter_or_digit)
}

/// Returns the address of an object at the provider. It is not signed, because there is no bucket to sign it for.
pub fn object_address(scope: &Scope, bucket: &str, key: &str, version: Option<&str>) -> Text {
    let region = scope.region();
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    let mut address = format!("https://{bucket}.s3.{region}.{domain}/");
    write_encoded(&mut address, key, b"/");
    if let Some(version) = version {
        address.push_str("?versionId=");
        write_encoded(&mut address, version, b"");
    }
    address.into()
}

/// Appends `text`, percent-encoded except for letters, digits, `-._~` and the bytes in `plain`.
fn write_encoded(out: &mut String, text: &str, plain: &[u8]) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}
