//! Operations of workers of partners. Their client token is the ID of the client, which the poll returns.

use super::{
    ExecutionDetails, FailureDetails, JobData, JobRow, JobStatus, JobSuccess,
    data::to_data,
    operations::{acknowledge, dispatch_jobs, require_type},
    result::{Success, put_failure, put_success},
};
use crate::{
    ActionType, ActionTypeManager, errors,
    pipeline::{ActionOwner, ActionTypeId},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Map, Record, Result, Text, operation};

/// A job of a partner.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ThirdPartyJob {
    /// ID of the client.
    client_id: Option<Text>,
    /// ID of the job.
    job_id: Option<Text>,
}

/// Parameters that name a job of a partner.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct ClientJob {
    /// ID of the job.
    #[field(required, length(1..=512))]
    job_id: Option<Text>,
    /// Token that proves that the worker is the one of the client.
    #[field(required, length(1..=256))]
    client_token: Option<Text>,
}

/// Finds a job of a partner with the token of its client, or refuses.
fn require_job(cx: &Tx<'_>, id: &str, client_token: &str) -> Result<JobRow> {
    let job = JobRow::require(cx, id)?;
    if job.client_id.as_deref() != Some(client_token) {
        return Err(errors::invalid_client_token(id).with_field("clientToken"));
    }
    Ok(job)
}

/// Returns jobs of an action type of a partner that no worker acknowledged, oldest first.
#[operation(
    of = ActionType, case = "camel", call = "poll_third_party_jobs", wraps(jobs: Vec<ThirdPartyJob>), effect = write,
    subject = "*"
)]
pub struct PollForThirdPartyJobs {
    /// Type of the actions.
    pub action_type_id: ActionTypeId,
    /// Maximum number of jobs; 1 if it is not given.
    #[field(range(1..))]
    pub max_batch_size: Option<i64>,
}

impl Handler for PollForThirdPartyJobs {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        require_type(cx, &self.action_type_id)?;
        if self.action_type_id.owner != Some(ActionOwner::ThirdParty) {
            return Ok(Vec::new().into());
        }
        let max = self.max_batch_size.unwrap_or(1);
        let waiting = dispatch_jobs(cx, &self.action_type_id, max, |_| true)?;
        let jobs =
            waiting.into_iter().map(|(job, ..)| ThirdPartyJob { client_id: job.client_id, job_id: job.id });
        Ok(jobs.collect::<Vec<_>>().into())
    }
}

/// Takes a job of a partner that a worker received; returns its status.
#[operation(
    of = ActionType, case = "camel", call = "acknowledge_third_party_job", include(ClientJob), wraps(status: JobStatus),
    effect = write, subject = "*"
)]
pub struct AcknowledgeThirdPartyJob {
    /// Number in the details of the job.
    #[field(length(1..=50))]
    pub nonce: Text,
}

impl Handler for AcknowledgeThirdPartyJob {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let job = require_job(cx, &self.job_id, &self.client_token)?;
        Ok(acknowledge(cx, job, &self.nonce)?.into())
    }
}

/// Details of a job of a partner.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ThirdPartyJobDetails {
    /// ID of the job.
    id: Option<Text>,
    /// Data of the job.
    data: Option<JobData>,
    /// Number that the worker has to acknowledge the job with.
    nonce: Option<Text>,
}

/// Returns the details of a job of a partner that has not ended.
#[operation(
    of = ActionType, case = "camel", call = "get_third_party_job", include(ClientJob),
    wraps(job_details: ThirdPartyJobDetails), effect = read, subject = "*"
)]
pub struct GetThirdPartyJobDetails {}

impl Handler for GetThirdPartyJobDetails {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let job = require_job(cx, &self.job_id, &self.client_token)?;
        let ended = || errors::invalid_job(&self.job_id).with_field("jobId");
        let (execution, run) = job.find_run(cx)?.ok_or_else(ended)?;
        let data = Some(to_data(cx, &job, &execution, &run)?);
        Ok(ThirdPartyJobDetails { id: job.id, data, nonce: job.nonce }.into())
    }
}

/// Ends a job of a partner as successful, or lets another job continue it.
#[operation(
    of = ActionType, case = "camel", call = "put_third_party_job_success", include(ClientJob, JobSuccess), effect = write,
    subject = "*"
)]
pub struct PutThirdPartyJobSuccessResult {}

impl Handler for PutThirdPartyJobSuccessResult {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let job = require_job(cx, &self.job_id, &self.client_token)?;
        let details: Option<ExecutionDetails> = self.execution_details;
        let success = Success {
            revision: self.current_revision,
            continuation_token: self.continuation_token,
            details,
            output_variables: Map::default(),
        };
        put_success(cx, job, success)
    }
}

/// Ends a job of a partner as failed.
#[operation(
    of = ActionType, case = "camel", call = "put_third_party_job_failure", include(ClientJob), effect = write, subject = "*"
)]
pub struct PutThirdPartyJobFailureResult {
    /// Failure.
    pub failure_details: FailureDetails,
}

impl Handler for PutThirdPartyJobFailureResult {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let job = require_job(cx, &self.job_id, &self.client_token)?;
        put_failure(cx, job, self.failure_details)
    }
}
