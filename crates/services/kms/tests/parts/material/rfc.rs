//! Vectors of RFC 4231 (HMAC) and RFC 8032 (Ed25519 and Ed25519ph).

use super::hex;
use nephos_kms::{
    KeySpec, MacAlgorithm, SigningAlgorithm,
    material::{signature::prehashed, *},
};

const MACS: [MacAlgorithm; 4] =
    [MacAlgorithm::HmacSha224, MacAlgorithm::HmacSha256, MacAlgorithm::HmacSha384, MacAlgorithm::HmacSha512];

#[test]
fn rfc_4231() {
    let cases: [(&[u8], &[u8], [&str; 4]); 2] = [
        (
            &[0x0b; 20],
            b"Hi There",
            [
                "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
                 daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ],
        ),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            [
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                 9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ],
        ),
    ];
    for (key, message, codes) in cases {
        for (algorithm, code) in MACS.iter().zip(codes) {
            assert_eq!(mac(algorithm, key, message), Ok(hex(code)), "{algorithm:?}");
            assert_eq!(verify_mac(algorithm, key, message, &hex(code)), Ok(true), "{algorithm:?}");
            assert_eq!(
                verify_mac(algorithm, key, b"another message", &hex(code)),
                Ok(false),
                "{algorithm:?}"
            );
            assert_eq!(verify_mac(algorithm, key, message, &hex(code)[1..]), Ok(false), "{algorithm:?}");
        }
    }
}

/// PKCS #8 of a seed, and SubjectPublicKeyInfo of a point (RFC 8410).
fn ed25519(seed: &str, point: &str) -> (Vec<u8>, Vec<u8>) {
    (
        hex(&format!("302e020100300506032b657004220420{seed}")),
        hex(&format!("302a300506032b6570032100{point}")),
    )
}

#[test]
fn rfc_8032_ed25519() {
    let (stored, public) = ed25519(
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    );
    let signature = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                     085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    let (spec, algorithm) = (KeySpec::EccNistEdwards25519, SigningAlgorithm::Ed25519Sha512);
    let message = Message::Raw(&[0x72]);
    assert_eq!(public_key(&spec, &stored), Ok(public.clone()));
    assert_eq!(sign(&spec, &stored, &algorithm, message), Ok(hex(signature)));
    assert_eq!(verify(&spec, &public, &algorithm, message, &hex(signature)), Ok(true));
}

#[test]
fn rfc_8032_ed25519ph() {
    let (stored, public) = ed25519(
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    );
    let signature = "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41\
                     31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406";
    assert_eq!(prehashed::sign(&stored, b"abc"), Ok(hex(signature)));
    assert_eq!(prehashed::verify(&public, b"abc", &hex(signature)), Ok(true));
    assert_eq!(prehashed::verify(&public, b"abd", &hex(signature)), Ok(false));

    // The digest of a request is the message that Ed25519ph hashes.
    let (spec, algorithm) = (KeySpec::EccNistEdwards25519, SigningAlgorithm::Ed25519PhSha512);
    let digest = [3; 64];
    let signature = prehashed::sign(&stored, &digest).expect("a signature");
    assert_eq!(sign(&spec, &stored, &algorithm, Message::Digest(&digest)).as_ref(), Ok(&signature));
    assert_eq!(verify(&spec, &public, &algorithm, Message::Digest(&digest), &signature), Ok(true));
}
