//! Load balancers: what clients connect to, in two or more zones of a network.

mod change;
mod operations;
mod placing;
mod zones;

pub use change::*;
pub use operations::*;

use super::{Listener, SERVICE, attributes, limits, network, ssl_policies, tagging};
use nephos_cloud::{Scope, StoredResource, Transition};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
use nephos_ec2::{SecurityGroup, Vpc};

choices! {
    /// Who can reach a balancer.
    pub enum LoadBalancerScheme {
        /// Everybody.
        InternetFacing = "internet-facing",
        /// Only clients with access to its network.
        Internal = "internal",
    }
}

choices! {
    /// What a balancer understands of the traffic.
    pub enum LoadBalancerType {
        /// Requests and answers.
        Application = "application",
        /// Connections.
        Network = "network",
        /// Packets.
        Gateway = "gateway",
    }
}

impl LoadBalancerType {
    /// The word for it in ARNs.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Network => "net",
            Self::Gateway => "gwy",
            _ => "app",
        }
    }
}

choices! {
    /// The addresses that a balancer has.
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
    /// Whether something is on.
    pub enum Switch {
        /// It is.
        On = "on",
        /// It is not.
        Off = "off",
    }
}

choices! {
    /// How a balancer is.
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

/// How a balancer is, and why.
#[derive(Record)]
pub struct LoadBalancerState {
    /// How it is.
    pub(super) code: Option<StateCode>,
    /// Why.
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

/// Where the addresses of a balancer come from.
#[derive(Record)]
pub struct IpamPools {
    /// The pool of IPv4 addresses.
    #[field(length(..=1000), pattern = "ipam-pool-[a-zA-Z0-9]+")]
    ipv4_ipam_pool_id: Option<Text>,
}

/// Where a balancer writes what it was asked.
#[derive(Record)]
pub struct LoggingSettings {
    /// Whether it does.
    enabled: Option<bool>,
    /// The bucket.
    bucket: Option<Text>,
    /// What the names in it begin with.
    prefix: Option<Text>,
}

/// A load balancer: what clients connect to, in two or more zones of a network.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::LOAD_BALANCER_NOT_FOUND,
    arn = "LoadBalancerArn", name = "LoadBalancerName", pk = "LoadBalancerArn",
    mark = "LoadBalancerArn", tags = "Tags", settle = settle,
    calls(
        LoadBalancerCreate, LoadBalancerGet, DescribeLoadBalancers, Update, DeleteLoadBalancer,
        attributes::DescribeLoadBalancerAttributes, attributes::of_load_balancer::AttributeMap,
        attributes::ModifyLoadBalancerAttributes,
        tagging::of_load_balancer::Tag, tagging::of_load_balancer::Untag, tagging::of_load_balancer::ListTags,
        ssl_policies::DescribeSSLPolicies, limits::DescribeAccountLimits
    ),
    create = LoadBalancerCreate, update = Update, delete = DeleteLoadBalancer, get = LoadBalancerGet,
    relation(listeners, many = Listener, with = find_listeners),
    relation(vpc, one = Vpc, with = find_vpc),
    relation(vpc_security_groups, many = SecurityGroup, with = find_security_groups),
    relation(logging, one = LoggingSettings, with = find_logging),
)]
pub struct LoadBalancer {
    /// ARN.
    #[field(service_set)]
    pub(super) load_balancer_arn: Option<Text>,
    /// The name by which clients find it.
    #[field(name = "DNSName", service_set)]
    dns_name: Option<Text>,
    /// The zone that the name is in.
    #[field(service_set)]
    canonical_hosted_zone_id: Option<Text>,
    /// When it was created.
    #[field(service_set)]
    created_time: Option<Timestamp>,
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=32), pattern = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")]
    pub(super) load_balancer_name: Option<Text>,
    /// Who can reach it: everybody, if not said.
    #[field(fixed)]
    pub(super) scheme: Option<LoadBalancerScheme>,
    /// The network it is in.
    #[field(service_set)]
    pub(super) vpc_id: Option<Text>,
    /// How it is.
    #[field(service_set)]
    pub(super) state: Option<LoadBalancerState>,
    /// What it understands of the traffic: requests, if not said.
    #[field(fixed)]
    pub(super) r#type: Option<LoadBalancerType>,
    /// The zones it is in.
    #[field(service_set)]
    pub(super) availability_zones: Option<Vec<AvailabilityZone>>,
    /// The security groups it is in.
    pub(super) security_groups: Option<Vec<Text>>,
    /// The addresses it has: IPv4, if not said.
    ip_address_type: Option<IpAddressType>,
    /// The pool of addresses of an outpost.
    #[field(fixed, length(..=256), pattern = "ipv4pool-coip-[a-zA-Z0-9]+")]
    customer_owned_ipv4_pool: Option<Text>,
    /// Whether traffic through a private link keeps the rules of security groups.
    #[field(service_set)]
    enforce_security_group_inbound_rules_on_private_link_traffic: Option<Text>,
    /// Whether the addresses of clients become IPv6 prefixes of its own.
    enable_prefix_for_ipv6_source_nat: Option<Switch>,
    /// Where its addresses come from.
    #[field(fixed)]
    ipam_pools: Option<IpamPools>,
    /// The subnets it is in, one in each zone.
    #[field(nowhere)]
    subnets: Option<Vec<Text>>,
    /// Tags. A listing does not fetch them; `get` does.
    #[field(nowhere)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// The subnets follow from the zones that the service tells.
fn settle(balancer: &mut LoadBalancer) {
    if balancer.subnets.is_none() {
        balancer.subnets = Some(balancer.own_subnets()).filter(|subnets| !subnets.is_empty());
    }
}

nephos_cloud::stored! {
    LoadBalancer in "elbv2/load-balancer" by load_balancer_name; sheds(subnets) => restore_subnets;
    goes_on(Transition::new("State.Code", "provisioning", "active", 120))
}

impl LoadBalancer {
    fn restore_subnets(&mut self, _scope: &Scope) {
        settle(self);
    }

    /// What it understands of the traffic.
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

/// The network it is in.
async fn find_vpc(balancer: &LoadBalancer) -> Result<Option<Vpc>> {
    network::related(balancer, balancer.vpc_id()).await
}

/// The security groups it is in.
async fn find_security_groups(balancer: &LoadBalancer) -> Result<Vec<SecurityGroup>> {
    let ids = balancer.security_groups.clone().unwrap_or_default();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    SecurityGroup::objects(balancer.require_session()?).list().group_ids(ids).results().await
}

/// Where it writes what it was asked.
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
