//! How the checks of a target come out, for whoever tests with it.

use super::{Registered, TargetDescription, TargetHealthReason, health::Look, of_target};
use crate::{
    Cloud,
    cloud::Scope,
    services::elbv2::{errors, names, target_group},
};
use nephos_core::{Arn, Error, Result};

/// How the checks of a target come out.
#[derive(Clone, Debug, PartialEq)]
pub enum Health {
    /// They pass, as they do unless somebody says otherwise.
    Passing,
    /// They fail, for this reason.
    Failing(TargetHealthReason),
    /// Nobody can tell: whoever asks for the health of the target is refused with `HealthUnavailable`. They come out as
    /// before meanwhile.
    Unavailable,
}

impl Cloud {
    /// Decides how the checks of a registered target come out from now on: it becomes unhealthy, or healthy, after as many
    /// of them as its group says. Without a port, all ports of the target are meant.
    ///
    /// ```
    /// use nephos::{Cloud, Health, services::elbv2::TargetHealthReason};
    ///
    /// let cloud = Cloud::in_memory();
    /// let group = "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/web/0123456789abcdef";
    /// let failing = Health::Failing(TargetHealthReason::Timeout);
    /// assert_eq!(cloud.target_health(group, "10.0.0.1", failing).unwrap_err().code(), "TargetGroupNotFound");
    /// ```
    pub fn target_health(
        &self,
        target_group_arn: &str,
        target: impl Into<TargetDescription>,
        health: Health,
    ) -> Result<()> {
        if let Health::Failing(reason) = &health
            && !matches!(
                reason,
                TargetHealthReason::ResponseCodeMismatch
                    | TargetHealthReason::Timeout
                    | TargetHealthReason::FailedHealthChecks
            )
        {
            let why =
                "checks fail with Target.ResponseCodeMismatch, Target.Timeout or Target.FailedHealthChecks";
            return Err(Error::invalid("Reason", why));
        }
        let Some([_, names::SERVICE_NAME, region, account, _]) = Arn::parts(target_group_arn) else {
            return Err(names::invalid("TargetGroupArn", "is not the resource name of a target group"));
        };
        let (arn, target) = (target_group_arn.to_owned(), target.into());
        self.arrange(Scope::new(account, region), move |cx| {
            let group = target_group::require(cx, &arn, "TargetGroupArn")?;
            let found = of_target(cx, &group, &target)?;
            if found.is_empty() {
                let id = target.id().unwrap_or_default();
                return Err(errors::INVALID_TARGET.because(format!("{id} is not registered with the group")));
            }
            let look = Look::at(cx, &group)?;
            let changed: Vec<_> =
                found.into_iter().map(|registered| look.with(registered, &health)).collect();
            changed.into_iter().try_for_each(|registered| cx.put(registered))
        })
    }
}

impl Look<'_> {
    /// The same target with its checks coming out like that from now on.
    fn with(&self, mut registered: Registered, health: &Health) -> Registered {
        let failing = match health {
            Health::Passing => None,
            Health::Failing(reason) => Some(reason.clone()),
            Health::Unavailable => {
                registered.untold = Some(true);
                return registered;
            }
        };
        registered.untold = None;
        if registered.failing != failing {
            registered = self.settled(registered);
            registered.since = Some(self.now);
            registered.failing = failing;
        }
        registered
    }
}
