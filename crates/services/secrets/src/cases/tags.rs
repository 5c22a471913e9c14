//! Tags of secrets.

use super::{World, ask};
use crate::{CreateSecret, Secret, TagResource, UntagResource};
use nephos_core::{Map, Result, Tag, Tagged, Text};

fn list(pairs: &[(&str, &str)]) -> Vec<Tag> {
    pairs.iter().map(|(key, value)| Tag::new(*key, *value)).collect()
}

fn tags_of(world: &World) -> Result<Map<Text>> {
    world.found_secret("web")?.tags_map().wait()
}

/// Tags are put and taken off; only what changes something moves the date of the last change.
pub(super) fn tags_are_put_and_taken_off(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    world.advance(1000)?;
    let objects = Secret::objects(&world.session());
    objects.tag("web", list(&[("a", "1"), ("b", "2")])).wait()?;
    objects.tag("web", list(&[("b", "two"), ("c", "")])).wait()?;
    let expected = [("a", "1"), ("b", "two"), ("c", "")];
    assert_eq!(
        tags_of(world)?,
        expected.map(|(key, value)| (Text::new(key), Text::new(value))).into_iter().collect::<Map<Text>>()
    );
    let changed = world.found_secret("web")?.last_changed_date();
    assert_eq!(changed.map(|time| time.as_millisecond()), Some(world.now()));
    world.advance(1000)?;
    let before = world.state()?;
    objects.tag("web", list(&[("a", "1")])).wait()?;
    objects.untag("web", vec!["none".into()]).wait()?;
    world.assert_unchanged(&before)?;
    objects.untag("web", vec!["a".into(), "b".into(), "c".into()]).wait()?;
    assert!(tags_of(world)?.is_empty());
    Ok(())
}

/// There is room for 50 tags.
pub(super) fn a_secret_has_50_tags_at_most(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    let many = |count: usize| (0..count).map(|n| Tag::new(format!("key-{n}"), "x")).collect::<Vec<_>>();
    let session = world.session();
    world.invalid_secret("Tags", || ask(&session, CreateSecret::new("new").tags(many(51))));
    world.invalid_secret("Tags", || ask(&session, TagResource::new("web", many(51))));
    ask(&session, TagResource::new("web", many(50)))?;
    world.invalid_secret("Tags", || ask(&session, TagResource::new("web", list(&[("more", "")]))));
    ask(&session, TagResource::new("web", list(&[("key-7", "changed")])))?;
    assert_eq!(tags_of(world)?.len(), 50);
    Ok(())
}

/// Keys and values have rules, and each key one value.
pub(super) fn tags_have_rules(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    let session = world.session();
    let tag = |pairs: &[(&str, &str)]| ask(&session, TagResource::new("web", list(pairs)));
    world.invalid_secret("Tags[a]", || tag(&[("a", "1"), ("a", "2")]));
    world.invalid_secret("Tags[aws:x]", || tag(&[("aws:x", "1")]));
    world.invalid_secret("Tags[a]", || tag(&[("a", "AWS:x")]));
    world.invalid_secret("Tags[a]", || tag(&[("a", "x*")]));
    world.invalid_secret("Tags", || tag(&[("", "x")]));
    world.invalid_secret("Tags", || {
        ask(&session, TagResource::new("web", vec![Tag::builder().value("x").build()?]))
    });
    world.invalid_secret("TagKeys", || ask(&session, UntagResource::new("web", vec!["aws:x".into()])));
    world.invalid_secret("TagKeys[0]", || {
        ask(&session, UntagResource::new("web", vec!["k".repeat(129).into()]))
    });
    ask(&session, TagResource::new("web", vec![Tag::builder().key("bare").build()?]))?;
    assert_eq!(tags_of(world)?.get("bare").map(Text::as_str), Some(""));
    Ok(())
}
