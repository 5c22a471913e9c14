//! Events: rules start pipelines, and executions send events about their states.

#![expect(clippy::unwrap_used, reason = "a failure fails the test")]

use nephos::{
    Clock, Cloud, EventBus, EventRule, EventTarget, Pipeline, PipelineExecution, Session, SignedDuration,
    Timestamp,
    codepipeline::TriggerType,
    prelude::*,
    services::events::{ListRecentEvents, PutEventsRequestEntry},
};
use nephos_core::{Value, json};

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

/// Creates a rule whose target is the pipeline `web`, with an input.
fn create_rule(session: &Session, input: &str) {
    let rule = EventRule::builder().name("r").event_pattern(r#"{"source": ["shop"]}"#).build().unwrap();
    EventRule::objects(session).create(&rule).wait().unwrap();
    let target = EventTarget::builder().rule("r").id("web").input(input);
    let target = target.arn("arn:aws:codepipeline:us-east-1:123456789012:web").build().unwrap();
    EventTarget::objects(session).create(&target).wait().unwrap();
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
    Pipeline::objects(&session).create(&Pipeline::from_json(WEB).unwrap()).wait().unwrap();
    let input = r#"{"sourceRevisions": {"actionName": "Fetch", "revisionType": "S3_OBJECT_VERSION_ID", "revisionValue": "v3"},
        "variables": [{"name": "colour", "value": "blue"}]}"#;
    create_rule(&session, input);
    put_event(&session);
    let all = PipelineExecution::objects(&session).list("web").results().all().wait().unwrap();
    assert_eq!(all.len(), 2);
    let trigger = all[0].trigger().unwrap();
    assert_eq!(trigger.trigger_type(), Some(&TriggerType::CloudWatchEvent));
    assert_eq!(trigger.trigger_detail(), Some("arn:aws:events:us-east-1:123456789012:rule/r"));
    assert_eq!(all[0].source_revisions().unwrap()[0].revision_id(), Some("v3"));
    let id = all[0].pipeline_execution_id().unwrap();
    let found = PipelineExecution::objects(&session).get("web", id).wait().unwrap().unwrap();
    assert_eq!(found.variables().unwrap()[0].resolved_value(), Some("blue"));
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
