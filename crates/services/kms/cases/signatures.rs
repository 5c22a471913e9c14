//! Signatures and public keys.

use super::World;
use nephos_core::{Blob, Resource, Result};
use nephos_kms::{CryptoKey, KeySpec, KeyUsage, MessageType, Sign, SigningAlgorithm, Verify, errors};
use nephos_testing::ask;

const MESSAGE: &[u8] = b"the message";

/// Every spec whose generation is fast enough for a case, with the length of its public key.
const SPECS: &[(KeySpec, usize)] = &[
    (KeySpec::Rsa2048, 294),
    (KeySpec::EccNistP256, 91),
    (KeySpec::EccNistP384, 120),
    (KeySpec::EccNistP521, 158),
    (KeySpec::EccSecgP256k1, 88),
    (KeySpec::EccNistEdwards25519, 44),
    (KeySpec::MlDsa44, 1334),
    (KeySpec::MlDsa65, 1974),
    (KeySpec::MlDsa87, 2614),
];

/// Length of the digests of an algorithm; `None` if it signs no digests.
fn digest_length(algorithm: &SigningAlgorithm) -> Option<usize> {
    let name = algorithm.to_string();
    match (name.as_str(), name.rsplit('_').next()) {
        ("ED25519_SHA_512" | "ML_DSA_SHAKE_256", _) => None,
        (_, Some("256")) => Some(32),
        (_, Some("384")) => Some(48),
        _ => Some(64),
    }
}

impl World {
    fn signing_key(&self, spec: &KeySpec) -> Result<CryptoKey> {
        self.create_key_of(spec.clone(), KeyUsage::SignVerify)
    }

    fn sign(
        &self,
        key: &CryptoKey,
        algorithm: &SigningAlgorithm,
        form: &MessageType,
        message: &[u8],
    ) -> Result<Blob> {
        let keys = CryptoKey::objects(&self.session());
        let sign = keys.sign(key.key_id().unwrap(), message.to_vec(), algorithm.clone());
        Ok(sign.message_type(form.clone()).wait()?.signature().unwrap().clone())
    }

    fn verify(
        &self,
        key: &CryptoKey,
        algorithm: &SigningAlgorithm,
        form: &MessageType,
        message: &[u8],
        signature: &Blob,
    ) -> Result<Option<bool>> {
        let keys = CryptoKey::objects(&self.session());
        let id = key.key_id().unwrap();
        let verify = keys.verify(id, message.to_vec(), algorithm.clone(), signature.clone());
        Ok(verify.message_type(form.clone()).wait()?.signature_valid())
    }
}

pub(super) fn signatures_of_every_algorithm_are_verified(world: &World) -> Result<()> {
    for (spec, _) in SPECS {
        let key = world.signing_key(spec)?;
        for algorithm in spec.signing_algorithms() {
            let digest = digest_length(algorithm).map(|length| vec![7; length]);
            let raw = (*algorithm != SigningAlgorithm::Ed25519PhSha512).then(|| MESSAGE.to_vec());
            for (form, message) in [(MessageType::Raw, raw), (MessageType::Digest, digest)] {
                let Some(message) = message else { continue };
                let signature = world.sign(&key, algorithm, &form, &message)?;
                let verify = |message: &[u8], signature: &Blob| {
                    world.verify(&key, algorithm, &form, message, signature)
                };
                assert_eq!(verify(&message, &signature)?, Some(true), "{algorithm} {form}");
                let mut other = message.clone();
                other[0] ^= 1;
                let refused =
                    world.refused(&errors::INVALID_SIGNATURE, "Signature", || verify(&other, &signature));
                assert_eq!(refused.message(), "");
                let mut damaged = signature.clone();
                let last = damaged.0.len() - 1;
                damaged.0[last] ^= 1;
                for invalid in [damaged, Blob(vec![1]), Blob(vec![97; 6144])] {
                    world.refused(&errors::INVALID_SIGNATURE, "Signature", || verify(&message, &invalid));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn signature_names_key_and_algorithm(world: &World) -> Result<()> {
    let key = world.signing_key(&KeySpec::EccNistP256)?;
    let keys = CryptoKey::objects(&world.session());
    world.create_alias(&key, "alias/web")?;
    let signed = keys.sign("alias/web", MESSAGE, SigningAlgorithm::EcdsaSha256).wait()?;
    assert_eq!(signed.key_id(), key.arn()?);
    assert_eq!(signed.signing_algorithm(), Some(&SigningAlgorithm::EcdsaSha256));
    let signature = signed.signature().unwrap().clone();
    let verified =
        keys.verify("alias/web", MESSAGE, SigningAlgorithm::EcdsaSha256, signature.clone()).wait()?;
    assert_eq!(verified.key_id(), key.arn()?);
    assert_eq!(verified.signing_algorithm(), Some(&SigningAlgorithm::EcdsaSha256));
    let other = world.signing_key(&KeySpec::EccNistP256)?;
    world.refused(&errors::INVALID_SIGNATURE, "Signature", || {
        world.verify(&other, &SigningAlgorithm::EcdsaSha256, &MessageType::Raw, MESSAGE, &signature)
    });
    Ok(())
}

pub(super) fn digests_must_have_the_length_of_the_algorithm(world: &World) -> Result<()> {
    for spec in [KeySpec::Rsa2048, KeySpec::EccNistP384, KeySpec::EccNistEdwards25519] {
        let key = world.signing_key(&spec)?;
        for algorithm in spec.signing_algorithms() {
            let Some(length) = digest_length(algorithm) else { continue };
            for wrong in [1, length - 1, length + 1] {
                let message = vec![7; wrong];
                let refused = world.refused(&errors::VALIDATION, "Message", || {
                    world.sign(&key, algorithm, &MessageType::Digest, &message)
                });
                assert_eq!(refused.message(), format!("Digest is invalid length for algorithm {algorithm}."));
                world.refused(&errors::VALIDATION, "Message", || {
                    world.verify(&key, algorithm, &MessageType::Digest, &message, &Blob(vec![1; 64]))
                });
            }
        }
    }
    Ok(())
}

pub(super) fn messages_have_1_to_4096_bytes(world: &World) -> Result<()> {
    let key = world.signing_key(&KeySpec::EccNistP256)?;
    let sign =
        |length: usize| world.sign(&key, &SigningAlgorithm::EcdsaSha256, &MessageType::Raw, &vec![7; length]);
    sign(4096)?;
    world.refused(&errors::VALIDATION, "Message", || sign(0));
    world.refused(&errors::VALIDATION, "Message", || sign(4097));
    let verify = |length: usize| {
        let signature = Blob(vec![1; length]);
        world.verify(&key, &SigningAlgorithm::EcdsaSha256, &MessageType::Raw, MESSAGE, &signature)
    };
    world.refused(&errors::VALIDATION, "Signature", || verify(0));
    world.refused(&errors::VALIDATION, "Signature", || verify(6145));
    Ok(())
}

pub(super) fn message_type_must_fit_to_algorithm(world: &World) -> Result<()> {
    let edwards = world.signing_key(&KeySpec::EccNistEdwards25519)?;
    let ml_dsa = world.signing_key(&KeySpec::MlDsa44)?;
    let p256 = world.signing_key(&KeySpec::EccNistP256)?;
    for (key, algorithm, form, expected) in [
        (
            &edwards,
            SigningAlgorithm::Ed25519Sha512,
            MessageType::Digest,
            "Message type DIGEST is incompatible with algorithm ED25519_SHA_512.",
        ),
        (
            &edwards,
            SigningAlgorithm::Ed25519PhSha512,
            MessageType::Raw,
            "Message type RAW is incompatible with algorithm ED25519_PH_SHA_512.",
        ),
        (
            &ml_dsa,
            SigningAlgorithm::MlDsaShake256,
            MessageType::Digest,
            "Message type DIGEST is incompatible with key spec ML_DSA_44.",
        ),
        (
            &p256,
            SigningAlgorithm::EcdsaSha256,
            MessageType::ExternalMu,
            "Message type EXTERNAL_MU is incompatible with key spec ECC_NIST_P256.",
        ),
    ] {
        let refused = world
            .refused(&errors::VALIDATION, "MessageType", || world.sign(key, &algorithm, &form, &[7; 64]));
        assert_eq!(refused.message(), expected);
        world.refused(&errors::VALIDATION, "MessageType", || {
            world.verify(key, &algorithm, &form, &[7; 64], &Blob(vec![1; 64]))
        });
    }
    world.refused(&errors::UNSUPPORTED, "MessageType", || {
        world.sign(&ml_dsa, &SigningAlgorithm::MlDsaShake256, &MessageType::ExternalMu, &[7; 64])
    });
    Ok(())
}

pub(super) fn signing_algorithm_must_be_one_of_the_key(world: &World) -> Result<()> {
    let key = world.signing_key(&KeySpec::EccNistP256)?;
    for algorithm in [SigningAlgorithm::EcdsaSha384, SigningAlgorithm::RsassaPssSha256] {
        let refused = world.refused(&errors::INVALID_USAGE, "SigningAlgorithm", || {
            world.sign(&key, &algorithm, &MessageType::Digest, &[7; 20])
        });
        assert_eq!(
            refused.message(),
            format!("Algorithm {algorithm} is incompatible with key spec ECC_NIST_P256.")
        );
    }
    // The state is refused before the algorithm.
    key.disable().wait()?;
    world.refused(&errors::DISABLED, None, || {
        world.sign(&key, &SigningAlgorithm::EcdsaSha384, &MessageType::Raw, MESSAGE)
    });
    Ok(())
}

pub(super) fn keys_of_another_usage_do_not_sign(world: &World) -> Result<()> {
    for (spec, usage) in [
        (KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt),
        (KeySpec::Hmac256, KeyUsage::GenerateVerifyMac),
        (KeySpec::EccNistP256, KeyUsage::KeyAgreement),
    ] {
        let key = world.create_key_of(spec, usage.clone())?;
        let arn = key.arn()?.unwrap();
        let refused = world.refused(&errors::INVALID_USAGE, "KeyId", || {
            world.sign(&key, &SigningAlgorithm::EcdsaSha256, &MessageType::Raw, MESSAGE)
        });
        assert_eq!(refused.message(), format!("{arn} key usage is {usage} which is not valid for Sign."));
        let refused = world.refused(&errors::INVALID_USAGE, "KeyId", || {
            world.verify(&key, &SigningAlgorithm::EcdsaSha256, &MessageType::Raw, MESSAGE, &Blob(vec![1]))
        });
        assert_eq!(refused.message(), format!("{arn} key usage is {usage} which is not valid for Verify."));
    }
    Ok(())
}

pub(super) fn dry_runs_of_signatures_are_refused(world: &World) -> Result<()> {
    let key = world.signing_key(&KeySpec::EccNistP256)?;
    let (id, session) = (key.key_id().unwrap(), world.session());
    let algorithm = SigningAlgorithm::EcdsaSha256;
    let sign = || Sign::new(id, MESSAGE, algorithm.clone()).dry_run(true);
    world.refused(&errors::DRY_RUN, None, || ask(&session, sign()));
    world.refused(&errors::VALIDATION, "Message", || ask(&session, sign().message_type(MessageType::Digest)));
    let verify = |signature: &[u8]| {
        ask(&session, Verify::new(id, MESSAGE, algorithm.clone(), signature.to_vec()).dry_run(true))
    };
    let signed = world.sign(&key, &algorithm, &MessageType::Raw, MESSAGE)?;
    world.refused(&errors::DRY_RUN, None, || verify(&signed.0));
    world.refused(&errors::INVALID_SIGNATURE, "Signature", || verify(MESSAGE));
    Ok(())
}

pub(super) fn public_key_is_returned_with_its_algorithms(world: &World) -> Result<()> {
    for (spec, length) in SPECS {
        let key = world.signing_key(spec)?;
        // The public key of a disabled key can be read.
        key.disable().wait()?;
        let answer = key.public_key().wait()?;
        assert_eq!(answer.public_key().unwrap().0.len(), *length, "{spec}");
        assert_eq!(answer.key_id(), key.arn()?);
        assert_eq!((answer.key_spec(), answer.customer_master_key_spec()), (Some(spec), Some(spec)));
        assert_eq!(answer.key_usage(), Some(&KeyUsage::SignVerify));
        assert_eq!(answer.signing_algorithms(), key.signing_algorithms());
        assert_eq!((answer.encryption_algorithms(), answer.key_agreement_algorithms()), (None, None));
    }
    for (spec, usage) in [
        (KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt),
        (KeySpec::Hmac256, KeyUsage::GenerateVerifyMac),
    ] {
        let key = world.create_key_of(spec, usage)?;
        let refused = world.refused(&errors::UNSUPPORTED, "KeyId", || key.public_key().wait());
        assert_eq!(refused.message(), "");
    }
    Ok(())
}
