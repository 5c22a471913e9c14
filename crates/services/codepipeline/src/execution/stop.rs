//! Stop of executions: after their running actions have ended, or at once.

use super::{
    ActionExecutionStatus, ActionRunRow, ExecutionRow, PipelineExecution, PipelineExecutionManager,
    PipelineExecutionStatus, StageExecutionStatus, StopExecutionTrigger, advance,
};
use crate::{errors, job, pipeline};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Text, operation};

/// Stops an execution: no further action starts, and it ends when its running actions have ended, or at once if they are abandoned.
#[operation(
    of = PipelineExecution, case = "camel", call = "stop", on_model, needs(pipeline_name, pipeline_execution_id),
    wraps(pipeline_execution_id: Text), effect = write, subject = "{pipelineName}"
)]
pub struct StopPipelineExecution {
    /// Abandon running actions.
    pub abandon: Option<bool>,
    /// Reason.
    #[field(like = StopExecutionTrigger::reason)]
    pub reason: Option<Text>,
}

impl Handler for StopPipelineExecution {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        pipeline::require_as(cx, &self.pipeline_name, "pipelineName")?;
        let id = &self.pipeline_execution_id;
        // The service has no error for an unknown execution here.
        let mut execution = ExecutionRow::require(cx, &self.pipeline_name, id).map_err(|_| {
            errors::execution_not_stoppable_unknown(cx.scope().account(), id, &self.pipeline_name)
                .with_field("pipelineExecutionId")
        })?;
        let is_abandoned = self.abandon == Some(true);
        match &execution.status {
            Some(PipelineExecutionStatus::InProgress) => {}
            Some(PipelineExecutionStatus::Stopping) if is_abandoned => {}
            Some(PipelineExecutionStatus::Stopping) => {
                return Err(errors::stop_repeated(id).with_field("pipelineExecutionId"));
            }
            status => {
                let status = status.as_ref().map(ToString::to_string).unwrap_or_default();
                return Err(errors::execution_not_stoppable(id, status).with_field("pipelineExecutionId"));
            }
        }
        if is_abandoned {
            abandon_actions(cx, &execution)?;
        }
        execution.status = Some(PipelineExecutionStatus::Stopping);
        let before = execution.stop_trigger.take().and_then(|trigger| trigger.reason);
        execution.stop_trigger = Some(StopExecutionTrigger { reason: self.reason.or(before) });
        let declaration = execution.declaration(cx)?;
        let stage = execution.current_stage(&declaration).filter(|_| !execution.is_waiting());
        if let Some(stage) = stage {
            execution.set_stage_status(stage.own_name(), StageExecutionStatus::Stopping);
        }
        execution.save(cx)?;
        advance::advance(cx, &self.pipeline_name)?;
        Ok(self.pipeline_execution_id.into())
    }
}

/// Abandons the running actions of an execution.
fn abandon_actions(cx: &mut Tx<'_>, execution: &ExecutionRow) -> Result<()> {
    for mut run in ActionRunRow::of_execution(cx, execution)? {
        if run.is_running() {
            run.status = Some(ActionExecutionStatus::Abandoned);
            job::end_job(cx, &run, false)?;
            run.save(cx)?;
        }
    }
    Ok(())
}
