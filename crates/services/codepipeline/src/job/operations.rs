//! Operations of job workers: poll, acknowledge, and details.

use super::{JobData, JobRow, JobStatus, QueuedJobRow, data::to_data};
use crate::{
    ActionType, ActionTypeManager,
    action_type::{self, owner_on_wire},
    errors,
    execution::{ActionRunRow, ExecutionRow, PipelineExecution},
    pipeline::{ActionOwner, ActionTypeId},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Map, Record, Result, Text, operation};

/// Number of digits of a nonce.
const NONCE_DIGITS: usize = 10;

/// A job, as a worker receives it.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Job {
    /// ID of the job.
    id: Option<Text>,
    /// Data of the job.
    data: Option<JobData>,
    /// Number that the worker has to acknowledge the job with.
    nonce: Option<Text>,
    /// Account of the pipeline.
    account_id: Option<Text>,
}

/// Returns jobs of an action type that no worker acknowledged, oldest first.
#[operation(
    of = ActionType, case = "camel", call = "poll_jobs", wraps(jobs: Vec<Job>), effect = write,
    subject = "actiontype:{actionTypeId.owner}/{actionTypeId.category}/{actionTypeId.provider}/{actionTypeId.version}"
)]
pub struct PollForJobs {
    /// Type of the actions.
    pub action_type_id: ActionTypeId,
    /// Maximum number of jobs; 1 if it is not given.
    #[field(range(1..))]
    pub max_batch_size: Option<i64>,
    /// Value that the queryable property of the action must have.
    #[field(length(..=1))]
    pub query_param: Option<Map<Text>>,
}

impl Handler for PollForJobs {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let found = require_type(cx, &self.action_type_id)?;
        let query = self.query_param.unwrap_or_default();
        let is_queryable = |name: &Text| {
            let mut properties = found.properties_list().iter();
            properties.any(|one| one.queryable == Some(true) && one.name.as_ref() == Some(name))
        };
        if let Some((name, _)) = query.iter().find(|(name, _)| !is_queryable(name)) {
            return Err(errors::not_queryable(name).with_field("queryParam"));
        }
        if self.action_type_id.owner != Some(ActionOwner::Custom) {
            return Ok(Vec::new().into());
        }
        let matches = |run: &ActionRunRow| {
            let value = |name: &str| run.resolved_configuration.as_ref().and_then(|all| all.get(name));
            query.iter().all(|(name, wanted)| value(name) == Some(wanted))
        };
        let max = self.max_batch_size.unwrap_or(1);
        let waiting = dispatch_jobs(cx, &self.action_type_id, max, matches)?;
        let account = Text::from(cx.scope().account());
        let to_job = |(job, execution, run): (JobRow, ExecutionRow, ActionRunRow)| {
            let data = Some(to_data(cx, &job, &execution, &run)?);
            Ok(Job { id: job.id, data, nonce: job.nonce, account_id: Some(account.clone()) })
        };
        Ok(waiting.into_iter().map(to_job).collect::<Result<Vec<_>>>()?.into())
    }
}

/// Finds an action type, or refuses.
pub(super) fn require_type(cx: &Tx<'_>, id: &ActionTypeId) -> Result<ActionType> {
    let missing = || {
        let category = id.category.as_ref().map(ToString::to_string).unwrap_or_default();
        let owner = id.owner.as_ref().map(owner_on_wire).unwrap_or_default();
        let provider = id.provider.as_deref().unwrap_or_default();
        let version = id.version.as_deref().unwrap_or_default();
        errors::action_type_not_found(category, owner, provider, version).with_field("actionTypeId")
    };
    action_type::find(cx, id)?.ok_or_else(missing)
}

/// Dispatches up to `max` queued jobs to a worker. Each gets another nonce.
pub(super) fn dispatch_jobs(
    cx: &mut Tx<'_>,
    id: &ActionTypeId,
    max: i64,
    is_wanted: impl Fn(&ActionRunRow) -> bool,
) -> Result<Vec<(JobRow, ExecutionRow, ActionRunRow)>> {
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let queued: Vec<QueuedJobRow> = cx.all(&JobRow::queue_key(cx, id))?;
    let mut taken = Vec::new();
    for id in queued.iter().filter_map(|row| row.id.as_deref()) {
        if taken.len() == max {
            break;
        }
        let Some(mut job) = JobRow::find(cx, id)? else { continue };
        let Some((execution, run)) = job.find_run(cx)?.filter(|(_, run)| is_wanted(run)) else { continue };
        job.status = Some(JobStatus::Dispatched);
        job.nonce = Some(cx.ids().from_alphabet(b"123456789", NONCE_DIGITS));
        cx.put(job.clone())?;
        taken.push((job, execution, run));
    }
    Ok(taken)
}

/// Takes a job that a worker received; returns its status. A job that was acknowledged stays as it is.
#[operation(
    of = ActionType, case = "camel", call = "acknowledge_job", wraps(status: JobStatus), effect = write, subject = "*"
)]
pub struct AcknowledgeJob {
    /// ID of the job.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pub job_id: Text,
    /// Number that the worker received with the job.
    #[field(length(1..=50))]
    pub nonce: Text,
}

impl Handler for AcknowledgeJob {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let job = JobRow::require(cx, &self.job_id)?;
        Ok(acknowledge(cx, job, &self.nonce)?.into())
    }
}

/// Takes a job with the nonce of the last poll; returns its status.
pub(super) fn acknowledge(cx: &mut Tx<'_>, mut job: JobRow, nonce: &str) -> Result<JobStatus> {
    if job.nonce.as_deref() != Some(nonce) {
        let id = job.id.as_deref().unwrap_or_default();
        return Err(errors::invalid_nonce(nonce, id).with_field("nonce"));
    }
    if job.status == Some(JobStatus::Dispatched) {
        job.dequeue(cx, JobStatus::InProgress)?;
    }
    Ok(job.status.unwrap_or(JobStatus::InProgress))
}

/// Details of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct JobDetails {
    /// ID of the job.
    id: Option<Text>,
    /// Data of the job.
    data: Option<JobData>,
    /// Account of the pipeline.
    account_id: Option<Text>,
}

/// Returns the details of a job that has not ended.
#[operation(
    of = ActionType, case = "camel", call = "get_job", wraps(job_details: JobDetails), effect = read, subject = "*"
)]
pub struct GetJobDetails {
    /// ID of the job.
    #[field(like = PipelineExecution::pipeline_execution_id)]
    pub job_id: Text,
}

impl Handler for GetJobDetails {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let job = JobRow::require(cx, &self.job_id)?;
        let missing = || errors::job_not_found(cx.scope().account(), &self.job_id).with_field("jobId");
        let (execution, run) = job.find_run(cx)?.ok_or_else(missing)?;
        let data = Some(to_data(cx, &job, &execution, &run)?);
        Ok(JobDetails { id: job.id, data, account_id: Some(cx.scope().account().into()) }.into())
    }
}
