//! Steps of executions: entering stages, starting actions, leaving stages, and ending.

use super::{
    ActionRunRow, ExecutionRow, PipelineExecutionStatus, StageCondition, StageExecutionStatus, StageRow,
    action_run::to_outcomes,
    condition::{self, Progress},
    plan::{ExecutionPlan, NextActions},
    retry, rollback, run,
};
use crate::pipeline::{ConditionResult, ExecutionMode, PipelineDeclaration, StageDeclaration};
use nephos_cloud::Tx;
use nephos_core::Result;

/// Advances the executions of a pipeline as far as they get without the end of an action. Each step reads the rows again.
pub(crate) fn advance(cx: &mut Tx<'_>, pipeline: &str) -> Result<()> {
    while step(cx, pipeline)? {}
    Ok(())
}

/// Advances an execution that changed, and those that may wait for it. Executions in the mode `PARALLEL` wait for no other.
pub(crate) fn advance_from(cx: &mut Tx<'_>, execution: &ExecutionRow) -> Result<()> {
    if !execution.is_parallel() {
        return advance(cx, execution.pipeline());
    }
    loop {
        let current = ExecutionRow::find(cx, execution.pipeline(), execution.number())?;
        let Some(current) = current.filter(ExecutionRow::is_live) else { return Ok(()) };
        if !step_execution(cx, current, &[])? {
            return Ok(());
        }
    }
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
        if !can_enter(cx, &execution, live, stage)? {
            return Ok(false);
        }
        return enter_stage(cx, execution, stage).map(|()| true);
    }
    let runs = ActionRunRow::of_execution(cx, &execution)?;
    if is_stopping {
        return stop_in_stage(cx, execution, stage, &runs);
    }
    run_stage(cx, execution, &pipeline, &runs)
}

/// True if a newer execution waits before the same stage and replaces this one. Rollbacks neither replace nor are replaced.
fn is_superseded(execution: &ExecutionRow, live: &[ExecutionRow]) -> bool {
    let replaces = |other: &ExecutionRow| {
        other.number() > execution.number()
            && other.waiting_before == execution.waiting_before
            && !other.is_rollback()
    };
    let can_be_replaced =
        execution.execution_mode == Some(ExecutionMode::Superseded) && !execution.is_rollback();
    can_be_replaced && live.iter().any(replaces)
}

/// True if the transition into the stage is enabled, and no other execution is in the stage. A rollback needs no transition, and
/// enters before all others.
fn can_enter(
    cx: &Tx<'_>,
    execution: &ExecutionRow,
    live: &[ExecutionRow],
    stage: &StageDeclaration,
) -> Result<bool> {
    let row = StageRow::read(cx, execution.pipeline(), stage.own_name())?;
    let is_rollback_waiting =
        live.iter().any(|other| other.is_rollback() && other.waiting_before == execution.waiting_before);
    if !execution.is_rollback() && (!row.is_enabled() || is_rollback_waiting) {
        return Ok(false);
    }
    Ok(execution.is_parallel() || !rollback::is_occupied(cx, execution.pipeline(), stage.own_name())?)
}

fn enter_stage(cx: &mut Tx<'_>, mut execution: ExecutionRow, stage: &StageDeclaration) -> Result<()> {
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
    condition::abandon_rules(cx, &mut execution, stage.own_name())?;
    execution.set_stage_status(stage.own_name(), StageExecutionStatus::Stopped);
    execution.status = Some(PipelineExecutionStatus::Stopped);
    execution.save(cx).map(|()| true)
}

/// Does what the conditions and the plan say about the stage that the execution is in.
fn run_stage(
    cx: &mut Tx<'_>,
    mut execution: ExecutionRow,
    pipeline: &PipelineDeclaration,
    runs: &[ActionRunRow],
) -> Result<bool> {
    let position = execution.stage_position();
    let stage = &pipeline.all_stages()[position];
    let plan = ExecutionPlan::from_stages(pipeline.all_stages());
    let entry = StageCondition::BeforeEntry;
    let result =
        |condition: &StageCondition| condition::find(stage, condition).and_then(|one| one.result.as_ref());
    match condition::check(cx, &mut execution, pipeline, stage, &entry, runs)? {
        Progress::Met => {}
        Progress::Waiting(is_changed) => return save_if_changed(cx, execution, is_changed),
        Progress::NotMet if result(&entry) == Some(&ConditionResult::Skip) => {
            leave_stage(&mut execution, pipeline, StageExecutionStatus::Skipped);
            return execution.save(cx).map(|()| true);
        }
        Progress::NotMet => {
            fail_stage(&mut execution, stage);
            return execution.save(cx).map(|()| true);
        }
    }
    match plan.next_in_stage(position, &to_outcomes(runs)) {
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
            let condition = StageCondition::OnFailure;
            let progress = condition::check(cx, &mut execution, pipeline, stage, &condition, runs)?;
            if let Progress::Waiting(is_changed) = progress {
                return save_if_changed(cx, execution, is_changed);
            }
            fail_stage(&mut execution, stage);
            rollback::start_by_itself(cx, &execution, pipeline, stage, progress == Progress::NotMet)?;
        }
        NextActions::Succeeded => {
            let condition = StageCondition::OnSuccess;
            match condition::check(cx, &mut execution, pipeline, stage, &condition, runs)? {
                Progress::Met => leave_stage(&mut execution, pipeline, StageExecutionStatus::Succeeded),
                Progress::Waiting(is_changed) => return save_if_changed(cx, execution, is_changed),
                Progress::NotMet => {
                    fail_stage(&mut execution, stage);
                    if result(&condition) == Some(&ConditionResult::Rollback) {
                        rollback::start_automated(cx, &execution, pipeline, stage)?;
                    }
                }
            }
        }
    }
    execution.save(cx).map(|()| true)
}

/// Saves an execution that waits for the rules of a condition, if one of them changed.
fn save_if_changed(cx: &mut Tx<'_>, mut execution: ExecutionRow, is_changed: bool) -> Result<bool> {
    if is_changed {
        execution.save(cx)?;
    }
    Ok(is_changed)
}

/// Fails the stage and the execution.
fn fail_stage(execution: &mut ExecutionRow, stage: &StageDeclaration) {
    execution.set_stage_status(stage.own_name(), StageExecutionStatus::Failed);
    execution.status = Some(PipelineExecutionStatus::Failed);
}

/// Leaves the stage, for the next one or the end. A rollback is about one stage.
fn leave_stage(execution: &mut ExecutionRow, pipeline: &PipelineDeclaration, status: StageExecutionStatus) {
    let position = execution.stage_position();
    execution.set_stage_status(pipeline.all_stages()[position].own_name(), status);
    let next = pipeline.all_stages().get(position + 1).filter(|_| !execution.is_rollback());
    match next {
        Some(next) => {
            execution.stage = i64::try_from(position + 1).ok();
            execution.waiting_before.clone_from(&next.name);
        }
        None => execution.status = Some(PipelineExecutionStatus::Succeeded),
    }
}
