//! Registrations of instances. Their health is computed on request from the start and the outcome of the health checks.

use super::InstanceState;
use crate::{ClassicELB, HealthCheck};
use nephos_cloud::{Stored, StoredResource, Transitions, Tx};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, field_value::FieldType};

/// Row of an instance that is or was registered with a load balancer, with the state of its health checks.
#[derive(Record)]
#[record(row)]
pub(crate) struct RegistrationRow {
    /// Name of the load balancer.
    load_balancer_name: Option<Text>,
    /// ID of the instance.
    instance_id: Option<Text>,
    /// Time since when the health checks have their current outcome.
    since: Option<Timestamp>,
    /// True if the instance was in service at that time, false if it was out of service; absent while it was being registered.
    was_in_service: Option<bool>,
    /// True if the health checks fail.
    failing: Option<bool>,
    /// Time of deregistration.
    pub(super) deregistered: Option<Timestamp>,
}

nephos_cloud::stored!(RegistrationRow in "elb/registration" by load_balancer_name, instance_id);

impl RegistrationRow {
    pub(super) fn new(balancer: &ClassicELB, instance: &str, now: Timestamp) -> Self {
        let name = balancer.load_balancer_name.clone();
        Self {
            load_balancer_name: name,
            instance_id: Some(instance.into()),
            since: Some(now),
            ..Self::blank()
        }
    }

    pub(super) fn find(cx: &Tx<'_>, balancer: &str, instance: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(balancer).text(instance))
    }

    fn id(&self) -> &str {
        self.instance_id.as_deref().unwrap_or_default()
    }
}

/// Removes all registrations of a load balancer.
pub(crate) fn remove_all(cx: &mut Tx<'_>, balancer: &str) -> Result<()> {
    cx.remove_all(&RegistrationRow::table(cx.scope()).text(balancer).prefix_range()).map(drop)
}

/// Records the states of all instances before the health checks of a load balancer change.
pub(crate) fn record_states(cx: &mut Tx<'_>, balancer: &ClassicELB) -> Result<()> {
    let context = HealthContext::new(cx, balancer);
    let rows: Vec<RegistrationRow> = cx.all(&RegistrationRow::table(cx.scope()).text(balancer.own_name()))?;
    let rows: Vec<_> = rows.into_iter().map(|row| context.with_recorded_state(row)).collect();
    rows.into_iter().try_for_each(|row| cx.put(row))
}

/// What the health of all instances of a load balancer depends on, at one time.
pub(super) struct HealthContext<'b> {
    balancer: &'b ClassicELB,
    instant: bool,
    now: Timestamp,
}

/// Descriptions of the causes of states.
const NONE: &str = "N/A";
const REGISTERING: &str = "Instance registration is still in progress.";
const FAILED: &str =
    "Instance has failed at least the UnhealthyThreshold number of health checks consecutively.";
const NOT_PASSED: &str =
    "Instance has not passed the configured HealthyThreshold number of health checks consecutively.";
const DEREGISTERING: &str = "Instance deregistration currently in progress.";
const NOT_REGISTERED: &str = "Instance is not currently registered with the LoadBalancer.";
const OTHER_ZONE: &str =
    "Instance is in the EC2 Availability Zone for which LoadBalancer is not configured to route traffic to.";

impl<'b> HealthContext<'b> {
    pub(super) fn new(cx: &Tx<'_>, balancer: &'b ClassicELB) -> Self {
        Self { balancer, instant: cx.transitions() == Transitions::Instant, now: cx.now() }
    }

    fn seconds(&self, seconds: i64) -> SignedDuration {
        SignedDuration::from_secs(if self.instant { 0 } else { seconds })
    }

    /// Time that this number of health checks takes.
    fn duration_of(&self, count: impl Fn(&HealthCheck) -> Option<i64>) -> SignedDuration {
        let Some(check) = &self.balancer.health_check else { return SignedDuration::ZERO };
        self.seconds(check.interval.unwrap_or_default() * count(check).unwrap_or_default())
    }

    /// True if the health checks find the instance in service, false if out of service; none while it is being registered.
    fn checked_state(&self, row: &RegistrationRow) -> Option<bool> {
        let passes = row.failing != Some(true);
        let duration = match passes {
            true => self.duration_of(|check| check.healthy_threshold),
            false => self.duration_of(|check| check.unhealthy_threshold),
        };
        let reached = row.since.and_then(|since| since.checked_add(duration).ok()).unwrap_or(Timestamp::MAX);
        if self.now >= reached { Some(passes) } else { row.was_in_service }
    }

    /// Returns the row with its current state recorded, so that later changes of the health check do not change it.
    fn with_recorded_state(&self, mut row: RegistrationRow) -> RegistrationRow {
        row.was_in_service = self.checked_state(&row);
        row
    }

    /// Returns the row with this outcome of its future health checks.
    pub(super) fn with_outcome(&self, row: RegistrationRow, failing: bool) -> RegistrationRow {
        if row.failing.unwrap_or_default() == failing {
            return row;
        }
        let mut row = self.with_recorded_state(row);
        (row.since, row.failing) = (Some(self.now), failing.then_some(true));
        row
    }

    /// True while a deregistered instance finishes its requests.
    fn is_draining(&self, row: &RegistrationRow) -> bool {
        let seconds = self.balancer.connection_draining.as_ref().map_or(0, |draining| draining.seconds());
        let end = row.deregistered.and_then(|start| start.checked_add(self.seconds(seconds)).ok());
        end.is_some_and(|end| self.now < end)
    }

    /// Returns the rows of registered instances, in order of registration, and of those that finish their requests.
    pub(super) fn shown_rows(&self, cx: &Tx<'_>) -> Result<Vec<RegistrationRow>> {
        let name = self.balancer.own_name();
        let mut rows: Vec<RegistrationRow> = cx.all(&RegistrationRow::table(cx.scope()).text(name))?;
        rows.retain(|row| row.deregistered.is_none() || self.is_draining(row));
        let position = |row: &RegistrationRow| {
            let mut registered = self.balancer.instances.iter().flatten();
            registered.position(|instance| instance.id() == row.id()).unwrap_or(usize::MAX)
        };
        rows.sort_by_cached_key(position);
        Ok(rows)
    }

    pub(super) fn describe(&self, cx: &Tx<'_>, row: &RegistrationRow) -> Result<InstanceState> {
        let (state, reason, description) = self.state(cx, row)?;
        Ok(InstanceState {
            instance_id: row.instance_id.clone(),
            state: Some(state.into()),
            reason_code: Some(reason.into()),
            description: Some(description),
        })
    }

    /// Returns the state of an instance, the code of its cause, and its description.
    fn state(&self, cx: &Tx<'_>, row: &RegistrationRow) -> Result<(&'static str, &'static str, Text)> {
        if self.is_draining(row) {
            return Ok(("InService", NONE, DEREGISTERING.into()));
        }
        let out_of_service = |reason, description: &str| Ok(("OutOfService", reason, description.into()));
        if row.deregistered.is_some() {
            return out_of_service("Instance", NOT_REGISTERED);
        }
        let instance = nephos_ec2::instance(cx, row.id())?;
        let state = instance.as_ref().map_or("terminated", |instance| instance.state_text());
        if state != "running" {
            return out_of_service("Instance", &format!("Instance is in {state} state."));
        }
        let placement = instance.as_ref().and_then(|instance| instance.placement());
        let zone = placement.and_then(|placement| placement.availability_zone());
        if !self.balancer.availability_zones.iter().flatten().any(|own| zone == Some(own.as_str())) {
            return out_of_service("ELB", OTHER_ZONE);
        }
        match self.checked_state(row) {
            Some(true) => Ok(("InService", NONE, NONE.into())),
            None => out_of_service("ELB", REGISTERING),
            Some(false) if row.failing == Some(true) => out_of_service("Instance", FAILED),
            Some(false) => out_of_service("Instance", NOT_PASSED),
        }
    }
}
