//! Executions of pipelines: a change on its way through the stages.
//!
//! An execution is a row, and so is each run of one of its actions. A step reads these rows, asks the [plan], and writes them;
//! the end of an action is due work. There is no state beside the rows.

mod action_run;
mod actions;
mod advance;
mod approval;
mod artifacts;
mod calls;
mod condition;
mod condition_state;
mod control;
pub(crate) mod event_target;
mod notify;
mod operations;
pub mod plan;
mod removal;
mod retry;
mod revision;
mod rollback;
mod row;
mod rules;
mod run;
mod source;
mod stage_row;
mod start;
mod state;
mod stop;
mod transition;
mod variables;

pub use action_run::ActionExecutionStatus;
pub(crate) use action_run::{ActionRunRow, LatestRunRow};
pub use actions::*;
pub(crate) use approval::ExpireApproval;
pub use approval::*;
pub use calls::*;
pub use condition::ConditionExecutionStatus;
use condition::StageCondition;
pub use condition_state::*;
pub(crate) use control::ActionOutcomeRow;
pub use control::{OutcomeOfAction, SetPipelineActions};
pub use operations::*;
pub(crate) use removal::remove_all;
pub use retry::*;
pub use revision::*;
pub use rollback::*;
pub(crate) use row::{ExecutionIdRow, ExecutionRow, LiveExecutionRow, NewExecution};
pub(crate) use rules::RuleRunRow;
pub use rules::*;
pub(crate) use run::{CompleteAction, RunResult, complete, find_action};
pub(crate) use stage_row::StageRow;
pub use start::*;
pub(crate) use start::{resolve_variables, start, start_first};
pub use state::*;
pub use stop::*;
pub use transition::*;

use crate::{
    errors,
    pipeline::{ActionDeclaration, ExecutionMode, Pipeline, PipelineVariableDeclaration},
};
use nephos_core::{Record, Resource, Result, Slot, Text, Timestamp, choices};
use plan::ActionPosition;

choices! {
    /// Status of an execution.
    #[derive(Eq)]
    pub enum PipelineExecutionStatus {
        /// The pipeline was changed while the execution was running.
        Cancelled = "Cancelled",
        /// It runs, or waits before a stage.
        InProgress = "InProgress",
        /// It was stopped.
        Stopped = "Stopped",
        /// It stops when its running actions have ended.
        Stopping = "Stopping",
        /// All stages succeeded.
        Succeeded = "Succeeded",
        /// A newer execution replaced it while it waited before a stage.
        Superseded = "Superseded",
        /// A stage failed.
        Failed = "Failed",
    }
}

choices! {
    /// Event that started an execution.
    #[derive(Eq)]
    pub enum TriggerType {
        /// Creation of the pipeline.
        CreatePipeline = "CreatePipeline",
        /// A call of `StartPipelineExecution`.
        StartPipelineExecution = "StartPipelineExecution",
        /// A change that polling found.
        PollForSourceChanges = "PollForSourceChanges",
        /// A webhook.
        Webhook = "Webhook",
        /// An event rule.
        CloudWatchEvent = "CloudWatchEvent",
        /// A call of `PutActionRevision`.
        PutActionRevision = "PutActionRevision",
        /// A trigger of the pipeline.
        WebhookV2 = "WebhookV2",
        /// A rollback by a call.
        ManualRollback = "ManualRollback",
        /// A rollback after a failure.
        AutomatedRollback = "AutomatedRollback",
    }
}

choices! {
    /// Type of an execution.
    #[derive(Eq)]
    pub enum ExecutionType {
        /// It brings a change through the stages.
        Standard = "STANDARD",
        /// It brings a stage back to an earlier execution.
        Rollback = "ROLLBACK",
    }
}

/// Cause of an execution.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ExecutionTrigger {
    /// Type of the event that started the execution.
    pub(crate) trigger_type: Option<TriggerType>,
    /// Detail, such as the ARN of the caller.
    pub(crate) trigger_detail: Option<Text>,
}

/// Revision of an artifact of an execution.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ArtifactRevision {
    /// Name of the artifact.
    pub(crate) name: Option<Text>,
    /// ID of the revision.
    pub(crate) revision_id: Option<Text>,
    /// ID of the change.
    pub(crate) revision_change_identifier: Option<Text>,
    /// Summary of the revision.
    pub(crate) revision_summary: Option<Text>,
    /// Time of creation.
    pub(crate) created: Option<Timestamp>,
    /// URL of the revision.
    revision_url: Option<Text>,
}

/// Revision that a source action fetched.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct SourceRevision {
    /// Name of the source action.
    #[field(required)]
    pub(crate) action_name: Option<Text>,
    /// ID of the revision.
    pub(crate) revision_id: Option<Text>,
    /// Summary of the revision.
    pub(crate) revision_summary: Option<Text>,
    /// URL of the revision.
    revision_url: Option<Text>,
}

/// Variable of the pipeline in an execution.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ResolvedPipelineVariable {
    /// Name.
    pub(crate) name: Option<Text>,
    /// Value in this execution.
    pub(crate) resolved_value: Option<Text>,
}

/// Target of a rollback.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct PipelineRollbackMetadata {
    /// ID of the execution that the stage is brought back to.
    pub(crate) rollback_target_pipeline_execution_id: Option<Text>,
}

/// Request to stop an execution.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct StopExecutionTrigger {
    /// Reason.
    #[field(length(..=200))]
    pub(crate) reason: Option<Text>,
}

/// An execution of a pipeline. Calls start and stop it; it is otherwise read-only.
#[derive(Resource)]
#[resource(
    case = "camel",
    pk("pipelineName", "pipelineExecutionId"),
    exists_if = "status",
    frozen,
    not_found = |id| errors::execution_missing(id),
    relation(pipeline, one = Pipeline, with = find_pipeline)
)]
pub struct PipelineExecution {
    /// Name of the pipeline.
    #[field(like = ActionDeclaration::name)]
    pub(crate) pipeline_name: Option<Text>,
    /// Version of the pipeline that the execution uses.
    #[field(not_in_list)]
    pub(crate) pipeline_version: Option<i64>,
    /// ID of the execution.
    #[field(pattern = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")]
    pub(crate) pipeline_execution_id: Option<Text>,
    /// Status.
    pub(crate) status: Option<PipelineExecutionStatus>,
    /// Status in words.
    pub(crate) status_summary: Option<Text>,
    /// Revisions of the artifacts.
    #[field(not_in_list)]
    pub(crate) artifact_revisions: Option<Vec<ArtifactRevision>>,
    /// Variables of the pipeline, with their values.
    #[field(not_in_list)]
    pub(crate) variables: Option<Vec<ResolvedPipelineVariable>>,
    /// Cause of the execution.
    pub(crate) trigger: Option<ExecutionTrigger>,
    /// Handling of executions that overlap.
    pub(crate) execution_mode: Option<ExecutionMode>,
    /// Type of the execution.
    pub(crate) execution_type: Option<ExecutionType>,
    /// Target of a rollback.
    pub(crate) rollback_metadata: Option<PipelineRollbackMetadata>,
    /// Time of the start; only listings have it.
    #[field(not_on_wire)]
    pub(crate) start_time: Option<Timestamp>,
    /// Time of the last change; only listings have it.
    #[field(not_on_wire)]
    pub(crate) last_update_time: Option<Timestamp>,
    /// Revisions that source actions fetched; only listings have them.
    #[field(not_on_wire)]
    pub(crate) source_revisions: Option<Vec<SourceRevision>>,
    /// Request to stop the execution; only listings have it.
    #[field(not_on_wire)]
    pub(crate) stop_trigger: Option<StopExecutionTrigger>,
    slot: Slot,
}

/// Finds the pipeline of an execution.
async fn find_pipeline(execution: &PipelineExecution) -> Result<Option<Pipeline>> {
    let name = execution.pipeline_name.clone().unwrap_or_default();
    Pipeline::objects(execution.require_session()?).get(name).await
}

/// Value of a variable of the pipeline for one execution.
#[derive(Record)]
#[record(case = "camel")]
pub struct PipelineVariable {
    /// Name.
    #[field(required, like = PipelineVariableDeclaration::name)]
    pub(crate) name: Option<Text>,
    /// Value.
    #[field(required, length(1..=1000), pattern = r".*")]
    pub(crate) value: Option<Text>,
}
