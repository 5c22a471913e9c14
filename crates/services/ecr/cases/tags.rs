//! Cases: tags of repositories.

use super::{World, create};
use nephos_core::{Result, Tag, prelude::*};
use nephos_ecr::{Repository, errors};

pub(super) fn tags_are_added_listed_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    repositories.tag(arn.as_str(), vec![Tag::new("a", "1"), Tag::new("b", "2")]).wait()?;
    repositories.tag(arn.as_str(), vec![Tag::new("a", "3")]).wait()?;
    repositories.untag(arn.as_str(), vec!["b".into()]).wait()?;
    assert_eq!(repositories.list_tags(arn.as_str()).wait()?, [Tag::new("a", "3")]);
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    let tag = |arn: &str, tags: Vec<Tag>| repositories.tag(arn, tags).wait();
    world.refused(&errors::INVALID_TAG, "tags[aws:a]", || tag(&arn, vec![Tag::new("aws:a", "1")]));
    world
        .refused(&errors::INVALID_TAG, "tags[a]", || tag(&arn, vec![Tag::new("a", "1"), Tag::new("a", "2")]));
    let many = (0..51).map(|n| Tag::new(format!("k{n}"), "")).collect();
    world.refused(&errors::TOO_MANY_TAGS, "tags", || tag(&arn, many));
    let refused =
        world.refused(&errors::INVALID, "resourceArn", || tag("arn:aws:ecr:web", vec![Tag::new("a", "1")]));
    let text = "Invalid parameter at 'resourceArn' failed to satisfy constraint: 'Invalid ARN'";
    assert_eq!(refused.wire_message(), text);
    let missing = arn.replace("web", "api");
    world
        .refused(&errors::REPOSITORY_NOT_FOUND, "repositoryName", || tag(&missing, vec![Tag::new("a", "1")]));
    Ok(())
}
