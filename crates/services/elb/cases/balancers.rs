//! Load balancers: create, get, list, update, delete, relations.

use super::{
    World, balancers, builder, create, create_group, create_subnet, get, listener, run_instance,
    secure_listener, subnets,
};
use nephos_core::{Result, prelude::*};
use nephos_ec2::{SecurityGroup, Subnet};
use nephos_elb::{
    AccessLog, AppCookieStickinessPolicy, BackendServerDescription, ClassicELB, ConnectionDraining,
    ConnectionSettings, CreateLoadBalancer, DeleteLoadBalancer, HealthCheck, LBCookieStickinessPolicy,
    ListenerDescription, Policies, errors,
};
use nephos_testing::{ask, names};

fn request(name: &str) -> CreateLoadBalancer {
    CreateLoadBalancer::new(name, [listener("HTTP", 80, 8080)]).availability_zones(["us-east-1a"])
}

fn health_check() -> Result<HealthCheck> {
    let check = HealthCheck::builder().target("HTTP:8080/ping").interval(10).timeout(3);
    check.unhealthy_threshold(3).healthy_threshold(4).build()
}

fn policies() -> Result<Policies> {
    let app = AppCookieStickinessPolicy::builder().policy_name("app").cookie_name("session").build()?;
    let lb = LBCookieStickinessPolicy::builder().policy_name("lb").cookie_expiration_period(60).build()?;
    let lb2 = LBCookieStickinessPolicy::builder().policy_name("browser").build()?;
    let policies = Policies::builder().app_cookie_stickiness_policies([app]);
    let policies = policies.lb_cookie_stickiness_policies([lb, lb2]);
    policies.other_policies(["ELBSecurityPolicy-TLS-1-2-2017-01"]).build()
}

pub(super) fn create_carries_out_the_whole_model(world: &World) -> Result<()> {
    let session = world.session();
    let (group, instance) = (create_group(&session, "web"), run_instance(&session));
    let http =
        ListenerDescription::builder().listener(listener("http", 80, 8080)).policy_names(["app"]).build()?;
    let https = ListenerDescription::builder()
        .listener(secure_listener("HTTPS", 443))
        .policy_names(["ELBSecurityPolicy-TLS-1-2-2017-01", "lb"])
        .build()?;
    let model = ClassicELB::builder()
        .load_balancer_name("Web-1")
        .availability_zones(["us-east-1a", "us-east-1b"])
        .subnets(subnets(&session)[..2].to_vec())
        .scheme("internal")
        .security_groups([group.clone()])
        .listeners([http, https])
        .policies(policies()?)
        .health_check(health_check()?)
        .instances([instance.as_str()])
        .cross_zone_load_balancing(true)
        .access_log(AccessLog::builder().enabled(true).storage_bucket_name("logs").build()?)
        .connection_draining(ConnectionDraining::builder().enabled(true).timeout(20).build()?)
        .connection_settings(ConnectionSettings::builder().idle_timeout(90).build()?)
        .additional_attributes([("elb.http.desyncmitigationmode", "strictest")])
        .tags([("team", "web")])
        .build()?;
    let created = balancers(&session).create(&model).wait()?;
    assert_eq!(created, get(world, "Web-1")?);
    assert_eq!(created.scheme(), Some("internal"));
    let dns = created.dns_name().unwrap();
    assert!(dns.starts_with("internal-web-1-") && dns.ends_with(".us-east-1.elb.amazonaws.com"), "{dns}");
    assert_eq!(created.canonical_hosted_zone_name(), None);
    assert_eq!(created.canonical_hosted_zone_name_id(), Some("Z35SXDOTRQ7X7K"));
    assert_eq!(created.created_time().unwrap().as_millisecond(), world.now());
    assert_eq!(created.security_groups().unwrap(), [group]);
    let source = created.source_security_group().unwrap();
    assert_eq!((source.owner_alias(), source.group_name()), (Some("123456789012"), Some("web")));
    let listeners = created.listeners().unwrap();
    assert_eq!(listeners[0].listener().unwrap().protocol(), Some("HTTP"));
    assert_eq!(listeners[0].listener().unwrap().instance_protocol(), Some("HTTP"));
    assert_eq!(listeners[0].policy_names().unwrap(), ["app"]);
    assert_eq!(listeners[1].policy_names().unwrap(), ["ELBSecurityPolicy-TLS-1-2-2017-01", "lb"]);
    let found = created.policies().unwrap();
    assert_eq!(found.lb_cookie_stickiness_policies().unwrap().len(), 2);
    assert_eq!(created.health_check(), Some(&health_check()?));
    assert_eq!(created.instances().unwrap()[0].instance_id(), Some(instance.as_str()));
    assert_eq!(created.cross_zone_load_balancing(), Some(true));
    assert_eq!(created.access_log().unwrap().emit_interval(), Some(60));
    assert_eq!(created.connection_draining().unwrap().timeout(), Some(20));
    assert_eq!(created.connection_settings().unwrap().idle_timeout(), Some(90));
    assert_eq!(created.additional_attributes().unwrap()["elb.http.desyncmitigationmode"], "strictest");
    assert_eq!(created.tags().unwrap()["team"], "web");
    assert!(created.is_saved() && created.changed().is_empty());

    let elsewhere = builder("other").subnets(subnets(&session)[1..2].to_vec()).build()?;
    world.refused(&errors::INVALID, "AvailabilityZones", || balancers(&session).create(&elsewhere).wait());
    let custom = Policies::builder().other_policies(["mine"]).build()?;
    let custom = builder("other").policies(custom).build()?;
    world.refused(&errors::INVALID, "Policies.OtherPolicies", || balancers(&session).create(&custom).wait());
    assert_eq!(names(&balancers(&session).list().results().all().wait()?)?, ["Web-1"]);
    Ok(())
}

pub(super) fn create_is_idempotent(world: &World) -> Result<()> {
    let session = world.session();
    let first = ask(&session, request("web"))?;
    let before = world.state()?;
    assert_eq!(ask(&session, request("web"))?.dns_name(), first.dns_name());
    world.assert_unchanged(&before)?;
    for other in [
        request("web").scheme("internal"),
        request("web").availability_zones(["us-east-1b"]),
        request("web").tags([("a", "b")]),
        CreateLoadBalancer::new("web", [listener("TCP", 80, 8080)]).availability_zones(["us-east-1a"]),
    ] {
        let error =
            world.refused(&errors::DUPLICATE_LOAD_BALANCER, "LoadBalancerName", || ask(&session, other));
        let text = "Load Balancer named web already exists and it is configured with different parameters.";
        assert_eq!(error.message(), text);
    }
    world.refused(&errors::INVALID_SCHEME, "Scheme", || ask(&session, request("other").scheme("public")));
    Ok(())
}

pub(super) fn invalid_names_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let long = "a".repeat(33);
    for (name, text) in [
        ("-a", "LoadBalancer name cannot begin or end with a dash"),
        ("a-", "LoadBalancer name cannot begin or end with a dash"),
        ("", "LoadBalancer name cannot begin or end with a dash"),
        ("a_b", "LoadBalancer name cannot contain characters that are not letters, or digits or the dash."),
        (&long, "LoadBalancer name cannot be longer than 32 characters"),
    ] {
        let error =
            ClassicELB::builder().load_balancer_name(name).availability_zones(["a"]).build().unwrap_err();
        assert_eq!(error.field(), Some("LoadBalancerName"), "{name:?}");
        let error = world.refused(&errors::INVALID, "LoadBalancerName", || ask(&session, request(name)));
        assert_eq!(error.message(), text);
        world.refused(&errors::INVALID, "LoadBalancerName", || ask(&session, DeleteLoadBalancer::new(name)));
    }
    assert!(ClassicELB::builder().load_balancer_name("a").build().is_err(), "zones are required");
    let error = world.refused(&errors::LOAD_BALANCER_NOT_FOUND, "LoadBalancerName", || {
        balancers(&session).describe_attributes("web").wait()
    });
    assert_eq!(error.message(), "There is no ACTIVE Load Balancer named 'web'");
    assert_eq!(balancers(&session).get("web").wait()?, None);
    Ok(())
}

pub(super) fn quota_is_enforced(world: &World) -> Result<()> {
    let session = world.session();
    for n in 0..20 {
        ask(&session, request(&format!("web-{n}")))?;
    }
    world.refused(&errors::TOO_MANY_LOAD_BALANCERS, None, || ask(&session, request("web-20")));
    balancers(&session).delete("web-0").wait()?;
    ask(&session, request("web-20"))?;
    assert_eq!(balancers(&session).list().results().count().wait()?, 20);
    Ok(())
}

pub(super) fn update_carries_out_the_whole_model(world: &World) -> Result<()> {
    let session = world.session();
    let (group, instance) = (create_group(&session, "web"), run_instance(&session));
    let mut web = create(world, "web")?;
    web.set_availability_zones(["us-east-1b", "us-east-1c"])?;
    web.set_security_groups([group.clone()])?;
    web.set_policies(policies()?)?;
    let http =
        ListenerDescription::builder().listener(listener("HTTP", 80, 8081)).policy_names(["lb"]).build()?;
    let https = ListenerDescription::from(secure_listener("HTTPS", 443));
    web.set_listeners([http, https])?;
    web.set_health_check(health_check()?)?;
    web.set_instances([instance.as_str()])?;
    web.set_cross_zone_load_balancing(true)?;
    web.set_connection_settings(ConnectionSettings::builder().idle_timeout(90).build()?)?;
    web.set_tags([("stage", "test")])?;
    web.save().wait()?;
    let found = get(world, "web")?;
    assert_eq!(found, web);
    assert_eq!(found.availability_zones().unwrap(), ["us-east-1b", "us-east-1c"]);
    assert_eq!(found.security_groups().unwrap(), [group]);
    let ports: Vec<_> = found.listeners().unwrap().iter().map(ListenerDescription::port).collect();
    assert_eq!(ports, [80, 443]);
    assert_eq!(found.listeners().unwrap()[0].policy_names().unwrap(), ["lb"]);
    assert_eq!(found.listeners().unwrap()[1].policy_names().unwrap(), ["ELBSecurityPolicy-2016-08"]);
    assert_eq!(found.health_check(), Some(&health_check()?));
    assert_eq!(found.instances().unwrap().len(), 1);
    assert_eq!(found.cross_zone_load_balancing(), Some(true));
    assert_eq!(found.connection_settings().unwrap().idle_timeout(), Some(90));
    assert_eq!(found.tags().unwrap()["stage"], "test");

    // Back again: listeners, policies and instances are removed.
    let http = ListenerDescription::builder()
        .listener(listener("HTTP", 80, 8081))
        .policy_names(Vec::new())
        .build()?;
    web.set_listeners([http])?;
    web.set_policies(Policies::builder().build()?)?;
    web.set_instances(Vec::new())?;
    web.save().wait()?;
    let found = get(world, "web")?;
    assert_eq!(found.listeners().unwrap().len(), 1);
    assert_eq!(found.policies(), Some(&Policies::none()));
    assert_eq!(found.instances().unwrap(), []);
    Ok(())
}

pub(super) fn update_refuses_what_cannot_be_changed(world: &World) -> Result<()> {
    create(world, "web")?;
    let refused = |field: &str, change: &dyn Fn(&mut ClassicELB) -> Result<()>| {
        let mut web = get(world, "web").unwrap();
        change(&mut web).unwrap();
        let before = world.state().unwrap();
        let error = web.save().wait().unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(field)), "{error}");
        world.assert_unchanged(&before).unwrap();
    };
    refused("Scheme", &|web| web.set_scheme("internal"));
    refused("HealthCheck", &|web| web.clear_health_check());
    refused("AccessLog", &|web| web.clear_access_log());
    refused("Subnets", &|web| web.clear_subnets());
    refused("SecurityGroups", &|web| web.set_security_groups(Vec::new()));

    let mut web = get(world, "web")?;
    let sticky = |cookie: &str| {
        let policy = AppCookieStickinessPolicy::builder().policy_name("app").cookie_name(cookie).build()?;
        Policies::builder().app_cookie_stickiness_policies([policy]).build()
    };
    web.set_policies(sticky("one")?)?;
    web.save().wait()?;
    refused("Policies", &|web| web.set_policies(sticky("two")?));
    Ok(())
}

pub(super) fn delete_removes_everything(world: &World) -> Result<()> {
    let session = world.session();
    let (group, instance) = (create_group(&session, "web"), run_instance(&session));
    let before = world.state()?;
    let ports = BackendServerDescription::builder().instance_port(8080).policy_names(["proxy"]).build()?;
    let model = builder("web").security_groups([group.clone()]).instances([instance.as_str()]).build()?;
    let web = balancers(&session).create(&model).wait()?;
    let proxy = nephos_elb::PolicyAttribute::builder()
        .attribute_name("ProxyProtocol")
        .attribute_value("true")
        .build()?;
    balancers(&session)
        .add_policy("web", "proxy", "ProxyProtocolPolicyType")
        .policy_attributes([proxy])
        .wait()?;
    let mut web = balancers(&session).get(web.require_name()?).wait()?.unwrap();
    web.set_backend_server_descriptions([ports])?;
    web.save().wait()?;
    // What a load balancer uses cannot be deleted.
    SecurityGroup::objects(&session).delete(group.clone()).wait().unwrap_err();
    Subnet::objects(&session).delete(web.subnets().unwrap()[0].clone()).wait().unwrap_err();
    web.delete().wait()?;
    world.assert_unchanged(&before)?;
    balancers(&session).delete("web").wait()?;
    world.assert_unchanged(&before)?;
    Ok(())
}

pub(super) fn relations_and_filters_find_related_models(world: &World) -> Result<()> {
    let session = world.session();
    let instance = run_instance(&session);
    let web = builder("web").instances([instance.as_str()]).build()?;
    let web = balancers(&session).create(&web).wait()?;
    let subnet = create_subnet(&session, "us-east-1a", "172.31.48.0/20");
    let other = CreateLoadBalancer::new("other", [listener("TCP", 80, 80)]).subnets([subnet.clone()]);
    ask(&session, other)?;
    assert_eq!(web.vpc().wait()?.unwrap().is_default(), Some(true));
    assert_eq!(names_of(&web.vpc_subnets().wait()?), web.subnets().unwrap());
    assert!(web.vpc_security_groups().wait()?[0].group_name().unwrap().starts_with("default_elb_"));
    assert_eq!(web.ec2_instances().wait()?[0].instance_id(), Some(instance.as_str()));
    let other = get(world, "other")?;
    assert!(other.ec2_instances().wait()?.is_empty());
    assert_eq!(names_of(&other.vpc_subnets().wait()?), [subnet]);
    assert_eq!(other.vpc_security_groups().wait()?[0].group_name(), Some("default"));
    let by_group =
        balancers(&session).list().results().filter_by([("vpc_security_groups__GroupName", "default")]);
    assert_eq!(names(&by_group?.all().wait()?)?, ["other"]);
    let by_instance =
        balancers(&session).list().results().filter_by([("Instances__InstanceId", instance.as_str())]);
    assert_eq!(names(&by_instance?.all().wait()?)?, ["web"]);
    Ok(())
}

fn names_of(subnets: &[Subnet]) -> Vec<&str> {
    subnets.iter().filter_map(Subnet::subnet_id).collect()
}
