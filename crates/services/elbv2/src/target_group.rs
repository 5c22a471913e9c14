//! Target groups: targets that requests are routed to, with their health checks.

mod operations;
mod settings;
pub(crate) mod targets;

pub use operations::*;
pub use targets::*;

use super::{LoadBalancer, Protocol, errors, network, routing::routes, validation};
use nephos_cloud::{StoredResource, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, choices};
use nephos_ec2::Vpc;

choices! {
    /// Type of the targets of a target group.
    pub enum TargetType {
        /// Instances, by ID.
        Instance = "instance",
        /// IP addresses.
        Ip = "ip",
        /// One function, by ARN.
        Function = "function" => "lambda",
        /// One application load balancer, by ARN.
        Alb = "alb",
    }
}

choices! {
    /// Type of the IP addresses of targets.
    pub enum TargetGroupIpAddressType {
        /// IPv4.
        Ipv4 = "ipv4",
        /// IPv6.
        Ipv6 = "ipv6",
    }
}

/// Response codes of a successful health check.
#[derive(Record)]
pub struct ResponseCodeMatcher {
    /// HTTP codes: `200`, `200,202`, `200-299`.
    #[field(pattern = "[0-9]{3}(-[0-9]{3})?(,[0-9]{3}(-[0-9]{3})?)*")]
    pub(super) http_code: Option<Text>,
    /// gRPC codes, 0 to 99: `12`, `0,1`, `0-5`.
    #[field(pattern = "[0-9]{1,2}(-[0-9]{1,2})?(,[0-9]{1,2}(-[0-9]{1,2})?)*")]
    pub(super) grpc_code: Option<Text>,
}

/// A target group: targets that requests are routed to, with their health checks.
#[derive(Resource)]
#[resource(
    arn("TargetGroupArn", "targetgroup/{TargetGroupName}/{}"),
    not_found = |which| errors::target_groups_not_found(which).with_hint(which),
    name = "TargetGroupName", pk = "TargetGroupArn", exists_if = "TargetGroupArn", tags = "Tags",
    check = check_name_and_port, derive_fields = drop_default_protocol,
    relation(targets, many = TargetHealthDescription, with = find_targets, uncached),
    relation(load_balancers, many = LoadBalancer, with = find_load_balancers),
    relation(vpc, one = Vpc, with = find_vpc)
)]
pub struct TargetGroup {
    /// ARN.
    #[field(service_set)]
    pub(super) target_group_arn: Option<Text>,
    /// Name, unique within account and Region: up to 32 letters, digits and hyphens. It does not begin or end with a hyphen.
    #[field(fixed, length(1..))]
    pub(super) target_group_name: Option<Text>,
    /// Protocol to the targets. Functions have none.
    #[field(fixed, default = "HTTPS")]
    pub(super) protocol: Option<Protocol>,
    /// Port of the targets. Required, except for functions, which have none.
    #[field(fixed, range(1..=65535))]
    pub(super) port: Option<i64>,
    /// ID of the VPC of the targets. Functions have none.
    #[field(fixed)]
    pub(super) vpc_id: Option<Text>,
    /// Protocol of health checks: HTTP, HTTPS or TCP.
    pub(super) health_check_protocol: Option<Protocol>,
    /// Port of health checks: a number, or `traffic-port`.
    #[field(pattern = "traffic-port|[0-9]{1,5}")]
    pub(super) health_check_port: Option<Text>,
    /// True if health checks are enabled; required to be true except for functions.
    pub(super) health_check_enabled: Option<bool>,
    /// Interval between health checks, in seconds.
    #[field(range(5..=300))]
    pub(super) health_check_interval_seconds: Option<i64>,
    /// Timeout of a health check, in seconds.
    #[field(range(2..=120))]
    pub(super) health_check_timeout_seconds: Option<i64>,
    /// Number of consecutive successful health checks that make a target healthy.
    #[field(range(2..=10))]
    pub(super) healthy_threshold_count: Option<i64>,
    /// Number of consecutive failed health checks that make a target unhealthy.
    #[field(range(2..=10))]
    pub(super) unhealthy_threshold_count: Option<i64>,
    /// Path of health checks.
    #[field(length(1..=1024))]
    pub(super) health_check_path: Option<Text>,
    /// Response codes of a successful health check.
    pub(super) matcher: Option<ResponseCodeMatcher>,
    /// ARNs of the load balancers that route to the target group: at most one.
    #[field(service_set)]
    pub(super) load_balancer_arns: Option<Vec<Text>>,
    /// Type of the targets.
    #[field(fixed, default = "ip")]
    pub(super) target_type: Option<TargetType>,
    /// Protocol version to the targets: GRPC, HTTP1 or HTTP2.
    #[field(fixed, one_of("GRPC", "HTTP1", "HTTP2"))]
    pub(super) protocol_version: Option<Text>,
    /// Type of the IP addresses of targets.
    #[field(fixed)]
    pub(super) ip_address_type: Option<TargetGroupIpAddressType>,
    /// Port for target-control traffic.
    #[field(fixed, range(1..=65535))]
    pub(super) target_control_port: Option<i64>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// Refuses an invalid name, and requires a port, except for target type function.
fn check_name_and_port(group: &TargetGroup) -> Result<()> {
    let checked = group.target_group_name.as_deref().map_or(Ok(()), validation::check_group_name);
    checked.map_err(|error| error.with_field("TargetGroupName"))?;
    if group.is_function() || group.port.is_some() || group.target_group_arn.is_some() {
        return Ok(());
    }
    Err(errors::setting_missing("port").with_field("Port"))
}

/// Removes the default protocol for target type function. An explicit protocol stays, and is refused later.
fn drop_default_protocol(group: &mut TargetGroup) {
    if group.is_function() && !group.fields_set().contains(&"Protocol") {
        group.protocol = None;
    }
}

nephos_cloud::stored!(TargetGroup in "elbv2/target-group" by target_group_name);

impl TargetGroup {
    /// True for target type function.
    pub(super) fn is_function(&self) -> bool {
        self.target_type == Some(TargetType::Function)
    }

    /// Returns the name of the target type; `instance` if absent.
    pub(super) fn target_type_name(&self) -> &str {
        self.target_type.as_ref().map_or("instance", validation::wire_name)
    }

    /// Returns the name of the protocol; empty if absent.
    pub(super) fn protocol_name(&self) -> &str {
        self.protocol.as_ref().map_or("", Protocol::name)
    }

    /// Fills in the load balancers that route to the target group.
    fn with_balancers(mut self, cx: &Tx<'_>) -> Result<Self> {
        self.load_balancer_arns = Some(routes::balancer_arns(cx, self.own_name())?);
        Ok(self)
    }
}

/// Finds the health of the targets of a target group.
async fn find_targets(group: &TargetGroup) -> Result<Vec<TargetHealthDescription>> {
    group.targets().await
}

/// Finds the load balancers that route to a target group.
async fn find_load_balancers(group: &TargetGroup) -> Result<Vec<LoadBalancer>> {
    let session = group.require_session()?;
    let arns = group.load_balancer_arns.clone().unwrap_or_default();
    LoadBalancer::objects(session).list().load_balancer_arns(arns).results().await
}

/// Finds the VPC of the targets of a target group.
async fn find_vpc(group: &TargetGroup) -> Result<Option<Vpc>> {
    network::find_vpc(group, group.vpc_id()).await
}
