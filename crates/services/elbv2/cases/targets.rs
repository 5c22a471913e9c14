//! Targets: registered, checked, deregistered. Transitions are instant.

use super::{
    World, ask, balancers, create_balancer, create_function_group, create_group, create_http_group,
    create_listener, create_rule, fixed_response, forward_to, group_builder, groups, listeners, network,
    path_condition,
};
use nephos_core::{Result, prelude::*};
use nephos_ec2::{Instance, Subnet, Vpc};
use nephos_elbv2::{
    Action, ActionType, AnomalyResult, DescribeTargetHealth, Health, Include, Listener, LoadBalancer,
    LoadBalancerType, ModifyListener, ModifyTargetGroup, Protocol, RegisterTargets, SetTargetHealth,
    TargetDescription, TargetGroup, TargetHealthReason, TargetHealthState, TargetType, errors,
};

type TargetStates = Vec<(String, i64, TargetHealthState, Option<TargetHealthReason>)>;

/// Returns the targets of a group with their states.
fn target_states(world: &World, group: &TargetGroup) -> TargetStates {
    let all = groups(&world.session()).targets(group.require_arn().unwrap()).wait().unwrap();
    let one = |description: &nephos_elbv2::TargetHealthDescription| {
        let (target, health) = (description.target().unwrap(), description.target_health().unwrap());
        (
            target.id().unwrap().to_owned(),
            target.port().unwrap_or_default(),
            health.state().unwrap().clone(),
            health.reason().cloned(),
        )
    };
    all.iter().map(one).collect()
}

fn target(id: &str, port: i64) -> TargetDescription {
    TargetDescription::builder().id(id).port(port).build().unwrap()
}

fn register(world: &World, group: &TargetGroup, target: impl Into<TargetDescription>) -> Result<()> {
    groups(&world.session()).register(group.require_arn()?, [target.into()]).wait()
}

pub(super) fn target_in_use_becomes_healthy(world: &World) -> Result<()> {
    let web = create_http_group(world, "web")?;
    register(world, &web, "172.31.0.10")?;
    register(world, &web, target("172.31.0.10", 81))?;
    let before = world.state()?;
    register(world, &web, "172.31.0.10")?;
    world.assert_unchanged(&before)?;
    let unused = |port| {
        ("172.31.0.10".to_owned(), port, TargetHealthState::Unused, Some(TargetHealthReason::NotInUse))
    };
    assert_eq!(target_states(world, &web), [unused(80), unused(81)]);
    let web_balancer = create_balancer(world, "web")?;
    let port = create_listener(world, &web_balancer, 80, forward_to(&web))?;
    let healthy = |port| ("172.31.0.10".to_owned(), port, TargetHealthState::Healthy, None);
    assert_eq!(target_states(world, &web), [healthy(80), healthy(81)]);
    let described =
        groups(&world.session()).targets(web.require_arn()?).include([Include::AnomalyDetection]).wait()?;
    assert_eq!(described[0].health_check_port(), Some("80"));
    assert_eq!(described[0].anomaly_detection().unwrap().result(), Some(&AnomalyResult::Normal));
    port.delete().wait()?;
    assert_eq!(target_states(world, &web), [unused(80), unused(81)]);
    Ok(())
}

pub(super) fn failing_target_becomes_unhealthy(world: &World) -> Result<()> {
    let web = create_http_group(world, "web")?;
    let web_balancer = create_balancer(world, "web")?;
    create_listener(world, &web_balancer, 80, forward_to(&web))?;
    register(world, &web, "172.31.0.10")?;
    register(world, &web, "172.31.0.11")?;
    for reason in [
        TargetHealthReason::Timeout,
        TargetHealthReason::ResponseCodeMismatch,
        TargetHealthReason::FailedHealthChecks,
    ] {
        let failing = SetTargetHealth::new(web.require_arn()?, "172.31.0.10", Health::Failing);
        world.control(failing.reason(reason.clone()))?;
        let now = target_states(world, &web);
        assert_eq!((&now[0].2, &now[0].3), (&TargetHealthState::Unhealthy, &Some(reason)));
        assert_eq!(now[1].2, TargetHealthState::Healthy, "the other target is unchanged");
    }
    world.control(SetTargetHealth::new(web.require_arn()?, "172.31.0.10", Health::Passing))?;
    assert_eq!(target_states(world, &web)[0].2, TargetHealthState::Healthy);
    let refused =
        world.control(SetTargetHealth::new(web.require_arn()?, "172.31.0.12", Health::Passing)).unwrap_err();
    assert_eq!(refused.code(), "InvalidTarget");
    let wrong = SetTargetHealth::new(web.require_arn()?, "172.31.0.10", Health::Failing);
    let wrong = world.control(wrong.reason(TargetHealthReason::NotInUse)).unwrap_err();
    assert_eq!(wrong.field(), Some("reason"));
    Ok(())
}

pub(super) fn unavailable_target_health_is_an_error(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_http_group(world, "web")?;
    let web_balancer = create_balancer(world, "web")?;
    create_listener(world, &web_balancer, 80, forward_to(&web))?;
    register(world, &web, "172.31.0.10")?;
    register(world, &web, "172.31.0.11")?;
    world.control(SetTargetHealth::new(web.require_arn()?, "172.31.0.10", Health::Unavailable))?;
    let error = world.refused(&errors::HEALTH_UNAVAILABLE, None, || {
        groups(&session).targets(web.require_arn().unwrap()).wait()
    });
    assert_eq!((error.status(), error.kind()), (500, ErrorKind::Internal));
    let other = groups(&session).targets(web.require_arn()?).targets(["172.31.0.11"]).wait()?;
    assert_eq!(other[0].target_health().unwrap().state(), Some(&TargetHealthState::Healthy));
    world.control(SetTargetHealth::new(web.require_arn()?, "172.31.0.10", Health::Passing))?;
    assert_eq!(target_states(world, &web)[0].2, TargetHealthState::Healthy);
    Ok(())
}

pub(super) fn deregistered_target_is_removed(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_http_group(world, "web")?;
    let web_balancer = create_balancer(world, "web")?;
    create_listener(world, &web_balancer, 80, forward_to(&web))?;
    register(world, &web, "172.31.0.10")?;
    register(world, &web, target("172.31.0.10", 81))?;
    groups(&session).deregister(web.require_arn()?, [target("172.31.0.10", 81)]).wait()?;
    let left: Vec<_> = target_states(world, &web).into_iter().map(|(_, port, ..)| port).collect();
    assert_eq!(left, [80]);
    register(world, &web, target("172.31.0.10", 81))?;
    groups(&session).deregister(web.require_arn()?, [TargetDescription::from("172.31.0.10")]).wait()?;
    assert_eq!(target_states(world, &web), [], "all ports are deregistered");
    groups(&session).deregister(web.require_arn()?, [TargetDescription::from("172.31.0.10")]).wait()?;
    Ok(())
}

pub(super) fn registrations_per_target_are_limited(world: &World) -> Result<()> {
    const ID: &str = "172.31.0.10";
    let session = world.session();
    let ports = |ports: std::ops::Range<i64>| ports.map(|port| target(ID, port)).collect::<Vec<_>>();
    let (one, two) = (create_http_group(world, "one")?, create_http_group(world, "two")?);
    groups(&session).register(one.require_arn()?, ports(1..601)).wait()?;
    groups(&session).register(two.require_arn()?, ports(1..402)).wait()?;
    world.refused(&errors::TOO_MANY_TARGETS, None, || {
        groups(&session).register(one.require_arn().unwrap(), ports(601..1002)).wait()
    });
    let web_balancer = create_balancer(world, "web")?;
    let port = create_listener(world, &web_balancer, 80, forward_to(&one))?;
    // Both groups together exceed the limit by one, in a listener and in a rule.
    world.refused(&errors::TOO_MANY_REGISTRATIONS, None, || {
        create_listener(world, &web_balancer, 81, forward_to(&two))
    });
    world.refused(&errors::TOO_MANY_REGISTRATIONS, None, || {
        create_rule(world, &port, 1, path_condition("/a"), forward_to(&two)).map(drop)
    });
    ask(&session, ModifyListener::new(port.require_arn()?).default_actions([forward_to(&two)]))?;
    ask(&session, ModifyListener::new(port.require_arn()?).default_actions([forward_to(&one)]))?;
    groups(&session).deregister(two.require_arn()?, [target(ID, 401)]).wait()?;
    create_rule(world, &port, 1, path_condition("/a"), forward_to(&two))?;
    world.refused(&errors::TOO_MANY_REGISTRATIONS, None, || register(world, &two, target(ID, 401)));
    register(world, &two, target(ID, 400))?;
    register(world, &two, "172.31.0.11")?;
    groups(&session).deregister(one.require_arn()?, [target(ID, 1)]).wait()?;
    register(world, &two, target(ID, 401))
}

pub(super) fn unregistered_target_is_described_as_unused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_http_group(world, "web")?;
    register(world, &web, "172.31.0.10")?;
    let described =
        groups(&session).targets(web.require_arn()?).targets(["172.31.0.11", "172.31.0.10"]).wait()?;
    let health = described[0].target_health().unwrap();
    assert_eq!(health.state(), Some(&TargetHealthState::Unused));
    assert_eq!(health.reason(), Some(&TargetHealthReason::NotRegistered));
    assert_eq!(described[1].target().unwrap().port(), Some(80));
    assert!(
        groups(&session).targets(web.require_arn()?).targets(Vec::new()).wait()?.is_empty(),
        "an empty list selects nothing"
    );
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || {
        ask(&session, DescribeTargetHealth::new(web.require_arn().unwrap()).targets(["i-0123456789abcdef0"]))
    });
    let missing = web.require_arn()?.replace("/web/", "/gone/");
    world
        .refused(&errors::TARGET_GROUP_NOT_FOUND, None, || groups(&session).targets(missing.as_str()).wait());
    world.refused(&errors::TARGET_GROUP_NOT_FOUND, None, || {
        groups(&session).register(missing.as_str(), [TargetDescription::from("172.31.0.10")]).wait()
    });
    Ok(())
}

pub(super) fn ip_targets_must_be_in_the_vpc_or_private(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_http_group(world, "web")?;
    let try_register =
        |target: TargetDescription| ask(&session, RegisterTargets::new(web.require_arn().unwrap(), [target]));
    for wrong in ["web", "i-0123456789abcdef0", "8.8.8.8", "::1", "172.31.0.10/32"] {
        world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || try_register(wrong.into()));
    }
    world.refused(&errors::INVALID, "Targets[0].AvailabilityZone", || try_register("10.0.0.1".into()));
    world.refused(&errors::INVALID, "Targets[0].QuicServerId", || {
        try_register(TargetDescription::builder().id("172.31.0.10").quic_server_id("0x1").build().unwrap())
    });
    assert!(TargetDescription::builder().id("172.31.0.10").port(70000).build().is_err());
    world.refused(&errors::INVALID, "Targets", || {
        ask(&session, RegisterTargets::new(web.require_arn().unwrap(), Vec::new()))
    });
    try_register(TargetDescription::builder().id("10.0.0.1").availability_zone("all").build()?)?;
    let many: Vec<_> = (1..=1000).map(|port| target("172.31.0.10", port)).collect();
    world.refused(&errors::TOO_MANY_TARGETS, None, || {
        ask(&session, RegisterTargets::new(web.require_arn().unwrap(), many.clone()))
    });
    ask(&session, RegisterTargets::new(web.require_arn()?, many[..999].to_vec()))?;
    Ok(())
}

pub(super) fn instance_targets_must_be_running_in_the_vpc(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let instances =
        create_group(world, &group_builder(&net, "web").target_type(TargetType::Instance).build()?)?;
    let run = |subnet: &str| {
        let model = Instance::builder().image_id("ami-12345678").instance_type("t3.micro").subnet_id(subnet);
        Instance::objects(&session).create(&model.build().unwrap()).wait().unwrap()
    };
    let (one, three) = (run(&net.subnets[0]), run(&net.subnets[2]));
    let id = |instance: &Instance| instance.instance_id().unwrap().to_owned();
    register(world, &instances, id(&one))?;
    register(world, &instances, id(&three))?;
    let web_balancer = create_balancer(world, "web")?;
    create_listener(world, &web_balancer, 80, forward_to(&instances))?;
    let states = || -> Vec<_> {
        let mut states = target_states(world, &instances);
        states.sort_by_key(|(other, ..)| *other != id(&one));
        states.into_iter().map(|(_, _, state, reason)| (state, reason)).collect()
    };
    let unused = (TargetHealthState::Unused, Some(TargetHealthReason::NotInUse));
    assert_eq!(
        states(),
        [(TargetHealthState::Healthy, None), unused.clone()],
        "the load balancer is only in two of the zones"
    );
    Instance::objects(&session).stop(id(&one)).wait()?;
    let stopped = (TargetHealthState::Unused, Some(TargetHealthReason::InvalidState));
    assert_eq!(states(), [stopped, unused]);
    let try_register = |target: &str| register(world, &instances, target);
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || try_register("i-0123456789abcdef0"));
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || try_register("172.31.0.10"));
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || try_register(&id(&one)));
    let other = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let subnet = Subnet::builder().vpc_id(other.vpc_id().unwrap()).cidr_block("10.0.0.0/24").build()?;
    let subnet = Subnet::objects(&session).create(&subnet).wait()?;
    let elsewhere = run(subnet.subnet_id().unwrap());
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || try_register(&id(&elsewhere)));
    Ok(())
}

pub(super) fn function_health_checks_are_optional(world: &World) -> Result<()> {
    let session = world.session();
    let group = create_function_group(world, "fn")?;
    let one = "arn:aws:lambda:us-east-1:123456789012:function:one";
    register(world, &group, one)?;
    world.refused(&errors::TOO_MANY_TARGETS, None, || {
        register(world, &group, "arn:aws:lambda:us-east-1:123456789012:function:two")
    });
    world.refused(&errors::INVALID, "Targets[0].Port", || register(world, &group, target(one, 80)));
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || register(world, &group, "one"));
    let web_balancer = create_balancer(world, "web")?;
    create_listener(world, &web_balancer, 80, forward_to(&group))?;
    let state = || target_states(world, &group)[0].2.clone();
    assert_eq!(state(), TargetHealthState::Unavailable);
    ask(&session, ModifyTargetGroup::new(group.require_arn()?).health_check_enabled(true))?;
    assert_eq!(state(), TargetHealthState::Healthy);
    Ok(())
}

pub(super) fn load_balancer_as_target(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let inner = create_balancer(world, "inner")?;
    let model = group_builder(&net, "alb").protocol(Protocol::Tcp).target_type(TargetType::Alb).build()?;
    let chain = create_group(world, &model)?;
    assert_eq!(chain.health_check_protocol(), Some(&Protocol::Http));
    world.refused(&errors::INVALID_TARGET, "Targets[0].Id", || {
        register(world, &chain, inner.require_arn().unwrap())
    });
    create_listener(world, &inner, 80, fixed_response("200"))?;
    register(world, &chain, inner.require_arn()?)?;
    world.refused(&errors::IN_USE, None, || inner.delete().wait());
    let model = LoadBalancer::builder().load_balancer_name("outer").r#type(LoadBalancerType::Network);
    let outer = balancers(&session).create(&model.subnets(net.subnets.clone()).build()?).wait()?.remove(0);
    let action =
        Action::builder().r#type(ActionType::Forward).target_group_arn(chain.require_arn()?).build()?;
    let model = Listener::builder().load_balancer_arn(outer.require_arn()?).port(80).protocol(Protocol::Tcp);
    listeners(&session).create(&model.default_actions([action]).build()?).wait()?;
    assert_eq!(target_states(world, &chain)[0].2, TargetHealthState::Healthy);
    let network_balancer = register(world, &chain, outer.require_arn()?).unwrap_err();
    assert_eq!(network_balancer.code(), "InvalidTarget");
    groups(&session)
        .deregister(chain.require_arn()?, [TargetDescription::from(inner.require_arn()?)])
        .wait()?;
    inner.delete().wait()
}
