//! Sealing: what must not stand in a file in the clear is encrypted under a key that is not in that file.
//!
//! A cloud has one key. It seals small things, and the keys of those that have one of their own. What a sealed text
//! belongs to is sealed with it, so that one that was put in another's place does not open.

use crate::{Key, Scope, Tx, kernel::OWN, stored};
use aes_gcm::{
    Aes256Gcm,
    aead::{Aead, KeyInit, Payload},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_core::{Blob, Error, ErrorKind, Ids, Result};
use nephos_store::View;
use std::fmt;
use zeroize::Zeroizing;

/// How many bytes a key has.
const KEY: usize = 32;

/// How many bytes a nonce has.
const NONCE: usize = 12;

/// What the bytes of everything sealed begin with: how it was sealed.
const FORM: u8 = 1;

/// What the text of a key begins with.
const MARK: &str = "nephos-key-1:";

/// The key of a cloud: without it, nothing that the cloud sealed can be read.
#[derive(Clone)]
pub struct CloudKey(Zeroizing<[u8; KEY]>);

impl CloudKey {
    /// The key of these bytes.
    pub fn new(bytes: [u8; KEY]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    pub(crate) fn made(ids: &Ids) -> Self {
        let mut bytes = Zeroizing::new([0; KEY]);
        ids.fill(&mut *bytes);
        Self(bytes)
    }

    /// The key that `text` says, as a key file holds it.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::invalid("key", format!("is not a key: one begins with {MARK}"));
        let text = text.trim().strip_prefix(MARK).ok_or_else(wrong)?;
        let bytes = Zeroizing::new(STANDARD.decode(text).map_err(|_| wrong())?);
        bytes.as_slice().try_into().map(|bytes| Self(Zeroizing::new(bytes))).map_err(|_| wrong())
    }

    /// The key as a key file holds it.
    pub(crate) fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{MARK}{}\n", STANDARD.encode(*self.0)))
    }
}

impl fmt::Debug for CloudKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CloudKey(<secret>)")
    }
}

/// Seals and opens under one key.
#[derive(Clone)]
struct Seal(Aes256Gcm);

impl Seal {
    fn new(key: &[u8; KEY]) -> Self {
        Self(Aes256Gcm::new(key.into()))
    }

    fn seal(&self, ids: &Ids, belongs: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE];
        ids.fill(&mut nonce);
        let payload = Payload { msg: bytes, aad: belongs };
        let sealed = self.0.encrypt(&nonce.into(), payload);
        let sealed = sealed.map_err(|_| crate::internal("this is too long to be sealed"))?;
        Ok([&[FORM], &nonce[..], &sealed].concat())
    }

    fn open(&self, belongs: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let wrong = || crate::corrupt("something sealed does not open: it was changed, or belongs elsewhere");
        let [FORM, rest @ ..] = sealed else { return Err(wrong()) };
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or_else(wrong)?;
        let opened = self.0.decrypt(nonce.into(), Payload { msg: sealed, aad: belongs });
        opened.map(Zeroizing::new).map_err(|_| wrong())
    }
}

/// What something sealed belongs to: the account, the Region, and the parts that tell it from others there.
fn belonging(scope: &Scope, to: &[&str]) -> Vec<u8> {
    let mut parts = Vec::with_capacity(192);
    for part in [scope.account(), scope.region()].iter().chain(to) {
        // With its length before it, no part can pass for the beginning of the next.
        parts.extend_from_slice(&(part.len() as u64).to_le_bytes());
        parts.extend_from_slice(part.as_bytes());
    }
    parts
}

/// What the cloud seals with.
pub(crate) struct Seals {
    key: CloudKey,
    seal: Seal,
}

/// What the row belongs to by which the key is known.
const CHECK: &[u8] = b"nephos: the key of this cloud";

/// The row by which the key is known. It is there once something was sealed.
pub(crate) fn check_key() -> Key {
    Key::table(OWN).text("key-check")
}

/// Whether there is something in `view` that needs the key it was sealed with.
pub(crate) fn needs_key(view: &dyn View) -> Result<bool> {
    Ok(view.get(check_key().as_bytes()).map_err(stored)?.is_some())
}

impl Seals {
    pub(crate) fn new(key: CloudKey) -> Self {
        Self { seal: Seal::new(&key.0), key }
    }

    pub(crate) fn fork(&self) -> Self {
        Self::new(self.key.clone())
    }

    /// Refuses a state of which something was sealed with another key.
    pub(crate) fn check(&self, view: &dyn View) -> Result<()> {
        let Some(row) = view.get(check_key().as_bytes()).map_err(stored)? else { return Ok(()) };
        self.seal.open(CHECK, &row).map(drop).map_err(|_| {
            let why = "the key does not fit: what is sealed in this state was sealed with another one";
            Error::new(ErrorKind::Denied, why)
        })
    }
}

impl fmt::Debug for Seals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seals")
    }
}

/// A key of its own for something that has much to seal, such as all versions of a secret.
///
/// It stands in a row as the cloud's key sealed it.
pub struct DataKey(Seal);

impl DataKey {
    /// Seals `bytes`, which belong to what `to` names in the transaction's scope.
    pub fn seal(&self, cx: &Tx<'_>, to: &[&str], bytes: &[u8]) -> Result<Blob> {
        self.0.seal(cx.ids(), &belonging(cx.scope(), to), bytes).map(Blob)
    }

    /// Opens what [`seal`](Self::seal) sealed. What was sealed for something else does not open.
    pub fn open(&self, cx: &Tx<'_>, to: &[&str], sealed: &Blob) -> Result<Zeroizing<Vec<u8>>> {
        self.0.open(&belonging(cx.scope(), to), &sealed.0)
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(<secret>)")
    }
}

impl Tx<'_> {
    /// Seals `bytes` under the cloud's key. They belong to what `to` names in this scope.
    pub fn seal(&mut self, to: &[&str], bytes: &[u8]) -> Result<Blob> {
        let check = check_key();
        if self.row(&check)?.is_none() {
            let row = self.seals.seal.seal(self.ids, CHECK, &[])?;
            self.put_row(&check, &row)?;
        }
        self.seals.seal.seal(self.ids, &belonging(&self.scope, to), bytes).map(Blob)
    }

    /// Opens what [`seal`](Self::seal) sealed. What was sealed for something else does not open.
    pub fn open(&self, to: &[&str], sealed: &Blob) -> Result<Zeroizing<Vec<u8>>> {
        self.seals.seal.open(&belonging(&self.scope, to), &sealed.0)
    }

    /// A new data key, and the same sealed, to be kept.
    pub fn new_data_key(&mut self, to: &[&str]) -> Result<(DataKey, Blob)> {
        let key = CloudKey::made(self.ids);
        let sealed = self.seal(to, &*key.0)?;
        Ok((DataKey(Seal::new(&key.0)), sealed))
    }

    /// The data key that [`new_data_key`](Self::new_data_key) sealed.
    pub fn data_key(&self, to: &[&str], sealed: &Blob) -> Result<DataKey> {
        let key = self.open(to, sealed)?;
        let key = key.as_slice().try_into().map_err(|_| crate::corrupt("a data key has the wrong length"))?;
        Ok(DataKey(Seal::new(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Vec<u8> {
        belonging(&Scope::new("123456789012", "us-east-1"), &["arn", "one"])
    }

    #[test]
    fn what_is_sealed_opens_only_where_it_belongs_and_unchanged() {
        let (seal, ids) = (Seal::new(&[7; 32]), Ids::seeded(1));
        let sealed = seal.seal(&ids, &here(), b"hunter2").unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(*seal.open(&here(), &sealed).unwrap(), b"hunter2");
        assert_ne!(seal.seal(&ids, &here(), b"hunter2").unwrap(), sealed, "each time with another nonce");

        let elsewhere = [
            belonging(&Scope::new("210987654321", "us-east-1"), &["arn", "one"]),
            belonging(&Scope::new("123456789012", "us-east-2"), &["arn", "one"]),
            belonging(&Scope::new("123456789012", "us-east-1"), &["arn", "two"]),
            belonging(&Scope::new("123456789012", "us-east-1"), &["other", "one"]),
            belonging(&Scope::new("123456789012", "us-east-1"), &["ar", "none"]),
            belonging(&Scope::new("123456789012", "us-east-1"), &["arnone"]),
            Vec::new(),
        ];
        for belongs in elsewhere {
            assert_eq!(seal.open(&belongs, &sealed).unwrap_err().kind(), ErrorKind::Corrupt);
        }
        assert!(Seal::new(&[8; 32]).open(&here(), &sealed).is_err());
        for n in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[n] ^= 1;
            assert!(seal.open(&here(), &changed).is_err(), "byte {n}");
            assert!(seal.open(&here(), &sealed[..n]).is_err(), "{n} bytes");
        }
    }

    #[test]
    fn a_key_is_read_as_it_is_written_and_never_printed() {
        let key = CloudKey::new([7; 32]);
        let text = key.to_text();
        assert_eq!(*CloudKey::parse(&text).unwrap().0, [7; 32]);
        assert_eq!(format!("{key:?}"), "CloudKey(<secret>)");
        let short = STANDARD.encode([7; 31]);
        for wrong in ["", "nephos-key-1:", "nephos-key-2:AAAA", &format!("{MARK}{short}"), &text[13..]] {
            let error = CloudKey::parse(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(!error.to_string().contains(&short), "{error}");
        }
    }
}
