//! Facts about the kinds of the service for the laws over all kinds.

use nephos_codepipeline::{ActionOwner, ActionType, Pipeline, PipelineExecution, WebhookDefinition};
use nephos_core::{Record, Result, Session};
use nephos_testing::{FilledResource, KindFacts, LawFacts, RemainingRows, Step};

/// A webhook of the second example.
const WEBHOOK: &str = r#"{"name": "push", "targetPipeline": "web", "targetAction": "Fetch", "filters": [{"jsonPath": "$.ref"}],
    "authentication": "UNAUTHENTICATED", "authenticationConfiguration": {}}"#;

/// Every change makes a new version.
const VERSION: &[&str] = &["version"];

const PIPELINE: KindFacts = KindFacts {
    examples: &[
        r#"{"name": "api", "roleArn": "$Role.Arn", "artifactStore": {"type": "S3", "location": "artifacts"}, "stages": [
        {"name": "Source", "actions": [{"name": "Fetch", "runOrder": 1, "inputArtifacts": [], "outputArtifacts": [{"name": "source"}],
            "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
            "configuration": {"S3Bucket": "sources", "S3ObjectKey": "api.zip"}}]},
        {"name": "Build", "actions": [{"name": "Compile", "runOrder": 1, "inputArtifacts": [{"name": "source"}], "outputArtifacts": [],
            "actionTypeId": {"category": "Build", "owner": "Provider", "provider": "CodeBuild", "version": "1"},
            "configuration": {"ProjectName": "api"}}]}]}"#,
        r#"{"name": "web", "roleArn": "$Role.Arn", "pipelineType": "V2", "executionMode": "QUEUED",
        "artifactStores": {"us-east-1": {"type": "S3", "location": "artifacts"}}, "variables": [{"name": "v", "defaultValue": "1"}],
        "triggers": [{"providerType": "CodeStarSourceConnection", "gitConfiguration": {"sourceActionName": "Fetch"}}],
        "Tags": [{"Key": "team", "Value": "web"}], "stages": [
        {"name": "Source", "actions": [{"name": "Fetch", "runOrder": 1, "inputArtifacts": [], "outputArtifacts": [{"name": "source"}],
            "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "CodeStarSourceConnection", "version": "1"},
            "configuration": {"ConnectionArn": "c", "FullRepositoryId": "acme/web", "BranchName": "main"}}]},
        {"name": "Build", "actions": [{"name": "Call", "runOrder": 1, "inputArtifacts": [], "outputArtifacts": [],
            "configuration": {"FunctionName": "build"},
            "actionTypeId": {"category": "Invoke", "owner": "Provider", "provider": "Lambda", "version": "1"}}]}]}"#,
    ],
    changes: &[
        r#"{"pipelineType": "V2"}"#,
        r#"{"pipelineType": "V2", "executionMode": "PARALLEL"}"#,
        r#"{"pipelineType": "V2", "variables": [{"name": "w"}]}"#,
        r#"{"roleArn": "arn:aws:iam::210987654321:role/other"}"#,
        r#"{"artifactStore": {"type": "S3", "location": "other"}}"#,
        r#"{"artifactStores": {"us-east-1": {"type": "S3", "location": "other"}}}"#,
        r#"{"triggers": [{"providerType": "CodeStarSourceConnection", "gitConfiguration": {"sourceActionName": "Fetch",
        "push": [{"branches": {"includes": ["main"]}}]}}]}"#,
    ],
    page_items: &[
        Step::last("start_execution", "{}"),
        Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
        Step::last(
            "put_webhook",
            r#"{"webhook": {"name": "one", "targetPipeline": "web", "targetAction": "Fetch",
            "filters": [{"jsonPath": "$.ref"}], "authentication": "UNAUTHENTICATED", "authenticationConfiguration": {}}}"#,
        ),
        Step::last(
            "put_webhook",
            r#"{"webhook": {"name": "two", "targetPipeline": "web", "targetAction": "Fetch",
            "filters": [{"jsonPath": "$.ref"}], "authentication": "UNAUTHENTICATED", "authenticationConfiguration": {}}}"#,
        ),
    ],
    calls_without_resource: &[
        "put_webhook",
        "list_webhooks",
        "delete_webhook",
        "register_webhook",
        "deregister_webhook",
    ],
    dependent_fields: &[
        ("roleArn", VERSION),
        ("artifactStore", VERSION),
        ("artifactStores", VERSION),
        ("stages", VERSION),
        ("executionMode", VERSION),
        ("pipelineType", VERSION),
        ("variables", VERSION),
        ("triggers", VERSION),
    ],
    not_returned: &["version"],
    never_changed: &[("version", "the service counts the versions")],
    idempotent_delete: true,
    ..KindFacts::of::<Pipeline>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    unchecked_references: &[(
        &[
            "Pipeline enable_transition pipelineName",
            "Pipeline disable_transition pipelineName",
            "Pipeline put_approval_result pipelineName",
            "Pipeline put_action_revision pipelineName",
        ],
        "needs a stage, and some an execution",
    )],
    kinds: &[
        PIPELINE,
        KindFacts::excluded::<PipelineExecution>(
            "executions are started by calls of pipelines, end by themselves, and are deleted with their pipeline",
        ),
        KindFacts::excluded::<ActionType>(
            "the provider's types are in every listing, and a deleted type is kept: cases test the calls",
        ),
    ],
    page_parameters: &[
        ("ListTagsForResource", r#"{"resourceArn": "$Pipeline.pipelineArn"}"#),
        ("ListPipelineExecutions", r#"{"pipelineName": "$Pipeline.name"}"#),
        ("ListActionExecutions", r#"{"pipelineName": "$Pipeline.name"}"#),
    ],
    unpaged: &[(
        "ListRuleExecutions",
        "the examples have no conditions; its pages are those of ListActionExecutions",
    )],
    subject_parts: &[("webhook:", "", "webhooks are no kind; the name of a pipeline stands for theirs")],
    unreachable: &[(
        &["codepipeline UpdateActionType", "ActionType update"],
        "only owners of types for customers can update them, and the provider gives none here",
    )],
    random_answers: &[
        (&["codepipeline PutWebhook", "Pipeline put_webhook"], "the address of a webhook is random"),
        (
            &["codepipeline StartPipelineExecution", "Pipeline start_execution"],
            "the ID of an execution is random",
        ),
    ],
    timed_tables: &[
        ("codepipeline/execution", "an execution has the time at which its last action ended"),
        ("codepipeline/action-run", "a run has the time at which it ended"),
        ("codepipeline/job", "a job has the time at which its action started"),
        ("codepipeline/queued-job", "a job has the time at which its action started"),
        ("codepipeline/rule-run", "a run has the time at which it ended"),
        ("codepipeline/latest-run", "a revision has the time at which it was fetched"),
    ],
    remaining_rows: &[(
        RemainingRows::Table("codepipeline/custom-action-type"),
        "a deleted action type is kept, because its version cannot be used for another definition",
    )],
    clean_up: delete_webhooks_and_types,
    fill_tables,
    ..LawFacts::of(&nephos_codepipeline::SERVICE)
};

/// Adds a webhook of an example, a custom action type, and an earlier version of an example.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    let pipelines = Pipeline::objects(session);
    pipelines.put_webhook(WebhookDefinition::from_json(WEBHOOK)?).wait()?;
    let custom = ActionType::from_json(
        r#"{"id": {"category": "Build", "owner": "Custom", "provider": "Jenkins", "version": "1"},
        "inputArtifactDetails": {"minimumCount": 0, "maximumCount": 5},
        "outputArtifactDetails": {"minimumCount": 0, "maximumCount": 5}}"#,
    )?;
    ActionType::objects(session).create(&custom).wait()?;
    Ok(Vec::new())
}

fn delete_webhooks_and_types(session: &Session) -> Result<()> {
    let pipelines = Pipeline::objects(session);
    for webhook in pipelines.list_webhooks().wait()? {
        let name =
            webhook.definition().and_then(|definition| definition.name()).unwrap_or_default().to_owned();
        pipelines.delete_webhook(name).wait()?;
    }
    let types = ActionType::objects(session);
    for custom in types.list().action_owner_filter(ActionOwner::Custom).results().all().wait()? {
        let Some(id) = custom.id() else { continue };
        let (Some(category), Some(provider), Some(version)) = (id.category(), id.provider(), id.version())
        else {
            continue;
        };
        types.delete(category.clone(), provider, version).wait()?;
    }
    Ok(())
}
