//! Published test vectors, and properties of every spec.

mod cache;
mod ciphertexts;
mod keys;
mod rfc;
mod wycheproof;

use nephos_kms::{
    KeySpec,
    material::{self, StoredMaterial},
};
use std::sync::OnceLock;

const PAIRS: [KeySpec; 11] = [
    KeySpec::Rsa2048,
    KeySpec::Rsa3072,
    KeySpec::Rsa4096,
    KeySpec::EccNistP256,
    KeySpec::EccNistP384,
    KeySpec::EccNistP521,
    KeySpec::EccSecgP256k1,
    KeySpec::EccNistEdwards25519,
    KeySpec::MlDsa44,
    KeySpec::MlDsa65,
    KeySpec::MlDsa87,
];

fn hex(text: &str) -> Vec<u8> {
    nephos_core::hex::decode(text).expect("hexadecimal digits")
}

fn generate(spec: &KeySpec) -> StoredMaterial {
    material::generate(spec, &nephos_core::Ids::seeded(1)).expect("material")
}

/// A key of each spec of key pairs, the same for all tests of a process. RSA keys are those of the vectors, because generating
/// them takes seconds.
fn key(spec: &KeySpec) -> &'static StoredMaterial {
    static KEYS: [OnceLock<StoredMaterial>; PAIRS.len()] = [const { OnceLock::new() }; PAIRS.len()];
    let index = PAIRS.iter().position(|pair| pair == spec).expect("a spec of key pairs");
    KEYS[index].get_or_init(|| match wycheproof::rsa_key(spec) {
        Some(pkcs8) => material::check_imported(spec, &pkcs8).expect("a key pair"),
        None => generate(spec),
    })
}

/// `bytes` with one bit changed.
fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}
