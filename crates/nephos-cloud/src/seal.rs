//! Sealing: encryption at rest (AES-256-GCM), with a key that is not in the file of the state.
//!
//! A cloud has one key. It seals small values, and the data keys of resources that seal much. The associated data of a
//! sealed value names its place, so that it cannot be opened in another place.

use crate::{Key, Scope, Tx, from_store_error};
use aes_gcm::{
    Aes256Gcm,
    aead::{Aead, KeyInit, Payload},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_core::{Blob, Error, ErrorKind, Ids, Result};
use nephos_store::View;
use std::fmt;
use zeroize::Zeroizing;

/// Length of a key in bytes.
const KEY_LENGTH: usize = 32;

/// Length of a nonce in bytes.
const NONCE_LENGTH: usize = 12;

/// First byte of all sealed data: version of the format.
const FORMAT_VERSION: u8 = 1;

/// Prefix of the text of a key.
const KEY_PREFIX: &str = "nephos-key-1:";

/// The key of a cloud. The sealed data of the cloud cannot be read without it.
#[derive(Clone)]
pub struct CloudKey(Zeroizing<[u8; KEY_LENGTH]>);

impl CloudKey {
    /// Creates a key from its bytes.
    pub fn new(bytes: [u8; KEY_LENGTH]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Generates a key.
    pub(crate) fn generate(ids: &Ids) -> Self {
        let mut bytes = Zeroizing::new([0; KEY_LENGTH]);
        ids.fill(&mut *bytes);
        Self(bytes)
    }

    /// The bytes of the key.
    pub(crate) fn bytes(&self) -> &[u8] {
        &*self.0
    }

    /// Parses the text of a key file.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::invalid("key", format!("must be {KEY_PREFIX} followed by {KEY_LENGTH} bytes in base64"))
        };
        let text = text.trim().strip_prefix(KEY_PREFIX).ok_or_else(wrong)?;
        let bytes = Zeroizing::new(STANDARD.decode(text).map_err(|_| wrong())?);
        bytes.as_slice().try_into().map(|bytes| Self(Zeroizing::new(bytes))).map_err(|_| wrong())
    }

    /// Formats the key as the text of a key file.
    pub(crate) fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{KEY_PREFIX}{}\n", STANDARD.encode(*self.0)))
    }
}

impl fmt::Debug for CloudKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CloudKey(<secret>)")
    }
}

/// Cipher with one key.
#[derive(Clone)]
struct Seal(Aes256Gcm);

impl Seal {
    fn new(key: &[u8; KEY_LENGTH]) -> Self {
        Self(Aes256Gcm::new(key.into()))
    }

    fn seal(&self, ids: &Ids, associated: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LENGTH];
        ids.fill(&mut nonce);
        let payload = Payload { msg: bytes, aad: associated };
        let sealed = self.0.encrypt(&nonce.into(), payload);
        let sealed = sealed.map_err(|_| crate::internal("the data is too long to be sealed"))?;
        Ok([&[FORMAT_VERSION], &nonce[..], &sealed].concat())
    }

    fn open(&self, associated: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let wrong = || {
            crate::corrupt("sealed data cannot be opened: it was changed, or it belongs to another resource")
        };
        let [FORMAT_VERSION, rest @ ..] = sealed else { return Err(wrong()) };
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LENGTH>().ok_or_else(wrong)?;
        let opened = self.0.decrypt(nonce.into(), Payload { msg: sealed, aad: associated });
        opened.map(Zeroizing::new).map_err(|_| wrong())
    }
}

/// Builds the associated data of sealed data: the account, the Region, and the parts of `path`, which identify its place.
fn associated_data(scope: &Scope, path: &[&str]) -> Vec<u8> {
    let mut parts = Vec::with_capacity(192);
    for part in [scope.account(), scope.region()].iter().chain(path) {
        // The length prefix makes the concatenation of parts unambiguous.
        parts.extend_from_slice(&(part.len() as u64).to_le_bytes());
        parts.extend_from_slice(part.as_bytes());
    }
    parts
}

/// The key of a cloud, ready for use.
pub(crate) struct Seals {
    key: CloudKey,
    seal: Seal,
}

/// Associated data of the row that identifies the key.
const CHECK: &[u8] = b"nephos: the key of this cloud";

/// Key of the row that identifies the key of the cloud. The row exists once something was sealed.
pub(crate) fn check_key() -> Key {
    Key::of_cloud("key-check")
}

/// True if `view` contains sealed data.
pub(crate) fn needs_key(view: &dyn View) -> Result<bool> {
    Ok(view.get(check_key().as_bytes()).map_err(from_store_error)?.is_some())
}

impl Seals {
    pub(crate) fn new(key: CloudKey) -> Self {
        Self { seal: Seal::new(&key.0), key }
    }

    pub(crate) fn fork(&self) -> Self {
        Self::new(self.key.clone())
    }

    /// Refuses a state that was sealed with another key.
    pub(crate) fn check(&self, view: &dyn View) -> Result<()> {
        let Some(row) = view.get(check_key().as_bytes()).map_err(from_store_error)? else { return Ok(()) };
        self.seal.open(CHECK, &row).map(drop).map_err(|_| {
            let message = "wrong key: the data in this state was sealed with another key";
            Error::new(ErrorKind::Denied, message)
        })
    }
}

impl fmt::Debug for Seals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seals")
    }
}

/// A data key of a resource that seals much, such as all versions of a secret.
///
/// It is stored in a row, sealed with the key of the cloud.
pub struct DataKey(Seal);

impl DataKey {
    pub(crate) fn new(key: &CloudKey) -> Self {
        Self(Seal::new(&key.0))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.try_into().map_err(|_| crate::corrupt("a data key has the wrong length"))?;
        Ok(Self(Seal::new(bytes)))
    }

    /// Seals `bytes` for the place `path` in the scope of the transaction.
    pub fn seal(&self, cx: &Tx<'_>, path: &[&str], bytes: &[u8]) -> Result<Blob> {
        self.0.seal(cx.ids(), &associated_data(cx.scope(), path), bytes).map(Blob)
    }

    /// Opens the result of [`seal`](Self::seal); an error if it was sealed for another place.
    pub fn open(&self, cx: &Tx<'_>, path: &[&str], sealed: &Blob) -> Result<Zeroizing<Vec<u8>>> {
        self.0.open(&associated_data(cx.scope(), path), &sealed.0)
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(<secret>)")
    }
}

impl Tx<'_> {
    /// Seals `bytes` that are not stored, such as a token, with this associated data.
    pub fn seal_unbound(&self, associated: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        self.seals.seal.seal(self.ids, associated, bytes)
    }

    /// Opens the result of [`seal_unbound`](Self::seal_unbound).
    pub fn open_unbound(&self, associated: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.seals.seal.open(associated, sealed)
    }

    /// Seals `bytes` of a token that is not stored, for the use `path` in this scope. Nothing is written.
    pub fn seal_token(&self, path: &[&str], bytes: &[u8]) -> Result<Vec<u8>> {
        self.seal_unbound(&associated_data(&self.scope, path), bytes)
    }

    /// Opens the result of [`seal_token`](Self::seal_token); an error if it was sealed for another use.
    pub fn open_token(&self, path: &[&str], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.open_unbound(&associated_data(&self.scope, path), sealed)
    }

    /// Seals `bytes` with the key of the cloud, for the place `path` in this scope.
    pub fn seal(&mut self, path: &[&str], bytes: &[u8]) -> Result<Blob> {
        let check = check_key();
        if self.row(&check)?.is_none() {
            let row = self.seals.seal.seal(self.ids, CHECK, &[])?;
            self.put_row(&check, &row)?;
        }
        self.seals.seal.seal(self.ids, &associated_data(&self.scope, path), bytes).map(Blob)
    }

    /// Opens the result of [`seal`](Self::seal); an error if it was sealed for another place.
    pub fn open(&self, path: &[&str], sealed: &Blob) -> Result<Zeroizing<Vec<u8>>> {
        self.seals.seal.open(&associated_data(&self.scope, path), &sealed.0)
    }

    /// Generates a data key for the place `path`; also returns it sealed, to be stored.
    pub fn new_data_key(&mut self, path: &[&str]) -> Result<(DataKey, Blob)> {
        let key = CloudKey::generate(self.ids);
        let sealed = self.seal(path, &*key.0)?;
        Ok((DataKey::new(&key), sealed))
    }

    /// Opens a data key that [`new_data_key`](Self::new_data_key) sealed.
    pub fn data_key(&self, path: &[&str], sealed: &Blob) -> Result<DataKey> {
        DataKey::from_bytes(&self.open(path, sealed)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Vec<u8> {
        associated_data(&Scope::new("123456789012", "us-east-1"), &["arn", "one"])
    }

    #[test]
    fn sealed_data_opens_only_in_its_place_and_unchanged() {
        let (seal, ids) = (Seal::new(&[7; 32]), Ids::seeded(1));
        let sealed = seal.seal(&ids, &place(), b"hunter2").unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(*seal.open(&place(), &sealed).unwrap(), b"hunter2");
        assert_ne!(seal.seal(&ids, &place(), b"hunter2").unwrap(), sealed, "the nonce differs each time");

        let elsewhere = [
            associated_data(&Scope::new("210987654321", "us-east-1"), &["arn", "one"]),
            associated_data(&Scope::new("123456789012", "us-east-2"), &["arn", "one"]),
            associated_data(&Scope::new("123456789012", "us-east-1"), &["arn", "two"]),
            associated_data(&Scope::new("123456789012", "us-east-1"), &["other", "one"]),
            associated_data(&Scope::new("123456789012", "us-east-1"), &["ar", "none"]),
            associated_data(&Scope::new("123456789012", "us-east-1"), &["arnone"]),
            Vec::new(),
        ];
        for associated in elsewhere {
            assert_eq!(seal.open(&associated, &sealed).unwrap_err().kind(), ErrorKind::Corrupt);
        }
        assert!(Seal::new(&[8; 32]).open(&place(), &sealed).is_err());
        for n in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[n] ^= 1;
            assert!(seal.open(&place(), &changed).is_err(), "byte {n}");
            assert!(seal.open(&place(), &sealed[..n]).is_err(), "{n} bytes");
        }
    }

    #[test]
    fn key_text_round_trips_and_debug_output_is_redacted() {
        let key = CloudKey::new([7; 32]);
        let text = key.to_text();
        assert_eq!(*CloudKey::parse(&text).unwrap().0, [7; 32]);
        assert_eq!(format!("{key:?}"), "CloudKey(<secret>)");
        let short = STANDARD.encode([7; 31]);
        for wrong in ["", "nephos-key-1:", "nephos-key-2:AAAA", &format!("{KEY_PREFIX}{short}"), &text[13..]]
        {
            let error = CloudKey::parse(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(!error.to_string().contains(&short), "{error}");
        }
    }
}
