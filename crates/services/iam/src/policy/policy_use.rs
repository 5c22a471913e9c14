//! Policies that are in use, and those that are not.

use crate::{ListPolicies, Policy, PolicyManager, policy::PolicyScope};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Selection of policies.
#[derive(Record)]
#[record(shared)]
pub struct PolicySelection {
    /// Owner of the policies; all by default.
    scope: Option<PolicyScope>,
    /// Prefix of the paths; all by default.
    #[field(like = Policy::path)]
    path_prefix: Option<Text>,
}

/// Lists the policies for which `is_listed` is true.
async fn list(
    context: &WorkflowContext,
    mut query: ListPolicies,
    is_listed: impl Fn(&Policy) -> bool,
) -> Result<Vec<Policy>> {
    let mut policies = Vec::new();
    loop {
        let page = context.call(query.clone()).await?;
        policies.extend(page.policies.unwrap_or_default().into_iter().filter(&is_listed));
        query.marker = page.marker;
        if query.marker.is_none() {
            return Ok(policies);
        }
    }
}

fn is_used(policy: &Policy) -> bool {
    policy.attachment_count.unwrap_or(0) > 0 || policy.permissions_boundary_usage_count.unwrap_or(0) > 0
}

/// Lists the policies that are attached to a user, group or role, or are a permissions boundary.
#[operation(kind = Policy, call = "in_use", include(PolicySelection), effect = read, output = Vec<Policy>)]
pub struct PolicyInUse {}

impl ManagerOperation for PolicyInUse {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Policy>> {
        let mut query = ListPolicies::new().only_attached(true);
        (query.scope, query.path_prefix) = (self.scope.clone(), self.path_prefix.clone());
        list(context, query, is_used).await
    }
}

/// Lists the policies that are neither attached nor a permissions boundary.
#[operation(kind = Policy, call = "not_in_use", include(PolicySelection), effect = read, output = Vec<Policy>)]
pub struct PolicyNotInUse {}

impl ManagerOperation for PolicyNotInUse {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Policy>> {
        let mut query = ListPolicies::new();
        (query.scope, query.path_prefix) = (self.scope.clone(), self.path_prefix.clone());
        list(context, query, |policy| !is_used(policy)).await
    }
}
