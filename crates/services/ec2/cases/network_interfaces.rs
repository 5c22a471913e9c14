//! Network interfaces of new instances.

use super::{World, ask, create_group, create_subnet, create_vpc, default_subnets, refused};
use nephos_core::{Result, Session, Text};
use nephos_ec2::{
    AttachmentStatus, ConnectionTrackingConfiguration, EnaSrdSpecification, EnaSrdUdpSpecification, Instance,
    InstanceIpv4Prefix, InstanceNetworkInterfaceSpecification, PrivateIpAddressSpecification, RunInstances,
    Subnet, errors,
};

/// Parameters for one instance with network interfaces.
fn run_with(interfaces: Vec<InstanceNetworkInterfaceSpecification>) -> RunInstances {
    RunInstances::new(1, 1).image_id("ami-12345678").network_interfaces(interfaces)
}

/// Builder of a network interface with this index of its device.
macro_rules! interface {
    ($index:literal) => {
        InstanceNetworkInterfaceSpecification::builder().device_index($index)
    };
}

/// Runs an instance, and describes it once it is running.
fn run(session: &Session, call: RunInstances) -> Result<Instance> {
    let reservation = ask(session, call)?;
    let id = reservation.instances().unwrap()[0].instance_id().unwrap();
    Ok(Instance::objects(session).get(id).wait()?.unwrap())
}

fn free(session: &Session, subnet: &str) -> Result<Option<i64>> {
    Ok(Subnet::objects(session).get(subnet).wait()?.unwrap().available_ip_address_count())
}

pub(super) fn network_interfaces_of_a_launch_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = create_vpc(&session, "10.0.0.0/16")?;
    let vpc = vpc.vpc_id().unwrap();
    let subnet = create_subnet(&session, vpc, "10.0.0.0/24")?;
    let subnet = subnet.subnet_id().unwrap();
    let group = create_group(&session, vpc, "web")?;
    let address = |address: &str, primary: bool| {
        PrivateIpAddressSpecification::builder().private_ip_address(address).primary(primary).build().unwrap()
    };
    let udp = EnaSrdUdpSpecification::builder().ena_srd_udp_enabled(true).build()?;
    let express =
        EnaSrdSpecification::builder().ena_srd_enabled(true).ena_srd_udp_specification(udp).build()?;
    let tracking = ConnectionTrackingConfiguration::builder()
        .tcp_established_timeout(60)
        .udp_stream_timeout(60)
        .udp_timeout(30)
        .build()?;
    let first = interface!(0)
        .subnet_id(subnet)
        .groups([group.as_str()])
        .description("main")
        .private_ip_addresses(vec![address("10.0.0.9", false), address("10.0.0.8", true)])
        .associate_public_ip_address(true)
        .delete_on_termination(false)
        .interface_type("efa")
        .network_card_index(0)
        .ipv4_prefixes(vec![InstanceIpv4Prefix::builder().ipv4_prefix("10.0.0.32/28").build()?])
        .ena_srd_specification(express.clone())
        .connection_tracking_specification(tracking.clone())
        .ena_queue_count(4)
        .associate_carrier_ip_address(false);
    let found = run(&session, run_with(vec![first.build()?]))?;
    assert_eq!((found.subnet_id(), found.private_ip_address()), (Some(subnet), Some("10.0.0.8")));
    assert!(found.public_ip_address().is_some(), "although the subnet gives none");
    let [own] = found.network_interfaces().unwrap() else { panic!("expected one network interface") };
    assert_eq!((own.description(), own.interface_type()), (Some("main"), Some("efa")));
    assert_eq!(own.groups().unwrap()[0].group_id(), Some(group.as_str()));
    assert_eq!(own.connection_tracking_configuration(), Some(&tracking));
    assert!(own.mac_address().is_some_and(|mac| mac.len() == 17));
    let public = own.association().unwrap();
    assert_eq!((public.public_ip(), public.ip_owner_id()), (found.public_ip_address(), Some("amazon")));
    let attachment = own.attachment().unwrap();
    assert_eq!((attachment.device_index(), attachment.network_card_index()), (Some(0), Some(0)));
    assert_eq!(attachment.delete_on_termination(), Some(false));
    assert_eq!(attachment.status(), Some(&AttachmentStatus::Attached));
    assert_eq!((attachment.ena_srd_specification(), attachment.ena_queue_count()), (Some(&express), Some(4)));
    let addresses: Vec<_> = own
        .private_ip_addresses()
        .unwrap()
        .iter()
        .map(|address| (address.private_ip_address().unwrap(), address.primary()))
        .collect();
    assert_eq!(addresses, [("10.0.0.8", Some(true)), ("10.0.0.9", Some(false))]);
    assert_eq!(own.ipv4_prefixes().unwrap()[0].ipv4_prefix(), Some("10.0.0.32/28"));
    assert_eq!(free(&session, subnet)?, Some(251 - 2 - 16));
    let used = || {
        run(
            &session,
            run_with(vec![interface!(0).subnet_id(subnet).private_ip_address("10.0.0.40").build()?]),
        )
    };
    refused(world, &errors::ADDRESS_IN_USE, "NetworkInterfaces[0].PrivateIpAddress", used);

    found.terminate().wait()?;
    assert_eq!(free(&session, subnet)?, Some(251));
    Ok(())
}

pub(super) fn instance_can_have_several_network_interfaces(world: &World) -> Result<()> {
    let session = world.session();
    let subnets = default_subnets(&session)?;
    let id = subnets[0].subnet_id().unwrap();
    let second =
        interface!(1).subnet_id(id).secondary_private_ip_address_count(2).ipv4_prefix_count(1).build()?;
    let call = run_with(vec![second, interface!(0).subnet_id(id).build()?]);
    let found = run(&session, call.clone())?;
    let [first, second] = found.network_interfaces().unwrap() else {
        panic!("expected two network interfaces")
    };
    assert_eq!(
        (first.private_ip_address(), found.private_ip_address()),
        (Some("172.31.0.4"), Some("172.31.0.4"))
    );
    assert_eq!(second.private_ip_addresses().unwrap().len(), 3);
    assert_eq!(second.ipv4_prefixes().unwrap().len(), 1);
    assert_eq!(found.public_ip_address(), None, "an instance with several interfaces gets none");
    assert_eq!(free(&session, id)?, Some(4091 - 4 - 16));
    let mut many = call;
    (many.min_count, many.max_count) = (2, 3);
    let reservation = ask(&session, many)?;
    assert_eq!(reservation.instances().unwrap().len(), 3);
    assert_eq!(free(&session, id)?, Some(4091 - 4 * 20));
    let blocks = run(
        &session,
        run_with(vec![
            interface!(0).subnet_id(id).ipv4_prefix_count(1).build()?,
            interface!(1).subnet_id(id).ipv4_prefix_count(1).build()?,
        ]),
    )?;
    let [first, second] = blocks.network_interfaces().unwrap() else {
        panic!("expected two network interfaces")
    };
    assert_ne!(first.ipv4_prefixes(), second.ipv4_prefixes());
    for instance in Instance::objects(&session).list().results().all().wait()? {
        instance.terminate().wait()?;
    }
    assert_eq!(free(&session, id)?, Some(4091));

    let private = interface!(0).associate_public_ip_address(false).build()?;
    let found = run(&session, run_with(vec![private]))?;
    assert_eq!(found.public_ip_address(), None, "although the subnet gives one");
    found.stop().wait()?;
    found.start().wait()?;
    let found = Instance::objects(&session).get(found.instance_id().unwrap()).wait()?.unwrap();
    assert_eq!(found.public_ip_address(), None);
    Ok(())
}

pub(super) fn invalid_network_interfaces_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let one = || run_with(vec![interface!(0).build().unwrap()]);
    let subnet = Text::new(default_subnets(&session)?[0].subnet_id().unwrap());
    for (field, call) in [
        ("SubnetId", one().subnet_id(subnet)),
        ("SecurityGroupIds", one().security_group_ids(["sg-12345678"])),
        ("SecurityGroups", one().security_groups(["default"])),
        ("PrivateIpAddress", one().private_ip_address("172.31.0.9")),
        ("Ipv6AddressCount", one().ipv6_address_count(1)),
        ("EnablePrimaryIpv6", one().enable_primary_ipv6(true)),
    ] {
        let error = refused(world, &errors::COMBINATION, field, || ask(&session, call));
        assert!(error.message().starts_with("Network interfaces and an instance-level "), "{error}");
    }
    let vpc = create_vpc(&session, "10.9.0.0/16")?;
    let small = create_subnet(&session, vpc.vpc_id().unwrap(), "10.9.0.0/24")?;
    let small = small.subnet_id().unwrap();
    let pair = |address: &str| {
        let item = PrivateIpAddressSpecification::builder().primary(true).private_ip_address(address);
        vec![item.build().unwrap()]
    };
    let block = |block: &str| vec![InstanceIpv4Prefix::builder().ipv4_prefix(block).build().unwrap()];
    for (code, field, spec) in [
        (
            &errors::INTERFACE_NOT_FOUND,
            "NetworkInterfaceId",
            interface!(0).network_interface_id("eni-12345678"),
        ),
        (&errors::INTERFACE_MALFORMED, "NetworkInterfaceId", interface!(0).network_interface_id("x")),
        (&errors::UNSUPPORTED, "AssociateCarrierIpAddress", interface!(0).associate_carrier_ip_address(true)),
        (&errors::INVALID, "DeviceIndex", InstanceNetworkInterfaceSpecification::builder().description("x")),
        (&errors::INVALID, "InterfaceType", interface!(0).interface_type("x")),
        (&errors::GROUP_NOT_FOUND, "Groups", interface!(0).groups(["sg-12345678"])),
        (&errors::SUBNET_NOT_FOUND, "SubnetId", interface!(0).subnet_id("subnet-12345678")),
        (&errors::INVALID, "PrivateIpAddress", interface!(0).private_ip_address("10.0.0.9")),
        (&errors::INVALID, "PrivateIpAddress", interface!(0).private_ip_address("172.31.0.1")),
        (
            &errors::INVALID,
            "PrivateIpAddresses",
            interface!(0).private_ip_address("172.31.0.9").private_ip_addresses(pair("172.31.0.8")),
        ),
        (
            &errors::COMBINATION,
            "Ipv4PrefixCount",
            interface!(0).ipv4_prefix_count(1).ipv4_prefixes(block("172.31.1.0/28")),
        ),
        (&errors::INVALID, "Ipv4Prefixes", interface!(0).ipv4_prefixes(block("172.31.1.0/24"))),
        (&errors::NO_PREFIXES, "Ipv4PrefixCount", interface!(0).subnet_id(small).ipv4_prefix_count(16)),
        (&errors::INVALID, "Ipv6Addresses", interface!(0).ipv6_address_count(1)),
    ] {
        let call = run_with(vec![spec.build()?]);
        refused(world, code, &format!("NetworkInterfaces[0].{field}"), || ask(&session, call));
    }
    for spec in [interface!(0).secondary_private_ip_address_count(50), interface!(0).ipv4_prefix_count(51)] {
        let call = run_with(vec![spec.build()?]);
        refused(world, &errors::TOO_MANY_ADDRESSES, "NetworkInterfaces[0]", || ask(&session, call));
    }
    let public = interface!(0).associate_public_ip_address(true).build()?;
    refused(world, &errors::COMBINATION, "NetworkInterfaces[0].AssociatePublicIpAddress", || {
        ask(&session, run_with(vec![public, interface!(1).build()?]))
    });
    let elsewhere = interface!(1).subnet_id(default_subnets(&session)?[1].subnet_id().unwrap()).build()?;
    refused(world, &errors::COMBINATION, "NetworkInterfaces[1].SubnetId", || {
        ask(&session, run_with(vec![interface!(0).build()?, elsewhere]))
    });
    refused(world, &errors::INVALID, "NetworkInterfaces[1].DeviceIndex", || {
        ask(&session, run_with(vec![interface!(0).build()?, interface!(0).build()?]))
    });
    refused(world, &errors::INVALID, "NetworkInterfaces", || {
        ask(&session, run_with(vec![interface!(1).build()?]))
    });
    let mut several = run_with(vec![interface!(0).private_ip_address("172.31.0.9").build()?]);
    several.max_count = 2;
    refused(world, &errors::COMBINATION, "NetworkInterfaces[0].PrivateIpAddress", || ask(&session, several));
    let same = || interface!(0).private_ip_address("172.31.0.9");
    let twice = vec![same().build()?, same().device_index(1).build()?];
    refused(world, &errors::ADDRESS_IN_USE, "NetworkInterfaces", || ask(&session, run_with(twice)));
    Ok(())
}
