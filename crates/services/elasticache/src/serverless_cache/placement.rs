//! Subnets and security groups of serverless caches.

use super::ServerlessCache;
use crate::{NetworkType, errors};
use nephos_cloud::{StoredResource, Tx};
use nephos_core::{Choice as _, Result, Text};
use nephos_ec2::{self as ec2, SecurityGroup, Subnet};
use std::ops::RangeInclusive;

/// Number of subnets of a cache.
const SUBNETS: RangeInclusive<usize> = 2..=3;

/// Sets the subnets, the security groups and the network type of a new cache. Those that are not given get defaults.
pub(super) fn place(cx: &Tx<'_>, cache: &mut ServerlessCache) -> Result<()> {
    let subnets = find_subnets(cx, cache.subnet_ids.as_deref())?;
    let vpc = subnets.first().and_then(Subnet::vpc_id).unwrap_or_default();
    let groups = match cache.security_group_ids.take() {
        Some(ids) => {
            check_groups(cx, vpc, &ids)?;
            ids
        }
        None => {
            let default = ec2::default_security_group(cx, vpc)?;
            default.as_ref().and_then(SecurityGroup::group_id).map(Text::new).into_iter().collect()
        }
    };
    cache.network_type = Some(find_network_type(cache.network_type.take(), &subnets)?);
    cache.subnet_ids = Some(subnets.iter().filter_map(|subnet| subnet.subnet_id().map(Text::new)).collect());
    cache.security_group_ids = Some(groups);
    Ok(())
}

/// Finds the given subnets, or the default ones. They must be in different zones of one VPC.
fn find_subnets(cx: &Tx<'_>, ids: Option<&[Text]>) -> Result<Vec<Subnet>> {
    let refuse = |error: nephos_core::Error| Err(error.with_field("SubnetIds"));
    let Some(ids) = ids else {
        let mut defaults = ec2::default_subnets(cx)?;
        defaults.truncate(*SUBNETS.end());
        if defaults.len() < *SUBNETS.start() {
            return refuse(errors::serverless_default_vpc_missing());
        }
        return Ok(defaults);
    };
    let found = ids.iter().map(|id| ec2::subnet(cx, id)).collect::<Result<Option<Vec<_>>>>()?;
    let Some(found) = found else {
        let ids: Vec<_> = ids.iter().map(Text::as_str).collect();
        return refuse(errors::subnets_invalid(ids.join(", ")));
    };
    if !SUBNETS.contains(&found.len()) {
        return refuse(errors::serverless_subnets_count());
    }
    if let Some(other) = found.iter().find(|subnet| subnet.vpc_id() != found[0].vpc_id()) {
        let [one, other] = [&found[0], other].map(|subnet| subnet.subnet_id().unwrap_or_default());
        return refuse(errors::subnets_of_several_vpcs(one, other));
    }
    for (index, subnet) in found.iter().enumerate() {
        let zone = subnet.availability_zone();
        if found[..index].iter().any(|other| other.availability_zone() == zone) {
            return refuse(errors::serverless_subnets_zone(zone.unwrap_or_default()));
        }
    }
    Ok(found)
}

/// Refuses security groups that are not in a VPC.
fn check_groups(cx: &Tx<'_>, vpc: &str, ids: &[Text]) -> Result<()> {
    let refuse = |error: nephos_core::Error| Err(error.with_field("SecurityGroupIds"));
    if ids.is_empty() {
        return refuse(errors::serverless_groups_missing());
    }
    for id in ids {
        let Some(group) = ec2::security_group(cx, id)? else {
            return refuse(errors::serverless_group_missing(id));
        };
        if group.vpc_id() != Some(vpc) {
            return refuse(errors::serverless_groups_vpc(id, vpc));
        }
    }
    Ok(())
}

/// Refuses security groups that are not in the VPC of a cache.
pub(super) fn check_new_groups(cx: &Tx<'_>, cache: &ServerlessCache, ids: &[Text]) -> Result<()> {
    let subnet = cache.subnet_ids.iter().flatten().next().map(|id| ec2::subnet(cx, id)).transpose()?;
    let subnet = subnet.flatten();
    check_groups(cx, subnet.as_ref().and_then(Subnet::vpc_id).unwrap_or_default(), ids)
}

/// Returns the network type of a cache, which its subnets must support; IPv4 by default. A cache has an address in each subnet,
/// and IPv6-only subnets have none to give.
fn find_network_type(given: Option<NetworkType>, subnets: &[Subnet]) -> Result<NetworkType> {
    let network_type = given.unwrap_or(NetworkType::Ipv4);
    let is_supported = |subnet: &Subnet| {
        let has_ipv4 = subnet.ipv6_native() != Some(true);
        let has_ipv6 = subnet.ipv6_cidr_block_association_set().is_some_and(|blocks| !blocks.is_empty());
        match network_type {
            NetworkType::Ipv4 => has_ipv4,
            NetworkType::DualStack => has_ipv4 && has_ipv6,
            _ => false,
        }
    };
    match subnets.iter().find(|subnet| !is_supported(subnet)) {
        None => Ok(network_type),
        Some(subnet) => {
            let id = subnet.subnet_id().unwrap_or_default();
            Err(errors::serverless_network_type(network_type.as_str(), id).with_field("NetworkType"))
        }
    }
}

/// Attaches a cache to its subnets, with its security groups and those in `more`.
pub(super) fn attach(cx: &mut Tx<'_>, cache: &ServerlessCache, more: &[Text]) -> Result<()> {
    let subnets = cache.subnet_ids.clone().unwrap_or_default();
    let mut groups = cache.security_group_ids.clone().unwrap_or_default();
    groups.extend(more.iter().filter(|id| !groups.contains(id)).cloned().collect::<Vec<_>>());
    ec2::update_attachments(cx, cache.own_arn(), &subnets, &subnets, &groups)
}

/// Detaches a cache from its subnets.
pub(super) fn detach(cx: &mut Tx<'_>, cache: &ServerlessCache) -> Result<()> {
    let subnets = cache.subnet_ids.clone().unwrap_or_default();
    ec2::update_attachments(cx, cache.own_arn(), &subnets, &[], &[])
}
