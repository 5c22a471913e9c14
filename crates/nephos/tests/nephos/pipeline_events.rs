//! Events: rules start pipelines, and executions send events about their states.

use nephos::{
    Clock, Cloud, EventBus, EventRule, EventTarget, Pipeline, PipelineExecution, Repository, Session,
    SignedDuration, Timestamp,
    codepipeline::TriggerType,
    events::EventRuleBuilder,
    prelude::*,
    services::events::{ListRecentEvents, PutEventsRequestEntry},
};
use nephos_core::{Value, json};

const ROLE: &str = "arn:aws:iam::210987654321:role/pipelines";

const WEB: &str = r#"{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines", "pipelineType": "V2",
    "artifactStore": {"type": "S3", "location": "artifacts"}, "variables": [{"name": "colour", "defaultValue": "red"}], "stages": [
    {"name": "Source", "actions": [{"name": "Fetch", "outputArtifacts": [{"name": "source"}],
        "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
        "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"}}]},
    {"name": "Build", "actions": [{"name": "Compile", "inputArtifacts": [{"name": "source"}],
        "actionTypeId": {"category": "Build", "owner": "Provider", "provider": "CodeBuild", "version": "1"},
        "configuration": {"ProjectName": "web"}}]}]}"#;

fn cloud() -> Cloud {
    Cloud::options().clock(Clock::frozen(Timestamp::UNIX_EPOCH)).seed(1).own_events(true).in_memory()
}

/// Creates the pipeline `web`, and a rule whose target it is; without input, the pipeline gets the event.
fn create_pipeline_with_rule(session: &Session, rule: EventRuleBuilder, input: Option<&str>) {
    Pipeline::objects(session).create(&Pipeline::from_json(WEB).unwrap()).wait().unwrap();
    EventRule::objects(session).create(&rule.name("r").build().unwrap()).wait().unwrap();
    let target = EventTarget::builder().rule("r").id("web").input(input).role_arn(ROLE);
    let target = target.arn("arn:aws:codepipeline:us-east-1:123456789012:web").build().unwrap();
    EventTarget::objects(session).create(&target).wait().unwrap();
}

/// Executions that the rule started, the newest first. The creation of the pipeline started another one.
fn executions_by_rule(session: &Session) -> Vec<PipelineExecution> {
    let all = PipelineExecution::objects(session).list("web").results().all().wait().unwrap();
    let is_by_rule = |execution: &PipelineExecution| {
        let trigger = execution.trigger().unwrap();
        trigger.trigger_type() == Some(&TriggerType::CloudWatchEvent)
            && trigger.trigger_detail() == Some("arn:aws:events:us-east-1:123456789012:rule/r")
    };
    let (by_rule, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_by_rule);
    assert_eq!(others.len(), 1);
    by_rule
}

fn put_event(session: &Session) {
    let event =
        PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}").build().unwrap();
    EventBus::objects(session).put_events("default", vec![event]).strict(true).wait().unwrap();
}

#[test]
fn rule_starts_an_execution() {
    let cloud = cloud();
    let session = cloud.session();
    let input = r#"{"sourceRevisions": {"actionName": "Fetch", "revisionType": "S3_OBJECT_VERSION_ID", "revisionValue": "v3"},
        "variables": [{"name": "colour", "value": "blue"}]}"#;
    let rule = EventRule::builder().event_pattern(r#"{"source": ["shop"]}"#);
    create_pipeline_with_rule(&session, rule, Some(input));
    put_event(&session);
    let [execution] = &executions_by_rule(&session)[..] else { panic!("the rule started one execution") };
    assert_eq!(execution.source_revisions().unwrap()[0].revision_id(), Some("v3"));
    let id = execution.pipeline_execution_id().unwrap();
    let found = PipelineExecution::objects(&session).get("web", id).wait().unwrap().unwrap();
    assert_eq!(found.variables().unwrap()[0].resolved_value(), Some("blue"));
}

#[test]
fn schedule_starts_executions() {
    let cloud = cloud();
    let session = cloud.session();
    create_pipeline_with_rule(&session, EventRule::builder().schedule_expression("rate(1 hour)"), None);
    assert!(executions_by_rule(&session).is_empty());
    cloud.clock().advance(SignedDuration::from_hours(3)).unwrap();
    assert_eq!(executions_by_rule(&session).len(), 3);
}

#[test]
fn push_of_an_image_starts_an_execution() {
    let cloud = cloud();
    let session = cloud.session();
    let pattern = r#"{"source": ["aws.ecr"], "detail-type": ["ECR Image Action"],
        "detail": {"action-type": ["PUSH"], "repository-name": ["web"], "image-tag": ["live"]}}"#;
    create_pipeline_with_rule(&session, EventRule::builder().event_pattern(pattern), None);
    let web =
        r#"{"repositoryName": "web", "imageTagMutability": "MUTABLE", "imageScanningConfiguration": {}}"#;
    let repositories = Repository::objects(&session);
    repositories.create(&Repository::from_json(web).unwrap()).wait().unwrap();
    let manifest =
        r#"{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []}"#;
    for (tag, started) in [("test", 0), ("live", 1)] {
        repositories.put_image("web", manifest).image_tag(tag).wait().unwrap();
        assert_eq!(executions_by_rule(&session).len(), started, "{tag}");
    }
}

#[test]
fn executions_send_events() {
    let cloud = cloud();
    let session = cloud.session();
    Pipeline::objects(&session).create(&Pipeline::from_json(WEB).unwrap()).wait().unwrap();
    cloud.clock().advance(SignedDuration::ZERO).unwrap();
    let recent = cloud.control(ListRecentEvents::new()).unwrap();
    let events = recent
        .events()
        .unwrap()
        .iter()
        .map(|recent| json::parse(recent.event().unwrap().as_bytes()).unwrap());
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_text).map(ToString::to_string).unwrap_or_default()
    };
    let own = events.filter(|event| text(event, "source") == "aws.codepipeline");
    let own = own.filter(|event| text(event, "detail-type") != "AWS API Call via CloudTrail");
    let lines: Vec<String> = own
        .map(|event| {
            let detail = event.get("detail").unwrap();
            let kind = text(&event, "detail-type").split(' ').nth(1).unwrap().to_owned();
            format!("{kind} {}{} {}", text(detail, "stage"), text(detail, "action"), text(detail, "state"))
        })
        .collect();
    let expected = [
        "Pipeline  STARTED",
        "Stage Source STARTED",
        "Action SourceFetch STARTED",
        "Action SourceFetch SUCCEEDED",
        "Stage Source SUCCEEDED",
        "Stage Build STARTED",
        "Action BuildCompile STARTED",
        "Action BuildCompile SUCCEEDED",
        "Stage Build SUCCEEDED",
        "Pipeline  SUCCEEDED",
    ];
    assert_eq!(lines, expected);
}
