//! Rows of stages: the execution that entered last, and the transition.

use super::ExecutionRow;
use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, Text, Timestamp, field_value::FieldType};

/// Row of a stage: the execution that entered it last, and the transition into it.
#[derive(Record)]
#[record(row)]
pub(crate) struct StageRow {
    /// Name of the pipeline.
    pub(crate) pipeline: Option<Text>,
    /// Name of the stage.
    pub(crate) stage: Option<Text>,
    /// Number of the execution that entered the stage last.
    pub(crate) latest: Option<i64>,
    /// Reason for which the transition into the stage is disabled.
    pub(crate) disabled_reason: Option<Text>,
    /// ARN of the caller who changed the transition last.
    pub(crate) transition_changed_by: Option<Text>,
    /// Time of the last change of the transition.
    pub(crate) transition_changed_at: Option<Timestamp>,
}

nephos_cloud::stored!(StageRow in "codepipeline/stage" by pipeline, stage);

impl StageRow {
    /// Reads the row of a stage; a blank one if no execution entered it.
    pub(crate) fn read(cx: &Tx<'_>, pipeline: &str, stage: &str) -> Result<Self> {
        let key = Self::table(cx.scope()).text(pipeline).text(stage);
        let mut row = cx.get(&key)?.unwrap_or_else(Self::blank);
        row.pipeline = Some(pipeline.into());
        row.stage = Some(stage.into());
        Ok(row)
    }

    /// Reads the execution that entered the stage last.
    pub(crate) fn latest_execution(&self, cx: &Tx<'_>) -> Result<Option<ExecutionRow>> {
        let Some(number) = self.latest else { return Ok(None) };
        ExecutionRow::find(cx, self.pipeline.as_deref().unwrap_or_default(), number)
    }
}
