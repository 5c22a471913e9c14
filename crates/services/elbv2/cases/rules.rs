//! Rules: create with priorities, list in order, update, delete.

use super::{
    World, ask, balancers, create_balancer, create_group, create_http_group, create_listener, create_rule,
    fixed_response, forward_to, group_builder, listeners, network, path_condition, rules,
};
use nephos_core::{Result, Text, prelude::*};
use nephos_elbv2::{
    CreateRule, DescribeRules, Listener, LoadBalancer, LoadBalancerType, ModifyRule, Protocol, RewriteConfig,
    Rule, SetRulePriorities, Transform, TransformType, UrlRewriteConfig, errors,
};

fn url_rewrite() -> Transform {
    let rewrite = RewriteConfig::builder().regex("^/a").replace("/b").build().unwrap();
    let config = UrlRewriteConfig::builder().rewrites([rewrite]).build().unwrap();
    Transform::builder().r#type(TransformType::UrlRewrite).url_rewrite_config(config).build().unwrap()
}

pub(super) fn create_then_get_returns_rule(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let model = Rule::builder()
        .priority("10")
        .conditions([path_condition("/a")])
        .actions([forward_to(&group)])
        .transforms([url_rewrite()])
        .tags([("team", "web")])
        .build()?;
    let created = rules(&session).create(&model, port.require_arn()?).wait()?.remove(0);
    let arn = created.require_arn()?;
    assert!(arn.contains(":listener-rule/app/web/") && arn.split('/').count() == 6, "{arn}");
    let found = rules(&session).get(arn).wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!((found.priority(), found.is_default()), (Some("10"), Some(false)));
    assert_eq!((found.transforms().unwrap().len(), found.tags_map().wait()?.len()), (1, 1));
    assert!(found.name().is_err());
    world.refused(&errors::PRIORITY_IN_USE, None, || {
        create_rule(world, &port, 10, path_condition("/b"), fixed_response("404"))
    });
    let missing = arn.replace("/web/", "/gone/");
    assert!(rules(&session).get(missing.as_str()).wait()?.is_none());
    world.refused(&errors::RULE_NOT_FOUND, None, || rules(&session).delete(missing.as_str()).wait());
    world.refused(&errors::LISTENER_NOT_FOUND, None, || {
        rules(&session).create(&model, port.require_arn().unwrap().replace("/web/", "/gone/")).wait()
    });
    world.refused(&errors::IN_USE, None, || group.delete().wait());
    found.delete().wait()?;
    assert!(rules(&session).get(arn).wait()?.is_none());
    group.delete().wait()?;

    for priority in ["0", "50001", "default"] {
        let model = Rule::builder()
            .priority(priority)
            .conditions([path_condition("/a")])
            .actions([fixed_response("404")])
            .build();
        let refused = model.and_then(|model| rules(&session).create(&model, port.require_arn()?).wait());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid, "{priority}");
    }
    assert!(
        Rule::builder().priority("1").actions([fixed_response("404")]).build().is_err(),
        "conditions are required"
    );
    assert!(
        Rule::builder().priority("1").conditions([path_condition("/a")]).build().is_err(),
        "actions are required"
    );
    Ok(())
}

pub(super) fn rules_are_listed_in_order_of_priority(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    for priority in [300, 20, 1] {
        create_rule(world, &port, priority, path_condition("/a"), fixed_response("200"))?;
    }
    let all = rules(&session).list().listener_arn(port.require_arn()?).results().all().wait()?;
    let returned: Vec<_> = all.iter().map(|rule| rule.priority().unwrap()).collect();
    assert_eq!(returned, ["1", "20", "300", "default"]);
    let many = vec![Text::new(port.require_arn()?); 21];
    let error = world.refused(&errors::INVALID, "RuleArns", || {
        ask(&world.session(), DescribeRules::new().rule_arns(many))
    });
    assert_eq!(error.message(), "You cannot describe more than '20' listener rules at a time");
    let arns: Vec<_> = all.iter().rev().map(|rule| rule.require_arn().unwrap()).collect();
    let chosen = rules(&session).list().rule_arns(arns.as_slice()).results().all().wait()?;
    assert_eq!(chosen.len(), 4);
    assert_eq!(chosen[0].priority(), Some("default"));
    assert!(rules(&session).list().rule_arns(Vec::new()).results().all().wait()?.is_empty());
    world.refused(&errors::INVALID, "ListenerArn", || rules(&session).list().results().all().wait());
    world.refused(&errors::INVALID, "RuleArns", || {
        rules(&session)
            .list()
            .rule_arns(arns.as_slice())
            .listener_arn(port.require_arn().unwrap())
            .results()
            .all()
            .wait()
    });
    Ok(())
}

pub(super) fn pagination_returns_each_rule_once(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    for priority in 1..8 {
        create_rule(world, &port, priority * 3, path_condition("/a"), fixed_response("200"))?;
    }
    for limit in 1..10 {
        let returned = rules(&session)
            .list()
            .listener_arn(port.require_arn()?)
            .page_size(limit)
            .results()
            .all()
            .wait()?;
        let returned: Vec<_> = returned.iter().map(|rule| rule.priority().unwrap()).collect();
        assert_eq!(returned, ["3", "6", "9", "12", "15", "18", "21", "default"], "{limit}");
    }
    world.refused(&errors::INVALID, "PageSize", || {
        rules(&session).list().listener_arn(port.require_arn().unwrap()).page_size(401).results().all().wait()
    });
    Ok(())
}

/// The default rule has the default actions of the listener, and is deleted with it.
pub(super) fn default_rule_belongs_to_its_listener(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let mut port = create_listener(world, &web, 80, fixed_response("404"))?;
    let default = || {
        rules(&session)
            .list()
            .listener_arn(port.require_arn().unwrap())
            .results()
            .all()
            .wait()
            .unwrap()
            .remove(0)
    };
    let first = default();
    assert_eq!((first.priority(), first.is_default()), (Some("default"), Some(true)));
    assert_eq!(first.conditions().unwrap_or_default().len(), 0);
    assert_eq!(first.actions(), port.default_actions());
    let arn = first.require_arn()?;
    world.refused(&errors::NOT_PERMITTED, None, || rules(&session).delete(arn).wait());
    world.refused(&errors::NOT_PERMITTED, None, || {
        ask(&session, ModifyRule::new(arn).actions([fixed_response("200")]))
    });
    world.refused(&errors::NOT_PERMITTED, None, || ask(&session, SetRulePriorities::new([(arn, 1)])));
    port.set_default_actions([forward_to(&group)])?;
    port.save().wait()?;
    assert_eq!(rules(&session).get(arn).wait()?.unwrap().actions(), port.default_actions());
    port.delete().wait()?;
    assert!(rules(&session).get(arn).wait()?.is_none());
    group.delete().wait()
}

pub(super) fn update_rule_sends_only_changed_fields(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let mut created = create_rule(world, &port, 1, path_condition("/a"), forward_to(&group))?;
    let before = world.state()?;
    created.save().wait()?;
    world.assert_unchanged(&before)?;
    created.set_conditions([path_condition("/b")])?;
    created.set_transforms([url_rewrite()])?;
    created.tags_mut().wait()?.insert("team", "web")?;
    created.save().wait()?;
    let found = rules(&session).get(created.require_arn()?).wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(found.conditions().unwrap()[0].values().unwrap(), ["/b"]);
    assert_eq!(
        found.actions().unwrap()[0].target_group_arn(),
        Some(group.require_arn()?),
        "unchanged fields stay"
    );

    let mut both = found.clone();
    both.set_transforms([url_rewrite()])?;
    let modify = ModifyRule::new(found.require_arn()?).transforms([url_rewrite()]).reset_transforms(true);
    world.refused(&errors::INVALID, "ResetTransforms", || ask(&session, modify));
    let reset = rules(&session).update(&found).reset_transforms(true).wait()?.remove(0);
    assert_eq!(reset.transforms().unwrap_or_default().len(), 0);
    let mut again = reset.clone();
    again.set_transforms([url_rewrite()])?;
    again.save().wait()?;
    again.set_transforms(None::<Vec<Transform>>)?;
    again.save().wait()?;
    assert_eq!(
        rules(&session).get(found.require_arn()?).wait()?.unwrap().transforms().unwrap_or_default().len(),
        0
    );

    again.set_actions([fixed_response("404")])?;
    again.save().wait()?;
    group.delete().wait()?;
    again.set_priority("2")?;
    world.refused(&errors::INVALID, "Priority", || rules(&session).update(&again).wait());
    Ok(())
}

pub(super) fn set_rule_priorities_can_swap_priorities(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let created: Vec<Rule> = (1..4)
        .map(|n| create_rule(world, &port, n, path_condition("/a"), fixed_response("200")))
        .collect::<Result<_>>()?;
    let arn = |n: usize| created[n].require_arn().unwrap();
    let set = rules(&session).set_priorities([(arn(0), 2), (arn(1), 1)]).wait()?;
    assert_eq!(set.len(), 2);
    let priority =
        |n: usize| rules(&session).get(arn(n)).wait().unwrap().unwrap().priority().unwrap().to_owned();
    assert_eq!([priority(0), priority(1), priority(2)], ["2", "1", "3"]);
    world.refused(&errors::PRIORITY_IN_USE, None, || rules(&session).set_priorities([(arn(0), 3)]).wait());
    let error = world.refused(&errors::INVALID, "RulePriorities[1]", || {
        rules(&session).set_priorities([(arn(0), 9), (arn(1), 9)]).wait()
    });
    assert_eq!(error.message(), "Priority '9' was provided multiple times");
    world.refused(&errors::INVALID, "RulePriorities[1]", || {
        rules(&session).set_priorities([(arn(0), 9), (arn(0), 8)]).wait()
    });
    world.refused(&errors::INVALID, "RulePriorities[0].Priority", || {
        rules(&session).set_priorities([(arn(0), 50001)]).wait()
    });
    world.refused(&errors::RULE_NOT_FOUND, None, || {
        rules(&session).set_priorities([(arn(0).replace("/web/", "/gone/"), 9)]).wait()
    });
    Ok(())
}

pub(super) fn rules_require_an_application_load_balancer(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let model = LoadBalancer::builder().load_balancer_name("net").r#type(LoadBalancerType::Network);
    let web = balancers(&session).create(&model.subnets(net.subnets.clone()).build()?).wait()?.remove(0);
    let tcp = create_group(world, &group_builder(&net, "tcp").protocol(Protocol::Tcp).port(25).build()?)?;
    let model = Listener::builder().load_balancer_arn(web.require_arn()?).port(25).protocol(Protocol::Tcp);
    let port =
        listeners(&session).create(&model.default_actions([forward_to(&tcp)]).build()?).wait()?.remove(0);
    world.refused(&errors::INVALID_CONFIGURATION, "ListenerArn", || {
        ask(
            &session,
            CreateRule::new([path_condition("/a")], [forward_to(&tcp)], port.require_arn().unwrap(), 1),
        )
    });
    assert_eq!(
        rules(&session).list().listener_arn(port.require_arn()?).results().count().wait()?,
        1,
        "only the default rule"
    );
    Ok(())
}

/// A rule has no listener before it is created: `save` requires its ARN.
pub(super) fn rule_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let mut model = Rule::builder()
        .priority("1")
        .conditions([path_condition("/a")])
        .actions([fixed_response("200")])
        .build()?;
    model.set_session(session.clone());
    world.refused(&errors::INVALID, "ListenerArn", || model.clone().save().wait());
    model.save().set("ListenerArn", port.require_arn()?).wait()?;
    assert_eq!(rules(&session).get(model.require_arn()?).wait()?.unwrap(), model);
    model.set_conditions([path_condition("/b")])?;
    model.save().wait()?;
    model.delete().wait()?;
    assert!(rules(&session).get(model.require_arn()?).wait()?.is_none());
    Ok(())
}
