//! Subnets of load balancers: one per zone, all in one VPC. Only application load balancers support Local Zones, and a single
//! Local Zone is enough for them.

use super::{
    AvailabilityZone, IpAddressType, LoadBalancer, LoadBalancerAddress, LoadBalancerScheme, LoadBalancerType,
    SubnetMapping, Switch,
};
use crate::{
    cidr::Cidr,
    errors,
    validation::{invalid, invalid_configuration},
};
use nephos_cloud::Tx;
use nephos_core::{Code, Result, Text, field_value::FieldType};
use nephos_ec2::{self as ec2, Subnet};

/// Minimum number of free addresses that a subnet must have for a new load balancer.
const MIN_FREE_ADDRESSES: i64 = 8;

/// Converts subnets or mappings to mappings, with the name of the parameter. One of the two must be given.
pub(super) fn to_mappings(
    subnets: Option<&[Text]>,
    mappings: Option<&[SubnetMapping]>,
) -> Result<(Vec<SubnetMapping>, &'static str)> {
    match (subnets, mappings) {
        (Some(_), Some(_)) => Err(invalid(
            "SubnetMappings",
            "cannot be combined with Subnets: give either subnets or subnet mappings",
        )),
        (None | Some([]), None | Some([])) => {
            Err(invalid("Subnets", "either subnets or subnet mappings are required"))
        }
        (Some(subnets), None) => {
            let plain = |id: &Text| SubnetMapping { subnet_id: Some(id.clone()), ..SubnetMapping::blank() };
            Ok((subnets.iter().map(plain).collect(), "Subnets"))
        }
        (None, Some(mappings)) => Ok((mappings.to_vec(), "SubnetMappings")),
    }
}

impl LoadBalancer {
    /// Validates the mappings from the parameter `field`; returns the VPC and the zones of the load balancer.
    pub(super) fn find_zones(
        &self,
        cx: &Tx<'_>,
        mappings: &[SubnetMapping],
        field: &str,
    ) -> Result<(Text, Vec<AvailabilityZone>)> {
        let mut zones: Vec<AvailabilityZone> = Vec::new();
        let (mut vpc, mut local) = (self.vpc_id.clone(), false);
        let (application, current_subnets) =
            (self.own_type() == LoadBalancerType::Application, self.own_subnets());
        for (n, mapping) in mappings.iter().enumerate() {
            let id = mapping.subnet_id.as_deref().unwrap_or_default();
            let field = format!("{field}[{n}]");
            let refuse =
                |code: &'static Code, message: String| Err(code.with_message(message).with_field(&field));
            let Some(subnet) = ec2::subnet(cx, id)? else {
                return refuse(&errors::SUBNET_NOT_FOUND, format!("subnet {id} does not exist"));
            };
            let (subnet_vpc, zone) = (subnet.vpc_id(), subnet.availability_zone().unwrap_or_default());
            let (subnet_vpc, is_local) = (subnet_vpc.unwrap_or_default(), ec2::is_local_zone(cx, zone));
            let expected_vpc = vpc.get_or_insert_with(|| subnet_vpc.into());
            if *expected_vpc != subnet_vpc {
                let message = format!("subnet {id} is in VPC {subnet_vpc}, not in VPC {expected_vpc}");
                return refuse(&errors::INVALID_SUBNET, message);
            }
            if is_local && !application {
                let message = format!(
                    "subnet {id} is in Local Zone {zone}, which only supports application load balancers"
                );
                return refuse(&errors::ZONE_NOT_SUPPORTED, message);
            }
            local |= is_local;
            let free = subnet.available_ip_address_count().unwrap_or_default();
            if free < MIN_FREE_ADDRESSES && !current_subnets.iter().any(|current| current == id) {
                let message =
                    format!("subnet {id} must have at least {MIN_FREE_ADDRESSES} free addresses, has {free}");
                return refuse(&errors::INVALID_SUBNET, message);
            }
            if let Some(first) = zones.iter().find(|other| other.zone_name.as_deref() == Some(zone)) {
                let first = first.subnet_id.as_deref().unwrap_or_default();
                let message =
                    format!("a zone can have at most one subnet, but {first} and {id} are both in {zone}");
                return refuse(&errors::INVALID_CONFIGURATION, message);
            }
            self.check_addresses(mapping, &subnet).map_err(|error| error.in_field(&field))?;
            zones.push(new_zone(mapping, zone));
        }
        if application && zones.len() < 2 && !local {
            let message = "an application load balancer must have subnets in at least two zones";
            return Err(invalid(field, message));
        }
        zones.sort_by(|a, b| a.zone_name.cmp(&b.zone_name));
        Ok((vpc.unwrap_or_default(), zones))
    }

    /// Refuses addresses that the load balancer cannot have.
    fn check_addresses(&self, mapping: &SubnetMapping, subnet: &Subnet) -> Result<()> {
        let network = self.own_type() == LoadBalancerType::Network;
        let dualstack = self.ip_address_type == Some(IpAddressType::Dualstack);
        let internal = self.scheme == Some(LoadBalancerScheme::Internal);
        if let Some(id) = &mapping.allocation_id {
            if !network || internal {
                return Err(invalid_configuration(
                    "AllocationId",
                    "is only allowed for internet-facing network load balancers",
                ));
            }
            let message = format!("elastic IP address {id} does not exist");
            return Err(errors::ALLOCATION_ID_NOT_FOUND.with_message(message).with_field("AllocationId"));
        }
        if let Some(address) = &mapping.private_ipv4_address {
            if !network || !internal {
                return Err(invalid_configuration(
                    "PrivateIPv4Address",
                    "is only allowed for internal network load balancers",
                ));
            }
            let address: std::net::Ipv4Addr = address
                .parse()
                .map_err(|_| invalid("PrivateIPv4Address", format!("{address:?} is not an IPv4 address")))?;
            let cidr = subnet.cidr_block().unwrap_or_default();
            if !Cidr::parse(cidr).is_some_and(|cidr| cidr.contains(address.into())) {
                let id = subnet.subnet_id().unwrap_or_default();
                let message = format!("{address} is not in {cidr}, the CIDR block of subnet {id}");
                return Err(invalid_configuration("PrivateIPv4Address", message));
            }
        }
        if let Some(address) = &mapping.ipv6_address {
            if !network || !dualstack {
                return Err(invalid_configuration(
                    "IPv6Address",
                    "is only allowed for network load balancers with the address type dualstack",
                ));
            }
            if address.parse::<std::net::Ipv6Addr>().is_err() {
                return Err(invalid("IPv6Address", format!("{address:?} is not an IPv6 address")));
            }
        }
        if let Some(prefix) = &mapping.source_nat_ipv6_prefix {
            if !network || !dualstack || self.enable_prefix_for_ipv6_source_nat != Some(Switch::On) {
                let message = "is only allowed for dualstack network load balancers with EnablePrefixForIpv6SourceNat on";
                return Err(invalid_configuration("SourceNatIpv6Prefix", message));
            }
            let block = Cidr::parse(prefix).filter(|cidr| cidr.is_ipv6() && cidr.prefix_length == 80);
            if prefix != "auto_assigned" && block.is_none() {
                let message =
                    format!("{prefix:?} must be auto_assigned or an IPv6 CIDR block with prefix length 80");
                return Err(invalid("SourceNatIpv6Prefix", message));
            }
        }
        Ok(())
    }
}

fn new_zone(mapping: &SubnetMapping, name: &str) -> AvailabilityZone {
    let has_address = mapping.private_ipv4_address.is_some() || mapping.ipv6_address.is_some();
    let address = has_address.then(|| LoadBalancerAddress {
        private_ipv4_address: mapping.private_ipv4_address.clone(),
        ipv6_address: mapping.ipv6_address.clone(),
        ..LoadBalancerAddress::blank()
    });
    AvailabilityZone {
        zone_name: Some(name.into()),
        subnet_id: mapping.subnet_id.clone(),
        outpost_id: None,
        load_balancer_addresses: address.map(|address| vec![address]),
        source_nat_ipv6_prefixes: mapping.source_nat_ipv6_prefix.clone().map(|prefix| vec![prefix]),
    }
}

/// Refuses security groups that are not in the VPC.
pub(super) fn check_security_groups(cx: &Tx<'_>, vpc: &str, groups: &[Text]) -> Result<()> {
    for (n, id) in groups.iter().enumerate() {
        let group = ec2::security_group(cx, id)?;
        let group_vpc = group.as_ref().map(|group| group.vpc_id().unwrap_or_default());
        if group_vpc != Some(vpc) {
            let message = match group_vpc {
                None => format!("security group {id} does not exist"),
                Some(_) => format!("Security group '{id}' does not belong to VPC '{vpc}'"),
            };
            return Err(errors::INVALID_SECURITY_GROUP
                .with_message(message)
                .with_field(format!("SecurityGroups[{n}]")));
        }
    }
    Ok(())
}
