//! Tags of users.

use super::{World, ask, errors};
use nephos_core::{Resource, Result, Tag, Tagged, Text};
use nephos_iam::{CreateUser, ListUserTags, TagUser, UntagUser, User};

fn tag_list(pairs: &[(&str, &str)]) -> Vec<Tag> {
    pairs.iter().map(|(key, value)| Tag::new(*key, *value)).collect()
}

fn tag(world: &World, pairs: &[(&str, &str)]) -> Result<()> {
    ask(&world.session(), TagUser::new("ann", tag_list(pairs))).map(drop)
}

fn tags_of(world: &World) -> Result<Vec<Tag>> {
    User::objects(&world.session()).list_tags("ann").wait()
}

pub(super) fn tags_are_listed_in_order_of_keys(world: &World) -> Result<()> {
    let session = world.session();
    let given = tag_list(&[("c", "3"), ("a", "1")]);
    let created = ask(&session, CreateUser::new("ann").tags(given))?;
    let sorted = tag_list(&[("a", "1"), ("c", "3")]);
    assert_eq!(created.user().and_then(|user| user.tags()), Some(&sorted[..]));
    tag(world, &[("b", "2"), ("c", "three")])?;
    let sorted = tag_list(&[("a", "1"), ("b", "2"), ("c", "three")]);
    assert_eq!(tags_of(world)?, sorted);
    assert_eq!(world.existing_user("ann")?.tags(), Some(&sorted[..]));
    let page = ask(&session, ListUserTags::new("ann").max_items(2))?;
    assert_eq!((page.tags(), page.is_truncated()), (Some(&sorted[..2]), Some(true)));
    let marker: Text = page.marker().expect("there is another page").into();
    let page = ask(&session, ListUserTags::new("ann").max_items(2).marker(marker))?;
    assert_eq!((page.tags(), page.is_truncated(), page.marker()), (Some(&sorted[2..]), Some(false), None));
    let listed = User::objects(&session).list().results().first().wait()?.expect("the user is listed");
    assert_eq!(listed.tags(), None);
    assert_eq!(listed.tags_map().wait()?.len(), 3);
    Ok(())
}

pub(super) fn tag_keys_ignore_case(world: &World) -> Result<()> {
    world.create_user("ann")?;
    tag(world, &[("Team", "web")])?;
    tag(world, &[("team", "api")])?;
    assert_eq!(tags_of(world)?, tag_list(&[("team", "api")]));
    world.refused(&errors::INVALID_INPUT, "Tags[A]", || tag(world, &[("a", "1"), ("A", "2")]));
    ask(&world.session(), UntagUser::new("ann", vec!["TEAM".into(), "none".into()]))?;
    assert!(tags_of(world)?.is_empty());
    Ok(())
}

pub(super) fn duplicate_and_reserved_tags_are_refused(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let error = world.refused(&errors::INVALID_INPUT, "Tags[a]", || tag(world, &[("a", "1"), ("a", "2")]));
    assert_eq!(error.message(), "Duplicate tag keys found. Please note that Tag keys are case insensitive.");
    world.refused(&errors::INVALID_INPUT, "Tags[aws:a]", || tag(world, &[("aws:a", "1")]));
    world.refused(&errors::INVALID, "Tags[0].Key", || tag(world, &[("", "1")]));
    world.refused(&errors::INVALID, "Tags[a]", || tag(world, &[("a", "1*")]));
    let untag = |key: &str| ask(&world.session(), UntagUser::new("ann", vec![key.into()]));
    world.refused(&errors::INVALID_INPUT, "TagKeys", || untag("aws:a"));
    world.refused(&errors::INVALID, "TagKeys[0]", || untag(&"k".repeat(129)));
    let create = CreateUser::new("bea").tags(tag_list(&[("a", "1"), ("A", "2")]));
    world.refused(&errors::INVALID_INPUT, "Tags[A]", || ask(&world.session(), create));
    Ok(())
}

pub(super) fn user_can_have_fifty_tags(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let many = |count: usize| (0..count).map(|n| Tag::new(format!("key-{n}"), "x")).collect::<Vec<_>>();
    let session = world.session();
    world.refused(&errors::INVALID, "Tags", || ask(&session, TagUser::new("ann", many(51))));
    ask(&session, TagUser::new("ann", many(50)))?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, "Tags", || tag(world, &[("more", "")]));
    assert_eq!(error.message(), "The number of tags has reached the maximum limit.");
    tag(world, &[("KEY-7", "changed")])?;
    assert_eq!(tags_of(world)?.len(), 50);
    Ok(())
}

pub(super) fn model_changes_tags(world: &World) -> Result<()> {
    world.create_user("ann")?;
    tag(world, &[("a", "1"), ("b", "2")])?;
    let mut user = world.existing_user("ann")?;
    let mut tags = user.tags_mut().wait()?;
    tags.insert("c", "3")?;
    tags.remove("a")?;
    user.set_user_name("bea")?;
    user.save().wait()?;
    assert_eq!(User::objects(&world.session()).list_tags("bea").wait()?, tag_list(&[("b", "2"), ("c", "3")]));
    Ok(())
}
