//! Runs of actions as the service returns them, and their listing.

use super::{
    ActionExecutionStatus, ActionRunRow, ExecutionRow, PipelineExecution, PipelineExecutionManager, run,
};
use crate::{
    paging::SmallPage,
    pipeline::{self, ActionDeclaration, ActionTypeId},
};
use nephos_cloud::{Direction, Handler, Key, Tx};
use nephos_core::{Map, Record, Result, Text, Timestamp, choices, operation, record_of};

choices! {
    /// Runs that a filter selects.
    #[derive(Eq)]
    pub enum StartTimeRange {
        /// The latest run of each action.
        Latest = "Latest",
        /// All runs.
        All = "All",
    }
}

/// Error of an action.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ErrorDetails {
    /// Code.
    pub(crate) code: Option<Text>,
    /// Message.
    pub(crate) message: Option<Text>,
}

/// Place of an artifact.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct S3Location {
    /// Name of the bucket.
    pub(crate) bucket: Option<Text>,
    /// Key of the object.
    pub(crate) key: Option<Text>,
}

/// An artifact of a run.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ArtifactDetail {
    /// Name of the artifact.
    pub(crate) name: Option<Text>,
    /// Place of the artifact.
    pub(crate) s3location: Option<S3Location>,
}

/// Input of a run of an action.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionExecutionInput {
    /// Type of the action.
    action_type_id: Option<ActionTypeId>,
    /// Configuration, as the pipeline has it.
    configuration: Option<Map<Text>>,
    /// Configuration in which references are replaced by values.
    resolved_configuration: Option<Map<Text>>,
    /// ARN of the role of the action.
    role_arn: Option<Text>,
    /// Region of the action.
    region: Option<Text>,
    /// Artifacts that the run takes.
    input_artifacts: Option<Vec<ArtifactDetail>>,
    /// Namespace of the variables that the run produces.
    namespace: Option<Text>,
}

/// Result of a run in the system that runs the action.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionExecutionResult {
    /// ID of the run in that system.
    external_execution_id: Option<Text>,
    /// Summary.
    external_execution_summary: Option<Text>,
    /// URL of the run.
    external_execution_url: Option<Text>,
    /// Error of a run that failed.
    error_details: Option<ErrorDetails>,
    /// ARN of the log stream of the run.
    #[field(name = "logStreamARN")]
    log_stream_arn: Option<Text>,
}

/// Output of a run of an action.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionExecutionOutput {
    /// Artifacts that the run produced.
    output_artifacts: Option<Vec<ArtifactDetail>>,
    /// Result in the system that runs the action.
    execution_result: Option<ActionExecutionResult>,
    /// Variables that the run produced.
    output_variables: Option<Map<Text>>,
}

/// A run of an action.
#[record_of(of = PipelineExecution, case = "camel", takes(pipeline_execution_id, pipeline_version), answer)]
pub struct ActionExecutionDetail {
    /// ID of the run.
    action_execution_id: Option<Text>,
    /// Name of the stage.
    stage_name: Option<Text>,
    /// Name of the action.
    action_name: Option<Text>,
    /// Time of the start.
    start_time: Option<Timestamp>,
    /// Time of the last change.
    last_update_time: Option<Timestamp>,
    /// ARN of the caller who changed it last.
    updated_by: Option<Text>,
    /// Status.
    status: Option<ActionExecutionStatus>,
    /// Input.
    input: Option<ActionExecutionInput>,
    /// Output.
    output: Option<ActionExecutionOutput>,
}

/// Filter for the runs of one execution.
#[derive(Record)]
#[record(case = "camel")]
pub struct LatestInPipelineExecutionFilter {
    /// ID of the execution.
    #[field(required, like = PipelineExecution::pipeline_execution_id)]
    pub(crate) pipeline_execution_id: Option<Text>,
    /// Runs to return.
    #[field(required)]
    pub(crate) start_time_range: Option<StartTimeRange>,
}

/// Filter of runs of actions or rules.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionExecutionFilter {
    /// ID of the execution.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pipeline_execution_id: Option<Text>,
    /// Runs of one execution: all, or the latest of each action.
    latest_in_pipeline_execution: Option<LatestInPipelineExecutionFilter>,
}

/// Runs that a listing returns.
pub(super) struct SelectedRuns {
    /// Prefix of the keys of their rows.
    pub(super) key: Key,
    /// True if runs that a retry replaced are left out.
    pub(super) has_latest_only: bool,
}

impl SelectedRuns {
    /// Narrows the runs of a pipeline, below this key, to those that a filter selects.
    pub(super) fn new(
        cx: &Tx<'_>,
        pipeline: &str,
        all: Key,
        filter: Option<&ActionExecutionFilter>,
    ) -> Result<Self> {
        let latest = filter.and_then(|filter| filter.latest_in_pipeline_execution.as_ref());
        let id = latest.and_then(|latest| latest.pipeline_execution_id.as_ref());
        let id = id.or_else(|| filter?.pipeline_execution_id.as_ref());
        let execution = id.map(|id| ExecutionRow::require(cx, pipeline, id)).transpose();
        let key = match execution.map_err(|error| error.in_field("filter"))? {
            Some(execution) => all.number(execution.number()),
            None => all,
        };
        let range = latest.and_then(|latest| latest.start_time_range.as_ref());
        Ok(Self { key, has_latest_only: range == Some(&StartTimeRange::Latest) })
    }
}

/// Lists runs of actions of a pipeline, newest first.
#[operation(
    of = PipelineExecution, case = "camel", call = "list_actions", needs(pipeline_name), include(SmallPage),
    page(action_execution_details: ActionExecutionDetail, next_token), effect = read, access = read,
    subject = "{pipelineName}"
)]
pub struct ListActionExecutions {
    /// Filter.
    pub filter: Option<ActionExecutionFilter>,
}

impl Handler for ListActionExecutions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        pipeline::require_as(cx, &self.pipeline_name, "pipelineName")?;
        let all = ActionRunRow::pipeline_key(cx, &self.pipeline_name);
        let runs = SelectedRuns::new(cx, &self.pipeline_name, all, self.filter.as_ref())?;
        let page = cx.page_rows_in(&self, &runs.key, Direction::Descending, |row: ActionRunRow| {
            if runs.has_latest_only && !row.is_current() {
                return Ok(None);
            }
            to_detail(cx, row).map(Some)
        })?;
        Ok(page.into())
    }
}

/// Returns a run as listings have it.
fn to_detail(cx: &Tx<'_>, run: ActionRunRow) -> Result<ActionExecutionDetail> {
    let pipeline = run.pipeline.as_deref().unwrap_or_default();
    let execution = ExecutionRow::find(cx, pipeline, run.execution.unwrap_or_default())?;
    let declaration = execution.as_ref().map(|execution| execution.declaration(cx)).transpose()?;
    let action = declaration.as_ref().and_then(|pipeline| run::find_action(pipeline, run.position()));
    let region = || cx.scope().region().into();
    let outputs = if run.is_succeeded() { run.output_artifacts.clone() } else { None };
    let input = action.map(|action: &ActionDeclaration| ActionExecutionInput {
        action_type_id: action.action_type_id.clone(),
        configuration: action.configuration.clone(),
        resolved_configuration: run.resolved_configuration,
        role_arn: action.role_arn.clone(),
        region: Some(action.region.clone().unwrap_or_else(region)),
        input_artifacts: run.input_artifacts,
        namespace: action.namespace.clone(),
    });
    let result = ActionExecutionResult {
        external_execution_id: run.external_execution_id,
        external_execution_summary: run.summary,
        external_execution_url: None,
        error_details: run.error,
        log_stream_arn: None,
    };
    Ok(ActionExecutionDetail {
        pipeline_execution_id: execution
            .as_ref()
            .and_then(|execution| execution.pipeline_execution_id.clone()),
        pipeline_version: execution.as_ref().and_then(|execution| execution.pipeline_version),
        action_execution_id: run.id,
        stage_name: run.stage,
        action_name: run.action,
        start_time: run.start_time,
        last_update_time: run.last_update_time,
        updated_by: run.updated_by,
        status: run.status,
        input,
        output: Some(ActionExecutionOutput {
            output_artifacts: Some(outputs.unwrap_or_default()),
            execution_result: Some(result),
            output_variables: Some(run.output_variables.unwrap_or_default()),
        }),
    })
}
