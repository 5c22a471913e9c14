//! Operations that return executions: get and list.

use super::{ExecutionRow, PipelineExecution, PipelineExecutionManager, StageExecutionStatus};
use crate::{
    paging::SmallPage,
    pipeline::{self, ActionDeclaration},
};
use nephos_cloud::{Direction, Handler, Stored, Tx};
use nephos_core::{Record, Result, Text, operation, record_of};

/// Returns an execution; none if it does not exist.
#[operation(
    of = PipelineExecution, case = "camel", call = "get", none_if_missing, needs(pipeline_name, pipeline_execution_id),
    wraps(pipeline_execution), effect = read, subject = "{pipelineName}"
)]
pub struct GetPipelineExecution {}

impl Handler for GetPipelineExecution {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        pipeline::require_as(cx, &self.pipeline_name, "pipelineName")?;
        let row = ExecutionRow::require(cx, &self.pipeline_name, &self.pipeline_execution_id)?;
        let mut execution = PipelineExecution::from_given(row);
        execution.start_time = None;
        execution.last_update_time = None;
        execution.source_revisions = None;
        execution.stop_trigger = None;
        Ok(execution.into())
    }
}

/// Condition that an execution succeeded in a stage.
#[derive(Record)]
#[record(case = "camel")]
pub struct SucceededInStageFilter {
    /// Name of the stage.
    #[field(like = ActionDeclaration::name)]
    stage_name: Option<Text>,
}

/// Filter of executions.
#[derive(Record)]
#[record(case = "camel")]
pub struct PipelineExecutionFilter {
    /// Condition that the execution succeeded in a stage.
    succeeded_in_stage: Option<SucceededInStageFilter>,
}

/// An execution in a listing.
#[record_of(
    of = PipelineExecution, case = "camel", answer,
    takes(
        pipeline_execution_id, status, status_summary, start_time(wire = "startTime"), last_update_time(wire = "lastUpdateTime"),
        source_revisions(wire = "sourceRevisions"), trigger, stop_trigger(wire = "stopTrigger"), execution_mode, execution_type,
        rollback_metadata
    )
)]
pub struct PipelineExecutionSummary {}

/// Lists the executions of a pipeline, newest first.
#[operation(
    of = PipelineExecution, case = "camel", call = "list", needs(pipeline_name), copies_to_answer(pipeline_name), include(SmallPage),
    page(pipeline_execution_summaries: PipelineExecutionSummary => to_executions, next_token), effect = read,
    subject = "{pipelineName}"
)]
pub struct ListPipelineExecutions {
    /// Filter.
    pub filter: Option<PipelineExecutionFilter>,
}

/// Returns the executions of a listing.
fn to_executions(summaries: Vec<PipelineExecutionSummary>) -> Vec<PipelineExecution> {
    summaries.into_iter().map(PipelineExecution::from_given).collect()
}

impl Handler for ListPipelineExecutions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        pipeline::require_as(cx, &self.pipeline_name, "pipelineName")?;
        let stage = self.filter.as_ref().and_then(|filter| filter.succeeded_in_stage.as_ref());
        let stage = stage.and_then(|filter| filter.stage_name.as_deref());
        let is_wanted = |row: &ExecutionRow| match stage {
            Some(stage) => row.stage_status(stage) == Some(StageExecutionStatus::Succeeded),
            None => true,
        };
        let rows = ExecutionRow::table(cx.scope()).text(&self.pipeline_name);
        let page = cx.page_rows_in(&self, &rows, Direction::Descending, |row: ExecutionRow| {
            Ok(is_wanted(&row).then(|| PipelineExecutionSummary::from_given(row)))
        })?;
        Ok(page.into())
    }
}
