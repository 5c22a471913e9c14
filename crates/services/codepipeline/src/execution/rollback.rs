//! Rollbacks: executions that bring one stage back to an earlier execution.

use super::{
    ActionRunRow, ExecutionRow, ExecutionTrigger, ExecutionType, PipelineRollbackMetadata, StageCondition,
    StageExecutionStatus, StageRow, TriggerType, advance, condition,
    row::NewExecution,
    transition::{StageOfPipeline, require_stage},
};
use crate::{
    PipelineExecution, PipelineExecutionManager, errors,
    pipeline::{ConditionResult, PipelineDeclaration, StageDeclaration},
};
use nephos_cloud::{Direction, Handler, Stored, Tx};
use nephos_core::{Result, Text, operation};
use std::ops::ControlFlow;

/// Brings a stage back to an execution that succeeded in it; returns the ID of the execution that does so.
#[operation(
    of = PipelineExecution, case = "camel", call = "rollback_stage", include(StageOfPipeline),
    wraps(pipeline_execution_id: Text), effect = write, subject = "{pipelineName}/{stageName}"
)]
pub struct RollbackStage {
    /// ID of the execution that the stage is brought back to.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pub target_pipeline_execution_id: Text,
}

impl Handler for RollbackStage {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = self.pipeline_name;
        let stage = self.stage_name;
        let (declaration, position) = require_stage(cx, &pipeline, &stage)?;
        let field = "targetPipelineExecutionId";
        let id = &self.target_pipeline_execution_id;
        let target = ExecutionRow::require(cx, &pipeline, id).map_err(|error| error.with_field(field))?;
        if target.pipeline_version != declaration.version {
            return Err(errors::execution_outdated(id).with_field(field));
        }
        if !is_target(&target, &stage) || target.is_parallel() || position == 0 {
            return Err(errors::unable_to_roll_back(&stage, id).with_field(field));
        }
        if is_occupied(cx, &pipeline, &stage)? {
            return Err(errors::stage_busy(&stage).with_field("stageName"));
        }
        let trigger = ExecutionTrigger {
            trigger_type: Some(TriggerType::ManualRollback),
            trigger_detail: Some(cx.caller().principal().arn),
        };
        let started = start(cx, &declaration, &target, position, trigger)?;
        advance::advance(cx, &pipeline)?;
        Ok(started.into())
    }
}

/// True if a stage can be brought back to this execution.
fn is_target(execution: &ExecutionRow, stage: &str) -> bool {
    let is_standard = execution.execution_type == Some(ExecutionType::Standard);
    is_standard && execution.stage_status(stage) == Some(StageExecutionStatus::Succeeded)
}

/// True if an execution is in the stage.
pub(super) fn is_occupied(cx: &Tx<'_>, pipeline: &str, stage: &str) -> Result<bool> {
    use StageExecutionStatus::{InProgress, Stopping};
    let latest = StageRow::read(cx, pipeline, stage)?.latest_execution(cx)?;
    Ok(latest.is_some_and(|latest| matches!(latest.stage_status(stage), Some(InProgress | Stopping))))
}

/// Starts the execution of a rollback, which enters the stage next; returns its ID.
fn start(
    cx: &mut Tx<'_>,
    pipeline: &PipelineDeclaration,
    target: &ExecutionRow,
    position: usize,
    trigger: ExecutionTrigger,
) -> Result<Text> {
    let variables = target.variables.clone().unwrap_or_default();
    let mut row = ExecutionRow::create(
        cx,
        pipeline,
        NewExecution { trigger, variables, revision_overrides: Vec::new() },
    )?;
    row.execution_type = Some(ExecutionType::Rollback);
    row.rollback_metadata = Some(PipelineRollbackMetadata {
        rollback_target_pipeline_execution_id: target.pipeline_execution_id.clone(),
    });
    row.rollback_target = target.number;
    row.artifact_revisions.clone_from(&target.artifact_revisions);
    row.source_revisions.clone_from(&target.source_revisions);
    row.stage = i64::try_from(position).ok();
    row.waiting_before = pipeline.all_stages().get(position).and_then(|stage| stage.name.clone());
    row.save(cx)?;
    Ok(row.pipeline_execution_id.unwrap_or_default())
}

/// Brings a stage that failed back to the last execution that succeeded in it, if its settings say so: always, or if the condition
/// for failures is not met.
pub(super) fn start_by_itself(
    cx: &mut Tx<'_>,
    failed: &ExecutionRow,
    pipeline: &PipelineDeclaration,
    stage: &StageDeclaration,
    is_condition_failed: bool,
) -> Result<()> {
    let result = match condition::find(stage, &StageCondition::OnFailure) {
        Some(condition) => condition.result.as_ref().filter(|_| is_condition_failed),
        None => stage.on_failure.as_ref().and_then(|on_failure| on_failure.result.as_ref()),
    };
    if result != Some(&ConditionResult::Rollback) {
        return Ok(());
    }
    start_automated(cx, failed, pipeline, stage)
}

/// Brings a stage back to the last execution that succeeded in it, if there is one in the same version of the pipeline.
pub(super) fn start_automated(
    cx: &mut Tx<'_>,
    failed: &ExecutionRow,
    pipeline: &PipelineDeclaration,
    stage: &StageDeclaration,
) -> Result<()> {
    if failed.is_rollback() || failed.is_parallel() {
        return Ok(());
    }
    let executions = ExecutionRow::table(cx.scope()).text(failed.pipeline()).prefix_range();
    let mut target = None;
    cx.scan(cx.scope(), &executions, Direction::Descending, |row: ExecutionRow| {
        let is_same = row.pipeline_version == failed.pipeline_version;
        if !is_same || !is_target(&row, stage.own_name()) {
            return ControlFlow::Continue(());
        }
        target = Some(row);
        ControlFlow::Break(())
    })?;
    let Some(target) = target else { return Ok(()) };
    let detail = format!(r#"{{"FailedPipelineExecutionId":"{}"}}"#, failed.id());
    let trigger = ExecutionTrigger {
        trigger_type: Some(TriggerType::AutomatedRollback),
        trigger_detail: Some(detail.into()),
    };
    start(cx, pipeline, &target, failed.stage_position(), trigger).map(drop)
}

/// Reads the runs whose artifacts and variables an execution uses: its own, and for a rollback those of its target in earlier stages.
pub(super) fn visible_runs(
    cx: &Tx<'_>,
    execution: &ExecutionRow,
    own: &[ActionRunRow],
) -> Result<Vec<ActionRunRow>> {
    let target = execution.rollback_target;
    let target =
        target.map(|number| ExecutionRow::find(cx, execution.pipeline(), number)).transpose()?.flatten();
    let mut runs =
        target.map(|target| ActionRunRow::of_execution(cx, &target)).transpose()?.unwrap_or_default();
    runs.retain(|run| run.position().stage < execution.stage_position());
    runs.extend_from_slice(own);
    Ok(runs)
}
