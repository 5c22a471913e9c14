//! Runs of actions: their start, and their end as due work.

use super::{
    ActionExecutionStatus, ActionOutcomeRow, ActionPosition, ActionRevision, ActionRunRow, ErrorDetails,
    ExecutionRow, LatestRunRow, OutcomeOfAction, advance, approval, artifacts, rollback, source,
    variables::KnownVariables,
};
use crate::{
    job,
    pipeline::{ActionCategory, ActionDeclaration, ActionOwner, PipelineDeclaration},
};
use nephos_cloud::{Tx, Work};
use nephos_core::{Map, Record, Result, SignedDuration, Text, field_value::FieldType};

/// Time that an action of the provider takes, with realistic transitions.
const RUN_TIME: SignedDuration = SignedDuration::from_secs(10);
/// Error code of an action that failed by itself.
pub(super) const JOB_FAILED: &str = "JobFailed";
/// Error code of an action whose configuration cannot be used.
pub(super) const CONFIGURATION_ERROR: &str = "ConfigurationError";

/// Starts an action of an execution.
pub(super) fn start(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    pipeline: &PipelineDeclaration,
    position: ActionPosition,
    runs: &[ActionRunRow],
) -> Result<()> {
    let stage = &pipeline.all_stages()[position.stage];
    let action = &stage.all_actions()[position.action];
    let sequence = execution.action_runs.unwrap_or_default() + 1;
    execution.action_runs = Some(sequence);
    let mut run = ActionRunRow::blank();
    run.pipeline.clone_from(&execution.pipeline_name);
    run.execution = execution.number;
    run.sequence = Some(sequence);
    let ids = execution.ids_of_run(sequence, false);
    run.id = Some(ids.uuid());
    run.stage.clone_from(&stage.name);
    run.action.clone_from(&action.name);
    run.stage_position = i64::try_from(position.stage).ok();
    run.action_position = i64::try_from(position.action).ok();
    run.status = Some(ActionExecutionStatus::InProgress);
    run.start_time = Some(cx.now());
    let visible = rollback::visible_runs(cx, execution, runs)?;
    run.input_artifacts = Some(artifacts::find_named(action.input_artifacts.iter().flatten(), &visible));
    run.output_artifacts = Some(artifacts::new_outputs(&ids, cx.scope().region(), pipeline, action));
    let known = KnownVariables::new(execution, pipeline, &visible);
    match known.resolve(action.configuration.as_ref()) {
        Ok(resolved) => run.resolved_configuration = Some(resolved),
        Err(reference) => {
            run.status = Some(ActionExecutionStatus::Failed);
            run.error = Some(ErrorDetails {
                code: Some(CONFIGURATION_ERROR.into()),
                message: Some(unresolved_message("action", run.action_name(), &reference)),
            });
        }
    }
    let mut latest = LatestRunRow::read(cx, execution.pipeline(), run.stage_name(), run.action_name())?;
    latest.execution = run.execution;
    latest.sequence = run.sequence;
    cx.put(latest)?;
    if run.is_running() {
        cx.schedule_transition(RUN_TIME, &CompleteAction::new(&run))?;
        if action.category() == Some(&ActionCategory::Approval) {
            run.token = Some(ids.uuid());
            approval::schedule_timeout(cx, &run, action)?;
        }
        if let Some(id) = action.action_type_id.as_ref().filter(|_| job::has_jobs(action)) {
            run.job_id = Some(ids.uuid());
            job::create_job(cx, &run, id, ids.uuid())?;
        }
    }
    run.save(cx)
}

/// Message of an action or rule with a reference that has no value.
pub(super) fn unresolved_message(kind: &str, name: &str, reference: &str) -> Text {
    format!("The variable reference {reference} in the configuration of {kind} {name} could not be resolved.")
        .into()
}

/// Work that ends a run, unless a person, a job worker or a test control does.
#[derive(Record)]
#[record(row)]
pub(crate) struct CompleteAction {
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// Number of the execution.
    execution: Option<i64>,
    /// Number of the run within the execution.
    sequence: Option<i64>,
    /// ID of the run: a pipeline of the same name may have been created since.
    id: Option<Text>,
}

impl CompleteAction {
    /// Creates the work that ends a run.
    pub(super) fn new(run: &ActionRunRow) -> Self {
        Self {
            pipeline: run.pipeline.clone(),
            execution: run.execution,
            sequence: run.sequence,
            id: run.id.clone(),
        }
    }
}

impl Work for CompleteAction {
    const NAME: &'static str = "codepipeline/complete-action";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let pipeline = self.pipeline.unwrap_or_default();
        let execution = ExecutionRow::find(cx, &pipeline, self.execution.unwrap_or_default())?;
        let Some(execution) = execution else { return Ok(()) };
        let sequence = self.sequence.unwrap_or_default();
        let run = ActionRunRow::find(cx, &pipeline, execution.number(), sequence)?;
        let Some(run) = run.filter(|run| run.is_running() && run.id == self.id) else { return Ok(()) };
        let declaration = execution.declaration(cx)?;
        let Some(action) = find_action(&declaration, run.position()) else { return Ok(()) };
        let chosen = ActionOutcomeRow::find(cx, &pipeline, run.stage_name(), run.action_name())?;
        let result = match &chosen {
            Some(row) => match row.outcome {
                Some(OutcomeOfAction::Wait) => return Ok(()),
                Some(OutcomeOfAction::Fail) => RunResult::failed(JOB_FAILED, row.failure_message()),
                _ => RunResult::succeeded(row.output_variables.clone().unwrap_or_default()),
            },
            None if waits_for_others(action) => return Ok(()),
            None => RunResult::succeeded(Map::default()),
        };
        complete(cx, execution, run, result)
    }
}

/// True if a person or a job worker ends the action.
fn waits_for_others(action: &ActionDeclaration) -> bool {
    let owner = action.action_type_id.as_ref().and_then(|id| id.owner.as_ref());
    action.category() == Some(&ActionCategory::Approval) || owner == Some(&ActionOwner::Custom)
}

/// Returns the action at a position.
pub(crate) fn find_action(
    pipeline: &PipelineDeclaration,
    position: ActionPosition,
) -> Option<&ActionDeclaration> {
    pipeline.all_stages().get(position.stage)?.all_actions().get(position.action)
}

/// End of a run.
pub(crate) struct RunResult {
    /// Status.
    status: ActionExecutionStatus,
    /// Error of a run that failed.
    pub(super) error: Option<ErrorDetails>,
    /// Summary.
    pub(super) summary: Option<Text>,
    /// Variables that the run produced.
    pub(super) output_variables: Map<Text>,
    /// Revision that the run worked on, if the one who ended the run reported it.
    pub(crate) revision: Option<ActionRevision>,
    /// Summary of that revision.
    pub(crate) revision_summary: Option<Text>,
}

impl RunResult {
    /// Returns the end of a run that succeeded.
    pub(crate) fn succeeded(output_variables: Map<Text>) -> Self {
        Self { status: ActionExecutionStatus::Succeeded, output_variables, ..Self::rejected() }
    }

    /// Returns the end of a run that failed.
    pub(crate) fn failed(code: &str, message: impl Into<Text>) -> Self {
        let message = message.into();
        let error = ErrorDetails { code: Some(code.into()), message: Some(message) };
        Self { error: Some(error), ..Self::rejected() }
    }

    /// Returns the end of a run that failed without an error.
    pub(super) fn rejected() -> Self {
        let status = ActionExecutionStatus::Failed;
        Self {
            status,
            error: None,
            summary: None,
            output_variables: Map::default(),
            revision: None,
            revision_summary: None,
        }
    }
}

/// Ends a run, and advances the pipeline.
pub(crate) fn complete(
    cx: &mut Tx<'_>,
    mut execution: ExecutionRow,
    mut run: ActionRunRow,
    result: RunResult,
) -> Result<()> {
    let declaration = execution.declaration(cx)?;
    run.summary = result.summary.clone().or(run.summary);
    run.status = Some(result.status.clone());
    run.error.clone_from(&result.error);
    if run.is_succeeded() {
        run.percent_complete = run.percent_complete.map(|_| 100);
        let action = find_action(&declaration, run.position());
        let produced =
            action.map(|action| source::record_revision(cx, &mut execution, &run, action, &result));
        let mut variables = produced.transpose()?.unwrap_or_default();
        variables.extend(result.output_variables);
        run.output_variables = Some(variables);
    }
    job::end_job(cx, &run, run.is_succeeded())?;
    run.save(cx)?;
    execution.save(cx)?;
    advance::advance_from(cx, &execution)
}
