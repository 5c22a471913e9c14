//! Results of jobs.

use super::{JobRow, JobStatus};
use crate::{
    ActionType, ActionTypeManager, errors,
    execution::{self, ActionRevision, ActionRunRow, ExecutionRow, PipelineExecution, RunResult},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Map, Record, Result, Text, Timestamp, choices, operation};

/// Maximum size of the variables of a job, in bytes.
const MAX_VARIABLES_SIZE: usize = 122_880;

choices! {
    /// Cause of a failure.
    pub enum FailureType {
        /// The job failed.
        JobFailed = "JobFailed",
        /// The configuration is invalid.
        ConfigurationError = "ConfigurationError",
        /// A permission is missing.
        PermissionError = "PermissionError",
        /// The revision is not the expected one.
        RevisionOutOfSync = "RevisionOutOfSync",
        /// The revision does not exist.
        RevisionUnavailable = "RevisionUnavailable",
        /// The system that runs the action is not available.
        SystemUnavailable = "SystemUnavailable",
    }
}

/// Failure of a job.
#[derive(Record)]
#[record(case = "camel")]
pub struct FailureDetails {
    /// Cause.
    #[field(required)]
    r#type: Option<FailureType>,
    /// Message.
    #[field(required, length(1..=5000))]
    message: Option<Text>,
    /// ID of the run in the system that runs the action.
    #[field(length(1..=1500))]
    external_execution_id: Option<Text>,
}

/// Revision that a job fetched.
#[derive(Record)]
#[record(case = "camel")]
pub struct CurrentRevision {
    /// ID of the revision.
    #[field(required, length(1..=1500))]
    revision: Option<Text>,
    /// ID of the change.
    #[field(required, length(1..=100))]
    change_identifier: Option<Text>,
    /// Time of creation.
    created: Option<Timestamp>,
    /// Summary.
    #[field(length(1..=2048))]
    revision_summary: Option<Text>,
}

/// Progress of a job.
#[derive(Record)]
#[record(case = "camel")]
pub struct ExecutionDetails {
    /// Summary.
    #[field(length(1..=2048))]
    summary: Option<Text>,
    /// ID of the run in the system that runs the action.
    #[field(length(1..=1500))]
    external_execution_id: Option<Text>,
    /// Progress in percent.
    #[field(range(0..=100))]
    percent_complete: Option<i64>,
}

/// Parameters of a successful job.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct JobSuccess {
    /// Revision that a source action fetched.
    current_revision: Option<CurrentRevision>,
    /// Token with which another job continues this one, which is not complete.
    #[field(length(1..=2048))]
    continuation_token: Option<Text>,
    /// Progress.
    execution_details: Option<ExecutionDetails>,
}

/// Result of a successful job.
pub(super) struct Success {
    pub(super) revision: Option<CurrentRevision>,
    pub(super) continuation_token: Option<Text>,
    pub(super) details: Option<ExecutionDetails>,
    pub(super) output_variables: Map<Text>,
}

/// Ends a job as successful, or lets another job continue it.
#[operation(case = "camel", include(JobSuccess), of = ActionType, call = "put_job_success", effect = write, subject = "*")]
pub struct PutJobSuccessResult {
    /// ID of the job.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pub job_id: Text,
    /// Variables that the action produces.
    pub output_variables: Option<Map<Text>>,
}

impl Handler for PutJobSuccessResult {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let output_variables = self.output_variables.unwrap_or_default();
        let size: usize = output_variables.iter().map(|(name, value)| name.len() + value.len()).sum();
        if size > MAX_VARIABLES_SIZE {
            return Err(errors::variables_too_large(size, MAX_VARIABLES_SIZE).with_field("outputVariables"));
        }
        let job = JobRow::require(cx, &self.job_id)?;
        let success = Success {
            revision: self.current_revision,
            continuation_token: self.continuation_token,
            details: self.execution_details,
            output_variables,
        };
        put_success(cx, job, success)
    }
}

/// Ends a job as failed.
#[operation(of = ActionType, case = "camel", call = "put_job_failure", effect = write, subject = "*")]
pub struct PutJobFailureResult {
    /// ID of the job.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pub job_id: Text,
    /// Failure.
    pub failure_details: FailureDetails,
}

impl Handler for PutJobFailureResult {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let job = JobRow::require(cx, &self.job_id)?;
        put_failure(cx, job, self.failure_details)
    }
}

/// Reads the run of a job that a worker acknowledged, or refuses.
fn require_running(cx: &Tx<'_>, job: &JobRow) -> Result<(ExecutionRow, ActionRunRow)> {
    let refused = || {
        let status = job.status.as_ref().map(ToString::to_string).unwrap_or_default();
        errors::invalid_job_state(job.id.as_deref().unwrap_or_default(), status).with_field("jobId")
    };
    let found = job.find_run(cx)?.filter(|_| job.status == Some(JobStatus::InProgress));
    found.ok_or_else(refused)
}

/// Ends a job as successful, or lets another job continue it.
pub(super) fn put_success(cx: &mut Tx<'_>, mut job: JobRow, success: Success) -> Result<Empty> {
    let (execution, mut run) = require_running(cx, &job)?;
    if let Some(details) = success.details {
        run.summary = details.summary.or(run.summary);
        run.external_execution_id = details.external_execution_id.or(run.external_execution_id);
        run.percent_complete = details.percent_complete.or(run.percent_complete);
    }
    if success.continuation_token.is_some() {
        job.dequeue(cx, JobStatus::Succeeded)?;
        run.earlier_jobs.get_or_insert_default().extend(job.id.take());
        job.id = Some(cx.ids().uuid());
        job.nonce = None;
        job.continuation_token = success.continuation_token;
        run.job_id.clone_from(&job.id);
        job.enqueue(cx)?;
        run.save(cx)?;
        return Ok(Empty {});
    }
    let mut result = RunResult::succeeded(success.output_variables);
    let now = cx.now();
    result.revision_summary =
        success.revision.as_ref().and_then(|revision| revision.revision_summary.clone());
    result.revision = success.revision.map(|revision| ActionRevision {
        revision_id: revision.revision,
        revision_change_id: revision.change_identifier,
        created: revision.created.or(Some(now)),
    });
    execution::complete(cx, execution, run, result)?;
    Ok(Empty {})
}

/// Ends a job as failed.
pub(super) fn put_failure(cx: &mut Tx<'_>, job: JobRow, failure: FailureDetails) -> Result<Empty> {
    let (execution, mut run) = require_running(cx, &job)?;
    run.external_execution_id = failure.external_execution_id.or(run.external_execution_id);
    let code = failure.r#type.as_ref().map(ToString::to_string).unwrap_or_default();
    let message = failure.message.unwrap_or_default();
    execution::complete(cx, execution, run, RunResult::failed(&code, message))?;
    Ok(Empty {})
}
