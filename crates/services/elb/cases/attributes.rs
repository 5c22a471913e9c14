//! Attributes, health checks and limits.

use super::{World, balancers, create, get};
use nephos_core::{Result, prelude::*};
use nephos_elb::{
    AccessLog, AdditionalAttribute, ConfigureHealthCheck, ConnectionDraining, CrossZoneLoadBalancing,
    HealthCheck, LoadBalancerAttributes, ModifyLoadBalancerAttributes, errors,
};
use nephos_testing::ask;

pub(super) fn attributes_have_defaults_and_are_changed_one_by_one(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(world, "web")?;
    assert_eq!(web.cross_zone_load_balancing(), Some(false));
    assert_eq!(web.access_log().unwrap().enabled(), Some(false));
    let draining = web.connection_draining().unwrap();
    assert_eq!((draining.enabled(), draining.timeout()), (Some(false), Some(300)));
    assert_eq!(web.connection_settings().unwrap().idle_timeout(), Some(60));
    assert_eq!(web.additional_attributes().unwrap()["elb.http.desyncmitigationmode"], "defensive");
    let cross_zone = CrossZoneLoadBalancing::builder().enabled(true).build()?;
    let attributes = LoadBalancerAttributes::builder().cross_zone_load_balancing(cross_zone).build()?;
    let changed = ask(&session, ModifyLoadBalancerAttributes::new("web", attributes.clone()))?;
    assert_eq!(changed.load_balancer_attributes(), Some(&attributes), "what was changed");
    let found = get(world, "web")?;
    assert_eq!(found.cross_zone_load_balancing(), Some(true));
    assert_eq!(found.connection_settings(), web.connection_settings());
    let mut model = found;
    model.set_cross_zone_load_balancing(false)?;
    balancers(&session).update_attributes(&model).wait()?;
    assert_eq!(get(world, "web")?.cross_zone_load_balancing(), Some(false));
    let listed = balancers(&session).list().results().all().wait()?;
    assert_eq!((listed[0].cross_zone_load_balancing(), listed[0].tags()), (None, None), "not known");
    Ok(())
}

pub(super) fn invalid_attributes_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let log = |log: AccessLog| LoadBalancerAttributes::builder().access_log(log).build().unwrap();
    let additional = |key: &str, value: &str| {
        let attribute = AdditionalAttribute::builder().key(key).value(value).build().unwrap();
        LoadBalancerAttributes::builder().additional_attributes([attribute]).build().unwrap()
    };
    let draining = ConnectionDraining::builder().enabled(true).timeout(0).build()?;
    let draining = LoadBalancerAttributes::builder().connection_draining(draining).build()?;
    for (attributes, code, field) in [
        (log(AccessLog::builder().enabled(true).build()?), &errors::INVALID, "AccessLog.StorageBucketName"),
        (
            log(AccessLog::builder().enabled(false).emit_interval(7).build()?),
            &errors::INVALID,
            "AccessLog.EmitInterval",
        ),
        (draining, &errors::INVALID, "ConnectionDraining.Timeout"),
        (additional("elb.other", "a"), &errors::ATTRIBUTE_NOT_FOUND, "AdditionalAttributes"),
        (
            additional("elb.http.desyncmitigationmode", "a"),
            &errors::INVALID_CONFIGURATION,
            "AdditionalAttributes",
        ),
    ] {
        let field = format!("LoadBalancerAttributes.{field}");
        world.refused(code, field.as_str(), || {
            ask(&session, ModifyLoadBalancerAttributes::new("web", attributes))
        });
    }
    Ok(())
}

pub(super) fn health_check_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(world, "web")?;
    let default = web.health_check().unwrap();
    assert_eq!(
        (default.target(), default.interval(), default.timeout()),
        (Some("TCP:8080"), Some(30), Some(5))
    );
    assert_eq!((default.unhealthy_threshold(), default.healthy_threshold()), (Some(2), Some(10)));
    let check = |target: &str, timeout: i64| {
        let mut check = default.clone();
        check.set("Target", target).unwrap();
        check.set("Timeout", timeout).unwrap();
        check
    };
    for (target, text) in [
        ("UDP:80", "HealthCheck Target must begin with one of HTTP, TCP, HTTPS, SSL"),
        (
            "HTTP:80",
            "HealthCheck HTTP Target must specify a port followed by a path that begins with '/', e.g. HTTP:80/ping",
        ),
        ("SSL:80/", "HealthCheck SSL Target must specify a port only, e.g. SSL:80"),
        ("TCP:0", "HealthCheck Target port must be between 1 and 65535"),
        ("TCP", "HealthCheck Target port must be between 1 and 65535"),
    ] {
        let check = check(target, 5);
        let error = world.refused(&errors::INVALID, "HealthCheck.Target", || {
            ask(&session, ConfigureHealthCheck::new("web", check))
        });
        assert_eq!(error.message(), text, "{target}");
        assert!(HealthCheck::from_json(format!("{{\"Target\": \"{target}\"}}")).is_err());
    }
    world.refused(&errors::INVALID, "HealthCheck.Timeout", || {
        ask(&session, ConfigureHealthCheck::new("web", check("TCP:80", 30)))
    });
    let new = balancers(&session).configure_health_check("web", check("HTTPS:443/a", 4)).wait()?;
    assert_eq!(get(world, "web")?.health_check(), Some(&new));
    Ok(())
}

pub(super) fn limits_are_described(world: &World) -> Result<()> {
    let limits = balancers(&world.session()).account_limits().wait()?;
    let limits: Vec<_> = limits.iter().map(|limit| (limit.name().unwrap(), limit.max().unwrap())).collect();
    let expected = [
        ("classic-load-balancers", "20"),
        ("classic-listeners", "100"),
        ("classic-registered-instances", "1000"),
    ];
    assert_eq!(limits, expected);
    Ok(())
}
