//! Finding balancers.

use super::{LoadBalancer, LoadBalancerManager, missing, named, require};
use crate::{
    SERVICE, names,
    paging::{self, Page},
    tagging,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Text, operation};

/// Describes load balancers, in order of their names, or in that in which they are asked for.
#[operation(
    service = SERVICE, of = LoadBalancer, call = "list", pages, gives(load_balancers, next_marker),
    find(load_balancer_arn in load_balancer_arns, name in names), with = tagging::with_tags,
    also(Page), effect = read, output = LoadBalancers, subject = "loadbalancer/*"
)]
pub struct DescribeLoadBalancers {
    /// ARNs of the load balancers.
    #[field(length(..=20))]
    pub load_balancer_arns: Option<Vec<Text>>,
    /// Names of the load balancers.
    pub names: Option<Vec<Text>>,
}

nephos_core::page! {
    /// A page of load balancers.
    #[record(name = "DescribeLoadBalancersOutput")]
    pub struct LoadBalancers { load_balancers: LoadBalancer, next_marker }
}

impl Handler for DescribeLoadBalancers {
    fn run(self, cx: &mut Tx<'_>) -> Result<LoadBalancers> {
        if self.load_balancer_arns.is_some() && self.names.is_some() {
            return Err(names::invalid("Names", "names and ARNs exclude each other"));
        }
        let by_name = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
        let chosen = match &self.names {
            None => {
                paging::each(self.load_balancer_arns.as_ref(), |arn| require(cx, arn, "LoadBalancerArns"))?
            }
            names => paging::each(names.as_ref(), by_name)?,
        };
        let (balancers, next_marker) = paging::chosen_or_all(cx, &self, chosen)?;
        Ok(LoadBalancers { load_balancers: Some(balancers), next_marker })
    }
}
