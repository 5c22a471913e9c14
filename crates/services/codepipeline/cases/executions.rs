//! Cases: executions of pipelines.

use super::{BUILD_STAGE, V2, World, create, existing, plan};
use nephos_codepipeline::{
    ActionExecutionDetail, ActionExecutionStatus, ExecutionMode, ListActionExecutions, OutcomeOfAction,
    Pipeline, PipelineExecution, PipelineExecutionFilter, PipelineExecutionStatus, PipelineType,
    PipelineVariable, SetPipelineActions, SourceRevisionOverride, StartPipelineExecution, TriggerType,
    errors,
};
use nephos_core::{ErrorKind, Record, Result, Session, Text, prelude::*};
use nephos_testing::ask;

/// Sets the outcome of an action of the pipeline `web`.
pub(super) fn set_outcome(world: &World, stage: &str, action: &str, outcome: OutcomeOfAction) -> Result<()> {
    let message = (outcome == OutcomeOfAction::Fail).then(|| "2 tests failed".into());
    let mut control = SetPipelineActions::new("arn:aws:codepipeline:us-east-1:123456789012:web", outcome);
    control.stage_name = Some(stage.into());
    control.action_name = Some(action.into());
    control.message = message;
    world.control(control)
}

/// Starts an execution of the pipeline `web`.
pub(super) fn start(session: &Session) -> Result<Text> {
    Pipeline::objects(session).start_execution("web").wait()
}

/// Lists the executions of the pipeline `web`, oldest first.
pub(super) fn executions(session: &Session) -> Result<Vec<PipelineExecution>> {
    let mut all = PipelineExecution::objects(session).list("web").results().all().wait()?;
    all.reverse();
    Ok(all)
}

/// Statuses of the executions of the pipeline `web`, oldest first.
pub(super) fn statuses(session: &Session) -> Result<Vec<String>> {
    Ok(executions(session)?.iter().map(|one| one.status().unwrap().to_string()).collect())
}

/// Runs of actions of the pipeline `web`, newest first: names and statuses.
pub(super) fn runs(session: &Session) -> Result<Vec<(String, String)>> {
    let name = |run: &ActionExecutionDetail| run.action_name().unwrap().to_owned();
    let all = PipelineExecution::objects(session).list_actions("web").wait()?;
    Ok(all.iter().map(|run| (name(run), run.status().unwrap().to_string())).collect())
}

pub(super) fn creation_starts_an_execution(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let all = executions(&session)?;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].status(), Some(&PipelineExecutionStatus::Succeeded));
    assert_eq!(all[0].trigger().unwrap().trigger_type(), Some(&TriggerType::CreatePipeline));
    assert_eq!(all[0].execution_mode(), Some(&ExecutionMode::Superseded));
    let id = all[0].pipeline_execution_id().unwrap();
    let found = PipelineExecution::objects(&session).get("web", id).wait()?.unwrap();
    assert_eq!((found.pipeline_name(), found.pipeline_version()), (Some("web"), Some(1)));
    let revision = found.artifact_revisions().unwrap()[0].revision_id().unwrap();
    assert_eq!(all[0].source_revisions().unwrap()[0].revision_id(), Some(revision));
    let expected = [("Compile", "Succeeded"), ("Fetch", "Succeeded")];
    assert_eq!(runs(&session)?, expected.map(|(name, status)| (name.to_owned(), status.to_owned())));
    assert_eq!(found.pipeline().wait()?.as_deref(), Some(&existing(&session, "web")?));
    // An update starts none.
    let mut changed = existing(&session, "web")?;
    changed.set_pipeline_type(PipelineType::V2)?;
    changed.save().wait()?;
    assert_eq!(executions(&session)?.len(), 1);
    Pipeline::objects(&session).delete("web").wait()?;
    create(&session, "web")?;
    assert_eq!(executions(&session)?.len(), 1, "the executions were deleted with the pipeline");
    Ok(())
}

pub(super) fn runs_have_artifacts_and_variables(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    let output = all[1].output().unwrap();
    let artifact = &output.output_artifacts().unwrap()[0];
    let place = artifact.s3location().unwrap();
    assert_eq!((artifact.name(), place.bucket()), (Some("source"), Some("artifacts")));
    assert!(place.key().unwrap().starts_with("web/source/"), "{place:?}");
    assert_eq!(all[0].input().unwrap().input_artifacts(), output.output_artifacts());
    assert_eq!(output.output_variables().unwrap().get("ObjectKey").map(Text::as_str), Some("web.zip"));
    assert_eq!(all[1].input().unwrap().region(), Some("us-east-1"));
    Ok(())
}

pub(super) fn failed_action_ends_the_execution(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Fail)?;
    create(&session, "web")?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    assert_eq!(all.len(), 1, "the next stage did not start");
    let error = all[0].output().unwrap().execution_result().unwrap().error_details().unwrap();
    assert_eq!((error.code(), error.message()), (Some("JobFailed"), Some("2 tests failed")));
    let state = Pipeline::objects(&session).state("web").wait()?;
    let stages = state.stage_states().unwrap();
    assert_eq!(stages[0].latest_execution().unwrap().status().unwrap().to_string(), "Failed");
    assert!(stages[1].latest_execution().is_none());
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Succeed)?;
    start(&session)?;
    assert_eq!(statuses(&session)?, ["Failed", "Succeeded"]);
    Ok(())
}

/// Creates a pipeline in a mode, and starts two further executions while the build of the first one waits.
fn overlap(world: &World, mode: &str) -> Result<Vec<String>> {
    let session = world.session();
    set_outcome(world, "Build", "Compile", OutcomeOfAction::Wait)?;
    let mode = format!(r#""pipelineType": "V2", "executionMode": "{mode}", "artifactStore""#);
    Pipeline::objects(&session).create(&plan("web", &[(r#""artifactStore""#, &mode)])?).wait()?;
    start(&session)?;
    start(&session)?;
    statuses(&session)
}

pub(super) fn newer_execution_supersedes_the_one_that_waits(world: &World) -> Result<()> {
    let session = world.session();
    assert_eq!(overlap(world, "SUPERSEDED")?, ["InProgress", "Superseded", "InProgress"]);
    let state = Pipeline::objects(&session).state("web").wait()?;
    let all = executions(&session)?;
    let stage = &state.stage_states().unwrap()[1];
    let id = |n: usize| all[n].pipeline_execution_id();
    assert_eq!(stage.inbound_execution().unwrap().pipeline_execution_id(), id(2));
    assert_eq!(stage.latest_execution().unwrap().pipeline_execution_id(), id(0));
    set_outcome(world, "Build", "Compile", OutcomeOfAction::Succeed)?;
    assert_eq!(statuses(&session)?, ["Succeeded", "Superseded", "Succeeded"]);
    Ok(())
}

pub(super) fn queued_executions_wait_for_each_other(world: &World) -> Result<()> {
    let session = world.session();
    assert_eq!(overlap(world, "QUEUED")?, ["InProgress"; 3]);
    let running = |session: &Session| -> Result<usize> {
        Ok(runs(session)?.iter().filter(|(_, status)| status == "InProgress").count())
    };
    assert_eq!(running(&session)?, 1);
    let state = Pipeline::objects(&session).state("web").wait()?;
    assert_eq!(state.stage_states().unwrap()[1].inbound_executions().unwrap().len(), 2);
    set_outcome(world, "Build", "Compile", OutcomeOfAction::Succeed)?;
    assert_eq!(statuses(&session)?, ["Succeeded"; 3]);
    Ok(())
}

pub(super) fn parallel_executions_share_stages(world: &World) -> Result<()> {
    let session = world.session();
    assert_eq!(overlap(world, "PARALLEL")?, ["InProgress"; 3]);
    let running = runs(&session)?.iter().filter(|(_, status)| status == "InProgress").count();
    assert_eq!(running, 3);
    set_outcome(world, "Build", "Compile", OutcomeOfAction::Fail)?;
    assert_eq!(statuses(&session)?, ["Failed"; 3]);
    Ok(())
}

pub(super) fn execution_keeps_its_version(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Wait)?;
    let mut web = create(&session, "web")?;
    let mut stages = web.stages().unwrap().to_vec();
    stages[1] = plan("web", &[(r#""name": "Compile""#, r#""name": "Link""#)])?.stages().unwrap()[1].clone();
    web.set_stages(stages)?;
    web.save().wait()?;
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Succeed)?;
    assert_eq!(runs(&session)?[0].0, "Compile");
    start(&session)?;
    assert_eq!(runs(&session)?[0].0, "Link");
    let versions = |n: usize| -> Result<Option<i64>> {
        let all = executions(&session)?;
        let id = all[n].pipeline_execution_id().unwrap();
        Ok(PipelineExecution::objects(&session).get("web", id).wait()?.unwrap().pipeline_version())
    };
    assert_eq!((versions(0)?, versions(1)?), (Some(1), Some(2)));
    Ok(())
}

pub(super) fn stopped_execution_waits_for_its_actions(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Wait)?;
    create(&session, "web")?;
    let all = PipelineExecution::objects(&session);
    let id = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    assert_eq!(all.stop("web", id.clone()).reason("a mistake").wait()?, id);
    assert_eq!(statuses(&session)?, ["Stopping"]);
    let stop = || all.stop("web", id.clone()).wait();
    world.refused(&errors::STOP_REPEATED, "pipelineExecutionId", stop);
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Succeed)?;
    assert_eq!(statuses(&session)?, ["Stopped"]);
    assert_eq!(runs(&session)?.len(), 1, "the next stage did not start");
    assert_eq!(executions(&session)?[0].stop_trigger().unwrap().reason(), Some("a mistake"));
    world.refused(&errors::NOT_STOPPABLE, "pipelineExecutionId", stop);
    let unknown = "00000000-0000-4000-8000-000000000000";
    world.refused(&errors::NOT_STOPPABLE, "pipelineExecutionId", || all.stop("web", unknown).wait());
    assert!(all.get("web", unknown).wait()?.is_none());
    Ok(())
}

pub(super) fn abandoned_actions_stop_at_once(world: &World) -> Result<()> {
    let session = world.session();
    assert_eq!(overlap(world, "QUEUED")?, ["InProgress"; 3]);
    let id = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    PipelineExecution::objects(&session).stop("web", id.clone()).wait()?;
    PipelineExecution::objects(&session).stop("web", id).abandon(true).wait()?;
    assert_eq!(statuses(&session)?, ["Stopped", "InProgress", "InProgress"]);
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    let abandoned = all.iter().filter(|run| run.status() == Some(&ActionExecutionStatus::Abandoned)).count();
    assert_eq!(abandoned, 1);
    assert_eq!(runs(&session)?.iter().filter(|(_, status)| status == "InProgress").count(), 1);
    Ok(())
}

pub(super) fn pipelines_have_calls_for_executions(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Wait)?;
    let web = create(&session, "web")?;
    let id = web.start_execution().wait()?;
    let all = web.executions().wait()?;
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].pipeline_name(), all[0].pipeline_execution_id()), (Some("web"), Some(id.as_str())));
    assert_eq!(web.stop_execution(id.clone()).reason("a mistake").wait()?, id);
    let other = Text::from(all[1].pipeline_execution_id().unwrap());
    Pipeline::objects(&session).stop_execution("web", other).abandon(true).wait()?;
    assert_eq!(statuses(&session)?, ["Stopped", "Stopped"]);
    Ok(())
}

pub(super) fn references_are_resolved(world: &World) -> Result<()> {
    let session = world.session();
    let project = "#{variables.project}-#{fetched.ObjectKey}-#{codepipeline.PipelineExecutionId}";
    let project = format!(r#""ProjectName": "{project}""#);
    let replacements = [
        (r#""ProjectName": "web""#, project.as_str()),
        (r#""name": "Fetch""#, r#""name": "Fetch", "namespace": "fetched""#),
        (
            r#""artifactStore""#,
            r#""variables": [{"name": "project", "defaultValue": "app"}], "artifactStore""#,
        ),
        V2,
    ];
    Pipeline::objects(&session).create(&plan("web", &replacements)?).wait()?;
    let variable = PipelineVariable::builder().name("project").value("shop").build()?;
    let id = Pipeline::objects(&session).start_execution("web").variables(vec![variable]).wait()?;
    let mut list = ListActionExecutions::new("web");
    list.filter = Some(nephos_codepipeline::ActionExecutionFilter::from_json(format!(
        r#"{{"pipelineExecutionId": "{id}"}}"#
    ))?);
    let found = ask(&session, list)?;
    let input = found.action_execution_details().unwrap()[0].input().unwrap();
    let resolved = input.resolved_configuration().unwrap().get("ProjectName").unwrap();
    assert_eq!(resolved.as_str(), format!("shop-web.zip-{id}"));
    assert!(input.configuration().unwrap().get("ProjectName").unwrap().contains("#{variables.project}"));
    Ok(())
}

pub(super) fn unresolved_reference_fails_the_action(world: &World) -> Result<()> {
    let session = world.session();
    let project = (r#""ProjectName": "web""#, r##""ProjectName": "#{fetched.Colour}""##);
    let namespace = (r#""name": "Fetch""#, r#""name": "Fetch", "namespace": "fetched""#);
    Pipeline::objects(&session).create(&plan("web", &[project, namespace])?).wait()?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    let error = all[0].output().unwrap().execution_result().unwrap().error_details().unwrap();
    assert_eq!(error.code(), Some("ConfigurationError"));
    assert!(error.message().unwrap().contains("#{fetched.Colour}"), "{error:?}");
    Ok(())
}

pub(super) fn revisions_can_be_chosen(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let chosen = SourceRevisionOverride::from_json(
        r#"{"actionName": "Fetch", "revisionType": "S3_OBJECT_VERSION_ID", "revisionValue": "v7"}"#,
    )?;
    let pipelines = Pipeline::objects(&session);
    pipelines.start_execution("web").source_revisions(vec![chosen.clone()]).wait()?;
    start(&session)?;
    let all = executions(&session)?;
    let revision = |n: usize| all[n].source_revisions().unwrap()[0].revision_id().unwrap();
    assert_ne!(revision(0), "v7");
    assert_eq!((revision(1), revision(2)), ("v7", "v7"));
    let state = pipelines.state("web").wait()?;
    let action = &state.stage_states().unwrap()[0].action_states().unwrap()[0];
    assert_eq!(action.current_revision().unwrap().revision_id(), Some("v7"));
    let start_with = |one: &SourceRevisionOverride| {
        pipelines.start_execution("web").source_revisions(vec![one.clone()]).wait()
    };
    let mut other = chosen.clone();
    other.set("actionName", "Compile")?;
    world.refused(&errors::VALIDATION, "sourceRevisions[0].actionName", || start_with(&other));
    let mut commit = chosen.clone();
    commit.set("revisionType", "COMMIT_ID")?;
    world.refused(&errors::VALIDATION, "sourceRevisions[0].revisionType", || start_with(&commit));
    // Another object, with the same version.
    let mut object = chosen;
    object.set("revisionType", "S3_OBJECT_KEY")?;
    object.set("revisionValue", "api.zip")?;
    start_with(&object)?;
    assert_eq!(executions(&session)?[3].source_revisions().unwrap()[0].revision_id(), Some("v7"));
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    let variables = all[1].output().unwrap().output_variables().unwrap();
    assert_eq!(variables.get("ObjectKey").map(Text::as_str), Some("api.zip"));
    Ok(())
}

pub(super) fn start_is_idempotent_and_checked(world: &World) -> Result<()> {
    let session = world.session();
    let mut first = StartPipelineExecution::new("web");
    first.client_request_token = Some("once".into());
    let missing = world.refused(&errors::PIPELINE_NOT_FOUND, "name", || ask(&session, first.clone()));
    assert_eq!(missing.wire_message(), "Account '123456789012' does not have a pipeline with name 'web'");
    create(&session, "web")?;
    let id = ask(&session, first.clone())?;
    assert_eq!(ask(&session, first.clone())?, id);
    assert_eq!(executions(&session)?.len(), 2);
    let variable = PipelineVariable::builder().name("colour").value("red").build()?;
    first.variables = Some(vec![variable.clone()]);
    world.refused(&errors::VALIDATION, "clientRequestToken", || ask(&session, first.clone()));
    let undeclared =
        || Pipeline::objects(&session).start_execution("web").variables(vec![variable.clone()]).wait();
    world.refused(&errors::VALIDATION, "variables[0].name", undeclared);
    Ok(())
}

pub(super) fn executions_are_filtered_by_stage(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    set_outcome(world, "Build", "Compile", OutcomeOfAction::Fail)?;
    start(&session)?;
    let filter = |stage: &str| {
        PipelineExecutionFilter::from_json(format!(r#"{{"succeededInStage": {{"stageName": "{stage}"}}}}"#))
    };
    let all = PipelineExecution::objects(&session);
    let in_build = all.list("web").filter(filter(BUILD_STAGE)?).results().all().wait()?;
    assert_eq!(in_build.len(), 1);
    assert_eq!(all.list("web").filter(filter("Source")?).max_results(1).results().all().wait()?.len(), 2);
    Ok(())
}

/// An outcome can be set before the pipeline exists. Once it exists, it must have the stage and the action.
pub(super) fn outcomes_are_for_stages_and_actions_that_exist(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, "Nope", "Compile", OutcomeOfAction::Wait)?;
    create(&session, "web")?;
    for (stage, action, field) in [("Nope", "Compile", "stageName"), ("Build", "Fetch", "actionName")] {
        let refused = set_outcome(world, stage, action, OutcomeOfAction::Fail).unwrap_err();
        assert_eq!((refused.kind(), refused.field()), (ErrorKind::NotFound, Some(field)), "{refused}");
    }
    set_outcome(world, "Build", "Compile", OutcomeOfAction::Fail)
}
