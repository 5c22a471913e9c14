//! Test control for the outcome of the health checks of a target.

use super::{
    TargetDescription, TargetHealthReason, TargetRow, health::HealthContext, registrations_of_target,
};
use crate::{Empty, TargetGroup, errors, validation};
use nephos_cloud::{Addressed, Handler, Scope, Tx};
use nephos_core::{Arn, Result, Text, choices, operation};

choices! {
    /// Outcome of the health checks of a target.
    pub enum Health {
        /// The health checks pass; this is the default.
        Passing = "passing",
        /// The health checks fail.
        Failing = "failing",
        /// Health is unavailable: DescribeTargetHealth fails with `HealthUnavailable`. The outcome of the health checks stays as
        /// before.
        Unavailable = "unavailable",
    }
}

/// Sets the outcome of future health checks of a registered target, for tests. The target becomes unhealthy or healthy
/// after the threshold of its target group.
#[operation(case = "camel", effect = write, subject = "{targetGroupArn}")]
pub struct SetTargetHealth {
    /// ARN of the target group.
    pub target_group_arn: Text,
    /// ID of the target.
    pub target: Text,
    /// Outcome of the health checks.
    pub health: Health,
    /// Port of the target; all ports if absent.
    #[field(range(1..=65535))]
    pub port: Option<i64>,
    /// Reason of the failure: Target.FailedHealthChecks, Target.Timeout or Target.ResponseCodeMismatch.
    pub reason: Option<TargetHealthReason>,
}

impl Handler for SetTargetHealth {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let failing = self.failure_reason()?;
        let Some([_, _, region, account, _]) = Arn::parts(&self.target_group_arn) else {
            return Err(
                errors::invalid_arn(&self.target_group_arn, "target group").with_field("targetGroupArn")
            );
        };
        cx.in_scope(&Scope::new(account, region), |cx| {
            let group = TargetGroup::require(cx, &self.target_group_arn, "targetGroupArn")?;
            let target = TargetDescription::builder().id(&self.target).port(self.port).build()?;
            let found = registrations_of_target(cx, &group, &target)?;
            if found.is_empty() {
                return Err(errors::target_not_registered(&self.target));
            }
            let context = HealthContext::load(cx, &group)?;
            let unavailable = self.health == Health::Unavailable;
            let changed: Vec<_> =
                found.into_iter().map(|target| context.with_outcome(target, &failing, unavailable)).collect();
            changed.into_iter().try_for_each(|row| cx.put(row))
        })?;
        Ok(Empty {})
    }
}

impl SetTargetHealth {
    /// Returns the reason why the health checks fail, if they do.
    fn failure_reason(&self) -> Result<Option<TargetHealthReason>> {
        use TargetHealthReason as Reason;
        let reason = match (&self.health, &self.reason) {
            (Health::Failing, reason) => reason.clone().unwrap_or(Reason::FailedHealthChecks),
            (_, None) => return Ok(None),
            (health, Some(_)) => {
                return Err(errors::health_reason_given(validation::wire_name(health)).with_field("reason"));
            }
        };
        let allowed = [Reason::FailedHealthChecks, Reason::Timeout, Reason::ResponseCodeMismatch];
        if allowed.contains(&reason) {
            return Ok(Some(reason));
        }
        let allowed = allowed.each_ref().map(validation::wire_name).join(", ");
        Err(errors::health_reason_invalid(allowed).with_field("reason"))
    }
}

impl HealthContext<'_> {
    /// Returns the row with this outcome of its future health checks.
    fn with_outcome(
        &self,
        mut row: TargetRow,
        failing: &Option<TargetHealthReason>,
        unavailable: bool,
    ) -> TargetRow {
        row.untold = unavailable.then_some(true);
        if !unavailable && row.failing != *failing {
            row = self.with_recorded_state(row);
            row.since = Some(self.now);
            row.failing = failing.clone();
        }
        row
    }
}
