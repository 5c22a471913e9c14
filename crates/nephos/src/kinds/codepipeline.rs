//! Kinds of delivery pipelines.

/// Action type: what actions of pipelines run.
pub use crate::services::codepipeline::ActionType;
/// Delivery pipeline: stages of actions that a change passes through.
pub use crate::services::codepipeline::Pipeline;
