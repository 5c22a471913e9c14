//! Events and rules of the provider's services: test controls, and the ways in which the other services of the cloud send and manage
//! them.

pub(crate) mod scope;

use crate::{
    BusName, DEFAULT_BUS, EventRule, EventTarget, RuleOfTargetRow, RuleState, archive, errors,
    event_bus::{
        self,
        event::{NewEvent, publish},
    },
    event_rule, event_target,
};
use nephos_cloud::{Addressed, Handler, OwnEvent, Tx};
use nephos_core::{Empty, Result, Text, Timestamp, Value, field_value::FieldType, json, operation};
use scope::OfAccount;

/// ID of the target of a managed rule.
const TARGET_ID: &str = "managed";

/// Sends an event of a service of the provider, such as `aws.s3`, to the default bus of an account. A test control: callers cannot
/// send such events with `PutEvents`.
#[operation(include(OfAccount), wraps(event_id: Text), effect = write, subject = "*")]
pub struct PutServiceEvent {
    /// Source of the event.
    #[field(length(1..=256))]
    pub source: Text,
    /// Type of the event.
    #[field(length(1..=128))]
    pub detail_type: Text,
    /// Content of the event: a JSON object, as text.
    pub detail: Text,
    /// ARNs of the resources that the event is about.
    pub resources: Option<Vec<Text>>,
    /// Time of the event; now if it is not given.
    pub time: Option<Timestamp>,
}

impl Handler for PutServiceEvent {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let scope = scope::read(cx, self.account.as_deref(), self.region.as_deref())?;
        let Ok(detail @ Value::Map(_)) = json::parse(self.detail.as_bytes()) else {
            return Err(errors::malformed_detail().with_field("Detail"));
        };
        let event = NewEvent {
            source: &self.source,
            detail_type: &self.detail_type,
            detail,
            resources: self.resources.unwrap_or_default(),
            time: self.time.unwrap_or(cx.now()),
        };
        let event = event.into_event(&scope, cx.ids().uuid());
        cx.in_scope(&scope, |cx| publish(cx, DEFAULT_BUS, &event))?;
        Ok(event.id.into())
    }
}

/// Sends an event of the cloud itself to the default bus of this account and Region.
pub(crate) fn send_own_event(cx: &mut Tx<'_>, event: OwnEvent<'_>) -> Result<()> {
    let mut put = PutServiceEvent::new(event.source, event.detail_type, event.detail);
    put.resources = Some(event.resources);
    put.run(cx).map(drop)
}

/// Creates a rule that a service manages, with one target, or replaces it. A test control, and internal.
#[operation(include(OfAccount), effect = write, subject = "*")]
pub struct PutManagedRule {
    /// Name of the rule.
    #[field(like = EventRule::name)]
    pub name: Text,
    /// Name of the service: `schemas.amazonaws.com`.
    #[field(length(1..=128))]
    pub managed_by: Text,
    /// Event pattern, as JSON.
    #[field(like = EventRule::event_pattern)]
    pub event_pattern: Text,
    /// ARN of the target.
    #[field(like = EventTarget::arn)]
    pub target_arn: Text,
    /// Name or ARN of the bus; the default bus if it is not given.
    #[field(like = BusName::name)]
    pub event_bus_name: Option<Text>,
}

impl Handler for PutManagedRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let scope = scope::read(cx, self.account.as_deref(), self.region.as_deref())?;
        event_rule::put::parse_pattern(&self.event_pattern)?;
        cx.in_scope(&scope, |cx| {
            let bus = event_rule::require_bus::<Self>(cx, self.event_bus_name.as_deref())?;
            let existing = EventRule::find_by(cx, &[&bus, &self.name])?;
            if existing.is_some_and(|rule| rule.managed_by.is_none()) {
                return Err(errors::rule_not_managed(&self.name).with_field("Name"));
            }
            let mut rule = EventRule::blank();
            (rule.name, rule.event_bus_name) = (Some(self.name), Some(bus));
            (rule.event_pattern, rule.managed_by) = (Some(self.event_pattern), Some(self.managed_by));
            let mut target = EventTarget::blank();
            (target.id, target.arn) = (Some(TARGET_ID.into()), Some(self.target_arn));
            put_managed(cx, rule, target)?;
            Ok(Empty {})
        })
    }
}

/// Stores a managed rule, which is enabled, with its only target.
pub(crate) fn put_managed(cx: &mut Tx<'_>, mut rule: EventRule, mut target: EventTarget) -> Result<()> {
    let text = |field: &Option<Text>| field.clone().unwrap_or_default();
    let (bus, name) = (text(&rule.event_bus_name), text(&rule.name));
    if EventRule::find_by(cx, &[&bus, &name])?.is_none() {
        event_rule::put::RULES.add_one(cx, &bus, errors::too_many)?;
    }
    remove_targets(cx, &bus, &name)?;
    rule.state = Some(RuleState::Enabled);
    rule.created_by = Some(cx.scope().account().into());
    rule.put_changed(cx)?;
    (target.event_bus_name, target.rule) = (Some(bus), Some(name));
    RuleOfTargetRow::count(cx, &target, 1)?;
    cx.put(target)
}

/// Removes a managed rule, and its targets.
pub(crate) fn remove_managed(cx: &mut Tx<'_>, rule: &EventRule) -> Result<()> {
    let (bus, name) = (rule.event_bus_name.as_deref().unwrap_or(DEFAULT_BUS), rule.name.as_deref());
    remove_targets(cx, bus, name.unwrap_or_default())?;
    event_rule::put::RULES.remove_one(cx, bus)?;
    cx.remove(rule)
}

/// Removes the targets of a managed rule.
fn remove_targets(cx: &mut Tx<'_>, bus: &str, rule: &str) -> Result<()> {
    for target in event_target::targets_of(cx, bus, rule)? {
        RuleOfTargetRow::count(cx, &target, -1)?;
        cx.remove(&target)?;
    }
    event_bus::index::change(cx, bus)
}

/// Removes a rule that a service manages, and its target. No effect if it does not exist. A test control, and
/// internal.
#[operation(include(OfAccount), effect = write, subject = "*")]
pub struct RemoveManagedRule {
    /// Name of the rule.
    #[field(like = EventRule::name)]
    pub name: Text,
    /// Name or ARN of the bus; the default bus if it is not given.
    #[field(like = BusName::name)]
    pub event_bus_name: Option<Text>,
}

impl Handler for RemoveManagedRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let scope = scope::read(cx, self.account.as_deref(), self.region.as_deref())?;
        cx.in_scope(&scope, |cx| {
            let bus = event_rule::require_bus::<Self>(cx, self.event_bus_name.as_deref())?;
            let Some(rule) = EventRule::find_by(cx, &[&bus, &self.name])? else { return Ok(Empty {}) };
            if rule.managed_by.is_none() {
                return Err(errors::rule_not_managed(&self.name).with_field("Name"));
            }
            remove_managed(cx, &rule)?;
            archive::rule::disable_archive(cx, &rule)?;
            Ok(Empty {})
        })
    }
}
