//! IPAM pools, which application load balancers take their addresses from. The pools are assumed to exist.

use super::{LoadBalancer, LoadBalancerType, operations::replace};
use crate::{LoadBalancerManager, errors, validation::wire_name};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Result, choices, operation};

choices! {
    /// An IPAM pool to remove from a load balancer.
    pub enum RemoveIpamPool {
        /// Pool of IPv4 addresses.
        Ipv4 = "ipv4",
    }
}

/// Replaces or removes the IPAM pools of an application load balancer.
#[operation(
    of = LoadBalancer, call = "set_ip_pools", needs(load_balancer_arn), takes(ipam_pools), answers(ipam_pools),
    effect = write
)]
pub struct ModifyIpPools {
    /// Pools to remove; instead of pools to set.
    pub remove_ipam_pools: Option<Vec<RemoveIpamPool>>,
}

impl Handler for ModifyIpPools {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        if before.own_type() != LoadBalancerType::Application {
            let error = errors::unsupported_for_type("IPAM pools", wire_name(&before.own_type()));
            return Err(error.with_field("LoadBalancerArn"));
        }
        const NAMES: [&str; 2] = ["IpamPools", "RemoveIpamPools"];
        let pools = self.ipam_pools.filter(|pools| pools.ipv4_ipam_pool_id.is_some());
        let removes = self.remove_ipam_pools.is_some_and(|pools| !pools.is_empty());
        let mut after = before.clone();
        after.ipam_pools = match (pools, removes) {
            (None, false) => return Err(errors::one_of_missing(NAMES[0], NAMES[1]).with_field(NAMES[0])),
            (Some(_), true) => return Err(errors::both_given(NAMES[0], NAMES[1]).with_field(NAMES[1])),
            (pools, _) => pools,
        };
        replace(cx, &before, &after)?;
        Ok(after.into())
    }
}
