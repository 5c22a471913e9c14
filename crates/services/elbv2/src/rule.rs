//! Rules: actions for the requests of a listener that match conditions.

mod operations;

pub use operations::*;

use super::{
    Action, Condition, Listener, Transform, errors,
    routing::{action, routes},
    tagging,
};
use nephos_cloud::{Addressed, Key, Stored, StoredResource, Tx};
use nephos_core::{Resource, Result, Slot, Tag, Text, field_value::FieldType};

/// A rule: actions for the requests of a listener that match its conditions.
#[derive(Resource)]
#[resource(
    arn("RuleArn", "listener-rule/{}/{*}/{}/{*}/{*}"),
    not_found = |which| errors::rules_not_found().with_hint(which),
    pk = "RuleArn", exists_if = "RuleArn", tags = "Tags",
    relation(listener, one = Listener, with = find_listener)
)]
pub struct Rule {
    /// ARN.
    #[field(service_set)]
    pub(super) rule_arn: Option<Text>,
    /// Priority among the rules of the listener: 1 to 50000, the lowest first, or `default`, the last.
    #[field(fixed, pattern = "default|[1-9][0-9]{0,4}")]
    pub(super) priority: Option<Text>,
    /// Conditions; a request must match all of them.
    #[field(required)]
    pub(super) conditions: Option<Vec<Condition>>,
    /// Actions for the matching requests.
    #[field(required)]
    pub(super) actions: Option<Vec<Action>>,
    /// True for the default rule, for requests that no other rule matches.
    #[field(service_set)]
    pub(super) is_default: Option<bool>,
    /// Transforms of requests before they are forwarded.
    pub(super) transforms: Option<Vec<Transform>>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// Priority of the default rule.
const DEFAULT_PRIORITY: &str = "default";

impl Stored for Rule {
    const TABLE: &'static str = "elbv2/rule";

    fn identify(&self, key: Key) -> Key {
        Self::key_of_arn(key.clone(), self.own_arn()).unwrap_or(key)
    }
}

impl Rule {
    /// Returns the priority as a number; the default rule comes after all others.
    fn priority_number(&self) -> i64 {
        self.priority.as_deref().and_then(|priority| priority.parse().ok()).unwrap_or(i64::MAX)
    }

    fn is_default_rule(&self) -> bool {
        self.is_default == Some(true)
    }
}

/// Returns the ARN of the listener of the rule with this ARN.
fn listener_arn(rule_arn: &str) -> Option<Text> {
    let (head, resource) = rule_arn.split_once(":listener-rule/")?;
    let (listener, _) = resource.rsplit_once('/')?;
    Some(format!("{head}:listener/{listener}").into())
}

impl Rule {
    /// Fills in the actions of the default rule, which are the default actions of its listener.
    fn with_actions(mut self, cx: &Tx<'_>) -> Result<Self> {
        if self.is_default_rule() {
            let listener = self.own_listener(cx)?;
            self.actions = listener.default_actions;
        }
        Ok(self)
    }

    fn own_listener(&self, cx: &Tx<'_>) -> Result<Listener> {
        let arn = listener_arn(self.own_arn()).unwrap_or_default();
        Listener::require(cx, &arn, "RuleArn")
    }
}

/// Returns the rules of a listener in order of priority, the default rule without its actions.
pub(super) fn rules_of(cx: &Tx<'_>, listener: &Listener) -> Result<Vec<Rule>> {
    let [_, balancer, _, id] = listener.arn_parts();
    let mut rules: Vec<Rule> = cx.all(&Rule::table(cx.scope()).text(balancer).text(id))?;
    rules.sort_by_key(Rule::priority_number);
    Ok(rules)
}

/// Returns the rules of all listeners of a load balancer, default rules without their actions.
pub(super) fn rules_of_balancer(cx: &Tx<'_>, balancer: &str) -> Result<Vec<Rule>> {
    cx.all(&Rule::table(cx.scope()).text(balancer))
}

/// Creates the default rule of a new listener.
pub(super) fn create_default(cx: &mut Tx<'_>, listener: &Listener) -> Result<()> {
    let mut rule = Rule::blank();
    rule.rule_arn = Some(Rule::new_arn(cx, &listener.arn_parts()));
    (rule.priority, rule.is_default) = (Some(DEFAULT_PRIORITY.into()), Some(true));
    rule.conditions = Some(Vec::new());
    let groups = action::group_names(listener.default_actions.as_deref());
    routes::update(cx, listener, rule.own_arn(), &[], &groups)?;
    cx.put(rule)
}

/// Returns the ARN of the default rule of a listener.
pub(super) fn default_rule_arn(cx: &Tx<'_>, listener: &Listener) -> Result<Text> {
    let rules = rules_of(cx, listener)?;
    Ok(rules.into_iter().find(Rule::is_default_rule).and_then(|rule| rule.rule_arn).unwrap_or_default())
}

/// Removes a rule, with its routes and tags.
pub(super) fn remove(cx: &mut Tx<'_>, listener: &Listener, rule: &Rule) -> Result<()> {
    let actions = if rule.is_default_rule() { &listener.default_actions } else { &rule.actions };
    routes::update(cx, listener, rule.own_arn(), &action::group_names(actions.as_deref()), &[])?;
    tagging::TagsRow::remove(cx, rule.own_arn())?;
    cx.remove(rule)
}

/// Finds the listener of a rule.
async fn find_listener(rule: &Rule) -> Result<Option<Listener>> {
    let Some(arn) = listener_arn(rule.require_arn()?) else {
        return Err(errors::invalid_arn(rule.require_arn()?, "rule").with_field("RuleArn"));
    };
    Listener::objects(rule.require_session()?).get(arn).await
}
