//! How many of everything an account may have.

use super::{
    LoadBalancer, LoadBalancerManager, SERVICE, load_balancer::LoadBalancerType, paging::Page,
    protocol::Protocol, routes,
};
use nephos_cloud::{Handler, Quota, Tx};
use nephos_core::{Record, Result, Text, operation};

/// The quota of trust stores.
pub(super) const TRUST_STORES: Quota = Quota { counter: "elbv2/trust-stores", max: 20, what: "trust stores" };

const GROUPS: Quota = Quota { counter: "elbv2/target-groups", max: 3000, what: "target groups" };
const GENEVE: Quota = Quota { counter: "elbv2/geneve-target-groups", max: 100, what: "GENEVE target groups" };
const APPLICATION: Quota =
    Quota { counter: "elbv2/application", max: 50, what: "application load balancers" };
const NETWORK: Quota = Quota { counter: "elbv2/network", max: 50, what: "network load balancers" };
const GATEWAY: Quota = Quota { counter: "elbv2/gateway", max: 100, what: "gateway load balancers" };

/// The quota of target groups of a protocol.
pub(super) fn groups(of: Option<&Protocol>) -> Quota {
    if of == Some(&Protocol::Geneve) { GENEVE } else { GROUPS }
}

/// The quota of load balancers of a type.
pub(super) fn balancers(of: &LoadBalancerType) -> Quota {
    match of {
        LoadBalancerType::Network => NETWORK,
        LoadBalancerType::Gateway => GATEWAY,
        _ => APPLICATION,
    }
}

/// How many listeners a balancer has at most.
pub(super) const LISTENERS: usize = 50;

/// How many rules a balancer has at most, default rules not counted.
pub(super) const RULES: usize = 100;

/// How many targets a target group has at most.
pub(super) const TARGETS: usize = 1000;

/// How often one target is registered at most with the groups that an application balancer leads to.
pub(super) const REGISTRATIONS: usize = 1000;

/// How many certificates a listener has at most beside its default one.
pub(super) const CERTIFICATES: usize = 25;

/// How many actions a rule has at most.
pub(super) const ACTIONS: usize = 5;

/// How many target groups an action leads to at most.
pub(super) const GROUPS_PER_ACTION: usize = 5;

/// How many values the conditions of a rule have at most, and how many wildcards in them.
pub(super) const CONDITION_VALUES: usize = 5;
pub(super) const CONDITION_WILDCARDS: usize = 6;

/// A limit: what is limited, and how many there may be.
#[derive(Record)]
pub struct Limit {
    /// What is limited.
    name: Option<Text>,
    /// How many there may be.
    max: Option<Text>,
}

fn all() -> Vec<Limit> {
    let count = |count: usize| count as i64;
    let limits = [
        ("target-groups", GROUPS.max),
        ("targets-per-application-load-balancer", count(TARGETS)),
        ("listeners-per-application-load-balancer", count(LISTENERS)),
        ("rules-per-application-load-balancer", count(RULES)),
        ("network-load-balancers", NETWORK.max),
        ("targets-per-network-load-balancer", 3000),
        ("targets-per-availability-zone-per-network-load-balancer", 500),
        ("listeners-per-network-load-balancer", count(LISTENERS)),
        ("condition-values-per-alb-rule", count(CONDITION_VALUES)),
        ("condition-wildcards-per-alb-rule", count(CONDITION_WILDCARDS)),
        ("target-groups-per-action-on-application-load-balancer", count(GROUPS_PER_ACTION)),
        ("target-groups-per-action-on-network-load-balancer", count(GROUPS_PER_ACTION)),
        ("target-groups-per-application-load-balancer", count(routes::MOST_GROUPS)),
        ("certificates-per-application-load-balancer", count(CERTIFICATES)),
        ("certificates-per-network-load-balancer", count(CERTIFICATES)),
        ("targets-per-target-group", count(TARGETS)),
        ("target-id-registrations-per-application-load-balancer", count(REGISTRATIONS)),
        ("network-load-balancer-enis-per-vpc", 1200),
        ("application-load-balancers", APPLICATION.max),
        ("gateway-load-balancers", GATEWAY.max),
        ("gateway-load-balancers-per-vpc", GATEWAY.max),
        ("geneve-target-groups", GENEVE.max),
        ("targets-per-availability-zone-per-gateway-load-balancer", 300),
    ];
    let limit =
        |(name, max): (&str, i64)| Limit { name: Some(name.into()), max: Some(max.to_string().into()) };
    limits.into_iter().map(limit).collect()
}

/// Describes how many of everything an account may have.
#[operation(
    service = SERVICE, of = LoadBalancer, call = "account_limits", gives(limits: Vec<Limit>, next_marker),
    also(Page), effect = read, output = Limits, subject = "loadbalancer/*"
)]
pub struct DescribeAccountLimits {}

nephos_core::page! {
    /// A page of limits.
    #[record(name = "DescribeAccountLimitsOutput")]
    pub struct Limits { limits: Limit, next_marker }
}

impl Handler for DescribeAccountLimits {
    fn run(self, cx: &mut Tx<'_>) -> Result<Limits> {
        Ok(cx.page_list(&self, all())?.into())
    }
}
