//! Import of key material.

use super::World;
use aws_lc_rs::{
    key_wrap::{AES_256, AesKek, KeyWrapPadded},
    rsa::{
        OAEP_SHA1_MGF1SHA1, OAEP_SHA256_MGF1SHA256, OaepAlgorithm, OaepPublicEncryptingKey,
        PublicEncryptingKey,
    },
};
use nephos_core::{Blob, Ids, Resource, Result, Text, Timestamp};
use nephos_kms::{
    CryptoKey, ExpirationModel, ImportKeyMaterial, ImportParameters, ImportType, KeyOrigin, KeySpec,
    KeyState, KeyUsage, WrappingAlgorithm, WrappingKeySpec, errors, material,
};
use nephos_testing::{DAY, HOUR};

pub(super) const OAEP: WrappingAlgorithm = WrappingAlgorithm::RsaesOaepSha256;
const AES: WrappingAlgorithm = WrappingAlgorithm::RsaAesKeyWrapSha256;

/// Wraps material as a caller does who has the public key.
fn wrap(parameters: &ImportParameters, algorithm: &WrappingAlgorithm, bytes: &[u8]) -> Blob {
    let public = PublicEncryptingKey::from_der(&parameters.public_key().unwrap().0).unwrap();
    let public = OaepPublicEncryptingKey::new(public).unwrap();
    let encrypt = |algorithm: &'static OaepAlgorithm, bytes: &[u8]| {
        let mut encrypted = vec![0; public.ciphertext_size()];
        public.encrypt(algorithm, bytes, &mut encrypted, None).unwrap();
        encrypted
    };
    let encrypt_with_aes = |algorithm| {
        let key = [7; 32];
        let mut wrapped = vec![0; bytes.len() + 16];
        let wrapped = AesKek::new(&AES_256, &key).unwrap().wrap_with_padding(bytes, &mut wrapped).unwrap();
        [&encrypt(algorithm, &key), &*wrapped].concat()
    };
    Blob(match algorithm {
        WrappingAlgorithm::RsaesOaepSha1 => encrypt(&OAEP_SHA1_MGF1SHA1, bytes),
        WrappingAlgorithm::RsaesOaepSha256 => encrypt(&OAEP_SHA256_MGF1SHA256, bytes),
        WrappingAlgorithm::RsaAesKeyWrapSha1 => encrypt_with_aes(&OAEP_SHA1_MGF1SHA1),
        _ => encrypt_with_aes(&OAEP_SHA256_MGF1SHA256),
    })
}

impl World {
    /// Creates a key without material.
    pub(super) fn create_external(&self, spec: KeySpec, usage: KeyUsage) -> Result<CryptoKey> {
        let key = CryptoKey::builder().key_spec(spec).key_usage(usage).origin(KeyOrigin::External);
        CryptoKey::objects(&self.session()).create(&key.build()?).wait()
    }

    /// Creates a symmetric encryption key without material.
    fn create_symmetric(&self) -> Result<CryptoKey> {
        self.create_external(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt)
    }
}

/// Returns an import of material into a key, which does not expire, before it is sent.
pub(super) fn new_import(
    key: &CryptoKey,
    algorithm: &WrappingAlgorithm,
    bytes: &[u8],
) -> Result<ImportKeyMaterial> {
    let keys = CryptoKey::objects(key.session().expect("the key comes from a session"));
    let (id, spec) = (key.key_id().unwrap(), WrappingKeySpec::Rsa2048);
    let parameters = keys.get_parameters_for_import(id, algorithm.clone(), spec).wait()?;
    let wrapped = wrap(&parameters, algorithm, bytes);
    let import = ImportKeyMaterial::new(id, parameters.import_token().unwrap().clone(), wrapped);
    Ok(import.expiration_model(ExpirationModel::KeyMaterialDoesNotExpire))
}

fn send(key: &CryptoKey, import: ImportKeyMaterial) -> Result<Option<Text>> {
    let session = key.session().expect("the key comes from a session");
    let answer = nephos_testing::ask(session, import)?;
    Ok(answer.key_material_id().map(Text::new))
}

/// Imports material that does not expire.
pub(super) fn import(key: &CryptoKey, bytes: &[u8]) -> Result<Option<Text>> {
    send(key, new_import(key, &OAEP, bytes)?)
}

/// Imports material for the next rotation.
pub(super) fn import_new(key: &CryptoKey, bytes: &[u8]) -> Result<Option<Text>> {
    send(key, new_import(key, &OAEP, bytes)?.import_type(ImportType::NewKeyMaterial))
}

fn encrypt(world: &World, key: &CryptoKey) -> Result<Blob> {
    let keys = CryptoKey::objects(&world.session());
    let answer = keys.encrypt(key.key_id().unwrap(), b"plain".as_slice()).wait()?;
    Ok(answer.ciphertext_blob().unwrap().clone())
}

fn decrypt(world: &World, ciphertext: &Blob) -> Result<Vec<u8>> {
    let answer = CryptoKey::objects(&world.session()).decrypt().ciphertext_blob(ciphertext.clone()).wait()?;
    Ok(answer.plaintext().unwrap().0.clone())
}

fn later(world: &World, millis: i64) -> Timestamp {
    Timestamp::from_millisecond(world.now() + millis).unwrap()
}

pub(super) fn imported_material_makes_key_usable(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let id = key.key_id().unwrap();
    assert_eq!((key.key_state(), key.current_key_material_id()), (Some(&KeyState::PendingImport), None));
    world.refused(&errors::INVALID_STATE, None, || encrypt(world, &key));
    let material_id = import(&key, &[1; 32])?;
    let imported = world.existing_key(id)?;
    assert_eq!(imported.key_state(), Some(&KeyState::Enabled));
    assert_eq!(imported.current_key_material_id(), material_id.as_deref());
    assert_eq!(imported.expiration_model(), Some(&ExpirationModel::KeyMaterialDoesNotExpire));
    assert_eq!(decrypt(world, &encrypt(world, &key)?)?, b"plain");
    Ok(())
}

pub(super) fn material_of_every_type_is_imported(world: &World) -> Result<()> {
    let ids = Ids::system();
    for (spec, usage, algorithm) in [
        (KeySpec::Rsa2048, KeyUsage::SignVerify, AES),
        (KeySpec::EccNistP256, KeyUsage::SignVerify, WrappingAlgorithm::RsaAesKeyWrapSha1),
        (KeySpec::EccSecgP256k1, KeyUsage::SignVerify, OAEP),
        (KeySpec::EccNistEdwards25519, KeyUsage::SignVerify, WrappingAlgorithm::RsaesOaepSha1),
        (KeySpec::Hmac384, KeyUsage::GenerateVerifyMac, OAEP),
    ] {
        let stored = material::generate(&spec, &ids).unwrap();
        let key = world.create_external(spec.clone(), usage)?;
        assert_eq!(send(&key, new_import(&key, &algorithm, &stored)?)?, None);
        assert_eq!(
            world.existing_key(key.key_id().unwrap())?.key_state(),
            Some(&KeyState::Enabled),
            "{spec}"
        );
        if spec.is_pair() {
            let public = key.public_key().wait()?;
            assert_eq!(
                public.public_key().unwrap().0,
                material::public_key(&spec, &stored).unwrap(),
                "{spec}"
            );
        }
        let other = material::generate(&spec, &ids).unwrap();
        world.refused(&errors::INCORRECT_MATERIAL, "EncryptedKeyMaterial", || {
            send(&key, new_import(&key, &algorithm, &other)?)
        });
        send(&key, new_import(&key, &algorithm, &stored)?)?;
    }
    Ok(())
}

pub(super) fn wrapping_is_checked(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let get = |key: &CryptoKey, algorithm, spec| {
        let (key, session) = (key.clone(), world.session());
        let ask = nephos_kms::GetParametersForImport::new(key.key_id().unwrap(), algorithm, spec);
        nephos_testing::ask(&session, ask)
    };
    for algorithm in [WrappingAlgorithm::RsaesPkcs1V15, WrappingAlgorithm::Sm2pke] {
        world.refused(&errors::UNSUPPORTED, "WrappingAlgorithm", || {
            get(&key, algorithm, WrappingKeySpec::Rsa2048)
        });
    }
    world.refused(&errors::VALIDATION, "WrappingKeySpec", || get(&key, OAEP, WrappingKeySpec::Sm2));
    let rsa = world.create_external(KeySpec::Rsa2048, KeyUsage::SignVerify)?;
    world.refused(&errors::VALIDATION, "WrappingAlgorithm", || get(&rsa, OAEP, WrappingKeySpec::Rsa4096));
    let curve = world.create_external(KeySpec::EccNistP521, KeyUsage::SignVerify)?;
    world.refused(&errors::VALIDATION, "WrappingAlgorithm", || get(&curve, OAEP, WrappingKeySpec::Rsa2048));
    let generated = world.create_key()?;
    let refused =
        world.refused(&errors::UNSUPPORTED, None, || get(&generated, OAEP, WrappingKeySpec::Rsa2048));
    let text =
        format!("{} origin is AWS_KMS which is not valid for this operation.", generated.arn()?.unwrap());
    assert_eq!(refused.message(), text);
    Ok(())
}

pub(super) fn token_is_for_one_key_and_24_hours(world: &World) -> Result<()> {
    let (key, other) = (world.create_symmetric()?, world.create_symmetric()?);
    let mut foreign = new_import(&other, &OAEP, &[1; 32])?;
    foreign.key_id = key.key_id().unwrap().into();
    world.refused(&errors::INVALID_IMPORT_TOKEN, "ImportToken", || send(&key, foreign));
    let mut damaged = new_import(&key, &OAEP, &[1; 32])?;
    damaged.import_token.0[20] ^= 1;
    world.refused(&errors::INVALID_IMPORT_TOKEN, "ImportToken", || send(&key, damaged));
    let import = new_import(&key, &OAEP, &[1; 32])?;
    world.advance(DAY)?;
    world.refused(&errors::EXPIRED_IMPORT_TOKEN, "ImportToken", || send(&key, import));
    Ok(())
}

pub(super) fn wrapped_material_is_checked(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let mut damaged = new_import(&key, &OAEP, &[1; 32])?;
    damaged.encrypted_key_material.0[20] ^= 1;
    world.refused(&errors::INVALID_CIPHERTEXT, "EncryptedKeyMaterial", || send(&key, damaged));
    world.refused(&errors::INCORRECT_MATERIAL, "EncryptedKeyMaterial", || import(&key, &[1; 31]));
    let curve = world.create_external(KeySpec::EccNistP256, KeyUsage::SignVerify)?;
    world.refused(&errors::INCORRECT_MATERIAL, "EncryptedKeyMaterial", || import(&curve, &[1; 32]));
    Ok(())
}

pub(super) fn expiration_is_checked(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let never = new_import(&key, &OAEP, &[1; 32])?;
    let refuse = |import: ImportKeyMaterial| {
        world.refused(&errors::VALIDATION, "ValidTo", || send(&key, import));
    };
    refuse(never.clone().valid_to(later(world, DAY)));
    let expires = never.expiration_model(ExpirationModel::KeyMaterialExpires);
    refuse(expires.clone());
    refuse(expires.clone().valid_to(later(world, 0)));
    refuse(expires.clone().valid_to(later(world, 365 * DAY + 1)));
    send(&key, expires.valid_to(later(world, 365 * DAY)))?;
    Ok(())
}

pub(super) fn material_expires_and_is_imported_again(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let id = key.key_id().unwrap();
    let end = later(world, 2 * HOUR);
    let expiring = new_import(&key, &OAEP, &[1; 32])?.expiration_model(ExpirationModel::KeyMaterialExpires);
    let material_id = send(&key, expiring.valid_to(end))?;
    let imported = world.existing_key(id)?;
    assert_eq!(imported.valid_to(), Some(end));
    assert_eq!(imported.expiration_model(), Some(&ExpirationModel::KeyMaterialExpires));
    let ciphertext = encrypt(world, &key)?;
    world.advance(2 * HOUR - 1)?;
    assert_eq!(decrypt(world, &ciphertext)?, b"plain");
    world.advance(1)?;
    let expired = world.existing_key(id)?;
    assert_eq!((expired.key_state(), expired.valid_to()), (Some(&KeyState::PendingImport), None));
    world.refused(&errors::INVALID_STATE, None, || decrypt(world, &ciphertext));
    world.refused(&errors::INCORRECT_MATERIAL, "EncryptedKeyMaterial", || import(&key, &[2; 32]));
    assert_eq!(import(&key, &[1; 32])?, material_id);
    assert_eq!(world.existing_key(id)?.key_state(), Some(&KeyState::Enabled));
    assert_eq!(decrypt(world, &ciphertext)?, b"plain");
    world.advance(DAY)?;
    assert_eq!(decrypt(world, &ciphertext)?, b"plain", "it was imported again without an end");
    Ok(())
}

pub(super) fn deleted_material_is_imported_again(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let id = key.key_id().unwrap();
    assert_eq!(key.delete_imported_material().wait()?.key_material_id(), None, "without an effect");
    let material_id = import(&key, &[1; 32])?;
    let ciphertext = encrypt(world, &key)?;
    world.refused(&errors::NOT_FOUND, "KeyMaterialId", || {
        key.delete_imported_material().key_material_id("0".repeat(64)).wait()
    });
    let deleted = key.delete_imported_material().wait()?;
    assert_eq!(deleted.key_material_id(), material_id.as_deref());
    assert_eq!(world.existing_key(id)?.key_state(), Some(&KeyState::PendingImport));
    world.refused(&errors::INVALID_STATE, None, || key.enable().wait());
    import(&key, &[1; 32])?;
    assert_eq!(decrypt(world, &ciphertext)?, b"plain");
    key.delete().wait()?;
    key.delete_imported_material().wait()?;
    assert_eq!(world.existing_key(id)?.key_state(), Some(&KeyState::PendingDeletion));
    world.refused(&errors::INVALID_STATE, None, || import(&key, &[1; 32]));
    key.cancel_deletion().wait()?;
    assert_eq!(world.existing_key(id)?.key_state(), Some(&KeyState::PendingImport));
    Ok(())
}

pub(super) fn imported_key_rotates_to_new_material(world: &World) -> Result<()> {
    let key = world.create_symmetric()?;
    let id = key.key_id().unwrap();
    let first = import(&key, &[1; 32])?;
    let old = encrypt(world, &key)?;
    world.refused(&errors::INVALID_STATE, None, || key.rotate_on_demand().wait());
    world.refused(&errors::INCORRECT_MATERIAL, "EncryptedKeyMaterial", || import_new(&key, &[1; 32]));
    let with_id = new_import(&key, &OAEP, &[2; 32])?.import_type(ImportType::NewKeyMaterial);
    let with_id = with_id.key_material_id(first.clone().unwrap());
    world.refused(&errors::VALIDATION, "KeyMaterialId", || send(&key, with_id));
    import_new(&key, &[9; 32])?;
    let refused = world.refused(&errors::INVALID_STATE, None, || import_new(&key, &[2; 32]));
    assert!(refused.message().ends_with("is pending rotation."), "{refused}");
    let pending =
        key.list_rotations().include_key_material(nephos_kms::IncludeKeyMaterial::AllKeyMaterial).wait()?;
    let states: Vec<_> = pending.iter().map(|row| row.key_material_state().unwrap().to_string()).collect();
    assert_eq!(states, ["CURRENT", "PENDING_ROTATION"]);
    // Material that was never current can be replaced.
    let pending = pending[1].key_material_id().unwrap();
    key.delete_imported_material().key_material_id(pending).wait()?;
    assert_eq!(world.existing_key(id)?.key_state(), Some(&KeyState::Enabled));
    let described = new_import(&key, &OAEP, &[2; 32])?.import_type(ImportType::NewKeyMaterial);
    let second = send(&key, described.key_material_description("second"))?;
    assert_eq!(world.existing_key(id)?.current_key_material_id(), first.as_deref());
    key.rotate_on_demand().wait()?;
    assert_eq!(world.existing_key(id)?.current_key_material_id(), second.as_deref());
    let rotations = key.list_rotations().wait()?;
    assert_eq!(rotations.len(), 1);
    assert_eq!(rotations[0].key_material_description(), Some("second"));
    assert_eq!(rotations[0].rotation_type(), Some(&nephos_kms::RotationType::OnDemand));
    let new = encrypt(world, &key)?;
    for ciphertext in [&old, &new] {
        assert_eq!(decrypt(world, ciphertext)?, b"plain");
    }
    // The key is usable only with all materials that it has used.
    key.delete_imported_material().key_material_id(first.unwrap()).wait()?;
    world.refused(&errors::INVALID_STATE, None, || decrypt(world, &new));
    import(&key, &[1; 32])?;
    assert_eq!(decrypt(world, &old)?, b"plain");
    Ok(())
}

pub(super) fn parameters_of_symmetric_keys_are_refused_for_others(world: &World) -> Result<()> {
    let key = world.create_external(KeySpec::Hmac256, KeyUsage::GenerateVerifyMac)?;
    let import = || new_import(&key, &OAEP, &[1; 32]);
    let refuse = |field: &str, import: ImportKeyMaterial| {
        world.refused(&errors::UNSUPPORTED, field, || send(&key, import));
    };
    refuse("ImportType", import()?.import_type(ImportType::NewKeyMaterial));
    refuse("KeyMaterialDescription", import()?.key_material_description("x"));
    refuse("KeyMaterialId", import()?.key_material_id("0".repeat(64)));
    Ok(())
}
