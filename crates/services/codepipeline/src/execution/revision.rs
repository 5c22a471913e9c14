//! Revisions that other systems report for source actions.

use super::{
    ActionRevision, ExecutionRow, ExecutionTrigger, LatestRunRow, TriggerType,
    row::NewExecution,
    start::{resolve_variables, start},
    transition::{StageOfPipeline, require_stage},
};
use crate::{Pipeline, PipelineManager, errors, pipeline::ActionDeclaration};
use nephos_cloud::{Direction, Handler, Stored, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Reports a revision of a source action. A new one starts an execution.
#[operation(
    of = Pipeline, case = "camel", call = "put_action_revision", include(StageOfPipeline), effect = write,
    output = PutActionRevisionOutput, subject = "{pipelineName}/{stageName}/{actionName}"
)]
pub struct PutActionRevision {
    /// Name of the action.
    #[field(like = ActionDeclaration::name)]
    pub action_name: Text,
    /// The revision.
    pub action_revision: ActionRevision,
}

/// Answer of [`PutActionRevision`].
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct PutActionRevisionOutput {
    /// True if the revision is another one than before.
    new_revision: Option<bool>,
    /// ID of the execution that was started, or of the latest one.
    pipeline_execution_id: Option<Text>,
}

impl Handler for PutActionRevision {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = self.pipeline_name;
        let (declaration, position) = require_stage(cx, &pipeline, &self.stage_name)?;
        let stage = &declaration.all_stages()[position];
        let action = stage.all_actions().iter().find(|one| one.name.as_ref() == Some(&self.action_name));
        let missing = || {
            let account = cx.scope().account();
            errors::action_not_found(account, &self.action_name, &self.stage_name, &pipeline)
        };
        let action = action.ok_or_else(|| missing().with_field("actionName"))?;
        if !action.is_source() {
            return Err(errors::no_source_action(&self.action_name).with_field("actionName"));
        }
        let mut latest = LatestRunRow::read(cx, &pipeline, &self.stage_name, &self.action_name)?;
        let before = latest.revision.as_ref().and_then(|revision| revision.revision_id.as_ref());
        if before.is_some() && before == self.action_revision.revision_id.as_ref() {
            let executions = ExecutionRow::table(cx.scope()).text(&pipeline).prefix_range();
            let execution: Option<ExecutionRow> = cx.first(&executions, Direction::Descending)?;
            let pipeline_execution_id = execution.and_then(|execution| execution.pipeline_execution_id);
            return Ok(PutActionRevisionOutput { new_revision: Some(false), pipeline_execution_id });
        }
        latest.revision = Some(self.action_revision);
        cx.put(latest)?;
        let trigger = ExecutionTrigger {
            trigger_type: Some(TriggerType::PutActionRevision),
            trigger_detail: Some(cx.caller().principal().arn),
        };
        let variables = resolve_variables(&declaration, &[])?;
        let new = NewExecution { trigger, variables, revision_overrides: Vec::new() };
        let pipeline_execution_id = Some(start(cx, &declaration, new)?);
        Ok(PutActionRevisionOutput { new_revision: Some(true), pipeline_execution_id })
    }
}
