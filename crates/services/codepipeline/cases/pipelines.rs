//! Cases: pipelines and their versions.

use super::{World, create, existing, plan};
use nephos_codepipeline::{ExecutionMode, Pipeline, PipelineExecution, PipelineType, errors};
use nephos_core::{Result, Tag, prelude::*};

pub(super) fn created_pipeline_is_returned_by_get(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let created = pipelines.create(&plan("web", &[])?).tags(vec![Tag::new("team", "web")]).wait()?;
    assert_eq!(created.pipeline_arn(), Some("arn:aws:codepipeline:us-east-1:123456789012:web"));
    assert_eq!(created.version(), Some(1));
    assert_eq!(created.tags(), Some(&[Tag::new("team", "web")][..]));
    assert_eq!(created.created(), created.updated());
    assert_eq!(existing(&session, "web")?, created);
    pipelines.delete("web").wait()?;
    assert!(pipelines.get("web").wait()?.is_none());
    // The service deletes a pipeline that does not exist.
    pipelines.delete("web").wait()
}

pub(super) fn defaults_are_filled_in(world: &World) -> Result<()> {
    let created = create(&world.session(), "web")?;
    assert_eq!(created.execution_mode(), Some(&ExecutionMode::Superseded));
    assert_eq!(created.pipeline_type(), Some(&PipelineType::V1));
    let source = &created.stages().unwrap()[0].actions().unwrap()[0];
    assert_eq!(source.run_order(), Some(1));
    assert_eq!(source.input_artifacts().map(<[_]>::len), Some(0));
    Ok(())
}

pub(super) fn duplicate_name_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let refused = world.refused(&errors::NAME_IN_USE, "pipeline.name", || create(&session, "web"));
    assert_eq!(
        refused.wire_message(),
        "A pipeline with the name 'web' already exists in account '123456789012'"
    );
    Ok(())
}

pub(super) fn missing_pipeline_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let update = || Pipeline::objects(&session).update(&plan("api", &[])?).wait();
    let refused = world.refused(&errors::PIPELINE_NOT_FOUND, "name", update);
    assert_eq!(refused.wire_message(), "Account '123456789012' does not have a pipeline with name 'api'");
    Ok(())
}

pub(super) fn earlier_versions_are_kept(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let first = create(&session, "web")?;
    let mut changed = first.clone();
    changed.set_pipeline_type(PipelineType::V2)?;
    changed.set_execution_mode(ExecutionMode::Queued)?;
    let second = pipelines.update(&changed).wait()?;
    assert_eq!((second.version(), second.execution_mode()), (Some(2), Some(&ExecutionMode::Queued)));
    let earlier = pipelines.get("web").version(1).wait()?.unwrap();
    assert_eq!((earlier.version(), earlier.execution_mode()), (Some(1), Some(&ExecutionMode::Superseded)));
    assert_eq!(pipelines.get("web").version(2).wait()?, Some(second));
    assert!(pipelines.get("web").version(3).wait()?.is_none());
    pipelines.delete("web").wait()?;
    assert_eq!(create(&session, "web")?.version(), Some(1));
    assert!(pipelines.get("web").version(2).wait()?.is_none());
    Ok(())
}

pub(super) fn save_sends_what_changed(world: &World) -> Result<()> {
    let session = world.session();
    let mut web = create(&session, "web")?;
    web.save().wait()?;
    assert_eq!(web.version(), Some(1), "nothing changed");
    web.set_role_arn("arn:aws:iam::210987654321:role/other")?;
    web.tags_mut().wait()?.insert("team", "web")?;
    web.save().wait()?;
    assert_eq!(web.version(), Some(2));
    let found = existing(&session, "web")?;
    assert_eq!(found.role_arn(), Some("arn:aws:iam::210987654321:role/other"));
    assert_eq!(found.tags(), Some(&[Tag::new("team", "web")][..]));
    Ok(())
}

pub(super) fn version_of_a_caller_is_not_used(world: &World) -> Result<()> {
    let session = world.session();
    let mut plan = plan("web", &[])?;
    plan.set_version(7)?;
    let mut web = Pipeline::objects(&session).create(&plan).wait()?;
    assert_eq!(web.version(), Some(1));
    web.set_version(9)?;
    web.save().wait()?;
    assert_eq!(web.version(), Some(1), "nothing else changed");
    Ok(())
}

pub(super) fn executions_have_no_names(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let execution = PipelineExecution::objects(&session).list("web").results().first().wait()?.unwrap();
    let error = execution.name().unwrap_err();
    assert!(error.is_value_error() && error.field() == Some("name"), "{error}");
    assert!(execution.pipeline_execution_id().is_some());
    Ok(())
}

pub(super) fn pipelines_are_listed_by_name(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["web", "api", "jobs"] {
        create(&session, name)?;
    }
    let all = Pipeline::objects(&session).list().max_results(2).results().all().wait()?;
    let names: Vec<_> = all.iter().map(|pipeline| pipeline.name().unwrap()).collect();
    assert_eq!(names, [Some("api"), Some("jobs"), Some("web")]);
    assert_eq!(all[0].version(), Some(1));
    Ok(())
}

/// A source of GitHub, with a token.
const GITHUB: &[(&str, &str)] = &[
    (r#""owner": "Provider", "provider": "S3""#, r#""owner": "ThirdParty", "provider": "GitHub""#),
    (
        r#""S3Bucket": "sources", "S3ObjectKey": "web.zip""#,
        r#""Owner": "acme", "Repo": "web", "Branch": "main", "OAuthToken": "hunter2""#,
    ),
];

pub(super) fn secrets_are_masked_and_kept(world: &World) -> Result<()> {
    let session = world.session();
    let token = |pipeline: &Pipeline| {
        let action = &pipeline.stages().unwrap()[0].actions().unwrap()[0];
        action.configuration().unwrap().get("OAuthToken").unwrap().to_string()
    };
    let mut web = Pipeline::objects(&session).create(&plan("web", GITHUB)?).wait()?;
    assert_eq!(token(&web), "****");
    web.set_role_arn("arn:aws:iam::210987654321:role/other")?;
    web.save().wait()?;
    assert_eq!(token(&existing(&session, "web")?), "****");
    Ok(())
}
