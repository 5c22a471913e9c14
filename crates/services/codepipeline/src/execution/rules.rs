//! Runs of rules: their rows, and their listing.

use super::{
    ActionExecutionFilter, ArtifactDetail, ErrorDetails, ExecutionRow, PipelineExecution,
    PipelineExecutionManager, StageCondition, actions::SelectedRuns,
};
use crate::{
    paging::SmallPage,
    pipeline::{self, RuleDeclaration, RuleTypeId},
};
use nephos_cloud::{Direction, Handler, Key, Stored, Tx};
use nephos_core::{Map, Record, Result, Text, Timestamp, choices, operation, record_of};

choices! {
    /// Status of a run of a rule.
    #[derive(Eq)]
    pub enum RuleExecutionStatus {
        /// It runs.
        InProgress = "InProgress",
        /// Its execution was stopped.
        Abandoned = "Abandoned",
        /// The rule is met.
        Succeeded = "Succeeded",
        /// The rule is not met.
        Failed = "Failed",
    }
}

/// Row of a run of a rule.
#[derive(Record)]
#[record(row)]
pub(crate) struct RuleRunRow {
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
    /// Condition that the rule is of.
    pub(crate) condition: Option<StageCondition>,
    /// The rule.
    pub(crate) rule: Option<RuleDeclaration>,
    /// Status.
    pub(crate) status: Option<RuleExecutionStatus>,
    /// True if a retry of the stage replaced this run.
    pub(crate) is_replaced: Option<bool>,
    /// Time of the start.
    pub(crate) start_time: Option<Timestamp>,
    /// Time of the last change.
    pub(crate) last_update_time: Option<Timestamp>,
    /// Configuration in which references are replaced by values.
    pub(crate) resolved_configuration: Option<Map<Text>>,
    /// Artifacts that the rule takes.
    pub(crate) input_artifacts: Option<Vec<ArtifactDetail>>,
    /// Error of a rule that is not met.
    pub(crate) error: Option<ErrorDetails>,
}

nephos_cloud::stored!(RuleRunRow in "codepipeline/rule-run" by pipeline, execution, sequence);

impl RuleRunRow {
    fn pipeline_key(cx: &Tx<'_>, pipeline: &str) -> Key {
        Self::table(cx.scope()).text(pipeline)
    }

    /// Reads the runs of a condition of a stage that no retry replaced.
    pub(super) fn of_condition(
        cx: &Tx<'_>,
        execution: &ExecutionRow,
        stage: &str,
        condition: &StageCondition,
    ) -> Result<Vec<Self>> {
        let mut runs: Vec<Self> =
            cx.all(&Self::pipeline_key(cx, execution.pipeline()).number(execution.number()))?;
        let is_wanted = |run: &Self| {
            run.stage.as_deref() == Some(stage)
                && run.condition.as_ref() == Some(condition)
                && run.is_replaced != Some(true)
        };
        runs.retain(is_wanted);
        Ok(runs)
    }

    /// Name of the rule.
    pub(super) fn rule_name(&self) -> &str {
        self.rule.as_ref().and_then(|rule| rule.name.as_deref()).unwrap_or_default()
    }
}

/// Input of a run of a rule.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleExecutionInput {
    /// Type of the rule.
    rule_type_id: Option<RuleTypeId>,
    /// Configuration, as the pipeline has it.
    configuration: Option<Map<Text>>,
    /// Configuration in which references are replaced by values.
    resolved_configuration: Option<Map<Text>>,
    /// ARN of the role of the rule.
    role_arn: Option<Text>,
    /// Region of the rule.
    region: Option<Text>,
    /// Artifacts that the rule takes.
    input_artifacts: Option<Vec<ArtifactDetail>>,
}

/// Result of a run in the system that checks the rule.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleExecutionResult {
    /// ID of the run in that system.
    external_execution_id: Option<Text>,
    /// Summary.
    external_execution_summary: Option<Text>,
    /// URL of the run.
    external_execution_url: Option<Text>,
    /// Error of a rule that is not met.
    error_details: Option<ErrorDetails>,
}

/// Output of a run of a rule.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleExecutionOutput {
    /// Result in the system that checks the rule.
    execution_result: Option<RuleExecutionResult>,
}

/// A run of a rule.
#[record_of(of = PipelineExecution, case = "camel", takes(pipeline_execution_id, pipeline_version), answer)]
pub struct RuleExecutionDetail {
    /// ID of the run.
    rule_execution_id: Option<Text>,
    /// Name of the stage.
    stage_name: Option<Text>,
    /// Name of the rule.
    rule_name: Option<Text>,
    /// Time of the start.
    start_time: Option<Timestamp>,
    /// Time of the last change.
    last_update_time: Option<Timestamp>,
    /// ARN of the caller who changed it last.
    updated_by: Option<Text>,
    /// Status.
    status: Option<RuleExecutionStatus>,
    /// Input.
    input: Option<RuleExecutionInput>,
    /// Output.
    output: Option<RuleExecutionOutput>,
}

/// Lists runs of rules of a pipeline, newest first.
#[operation(
    of = PipelineExecution, case = "camel", call = "list_rules", needs(pipeline_name), include(SmallPage),
    page(rule_execution_details: RuleExecutionDetail, next_token), effect = read, access = read,
    subject = "{pipelineName}"
)]
pub struct ListRuleExecutions {
    /// Filter.
    pub filter: Option<ActionExecutionFilter>,
}

impl Handler for ListRuleExecutions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        pipeline::require_as(cx, &self.pipeline_name, "pipelineName")?;
        let all = RuleRunRow::pipeline_key(cx, &self.pipeline_name);
        let runs = SelectedRuns::new(cx, &self.pipeline_name, all, self.filter.as_ref())?;
        let page = cx.page_rows_in(&self, &runs.key, Direction::Descending, |row: RuleRunRow| {
            if runs.has_latest_only && row.is_replaced == Some(true) {
                return Ok(None);
            }
            to_detail(cx, row).map(Some)
        })?;
        Ok(page.into())
    }
}

/// Returns a run as listings have it.
fn to_detail(cx: &Tx<'_>, run: RuleRunRow) -> Result<RuleExecutionDetail> {
    let pipeline = run.pipeline.as_deref().unwrap_or_default();
    let execution = ExecutionRow::find(cx, pipeline, run.execution.unwrap_or_default())?;
    let region = || cx.scope().region().into();
    let rule_name = Some(run.rule_name().into());
    let input = run.rule.map(|rule| RuleExecutionInput {
        rule_type_id: rule.rule_type_id,
        configuration: rule.configuration,
        resolved_configuration: run.resolved_configuration,
        role_arn: rule.role_arn,
        region: Some(rule.region.unwrap_or_else(region)),
        input_artifacts: run.input_artifacts,
    });
    let result = RuleExecutionResult {
        external_execution_id: None,
        external_execution_summary: None,
        external_execution_url: None,
        error_details: run.error,
    };
    Ok(RuleExecutionDetail {
        pipeline_execution_id: execution
            .as_ref()
            .and_then(|execution| execution.pipeline_execution_id.clone()),
        pipeline_version: execution.as_ref().and_then(|execution| execution.pipeline_version),
        rule_execution_id: run.id,
        stage_name: run.stage,
        rule_name,
        start_time: run.start_time,
        last_update_time: run.last_update_time,
        updated_by: None,
        status: run.status,
        input,
        output: Some(RuleExecutionOutput { execution_result: Some(result) }),
    })
}
