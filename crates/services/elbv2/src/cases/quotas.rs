//! How many there may be.

use super::{
    World, ask, balancer, balancers, fixed, group, groups, http, listener, network, path, rule, rules,
    target_group,
};
use crate::{
    Action, ActionType, CreateLoadBalancer, ForwardConfig, LoadBalancerType, ModifyRule, Protocol,
    TargetGroup, TargetGroupTuple, errors,
};
use nephos_core::{Result, prelude::*};

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
    balancer(world, "web")?;
    first.delete().wait()?;
    ask(&session, create(50))?;
    Ok(())
}

pub(super) fn target_group_quota_per_protocol(world: &World) -> Result<()> {
    let net = network(world);
    let geneve = |n: usize| {
        let model =
            target_group(&net, &format!("g{n}")).protocol(Protocol::Geneve).port(6081).build().unwrap();
        group(world, &model)
    };
    let first = geneve(0)?;
    for n in 1..100 {
        geneve(n)?;
    }
    world.refused(&errors::TOO_MANY_TARGET_GROUPS, None, || geneve(100));
    http(world, "web")?;
    first.delete().wait()?;
    geneve(100)?;
    Ok(())
}

pub(super) fn rules_per_load_balancer_are_limited(world: &World) -> Result<()> {
    let web = balancer(world, "web")?;
    let (one, two) = (listener(world, &web, 80, fixed("404"))?, listener(world, &web, 81, fixed("404"))?);
    for n in 1..=60 {
        rule(world, &one, n, path("/a"), fixed("200"))?;
    }
    for n in 1..=40 {
        rule(world, &two, n, path("/a"), fixed("200"))?;
    }
    world.refused(&errors::TOO_MANY_RULES, None, || rule(world, &two, 41, path("/a"), fixed("200")));
    let other = balancer(world, "other")?;
    let port = listener(world, &other, 80, fixed("404"))?;
    rule(world, &port, 1, path("/a"), fixed("200"))?;
    Ok(())
}

/// An action that shares requests among target groups.
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
    let all = (0..101).map(|n| http(world, &format!("g{n}"))).collect::<Result<Vec<_>>>()?;
    let web = balancer(world, "web")?;
    let port = listener(world, &web, 80, fixed("404"))?;
    for (n, five) in (1..).zip(all[..100].chunks(5)) {
        rule(world, &port, n, path("/a"), share(five))?;
    }
    let last = &all[100..];
    world.refused(&errors::TOO_MANY_UNIQUE_TARGET_GROUPS, None, || {
        rule(world, &port, 21, path("/a"), share(last))
    });
    rule(world, &port, 21, path("/a"), share(&all[..5]))?;
    let rules = rules(&session).list().listener_arn(port.require_arn()?).results().all().wait()?;
    // The groups of the first rule stay, for another leads to them; those of the second go.
    let modify = |n: usize| ModifyRule::new(rules[n].require_arn().unwrap()).actions([share(last)]);
    world.refused(&errors::TOO_MANY_UNIQUE_TARGET_GROUPS, None, || ask(&session, modify(0)));
    ask(&session, modify(1))?;
    assert_eq!(groups(&session).list().load_balancer_arn(web.require_arn()?).results().count().wait()?, 96);
    Ok(())
}
