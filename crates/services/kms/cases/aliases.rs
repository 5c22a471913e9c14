//! Aliases of keys.

use super::World;
use crate::{CryptoKey, KeyAlias, KeySpec, KeyUsage, errors};
use nephos_cloud::testing::DAY;
use nephos_core::Result;

pub(super) fn alias_is_created_found_listed_and_deleted(world: &World) -> Result<()> {
    let (first, second) = (world.create_key()?, world.create_key()?);
    world.create_alias(&first, "alias/web")?;
    world.create_alias(&second, "alias/data")?;
    let keys = CryptoKey::objects(&world.session());
    assert_eq!(keys.get("alias/web").wait()?.as_ref(), Some(&first));
    let aliases = KeyAlias::objects(&world.session());
    let alias = aliases.get("alias/web").wait()?.expect("the alias exists");
    assert_eq!(keys.get(alias.alias_arn().unwrap()).wait()?.as_ref(), Some(&first));
    assert_eq!(alias.target_key_id(), first.key_id());
    assert_eq!(alias.crypto_key().wait()?.as_deref(), Some(&first));
    assert_eq!(aliases.list().results().all().wait()?.len(), 2);
    assert_eq!(first.aliases().wait()?, std::slice::from_ref(&alias));
    alias.delete().wait()?;
    assert_eq!(aliases.get("alias/web").wait()?, None);
    assert_eq!(keys.get("alias/web").wait()?, None);
    world.refused(&errors::NOT_FOUND, "AliasName", || aliases.delete("alias/web").wait());
    Ok(())
}

pub(super) fn alias_names_are_checked(world: &World) -> Result<()> {
    let key = world.create_key()?;
    world.refused(&errors::VALIDATION, "AliasName", || world.create_alias(&key, "web"));
    world.refused(&errors::INVALID_ALIAS_NAME, "AliasName", || world.create_alias(&key, "alias/"));
    world.refused(&errors::INVALID_ALIAS_NAME, "AliasName", || world.create_alias(&key, "alias/aws/s3"));
    world.create_alias(&key, "alias/web")?;
    let refused = world.refused(&errors::EXISTS, "AliasName", || world.create_alias(&key, "alias/web"));
    assert!(refused.message().ends_with(":alias/web already exists"), "{refused}");
    Ok(())
}

pub(super) fn alias_can_be_changed_to_key_of_same_type_and_usage(world: &World) -> Result<()> {
    let (first, second) = (world.create_key()?, world.create_key()?);
    let mac = world.create_key_of(KeySpec::Hmac256, KeyUsage::GenerateVerifyMac)?;
    world.create_alias(&first, "alias/web")?;
    world.update_alias(&second, "alias/web")?;
    let keys = CryptoKey::objects(&world.session());
    assert_eq!(keys.get("alias/web").wait()?.as_ref(), Some(&second));
    assert_eq!(first.aliases().wait()?.len(), 0);
    world.refused(&errors::UNSUPPORTED, "TargetKeyId", || world.update_alias(&mac, "alias/web"));
    world.refused(&errors::NOT_FOUND, "AliasName", || world.update_alias(&first, "alias/other"));
    second.delete().wait()?;
    world.refused(&errors::INVALID_STATE, None, || world.update_alias(&second, "alias/web"));
    world.update_alias(&first, "alias/web")
}

pub(super) fn aliases_are_deleted_with_key(world: &World) -> Result<()> {
    let key = world.create_key()?;
    world.create_alias(&key, "alias/web")?;
    world.create_alias(&key, "alias/data")?;
    key.delete().pending_window_in_days(7).wait()?;
    let aliases = KeyAlias::objects(&world.session());
    assert_eq!(aliases.list().results().all().wait()?.len(), 2);
    world.advance(DAY * 7)?;
    assert_eq!(aliases.list().results().all().wait()?.len(), 0);
    world.create_alias(&world.create_key()?, "alias/web")
}

pub(super) fn key_can_have_at_most_50_aliases(world: &World) -> Result<()> {
    let key = world.create_key()?;
    for n in 0..50 {
        world.create_alias(&key, format!("alias/{n}"))?;
    }
    world.refused(&errors::LIMIT_EXCEEDED, None, || world.create_alias(&key, "alias/50"));
    Ok(())
}
