//! Zones, subnets and security groups.

use super::{World, balancers, builder, create, create_group, create_subnet, get, listener, subnets};
use nephos_core::{Result, prelude::*};
use nephos_ec2::{SecurityGroup, Subnet, Vpc};
use nephos_elb::{
    ApplySecurityGroupsToLoadBalancer, AttachLoadBalancerToSubnets, CreateLoadBalancer,
    DetachLoadBalancerFromSubnets, DisableAvailabilityZonesForLoadBalancer,
    EnableAvailabilityZonesForLoadBalancer, errors,
};
use nephos_testing::ask;

pub(super) fn zones_or_subnets_are_required(world: &World) -> Result<()> {
    let session = world.session();
    let plain = || CreateLoadBalancer::new("web", [listener("TCP", 80, 80)]);
    let both = plain().availability_zones(["us-east-1a"]).subnets(subnets(&session));
    for (request, text) in [
        (plain(), "Either AvailabilityZones or SubnetIds must be specified"),
        (both, "Only one of SubnetIds or AvailabilityZones may be specified"),
    ] {
        let error = world.refused(&errors::INVALID, "AvailabilityZones", || ask(&session, request));
        assert_eq!(error.message(), text);
    }
    world.refused(&errors::INVALID, "AvailabilityZones", || {
        ask(&session, plain().availability_zones(["us-east-1x"]))
    });
    world.refused(&errors::SUBNET_NOT_FOUND, "Subnets", || {
        ask(&session, plain().subnets(["subnet-0123456789abcdef0"]))
    });
    let first = subnets(&session)[0].clone();
    let second = create_subnet(&session, "us-east-1a", "172.31.48.0/20");
    let error = world.refused(&errors::INVALID_CONFIGURATION, "Subnets", || {
        ask(&session, plain().subnets([first, second]))
    });
    assert_eq!(error.message(), "ELB cannot be attached to multiple subnets in the same AZ.");
    Ok(())
}

pub(super) fn default_security_group_depends_on_the_placement(world: &World) -> Result<()> {
    let session = world.session();
    let first = create(world, "web")?;
    let second = create(world, "web-2")?;
    assert_eq!(first.security_groups(), second.security_groups(), "one group for all");
    let name = first.source_security_group().unwrap().group_name().unwrap();
    assert!(name.starts_with("default_elb_"), "{name}");
    let by_subnet = CreateLoadBalancer::new("web-3", [listener("TCP", 80, 80)]);
    ask(&session, by_subnet.subnets([subnets(&session)[0].clone()]))?;
    let source = get(world, "web-3")?;
    assert_eq!(source.source_security_group().unwrap().group_name(), Some("default"));
    Ok(())
}

pub(super) fn subnets_are_attached_and_detached(world: &World) -> Result<()> {
    let (session, ids) = (world.session(), subnets(&world.session()));
    create(world, "web")?;
    let mut all = ids.clone();
    all.sort();
    let attached = ask(&session, AttachLoadBalancerToSubnets::new("web", ids[1..].to_vec()))?;
    assert_eq!(attached.subnets().unwrap(), all);
    assert_eq!(get(world, "web")?.availability_zones().unwrap(), ["us-east-1a", "us-east-1b", "us-east-1c"]);
    let left = ask(&session, DetachLoadBalancerFromSubnets::new("web", ids[..2].to_vec()))?;
    assert_eq!(left.subnets().unwrap(), &ids[2..]);
    assert_eq!(get(world, "web")?.availability_zones().unwrap(), ["us-east-1c"]);
    let error = world.refused(&errors::INVALID_CONFIGURATION, "Subnets", || {
        ask(&session, DetachLoadBalancerFromSubnets::new("web", ids[2..].to_vec()))
    });
    assert_eq!(
        error.message(),
        "Requested configuration change for LoadBalancer \"web\" is invalid because you attempted to detach all the \
         subnets for this LoadBalancer and a LoadBalancer cannot be attached to zero subnets in VPC."
    );
    let second = create_subnet(&session, "us-east-1c", "172.31.48.0/20");
    world.refused(&errors::INVALID_CONFIGURATION, "Subnets", || {
        ask(&session, AttachLoadBalancerToSubnets::new("web", [second]))
    });
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let elsewhere = Subnet::builder().vpc_id(vpc.vpc_id().unwrap()).cidr_block("10.0.0.0/24").build()?;
    let elsewhere = Subnet::objects(&session).create(&elsewhere).wait()?;
    world.refused(&errors::INVALID_CONFIGURATION, "Subnets", || {
        ask(&session, AttachLoadBalancerToSubnets::new("web", [elsewhere.subnet_id().unwrap()]))
    });
    Ok(())
}

/// The service refuses two subnets in one zone, and none at all.
pub(super) fn subnets_are_replaced_in_the_same_zones(world: &World) -> Result<()> {
    let (session, ids) = (world.session(), subnets(&world.session()));
    let model = builder("web").availability_zones(Vec::new()).subnets(ids[..2].to_vec()).build()?;
    let mut web = balancers(&session).create(&model).wait()?;
    let first = create_subnet(&session, "us-east-1a", "172.31.48.0/20");
    let second = create_subnet(&session, "us-east-1b", "172.31.64.0/20");
    let mut new = vec![first, second];
    new.sort();
    web.set_subnets(new.clone())?;
    web.save().wait()?;
    assert_eq!(get(world, "web")?.subnets().unwrap(), new);
    web.set_subnets([ids[1].clone(), ids[2].clone()])?;
    web.set_availability_zones(["us-east-1b", "us-east-1c"])?;
    web.save().wait()?;
    assert_eq!(get(world, "web")?.availability_zones().unwrap(), ["us-east-1b", "us-east-1c"]);
    web.set_subnets([ids[1].clone()])?;
    web.set_availability_zones(["us-east-1a"])?;
    let before = world.state()?;
    assert_eq!(web.save().wait().unwrap_err().field(), Some("AvailabilityZones"));
    world.assert_unchanged(&before)
}

pub(super) fn zones_are_enabled_and_disabled(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let enabled =
        ask(&session, EnableAvailabilityZonesForLoadBalancer::new("web", ["us-east-1c", "us-east-1a"]))?;
    assert_eq!(enabled.availability_zones().unwrap(), ["us-east-1a", "us-east-1c"]);
    assert_eq!(get(world, "web")?.subnets().unwrap().len(), 2);
    let left = ask(&session, DisableAvailabilityZonesForLoadBalancer::new("web", ["us-east-1a"]))?;
    assert_eq!(left.availability_zones().unwrap(), ["us-east-1c"]);
    world.refused(&errors::INVALID_CONFIGURATION, "AvailabilityZones", || {
        ask(&session, DisableAvailabilityZonesForLoadBalancer::new("web", ["us-east-1c"]))
    });
    world.refused(&errors::INVALID, "AvailabilityZones", || {
        ask(&session, EnableAvailabilityZonesForLoadBalancer::new("web", ["us-east-1x"]))
    });
    // Outside the default VPC, the zones are those of the subnets.
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let subnet = Subnet::builder().vpc_id(vpc.vpc_id().unwrap()).cidr_block("10.0.0.0/24").build()?;
    let subnet = Subnet::objects(&session).create(&subnet).wait()?;
    let other = CreateLoadBalancer::new("other", [listener("TCP", 80, 80)]);
    ask(&session, other.subnets([subnet.subnet_id().unwrap()]))?;
    world.refused(&errors::INVALID_CONFIGURATION, "AvailabilityZones", || {
        ask(&session, EnableAvailabilityZonesForLoadBalancer::new("other", ["us-east-1b"]))
    });
    Ok(())
}

pub(super) fn security_groups_are_replaced(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let (one, two) = (create_group(&session, "one"), create_group(&session, "two"));
    let apply = |groups: Vec<_>| ask(&session, ApplySecurityGroupsToLoadBalancer::new("web", groups));
    let applied = apply(vec![one.clone(), two.clone()])?;
    assert_eq!(applied.security_groups().unwrap(), [one, two]);
    assert_eq!(get(world, "web")?.source_security_group().unwrap().group_name(), Some("one"));
    let error = world.refused(&errors::INVALID, "SecurityGroups", || apply(Vec::new()));
    assert_eq!(error.message(), "SecurityGroups must not be empty");
    let error = world.refused(&errors::INVALID_SECURITY_GROUP, "SecurityGroups", || {
        apply(vec!["sg-0123456789abcdef0".into()])
    });
    assert_eq!(error.message(), "One or more of the specified security groups do not exist.");
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let groups = SecurityGroup::objects(&session).list().results().all().wait()?;
    let other = groups.iter().find(|group| group.vpc_id() == vpc.vpc_id()).unwrap();
    world.refused(&errors::INVALID_CONFIGURATION, "SecurityGroups", || {
        apply(vec![other.group_id().unwrap().into()])
    });
    Ok(())
}
