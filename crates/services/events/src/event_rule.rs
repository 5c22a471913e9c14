//! Rules, which select events of a bus by a pattern, or create events by a schedule.

mod operations;
pub(crate) mod put;
pub(crate) mod schedules;
mod state;
mod test_pattern;

pub use operations::*;
pub use put::*;
pub use state::*;
pub use test_pattern::*;

use crate::{BusName, DEFAULT_BUS, errors, event_bus};
use nephos_cloud::{Addressed, Direction, Key, Scope, Stored, Tx};
use nephos_core::{Arn, Operation, Record, Resource, Result, Slot, Tag, Text, choices};
use std::ops::ControlFlow;

choices! {
    /// State of a rule.
    #[derive(Eq)]
    pub enum RuleState {
        /// The rule matches events, and its schedule runs.
        Enabled = "ENABLED",
        /// The rule matches nothing, and its schedule does not run.
        Disabled = "DISABLED",
        /// As `ENABLED`; at the provider, the rule also matches read-only API calls of the audit trail. This cloud has no events of
        /// them.
        EnabledWithAllAuditManagementEvents =
            "ENABLED_WITH_ALL_AUDIT_MANAGEMENT_EVENTS" => "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS",
    }
}

/// A rule: selects events of a bus by a pattern, or creates events by a schedule, and sends them to targets.
#[derive(Resource)]
#[resource(
    arn("Arn", "rule/{EventBusName}/{Name}"),
    name = "Name",
    pk("EventBusName", "Name"),
    exists_if = "Arn",
    tags = "Tags"
)]
pub struct EventRule {
    /// Name of the rule, unique within its bus.
    #[field(fixed, length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) name: Option<Text>,
    /// ARN of the rule.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Event pattern, as JSON.
    #[field(length(..=4096))]
    pub(crate) event_pattern: Option<Text>,
    /// State of the rule. `ENABLED_WITH_ALL_AUDIT_MANAGEMENT_EVENTS` has the effect of `ENABLED`: the cloud has no events of
    /// read-only calls.
    pub(crate) state: Option<RuleState>,
    /// Description.
    #[field(length(..=512))]
    pub(crate) description: Option<Text>,
    /// Schedule: `rate(5 minutes)` or `cron(0 8 1 * ? *)`, in UTC; only on the default bus.
    #[field(length(..=256))]
    pub(crate) schedule_expression: Option<Text>,
    /// ARN of the role that the targets are invoked with.
    #[field(no_effect, length(1..=1600))]
    pub(crate) role_arn: Option<Text>,
    /// Service that manages the rule.
    #[field(service_set)]
    pub(crate) managed_by: Option<Text>,
    /// Name of the bus; the default bus if it is not given.
    #[field(fixed, length(1..=256), pattern = r"[/\.\-_A-Za-z0-9]+")]
    pub(crate) event_bus_name: Option<Text>,
    /// Account that created the rule.
    #[field(not_in_list, service_set)]
    pub(crate) created_by: Option<Text>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    EventRule in "events/rule" by event_bus_name, name; derived(arn) => set_derived_fields
}

impl EventRule {
    pub(crate) fn set_derived_fields(&mut self, scope: &Scope) {
        let bus = self.event_bus_name.as_deref().unwrap_or(DEFAULT_BUS);
        self.arn = self.name.as_deref().map(|name| arn_of(scope, bus, name).into());
    }

    /// Refuses the change of a rule that a service manages, unless it is forced.
    pub(crate) fn check_not_managed(&self, is_forced: bool) -> Result<()> {
        match &self.managed_by {
            Some(service) if !is_forced => {
                let name = self.name.as_deref().unwrap_or_default();
                Err(errors::rule_managed(name).with_hint(format!("managed by {service}")))
            }
            _ => Ok(()),
        }
    }

    /// Stores the rule, and starts its schedule again.
    pub(crate) fn put_changed(self, cx: &mut Tx<'_>) -> Result<()> {
        event_bus::index::change(cx, self.event_bus_name.as_deref().unwrap_or(DEFAULT_BUS))?;
        schedules::start(cx, &self)?;
        cx.put(self)
    }
}

/// Returns the ARN of a rule. The ARN of a rule of the default bus does not have the name of the bus.
pub(crate) fn arn_of(scope: &Scope, bus: &str, name: &str) -> Arn {
    match bus {
        DEFAULT_BUS => scope.arn("events", &["rule/", name]),
        _ => scope.arn("events", &["rule/", bus, "/", name]),
    }
}

/// Returns the key prefix of the rules of a bus.
pub(crate) fn key_prefix(scope: &Scope, bus: &str) -> Key {
    EventRule::table(scope).text(bus)
}

/// True if a bus has rules.
pub(crate) fn has_rules(cx: &Tx<'_>, bus: &str) -> Result<bool> {
    let mut any = false;
    cx.scan_keys(&key_prefix(cx.scope(), bus).prefix_range(), Direction::Ascending, |_, _| {
        any = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(any)
}

/// Returns the name of the bus that is given by its name or ARN, or an error if it does not exist. A bus of another account, whose
/// rules only that account can have here, denies access.
pub(crate) fn require_bus<O: Operation>(cx: &Tx<'_>, given: Option<&str>) -> Result<Text> {
    if let Some(arn) = given
        && let Some([_, "events", _, account, _]) = Arn::parts(arn)
        && account != cx.scope().account()
    {
        let user = cx.caller().principal().arn;
        let refused = errors::bus_of_other_account(user, O::OPERATION.name, arn);
        return Err(refused.with_field("EventBusName").with_hint("rules belong to the account of their bus"));
    }
    Ok(event_bus::require(cx, given)?.name.unwrap_or_default())
}

/// Returns a rule of the bus that is given by its name or ARN, or an error if one of them does not exist.
pub fn require<O: Operation>(cx: &Tx<'_>, bus: Option<&str>, name: &str) -> Result<EventRule> {
    let bus = require_bus::<O>(cx, bus)?;
    EventRule::find_by(cx, &[&bus, name])?.ok_or_else(|| errors::rule_not_found(name, &bus))
}

/// Parameter that names the bus of a rule.
#[derive(Record)]
#[record(shared)]
pub struct RuleBus {
    /// Name or ARN of the bus; the default bus if it is not given.
    #[field(from_field = "EventBusName", like = BusName::name)]
    event_bus_name: Option<Text>,
}
