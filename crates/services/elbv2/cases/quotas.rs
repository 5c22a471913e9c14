//! Quotas.

use super::{
    World, ask, balancers, create_balancer, create_group, create_http_group, create_listener, create_rule,
    fixed_response, group_builder, groups, network, path_condition, rules,
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    Action, ActionType, CreateLoadBalancer, ForwardConfig, LoadBalancerType, ModifyRule, Protocol,
    TargetGroup, TargetGroupTuple, errors,
};

pub(super) fn load_balancer_quota_per_type(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let create = |n: usize| {
        CreateLoadBalancer::new(format!("n{n}"))
            .r#type(LoadBalancerType::Network)
            .subnets([net.subnets[0].clone()])
    };
    for n in 0..50 {
        ask(&session, create(n))?;
    }
    let first = balancers(&session).get().name("n0").wait()?.unwrap();
    world.refused(&errors::TOO_MANY_LOAD_BALANCERS, None, || ask(&session, create(50)));
    create_balancer(world, "web")?;
    first.delete().wait()?;
    ask(&session, create(50))?;
    Ok(())
}

pub(super) fn target_group_quota_per_protocol(world: &World) -> Result<()> {
    let net = network(world);
    let geneve = |n: usize| {
        let model =
            group_builder(&net, &format!("g{n}")).protocol(Protocol::Geneve).port(6081).build().unwrap();
        create_group(world, &model)
    };
    let first = geneve(0)?;
    for n in 1..100 {
        geneve(n)?;
    }
    world.refused(&errors::TOO_MANY_TARGET_GROUPS, None, || geneve(100));
    create_http_group(world, "web")?;
    first.delete().wait()?;
    geneve(100)?;
    Ok(())
}

pub(super) fn rules_per_load_balancer_are_limited(world: &World) -> Result<()> {
    let web = create_balancer(world, "web")?;
    let (one, two) = (
        create_listener(world, &web, 80, fixed_response("404"))?,
        create_listener(world, &web, 81, fixed_response("404"))?,
    );
    for n in 1..=60 {
        create_rule(world, &one, n, path_condition("/a"), fixed_response("200"))?;
    }
    for n in 1..=40 {
        create_rule(world, &two, n, path_condition("/a"), fixed_response("200"))?;
    }
    world.refused(&errors::TOO_MANY_RULES, None, || {
        create_rule(world, &two, 41, path_condition("/a"), fixed_response("200"))
    });
    let other = create_balancer(world, "other")?;
    let port = create_listener(world, &other, 80, fixed_response("404"))?;
    create_rule(world, &port, 1, path_condition("/a"), fixed_response("200"))?;
    Ok(())
}

/// Returns an action that forwards to several target groups.
fn share(groups: &[TargetGroup]) -> Action {
    let tuple = |group: &TargetGroup| {
        TargetGroupTuple::builder().target_group_arn(group.require_arn().unwrap()).weight(1).build().unwrap()
    };
    let config = ForwardConfig::builder().target_groups(groups.iter().map(tuple).collect::<Vec<_>>());
    let action = Action::builder().r#type(ActionType::Forward).forward_config(config.build().unwrap());
    action.build().unwrap()
}

pub(super) fn unique_target_groups_per_load_balancer_are_limited(world: &World) -> Result<()> {
    let session = world.session();
    let all = (0..101).map(|n| create_http_group(world, &format!("g{n}"))).collect::<Result<Vec<_>>>()?;
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    for (n, five) in (1..).zip(all[..100].chunks(5)) {
        create_rule(world, &port, n, path_condition("/a"), share(five))?;
    }
    let last = &all[100..];
    world.refused(&errors::TOO_MANY_UNIQUE_TARGET_GROUPS, None, || {
        create_rule(world, &port, 21, path_condition("/a"), share(last))
    });
    create_rule(world, &port, 21, path_condition("/a"), share(&all[..5]))?;
    let rules = rules(&session).list().listener_arn(port.require_arn()?).results().all().wait()?;
    // Another rule still forwards to the groups of the first rule, but none to those of the second.
    let modify = |n: usize| ModifyRule::new(rules[n].require_arn().unwrap()).actions([share(last)]);
    world.refused(&errors::TOO_MANY_UNIQUE_TARGET_GROUPS, None, || ask(&session, modify(0)));
    ask(&session, modify(1))?;
    assert_eq!(groups(&session).list().load_balancer_arn(web.require_arn()?).results().count().wait()?, 96);
    Ok(())
}
