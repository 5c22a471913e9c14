//! Tags of keys.

use super::World;
use nephos_core::{Map, Resource, Result, Tag, Tagged, Text, Value};
use nephos_kms::{CryptoKey, errors};

fn tag(key: &str, value: &str) -> Tag {
    Tag::new(key, value)
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

pub(super) fn tags_of_a_model_are_read_and_changed_as_a_mapping(world: &World) -> Result<()> {
    let session = world.session();
    let keys = CryptoKey::objects(&session);
    let built = CryptoKey::builder().tags([("team", "web"), ("cost", "42")]).build()?;
    let id = Text::new(keys.create(&built).tags([("cost", "7")]).wait()?.key_id().unwrap());
    let found = || keys.get(id.clone()).wait().map(Option::unwrap);
    let expected: Map<Text> =
        [("team".into(), "web".into()), ("cost".into(), "7".into())].into_iter().collect();
    assert_eq!(found()?.tags_map().wait()?, expected);

    // A listed key does not have its tags: changing one keeps the others.
    let mut listed = keys.list().results().all().wait()?;
    let mut key = listed.pop().unwrap();
    assert_eq!(key.tags(), None);
    key.tags_mut().wait()?.insert("stage", "prod")?;
    key.save().wait()?;
    assert_eq!(found()?.tags_map().wait()?.len(), 3);

    let mut key = found()?;
    key.tags_mut().wait()?.remove("team")?;
    key.save().wait()?;
    assert_eq!(found()?.tags_map().wait()?.keys().collect::<Vec<_>>(), ["cost", "stage"]);
    let tagged = keys.list().results().filter_by([("Tags__Key", Value::from("stage"))])?.count().wait()?;
    assert_eq!(tagged, 1);
    key.tags_mut().wait()?.clear()?;
    key.save().wait()?;
    assert!(found()?.tags_map().wait()?.is_empty());
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let keys = CryptoKey::objects(&world.session());
    let id = key.key_id().unwrap();
    let refused = |field: &str, tags: Vec<Tag>| {
        world.refused(&errors::TAG, field, || keys.tag(id, tags).wait()).message().to_owned()
    };
    assert_eq!(refused("Tags[a]", vec![tag("a", "1"), tag("a", "2")]), "Duplicate tag keys");
    assert_eq!(refused("Tags[aws:a]", vec![tag("aws:a", "1")]), "Tags beginning with aws: are reserved");
    let many = (0..51).map(|n| tag(&format!("k{n}"), "")).collect();
    assert_eq!(refused("Tags", many), "Too many tags");
    let without_value = Tag::builder().key("team").build()?;
    let error = world.refused(&errors::VALIDATION, "Tags[0]", || keys.tag(id, [without_value]).wait());
    assert!(error.message().contains("'tags.1.member.tagValue'"), "{error}");
    Ok(())
}
