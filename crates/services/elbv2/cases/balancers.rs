//! Load balancers: create, get, list, update, deletion protection, delete.

use super::{
    Network, World, ask, balancers, create_balancer, create_http_group, create_listener, create_rule,
    fixed_response, forward_to, network, path_condition,
};
use nephos_core::{Result, prelude::*};
use nephos_ec2::{self as ec2, SecurityGroup, Subnet, Vpc};
use nephos_elbv2::{
    CreateLoadBalancer, DeleteLoadBalancer, IpAddressType, Listener, LoadBalancer, LoadBalancerScheme,
    LoadBalancerType, Rule, SetIpAddressType, SetSecurityGroups, SetSubnets, StateCode, SubnetMapping,
    Switch, errors,
};

fn create(net: &Network, name: &str) -> CreateLoadBalancer {
    CreateLoadBalancer::new(name).subnets(net.subnets[..2].to_vec())
}

fn mapping(subnet: &str) -> SubnetMapping {
    SubnetMapping::builder().subnet_id(subnet).build().unwrap()
}

pub(super) fn create_then_get_returns_load_balancer(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let model = LoadBalancer::builder()
        .load_balancer_name("Web-1")
        .scheme(LoadBalancerScheme::Internal)
        .subnets(net.subnets.clone())
        .security_groups([net.group.clone()])
        .tags([("team", "web")])
        .build()?;
    let created = balancers(&session).create(&model).tags([("stage", "test")]).wait()?.remove(0);
    let arn = created.require_arn()?.to_owned();
    let prefix = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/Web-1/";
    assert!(arn.starts_with(prefix) && arn.len() == prefix.len() + 16, "{arn}");
    assert_eq!(created.state().unwrap().code(), Some(&StateCode::Provisioning));
    let found = balancers(&session).get().name("Web-1").wait()?.unwrap();
    assert_eq!(balancers(&session).get().load_balancer_arn(arn.as_str()).wait()?.unwrap(), found);
    assert_eq!((found.require_name()?, found.vpc_id()), ("Web-1", Some(net.vpc.as_str())));
    assert_eq!(found.created_time().unwrap().as_millisecond(), world.now());
    assert_eq!(found.r#type(), Some(&LoadBalancerType::Application));
    assert_eq!(found.ip_address_type(), Some(&IpAddressType::Ipv4));
    assert_eq!(found.canonical_hosted_zone_id(), Some("Z35SXDOTRQ7X7K"));
    let dns = found.dns_name().unwrap();
    assert!(dns.starts_with("internal-web-1-") && dns.ends_with(".us-east-1.elb.amazonaws.com"), "{dns}");
    assert_eq!(found.subnets().unwrap(), net.subnets);
    let zones = found.availability_zones().unwrap();
    assert_eq!(
        zones.iter().map(|zone| zone.zone_name().unwrap()).collect::<Vec<_>>(),
        ["us-east-1a", "us-east-1b", "us-east-1c"]
    );
    assert_eq!(found.security_groups().unwrap(), [net.group]);
    assert_eq!(found.tags_map().wait()?.len(), 2);
    assert!(found.is_saved() && found.changed().is_empty());
    Ok(())
}

pub(super) fn load_balancer_becomes_active(world: &World) -> Result<()> {
    let created = create_balancer(world, "web")?;
    assert_eq!(created.state().unwrap().code(), Some(&StateCode::Provisioning));
    let found = balancers(&world.session()).get().name("web").wait()?.unwrap();
    assert_eq!(found.state().unwrap().code(), Some(&StateCode::Active));
    assert_eq!(
        found.security_groups().unwrap(),
        [network(world).group],
        "the default security group of the VPC"
    );
    Ok(())
}

pub(super) fn invalid_load_balancer_names_are_refused(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let long = "a".repeat(33);
    let characters = "can only contain characters that are alphanumeric characters and hyphens(-)";
    for (name, reason) in [
        ("-a", "cannot begin or end with '-'"),
        ("a-", "cannot begin or end with '-'"),
        ("a_b", characters),
        ("é", characters),
        (&long, "cannot be longer than '32' characters"),
        ("internal-web", "cannot begin with 'internal-'"),
    ] {
        let error = LoadBalancer::builder().load_balancer_name(name).build().unwrap_err();
        assert_eq!(error.field(), Some("LoadBalancerName"), "{name:?}");
        let error = world.refused(&errors::INVALID, "Name", || ask(&session, create(&net, name)));
        assert_eq!(error.message(), format!("The load balancer name '{name}' {reason}"));
    }
    world.refused(&errors::INVALID, "Name", || ask(&session, create(&net, "")));
    assert!(LoadBalancer::builder().build().is_err(), "the name is required");
    ask(&session, create(&net, &"a".repeat(32)))?;
    Ok(())
}

pub(super) fn create_load_balancer_is_idempotent(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let created = create_balancer(world, "web")?;
    balancers(&session).list().results().count().wait()?;
    let before = world.state()?;
    assert_eq!(create_balancer(world, "web")?.require_arn()?, created.require_arn()?);
    world.assert_unchanged(&before)?;
    for other in [
        create(&net, "web").scheme(LoadBalancerScheme::Internal),
        create(&net, "web").subnets(net.subnets.clone()),
        create(&net, "web").r#type(LoadBalancerType::Network),
        create(&net, "web").tags([("a", "b")]),
    ] {
        world.refused(&errors::DUPLICATE_LOAD_BALANCER, None, || ask(&session, other));
    }
    balancers(&session).delete(created.require_arn()?).wait()?;
    assert_ne!(create_balancer(world, "web")?.require_arn()?, created.require_arn()?);
    Ok(())
}

/// Subnets or mappings, one per zone, all in one VPC; in two zones for application load balancers.
pub(super) fn load_balancer_has_one_subnet_per_zone(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let second = Subnet::builder()
        .vpc_id(net.vpc.as_str())
        .cidr_block("172.31.48.0/20")
        .availability_zone("us-east-1a");
    let second = Subnet::objects(&session).create(&second.build()?).wait()?;
    let second = second.subnet_id().unwrap();
    let try_create = |create: CreateLoadBalancer| ask(&session, create);
    let plain = || CreateLoadBalancer::new("web");
    world.refused(&errors::INVALID, "Subnets", || try_create(plain()));
    world.refused(&errors::INVALID, "SubnetMappings", || {
        try_create(create(&net, "web").subnet_mappings([mapping(&net.subnets[0])]))
    });
    world.refused(&errors::SUBNET_NOT_FOUND, "Subnets[1]", || {
        try_create(plain().subnets([net.subnets[0].as_str(), "subnet-0123456789abcdef0"]))
    });
    world.refused(&errors::INVALID_CONFIGURATION, "Subnets[1]", || {
        try_create(plain().subnets([net.subnets[0].as_str(), second]))
    });
    world.refused(&errors::INVALID, "Subnets", || try_create(plain().subnets([net.subnets[0].clone()])));
    let elsewhere =
        Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let elsewhere = Subnet::builder().vpc_id(elsewhere.vpc_id().unwrap()).cidr_block("10.0.0.0/24");
    let elsewhere =
        Subnet::objects(&session).create(&elsewhere.availability_zone("us-east-1b").build()?).wait()?;
    world.refused(&errors::INVALID_SUBNET, "Subnets[1]", || {
        try_create(plain().subnets([net.subnets[0].as_str(), elsewhere.subnet_id().unwrap()]))
    });
    world.refused(&errors::INVALID_SECURITY_GROUP, "SecurityGroups[0]", || {
        try_create(create(&net, "web").security_groups(["sg-0123456789abcdef0"]))
    });
    try_create(plain().subnet_mappings(net.subnets[1..].iter().map(|id| mapping(id)).collect::<Vec<_>>()))?;
    try_create(CreateLoadBalancer::new("net").r#type(LoadBalancerType::Network).subnets([second]))?;
    Ok(())
}

pub(super) fn security_groups_must_be_in_the_vpc(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let other = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let groups = SecurityGroup::objects(&session).list().results().all().wait()?;
    let other = groups.iter().find(|group| group.vpc_id() == other.vpc_id()).unwrap().group_id().unwrap();
    let expected = format!("Security group '{other}' does not belong to VPC '{}'", net.vpc);
    let with_both = create(&net, "web").security_groups([net.group.as_str(), other]);
    let error = world
        .refused(&errors::INVALID_CONFIGURATION, "SecurityGroups[1]", || ask(&session, with_both.clone()));
    assert_eq!(error.message(), expected);
    let error = world.refused(&errors::INVALID_CONFIGURATION, "SecurityGroups[1]", || {
        ask(&session, with_both.r#type(LoadBalancerType::Network))
    });
    assert_eq!(error.message(), expected);
    let web = create_balancer(world, "web")?;
    balancers(&session).get().name("web").wait()?;
    let arn = web.require_arn()?;
    let error = world.refused(&errors::INVALID_CONFIGURATION, "SecurityGroups[0]", || {
        ask(&session, SetSecurityGroups::new(arn, [other]))
    });
    assert_eq!(error.message(), expected);
    world.refused(&errors::INVALID_SECURITY_GROUP, "SecurityGroups[0]", || {
        ask(&session, SetSecurityGroups::new(arn, ["sg-0123456789abcdef0"]))
    });
    Ok(())
}

pub(super) fn only_application_load_balancers_support_local_zones(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let local = Subnet::builder()
        .vpc_id(net.vpc.as_str())
        .cidr_block("172.31.48.0/20")
        .availability_zone("us-east-1-bos-1a");
    let local = Subnet::objects(&session).create(&local.build()?).wait()?;
    let local = local.subnet_id().unwrap();
    Subnet::objects(&session).get(local).wait()?;
    for balancer_type in [LoadBalancerType::Network, LoadBalancerType::Gateway] {
        world.refused(&errors::ZONE_NOT_SUPPORTED, "Subnets[0]", || {
            ask(&session, CreateLoadBalancer::new("a").r#type(balancer_type).subnets([local]))
        });
    }
    ask(&session, create(&net, "net").r#type(LoadBalancerType::Network))?;
    let single = balancers(&session).get().name("net").wait()?.unwrap();
    let both = [net.subnets[0].as_str(), net.subnets[1].as_str(), local];
    world.refused(&errors::ZONE_NOT_SUPPORTED, "Subnets[2]", || {
        ask(&session, SetSubnets::new(single.require_arn().unwrap()).subnets(both))
    });
    ask(&session, CreateLoadBalancer::new("web").subnets([local]))?;
    let found = balancers(&session).get().name("web").wait()?.unwrap();
    assert_eq!(found.availability_zones().unwrap()[0].zone_name(), Some("us-east-1-bos-1a"));
    Ok(())
}

pub(super) fn subnet_addresses_require_a_network_load_balancer(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let with = |mapping: SubnetMapping| {
        CreateLoadBalancer::new("n").r#type(LoadBalancerType::Network).subnet_mappings([mapping])
    };
    let private = |address: &str| {
        SubnetMapping::builder().subnet_id(&net.subnets[0]).private_ipv4_address(address).build()
    };
    let elastic = SubnetMapping::builder().subnet_id(&net.subnets[0]).allocation_id("eipalloc-1").build()?;
    let field = |name: &str| format!("SubnetMappings[0].{name}");
    world.refused(&errors::ALLOCATION_ID_NOT_FOUND, field("AllocationId").as_str(), || {
        ask(&session, with(elastic.clone()))
    });
    let internal = |mapping| with(mapping).scheme(LoadBalancerScheme::Internal);
    world.refused(&errors::INVALID_CONFIGURATION, field("AllocationId").as_str(), || {
        ask(&session, internal(elastic.clone()))
    });
    world.refused(&errors::INVALID_CONFIGURATION, field("PrivateIPv4Address").as_str(), || {
        ask(&session, with(private("172.31.0.10").unwrap()))
    });
    world.refused(&errors::INVALID_CONFIGURATION, field("PrivateIPv4Address").as_str(), || {
        ask(&session, internal(private("10.0.0.1").unwrap()))
    });
    let cidr = Subnet::objects(&session).get(&net.subnets[0]).wait()?.unwrap();
    let address = cidr.cidr_block().unwrap().replace(".0/20", ".10");
    ask(&session, internal(private(&address)?))?;
    let found = balancers(&session).get().name("n").wait()?.unwrap();
    let zone = &found.availability_zones().unwrap()[0];
    let address_of_zone = zone.load_balancer_addresses().unwrap()[0].private_ipv4_address();
    assert_eq!(address_of_zone, Some(address.as_str()));

    let nat = |balancer_type: LoadBalancerType, addresses: IpAddressType| {
        create(&net, "m")
            .r#type(balancer_type)
            .ip_address_type(addresses)
            .enable_prefix_for_ipv6_source_nat(Switch::On)
    };
    for create in [
        nat(LoadBalancerType::Application, IpAddressType::Dualstack),
        nat(LoadBalancerType::Network, IpAddressType::Ipv4),
    ] {
        world.refused(&errors::INVALID_CONFIGURATION, "EnablePrefixForIpv6SourceNat", || {
            ask(&session, create)
        });
    }
    ask(&session, nat(LoadBalancerType::Network, IpAddressType::Dualstack))?;
    world.refused(&errors::INVALID_CONFIGURATION, "IpAddressType", || {
        let without = IpAddressType::DualstackWithoutPublicIpv4;
        ask(&session, create(&net, "k").r#type(LoadBalancerType::Network).ip_address_type(without))
    });
    Ok(())
}

pub(super) fn gateway_has_no_scheme_and_no_security_groups(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let gateway = || create(&net, "gw").r#type(LoadBalancerType::Gateway);
    world.refused(&errors::INVALID_SCHEME, "Scheme", || {
        ask(&session, gateway().scheme(LoadBalancerScheme::Internal))
    });
    world.refused(&errors::INVALID_CONFIGURATION, "SecurityGroups", || {
        ask(&session, gateway().security_groups([net.group.clone()]))
    });
    ask(&session, gateway())?;
    let found = balancers(&session).get().name("gw").wait()?.unwrap();
    assert!(found.require_arn()?.contains(":loadbalancer/gwy/gw/"));
    assert_eq!((found.scheme(), found.dns_name()), (None, None));
    assert_eq!(found.security_groups().unwrap_or_default().len(), 0);
    world.refused(&errors::INVALID_CONFIGURATION, "SecurityGroups", || {
        ask(&session, SetSecurityGroups::new(found.require_arn().unwrap(), [net.group.clone()]))
    });
    Ok(())
}

pub(super) fn update_changes_subnets_security_groups_and_addresses(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    create_balancer(world, "web")?;
    let other =
        SecurityGroup::builder().group_name("web").description("d").vpc_id(net.vpc.as_str()).build()?;
    let other = SecurityGroup::objects(&session).create(&other).wait()?;
    let other = other.group_id().unwrap();
    let mut found = balancers(&session).get().name("web").wait()?.unwrap();
    let before = world.state()?;
    found.save().wait()?;
    world.assert_unchanged(&before)?;

    found.set_subnets(net.subnets[1..].to_vec())?;
    found.set_security_groups([other])?;
    found.set_ip_address_type(IpAddressType::Dualstack)?;
    found.tags_mut().wait()?.insert("team", "web")?;
    let updated =
        balancers(&session).update(&found).attributes([("idle_timeout.timeout_seconds", "90")]).wait()?;
    assert_eq!(updated.subnets().unwrap(), &net.subnets[1..]);
    assert_eq!(updated.security_groups().unwrap(), [other]);
    assert_eq!(updated.ip_address_type(), Some(&IpAddressType::Dualstack));
    assert_eq!(updated, balancers(&session).get().name("web").wait()?.unwrap());
    let attributes = updated.attribute_map().wait()?;
    assert_eq!(attributes.get("idle_timeout.timeout_seconds").unwrap(), "90");

    let mut wrong = updated.clone();
    wrong.set_scheme(LoadBalancerScheme::Internal)?;
    world.refused(&errors::INVALID, "Scheme", || balancers(&session).update(&wrong).wait());
    let arn = updated.require_arn()?;
    world.refused(&errors::INVALID, "Subnets", || ask(&session, SetSubnets::new(arn)));
    world.refused(&errors::INVALID, "SecurityGroups", || {
        ask(&session, SetSecurityGroups::new(arn, Vec::new()))
    });
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || {
        ask(&session, SetIpAddressType::new(missing.as_str(), IpAddressType::Ipv4))
    });
    let single = ask(&session, create(&net, "net").r#type(LoadBalancerType::Network));
    single?;
    let single = balancers(&session).get().name("net").wait()?.unwrap();
    let error = world.refused(&errors::INVALID, "Subnets", || {
        ask(&session, SetSubnets::new(single.require_arn().unwrap()).subnets([net.subnets[0].clone()]))
    });
    assert!(error.message().starts_with("Subnet removal is not supported for Network Load Balancers."));
    world.refused(&errors::INVALID_CONFIGURATION, "SecurityGroups", || {
        ask(&session, SetSecurityGroups::new(single.require_arn().unwrap(), [net.group.clone()]))
    });
    Ok(())
}

/// A subnet or security group of a load balancer cannot be deleted.
pub(super) fn subnets_and_security_groups_in_use_cannot_be_deleted(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let created = create_balancer(world, "web")?;
    let subnets = Subnet::objects(&session);
    balancers(&session).list().results().count().wait()?;
    world.refused(&ec2::errors::DEPENDENCY, "SubnetId", || subnets.delete(&net.subnets[0]).wait());
    subnets.delete(&net.subnets[2]).wait()?;
    created.delete().wait()?;
    subnets.delete(&net.subnets[0]).wait()?;

    let own = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let vpc = own.vpc_id().unwrap();
    let subnet = |range: &str, zone: &str| {
        let model = Subnet::builder().vpc_id(vpc).cidr_block(range).availability_zone(zone).build().unwrap();
        subnets.create(&model).wait().unwrap()
    };
    let (a, b) = (subnet("10.0.0.0/24", "us-east-1a"), subnet("10.0.1.0/24", "us-east-1b"));
    let c = subnet("10.0.2.0/24", "us-east-1c");
    let [a_id, b_id, c_id] = [&a, &b, &c].map(|subnet| subnet.subnet_id().unwrap());
    let group = |name: &str| {
        let model = SecurityGroup::builder().group_name(name).description("d").vpc_id(vpc).build().unwrap();
        SecurityGroup::objects(&session).create(&model).wait().unwrap()
    };
    let (one, two) = (group("one"), group("two"));
    let create = CreateLoadBalancer::new("own").subnets([a_id, b_id]);
    ask(&session, create.security_groups([one.group_id().unwrap()]))?;
    let created = balancers(&session).get().name("own").wait()?.unwrap();
    world.refused(&ec2::errors::DEPENDENCY, None, || one.delete().wait());
    world.refused(&ec2::errors::DEPENDENCY, "VpcId", || own.delete().wait());
    ask(&session, SetSecurityGroups::new(created.require_arn()?, [two.group_id().unwrap()]))?;
    one.delete().wait()?;
    world.refused(&ec2::errors::DEPENDENCY, None, || two.delete().wait());
    ask(&session, SetSubnets::new(created.require_arn()?).subnets([b_id, c_id]))?;
    a.delete().wait()?;
    world.refused(&ec2::errors::DEPENDENCY, "SubnetId", || c.delete().wait());
    created.delete().wait()?;
    for subnet in [b, c] {
        subnet.delete().wait()?;
    }
    two.delete().wait()?;
    own.delete().wait()
}

pub(super) fn deletion_protection_prevents_delete(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    balancers(&session)
        .set_attributes(web.require_arn()?, [("deletion_protection.enabled", "true")])
        .wait()?;
    let error = world.refused(&errors::NOT_PERMITTED, None, || web.delete().wait());
    assert_eq!(error.kind(), ErrorKind::Protected);
    balancers(&session)
        .set_attributes(web.require_arn()?, [("deletion_protection.enabled", "false")])
        .wait()?;
    web.delete().wait()?;
    web.delete().wait()?;
    world.refused(&errors::INVALID, "LoadBalancerArn", || ask(&session, DeleteLoadBalancer::new("web")));
    Ok(())
}

pub(super) fn delete_removes_listeners_rules_tags_and_attributes(world: &World) -> Result<()> {
    let session = world.session();
    let group = create_http_group(world, "web")?;
    let empty = world.state()?;
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, forward_to(&group))?;
    let rule = create_rule(world, &port, 1, path_condition("/a"), fixed_response("404"))?;
    for arn in [web.require_arn()?, port.require_arn()?, rule.require_arn()?] {
        ask(&session, nephos_elbv2::AddTags::new([arn], [("a", "b")]))?;
    }
    balancers(&session)
        .set_attributes(web.require_arn()?, [("idle_timeout.timeout_seconds", "61")])
        .wait()?;
    world.refused(&errors::IN_USE, None, || group.delete().wait());
    web.delete().wait()?;
    assert!(balancers(&session).get().name("web").wait()?.is_none());
    assert!(Listener::objects(&session).get(port.require_arn()?).wait()?.is_none());
    assert!(Rule::objects(&session).get(rule.require_arn()?).wait()?.is_none());
    world.assert_unchanged(&empty)?;
    group.delete().wait()
}

pub(super) fn list_load_balancers_by_arn_or_name(world: &World) -> Result<()> {
    let session = world.session();
    let (a, b) = (create_balancer(world, "a")?, create_balancer(world, "b")?);
    world.refused(&errors::INVALID, "LoadBalancerArn", || balancers(&session).get().wait());
    world.refused(&errors::INVALID, "Name", || {
        balancers(&session).get().name("a").load_balancer_arn(a.require_arn().unwrap()).wait()
    });
    assert!(balancers(&session).get().name("c").wait()?.is_none());
    let names = |list: nephos_core::Results<LoadBalancer>| super::names(&list.all().wait().unwrap()).unwrap();
    for limit in 1..4 {
        assert_eq!(names(balancers(&session).list().page_size(limit).results()), ["a", "b"]);
    }
    assert_eq!(names(balancers(&session).list().names(["b"]).results()), ["b"]);
    assert_eq!(
        names(balancers(&session).list().load_balancer_arns([b.require_arn()?, a.require_arn()?]).results()),
        ["b", "a"]
    );
    assert!(names(balancers(&session).list().load_balancer_arns(Vec::new()).results()).is_empty());
    let many = vec![a.require_arn()?; 21];
    let by_arn = world.refused(&errors::INVALID, "LoadBalancerArns", || {
        balancers(&session).list().load_balancer_arns(many.as_slice()).results().all().wait()
    });
    let by_name = world.refused(&errors::INVALID, "Names", || {
        balancers(&session).list().names(["a"; 21].as_slice()).results().all().wait()
    });
    for error in [by_arn, by_name] {
        assert_eq!(
            error.message(),
            "Up to 20 load balancers can be described at a time, but 21 were specified"
        );
    }
    assert_eq!(names(balancers(&session).list().names(["a"; 20].as_slice()).results()), ["a"]);
    let found = balancers(&session).list().results().filter(LoadBalancer::FIELDS.load_balancer_name.eq("b"));
    assert_eq!(names(found), ["b"]);
    Ok(())
}
