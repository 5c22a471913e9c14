//! Tags of all kinds.

use super::{
    World, ask, balancers, create_balancer, create_http_group, create_listener, create_rule,
    create_trust_store, fixed_response, groups, listeners, path_condition, rules,
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{AddTags, DescribeTags, RemoveTags, errors};

/// Models from relations and listings have no tags: changing the tags of such a model keeps the existing ones.
pub(super) fn tags_of_listed_models_are_fetched_before_they_change(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    for arn in [web.require_arn()?, port.require_arn()?] {
        ask(&session, AddTags::new([arn], [("a", "1"), ("b", "2")]))?;
    }
    let mut listed = balancers(&session).list().results().first().wait()?.unwrap();
    listed.tags_mut().wait()?.remove("a")?;
    listed.save().wait()?;
    assert_eq!(web.tags_map().wait()?.keys().collect::<Vec<_>>(), ["b"]);
    let mut related = nephos_core::wait(web.listeners())?[0].clone();
    related.tags_mut().wait()?.insert("c", "3")?;
    related.save().wait()?;
    assert_eq!(port.list_tags().wait()?.len(), 3);
    Ok(())
}

/// A model that was serialized to JSON and parsed again can be updated.
pub(super) fn model_from_json_can_be_saved(world: &World) -> Result<()> {
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let mut read = nephos_elbv2::Listener::from_json(port.to_json())?;
    read.set_session(world.session());
    read.set_port(81)?;
    read.save().wait()?;
    assert_eq!(listeners(&world.session()).get(port.require_arn()?).wait()?.unwrap().port(), Some(81));
    let mut read = nephos_elbv2::LoadBalancer::from_json(web.to_json())?;
    read.set_session(world.session());
    read.save().wait()?;
    Ok(())
}

pub(super) fn add_and_remove_tags_of_every_kind(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let rule = create_rule(world, &port, 1, path_condition("/a"), fixed_response("404"))?;
    balancers(&session).tag(web.require_arn()?, [("a", "1"), ("b", "2")]).wait()?;
    listeners(&session).tag(port.require_arn()?, [("a", "1")]).wait()?;
    rules(&session).tag(rule.require_arn()?, [("a", "1")]).wait()?;
    groups(&session).tag(group.require_arn()?, [("a", "1")]).wait()?;
    assert_eq!(web.list_tags().wait()?.len(), 2);
    balancers(&session).tag(web.require_arn()?, [("a", "9")]).wait()?;
    balancers(&session).untag(web.require_arn()?, ["b", "nothing"]).wait()?;
    let found = balancers(&session).get().name("web").wait()?.unwrap();
    assert_eq!(
        found.tags_map().wait()?.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(),
        [("a", "9")]
    );
    assert_eq!(port.list_tags().wait()?[0].value(), Some("1"));
    assert_eq!(listeners(&session).get(port.require_arn()?).wait()?.unwrap().tags_map().wait()?.len(), 1);
    assert_eq!(rules(&session).get(rule.require_arn()?).wait()?.unwrap().tags_map().wait()?.len(), 1);
    assert_eq!(groups(&session).get().name("web").wait()?.unwrap().tags_map().wait()?.len(), 1);
    assert!(
        balancers(&session).list().results().first().wait()?.unwrap().tags().is_none(),
        "a listing has no tags"
    );
    let store = create_trust_store(world, "web")?;
    let all = [
        web.require_arn()?,
        port.require_arn()?,
        rule.require_arn()?,
        group.require_arn()?,
        store.require_arn()?,
    ];
    ask(&session, AddTags::new(all.as_slice(), [("c", "")]))?;
    let returned = ask(&session, DescribeTags::new(all.as_slice()))?;
    assert_eq!(returned.tag_descriptions().unwrap().len(), 5);
    assert_eq!(store.list_tags().wait()?[0].key(), Some("c"));
    ask(&session, RemoveTags::new(all.as_slice(), ["a", "c"]))?;
    assert!(rule.list_tags().wait()?.is_empty());
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let group = create_http_group(world, "web")?;
    let arn = group.require_arn()?;
    let many: Vec<(String, String)> = (0..51).map(|n| (n.to_string(), "x".into())).collect();
    let many = |range: std::ops::Range<usize>| many[range].iter().cloned().map(Tag::from).collect::<Vec<_>>();
    world.refused(&errors::DUPLICATE_TAG_KEYS, "Tags[a]", || {
        ask(&session, AddTags::new([arn], [("a", "1"), ("a", "2")]))
    });
    world.refused(&errors::TOO_MANY_TAGS, "Tags", || ask(&session, AddTags::new([arn], many(0..51))));
    ask(&session, AddTags::new([arn], many(0..50)))?;
    world.refused(&errors::TOO_MANY_TAGS, "Tags", || ask(&session, AddTags::new([arn], many(50..51))));
    ask(&session, AddTags::new([arn], many(3..4)))?;
    world.refused(&errors::INVALID, "Tags[aws:a]", || ask(&session, AddTags::new([arn], [("aws:a", "1")])));
    world.refused(&errors::INVALID, "TagKeys", || ask(&session, RemoveTags::new([arn], ["AWS:a"])));
    world.refused(&errors::INVALID, "Tags", || ask(&session, AddTags::new([arn], Vec::new())));
    world.refused(&errors::INVALID, "ResourceArns", || ask(&session, DescribeTags::new(Vec::new())));
    world.refused(&errors::INVALID, "ResourceArns", || {
        ask(&session, DescribeTags::new(vec![arn; 21].as_slice()))
    });
    world.refused(&errors::INVALID, "ResourceArns", || ask(&session, DescribeTags::new(["web"])));
    ask(&session, RemoveTags::new([arn], ["1"]))?;
    for (kind, code) in [
        ("targetgroup/gone/1", &errors::TARGET_GROUP_NOT_FOUND),
        ("loadbalancer/app/gone/1", &errors::LOAD_BALANCER_NOT_FOUND),
        ("listener/app/gone/1/1", &errors::LISTENER_NOT_FOUND),
        ("listener-rule/app/gone/1/1/1", &errors::RULE_NOT_FOUND),
        ("truststore/gone/1", &errors::TRUST_STORE_NOT_FOUND),
    ] {
        let missing = format!("arn:aws:elasticloadbalancing:us-east-1:123456789012:{kind}");
        world.refused(code, None, || ask(&session, DescribeTags::new([missing.as_str()])));
        world.refused(code, None, || ask(&session, AddTags::new([arn, missing.as_str()], [("z", "1")])));
    }
    Ok(())
}
