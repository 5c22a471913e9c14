//! Operations on targets.

use super::{EventTarget, EventTargetManager, RuleOfTargetRow, key_prefix, sealed_texts};
use crate::{DEFAULT_BUS, EventRule, EventRuleManager, RuleBus, event_rule, paging::Page};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{ManagerOperation, Result, Text, WorkflowContext, operation};

/// Lists the targets of a rule, in order of their IDs.
#[operation(
    of = EventTarget, call = "list", page(targets, next_token), copies_to_answer(rule, event_bus_name),
    include(RuleBus, Page), effect = read, subject = "rule/{EventBusName}/{Rule}"
)]
pub struct ListTargetsByRule {
    /// Name of the rule.
    #[field(like = EventRule::name)]
    pub rule: Text,
}

impl Handler for ListTargetsByRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cx = &*cx;
        let rule = event_rule::require::<Self>(cx, self.event_bus_name.as_deref(), &self.rule)?;
        let bus = rule.event_bus_name.as_deref().unwrap_or_default();
        let all = key_prefix(cx.scope(), bus, &self.rule);
        let page = cx.page_rows(&self, &all, |mut target: EventTarget| {
            sealed_texts::open(cx, &mut target)?;
            Ok(Some(target))
        })?;
        Ok(page.into())
    }
}

/// Lists the names of the rules of a bus that have a target, in order.
#[operation(of = EventRule, page(rule_names: Text, next_token), include(RuleBus, Page), effect = read, subject = "*")]
pub struct ListRuleNamesByTarget {
    /// ARN of the target.
    #[field(length(1..=1600))]
    pub target_arn: Text,
}

impl Handler for ListRuleNamesByTarget {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let bus = event_rule::require_bus::<Self>(cx, self.event_bus_name.as_deref())?;
        let wanted = RuleOfTargetRow::table(cx.scope()).text(&bus).text(&self.target_arn);
        Ok(cx.page_rows(&self, &wanted, |row: RuleOfTargetRow| Ok(row.rule))?.into())
    }
}

/// Returns the rules of a bus that have a target with this ARN.
#[operation(
    kind = EventRule, of = EventRule, call = "list_by_target", include(RuleBus), effect = read, output = Vec<EventRule>
)]
pub struct EventRuleListByTarget {
    /// ARN of the target.
    #[field(length(1..=1600))]
    pub target_arn: Text,
}

impl ManagerOperation for EventRuleListByTarget {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<EventRule>> {
        fetch_rules(context, self.event_bus_name.as_ref(), &self.target_arn).await
    }
}

/// Returns the rules of the bus of a target that have a target with the same ARN.
#[operation(
    kind = EventTarget, of = EventTarget, call = "rules", on_model, needs(arn), include(RuleBus), effect = read,
    output = Vec<EventRule>
)]
pub struct EventTargetRules {}

impl ManagerOperation for EventTargetRules {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<EventRule>> {
        fetch_rules(context, self.event_bus_name.as_ref(), &self.arn).await
    }
}

/// Fetches the rules of a bus that have a target with this ARN.
async fn fetch_rules(context: &WorkflowContext, bus: Option<&Text>, target: &Text) -> Result<Vec<EventRule>> {
    let mut list = ListRuleNamesByTarget::new(target.clone());
    list.event_bus_name = bus.cloned();
    let mut found = Vec::new();
    loop {
        let page = context.call(list.clone()).await?;
        for name in page.rule_names.unwrap_or_default() {
            let mut describe = crate::DescribeRule::new(name);
            describe.event_bus_name = bus.cloned();
            found.extend(context.find(describe).await?);
        }
        list.next_token = page.next_token;
        if list.next_token.is_none() {
            return Ok(found);
        }
    }
}

/// Fetches the targets of a rule; none if it does not exist.
pub(crate) async fn fetch(
    context: &WorkflowContext,
    bus: Option<&Text>,
    rule: &Text,
) -> Result<Vec<EventTarget>> {
    let mut list = ListTargetsByRule::new(rule.clone());
    list.event_bus_name = bus.cloned();
    let mut found = Vec::new();
    while let Some(page) = context.find(list.clone()).await? {
        found.extend(page.targets.unwrap_or_default());
        list.next_token = page.next_token;
        if list.next_token.is_none() {
            break;
        }
    }
    for target in &mut found {
        target.event_bus_name = Some(bus.map_or(DEFAULT_BUS.into(), Text::clone));
        target.rule = Some(rule.clone());
    }
    Ok(found)
}

/// Returns a target of a rule, if both exist.
#[operation(
    kind = EventTarget, of = EventTarget, call = "get", needs(rule, id), include(RuleBus), effect = read,
    output = Option<EventTarget>
)]
pub struct EventTargetGet {}

impl ManagerOperation for EventTargetGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<EventTarget>> {
        let found = fetch(context, self.event_bus_name.as_ref(), &self.rule).await?;
        Ok(found.into_iter().find(|target| target.id.as_ref() == Some(&self.id)))
    }
}

/// Returns the targets of a rule.
#[operation(
    kind = EventRule, of = EventRule, call = "targets", on_model, needs(name), include(RuleBus), effect = read,
    output = Vec<EventTarget>
)]
pub struct EventRuleTargets {}

impl ManagerOperation for EventRuleTargets {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<EventTarget>> {
        fetch(context, self.event_bus_name.as_ref(), &self.name).await
    }
}
