//! Tags of buses and rules.

use super::World;
use nephos_core::{Result, Tag, Text, prelude::*};
use nephos_events::{EventBus, EventRule, errors};

/// Creates a bus and rules, and returns their ARNs.
fn create_resources(world: &World) -> Result<Vec<Text>> {
    let bus = world.create_bus("a")?;
    let (on_bus, on_default) = (world.create_rule("a", "r")?, world.create_rule("default", "r")?);
    let default = world.existing_bus("default")?;
    let arns = [bus.require_arn()?, default.require_arn()?, on_bus.require_arn()?, on_default.require_arn()?];
    Ok(arns.map(Text::new).to_vec())
}

pub(super) fn tags_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    for arn in create_resources(world)? {
        let tag = |tags: Vec<Tag>| EventBus::objects(&session).tag(arn.as_str(), tags).wait();
        tag(vec![Tag::new("a", "1"), Tag::new("b", "2")])?;
        tag(vec![Tag::new("b", "3")])?;
        EventBus::objects(&session).untag(arn.as_str(), vec![Text::new("a"), Text::new("z")]).wait()?;
        let listed = EventRule::objects(&session).list_tags(arn.as_str()).wait()?;
        assert_eq!(listed, [Tag::new("b", "3")], "{arn}");
    }
    assert_eq!(world.existing_bus("default")?.tags_map().wait()?.len(), 1);
    assert_eq!(world.existing_rule("a", "r")?.tags_map().wait()?.len(), 1);
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    for arn in create_resources(world)? {
        let tag = |tags: Vec<Tag>| EventBus::objects(&session).tag(arn.as_str(), tags).wait();
        world.refused(&errors::VALIDATION, "Tags[aws:x]", || tag(vec![Tag::new("aws:x", "1")]));
        world.refused(&errors::VALIDATION, "Tags[a]", || tag(vec![Tag::new("a", "1"), Tag::new("a", "2")]));
        let many = (0..51).map(|number| Tag::new(format!("k{number}"), "v")).collect();
        world.refused(&errors::VALIDATION, "Tags", || tag(many));
        let untag = || EventBus::objects(&session).untag(arn.as_str(), vec![Text::new("aws:x")]).wait();
        world.refused(&errors::VALIDATION, "TagKeys", untag);
    }
    let list = |arn: &str| EventBus::objects(&session).list_tags(arn).wait();
    for arn in
        ["a", "arn:aws:events:us-east-1:123456789012:archive/a", "arn:aws:sqs:us-east-1:123456789012:q"]
    {
        world.refused(&errors::VALIDATION, "ResourceArn", || list(arn));
    }
    let own = "arn:aws:events:us-east-1:123456789012";
    for arn in [
        format!("{own}:event-bus/x"),
        format!("{own}:rule/x"),
        format!("{own}:rule/a/x"),
        format!("{own}:rule/x/r"),
        "arn:aws:events:us-east-1:210987654321:event-bus/a".to_owned(),
        "arn:aws:events:eu-west-1:123456789012:rule/r".to_owned(),
    ] {
        world.refused(&errors::NOT_FOUND, None, || list(&arn));
    }
    Ok(())
}
