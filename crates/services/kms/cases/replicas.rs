//! Multi-Region keys.

use super::{
    World,
    import::{import, import_new},
};
use nephos_core::{Blob, Resource, Result, Tag};
use nephos_kms::{
    CryptoKey, IncludeKeyMaterial, KeyOrigin, KeyState, MultiRegionConfiguration, MultiRegionKeyType, errors,
};
use nephos_testing::{DAY, OTHER_REGION};

const THIRD_REGION: &str = "us-west-2";

impl World {
    fn create_primary(&self) -> Result<CryptoKey> {
        let key = CryptoKey::builder().multi_region(true).build()?;
        CryptoKey::objects(&self.session()).create(&key).wait()
    }

    /// Returns the key with the ID of `key` in another Region, which must exist.
    #[track_caller]
    fn key_in(&self, region: &str, key: &CryptoKey) -> Result<CryptoKey> {
        Ok(self.find_in(region, key)?.expect("the key exists in this Region"))
    }

    fn find_in(&self, region: &str, key: &CryptoKey) -> Result<Option<CryptoKey>> {
        let keys = CryptoKey::objects(&self.session().with_region(region));
        keys.get(key.key_id().unwrap()).wait()
    }

    /// Creates a primary, and a replica in another Region.
    fn create_pair(&self) -> Result<(CryptoKey, CryptoKey)> {
        let primary = self.create_primary()?;
        replicate(&primary, OTHER_REGION).wait()?;
        let replica = self.key_in(OTHER_REGION, &primary)?;
        Ok((primary, replica))
    }
}

fn replicate(key: &CryptoKey, region: &str) -> nephos_kms::ReplicateKeyCall {
    CryptoKey::objects(key.session().unwrap()).replicate(key.key_id().unwrap(), region)
}

fn move_primary(key: &CryptoKey, region: &str) -> Result<()> {
    let keys = CryptoKey::objects(key.session().unwrap());
    keys.update_primary_region(key.key_id().unwrap(), region).wait().map(drop)
}

fn encrypt(key: &CryptoKey) -> Result<Blob> {
    let keys = CryptoKey::objects(key.session().unwrap());
    let answer = keys.encrypt(key.key_id().unwrap(), b"plain".as_slice()).wait()?;
    Ok(answer.ciphertext_blob().unwrap().clone())
}

fn decrypt(key: &CryptoKey, ciphertext: &Blob) -> Result<Vec<u8>> {
    let keys = CryptoKey::objects(key.session().unwrap());
    let answer = keys.decrypt().ciphertext_blob(ciphertext.clone()).wait()?;
    Ok(answer.plaintext().unwrap().0.clone())
}

/// Type of the key, Region of the primary, and Regions of the replicas.
fn regions(key: &CryptoKey) -> (MultiRegionKeyType, String, Vec<String>) {
    let configuration: &MultiRegionConfiguration = key.multi_region_configuration().unwrap();
    let primary = configuration.primary_key().unwrap();
    let replicas = configuration.replica_keys().unwrap_or_default();
    let id = key.key_id().unwrap();
    for related in replicas.iter().chain([primary]) {
        let arn = related.arn().unwrap();
        assert!(arn.contains(related.region().unwrap()) && arn.ends_with(id), "{arn}");
    }
    (
        configuration.multi_region_key_type().unwrap().clone(),
        primary.region().unwrap().into(),
        replicas.iter().map(|replica| replica.region().unwrap().into()).collect(),
    )
}

pub(super) fn replica_has_the_same_id_and_material(world: &World) -> Result<()> {
    let primary = world.create_primary()?;
    assert!(primary.key_id().unwrap().starts_with("mrk-"));
    assert_eq!(regions(&primary), (MultiRegionKeyType::Primary, "us-east-1".into(), vec![]));
    let tag = Tag::from(("team", "web"));
    let created = replicate(&primary, OTHER_REGION).description("there").tags([tag.clone()]).wait()?;
    let described = created.replica_key_metadata().unwrap();
    assert_eq!(described.key_state(), Some(&KeyState::Creating));
    assert_eq!(described.arn()?, Some(primary.arn()?.unwrap().replace("us-east-1", OTHER_REGION).as_str()));
    assert_eq!(created.replica_tags(), Some([tag.clone()].as_slice()));
    assert!(created.replica_policy().unwrap().contains("key-default-1"));
    let replica = world.key_in(OTHER_REGION, &primary)?;
    assert_eq!(replica.key_state(), Some(&KeyState::Enabled));
    assert_eq!((replica.description(), replica.list_tags().wait()?), (Some("there"), vec![tag]));
    assert_eq!(replica.current_key_material_id(), primary.current_key_material_id());
    let related = || ("us-east-1".into(), vec![OTHER_REGION.into()]);
    let (primary_region, replica_regions): (String, Vec<String>) = related();
    assert_eq!(regions(&replica), (MultiRegionKeyType::Replica, primary_region, replica_regions));
    let primary = world.existing_key(primary.key_id().unwrap())?;
    let (primary_region, replica_regions) = related();
    assert_eq!(regions(&primary), (MultiRegionKeyType::Primary, primary_region, replica_regions));
    assert_eq!(decrypt(&replica, &encrypt(&primary)?)?, b"plain");
    assert_eq!(decrypt(&primary, &encrypt(&replica)?)?, b"plain");
    Ok(())
}

pub(super) fn replica_policy_is_its_own(world: &World) -> Result<()> {
    let primary = world.create_primary()?;
    let policy = r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}}"#;
    world.refused(&errors::MALFORMED_POLICY, "Policy", || {
        replicate(&primary, OTHER_REGION).policy("{").wait()
    });
    let created = replicate(&primary, OTHER_REGION).policy(policy).wait()?;
    assert_eq!(created.replica_policy(), Some(policy));
    Ok(())
}

pub(super) fn only_primaries_are_replicated_once_per_region(world: &World) -> Result<()> {
    let single = world.create_key()?;
    let refused = world.refused(&errors::UNSUPPORTED, None, || replicate(&single, OTHER_REGION).wait());
    let text = format!("{} is not a multi-region primary key.", single.arn()?.unwrap());
    assert_eq!(refused.message(), text);
    let (primary, replica) = world.create_pair()?;
    for region in [OTHER_REGION, "us-east-1"] {
        world.refused(&errors::EXISTS, "ReplicaRegion", || replicate(&primary, region).wait());
    }
    world.refused(&errors::UNSUPPORTED, "ReplicaRegion", || replicate(&primary, "cn-north-1").wait());
    world.refused(&errors::VALIDATION, "ReplicaRegion", || replicate(&primary, "nowhere").wait());
    world.refused(&errors::UNSUPPORTED, None, || replicate(&replica, THIRD_REGION).wait());
    primary.disable().wait()?;
    world.refused(&errors::DISABLED, None, || replicate(&primary, THIRD_REGION).wait());
    Ok(())
}

pub(super) fn primary_is_deleted_after_its_replicas(world: &World) -> Result<()> {
    let (primary, replica) = world.create_pair()?;
    replicate(&primary, THIRD_REGION).wait()?;
    let third = world.key_in(THIRD_REGION, &primary)?;
    let id = primary.key_id().unwrap();
    let scheduled = primary.delete().pending_window_in_days(8).wait()?;
    assert_eq!(scheduled.key_state(), Some(&KeyState::PendingReplicaDeletion));
    assert_eq!((scheduled.deletion_date(), scheduled.pending_window_in_days()), (None, Some(8)));
    assert_eq!(world.existing_key(id)?.pending_deletion_window_in_days(), Some(8));
    world.refused(&errors::INVALID_STATE, None, || encrypt(&primary));
    primary.cancel_deletion().wait()?;
    let cancelled = world.existing_key(id)?;
    assert_eq!(cancelled.key_state(), Some(&KeyState::Disabled));
    assert_eq!(cancelled.pending_deletion_window_in_days(), None);
    primary.delete().pending_window_in_days(8).wait()?;
    world.advance(100 * DAY)?;
    world.existing_key(id)?;

    replica.delete().pending_window_in_days(7).wait()?;
    world.advance(7 * DAY)?;
    assert_eq!(world.find_in(OTHER_REGION, &primary)?, None);
    assert_eq!(regions(&world.existing_key(id)?).2, [THIRD_REGION]);
    assert_eq!(regions(&world.key_in(THIRD_REGION, &primary)?).2, [THIRD_REGION]);
    third.delete().pending_window_in_days(7).wait()?;
    world.advance(7 * DAY)?;
    let waiting = world.existing_key(id)?;
    assert_eq!(waiting.key_state(), Some(&KeyState::PendingDeletion));
    assert_eq!(waiting.deletion_date().unwrap().as_millisecond(), world.now() + 8 * DAY);
    world.advance(8 * DAY)?;
    assert_eq!(CryptoKey::objects(&world.session()).get(id).wait()?, None);
    Ok(())
}

pub(super) fn rotation_of_primary_rotates_replicas(world: &World) -> Result<()> {
    let (primary, replica) = world.create_pair()?;
    let old = encrypt(&replica)?;
    world.refused(&errors::UNSUPPORTED, None, || replica.enable_rotation().wait());
    world.refused(&errors::UNSUPPORTED, None, || replica.rotate_on_demand().wait());
    primary.enable_rotation().rotation_period_in_days(90).wait()?;
    assert_eq!(replica.rotation_status().wait()?.rotation_period_in_days(), Some(90));
    world.advance(90 * DAY)?;
    primary.rotate_on_demand().wait()?;
    let rotated = world.existing_key(primary.key_id().unwrap())?;
    assert_ne!(rotated.current_key_material_id(), primary.current_key_material_id());
    let there = world.key_in(OTHER_REGION, &primary)?;
    assert_eq!(there.current_key_material_id(), rotated.current_key_material_id());
    let materials = |key: &CryptoKey| -> Result<Vec<_>> {
        let rotations = key.list_rotations().wait()?;
        assert!(rotations.iter().all(|rotation| rotation.key_id() == key.arn().ok().flatten()));
        Ok(rotations.iter().map(|rotation| rotation.key_material_id().map(str::to_owned)).collect())
    };
    assert_eq!(materials(&replica)?, materials(&primary)?);
    assert_eq!(decrypt(&primary, &encrypt(&replica)?)?, b"plain");
    assert_eq!(decrypt(&primary, &old)?, b"plain");
    replicate(&primary, THIRD_REGION).wait()?;
    assert_eq!(decrypt(&world.key_in(THIRD_REGION, &primary)?, &old)?, b"plain");
    Ok(())
}

pub(super) fn primary_moves_to_another_region(world: &World) -> Result<()> {
    let (primary, replica) = world.create_pair()?;
    replicate(&primary, THIRD_REGION).wait()?;
    primary.enable_rotation().rotation_period_in_days(90).wait()?;
    let key_at = |region: &str| world.key_in(region, &primary);
    world.refused(&errors::UNSUPPORTED, None, || move_primary(&replica, THIRD_REGION));
    for region in ["us-east-1", "eu-north-1"] {
        world.refused(&errors::NOT_FOUND, "PrimaryRegion", || move_primary(&primary, region));
    }
    move_primary(&primary, OTHER_REGION)?;
    for (region, role) in [
        ("us-east-1", MultiRegionKeyType::Replica),
        (OTHER_REGION, MultiRegionKeyType::Primary),
        (THIRD_REGION, MultiRegionKeyType::Replica),
    ] {
        let key = key_at(region)?;
        assert_eq!(key.key_state(), Some(&KeyState::Enabled));
        assert_eq!(regions(&key), (role, OTHER_REGION.into(), vec!["us-east-1".into(), THIRD_REGION.into()]));
    }
    world.refused(&errors::UNSUPPORTED, None, || primary.disable_rotation().wait());
    world.advance(90 * DAY)?;
    for region in ["us-east-1", OTHER_REGION, THIRD_REGION] {
        assert_eq!(key_at(region)?.list_rotations().wait()?.len(), 1, "{region}");
    }
    Ok(())
}

pub(super) fn material_is_imported_into_each_region(world: &World) -> Result<()> {
    let key = CryptoKey::builder().multi_region(true).origin(KeyOrigin::External).build()?;
    let primary = CryptoKey::objects(&world.session()).create(&key).wait()?;
    world.refused(&errors::INVALID_STATE, None, || replicate(&primary, OTHER_REGION).wait());
    import(&primary, &[1; 32])?;
    replicate(&primary, OTHER_REGION).wait()?;
    let replica = world.key_in(OTHER_REGION, &primary)?;
    assert_eq!(replica.key_state(), Some(&KeyState::PendingImport));
    world.refused(&errors::INCORRECT_MATERIAL, "EncryptedKeyMaterial", || import(&replica, &[2; 32]));
    world.refused(&errors::UNSUPPORTED, None, || import_new(&replica, &[2; 32]));
    import(&replica, &[1; 32])?;
    assert_eq!(decrypt(&replica, &encrypt(&primary)?)?, b"plain");

    import_new(&primary, &[2; 32])?;
    let states = |key: &CryptoKey| -> Result<Vec<_>> {
        let listed = key.list_rotations().include_key_material(IncludeKeyMaterial::AllKeyMaterial).wait()?;
        let to_text = |row: &nephos_kms::KeyRotation| {
            format!("{} {}", row.key_material_state().unwrap(), row.import_state().unwrap())
        };
        Ok(listed.iter().map(to_text).collect())
    };
    let pending = "PENDING_MULTI_REGION_IMPORT_AND_ROTATION";
    assert_eq!(states(&primary)?, ["CURRENT IMPORTED".to_owned(), format!("{pending} IMPORTED")]);
    assert_eq!(states(&replica)?, ["CURRENT IMPORTED".to_owned(), format!("{pending} PENDING_IMPORT")]);
    world.refused(&errors::INVALID_STATE, None, || primary.rotate_on_demand().wait());
    let second = import(&replica, &[2; 32])?;
    assert_eq!(states(&primary)?[1], "PENDING_ROTATION IMPORTED");
    primary.rotate_on_demand().wait()?;
    for key in [&primary, &replica] {
        assert_eq!(states(key)?, ["NON_CURRENT IMPORTED", "CURRENT IMPORTED"]);
    }
    let there = world.key_in(OTHER_REGION, &primary)?;
    assert_eq!(there.current_key_material_id(), second.as_deref());

    replica.delete_imported_material().wait()?;
    assert_eq!(world.key_in(OTHER_REGION, &primary)?.key_state(), Some(&KeyState::PendingImport));
    assert_eq!(decrypt(&primary, &encrypt(&primary)?)?, b"plain");
    import_new(&primary, &[3; 32])?;
    let third = states(&primary)?.len();
    assert_eq!((third, states(&replica)?.len()), (3, 3));
    let listed = primary.list_rotations().include_key_material(IncludeKeyMaterial::AllKeyMaterial).wait()?;
    primary.delete_imported_material().key_material_id(listed[2].key_material_id().unwrap()).wait()?;
    assert_eq!((states(&primary)?.len(), states(&replica)?.len()), (2, 2));
    Ok(())
}
