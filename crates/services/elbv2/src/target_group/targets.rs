//! Targets: registered with a target group, which requests are routed to.

mod check;
mod control;
mod health;

pub use control::{Health, SetTargetHealth};
pub(crate) use health::record_states;
pub use health::{
    AdministrativeOverride, AnomalyDetection, AnomalyResult, DescribeTargetHealth, Include,
    MitigationInEffect, OverrideReason, OverrideState, TargetGroupTargets, TargetGroupTargetsCall,
    TargetHealth, TargetHealthDescription, TargetHealthReason, TargetHealthState,
};

use super::{TargetGroup, TargetGroupManager, TargetType};
use crate::{Empty, LoadBalancer, LoadBalancerType, attributes, errors, limits, routing::routes};
use nephos_cloud::{Addressed, Handler, Key, Stored, StoredResource, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, field_value::FieldType, operation};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A target: an instance, an IP address, a function or a load balancer.
#[derive(Record)]
pub struct TargetDescription {
    /// ID, IP address or ARN.
    #[field(required)]
    pub(crate) id: Option<Text>,
    /// Port; that of the target group by default.
    #[field(range(1..=65535))]
    pub(crate) port: Option<i64>,
    /// Availability Zone, or `all`.
    availability_zone: Option<Text>,
    /// Server ID of QUIC connections.
    #[field(length(1..=256))]
    quic_server_id: Option<Text>,
}

impl<T: Into<Text>> From<T> for TargetDescription {
    fn from(id: T) -> Self {
        Self { id: Some(id.into()), port: None, availability_zone: None, quic_server_id: None }
    }
}

/// Row of a target that is registered with a target group, with the state of its health checks.
#[derive(Record)]
pub(crate) struct TargetRow {
    /// Name of the target group.
    group: Option<Text>,
    /// Target.
    target: Option<TargetDescription>,
    /// Time since when the health checks have their current outcome.
    since: Option<Timestamp>,
    /// State at that time: `healthy` or `unhealthy`; absent for `initial`.
    was: Option<TargetHealthState>,
    /// Start of that state.
    was_since: Option<Timestamp>,
    /// Reason why the health checks fail; absent if they pass.
    failing: Option<TargetHealthReason>,
    /// True if the health is unavailable.
    untold: Option<bool>,
    /// Time of deregistration, while the target drains.
    deregistered: Option<Timestamp>,
}

impl Stored for TargetRow {
    const TABLE: &'static str = "elbv2/target";

    fn identify(&self, key: Key) -> Key {
        key.text(self.group.as_deref().unwrap_or_default()).text(self.id()).number(self.port())
    }
}

impl TargetRow {
    fn new(group: &TargetGroup, target: TargetDescription, now: Timestamp) -> Self {
        let group = group.target_group_name.clone();
        Self { group, target: Some(target), since: Some(now), ..Self::blank() }
    }

    fn id(&self) -> &str {
        self.target.as_ref().and_then(|target| target.id.as_deref()).unwrap_or_default()
    }

    fn id_and_port(&self) -> (Text, i64) {
        (self.id().into(), self.port())
    }

    /// Returns the port; 0 for functions.
    fn port(&self) -> i64 {
        self.target.as_ref().and_then(|target| target.port).unwrap_or_default()
    }
}

/// Returns the targets of a target group.
fn targets_of_group(cx: &Tx<'_>, group: &str) -> Result<Vec<TargetRow>> {
    cx.all(&TargetRow::table(cx.scope()).text(group))
}

/// Returns the targets with their indexes, without those whose ID and port were given before.
fn distinct(targets: &[TargetDescription]) -> impl Iterator<Item = (usize, &TargetDescription)> {
    let mut seen = HashSet::with_capacity(targets.len());
    targets.iter().enumerate().filter(move |(_, target)| seen.insert((target.id.as_deref(), target.port)))
}

/// Returns the registrations of a target with a target group: that of its port, or of all ports without one.
fn registrations_of_target(
    cx: &Tx<'_>,
    group: &TargetGroup,
    target: &TargetDescription,
) -> Result<Vec<TargetRow>> {
    let id = target.id.as_deref().unwrap_or_default();
    let mut found = registrations_of_id(cx, group.own_name(), id)?;
    if let Some(port) = target.port {
        found.retain(|row| row.port() == port);
    }
    Ok(found)
}

fn registrations_of_id(cx: &Tx<'_>, group: &str, id: &str) -> Result<Vec<TargetRow>> {
    cx.all(&TargetRow::table(cx.scope()).text(group).text(id))
}

/// Removes all targets of a target group.
pub(crate) fn remove_all(cx: &mut Tx<'_>, group: &str) -> Result<()> {
    cx.remove_all(&TargetRow::table(cx.scope()).text(group).prefix_range()).map(drop)
}

/// Returns the name of a target group that has the load balancer as its target.
pub(crate) fn group_with_balancer(cx: &Tx<'_>, load_balancer_arn: &str) -> Result<Option<Text>> {
    let groups: Vec<TargetGroup> = cx.all(&TargetGroup::table(cx.scope()))?;
    for group in groups.into_iter().filter(|group| group.target_type == Some(TargetType::Alb)) {
        if !registrations_of_id(cx, group.own_name(), load_balancer_arn)?.is_empty() {
            return Ok(group.target_group_name);
        }
    }
    Ok(None)
}

/// Registers targets. A target that is draining is registered again.
#[operation(of = TargetGroup, call = "register", needs(target_group_arn), effect = write)]
pub struct RegisterTargets {
    /// Targets.
    #[field(length(1..))]
    pub targets: Vec<TargetDescription>,
}

impl Handler for RegisterTargets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group = TargetGroup::require(cx, &self.target_group_arn, "TargetGroupArn")?;
        let before = targets_of_group(cx, group.own_name())?;
        let before: HashMap<_, _> = before.iter().map(|row| (row.id_and_port(), row)).collect();
        let mut all: HashSet<_> = before.keys().cloned().collect();
        let mut new: Vec<TargetRow> = Vec::new();
        for (n, target) in self.targets.into_iter().enumerate() {
            let field = format!("Targets[{n}]");
            let target =
                check::normalize_target(cx, &group, target).map_err(|error| error.in_field(&field))?;
            let row = TargetRow::new(&group, target, cx.now());
            let key = row.id_and_port();
            match before.get(&key) {
                Some(other) if other.deregistered.is_none() && other.target == row.target => {}
                _ => new.push(row),
            }
            all.insert(key);
        }
        check_target_count(&group, &all)?;
        check_new_registrations(cx, &group, &all, &new)?;
        new.into_iter().try_for_each(|row| cx.put(row))?;
        Ok(Empty {})
    }
}

/// Refuses more targets than the target group can have.
fn check_target_count(group: &TargetGroup, all: &HashSet<(Text, i64)>) -> Result<()> {
    let max = match group.target_type {
        Some(TargetType::Function | TargetType::Alb) => 1,
        _ => limits::MAX_TARGETS,
    };
    if all.len() > max {
        return Err(errors::too_many_targets(max).with_hint(format!("got {}", all.len())));
    }
    Ok(())
}

/// Refuses the `new` registrations with a target group, which then has `all`, if a target would exceed the maximum number of
/// registrations with the application load balancer of the group.
fn check_new_registrations(
    cx: &Tx<'_>,
    group: &TargetGroup,
    all: &HashSet<(Text, i64)>,
    new: &[TargetRow],
) -> Result<()> {
    let mut ids: Vec<_> = new.iter().map(TargetRow::id).collect();
    ids.sort_unstable();
    ids.dedup();
    for arn in routes::balancer_arns(cx, group.own_name())? {
        let balancer = LoadBalancer::require(cx, &arn, "TargetGroupArn")?;
        if balancer.own_type() != LoadBalancerType::Application {
            continue;
        }
        let mut others = routes::group_names(cx, balancer.own_name())?;
        others.retain(|other| other != group.own_name());
        for id in &ids {
            let mut count = all.iter().filter(|(own, _)| own == id).count();
            for other in &others {
                count += registrations_of_id(cx, other, id)?.len();
            }
            check_registration_count(&balancer, id, count)?;
        }
    }
    Ok(())
}

/// Refuses the target groups `all` for an application load balancer if a target would exceed the maximum number of
/// registrations with it.
pub(crate) fn check_registration_limit(cx: &Tx<'_>, balancer: &LoadBalancer, all: &[Text]) -> Result<()> {
    let mut counts: BTreeMap<Text, usize> = BTreeMap::new();
    for group in all {
        for row in targets_of_group(cx, group)? {
            *counts.entry(row.id().into()).or_default() += 1;
        }
    }
    counts.iter().try_for_each(|(id, count)| check_registration_count(balancer, id, *count))
}

fn check_registration_count(balancer: &LoadBalancer, id: &str, count: usize) -> Result<()> {
    if count > limits::MAX_REGISTRATIONS {
        let (name, max) = (balancer.own_name(), limits::MAX_REGISTRATIONS);
        let hint = format!("at most {max} with load balancer {name}, got {count}");
        return Err(errors::too_many_registrations(id).with_hint(hint));
    }
    Ok(())
}

/// Deregisters targets: they get no new requests, and are removed after the deregistration delay. A target that is not
/// registered is not an error.
#[operation(of = TargetGroup, call = "deregister", needs(target_group_arn), effect = write)]
pub struct DeregisterTargets {
    /// Targets; without a port, all ports of the target.
    #[field(length(1..))]
    pub targets: Vec<TargetDescription>,
}

impl Handler for DeregisterTargets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group = TargetGroup::require(cx, &self.target_group_arn, "TargetGroupArn")?;
        for (n, target) in self.targets.iter().enumerate() {
            check::check_id(&group, target).map_err(|error| error.in_field(&format!("Targets[{n}]")))?;
        }
        let delay = attributes::value(cx, group.own_arn(), attributes::DEREGISTRATION_DELAY)?;
        let delay = delay.and_then(|delay| delay.parse().ok()).unwrap_or(DEFAULT_DEREGISTRATION_DELAY);
        let used = routes::is_used(cx, group.own_name())?;
        for (_, target) in distinct(&self.targets) {
            for mut row in registrations_of_target(cx, &group, target)? {
                if row.deregistered.is_some() {
                    continue;
                }
                if !used || delay == 0 || group.is_function() {
                    cx.remove(&row)?;
                    continue;
                }
                row.deregistered = Some(cx.now());
                let removal = Deregistration {
                    group: row.group.clone(),
                    id: Some(row.id().into()),
                    port: Some(row.port()),
                    deregistered: row.deregistered,
                };
                cx.put(row)?;
                cx.schedule_transition(SignedDuration::from_secs(delay), &removal)?;
            }
        }
        Ok(Empty {})
    }
}

/// Default deregistration delay in seconds.
const DEFAULT_DEREGISTRATION_DELAY: i64 = 300;

/// Due work: removes a deregistered target after the delay.
#[derive(Record)]
pub(crate) struct Deregistration {
    /// Name of the target group.
    group: Option<Text>,
    /// ID of the target.
    id: Option<Text>,
    /// Port of the target.
    port: Option<i64>,
    /// Time of deregistration, to detect that the target was registered again.
    deregistered: Option<Timestamp>,
}

impl Work for Deregistration {
    const NAME: &'static str = "elbv2/let-go";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let (group, id) = (self.group.unwrap_or_default(), self.id.unwrap_or_default());
        let key = TargetRow::table(cx.scope()).text(&group).text(&id).number(self.port.unwrap_or_default());
        let found: Option<TargetRow> = cx.get(&key)?;
        match found.filter(|found| found.deregistered == self.deregistered) {
            Some(found) => cx.remove(&found),
            None => Ok(()),
        }
    }
}
