//! Classic load balancers: the point of contact for clients, with listeners, policies and registered instances.

mod attributes;
mod health_check;
mod operations;
mod placement;
mod relations;
mod update;

pub use attributes::*;
pub use health_check::*;
pub use operations::*;
pub use placement::*;
pub use update::*;

use crate::{BackendServerDescription, Instance, ListenerDescription, Policies, errors};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Map, Record, Resource, Result, Slot, Text, Timestamp};
use nephos_ec2::{SecurityGroup, Subnet, Vpc};

/// Maximum length of names.
const MAX_NAME_LENGTH: usize = 32;

/// The security group by which rules of instances can refer to a load balancer.
#[derive(Record)]
pub struct SourceSecurityGroup {
    /// Owner of the security group.
    pub(crate) owner_alias: Option<Text>,
    /// Name of the security group.
    pub(crate) group_name: Option<Text>,
}

/// A classic load balancer.
#[derive(Resource)]
#[resource(
    arn("loadbalancer/{LoadBalancerName}"),
    not_found = |name| errors::load_balancer_not_found(name),
    name = "LoadBalancerName", pk = "LoadBalancerName", exists_if = "CreatedTime", tags = "Tags",
    check = check_model,
    relation(vpc, one = Vpc, with = relations::find_vpc),
    relation(vpc_subnets, many = Subnet, with = relations::find_subnets),
    relation(vpc_security_groups, many = SecurityGroup, with = relations::find_security_groups),
    relation(ec2_instances, many = nephos_ec2::Instance, with = relations::find_instances)
)]
pub struct ClassicELB {
    /// Name, unique within account and Region: up to 32 letters, digits and hyphens. It does not begin or end with a hyphen.
    #[field(required, fixed)]
    pub(crate) load_balancer_name: Option<Text>,
    /// Availability Zones. If subnets are given, their zones.
    #[field(required)]
    pub(crate) availability_zones: Option<Vec<Text>>,
    /// Scheme: `internet-facing`, which is the default, or `internal`.
    #[field(fixed, default = "", condition = "elasticloadbalancing:Scheme")]
    pub(crate) scheme: Option<Text>,
    /// ID of the VPC.
    #[field(name = "VPCId", service_set)]
    pub(crate) vpc_id: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) created_time: Option<Timestamp>,
    /// DNS name.
    #[field(name = "DNSName", service_set)]
    pub(crate) dns_name: Option<Text>,
    /// DNS name in its hosted zone; absent for internal load balancers.
    #[field(service_set)]
    pub(crate) canonical_hosted_zone_name: Option<Text>,
    /// Hosted zone of the DNS name.
    #[field(name = "CanonicalHostedZoneNameID", service_set)]
    pub(crate) canonical_hosted_zone_name_id: Option<Text>,
    /// IDs of the subnets, one per zone.
    #[field(condition = "elasticloadbalancing:Subnet")]
    pub(crate) subnets: Option<Vec<Text>>,
    /// IDs of the security groups.
    #[field(condition = "elasticloadbalancing:SecurityGroup")]
    pub(crate) security_groups: Option<Vec<Text>>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(crate) tags: Option<Map<Text>>,
    /// Further attributes: `elb.http.desyncmitigationmode` is monitor, defensive or strictest.
    #[field(not_in_list, not_on_wire)]
    pub(crate) additional_attributes: Option<Map<Text>>,
    /// True if requests are distributed over the instances of all zones.
    #[field(not_in_list, not_on_wire, default = false)]
    pub(crate) cross_zone_load_balancing: Option<bool>,
    /// Registered instances, in order of registration.
    pub(crate) instances: Option<Vec<Instance>>,
    /// Listeners, each with the names of its enabled policies.
    #[field(wire = "ListenerDescriptions", alias = "ListenerDescriptions")]
    pub(crate) listeners: Option<Vec<ListenerDescription>>,
    /// Security group by which rules of instances can refer to the load balancer.
    #[field(service_set)]
    pub(crate) source_security_group: Option<SourceSecurityGroup>,
    /// Policies.
    pub(crate) policies: Option<Policies>,
    /// Policies of the instances, by port.
    pub(crate) backend_server_descriptions: Option<Vec<BackendServerDescription>>,
    /// Health check of the instances.
    pub(crate) health_check: Option<HealthCheck>,
    /// Access log.
    #[field(not_in_list, not_on_wire)]
    pub(crate) access_log: Option<AccessLog>,
    /// Connection draining: instances that are deregistered finish their requests.
    #[field(not_in_list, not_on_wire)]
    pub(crate) connection_draining: Option<ConnectionDraining>,
    /// Timeout of connections.
    #[field(not_in_list, not_on_wire)]
    pub(crate) connection_settings: Option<ConnectionSettings>,
    slot: Slot,
}

nephos_cloud::stored!(ClassicELB in "elb/load-balancer" by load_balancer_name);

/// Refuses a model with an invalid name.
fn check_model(balancer: &ClassicELB) -> Result<()> {
    balancer.load_balancer_name.as_deref().map_or(Ok(()), check_name)
}

/// Refuses an invalid name.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let error = if name.chars().count() > MAX_NAME_LENGTH {
        errors::name_too_long()
    } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        errors::name_characters()
    } else if name.is_empty() || name.starts_with('-') || name.ends_with('-') {
        errors::name_dash()
    } else {
        return Ok(());
    };
    Err(error.with_field("LoadBalancerName"))
}

/// Finds the load balancer with this name, or refuses.
pub(crate) fn require(cx: &Tx<'_>, name: &str) -> Result<ClassicELB> {
    check_name(name)?;
    let found = ClassicELB::find_by(cx, &[name])?;
    found.ok_or_else(|| errors::load_balancer_not_found(name).with_field("LoadBalancerName"))
}
