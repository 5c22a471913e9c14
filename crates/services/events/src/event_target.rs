//! Targets of rules, which receive the events that a rule selects.

pub(crate) mod check;
mod operations;
pub(crate) mod parameters;
mod put;
pub(crate) mod remove;
pub(crate) mod sealed_texts;

pub use operations::*;
pub use parameters::*;
pub use put::*;
pub use remove::*;

use crate::{DeadLetterConfig, EventRule};
use nephos_cloud::{Key, Scope, Stored, Tx};
use nephos_core::{Resource, Result, Slot, Text, record_of};

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
