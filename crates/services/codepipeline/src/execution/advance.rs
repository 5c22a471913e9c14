//! Steps of executions: entering stages, starting actions, leaving stages, and ending.

use super::{
    ActionRunRow, ExecutionRow, PipelineExecutionStatus, StageExecutionStatus, StageRow,
    action_run::to_outcomes,
    plan::{ExecutionPlan, NextActions},
    retry, rollback, run,
};
use crate::pipeline::{ExecutionMode, PipelineDeclaration, StageDeclaration};
use nephos_cloud::Tx;
use nephos_core::Result;

/// Advances the executions of a pipeline as far as they get without the end of an action. Each step reads the rows again.
pub(crate) fn advance(cx: &mut Tx<'_>, pipeline: &str) -> Result<()> {
    while step(cx, pipeline)? {}
    Ok(())
}

/// Makes one step of one execution, the oldest first; false if none of them can.
fn step(cx: &mut Tx<'_>, pipeline: &str) -> Result<bool> {
    let live = ExecutionRow::live(cx, pipeline)?;
    for execution in &live {
        if step_execution(cx, execution.clone(), &live)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn step_execution(cx: &mut Tx<'_>, mut execution: ExecutionRow, live: &[ExecutionRow]) -> Result<bool> {
    let pipeline = execution.declaration(cx)?;
    let Some(stage) = execution.current_stage(&pipeline) else {
        execution.status = Some(PipelineExecutionStatus::Succeeded);
        return execution.save(cx).map(|()| true);
    };
    let is_stopping = execution.status == Some(PipelineExecutionStatus::Stopping);
    if execution.is_waiting() {
        if is_stopping {
            execution.status = Some(PipelineExecutionStatus::Stopped);
            return execution.save(cx).map(|()| true);
        }
        if is_superseded(&execution, live) {
            execution.status = Some(PipelineExecutionStatus::Superseded);
            return execution.save(cx).map(|()| true);
        }
        if !can_enter(cx, &execution, stage)? {
            return Ok(false);
        }
        return enter(cx, execution, stage).map(|()| true);
    }
    let runs = ActionRunRow::of_execution(cx, &execution)?;
    if is_stopping {
        return stop_in_stage(cx, execution, stage, &runs);
    }
    run_stage(cx, execution, &pipeline, &runs)
}

/// True if a newer execution waits before the same stage and replaces this one.
fn is_superseded(execution: &ExecutionRow, live: &[ExecutionRow]) -> bool {
    let replaces = |other: &ExecutionRow| {
        other.number() > execution.number() && other.waiting_before == execution.waiting_before
    };
    execution.execution_mode == Some(ExecutionMode::Superseded) && live.iter().any(replaces)
}

/// True if the transition into the stage is enabled, and no other execution is in the stage. A rollback needs no transition.
fn can_enter(cx: &Tx<'_>, execution: &ExecutionRow, stage: &StageDeclaration) -> Result<bool> {
    let row = StageRow::read(cx, execution.pipeline(), stage.own_name())?;
    if !row.is_enabled() && execution.rollback_target.is_none() {
        return Ok(false);
    }
    Ok(execution.is_parallel() || !rollback::is_occupied(cx, execution.pipeline(), stage.own_name())?)
}

fn enter(cx: &mut Tx<'_>, mut execution: ExecutionRow, stage: &StageDeclaration) -> Result<()> {
    let mut row = StageRow::read(cx, execution.pipeline(), stage.own_name())?;
    row.latest = execution.number;
    cx.put(row)?;
    execution.waiting_before = None;
    execution.set_stage_status(stage.own_name(), StageExecutionStatus::InProgress);
    execution.save(cx)
}

/// Stops an execution whose running actions have ended.
fn stop_in_stage(
    cx: &mut Tx<'_>,
    mut execution: ExecutionRow,
    stage: &StageDeclaration,
    runs: &[ActionRunRow],
) -> Result<bool> {
    if runs.iter().any(ActionRunRow::is_running) {
        return Ok(false);
    }
    execution.set_stage_status(stage.own_name(), StageExecutionStatus::Stopped);
    execution.status = Some(PipelineExecutionStatus::Stopped);
    execution.save(cx).map(|()| true)
}

/// Does what the plan says about the stage that the execution is in.
fn run_stage(
    cx: &mut Tx<'_>,
    mut execution: ExecutionRow,
    pipeline: &PipelineDeclaration,
    runs: &[ActionRunRow],
) -> Result<bool> {
    let position = execution.stage_position();
    let stage = &pipeline.all_stages()[position];
    match ExecutionPlan::from_stages(pipeline.all_stages()).next_in_stage(position, &to_outcomes(runs)) {
        NextActions::Wait => return Ok(false),
        NextActions::Start(actions) => {
            for action in actions {
                run::start(cx, &mut execution, pipeline, action, runs)?;
            }
        }
        NextActions::Failed { .. } => {
            if retry::retry_by_itself(cx, &mut execution, pipeline, stage)? {
                return Ok(true);
            }
            execution.set_stage_status(stage.own_name(), StageExecutionStatus::Failed);
            execution.status = Some(PipelineExecutionStatus::Failed);
            rollback::start_by_itself(cx, &execution, pipeline, stage)?;
        }
        NextActions::Succeeded => {
            execution.set_stage_status(stage.own_name(), StageExecutionStatus::Succeeded);
            // A rollback is about one stage.
            let next =
                pipeline.all_stages().get(position + 1).filter(|_| execution.rollback_target.is_none());
            match next {
                Some(next) => {
                    execution.stage = i64::try_from(position + 1).ok();
                    execution.waiting_before.clone_from(&next.name);
                }
                None => execution.status = Some(PipelineExecutionStatus::Succeeded),
            }
        }
    }
    execution.save(cx).map(|()| true)
}
