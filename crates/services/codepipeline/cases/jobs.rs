//! Cases: jobs of custom actions and of partners, and revisions.

use super::{
    BUILD_STAGE, World,
    executions::{executions, runs, set_outcome, start, statuses},
    plan,
};
use nephos_codepipeline::{
    ActionRevision, ActionType, ActionTypeId, CurrentRevision, ExecutionDetails, FailureDetails, JobStatus,
    OutcomeOfAction, Pipeline, PipelineExecution, PollForJobs, TriggerType, errors,
};
use nephos_core::{Map, Record, Result, Session, Text};
use nephos_testing::ask;

const JENKINS: &str = r#"{"category": "Build", "owner": "Custom", "provider": "Jenkins", "version": "1"}"#;

/// Creates a custom type of builds, and the pipeline `web` with such a build.
fn create_custom(session: &Session) -> Result<ActionTypeId> {
    let custom = format!(
        r#"{{"id": {JENKINS}, "inputArtifactDetails": {{"minimumCount": 0, "maximumCount": 5}},
        "outputArtifactDetails": {{"minimumCount": 0, "maximumCount": 5}}, "actionConfigurationProperties": [
        {{"name": "ProjectName", "required": true, "key": true, "secret": false, "queryable": true}},
        {{"name": "Password", "required": false, "key": false, "secret": true}}]}}"#
    );
    ActionType::objects(session).create(&ActionType::from_json(custom)?).wait()?;
    let replacements = [
        (
            r#""category": "Build", "owner": "Provider", "provider": "CodeBuild""#,
            r#""category": "Build", "owner": "Custom", "provider": "Jenkins""#,
        ),
        (r#""ProjectName": "web""#, r#""ProjectName": "web", "Password": "hunter2""#),
    ];
    Pipeline::objects(session).create(&plan("web", &replacements)?).wait()?;
    ActionTypeId::from_json(JENKINS)
}

/// Polls for one job and acknowledges it; returns its ID.
fn take_job(session: &Session, id: &ActionTypeId) -> Result<Text> {
    let types = ActionType::objects(session);
    let jobs = types.poll_jobs(id.clone()).wait()?;
    assert_eq!(jobs.len(), 1);
    let job = Text::from(jobs[0].id().unwrap());
    let status = types.acknowledge_job(job.clone(), jobs[0].nonce().unwrap()).wait()?;
    assert_eq!(status, JobStatus::InProgress);
    Ok(job)
}

pub(super) fn worker_ends_a_custom_action(world: &World) -> Result<()> {
    let session = world.session();
    let id = create_custom(&session)?;
    let types = ActionType::objects(&session);
    assert_eq!(statuses(&session)?, ["InProgress"]);
    let jobs = types.poll_jobs(id.clone()).wait()?;
    let data = jobs[0].data().unwrap();
    let context = data.pipeline_context().unwrap();
    assert_eq!((context.pipeline_name(), context.stage().unwrap().name()), (Some("web"), Some(BUILD_STAGE)));
    let configuration = data.action_configuration().unwrap().configuration().unwrap();
    assert_eq!(configuration.get("Password").unwrap().expose(), "hunter2", "workers receive secrets");
    assert!(!format!("{:?} {}", jobs[0], jobs[0].to_json()).contains("hunter2"), "secrets are not printed");
    assert!(jobs[0].to_json_exposed().contains("hunter2"), "secrets are sent");
    let input = &data.input_artifacts().unwrap()[0];
    let output = &data.output_artifacts().unwrap()[0];
    assert_eq!((input.name(), output.name()), (Some("source"), Some("program")));
    let key = output.location().unwrap().s3_location().unwrap().object_key().unwrap().to_owned();
    assert!(data.artifact_credentials().is_some());
    let job = Text::from(jobs[0].id().unwrap());
    // A second poll gives the job to another worker.
    let again = types.poll_jobs(id.clone()).wait()?;
    let acknowledge = |nonce: &str| types.acknowledge_job(job.clone(), nonce).wait();
    world.refused(&errors::INVALID_NONCE, "nonce", || acknowledge(jobs[0].nonce().unwrap()));
    let success = || types.put_job_success(job.clone()).wait();
    world.refused(&errors::INVALID_JOB_STATE, "jobId", success);
    acknowledge(again[0].nonce().unwrap())?;
    assert!(types.poll_jobs(id).wait()?.is_empty());
    assert_eq!(types.get_job(job.clone()).wait()?.id(), Some(job.as_str()));
    let details = ExecutionDetails::from_json(r#"{"summary": "built", "externalExecutionId": "17"}"#)?;
    let variables = Map::from_iter([(Text::from("Version"), Text::from("1.2"))]);
    types.put_job_success(job.clone()).execution_details(details).output_variables(variables).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    let found = all[0].output().unwrap();
    assert_eq!(found.output_artifacts().unwrap()[0].s3location().unwrap().key(), Some(key.as_str()));
    assert_eq!(found.output_variables().unwrap().get("Version").map(Text::as_str), Some("1.2"));
    assert_eq!(found.execution_result().unwrap().external_execution_id(), Some("17"));
    world.refused(&errors::INVALID_JOB_STATE, "jobId", success);
    Ok(())
}

pub(super) fn worker_fails_a_custom_action(world: &World) -> Result<()> {
    let session = world.session();
    let id = create_custom(&session)?;
    let job = take_job(&session, &id)?;
    let failure = FailureDetails::from_json(r#"{"type": "PermissionError", "message": "no access"}"#)?;
    ActionType::objects(&session).put_job_failure(job, failure.clone()).wait()?;
    assert_eq!(statuses(&session)?, ["Failed"]);
    let all = PipelineExecution::objects(&session).list_actions("web").wait()?;
    let error = all[0].output().unwrap().execution_result().unwrap().error_details().unwrap();
    assert_eq!((error.code(), error.message()), (Some("PermissionError"), Some("no access")));
    let unknown = "00000000-0000-4000-8000-000000000000";
    let put = || ActionType::objects(&session).put_job_failure(unknown, failure.clone()).wait();
    world.refused(&errors::JOB_NOT_FOUND, "jobId", put);
    Ok(())
}

pub(super) fn job_is_continued_by_another(world: &World) -> Result<()> {
    let session = world.session();
    let id = create_custom(&session)?;
    let types = ActionType::objects(&session);
    let job = take_job(&session, &id)?;
    types.put_job_success(job.clone()).continuation_token("deployment-7").wait()?;
    assert_eq!(statuses(&session)?, ["InProgress"]);
    let jobs = types.poll_jobs(id).wait()?;
    assert_ne!(jobs[0].id(), Some(job.as_str()));
    assert_eq!(jobs[0].data().unwrap().continuation_token(), Some("deployment-7"));
    let next = Text::from(jobs[0].id().unwrap());
    types.acknowledge_job(next.clone(), jobs[0].nonce().unwrap()).wait()?;
    types.put_job_success(next).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    assert_eq!(runs(&session)?.len(), 2, "the action ran once");
    Ok(())
}

pub(super) fn jobs_are_selected(world: &World) -> Result<()> {
    let session = world.session();
    let id = create_custom(&session)?;
    let poll = |name: &str, value: &str| {
        let mut poll = PollForJobs::new(id.clone());
        poll.query_param = Some(Map::from_iter([(Text::from(name), Text::from(value))]));
        ask(&session, poll).map(|answer| answer.jobs().map_or(0, <[_]>::len))
    };
    assert_eq!(poll("ProjectName", "api")?, 0);
    assert_eq!(poll("ProjectName", "web")?, 1);
    world.refused(&errors::VALIDATION, "queryParam", || poll("Password", "hunter2"));
    let other = ActionTypeId::from_json(JENKINS.replace("Jenkins", "Bamboo"))?;
    let types = ActionType::objects(&session);
    world.refused(&errors::ACTION_TYPE_NOT_FOUND, "actionTypeId", || types.poll_jobs(other.clone()).wait());
    // An abandoned action has no job.
    let execution = Text::from(executions(&session)?[0].pipeline_execution_id().unwrap());
    PipelineExecution::objects(&session).stop("web", execution).abandon(true).wait()?;
    assert!(types.poll_jobs(id.clone()).wait()?.is_empty());
    Ok(())
}

pub(super) fn partners_end_their_actions(world: &World) -> Result<()> {
    let session = world.session();
    set_outcome(world, "Source", "Fetch", OutcomeOfAction::Wait)?;
    let github = [
        (r#""owner": "Provider", "provider": "S3""#, r#""owner": "ThirdParty", "provider": "GitHub""#),
        (
            r#""S3Bucket": "sources", "S3ObjectKey": "web.zip""#,
            r#""Owner": "acme", "Repo": "web", "Branch": "main", "OAuthToken": "hunter2""#,
        ),
    ];
    Pipeline::objects(&session).create(&plan("web", &github)?).wait()?;
    let types = ActionType::objects(&session);
    let jobs = types.poll_third_party_jobs(partner_type()?).wait()?;
    let job = Text::from(jobs[0].job_id().unwrap());
    let client = Text::from(jobs[0].client_id().unwrap());
    let details = |client: &str| types.get_third_party_job(job.clone(), client).wait();
    world.refused(&errors::INVALID_CLIENT_TOKEN, "clientToken", || details("other"));
    let nonce = Text::from(details(&client)?.nonce().unwrap());
    types.acknowledge_third_party_job(job.clone(), client.clone(), nonce).wait()?;
    let revision = CurrentRevision::from_json(
        r#"{"revision": "abc", "changeIdentifier": "1", "revisionSummary": "Fix it"}"#,
    )?;
    types.put_third_party_job_success(job.clone(), client.clone()).current_revision(revision).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded"]);
    let source = executions(&session)?[0].source_revisions().unwrap()[0].clone();
    assert_eq!((source.revision_id(), source.revision_summary()), (Some("abc"), Some("Fix it")));
    world.refused(&errors::INVALID_JOB, "jobId", || details(&client));
    start(&session)?;
    let jobs = types.poll_third_party_jobs(partner_type()?).wait()?;
    let job = Text::from(jobs[0].job_id().unwrap());
    let client = Text::from(jobs[0].client_id().unwrap());
    let nonce = Text::from(types.get_third_party_job(job.clone(), client.clone()).wait()?.nonce().unwrap());
    types.acknowledge_third_party_job(job.clone(), client.clone(), nonce).wait()?;
    let failure = FailureDetails::from_json(r#"{"type": "SystemUnavailable", "message": "later"}"#)?;
    types.put_third_party_job_failure(job, client, failure).wait()?;
    assert_eq!(statuses(&session)?, ["Succeeded", "Failed"]);
    Ok(())
}

/// Action type of the partner.
fn partner_type() -> Result<ActionTypeId> {
    ActionTypeId::from_json(
        r#"{"category": "Source", "owner": "ThirdParty", "provider": "GitHub", "version": "1"}"#,
    )
}

pub(super) fn reported_revision_starts_an_execution(world: &World) -> Result<()> {
    let session = world.session();
    super::create(&session, "web")?;
    let pipelines = Pipeline::objects(&session);
    let revision = ActionRevision::from_json(
        r#"{"revisionId": "v9", "revisionChangeId": "9", "created": "2026-01-31T00:00:00Z"}"#,
    )?;
    let put = |stage: &str, action: &str| {
        pipelines.put_action_revision("web", stage, action, revision.clone()).wait()
    };
    let first = put("Source", "Fetch")?;
    assert_eq!(first.new_revision(), Some(true));
    let all = executions(&session)?;
    assert_eq!(all[1].pipeline_execution_id(), first.pipeline_execution_id());
    assert_eq!(all[1].trigger().unwrap().trigger_type(), Some(&TriggerType::PutActionRevision));
    assert_eq!(all[1].source_revisions().unwrap()[0].revision_id(), Some("v9"));
    let second = put("Source", "Fetch")?;
    assert_eq!(second.new_revision(), Some(false));
    assert_eq!(second.pipeline_execution_id(), first.pipeline_execution_id());
    world.refused(&errors::ACTION_NOT_FOUND, "actionName", || put("Source", "Pull"));
    world.refused(&errors::VALIDATION, "actionName", || put(BUILD_STAGE, "Compile"));
    Ok(())
}
