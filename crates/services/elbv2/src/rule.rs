//! Rules: actions for the requests of a listener that meet conditions.

mod operations;
mod priorities;

pub use operations::{
    ChangedRules, CreateRule, DeleteRule, DescribeRules, ModifyRule, RuleCreate, RuleGet, Rules, Update,
};
pub use priorities::{RulePriorityPair, SetRulePriorities};

use super::{
    Action, Condition, Listener, SERVICE, Transform, action, errors, listener, names, routes, tagging,
};
use nephos_cloud::{Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Arn, Error, Resource, Result, Slot, Tag, Text, datum::DatumType};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// A rule: actions for the requests of a listener that meet its conditions.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::RULE_NOT_FOUND,
    arn = "RuleArn", pk = "RuleArn", mark = "RuleArn", tags = "Tags",
    calls(
        RuleCreate, RuleGet, DescribeRules, Update, DeleteRule, SetRulePriorities,
        tagging::of_rule::Tag, tagging::of_rule::Untag, tagging::of_rule::ListTags
    ),
    create = RuleCreate, update = Update, delete = DeleteRule, get = RuleGet,
    relation(listener, one = Listener, with = find_listener),
)]
pub struct Rule {
    /// ARN.
    #[field(service_set)]
    pub(super) rule_arn: Option<Text>,
    /// Priority among the rules of the listener: 1 to 50000, the lowest first, or `default`, the last.
    #[field(fixed, pattern = "default|[1-9][0-9]{0,4}")]
    pub(super) priority: Option<Text>,
    /// Conditions; a request must meet all of them.
    #[field(required)]
    pub(super) conditions: Option<Vec<Condition>>,
    /// Actions for these requests.
    #[field(required)]
    pub(super) actions: Option<Vec<Action>>,
    /// True for the default rule, for requests that no other rule matches.
    #[field(service_set)]
    pub(super) is_default: Option<bool>,
    /// Transforms of requests before they are forwarded.
    pub(super) transforms: Option<Vec<Transform>>,
    /// Tags. A listing does not fetch them; `get` does.
    #[field(nowhere)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// What a rule without a priority of its own has.
const DEFAULT: &str = "default";

impl Stored for Rule {
    const TABLE: &'static str = "elbv2/rule";

    fn identify(&self, key: Key) -> Key {
        match names::parts(self.own_arn(), KIND) {
            Some([_, balancer, _, listener, id]) => key.text(balancer).text(listener).text(id),
            None => key,
        }
    }
}

impl Rule {
    /// Its priority as a number; the default rule comes after all others.
    fn number(&self) -> i64 {
        self.priority.as_deref().and_then(|priority| priority.parse().ok()).unwrap_or(i64::MAX)
    }

    fn is_last(&self) -> bool {
        self.is_default == Some(true)
    }
}

/// What a rule is called in resource names.
pub(super) const KIND: &str = "listener-rule";

/// The resource name of a listener that a rule with this name belongs to.
fn listener_arn(rule_arn: &str) -> Option<Text> {
    let (head, resource) = rule_arn.split_once(":listener-rule/")?;
    let (listener, _) = resource.rsplit_once('/')?;
    Some(format!("{head}:listener/{listener}").into())
}

fn arn_of(scope: &Scope, listener: &Listener, id: &str) -> Arn {
    let parts = names::parts(listener.own_arn(), listener::KIND).unwrap_or([""; 4]);
    names::arn(scope, &[KIND, parts[0], parts[1], parts[2], parts[3], id])
}

/// The rule, if there is one, as it is told.
pub(super) fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Rule>> {
    let [_, balancer, _, listener, id] = names::given(arn, KIND, field)?;
    let found: Option<Rule> = cx.get(&Rule::table(cx.scope()).text(balancer).text(listener).text(id))?;
    found.filter(|rule| rule.own_arn() == arn).map(|rule| rule.told(cx)).transpose()
}

/// The rule, which must exist.
pub(super) fn require(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Rule> {
    find(cx, arn, field)?.ok_or_else(|| errors::RULE_NOT_FOUND.because(format!("there is no rule {arn}")))
}

impl Rule {
    /// The same as it is told: what the default rule does is what its listener does by default.
    fn told(mut self, cx: &Tx<'_>) -> Result<Self> {
        if self.is_last() {
            let listener = self.own_listener(cx)?;
            self.actions = listener.default_actions;
        }
        Ok(self)
    }

    fn own_listener(&self, cx: &Tx<'_>) -> Result<Listener> {
        let arn = listener_arn(self.own_arn()).unwrap_or_default();
        listener::require(cx, &arn, "RuleArn")
    }
}

/// The rules of a listener in the order in which they are looked at, the default rule without its actions.
pub(super) fn within(cx: &Tx<'_>, listener: &Listener) -> Result<Vec<Rule>> {
    let [_, balancer, _, id] = names::parts(listener.own_arn(), listener::KIND).unwrap_or([""; 4]);
    let mut rules = scan(cx, &Rule::table(cx.scope()).text(balancer).text(id))?;
    rules.sort_by_key(Rule::number);
    Ok(rules)
}

/// The rules of all listeners of a balancer, default rules without their actions.
pub(super) fn within_balancer(cx: &Tx<'_>, balancer: &str) -> Result<Vec<Rule>> {
    scan(cx, &Rule::table(cx.scope()).text(balancer))
}

fn scan(cx: &Tx<'_>, within: &Key) -> Result<Vec<Rule>> {
    let mut rules = Vec::new();
    cx.scan(cx.scope(), &within.within(), Direction::Ascending, |rule| {
        rules.push(rule);
        ControlFlow::Continue(())
    })?;
    Ok(rules)
}

/// Makes the default rule of a new listener.
pub(super) fn make_default(cx: &mut Tx<'_>, listener: &Listener) -> Result<()> {
    let mut rule = Rule::blank();
    rule.rule_arn = Some(arn_of(cx.scope(), listener, &cx.ids().hex(16)).into());
    (rule.priority, rule.is_default) = (Some(DEFAULT.into()), Some(true));
    rule.conditions = Some(Vec::new());
    let groups = action::groups(listener.default_actions.as_deref());
    lead(cx, listener, rule.own_arn(), &[], &groups)?;
    cx.put(rule)
}

/// The resource name of the default rule of a listener.
pub(super) fn default_arn(cx: &Tx<'_>, listener: &Listener) -> Result<Text> {
    let rules = within(cx, listener)?;
    Ok(rules.into_iter().find(Rule::is_last).and_then(|rule| rule.rule_arn).unwrap_or_default())
}

/// Notes that a rule leads to other target groups.
fn lead(cx: &mut Tx<'_>, listener: &Listener, rule_arn: &str, before: &[Text], after: &[Text]) -> Result<()> {
    let [_, balancer, _, _] = names::parts(listener.own_arn(), listener::KIND).unwrap_or([""; 4]);
    let from = routes::From { balancer, load_balancer_arn: listener.balancer_arn(), rule_arn };
    routes::change(cx, &from, before, after)
}

/// Removes a rule, with all that belongs to it.
pub(super) fn remove(cx: &mut Tx<'_>, listener: &Listener, rule: &Rule) -> Result<()> {
    let actions = if rule.is_last() { &listener.default_actions } else { &rule.actions };
    lead(cx, listener, rule.own_arn(), &action::groups(actions.as_deref()), &[])?;
    tagging::forget(cx, rule.own_arn())?;
    cx.remove(rule)
}

/// The listener it belongs to.
async fn find_listener(rule: &Rule) -> Result<Option<Listener>> {
    let Some(arn) = listener_arn(rule.require_arn()?) else {
        return Err(Error::invalid("RuleArn", "is not the resource name of a rule"));
    };
    Listener::objects(rule.require_session()?).get(arn).await
}
