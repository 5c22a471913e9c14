//! Jobs: runs of actions that job workers end. Workers poll for them, acknowledge them, and report the result.

mod data;
mod operations;
mod result;
mod third_party;

pub use data::*;
pub use operations::*;
pub use result::*;
pub use third_party::*;

use crate::{
    errors,
    execution::{ActionRunRow, ExecutionRow},
    pipeline::{ActionDeclaration, ActionOwner, ActionTypeId},
};
use nephos_cloud::{Key, Stored, Tx};
use nephos_core::{Record, Result, Text, Timestamp, choices};

choices! {
    /// Status of a job.
    #[derive(Eq)]
    pub enum JobStatus {
        /// It was created.
        Created = "Created",
        /// It waits for a worker.
        Queued = "Queued",
        /// A worker received it.
        Dispatched = "Dispatched",
        /// A worker acknowledged it.
        InProgress = "InProgress",
        /// No worker ended it in time.
        TimedOut = "TimedOut",
        /// It succeeded.
        Succeeded = "Succeeded",
        /// It failed.
        Failed = "Failed",
    }
}

/// Row of a job.
#[derive(Record)]
#[record(row)]
pub(crate) struct JobRow {
    /// ID of the job.
    pub(crate) id: Option<Text>,
    /// Type of the action.
    action_type_id: Option<ActionTypeId>,
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// Number of the execution.
    execution: Option<i64>,
    /// Number of the run within the execution.
    sequence: Option<i64>,
    /// Status.
    status: Option<JobStatus>,
    /// Number that the last worker who received the job has to acknowledge it with.
    nonce: Option<Text>,
    /// ID of the client, for workers of partners.
    client_id: Option<Text>,
    /// Token with which a worker continues an earlier job.
    continuation_token: Option<Text>,
    /// Time at which the job began to wait.
    queued_at: Option<Timestamp>,
}

nephos_cloud::stored!(JobRow in "codepipeline/job" by id);

/// Row of a job that no worker acknowledged.
#[derive(Record)]
#[record(row)]
pub(crate) struct QueuedJobRow {
    /// Type of the action, as text.
    action_type: Option<Text>,
    /// Time at which the job began to wait, in microseconds.
    queued_at: Option<i64>,
    /// ID of the job.
    id: Option<Text>,
}

nephos_cloud::stored!(QueuedJobRow in "codepipeline/queued-job" by action_type, queued_at, id);

/// Returns the type of an action as the queue has it.
fn type_text(id: &ActionTypeId) -> Text {
    let owner = id.owner.as_ref().map(ToString::to_string).unwrap_or_default();
    let category = id.category.as_ref().map(ToString::to_string).unwrap_or_default();
    let provider = id.provider.as_deref().unwrap_or_default();
    let version = id.version.as_deref().unwrap_or_default();
    format!("{owner}/{category}/{provider}/{version}").into()
}

impl JobRow {
    fn find(cx: &Tx<'_>, id: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(id))
    }

    /// Finds a job, or refuses.
    fn require(cx: &Tx<'_>, id: &str) -> Result<Self> {
        let missing = || errors::job_not_found(cx.scope().account(), id).with_field("jobId");
        Self::find(cx, id)?.ok_or_else(missing)
    }

    fn queued(&self) -> QueuedJobRow {
        QueuedJobRow {
            action_type: self.action_type_id.as_ref().map(type_text),
            queued_at: self.queued_at.map(|time| time.as_microsecond()),
            id: self.id.clone(),
        }
    }

    fn queue_key(cx: &Tx<'_>, id: &ActionTypeId) -> Key {
        QueuedJobRow::table(cx.scope()).text(&type_text(id))
    }

    /// Reads the execution and the run of the job; none if the run has ended.
    fn find_run(&self, cx: &Tx<'_>) -> Result<Option<(ExecutionRow, ActionRunRow)>> {
        let pipeline = self.pipeline.as_deref().unwrap_or_default();
        let number = self.execution.unwrap_or_default();
        let run = ActionRunRow::find(cx, pipeline, number, self.sequence.unwrap_or_default())?;
        let run = run.filter(|run| run.is_running() && run.job_id == self.id);
        Ok(ExecutionRow::find(cx, pipeline, number)?.zip(run))
    }

    /// Lets the job wait for a worker.
    fn enqueue(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.status = Some(JobStatus::Queued);
        self.queued_at = Some(cx.now());
        cx.put(self.queued())?;
        cx.put(self)
    }

    /// Sets the status of a job that no longer waits.
    fn dequeue(&mut self, cx: &mut Tx<'_>, status: JobStatus) -> Result<()> {
        self.status = Some(status);
        cx.remove(&self.queued())?;
        cx.put(self.clone())
    }
}

/// True if workers end the actions of this owner.
pub(crate) fn has_jobs(action: &ActionDeclaration) -> bool {
    let owner = action.action_type_id.as_ref().and_then(|id| id.owner.as_ref());
    matches!(owner, Some(ActionOwner::Custom | ActionOwner::ThirdParty))
}

/// Creates the job of a run, whose ID the run has.
pub(crate) fn create_job(
    cx: &mut Tx<'_>,
    run: &ActionRunRow,
    id: &ActionTypeId,
    client_id: Text,
) -> Result<()> {
    let job = JobRow {
        id: run.job_id.clone(),
        action_type_id: Some(id.clone()),
        pipeline: run.pipeline.clone(),
        execution: run.execution,
        sequence: run.sequence,
        status: Some(JobStatus::Created),
        nonce: None,
        client_id: Some(client_id),
        continuation_token: None,
        queued_at: None,
    };
    job.enqueue(cx)
}

/// Ends the job of a run that ended.
pub(crate) fn end_job(cx: &mut Tx<'_>, run: &ActionRunRow, has_succeeded: bool) -> Result<()> {
    let Some(id) = &run.job_id else { return Ok(()) };
    let Some(mut job) = JobRow::find(cx, id)? else { return Ok(()) };
    job.dequeue(cx, if has_succeeded { JobStatus::Succeeded } else { JobStatus::Failed })
}

/// Removes the jobs of runs, together with their pipeline.
pub(crate) fn remove_all(cx: &mut Tx<'_>, runs: &[ActionRunRow]) -> Result<()> {
    for run in runs {
        for id in run.job_id.iter().chain(run.earlier_jobs.iter().flatten()) {
            if let Some(job) = JobRow::find(cx, id)? {
                cx.remove(&job.queued())?;
                cx.remove(&job)?;
            }
        }
    }
    Ok(())
}
