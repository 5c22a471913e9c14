//! Load balancers: the point of contact for clients, in one or more zones of a VPC.

mod capacity;
mod change;
pub(crate) mod dns;
mod operations;
mod placement;
mod pools;

pub use capacity::*;
pub use change::*;
pub use dns::{dns_name_with_number, hosted_zone};
pub use operations::*;
pub use pools::*;

use super::{Listener, errors, network, validation};
use nephos_cloud::{Scope, StoredResource};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
use nephos_ec2::{SecurityGroup, Vpc};

choices! {
    /// Scheme: the clients that can reach a load balancer.
    pub enum LoadBalancerScheme {
        /// Clients on the internet.
        InternetFacing = "internet-facing",
        /// Clients with access to its VPC.
        Internal = "internal",
    }
}

choices! {
    /// Type of a load balancer.
    pub enum LoadBalancerType {
        /// Application load balancer, for HTTP requests.
        Application = "application",
        /// Network load balancer, for connections.
        Network = "network",
        /// Gateway load balancer, for packets.
        Gateway = "gateway",
    }
}

impl LoadBalancerType {
    /// Returns the name of the type in ARNs.
    pub(super) fn arn_name(&self) -> &'static str {
        match self {
            Self::Network => "net",
            Self::Gateway => "gwy",
            _ => "app",
        }
    }
}

choices! {
    /// Type of the addresses of a load balancer.
    pub enum IpAddressType {
        /// IPv4.
        Ipv4 = "ipv4",
        /// IPv4 and IPv6.
        Dualstack = "dualstack",
        /// IPv6, and private IPv4.
        DualstackWithoutPublicIpv4 = "dualstack-without-public-ipv4",
    }
}

choices! {
    /// A setting that is on or off.
    pub enum Switch {
        /// On.
        On = "on",
        /// Off.
        Off = "off",
    }
}

choices! {
    /// State of a load balancer.
    pub enum StateCode {
        /// Active.
        Active = "active",
        /// Being set up.
        Provisioning = "provisioning",
        /// Active, but without the resources to scale.
        ActiveImpaired = "active_impaired",
        /// Setup failed.
        Failed = "failed",
    }
}

/// State of a load balancer, with the reason.
#[derive(Record)]
pub struct LoadBalancerState {
    /// Code of the state.
    pub(super) code: Option<StateCode>,
    /// Reason for the state.
    reason: Option<Text>,
}

/// An address of a load balancer in an Availability Zone.
#[derive(Record)]
pub struct LoadBalancerAddress {
    /// Public IPv4 address.
    ip_address: Option<Text>,
    /// Allocation ID of the elastic IP address.
    allocation_id: Option<Text>,
    /// Private IPv4 address.
    #[field(name = "PrivateIPv4Address")]
    private_ipv4_address: Option<Text>,
    /// IPv6 address.
    #[field(name = "IPv6Address")]
    ipv6_address: Option<Text>,
}

/// An Availability Zone of a load balancer.
#[derive(Record)]
pub struct AvailabilityZone {
    /// Name of the zone.
    pub(super) zone_name: Option<Text>,
    /// ID of the subnet of the load balancer in the zone.
    pub(super) subnet_id: Option<Text>,
    /// ID of the Outpost in the zone.
    outpost_id: Option<Text>,
    /// Addresses of the load balancer in the zone.
    load_balancer_addresses: Option<Vec<LoadBalancerAddress>>,
    /// IPv6 prefixes for source NAT.
    source_nat_ipv6_prefixes: Option<Vec<Text>>,
}

/// A subnet of a load balancer, with the addresses in it.
#[derive(Record)]
pub struct SubnetMapping {
    /// ID of the subnet.
    #[field(required, condition = "elasticloadbalancing:Subnet")]
    subnet_id: Option<Text>,
    /// Allocation ID of an elastic IP address, for internet-facing network load balancers.
    allocation_id: Option<Text>,
    /// Private IPv4 address, for internal network load balancers.
    #[field(name = "PrivateIPv4Address")]
    private_ipv4_address: Option<Text>,
    /// IPv6 address, for dualstack network load balancers.
    #[field(name = "IPv6Address")]
    ipv6_address: Option<Text>,
    /// IPv6 prefix for source NAT, for dualstack network load balancers.
    source_nat_ipv6_prefix: Option<Text>,
}

/// IPAM pools of the addresses of a load balancer.
#[derive(Record)]
pub struct IpamPools {
    /// ID of the pool of IPv4 addresses.
    #[field(length(..=1000), pattern = "ipam-pool-[a-zA-Z0-9]+")]
    ipv4_ipam_pool_id: Option<Text>,
}

/// Access logs of a load balancer.
#[derive(Record)]
pub struct LoggingSettings {
    /// True if logs are written.
    enabled: Option<bool>,
    /// Bucket of the logs.
    bucket: Option<Text>,
    /// Prefix of the names of the objects.
    prefix: Option<Text>,
}

/// A load balancer: the point of contact for clients, in one or more zones of a VPC.
#[derive(Resource)]
#[resource(
    arn("LoadBalancerArn", "loadbalancer/{}/{LoadBalancerName}/{}"),
    not_found = |which| errors::load_balancers_not_found(which).with_hint(which),
    name = "LoadBalancerName", pk = "LoadBalancerArn", exists_if = "LoadBalancerArn", tags = "Tags",
    check = check_name, derive_fields = fill_subnets,
    relation(listeners, many = Listener, with = find_listeners),
    relation(vpc, one = Vpc, with = find_vpc),
    relation(vpc_security_groups, many = SecurityGroup, with = find_security_groups),
    relation(logging, one = LoggingSettings, with = find_logging)
)]
pub struct LoadBalancer {
    /// ARN.
    #[field(service_set)]
    pub(super) load_balancer_arn: Option<Text>,
    /// DNS name.
    #[field(name = "DNSName", service_set)]
    dns_name: Option<Text>,
    /// Hosted zone of the DNS name.
    #[field(service_set)]
    canonical_hosted_zone_id: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    created_time: Option<Timestamp>,
    /// Name, unique within account and Region: up to 32 letters, digits and hyphens. It does not begin or end with a
    /// hyphen, and does not begin with `internal-`.
    #[field(required, fixed, length(1..))]
    pub(super) load_balancer_name: Option<Text>,
    /// Scheme; internet-facing by default.
    #[field(fixed, condition = "elasticloadbalancing:Scheme")]
    pub(super) scheme: Option<LoadBalancerScheme>,
    /// ID of the VPC.
    #[field(service_set)]
    pub(super) vpc_id: Option<Text>,
    /// State.
    #[field(service_set)]
    pub(super) state: Option<LoadBalancerState>,
    /// Type; application by default.
    #[field(fixed)]
    pub(super) r#type: Option<LoadBalancerType>,
    /// Availability Zones.
    #[field(service_set)]
    pub(super) availability_zones: Option<Vec<AvailabilityZone>>,
    /// IDs of the security groups.
    #[field(condition = "elasticloadbalancing:SecurityGroup")]
    pub(super) security_groups: Option<Vec<Text>>,
    /// Type of the addresses; IPv4 by default.
    ip_address_type: Option<IpAddressType>,
    /// Address pool of an Outpost.
    #[field(fixed, length(..=256), pattern = "ipv4pool-coip-[a-zA-Z0-9]+")]
    customer_owned_ipv4_pool: Option<Text>,
    /// `on` if the rules of security groups are enforced on traffic through a private link.
    #[field(service_set)]
    enforce_security_group_inbound_rules_on_private_link_traffic: Option<Text>,
    /// Source NAT by IPv6 prefixes.
    enable_prefix_for_ipv6_source_nat: Option<Switch>,
    /// Pools of the addresses.
    ipam_pools: Option<IpamPools>,
    /// IDs of the subnets, one per zone.
    #[field(not_on_wire, condition = "elasticloadbalancing:Subnet")]
    subnets: Option<Vec<Text>>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// Refuses an invalid name.
fn check_name(balancer: &LoadBalancer) -> Result<()> {
    let checked = balancer.load_balancer_name.as_deref().map_or(Ok(()), validation::check_balancer_name);
    checked.map_err(|error| error.with_field("LoadBalancerName"))
}

/// Fills in the subnets from the zones that the service returns.
fn fill_subnets(balancer: &mut LoadBalancer) {
    if balancer.subnets.is_none() {
        balancer.subnets = Some(balancer.own_subnets()).filter(|subnets| !subnets.is_empty());
    }
}

nephos_cloud::stored! {
    LoadBalancer in "elbv2/load-balancer" by load_balancer_name; derived(subnets) => restore_subnets;
    states("State.Code": "provisioning" => "active" 120)
}

impl LoadBalancer {
    fn restore_subnets(&mut self, _scope: &Scope) {
        fill_subnets(self);
    }

    /// Returns the type; application if absent.
    pub(super) fn own_type(&self) -> LoadBalancerType {
        self.r#type.clone().unwrap_or(LoadBalancerType::Application)
    }

    /// Returns the name of the scheme; internet-facing if absent.
    fn scheme_name(&self) -> &str {
        self.scheme.as_ref().map_or("internet-facing", validation::wire_name)
    }

    /// Returns the last part of the ARN.
    pub(super) fn id(&self) -> &str {
        self.own_arn().rsplit('/').next().unwrap_or_default()
    }

    /// Returns the IDs of the subnets.
    fn own_subnets(&self) -> Vec<Text> {
        let zones = self.availability_zones.as_deref().unwrap_or_default();
        zones.iter().filter_map(|zone| zone.subnet_id.clone()).collect()
    }

    /// Returns the names of the zones.
    pub(super) fn own_zones(&self) -> impl Iterator<Item = &str> {
        let zones = self.availability_zones.as_deref().unwrap_or_default();
        zones.iter().filter_map(|zone| zone.zone_name.as_deref())
    }
}

/// Finds the listeners of a load balancer.
async fn find_listeners(balancer: &LoadBalancer) -> Result<Vec<Listener>> {
    let session = balancer.require_session()?;
    Listener::objects(session).list().load_balancer_arn(balancer.require_arn()?).results().await
}

/// Finds the VPC of a load balancer.
async fn find_vpc(balancer: &LoadBalancer) -> Result<Option<Vpc>> {
    network::find_vpc(balancer, balancer.vpc_id()).await
}

/// Finds the security groups of a load balancer.
async fn find_security_groups(balancer: &LoadBalancer) -> Result<Vec<SecurityGroup>> {
    let ids = balancer.security_groups.clone().unwrap_or_default();
    nephos_ec2::find_security_groups(balancer.require_session()?, ids).await
}

/// Reads the access log settings of a load balancer.
async fn find_logging(balancer: &LoadBalancer) -> Result<Option<LoggingSettings>> {
    let manager = LoadBalancer::objects(balancer.require_session()?);
    let mut attributes = manager.attribute_map(balancer.require_arn()?).await?;
    let mut value = |key: &str| attributes.swap_remove(key).filter(|value| !value.is_empty());
    let Some(enabled) = value("access_logs.s3.enabled") else { return Ok(None) };
    Ok(Some(LoggingSettings {
        enabled: Some(enabled == "true"),
        bucket: value("access_logs.s3.bucket"),
        prefix: value("access_logs.s3.prefix"),
    }))
}
