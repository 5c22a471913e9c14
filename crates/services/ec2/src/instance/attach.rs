//! Network interfaces of a launch: validates them, and attaches them to the new instances.

use super::{
    GroupIdentifier, Instance, NetworkInterfaceStatus,
    interfaces::{
        InstanceIpv4Prefix, InstanceIpv6Address, InstanceIpv6Prefix, InstanceNetworkInterface,
        InstanceNetworkInterfaceAttachment, InstanceNetworkInterfaceSpecification, InstancePrivateIpAddress,
    },
    run::RunInstances,
};
use crate::{
    cidr::{Cidr, Cidr6},
    errors, ids,
    interface::{self, Interface},
    network::{self, Member},
    security_group::{self, SecurityGroupRow},
    subnet::Subnet,
};
use nephos_cloud::Tx;
use nephos_core::{Error, Result, Text, field_value::FieldType};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// Maximum number of security groups of a network interface.
const MAX_GROUPS: usize = 5;
/// Number of addresses of an IPv4 block of a network interface.
const BLOCK: i64 = 16;
/// Prefix length of an IPv4 block of a network interface.
const BLOCK_BITS: u8 = 28;
/// Prefix length of an IPv6 block of a network interface.
const BLOCK6_BITS: u8 = 80;

/// A network interface that each instance of a launch gets.
struct Plan {
    spec: InstanceNetworkInterfaceSpecification,
    subnet: Subnet,
    groups: Vec<GroupIdentifier>,
    /// Offset of the primary address, if the caller chose it.
    primary: Option<i64>,
    /// Offsets of the other addresses that the caller chose.
    secondary: Vec<i64>,
    /// Number of other addresses to choose.
    more: usize,
    /// Offsets of IPv4 blocks, for all instances.
    blocks: VecDeque<i64>,
    /// Number of IPv4 blocks of an instance.
    block_count: usize,
}

impl Plan {
    /// Number of addresses that are chosen for each instance.
    fn chosen(&self) -> usize {
        usize::from(self.primary.is_none()) + self.more
    }
}

/// Network interfaces of a launch.
pub(super) struct Plans {
    plans: Vec<Plan>,
    /// Free offsets by subnet.
    free: Vec<(Text, VecDeque<i64>)>,
    /// Number of instances that there are enough addresses for.
    pub(super) count: usize,
}

impl Plans {
    /// Subnet of the primary network interface.
    pub(super) fn subnet(&self) -> &Subnet {
        &self.plans[0].subnet
    }

    /// Public address of the primary network interface; as its subnet says if not set.
    pub(super) fn associate_public_ip_address(&self) -> Option<bool> {
        // An instance with several network interfaces gets no public address.
        if self.plans.len() > 1 { Some(false) } else { self.plans[0].spec.associate_public_ip_address }
    }
}

impl RunInstances {
    /// Validates the network interfaces of from `min` to `max` instances.
    pub(super) fn plan_interfaces(&self, cx: &Tx<'_>, (min, max): (usize, usize)) -> Result<Plans> {
        let mut plans = Vec::new();
        for (spec, field) in self.specifications()? {
            plans.push(self.plan(cx, spec, max, &field)?);
        }
        let mut free: Vec<(Text, VecDeque<i64>)> = Vec::new();
        let mut count = max;
        for plan in &plans {
            if free.iter().any(|(id, _)| *id == plan.subnet.id()) {
                continue;
            }
            let in_subnet = || plans.iter().filter(|other| other.subnet.id() == plan.subnet.id());
            let mut taken: Vec<i64> =
                in_subnet().flat_map(|plan| plan.primary.iter().chain(&plan.secondary)).copied().collect();
            taken.sort_unstable();
            if let Some(twice) = taken.windows(2).find(|pair| pair[0] == pair[1]) {
                let address =
                    plan.subnet.address(twice[0])?.map_or_else(String::new, |address| address.to_string());
                return Err(errors::address_in_use(address).with_field("NetworkInterfaces"));
            }
            let blocks = in_subnet().flat_map(|plan| &plan.blocks);
            taken.extend(blocks.flat_map(|block| *block..*block + BLOCK));
            let chosen: usize = in_subnet().map(Plan::chosen).sum();
            let mut offsets: VecDeque<_> =
                interface::find_free(cx, &plan.subnet, max * chosen + taken.len())?.into();
            offsets.retain(|offset| !taken.contains(offset));
            if chosen > 0 {
                count = count.min(offsets.len() / chosen);
            }
            if count < min {
                let hint = format!("{} are required, {} are free", min * chosen, offsets.len());
                return Err(errors::not_enough_addresses(plan.subnet.id()).with_hint(hint));
            }
            free.push((plan.subnet.id().into(), offsets));
        }
        Ok(Plans { plans, free, count })
    }

    /// Returns the network interfaces of the caller, in order of their devices, with the names of the parameters; that of the
    /// parameters of the instance if there are none.
    fn specifications(&self) -> Result<Vec<(InstanceNetworkInterfaceSpecification, String)>> {
        let given = self.network_interfaces.as_deref().unwrap_or_default();
        if given.is_empty() {
            let mut spec = InstanceNetworkInterfaceSpecification::blank();
            (spec.subnet_id, spec.groups) = (self.subnet_id.clone(), self.security_group_ids.clone());
            spec.private_ip_address.clone_from(&self.private_ip_address);
            spec.ipv6_addresses.clone_from(&self.ipv6_addresses);
            (spec.ipv6_address_count, spec.primary_ipv6) =
                (self.ipv6_address_count, self.enable_primary_ipv6);
            return Ok(vec![(spec, String::new())]);
        }
        for (field, is_set, what) in [
            ("SubnetId", self.subnet_id.is_some(), "subnet ID"),
            ("SecurityGroupIds", self.security_group_ids.is_some(), "security groups"),
            ("SecurityGroups", self.security_groups.is_some(), "security groups"),
            ("PrivateIpAddress", self.private_ip_address.is_some(), "private IP address"),
            ("Ipv6Addresses", self.ipv6_addresses.is_some(), "IPv6 address"),
            ("Ipv6AddressCount", self.ipv6_address_count.is_some(), "IPv6 address count"),
            ("EnablePrimaryIpv6", self.enable_primary_ipv6.is_some(), "primary IPv6 address"),
        ] {
            if is_set {
                return Err(errors::interfaces_and_instance_parameter(what).with_field(field));
            }
        }
        let mut specs = Vec::new();
        for (n, spec) in given.iter().enumerate() {
            let field = format!("NetworkInterfaces[{n}]");
            let refused = |error: Error, name: &str| Err(error.with_field(format!("{field}.{name}")));
            if let Some(id) = &spec.network_interface_id {
                ids::check(id, "eni", errors::interface_malformed)?;
                return refused(errors::interface_not_found(id), "NetworkInterfaceId");
            }
            if spec.associate_carrier_ip_address == Some(true) {
                return refused(errors::carrier_address_unsupported(), "AssociateCarrierIpAddress");
            }
            if spec.associate_public_ip_address.is_some() && given.len() > 1 {
                return refused(errors::public_address_with_several_interfaces(), "AssociatePublicIpAddress");
            }
            let index = match spec.device_index {
                None => return refused(errors::device_index_missing(), "DeviceIndex"),
                Some(index) => index,
            };
            if given[..n].iter().any(|other| {
                other.device_index == Some(index)
                    && other.network_card_index.unwrap_or(0) == spec.network_card_index.unwrap_or(0)
            }) {
                return refused(errors::device_index_repeated(index), "DeviceIndex");
            }
            if !matches!(spec.interface_type.as_deref(), None | Some("interface" | "efa" | "efa-only")) {
                let given = spec.interface_type.as_deref().unwrap_or_default();
                return refused(errors::interface_type_unknown(given), "InterfaceType");
            }
            specs.push((spec.clone(), field));
        }
        specs.sort_by_key(|(spec, _)| (spec.device_index, spec.network_card_index));
        match specs[0].0.device_index {
            Some(0) => Ok(specs),
            _ => Err(errors::no_primary_interface().with_field("NetworkInterfaces")),
        }
    }

    /// Validates one network interface.
    fn plan(
        &self,
        cx: &Tx<'_>,
        spec: InstanceNetworkInterfaceSpecification,
        max: usize,
        field: &str,
    ) -> Result<Plan> {
        let in_item = |error: Error| if field.is_empty() { error } else { error.in_field(field) };
        let subnet = self.find_subnet(cx, spec.subnet_id.as_ref()).map_err(in_item)?;
        let groups_field = if field.is_empty() { "SecurityGroupIds" } else { "Groups" };
        let groups = self.find_groups(cx, spec.groups.as_deref(), &subnet, groups_field).map_err(in_item)?;
        let (primary, secondary) = read_addresses(&spec).map_err(in_item)?;
        let explicit_blocks = spec.ipv4_prefixes.as_deref().unwrap_or_default();
        let is_chosen = primary.is_some() || !secondary.is_empty() || !explicit_blocks.is_empty();
        let is_chosen6 = spec.ipv6_addresses.is_some() || spec.ipv6_prefixes.is_some();
        if max > 1 && (is_chosen || is_chosen6) {
            let name = if is_chosen { "PrivateIpAddress" } else { "Ipv6Addresses" };
            return Err(in_item(errors::address_for_several_instances().with_field(name)));
        }
        let require_free = |address: &Text| interface::require_free(cx, &subnet, address);
        let primary = primary.as_ref().map(require_free).transpose().map_err(in_item)?;
        let secondary = secondary.iter().map(require_free).collect::<Result<Vec<_>>>().map_err(in_item)?;
        let count = |count: Option<i64>| usize::try_from(count.unwrap_or_default()).unwrap_or_default();
        let more = count(spec.secondary_private_ip_address_count);
        let block_count = count(spec.ipv4_prefix_count) + explicit_blocks.len();
        let blocks = match explicit_blocks {
            [] => interface::find_free_blocks(cx, &subnet, BLOCK, block_count * max)?,
            given => given
                .iter()
                .map(|block| {
                    require_free_block(cx, &subnet, block.ipv4_prefix.as_deref().unwrap_or_default())
                })
                .collect::<Result<Vec<_>>>()
                .map_err(in_item)?,
        };
        if blocks.len() < block_count * max {
            return Err(in_item(errors::not_enough_prefixes(subnet.id()).with_field("Ipv4PrefixCount")));
        }
        check_ipv6(cx, &spec, &subnet).map_err(in_item)?;
        Ok(Plan { spec, subnet, groups, primary, secondary, more, blocks: blocks.into(), block_count })
    }

    /// Finds security groups: by ID, by name, or the default one of the VPC.
    fn find_groups(
        &self,
        cx: &Tx<'_>,
        given: Option<&[Text]>,
        subnet: &Subnet,
        field: &str,
    ) -> Result<Vec<GroupIdentifier>> {
        let vpc = subnet.vpc_id.as_deref().unwrap_or_default();
        let mut groups: Vec<SecurityGroupRow> = Vec::new();
        for id in given.unwrap_or_default() {
            let group: SecurityGroupRow = network::require(cx, id, field)?;
            if group.vpc() != vpc {
                return Err(errors::group_in_other_network(id, subnet.id()).with_field(field));
            }
            groups.push(group);
        }
        if self.security_groups.is_some() && self.subnet_id.is_some() {
            return Err(errors::parameters_combined("groupName", "subnet").with_field("SecurityGroups"));
        }
        for name in self.security_groups.iter().flatten() {
            groups.push(
                security_group::require_by_id_or_name(cx, None, Some(name))
                    .map_err(|error| error.with_field("SecurityGroups"))?,
            );
        }
        if groups.is_empty() {
            groups.extend(security_group::find_default(cx, vpc)?);
        }
        let mut identifiers: Vec<GroupIdentifier> = Vec::new();
        for group in groups {
            let identifier =
                GroupIdentifier { group_id: Some(group.id().into()), group_name: Some(group.name().into()) };
            if !identifiers.contains(&identifier) {
                identifiers.push(identifier);
            }
        }
        if identifiers.len() > MAX_GROUPS {
            let hint = format!("an interface can have at most {MAX_GROUPS}, got {}", identifiers.len());
            return Err(errors::too_many_groups().with_hint(hint).with_field(field));
        }
        Ok(identifiers)
    }
}

/// Returns the primary address and the others that the caller chose.
fn read_addresses(spec: &InstanceNetworkInterfaceSpecification) -> Result<(Option<Text>, Vec<Text>)> {
    let (mut primary, mut secondary) = (spec.private_ip_address.clone(), Vec::new());
    for item in spec.private_ip_addresses.iter().flatten() {
        let address = network::require_parameter(item.private_ip_address.as_ref(), "PrivateIpAddress")?;
        if item.primary != Some(true) {
            secondary.push(address);
        } else if primary.replace(address.clone()).is_some_and(|other| other != address) {
            return Err(errors::several_primary_addresses().with_field("PrivateIpAddresses"));
        }
    }
    if spec.secondary_private_ip_address_count.is_some() && !secondary.is_empty() {
        let error = errors::parameters_combined("secondaryPrivateIpAddressCount", "privateIpAddresses");
        return Err(error.with_field("SecondaryPrivateIpAddressCount"));
    }
    if spec.ipv4_prefix_count.is_some() && spec.ipv4_prefixes.is_some() {
        return Err(
            errors::parameters_combined("Ipv4PrefixCount", "Ipv4Prefixes").with_field("Ipv4PrefixCount")
        );
    }
    Ok((primary, secondary))
}

/// Returns the offset of an IPv4 block of a network interface, if all its addresses are free.
fn require_free_block(cx: &Tx<'_>, subnet: &Subnet, block: &str) -> Result<i64> {
    let parsed: Option<Cidr> = block.parse().ok().filter(|block: &Cidr| block.bits() == BLOCK_BITS);
    let Some(parsed) = parsed else {
        return Err(errors::cidr_malformed(block).with_field("Ipv4Prefixes"));
    };
    let offsets = (0..16).map(|n| interface::require_free(cx, subnet, &parsed.address(n).to_string()));
    let offsets = offsets.collect::<Result<Vec<_>>>().map_err(|error| error.with_field("Ipv4Prefixes"))?;
    Ok(offsets[0])
}

/// Validates the IPv6 addresses and blocks of a network interface.
fn check_ipv6(cx: &Tx<'_>, spec: &InstanceNetworkInterfaceSpecification, subnet: &Subnet) -> Result<()> {
    if spec.ipv6_address_count.is_some() && spec.ipv6_addresses.is_some() {
        return Err(errors::ipv6_addresses_and_count().with_field("Ipv6AddressCount"));
    }
    if spec.ipv6_prefix_count.is_some() && spec.ipv6_prefixes.is_some() {
        return Err(
            errors::parameters_combined("Ipv6PrefixCount", "Ipv6Prefixes").with_field("Ipv6PrefixCount")
        );
    }
    let is_counted = |count: Option<i64>| count.is_some_and(|count| count > 0);
    let addresses = spec.ipv6_addresses.as_deref().unwrap_or_default();
    let prefixes = spec.ipv6_prefixes.as_deref().unwrap_or_default();
    let has_ipv6 = is_counted(spec.ipv6_address_count) || !addresses.is_empty();
    let has_prefixes = is_counted(spec.ipv6_prefix_count) || !prefixes.is_empty();
    if has_ipv6 && has_prefixes {
        return Err(errors::ipv6_addresses_and_prefixes().with_field("Ipv6Prefixes"));
    }
    let needs_ipv6 = has_ipv6 || has_prefixes;
    let Some(range) = subnet.range6() else {
        return if needs_ipv6 {
            Err(errors::subnet_without_ipv6(subnet.id()).with_field("Ipv6Addresses"))
        } else {
            Ok(())
        };
    };
    if spec.primary_ipv6 == Some(true) && !has_ipv6 && subnet.assign_ipv6_address_on_creation != Some(true) {
        return Err(errors::primary_ipv6_without_address().with_field("PrimaryIpv6"));
    }
    for address in addresses {
        let address = address.ipv6_address.as_deref().unwrap_or_default();
        let Some(parsed) = address.parse().ok().filter(|address| range.contains_address(*address)) else {
            return Err(errors::ipv6_address_outside(address, range).with_field("Ipv6Addresses"));
        };
        if interface::uses_ipv6(cx, subnet, &Text::from(std::net::Ipv6Addr::to_string(&parsed)))? {
            return Err(errors::address_in_use(address).with_field("Ipv6Addresses"));
        }
    }
    for prefix in prefixes {
        let prefix = prefix.ipv6_prefix.as_deref().unwrap_or_default();
        let parsed: Option<Cidr6> = prefix.parse().ok().filter(|prefix: &Cidr6| prefix.bits() == BLOCK6_BITS);
        let Some(parsed) = parsed.filter(|prefix| range.contains(*prefix)) else {
            return Err(errors::cidr_malformed(prefix).with_field("Ipv6Prefixes"));
        };
        if interface::uses_ipv6(cx, subnet, &parsed.to_string().into())? {
            return Err(errors::address_in_use(prefix).with_field("Ipv6Prefixes"));
        }
    }
    Ok(())
}

/// Creates the network interfaces of a new instance.
pub(super) fn attach(cx: &mut Tx<'_>, instance: &mut Instance, plans: &mut Plans) -> Result<()> {
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
    let mut prefixes = spec.ipv6_prefixes.clone().unwrap_or_default();
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

/// Removes the network interfaces of an instance, so that their addresses are free.
pub(super) fn detach(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
    for interface in instance.network_interfaces.iter().flatten() {
        let subnet = interface.subnet_id.as_deref().unwrap_or_default();
        let Some(subnet) = network::find::<Subnet>(cx, subnet)? else { continue };
        let id = interface.network_interface_id.as_deref().unwrap_or_default();
        let rows = match interface.private_ip_addresses.as_deref() {
            // The usual case needs no scan of the subnet.
            Some([only]) if interface.ipv4_prefixes.is_none() => {
                let address = only.private_ip_address.as_deref().unwrap_or_default();
                interface::find(cx, &subnet, address)?.into_iter().collect()
            }
            _ => interface::find_by_id(cx, &subnet, id)?,
        };
        rows.iter().try_for_each(|row| interface::remove(cx, row))?;
    }
    Ok(())
}
