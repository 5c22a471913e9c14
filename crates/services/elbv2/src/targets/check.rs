//! Validation of targets.

use super::TargetDescription;
use crate::{
    LoadBalancer, LoadBalancerType, TargetGroup, TargetGroupIpAddressType, TargetType, cidr::Cidr, errors,
    listener, network, protocol::Protocol, validation::invalid,
};
use nephos_cloud::{ByArn, StoredResource, Tx};
use nephos_core::{Arn, Error, Result};
use std::net::IpAddr;

/// CIDR blocks outside the VPC that targets can be in.
const PRIVATE_CIDRS: [&str; 5] =
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"];

fn invalid_target(message: impl Into<String>) -> Error {
    errors::INVALID_TARGET.with_message(message).with_field("Id")
}

/// Refuses an ID of the wrong form for the target type. The target need not exist.
pub(super) fn check_id(group: &TargetGroup, target: &TargetDescription) -> Result<()> {
    let id = target.id.as_deref().unwrap_or_default();
    let (fits, what) = match &group.target_type {
        Some(TargetType::Ip) => (id.parse::<IpAddr>().is_ok(), "an IP address"),
        Some(TargetType::Function) => (is_function(id), "a function ARN"),
        Some(TargetType::Alb) => {
            let fits = nephos_cloud::arn_parts::<LoadBalancer, 3>(id).is_some();
            (fits, "a load balancer ARN")
        }
        _ => (id.strip_prefix("i-").is_some_and(|digits| !digits.is_empty()), "an instance id"),
    };
    if fits {
        return Ok(());
    }
    Err(invalid_target(format!("{id:?} is not {what}, as this target group requires")))
}

fn is_function(id: &str) -> bool {
    matches!(Arn::parts(id), Some([_, "lambda", _, _, resource]) if resource.starts_with("function:"))
}

/// Fills in the port and validates the target.
pub(super) fn normalize_target(
    cx: &Tx<'_>,
    group: &TargetGroup,
    mut target: TargetDescription,
) -> Result<TargetDescription> {
    check_id(group, &target)?;
    let quic = matches!(group.protocol, Some(Protocol::Quic | Protocol::TcpQuic));
    if target.quic_server_id.is_some() != quic {
        let message = if quic {
            "is required for protocols QUIC and TCP_QUIC"
        } else {
            "is only allowed for protocols QUIC and TCP_QUIC"
        };
        return Err(invalid("QuicServerId", message));
    }
    let id = target.id.clone().unwrap_or_default();
    match &group.target_type {
        Some(TargetType::Function) => {
            if target.port.is_some() {
                return Err(invalid("Port", "is not allowed for target type function"));
            }
            return Ok(target);
        }
        Some(TargetType::Ip) => check_address(cx, group, &id, target.availability_zone.as_deref())?,
        Some(TargetType::Alb) => check_balancer(cx, group, &id, target.port.or(group.port))?,
        _ => check_instance(cx, group, &id)?,
    }
    if target.availability_zone.is_some() && group.target_type != Some(TargetType::Ip) {
        return Err(invalid("AvailabilityZone", "is only allowed for target type ip"));
    }
    target.port = target.port.or(group.port);
    Ok(target)
}

fn check_instance(cx: &Tx<'_>, group: &TargetGroup, id: &str) -> Result<()> {
    let Some(instance) = nephos_ec2::instance(cx, id)? else {
        return Err(invalid_target(format!("instance {id} does not exist")));
    };
    if instance.vpc_id() != group.vpc_id.as_deref() {
        return Err(invalid_target(format!("instance {id} is not in the VPC of the target group")));
    }
    let state = network::instance_state(&instance);
    if !["pending", "running"].contains(&state) {
        return Err(invalid_target(format!("instance {id} must be pending or running, is {state}")));
    }
    Ok(())
}

fn check_address(cx: &Tx<'_>, group: &TargetGroup, id: &str, zone: Option<&str>) -> Result<()> {
    let address: IpAddr = id.parse().map_err(|_| invalid_target(format!("{id:?} is not an IP address")))?;
    let v6 = group.ip_address_type == Some(TargetGroupIpAddressType::Ipv6);
    if address.is_ipv6() != v6 {
        let expected = if v6 { "an IPv6" } else { "an IPv4" };
        return Err(invalid_target(format!("{id} is not {expected} address, as this target group requires")));
    }
    let blocks =
        network::vpc_cidr_blocks(cx, group.vpc_id.as_deref().unwrap_or_default())?.unwrap_or_default();
    let is_in = |block: &str| Cidr::parse(block).is_some_and(|cidr| cidr.contains(address));
    if blocks.iter().any(|block| is_in(block)) {
        return Ok(());
    }
    if !PRIVATE_CIDRS.iter().any(|block| is_in(block)) {
        return Err(invalid_target(format!(
            "{id} must be an address of the VPC of the target group or a private address"
        )));
    }
    match zone {
        Some("all") => Ok(()),
        _ => {
            let message = format!("must be \"all\" for {id}, which is outside the VPC of the target group");
            Err(invalid("AvailabilityZone", message))
        }
    }
}

fn check_balancer(cx: &Tx<'_>, group: &TargetGroup, arn: &str, port: Option<i64>) -> Result<()> {
    let Some(balancer) = LoadBalancer::find(cx, arn, "Id")? else {
        return Err(invalid_target(format!("load balancer {arn} does not exist")));
    };
    let name = balancer.own_name();
    if balancer.own_type() != LoadBalancerType::Application {
        return Err(invalid_target(format!("load balancer {name} is not an application load balancer")));
    }
    if balancer.vpc_id != group.vpc_id {
        return Err(invalid_target(format!("load balancer {name} is not in the VPC of the target group")));
    }
    if port != group.port {
        let (port, expected) = (port.unwrap_or_default(), group.port.unwrap_or_default());
        return Err(invalid("Port", format!("must be {expected}, the port of the target group, got {port}")));
    }
    if !listener::listeners_of(cx, name)?.iter().any(|listener| listener.port == port) {
        let port = port.unwrap_or_default();
        return Err(invalid_target(format!("load balancer {name} has no listener on port {port}")));
    }
    Ok(())
}
