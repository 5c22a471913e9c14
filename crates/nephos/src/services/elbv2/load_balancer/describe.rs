//! Finding balancers.

use super::{LoadBalancer, missing, named, require};
use crate::{
    cloud::{Behaviour, Scope, Stored, Tx, Wanted},
    services::elbv2::{SERVICE, names, paging},
};
use nephos_core::{Arn, Operation, Record, Result, Text};
use nephos_store::Direction;

/// Describes load balancers, in order of their names, or in that in which they are asked for.
#[derive(Operation)]
#[operation(service = SERVICE, effect = read, output = LoadBalancers)]
pub struct DescribeLoadBalancers {
    /// Only these, by resource name.
    #[field(length(..=20))]
    pub load_balancer_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// Where the page before ended.
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of load balancers.
#[derive(Record)]
#[record(name = "DescribeLoadBalancersOutput")]
pub struct LoadBalancers {
    /// The load balancers.
    pub(in crate::services::elbv2) load_balancers: Option<Vec<LoadBalancer>>,
    /// Where this page ends.
    pub(in crate::services::elbv2) next_marker: Option<Text>,
}

/// The load balancer that was made.
#[derive(Record)]
#[record(name = "CreateLoadBalancerOutput")]
pub struct OneLoadBalancer {
    /// The load balancer.
    pub(in crate::services::elbv2) load_balancers: Option<Vec<LoadBalancer>>,
}

impl OneLoadBalancer {
    pub(super) fn of(balancer: LoadBalancer) -> Self {
        Self { load_balancers: Some(vec![balancer]) }
    }
}

impl Behaviour for DescribeLoadBalancers {
    fn subject(&self, at: &Scope) -> Arn {
        names::every(at, super::KIND)
    }

    fn run(self, cx: &mut Tx<'_>) -> Result<LoadBalancers> {
        let chosen: Option<Result<Vec<_>>> = match (&self.load_balancer_arns, &self.names) {
            (Some(_), Some(_)) => {
                return Err(names::invalid("Names", "names and resource names exclude each other"));
            }
            (Some(arns), None) => {
                Some(paging::once(arns).iter().map(|arn| require(cx, arn, "LoadBalancerArns")).collect())
            }
            (None, Some(names)) => {
                let find = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
                Some(paging::once(names).iter().map(find).collect())
            }
            (None, None) => None,
        };
        let (balancers, next_marker) = match chosen {
            Some(chosen) => {
                paging::page(cx, &self, chosen?, self.marker.as_deref(), self.page_size, paging::numbered)?
            }
            None => {
                let table = LoadBalancer::table(cx.scope());
                let wanted = Wanted {
                    within: &table,
                    token: self.marker.as_deref(),
                    size: paging::size(self.page_size),
                    direction: Direction::Ascending,
                };
                let key = |name: &str| table.clone().text(name);
                let name = |balancer: &LoadBalancer| balancer.own_name().into();
                cx.page(&self, wanted, key, name, |balancer| Ok(Some(balancer)))?
            }
        };
        Ok(LoadBalancers { load_balancers: Some(balancers), next_marker })
    }
}
