//! Retries of stages that failed or were stopped, by a call or by themselves.

use super::{
    ActionRunRow, ExecutionRow, PipelineExecutionStatus, StageExecutionStatus, StageRow,
    action_run::to_outcomes,
    advance, condition,
    plan::ExecutionPlan,
    transition::{StageOfPipeline, require_stage},
};
use crate::{
    PipelineExecution, PipelineExecutionManager, errors,
    pipeline::{ConditionResult, PipelineDeclaration, StageDeclaration, StageRetryMode},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, choices, operation};

choices! {
    /// Cause of a retry.
    #[derive(Eq)]
    pub enum RetryTrigger {
        /// The setting of the stage.
        AutomatedStageRetry = "AutomatedStageRetry",
        /// A call.
        ManualStageRetry = "ManualStageRetry",
    }
}

/// Retries of a stage.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RetryStageMetadata {
    /// Number of retries by themselves.
    pub(crate) auto_stage_retry_attempt: Option<i64>,
    /// Number of retries by calls.
    pub(crate) manual_stage_retry_attempt: Option<i64>,
    /// Cause of the latest retry.
    pub(crate) latest_retry_trigger: Option<RetryTrigger>,
}

/// Tries a stage again that failed or was stopped; returns the ID of the execution.
#[operation(
    of = PipelineExecution, case = "camel", call = "retry_stage", include(StageOfPipeline), needs(pipeline_execution_id),
    wraps(pipeline_execution_id: Text), effect = write, subject = "{pipelineName}/{stageName}"
)]
pub struct RetryStageExecution {
    /// Actions that are tried again.
    pub retry_mode: StageRetryMode,
}

impl Handler for RetryStageExecution {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = self.pipeline_name;
        let stage = self.stage_name;
        let (declaration, position) = require_stage(cx, &pipeline, &stage)?;
        let mut execution = require_latest(cx, &pipeline, &stage, &self.pipeline_execution_id)?;
        let is_retryable = matches!(
            execution.stage_status(&stage),
            Some(StageExecutionStatus::Failed | StageExecutionStatus::Stopped)
        );
        if !is_retryable || execution.pipeline_version != declaration.version {
            return Err(errors::stage_not_retryable(&stage).with_field("stageName"));
        }
        let all_actions = self.retry_mode == StageRetryMode::AllActions;
        let trigger = RetryTrigger::ManualStageRetry;
        retry(cx, &mut execution, &declaration, position, all_actions, trigger)?;
        advance::advance(cx, &pipeline)?;
        Ok(self.pipeline_execution_id.into())
    }
}

/// Finds the execution with this ID, which must be the latest one in the stage unless executions are independent.
pub(super) fn require_latest(cx: &Tx<'_>, pipeline: &str, stage: &str, id: &str) -> Result<ExecutionRow> {
    let refused = || errors::not_latest_execution(id, stage).with_field("pipelineExecutionId");
    // The service has no error for an unknown execution here.
    let execution = ExecutionRow::require(cx, pipeline, id).map_err(|_| refused())?;
    let latest = StageRow::read(cx, pipeline, stage)?.latest;
    if !execution.is_parallel() && latest != execution.number {
        return Err(refused());
    }
    Ok(execution)
}

/// Lets a stage of an execution run again: its failed actions, or all of them.
pub(super) fn retry(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    pipeline: &PipelineDeclaration,
    stage: usize,
    all_actions: bool,
    trigger: RetryTrigger,
) -> Result<()> {
    let runs = ActionRunRow::of_execution(cx, execution)?;
    let plan = ExecutionPlan::from_stages(pipeline.all_stages());
    let kept = plan.retry(stage, all_actions, &to_outcomes(&runs));
    for mut run in runs {
        if run.is_current() && !kept.contains_key(&run.position()) {
            run.is_replaced = Some(true);
            cx.put(run)?;
        }
    }
    let name = pipeline.all_stages()[stage].own_name();
    condition::forget(cx, execution, name)?;
    execution.stage = i64::try_from(stage).ok();
    execution.waiting_before = None;
    execution.status = Some(PipelineExecutionStatus::InProgress);
    execution.stop_trigger = None;
    execution.set_stage_status(name, StageExecutionStatus::InProgress);
    execution.count_retry(name, trigger);
    execution.save(cx)
}

impl ExecutionRow {
    fn count_retry(&mut self, stage: &str, trigger: RetryTrigger) {
        let mut runs = self.stages.iter_mut().flatten();
        let Some(run) = runs.find(|run| run.name.as_deref() == Some(stage)) else { return };
        let retries = run.retries.get_or_insert(RetryStageMetadata {
            auto_stage_retry_attempt: None,
            manual_stage_retry_attempt: None,
            latest_retry_trigger: None,
        });
        let count = match trigger {
            RetryTrigger::ManualStageRetry => &mut retries.manual_stage_retry_attempt,
            _ => &mut retries.auto_stage_retry_attempt,
        };
        *count = Some(count.unwrap_or_default() + 1);
        retries.latest_retry_trigger = Some(trigger);
    }
}

/// Retries a stage that failed, if its settings say so, and it was not retried by itself before.
pub(super) fn retry_by_itself(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    pipeline: &PipelineDeclaration,
    stage: &StageDeclaration,
) -> Result<bool> {
    let Some(on_failure) = &stage.on_failure else { return Ok(false) };
    let retries = execution.stage_run(stage.own_name()).and_then(|run| run.retries.as_ref());
    let is_done = retries.is_some_and(|retries| retries.auto_stage_retry_attempt.is_some());
    if on_failure.result != Some(ConditionResult::Retry) || is_done {
        return Ok(false);
    }
    let mode = on_failure.retry_configuration.as_ref().and_then(|settings| settings.retry_mode.as_ref());
    let all_actions = mode == Some(&StageRetryMode::AllActions);
    let position = execution.stage_position();
    retry(cx, execution, pipeline, position, all_actions, RetryTrigger::AutomatedStageRetry)?;
    Ok(true)
}
