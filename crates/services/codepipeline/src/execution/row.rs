//! Rows of executions, of those that have not ended, and of stages.

use super::{
    ExecutionTrigger, ExecutionType, PipelineExecution, PipelineExecutionStatus, RetryStageMetadata,
    SourceRevisionOverride, StageExecutionStatus, condition::ConditionRun, notify,
};
use crate::{
    errors,
    pipeline::{ExecutionMode, PipelineDeclaration, StageDeclaration, declaration_of_version},
};
use nephos_cloud::{Direction, Key, Stored, Tx};
use nephos_core::{Ids, Record, Result, Text, field_value::FieldType, record_of};

/// Limit of the seeds of executions.
const MAX_SEED: u64 = 1 << 62;

/// A stage that an execution entered.
#[derive(Record)]
#[record(row)]
pub(crate) struct StageRun {
    /// Name of the stage.
    pub(crate) name: Option<Text>,
    /// Status of the execution in the stage.
    pub(crate) status: Option<StageExecutionStatus>,
    /// Retries of the stage.
    pub(crate) retries: Option<RetryStageMetadata>,
    /// Conditions of the stage that were checked.
    pub(crate) conditions: Option<Vec<ConditionRun>>,
}

/// Row of an execution.
#[record_of(
    of = PipelineExecution, case = "camel", row, name = "ExecutionRow",
    takes(
        pipeline_name, pipeline_version, pipeline_execution_id, status, status_summary, artifact_revisions, variables, trigger,
        execution_mode, execution_type, rollback_metadata, start_time, last_update_time, source_revisions, stop_trigger
    )
)]
pub(crate) struct ExecutionRow {
    /// Number of the execution within its pipeline.
    pub(crate) number: Option<i64>,
    /// Position of the stage that the execution is in, or waits before.
    pub(crate) stage: Option<i64>,
    /// Name of the stage, while the execution waits before it.
    pub(crate) waiting_before: Option<Text>,
    /// Stages that the execution entered, in their order.
    pub(crate) stages: Option<Vec<StageRun>>,
    /// Revisions that the caller chose for source actions.
    pub(crate) revision_overrides: Option<Vec<SourceRevisionOverride>>,
    /// Number of the execution that a rollback brings its stage back to.
    pub(crate) rollback_target: Option<i64>,
    /// Number of runs of actions so far.
    pub(crate) action_runs: Option<i64>,
    /// Source of the IDs of its runs. Due work takes none from the cloud, whose IDs would then depend on the time that actions take.
    seed: Option<i64>,
}

nephos_cloud::stored!(ExecutionRow in "codepipeline/execution" by pipeline_name, number);

/// Row of an execution that has not ended.
#[derive(Record)]
#[record(row)]
pub(crate) struct LiveExecutionRow {
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// Number of the execution.
    number: Option<i64>,
}

nephos_cloud::stored!(LiveExecutionRow in "codepipeline/live-execution" by pipeline, number);

/// Row that finds an execution by its ID.
#[derive(Record)]
#[record(row)]
pub(crate) struct ExecutionIdRow {
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// ID of the execution.
    id: Option<Text>,
    /// Number of the execution.
    number: Option<i64>,
}

nephos_cloud::stored!(ExecutionIdRow in "codepipeline/execution-id" by pipeline, id);

/// Facts about an execution that starts.
pub(crate) struct NewExecution {
    /// Cause.
    pub(crate) trigger: ExecutionTrigger,
    /// Values of variables.
    pub(crate) variables: Vec<super::ResolvedPipelineVariable>,
    /// Revisions that the caller chose.
    pub(crate) revision_overrides: Vec<SourceRevisionOverride>,
}

impl ExecutionRow {
    fn executions_key(cx: &Tx<'_>, pipeline: &str) -> Key {
        Self::table(cx.scope()).text(pipeline)
    }

    /// Finds an execution by its number.
    pub(crate) fn find(cx: &Tx<'_>, pipeline: &str, number: i64) -> Result<Option<Self>> {
        cx.get(&Self::executions_key(cx, pipeline).number(number))
    }

    /// Finds an execution by its ID, or refuses.
    pub(crate) fn require(cx: &Tx<'_>, pipeline: &str, id: &str) -> Result<Self> {
        let index = ExecutionIdRow::table(cx.scope()).text(pipeline).text(id);
        let number = cx.get::<ExecutionIdRow>(&index)?.and_then(|row| row.number);
        let found = number.map(|number| Self::find(cx, pipeline, number)).transpose()?.flatten();
        found.ok_or_else(|| {
            errors::execution_not_found(cx.scope().account(), id, pipeline).with_field("pipelineExecutionId")
        })
    }

    /// Reads the executions of a pipeline that have not ended, oldest first.
    pub(crate) fn live(cx: &Tx<'_>, pipeline: &str) -> Result<Vec<Self>> {
        let rows: Vec<LiveExecutionRow> = cx.all(&LiveExecutionRow::table(cx.scope()).text(pipeline))?;
        let mut live = Vec::with_capacity(rows.len());
        for number in rows.iter().filter_map(|row| row.number) {
            live.extend(Self::find(cx, pipeline, number)?);
        }
        Ok(live)
    }

    /// Writes the rows of a new execution, which waits before the first stage.
    pub(crate) fn create(cx: &mut Tx<'_>, pipeline: &PipelineDeclaration, new: NewExecution) -> Result<Self> {
        let name = pipeline.name.clone();
        let executions = Self::executions_key(cx, pipeline.own_name()).prefix_range();
        let last: Option<Self> = cx.first(&executions, Direction::Descending)?;
        let number = last.and_then(|row| row.number).unwrap_or_default() + 1;
        let mut row = Self::blank();
        row.pipeline_name.clone_from(&name);
        row.number = Some(number);
        row.pipeline_version = pipeline.version;
        row.pipeline_execution_id = Some(cx.ids().uuid());
        row.status = Some(PipelineExecutionStatus::InProgress);
        row.trigger = Some(new.trigger);
        row.variables = Some(new.variables);
        row.execution_mode.clone_from(&pipeline.execution_mode);
        row.execution_type = Some(ExecutionType::Standard);
        row.start_time = Some(cx.now());
        row.last_update_time = Some(cx.now());
        row.stage = Some(0);
        row.waiting_before = pipeline.all_stages().first().and_then(|stage| stage.name.clone());
        row.stages = Some(Vec::new());
        row.revision_overrides = Some(new.revision_overrides);
        row.seed = i64::try_from(cx.ids().below(MAX_SEED)).ok();
        row.artifact_revisions = Some(Vec::new());
        row.source_revisions = Some(Vec::new());
        let id = row.pipeline_execution_id.clone();
        cx.put(ExecutionIdRow { pipeline: name.clone(), id, number: Some(number) })?;
        cx.put(LiveExecutionRow { pipeline: name, number: Some(number) })?;
        cx.put(row.clone())?;
        notify::about_execution(cx, None, &row)?;
        Ok(row)
    }

    /// Writes the execution after a change. One that ended is no longer among those that have not.
    pub(crate) fn save(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_update_time = Some(cx.now());
        let live = LiveExecutionRow { pipeline: self.pipeline_name.clone(), number: self.number };
        if self.is_live() {
            cx.put(live)?;
        } else {
            cx.remove(&live)?;
        }
        let before = Self::find(cx, self.pipeline(), self.number())?;
        cx.put(self.clone())?;
        notify::about_execution(cx, before.as_ref(), self)
    }

    /// Number of attempts: the first one, and retries of its stages.
    pub(crate) fn attempts(&self) -> i64 {
        let retries = self.stages.iter().flatten().filter_map(|run| run.retries.as_ref());
        let count = |retries: &RetryStageMetadata| {
            let manual = retries.manual_stage_retry_attempt.unwrap_or_default();
            manual + retries.auto_stage_retry_attempt.unwrap_or_default()
        };
        1 + retries.map(count).sum::<i64>()
    }

    /// True if the execution has not ended.
    pub(crate) fn is_live(&self) -> bool {
        use PipelineExecutionStatus::{InProgress, Stopping};
        matches!(self.status, Some(InProgress | Stopping))
    }

    /// True while the execution waits before a stage.
    pub(crate) fn is_waiting(&self) -> bool {
        self.is_live() && self.waiting_before.is_some()
    }

    /// True if the execution brings a stage back to an earlier execution.
    pub(crate) fn is_rollback(&self) -> bool {
        self.execution_type == Some(ExecutionType::Rollback)
    }

    /// True if the execution shares stages with others.
    pub(crate) fn is_parallel(&self) -> bool {
        self.execution_mode == Some(ExecutionMode::Parallel)
    }

    /// Name of the pipeline.
    pub(crate) fn pipeline(&self) -> &str {
        self.pipeline_name.as_deref().unwrap_or_default()
    }

    /// ID of the execution.
    pub(crate) fn id(&self) -> &str {
        self.pipeline_execution_id.as_deref().unwrap_or_default()
    }

    /// Number of the execution.
    pub(crate) fn number(&self) -> i64 {
        self.number.unwrap_or_default()
    }

    /// Position of the stage that the execution is in, or waits before.
    pub(crate) fn stage_position(&self) -> usize {
        self.stage.and_then(|stage| usize::try_from(stage).ok()).unwrap_or_default()
    }

    /// Source of the IDs of a run of an action, at its start or at its end.
    pub(crate) fn ids_of_run(&self, sequence: i64, is_end: bool) -> Ids {
        let own = self.seed.unwrap_or_default().unsigned_abs();
        let position = sequence.unsigned_abs() * 2 + u64::from(is_end);
        Ids::seeded(own.wrapping_add(position << 32))
    }

    /// Reads the structure of the pipeline in the version of the execution.
    pub(crate) fn declaration(&self, cx: &Tx<'_>) -> Result<PipelineDeclaration> {
        declaration_of_version(cx, self.pipeline(), self.pipeline_version.unwrap_or_default())
    }

    /// Returns the stage that the execution is in, or waits before.
    pub(crate) fn current_stage<'p>(
        &self,
        pipeline: &'p PipelineDeclaration,
    ) -> Option<&'p StageDeclaration> {
        pipeline.all_stages().get(self.stage_position())
    }

    /// Status of the execution in a stage that it entered.
    pub(crate) fn stage_status(&self, stage: &str) -> Option<StageExecutionStatus> {
        self.stage_run(stage)?.status.clone()
    }

    /// Returns the run of a stage that the execution entered.
    pub(crate) fn stage_run(&self, stage: &str) -> Option<&StageRun> {
        self.stages.iter().flatten().find(|run| run.name.as_deref() == Some(stage))
    }

    /// Sets the status of the execution in a stage.
    pub(crate) fn set_stage_status(&mut self, stage: &str, status: StageExecutionStatus) {
        let runs = self.stages.get_or_insert_default();
        match runs.iter_mut().find(|run| run.name.as_deref() == Some(stage)) {
            Some(run) => run.status = Some(status),
            None => {
                runs.push(StageRun { name: Some(stage.into()), status: Some(status), ..StageRun::blank() })
            }
        }
    }
}
