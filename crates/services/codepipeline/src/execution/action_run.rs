//! Rows of runs of actions, and of the latest run of each action.

use super::{ActionPosition, ActionRevision, ArtifactDetail, ErrorDetails, ExecutionRow, notify};
use crate::execution::plan::{ActionOutcome, Outcomes};
use nephos_cloud::{Key, Stored, Tx};
use nephos_core::{Map, Record, Result, Text, Timestamp, choices};

choices! {
    /// Status of a run of an action.
    #[derive(Eq)]
    pub enum ActionExecutionStatus {
        /// It runs.
        InProgress = "InProgress",
        /// Its execution was stopped without waiting for it.
        Abandoned = "Abandoned",
        /// It succeeded.
        Succeeded = "Succeeded",
        /// It failed.
        Failed = "Failed",
    }
}

/// Row of a run of an action.
#[derive(Record)]
#[record(row)]
pub(crate) struct ActionRunRow {
    /// Name of the pipeline.
    pub(crate) pipeline: Option<Text>,
    /// Number of the execution.
    pub(crate) execution: Option<i64>,
    /// Number of the run within the execution.
    pub(crate) sequence: Option<i64>,
    /// ID of the run.
    pub(crate) id: Option<Text>,
    /// Name of the stage.
    pub(crate) stage: Option<Text>,
    /// Name of the action.
    pub(crate) action: Option<Text>,
    /// Position of the stage.
    pub(crate) stage_position: Option<i64>,
    /// Position of the action within the stage.
    pub(crate) action_position: Option<i64>,
    /// Status.
    pub(crate) status: Option<ActionExecutionStatus>,
    /// True if a retry of the stage replaced this run.
    pub(crate) is_replaced: Option<bool>,
    /// Time of the start.
    pub(crate) start_time: Option<Timestamp>,
    /// Time of the last change.
    pub(crate) last_update_time: Option<Timestamp>,
    /// ARN of the caller who changed it last.
    pub(crate) updated_by: Option<Text>,
    /// Summary.
    pub(crate) summary: Option<Text>,
    /// Error of a run that failed.
    pub(crate) error: Option<ErrorDetails>,
    /// ID of the run in the system that runs the action.
    pub(crate) external_execution_id: Option<Text>,
    /// Progress in percent.
    pub(crate) percent_complete: Option<i64>,
    /// ID of the job that ends the run.
    pub(crate) job_id: Option<Text>,
    /// IDs of the jobs that the job continues.
    pub(crate) earlier_jobs: Option<Vec<Text>>,
    /// Token of an approval.
    pub(crate) token: Option<Text>,
    /// Configuration in which references are replaced by values.
    pub(crate) resolved_configuration: Option<Map<Text>>,
    /// Artifacts that the run takes.
    pub(crate) input_artifacts: Option<Vec<ArtifactDetail>>,
    /// Artifacts that the run produces.
    pub(crate) output_artifacts: Option<Vec<ArtifactDetail>>,
    /// Variables that the run produced.
    pub(crate) output_variables: Option<Map<Text>>,
}

nephos_cloud::stored!(ActionRunRow in "codepipeline/action-run" by pipeline, execution, sequence);

impl ActionRunRow {
    /// Prefix of the keys of the runs of a pipeline.
    pub(crate) fn pipeline_key(cx: &Tx<'_>, pipeline: &str) -> Key {
        Self::table(cx.scope()).text(pipeline)
    }

    /// Finds a run.
    pub(crate) fn find(cx: &Tx<'_>, pipeline: &str, execution: i64, sequence: i64) -> Result<Option<Self>> {
        cx.get(&Self::pipeline_key(cx, pipeline).number(execution).number(sequence))
    }

    /// Reads the runs of an execution, in the order of their starts.
    pub(crate) fn of_execution(cx: &Tx<'_>, execution: &ExecutionRow) -> Result<Vec<Self>> {
        cx.all(&Self::pipeline_key(cx, execution.pipeline()).number(execution.number()))
    }

    /// True while the action runs.
    pub(crate) fn is_running(&self) -> bool {
        self.status == Some(ActionExecutionStatus::InProgress)
    }

    /// True if the action succeeded.
    pub(crate) fn is_succeeded(&self) -> bool {
        self.status == Some(ActionExecutionStatus::Succeeded)
    }

    /// True if no retry replaced the run.
    pub(crate) fn is_current(&self) -> bool {
        self.is_replaced != Some(true)
    }

    /// Position of the action in the pipeline.
    pub(crate) fn position(&self) -> ActionPosition {
        let to_index = |position: Option<i64>| position.and_then(|one| usize::try_from(one).ok());
        ActionPosition {
            stage: to_index(self.stage_position).unwrap_or_default(),
            action: to_index(self.action_position).unwrap_or_default(),
        }
    }

    /// Name of the stage.
    pub(crate) fn stage_name(&self) -> &str {
        self.stage.as_deref().unwrap_or_default()
    }

    /// Name of the action.
    pub(crate) fn action_name(&self) -> &str {
        self.action.as_deref().unwrap_or_default()
    }

    /// Writes the run after a change.
    pub(crate) fn save(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_update_time = Some(cx.now());
        let before: Option<Self> = cx.get(&self.key(cx.scope()))?;
        cx.put(self.clone())?;
        notify::about_action(cx, before.as_ref(), self)
    }
}

/// Returns the outcomes of the runs that no retry replaced.
pub(crate) fn to_outcomes(runs: &[ActionRunRow]) -> Outcomes {
    let outcome = |run: &ActionRunRow| match run.status {
        Some(ActionExecutionStatus::InProgress) => ActionOutcome::Running,
        Some(ActionExecutionStatus::Succeeded) => ActionOutcome::Succeeded,
        _ => ActionOutcome::Failed,
    };
    runs.iter().filter(|run| run.is_current()).map(|run| (run.position(), outcome(run))).collect()
}

/// Row of the latest run of an action, and of its current revision.
#[derive(Record)]
#[record(row)]
pub(crate) struct LatestRunRow {
    /// Name of the pipeline.
    pub(crate) pipeline: Option<Text>,
    /// Name of the stage.
    pub(crate) stage: Option<Text>,
    /// Name of the action.
    pub(crate) action: Option<Text>,
    /// Number of the execution.
    pub(crate) execution: Option<i64>,
    /// Number of the run within the execution.
    pub(crate) sequence: Option<i64>,
    /// Current revision of a source action.
    pub(crate) revision: Option<ActionRevision>,
}

nephos_cloud::stored!(LatestRunRow in "codepipeline/latest-run" by pipeline, stage, action);

impl LatestRunRow {
    /// Reads the row of an action; a blank one if it never ran.
    pub(crate) fn read(cx: &Tx<'_>, pipeline: &str, stage: &str, action: &str) -> Result<Self> {
        let found = cx.get(&Self::table(cx.scope()).text(pipeline).text(stage).text(action))?;
        Ok(found.unwrap_or_else(|| Self {
            pipeline: Some(pipeline.into()),
            stage: Some(stage.into()),
            action: Some(action.into()),
            execution: None,
            sequence: None,
            revision: None,
        }))
    }

    /// Reads the latest run.
    pub(crate) fn run(&self, cx: &Tx<'_>) -> Result<Option<ActionRunRow>> {
        let (Some(execution), Some(sequence)) = (self.execution, self.sequence) else { return Ok(None) };
        ActionRunRow::find(cx, self.pipeline.as_deref().unwrap_or_default(), execution, sequence)
    }
}
