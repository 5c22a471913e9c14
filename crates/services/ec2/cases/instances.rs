//! Running instances.

use super::{
    World, ask, create_group, create_instance, create_subnet, create_vpc, default_group, default_subnets,
    default_vpc, refused,
};
use nephos_core::{Result, Text, prelude::*, wait};
use nephos_ec2::{
    Instance, InstanceStateName, NetworkInterfaceStatus, Placement, RunInstances, Subnet, Tenancy, errors,
};

fn state(instance: &Instance) -> Option<&InstanceStateName> {
    instance.state().and_then(|state| state.name())
}

/// Parameters for one instance.
fn run_one() -> RunInstances {
    RunInstances::new(1, 1).image_id("ami-12345678")
}

pub(super) fn created_instance_can_be_read(world: &World) -> Result<()> {
    let session = world.session();
    let model =
        Instance::builder().image_id("ami-0123456789abcdef0").key_name("mine").tags([("a", "b")]).build()?;
    let created = Instance::objects(&session).create(&model).wait()?;
    assert_eq!(state(&created), Some(&InstanceStateName::Pending));
    let found = Instance::objects(&session).get(created.instance_id().unwrap()).wait()?.unwrap();
    assert_eq!(state(&found), Some(&InstanceStateName::Running));
    assert_eq!(found.state().unwrap().code(), Some(16));
    assert_eq!((found.image_id(), found.key_name()), (Some("ami-0123456789abcdef0"), Some("mine")));
    assert_eq!((found.instance_type(), found.ami_launch_index()), (Some("m1.small"), Some(0)));
    assert_eq!(found.tags_map().wait()?.get("a").map(|value| value.as_str()), Some("b"));
    assert_eq!(found.launch_time().unwrap().as_millisecond(), world.now());
    assert!(created.reservation_id().is_some_and(|id| id.starts_with("r-")));
    assert_eq!(found.reservation_id(), created.reservation_id());

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
    let [interface] = found.network_interfaces().unwrap() else { panic!("expected one network interface") };
    assert_eq!(
        (interface.private_ip_address(), interface.status()),
        (Some("172.31.0.4"), Some(&NetworkInterfaceStatus::InUse))
    );
    let elsewhere = create_instance(&world.other_region(), "").wait()?;
    assert_eq!(elsewhere.private_dns_name(), Some("ip-172-31-0-4.eu-west-1.compute.internal"));
    assert_eq!(Instance::objects(&world.other_region()).get(created.instance_id().unwrap()).wait()?, None);
    Ok(())
}

pub(super) fn instance_has_relations_to_its_network(world: &World) -> Result<()> {
    let session = world.session();
    let instance = create_instance(&session, "").wait()?;
    let vpc = default_vpc(&session)?;
    let own = default_group(&session, vpc.vpc_id().unwrap())?;
    let [group] = instance.security_groups().unwrap() else { panic!("expected the default security group") };
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

pub(super) fn instance_can_run_in_another_subnet(world: &World) -> Result<()> {
    let session = world.session();
    let dedicated =
        nephos_ec2::Vpc::builder().cidr_block("10.0.0.0/16").instance_tenancy(Tenancy::Dedicated).build()?;
    let own = nephos_ec2::Vpc::objects(&session).create(&dedicated).wait()?;
    let subnet = create_subnet(&session, own.vpc_id().unwrap(), "10.0.7.0/24")?;
    let groups = [
        create_group(&session, own.vpc_id().unwrap(), "web")?,
        create_group(&session, own.vpc_id().unwrap(), "api")?,
    ];
    let created =
        create_instance(&session, subnet.subnet_id().unwrap()).security_group_ids(groups.to_vec()).wait()?;
    assert_eq!((created.private_ip_address(), created.public_ip_address()), (Some("10.0.7.4"), None));
    assert_eq!(created.placement().unwrap().tenancy(), Some(&Tenancy::Dedicated), "as its VPC");
    let described: Vec<_> =
        created.security_groups().unwrap().iter().map(|group| group.group_name().unwrap()).collect();
    assert_eq!(described, ["web", "api"]);

    let other_vpc = || create_instance(&session, "").security_group_ids(vec![groups[0].clone()]).wait();
    refused(world, &errors::OTHER_NETWORK, "SecurityGroupIds", other_vpc);
    let absent = || create_instance(&session, "").security_group_ids(vec!["sg-12345678".into()]).wait();
    refused(world, &errors::GROUP_NOT_FOUND, "SecurityGroupIds", absent);
    let names = || ask(&session, run_one().subnet_id(subnet.subnet_id().unwrap()).security_groups(["web"]));
    refused(world, &errors::COMBINATION, "SecurityGroups", names);
    refused(world, &errors::GROUP_NOT_FOUND, "SecurityGroups", || {
        ask(&session, run_one().security_groups(["web"]))
    });
    ask(&session, run_one().security_groups(["default"]))?;
    refused(world, &errors::SUBNET_NOT_FOUND, "SubnetId", || {
        create_instance(&session, "subnet-12345678").wait()
    });

    let zone = Placement::builder().availability_zone("us-east-1c").build()?;
    let there = ask(&session, run_one().placement(zone.clone()))?;
    assert_eq!(there.instances().unwrap()[0].subnet_id(), default_subnets(&session)?[2].subnet_id());
    let other = || ask(&session, run_one().placement(zone.clone()).subnet_id(subnet.subnet_id().unwrap()));
    refused(world, &errors::INVALID, "Placement.AvailabilityZone", other);
    Ok(())
}

pub(super) fn instances_of_one_call_share_a_reservation(world: &World) -> Result<()> {
    let session = world.session();
    let model = Instance::builder().image_id("ami-12345678").build()?;
    let created = Instance::objects(&session).run(&model, 3).wait()?;
    let described: Vec<_> =
        created.iter().map(|one| (one.ami_launch_index(), one.private_ip_address())).collect();
    assert_eq!(
        described,
        [(Some(0), Some("172.31.0.4")), (Some(1), Some("172.31.0.5")), (Some(2), Some("172.31.0.6"))]
    );
    assert!(created.iter().all(|one| one.reservation_id() == created[0].reservation_id()));
    create_instance(&session, "").wait()?;
    assert_eq!(Instance::objects(&session).list().results().count().wait()?, 4);
    let described = ask(&session, nephos_ec2::DescribeInstances::new())?;
    let mut counts: Vec<_> =
        described.reservations().unwrap().iter().map(|own| own.instances().unwrap().len()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 3]);
    Ok(())
}

pub(super) fn number_of_instances_is_limited_by_free_addresses(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let small = create_subnet(&session, own.vpc_id().unwrap(), "10.0.0.0/28")?;
    let id = small.subnet_id().unwrap();
    let run = |min, max| ask(&session, RunInstances::new(max, min).image_id("ami-12345678").subnet_id(id));
    refused(world, &errors::NO_ADDRESSES, "", || run(12, 12));
    let created = run(2, 20)?;
    let created = created.instances().unwrap();
    assert_eq!(created.len(), 11);
    let last = created.last().and_then(|one| one.private_ip_address());
    assert_eq!(last, Some("10.0.0.14"), "the first four addresses and the last one are reserved");
    assert_eq!(Subnet::objects(&session).get(id).wait()?.unwrap().available_ip_address_count(), Some(0));
    refused(world, &errors::NO_ADDRESSES, "", || run(1, 1));
    for terminated in [created[3].instance_id().unwrap(), created[7].instance_id().unwrap()] {
        Instance::objects(&session).delete(terminated).wait()?;
    }
    let again = run(1, 5)?;
    let addresses: Vec<_> =
        again.instances().unwrap().iter().map(|one| one.private_ip_address().unwrap()).collect();
    assert_eq!(addresses, ["10.0.0.7", "10.0.0.11"]);
    Ok(())
}

pub(super) fn private_ip_address_can_be_set(world: &World) -> Result<()> {
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

pub(super) fn repeated_idempotency_token_returns_the_first_instances(world: &World) -> Result<()> {
    let session = world.session();
    let run = |token: &str, kind: &str| ask(&session, run_one().instance_type(kind).client_token(token));
    let first = run("one", "t3.micro")?;
    let again = run("one", "t3.micro")?;
    assert_eq!(again.reservation_id(), first.reservation_id());
    let [one] = again.instances().unwrap() else { panic!("expected one instance") };
    assert_eq!(one.instance_id(), first.instances().unwrap()[0].instance_id());
    assert_eq!((state(one), one.client_token()), (Some(&InstanceStateName::Running), Some("one")));
    refused(world, &errors::TOKEN_MISMATCH, "ClientToken", || run("one", "t3.large"));
    run("two", "t3.large")?;
    assert_eq!(Instance::objects(&session).list().results().count().wait()?, 2);
    // The token is removed with the last of its instances.
    Instance::objects(&session).delete(one.instance_id().unwrap()).wait()?;
    world.advance(2 * super::HOUR)?;
    assert_ne!(run("one", "t3.large")?.reservation_id(), first.reservation_id());
    Ok(())
}

pub(super) fn invalid_parameters_of_run_instances_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    refused(world, &errors::MISSING, "ImageId", || ask(&session, RunInstances::new(1, 1)));
    for image in ["", "ami", "ami-1234", "i-12345678"] {
        let wrong = || ask(&session, RunInstances::new(1, 1).image_id(image));
        refused(world, &errors::IMAGE_MALFORMED, "ImageId", wrong);
    }
    for kind in ["", "t3", "t3.", ".micro", "T3.micro", "t3 .micro"] {
        refused(world, &errors::INVALID, "InstanceType", || ask(&session, run_one().instance_type(kind)));
    }
    for (min, max, field) in
        [(0, 1, "MinCount"), (1, 0, "MaxCount"), (2, 1, "MinCount"), (-1, -1, "MinCount")]
    {
        let wrong = || ask(&session, RunInstances::new(max, min).image_id("ami-12345678"));
        refused(world, &errors::INVALID, field, wrong);
    }
    let zone = Placement::builder().availability_zone("us-east-1x").build()?;
    refused(world, &errors::INVALID, "Placement.AvailabilityZone", || {
        ask(&session, run_one().placement(zone))
    });
    let host = Placement::builder().tenancy(Tenancy::Host).build()?;
    refused(world, &errors::INVALID, "Placement.Tenancy", || ask(&session, run_one().placement(host)));
    let id = default_vpc(&session)?.vpc_id().unwrap().to_owned();
    let groups: Vec<Text> =
        (0..6).map(|n| create_group(&session, &id, &format!("g{n}"))).collect::<Result<_>>()?;
    let many = || create_instance(&session, "").security_group_ids(groups.clone()).wait();
    refused(world, &errors::TOO_MANY_GROUPS, "SecurityGroupIds", many);
    let twice = [&groups[..5], &groups[..5]].concat();
    let created = create_instance(&session, "").security_group_ids(twice).wait()?;
    assert_eq!(created.security_groups().unwrap().len(), 5, "duplicates count once");
    Ok(())
}
