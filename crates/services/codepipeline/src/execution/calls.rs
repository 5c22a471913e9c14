//! Calls of pipelines about their executions.

use super::{ListPipelineExecutions, PipelineExecution, StopExecutionTrigger, StopPipelineExecution};
use crate::{Pipeline, PipelineManager};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Returns all executions of a pipeline, newest first.
#[operation(kind = Pipeline, case = "camel", call = "executions", instance, effect = read, output = Vec<PipelineExecution>)]
pub struct PipelineExecutions {
    /// Name of the pipeline.
    #[field(from = "name", like = Pipeline::name)]
    pub name: Text,
}

impl ManagerOperation for PipelineExecutions {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<PipelineExecution>> {
        let mut list = ListPipelineExecutions::new(self.name.clone());
        let mut found = Vec::new();
        loop {
            let page = context.call(list.clone()).await?;
            for summary in page.pipeline_execution_summaries.unwrap_or_default() {
                let mut execution = PipelineExecution::from_given(summary);
                execution.pipeline_name = Some(self.name.clone());
                found.push(execution);
            }
            list.next_token = page.next_token;
            if list.next_token.is_none() {
                return Ok(found);
            }
        }
    }
}

/// Stops an execution of a pipeline; returns its ID.
#[operation(
    kind = Pipeline, case = "camel", call = "stop_execution", instance(pipeline_execution_id), effect = write, output = Text
)]
pub struct PipelineStopExecution {
    /// Name of the pipeline.
    #[field(from = "name", like = Pipeline::name)]
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
