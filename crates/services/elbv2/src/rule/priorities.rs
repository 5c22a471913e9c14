//! Priorities of rules.

use super::{ChangedRules, Rule, RuleManager, operations::priority_in_use, within};
use crate::{
    SERVICE, errors,
    names::{self, ByArn},
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Record, Result, Text, operation};

/// A rule and its priority.
#[derive(Record)]
pub struct RulePriorityPair {
    /// ARN of the rule.
    #[field(required)]
    rule_arn: Option<Text>,
    /// Its priority.
    #[field(required, range(1..=50000))]
    priority: Option<i64>,
}

impl<T: Into<Text>> From<(T, i64)> for RulePriorityPair {
    fn from((rule_arn, priority): (T, i64)) -> Self {
        Self { rule_arn: Some(rule_arn.into()), priority: Some(priority) }
    }
}

/// Sets the priorities of rules, all at once: they may be exchanged.
#[operation(
    service = SERVICE, of = Rule, call = "set_priorities", gives(rules: Vec<Rule>),
    effect = write, output = ChangedRules, subject = "{RulePriorities.RuleArn}"
)]
pub struct SetRulePriorities {
    /// The rules and their priorities.
    #[field(length(1..))]
    pub rule_priorities: Vec<RulePriorityPair>,
}

impl Handler for SetRulePriorities {
    fn run(self, cx: &mut Tx<'_>) -> Result<ChangedRules> {
        let mut after: Vec<Rule> = Vec::with_capacity(self.rule_priorities.len());
        for (n, pair) in self.rule_priorities.iter().enumerate() {
            let field = format!("RulePriorities[{n}]");
            let arn = pair.rule_arn.as_deref().unwrap_or_default();
            let mut rule = Rule::require(cx, arn, &format!("{field}.RuleArn"))?;
            if rule.is_last() {
                return Err(errors::NOT_PERMITTED.because("the default rule is always looked at last"));
            }
            if after.iter().any(|other| other.rule_arn == rule.rule_arn) {
                return Err(names::invalid(&field, format!("{} is given twice", rule.own_arn())));
            }
            rule.priority = pair.priority.map(|priority| priority.to_string().into());
            after.push(rule);
        }
        for (n, rule) in after.iter().enumerate() {
            let listener = rule.own_listener(cx)?;
            let stays = |other: &&Rule| after.iter().all(|changed| changed.rule_arn != other.rule_arn);
            let same_listener = |other: &&Rule| super::listener_arn(other.own_arn()) == listener.listener_arn;
            let others = within(cx, &listener)?;
            let others = others.iter().filter(stays).chain(after[..n].iter().filter(same_listener));
            if let Some(other) = others.into_iter().find(|other| other.number() == rule.number()) {
                return Err(priority_in_use(rule.number(), other));
            }
        }
        after.iter().try_for_each(|rule| cx.put(rule.clone()))?;
        Ok(after.into())
    }
}
