//! Operations on rules.

use super::{Rule, RuleManager, remove, rules_of, rules_of_balancer};
use crate::{
    Condition, Listener, LoadBalancer, LoadBalancerType, Transform, errors, limits,
    paging::{self, Page},
    routing::{
        action::{self, ListenerContext},
        condition, routes, transform,
    },
    tagging,
    validation::wire_name,
};
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{
    Empty, Error, FromModel, ManagerOperation, Record, Resource, Result, Tag, Text, WorkflowContext,
    operation, retag,
};
use std::collections::HashSet;

/// Creates a rule of a listener of an application load balancer.
#[operation(
    of = Rule, needs(conditions, actions), takes(settable, tags(length(1..))), except(priority),
    wraps(rules: Vec<Rule>), effect = write, subject = "{ListenerArn}",
    also_requires("AddTags" = "Tags? {ListenerArn: listener/=listener-rule/}/*")
)]
pub struct CreateRule {
    /// ARN of the listener.
    pub listener_arn: Text,
    /// Priority among the rules of the listener.
    #[field(from_model, range(1..=50000))]
    pub priority: i64,
}

impl Handler for CreateRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let listener = Listener::require(cx, &self.listener_arn, "ListenerArn")?;
        let balancer = LoadBalancer::require(cx, listener.balancer_arn(), "ListenerArn")?;
        if balancer.own_type() != LoadBalancerType::Application {
            return Err(errors::unsupported_for_type("Rules", wire_name(&balancer.own_type()))
                .with_field("ListenerArn")
                .with_hint("besides the default rule"));
        }
        let conditions = condition::normalize_conditions(&self.conditions)?;
        let actions = ListenerContext::new(&balancer, &listener, "Actions").normalize_actions(
            cx,
            &self.actions,
            None,
        )?;
        if let Some(other) =
            rules_of(cx, &listener)?.iter().find(|other| other.priority_number() == self.priority)
        {
            return Err(priority_in_use(self.priority, other));
        }
        let others =
            rules_of_balancer(cx, balancer.own_name())?.iter().filter(|rule| !rule.is_default_rule()).count();
        if others >= limits::MAX_RULES {
            let hint = format!("a load balancer can have at most {} rules, has {others}", limits::MAX_RULES);
            return Err(errors::too_many_rules(balancer.own_arn()).with_hint(hint));
        }
        let priority = self.priority.to_string().into();
        let mut rule = Rule::from_given(self);
        (rule.tags, rule.priority) = (None, Some(priority));
        (rule.conditions, rule.actions) = (Some(conditions), Some(actions));
        rule.transforms = normalize_transforms(rule.transforms)?;
        rule.rule_arn = Some(Rule::new_arn(cx, &listener.arn_parts()));
        rule.is_default = Some(false);
        routes::update(cx, &listener, rule.own_arn(), &[], &action::group_names(rule.actions.as_deref()))?;
        tagging::TagsRow::put(cx, rule.own_arn(), tags)?;
        cx.put(rule.clone())?;
        Ok(vec![rule].into())
    }
}

fn priority_in_use(priority: i64, other: &Rule) -> Error {
    errors::priority_in_use(priority).with_hint(format!("by rule {}", other.own_arn()))
}

fn normalize_transforms(transforms: Option<Vec<Transform>>) -> Result<Option<Vec<Transform>>> {
    let transforms = transforms.filter(|transforms| !transforms.is_empty());
    transform::check(transforms.as_deref().unwrap_or_default())?;
    Ok(transforms)
}

/// Changes a rule: the given parameters replace the current settings.
#[operation(
    of = Rule, needs(rule_arn), takes(changeable), except(tags), wraps(rules: Vec<Rule>), effect = write
)]
pub struct ModifyRule {
    /// True to remove all transforms; cannot be combined with transforms.
    pub reset_transforms: Option<bool>,
}

impl Handler for ModifyRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = Rule::require(cx, &self.rule_arn, "RuleArn")?;
        if before.is_default_rule() {
            return Err(errors::default_rule_fixed(before.own_arn(), "modified")
                .with_hint("change the default actions of its listener instead"));
        }
        let reset = self.reset_transforms == Some(true);
        if reset && self.transforms.is_some() {
            return Err(errors::both_given("Transforms", "ResetTransforms").with_field("ResetTransforms"));
        }
        let listener = before.own_listener(cx)?;
        let balancer = LoadBalancer::require(cx, listener.balancer_arn(), "RuleArn")?;
        let mut after = before.clone();
        if let Some(conditions) = &self.conditions {
            after.conditions = Some(condition::normalize_conditions(conditions)?);
        }
        if reset {
            after.transforms = None;
        } else if self.transforms.is_some() {
            after.transforms = normalize_transforms(self.transforms)?;
        }
        if let Some(actions) = &self.actions {
            let context = ListenerContext::new(&balancer, &listener, "Actions");
            after.actions = Some(context.normalize_actions(cx, actions, before.actions.as_deref())?);
        }
        if after != before {
            let (old, new) = (before.actions.as_deref(), after.actions.as_deref());
            routes::update(
                cx,
                &listener,
                after.own_arn(),
                &action::group_names(old),
                &action::group_names(new),
            )?;
            cx.put(after.clone())?;
        }
        Ok(vec![after].into())
    }
}

/// Deletes a rule, except the default rule.
#[operation(of = Rule, call = "delete", on_model, needs(rule_arn), effect = write)]
pub struct DeleteRule {}

impl Handler for DeleteRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let rule = Rule::require(cx, &self.rule_arn, "RuleArn")?;
        if rule.is_default_rule() {
            return Err(errors::default_rule_fixed(rule.own_arn(), "deleted")
                .with_hint("it is deleted with its listener"));
        }
        let listener = rule.own_listener(cx)?;
        remove(cx, &listener, &rule)?;
        Ok(Empty {})
    }
}

/// Describes rules: those of a listener, in order of priority, or those with the given ARNs.
#[operation(
    of = Rule, call = "list", page(rules, next_marker), check = check_selector, find(rule_arn in rule_arns),
    with = nephos_core::with_tags, include(Page), effect = read
)]
pub struct DescribeRules {
    /// ARN of the listener.
    pub listener_arn: Option<Text>,
    /// ARNs of the rules.
    pub rule_arns: Option<Vec<Text>>,
}

fn check_selector(describe: &DescribeRules) -> Result<()> {
    let arns = &describe.rule_arns;
    paging::check_arns_or_parent::<Rule, Listener>("listener rule", arns, &describe.listener_arn)
}

impl Handler for DescribeRules {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (rules, next_marker) = match &self.listener_arn {
            Some(arn) => {
                let listener = Listener::require(cx, arn, "ListenerArn")?;
                let sort_key = |rule: &Rule| format!("{:020}", rule.priority_number()).into();
                cx.page_items(&self, rules_of(cx, &listener)?, sort_key)?
            }
            None => paging::page_by_arns::<Rule, Listener>(cx, &self, "listener rule", &self.rule_arns)?,
        };
        let rules: Vec<_> = rules.into_iter().map(|rule| rule.with_actions(cx)).collect::<Result<_>>()?;
        Ok((rules, next_marker).into())
    }
}

/// Creates a rule, with its tags. Values that a condition repeats from its config, as the service returns them, are sent once.
#[operation(kind = Rule, call = "create", effect = write, output = Vec<Rule>)]
pub struct RuleCreate {
    /// The rule.
    #[field(model, name = "model")]
    pub model: Rule,
    /// ARN of the listener.
    pub listener_arn: Text,
    /// Tags; they override tags of the model with the same key.
    pub tags: Option<Vec<Tag>>,
}

impl ManagerOperation for RuleCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Rule>> {
        let mut create: CreateRule = operation::beside_model(&self.model, self)?;
        create.conditions.iter_mut().for_each(Condition::remove_repeated_values);
        let mut rules = context.call(create.clone()).await?.rules.unwrap_or_default();
        operation::echo_tags(&mut rules, &create);
        Ok(rules)
    }
}

/// Updates the conditions, actions, transforms and tags of a rule: those that changed since the model was read.
#[operation(kind = Rule, call = "update", effect = write, output = Vec<Rule>)]
pub struct RuleUpdate {
    /// The rule.
    #[field(model, name = "model")]
    pub model: Rule,
    /// True to remove all transforms; cannot be combined with transforms.
    pub reset_transforms: Option<bool>,
}

impl ManagerOperation for RuleUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Rule>> {
        let arn = crate::saved_arn(&self.model)?;
        let changes = ModifyRule::changes_of(&self.model)?;
        let mut modify =
            changes.unwrap_or_else(|| ModifyRule::new(arn.clone())).reset_transforms(self.reset_transforms);
        // Transforms that were removed from the model must be reset explicitly.
        if self.model.changed().contains(&"Transforms")
            && modify.transforms.as_ref().is_none_or(Vec::is_empty)
        {
            modify = modify.transforms(None::<Vec<Transform>>).reset_transforms(true);
        }
        modify.conditions.iter_mut().flatten().for_each(Condition::remove_repeated_values);
        context.call(modify).await?;
        retag(context, &self.model, &self.model).await?;
        Ok(context.run(RuleGet::new(arn)).await?.into_iter().collect())
    }
}

/// A rule and its priority.
#[derive(Record)]
pub struct RulePriorityPair {
    /// ARN of the rule.
    #[field(required)]
    rule_arn: Option<Text>,
    /// Priority of the rule.
    #[field(required, range(1..=50000))]
    priority: Option<i64>,
}

impl<T: Into<Text>> From<(T, i64)> for RulePriorityPair {
    fn from((rule_arn, priority): (T, i64)) -> Self {
        Self { rule_arn: Some(rule_arn.into()), priority: Some(priority) }
    }
}

/// Sets the priorities of rules, all at once, so that rules can swap their priorities.
#[operation(
    of = Rule, call = "set_priorities", wraps(rules: Vec<Rule>),
    effect = write, subject = "{RulePriorities.RuleArn}"
)]
pub struct SetRulePriorities {
    /// Rules and their priorities.
    #[field(length(1..))]
    pub rule_priorities: Vec<RulePriorityPair>,
}

impl Handler for SetRulePriorities {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut after: Vec<Rule> = Vec::with_capacity(self.rule_priorities.len());
        let mut changed = HashSet::new();
        for (n, pair) in self.rule_priorities.iter().enumerate() {
            let field = format!("RulePriorities[{n}]");
            let arn = pair.rule_arn.as_deref().unwrap_or_default();
            let mut rule = Rule::require(cx, arn, &format!("{field}.RuleArn"))?;
            if rule.is_default_rule() {
                return Err(errors::default_rule_fixed(rule.own_arn(), "modified"));
            }
            if !changed.insert(rule.rule_arn.clone()) {
                return Err(errors::given_twice("Rule", rule.own_arn()).with_field(&field));
            }
            rule.priority = pair.priority.map(|priority| priority.to_string().into());
            after.push(rule);
        }
        let mut priorities = HashSet::new();
        for (n, rule) in after.iter().enumerate() {
            let listener = rule.own_listener(cx)?;
            let has_priority = |other: &&Rule| other.priority_number() == rule.priority_number();
            let is_unchanged = |other: &&Rule| !changed.contains(&other.rule_arn);
            if !priorities.insert((listener.listener_arn.clone(), rule.priority_number())) {
                return Err(errors::given_twice("Priority", rule.priority_number())
                    .with_field(format!("RulePriorities[{n}]")));
            }
            if let Some(other) = rules_of(cx, &listener)?.iter().filter(is_unchanged).find(has_priority) {
                return Err(priority_in_use(rule.priority_number(), other));
            }
        }
        after.iter().try_for_each(|rule| cx.put(rule.clone()))?;
        Ok(after.into())
    }
}
