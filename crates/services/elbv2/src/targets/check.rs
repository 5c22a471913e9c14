//! Which targets a target group can have.

use super::TargetDescription;
use crate::{
    LoadBalancer, LoadBalancerType, TargetGroup, TargetGroupIpAddressType, TargetType, cidr::Cidr, errors,
    listener, network, protocol::Protocol, validation::invalid,
};
use nephos_cloud::{ByArn, StoredResource, Tx};
use nephos_core::{Arn, Error, Result};
use std::net::IpAddr;

/// Blocks outside a network in which targets can be, too.
const PRIVATE_CIDRS: [&str; 5] =
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"];

fn invalid_target(message: impl Into<String>) -> Error {
    errors::INVALID_TARGET.with_message(message).with_field("Id")
}

/// Refuses what is no target of such a group, whether or not it exists.
pub(super) fn check_id(group: &TargetGroup, target: &TargetDescription) -> Result<()> {
    let id = target.id.as_deref().unwrap_or_default();
    let (fits, what) = match &group.target_type {
        Some(TargetType::Ip) => (id.parse::<IpAddr>().is_ok(), "an address"),
        Some(TargetType::Function) => (is_function(id), "the resource name of a function"),
        Some(TargetType::Alb) => {
            let fits = nephos_cloud::arn_parts::<LoadBalancer, 3>(id).is_some();
            (fits, "the resource name of an application balancer")
        }
        _ => (id.strip_prefix("i-").is_some_and(|digits| !digits.is_empty()), "the id of an instance"),
    };
    if fits {
        return Ok(());
    }
    Err(invalid_target(format!("{id:?} is not {what}, which the targets of this group are")))
}

fn is_function(id: &str) -> bool {
    matches!(Arn::parts(id), Some([_, "lambda", _, _, resource]) if resource.starts_with("function:"))
}

/// The target with its port, if the group can have it.
pub(super) fn normalize_target(
    cx: &Tx<'_>,
    group: &TargetGroup,
    mut target: TargetDescription,
) -> Result<TargetDescription> {
    check_id(group, &target)?;
    let quic = matches!(group.protocol, Some(Protocol::Quic | Protocol::TcpQuic));
    if target.quic_server_id.is_some() != quic {
        let message = if quic { "is required for QUIC" } else { "is only for QUIC" };
        return Err(invalid("QuicServerId", message));
    }
    let id = target.id.clone().unwrap_or_default();
    match &group.target_type {
        Some(TargetType::Function) => {
            if target.port.is_some() {
                return Err(invalid("Port", "is not for functions"));
            }
            return Ok(target);
        }
        Some(TargetType::Ip) => check_address(cx, group, &id, target.availability_zone.as_deref())?,
        Some(TargetType::Alb) => check_balancer(cx, group, &id, target.port.or(group.port))?,
        _ => check_instance(cx, group, &id)?,
    }
    if target.availability_zone.is_some() && group.target_type != Some(TargetType::Ip) {
        return Err(invalid("AvailabilityZone", "is only for addresses"));
    }
    target.port = target.port.or(group.port);
    Ok(target)
}

fn check_instance(cx: &Tx<'_>, group: &TargetGroup, id: &str) -> Result<()> {
    let Some(instance) = nephos_ec2::instance(cx, id)? else {
        return Err(invalid_target(format!("there is no instance {id}")));
    };
    if instance.vpc_id() != group.vpc_id.as_deref() {
        return Err(invalid_target(format!("instance {id} is in another network than the group")));
    }
    let state = network::instance_state(&instance);
    if !["pending", "running"].contains(&state) {
        return Err(invalid_target(format!("instance {id} is {state}, not running")));
    }
    Ok(())
}

fn check_address(cx: &Tx<'_>, group: &TargetGroup, id: &str, zone: Option<&str>) -> Result<()> {
    let address: IpAddr = id.parse().map_err(|_| invalid_target(format!("{id:?} is not an address")))?;
    let v6 = group.ip_address_type == Some(TargetGroupIpAddressType::Ipv6);
    if address.is_ipv6() != v6 {
        let expected = if v6 { "an IPv6" } else { "an IPv4" };
        return Err(invalid_target(format!(
            "{id} is not {expected} address, which the targets of this group have"
        )));
    }
    let blocks =
        network::vpc_cidr_blocks(cx, group.vpc_id.as_deref().unwrap_or_default())?.unwrap_or_default();
    let is_in = |block: &str| Cidr::parse(block).is_some_and(|cidr| cidr.contains(address));
    if blocks.iter().any(|block| is_in(block)) {
        return Ok(());
    }
    if !PRIVATE_CIDRS.iter().any(|block| is_in(block)) {
        return Err(invalid_target(format!(
            "{id} is neither in the network of the group nor a private address"
        )));
    }
    match zone {
        Some("all") => Ok(()),
        _ => {
            let message = format!("is \"all\" for {id}, which is outside the network of the group");
            Err(invalid("AvailabilityZone", message))
        }
    }
}

fn check_balancer(cx: &Tx<'_>, group: &TargetGroup, arn: &str, port: Option<i64>) -> Result<()> {
    let Some(balancer) = LoadBalancer::find(cx, arn, "Id")? else {
        return Err(invalid_target(format!("there is no load balancer {arn}")));
    };
    let name = balancer.own_name();
    if balancer.own_type() != LoadBalancerType::Application {
        return Err(invalid_target(format!("load balancer {name} is not an application balancer")));
    }
    if balancer.vpc_id != group.vpc_id {
        return Err(invalid_target(format!("load balancer {name} is in another network than the group")));
    }
    if port != group.port {
        return Err(invalid("Port", "of a balancer is that of the group"));
    }
    if !listener::listeners_of(cx, name)?.iter().any(|listener| listener.port == port) {
        let port = port.unwrap_or_default();
        return Err(invalid_target(format!("load balancer {name} has no listener on port {port}")));
    }
    Ok(())
}
