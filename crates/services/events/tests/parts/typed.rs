//! Sample events of each known type.

use nephos_core::{Result, Value};
use nephos_events::typed::*;

const CREATE: &str = r#"{
    "version": "0", "id": "1", "detail-type": "AWS API Call via CloudTrail", "source": "aws.events",
    "account": "123456789012", "time": "2026-01-31T12:00:00Z", "region": "us-east-1", "resources": [],
    "detail": {
        "eventVersion": "1.11", "eventTime": "2026-01-31T12:00:00Z", "eventSource": "events.amazonaws.com",
        "eventName": "NAME", "awsRegion": "us-east-1", "readOnly": false, "unknown": 1,
        "userIdentity": {"type": "Root", "arn": "arn:aws:iam::123456789012:root"},
        "requestParameters": PARAMETERS, "responseElements": null
    }
}"#;

fn event(source: &str, detail_type: &str, detail: &str) -> Result<TypedEvent> {
    TypedEvent::parse(&format!(
        r#"{{"source": "{source}", "detail-type": "{detail_type}", "time": "2026-01-31T12:00:00Z", "detail": {detail}}}"#
    ))
}

fn api_call(name: &str, parameters: &str) -> TypedEvent {
    TypedEvent::parse(&CREATE.replace("NAME", name).replace("PARAMETERS", parameters)).unwrap()
}

#[test]
fn samples_have_types_and_lines() {
    let samples = [
        (
            "aws.ecr",
            "ECR Referrer Action",
            r#"{"action-type": "PUSH", "repository-name": "web", "result": "SUCCESS", "image-digest": "sha256:1"}"#,
            "PUSH of web@sha256:1: SUCCESS",
        ),
        (
            "aws.ecr",
            "ECR Image Scan",
            r#"{"repository-name": "web", "scan-status": "COMPLETE", "image-tags": ["a", "b"],
                "finding-severity-counts": {"CRITICAL": 10, "LOW": 1}}"#,
            "web:a, b: COMPLETE, CRITICAL 10, LOW 1",
        ),
        (
            "aws.ecr",
            "ECR Pull Through Cache Action",
            r#"{"sync-status": "FAILED", "ecr-repository-prefix": "hub", "repository-name": "hub/web",
                "upstream-registry-url": "registry-1.docker.io", "image-tag": "v1", "failure-reason": "no\nway"}"#,
            "hub/web:v1 from registry-1.docker.io: FAILED, no way",
        ),
        (
            "aws.ecr",
            "ECR Replication Action",
            r#"{"action-type": "PUSH", "image-digest": "sha256:1", "image-tag": "v1", "repository-name": "web",
                "result": "SUCCESS", "source-account": "210987654321", "source-region": "eu-west-1"}"#,
            "PUSH of web:v1 from 210987654321/eu-west-1: SUCCESS",
        ),
        (
            "aws.ecr",
            "ECR Scan Resource Change",
            r#"{"action-type": "SCAN_FREQUENCY_CHANGE", "resource-type": "REPOSITORY", "scan-type": "ENHANCED",
                "repositories": [{"repository-name": "web", "scan-frequency": "MANUAL"}]}"#,
            "SCAN_FREQUENCY_CHANGE of REPOSITORY to ENHANCED",
        ),
        (
            "aws.codepipeline",
            "CodePipeline Pipeline Execution State Change",
            r#"{"pipeline": "deploy", "execution-id": "01", "state": "STARTED", "version": 3.0,
                "start-time": "2023-10-26T13:49:39.208Z",
                "execution-trigger": {"trigger-type": "StartPipelineExecution", "trigger-detail": "me"}}"#,
            "deploy 01: STARTED",
        ),
        (
            "aws.codepipeline",
            "CodePipeline Stage Execution State Change",
            r#"{"pipeline": "deploy", "execution-id": "01", "state": "FAILED", "version": "3", "stage": "Prod"}"#,
            "deploy 01, stage Prod: FAILED",
        ),
        (
            "aws.codepipeline",
            "CodePipeline Action Execution State Change",
            r#"{"pipeline": "deploy", "execution-id": "01", "state": "STARTED", "version": 3, "stage": "Prod",
                "action": "build", "region": "us-west-2",
                "type": {"category": "Build", "owner": "AWS", "provider": "CodeBuild", "version": "1"},
                "output-artifacts": [{"name": "a", "s3location": {"bucket": "b", "key": "k"}}]}"#,
            "deploy 01, stage Prod, action build: STARTED",
        ),
        (
            "aws.elasticache",
            "Cache Created",
            r#"{"SourceIdentifier": "sessions", "Message": "Cache sessions is created.", "SourceType": "SERVERLESS-CACHE"}"#,
            "sessions: Cache sessions is created.",
        ),
        (
            "aws.schemas",
            "Schema Created",
            r#"{"SchemaName": "order", "RegistryName": "shop", "Version": "1", "CreationDate": "2026-01-31T12:00:00Z"}"#,
            "order in shop, version 1",
        ),
    ];
    for (source, detail_type, detail, line) in samples {
        let event = event(source, detail_type, detail).unwrap();
        assert!(event.detail().record().is_some(), "{detail_type}");
        assert_eq!(event.to_string(), format!("2026-01-31T12:00:00Z {source} {detail_type}: {line}"));
    }
    let scheduled = event("aws.events", "Scheduled Event", "{}").unwrap();
    assert_eq!(scheduled.to_string(), "2026-01-31T12:00:00Z aws.events Scheduled Event");
}

#[test]
fn nested_members_are_typed() {
    let detail = r#"{"action-type": "A", "resource-type": "R", "scan-type": "BASIC", "more": [1],
        "repositories": [{"repository-name": "web", "scan-frequency": "MANUAL"}]}"#;
    let event = event("aws.ecr", "ECR Scan Resource Change", detail).unwrap();
    let EventDetail::EcrScanResourceChange(change) = event.detail() else { panic!("{event:?}") };
    assert_eq!(change.repositories().unwrap()[0].repository_name(), Some("web"));
    assert!(event.raw()["detail"].get("more").is_some(), "unknown members are in the raw event");
}

#[test]
fn other_events_are_maps() {
    for (source, detail_type) in
        [("shop", "ECR Image Action"), ("aws.ecr", "Order"), ("aws.ecs", "ECS Task State Change")]
    {
        let event = event(source, detail_type, r#"{"a": 1}"#).unwrap();
        let EventDetail::Other(detail) = event.detail() else { panic!("{event:?}") };
        assert_eq!(detail.get("a").and_then(Value::as_int), Some(1));
        assert_eq!(event.to_string(), format!("2026-01-31T12:00:00Z {source} {detail_type}"));
    }
}

#[test]
fn malformed_events_are_refused() {
    for event in [
        "",
        "[]",
        "{}",
        r#"{"source": "a", "detail-type": "b"}"#,
        r#"{"source": 1, "detail-type": "b", "detail": {}}"#,
    ] {
        assert!(TypedEvent::parse(event).is_err(), "{event}");
    }
    let missing =
        event("aws.ecr", "ECR Image Action", r#"{"action-type": "PUSH", "result": "SUCCESS"}"#).unwrap_err();
    assert!(missing.to_string().contains("repository-name"), "{missing}");
}

#[test]
fn requests_of_api_calls_are_typed_by_their_operation() {
    static REGISTRY: nephos_core::Registry = nephos_core::Registry { services: &[&nephos_events::SERVICE] };
    let parse = |name: &str, parameters: &str, strict: bool| {
        let event = api_call(name, parameters);
        let EventDetail::ApiCall(call) = event.detail() else { panic!("{event:?}") };
        call.parsed_request(&REGISTRY, strict)
    };
    assert_eq!(
        api_call("PutRule", "{}").to_string(),
        "2026-01-31T12:00:00Z aws.events AWS API Call via CloudTrail: PutRule by arn:aws:iam::123456789012:root"
    );
    let targets = r#"{"rule": "orders", "targets": [{"id": "1", "arn": "arn:aws:sqs:us-east-1:1:q",
        "inputTransformer": {"inputTemplate": "\"x\""}}]}"#;
    let parsed = parse("PutTargets", targets, true).unwrap();
    assert_eq!(parsed.get("Rule").unwrap(), "orders".into());
    assert_eq!(parsed.get("Targets[0].InputTransformer.InputTemplate").unwrap(), "\"x\"".into());
    assert!(parsed.params().is_some());

    let unknown = r#"{"name": "orders", "colour": "red"}"#;
    assert!(parse("DeleteRule", unknown, false).unwrap().params().is_some());
    assert!(parse("DeleteRule", unknown, true).is_err());
    for (name, parameters) in
        [("MakeCoffee", r#"{"size": 1}"#), ("DeleteRule", "{}"), ("DeleteRule", r#"{"name": 1}"#)]
    {
        assert!(parse(name, parameters, true).is_err(), "{name} {parameters}");
        assert!(parse(name, parameters, false).unwrap().params().is_none(), "{name} {parameters}");
    }
    assert_eq!(parse("MakeCoffee", r#"{"size": 1}"#, false).unwrap().get("size").unwrap(), 1_i64.into());
}
