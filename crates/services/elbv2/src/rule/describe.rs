//! Finding rules.

use super::{Rule, require, within};
use crate::{SERVICE, listener, names, paging};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Describes rules: those of a listener, in the order in which they are looked at, or those that are asked for.
#[operation(service = SERVICE, effect = read, output = Rules, subject = "listener-rule/*")]
pub struct DescribeRules {
    /// The listener they belong to.
    pub listener_arn: Option<Text>,
    /// Only these.
    pub rule_arns: Option<Vec<Text>>,
    /// Where the page before ended.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of rules.
#[derive(Record)]
#[record(name = "DescribeRulesOutput")]
pub struct Rules {
    /// The rules.
    pub(crate) rules: Option<Vec<Rule>>,
    /// Where this page ends.
    pub(crate) next_marker: Option<Text>,
}

/// The rules that were made or changed.
#[derive(Record)]
#[record(name = "CreateRuleOutput")]
pub struct ChangedRules {
    /// The rules.
    pub(crate) rules: Option<Vec<Rule>>,
}

impl ChangedRules {
    pub(super) fn of(rule: Rule) -> Self {
        Self { rules: Some(vec![rule]) }
    }
}

impl Handler for DescribeRules {
    fn run(self, cx: &mut Tx<'_>) -> Result<Rules> {
        let (token, size) = (self.marker.as_deref(), self.page_size);
        let (rules, next_marker) = match (&self.listener_arn, &self.rule_arns) {
            (Some(_), Some(_)) => {
                return Err(names::invalid("RuleArns", "a listener and rules exclude each other"));
            }
            (None, None) => return Err(names::invalid("ListenerArn", "a listener or rules are required")),
            (Some(arn), None) => {
                let listener = listener::require(cx, arn, "ListenerArn")?;
                let rules: Result<Vec<_>> =
                    within(cx, &listener)?.into_iter().map(|rule| rule.told(cx)).collect();
                let place = |_, rule: &Rule| format!("{:020}", rule.number()).into();
                paging::page(cx, &self, rules?, token, size, place)?
            }
            (None, Some(arns)) => {
                let rules: Result<Vec<_>> =
                    paging::once(arns).iter().map(|arn| require(cx, arn, "RuleArns")).collect();
                paging::page(cx, &self, rules?, token, size, paging::numbered)?
            }
        };
        Ok(Rules { rules: Some(rules), next_marker })
    }
}
