//! Test control for the outcome of the health checks of an instance.

use super::registration::{HealthContext, RegistrationRow};
use crate::{ClassicELB, Empty, errors, load_balancer::require};
use nephos_cloud::{Addressed, Handler, Scope, Tx};
use nephos_core::{Arn, Result, Text, choices, operation};

choices! {
    /// Outcome of the health checks of an instance.
    pub enum Health {
        /// The health checks pass; this is the default.
        Passing = "passing",
        /// The health checks fail.
        Failing = "failing",
    }
}

/// Sets the outcome of future health checks of a registered instance, for tests. The instance goes out of service or into service
/// after the threshold of the health check.
#[operation(case = "camel", effect = write, subject = "{loadBalancerArn}")]
pub struct SetInstanceHealth {
    /// ARN of the load balancer: `arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/web`.
    pub load_balancer_arn: Text,
    /// ID of the instance.
    pub instance_id: Text,
    /// Outcome of the health checks.
    pub health: Health,
}

impl Handler for SetInstanceHealth {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let parts = Arn::parts(&self.load_balancer_arn).zip(ClassicELB::read_arn(&self.load_balancer_arn));
        let Some(([_, _, region, account, _], names)) = parts else {
            return Err(errors::arn_invalid(&self.load_balancer_arn).with_field("loadBalancerArn"));
        };
        cx.in_scope(&Scope::new(account, region), |cx| {
            let balancer = require(cx, &names.concat())?;
            let row = RegistrationRow::find(cx, &names.concat(), &self.instance_id)?;
            let Some(row) = row.filter(|row| row.deregistered.is_none()) else {
                return Err(errors::instance_not_found(&self.instance_id).with_field("instanceId"));
            };
            let row = HealthContext::new(cx, &balancer).with_outcome(row, self.health == Health::Failing);
            cx.put(row)
        })?;
        Ok(Empty {})
    }
}
