//! Validates the network interfaces of a launch.

use super::run::RunInstances;
use crate::{
    errors,
    instance::{GroupIdentifier, interfaces::InstanceNetworkInterfaceSpecification},
    network::{self, Cidr, Cidr6, Member, ids, interface},
    security_group::{self, SecurityGroupRow},
    subnet::Subnet,
};
use nephos_cloud::Tx;
use nephos_core::{Error, Result, Text, field_value::FieldType};
use std::{
    collections::{HashSet, VecDeque},
    net::Ipv6Addr,
};

/// Maximum number of addresses and blocks of a network interface, for each version of the protocol.
const MAX_ADDRESSES: usize = 50;
/// Maximum number of security groups of a network interface.
const MAX_GROUPS: usize = 5;
/// Number of addresses of an IPv4 block of a network interface.
pub(crate) const BLOCK: i64 = 16;
/// Prefix length of an IPv4 block of a network interface.
pub(crate) const BLOCK_BITS: u8 = 28;
/// Prefix length of an IPv6 block of a network interface.
pub(crate) const BLOCK6_BITS: u8 = 80;

/// A network interface that each instance of a launch gets.
pub(crate) struct Plan {
    pub(crate) spec: InstanceNetworkInterfaceSpecification,
    pub(crate) subnet: Subnet,
    pub(crate) groups: Vec<GroupIdentifier>,
    /// Offset of the primary address, if the caller chose it.
    pub(crate) primary: Option<i64>,
    /// Offsets of the other addresses that the caller chose.
    pub(crate) secondary: Vec<i64>,
    /// Number of other addresses to choose.
    more: usize,
    /// Offsets of IPv4 blocks, for all instances.
    pub(crate) blocks: VecDeque<i64>,
    /// Number of IPv4 blocks of an instance.
    pub(crate) block_count: usize,
}

impl Plan {
    /// Number of addresses that are chosen for each instance.
    pub(crate) fn chosen(&self) -> usize {
        usize::from(self.primary.is_none()) + self.more
    }

    /// Offsets that are known to be taken: the addresses that the caller chose, and the blocks.
    fn offsets(&self) -> impl Iterator<Item = i64> {
        let addresses = self.primary.iter().chain(&self.secondary).copied();
        addresses.chain(self.blocks.iter().flat_map(|block| *block..*block + BLOCK))
    }
}

/// Network interfaces of a launch.
pub(crate) struct Plans {
    pub(crate) plans: Vec<Plan>,
    /// Free offsets by subnet.
    pub(crate) free: Vec<(Text, VecDeque<i64>)>,
    /// Number of instances that there are enough addresses for.
    pub(crate) count: usize,
}

impl Plans {
    /// Subnet of the primary network interface.
    pub(crate) fn subnet(&self) -> &Subnet {
        &self.plans[0].subnet
    }

    /// Public address of the primary network interface; as its subnet says if not set.
    pub(crate) fn associate_public_ip_address(&self) -> Option<bool> {
        // An instance with several network interfaces gets no public address.
        if self.plans.len() > 1 { Some(false) } else { self.plans[0].spec.associate_public_ip_address }
    }
}

impl RunInstances {
    /// Validates the network interfaces of from `min` to `max` instances.
    pub(crate) fn plan_interfaces(&self, cx: &Tx<'_>, (min, max): (usize, usize)) -> Result<Plans> {
        let mut plans = Vec::new();
        for (spec, field) in self.specifications()? {
            plans.push(self.plan(cx, spec, (min, max), &plans, &field)?);
        }
        let mut free: Vec<(Text, VecDeque<i64>)> = Vec::new();
        let mut count = max;
        for plan in &plans {
            if free.iter().any(|(id, _)| *id == plan.subnet.id()) {
                continue;
            }
            let in_subnet = || plans.iter().filter(|other| other.subnet.id() == plan.subnet.id());
            let mut taken: Vec<i64> = in_subnet().flat_map(Plan::offsets).collect();
            taken.sort_unstable();
            if let Some(twice) = taken.windows(2).find(|pair| pair[0] == pair[1]) {
                let address =
                    plan.subnet.address(twice[0])?.map_or_else(String::new, |address| address.to_string());
                return Err(errors::address_in_use(address).with_field("NetworkInterfaces"));
            }
            let chosen: usize = in_subnet().map(Plan::chosen).sum();
            let wanted = max.saturating_mul(chosen).saturating_add(taken.len());
            let mut offsets: VecDeque<_> = interface::find_free(cx, &plan.subnet, wanted)?.into();
            offsets.retain(|offset| taken.binary_search(offset).is_err());
            count = count.min(offsets.len().checked_div(chosen).unwrap_or(max));
            if count < min {
                let hint = format!("{} are free, {chosen} are required for each of {min}", offsets.len());
                return Err(errors::not_enough_addresses(plan.subnet.id()).with_hint(hint));
            }
            free.push((plan.subnet.id().into(), offsets));
        }
        let by_blocks = |plan: &Plan| plan.blocks.len().checked_div(plan.block_count).unwrap_or(max);
        let count = plans.iter().map(by_blocks).fold(count, usize::min);
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
        let (mut specs, mut positions) = (Vec::new(), HashSet::new());
        for (n, spec) in given.iter().enumerate() {
            let field = format!("NetworkInterfaces[{n}]");
            let refused = |error: Error, name: &str| Err(error.with_field(format!("{field}.{name}")));
            if let Some(id) = &spec.network_interface_id {
                let is_malformed = ids::check(id, "eni", errors::interface_malformed).err();
                return refused(
                    is_malformed.unwrap_or_else(|| errors::interface_not_found(id)),
                    "NetworkInterfaceId",
                );
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
            if !positions.insert((index, spec.network_card_index.unwrap_or(0))) {
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

    /// Validates one network interface of from `min` to `max` instances, after the `earlier` ones.
    fn plan(
        &self,
        cx: &Tx<'_>,
        spec: InstanceNetworkInterfaceSpecification,
        (min, max): (usize, usize),
        earlier: &[Plan],
        field: &str,
    ) -> Result<Plan> {
        let in_item = |error: Error| if field.is_empty() { error } else { error.in_field(field) };
        let subnet = self.find_subnet(cx, spec.subnet_id.as_ref()).map_err(in_item)?;
        if earlier.iter().any(|other| other.subnet.availability_zone != subnet.availability_zone) {
            return Err(in_item(errors::interfaces_in_several_zones().with_field("SubnetId")));
        }
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
        let ipv6_count = count(spec.ipv6_address_count).max(count(spec.ipv6_prefix_count));
        if 1 + more + secondary.len() + block_count > MAX_ADDRESSES || ipv6_count > MAX_ADDRESSES {
            let hint = format!("a network interface can have at most {MAX_ADDRESSES} addresses");
            return Err(in_item(errors::too_many_addresses().with_hint(hint)));
        }
        let mut taken: Vec<i64> = primary.iter().chain(&secondary).copied().collect();
        let in_subnet = |other: &&Plan| other.subnet.id() == subnet.id();
        taken.extend(earlier.iter().filter(in_subnet).flat_map(Plan::offsets));
        let blocks = match explicit_blocks {
            [] => interface::find_free_blocks(cx, &subnet, BLOCK, block_count.saturating_mul(max), &taken)?,
            given => given
                .iter()
                .map(|block| {
                    require_free_block(cx, &subnet, block.ipv4_prefix.as_deref().unwrap_or_default())
                })
                .collect::<Result<Vec<_>>>()
                .map_err(in_item)?,
        };
        if blocks.len() < block_count.saturating_mul(min) {
            return Err(in_item(errors::not_enough_prefixes(subnet.id()).with_field("Ipv4PrefixCount")));
        }
        check_ipv6(cx, &spec, &subnet, earlier).map_err(in_item)?;
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
        let elsewhere = |id: &str| errors::group_in_other_network(id, subnet.id());
        let mut groups = require_groups(cx, given.unwrap_or_default(), vpc, field, elsewhere)?;
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
        identify_groups(groups, field)
    }
}

/// Finds security groups of a VPC by ID. A group of another VPC is refused with the error that `elsewhere` returns for it.
pub(crate) fn require_groups(
    cx: &Tx<'_>,
    ids: &[Text],
    vpc: &str,
    field: &str,
    elsewhere: impl Fn(&str) -> Error,
) -> Result<Vec<SecurityGroupRow>> {
    let require = |id: &Text| {
        let group: SecurityGroupRow = network::require(cx, id, field)?;
        if group.vpc() == vpc { Ok(group) } else { Err(elsewhere(id).with_field(field)) }
    };
    ids.iter().map(require).collect()
}

/// Returns IDs and names of the security groups of a network interface, each once; refuses too many.
pub(crate) fn identify_groups(groups: Vec<SecurityGroupRow>, field: &str) -> Result<Vec<GroupIdentifier>> {
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
            errors::parameters_combined("Ipv4PrefixCount", "Ipv4Prefix").with_field("Ipv4PrefixCount")
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

/// IPv6 addresses and blocks that the caller chose, in their canonical form, each with the name of its parameter.
fn chosen_ipv6(
    spec: &InstanceNetworkInterfaceSpecification,
    range: Cidr6,
) -> Result<Vec<(&'static str, Text)>> {
    let mut chosen = Vec::new();
    for address in spec.ipv6_addresses.iter().flatten() {
        let text = address.ipv6_address.as_deref().unwrap_or_default();
        let parsed: Option<Ipv6Addr> = text.parse().ok().filter(|address| range.contains_address(*address));
        let outside = || errors::ipv6_address_outside(text, range).with_field("Ipv6Addresses");
        chosen.push(("Ipv6Addresses", parsed.ok_or_else(outside)?.to_string().into()));
    }
    for prefix in spec.ipv6_prefixes.iter().flatten() {
        let text = prefix.ipv6_prefix.as_deref().unwrap_or_default();
        let parsed: Option<Cidr6> = text.parse().ok();
        let parsed = parsed.filter(|prefix| prefix.bits() == BLOCK6_BITS && range.contains(*prefix));
        let malformed = || errors::cidr_malformed(text).with_field("Ipv6Prefixes");
        chosen.push(("Ipv6Prefixes", parsed.ok_or_else(malformed)?.to_string().into()));
    }
    Ok(chosen)
}

/// Validates the IPv6 addresses and blocks of a network interface, after the `earlier` ones.
fn check_ipv6(
    cx: &Tx<'_>,
    spec: &InstanceNetworkInterfaceSpecification,
    subnet: &Subnet,
    earlier: &[Plan],
) -> Result<()> {
    if spec.ipv6_address_count.is_some() && spec.ipv6_addresses.is_some() {
        return Err(errors::ipv6_addresses_and_count().with_field("Ipv6AddressCount"));
    }
    if spec.ipv6_prefix_count.is_some() && spec.ipv6_prefixes.is_some() {
        let error = errors::parameters_combined("Ipv6PrefixCount", "Ipv6Prefix");
        return Err(error.with_field("Ipv6PrefixCount"));
    }
    let is_counted = |count: Option<i64>| count.is_some_and(|count| count > 0);
    let has_addresses =
        is_counted(spec.ipv6_address_count) || spec.ipv6_addresses.iter().flatten().next().is_some();
    let has_prefixes =
        is_counted(spec.ipv6_prefix_count) || spec.ipv6_prefixes.iter().flatten().next().is_some();
    if has_addresses && has_prefixes {
        return Err(errors::ipv6_addresses_and_prefixes().with_field("Ipv6Prefixes"));
    }
    let gets_address = has_addresses || subnet.assign_ipv6_address_on_creation == Some(true);
    if spec.primary_ipv6 == Some(true) && !gets_address {
        return Err(errors::primary_ipv6_without_address().with_field("PrimaryIpv6"));
    }
    let Some(range) = subnet.range6() else {
        if has_addresses || has_prefixes {
            return Err(errors::subnet_without_ipv6(subnet.id()).with_field("Ipv6Addresses"));
        }
        return Ok(());
    };
    let mut taken = Vec::new();
    for other in earlier.iter().filter(|other| other.subnet.id() == subnet.id()) {
        taken.extend(chosen_ipv6(&other.spec, range)?.into_iter().map(|(_, text)| text));
    }
    for (field, text) in chosen_ipv6(spec, range)? {
        if taken.contains(&text) || interface::uses_ipv6(cx, subnet, &text)? {
            return Err(errors::address_in_use(text).with_field(field));
        }
        taken.push(text);
    }
    Ok(())
}
