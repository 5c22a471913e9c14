//! Cases: transitions, approvals, retries and rollbacks.

use super::{
    BUILD_STAGE, V2, World, create,
    executions::{executions, runs, set_outcome, start, statuses},
    existing, plan,
};
use nephos_codepipeline::{
    ApprovalResult, ApprovalStatus, ExecutionType, OutcomeOfAction, Pipeline, PipelineExecution,
    StageRetryMode, StageState, StageTransitionType, TriggerType, errors,
};
use nephos_core::{Result, Session, Text, prelude::*};

/// Replacement that makes the action of the second stage a manual approval.
const APPROVAL: &[(&str, &str)] = &[
    (
        r#""category": "Build", "owner": "Provider", "provider": "CodeBuild""#,
        r#""category": "Approval", "owner": "Provider", "provider": "Manual""#,
    ),
    (r#""configuration": {"ProjectName": "web"}, "inputArtifacts": [{"name": "source"}],"#, ""),
    (r#""outputArtifacts": [{"name": "program"}]"#, r#""configuration": {}"#),
];

/// Returns the state of the second stage of the pipeline `web`.
fn build_state(session: &Session) -> Result<StageState> {
    let state = Pipeline::objects(session).state("web").wait()?;
    Ok(state.stage_states().unwrap()[1].clone())
}

/// Returns the token of the approval that waits.
fn approval_token(session: &Session) -> Result<Option<Text>> {
    let state = build_state(session)?;
    let latest = state.action_states().unwrap()[0].latest_execution();
    Ok(latest.and_then(|latest| latest.token()).map(Text::from))
}

fn put_result(session: &Session, token: &Text, status: ApprovalStatus) -> Result<()> {
    let result = ApprovalResult::builder().summary("looks good").status(status).build()?;
    let put =
        Pipeline::objects(session).put_approval_result("web", BUILD_STAGE, "Compile", result, token.clone());
    put.wait().map(drop)
}

pub(super) fn disabled_transition_keeps_executions_waiting(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    create(&session, "web")?;
    let inbound = StageTransitionType::Inbound;
    pipelines.disable_transition("web", BUILD_STAGE, inbound.clone(), "release freeze").wait()?;
    start(&session)?;
    assert_eq!(statuses(&session)?, ["Succeeded", "InProgress"]);
    let state = build_state(&session)?;
    let transition = state.inbound_transition_state().unwrap();
    assert_eq!((transition.enabled(), transition.disabled_reason()), (Some(false), Some("release freeze")));
    assert_eq!(transition.last_changed_by(), Some("arn:aws:iam::123456789012:root"));
    assert_eq!(state.inbound_executions().unwrap().len(), 1);
    // The transition out of the first stage is the one into the second.
    pipelines.enable_transition("web", "Source", StageTransitionType::Outbound).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded", "Succeeded"]);
    assert_eq!(build_state(&session)?.inbound_transition_state().unwrap().enabled(), Some(true));
    let enable = |stage: &str| pipelines.enable_transition("web", stage, inbound.clone()).wait();
    world.refused(&errors::STAGE_NOT_FOUND, "stageName", || enable("Deploy"));
    world.refused(&errors::VALIDATION, "transitionType", || enable("Source"));
    let refused = || pipelines.disable_transition("web", BUILD_STAGE, inbound.clone(), "release: 7").wait();
    world.refused(&errors::VALIDATION, "reason", refused);
    Ok(())
}

pub(super) fn approval_lets_the_execution_continue(world: &World) -> Result<()> {
    let session = world.session();
    Pipeline::objects(&session).create(&plan("web", APPROVAL)?).wait()?;
    assert_eq!(statuses(&session)?, ["InProgress"]);
    let token = approval_token(&session)?.unwrap();
    let wrong = Text::from("00000000-0000-4000-8000-000000000000");
    let approved = ApprovalStatus::Approved;
    world
        .refused(&errors::INVALID_APPROVAL_TOKEN, "token", || put_result(&session, &wrong, approved.clone()));
    put_result(&session, &token, approved.clone())?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    assert_eq!(approval_token(&session)?, None);
    world.refused(&errors::APPROVAL_COMPLETED, "token", || put_result(&session, &token, approved.clone()));
    let latest = build_state(&session)?.action_states().unwrap()[0].latest_execution().unwrap().clone();
    assert_eq!(latest.summary(), Some("looks good"));
    assert_eq!(latest.last_updated_by(), Some("arn:aws:iam::123456789012:root"));
    start(&session)?;
    let token = approval_token(&session)?.unwrap();
    put_result(&session, &token, ApprovalStatus::Rejected)?;
    assert_eq!(statuses(&session)?, ["Succeeded", "Failed"]);
    let result = ApprovalResult::builder().summary("").status(approved).build()?;
    let pipelines = Pipeline::objects(&session);
    let put = |stage: &str, action: &str| {
        pipelines.put_approval_result("web", stage, action, result.clone(), token.clone()).wait()
    };
    world.refused(&errors::ACTION_NOT_FOUND, "actionName", || put(BUILD_STAGE, "Ask"));
    world.refused(&errors::VALIDATION, "actionName", || put("Source", "Fetch"));
    Ok(())
}

pub(super) fn approval_times_out(world: &World) -> Result<()> {
    let session = world.session();
    const DAY: i64 = 24 * 60 * 60 * 1000;
    Pipeline::objects(&session).create(&plan("web", APPROVAL)?).wait()?;
    world.advance(7 * DAY - 1000)?;
    assert_eq!(statuses(&session)?, ["InProgress"]);
    world.advance(1000)?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    let timeout = (r#""configuration": {}"#, r#""configuration": {}, "timeoutInMinutes": 5"#);
    let with_timeout: Vec<_> = APPROVAL.iter().copied().chain([timeout]).collect();
    Pipeline::objects(&session).delete("web").wait()?;
    Pipeline::objects(&session).create(&plan("web", &with_timeout)?).wait()?;
    world.advance(5 * 60 * 1000)?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    Ok(())
}

/// Adds a second action to the second stage.
fn two_builds() -> Result<Pipeline> {
    let mut pipeline = plan("web", &[])?;
    let mut stages = pipeline.stages().unwrap().to_vec();
    let mut other = stages[1].actions().unwrap()[0].clone();
    other.set("name", "Lint")?;
    other.set("outputArtifacts", Value::Null)?;
    let actions = vec![stages[1].actions().unwrap()[0].clone(), other];
    stages[1].set_actions(actions)?;
    pipeline.set_stages(stages)?;
    Ok(pipeline)
}

fn retry(session: &Session, id: &str, mode: StageRetryMode) -> Result<Text> {
    PipelineExecution::objects(session).retry_stage("web", BUILD_STAGE, id, mode).wait()
}

pub(super) fn failed_stage_is_retried(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Fail)?;
    Pipeline::objects(&session).create(&two_builds()?).wait()?;
    let id = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    let names = |session: &Session| -> Result<Vec<String>> {
        Ok(runs(session)?.into_iter().map(|(name, _)| name).collect())
    };
    assert_eq!(names(&session)?, ["Lint", "Compile", "Fetch"]);
    retry(&session, &id, StageRetryMode::FailedActions)?;
    assert_eq!(names(&session)?, ["Compile", "Lint", "Compile", "Fetch"]);
    assert_eq!(statuses(&session)?, ["Failed"]);
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Succeed)?;
    retry(&session, &id, StageRetryMode::AllActions)?;
    assert_eq!(names(&session)?[..2], ["Lint", "Compile"]);
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    let retries = build_state(&session)?.retry_stage_metadata().unwrap().clone();
    assert_eq!(retries.manual_stage_retry_attempt(), Some(2));
    let mode = StageRetryMode::FailedActions;
    world.refused(&errors::STAGE_NOT_RETRYABLE, "stageName", || retry(&session, &id, mode.clone()));
    start(&session)?;
    let field = "pipelineExecutionId";
    world.refused(&errors::NOT_LATEST_EXECUTION, field, || retry(&session, &id, mode.clone()));
    Ok(())
}

pub(super) fn changed_pipeline_is_not_retried(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Fail)?;
    create(&session, "web")?;
    let id = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    let mut web = existing(&session, "web")?;
    web.set_role_arn("arn:aws:iam::210987654321:role/other")?;
    web.save().wait()?;
    let mode = StageRetryMode::FailedActions;
    world.refused(&errors::STAGE_NOT_RETRYABLE, "stageName", || retry(&session, &id, mode.clone()));
    let rollback =
        || PipelineExecution::objects(&session).rollback_stage("web", BUILD_STAGE, id.clone()).wait();
    world.refused(&errors::EXECUTION_OUTDATED, "targetPipelineExecutionId", rollback);
    Ok(())
}

pub(super) fn stage_is_rolled_back(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    start(&session)?;
    let target = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    let all = PipelineExecution::objects(&session);
    let id = all.rollback_stage("web", BUILD_STAGE, target.clone()).wait()?;
    let rollback = all.get("web", id).wait()?.unwrap();
    assert_eq!(rollback.execution_type(), Some(&ExecutionType::Rollback));
    assert_eq!(rollback.trigger().unwrap().trigger_type(), Some(&TriggerType::ManualRollback));
    let metadata = rollback.rollback_metadata().unwrap();
    assert_eq!(metadata.rollback_target_pipeline_execution_id(), Some(target.as_str()));
    assert_eq!(statuses(&session)?, ["Succeeded"; 3]);
    let found = all.list_actions("web").wait()?;
    assert_eq!(found.len(), 5, "the rollback runs one stage");
    assert_eq!(found[0].input().unwrap().input_artifacts(), found[3].input().unwrap().input_artifacts());
    let field = "targetPipelineExecutionId";
    let again = |stage: &str, id: &Text| all.rollback_stage("web", stage, id.clone()).wait();
    world.refused(&errors::UNABLE_TO_ROLL_BACK, field, || again("Source", &target));
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Wait)?;
    let running = start(&session)?;
    world.refused(&errors::UNABLE_TO_ROLL_BACK, field, || again(BUILD_STAGE, &running));
    world.refused(&errors::CONFLICT, "stageName", || again(BUILD_STAGE, &target));
    Ok(())
}

pub(super) fn rollback_is_about_one_stage(world: &World) -> Result<()> {
    let session = world.session();
    let mut pipeline = two_builds()?;
    let mut stages = pipeline.stages().unwrap().to_vec();
    let mut release = stages[1].clone();
    release.set("name", "Release")?;
    let actions = release.actions().unwrap()[1..].to_vec();
    release.set_actions(actions)?;
    stages.push(release);
    pipeline.set_stages(stages)?;
    Pipeline::objects(&session).create(&pipeline).wait()?;
    let target = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    PipelineExecution::objects(&session).rollback_stage("web", BUILD_STAGE, target).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded"; 2]);
    assert_eq!(runs(&session)?.len(), 4 + 2, "the rollback does not enter the next stage");
    Ok(())
}

/// Creates a pipeline whose second stage has this setting for failures.
fn create_with_failure(session: &Session, on_failure: &str) -> Result<Pipeline> {
    let stage = format!(r#""name": "Build", "onFailure": {on_failure}"#);
    Pipeline::objects(session).create(&plan("web", &[(r#""name": "Build""#, &stage), V2])?).wait()
}

pub(super) fn failed_stage_is_rolled_back_by_itself(world: &World) -> Result<()> {
    let session = world.session();
    create_with_failure(&session, r#"{"result": "ROLLBACK"}"#)?;
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Wait)?;
    let failed = start(&session)?;
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Fail)?;
    // The rollback fails, too, and is not rolled back.
    assert_eq!(statuses(&session)?, ["Succeeded", "Failed", "Failed"]);
    let rollback = &executions(&session)?[2];
    let trigger = rollback.trigger().unwrap();
    assert_eq!(trigger.trigger_type(), Some(&TriggerType::AutomatedRollback));
    assert!(trigger.trigger_detail().unwrap().contains(failed.as_str()));
    Ok(())
}

pub(super) fn rollback_enters_before_others(world: &World) -> Result<()> {
    let session = world.session();
    let on_failure = (r#""name": "Build""#, r#""name": "Build", "onFailure": {"result": "ROLLBACK"}"#);
    let replacements: Vec<_> = APPROVAL.iter().copied().chain([on_failure, V2]).collect();
    Pipeline::objects(&session).create(&plan("web", &replacements)?).wait()?;
    let answer = |status: ApprovalStatus| put_result(&session, &approval_token(&session)?.unwrap(), status);
    answer(ApprovalStatus::Approved)?;
    start(&session)?;
    let waiting = start(&session)?;
    answer(ApprovalStatus::Rejected)?;
    let all = executions(&session)?;
    assert_eq!(all[3].execution_type(), Some(&ExecutionType::Rollback));
    let state = build_state(&session)?;
    assert_eq!(state.latest_execution().unwrap().pipeline_execution_id(), all[3].pipeline_execution_id());
    let inbound = state.inbound_execution().unwrap();
    assert_eq!(inbound.pipeline_execution_id(), Some(waiting.as_str()), "the rollback does not replace it");
    answer(ApprovalStatus::Approved)?;
    answer(ApprovalStatus::Approved)?;
    assert_eq!(statuses(&session)?, ["Succeeded", "Failed", "Succeeded", "Succeeded"]);
    Ok(())
}

pub(super) fn failed_stage_is_retried_by_itself_once(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, BUILD_STAGE, "Compile", OutcomeOfAction::Fail)?;
    create_with_failure(
        &session,
        r#"{"result": "RETRY", "retryConfiguration": {"retryMode": "ALL_ACTIONS"}}"#,
    )?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    assert_eq!(runs(&session)?.iter().filter(|(name, _)| name == "Compile").count(), 2);
    let retries = build_state(&session)?.retry_stage_metadata().unwrap().clone();
    assert_eq!((retries.auto_stage_retry_attempt(), retries.manual_stage_retry_attempt()), (Some(1), None));
    Ok(())
}
