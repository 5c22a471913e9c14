//! Properties of material, signatures, codes and shared secrets of every spec.

use super::{PAIRS, flipped, generate, key, wycheproof::digest_of};
use nephos_core::Choice as _;
use nephos_kms::{KeySpec, MacAlgorithm, SigningAlgorithm, material::*};

const MESSAGE: &[u8] = b"attack at dawn";

const SYMMETRIC: [(KeySpec, usize); 5] = [
    (KeySpec::SymmetricDefault, 32),
    (KeySpec::Hmac224, 28),
    (KeySpec::Hmac256, 32),
    (KeySpec::Hmac384, 48),
    (KeySpec::Hmac512, 64),
];

/// Message for an algorithm: the digest where it signs digests only.
fn with_message<R>(algorithm: &SigningAlgorithm, work: impl FnOnce(Message<'_>) -> R) -> R {
    match algorithm {
        SigningAlgorithm::Ed25519PhSha512 => work(Message::Digest(&[3; 64])),
        _ => work(Message::Raw(MESSAGE)),
    }
}

#[test]
fn symmetric_material_has_the_length_of_its_spec() {
    for (spec, expected) in SYMMETRIC {
        let material = generate(&spec);
        assert_eq!(material.len(), expected, "{spec:?}");
        assert_eq!(check_imported(&spec, &material), Ok(material), "{spec:?}");
        for actual in [0, expected - 1, expected + 1, 256] {
            let refused = check_imported(&spec, &vec![1; actual]);
            assert_eq!(refused, Err(Failure::WrongLength { expected, actual }), "{spec:?}");
        }
        assert_eq!(public_key(&spec, &[1; 32]), Err(Failure::InvalidKey), "{spec:?}");
    }
}

#[test]
fn rsa_keys_are_generated_in_every_size() {
    for (spec, length) in [(KeySpec::Rsa2048, 256), (KeySpec::Rsa3072, 384), (KeySpec::Rsa4096, 512)] {
        let stored = generate(&spec);
        let public = public_key(&spec, &stored).expect("a public key");
        assert!(public.ends_with(&[2, 3, 1, 0, 1]), "the public exponent of {spec:?} is 65537");
        let algorithm = SigningAlgorithm::RsassaPssSha256;
        let signature = sign(&spec, &stored, &algorithm, Message::Raw(MESSAGE)).expect("a signature");
        assert_eq!(signature.len(), length, "{spec:?}");
        assert_eq!(verify(&spec, &public, &algorithm, Message::Raw(MESSAGE), &signature), Ok(true));
    }
}

#[test]
fn key_pairs_sign_and_verify_with_every_algorithm() {
    for spec in PAIRS {
        let stored = key(&spec);
        assert_eq!(check_imported(&spec, stored).as_ref(), Ok(stored), "{spec:?}");
        let public = public_key(&spec, stored).expect("a public key");
        for algorithm in spec.signing_algorithms() {
            let signature = with_message(algorithm, |message| sign(&spec, stored, algorithm, message));
            let signature = signature.expect("a signature");
            let valid = |public: &[u8], bytes: &[u8]| {
                with_message(algorithm, |message| verify(&spec, public, algorithm, message, bytes))
            };
            assert_eq!(valid(&public, &signature), Ok(true), "{algorithm:?}");
            let longer = [&signature[..], &[0]].concat();
            for damaged in [&flipped(&signature, 100), &signature[1..], &longer, &[]] {
                assert_eq!(valid(&public, damaged), Ok(false), "{algorithm:?}");
            }
            for damaged in [&public[1..], b"no key", &[]] {
                assert_eq!(valid(damaged, &signature), Err(Failure::InvalidKey), "{algorithm:?}");
            }
        }
    }
}

#[test]
fn digests_are_signed_like_their_messages() {
    for spec in [
        KeySpec::Rsa2048,
        KeySpec::EccNistP256,
        KeySpec::EccNistP384,
        KeySpec::EccNistP521,
        KeySpec::EccSecgP256k1,
    ] {
        let stored = key(&spec);
        let public = public_key(&spec, stored).expect("a public key");
        for algorithm in spec.signing_algorithms() {
            let digest = digest_of(algorithm.as_str(), MESSAGE).expect("a digest");
            let of_digest =
                sign(&spec, stored, algorithm, Message::Digest(digest.as_ref())).expect("a signature");
            assert_eq!(verify(&spec, &public, algorithm, Message::Raw(MESSAGE), &of_digest), Ok(true));
            let of_message = sign(&spec, stored, algorithm, Message::Raw(MESSAGE)).expect("a signature");
            let digest = Message::Digest(digest.as_ref());
            assert_eq!(verify(&spec, &public, algorithm, digest, &of_message), Ok(true));
            assert_eq!(verify(&spec, &public, algorithm, Message::Raw(b"other"), &of_message), Ok(false));
        }
    }
}

#[test]
fn digests_have_the_length_of_their_algorithm() {
    let cases = [
        (KeySpec::EccNistP256, SigningAlgorithm::EcdsaSha256, 32),
        (KeySpec::EccNistP384, SigningAlgorithm::EcdsaSha384, 48),
        (KeySpec::EccNistP521, SigningAlgorithm::EcdsaSha512, 64),
        (KeySpec::EccNistEdwards25519, SigningAlgorithm::Ed25519PhSha512, 64),
    ];
    for (spec, algorithm, expected) in cases {
        let stored = key(&spec);
        let public = public_key(&spec, stored).expect("a public key");
        for actual in [0, 20, expected - 1, expected + 1] {
            let (digest, refused) = (vec![1; actual], Err(Failure::WrongLength { expected, actual }));
            let message = Message::Digest(&digest);
            assert_eq!(sign(&spec, stored, &algorithm, message), refused.map(|()| vec![]));
            assert_eq!(verify(&spec, &public, &algorithm, message, &[]), refused.map(|()| false));
        }
    }
}

#[test]
fn messages_and_algorithms_that_do_not_fit_are_refused() {
    let cases = [
        (KeySpec::EccNistEdwards25519, SigningAlgorithm::Ed25519Sha512, Message::Digest(&[0; 64])),
        (KeySpec::EccNistEdwards25519, SigningAlgorithm::Ed25519PhSha512, Message::Raw(MESSAGE)),
        (KeySpec::MlDsa44, SigningAlgorithm::MlDsaShake256, Message::Digest(&[0; 64])),
    ];
    for (spec, algorithm, message) in cases {
        let public = public_key(&spec, key(&spec)).expect("a public key");
        assert_eq!(sign(&spec, key(&spec), &algorithm, message), Err(Failure::WrongMessageType));
        assert_eq!(verify(&spec, &public, &algorithm, message, &[]), Err(Failure::WrongMessageType));
    }
    for (spec, algorithm) in [
        (KeySpec::EccNistP256, SigningAlgorithm::EcdsaSha384),
        (KeySpec::EccNistP256, SigningAlgorithm::RsassaPssSha256),
        (KeySpec::EccNistP256, SigningAlgorithm::Sm2dsa),
    ] {
        let refused = sign(&spec, key(&spec), &algorithm, Message::Raw(MESSAGE));
        assert_eq!(refused, Err(Failure::WrongAlgorithm));
    }
}

#[test]
fn a_key_of_another_spec_is_refused() {
    let specs = PAIRS.iter().filter(|spec| !matches!(spec, KeySpec::Rsa3072 | KeySpec::Rsa4096));
    let material: Vec<_> = specs.map(|spec| (spec, key(spec))).collect();
    for (spec, _) in &material {
        for (_, stored) in material.iter().filter(|(other, _)| other != spec) {
            assert_eq!(check_imported(spec, stored), Err(Failure::InvalidKey), "{spec:?}");
            assert_eq!(public_key(spec, stored), Err(Failure::InvalidKey), "{spec:?}");
        }
        let stored = key(spec);
        let longer = [stored.as_slice(), &[0]].concat();
        for damaged in [&[][..], b"no key", &[0x30; 100], &longer, &stored[..stored.len() - 1]] {
            assert_eq!(check_imported(spec, damaged), Err(Failure::InvalidKey), "{spec:?}");
        }
    }
    let rsa = key(&KeySpec::Rsa2048);
    for spec in [KeySpec::Rsa3072, KeySpec::Rsa4096, KeySpec::Sm2] {
        assert_eq!(check_imported(&spec, rsa), Err(Failure::InvalidKey), "{spec:?}");
    }
}

#[test]
fn the_same_key_in_another_encoding_is_the_same_material() {
    let stored = key(&KeySpec::EccNistEdwards25519);
    // PKCS #8, version 2, which has the public key too.
    let pair = aws_lc_rs::signature::Ed25519KeyPair::from_pkcs8(stored).expect("a key pair");
    let second = pair.to_pkcs8().expect("PKCS #8");
    assert_ne!(second.as_ref(), stored.as_slice());
    assert_eq!(check_imported(&KeySpec::EccNistEdwards25519, second.as_ref()).as_ref(), Ok(stored));
}

#[test]
fn material_ids_depend_on_the_material_and_the_key() {
    let id = material_id("key", b"material");
    assert_eq!(id, material_id("key", b"material"));
    assert_ne!(id, material_id("key", b"other"));
    assert_ne!(id, material_id("other", b"material"));
    assert!(id.len() == 64 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{id}");
}

#[test]
fn both_sides_derive_the_same_secret() {
    for (spec, length) in [(KeySpec::EccNistP256, 32), (KeySpec::EccNistP384, 48), (KeySpec::EccNistP521, 66)]
    {
        let (ours, peer) = (key(&spec), generate(&spec));
        let public = |stored: &[u8]| public_key(&spec, stored).expect("a public key");
        let secret = agree(&spec, ours, &public(&peer)).expect("a secret");
        assert_eq!(agree(&spec, &peer, &public(ours)).as_ref(), Ok(&secret));
        assert_eq!(secret.len(), length, "{spec:?}");

        let spki = public(&peer);
        let point = &spki[spki.len() - 2 * length - 1..];
        let other_curve =
            public_key(&KeySpec::EccSecgP256k1, key(&KeySpec::EccSecgP256k1)).expect("a public key");
        // A point that is not on the curve, a point without its curve, and damaged keys.
        let wrong = [
            &flipped(&spki, spki.len() * 8 - 8),
            point,
            &other_curve,
            &spki[..spki.len() - 1],
            b"no key",
            &[],
        ];
        for peer in wrong {
            assert_eq!(agree(&spec, ours, peer), Err(Failure::InvalidKey), "{spec:?}");
        }
    }
    let stored = key(&KeySpec::EccNistP256);
    let public = public_key(&KeySpec::EccNistP256, stored).expect("a public key");
    assert_eq!(agree(&KeySpec::EccNistP384, stored, &public), Err(Failure::InvalidKey));
    assert_eq!(agree(&KeySpec::EccSecgP256k1, stored, &public), Err(Failure::WrongAlgorithm));
}

#[test]
fn unknown_algorithms_make_no_codes() {
    let algorithm = MacAlgorithm::Unknown("HMAC_MD5".into());
    assert_eq!(mac(&algorithm, &[1; 32], MESSAGE), Err(Failure::WrongAlgorithm));
}
