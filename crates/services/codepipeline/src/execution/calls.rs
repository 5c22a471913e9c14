//! Calls of pipelines about their executions.

use super::{PipelineExecution, StopExecutionTrigger, StopPipelineExecution};
use crate::{Pipeline, PipelineManager};
use nephos_core::{ManagerOperation, Result, Text, WorkflowContext, operation};

/// Stops an execution of a pipeline; returns its ID.
#[operation(
    kind = Pipeline, case = "camel", call = "stop_execution", on_model(pipeline_execution_id), effect = write, output = Text
)]
pub struct PipelineStopExecution {
    /// Name of the pipeline.
    #[field(from_field = "name", like = Pipeline::name)]
    pub name: Text,
    /// ID of the execution.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pub pipeline_execution_id: Text,
    /// Abandon running actions.
    pub abandon: Option<bool>,
    /// Reason.
    #[field(like = StopExecutionTrigger::reason)]
    pub reason: Option<Text>,
}

impl ManagerOperation for PipelineStopExecution {
    async fn run(&self, context: &WorkflowContext) -> Result<Text> {
        let mut stop = StopPipelineExecution::new(self.name.clone(), self.pipeline_execution_id.clone());
        stop.abandon = self.abandon;
        stop.reason.clone_from(&self.reason);
        Ok(context.call(stop).await?.pipeline_execution_id.unwrap_or_default())
    }
}
