//! The manager of rules.

use super::{CreateRule, DeleteRule, DescribeRules, ModifyRule, Rule, RuleManager};
use crate as elbv2;
use crate::{names::invalid, none_if_missing, tagging};
use nephos_core::{Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Tag, Text, operation};

/// Creates a rule of a listener of an application balancer, with its tags.
#[operation(kind = Rule, call = "create", effect = write, output = Vec<Rule>)]
pub struct Create {
    /// The rule.
    #[field(model, name = "model")]
    pub model: Rule,
    /// The listener it belongs to.
    pub listener_arn: Text,
    /// Its tags; they win over those of the model, key by key.
    pub tags: Option<Vec<Tag>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Vec<Rule>> {
        let rule = &self.model;
        let tags = tagging::merged(rule.tags.as_deref(), self.tags.as_deref());
        let Some(priority) = rule.priority.as_deref() else { return Err(invalid("Priority", "is required")) };
        let priority: i64 = priority
            .parse()
            .map_err(|_| invalid("Priority", format!("{priority:?} is not a number from 1 to 50000")))?;
        let (conditions, actions) = (rule.conditions.clone(), rule.actions.clone());
        let create = CreateRule::new(
            self.listener_arn.clone(),
            conditions.unwrap_or_default(),
            priority,
            actions.unwrap_or_default(),
        )
        .transforms(rule.transforms.clone())
        .tags(tags.clone());
        let made = steps.call(create).await?.rules.unwrap_or_default();
        Ok(made.into_iter().map(|made| Rule { tags: tags.clone(), ..made }).collect())
    }
}

/// A rule, if there is one.
#[operation(kind = Rule, call = "get", effect = read, output = Option<Rule>)]
pub struct Get {
    /// Its resource name.
    pub rule_arn: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<Rule>> {
        let describe = DescribeRules::new().rule_arns([self.rule_arn.clone()]);
        let Some(found) = none_if_missing(steps.call(describe).await)? else { return Ok(None) };
        let Some(mut rule) = found.rules.unwrap_or_default().into_iter().next() else { return Ok(None) };
        rule.tags = tagging::of(steps, &self.rule_arn).await?;
        Ok(Some(rule))
    }
}

/// The rules of a listener, in the order in which they are looked at, or those that are asked for.
#[operation(kind = Rule, call = "list", effect = read, output = Page<Rule>, pages)]
pub struct List {
    /// The listener they belong to.
    pub listener_arn: Option<Text>,
    /// Only these.
    pub rule_arns: Option<Vec<Text>>,
    /// How many to fetch at a time; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = Rule;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Rule>> {
        elbv2::exactly_one("ListenerArn", self.listener_arn.is_some(), "RuleArns", self.rule_arns.is_some())?;
        if elbv2::any_empty([&self.rule_arns]) {
            return Ok(Page::default());
        }
        let describe = DescribeRules::new()
            .listener_arn(self.listener_arn.clone())
            .rule_arns(self.rule_arns.clone())
            .page_size(self.limit)
            .marker(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.rules.unwrap_or_default(), next_token: found.next_marker })
    }
}

/// Changes the conditions, actions, transforms and tags of a rule: those that differ from what the model was read with.
#[operation(kind = Rule, call = "update", effect = write, output = Vec<Rule>)]
pub struct Update {
    /// The rule.
    #[field(model, name = "model")]
    pub model: Rule,
    /// Whether all transforms are removed; not with transforms.
    pub reset_transforms: Option<bool>,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Vec<Rule>> {
        let (rule, changed) = (&self.model, self.model.changed());
        rule.check_changes()?;
        let arn = elbv2::marked(&rule.rule_arn, "RuleArn")?;
        let has = |field: &str| changed.contains(&field);
        let transforms = rule.transforms.clone().filter(|_| has("Transforms"));
        // Transforms that were taken out of the model are to go.
        let cleared = has("Transforms") && transforms.as_ref().is_none_or(Vec::is_empty);
        let modify = ModifyRule::new(arn.clone())
            .conditions(rule.conditions.clone().filter(|_| has("Conditions")))
            .actions(rule.actions.clone().filter(|_| has("Actions")))
            .transforms(transforms.filter(|transforms| !transforms.is_empty()))
            .reset_transforms(if cleared { Some(true) } else { self.reset_transforms });
        let made = steps.call(modify).await?.rules.unwrap_or_default();
        tagging::retag(steps, &arn, rule).await?;
        let tags = tagging::of(steps, &arn).await?;
        Ok(made.into_iter().map(|made| Rule { tags: tags.clone(), ..made }).collect())
    }
}

/// Deletes a rule, which must not be the default one.
#[operation(kind = Rule, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its resource name.
    pub rule_arn: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteRule::new(self.rule_arn.clone())).await?;
        Ok(())
    }
}
