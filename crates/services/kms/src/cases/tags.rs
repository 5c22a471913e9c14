//! Tags of keys.

use super::World;
use crate::{CryptoKey, KeyTag, errors};
use nephos_core::Result;

fn tag(key: &str, value: &str) -> KeyTag {
    (key.into(), value.into()).into()
}

pub(super) fn tags_are_added_listed_and_removed(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let key = keys.create(&CryptoKey::builder().build()?).tags([tag("team", "web")]).wait()?;
    let id = key.key_id().unwrap();
    keys.tag(id, [tag("team", "data"), tag("stage", "test")]).wait()?;
    assert_eq!(key.list_tags().wait()?, [tag("team", "data"), tag("stage", "test")]);
    keys.untag(id, ["team"]).wait()?;
    assert_eq!(key.list_tags().wait()?, [tag("stage", "test")]);
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let keys = CryptoKey::objects(&world.session());
    let id = key.key_id().unwrap();
    let refused = |field: &str, tags: Vec<KeyTag>| {
        world.refused(&errors::TAG, field, || keys.tag(id, tags).wait()).message().to_owned()
    };
    assert_eq!(refused("Tags[a]", vec![tag("a", "1"), tag("a", "2")]), "Duplicate tag keys");
    assert_eq!(refused("Tags[aws:a]", vec![tag("aws:a", "1")]), "Tags beginning with aws: are reserved");
    let many = (0..51).map(|n| tag(&format!("k{n}"), "")).collect();
    assert_eq!(refused("Tags", many), "Too many tags");
    Ok(())
}
