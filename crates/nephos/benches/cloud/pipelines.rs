//! Cost of executions of pipelines.

use super::{
    Sizes,
    measure::{Table, Target, alone, wall},
};
use nephos::{Cloud, Pipeline, SignedDuration, Transitions, prelude::*};

/// Number of executions that advance together.
const EXECUTIONS: usize = 1_000;

/// A pipeline of two stages: a source, and nine actions one after the other.
fn plan() -> Pipeline {
    let action = |n: usize| {
        format!(
            r#"{{"name": "Deploy{n}", "runOrder": {n}, "inputArtifacts": [{{"name": "source"}}],
                "configuration": {{"BucketName": "site", "Extract": "true"}},
                "actionTypeId": {{"category": "Deploy", "owner": "Provider", "provider": "S3", "version": "1"}}}}"#
        )
    };
    let actions: Vec<_> = (1..=9).map(action).collect();
    let json = format!(
        r#"{{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines", "pipelineType": "V2",
            "executionMode": "PARALLEL", "artifactStore": {{"type": "S3", "location": "artifacts"}}, "stages": [
            {{"name": "Source", "actions": [{{"name": "Fetch", "outputArtifacts": [{{"name": "source"}}],
                "actionTypeId": {{"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"}},
                "configuration": {{"S3Bucket": "sources", "S3ObjectKey": "web.zip"}}}}]}},
            {{"name": "Deploy", "actions": [{}]}}]}}"#,
        actions.join(",")
    );
    Pipeline::from_json(json).expect("the pipeline is valid")
}

/// Advances the clock until all executions have ended.
pub(crate) fn executions(table: &mut Table, sizes: &Sizes) {
    let cloud = Cloud::options().quotas(false).transitions(Transitions::Realistic).in_memory();
    let pipelines = Pipeline::objects(&cloud.session());
    pipelines.create(&plan()).wait().expect("the pipeline is new");
    for _ in 0..EXECUTIONS {
        pipelines.start_execution("web").wait().expect("the pipeline exists");
    }
    let advance = || {
        let cloud = cloud.fork().expect("the cloud can be forked");
        let advanced = wall(|| drop(cloud.clock().advance(SignedDuration::from_hours(1))));
        let state = Pipeline::objects(&cloud.session()).state("web").wait().expect("the pipeline exists");
        let stages = state.stage_states().unwrap_or_default();
        let status =
            stages.last().and_then(|stage| stage.latest_execution()).and_then(|latest| latest.status());
        assert_eq!(status.map(ToString::to_string).as_deref(), Some("Succeeded"));
        advanced
    };
    let what = format!("{EXECUTIONS} executions of ten actions advance to their end (wall)");
    table.alone(&what, alone(sizes.rounds.min(3), advance), Target::Below(2.0));
}
