//! Signatures: a request that verifies does not verify with another body or another secret.

use crate::message;
use bytes::Bytes;
use nephos::Timestamp;
use nephos_wire::{
    HttpRequest,
    sigv4::{Key, Keys, SignatureParts, Verifier},
};

/// Secret that the committed requests are signed with.
pub(crate) const SECRET: &str = "secret";

/// Time at which the committed requests were signed.
pub(crate) const SIGNED: &str = "2026-01-31T12:00:00Z";

/// Access keys that all have the same secret.
struct OneSecret(&'static str);

impl Keys for OneSecret {
    fn find_key(&self, _: &str) -> Option<Key> {
        Some(Key { secret: self.0.into(), session_token: None, account: "123456789012".into() })
    }
}

pub(crate) fn check(data: &[u8]) {
    let Some(message) = message::parse(data) else { return };
    let Ok(parts) = SignatureParts::from_request(&message) else { return };
    assert!(!verifies("another secret", &message, &parts), "no input is signed with this secret");
    if !verifies(SECRET, &message, &parts) {
        return;
    }
    let is_body_signed =
        message.headers().get("x-amz-content-sha256").is_none_or(|hash| hash != "UNSIGNED-PAYLOAD");
    let changed = message.map(|body| Bytes::from([&body[..], b"x"].concat()));
    assert!(!is_body_signed || !verifies(SECRET, &changed, &parts), "the body is signed");
}

fn verifies(secret: &'static str, message: &HttpRequest, parts: &SignatureParts) -> bool {
    let now: Timestamp = SIGNED.parse().expect("the literal is a timestamp");
    Verifier::new(OneSecret(secret)).verify(message, parts, &parts.scope.service, now).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_requests_verify() {
        for input in crate::corpus::read("signatures") {
            let message = message::parse(&input).unwrap();
            let parts = SignatureParts::from_request(&message).unwrap();
            assert!(verifies(SECRET, &message, &parts), "{}", String::from_utf8_lossy(&input));
        }
    }
}
