//! Signature Version 4 for servers: the caller of a request, and the verification of its signature.
//!
//! [`SignatureParts::from_request`] reads the parts of a signature without verification, which is enough for development.
//! [`Verifier::verify`] verifies it with the secrets of [`Keys`]. Clients sign with the provider's own crate.

mod canonical;
mod error;
mod parts;

pub use error::SignatureError;
pub use parts::{Scope, SignatureParts};

use crate::HttpRequest;
use hmac::{Hmac, KeyInit, Mac};
use nephos_core::{Map, Secret, SignedDuration, Text, Timestamp, hex, time};
use sha2::{Digest, Sha256};
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// The supported algorithm.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Last element of every credential scope.
const TERMINATOR: &str = "aws4_request";

/// Maximum difference between the clocks of client and server.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(15);

/// Maximum number of cached signing keys.
const MAX_CACHED_KEYS: usize = 256;

/// An access key with its secret.
#[derive(Clone, Debug)]
pub struct Key {
    /// Secret access key.
    pub secret: Secret,
    /// Session token that requests must also have, for temporary credentials.
    pub session_token: Option<Secret>,
    /// Account of the access key.
    pub account: Text,
}

/// Source of access keys.
pub trait Keys: Send + Sync {
    /// Returns the access key of that ID; `None` if it does not exist.
    fn find_key(&self, access_key_id: &str) -> Option<Key>;
}

/// Caller of a verified request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// ID of the access key.
    pub access_key_id: Text,
    /// Account of the access key.
    pub account: Text,
}

/// Verifies signatures, and caches the derived signing keys.
pub struct Verifier<K> {
    keys: K,
    derived: Mutex<Map<SigningKey>>,
}

/// Signing key of a day, Region and service, and the secret that it is derived from.
struct SigningKey {
    secret: Secret,
    key: [u8; 32],
}

impl<K: Keys> Verifier<K> {
    /// Creates a verifier with these access keys.
    pub fn new(keys: K) -> Self {
        Self { keys, derived: Mutex::default() }
    }

    /// Verifies that `message` with the signature `parts` was signed for `service` with a known secret, was not changed
    /// since, and was signed shortly before `now`.
    pub fn verify(
        &self,
        message: &HttpRequest,
        parts: &SignatureParts,
        service: &str,
        now: Timestamp,
    ) -> Result<Caller, SignatureError> {
        let find = || self.keys.find_key(&parts.access_key_id).ok_or(SignatureError::UnknownKey);
        self.verify_with(message, parts, service, now, find)
    }

    /// Verifies a signature like [`verify`](Self::verify), with the key that `find` returns.
    pub fn verify_with(
        &self,
        message: &HttpRequest,
        parts: &SignatureParts,
        service: &str,
        now: Timestamp,
        find: impl FnOnce() -> Result<Key, SignatureError>,
    ) -> Result<Caller, SignatureError> {
        let key = check_head(message, parts, service, now, find)?;
        let scope = &parts.scope;
        let canonical = canonical::canonical_request(message, parts)?;
        let text =
            format!("{ALGORITHM}\n{}\n{scope}\n{}", parts.date, hex::encode(&Sha256::digest(canonical)));
        let name = Text::from(format!("{}/{scope}", parts.access_key_id));
        let (derived, is_cached) = match self.cached_key(&name, &key.secret) {
            Some(derived) => (derived, true),
            None => (derive(&key.secret, scope), false),
        };
        // Compares in constant time.
        mac(&derived, &text).verify_slice(&parts.signature).map_err(|_| SignatureError::Mismatch)?;
        if !is_cached {
            self.cache_key(name, SigningKey { secret: key.secret, key: derived });
        }
        Ok(Caller { access_key_id: parts.access_key_id.clone(), account: key.account })
    }

    fn cached_key(&self, name: &str, secret: &Secret) -> Option<[u8; 32]> {
        let derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        derived.get(name).filter(|derived| derived.secret == *secret).map(|derived| derived.key)
    }

    /// Caches a signing key. Only keys that verified a request are cached, so that nobody can evict keys without a
    /// secret.
    fn cache_key(&self, name: Text, key: SigningKey) {
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if derived.len() >= MAX_CACHED_KEYS {
            derived.shift_remove_index(0);
        }
        derived.insert(name, key);
    }

    /// Number of cached signing keys.
    pub fn cached_keys(&self) -> usize {
        self.derived.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl<K> fmt::Debug for Verifier<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Verifier")
    }
}

/// Checks all of a signature that does not depend on the body: time, credential scope, signed headers, and the key that
/// `find` returns. The body of `message` can be missing.
pub fn check_head(
    message: &HttpRequest,
    parts: &SignatureParts,
    service: &str,
    now: Timestamp,
    find: impl FnOnce() -> Result<Key, SignatureError>,
) -> Result<Key, SignatureError> {
    check_validity(parts, now)?;
    let scope = &parts.scope;
    if scope.service != service {
        let message = format!("Credential should be scoped to correct service: '{service}'.");
        return Err(SignatureError::WrongScope(message));
    }
    if parts.date.get(..8) != Some(scope.date.as_str()) {
        let message = format!(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{}' != \
             '{}'",
            scope.date, parts.date
        );
        return Err(SignatureError::WrongScope(message));
    }
    canonical::check_signed_headers(message, parts)?;
    let key = find()?;
    if key.session_token != parts.session_token {
        return Err(SignatureError::UnknownKey);
    }
    Ok(key)
}

/// Rejects a signature that has expired or is not yet valid.
fn check_validity(parts: &SignatureParts, now: Timestamp) -> Result<(), SignatureError> {
    let signed = parse_date(&parts.date).ok_or_else(|| error::invalid_date(&parts.date))?;
    let validity = parts.expires.map_or(MAX_CLOCK_SKEW, |seconds| SignedDuration::from_secs(seconds.into()));
    let age = now.duration_since(signed);
    if age > validity {
        return Err(SignatureError::Expired(format!(
            "Signature expired: {} is now too old ({now})",
            parts.date
        )));
    }
    if age < -MAX_CLOCK_SKEW {
        let message =
            format!("Signature not yet current: {} is still later than {now} + 15 min.", parts.date);
        return Err(SignatureError::Expired(message));
    }
    Ok(())
}

/// Parses a timestamp in basic format: `20260131T120000Z`.
fn parse_date(date: &str) -> Option<Timestamp> {
    let &[y, e, a, r, m, o, d, i, b'T', h, u, n, t, s, c, b'Z'] = date.as_bytes() else { return None };
    let written = [y, e, a, r, b'-', m, o, b'-', d, i, b'T', h, u, b':', n, t, b':', s, c, b'Z'];
    let right = written.iter().filter(|byte| byte.is_ascii_digit()).count() == 14;
    std::str::from_utf8(&written).ok().filter(|_| right).and_then(time::parse)
}

fn mac(key: &[u8], text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts keys of any length");
    mac.update(text.as_bytes());
    mac
}

fn derive(secret: &Secret, scope: &Scope) -> [u8; 32] {
    let first = Secret::from(format!("AWS4{}", secret.expose()));
    let mut key: [u8; 32] = mac(first.expose().as_bytes(), &scope.date).finalize().into_bytes().into();
    for part in [&*scope.region, &*scope.service, TERMINATOR] {
        key = mac(&key, part).finalize().into_bytes().into();
    }
    key
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
