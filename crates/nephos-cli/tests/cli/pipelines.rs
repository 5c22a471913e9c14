//! `nephos pipeline show`: the stages, actions and executions of a pipeline as a tree and as a graph.

use crate::harness::{Program, assert_snapshot};
use nephos::{Cloud, Pipeline, prelude::*};

const PIPELINE: &str = r#"{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines",
    "artifactStore": {"type": "S3", "location": "artifacts"}, "stages": [
    {"name": "Source", "actions": [{"name": "Fetch", "outputArtifacts": [{"name": "source"}],
        "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
        "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"}}]},
    {"name": "Release", "actions": [{"name": "Ask",
        "actionTypeId": {"category": "Approval", "owner": "Provider", "provider": "Manual", "version": "1"}}]}]}"#;

/// A program with a pipeline whose approval waits.
fn program() -> Program {
    let clock = nephos::Clock::frozen("2026-01-31T12:00:00Z".parse().unwrap());
    let cloud = Cloud::options().clock(clock).seed(7).in_memory();
    let pipeline = Pipeline::from_json(PIPELINE).unwrap();
    Pipeline::objects(&cloud.session()).create(&pipeline).wait().unwrap();
    Program { cloud: Some(cloud), ..Program::new() }
}

#[test]
fn pipeline_is_drawn_with_its_executions() {
    let program = program();
    assert_snapshot!(program.transcript(&[
        "pipeline show web",
        "pipeline disable-transition web Release Inbound 'no releases on Saturdays'",
        "pipeline start-execution web",
        "pipeline show web",
        "pipeline show web --format dot",
        "pipeline show none",
    ]));
}

#[test]
fn pipeline_is_drawn_again_when_it_has_changed() {
    let program = program();
    let cloud = program.cloud.clone().unwrap();
    let disable = move || {
        let pipelines = Pipeline::objects(&cloud.session());
        pipelines.start_execution("web").wait().map(drop).unwrap();
    };
    *program.pauses.borrow_mut() = vec![Box::new(|| ()), Box::new(disable), Box::new(|| ())];
    let shown = program.run("pipeline show web --follow").out;
    assert_eq!(shown.matches("web  version 1").count(), 2, "{shown}");
    assert!(shown.contains("waiting: "), "{shown}");
}
