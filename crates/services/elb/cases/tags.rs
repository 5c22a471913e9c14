//! Tags of load balancers.

use super::{World, balancers, create, get};
use nephos_core::{Result, Tag, Text, prelude::*};
use nephos_elb::{AddTags, DescribeTags, RemoveTags, TagKeyOnly, errors};
use nephos_testing::ask;

pub(super) fn tags_are_changed_and_described(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    create(world, "api")?;
    ask(&session, AddTags::new(["web", "api"], [("team", "web"), ("stage", "test")]))?;
    ask(&session, RemoveTags::new(["web"], [TagKeyOnly::from("team"), TagKeyOnly::from("none")]))?;
    let described = ask(&session, DescribeTags::new(["web", "api"]))?;
    let described = described.tag_descriptions().unwrap();
    assert_eq!(described[0].load_balancer_name(), Some("web"));
    assert_eq!((described[0].tags().unwrap().len(), described[1].tags().unwrap().len()), (1, 2));
    let mut web = get(world, "web")?;
    web.tags_mut().wait()?.insert("team", "api")?;
    web.tags_mut().wait()?.remove("stage")?;
    web.save().wait()?;
    assert_eq!(
        get(world, "web")?.tags_map().wait()?.into_iter().collect::<Vec<_>>(),
        [("team".into(), "api".into())]
    );
    let listed = balancers(&session).list().results().filter_by([("Tags__team", "api")])?;
    assert_eq!(listed.first().wait()?.unwrap().load_balancer_name(), Some("web"));
    Ok(())
}

pub(super) fn tags_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let error = world.refused(&errors::DUPLICATE_TAG_KEYS, "Tags[a]", || {
        ask(&session, AddTags::new(["web"], [("a", "1"), ("a", "2")]))
    });
    assert_eq!(error.message(), "Tag key was specified more than once: a");
    let many: Vec<_> = (0..51).map(|n| Tag::from((format!("key-{n}"), "value"))).collect();
    world.refused(&errors::TOO_MANY_TAGS, "Tags", || ask(&session, AddTags::new(["web"], many)));
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, "LoadBalancerName", || {
        ask(&session, AddTags::new(["web", "none"], [("a", "1")]))
    });
    let names: Vec<_> = (0..21).map(|n| Text::from(format!("web-{n}"))).collect();
    world.refused(&errors::INVALID, "LoadBalancerNames", || ask(&session, DescribeTags::new(names)));
    Ok(())
}
