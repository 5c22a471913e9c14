//! Operations on rules.

use super::{Rule, RuleManager, arn_of, lead, remove, require, within, within_balancer};
use crate::{
    Action, Listener, LoadBalancer, LoadBalancerType, SERVICE, Transform,
    action::{self, Place},
    condition, errors, limits, listener, load_balancer, names,
    paging::{self, Page},
    tagging::{self, Tagging},
    transform,
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{
    Empty, Error, FromModel, Record, Resource, Result, Steppable, Steps, Text, operation, retag,
};

/// The rules that were created or changed.
#[derive(Record)]
#[record(name = "CreateRuleOutput")]
pub struct ChangedRules {
    /// The rules.
    pub(super) rules: Option<Vec<Rule>>,
}

impl ChangedRules {
    fn new(rule: Rule) -> Self {
        Self { rules: Some(vec![rule]) }
    }
}

/// Creates a rule of a listener of an application load balancer.
#[operation(
    service = SERVICE, of = Rule, needs(conditions, actions), takes(tags(length(1..)), transforms),
    call = "create", model, beside(tags), gives(rules: Vec<Rule>),
    effect = write, output = ChangedRules, subject = "{ListenerArn}"
)]
pub struct CreateRule {
    /// ARN of the listener.
    pub listener_arn: Text,
    /// Priority among the rules of the listener.
    #[field(from_model, range(1..=50000))]
    pub priority: i64,
}

impl Handler for CreateRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<ChangedRules> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let listener = listener::require(cx, &self.listener_arn, "ListenerArn")?;
        let balancer = load_balancer::require(cx, listener.balancer_arn(), "ListenerArn")?;
        if balancer.own_type() != LoadBalancerType::Application {
            let why = "only listeners of application load balancers have rules beside the default one";
            return Err(errors::INVALID_CONFIGURATION.because(why).with_field("ListenerArn"));
        }
        let conditions = condition::settled(&self.conditions)?;
        let actions = settled_actions(cx, &balancer, &listener, &self.actions, None)?;
        if let Some(other) = within(cx, &listener)?.iter().find(|other| other.number() == self.priority) {
            return Err(priority_in_use(self.priority, other));
        }
        let others = within_balancer(cx, balancer.own_name())?.iter().filter(|rule| !rule.is_last()).count();
        if others >= limits::RULES {
            let why = format!("a load balancer can have at most {} rules", limits::RULES);
            return Err(errors::TOO_MANY_RULES.because(why));
        }
        let priority = self.priority.to_string().into();
        let mut rule = Rule::from_given(self);
        (rule.tags, rule.priority) = (None, Some(priority));
        (rule.conditions, rule.actions) = (Some(conditions), Some(actions));
        rule.transforms = settled_transforms(rule.transforms)?;
        rule.rule_arn = Some(arn_of(cx.scope(), &listener, &cx.ids().hex(16)).into());
        rule.is_default = Some(false);
        lead(cx, &listener, rule.own_arn(), &[], &action::groups(rule.actions.as_deref()))?;
        tagging::put(cx, rule.own_arn(), tags)?;
        cx.put(rule.clone())?;
        Ok(ChangedRules::new(rule))
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

/// Changes a rule: what is given replaces what is there.
#[operation(
    service = SERVICE, of = Rule, needs(rule_arn), takes(changeable), leaves(tags),
    effect = write, output = ChangedRules, subject = "{RuleArn}"
)]
pub struct ModifyRule {
    /// True to remove all transforms; not together with transforms.
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
        Ok(ChangedRules::new(after))
    }
}

/// Deletes a rule, which must not be the default one.
#[operation(
    service = SERVICE, of = Rule, call = "delete", instance, needs(rule_arn),
    effect = write, output = Empty, subject = "{RuleArn}"
)]
pub struct DeleteRule {}

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

/// Describes rules: those of a listener, in the order of their priorities, or those that are asked for.
#[operation(
    service = SERVICE, of = Rule, call = "list", pages, gives(rules, next_marker), check = one_selector,
    find(rule_arn in rule_arns), with = tagging::with_tags,
    also(Page), effect = read, output = Rules, subject = "listener-rule/*"
)]
pub struct DescribeRules {
    /// ARN of the listener.
    pub listener_arn: Option<Text>,
    /// ARNs of the rules.
    pub rule_arns: Option<Vec<Text>>,
}

fn one_selector(describe: &DescribeRules) -> Result<()> {
    operation::exactly_one(describe, &["ListenerArn", "RuleArns"])
}

nephos_core::page! {
    /// A page of rules.
    #[record(name = "DescribeRulesOutput")]
    pub struct Rules { rules: Rule, next_marker }
}

impl Handler for DescribeRules {
    fn run(self, cx: &mut Tx<'_>) -> Result<Rules> {
        let (rules, next_marker) = match &self.listener_arn {
            Some(arn) => {
                let listener = listener::require(cx, arn, "ListenerArn")?;
                let rules = within(cx, &listener)?.into_iter().map(|rule| rule.told(cx));
                let place = |rule: &Rule| format!("{:020}", rule.number()).into();
                cx.page_items(&self, rules.collect::<Result<Vec<_>>>()?, place)?
            }
            None => {
                let rules = paging::each(self.rule_arns.as_ref(), |arn| require(cx, arn, "RuleArns"))?;
                cx.page_list(&self, rules.unwrap_or_default())?
            }
        };
        Ok(Rules { rules: Some(rules), next_marker })
    }
}

/// Changes the conditions, actions, transforms and tags of a rule: those that differ from what the model was read with.
#[operation(kind = Rule, call = "update", effect = write, output = Vec<Rule>)]
pub struct Update {
    /// The rule.
    #[field(model, name = "model")]
    pub model: Rule,
    /// True to remove all transforms; not together with transforms.
    pub reset_transforms: Option<bool>,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Vec<Rule>> {
        let arn = crate::marked(&self.model.rule_arn, "RuleArn")?;
        let changes = ModifyRule::changes_of(&self.model)?;
        let mut modify =
            changes.unwrap_or_else(|| ModifyRule::new(arn.clone())).reset_transforms(self.reset_transforms);
        // Transforms that were taken out of the model are to be removed.
        if self.model.changed().contains(&"Transforms")
            && modify.transforms.as_ref().is_none_or(Vec::is_empty)
        {
            modify = modify.transforms(None).reset_transforms(true);
        }
        steps.call(modify).await?;
        retag::<Tagging>(steps, &arn, &self.model).await?;
        Ok(RuleGet::new(arn).run(steps).await?.into_iter().collect())
    }
}
