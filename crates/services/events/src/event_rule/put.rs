//! Creation and replacement of rules.

use crate::{
    DEFAULT_BUS, EventRule, EventRuleManager, RuleBus, RuleState, errors, event_rule, pattern::Pattern,
    tagging,
};
use nephos_cloud::{Addressed, Handler, ParentQuota, Tx, schedule::Schedule, tags::to_list};
use nephos_core::{Record, Result, operation};

/// Quota of the rules of a bus.
pub(crate) const RULES: ParentQuota =
    ParentQuota { counter: "events/rule", max: 300, parent: "an event bus", what: "rules" };

/// Parses the event pattern of a request.
pub(crate) fn parse_pattern(text: &str) -> Result<Pattern> {
    Pattern::parse(text).map_err(|error| errors::pattern_invalid(error.reason()).with_field("EventPattern"))
}

/// Creates a rule, or replaces all settings of an existing one. The rule keeps its targets and tags.
#[operation(
    of = EventRule, call = "create", model, read_back, replaces, needs(name),
    takes(schedule_expression, event_pattern, state, description, role_arn, tags), include(RuleBus),
    answers(arn as rule_arn), effect = write, also_requires("TagResource" = "Tags?", "iam:PassRole" = "RoleArn? {RoleArn}")
)]
pub struct PutRule {}

/// Replaces all settings of a rule if the model was changed, and changes its tags.
#[operation(kind = EventRule, call = "update", changes(PutRule), effect = write)]
pub struct EventRuleUpdate {}

impl PutRule {
    /// Checks the pattern and the schedule, for a rule of the bus `bus`.
    fn check(&self, bus: &str) -> Result<()> {
        if let Some(schedule) = &self.schedule_expression {
            if bus != DEFAULT_BUS {
                return Err(errors::schedule_on_custom_bus().with_field("ScheduleExpression"));
            }
            Schedule::parse(schedule).map_err(|reason| {
                errors::schedule_invalid().with_field("ScheduleExpression").with_hint(reason.message())
            })?;
        }
        match &self.event_pattern {
            Some(pattern) => parse_pattern(pattern).map(drop),
            None if self.schedule_expression.is_some() => Ok(()),
            None => Err(errors::pattern_or_schedule_missing().with_field("EventPattern")),
        }
    }
}

impl Handler for PutRule {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<PutRuleResponse> {
        let bus = event_rule::require_bus::<Self>(cx, self.event_bus_name.as_deref())?;
        self.check(&bus)?;
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        let existing = EventRule::find_by(cx, &[&bus, &self.name])?;
        existing.as_ref().map_or(Ok(()), |rule| rule.check_not_managed(false))?;
        if existing.is_none() {
            RULES.add_one(cx, &bus, errors::too_many)?;
        }
        self.event_bus_name = Some(bus);
        self.state.get_or_insert(RuleState::Enabled);
        let mut rule = EventRule::from_given(self);
        rule.set_derived_fields(cx.scope());
        (rule.tags, rule.created_by) = match &existing {
            // The tags of a request are for a new rule only.
            Some(existing) => (existing.tags.clone(), existing.created_by.clone()),
            None => (to_list(tags), Some(cx.caller().account().into())),
        };
        let rule_arn = rule.arn.clone();
        // A schedule that runs starts again, even if nothing changes.
        let is_running = rule.schedule_expression.is_some() && rule.state != Some(RuleState::Disabled);
        if is_running || existing.as_ref() != Some(&rule) {
            rule.put_changed(cx)?;
        }
        Ok(PutRuleResponse { rule_arn })
    }
}
