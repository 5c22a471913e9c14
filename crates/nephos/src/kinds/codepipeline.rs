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
