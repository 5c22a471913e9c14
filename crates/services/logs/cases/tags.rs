//! Tags of log groups.

use super::{World, ask, errors};
use nephos_core::{ErrorKind, Map, Resource, Result, Tag, Tagged, Text};
use nephos_logs::{
    CreateLogGroup, ListTagsForResource, ListTagsLogGroup, LogGroup, TagLogGroup, TagResource, UntagLogGroup,
    UntagResource,
};

const ARN: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/web";

fn tag_map<K: AsRef<str>, V: AsRef<str>>(pairs: impl IntoIterator<Item = (K, V)>) -> Map<Text> {
    pairs.into_iter().map(|(key, value)| (key.as_ref().into(), value.as_ref().into())).collect()
}

/// Returns `count` different tags.
fn many_tags(count: usize) -> Map<Text> {
    tag_map((0..count).map(|n| (format!("key-{n}"), format!("value {n}"))))
}

fn group_tags(world: &World) -> Result<Map<Text>> {
    world.get_group("/web")?.tags_map().wait()
}

/// A tag of the parameter replaces a tag of the model with the same key.
pub(super) fn create_merges_tags_of_model_and_parameter(world: &World) -> Result<()> {
    let group =
        LogGroup::builder().log_group_name("/web").tags([("team", "web"), ("stage", "test")]).build()?;
    let objects = LogGroup::objects(&world.session());
    objects.create(&group).tags([("stage", "live"), ("cost", "7")]).wait()?;
    assert_eq!(group_tags(world)?, tag_map([("team", "web"), ("stage", "live"), ("cost", "7")]));
    Ok(())
}

/// The limit counts tags of model and parameter together.
pub(super) fn log_group_tags_are_limited_to_50(world: &World) -> Result<()> {
    let objects = LogGroup::objects(&world.session());
    let group = LogGroup::builder().log_group_name("/web").tags([("more", "1")]).build()?;
    world.refused(&errors::TOO_MANY_TAGS, None, || objects.create(&group).tags(many_tags(50)).wait());
    world.refused(&errors::TOO_MANY_TAGS, None, || {
        ask(&world.session(), CreateLogGroup::new("/web").tags(many_tags(51)))
    });
    objects.create(&group).tags(many_tags(49)).wait()?;
    assert_eq!(group_tags(world)?.len(), 50);
    let add = |tags| ask(&world.session(), TagResource::new(ARN, tags));
    world.refused(&errors::TOO_MANY_TAGS, None, || add(tag_map([("one more", "1")])));
    world.refused(&errors::TOO_MANY_TAGS, None, || add(many_tags(51)));
    add(tag_map([("more", "changed")]))?;
    assert_eq!(group_tags(world)?.len(), 50);
    let mut group = world.get_group("/web")?;
    let error = group.tags_mut().wait()?.insert("one more", "1").expect_err("the limit is 50 tags");
    assert!(error.kind() == ErrorKind::Invalid && error.is_value_error(), "{error}");
    group.tags_mut().wait()?.remove("more")?;
    group.tags_mut().wait()?.insert("one more", "1")?;
    let updated = objects.update(&group).wait()?;
    assert_eq!(
        (updated.tags_map().wait()?.len(), updated.tags_map().wait()?.contains_key("more")),
        (50, false)
    );
    Ok(())
}

/// The model is rejected before a request is sent.
pub(super) fn model_with_51_tags_is_rejected(world: &World) -> Result<()> {
    let tags = |count| many_tags(count).into_iter().map(Tag::from).collect::<Vec<_>>();
    let error = LogGroup::builder().log_group_name("/web").tags(tags(51)).build().expect_err("too many tags");
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("Tags")));
    let group = LogGroup::builder().log_group_name("/web").tags(tags(50)).build()?;
    assert_eq!(world.create(&group)?.tags_map().wait()?, many_tags(50));
    Ok(())
}

/// Lengths are counted in characters.
pub(super) fn invalid_tag_keys_and_values_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let add = |key: &str, value: &str| ask(&world.session(), TagResource::new(ARN, tag_map([(key, value)])));
    let (longest_key, longest_value) = ("k".repeat(128), "v".repeat(256));
    let odd = "é".repeat(128);
    for (key, value) in [
        (longest_key.as_str(), longest_value.as_str()),
        (odd.as_str(), ""),
        ("a b+c-d=e.f_g:h/i@j", "K l+m-n=o.p_q:r/s@t"),
        ("名前", "值"),
    ] {
        add(key, value)?;
        assert_eq!(group_tags(world)?.get(key).map(Text::as_str), Some(value));
    }
    let (long_key, long_value) = ("k".repeat(129), "v".repeat(257));
    world.assert_invalid("tags", || add("", "x"));
    for key in [long_key.as_str(), "a*b", "a,b", "a;b", "a\nb", "a#b"] {
        world.assert_invalid("tags", || add(key, "x"));
    }
    for value in [long_value.as_str(), "a*b", "a\tb", "a&b"] {
        world.assert_invalid("tags[key]", || add("key", value));
        world.assert_invalid("tags[key]", || {
            ask(&world.session(), CreateLogGroup::new("/new").tags(tag_map([("key", value)])))
        });
        let error = LogGroup::builder().tags([("key", value)]).build().expect_err("the model rejects it");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("Tags[key]")));
    }
    Ok(())
}

/// Keys and values with the prefix `aws:` are reserved.
pub(super) fn reserved_tag_prefix_is_rejected_in_any_case(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let objects = LogGroup::objects(&world.session());
    for start in ["aws:", "AWS:", "Aws:", "aWs:"] {
        let text = format!("{start}x");
        for (key, value) in [(text.as_str(), "x"), ("x", text.as_str())] {
            let field = format!("tags[{key}]");
            let group = LogGroup::builder().log_group_name("/new").build()?;
            world.assert_invalid(&field, || objects.create(&group).tags([(key, value)]).wait());
            world.assert_invalid(&field, || {
                ask(&world.session(), TagResource::new(ARN, tag_map([(key, value)])))
            });
            let error = LogGroup::builder().tags([(key, value)]).build().expect_err("the model rejects it");
            assert_eq!(error.field(), Some(format!("Tags[{key}]").as_str()));
        }
        world.assert_invalid("tagKeys", || {
            ask(&world.session(), UntagResource::new(ARN, vec![Text::new(&text)]))
        });
    }
    for key in ["aws", "awsx:", "xaws:", "aws "] {
        ask(&world.session(), TagResource::new(ARN, tag_map([(key, key)])))?;
    }
    Ok(())
}

/// Tags that another client added meanwhile are kept.
pub(super) fn update_sends_only_changed_tags(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").tags([("a", "1"), ("b", "2"), ("c", "3")]);
    let mut group = world.create(&group.build()?)?;
    ask(&world.session(), TagResource::new(ARN, tag_map([("d", "4")])))?;
    group.tags_mut().wait()?.remove("a")?;
    group.tags_mut().wait()?.insert("b", "two")?;
    group.tags_mut().wait()?.insert("e", "5")?;
    let updated = LogGroup::objects(&world.session()).update(&group).wait()?;
    assert_eq!(updated.tags_map().wait()?, tag_map([("b", "two"), ("c", "3"), ("d", "4"), ("e", "5")]));
    Ok(())
}

/// A listing does not return tags: null means unknown, and a change keeps the others.
pub(super) fn tags_of_a_listed_group_are_fetched_before_a_change(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").tags([("a", "1"), ("b", "2")]);
    world.create(&group.build()?)?;
    let mut listed = world.first_listed_group()?;
    assert_eq!(listed.tags(), None);
    assert_eq!(listed.tags_map().wait()?, tag_map([("a", "1"), ("b", "2")]));
    listed.tags_mut().wait()?.insert("c", "3")?;
    listed.save().wait()?;
    assert_eq!(group_tags(world)?, tag_map([("a", "1"), ("b", "2"), ("c", "3")]));

    let mut listed = world.first_listed_group()?;
    listed.set_tags([("only", "1")])?;
    listed.save().wait()?;
    assert_eq!(
        group_tags(world)?,
        tag_map([("only", "1")]),
        "assigning all tags replaces those that are there"
    );
    Ok(())
}

pub(super) fn tag_resource_and_untag_resource(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let session = world.session();
    ask(&session, TagResource::new(ARN, tag_map([("a", "1"), ("b", "2")])))?;
    ask(&session, TagResource::new(ARN, tag_map([("b", "two"), ("c", "3")])))?;
    for arn in [ARN, &format!("{ARN}:*")] {
        let listed = ask(&session, ListTagsForResource::new(arn))?;
        assert_eq!(listed.tags(), Some(&tag_map([("a", "1"), ("b", "two"), ("c", "3")])));
    }
    ask(&session, UntagResource::new(ARN, vec![Text::new("a"), Text::new("none")]))?;
    assert_eq!(group_tags(world)?, tag_map([("b", "two"), ("c", "3")]));
    ask(&session, UntagResource::new(ARN, vec![Text::new("b"), Text::new("c")]))?;
    assert!(group_tags(world)?.is_empty());
    assert_eq!(ask(&session, ListTagsForResource::new(ARN))?.tags(), Some(&Map::default()));
    Ok(())
}

/// The older forms take the name of the log group.
pub(super) fn tag_log_group_and_untag_log_group(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let session = world.session();
    ask(&session, TagLogGroup::new("/web", tag_map([("a", "1"), ("b", "2")])))?;
    ask(&session, TagLogGroup::new("/web", tag_map([("b", "two")])))?;
    assert_eq!(group_tags(world)?, tag_map([("a", "1"), ("b", "two")]));
    ask(&session, UntagLogGroup::new("/web", vec![Text::new("a"), Text::new("none")]))?;
    assert_eq!(ask(&session, ListTagsLogGroup::new("/web"))?.tags(), Some(&tag_map([("b", "two")])));

    world.refused(&errors::NOT_FOUND, None, || ask(&session, TagLogGroup::new("/no", tag_map([("a", "1")]))));
    world
        .refused(&errors::NOT_FOUND, None, || ask(&session, UntagLogGroup::new("/no", vec![Text::new("a")])));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, ListTagsLogGroup::new("/no")));
    world
        .assert_invalid("tags[aws:x]", || ask(&session, TagLogGroup::new("/web", tag_map([("aws:x", "1")]))));
    world.assert_invalid("tags", || ask(&session, TagLogGroup::new("/web", Map::default())));
    world.assert_invalid("tags", || ask(&session, UntagLogGroup::new("/web", vec![Text::new("aws:x")])));
    world.assert_invalid("tags", || ask(&session, UntagLogGroup::new("/web", Vec::new())));
    world.refused(&errors::TOO_MANY_TAGS, None, || ask(&session, TagLogGroup::new("/web", many_tags(50))));
    Ok(())
}

pub(super) fn invalid_tag_parameters_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let session = world.session();
    for arn in ["/web", "arn:aws:logs:us-east-1:123456789012:query:x"] {
        world.assert_invalid("resourceArn", || ask(&session, TagResource::new(arn, tag_map([("a", "1")]))));
        world.assert_invalid("resourceArn", || ask(&session, UntagResource::new(arn, vec![Text::new("a")])));
        world.assert_invalid("resourceArn", || ask(&session, ListTagsForResource::new(arn)));
    }
    world.assert_invalid("tags", || ask(&session, TagResource::new(ARN, Map::default())));
    let keys = |count: usize| vec![Text::new("a"); count];
    world.assert_invalid("tagKeys", || ask(&session, UntagResource::new(ARN, keys(51))));
    ask(&session, UntagResource::new(ARN, keys(50)))?;
    world.assert_invalid("tagKeys[0]", || {
        ask(&session, UntagResource::new(ARN, vec!["k".repeat(129).into()]))
    });
    Ok(())
}

/// Keys are case-sensitive.
pub(super) fn duplicate_tag_keys_are_rejected(world: &World) -> Result<()> {
    let twice = LogGroup::builder().log_group_name("/web").tags([("a", "1"), ("a", "2")]).build();
    let error = twice.expect_err("the key is a duplicate");
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("Tags[a]")));
    let group = LogGroup::builder().log_group_name("/web").tags([("a", "1"), ("A", "2")]).build()?;
    assert_eq!(world.create(&group)?.tags_map().wait()?.len(), 2, "keys are case-sensitive");
    assert_eq!(world.get_group("/web")?.tags().map(<[Tag]>::len), Some(2));
    assert_eq!(world.get_group("/web")?.require_name()?, "/web");
    Ok(())
}
