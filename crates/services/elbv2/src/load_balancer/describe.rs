//! Finding balancers.

use super::{LoadBalancer, LoadBalancerManager, missing, named, require};
use crate::{SERVICE, names, paging, tagging};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Describes load balancers, in order of their names, or in that in which they are asked for.
#[operation(
    service = SERVICE, of = LoadBalancer, call = "list", pages, gives(load_balancers, next_marker),
    find(load_balancer_arn in load_balancer_arns, name in names), with = tagging::with_tags,
    effect = read, output = LoadBalancers, subject = "loadbalancer/*"
)]
pub struct DescribeLoadBalancers {
    /// ARNs of the load balancers.
    #[field(length(..=20))]
    pub load_balancer_arns: Option<Vec<Text>>,
    /// Names of the load balancers.
    pub names: Option<Vec<Text>>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// Maximum number on a page; 400 by default.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of load balancers.
#[derive(Record)]
#[record(name = "DescribeLoadBalancersOutput")]
pub struct LoadBalancers {
    /// The load balancers.
    load_balancers: Option<Vec<LoadBalancer>>,
    /// Pagination token of the next page.
    next_marker: Option<Text>,
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
