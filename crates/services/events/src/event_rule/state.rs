//! Enabled and disabled rules.

use crate::{EventRule, EventRuleManager, RuleBus, RuleState, event_rule};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Operation, Result, operation};

/// Changes the state of a rule, if it is enabled and shall be disabled, or the other way round.
fn set_state<O: Operation>(
    cx: &mut Tx<'_>,
    bus: Option<&str>,
    name: &str,
    state: RuleState,
) -> Result<Empty> {
    let mut rule = event_rule::require::<O>(cx, bus, name)?;
    rule.check_not_managed(false)?;
    let is_disabled = rule.state == Some(RuleState::Disabled);
    if is_disabled != (state == RuleState::Disabled) {
        rule.state = Some(state);
        rule.put_changed(cx)?;
    }
    Ok(Empty {})
}

/// Enables a rule. No effect if it is enabled in any way.
#[operation(of = EventRule, call = "enable", on_model, needs(name), include(RuleBus), effect = write)]
pub struct EnableRule {}

impl Handler for EnableRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        set_state::<Self>(cx, self.event_bus_name.as_deref(), &self.name, RuleState::Enabled)
    }
}

/// Disables a rule: it matches nothing, and its schedule does not run.
#[operation(of = EventRule, call = "disable", on_model, needs(name), include(RuleBus), effect = write)]
pub struct DisableRule {}

impl Handler for DisableRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        set_state::<Self>(cx, self.event_bus_name.as_deref(), &self.name, RuleState::Disabled)
    }
}
