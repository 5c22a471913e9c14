//! Conditions in the state of a pipeline, and the call that overrides them.

use super::{
    ConditionExecutionStatus, ErrorDetails, ExecutionRow, PipelineExecutionStatus, RuleExecutionStatus,
    RuleRunRow, StageCondition, StageExecutionStatus, advance, condition, retry,
    transition::{StageOfPipeline, require_stage},
};
use crate::{PipelineExecution, PipelineExecutionManager, errors, pipeline::StageDeclaration};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Record, Result, Text, Timestamp, choices, operation};

choices! {
    /// Condition that can be overridden.
    #[derive(Eq)]
    pub enum ConditionType {
        /// Before the stage is entered.
        BeforeEntry = "BEFORE_ENTRY",
        /// After the stage succeeded.
        OnSuccess = "ON_SUCCESS",
    }
}

/// Latest check of the conditions of a stage.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct StageConditionsExecution {
    /// Status.
    status: Option<ConditionExecutionStatus>,
    /// Summary.
    summary: Option<Text>,
}

/// Latest check of a condition.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ConditionExecution {
    /// Status.
    status: Option<ConditionExecutionStatus>,
    /// Summary.
    summary: Option<Text>,
    /// Time of the last change.
    last_status_change: Option<Timestamp>,
}

/// Revision that a rule checks.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleRevision {
    /// ID of the revision.
    #[field(required)]
    revision_id: Option<Text>,
    /// ID of the change.
    #[field(required)]
    revision_change_id: Option<Text>,
    /// Time of creation.
    #[field(required)]
    created: Option<Timestamp>,
}

/// Run of a rule in the state of a pipeline.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleExecution {
    /// ID of the run.
    rule_execution_id: Option<Text>,
    /// Status.
    status: Option<RuleExecutionStatus>,
    /// Summary.
    summary: Option<Text>,
    /// Time of the last change.
    last_status_change: Option<Timestamp>,
    /// Token of the run.
    token: Option<Text>,
    /// ARN of the caller who changed it last.
    last_updated_by: Option<Text>,
    /// ID of the run in the system that checks the rule.
    external_execution_id: Option<Text>,
    /// URL of the run in that system.
    external_execution_url: Option<Text>,
    /// Error of a rule that is not met.
    error_details: Option<ErrorDetails>,
}

/// State of a rule.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleState {
    /// Name of the rule.
    rule_name: Option<Text>,
    /// Revision that the rule checks.
    current_revision: Option<RuleRevision>,
    /// Latest run.
    latest_execution: Option<RuleExecution>,
    /// URL of the resource of the rule.
    entity_url: Option<Text>,
    /// URL of the revision.
    revision_url: Option<Text>,
}

/// State of a condition.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ConditionState {
    /// Latest check.
    latest_execution: Option<ConditionExecution>,
    /// States of the rules.
    rule_states: Option<Vec<RuleState>>,
}

/// State of the conditions of a stage.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct StageConditionState {
    /// Latest check.
    latest_execution: Option<StageConditionsExecution>,
    /// States of the conditions.
    condition_states: Option<Vec<ConditionState>>,
}

/// Returns the state of a condition of a stage in the execution that entered it last; none if the stage has no such condition.
pub(super) fn to_state(
    cx: &Tx<'_>,
    stage: &StageDeclaration,
    condition: &StageCondition,
    latest: Option<&ExecutionRow>,
) -> Result<Option<StageConditionState>> {
    let Some(declared) = condition::find(stage, condition) else { return Ok(None) };
    let check = latest.and_then(|latest| latest.condition_run(stage.own_name(), condition));
    let status = check.and_then(|check| check.status.clone());
    let runs = match latest {
        Some(latest) => RuleRunRow::of_condition(cx, latest, stage.own_name(), condition)?,
        None => Vec::new(),
    };
    let to_rule = |name: Option<&Text>| {
        let run = runs.iter().find(|run| Some(run.rule_name()) == name.map(Text::as_str));
        RuleState {
            rule_name: name.cloned(),
            current_revision: None,
            latest_execution: run.cloned().map(to_execution),
            entity_url: None,
            revision_url: None,
        }
    };
    let rules = declared.rules.iter().flatten().map(|rule| to_rule(rule.name.as_ref()));
    let state = ConditionState {
        latest_execution: check.map(|check| ConditionExecution {
            status: check.status.clone(),
            summary: None,
            last_status_change: check.changed_at,
        }),
        rule_states: Some(rules.collect()),
    };
    Ok(Some(StageConditionState {
        latest_execution: status
            .map(|status| StageConditionsExecution { status: Some(status), summary: None }),
        condition_states: Some(vec![state]),
    }))
}

fn to_execution(run: RuleRunRow) -> RuleExecution {
    RuleExecution {
        rule_execution_id: run.id,
        status: run.status,
        summary: None,
        last_status_change: run.last_update_time,
        token: None,
        last_updated_by: None,
        external_execution_id: None,
        external_execution_url: None,
        error_details: run.error,
    }
}

/// Lets a stage continue as if a condition that failed were met.
#[operation(
    of = PipelineExecution, case = "camel", call = "override_condition", include(StageOfPipeline),
    needs(pipeline_execution_id), effect = write, subject = "{pipelineName}/{stageName}"
)]
pub struct OverrideStageCondition {
    /// The condition: the one before entry, or the one after success.
    pub condition_type: ConditionType,
}

impl Handler for OverrideStageCondition {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let pipeline = self.pipeline_name;
        let stage = self.stage_name;
        let (_, position) = require_stage(cx, &pipeline, &stage)?;
        let mut execution = retry::require_latest(cx, &pipeline, &stage, &self.pipeline_execution_id)?;
        let condition = match self.condition_type {
            ConditionType::OnSuccess => StageCondition::OnSuccess,
            _ => StageCondition::BeforeEntry,
        };
        let run = execution.condition_run(&stage, &condition);
        let is_failed = run.is_some_and(|run| run.status == Some(ConditionExecutionStatus::Failed));
        let is_stopped_by_it = execution.stage_status(&stage) == Some(StageExecutionStatus::Failed);
        if !is_failed || !is_stopped_by_it {
            return Err(errors::condition_not_overridable(&condition, &stage).with_field("conditionType"));
        }
        execution.set_condition(&stage, &condition, ConditionExecutionStatus::Overridden, cx.now());
        execution.set_stage_status(&stage, StageExecutionStatus::InProgress);
        execution.status = Some(PipelineExecutionStatus::InProgress);
        execution.stage = i64::try_from(position).ok();
        execution.save(cx)?;
        advance::advance(cx, &pipeline)?;
        Ok(Empty {})
    }
}
