//! Message authentication codes and shared secrets.

use super::World;
use nephos_core::{
    Blob, Resource, Result,
    field_value::{Choice as _, FieldType},
};
use nephos_kms::{
    CryptoKey, DeriveSharedSecret, GenerateMac, KeyAgreementAlgorithm, KeyOrigin, KeySpec, KeyUsage,
    MacAlgorithm, RecipientInfo, VerifyMac, errors,
};
use nephos_testing::ask;

const MESSAGE: &[u8] = b"the message";

impl World {
    fn mac_key(&self, spec: KeySpec) -> Result<CryptoKey> {
        self.create_key_of(spec, KeyUsage::GenerateVerifyMac)
    }

    fn agreement_key(&self, spec: KeySpec) -> Result<CryptoKey> {
        self.create_key_of(spec, KeyUsage::KeyAgreement)
    }

    fn derive(&self, key: &CryptoKey, peer: &Blob) -> Result<Blob> {
        let keys = CryptoKey::objects(&self.session());
        let id = key.key_id().unwrap();
        let answer = keys.derive_shared_secret(id, KeyAgreementAlgorithm::Ecdh, peer.clone()).wait()?;
        assert_eq!(answer.key_id(), key.arn()?);
        assert_eq!(answer.key_agreement_algorithm(), Some(&KeyAgreementAlgorithm::Ecdh));
        assert_eq!(answer.key_origin(), Some(&KeyOrigin::ProviderCrypto));
        Ok(answer.shared_secret().unwrap().clone())
    }
}

pub(super) fn codes_of_every_algorithm_are_verified(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    for (spec, algorithm, length) in [
        (KeySpec::Hmac224, MacAlgorithm::HmacSha224, 28),
        (KeySpec::Hmac256, MacAlgorithm::HmacSha256, 32),
        (KeySpec::Hmac384, MacAlgorithm::HmacSha384, 48),
        (KeySpec::Hmac512, MacAlgorithm::HmacSha512, 64),
    ] {
        let key = world.mac_key(spec)?;
        let id = key.key_id().unwrap();
        let generated = keys.generate_mac(id, MESSAGE, algorithm.clone()).wait()?;
        assert_eq!((generated.key_id(), generated.mac_algorithm()), (key.arn()?, Some(&algorithm)));
        let mac = generated.mac().unwrap();
        assert_eq!(mac.0.len(), length);
        let verify = |message: &[u8], mac: Vec<u8>| {
            keys.verify_mac(id, message.to_vec(), algorithm.clone(), mac).wait()
        };
        let verified = verify(MESSAGE, mac.0.clone())?;
        assert_eq!(verified.mac_valid(), Some(true));
        assert_eq!((verified.key_id(), verified.mac_algorithm()), (key.arn()?, Some(&algorithm)));
        let mut damaged = mac.0.clone();
        damaged[0] ^= 1;
        for invalid in [damaged, mac.0[..length - 1].to_vec(), vec![1; 6144]] {
            let refused = world.refused(&errors::INVALID_MAC, "Mac", || verify(MESSAGE, invalid));
            assert_eq!(refused.message(), "");
        }
        world.refused(&errors::INVALID_MAC, "Mac", || verify(b"another message", mac.0.clone()));
    }
    Ok(())
}

pub(super) fn parameters_of_codes_are_checked(world: &World) -> Result<()> {
    let (key, session) = (world.mac_key(KeySpec::Hmac256)?, world.session());
    let (id, keys) = (key.key_id().unwrap(), CryptoKey::objects(&session));
    let algorithm = MacAlgorithm::HmacSha256;
    let refused = world.refused(&errors::INVALID_USAGE, "MacAlgorithm", || {
        keys.generate_mac(id, MESSAGE, MacAlgorithm::HmacSha512).wait()
    });
    assert_eq!(refused.message(), "Algorithm HMAC_SHA_512 is incompatible with key spec HMAC_256.");
    world.refused(&errors::INVALID_USAGE, "MacAlgorithm", || {
        keys.verify_mac(id, MESSAGE, MacAlgorithm::HmacSha224, MESSAGE).wait()
    });
    for length in [0, 4097] {
        world.refused(&errors::VALIDATION, "Message", || {
            keys.generate_mac(id, vec![7; length], algorithm.clone()).wait()
        });
    }
    for length in [0, 6145] {
        world.refused(&errors::VALIDATION, "Mac", || {
            keys.verify_mac(id, MESSAGE, algorithm.clone(), vec![7; length]).wait()
        });
    }
    let symmetric = world.create_key()?;
    let refused = world.refused(&errors::INVALID_USAGE, "KeyId", || {
        keys.generate_mac(symmetric.key_id().unwrap(), MESSAGE, algorithm.clone()).wait()
    });
    assert!(refused.message().ends_with("ENCRYPT_DECRYPT which is not valid for GenerateMac."), "{refused}");
    world.refused(&errors::DRY_RUN, None, || {
        ask(&session, GenerateMac::new(id, MESSAGE, algorithm.clone()).dry_run(true))
    });
    let verify = |mac: &[u8]| {
        ask(&session, VerifyMac::new(id, MESSAGE, algorithm.clone(), mac.to_vec()).dry_run(true))
    };
    let generated = keys.generate_mac(id, MESSAGE, algorithm.clone()).wait()?;
    world.refused(&errors::DRY_RUN, None, || verify(&generated.mac().unwrap().0));
    world.refused(&errors::INVALID_MAC, "Mac", || verify(MESSAGE));
    // The refusal of another value lists them in this order.
    let values: Vec<_> = MacAlgorithm::SHAPE.values.iter().map(|value| value.name).collect();
    assert_eq!(values, ["HMAC_SHA_384", "HMAC_SHA_256", "HMAC_SHA_224", "HMAC_SHA_512"]);
    Ok(())
}

pub(super) fn both_keys_derive_the_same_secret(world: &World) -> Result<()> {
    for (spec, length) in [(KeySpec::EccNistP256, 32), (KeySpec::EccNistP384, 48), (KeySpec::EccNistP521, 66)]
    {
        let (first, second) = (world.agreement_key(spec.clone())?, world.agreement_key(spec)?);
        let public = |key: &CryptoKey| Ok(key.public_key().wait()?.public_key().unwrap().clone());
        let secret = world.derive(&first, &public(&second)?)?;
        assert_eq!(secret.0.len(), length);
        assert_eq!(world.derive(&second, &public(&first)?)?, secret);
    }
    Ok(())
}

pub(super) fn public_keys_of_peers_are_checked(world: &World) -> Result<()> {
    let key = world.agreement_key(KeySpec::EccNistP256)?;
    let other_curve = world.agreement_key(KeySpec::EccNistP384)?;
    let other = other_curve.public_key().wait()?.public_key().unwrap().clone();
    for invalid in [other.clone(), Blob::from("InvalidPublicKey"), Blob(vec![4; 65])] {
        world.refused(&errors::VALIDATION, "PublicKey", || world.derive(&key, &invalid));
    }
    for length in [0, 8193] {
        world.refused(&errors::VALIDATION, "PublicKey", || world.derive(&key, &Blob(vec![7; length])));
    }
    let signing = world.create_key_of(KeySpec::EccNistP384, KeyUsage::SignVerify)?;
    let refused = world.refused(&errors::INVALID_USAGE, "KeyId", || world.derive(&signing, &other));
    assert!(
        refused.message().ends_with("SIGN_VERIFY which is not valid for DeriveSharedSecret."),
        "{refused}"
    );
    let (session, id) = (world.session(), other_curve.key_id().unwrap());
    let derive = || DeriveSharedSecret::new(id, KeyAgreementAlgorithm::Ecdh, other.clone());
    world.refused(&errors::DRY_RUN, None, || ask(&session, derive().dry_run(true)));
    world.refused(&errors::UNSUPPORTED, "Recipient", || {
        ask(&session, derive().recipient(RecipientInfo::blank()))
    });
    Ok(())
}
