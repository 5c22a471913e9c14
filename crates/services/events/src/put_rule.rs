//! Creation and replacement of rules.

use super::{
    EventRule, EventRuleManager, RuleState, errors,
    event_bus::DEFAULT_BUS,
    event_rule::{self, RuleBus},
    pattern::Pattern,
    tagging,
};
use nephos_cloud::{Handler, Tx, schedule::Schedule, tags::to_list};
use nephos_core::{FromModel, ManagerOperation, Record, Result, Text, WorkflowContext, operation, retag};

/// Maximum number of rules of a bus.
const MAX_RULES: i64 = 300;

/// Name of the counter of the rules of a bus.
fn counter(bus: &str) -> String {
    format!("events/rule/{bus}")
}

/// Adds `change` to the number of rules of a bus; returns the new number.
pub(crate) fn count_rules(cx: &mut Tx<'_>, bus: &str, change: i64) -> Result<i64> {
    cx.add_to_count(&counter(bus), change)
}

/// Counts one more rule of a bus; refused if it has too many.
pub(crate) fn add_to_quota(cx: &mut Tx<'_>, bus: &str) -> Result<()> {
    if cx.has_quotas() && cx.count(&counter(bus))? >= MAX_RULES {
        let hint = format!("an event bus can have at most {MAX_RULES} rules");
        return Err(errors::too_many().with_hint(hint));
    }
    count_rules(cx, bus, 1).map(drop)
}

/// Parses the event pattern of a request.
pub(crate) fn parse_pattern(text: &str) -> Result<Pattern> {
    Pattern::parse(text).map_err(|error| errors::pattern_invalid(error.reason()).with_field("EventPattern"))
}

/// Creates a rule, or replaces all settings of an existing one. The rule keeps its targets and tags.
#[operation(
    of = EventRule, needs(name),
    takes(schedule_expression, event_pattern, state, description, role_arn, tags), also(RuleBus),
    effect = write, output = PutRuleResponse, subject = "rule/{EventBusName}/{Name}",
    further("TagResource" = "Tags?", "iam:PassRole" = "RoleArn? {RoleArn}")
)]
pub struct PutRule {}

/// The rule that was created or replaced.
#[derive(Record)]
#[record(answer)]
pub struct PutRuleResponse {
    /// ARN of the rule.
    rule_arn: Option<Text>,
}

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
        let existing = event_rule::find(cx, &bus, &self.name)?;
        existing.as_ref().map_or(Ok(()), |rule| rule.check_not_managed(false))?;
        if existing.is_none() {
            add_to_quota(cx, &bus)?;
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

/// Sends a rule to the service; returns it with its tags.
async fn put(context: &WorkflowContext, model: &EventRule) -> Result<EventRule> {
    context.call(PutRule::from_model(model)?).await?;
    fetch(context, model).await
}

/// Fetches a rule with its tags.
async fn fetch(context: &WorkflowContext, model: &EventRule) -> Result<EventRule> {
    let found = context.call(super::DescribeRule::from_model(model)?).await?;
    tagging::with_tags(context, found).await
}

/// Creates a rule. An existing rule with the same name is replaced, and keeps its targets and tags.
#[operation(kind = EventRule, call = "create", effect = write, output = EventRule)]
pub struct EventRuleCreate {
    /// The rule.
    #[field(model, name = "model")]
    pub model: EventRule,
}

impl ManagerOperation for EventRuleCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<EventRule> {
        put(context, &self.model).await
    }
}

/// Replaces all settings of a rule if the model was changed, and changes its tags.
#[operation(kind = EventRule, call = "update", effect = write, output = EventRule)]
pub struct EventRuleUpdate {
    /// The rule.
    #[field(model, name = "model")]
    pub model: EventRule,
}

impl ManagerOperation for EventRuleUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<EventRule> {
        let model = &self.model;
        let arn = fetch(context, model).await?.arn.unwrap_or_default();
        if PutRule::changes_of(model)?.is_some() {
            let mut put = PutRule::from_model(model)?;
            put.tags = None;
            context.call(put).await?;
        }
        retag::<tagging::Tagging>(context, &arn, model).await?;
        fetch(context, model).await
    }
}
