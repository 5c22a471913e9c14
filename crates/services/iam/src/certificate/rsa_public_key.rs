//! RSA public keys in the encodings of SSH and PEM.

use crate::{
    certificate::{
        der::{self, BIT_STRING, INTEGER, Reader, SEQUENCE},
        md5,
    },
    errors,
};
use nephos_core::{Blob, Result};

/// Name of the algorithm in the encoding of SSH.
const ALGORITHM: &str = "ssh-rsa";

/// Algorithm `rsaEncryption` with its parameters, in DER.
const RSA_ENCRYPTION: &[u8] =
    &[0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

/// Minimum number of bits of a key.
const MIN_BITS: usize = 2048;

/// An RSA public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RsaPublicKey {
    /// Exponent, without zero bytes before it.
    exponent: Vec<u8>,
    /// Modulus, without zero bytes before it.
    modulus: Vec<u8>,
}

impl RsaPublicKey {
    /// Parses a key in the encoding of SSH or PEM.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let key = if text.starts_with("-----BEGIN ") {
            Self::from_pem(text)
        } else if text.starts_with("ssh-") || text.starts_with("ecdsa-") {
            Self::from_ssh(text)
        } else {
            return Err(errors::public_key_encoding().with_field("SSHPublicKeyBody"));
        };
        let key = key.filter(|key| key.bits() >= MIN_BITS);
        key.ok_or_else(|| errors::public_key_invalid().with_field("SSHPublicKeyBody"))
    }

    fn new(exponent: &[u8], modulus: &[u8]) -> Self {
        let plain = |number: &[u8]| number[number.iter().take_while(|byte| **byte == 0).count()..].to_vec();
        Self { exponent: plain(exponent), modulus: plain(modulus) }
    }

    fn from_ssh(text: &str) -> Option<Self> {
        let mut parts = text.split_ascii_whitespace();
        let encoded = parts.next().filter(|algorithm| *algorithm == ALGORITHM).and(parts.next())?;
        let decoded = Blob::from_base64(encoded)?;
        let mut rest = &decoded.0[..];
        let mut field = || {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let (field, behind) = behind.split_at_checked(u32::from_be_bytes(*length) as usize)?;
            rest = behind;
            Some(field)
        };
        field().filter(|name| *name == ALGORITHM.as_bytes())?;
        let (exponent, modulus) = (field()?, field()?);
        rest.is_empty().then(|| Self::new(exponent, modulus))
    }

    fn from_pem(text: &str) -> Option<Self> {
        let mut blocks = der::decode_pem(text)?;
        let block = blocks.pop().filter(|_| blocks.is_empty())?;
        match &*block.label {
            "RSA PUBLIC KEY" => Self::from_numbers(&block.content.0),
            "PUBLIC KEY" => {
                let mut fields = Reader::of_sequence(&block.content.0)?;
                fields.take(SEQUENCE).filter(|algorithm| algorithm.whole == RSA_ENCRYPTION)?;
                let (unused_bits, key) = fields.take(BIT_STRING)?.content.split_first()?;
                if *unused_bits == 0 { Self::from_numbers(key) } else { None }
            }
            _ => None,
        }
    }

    fn from_numbers(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Reader::of_sequence(bytes)?;
        let (modulus, exponent) = (numbers.take(INTEGER)?, numbers.take(INTEGER)?);
        Some(Self::new(exponent.content, modulus.content))
    }

    fn bits(&self) -> usize {
        let first = self.modulus.first().map_or(8, |byte| byte.leading_zeros() as usize);
        8 * self.modulus.len() - first.min(8 * self.modulus.len())
    }

    /// Encodes the fields of the key as SSH does.
    fn ssh_blob(&self) -> Vec<u8> {
        let (exponent, modulus) = (signed(&self.exponent), signed(&self.modulus));
        let mut blob = Vec::new();
        for field in [ALGORITHM.as_bytes(), &exponent, &modulus] {
            blob.extend((field.len() as u32).to_be_bytes());
            blob.extend(field);
        }
        blob
    }

    /// Encodes the key for SSH.
    pub(crate) fn to_ssh(&self) -> String {
        format!("{ALGORITHM} {}", Blob(self.ssh_blob()).to_base64())
    }

    /// Encodes the key in PEM.
    pub(crate) fn to_pem(&self) -> String {
        let number = |number: &[u8]| der::encode(INTEGER, &signed(number));
        let numbers = der::encode(SEQUENCE, &[number(&self.modulus), number(&self.exponent)].concat());
        let key = der::encode(BIT_STRING, &[&[0], &numbers[..]].concat());
        der::encode_pem("PUBLIC KEY", der::encode(SEQUENCE, &[RSA_ENCRYPTION, &key].concat()))
    }

    /// Returns the MD5 fingerprint: pairs of hexadecimal digits with colons between them.
    pub(crate) fn fingerprint(&self) -> String {
        md5::digest(&self.ssh_blob()).map(|byte| format!("{byte:02x}")).join(":")
    }
}

/// Returns a number with a zero byte before it if its first bit, which is that of the sign, is set.
fn signed(number: &[u8]) -> Vec<u8> {
    let is_negative = number.first().is_none_or(|byte| byte & 0x80 != 0);
    let mut signed = vec![0; usize::from(is_negative)];
    signed.extend(number);
    signed
}
