//! Targets of rules, which receive the events that a rule selects.

pub(crate) mod check;
pub(crate) mod parameters;
mod put;
pub(crate) mod remove;
pub(crate) mod sealed_texts;

pub use parameters::*;
pub use put::*;
pub use remove::*;

use crate::{
    DEFAULT_BUS, DeadLetterConfig, EventRule, EventRuleManager,
    event_rule::{self, RuleBus},
    paging::Page,
};
use nephos_cloud::{Handler, Key, Scope, Stored, Tx};
use nephos_core::{ManagerOperation, Resource, Result, Slot, Text, WorkflowContext, operation, record_of};

/// A target of a rule: receives the events that the rule selects.
#[derive(Resource)]
#[resource(arn = "Arn", name = "Id", pk("EventBusName", "Rule", "Id"))]
pub struct EventTarget {
    /// Name of the bus of the rule; the default bus if it is not given.
    #[field(fixed, not_on_wire, like = EventRule::event_bus_name)]
    pub(crate) event_bus_name: Option<Text>,
    /// Name of the rule.
    #[field(fixed, not_on_wire, like = EventRule::name)]
    pub(crate) rule: Option<Text>,
    /// ID of the target, unique within the rule.
    #[field(required, fixed, length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) id: Option<Text>,
    /// ARN of the resource that receives the events.
    #[field(required, length(1..=1600), condition = "events:TargetArn")]
    pub(crate) arn: Option<Text>,
    /// ARN of the role that the target is invoked with.
    #[field(no_effect, length(1..=1600))]
    pub(crate) role_arn: Option<Text>,
    /// Constant input, as JSON, instead of the event.
    #[field(length(..=8192))]
    pub(crate) input: Option<Text>,
    /// Path of the part of the event that is the input.
    #[field(length(..=256))]
    pub(crate) input_path: Option<Text>,
    /// Input that a template makes from values of the event.
    pub(crate) input_transformer: Option<InputTransformer>,
    /// Parameters of a Kinesis stream.
    #[field(no_effect)]
    pub(crate) kinesis_parameters: Option<KinesisParameters>,
    /// Parameters of a command on instances.
    #[field(no_effect)]
    pub(crate) run_command_parameters: Option<RunCommandParameters>,
    /// Parameters of tasks in containers.
    #[field(no_effect)]
    pub(crate) ecs_parameters: Option<EcsParameters>,
    /// Parameters of a batch job.
    #[field(no_effect)]
    pub(crate) batch_parameters: Option<BatchParameters>,
    /// Parameters of a queue.
    #[field(no_effect)]
    pub(crate) sqs_parameters: Option<SqsParameters>,
    /// Parameters of an API or an API destination.
    pub(crate) http_parameters: Option<HttpParameters>,
    /// Parameters of a Redshift cluster.
    #[field(no_effect)]
    pub(crate) redshift_data_parameters: Option<RedshiftDataParameters>,
    /// Parameters of a SageMaker pipeline.
    #[field(no_effect)]
    sage_maker_pipeline_parameters: Option<SageMakerPipelineParameters>,
    /// Queue for events that could not be delivered.
    pub(crate) dead_letter_config: Option<DeadLetterConfig>,
    /// Retries of failed deliveries.
    pub(crate) retry_policy: Option<RetryPolicy>,
    /// Parameters of a GraphQL API.
    #[field(no_effect, name = "GraphQLParameters", wire = "AppSyncParameters")]
    pub(crate) graph_ql_parameters: Option<GraphQLParameters>,
    slot: Slot,
}

nephos_cloud::stored!(EventTarget in "events/target" by event_bus_name, rule, id);

/// Returns the key prefix of the targets of a rule.
pub(crate) fn key_prefix(scope: &Scope, bus: &str, rule: &str) -> Key {
    EventTarget::table(scope).text(bus).text(rule)
}

/// Returns the targets of a rule, in order of their IDs.
pub(crate) fn targets_of(cx: &Tx<'_>, bus: &str, rule: &str) -> Result<Vec<EventTarget>> {
    cx.all(&key_prefix(cx.scope(), bus, rule))
}

/// Row of a rule with a target: rules by the ARNs of their targets.
#[record_of(of = EventTarget, takes(event_bus_name, arn, rule), row)]
pub(crate) struct RuleOfTargetRow {
    /// Number of targets of the rule with this ARN.
    count: Option<i64>,
}

nephos_cloud::stored!(RuleOfTargetRow in "events/rule-of-target" by event_bus_name, arn, rule);

impl RuleOfTargetRow {
    /// Adds `change` to the number of targets with the ARN of `target`.
    pub(crate) fn count(cx: &mut Tx<'_>, target: &EventTarget, change: i64) -> Result<()> {
        let mut row = Self::from(target.clone());
        let stored: Option<Self> = cx.get(&row.key(cx.scope()))?;
        let count = stored.and_then(|stored| stored.count).unwrap_or(0) + change;
        if count == 0 {
            return cx.remove(&row);
        }
        row.count = Some(count);
        cx.put(row)
    }
}

/// Lists the targets of a rule, in order of their IDs.
#[operation(
    of = EventTarget, call = "list", page(targets, next_token), echoes(rule, event_bus_name),
    also(RuleBus, Page), effect = read, subject = "rule/{EventBusName}/{Rule}"
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
#[operation(of = EventRule, page(rule_names: Text, next_token), also(RuleBus, Page), effect = read, subject = "*")]
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
    kind = EventRule, of = EventRule, call = "list_by_target", also(RuleBus), effect = read, output = Vec<EventRule>
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
    kind = EventTarget, of = EventTarget, call = "rules", instance, needs(arn), also(RuleBus), effect = read,
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
    kind = EventTarget, of = EventTarget, call = "get", needs(rule, id), also(RuleBus), effect = read,
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
    kind = EventRule, of = EventRule, call = "targets", instance, needs(name), also(RuleBus), effect = read,
    output = Vec<EventTarget>
)]
pub struct EventRuleTargets {}

impl ManagerOperation for EventRuleTargets {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<EventTarget>> {
        fetch(context, self.event_bus_name.as_ref(), &self.name).await
    }
}
