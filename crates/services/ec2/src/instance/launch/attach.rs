//! Attaches network interfaces to new instances.

use super::plan::{BLOCK, BLOCK_BITS, BLOCK6_BITS, Plan, Plans};
use crate::{
    instance::{
        Instance, NetworkInterfaceStatus,
        interfaces::{
            InstanceIpv4Prefix, InstanceIpv6Address, InstanceIpv6Prefix, InstanceNetworkInterface,
            InstanceNetworkInterfaceAttachment, InstanceNetworkInterfaceSpecification,
            InstancePrivateIpAddress,
        },
    },
    network::{
        self, Cidr, Cidr6, Member, ids,
        interface::{self, Interface},
    },
    subnet::Subnet,
};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, field_value::FieldType};
use sha2::{Digest, Sha256};

/// Creates the network interfaces of a new instance.
pub(crate) fn attach(cx: &mut Tx<'_>, instance: &mut Instance, plans: &mut Plans) -> Result<()> {
    let mut attached = Vec::new();
    for plan in &mut plans.plans {
        let pool = plans.free.iter_mut().find(|(id, _)| *id == plan.subnet.id());
        let mut next =
            pool.into_iter().flat_map(|(_, offsets)| offsets.drain(..plan.chosen().min(offsets.len())));
        let primary = plan.primary.or_else(|| next.next()).unwrap_or_default();
        let others: Vec<i64> = plan.secondary.iter().copied().chain(next).collect();
        let blocks: Vec<i64> = plan.blocks.drain(..plan.block_count).collect();
        attached.push(create(cx, instance, plan, (primary, &others, &blocks))?);
    }
    let first = &attached[0];
    instance.private_ip_address.clone_from(&first.private_ip_address);
    instance.security_groups.clone_from(&first.groups);
    (instance.subnet_id, instance.vpc_id) = (first.subnet_id.clone(), first.vpc_id.clone());
    instance.ipv6_address =
        first.ipv6_addresses.iter().flatten().find_map(|address| address.ipv6_address.clone());
    instance.network_interfaces = Some(attached);
    Ok(())
}

/// Creates a network interface with these offsets of its addresses and IPv4 blocks.
fn create(
    cx: &mut Tx<'_>,
    instance: &Instance,
    plan: &Plan,
    (primary, others, blocks): (i64, &[i64], &[i64]),
) -> Result<InstanceNetworkInterface> {
    let (spec, subnet) = (&plan.spec, &plan.subnet);
    let id = ids::new(cx, "eni");
    let (ipv6_addresses, ipv6_prefixes) = choose_ipv6(cx, spec, subnet);
    let all6 = ipv6_addresses.iter().map(|address| &address.ipv6_address);
    let all6 =
        all6.chain(ipv6_prefixes.iter().map(|prefix| &prefix.ipv6_prefix)).flatten().cloned().collect();
    let groups = plan.groups.iter().filter_map(|group| group.group_id.clone()).collect();
    let row = Interface::new(id.clone(), instance.id(), groups);
    interface::put(cx, subnet, primary, row.clone().with_ipv6(all6))?;
    for offset in others.iter().copied().chain(blocks.iter().flat_map(|block| *block..*block + BLOCK)) {
        interface::put(cx, subnet, offset, row.clone())?;
    }
    let mut interface = InstanceNetworkInterface::blank();
    let mut addresses = Vec::new();
    for (n, offset) in std::iter::once(&primary).chain(others).enumerate() {
        let Some(address) = subnet.address(*offset)? else { continue };
        let mut own = InstancePrivateIpAddress::blank();
        (own.primary, own.private_ip_address) = (Some(n == 0), Some(address.to_string().into()));
        addresses.push(own);
    }
    interface.private_ip_address = addresses.first().and_then(|address| address.private_ip_address.clone());
    interface.private_ip_addresses = Some(addresses);
    let mut prefixes = Vec::new();
    for block in blocks {
        let first = subnet.address(*block)?.map(|first| Cidr::new(first, BLOCK_BITS).to_string().into());
        prefixes.push(InstanceIpv4Prefix { ipv4_prefix: first });
    }
    interface.ipv4_prefixes = Some(prefixes).filter(|prefixes| !prefixes.is_empty());
    interface.ipv6_prefixes = Some(ipv6_prefixes).filter(|prefixes| !prefixes.is_empty());
    interface.ipv6_addresses = Some(ipv6_addresses);
    interface.groups = Some(plan.groups.clone());
    (interface.subnet_id, interface.vpc_id) = (subnet.subnet_id.clone(), subnet.vpc_id.clone());
    interface.description = Some(spec.description.clone().unwrap_or_default());
    interface.interface_type = spec.interface_type.clone().or(Some("interface".into()));
    interface.connection_tracking_configuration.clone_from(&spec.connection_tracking_specification);
    interface.mac_address = Some(mac_address(&id));
    (interface.network_interface_id, interface.owner_id) = (Some(id), Some(cx.scope().account().into()));
    (interface.source_dest_check, interface.status) = (Some(true), Some(NetworkInterfaceStatus::InUse));
    interface.attachment = Some(InstanceNetworkInterfaceAttachment {
        attach_time: Some(cx.now()),
        attachment_id: Some(ids::new(cx, "eni-attach")),
        delete_on_termination: spec.delete_on_termination.or(Some(true)),
        device_index: spec.device_index.or(Some(0)),
        status: None,
        network_card_index: spec.network_card_index.or(Some(0)),
        ena_srd_specification: spec.ena_srd_specification.clone(),
        ena_queue_count: spec.ena_queue_count,
    });
    Ok(interface)
}

/// Chooses the IPv6 addresses and blocks that the caller counted, and returns them with those of the caller.
fn choose_ipv6(
    cx: &Tx<'_>,
    spec: &InstanceNetworkInterfaceSpecification,
    subnet: &Subnet,
) -> (Vec<InstanceIpv6Address>, Vec<InstanceIpv6Prefix>) {
    let Some(range) = subnet.range6() else { return Default::default() };
    let by_default = i64::from(subnet.assign_ipv6_address_on_creation == Some(true));
    let count = match spec.ipv6_addresses {
        Some(_) => 0,
        None => spec.ipv6_address_count.unwrap_or(by_default),
    };
    let mut addresses = Vec::new();
    for address in spec.ipv6_addresses.iter().flatten() {
        let canonical =
            address.ipv6_address.as_deref().and_then(|text| text.parse::<std::net::Ipv6Addr>().ok());
        let mut address = address.clone();
        address.ipv6_address = canonical.map(|address| address.to_string().into());
        addresses.push(address);
    }
    for _ in 0..count {
        let address = range.address(cx.ids().below(u64::MAX)).to_string().into();
        addresses.push(InstanceIpv6Address { ipv6_address: Some(address), is_primary_ipv6: None });
    }
    let has_primary = addresses.iter().any(|address| address.is_primary_ipv6 == Some(true));
    for (n, address) in addresses.iter_mut().enumerate() {
        address.is_primary_ipv6.get_or_insert(n == 0 && !has_primary && spec.primary_ipv6 == Some(true));
    }
    let given = spec.ipv6_prefixes.iter().flatten().filter_map(|prefix| prefix.ipv6_prefix.as_deref());
    let canonical = given.filter_map(|text| text.parse::<Cidr6>().ok()).map(|block| block.to_string().into());
    let mut prefixes: Vec<_> = canonical.map(|text| InstanceIpv6Prefix { ipv6_prefix: Some(text) }).collect();
    for _ in 0..spec.ipv6_prefix_count.unwrap_or_default() {
        let block = Cidr6::new(range.address(cx.ids().below(u64::MAX)), BLOCK6_BITS);
        prefixes.push(InstanceIpv6Prefix { ipv6_prefix: Some(block.to_string().into()) });
    }
    (addresses, prefixes)
}

/// Derives the address of the hardware from the ID of a network interface.
fn mac_address(id: &str) -> Text {
    let hash = Sha256::digest(id.as_bytes());
    let bytes: Vec<String> = hash[..5].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0a:{}", bytes.join(":")).into()
}

/// Finds the rows of a network interface, one for each address.
fn find_rows(cx: &Tx<'_>, interface: &InstanceNetworkInterface) -> Result<Vec<Interface>> {
    let subnet = interface.subnet_id.as_deref().unwrap_or_default();
    let Some(subnet) = network::find::<Subnet>(cx, subnet)? else { return Ok(Vec::new()) };
    match interface.private_ip_addresses.as_deref() {
        // The usual case needs no scan of the subnet.
        Some([only]) if interface.ipv4_prefixes.is_none() => {
            let address = only.private_ip_address.as_deref().unwrap_or_default();
            Ok(interface::find(cx, &subnet, address)?.into_iter().collect())
        }
        _ => {
            let id = interface.network_interface_id.as_deref().unwrap_or_default();
            interface::find_by_id(cx, &subnet, id)
        }
    }
}

/// Stores the security groups of the network interfaces of an instance in the rows of the interfaces.
pub(crate) fn store_groups(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
    for interface in instance.network_interfaces.iter().flatten() {
        let ids: Vec<Text> =
            interface.groups.iter().flatten().filter_map(|group| group.group_id.clone()).collect();
        for mut row in find_rows(cx, interface)? {
            row.groups = Some(ids.clone());
            cx.put(row)?;
        }
    }
    Ok(())
}

/// Removes the network interfaces of an instance, so that their addresses are free.
pub(crate) fn detach(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
    for interface in instance.network_interfaces.iter().flatten() {
        find_rows(cx, interface)?.iter().try_for_each(|row| interface::remove(cx, row))?;
    }
    Ok(())
}
