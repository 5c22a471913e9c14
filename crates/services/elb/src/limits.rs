//! Quotas and limits of an account.

use crate::{ClassicELB, ClassicELBManager};
use nephos_cloud::{Handler, Quota, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Quota of load balancers.
pub(crate) const LOAD_BALANCERS: Quota =
    Quota { counter: "elb/load-balancers", max: 20, what: "classic load balancers" };

/// Maximum number of listeners of a load balancer.
pub(crate) const MAX_LISTENERS: usize = 100;

/// Maximum number of registered instances of a load balancer.
pub(crate) const MAX_INSTANCES: usize = 1000;

/// Maximum number of policies of a load balancer.
pub(crate) const MAX_POLICIES: usize = 100;

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token)]
    marker: Option<Text>,
    /// Maximum number of results on a page; 400 by default.
    #[field(page_size, range(1..=400))]
    page_size: Option<i64>,
}

/// A limit of an account.
#[derive(Record)]
pub struct Limit {
    /// Name of the limit.
    name: Option<Text>,
    /// Maximum number of resources.
    max: Option<Text>,
}

/// Describes the limits of the account.
#[operation(
    of = ClassicELB, call = "account_limits", page(limits: Limit, next_marker), include(Page), effect = read, subject = "*"
)]
pub struct DescribeAccountLimits {}

impl Handler for DescribeAccountLimits {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let limits = [
            ("classic-load-balancers", LOAD_BALANCERS.max.to_string()),
            ("classic-listeners", MAX_LISTENERS.to_string()),
            ("classic-registered-instances", MAX_INSTANCES.to_string()),
        ];
        let limits = limits.map(|(name, max)| Limit { name: Some(name.into()), max: Some(max.into()) });
        Ok(cx.page_list(&self, limits)?.into())
    }
}
