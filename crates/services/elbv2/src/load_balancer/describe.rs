//! Finding balancers.

use super::{LoadBalancer, missing, named, require};
use crate::{SERVICE, names, paging};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Describes load balancers, in order of their names, or in that in which they are asked for.
#[operation(service = SERVICE, effect = read, output = LoadBalancers, subject = "loadbalancer/*")]
pub struct DescribeLoadBalancers {
    /// Only these, by resource name.
    #[field(length(..=20))]
    pub load_balancer_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// Where the page before ended.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of load balancers.
#[derive(Record)]
#[record(name = "DescribeLoadBalancersOutput")]
pub struct LoadBalancers {
    /// The load balancers.
    pub(crate) load_balancers: Option<Vec<LoadBalancer>>,
    /// Where this page ends.
    pub(crate) next_marker: Option<Text>,
}

/// The load balancer that was made.
#[derive(Record)]
#[record(name = "CreateLoadBalancerOutput")]
pub struct OneLoadBalancer {
    /// The load balancer.
    pub(crate) load_balancers: Option<Vec<LoadBalancer>>,
}

impl OneLoadBalancer {
    pub(super) fn of(balancer: LoadBalancer) -> Self {
        Self { load_balancers: Some(vec![balancer]) }
    }
}

impl Handler for DescribeLoadBalancers {
    fn run(self, cx: &mut Tx<'_>) -> Result<LoadBalancers> {
        if self.load_balancer_arns.is_some() && self.names.is_some() {
            return Err(names::invalid("Names", "names and resource names exclude each other"));
        }
        let by_name = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
        let chosen = match &self.names {
            None => {
                paging::each(self.load_balancer_arns.as_ref(), |arn| require(cx, arn, "LoadBalancerArns"))?
            }
            names => paging::each(names.as_ref(), by_name)?,
        };
        let (token, size) = (self.marker.as_deref(), self.page_size);
        let (balancers, next_marker) =
            paging::of_named(cx, &self, chosen, token, size, LoadBalancer::own_name)?;
        Ok(LoadBalancers { load_balancers: Some(balancers), next_marker })
    }
}
