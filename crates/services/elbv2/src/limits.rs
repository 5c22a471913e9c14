//! Quotas and limits of an account.

use super::{
    LoadBalancer, LoadBalancerManager, Protocol, load_balancer::LoadBalancerType, paging::Page,
    routing::routes,
};
use nephos_cloud::{Handler, Quota, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Quota of trust stores.
pub(super) const TRUST_STORES: Quota = Quota { counter: "elbv2/trust-stores", max: 20, what: "trust stores" };

const TARGET_GROUPS: Quota = Quota { counter: "elbv2/target-groups", max: 3000, what: "target groups" };
const GENEVE_TARGET_GROUPS: Quota =
    Quota { counter: "elbv2/geneve-target-groups", max: 100, what: "GENEVE target groups" };
const APPLICATION_BALANCERS: Quota =
    Quota { counter: "elbv2/application", max: 50, what: "application load balancers" };
const NETWORK_BALANCERS: Quota = Quota { counter: "elbv2/network", max: 50, what: "network load balancers" };
const GATEWAY_BALANCERS: Quota = Quota { counter: "elbv2/gateway", max: 100, what: "gateway load balancers" };

/// Returns the quota of target groups of a protocol.
pub(super) fn target_group_quota(protocol: Option<&Protocol>) -> Quota {
    if protocol == Some(&Protocol::Geneve) { GENEVE_TARGET_GROUPS } else { TARGET_GROUPS }
}

/// Returns the quota of load balancers of a type.
pub(super) fn load_balancer_quota(balancer_type: &LoadBalancerType) -> Quota {
    match balancer_type {
        LoadBalancerType::Network => NETWORK_BALANCERS,
        LoadBalancerType::Gateway => GATEWAY_BALANCERS,
        _ => APPLICATION_BALANCERS,
    }
}

/// Maximum number of listeners of a load balancer.
pub(super) const MAX_LISTENERS: usize = 50;

/// Maximum number of rules of a load balancer, without default rules.
pub(super) const MAX_RULES: usize = 100;

/// Maximum number of targets of a target group.
pub(super) const MAX_TARGETS: usize = 1000;

/// Maximum number of registrations of one target with the target groups of an application load balancer.
pub(super) const MAX_REGISTRATIONS: usize = 1000;

/// Maximum number of certificates of a listener, without the default one.
pub(super) const MAX_CERTIFICATES: usize = 25;

/// Maximum number of actions of a rule.
pub(super) const MAX_ACTIONS: usize = 5;

/// Maximum number of target groups of a forward action.
pub(super) const MAX_GROUPS_PER_ACTION: usize = 5;

/// Maximum number of values in the conditions of a rule.
pub(super) const MAX_CONDITION_VALUES: usize = 5;

/// Maximum number of wildcards in the conditions of a rule.
pub(super) const MAX_CONDITION_WILDCARDS: usize = 6;

/// A limit of an account.
#[derive(Record)]
pub struct Limit {
    /// Name of the limit.
    name: Option<Text>,
    /// Maximum number of resources.
    max: Option<Text>,
}

fn account_limits() -> Vec<Limit> {
    let count = |count: usize| count as i64;
    let limits = [
        ("target-groups", TARGET_GROUPS.max),
        ("targets-per-application-load-balancer", count(MAX_TARGETS)),
        ("listeners-per-application-load-balancer", count(MAX_LISTENERS)),
        ("rules-per-application-load-balancer", count(MAX_RULES)),
        ("network-load-balancers", NETWORK_BALANCERS.max),
        ("targets-per-network-load-balancer", 3000),
        ("targets-per-availability-zone-per-network-load-balancer", 500),
        ("listeners-per-network-load-balancer", count(MAX_LISTENERS)),
        ("condition-values-per-alb-rule", count(MAX_CONDITION_VALUES)),
        ("condition-wildcards-per-alb-rule", count(MAX_CONDITION_WILDCARDS)),
        ("target-groups-per-action-on-application-load-balancer", count(MAX_GROUPS_PER_ACTION)),
        ("target-groups-per-action-on-network-load-balancer", count(MAX_GROUPS_PER_ACTION)),
        ("target-groups-per-application-load-balancer", count(routes::MAX_TARGET_GROUPS)),
        ("certificates-per-application-load-balancer", count(MAX_CERTIFICATES)),
        ("certificates-per-network-load-balancer", count(MAX_CERTIFICATES)),
        ("targets-per-target-group", count(MAX_TARGETS)),
        ("target-id-registrations-per-application-load-balancer", count(MAX_REGISTRATIONS)),
        ("network-load-balancer-enis-per-vpc", 1200),
        ("application-load-balancers", APPLICATION_BALANCERS.max),
        ("gateway-load-balancers", GATEWAY_BALANCERS.max),
        ("gateway-load-balancers-per-vpc", GATEWAY_BALANCERS.max),
        ("geneve-target-groups", GENEVE_TARGET_GROUPS.max),
        ("targets-per-availability-zone-per-gateway-load-balancer", 300),
    ];
    let limit =
        |(name, max): (&str, i64)| Limit { name: Some(name.into()), max: Some(max.to_string().into()) };
    limits.into_iter().map(limit).collect()
}

/// Describes the limits of the account.
#[operation(
    of = LoadBalancer, call = "account_limits", page(limits: Limit, next_marker),
    include(Page), effect = read, subject = "*"
)]
pub struct DescribeAccountLimits {}

impl Handler for DescribeAccountLimits {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(cx.page_list(&self, account_limits())?.into())
    }
}
