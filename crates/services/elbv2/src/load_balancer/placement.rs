//! Subnets of load balancers: one per zone, all in one VPC. Only application load balancers support Local Zones, and a single
//! Local Zone is enough for them.

use super::{
    AvailabilityZone, IpAddressType, LoadBalancer, LoadBalancerAddress, LoadBalancerScheme, LoadBalancerType,
    SubnetMapping, Switch, operations::SOURCE_NAT,
};
use crate::{errors, network::Cidr, validation::wire_name};
use nephos_cloud::Tx;
use nephos_core::{Error, Result, Text, field_value::FieldType};
use nephos_ec2::{self as ec2, Subnet};

/// Minimum number of free addresses that a subnet must have for a new load balancer.
const MIN_FREE_ADDRESSES: i64 = 8;

/// Converts subnets or mappings to mappings, with the name of the parameter. One of the two must be given.
pub(super) fn to_mappings(
    subnets: Option<&[Text]>,
    mappings: Option<&[SubnetMapping]>,
) -> Result<(Vec<SubnetMapping>, &'static str)> {
    match (subnets, mappings) {
        (None | Some([]), None | Some([])) => Err(errors::subnets_missing().with_field("Subnets")),
        (Some(subnets), None | Some([])) => {
            let plain = |id: &Text| SubnetMapping { subnet_id: Some(id.clone()), ..SubnetMapping::blank() };
            Ok((subnets.iter().map(plain).collect(), "Subnets"))
        }
        (None | Some([]), Some(mappings)) => Ok((mappings.to_vec(), "SubnetMappings")),
        (Some(_), Some(_)) => {
            Err(errors::both_given("Subnets", "SubnetMappings").with_field("SubnetMappings"))
        }
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
            let refuse = |error: Error| Err(error.with_field(&field));
            let Some(subnet) = ec2::subnet(cx, id)? else {
                return refuse(errors::subnet_not_found(id));
            };
            let (subnet_vpc, zone) = (subnet.vpc_id(), subnet.availability_zone().unwrap_or_default());
            let (subnet_vpc, is_local) = (subnet_vpc.unwrap_or_default(), ec2::is_local_zone(cx, zone));
            let expected_vpc = vpc.get_or_insert_with(|| subnet_vpc.into());
            if *expected_vpc != subnet_vpc {
                return refuse(errors::subnet_in_other_vpc(id, expected_vpc));
            }
            if is_local && !application {
                return refuse(errors::zone_unsupported(zone, wire_name(&self.own_type())));
            }
            local |= is_local;
            let free = subnet.available_ip_address_count().unwrap_or_default();
            if free < MIN_FREE_ADDRESSES && !current_subnets.iter().any(|current| current == id) {
                let error = errors::subnet_full(id, MIN_FREE_ADDRESSES);
                return refuse(error.with_hint(format!("it has {free}")));
            }
            if let Some(first) = zones.iter().find(|other| other.zone_name.as_deref() == Some(zone)) {
                let first = first.subnet_id.as_deref().unwrap_or_default();
                let hint = format!("{first} and {id} are both in {zone}");
                return refuse(errors::zone_given_twice().with_hint(hint));
            }
            self.check_addresses(mapping, &subnet).map_err(|error| error.in_field(&field))?;
            zones.push(new_zone(mapping, zone));
        }
        if application && zones.len() < 2 && !local {
            return Err(errors::too_few_zones().with_field(field));
        }
        zones.sort_by(|a, b| a.zone_name.cmp(&b.zone_name));
        Ok((vpc.unwrap_or_default(), zones))
    }

    /// Refuses addresses that the load balancer cannot have.
    fn check_addresses(&self, mapping: &SubnetMapping, subnet: &Subnet) -> Result<()> {
        if let Some(id) = &mapping.allocation_id {
            // Elastic IP addresses are not emulated: none exists.
            let unsupported = self.require_network("Elastic IPs", Some(LoadBalancerScheme::InternetFacing));
            let error = unsupported.err().unwrap_or_else(|| errors::allocation_not_found(id));
            return Err(error.with_field("AllocationId"));
        }
        if let Some(address) = &mapping.private_ipv4_address {
            self.check_private_address(address, subnet)
                .map_err(|error| error.with_field("PrivateIPv4Address"))?;
        }
        if let Some(address) = &mapping.ipv6_address {
            self.check_ipv6_address(address).map_err(|error| error.with_field("IPv6Address"))?;
        }
        if let Some(prefix) = &mapping.source_nat_ipv6_prefix {
            self.check_source_nat_prefix(prefix).map_err(|error| error.with_field("SourceNatIpv6Prefix"))?;
        }
        Ok(())
    }

    /// Refuses `what` unless it is a network load balancer, of this scheme if one is given.
    fn require_network(&self, what: &str, scheme: Option<LoadBalancerScheme>) -> Result<()> {
        if self.own_type() != LoadBalancerType::Network {
            return Err(errors::unsupported_for_type(what, wire_name(&self.own_type())));
        }
        match scheme {
            Some(scheme) if wire_name(&scheme) != self.scheme_name() => {
                Err(errors::unsupported_for_scheme(what, self.scheme_name()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses `what` unless it is a network load balancer with IPv4 and IPv6 addresses.
    fn require_dualstack(&self, what: &str) -> Result<()> {
        self.require_network(what, None)?;
        if self.ip_address_type != Some(IpAddressType::Dualstack) {
            return Err(errors::unsupported_for_address_type(what, self.address_type_name()));
        }
        Ok(())
    }

    fn check_private_address(&self, text: &str, subnet: &Subnet) -> Result<()> {
        self.require_network("Private IPv4 addresses", Some(LoadBalancerScheme::Internal))?;
        let Ok(address) = text.parse::<std::net::Ipv4Addr>() else {
            return Err(errors::address_invalid(text, "IPv4"));
        };
        let cidr = subnet.cidr_block().unwrap_or_default();
        if !Cidr::parse(cidr).is_some_and(|cidr| cidr.contains(address.into())) {
            let id = subnet.subnet_id().unwrap_or_default();
            return Err(errors::address_outside_subnet(address, id).with_hint(cidr));
        }
        Ok(())
    }

    fn check_ipv6_address(&self, text: &str) -> Result<()> {
        self.require_dualstack("IPv6 addresses")?;
        match text.parse::<std::net::Ipv6Addr>() {
            Ok(_) => Ok(()),
            Err(_) => Err(errors::address_invalid(text, "IPv6")),
        }
    }

    fn check_source_nat_prefix(&self, prefix: &str) -> Result<()> {
        self.require_dualstack(SOURCE_NAT)?;
        if self.enable_prefix_for_ipv6_source_nat != Some(Switch::On) {
            return Err(errors::source_nat_prefix_disabled());
        }
        let block = Cidr::parse(prefix).filter(|cidr| cidr.is_ipv6() && cidr.prefix_length == 80);
        if prefix != "auto_assigned" && block.is_none() {
            return Err(errors::source_nat_prefix_invalid(prefix));
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
        let error = match ec2::security_group(cx, id)? {
            None => errors::security_group_not_found(id),
            Some(group) if group.vpc_id() != Some(vpc) => errors::security_group_in_other_vpc(id, vpc),
            Some(_) => continue,
        };
        return Err(error.with_field(format!("SecurityGroups[{n}]")));
    }
    Ok(())
}
