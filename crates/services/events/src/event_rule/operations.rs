//! Operations on rules.

use super::{EventRule, EventRuleManager, RuleBus, key_prefix, put, require, require_bus, schedules};
use crate::{EventBus, EventBusManager, archive, errors, event_bus, event_target, paging::Page};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Empty, ManagerOperation, Record, Result, Text, WorkflowContext, operation, with_tags};

/// Describes a rule.
#[operation(
    of = EventRule, call = "get", none_if_missing, with = with_tags, needs(name), include(RuleBus), effect = read, output = EventRule
)]
pub struct DescribeRule {}

impl Handler for DescribeRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<EventRule> {
        require::<Self>(cx, self.event_bus_name.as_deref(), &self.name)
    }
}

/// Lists the rules of a bus, in order of their names.
#[operation(
    of = EventRule, call = "list", page(rules, next_token), include(RuleBus, Page),
    pushdown(name_prefix = "Name"), effect = read
)]
pub struct ListRules {
    /// Prefix of the names of rules.
    #[field(like = EventRule::name)]
    pub name_prefix: Option<Text>,
}

impl Handler for ListRules {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let bus = require_bus::<Self>(cx, self.event_bus_name.as_deref())?;
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let wanted = key_prefix(cx.scope(), &bus).text_prefix(prefix);
        Ok(cx.page_rows(&self, &wanted, |rule: EventRule| Ok(Some(rule)))?.into())
    }
}

/// Deletes a rule, which must not have targets. No effect if it does not exist.
#[operation(of = EventRule, needs(name), include(RuleBus), effect = write)]
pub struct DeleteRule {
    /// True to delete a rule that a service manages.
    pub force: Option<bool>,
}

impl Handler for DeleteRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let bus = require_bus::<Self>(cx, self.event_bus_name.as_deref())?;
        let Some(rule) = EventRule::find_by(cx, &[&bus, &self.name])? else { return Ok(Empty {}) };
        rule.check_not_managed(self.force == Some(true))?;
        if !event_target::targets_of(cx, &bus, &self.name)?.is_empty() {
            return Err(errors::rule_has_targets().with_field("Name").with_hint("remove its targets first"));
        }
        put::RULES.remove_one(cx, &bus)?;
        event_bus::index::change(cx, &bus)?;
        schedules::stop(cx, &rule)?;
        cx.remove(&rule)?;
        archive::rule::disable_archive(cx, &rule)?;
        Ok(Empty {})
    }
}

/// Deletes a rule, which must not have targets unless they are removed first. No effect if it does not exist.
#[operation(
    kind = EventRule, of = EventRule, call = "delete", on_model, needs(name), include(RuleBus), effect = write, output = ()
)]
pub struct EventRuleDelete {
    /// True to delete a rule that a service manages.
    pub force: Option<bool>,
    /// True to remove the targets of the rule first.
    pub remove_targets: Option<bool>,
}

impl ManagerOperation for EventRuleDelete {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        if self.remove_targets == Some(true) {
            event_target::remove::remove_all(context, &self.name, self.event_bus_name.as_ref(), self.force)
                .await?;
        }
        context.call(DeleteRule::from_given(self.clone())).await.map(drop)
    }
}

/// Returns the rules of a bus.
#[operation(
    kind = EventBus, of = EventBus, call = "rules", on_model, needs(name as event_bus_name), effect = read, runs = ListRules,
    returns(rules: Vec<EventRule>, next_token)
)]
pub struct EventBusRules {}
