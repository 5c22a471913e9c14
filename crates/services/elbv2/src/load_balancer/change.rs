//! Operations that change where a balancer is, and who reaches it.

use super::{
    AvailabilityZone, IpAddressType, LoadBalancerType, SubnetMapping, Switch,
    create::{check_address_type, put, source_nat_refused},
    placing::{self, Placing},
    require,
};
use crate::{SERVICE, errors, names};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Puts a balancer in other subnets of its network.
#[operation(service = SERVICE, effect = write, output = SubnetsSet, subject = "{LoadBalancerArn}")]
pub struct SetSubnets {
    /// Its resource name.
    pub load_balancer_arn: Text,
    /// The subnets, one in each zone.
    pub subnets: Option<Vec<Text>>,
    /// The same, with its addresses there.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
    /// The addresses it has from now on.
    pub ip_address_type: Option<IpAddressType>,
    /// Whether the addresses of clients become IPv6 prefixes of its own.
    pub enable_prefix_for_ipv6_source_nat: Option<Switch>,
}

/// Where a balancer is now.
#[derive(Record)]
#[record(name = "SetSubnetsOutput")]
pub struct SubnetsSet {
    /// The zones it is in.
    availability_zones: Option<Vec<AvailabilityZone>>,
    /// The addresses it has.
    ip_address_type: Option<IpAddressType>,
    /// Whether the addresses of clients become IPv6 prefixes of its own.
    enable_prefix_for_ipv6_source_nat: Option<Switch>,
}

impl Handler for SetSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<SubnetsSet> {
        let before = require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        let mut after = before.clone();
        let of = before.own_type();
        after.ip_address_type = self.ip_address_type.or(after.ip_address_type);
        let addresses = after.ip_address_type.clone().unwrap_or(IpAddressType::Ipv4);
        check_address_type(&of, before.scheme.as_ref(), &addresses)?;
        if let Some(given) = self.enable_prefix_for_ipv6_source_nat {
            let fits = of == LoadBalancerType::Network
                && (given != Switch::On || addresses == IpAddressType::Dualstack);
            if !fits {
                return Err(source_nat_refused());
            }
            after.enable_prefix_for_ipv6_source_nat = Some(given);
        }
        let (mappings, field) = placing::mappings(self.subnets.as_deref(), self.subnet_mappings.as_deref())?;
        let placing = Placing {
            of: &of,
            scheme: before.scheme.as_ref(),
            addresses: &addresses,
            source_nat: after.enable_prefix_for_ipv6_source_nat.as_ref(),
            vpc: before.vpc_id.as_deref(),
            here: &before.own_subnets(),
        };
        let (_, zones) = placing.place(cx, &mappings, field)?;
        if of != LoadBalancerType::Application
            && let Some(left) = before
                .own_zones()
                .find(|zone| !zones.iter().any(|new| new.zone_name.as_deref() == Some(*zone)))
        {
            let why = format!("a balancer of this type cannot leave a zone, and {left} is missing");
            return Err(errors::INVALID_CONFIGURATION.because(why).with_field(field));
        }
        after.availability_zones = Some(zones);
        put(cx, &before, &after)?;
        Ok(SubnetsSet {
            availability_zones: after.availability_zones,
            ip_address_type: after.ip_address_type,
            enable_prefix_for_ipv6_source_nat: after.enable_prefix_for_ipv6_source_nat,
        })
    }
}

/// Puts a balancer in other security groups.
#[operation(service = SERVICE, effect = write, output = SecurityGroupsSet, subject = "{LoadBalancerArn}")]
pub struct SetSecurityGroups {
    /// Its resource name.
    pub load_balancer_arn: Text,
    /// The security groups.
    pub security_groups: Vec<Text>,
    /// Whether traffic through a private link keeps their rules, for network balancers.
    pub enforce_security_group_inbound_rules_on_private_link_traffic: Option<Switch>,
}

/// The security groups that a balancer is in now.
#[derive(Record)]
#[record(name = "SetSecurityGroupsOutput")]
pub struct SecurityGroupsSet {
    /// The security groups.
    security_group_ids: Option<Vec<Text>>,
    /// Whether traffic through a private link keeps their rules.
    enforce_security_group_inbound_rules_on_private_link_traffic: Option<Switch>,
}

impl Handler for SetSecurityGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecurityGroupsSet> {
        let before = require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        let unfit =
            |field: &str, why: &str| Err(errors::INVALID_CONFIGURATION.because(why).with_field(field));
        let of = before.own_type();
        if of == LoadBalancerType::Gateway {
            return unfit("SecurityGroups", "a gateway balancer is in no security group");
        }
        if of == LoadBalancerType::Network
            && before.security_groups.is_none()
            && !self.security_groups.is_empty()
        {
            let why = "a network balancer that was created without security groups stays so";
            return unfit("SecurityGroups", why);
        }
        if of == LoadBalancerType::Application && self.security_groups.is_empty() {
            return Err(names::invalid("SecurityGroups", "an application balancer is in one at least"));
        }
        placing::check_security_groups(
            cx,
            before.vpc_id.as_deref().unwrap_or_default(),
            &self.security_groups,
        )?;
        let mut after = before.clone();
        if let Some(enforce) = self.enforce_security_group_inbound_rules_on_private_link_traffic {
            if of != LoadBalancerType::Network {
                let field = "EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic";
                return unfit(field, "is only for network balancers");
            }
            let enforce = if enforce == Switch::On { "on" } else { "off" };
            after.enforce_security_group_inbound_rules_on_private_link_traffic = Some(enforce.into());
        }
        after.security_groups = Some(self.security_groups).filter(|groups| !groups.is_empty());
        put(cx, &before, &after)?;
        let enforced = after.enforce_security_group_inbound_rules_on_private_link_traffic;
        Ok(SecurityGroupsSet {
            security_group_ids: Some(after.security_groups.unwrap_or_default()),
            enforce_security_group_inbound_rules_on_private_link_traffic: enforced
                .map(|enforced| if enforced == "on" { Switch::On } else { Switch::Off }),
        })
    }
}

/// Gives a balancer addresses of another type.
#[operation(service = SERVICE, effect = write, output = IpAddressTypeSet, subject = "{LoadBalancerArn}")]
pub struct SetIpAddressType {
    /// Its resource name.
    pub load_balancer_arn: Text,
    /// The addresses it has from now on.
    pub ip_address_type: IpAddressType,
}

/// The addresses that a balancer has now.
#[derive(Record)]
#[record(name = "SetIpAddressTypeOutput")]
pub struct IpAddressTypeSet {
    /// The addresses.
    ip_address_type: Option<IpAddressType>,
}

impl Handler for SetIpAddressType {
    fn run(self, cx: &mut Tx<'_>) -> Result<IpAddressTypeSet> {
        let before = require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        check_address_type(&before.own_type(), before.scheme.as_ref(), &self.ip_address_type)?;
        if before.enable_prefix_for_ipv6_source_nat == Some(Switch::On)
            && self.ip_address_type != IpAddressType::Dualstack
        {
            return Err(source_nat_refused());
        }
        let mut after = before.clone();
        after.ip_address_type = Some(self.ip_address_type);
        put(cx, &before, &after)?;
        Ok(IpAddressTypeSet { ip_address_type: after.ip_address_type })
    }
}
