//! Ciphertexts of symmetric keys. They name the key and the material under which they were encrypted:
//!
//! | Bytes | Content |
//! |---|---|
//! | 1 | version, 1 |
//! | 1 + n, three times | length and text of the account, the Region and the ID of the key |
//! | 32 | ID of the material |
//! | 12 | nonce |
//! | n | ciphertext of AES-256-GCM |
//! | 16 | tag |
//!
//! The associated data are the bytes before the nonce, and the encryption context.

use super::Failure;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use nephos_core::hex;
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const MATERIAL_ID_LEN: usize = 32;

/// Name of the key and the material of a ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName {
    /// Account of the key.
    pub account: String,
    /// Region of the key. A replica of the key in another Region can decrypt too.
    pub region: String,
    /// ID of the key.
    pub key_id: String,
    /// ID of the material.
    pub material_id: String,
}

/// Encryption context in the order of its keys, with the length before each text, so that no two contexts have the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context(Vec<u8>);

impl Context {
    /// Encodes the pairs of an encryption context, in any order. No pairs are the same as no context.
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_unstable();
        let mut bytes = Vec::new();
        for text in pairs.into_iter().flat_map(|(key, value)| [key, value]) {
            bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        Self(bytes)
    }
}

/// Encrypts under the material of a symmetric key. `new_nonce` makes the nonce, which must not repeat for another message, for the
/// associated data.
pub fn encrypt(
    name: &KeyName,
    stored: &[u8],
    context: &Context,
    plaintext: &[u8],
    new_nonce: impl FnOnce(&[u8]) -> [u8; NONCE_LEN],
) -> Result<Vec<u8>, Failure> {
    let key = cipher(stored)?;
    let mut bytes = Vec::with_capacity(256 + plaintext.len());
    write_header(name, &mut bytes)?;
    let aad = associated_data(&bytes, context);
    let nonce = new_nonce(aad.as_ref());
    bytes.extend_from_slice(&nonce);
    let start = bytes.len();
    bytes.extend_from_slice(plaintext);
    let nonce = Nonce::assume_unique_for_key(nonce);
    let tag = key.seal_in_place_separate_tag(nonce, aad, &mut bytes[start..])?;
    bytes.extend_from_slice(tag.as_ref());
    Ok(bytes)
}

/// Reads the name of the key of a ciphertext. The name is authentic only after decryption.
pub fn read_header(ciphertext: &[u8]) -> Result<KeyName, Failure> {
    let Header { texts: [account, region, key_id], material_id, .. } = split_header(ciphertext)?;
    let [account, region, key_id] = [account, region, key_id].map(str::to_owned);
    Ok(KeyName { account, region, key_id, material_id: hex::encode(material_id) })
}

/// The header of a ciphertext, and the bytes after it.
struct Header<'c> {
    /// Account, Region and ID of the key.
    texts: [&'c str; 3],
    material_id: &'c [u8],
    body: &'c [u8],
}

/// Decrypts a ciphertext of [`encrypt`] with the material that its header names.
pub fn decrypt(stored: &[u8], context: &Context, ciphertext: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let key = cipher(stored)?;
    let Header { body, .. } = split_header(ciphertext)?;
    let aad = associated_data(&ciphertext[..ciphertext.len() - body.len()], context);
    let (nonce, sealed) = body.split_first_chunk::<NONCE_LEN>().ok_or(Failure::InvalidCiphertext)?;
    let mut bytes = Zeroizing::new(sealed.to_vec());
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let opened = key.open_in_place(nonce, aad, &mut bytes).map_err(|_| Failure::InvalidCiphertext)?;
    let length = opened.len();
    bytes.truncate(length);
    Ok(bytes)
}

fn cipher(stored: &[u8]) -> Result<LessSafeKey, Failure> {
    let key = UnboundKey::new(&AES_256_GCM, stored).map_err(|_| Failure::InvalidKey)?;
    Ok(LessSafeKey::new(key))
}

fn associated_data(header: &[u8], context: &Context) -> Aad<Vec<u8>> {
    Aad::from([header, &context.0].concat())
}

fn write_header(name: &KeyName, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    let material_id = hex::decode(&name.material_id).filter(|id| id.len() == MATERIAL_ID_LEN);
    bytes.push(VERSION);
    for text in [&name.account, &name.region, &name.key_id] {
        bytes.push(u8::try_from(text.len()).map_err(|_| Failure::InvalidKey)?);
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes.extend_from_slice(&material_id.ok_or(Failure::InvalidKey)?);
    Ok(())
}

fn split_header(ciphertext: &[u8]) -> Result<Header<'_>, Failure> {
    read_all(ciphertext)
        .filter(|header| header.body.len() >= NONCE_LEN + AES_256_GCM.tag_len())
        .ok_or(Failure::InvalidCiphertext)
}

fn read_all(bytes: &[u8]) -> Option<Header<'_>> {
    let rest = bytes.strip_prefix(&[VERSION])?;
    let (account, rest) = read_text(rest)?;
    let (region, rest) = read_text(rest)?;
    let (key_id, rest) = read_text(rest)?;
    let (material_id, body) = rest.split_at_checked(MATERIAL_ID_LEN)?;
    Some(Header { texts: [account, region, key_id], material_id, body })
}

fn read_text(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (text, rest) = rest.split_at_checked(usize::from(*length))?;
    Some((std::str::from_utf8(text).ok()?, rest))
}
