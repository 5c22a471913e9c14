//! Cases: conditions of stages and their rules.

use super::{
    BUILD_STAGE, V2, World,
    executions::{executions, runs, set_outcome, start, statuses},
    plan,
};
use nephos_codepipeline::{
    ConditionType, ExecutionType, OutcomeOfAction, Pipeline, PipelineExecution, RuleExecutionStatus,
    StageRetryMode, StageState, errors,
};
use nephos_core::{Result, Session, Text};

/// Creates the pipeline `web` with a condition of its second stage: a rule that compares the revision with a value.
fn create_with(session: &Session, conditions: &str, result: &str, value: &str) -> Result<Pipeline> {
    let rule = format!(
        r##"{{"name": "Check", "ruleTypeId": {{"category": "Rule", "owner": "Provider", "provider": "VariableCheck", "version": "1"}},
        "configuration": {{"Variable": "#{{fetched.ObjectKey}}", "Operator": "EQ", "Value": "{value}"}}}}"##
    );
    let stage = format!(
        r#""name": "Build", "{conditions}": {{"conditions": [{{"result": "{result}", "rules": [{rule}]}}]}}"#
    );
    let namespace = (r#""name": "Fetch""#, r#""name": "Fetch", "namespace": "fetched""#);
    let replacements = [(r#""name": "Build""#, stage.as_str()), namespace, V2];
    Pipeline::objects(session).create(&plan("web", &replacements)?).wait()
}

fn build_state(session: &Session) -> Result<StageState> {
    Ok(Pipeline::objects(session).state("web").wait()?.stage_states().unwrap()[1].clone())
}

fn override_condition(session: &Session, condition: ConditionType) -> Result<()> {
    let id = Text::from(executions(session)?[0].pipeline_execution_id().unwrap());
    let all = PipelineExecution::objects(session);
    all.override_condition("web", BUILD_STAGE, id, condition).wait()
}

pub(super) fn met_condition_changes_nothing(world: &World) -> Result<()> {
    let session = world.session();
    create_with(&session, "beforeEntry", "FAIL", "web.zip")?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    let all = PipelineExecution::objects(&session).list_rules("web").wait()?;
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].rule_name(), all[0].status()), (Some("Check"), Some(&RuleExecutionStatus::Succeeded)));
    let resolved = all[0].input().unwrap().resolved_configuration().unwrap();
    assert_eq!(resolved.get("Variable").map(Text::as_str), Some("web.zip"));
    let types = Pipeline::objects(&session).list_rule_types().wait()?;
    assert!(types.iter().any(|one| one.id().unwrap().provider() == Some("VariableCheck")));
    Ok(())
}

pub(super) fn entry_condition_fails_or_skips_the_stage(world: &World) -> Result<()> {
    let session = world.session();
    create_with(&session, "beforeEntry", "SKIP", "other.zip")?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    assert_eq!(runs(&session)?.len(), 1, "the stage was skipped");
    assert_eq!(build_state(&session)?.latest_execution().unwrap().status().unwrap().to_string(), "Skipped");
    Pipeline::objects(&session).delete("web").wait()?;
    create_with(&session, "beforeEntry", "FAIL", "other.zip")?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    let state = build_state(&session)?;
    let conditions = state.before_entry_condition_state().unwrap();
    assert_eq!(conditions.latest_execution().unwrap().status().unwrap().to_string(), "Failed");
    let rule = &conditions.condition_states().unwrap()[0].rule_states().unwrap()[0];
    assert_eq!(rule.latest_execution().unwrap().status(), Some(&RuleExecutionStatus::Failed));
    assert!(state.on_success_condition_state().is_none());
    // A retry checks the condition again.
    let id = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    let retry =
        PipelineExecution::objects(&session).retry_stage("web", BUILD_STAGE, id, StageRetryMode::AllActions);
    retry.wait()?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    assert_eq!(PipelineExecution::objects(&session).list_rules("web").wait()?.len(), 2);
    Ok(())
}

pub(super) fn failed_condition_is_overridden(world: &World) -> Result<()> {
    let session = world.session();
    create_with(&session, "beforeEntry", "FAIL", "other.zip")?;
    let on_success = || override_condition(&session, ConditionType::OnSuccess);
    world.refused(&errors::CONDITION_NOT_OVERRIDABLE, "conditionType", on_success);
    override_condition(&session, ConditionType::BeforeEntry)?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    assert_eq!(runs(&session)?.len(), 2);
    let state = build_state(&session)?;
    let status = state.before_entry_condition_state().unwrap().latest_execution().unwrap().status().unwrap();
    assert_eq!(status.to_string(), "Overridden");
    let again = || override_condition(&session, ConditionType::BeforeEntry);
    world.refused(&errors::CONDITION_NOT_OVERRIDABLE, "conditionType", again);
    Ok(())
}

pub(super) fn success_condition_rolls_back(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, BUILD_STAGE, "Check", OutcomeOfAction::Succeed)?;
    create_with(&session, "onSuccess", "ROLLBACK", "other.zip")?;
    assert_eq!(statuses(&session)?, ["Succeeded"], "the control decides");
    set_outcome(world, BUILD_STAGE, "Check", OutcomeOfAction::Fail)?;
    start(&session)?;
    let all = executions(&session)?;
    assert_eq!(all[1].status().unwrap().to_string(), "Failed");
    assert_eq!(all[2].execution_type(), Some(&ExecutionType::Rollback));
    assert_eq!(all.len(), 3, "a rollback is not rolled back");
    Ok(())
}

pub(super) fn failure_condition_rolls_back_if_it_is_not_met(world: &World) -> Result<()> {
    let session = world.session();
    create_with(&session, "onFailure", "ROLLBACK", "other.zip")?;
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Fail)?;
    start(&session)?;
    assert_eq!(executions(&session)?.len(), 3);
    set_outcome(world, BUILD_STAGE, "Check", OutcomeOfAction::Succeed)?;
    start(&session)?;
    assert_eq!(executions(&session)?.len(), 4, "the condition is met");
    Ok(())
}

pub(super) fn waiting_rule_keeps_the_stage(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, BUILD_STAGE, "Check", OutcomeOfAction::Wait)?;
    create_with(&session, "beforeEntry", "FAIL", "web.zip")?;
    assert_eq!(statuses(&session)?, ["InProgress"]);
    set_outcome(world, BUILD_STAGE, "Check", OutcomeOfAction::Succeed)?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    set_outcome(world, BUILD_STAGE, "Check", OutcomeOfAction::Wait)?;
    let id = start(&session)?;
    PipelineExecution::objects(&session).stop("web", id).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded", "Stopped"]);
    let all = PipelineExecution::objects(&session).list_rules("web").wait()?;
    assert_eq!(all[0].status(), Some(&RuleExecutionStatus::Abandoned));
    Ok(())
}
