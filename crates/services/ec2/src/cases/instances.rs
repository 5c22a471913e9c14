//! Running instances.

use super::{World, ask, default_group, default_subnets, default_vpc, group, refused, running, subnet, vpc};
use crate::{
    Instance, InstanceStateName, NetworkInterfaceStatus, Placement, RunInstances, Subnet, Tenancy, errors,
};
use nephos_core::{Result, Text, prelude::*, wait};

fn state(instance: &Instance) -> Option<&InstanceStateName> {
    instance.state().and_then(|state| state.name())
}

fn call() -> RunInstances {
    RunInstances::new(1, 1).image_id("ami-12345678")
}

pub(super) fn an_instance_is_got_as_it_was_run(world: &World) -> Result<()> {
    let session = world.session();
    let model =
        Instance::builder().image_id("ami-0123456789abcdef0").key_name("mine").tags([("a", "b")]).build()?;
    let made = Instance::objects(&session).create(&model).wait()?;
    assert_eq!(state(&made), Some(&InstanceStateName::Pending));
    let found = Instance::objects(&session).get(made.instance_id().unwrap()).wait()?.unwrap();
    assert_eq!(state(&found), Some(&InstanceStateName::Running));
    assert_eq!(found.state().unwrap().code(), Some(16));
    assert_eq!((found.image_id(), found.key_name()), (Some("ami-0123456789abcdef0"), Some("mine")));
    assert_eq!((found.instance_type(), found.ami_launch_index()), (Some("m1.small"), Some(0)));
    assert_eq!(found.tags_map().wait()?.get("a").map(|value| value.as_str()), Some("b"));
    assert_eq!(found.launch_time().unwrap().as_millisecond(), world.now());
    assert!(made.reservation_id().is_some_and(|id| id.starts_with("r-")));
    assert_eq!(found.reservation_id(), made.reservation_id());

    let first = &default_subnets(&session)?[0];
    assert_eq!((found.subnet_id(), found.vpc_id()), (first.subnet_id(), first.vpc_id()));
    assert_eq!(found.private_ip_address(), Some("172.31.0.4"));
    assert_eq!(found.private_dns_name(), Some("ip-172-31-0-4.ec2.internal"));
    let public = found.public_ip_address().unwrap();
    assert!(public.starts_with("198.1"), "{public}");
    let name = format!("ec2-{}.compute-1.amazonaws.com", public.replace('.', "-"));
    assert_eq!(found.public_dns_name(), Some(name.as_str()));
    let placement = found.placement().unwrap();
    assert_eq!(
        (placement.availability_zone(), placement.availability_zone_id()),
        (Some("us-east-1a"), Some("use1-az1"))
    );
    assert_eq!(placement.tenancy(), Some(&Tenancy::Default));
    let [interface] = found.network_interfaces().unwrap() else { panic!("it has one") };
    assert_eq!(
        (interface.private_ip_address(), interface.status()),
        (Some("172.31.0.4"), Some(&NetworkInterfaceStatus::InUse))
    );
    let elsewhere = running(&world.other_region(), "").wait()?;
    assert_eq!(elsewhere.private_dns_name(), Some("ip-172-31-0-4.eu-west-1.compute.internal"));
    assert_eq!(Instance::objects(&world.other_region()).get(made.instance_id().unwrap()).wait()?, None);
    Ok(())
}

pub(super) fn instances_know_their_network(world: &World) -> Result<()> {
    let session = world.session();
    let instance = running(&session, "").wait()?;
    let vpc = default_vpc(&session)?;
    let own = default_group(&session, vpc.vpc_id().unwrap())?;
    let [group] = instance.security_groups().unwrap() else { panic!("the default one if none is named") };
    assert_eq!((group.group_id(), group.group_name()), (own.group_id(), Some("default")));
    assert_eq!(wait(instance.vpc())?.as_ref().as_ref().and_then(|vpc| vpc.vpc_id()), vpc.vpc_id());
    let subnet = wait(instance.subnet())?;
    assert_eq!(subnet.as_ref().as_ref().and_then(|subnet| subnet.availability_zone()), Some("us-east-1a"));
    let groups = wait(instance.groups())?;
    assert_eq!(groups.iter().map(|group| group.group_id()).collect::<Vec<_>>(), [own.group_id()]);
    let by_zone = Instance::objects(&session)
        .list()
        .results()
        .filter_by([("subnet__AvailabilityZone", "us-east-1a")])?;
    assert_eq!(by_zone.count().wait()?, 1);
    Ok(())
}

pub(super) fn instances_of_other_subnets(world: &World) -> Result<()> {
    let session = world.session();
    let dedicated =
        crate::Vpc::builder().cidr_block("10.0.0.0/16").instance_tenancy(Tenancy::Dedicated).build()?;
    let own = crate::Vpc::objects(&session).create(&dedicated).wait()?;
    let subnet = subnet(&session, own.vpc_id().unwrap(), "10.0.7.0/24")?;
    let groups =
        [group(&session, own.vpc_id().unwrap(), "web")?, group(&session, own.vpc_id().unwrap(), "api")?];
    let made = running(&session, subnet.subnet_id().unwrap()).security_group_ids(groups.to_vec()).wait()?;
    assert_eq!((made.private_ip_address(), made.public_ip_address()), (Some("10.0.7.4"), None));
    assert_eq!(made.placement().unwrap().tenancy(), Some(&Tenancy::Dedicated), "as its VPC");
    let described: Vec<_> =
        made.security_groups().unwrap().iter().map(|group| group.group_name().unwrap()).collect();
    assert_eq!(described, ["web", "api"]);

    let foreign = || running(&session, "").security_group_ids(vec![groups[0].clone()]).wait();
    refused(world, &errors::OTHER_NETWORK, "SecurityGroupIds", foreign);
    let absent = || running(&session, "").security_group_ids(vec!["sg-12345678".into()]).wait();
    refused(world, &errors::GROUP_NOT_FOUND, "SecurityGroupIds", absent);
    let names = || ask(&session, call().subnet_id(subnet.subnet_id().unwrap()).security_groups(["web"]));
    refused(world, &errors::COMBINATION, "SecurityGroups", names);
    refused(world, &errors::GROUP_NOT_FOUND, "SecurityGroups", || {
        ask(&session, call().security_groups(["web"]))
    });
    ask(&session, call().security_groups(["default"]))?;
    refused(world, &errors::SUBNET_NOT_FOUND, "SubnetId", || running(&session, "subnet-12345678").wait());

    let zone = Placement::builder().availability_zone("us-east-1c").build()?;
    let there = ask(&session, call().placement(zone.clone()))?;
    assert_eq!(there.instances().unwrap()[0].subnet_id(), default_subnets(&session)?[2].subnet_id());
    let other = || ask(&session, call().placement(zone.clone()).subnet_id(subnet.subnet_id().unwrap()));
    refused(world, &errors::INVALID, "Placement.AvailabilityZone", other);
    Ok(())
}

pub(super) fn several_are_run_together(world: &World) -> Result<()> {
    let session = world.session();
    let model = Instance::builder().image_id("ami-12345678").build()?;
    let made = Instance::objects(&session).run(&model, 3).wait()?;
    let described: Vec<_> =
        made.iter().map(|one| (one.ami_launch_index(), one.private_ip_address())).collect();
    assert_eq!(
        described,
        [(Some(0), Some("172.31.0.4")), (Some(1), Some("172.31.0.5")), (Some(2), Some("172.31.0.6"))]
    );
    assert!(made.iter().all(|one| one.reservation_id() == made[0].reservation_id()));
    running(&session, "").wait()?;
    assert_eq!(Instance::objects(&session).list().results().count().wait()?, 4);
    let together = ask(&session, crate::DescribeInstances::new())?;
    let mut counts: Vec<_> =
        together.reservations().unwrap().iter().map(|own| own.instances().unwrap().len()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 3]);
    Ok(())
}

pub(super) fn as_many_are_run_as_there_are_addresses_for(world: &World) -> Result<()> {
    let session = world.session();
    let own = vpc(&session, "10.0.0.0/16")?;
    let small = subnet(&session, own.vpc_id().unwrap(), "10.0.0.0/28")?;
    let id = small.subnet_id().unwrap();
    let run = |min, max| ask(&session, RunInstances::new(max, min).image_id("ami-12345678").subnet_id(id));
    refused(world, &errors::NO_ADDRESSES, "", || run(12, 12));
    let made = run(2, 20)?;
    let made = made.instances().unwrap();
    assert_eq!(made.len(), 11);
    let last = made.last().and_then(|one| one.private_ip_address());
    assert_eq!(last, Some("10.0.0.14"), "four at the beginning and one at the end are kept");
    assert_eq!(Subnet::objects(&session).get(id).wait()?.unwrap().available_ip_address_count(), Some(0));
    refused(world, &errors::NO_ADDRESSES, "", || run(1, 1));
    for gone in [made[3].instance_id().unwrap(), made[7].instance_id().unwrap()] {
        Instance::objects(&session).delete(gone).wait()?;
    }
    let again = run(1, 5)?;
    let addresses: Vec<_> =
        again.instances().unwrap().iter().map(|one| one.private_ip_address().unwrap()).collect();
    assert_eq!(addresses, ["10.0.0.7", "10.0.0.11"]);
    Ok(())
}

pub(super) fn addresses_are_chosen(world: &World) -> Result<()> {
    let session = world.session();
    let run = |address: &str| {
        let model = Instance::builder().image_id("ami-12345678").private_ip_address(address).build()?;
        Instance::objects(&session).create(&model).wait()
    };
    assert_eq!(run("172.31.0.9")?.private_ip_address(), Some("172.31.0.9"));
    refused(world, &errors::ADDRESS_IN_USE, "PrivateIpAddress", || run("172.31.0.9"));
    for address in ["172.31.0.3", "172.31.15.255", "172.31.16.4", "x", "10.0.0.4", "::1"] {
        refused(world, &errors::INVALID, "PrivateIpAddress", || run(address));
    }
    let two =
        || ask(&session, RunInstances::new(2, 1).image_id("ami-12345678").private_ip_address("172.31.0.10"));
    refused(world, &errors::COMBINATION, "PrivateIpAddress", two);
    Ok(())
}

pub(super) fn a_token_runs_instances_once(world: &World) -> Result<()> {
    let session = world.session();
    let run = |token: &str, kind: &str| ask(&session, call().instance_type(kind).client_token(token));
    let first = run("one", "t3.micro")?;
    let again = run("one", "t3.micro")?;
    assert_eq!(again.reservation_id(), first.reservation_id());
    let [one] = again.instances().unwrap() else { panic!("one was run") };
    assert_eq!(one.instance_id(), first.instances().unwrap()[0].instance_id());
    assert_eq!((state(one), one.client_token()), (Some(&InstanceStateName::Running), Some("one")));
    refused(world, &errors::TOKEN_MISMATCH, "ClientToken", || run("one", "t3.large"));
    run("two", "t3.large")?;
    assert_eq!(Instance::objects(&session).list().results().count().wait()?, 2);
    // Once the instances are forgotten, so is the token.
    Instance::objects(&session).delete(one.instance_id().unwrap()).wait()?;
    world.advance(2 * super::HOUR)?;
    assert_ne!(run("one", "t3.large")?.reservation_id(), first.reservation_id());
    Ok(())
}

pub(super) fn parameters_have_rules(world: &World) -> Result<()> {
    let session = world.session();
    refused(world, &errors::MISSING, "ImageId", || ask(&session, RunInstances::new(1, 1)));
    for image in ["", "ami", "ami-1234", "i-12345678"] {
        let wrong = || ask(&session, RunInstances::new(1, 1).image_id(image));
        refused(world, &errors::IMAGE_MALFORMED, "ImageId", wrong);
    }
    for kind in ["", "t3", "t3.", ".micro", "T3.micro", "t3 .micro"] {
        refused(world, &errors::INVALID, "InstanceType", || ask(&session, call().instance_type(kind)));
    }
    for (min, max, field) in
        [(0, 1, "MinCount"), (1, 0, "MaxCount"), (2, 1, "MinCount"), (-1, -1, "MinCount")]
    {
        let wrong = || ask(&session, RunInstances::new(max, min).image_id("ami-12345678"));
        refused(world, &errors::INVALID, field, wrong);
    }
    let zone = Placement::builder().availability_zone("us-east-1x").build()?;
    refused(world, &errors::INVALID, "Placement.AvailabilityZone", || ask(&session, call().placement(zone)));
    let host = Placement::builder().tenancy(Tenancy::Host).build()?;
    refused(world, &errors::INVALID, "Placement.Tenancy", || ask(&session, call().placement(host)));
    let id = default_vpc(&session)?.vpc_id().unwrap().to_owned();
    let groups: Vec<Text> = (0..6).map(|n| group(&session, &id, &format!("g{n}"))).collect::<Result<_>>()?;
    let many = || running(&session, "").security_group_ids(groups.clone()).wait();
    refused(world, &errors::TOO_MANY_GROUPS, "SecurityGroupIds", many);
    let twice = [&groups[..5], &groups[..5]].concat();
    let made = running(&session, "").security_group_ids(twice).wait()?;
    assert_eq!(made.security_groups().unwrap().len(), 5, "each counts once");
    Ok(())
}
