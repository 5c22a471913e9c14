//! Test control: the end of actions that the cloud does not run.

use super::{ActionRunRow, CompleteAction, ExecutionRow, advance};
use crate::{
    Pipeline, errors,
    pipeline::{ActionDeclaration, declaration_of_version},
};
use nephos_cloud::{Addressed, Handler, Scope, Stored, Tx};
use nephos_core::{Arn, Empty, Map, Record, Result, Text, choices, operation};

/// Name in a test control that stands for all stages of a pipeline, or all actions of a stage.
const ALL: &str = "*";
/// Message of an action that fails by a test control without a message.
const FAILURE: &str = "The action failed.";

choices! {
    /// End of an action.
    #[derive(Eq)]
    pub enum OutcomeOfAction {
        /// It succeeds.
        Succeed = "SUCCEED",
        /// It fails.
        Fail = "FAIL",
        /// It runs until another outcome is set, or its execution is stopped.
        Wait = "WAIT",
    }
}

/// Row of the outcome of future runs of an action.
#[derive(Record)]
#[record(row)]
pub(crate) struct ActionOutcomeRow {
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// Name of the stage, or `*`.
    stage: Option<Text>,
    /// Name of the action, or `*`.
    action: Option<Text>,
    /// Outcome.
    pub(crate) outcome: Option<OutcomeOfAction>,
    /// Message of a failure.
    message: Option<Text>,
    /// Variables that the action produces.
    pub(crate) output_variables: Option<Map<Text>>,
}

nephos_cloud::stored!(ActionOutcomeRow in "codepipeline/action-outcome" by pipeline, stage, action);

impl ActionOutcomeRow {
    /// Finds the outcome of an action: its own, else that of its stage, else that of the pipeline.
    pub(crate) fn find(cx: &Tx<'_>, pipeline: &str, stage: &str, action: &str) -> Result<Option<Self>> {
        for (stage, action) in [(stage, action), (stage, ALL), (ALL, ALL)] {
            let key = Self::table(cx.scope()).text(pipeline).text(stage).text(action);
            if let Some(row) = cx.get(&key)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Message of a failure.
    pub(crate) fn failure_message(&self) -> Text {
        self.message.clone().unwrap_or_else(|| FAILURE.into())
    }
}

/// Sets the outcome of runs of an action or rule, for tests: of those that start later, and of those that run. The pipeline need not exist,
/// so that the first execution can be controlled; if it exists, it must have the stage and the action.
#[operation(case = "camel", effect = write, subject = "{pipelineArn}")]
pub struct SetPipelineActions {
    /// ARN of the pipeline: `arn:aws:codepipeline:us-east-1:123456789012:web`.
    pub pipeline_arn: Text,
    /// Name of the stage; all stages if it is not given.
    #[field(like = ActionDeclaration::name)]
    pub stage_name: Option<Text>,
    /// Name of the action or rule; all of the stage if it is not given. The outcome of an action wins over that of its stage, and
    /// this over that of the pipeline.
    #[field(like = ActionDeclaration::name)]
    pub action_name: Option<Text>,
    /// Outcome.
    pub outcome: OutcomeOfAction,
    /// Message of a failure.
    #[field(length(1..=5000))]
    pub message: Option<Text>,
    /// Variables that the action produces when it succeeds.
    pub output_variables: Option<Map<Text>>,
}

impl Handler for SetPipelineActions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let parts = Arn::parts(&self.pipeline_arn).filter(|parts| parts[1] == "codepipeline");
        let Some([_, _, region, account, name]) = parts else {
            return Err(errors::invalid_arn(&self.pipeline_arn).with_field("pipelineArn"));
        };
        if self.stage_name.is_none() && self.action_name.is_some() {
            return Err(errors::stage_name_missing().with_field("stageName"));
        }
        if self.message.is_some() && self.outcome != OutcomeOfAction::Fail {
            return Err(errors::only_with_outcome("message", "FAIL").with_field("message"));
        }
        if self.output_variables.is_some() && self.outcome != OutcomeOfAction::Succeed {
            return Err(errors::only_with_outcome("outputVariables", "SUCCEED").with_field("outputVariables"));
        }
        let pipeline = Text::from(name);
        cx.in_scope(&Scope::new(account, region), |cx| {
            self.check_exists(cx, &pipeline)?;
            cx.put(ActionOutcomeRow {
                pipeline: Some(pipeline.clone()),
                stage: Some(self.stage_name.unwrap_or_else(|| ALL.into())),
                action: Some(self.action_name.unwrap_or_else(|| ALL.into())),
                outcome: Some(self.outcome),
                message: self.message,
                output_variables: self.output_variables,
            })?;
            complete_running(cx, &pipeline)?;
            advance::advance(cx, &pipeline)
        })?;
        Ok(Empty {})
    }
}

impl SetPipelineActions {
    /// Checks that the pipeline, if it exists, has the stage, and the stage the action or rule.
    fn check_exists(&self, cx: &Tx<'_>, name: &str) -> Result<()> {
        let (Some(stage_name), Some(pipeline)) = (&self.stage_name, Pipeline::find_by(cx, &[name])?) else {
            return Ok(());
        };
        let account = cx.scope().account();
        let declared = declaration_of_version(cx, name, pipeline.version.unwrap_or_default())?;
        let mut stages = declared.all_stages().iter();
        let Some(stage) = stages.find(|stage| stage.own_name() == stage_name) else {
            return Err(errors::stage_not_found(account, stage_name, name).with_field("stageName"));
        };
        let actions = stage.all_actions().iter().filter_map(|action| action.name.as_ref());
        let rules = stage.all_conditions().flat_map(|condition| condition.rules.iter().flatten());
        let mut names = actions.chain(rules.filter_map(|rule| rule.name.as_ref()));
        match &self.action_name {
            Some(action) if !names.any(|name| name == action) => {
                Err(errors::action_not_found(account, action, stage_name, name).with_field("actionName"))
            }
            _ => Ok(()),
        }
    }
}

/// Schedules the end of all running actions of a pipeline, which then read the outcome that was set.
fn complete_running(cx: &mut Tx<'_>, pipeline: &str) -> Result<()> {
    for execution in ExecutionRow::live(cx, pipeline)? {
        for run in ActionRunRow::of_execution(cx, &execution)?.iter().filter(|run| run.is_running()) {
            cx.schedule(cx.now(), &CompleteAction::new(run))?;
        }
    }
    Ok(())
}
