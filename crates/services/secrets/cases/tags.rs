//! Tags of secrets.

use super::{World, ask};
use nephos_core::{Map, Result, Tag, Tagged, Text};
use nephos_secrets::{CreateSecret, Secret, TagResource, UntagResource};

fn tag_list(pairs: &[(&str, &str)]) -> Vec<Tag> {
    pairs.iter().map(|(key, value)| Tag::new(*key, *value)).collect()
}

fn tags_of(world: &World) -> Result<Map<Text>> {
    world.existing_secret("web")?.tags_map().wait()
}

/// Only a change of tags sets the date of the last change.
pub(super) fn tags_are_added_and_removed(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    world.advance(1000)?;
    let objects = Secret::objects(&world.session());
    objects.tag("web", tag_list(&[("a", "1"), ("b", "2")])).wait()?;
    objects.tag("web", tag_list(&[("b", "two"), ("c", "")])).wait()?;
    let expected = [("a", "1"), ("b", "two"), ("c", "")];
    assert_eq!(
        tags_of(world)?,
        expected.map(|(key, value)| (Text::new(key), Text::new(value))).into_iter().collect::<Map<Text>>()
    );
    let changed = world.existing_secret("web")?.last_changed_date();
    assert_eq!(changed.map(|time| time.as_millisecond()), Some(world.now()));
    world.advance(1000)?;
    let before = world.state()?;
    objects.tag("web", tag_list(&[("a", "1")])).wait()?;
    objects.untag("web", vec!["none".into()]).wait()?;
    world.assert_unchanged(&before)?;
    objects.untag("web", vec!["a".into(), "b".into(), "c".into()]).wait()?;
    assert!(tags_of(world)?.is_empty());
    Ok(())
}

/// A secret that never had tags has no list of tags.
pub(super) fn empty_list_of_tags_is_returned_after_last_tag_is_removed(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    let tags = || -> Result<_> {
        let listed = objects.list().results().first().wait()?.expect("the secret is listed");
        let described = objects.describe("web").wait()?;
        assert_eq!(listed.tags(), described.tags());
        Ok(described.tags().map(<[_]>::to_vec))
    };
    assert_eq!(tags()?, None);
    objects.untag("web", vec!["none".into()]).wait()?;
    assert_eq!(tags()?, None);
    objects.tag("web", tag_list(&[("a", "1")])).wait()?;
    assert_eq!(tags()?, Some(tag_list(&[("a", "1")])));
    objects.untag("web", vec!["a".into()]).wait()?;
    assert_eq!(tags()?, Some(Vec::new()));
    Ok(())
}

pub(super) fn secret_can_have_at_most_50_tags(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    let many = |count: usize| (0..count).map(|n| Tag::new(format!("key-{n}"), "x")).collect::<Vec<_>>();
    let session = world.session();
    world.assert_invalid("Tags", || ask(&session, CreateSecret::new("new").tags(many(51))));
    world.assert_invalid("Tags", || ask(&session, TagResource::new("web", many(51))));
    ask(&session, TagResource::new("web", many(50)))?;
    world.assert_invalid("Tags", || ask(&session, TagResource::new("web", tag_list(&[("more", "")]))));
    ask(&session, TagResource::new("web", tag_list(&[("key-7", "changed")])))?;
    assert_eq!(tags_of(world)?.len(), 50);
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    let session = world.session();
    let tag = |pairs: &[(&str, &str)]| ask(&session, TagResource::new("web", tag_list(pairs)));
    world.assert_invalid("Tags[a]", || tag(&[("a", "1"), ("a", "2")]));
    world.assert_invalid("Tags[aws:x]", || tag(&[("aws:x", "1")]));
    world.assert_invalid("Tags[a]", || tag(&[("a", "AWS:x")]));
    world.assert_invalid("Tags[a]", || tag(&[("a", "x*")]));
    world.assert_invalid("Tags[0].Key", || tag(&[("", "x")]));
    world.assert_invalid("Tags[0].Key", || {
        ask(&session, TagResource::new("web", vec![Tag::builder().value("x").build()?]))
    });
    world.assert_invalid("TagKeys", || ask(&session, UntagResource::new("web", vec!["aws:x".into()])));
    world.assert_violation("TagKeys[0]", || {
        ask(&session, UntagResource::new("web", vec!["k".repeat(129).into()]))
    });
    ask(&session, TagResource::new("web", vec![Tag::builder().key("bare").build()?]))?;
    assert_eq!(tags_of(world)?.get("bare").map(Text::as_str), Some(""));
    Ok(())
}
