//! Creation, states and deletion of keys.

use super::World;
use nephos_cloud::read_key;
use nephos_core::{Record, Resource, Result, Value, python::PythonModel};
use nephos_kms::{CryptoKey, KeyOrigin, KeySpec, KeyState, KeyUsage, errors};
use nephos_testing::{DAY, OTHER_REGION};
use std::collections::BTreeSet;

pub(super) fn created_key_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    assert_eq!(key.key_state(), Some(&KeyState::Enabled));
    assert_eq!(key.enabled(), Some(true));
    assert_eq!(key.current_key_material_id().map(|id| id.len()), Some(64));
    assert_eq!(key.origin(), Some(&KeyOrigin::ProviderCrypto));
    let keys = CryptoKey::objects(&world.session());
    assert_eq!(keys.get(id).wait()?.as_ref(), Some(&key));
    assert_eq!(keys.get(key.arn()?.unwrap()).wait()?.as_ref(), Some(&key));
    let other = world.create_key()?;
    let mut listed: Vec<_> = keys.list().results().all().wait()?;
    listed.sort_by_key(|listed| listed.key_id() != Some(id));
    assert_eq!(listed, [key, other]);
    Ok(())
}

pub(super) fn every_spec_has_its_usages_and_algorithms(world: &World) -> Result<()> {
    let lengths = |key: &CryptoKey| {
        [
            key.encryption_algorithms().map_or(0, <[_]>::len),
            key.signing_algorithms().map_or(0, <[_]>::len),
            key.key_agreement_algorithms().map_or(0, <[_]>::len),
            key.mac_algorithms().map_or(0, <[_]>::len),
        ]
    };
    for (spec, usage, expected) in [
        (KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt, [1, 0, 0, 0]),
        (KeySpec::Rsa2048, KeyUsage::EncryptDecrypt, [2, 0, 0, 0]),
        (KeySpec::Rsa2048, KeyUsage::SignVerify, [0, 6, 0, 0]),
        (KeySpec::EccNistP256, KeyUsage::SignVerify, [0, 1, 0, 0]),
        (KeySpec::EccNistP384, KeyUsage::KeyAgreement, [0, 0, 1, 0]),
        (KeySpec::EccNistP521, KeyUsage::SignVerify, [0, 1, 0, 0]),
        (KeySpec::EccSecgP256k1, KeyUsage::SignVerify, [0, 1, 0, 0]),
        (KeySpec::EccNistEdwards25519, KeyUsage::SignVerify, [0, 2, 0, 0]),
        (KeySpec::Hmac224, KeyUsage::GenerateVerifyMac, [0, 0, 0, 1]),
        (KeySpec::Hmac512, KeyUsage::GenerateVerifyMac, [0, 0, 0, 1]),
        (KeySpec::MlDsa44, KeyUsage::SignVerify, [0, 1, 0, 0]),
    ] {
        let key = world.create_key_of(spec.clone(), usage)?;
        assert_eq!(lengths(&key), expected, "{spec}");
        assert_eq!(key.key_spec(), Some(&spec));
        assert_eq!(key.current_key_material_id().is_some(), spec == KeySpec::SymmetricDefault);
    }
    Ok(())
}

pub(super) fn spec_and_usage_must_fit(world: &World) -> Result<()> {
    for (spec, usage) in [
        (KeySpec::SymmetricDefault, KeyUsage::SignVerify),
        (KeySpec::Rsa2048, KeyUsage::KeyAgreement),
        (KeySpec::EccSecgP256k1, KeyUsage::KeyAgreement),
        (KeySpec::Hmac256, KeyUsage::EncryptDecrypt),
    ] {
        let refused = world
            .refused(&errors::VALIDATION, "KeyUsage", || world.create_key_of(spec.clone(), usage.clone()));
        assert!(refused.message().contains("is not compatible with KeySpec"), "{refused}");
    }
    Ok(())
}

pub(super) fn custom_key_stores_and_unknown_specs_are_refused(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let create = |key: CryptoKey| keys.create(&key).wait();
    let hsm = CryptoKey::builder().origin(KeyOrigin::ProviderHsm).build()?;
    world.refused(&errors::UNSUPPORTED, "Origin", || create(hsm));
    let store = CryptoKey::builder().custom_key_store_id("cks-1").build()?;
    world.refused(&errors::UNSUPPORTED, "CustomKeyStoreId", || create(store));
    world.refused(&errors::VALIDATION, "KeySpec", || world.create_key_of(KeySpec::Sm2, KeyUsage::SignVerify));
    Ok(())
}

pub(super) fn description_is_updated_by_save(world: &World) -> Result<()> {
    let mut key = world.create_key()?;
    key.set_description("for the web")?;
    key.save().wait()?;
    assert_eq!(world.existing_key(key.key_id().unwrap())?.description(), Some("for the web"));
    Ok(())
}

pub(super) fn key_is_disabled_and_enabled(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    key.disable().wait()?;
    let disabled = world.existing_key(id)?;
    assert_eq!((disabled.key_state(), disabled.enabled()), (Some(&KeyState::Disabled), Some(false)));
    key.enable().wait()?;
    assert_eq!(world.existing_key(id)?.key_state(), Some(&KeyState::Enabled));
    Ok(())
}

pub(super) fn key_is_deleted_after_waiting_period(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    let scheduled = key.delete().pending_window_in_days(7).wait()?;
    assert_eq!(scheduled.key_state(), Some(&KeyState::PendingDeletion));
    let pending = world.existing_key(id)?;
    assert_eq!(pending.deletion_date(), scheduled.deletion_date());
    world.refused(&errors::INVALID_STATE, None, || key.enable().wait());
    world.refused(&errors::INVALID_STATE, None, || key.delete().wait());
    world.advance(DAY * 7)?;
    assert_eq!(CryptoKey::objects(&world.session()).get(id).wait()?, None);
    assert_eq!(CryptoKey::objects(&world.session()).list().results().all().wait()?.len(), 0);
    Ok(())
}

pub(super) fn cancelled_deletion_leaves_key_disabled(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    world.refused(&errors::INVALID_STATE, None, || key.cancel_deletion().wait());
    key.delete().pending_window_in_days(7).wait()?;
    assert_eq!(key.cancel_deletion().wait()?, key.arn()?.unwrap());
    let cancelled = world.existing_key(id)?;
    assert_eq!((cancelled.key_state(), cancelled.deletion_date()), (Some(&KeyState::Disabled), None));
    key.delete().wait()?;
    world.advance(DAY * 29)?;
    world.existing_key(id)?;
    world.advance(DAY)?;
    assert_eq!(CryptoKey::objects(&world.session()).get(id).wait()?, None);
    Ok(())
}

pub(super) fn waiting_period_is_7_to_30_days(world: &World) -> Result<()> {
    let key = world.create_key()?;
    for days in [1, 6, 31, 365] {
        world.refused(&errors::VALIDATION, "PendingWindowInDays", || {
            key.delete().pending_window_in_days(days).wait()
        });
    }
    Ok(())
}

pub(super) fn missing_key_is_not_found(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let id = "00000000-0000-4000-8000-000000000000";
    assert_eq!(keys.get(id).wait()?, None);
    assert_eq!(keys.get("alias/none").wait()?, None);
    let refused = world.refused(&errors::NOT_FOUND, "KeyId", || keys.enable(id).wait());
    assert!(
        refused.message().ends_with(":key/00000000-0000-4000-8000-000000000000' does not exist"),
        "{refused}"
    );
    let key = world.create_key()?;
    let elsewhere = CryptoKey::objects(&world.session().with_region(OTHER_REGION));
    assert_eq!(elsewhere.get(key.key_id().unwrap()).wait()?, None);
    Ok(())
}

pub(super) fn names_of_keys_are_checked(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    for id in ["x", "00000000-0000-4000-8000-00000000000g", "mrk-1"] {
        let refused = world.refused(&errors::NOT_FOUND, "KeyId", || keys.enable(id).wait());
        assert_eq!(refused.message(), format!("Invalid keyId '{id}'"));
    }
    let key = world.create_key()?;
    let elsewhere = key.arn()?.unwrap().replace("us-east-1", OTHER_REGION);
    let refused = world.refused(&errors::NOT_FOUND, "KeyId", || keys.enable(elsewhere.as_str()).wait());
    assert_eq!(refused.message(), format!("Invalid arn {OTHER_REGION}"));
    world.refused(&errors::INVALID_ARN, "KeyId", || keys.enable("arn:aws:s3:::bucket").wait());
    Ok(())
}

pub(super) fn every_row_belongs_to_a_listed_table(world: &World) -> Result<()> {
    let key = world.create_key()?;
    world.create_alias(&key, "alias/web")?;
    let policy = r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}}"#;
    let create = CryptoKey::objects(&world.session()).create(&CryptoKey::builder().build()?);
    create.policy(policy).wait()?;
    world.create_grant(&key)?;
    let rows = world.state()?;
    let tables = rows.iter().filter_map(|(key, _)| Some(read_key(key)?.0));
    let own: BTreeSet<_> = tables.filter(|table| table.starts_with("kms/")).collect();
    let listed: BTreeSet<_> = nephos_kms::KMS.tables.iter().map(|table| table.name).collect();
    assert_eq!(own, listed);
    Ok(())
}

pub(super) fn enabled_follows_the_state(world: &World) -> Result<()> {
    assert_eq!(CryptoKey::builder().build()?.enabled(), Some(true), "of a key that is not created yet");
    let read = CryptoKey::from_json(r#"{"KeyState": "Disabled", "Enabled": true}"#)?;
    assert_eq!(read.enabled(), Some(false));
    let fields = [("KeyState", Value::from("PendingImport"))].map(|(name, value)| (name.into(), value));
    assert_eq!(CryptoKey::model_construct(None, fields.into_iter().collect()).enabled(), Some(false));
    let key = world.create_key()?;
    assert_eq!(key.enabled(), Some(true));
    CryptoKey::objects(&world.session()).disable(key.key_id().unwrap()).wait()?;
    assert_eq!(world.existing_key(key.key_id().unwrap())?.enabled(), Some(false));
    Ok(())
}

pub(super) fn older_name_of_the_spec_is_enough(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let built = CryptoKey::builder().customer_master_key_spec(KeySpec::Hmac256);
    let key = keys.create(&built.key_usage(KeyUsage::GenerateVerifyMac).build()?).wait()?;
    assert_eq!(
        (key.key_spec(), key.customer_master_key_spec()),
        (Some(&KeySpec::Hmac256), Some(&KeySpec::Hmac256))
    );
    let error = CryptoKey::builder().customer_master_key_spec(KeySpec::MlDsa44).build().unwrap_err();
    assert_eq!(error.field(), Some("CustomerMasterKeySpec"));
    Ok(())
}
