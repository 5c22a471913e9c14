//! Removal of all rows about the executions of a pipeline.

use super::{
    ActionOutcomeRow, ActionRunRow, ExecutionIdRow, ExecutionRow, LatestRunRow, LiveExecutionRow, RuleRunRow,
    StageRow, StartPipelineExecution,
};
use crate::job;
use nephos_cloud::{Stored, Tx};
use nephos_core::Result;

/// Removes all rows about the executions of a pipeline.
pub(crate) fn remove_all(cx: &mut Tx<'_>, pipeline: &str) -> Result<()> {
    let scope = cx.scope().clone();
    let runs: Vec<ActionRunRow> = cx.all(&ActionRunRow::pipeline_key(cx, pipeline))?;
    job::remove_all(cx, &runs)?;
    let tables = [
        ExecutionRow::table(&scope),
        LiveExecutionRow::table(&scope),
        ExecutionIdRow::table(&scope),
        StageRow::table(&scope),
        ActionRunRow::table(&scope),
        LatestRunRow::table(&scope),
        RuleRunRow::table(&scope),
        ActionOutcomeRow::table(&scope),
    ];
    for table in tables {
        cx.remove_all(&table.text(pipeline).prefix_range())?;
    }
    cx.forget_tokens::<StartPipelineExecution>(&[pipeline])
}
