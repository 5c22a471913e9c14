//! IPv6 blocks of VPCs and subnets, IPv6 addresses of instances, and options of VPCs and subnets.

use super::{World, ask, create_instance, create_subnet, create_vpc, refused};
use nephos_core::{Result, Session};
use nephos_ec2::{
    CreateDefaultSubnet, CreateSubnet, CreateVpc, Instance, InstanceIpv6Address, InstanceIpv6Prefix,
    InstanceNetworkInterfaceSpecification, IpSource, RunInstances, Subnet, Vpc,
    VpcEncryptionControlConfiguration, VpcEncryptionControlExclusionState,
    VpcEncryptionControlExclusionStateInput, VpcEncryptionControlMode, errors,
};
use std::net::Ipv6Addr;

/// Creates a VPC with an IPv6 block; returns its ID and the first address of the block.
fn create_with_ipv6(session: &Session) -> Result<(String, Ipv6Addr)> {
    let created =
        ask(session, CreateVpc::new().cidr_block("10.0.0.0/16").amazon_provided_ipv6_cidr_block(true))?;
    let vpc = created.vpc().unwrap();
    let block = vpc.ipv6_cidr_block_association_set().unwrap()[0].ipv6_cidr_block().unwrap();
    let (first, bits) = block.split_once('/').unwrap();
    assert_eq!(bits, "56");
    Ok((vpc.vpc_id().unwrap().to_owned(), first.parse().unwrap()))
}

/// Returns an address in a subnet of a VPC by the numbers of both.
fn address(first: Ipv6Addr, subnet: u128, host: u128) -> Ipv6Addr {
    Ipv6Addr::from_bits(first.to_bits() + (subnet << 64) + host)
}

/// True if an address is in a subnet of a VPC with the prefix length 64.
fn is_in_subnet(text: &str, first: Ipv6Addr, subnet: u128) -> bool {
    text.parse::<Ipv6Addr>().unwrap().to_bits() >> 64 == address(first, subnet, 0).to_bits() >> 64
}

pub(super) fn options_of_a_vpc_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let enable = VpcEncryptionControlExclusionStateInput::Enable;
    let control = VpcEncryptionControlConfiguration::builder()
        .mode(VpcEncryptionControlMode::Enforce)
        .internet_gateway_exclusion(enable.clone())
        .egress_only_internet_gateway_exclusion(enable.clone())
        .nat_gateway_exclusion(enable.clone())
        .virtual_private_gateway_exclusion(enable.clone())
        .vpc_peering_exclusion(enable.clone())
        .lambda_exclusion(enable.clone())
        .vpc_lattice_exclusion(enable)
        .elastic_file_system_exclusion(VpcEncryptionControlExclusionStateInput::Disable);
    let model = Vpc::builder().cidr_block("10.0.0.0/16").build()?;
    let created = Vpc::objects(&session)
        .create(&model)
        .amazon_provided_ipv6_cidr_block(true)
        .ipv6_cidr_block_network_border_group("us-east-1-bos-1")
        .vpc_encryption_control(control.build()?)
        .wait()?;
    let found = Vpc::objects(&session).get(created.vpc_id().unwrap()).wait()?.unwrap();
    let [block] = found.ipv6_cidr_block_association_set().unwrap() else { panic!("expected one IPv6 block") };
    let cidr = block.ipv6_cidr_block().unwrap();
    assert!(cidr.starts_with("2001:db8:") && cidr.ends_with("::/56"), "{cidr}");
    assert_eq!(block.network_border_group(), Some("us-east-1-bos-1"));
    assert_eq!((block.ipv6_pool(), block.ip_source()), (Some("Amazon"), Some(&IpSource::Amazon)));
    let control = found.encryption_control().unwrap();
    assert_eq!(
        (control.vpc_id(), control.mode()),
        (found.vpc_id(), Some(&VpcEncryptionControlMode::Enforce))
    );
    let exclusions = control.resource_exclusions().unwrap();
    let states = [
        exclusions.internet_gateway(),
        exclusions.egress_only_internet_gateway(),
        exclusions.nat_gateway(),
        exclusions.virtual_private_gateway(),
        exclusions.vpc_peering(),
        exclusions.lambda(),
        exclusions.vpc_lattice(),
        exclusions.elastic_file_system(),
    ];
    let states: Vec<_> = states.iter().map(|own| own.unwrap().state().unwrap().clone()).collect();
    let (enabled, disabled) =
        (VpcEncryptionControlExclusionState::Enabled, VpcEncryptionControlExclusionState::Disabled);
    assert_eq!(states, [vec![enabled; 7], vec![disabled]].concat());
    assert!(found.block_public_access_states().is_some());
    let plain = create_vpc(&session, "10.0.0.0/16")?;
    assert_eq!((plain.ipv6_cidr_block_association_set(), plain.encryption_control()), (None, None));
    Ok(())
}

pub(super) fn pools_of_addresses_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = create_vpc(&session, "10.0.0.0/16")?;
    let vpc = vpc.vpc_id().unwrap();
    let call = || CreateVpc::new().cidr_block("10.1.0.0/16");
    for (code, field, call) in [
        (
            &errors::IPAM_POOL_NOT_FOUND,
            "Ipv4IpamPoolId",
            CreateVpc::new().ipv4_ipam_pool_id("ipam-pool-1").ipv4_netmask_length(24),
        ),
        (
            &errors::IPAM_POOL_NOT_FOUND,
            "Ipv6IpamPoolId",
            call().ipv6_ipam_pool_id("ipam-pool-1").ipv6_netmask_length(56),
        ),
        (&errors::COMBINATION, "Ipv4NetmaskLength", call().ipv4_netmask_length(24)),
        (&errors::COMBINATION, "Ipv6NetmaskLength", call().ipv6_netmask_length(56)),
        (
            &errors::IPV6_POOL_NOT_FOUND,
            "Ipv6Pool",
            call().ipv6_pool("ipv6pool-ec2-1").ipv6_cidr_block("2001:db8::/56"),
        ),
        (&errors::COMBINATION, "Ipv6CidrBlock", call().ipv6_cidr_block("2001:db8::/56")),
        (
            &errors::COMBINATION,
            "Ipv6CidrBlockNetworkBorderGroup",
            call().ipv6_cidr_block_network_border_group("us-east-1"),
        ),
        (
            &errors::INVALID,
            "Ipv6CidrBlockNetworkBorderGroup",
            call().amazon_provided_ipv6_cidr_block(true).ipv6_cidr_block_network_border_group("us-west-2"),
        ),
    ] {
        refused(world, code, field, || ask(&session, call));
    }
    let call = || CreateSubnet::new(vpc).cidr_block("10.0.0.0/24");
    for (code, field, call) in [
        (&errors::IPAM_POOL_NOT_FOUND, "Ipv4IpamPoolId", call().ipv4_ipam_pool_id("ipam-pool-1")),
        (&errors::IPAM_POOL_NOT_FOUND, "Ipv6IpamPoolId", call().ipv6_ipam_pool_id("ipam-pool-1")),
        (&errors::COMBINATION, "Ipv4NetmaskLength", call().ipv4_netmask_length(24)),
        (&errors::COMBINATION, "Ipv6NetmaskLength", call().ipv6_netmask_length(56)),
        (
            &errors::INVALID,
            "OutpostArn",
            call().outpost_arn("arn:aws:outposts:us-east-1:123456789012:outpost/op-1"),
        ),
        (&errors::SUBNET_RANGE, "Ipv6CidrBlock", call().ipv6_cidr_block("2001:db8::/64")),
        (&errors::INVALID, "Ipv6CidrBlock", call().ipv6_cidr_block("2001:db8::/65")),
        (&errors::COMBINATION, "Ipv6Native", CreateSubnet::new(vpc).ipv6_native(true)),
        (&errors::COMBINATION, "CidrBlock", call().ipv6_native(true)),
    ] {
        refused(world, code, field, || ask(&session, call));
    }
    let native =
        || ask(&session, CreateDefaultSubnet::new().availability_zone("us-east-1a").ipv6_native(true));
    refused(world, &errors::COMBINATION, "Ipv6Native", native);
    Ok(())
}

pub(super) fn number_of_vpcs_is_limited(world: &World) -> Result<()> {
    let session = world.session();
    let mut vpcs = Vec::new();
    for n in 1..5 {
        vpcs.push(create_vpc(&session, &format!("10.{n}.0.0/16"))?);
    }
    let more = || create_vpc(&session, "10.5.0.0/16");
    let error = refused(world, &errors::TOO_MANY_VPCS, "", more);
    assert_eq!(error.message(), "The maximum number of VPCs has been reached.");
    create_vpc(&world.other_region(), "10.5.0.0/16")?;
    vpcs[0].delete().wait()?;
    more()?;
    Ok(())
}

pub(super) fn subnet_has_an_ipv6_block_of_its_vpc(world: &World) -> Result<()> {
    let session = world.session();
    let (vpc, first) = create_with_ipv6(&session)?;
    let block = format!("{}/64", address(first, 1, 0));
    let model = Subnet::builder().vpc_id(vpc.as_str()).cidr_block("10.0.1.0/24").build()?;
    let created = Subnet::objects(&session).create(&model).ipv6_cidr_block(block.as_str()).wait()?;
    let found = Subnet::objects(&session).get(created.subnet_id().unwrap()).wait()?.unwrap();
    let [own] = found.ipv6_cidr_block_association_set().unwrap() else { panic!("expected one IPv6 block") };
    assert_eq!(own.ipv6_cidr_block(), Some(block.as_str()));
    assert_eq!((found.ipv6_native(), found.assign_ipv6_address_on_creation()), (Some(false), Some(false)));
    let second = |block: &str| {
        let call = CreateSubnet::new(vpc.as_str()).cidr_block("10.0.2.0/24").ipv6_cidr_block(block);
        ask(&session, call)
    };
    refused(world, &errors::SUBNET_CONFLICT, "Ipv6CidrBlock", || {
        second(&format!("{}/60", address(first, 0, 0)))
    });
    refused(world, &errors::SUBNET_RANGE, "Ipv6CidrBlock", || second("2001:db9::/64"));
    refused(world, &errors::INVALID, "Ipv6CidrBlock", || second("x"));
    second(&format!("{}/64", address(first, 2, 0)))?;
    Ok(())
}

pub(super) fn instances_have_ipv6_addresses(world: &World) -> Result<()> {
    let session = world.session();
    let (vpc, first) = create_with_ipv6(&session)?;
    let block = format!("{}/64", address(first, 1, 0));
    let call = CreateSubnet::new(vpc.as_str()).cidr_block("10.0.1.0/24").ipv6_cidr_block(block.as_str());
    let subnet = ask(&session, call)?;
    let subnet = subnet.subnet().unwrap().subnet_id().unwrap();
    let call = || RunInstances::new(1, 1).image_id("ami-12345678").subnet_id(subnet);
    let run = |call: RunInstances| {
        let reservation = ask(&session, call)?;
        let id = reservation.instances().unwrap()[0].instance_id().unwrap();
        Ok::<_, nephos_core::Error>(Instance::objects(&session).get(id).wait()?.unwrap())
    };
    let one = |text: &str| vec![InstanceIpv6Address::builder().ipv6_address(text).build().unwrap()];
    let found = run(call().ipv6_address_count(2).enable_primary_ipv6(true))?;
    let addresses = found.network_interfaces().unwrap()[0].ipv6_addresses().unwrap().to_vec();
    assert_eq!((addresses.len(), found.ipv6_address()), (2, addresses[0].ipv6_address()));
    assert_eq!((addresses[0].is_primary_ipv6(), addresses[1].is_primary_ipv6()), (Some(true), Some(false)));
    assert!(is_in_subnet(found.ipv6_address().unwrap(), first, 1), "{addresses:?}");
    let own = address(first, 1, 7).to_string();
    let found = run(call().ipv6_addresses(one(&own)))?;
    assert_eq!(found.ipv6_address(), Some(own.as_str()));
    refused(world, &errors::ADDRESS_IN_USE, "Ipv6Addresses", || run(call().ipv6_addresses(one(&own))));
    refused(world, &errors::INVALID, "Ipv6Addresses", || run(call().ipv6_addresses(one("2001:db9::1"))));
    refused(world, &errors::COMBINATION, "Ipv6AddressCount", || {
        run(call().ipv6_addresses(one("2001:db8::1")).ipv6_address_count(1))
    });
    refused(world, &errors::INVALID, "PrimaryIpv6", || run(call().enable_primary_ipv6(true)));
    let none = create_subnet(&session, &vpc, "10.0.2.0/24")?;
    let none = || call().subnet_id(none.subnet_id().unwrap()).ipv6_address_count(1);
    refused(world, &errors::INVALID, "Ipv6Addresses", || run(none()));

    let prefix =
        InstanceIpv6Prefix::builder().ipv6_prefix(format!("{}/80", address(first, 1, 9 << 48))).build()?;
    let spec = || InstanceNetworkInterfaceSpecification::builder().device_index(0).subnet_id(subnet);
    let with = |spec: InstanceNetworkInterfaceSpecification| {
        run(RunInstances::new(1, 1).image_id("ami-12345678").network_interfaces(vec![spec]))
    };
    let found = with(spec().ipv6_prefixes(vec![prefix.clone()]).build()?)?;
    assert_eq!(
        found.network_interfaces().unwrap()[0].ipv6_prefixes().unwrap(),
        std::slice::from_ref(&prefix)
    );
    let found = with(spec().ipv6_prefix_count(2).build()?)?;
    assert_eq!(found.network_interfaces().unwrap()[0].ipv6_prefixes().unwrap().len(), 2);
    let again = spec().ipv6_prefixes(vec![prefix]).build()?;
    refused(world, &errors::ADDRESS_IN_USE, "NetworkInterfaces[0].Ipv6Prefixes", || with(again));
    let same = || spec().ipv6_addresses(one(&address(first, 1, 8).to_string()));
    let twice = vec![same().build()?, same().device_index(1).build()?];
    let twice = RunInstances::new(1, 1).image_id("ami-12345678").network_interfaces(twice);
    refused(world, &errors::ADDRESS_IN_USE, "NetworkInterfaces[1].Ipv6Addresses", || run(twice));
    let both = spec().ipv6_prefix_count(1).ipv6_address_count(1).build()?;
    refused(world, &errors::INVALID, "NetworkInterfaces[0].Ipv6Prefixes", || with(both));
    Ok(())
}

pub(super) fn subnet_can_be_ipv6_only(world: &World) -> Result<()> {
    let session = world.session();
    let (vpc, first) = create_with_ipv6(&session)?;
    let block = format!("{}/64", address(first, 1, 0));
    let call = CreateSubnet::new(vpc.as_str()).ipv6_native(true).ipv6_cidr_block(block.as_str());
    let subnet = ask(&session, call)?;
    let subnet = subnet.subnet().unwrap();
    assert_eq!((subnet.cidr_block(), subnet.ipv6_native()), (None, Some(true)));
    assert_eq!(subnet.available_ip_address_count(), Some(0));
    let id = subnet.subnet_id().unwrap();
    let instance = create_instance(&session, id).wait()?;
    assert_eq!(instance.private_ip_address(), None);
    assert!(is_in_subnet(instance.ipv6_address().unwrap(), first, 1));
    create_instance(&session, id).wait()?;
    let given = || {
        ask(
            &session,
            RunInstances::new(1, 1).image_id("ami-12345678").subnet_id(id).private_ip_address("10.0.0.9"),
        )
    };
    refused(world, &errors::INVALID, "PrivateIpAddress", given);
    refused(world, &errors::DEPENDENCY, "SubnetId", || Subnet::objects(&session).delete(id).wait());
    for instance in Instance::objects(&session).list().results().all().wait()? {
        instance.terminate().wait()?;
    }
    Subnet::objects(&session).delete(id).wait()
}
