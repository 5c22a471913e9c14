//! Sealing: encryption at rest (AES-256-GCM), with a key that is not in the file of the state.
//!
//! A cloud has one key. It seals small values, and the data keys of resources that seal much. The associated data of a
//! sealed value names its place, so that it cannot be opened in another place.
//!
//! The key can be replaced. Then the new one seals the earlier ones in a row of the state, so that they open what they sealed.

use crate::{Key, Scope, Tx, from_store_error};
use aes_gcm::{
    Aes256Gcm,
    aead::{Aead, KeyInit, Payload},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac as _};
use nephos_core::{Blob, Error, ErrorKind, Ids, Result};
use nephos_store::View;
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroizing;

/// Length of a key in bytes.
pub(crate) const KEY_LENGTH: usize = 32;

/// Length of a nonce in bytes.
pub(crate) const NONCE_LENGTH: usize = 12;

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
pub(crate) struct Seal(Aes256Gcm);

impl Seal {
    pub(crate) fn new(key: &[u8; KEY_LENGTH]) -> Self {
        Self(Aes256Gcm::new(key.into()))
    }

    pub(crate) fn seal(&self, nonce: [u8; NONCE_LENGTH], associated: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        let payload = Payload { msg: bytes, aad: associated };
        let sealed = self.0.encrypt(&nonce.into(), payload);
        let sealed = sealed.map_err(|_| crate::internal("the data is too long to be sealed"))?;
        Ok([&[FORMAT_VERSION], &nonce[..], &sealed].concat())
    }

    pub(crate) fn open(&self, associated: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
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

/// The key of a cloud and the earlier ones, ready for use.
pub(crate) struct Seals {
    key: CloudKey,
    seal: Seal,
    /// Keys that were replaced, with their ciphers; the last one first.
    earlier: Vec<(CloudKey, Seal)>,
    /// IDs of the forks that this one was made from, and of this one at the end; none if it is not a fork. The tokens of a fork
    /// are not valid outside of it.
    forks: Vec<[u8; FORK_LENGTH]>,
    /// True if the cloud was opened without its key: then nothing can be sealed.
    is_missing: bool,
}

/// Length of the ID of a fork in bytes.
const FORK_LENGTH: usize = 16;

/// Start of the associated data of the tokens of forks.
const OF_FORK: &[u8] = b"nephos: of the fork ";

/// Associated data of the row that identifies the key.
const CHECK: &[u8] = b"nephos: the key of this cloud";

/// Associated data of the row with the earlier keys.
const EARLIER: &[u8] = b"nephos: the earlier keys of this cloud";

/// Key of the row with the earlier keys of the cloud, which are sealed with the present one. The row exists once the key was replaced.
pub(crate) fn earlier_keys_key() -> Key {
    Key::of_cloud("earlier-keys")
}

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
        Self { seal: Seal::new(&key.0), key, earlier: Vec::new(), forks: Vec::new(), is_missing: false }
    }

    /// Creates the seals of a cloud in a database that was opened without its key. A key that other servers do not have would lock
    /// them out of what is sealed with it.
    pub(crate) fn missing() -> Self {
        Self { is_missing: true, ..Self::new(CloudKey::new([0; KEY_LENGTH])) }
    }

    /// Returns the row that identifies the key.
    pub(crate) fn check_row(&self, ids: &Ids) -> Result<Vec<u8>> {
        self.seal(ids, CHECK, &[])
    }

    /// Reads the earlier keys in the state `view`, whose key is `key`. Refuses a state that was sealed with another key.
    pub(crate) fn read(key: CloudKey, view: &dyn View) -> Result<Self> {
        let mut seals = Self::new(key);
        seals.check(view)?;
        if let Some(row) = view.get(earlier_keys_key().as_bytes()).map_err(from_store_error)? {
            let opened = seals.seal.open(EARLIER, &row)?;
            let (keys, rest) = opened.as_chunks::<KEY_LENGTH>();
            if !rest.is_empty() {
                return Err(crate::corrupt("the row of the earlier keys has the wrong length"));
            }
            seals.earlier = keys.iter().map(|key| (CloudKey::new(*key), Seal::new(key))).collect();
        }
        Ok(seals)
    }

    /// Returns the rows of a state whose key is replaced with `key`.
    pub(crate) fn rows_of_new_key(&self, key: &CloudKey) -> Result<[(Key, Vec<u8>); 2]> {
        let keys = [&self.key].into_iter().chain(self.earlier.iter().map(|(key, _)| key));
        let keys = Zeroizing::new(keys.flat_map(CloudKey::bytes).copied().collect::<Vec<u8>>());
        let (new, ids) = (Self::new(key.clone()), Ids::system());
        let earlier = new.seal(&ids, EARLIER, &keys)?;
        let check = new.seal(&ids, CHECK, &[])?;
        Ok([(earlier_keys_key(), earlier), (check_key(), check)])
    }

    /// Opens what this cloud sealed, with its key or with an earlier one.
    fn open(&self, associated: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let earlier = || self.earlier.iter().find_map(|(_, seal)| seal.open(associated, sealed).ok());
        self.seal.open(associated, sealed).or_else(|wrong| earlier().ok_or(wrong))
    }

    /// Copies the key for a fork; its random bytes are `ids`.
    pub(crate) fn fork(&self, ids: &Ids) -> Self {
        let mut fork = Self::new(self.key.clone());
        fork.is_missing = self.is_missing;
        fork.earlier.clone_from(&self.earlier);
        let mut id = [0; FORK_LENGTH];
        ids.fill(&mut id);
        fork.forks = [&self.forks[..], &[id]].concat();
        fork
    }

    /// Creates a nonce, which must not repeat for another message. Bytes of a seed may repeat, for example in a copy of the state;
    /// so the nonce also depends on the message.
    fn nonce(&self, ids: &Ids, associated: &[u8], bytes: &[u8]) -> [u8; NONCE_LENGTH] {
        let mut nonce = [0; NONCE_LENGTH];
        ids.fill(&mut nonce);
        if ids.is_seeded() {
            let mut mac =
                Hmac::<Sha256>::new_from_slice(self.key.bytes()).expect("HMAC takes keys of any length");
            mac.update(&nonce);
            mac.update(&(associated.len() as u64).to_le_bytes());
            mac.update(associated);
            mac.update(bytes);
            nonce.copy_from_slice(&mac.finalize().into_bytes()[..NONCE_LENGTH]);
        }
        nonce
    }

    /// Seals `bytes`.
    fn seal(&self, ids: &Ids, associated: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        if self.is_missing {
            let message = "this needs the key of the cloud, and the cloud was opened without one: all its servers need the same key file";
            return Err(Error::new(ErrorKind::Denied, message));
        }
        self.seal.seal(self.nonce(ids, associated, bytes), associated, bytes)
    }

    /// Seals a token.
    fn seal_token(&self, ids: &Ids, associated: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        match self.forks.last() {
            Some(fork) => self.seal(ids, &of_fork(fork, associated), bytes),
            None => self.seal(ids, associated, bytes),
        }
    }

    /// Opens a token of this cloud, or of one that it was forked from.
    fn open_token(&self, associated: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let forks = self.forks.iter().rev();
        let mut opened = forks.filter_map(|fork| self.open(&of_fork(fork, associated), sealed).ok());
        opened.next().map_or_else(|| self.open(associated, sealed), Ok)
    }

    /// Refuses a state that was sealed with another key.
    pub(crate) fn check(&self, view: &dyn View) -> Result<()> {
        let Some(row) = view.get(check_key().as_bytes()).map_err(from_store_error)? else { return Ok(()) };
        self.open(CHECK, &row).map(drop).map_err(|_| {
            let message = "wrong key: the data in this state was sealed with another key";
            Error::new(ErrorKind::Denied, message)
        })
    }
}

/// Associated data of a token of a fork.
fn of_fork(fork: &[u8; FORK_LENGTH], associated: &[u8]) -> Vec<u8> {
    [OF_FORK, fork, associated].concat()
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
        let associated = associated_data(cx.scope(), path);
        self.0.seal(cx.nonce(&associated, bytes), &associated, bytes).map(Blob)
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
    /// Creates a nonce of AES-GCM for a message with this associated data. It is random, and in a seeded cloud it also depends on
    /// the message: a nonce must never repeat for another one.
    pub fn nonce(&self, associated: &[u8], bytes: &[u8]) -> [u8; NONCE_LENGTH] {
        self.seals.nonce(self.ids, associated, bytes)
    }

    /// Seals `bytes` that are not stored, such as a token, with this associated data. Only this cloud and its forks can open them:
    /// those of a fork cannot be opened outside of it.
    pub fn seal_unbound(&self, associated: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
        self.seals.seal_token(self.ids, associated, bytes)
    }

    /// Opens the result of [`seal_unbound`](Self::seal_unbound).
    pub fn open_unbound(&self, associated: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.seals.open_token(associated, sealed)
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
            let row = self.seals.check_row(self.ids)?;
            self.put_row(&check, &row)?;
        }
        self.seals.seal(self.ids, &associated_data(&self.scope, path), bytes).map(Blob)
    }

    /// Opens the result of [`seal`](Self::seal); an error if it was sealed for another place.
    pub fn open(&self, path: &[&str], sealed: &Blob) -> Result<Zeroizing<Vec<u8>>> {
        self.seals.open(&associated_data(&self.scope, path), &sealed.0)
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
        let (seals, ids) = (Seals::new(CloudKey::new([7; 32])), Ids::seeded(1));
        let seal = &seals.seal;
        let sealed = seals.seal(&ids, &place(), b"hunter2").unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(*seal.open(&place(), &sealed).unwrap(), b"hunter2");
        assert_ne!(seals.seal(&ids, &place(), b"hunter2").unwrap(), sealed, "the nonce differs each time");
        let again = seals.seal(&Ids::seeded(1), &place(), b"hunter3").unwrap();
        assert_ne!(
            again[1..=NONCE_LENGTH],
            sealed[1..=NONCE_LENGTH],
            "the same bytes of a seed, another message"
        );

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
