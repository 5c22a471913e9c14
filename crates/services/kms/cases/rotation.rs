//! Rotation of key material.

use super::World;
use nephos_core::{Blob, Resource, Result, Text};
use nephos_kms::{CryptoKey, IncludeKeyMaterial, KeySpec, KeyUsage, ListKeyRotations, RotationType, errors};
use nephos_testing::{DAY, MINUTE, ask};

fn encrypt(world: &World, key: &CryptoKey) -> Result<Blob> {
    let keys = CryptoKey::objects(&world.session());
    let answer = keys.encrypt(key.key_id().unwrap(), b"plain".as_slice()).wait()?;
    Ok(answer.ciphertext_blob().unwrap().clone())
}

fn decrypt(world: &World, ciphertext: &Blob) -> Result<Text> {
    let answer = CryptoKey::objects(&world.session()).decrypt().ciphertext_blob(ciphertext.clone()).wait()?;
    assert_eq!(answer.plaintext().unwrap().0, b"plain");
    Ok(answer.key_material_id().unwrap().into())
}

fn material_id(world: &World, key: &CryptoKey) -> Result<Text> {
    let key = world.existing_key(key.key_id().unwrap())?;
    Ok(key.current_key_material_id().unwrap().into())
}

pub(super) fn key_rotates_automatically_and_decrypts_with_old_material(world: &World) -> Result<()> {
    let key = world.create_key()?;
    key.enable_rotation().wait()?;
    let start = world.now();
    let mut ciphertexts = vec![encrypt(world, &key)?];
    let mut ids = vec![material_id(world, &key)?];
    let status = key.rotation_status().wait()?;
    assert_eq!((status.key_rotation_enabled(), status.rotation_period_in_days()), (Some(true), Some(365)));
    assert_eq!(status.next_rotation_date().unwrap().as_millisecond(), start + 365 * DAY);
    world.advance(365 * DAY - 1)?;
    assert_eq!(material_id(world, &key)?, ids[0]);
    world.advance(1)?;
    ids.push(material_id(world, &key)?);
    ciphertexts.push(encrypt(world, &key)?);
    world.advance(2 * 365 * DAY)?;
    let rotations = key.list_rotations().wait()?;
    let dates: Vec<_> = rotations.iter().map(|row| row.rotation_date().unwrap().as_millisecond()).collect();
    assert_eq!(dates, [1, 2, 3].map(|year| start + year * 365 * DAY));
    assert!(rotations.iter().all(|row| row.rotation_type() == Some(&RotationType::Automatic)));
    let states: Vec<_> = rotations.iter().map(|row| row.key_material_state().unwrap().to_string()).collect();
    assert_eq!(states, ["NON_CURRENT", "NON_CURRENT", "CURRENT"]);
    assert_eq!(rotations[2].key_id(), key.arn()?);
    assert_eq!(rotations[2].key_material_id(), Some(material_id(world, &key)?.as_str()));
    for (ciphertext, id) in ciphertexts.iter().zip(&ids) {
        assert_eq!(decrypt(world, ciphertext)?, *id);
    }
    let all = key.list_rotations().include_key_material(IncludeKeyMaterial::AllKeyMaterial).wait()?;
    assert_eq!((all.len(), all[0].rotation_date(), all[0].import_state()), (4, None, None));
    key.disable_rotation().wait()?;
    assert_eq!(key.rotation_status().wait()?.key_rotation_enabled(), Some(false));
    world.advance(365 * DAY)?;
    assert_eq!(key.list_rotations().wait()?.len(), 3);
    Ok(())
}

pub(super) fn rotation_period_can_be_changed(world: &World) -> Result<()> {
    let key = world.create_key()?;
    for days in [89, 2561] {
        world.refused(&errors::VALIDATION, "RotationPeriodInDays", || {
            key.enable_rotation().rotation_period_in_days(days).wait()
        });
    }
    key.enable_rotation().rotation_period_in_days(90).wait()?;
    world.advance(80 * DAY)?;
    key.enable_rotation().rotation_period_in_days(100).wait()?;
    world.advance(99 * DAY)?;
    assert_eq!(key.list_rotations().wait()?.len(), 0);
    key.enable_rotation().wait()?;
    assert_eq!(key.rotation_status().wait()?.rotation_period_in_days(), Some(100), "it is unchanged");
    world.advance(DAY)?;
    assert_eq!(key.list_rotations().wait()?.len(), 1);
    Ok(())
}

pub(super) fn disabled_key_rotates_when_it_is_enabled(world: &World) -> Result<()> {
    let (late, early) = (world.create_key()?, world.create_key()?);
    for key in [&late, &early] {
        key.enable_rotation().rotation_period_in_days(100).wait()?;
        key.disable().wait()?;
        world.refused(&errors::DISABLED, None, || key.disable_rotation().wait());
        world.refused(&errors::DISABLED, None, || key.rotate_on_demand().wait());
        assert_eq!(key.rotation_status().wait()?.key_rotation_enabled(), Some(true));
    }
    world.advance(50 * DAY)?;
    early.enable().wait()?;
    world.advance(100 * DAY)?;
    assert_eq!(early.list_rotations().wait()?.len(), 1);
    assert_eq!(late.list_rotations().wait()?.len(), 0);
    late.enable().wait()?;
    let rotations = late.list_rotations().wait()?;
    assert_eq!(rotations[0].rotation_date().unwrap().as_millisecond(), world.now());
    let next = late.rotation_status().wait()?.next_rotation_date().unwrap();
    assert_eq!(next.as_millisecond(), world.now() + 100 * DAY);
    Ok(())
}

pub(super) fn key_that_is_pending_deletion_does_not_rotate(world: &World) -> Result<()> {
    let key = world.create_key()?;
    key.enable_rotation().rotation_period_in_days(90).wait()?;
    world.advance(80 * DAY)?;
    key.delete().wait()?;
    world.refused(&errors::INVALID_STATE, None, || key.enable_rotation().wait());
    world.refused(&errors::INVALID_STATE, None, || key.rotate_on_demand().wait());
    let status = key.rotation_status().wait()?;
    assert_eq!((status.key_rotation_enabled(), status.next_rotation_date()), (Some(false), None));
    world.advance(20 * DAY)?;
    key.cancel_deletion().wait()?;
    assert_eq!(key.rotation_status().wait()?.key_rotation_enabled(), Some(true));
    assert_eq!(key.list_rotations().wait()?.len(), 0);
    key.enable().wait()?;
    assert_eq!(key.list_rotations().wait()?.len(), 1);
    Ok(())
}

pub(super) fn key_rotates_on_demand_25_times(world: &World) -> Result<()> {
    let key = world.create_key()?;
    key.enable_rotation().rotation_period_in_days(90).wait()?;
    let next = key.rotation_status().wait()?.next_rotation_date().unwrap();
    let ciphertext = encrypt(world, &key)?;
    for _ in 0..25 {
        let before = material_id(world, &key)?;
        assert_eq!(Some(&*key.rotate_on_demand().wait()?), key.arn()?);
        assert_ne!(material_id(world, &key)?, before);
    }
    let refused = world.refused(&errors::LIMIT_EXCEEDED, None, || key.rotate_on_demand().wait());
    assert!(refused.message().ends_with(key.arn()?.unwrap()), "{refused}");
    assert_eq!(key.rotation_status().wait()?.next_rotation_date(), Some(next), "the schedule is unchanged");
    let rotations = key.list_rotations().limit(10).wait()?;
    assert_eq!(rotations.len(), 25, "of all pages");
    decrypt(world, &ciphertext)?;
    Ok(())
}

pub(super) fn rotation_on_demand_is_refused_before_automatic_one(world: &World) -> Result<()> {
    let key = world.create_key()?;
    key.enable_rotation().rotation_period_in_days(90).wait()?;
    world.advance(90 * DAY - 20 * MINUTE)?;
    world.refused(&errors::CONFLICT, None, || key.rotate_on_demand().wait());
    world.advance(20 * MINUTE)?;
    key.rotate_on_demand().wait()?;
    Ok(())
}

pub(super) fn only_symmetric_encryption_keys_rotate(world: &World) -> Result<()> {
    let hmac = world.create_key_of(KeySpec::Hmac256, KeyUsage::GenerateVerifyMac)?;
    let pair = world.create_key_of(KeySpec::EccNistP256, KeyUsage::SignVerify)?;
    for key in [&hmac, &pair] {
        for refused in [
            world.refused(&errors::UNSUPPORTED, None, || key.enable_rotation().wait()),
            world.refused(&errors::UNSUPPORTED, None, || key.rotate_on_demand().wait()),
        ] {
            assert_eq!(refused.message(), "");
        }
        key.disable_rotation().wait()?;
        let status = key.rotation_status().wait()?;
        assert_eq!((status.key_rotation_enabled(), status.key_id()), (Some(false), key.arn()?));
        let all = IncludeKeyMaterial::AllKeyMaterial;
        assert!(key.list_rotations().include_key_material(all).wait()?.is_empty());
        // The state is refused before the spec.
        key.disable().wait()?;
        world.refused(&errors::DISABLED, None, || key.enable_rotation().wait());
        world.refused(&errors::DISABLED, None, || key.disable_rotation().wait());
        world.refused(&errors::DISABLED, None, || key.rotate_on_demand().wait());
    }
    let imported = world.create_external(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt)?;
    let refused = world.refused(&errors::UNSUPPORTED, None, || imported.enable_rotation().wait());
    let text =
        format!("{} origin is EXTERNAL which is not valid for this operation.", imported.arn()?.unwrap());
    assert_eq!(refused.message(), text);
    world.refused(&errors::UNSUPPORTED, None, || imported.disable_rotation().wait());
    assert_eq!(imported.rotation_status().wait()?.key_rotation_enabled(), Some(false));
    let keys = CryptoKey::objects(&world.session());
    for alias in ["alias/x", "arn:aws:kms:us-east-1:123456789012:alias/x"] {
        for refused in [
            world.refused(&errors::INVALID_ARN, "KeyId", || keys.rotation_status(alias).wait()),
            world.refused(&errors::INVALID_ARN, "KeyId", || keys.enable(alias).wait()),
        ] {
            assert_eq!(refused.message(), "Key Aliases are not supported for this operation.");
        }
    }
    let key = world.create_key()?;
    let list = ListKeyRotations::new(key.key_id().unwrap()).marker("x");
    let refused = world.refused(&errors::INVALID_MARKER, "Marker", || ask(&world.session(), list.clone()));
    assert_eq!(refused.message(), "");
    Ok(())
}
