//! Validation of targets.

use super::TargetDescription;
use crate::{
    LoadBalancer, LoadBalancerType, Protocol, TargetGroup, TargetGroupIpAddressType, TargetType, errors,
    listener,
    network::{self, Cidr},
};
use nephos_cloud::{Addressed, StoredResource, Tx};
use nephos_core::{Arn, Error, Result};
use std::net::IpAddr;

/// CIDR blocks outside the VPC that targets can be in.
const PRIVATE_CIDRS: [&str; 5] =
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"];

/// Refuses an ID of the wrong form for the target type. The target need not exist.
pub(super) fn check_id(group: &TargetGroup, target: &TargetDescription) -> Result<()> {
    let id = target.id.as_deref().unwrap_or_default();
    let (fits, what) = match &group.target_type {
        Some(TargetType::Ip) => (id.parse::<IpAddr>().is_ok(), "IP address"),
        Some(TargetType::Function) => (is_function(id), "Lambda function ARN"),
        Some(TargetType::Alb) => {
            let fits = LoadBalancer::read_arn(id).is_some();
            (fits, "Load balancer ARN")
        }
        _ => (id.strip_prefix("i-").is_some_and(|digits| !digits.is_empty()), "Instance ID"),
    };
    if fits {
        return Ok(());
    }
    Err(errors::target_id_invalid(what, id).with_field("Id"))
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
        let error = if quic {
            errors::protocol_setting_missing("QUIC server ID", group.protocol_name())
        } else {
            errors::protocol_setting_unsupported("QUIC server ID", group.protocol_name())
        };
        return Err(error.with_field("QuicServerId"));
    }
    let id = target.id.clone().unwrap_or_default();
    match &group.target_type {
        Some(TargetType::Function) => {
            if target.port.is_some() {
                return Err(
                    errors::type_setting_unsupported("Port", group.target_type_name()).with_field("Port")
                );
            }
            return Ok(target);
        }
        Some(TargetType::Ip) => check_address(cx, group, &id, target.availability_zone.as_deref())?,
        Some(TargetType::Alb) => check_balancer(cx, group, &id, target.port.or(group.port))?,
        _ => check_instance(cx, group, &id)?,
    }
    if target.availability_zone.is_some() && group.target_type != Some(TargetType::Ip) {
        return Err(errors::type_setting_unsupported("Availability Zone", group.target_type_name())
            .with_field("AvailabilityZone"));
    }
    target.port = target.port.or(group.port);
    Ok(target)
}

fn check_instance(cx: &Tx<'_>, group: &TargetGroup, id: &str) -> Result<()> {
    let refuse = |error: Error| Err(error.with_field("Id"));
    let Some(instance) = nephos_ec2::instance(cx, id)? else {
        return refuse(errors::instances_not_found(id));
    };
    if instance.vpc_id() != group.vpc_id.as_deref() {
        return refuse(errors::targets_in_other_vpc(vpc_of(group), id));
    }
    let state = instance.state_text();
    if !["pending", "running"].contains(&state) {
        return refuse(errors::targets_not_running(id).with_hint(format!("it is {state}")));
    }
    Ok(())
}

fn vpc_of(group: &TargetGroup) -> &str {
    group.vpc_id.as_deref().unwrap_or_default()
}

fn check_address(cx: &Tx<'_>, group: &TargetGroup, id: &str, zone: Option<&str>) -> Result<()> {
    let v6 = group.ip_address_type == Some(TargetGroupIpAddressType::Ipv6);
    let Some(address) = id.parse::<IpAddr>().ok().filter(|address| address.is_ipv6() == v6) else {
        let version = if v6 { "IPv6" } else { "IPv4" };
        return Err(errors::target_address_invalid(id, version).with_field("Id"));
    };
    let blocks = network::vpc_cidr_blocks(cx, vpc_of(group))?.unwrap_or_default();
    let is_in = |block: &str| Cidr::parse(block).is_some_and(|cidr| cidr.contains(address));
    if blocks.iter().any(|block| is_in(block)) {
        return Ok(());
    }
    if !PRIVATE_CIDRS.iter().any(|block| is_in(block)) {
        return Err(errors::target_address_outside(id, vpc_of(group)).with_field("Id"));
    }
    match zone {
        Some("all") => Ok(()),
        _ => Err(errors::zone_missing(id).with_field("AvailabilityZone")),
    }
}

fn check_balancer(cx: &Tx<'_>, group: &TargetGroup, arn: &str, port: Option<i64>) -> Result<()> {
    let refuse = |error: Error| Err(error.with_field("Id"));
    let Some(balancer) = LoadBalancer::find(cx, arn, "Id")? else {
        return refuse(errors::target_balancer_not_found(arn));
    };
    if balancer.own_type() != LoadBalancerType::Application {
        return refuse(errors::target_balancer_type(arn));
    }
    if balancer.vpc_id != group.vpc_id {
        return refuse(errors::targets_in_other_vpc(vpc_of(group), arn));
    }
    if port != group.port {
        let (port, expected) = (port.unwrap_or_default(), group.port.unwrap_or_default());
        return Err(errors::target_port_differs(expected)
            .with_field("Port")
            .with_hint(format!("got {port}")));
    }
    if !listener::listeners_of(cx, balancer.own_name())?.iter().any(|listener| listener.port == port) {
        return refuse(errors::target_balancer_without_listener(arn, port.unwrap_or_default()));
    }
    Ok(())
}
