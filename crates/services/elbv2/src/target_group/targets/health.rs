//! Health of targets, computed on request from the start and the outcome of their health checks.

use super::{TargetDescription, TargetRow, distinct, registrations_of_target, targets_of_group};
use crate::{
    LoadBalancer, Protocol, TargetGroup, TargetGroupManager, TargetType, attributes, errors, routing::routes,
};
use nephos_cloud::{Addressed, Handler, StoredResource, Transitions, Tx};
use nephos_core::{
    Error, ManagerOperation, Record, Result, SignedDuration, Text, Timestamp, WorkflowContext, choices,
    field_value::FieldType, operation,
};
use {TargetHealthReason as Reason, TargetHealthState as State};

choices! {
    /// State of a target.
    pub enum TargetHealthState {
        /// Initial health checks are in progress.
        Initial = "initial",
        /// The health checks pass.
        Healthy = "healthy",
        /// The health checks fail.
        Unhealthy = "unhealthy",
        /// The health checks fail, and connections are drained.
        UnhealthyDraining = "unhealthy.draining",
        /// The target gets no requests.
        Unused = "unused",
        /// The target is being deregistered.
        Draining = "draining",
        /// Health checks are disabled.
        Unavailable = "unavailable",
    }
}

choices! {
    /// Reason why a target is not healthy.
    pub enum TargetHealthReason {
        /// The target is being registered.
        RegistrationInProgress = "Elb.RegistrationInProgress",
        /// Initial health checks are in progress.
        InitialHealthChecking = "Elb.InitialHealthChecking",
        /// The response code does not match.
        ResponseCodeMismatch = "Target.ResponseCodeMismatch",
        /// The request timed out.
        Timeout = "Target.Timeout",
        /// The connection failed, or the response was malformed.
        FailedHealthChecks = "Target.FailedHealthChecks",
        /// The target is not registered.
        NotRegistered = "Target.NotRegistered",
        /// No load balancer routes to the target.
        NotInUse = "Target.NotInUse",
        /// The target is being deregistered.
        DeregistrationInProgress = "Target.DeregistrationInProgress",
        /// The instance is not running.
        InvalidState = "Target.InvalidState",
        /// The address cannot be used.
        IpUnusable = "Target.IpUnusable",
        /// Health checks are disabled.
        HealthCheckDisabled = "Target.HealthCheckDisabled",
        /// An internal error of the load balancer.
        InternalError = "Elb.InternalError",
    }
}

/// Health of a target.
#[derive(Record)]
pub struct TargetHealth {
    /// State.
    state: Option<TargetHealthState>,
    /// Reason why the target is not healthy.
    reason: Option<TargetHealthReason>,
    /// Description of the reason.
    description: Option<Text>,
}

choices! {
    /// Result of anomaly detection.
    pub enum AnomalyResult {
        /// The target behaves differently from the other targets.
        Anomalous = "anomalous",
        /// The target behaves like the other targets.
        Normal = "normal",
    }
}

choices! {
    /// Mitigation of an anomaly: fewer requests for the target.
    pub enum MitigationInEffect {
        /// In effect.
        Yes = "yes",
        /// Not in effect.
        No = "no",
    }
}

choices! {
    /// Information about targets in addition to their health.
    pub enum Include {
        /// Anomaly detection.
        AnomalyDetection,
        /// All information.
        All,
    }
}

/// Anomaly detection of a target.
#[derive(Record)]
pub struct AnomalyDetection {
    /// Result.
    result: Option<AnomalyResult>,
    /// Mitigation.
    mitigation_in_effect: Option<MitigationInEffect>,
}

choices! {
    /// State of an override: traffic that is shifted away from the zone of a target.
    pub enum OverrideState {
        /// The state is not known.
        NotKnown = "unknown",
        /// There is no override.
        NoOverride = "no_override",
        /// A zonal shift is active.
        ZonalShiftActive = "zonal_shift_active",
        /// A zonal shift is active, by DNS.
        ZonalShiftDelegatedToDns = "zonal_shift_delegated_to_dns",
    }
}

choices! {
    /// Reason for the state of an override.
    pub enum OverrideReason {
        /// The reason is not known.
        NotKnown = "AdministrativeOverride.Unknown",
        /// There is no override.
        NoOverride = "AdministrativeOverride.NoOverride",
        /// A zonal shift is active.
        ZonalShiftActive = "AdministrativeOverride.ZonalShiftActive",
        /// A zonal shift is active, by DNS.
        ZonalShiftDelegatedToDns = "AdministrativeOverride.ZonalShiftDelegatedToDns",
    }
}

/// Override of the routing to a target.
#[derive(Record)]
pub struct AdministrativeOverride {
    /// State.
    state: Option<OverrideState>,
    /// Reason.
    reason: Option<OverrideReason>,
    /// Description of the reason.
    description: Option<Text>,
}

/// A target and its health.
#[derive(Record)]
pub struct TargetHealthDescription {
    /// The target.
    target: Option<TargetDescription>,
    /// Port of its health checks.
    health_check_port: Option<Text>,
    /// Health.
    target_health: Option<TargetHealth>,
    /// Anomaly detection; only if requested by `Include`.
    anomaly_detection: Option<AnomalyDetection>,
    /// Override; only if zonal shift is enabled for the load balancer.
    administrative_override: Option<AdministrativeOverride>,
}

/// Describes the health of the targets of a target group: all of them, or the given ones.
#[operation(
    of = TargetGroup, needs(target_group_arn), include(HealthSelection),
    wraps(target_health_descriptions: Vec<TargetHealthDescription>), effect = read, subject = "*"
)]
pub struct DescribeTargetHealth {}

/// The targets to describe, and the information about them.
#[derive(Record)]
#[record(shared)]
pub struct HealthSelection {
    /// Targets; all of the target group by default.
    targets: Option<Vec<TargetDescription>>,
    /// Additional information: AnomalyDetection, or All.
    include: Option<Vec<Include>>,
}

impl Handler for DescribeTargetHealth {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let group = TargetGroup::require(cx, &self.target_group_arn, "TargetGroupArn")?;
        let context = HealthContext::load(cx, &group)?;
        let describe = |row: &TargetRow| context.describe(cx, row);
        let mut described = Vec::new();
        match self.targets.as_deref().unwrap_or_default() {
            [] => {
                let all = targets_of_group(cx, group.own_name())?;
                described = all.iter().map(describe).collect::<Result<_>>()?;
            }
            targets => {
                for (n, target) in distinct(targets) {
                    let in_target = |error: Error| error.in_field(&format!("Targets[{n}]"));
                    super::check::check_id(&group, target).map_err(in_target)?;
                    let found = registrations_of_target(cx, &group, target)?;
                    if found.is_empty() {
                        described.push(unregistered(target));
                    }
                    for row in &found {
                        described.push(describe(row)?);
                    }
                }
            }
        }
        let application = group.protocol.as_ref().is_some_and(Protocol::is_http);
        if self.include.is_some_and(|include| !include.is_empty()) && application {
            // No traffic is emulated, so no target is anomalous.
            for description in &mut described {
                let normal = AnomalyDetection {
                    result: Some(AnomalyResult::Normal),
                    mitigation_in_effect: Some(MitigationInEffect::No),
                };
                description.anomaly_detection = Some(normal);
            }
        }
        Ok(described.into())
    }
}

/// The state that the health of all targets of a group depends on, at one time.
pub(super) struct HealthContext<'g> {
    group: &'g TargetGroup,
    balancer: Option<LoadBalancer>,
    used_since: Option<Timestamp>,
    instant: bool,
    pub(super) now: Timestamp,
    /// Draining interval of unhealthy targets.
    draining: SignedDuration,
    /// True if zonal shift is enabled for the load balancer.
    zonal_shift_enabled: bool,
}

impl<'g> HealthContext<'g> {
    pub(super) fn load(cx: &Tx<'_>, group: &'g TargetGroup) -> Result<Self> {
        let used_by = routes::balancer_arns(cx, group.own_name())?.into_iter().next();
        let (mut balancer, mut zonal_shift_enabled) = (None, None);
        if let Some(arn) = &used_by {
            balancer = LoadBalancer::find(cx, arn, "LoadBalancerArn")?;
            zonal_shift_enabled = attributes::value(cx, arn, "zonal_shift.config.enabled")?;
        }
        let draining = attributes::value(cx, group.own_arn(), attributes::UNHEALTHY_DRAINING)?;
        Ok(Self {
            group,
            balancer,
            used_since: routes::used_since(cx, group.own_name())?,
            instant: cx.transitions() == Transitions::Instant,
            now: cx.now(),
            draining: SignedDuration::from_secs(draining.and_then(|text| text.parse().ok()).unwrap_or(0)),
            zonal_shift_enabled: zonal_shift_enabled.as_deref() == Some("true"),
        })
    }

    /// Returns the time that this number of health checks takes.
    fn duration_of_checks(&self, count: Option<i64>) -> SignedDuration {
        let interval = self.group.health_check_interval_seconds.unwrap_or_default();
        if self.instant {
            SignedDuration::ZERO
        } else {
            SignedDuration::from_secs(interval * count.unwrap_or_default())
        }
    }

    /// Returns the state of a target in use by its health checks (initial, healthy or unhealthy), the start of that state, and
    /// the start of the checks.
    fn checked_state(&self, row: &TargetRow, used_since: Timestamp) -> (State, Timestamp, Timestamp) {
        let since = row.since.unwrap_or(used_since);
        let begun = since.max(used_since);
        // The state from before the group was out of use is discarded.
        let (previous, previous_since) = if used_since > since {
            (State::Initial, begun)
        } else {
            let previous = row.was.clone().unwrap_or(State::Initial);
            (previous, row.was_since.unwrap_or(begun))
        };
        let (outcome, threshold) = match row.failing {
            Some(_) => (State::Unhealthy, self.group.unhealthy_threshold_count),
            None => (State::Healthy, self.group.healthy_threshold_count),
        };
        if previous == outcome {
            return (previous, previous_since, begun);
        }
        let reached = add_saturating(begun, self.duration_of_checks(threshold));
        if self.now >= reached { (outcome, reached, begun) } else { (previous, previous_since, begun) }
    }

    /// Returns the row with the current state recorded, so that later changes of the group do not change it.
    pub(super) fn with_recorded_state(&self, mut row: TargetRow) -> TargetRow {
        if let Some(used_since) = self.used_since {
            let (state, since, begun) = self.checked_state(&row, used_since);
            row.was = Some(state).filter(|state| *state != State::Initial);
            row.was_since = row.was.is_some().then_some(since);
            row.since = Some(begun);
        }
        row
    }

    fn describe(&self, cx: &Tx<'_>, row: &TargetRow) -> Result<TargetHealthDescription> {
        if row.untold == Some(true) {
            return Err(errors::health_unavailable().with_hint(row.id()));
        }
        let health_check_port = match self.group.health_check_port.as_deref() {
            Some("traffic-port") => Some(row.port().to_string().into()),
            port => port.map(Text::new),
        };
        let administrative_override = self.zonal_shift_enabled.then(|| AdministrativeOverride {
            state: Some(OverrideState::NoOverride),
            reason: Some(OverrideReason::NoOverride),
            description: Some("no override is in effect for the zone of the target".into()),
        });
        Ok(TargetHealthDescription {
            target: row.target.clone(),
            health_check_port,
            target_health: Some(self.health(cx, row)?),
            anomaly_detection: None,
            administrative_override,
        })
    }

    fn health(&self, cx: &Tx<'_>, row: &TargetRow) -> Result<TargetHealth> {
        if row.deregistered.is_some() {
            let message = "target deregistration is in progress";
            return Ok(target_health(State::Draining, Reason::DeregistrationInProgress, message));
        }
        let Some(used_since) = self.used_since else {
            return Ok(target_health(
                State::Unused,
                Reason::NotInUse,
                "the target group is not used by a load balancer",
            ));
        };
        if self.group.target_type == Some(TargetType::Instance) {
            let instance = nephos_ec2::instance(cx, row.id())?;
            let state = instance.as_ref().map_or("terminated", nephos_ec2::Instance::state_text);
            if !["pending", "running"].contains(&state) {
                return Ok(target_health(
                    State::Unused,
                    Reason::InvalidState,
                    format!("the instance is in state {state}"),
                ));
            }
            let placement = instance.as_ref().and_then(|instance| instance.placement());
            let zone = placement.and_then(|placement| placement.availability_zone()).unwrap_or_default();
            let balancer = self.balancer.as_ref();
            if balancer.is_some_and(|balancer| !balancer.own_zones().any(|own| own == zone)) {
                let message = format!(
                    "the target is in Availability Zone {zone}, which is not enabled for the load balancer"
                );
                return Ok(target_health(State::Unused, Reason::NotInUse, message));
            }
        }
        if self.group.health_check_enabled == Some(false) {
            let message = "health checks are disabled for the target group";
            return Ok(target_health(State::Unavailable, Reason::HealthCheckDisabled, message));
        }
        let (state, since, begun) = self.checked_state(row, used_since);
        Ok(match state {
            State::Healthy => TargetHealth { state: Some(state), reason: None, description: None },
            State::Initial if self.now < add_saturating(begun, self.duration_of_checks(Some(1))) => {
                target_health(
                    State::Initial,
                    Reason::RegistrationInProgress,
                    "target registration is in progress",
                )
            }
            State::Initial => target_health(
                State::Initial,
                Reason::InitialHealthChecking,
                "initial health checks are in progress",
            ),
            _ => {
                let reason = row.failing.clone().unwrap_or(Reason::FailedHealthChecks);
                let message = match &reason {
                    Reason::ResponseCodeMismatch => "health checks failed: the response code does not match",
                    Reason::Timeout => "health checks failed: the request timed out",
                    _ => "health checks failed",
                };
                let draining = self.now < add_saturating(since, self.draining) && !self.instant;
                target_health(if draining { State::UnhealthyDraining } else { state }, reason, message)
            }
        })
    }
}

fn add_saturating(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// Describes a target that is not registered.
fn unregistered(target: &TargetDescription) -> TargetHealthDescription {
    let message = "the target is not registered with the target group";
    let target_health = Some(target_health(State::Unused, Reason::NotRegistered, message));
    let target = Some(target.clone());
    TargetHealthDescription { target, target_health, ..TargetHealthDescription::blank() }
}

fn target_health(state: State, reason: Reason, message: impl Into<Text>) -> TargetHealth {
    TargetHealth { state: Some(state), reason: Some(reason), description: Some(message.into()) }
}

/// Records the states of the targets of a group before its health checks change.
pub(crate) fn record_states(cx: &mut Tx<'_>, group: &TargetGroup) -> Result<()> {
    let recorded: Vec<_> = {
        let context = HealthContext::load(cx, group)?;
        targets_of_group(cx, group.own_name())?
            .into_iter()
            .map(|row| context.with_recorded_state(row))
            .collect()
    };
    recorded.into_iter().try_for_each(|row| cx.put(row))
}

/// Describes the health of the targets of a target group: all of them, or the given ones.
#[operation(
    kind = TargetGroup, call = "targets", on_model, include(HealthSelection),
    effect = read, output = Vec<TargetHealthDescription>
)]
pub struct TargetGroupTargets {
    /// ARN of the target group.
    pub target_group_arn: Text,
}

impl ManagerOperation for TargetGroupTargets {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<TargetHealthDescription>> {
        if self.targets.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let describe = DescribeTargetHealth::from_given(self.clone());
        Ok(context.call(describe).await?.target_health_descriptions.unwrap_or_default())
    }
}
