//! Relations: fetching, caching, and use in filters.

use super::{
    World, balancers, create_balancer, create_function_group, create_http_group, create_listener,
    create_rule, fixed_response, forward_to, groups, listeners, network, path_condition, rules,
};
use nephos_core::{Predicate, Result, Value, prelude::*, wait};
use nephos_elbv2::TargetGroup;

pub(super) fn relations_return_related_models(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let port = create_listener(world, &web, 80, forward_to(&group))?;
    create_rule(world, &port, 1, path_condition("/a"), fixed_response("404"))?;
    groups(&session)
        .register(group.require_arn()?, [nephos_elbv2::TargetDescription::from("172.31.0.10")])
        .wait()?;
    balancers(&session)
        .set_attributes(
            web.require_arn()?,
            [("access_logs.s3.enabled", "true"), ("access_logs.s3.bucket", "logs")],
        )
        .wait()?;

    let web = balancers(&session).get().name("web").wait()?.unwrap();
    let ports = web.listeners().wait()?;
    assert_eq!(ports[0].port(), Some(80));
    assert!(std::sync::Arc::ptr_eq(&ports, &web.listeners().wait()?), "fetched once, then cached");
    assert_eq!(web.vpc().wait()?.unwrap().vpc_id(), Some(net.vpc.as_str()));
    assert_eq!(web.vpc_security_groups().wait()?[0].group_id(), Some(net.group.as_str()));
    let logging = web.logging().wait()?.unwrap();
    assert_eq!((logging.enabled(), logging.bucket(), logging.prefix()), (Some(true), Some("logs"), None));

    let port = &ports[0];
    assert_eq!(port.load_balancer().wait()?.unwrap().require_name()?, "web");
    let both = port.rules().wait()?;
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].listener().wait()?.unwrap().require_arn()?, port.require_arn()?);
    assert_eq!(rules(&session).get(both[1].require_arn()?).wait()?.unwrap().is_default(), Some(true));

    let group = groups(&session).get().name("web").wait()?.unwrap();
    assert_eq!(group.load_balancers().wait()?[0].require_name()?, "web");
    assert_eq!(group.vpc().wait()?.unwrap().vpc_id(), Some(net.vpc.as_str()));
    assert_eq!(group.targets().wait()?[0].target().unwrap().id(), Some("172.31.0.10"));
    assert_eq!(listeners(&session).get(port.require_arn()?).wait()?.unwrap().port(), Some(80));
    Ok(())
}

/// The state of targets changes over time, so the relation is not cached.
pub(super) fn targets_relation_is_not_cached(world: &World) -> Result<()> {
    let group = create_http_group(world, "web")?;
    assert!(group.targets().wait()?.is_empty());
    let target = nephos_elbv2::TargetDescription::from("172.31.0.10");
    groups(&world.session()).register(group.require_arn()?, [target]).wait()?;
    assert_eq!(group.targets().wait()?.len(), 1);
    Ok(())
}

/// A relation without IDs is empty, not a list of everything.
pub(super) fn missing_relations_are_empty(world: &World) -> Result<()> {
    create_balancer(world, "web")?;
    let lonely = create_http_group(world, "lonely")?;
    assert!(lonely.load_balancers().wait()?.is_empty() && lonely.targets().wait()?.is_empty());
    let function = create_function_group(world, "fn")?;
    assert!(function.vpc().wait()?.is_none());
    let bare = TargetGroup::builder().target_group_name("x").port(1).build()?;
    assert_eq!(wait(bare.load_balancers()).unwrap_err().kind(), ErrorKind::NoSession);
    Ok(())
}

pub(super) fn filter_by_field_of_a_relation(world: &World) -> Result<()> {
    let session = world.session();
    let (one, two) = (create_balancer(world, "one")?, create_balancer(world, "two")?);
    let (a, b) = (create_http_group(world, "a")?, create_http_group(world, "b")?);
    create_http_group(world, "c")?;
    create_listener(world, &one, 80, forward_to(&a))?;
    create_listener(world, &two, 443, forward_to(&b))?;
    groups(&session)
        .register(b.require_arn()?, [nephos_elbv2::TargetDescription::from("172.31.0.10")])
        .wait()?;
    let found = |criterion: &str, value: &str| -> Vec<Value> {
        let criterion = Predicate::parse(criterion, value).unwrap();
        groups(&session).list().results().filter(criterion).values_flat("TargetGroupName").wait().unwrap()
    };
    assert_eq!(found("load_balancers__LoadBalancerName", "two"), ["b".into()]);
    assert_eq!(found("load_balancers__LoadBalancerName__startswith", "o"), ["a".into()]);
    assert_eq!(found("vpc__CidrBlock", "172.31.0.0/16").len(), 3);
    assert_eq!(found("targets__TargetHealth__State", "healthy"), ["b".into()]);
    let ports = Predicate::parse_text("listeners__Port__gte=100")?;
    let names = balancers(&session).list().results().filter(ports).values_flat("LoadBalancerName").wait()?;
    assert_eq!(names, ["two".into()]);
    Ok(())
}
