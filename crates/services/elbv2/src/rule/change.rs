//! Operations that make, change and delete rules.

use super::{ChangedRules, Rule, arn_of, lead, remove, require, within, within_balancer};
use crate::{
    Action, Condition, Empty, Listener, LoadBalancer, LoadBalancerType, SERVICE, Transform,
    action::{self, Place},
    condition, errors, limits, listener, load_balancer, names, tagging, transform,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Error, Result, Tag, Text, datum::DatumType, operation};

/// Creates a rule of a listener of an application balancer.
#[operation(service = SERVICE, effect = write, output = ChangedRules, subject = "{ListenerArn}")]
pub struct CreateRule {
    /// The listener it belongs to.
    pub listener_arn: Text,
    /// Which requests it is for.
    pub conditions: Vec<Condition>,
    /// When it is looked at among the rules of the listener.
    #[field(range(1..=50000))]
    pub priority: i64,
    /// What becomes of the requests.
    pub actions: Vec<Action>,
    /// Its tags.
    #[field(length(1..))]
    pub tags: Option<Vec<Tag>>,
    /// How requests are rewritten before they are handed on.
    pub transforms: Option<Vec<Transform>>,
}

impl Handler for CreateRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<ChangedRules> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let listener = listener::require(cx, &self.listener_arn, "ListenerArn")?;
        let balancer = load_balancer::require(cx, listener.balancer_arn(), "ListenerArn")?;
        if balancer.own_type() != LoadBalancerType::Application {
            let why = "only listeners of application balancers have rules beside the default one";
            return Err(errors::INVALID_CONFIGURATION.because(why).with_field("ListenerArn"));
        }
        let mut rule = Rule::blank();
        rule.conditions = Some(condition::settled(&self.conditions)?);
        rule.transforms = settled_transforms(self.transforms)?;
        rule.actions = Some(settled_actions(cx, &balancer, &listener, &self.actions, None)?);
        if let Some(other) = within(cx, &listener)?.iter().find(|other| other.number() == self.priority) {
            return Err(priority_in_use(self.priority, other));
        }
        let others = within_balancer(cx, balancer.own_name())?.iter().filter(|rule| !rule.is_last()).count();
        if others >= limits::RULES {
            let why =
                format!("load balancer {} has {others} rules, which is all it may have", balancer.own_name());
            return Err(errors::TOO_MANY_RULES.because(why));
        }
        rule.rule_arn = Some(arn_of(cx.scope(), &listener, &cx.ids().hex(16)).into());
        rule.priority = Some(self.priority.to_string().into());
        rule.is_default = Some(false);
        lead(cx, &listener, rule.own_arn(), &[], &action::groups(rule.actions.as_deref()))?;
        tagging::put(cx, rule.own_arn(), tags)?;
        cx.put(rule.clone())?;
        Ok(ChangedRules::of(rule))
    }
}

pub(super) fn priority_in_use(priority: i64, other: &Rule) -> Error {
    errors::PRIORITY_IN_USE.because(format!("{priority} is the priority of {}", other.own_arn()))
}

fn settled_transforms(transforms: Option<Vec<Transform>>) -> Result<Option<Vec<Transform>>> {
    let transforms = transforms.filter(|transforms| !transforms.is_empty());
    transform::check(transforms.as_deref().unwrap_or_default())?;
    Ok(transforms)
}

fn settled_actions(
    cx: &Tx<'_>,
    balancer: &LoadBalancer,
    listener: &Listener,
    actions: &[Action],
    before: Option<&[Action]>,
) -> Result<Vec<Action>> {
    let protocol = listener.own_protocol();
    let place = Place { balancer, protocol: &protocol, port: listener.port, field: "Actions" };
    action::settled(cx, &place, actions, before)
}

/// Changes a rule: what is given is put in place of what is there.
#[operation(service = SERVICE, effect = write, output = ChangedRules, subject = "{RuleArn}")]
pub struct ModifyRule {
    /// Its resource name.
    pub rule_arn: Text,
    /// Which requests it is for.
    pub conditions: Option<Vec<Condition>>,
    /// What becomes of the requests.
    pub actions: Option<Vec<Action>>,
    /// How requests are rewritten before they are handed on.
    pub transforms: Option<Vec<Transform>>,
    /// Whether they are no longer rewritten; not with transforms.
    pub reset_transforms: Option<bool>,
}

impl Handler for ModifyRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<ChangedRules> {
        let before = require(cx, &self.rule_arn, "RuleArn")?;
        if before.is_last() {
            let why = "the default rule does what its listener says; change that";
            return Err(errors::NOT_PERMITTED.because(why));
        }
        let reset = self.reset_transforms == Some(true);
        if reset && self.transforms.is_some() {
            return Err(names::invalid("ResetTransforms", "transforms are either reset or given, not both"));
        }
        let listener = before.own_listener(cx)?;
        let balancer = load_balancer::require(cx, listener.balancer_arn(), "RuleArn")?;
        let mut after = before.clone();
        if let Some(conditions) = &self.conditions {
            after.conditions = Some(condition::settled(conditions)?);
        }
        if reset {
            after.transforms = None;
        } else if self.transforms.is_some() {
            after.transforms = settled_transforms(self.transforms)?;
        }
        if let Some(actions) = &self.actions {
            let settled = settled_actions(cx, &balancer, &listener, actions, before.actions.as_deref())?;
            after.actions = Some(settled);
        }
        if after != before {
            let (old, new) = (before.actions.as_deref(), after.actions.as_deref());
            lead(cx, &listener, after.own_arn(), &action::groups(old), &action::groups(new))?;
            cx.put(after.clone())?;
        }
        Ok(ChangedRules::of(after))
    }
}

/// Deletes a rule, which must not be the default one.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{RuleArn}")]
pub struct DeleteRule {
    /// Its resource name.
    pub rule_arn: Text,
}

impl Handler for DeleteRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let rule = require(cx, &self.rule_arn, "RuleArn")?;
        if rule.is_last() {
            return Err(errors::NOT_PERMITTED.because("the default rule goes with its listener"));
        }
        let listener = rule.own_listener(cx)?;
        remove(cx, &listener, &rule)?;
        Ok(Empty {})
    }
}
