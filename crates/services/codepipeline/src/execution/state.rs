//! State of a pipeline: its stages and actions, with their latest executions.

use super::{
    ActionExecutionStatus, ActionRunRow, ErrorDetails, ExecutionRow, ExecutionType, LatestRunRow,
    RetryStageMetadata, StageCondition, StageConditionState, StageRow, condition_state,
};
use crate::{
    Pipeline, PipelineManager,
    pipeline::{self, StageDeclaration},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, Timestamp, choices, operation, record_of};

choices! {
    /// Status of an execution in a stage.
    #[derive(Eq)]
    pub enum StageExecutionStatus {
        /// The pipeline was changed while the execution was in the stage.
        Cancelled = "Cancelled",
        /// Actions run, or can start.
        InProgress = "InProgress",
        /// An action failed.
        Failed = "Failed",
        /// The execution was stopped in the stage.
        Stopped = "Stopped",
        /// The execution stops when the running actions have ended.
        Stopping = "Stopping",
        /// All actions succeeded.
        Succeeded = "Succeeded",
        /// A condition skipped the stage.
        Skipped = "Skipped",
    }
}

/// Execution in a stage, or before it.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct StageExecution {
    /// ID of the execution.
    #[field(required)]
    pipeline_execution_id: Option<Text>,
    /// Status of the execution in the stage.
    #[field(required)]
    status: Option<StageExecutionStatus>,
    /// Type of the execution.
    r#type: Option<ExecutionType>,
}

/// Revision that a source action fetches.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionRevision {
    /// ID of the revision.
    #[field(required, length(1..=1500))]
    pub(crate) revision_id: Option<Text>,
    /// ID of the change.
    #[field(required, length(1..=100))]
    pub(crate) revision_change_id: Option<Text>,
    /// Time of creation.
    #[field(required)]
    pub(crate) created: Option<Timestamp>,
}

/// Transition into a stage.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct TransitionState {
    /// True if executions can enter the stage.
    pub(crate) enabled: Option<bool>,
    /// ARN of the caller who changed it last.
    pub(crate) last_changed_by: Option<Text>,
    /// Time of the last change.
    pub(crate) last_changed_at: Option<Timestamp>,
    /// Reason for which it is disabled.
    pub(crate) disabled_reason: Option<Text>,
}

/// Run of an action in the state of a pipeline.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionExecution {
    /// ID of the run.
    pub(crate) action_execution_id: Option<Text>,
    /// Status.
    pub(crate) status: Option<ActionExecutionStatus>,
    /// Summary.
    summary: Option<Text>,
    /// Time of the last change.
    last_status_change: Option<Timestamp>,
    /// Token for the result of an approval, while it waits.
    pub(crate) token: Option<Text>,
    /// ARN of the caller who changed it last.
    last_updated_by: Option<Text>,
    /// ID of the run in the system that runs the action.
    external_execution_id: Option<Text>,
    /// URL of the run in that system.
    external_execution_url: Option<Text>,
    /// Progress in percent.
    percent_complete: Option<i64>,
    /// Error of a run that failed.
    error_details: Option<ErrorDetails>,
    /// ARN of the log stream of the run.
    #[field(name = "logStreamARN")]
    log_stream_arn: Option<Text>,
}

impl From<ActionRunRow> for ActionExecution {
    fn from(run: ActionRunRow) -> Self {
        let token = run.token.clone().filter(|_| run.is_running());
        Self {
            action_execution_id: run.id,
            status: run.status,
            summary: run.summary,
            last_status_change: run.last_update_time,
            token,
            last_updated_by: run.updated_by,
            external_execution_id: run.external_execution_id,
            external_execution_url: None,
            percent_complete: run.percent_complete,
            error_details: run.error,
            log_stream_arn: None,
        }
    }
}

/// State of an action.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionState {
    /// Name of the action.
    action_name: Option<Text>,
    /// Current revision of a source action.
    current_revision: Option<ActionRevision>,
    /// Latest run.
    latest_execution: Option<ActionExecution>,
    /// URL of the resource of the action.
    entity_url: Option<Text>,
    /// URL of the revision.
    revision_url: Option<Text>,
}

/// State of a stage.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct StageState {
    /// Name of the stage.
    stage_name: Option<Text>,
    /// Execution that waits before the stage.
    inbound_execution: Option<StageExecution>,
    /// Executions that wait before the stage.
    inbound_executions: Option<Vec<StageExecution>>,
    /// Transition into the stage; the first stage has none.
    inbound_transition_state: Option<TransitionState>,
    /// States of the actions.
    action_states: Option<Vec<ActionState>>,
    /// Execution that entered the stage last.
    latest_execution: Option<StageExecution>,
    /// Condition before entry.
    before_entry_condition_state: Option<StageConditionState>,
    /// Condition after success.
    on_success_condition_state: Option<StageConditionState>,
    /// Condition after failure.
    on_failure_condition_state: Option<StageConditionState>,
    /// Retries of the stage in the latest execution.
    retry_stage_metadata: Option<RetryStageMetadata>,
}

/// Returns the state of a pipeline, by stage and action.
#[operation(
    of = Pipeline, case = "camel", call = "state", on_model, needs(name), effect = read, output = GetPipelineStateOutput
)]
pub struct GetPipelineState {}

/// Answer of [`GetPipelineState`].
#[record_of(
    of = Pipeline, case = "camel", answer, takes(name as pipeline_name, version as pipeline_version, created, updated)
)]
pub struct GetPipelineStateOutput {
    /// States of the stages, in their order.
    stage_states: Option<Vec<StageState>>,
}

impl Handler for GetPipelineState {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = pipeline::require(cx, &self.name)?;
        let declaration = pipeline.declaration(cx)?;
        let live = ExecutionRow::live(cx, &self.name)?;
        let stages = declaration.all_stages().iter().enumerate();
        let states = stages.map(|(n, stage)| to_stage_state(cx, &self.name, n, stage, &live));
        let stage_states = Some(states.collect::<Result<_>>()?);
        Ok(GetPipelineStateOutput { stage_states, ..GetPipelineStateOutput::from(pipeline) })
    }
}

fn to_stage_state(
    cx: &Tx<'_>,
    pipeline: &str,
    position: usize,
    stage: &StageDeclaration,
    live: &[ExecutionRow],
) -> Result<StageState> {
    let row = StageRow::read(cx, pipeline, stage.own_name())?;
    let in_progress = || Some(StageExecutionStatus::InProgress);
    let to_execution = |row: &ExecutionRow, status: Option<StageExecutionStatus>| StageExecution {
        pipeline_execution_id: row.pipeline_execution_id.clone(),
        status,
        r#type: row.execution_type.clone(),
    };
    let waiting = live.iter().filter(|execution| execution.waiting_before == stage.name);
    let inbound: Vec<_> = waiting.map(|execution| to_execution(execution, in_progress())).collect();
    let latest = row.latest_execution(cx)?;
    let run = latest.as_ref().and_then(|latest| latest.stage_run(stage.own_name()));
    let condition_state = |condition| condition_state::to_state(cx, stage, &condition, latest.as_ref());
    let before_entry_condition_state = condition_state(StageCondition::BeforeEntry)?;
    let on_success_condition_state = condition_state(StageCondition::OnSuccess)?;
    let on_failure_condition_state = condition_state(StageCondition::OnFailure)?;
    let retry_stage_metadata = run.and_then(|run| run.retries.clone());
    let latest = latest.map(|latest| to_execution(&latest, latest.stage_status(stage.own_name())));
    let actions = stage.all_actions().iter().map(|action| {
        let name = action.name.as_deref().unwrap_or_default();
        let latest = LatestRunRow::read(cx, pipeline, stage.own_name(), name)?;
        Ok(ActionState {
            action_name: action.name.clone(),
            latest_execution: latest.run(cx)?.map(ActionExecution::from),
            current_revision: latest.revision,
            entity_url: None,
            revision_url: None,
        })
    });
    let action_states = Some(actions.collect::<Result<_>>()?);
    Ok(StageState {
        stage_name: stage.name.clone(),
        inbound_execution: inbound.last().cloned(),
        inbound_executions: Some(inbound).filter(|all| !all.is_empty()),
        inbound_transition_state: (position > 0).then(|| row.to_transition()),
        action_states,
        latest_execution: latest,
        before_entry_condition_state,
        on_success_condition_state,
        on_failure_condition_state,
        retry_stage_metadata,
    })
}
