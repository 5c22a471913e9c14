//! Aliases of keys.

use super::World;
use nephos_core::Result;
use nephos_kms::{CryptoKey, KeyAlias, KeySpec, KeyUsage, errors};
use nephos_testing::DAY;

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
    assert_eq!(own_aliases(world)?, ["alias/data", "alias/web"]);
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

/// Returns the names of all aliases except those of the provider.
fn own_aliases(world: &World) -> Result<Vec<String>> {
    let all = KeyAlias::objects(&world.session()).list().results().all().wait()?;
    let names = all.iter().filter_map(|alias| alias.alias_name().map(str::to_owned));
    Ok(names.filter(|name| !name.starts_with("alias/aws/")).collect())
}

pub(super) fn key_of_a_predefined_alias_is_created_when_it_is_described(world: &World) -> Result<()> {
    let session = world.session();
    let (keys, aliases) = (CryptoKey::objects(&session), KeyAlias::objects(&session));
    let target = || -> Result<Option<String>> {
        let found = aliases.list().results().all().wait()?;
        let alias = found.iter().find(|alias| alias.alias_name() == Some("alias/aws/s3"));
        Ok(alias.expect("the alias is listed").target_key_id().map(str::to_owned))
    };
    assert_eq!(target()?, None);
    assert_eq!(keys.get("alias/aws/moon").wait()?, None);
    let key = keys.get("alias/aws/s3").wait()?.expect("the key is created");
    assert_eq!(target()?.as_deref(), key.key_id());
    assert_eq!(keys.get("alias/aws/s3").wait()?.and_then(|key| key.key_id().map(str::to_owned)), target()?);
    Ok(())
}

pub(super) fn aliases_are_deleted_with_key(world: &World) -> Result<()> {
    let key = world.create_key()?;
    world.create_alias(&key, "alias/web")?;
    world.create_alias(&key, "alias/data")?;
    key.delete().pending_window_in_days(7).wait()?;
    assert_eq!(own_aliases(world)?, ["alias/data", "alias/web"]);
    world.advance(DAY * 7)?;
    assert_eq!(own_aliases(world)?, [""; 0]);
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
