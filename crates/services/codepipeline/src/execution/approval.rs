//! Manual approvals: their results, and their timeout.

use super::{
    ActionRunRow, ExecutionRow, LatestRunRow,
    run::{self, RunResult},
    transition::{StageOfPipeline, require_stage},
};
use crate::{
    Pipeline, PipelineManager, errors,
    pipeline::{ActionCategory, ActionDeclaration},
};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, choices, operation};

/// Minutes until an approval without a timeout of its own fails.
const DEFAULT_TIMEOUT_MINUTES: i64 = 7 * 24 * 60;
/// Error code of an approval without a result in time.
const TIMED_OUT: &str = "TimedOut";

choices! {
    /// Result of an approval.
    #[derive(Eq)]
    pub enum ApprovalStatus {
        /// The execution continues.
        Approved = "Approved",
        /// The action fails.
        Rejected = "Rejected",
    }
}

/// Result of an approval, and its reason.
#[derive(Record)]
#[record(case = "camel")]
pub struct ApprovalResult {
    /// Reason.
    #[field(required, length(..=512))]
    pub(crate) summary: Option<Text>,
    /// Result.
    #[field(required)]
    pub(crate) status: Option<ApprovalStatus>,
}

/// Sets the result of a manual approval; returns its time.
#[operation(
    of = Pipeline, case = "camel", call = "put_approval_result", include(StageOfPipeline), wraps(approved_at: Timestamp),
    effect = write, subject = "{pipelineName}/{stageName}/{actionName}"
)]
pub struct PutApprovalResult {
    /// Name of the action.
    #[field(like = ActionDeclaration::name)]
    pub action_name: Text,
    /// Result.
    pub result: ApprovalResult,
    /// Token of the approval, which the state of the pipeline has.
    #[field(like = super::PipelineExecution::pipeline_execution_id)]
    pub token: Text,
}

impl Handler for PutApprovalResult {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = self.pipeline_name;
        let stage = self.stage_name;
        check_action(cx, &pipeline, &stage, &self.action_name)?;
        let found = find_waiting(cx, &pipeline, &stage, &self.action_name, &self.token)?;
        let Some((execution, mut run)) = found else {
            let latest = LatestRunRow::read(cx, &pipeline, &stage, &self.action_name)?.run(cx)?;
            let is_completed = latest.is_some_and(|run| run.token.as_ref() == Some(&self.token));
            let refused = if is_completed {
                errors::approval_completed(&self.action_name)
            } else {
                errors::invalid_approval_token(&self.action_name)
            };
            return Err(refused.with_field("token"));
        };
        run.updated_by = Some(cx.caller().principal().arn);
        let mut result = match self.result.status {
            Some(ApprovalStatus::Approved) => RunResult::succeeded(nephos_core::Map::default()),
            _ => RunResult::rejected(),
        };
        result.summary = self.result.summary.filter(|summary| !summary.is_empty());
        run::complete(cx, execution, run, result)?;
        Ok(cx.now().into())
    }
}

/// Refuses actions that do not exist, or are no approvals.
fn check_action(cx: &Tx<'_>, pipeline: &str, stage: &str, action: &str) -> Result<()> {
    let (declaration, position) = require_stage(cx, pipeline, stage)?;
    let mut actions = declaration.all_stages()[position].all_actions().iter();
    let missing = || errors::action_not_found(cx.scope().account(), action, stage, pipeline);
    match actions.find(|one| one.name.as_deref() == Some(action)) {
        None => Err(missing().with_field("actionName")),
        Some(found) if found.category() != Some(&ActionCategory::Approval) => {
            Err(errors::no_approval(action).with_field("actionName"))
        }
        Some(_) => Ok(()),
    }
}

/// Finds the run that waits for a result with this token.
fn find_waiting(
    cx: &Tx<'_>,
    pipeline: &str,
    stage: &str,
    action: &str,
    token: &str,
) -> Result<Option<(ExecutionRow, ActionRunRow)>> {
    for execution in ExecutionRow::live(cx, pipeline)? {
        let is_wanted = |run: &ActionRunRow| {
            let is_there = run.stage_name() == stage && run.action_name() == action;
            is_there && run.is_running() && run.token.as_deref() == Some(token)
        };
        if let Some(run) = ActionRunRow::of_execution(cx, &execution)?.into_iter().find(is_wanted) {
            return Ok(Some((execution, run)));
        }
    }
    Ok(None)
}

/// Work that fails an approval without a result in time.
#[derive(Record)]
#[record(row)]
pub(crate) struct ExpireApproval {
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// Number of the execution.
    execution: Option<i64>,
    /// Number of the run within the execution.
    sequence: Option<i64>,
    /// Token of the approval.
    token: Option<Text>,
}

/// Schedules the timeout of an approval that starts.
pub(super) fn schedule_timeout(
    cx: &mut Tx<'_>,
    run: &ActionRunRow,
    action: &ActionDeclaration,
) -> Result<()> {
    let minutes = action.timeout_in_minutes.unwrap_or(DEFAULT_TIMEOUT_MINUTES);
    let work = ExpireApproval {
        pipeline: run.pipeline.clone(),
        execution: run.execution,
        sequence: run.sequence,
        token: run.token.clone(),
    };
    cx.schedule(cx.now() + SignedDuration::from_mins(minutes), &work)
}

impl Work for ExpireApproval {
    const NAME: &'static str = "codepipeline/expire-approval";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let pipeline = self.pipeline.unwrap_or_default();
        let number = self.execution.unwrap_or_default();
        let run = ActionRunRow::find(cx, &pipeline, number, self.sequence.unwrap_or_default())?;
        // A pipeline of the same name may have been created since.
        let run = run.filter(|run| run.is_running() && run.token == self.token);
        let execution = ExecutionRow::find(cx, &pipeline, number)?;
        let Some((execution, run)) = execution.zip(run) else { return Ok(()) };
        let message = format!("The approval of action {} timed out.", run.action_name());
        run::complete(cx, execution, run, RunResult::failed(TIMED_OUT, message))
    }
}
