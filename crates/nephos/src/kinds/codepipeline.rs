//! Kinds of delivery pipelines.

/// Action type: what actions of pipelines run.
///
/// ```
/// # use nephos::{ActionType, Cloud, codepipeline::{ActionCategory, ActionOwner}, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let types = ActionType::objects(&session);
/// let found = types.get(ActionCategory::Build, ActionOwner::Provider, "CodeBuild", "1").wait()?.unwrap();
/// assert_eq!(found.input_artifact_details().unwrap().maximum_count(), Some(5));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::codepipeline::ActionType;
/// Delivery pipeline: stages of actions that a change passes through.
///
/// ```
/// # use nephos::{Cloud, Pipeline, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let pipelines = Pipeline::objects(&session);
/// let web = Pipeline::builder().name("web").role_arn("arn:aws:iam::123456789012:role/pipelines").build()?;
/// // A pipeline needs stages.
/// assert!(pipelines.create(&web).wait().is_err());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::codepipeline::Pipeline;
/// Execution of a pipeline: a change on its way through the stages.
///
/// ```
/// # use nephos::{Cloud, Pipeline, PipelineExecution, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let web = Pipeline::from_json(
/// #     r#"{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines",
/// #     "artifactStore": {"type": "S3", "location": "artifacts"}, "stages": [
/// #     {"name": "Source", "actions": [{"name": "Fetch", "outputArtifacts": [{"name": "source"}],
/// #         "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
/// #         "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"}}]},
/// #     {"name": "Build", "actions": [{"name": "Compile", "inputArtifacts": [{"name": "source"}],
/// #         "actionTypeId": {"category": "Build", "owner": "Provider", "provider": "CodeBuild", "version": "1"},
/// #         "configuration": {"ProjectName": "web"}}]}]}"#,
/// # )?;
/// let web = Pipeline::objects(&session).create(&web).wait()?;
/// let id = web.start_execution().wait()?;
/// let execution = PipelineExecution::objects(&session).get("web", id).wait()?.expect("it exists");
/// assert_eq!(execution.status().map(ToString::to_string).as_deref(), Some("Succeeded"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::codepipeline::PipelineExecution;
