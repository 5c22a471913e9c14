//! Keys that are protected by a passphrase: the text of such a key file is of no use without it.

use crate::seal::{CloudKey, KEY_LENGTH, NONCE_LENGTH, Seal};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_core::{Error, ErrorKind, Ids, Result, Secret};
use sha2::Sha256;
use zeroize::Zeroizing;

/// Prefix of the text of a protected key.
const PREFIX: &str = "nephos-key-2:";

/// Rounds of PBKDF2 for new keys.
const ROUNDS: u32 = 600_000;

/// Maximum number of rounds of a key that is opened.
const MAX_ROUNDS: u32 = 100_000_000;

/// Length of a salt in bytes.
const SALT_LENGTH: usize = 16;

/// Minimum number of characters of a new passphrase.
const MIN_CHARACTERS: usize = 12;

/// True if the text of a key file is protected by a passphrase.
pub(crate) fn is_protected(text: &str) -> bool {
    text.trim_start().starts_with(PREFIX)
}

/// Returns the text of a key file with `key` that only `passphrase` opens.
pub(crate) fn protect(key: &CloudKey, passphrase: &Secret) -> Result<Zeroizing<String>> {
    if passphrase.expose().chars().count() < MIN_CHARACTERS {
        let message = format!("must have at least {MIN_CHARACTERS} characters");
        return Err(Error::invalid("passphrase", message));
    }
    let (ids, mut salt, mut nonce) = (Ids::system(), [0; SALT_LENGTH], [0; NONCE_LENGTH]);
    ids.fill(&mut salt);
    ids.fill(&mut nonce);
    let head = format!("{PREFIX}{ROUNDS}:{}", STANDARD.encode(salt));
    let sealed = derive(passphrase, ROUNDS, &salt).seal(nonce, head.as_bytes(), key.bytes())?;
    Ok(Zeroizing::new(format!("{head}:{}\n", STANDARD.encode(sealed))))
}

/// Opens the text of a protected key.
pub(crate) fn open(text: &str, passphrase: &Secret) -> Result<CloudKey> {
    let malformed = || Error::invalid("key", "is not a key that is protected by a passphrase");
    let text = text.trim();
    let (head, sealed) = text.rsplit_once(':').ok_or_else(malformed)?;
    let (rounds, salt) =
        head.strip_prefix(PREFIX).and_then(|rest| rest.split_once(':')).ok_or_else(malformed)?;
    let rounds =
        rounds.parse().ok().filter(|rounds| (1..=MAX_ROUNDS).contains(rounds)).ok_or_else(malformed)?;
    let salt = STANDARD.decode(salt).map_err(|_| malformed())?;
    let sealed = STANDARD.decode(sealed).map_err(|_| malformed())?;
    let opened = derive(passphrase, rounds, &salt).open(head.as_bytes(), &sealed);
    let opened = opened.map_err(|_| Error::new(ErrorKind::Denied, "wrong passphrase of the key file"))?;
    let bytes: [u8; KEY_LENGTH] = opened.as_slice().try_into().map_err(|_| malformed())?;
    Ok(CloudKey::new(bytes))
}

/// Derives the cipher of a passphrase.
fn derive(passphrase: &Secret, rounds: u32, salt: &[u8]) -> Seal {
    let mut key = Zeroizing::new([0; KEY_LENGTH]);
    pbkdf2::pbkdf2_hmac::<Sha256>(passphrase.expose().as_bytes(), salt, rounds, &mut *key);
    Seal::new(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_key_opens_only_with_its_passphrase() {
        let (key, passphrase) = (CloudKey::new([7; KEY_LENGTH]), Secret::from("correct horse"));
        let text = protect(&key, &passphrase).unwrap();
        assert!(is_protected(&text) && !is_protected(&key.to_text()));
        assert_eq!(open(&text, &passphrase).unwrap().bytes(), key.bytes());
        let error = open(&text, &Secret::from("correct Horse")).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Denied, "wrong passphrase of the key file"));
        let fewer_rounds = text.replacen("600000", "1", 1);
        assert_eq!(open(&fewer_rounds, &passphrase).unwrap_err().kind(), ErrorKind::Denied);
        for malformed in
            ["", "nephos-key-2:", "nephos-key-2:0:AAAA:AAAA", "nephos-key-2:x:AAAA:AAAA", &text[13..]]
        {
            assert_eq!(open(malformed, &passphrase).unwrap_err().kind(), ErrorKind::Invalid, "{malformed}");
        }
        assert!(protect(&key, &Secret::from("short")).is_err());
    }
}
