//! Pagination tokens: opaque, signed, bound to an account, a Region and a query, and valid for a limited time.

use crate::Scope;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use nephos_core::{Error, ErrorKind, Result, Text, Timestamp};
use sha2::Sha256;

/// Length of the truncated signature in a token, in bytes.
const TAG: usize = 16;

/// Signs and verifies pagination tokens.
pub(crate) struct Tokens(Hmac<Sha256>);

impl Tokens {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC accepts keys of any length"))
    }

    fn signing(&self, scope: &Scope, query: &[u8], content: &[u8]) -> Hmac<Sha256> {
        let mut signing = self.0.clone();
        for part in [scope.account().as_bytes(), scope.region().as_bytes(), query, content] {
            // The length prefix makes the concatenation of parts unambiguous.
            signing.update(&(part.len() as u64).to_le_bytes());
            signing.update(part);
        }
        signing
    }

    /// Creates the token of the page after `position`.
    pub(crate) fn seal(&self, scope: &Scope, query: &[u8], expires: Timestamp, position: &[u8]) -> Text {
        let mut content = expires.as_millisecond().to_le_bytes().to_vec();
        content.extend_from_slice(position);
        let tag = self.signing(scope, query, &content).finalize().into_bytes();
        content.extend_from_slice(&tag[..TAG]);
        URL_SAFE_NO_PAD.encode(content).into()
    }

    /// Verifies a token and returns its position.
    pub(crate) fn open(&self, scope: &Scope, query: &[u8], now: Timestamp, token: &str) -> Result<Vec<u8>> {
        let wrong =
            || Error::new(ErrorKind::Invalid, "is not a pagination token of this account, Region and query");
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| wrong())?;
        let (content, tag) = bytes.split_last_chunk::<TAG>().ok_or_else(wrong)?;
        self.signing(scope, query, content).verify_truncated_left(tag).map_err(|_| wrong())?;
        let (expires, position) = content.split_first_chunk().ok_or_else(wrong)?;
        if i64::from_le_bytes(*expires) < now.as_millisecond() {
            let message = "has expired: pagination tokens are valid for 24 hours";
            return Err(Error::new(ErrorKind::Expired, message));
        }
        Ok(position.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_valid_for_its_account_region_and_query_until_it_expires() {
        let tokens = Tokens::new(&[7; 32]);
        let (noon, later) = (Timestamp::from_second(1000).unwrap(), Timestamp::from_second(2000).unwrap());
        let here = Scope::new("123456789012", "us-east-1");
        let token = tokens.seal(&here, b"q", later, b"/web");
        assert_eq!(tokens.open(&here, b"q", noon, &token).unwrap(), b"/web");
        assert_eq!(tokens.open(&here, b"q", later, &token).unwrap(), b"/web");

        let refused = |tokens: &Tokens, scope: &Scope, query: &[u8], now, token: &str| {
            tokens.open(scope, query, now, token).unwrap_err().kind()
        };
        let much_later = Timestamp::from_second(2001).unwrap();
        assert_eq!(refused(&tokens, &here, b"q", much_later, &token), ErrorKind::Expired);
        for scope in [here.with_account("210987654321"), Scope::new("123456789012", "us-east-2")] {
            assert_eq!(refused(&tokens, &scope, b"q", noon, &token), ErrorKind::Invalid);
        }
        assert_eq!(refused(&tokens, &here, b"p", noon, &token), ErrorKind::Invalid);
        assert_eq!(refused(&Tokens::new(&[8; 32]), &here, b"q", noon, &token), ErrorKind::Invalid);
        for n in 0..token.len() {
            let mut changed = token.to_string().into_bytes();
            changed[n] = if changed[n] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(refused(&tokens, &here, b"q", noon, &changed), ErrorKind::Invalid, "{n}");
            assert_eq!(refused(&tokens, &here, b"q", noon, &token[..n]), ErrorKind::Invalid, "{n}");
        }
    }
}
