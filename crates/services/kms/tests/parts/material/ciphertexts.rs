//! Properties of symmetric ciphertexts, of RSA ciphertexts and of wrapped material.

use super::{flipped, generate, key};
use aws_lc_rs::{
    key_wrap::{AES_256, AesKek, KeyWrapPadded as _},
    rsa::{Pkcs1PublicEncryptingKey, PublicEncryptingKey},
};
use nephos_core::Ids;
use nephos_kms::{EncryptionAlgorithm, KeySpec, WrappingAlgorithm, material::*};

const PLAINTEXT: &[u8] = b"attack at dawn";

fn name(stored: &[u8]) -> KeyName {
    let key_id = "1234abcd-12ab-34cd-56ef-1234567890ab";
    KeyName {
        account: "111122223333".into(),
        region: "us-east-1".into(),
        key_id: key_id.into(),
        material_id: material_id(key_id, stored),
    }
}

/// A key, a context, and a ciphertext of both.
fn sealed() -> (StoredMaterial, Context, Vec<u8>) {
    let stored = generate(&KeySpec::SymmetricDefault);
    let context = Context::new([("purpose", "test"), ("stage", "one")]);
    let ciphertext = encrypt(&name(&stored), &stored, &context, PLAINTEXT, nonce(&Ids::seeded(2)));
    (stored, context, ciphertext.expect("a ciphertext"))
}

/// Makes a nonce of these random bytes.
fn nonce(ids: &Ids) -> impl FnOnce(&[u8]) -> [u8; 12] {
    let mut nonce = [0; 12];
    ids.fill(&mut nonce);
    move |_| nonce
}

#[test]
fn a_ciphertext_names_its_key_and_decrypts() {
    let (stored, context, ciphertext) = sealed();
    assert_eq!(read_header(&ciphertext), Ok(name(&stored)));
    assert_eq!(decrypt(&stored, &context, &ciphertext).expect("a plaintext").as_slice(), PLAINTEXT);
    for length in [0, 1, 16, 4096] {
        let plaintext = vec![7; length];
        let ciphertext = encrypt(&name(&stored), &stored, &context, &plaintext, nonce(&Ids::system()));
        let decrypted = decrypt(&stored, &context, &ciphertext.expect("a ciphertext"));
        assert_eq!(*decrypted.expect("a plaintext"), plaintext);
    }
}

#[test]
fn two_ciphertexts_of_the_same_plaintext_differ() {
    let (stored, context, first) = sealed();
    let second = encrypt(&name(&stored), &stored, &context, PLAINTEXT, nonce(&Ids::system()));
    assert_ne!(first, second.expect("a ciphertext"));
}

#[test]
fn another_context_does_not_decrypt() {
    let (stored, context, ciphertext) = sealed();
    let others: [&[(&str, &str)]; 6] = [
        &[],
        &[("purpose", "test")],
        &[("purpose", "test"), ("stage", "two")],
        &[("purpose", "one"), ("stage", "test")],
        &[("purpose", "tes"), ("tstage", "one")],
        &[("purpose", "test"), ("stage", "one"), ("more", "")],
    ];
    for other in others {
        let refused = decrypt(&stored, &Context::new(other.iter().copied()), &ciphertext);
        assert_eq!(refused, Err(Failure::InvalidCiphertext), "{other:?}");
    }
    assert_eq!(Context::new([("stage", "one"), ("purpose", "test")]), context);
    assert_eq!(Context::new([]), Context::default());
}

#[test]
fn another_key_does_not_decrypt() {
    let (stored, context, ciphertext) = sealed();
    let refused = decrypt(&flipped(&stored, 0), &context, &ciphertext);
    assert_eq!(refused, Err(Failure::InvalidCiphertext));
    for length in [0, 16, 31, 33] {
        let key = vec![1; length];
        assert_eq!(decrypt(&key, &context, &ciphertext), Err(Failure::InvalidKey));
        let refused = encrypt(&name(&stored), &key, &context, PLAINTEXT, nonce(&Ids::system()));
        assert_eq!(refused, Err(Failure::InvalidKey));
    }
}

#[test]
fn every_bit_of_a_ciphertext_is_authenticated() {
    let (stored, context, ciphertext) = sealed();
    for bit in 0..ciphertext.len() * 8 {
        let refused = decrypt(&stored, &context, &flipped(&ciphertext, bit));
        assert_eq!(refused, Err(Failure::InvalidCiphertext), "bit {bit}");
    }
    for length in 0..ciphertext.len() {
        let refused = decrypt(&stored, &context, &ciphertext[..length]);
        assert_eq!(refused, Err(Failure::InvalidCiphertext), "length {length}");
    }
    let longer = [&ciphertext[..], &[0]].concat();
    assert_eq!(decrypt(&stored, &context, &longer), Err(Failure::InvalidCiphertext));
}

#[test]
fn a_name_that_does_not_fit_is_refused() {
    let (stored, context, _) = sealed();
    let names = [
        KeyName { key_id: "x".repeat(256), ..name(&stored) },
        KeyName { material_id: "00".into(), ..name(&stored) },
        KeyName { material_id: "x".repeat(64), ..name(&stored) },
    ];
    for name in names {
        let refused = encrypt(&name, &stored, &context, PLAINTEXT, nonce(&Ids::system()));
        assert_eq!(refused, Err(Failure::InvalidKey), "{name:?}");
    }
}

#[test]
fn rsa_encrypts_up_to_the_limit_of_each_size() {
    use EncryptionAlgorithm::{RsaesOaepSha1, RsaesOaepSha256, SymmetricDefault};
    let limits = [
        (KeySpec::Rsa2048, RsaesOaepSha1, 214),
        (KeySpec::Rsa2048, RsaesOaepSha256, 190),
        (KeySpec::Rsa3072, RsaesOaepSha1, 342),
        (KeySpec::Rsa3072, RsaesOaepSha256, 318),
        (KeySpec::Rsa4096, RsaesOaepSha1, 470),
        (KeySpec::Rsa4096, RsaesOaepSha256, 446),
    ];
    for (spec, algorithm, limit) in limits {
        let stored = key(&spec);
        assert_eq!(rsa_plaintext_limit(&spec, &algorithm), Some(limit));
        for length in [0, 1, limit] {
            let plaintext = vec![7; length];
            let ciphertext = encrypt_rsa(&spec, stored, &algorithm, &plaintext).expect("a ciphertext");
            let decrypted = decrypt_rsa(&spec, stored, &algorithm, &ciphertext).expect("a plaintext");
            assert_eq!(*decrypted, plaintext, "{spec:?} {algorithm:?} {length}");
        }
        let refused = encrypt_rsa(&spec, stored, &algorithm, &vec![7; limit + 1]);
        assert_eq!(refused, Err(Failure::TooLong { limit, actual: limit + 1 }));
    }
    let stored = key(&KeySpec::Rsa2048);
    let refused = encrypt_rsa(&KeySpec::Rsa2048, stored, &SymmetricDefault, PLAINTEXT);
    assert_eq!(refused, Err(Failure::WrongAlgorithm));
    let refused = encrypt_rsa(&KeySpec::EccNistP256, stored, &RsaesOaepSha1, PLAINTEXT);
    assert_eq!(refused, Err(Failure::WrongAlgorithm));
    let refused = encrypt_rsa(&KeySpec::Rsa3072, stored, &RsaesOaepSha1, PLAINTEXT);
    assert_eq!(refused, Err(Failure::InvalidKey));
}

#[test]
fn damaged_rsa_ciphertexts_are_refused() {
    use EncryptionAlgorithm::{RsaesOaepSha1, RsaesOaepSha256};
    let (spec, stored) = (KeySpec::Rsa2048, key(&KeySpec::Rsa2048));
    let ciphertext = encrypt_rsa(&spec, stored, &RsaesOaepSha256, PLAINTEXT).expect("a ciphertext");
    let longer = [&ciphertext[..], &[0]].concat();
    let damaged = [&flipped(&ciphertext, 9), &ciphertext[..255], &longer, &[], &[0; 256], &[0xff; 256]];
    for bytes in damaged {
        let refused = decrypt_rsa(&spec, stored, &RsaesOaepSha256, bytes);
        assert_eq!(refused, Err(Failure::InvalidCiphertext));
    }
    let refused = decrypt_rsa(&spec, stored, &RsaesOaepSha1, &ciphertext);
    assert_eq!(refused, Err(Failure::InvalidCiphertext));
}

/// `material` wrapped with a new AES key, which is encrypted with RSA.
fn wrap_with_aes(spec: &KeySpec, algorithm: &EncryptionAlgorithm, material: &[u8]) -> Vec<u8> {
    let aes = generate(&KeySpec::SymmetricDefault);
    let mut bytes = vec![0; material.len() + 15];
    let wrapper = AesKek::new(&AES_256, &aes).expect("a key");
    let wrapped = wrapper.wrap_with_padding(material, &mut bytes).expect("wrapped material");
    let encrypted = encrypt_rsa(spec, key(spec), algorithm, &aes).expect("a ciphertext");
    [&encrypted, &*wrapped].concat()
}

#[test]
fn material_is_unwrapped_with_each_algorithm() {
    use {EncryptionAlgorithm as E, WrappingAlgorithm as W};
    let (spec, wrapping) = (KeySpec::Rsa2048, key(&KeySpec::Rsa2048));
    let (short, long) = (generate(&KeySpec::Hmac512), generate(&KeySpec::EccNistP521));
    let oaep = |algorithm: E| encrypt_rsa(&spec, wrapping, &algorithm, &short).expect("a ciphertext");
    let public = public_key(&spec, wrapping).expect("a public key");
    let public =
        PublicEncryptingKey::from_der(&public).and_then(|key| Ok(Pkcs1PublicEncryptingKey::new(key)?));
    let mut pkcs1 = vec![0; 256];
    public.expect("a public key").encrypt(&short, &mut pkcs1).expect("a ciphertext");
    let wrapped = [
        (W::RsaesOaepSha1, &short, oaep(E::RsaesOaepSha1)),
        (W::RsaesOaepSha256, &short, oaep(E::RsaesOaepSha256)),
        (W::RsaesPkcs1V15, &short, pkcs1),
        (W::RsaAesKeyWrapSha1, &long, wrap_with_aes(&spec, &E::RsaesOaepSha1, &long)),
        (W::RsaAesKeyWrapSha256, &long, wrap_with_aes(&spec, &E::RsaesOaepSha256, &long)),
    ];
    for (algorithm, material, bytes) in &wrapped {
        assert_eq!(unwrap(wrapping, algorithm, bytes).as_ref(), Ok(*material), "{algorithm:?}");
        for damaged in [&flipped(bytes, 9), &bytes[1..], &bytes[..bytes.len() - 1], &[]] {
            let refused = unwrap(wrapping, algorithm, damaged);
            assert_eq!(refused, Err(Failure::InvalidCiphertext), "{algorithm:?}");
        }
    }
    // The part that AES wraps is checked too.
    let (algorithm, _, bytes) = &wrapped[4];
    let refused = unwrap(wrapping, algorithm, &flipped(bytes, 257 * 8));
    assert_eq!(refused, Err(Failure::InvalidCiphertext));
    assert_eq!(unwrap(wrapping, &W::Sm2pke, bytes), Err(Failure::WrongAlgorithm));
    assert_eq!(unwrap(b"no key", algorithm, bytes), Err(Failure::InvalidKey));
}
