//! Load balancers: what clients connect to, in two or more zones of a VPC.

mod change;
mod dns;
mod operations;
mod placement;

pub use change::*;
pub use operations::*;

use super::{Listener, SERVICE, attributes, limits, network, ssl_policies, tagging};
use nephos_cloud::{Scope, StoredResource, Transition};
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
        /// It balances HTTP requests.
        Application = "application",
        /// It balances connections.
        Network = "network",
        /// It balances packets.
        Gateway = "gateway",
    }
}

impl LoadBalancerType {
    /// The word for it in ARNs.
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
        /// IPv6, and IPv4 that cannot be reached from outside.
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
        /// It works.
        Active = "active",
        /// It is being set up.
        Provisioning = "provisioning",
        /// It works, and lacks what it needs to grow.
        ActiveImpaired = "active_impaired",
        /// It could not be set up.
        Failed = "failed",
    }
}

/// The state of a load balancer, with the reason.
#[derive(Record)]
pub struct LoadBalancerState {
    /// Code of the state.
    pub(super) code: Option<StateCode>,
    /// Reason for the state.
    reason: Option<Text>,
}

/// An address of a balancer in a zone.
#[derive(Record)]
pub struct LoadBalancerAddress {
    /// The address that clients outside see.
    ip_address: Option<Text>,
    /// The elastic address.
    allocation_id: Option<Text>,
    /// The address within the network.
    #[field(name = "PrivateIPv4Address")]
    private_ipv4_address: Option<Text>,
    /// The IPv6 address.
    #[field(name = "IPv6Address")]
    ipv6_address: Option<Text>,
}

/// A zone that a balancer is in.
#[derive(Record)]
pub struct AvailabilityZone {
    /// The zone.
    pub(super) zone_name: Option<Text>,
    /// The balancer's subnet there.
    pub(super) subnet_id: Option<Text>,
    /// The outpost there.
    outpost_id: Option<Text>,
    /// The addresses that the balancer was given there.
    load_balancer_addresses: Option<Vec<LoadBalancerAddress>>,
    /// What the addresses of clients become.
    source_nat_ipv6_prefixes: Option<Vec<Text>>,
}

/// A subnet for a balancer to be in, and its addresses there.
#[derive(Record)]
pub struct SubnetMapping {
    /// The subnet.
    #[field(required)]
    subnet_id: Option<Text>,
    /// The elastic address, for network balancers that everybody can reach.
    allocation_id: Option<Text>,
    /// The address within the network, for internal network balancers.
    #[field(name = "PrivateIPv4Address")]
    private_ipv4_address: Option<Text>,
    /// The IPv6 address, for network balancers that have such.
    #[field(name = "IPv6Address")]
    ipv6_address: Option<Text>,
    /// What the addresses of clients become, for network balancers that have IPv6 addresses.
    source_nat_ipv6_prefix: Option<Text>,
}

/// The pools that the addresses of a load balancer come from.
#[derive(Record)]
pub struct IpamPools {
    /// Id of the pool of IPv4 addresses.
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

/// A load balancer: what clients connect to, in two or more zones of a network.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::LOAD_BALANCER_NOT_FOUND,
    arn = "LoadBalancerArn", name = "LoadBalancerName", pk = "LoadBalancerArn",
    saved_when = "LoadBalancerArn", tags = "Tags", settle = fill_subnets,
    calls(
        LoadBalancerCreate, LoadBalancerGet, DescribeLoadBalancers, LoadBalancerUpdate, DeleteLoadBalancer,
        attributes::DescribeLoadBalancerAttributes, attributes::LoadBalancerAttributeMap,
        attributes::ModifyLoadBalancerAttributes,
        tagging::of_load_balancer::Tag, tagging::of_load_balancer::Untag, tagging::of_load_balancer::ListTags,
        ssl_policies::DescribeSSLPolicies, limits::DescribeAccountLimits
    ),
    create = LoadBalancerCreate, update = LoadBalancerUpdate, delete = DeleteLoadBalancer, get = LoadBalancerGet,
    relation(listeners, many = Listener, with = find_listeners),
    relation(vpc, one = Vpc, with = find_vpc),
    relation(vpc_security_groups, many = SecurityGroup, with = find_security_groups),
    relation(logging, one = LoggingSettings, with = find_logging),
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
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=32), pattern = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")]
    pub(super) load_balancer_name: Option<Text>,
    /// Scheme; internet-facing by default.
    #[field(fixed)]
    pub(super) scheme: Option<LoadBalancerScheme>,
    /// VPC.
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
    /// Security groups.
    pub(super) security_groups: Option<Vec<Text>>,
    /// Type of the addresses; IPv4 by default.
    ip_address_type: Option<IpAddressType>,
    /// Pool of addresses of an outpost.
    #[field(fixed, length(..=256), pattern = "ipv4pool-coip-[a-zA-Z0-9]+")]
    customer_owned_ipv4_pool: Option<Text>,
    /// `on` if the rules of security groups are enforced on traffic through a private link.
    #[field(service_set)]
    enforce_security_group_inbound_rules_on_private_link_traffic: Option<Text>,
    /// Source NAT by IPv6 prefixes.
    enable_prefix_for_ipv6_source_nat: Option<Switch>,
    /// Pools of the addresses.
    #[field(fixed)]
    ipam_pools: Option<IpamPools>,
    /// Subnets, one in each zone.
    #[field(not_on_wire)]
    subnets: Option<Vec<Text>>,
    /// Tags. A listing does not fetch them; `get` does.
    #[field(not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// Takes the subnets from the zones that the service returns.
fn fill_subnets(balancer: &mut LoadBalancer) {
    if balancer.subnets.is_none() {
        balancer.subnets = Some(balancer.own_subnets()).filter(|subnets| !subnets.is_empty());
    }
}

nephos_cloud::stored! {
    LoadBalancer in "elbv2/load-balancer" by load_balancer_name; derived(subnets) => restore_subnets;
    goes_on(Transition::new("State.Code", "provisioning", "active", 120))
}

impl LoadBalancer {
    fn restore_subnets(&mut self, _scope: &Scope) {
        fill_subnets(self);
    }

    /// The type; application if absent.
    pub(super) fn own_type(&self) -> LoadBalancerType {
        self.r#type.clone().unwrap_or(LoadBalancerType::Application)
    }

    /// The last part of its ARN.
    pub(super) fn id(&self) -> &str {
        self.own_arn().rsplit('/').next().unwrap_or_default()
    }

    /// The subnets it is in.
    fn own_subnets(&self) -> Vec<Text> {
        let zones = self.availability_zones.as_deref().unwrap_or_default();
        zones.iter().filter_map(|zone| zone.subnet_id.clone()).collect()
    }

    /// The zones it is in.
    pub(super) fn own_zones(&self) -> impl Iterator<Item = &str> {
        let zones = self.availability_zones.as_deref().unwrap_or_default();
        zones.iter().filter_map(|zone| zone.zone_name.as_deref())
    }
}

/// Its listeners.
async fn find_listeners(balancer: &LoadBalancer) -> Result<Vec<Listener>> {
    let session = balancer.require_session()?;
    Listener::objects(session).list().load_balancer_arn(balancer.require_arn()?).results().await
}

/// Its VPC.
async fn find_vpc(balancer: &LoadBalancer) -> Result<Option<Vpc>> {
    network::find_vpc(balancer, balancer.vpc_id()).await
}

/// Its security groups.
async fn find_security_groups(balancer: &LoadBalancer) -> Result<Vec<SecurityGroup>> {
    let ids = balancer.security_groups.clone().unwrap_or_default();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    SecurityGroup::objects(balancer.require_session()?).list().group_ids(ids).results().await
}

/// Its access logs.
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
