//! Data keys, data key pairs and random bytes.

use super::World;
use nephos_core::{Blob, Resource, Result};
use nephos_kms::{CryptoKey, DataKeyPairSpec, DataKeySpec, KeySpec, KeyUsage, errors};

impl World {
    fn decrypt(&self, ciphertext: &Blob) -> Result<Blob> {
        let keys = CryptoKey::objects(&self.session());
        Ok(keys.decrypt().ciphertext_blob(ciphertext.clone()).wait()?.plaintext().unwrap().clone())
    }
}

pub(super) fn data_key_has_the_length_of_the_request(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let with_spec = |spec| key.generate_data_key().key_spec(spec);
    let answers = [
        (with_spec(DataKeySpec::Aes128).wait()?, 16),
        (with_spec(DataKeySpec::Aes256).wait()?, 32),
        (key.generate_data_key().number_of_bytes(7).wait()?, 7),
        (key.generate_data_key().number_of_bytes(1024).wait()?, 1024),
    ];
    for (answer, length) in answers {
        let plaintext = answer.plaintext().unwrap();
        assert_eq!(plaintext.0.len(), length);
        assert!(plaintext.0.iter().any(|byte| *byte != plaintext.0[0]), "the bytes are all the same");
        assert_eq!(answer.key_id(), key.arn()?);
        assert_eq!(answer.key_material_id(), key.current_key_material_id());
        assert_eq!(world.decrypt(answer.ciphertext_blob().unwrap())?, *plaintext);
    }
    let hidden = key.generate_data_key_without_plaintext().number_of_bytes(24).wait()?;
    assert_eq!((hidden.key_id(), hidden.key_material_id()), (key.arn()?, key.current_key_material_id()));
    assert_eq!(world.decrypt(hidden.ciphertext_blob().unwrap())?.0.len(), 24);
    Ok(())
}

pub(super) fn data_key_needs_exactly_one_length(world: &World) -> Result<()> {
    let key = world.create_key()?;
    // The length is checked before the state.
    key.disable().wait()?;
    let both = || key.generate_data_key().number_of_bytes(7).key_spec(DataKeySpec::Aes128).wait();
    let refused = world.refused(&errors::VALIDATION, None, both);
    assert_eq!(refused.message(), "Please specify either number of bytes or key spec.");
    world.refused(&errors::VALIDATION, None, || key.generate_data_key().wait());
    world.refused(&errors::VALIDATION, None, || key.generate_data_key_without_plaintext().wait());
    for number in [0, 1025] {
        world.refused(&errors::VALIDATION, "NumberOfBytes", || {
            key.generate_data_key().number_of_bytes(number).wait()
        });
    }
    Ok(())
}

pub(super) fn data_keys_need_symmetric_key(world: &World) -> Result<()> {
    let rsa = world.create_key_of(KeySpec::Rsa2048, KeyUsage::EncryptDecrypt)?;
    let refused = world.refused(&errors::INVALID_USAGE, "KeyId", || {
        rsa.generate_data_key().key_spec(DataKeySpec::Aes256).wait()
    });
    assert_eq!(refused.message(), "You cannot generate a data key with an asymmetric CMK");
    let keys = CryptoKey::objects(&world.session());
    let pair = || keys.generate_data_key_pair(rsa.key_id().unwrap(), DataKeyPairSpec::EccNistP256).wait();
    world.refused(&errors::INVALID_USAGE, "KeyId", pair);
    let mac = world.create_key_of(KeySpec::Hmac256, KeyUsage::GenerateVerifyMac)?;
    let refused = world.refused(&errors::INVALID_USAGE, "KeyId", || {
        mac.generate_data_key_without_plaintext().number_of_bytes(7).wait()
    });
    assert!(
        refused.message().ends_with("which is not valid for GenerateDataKeyWithoutPlaintext."),
        "{refused}"
    );
    Ok(())
}

pub(super) fn data_key_pairs_of_every_spec_are_generated(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    let keys = CryptoKey::objects(&world.session());
    for (spec, length) in [
        (DataKeyPairSpec::Rsa2048, 294),
        (DataKeyPairSpec::EccNistP256, 91),
        (DataKeyPairSpec::EccNistP384, 120),
        (DataKeyPairSpec::EccNistP521, 158),
        (DataKeyPairSpec::EccSecgP256k1, 88),
        (DataKeyPairSpec::EccNistEdwards25519, 44),
    ] {
        let pair = keys.generate_data_key_pair(id, spec.clone()).wait()?;
        assert_eq!(pair.public_key().unwrap().0.len(), length, "{spec}");
        assert_eq!(pair.key_pair_spec(), Some(&spec));
        assert_eq!((pair.key_id(), pair.key_material_id()), (key.arn()?, key.current_key_material_id()));
        let opened = world.decrypt(pair.private_key_ciphertext_blob().unwrap())?;
        assert_eq!(opened, *pair.private_key_plaintext().unwrap());
    }
    let hidden = keys.generate_data_key_pair_without_plaintext(id, DataKeyPairSpec::EccNistP256).wait()?;
    assert_eq!(hidden.public_key().unwrap().0.len(), 91);
    world.decrypt(hidden.private_key_ciphertext_blob().unwrap())?;
    for spec in [DataKeyPairSpec::Sm2, DataKeyPairSpec::MlKem768] {
        world.refused(&errors::UNSUPPORTED, "KeyPairSpec", || {
            keys.generate_data_key_pair(id, spec.clone()).wait()
        });
    }
    Ok(())
}

pub(super) fn random_bytes_have_the_number_of_the_request(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    for number in [1, 32, 1024] {
        let bytes = keys.generate_random().number_of_bytes(number).wait()?;
        assert_eq!(bytes.plaintext().unwrap().0.len(), usize::try_from(number).unwrap());
    }
    let bytes = || keys.generate_random().number_of_bytes(32).wait();
    assert_ne!(bytes()?.plaintext(), bytes()?.plaintext());
    let refused = world.refused(&errors::VALIDATION, "NumberOfBytes", || keys.generate_random().wait());
    assert_eq!(refused.message(), "NumberOfBytes is required.");
    world.refused(&errors::VALIDATION, "NumberOfBytes", || keys.generate_random().number_of_bytes(0).wait());
    world.refused(&errors::UNSUPPORTED, "CustomKeyStoreId", || {
        keys.generate_random().number_of_bytes(1).custom_key_store_id("cks-1").wait()
    });
    Ok(())
}
