//! Delivery pipelines and their executions, action types and webhooks.
//!
//! ```
//! use nephos::{Cloud, Pipeline, codepipeline::PipelineType, prelude::*};
//!
//! let pipelines = Pipeline::objects(&Cloud::in_memory().session());
//! let pipeline = Pipeline::from_json(
//!     r#"{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines",
//!     "artifactStore": {"type": "S3", "location": "artifacts"}, "stages": [
//!     {"name": "Source", "actions": [{"name": "Fetch", "outputArtifacts": [{"name": "source"}],
//!         "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
//!         "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"}}]},
//!     {"name": "Release", "actions": [{"name": "Ask",
//!         "actionTypeId": {"category": "Approval", "owner": "Provider", "provider": "Manual", "version": "1"}}]}]}"#,
//! )?;
//! let mut pipeline = pipelines.create(&pipeline).wait()?;
//! pipeline.set_pipeline_type(PipelineType::V2)?;
//! pipeline.save().wait()?;
//! assert_eq!(pipeline.version(), Some(2));
//! assert_eq!(pipelines.get("web").version(1).wait()?.unwrap().pipeline_type(), Some(&PipelineType::V1));
//! # Ok::<(), nephos::Error>(())
//! ```

#[doc(hidden)]
pub mod access;
mod action_type;
pub mod errors;
pub mod execution;
mod job;
mod paging;
mod pipeline;
mod rule;
mod structure;
mod tagging;
mod views;
mod webhook;

pub use action_type::*;
pub use execution::*;
pub use job::*;
pub use pipeline::*;
pub use rule::*;
pub use tagging::*;
pub use webhook::*;

use nephos_core::shape::{Protocol, TagNames};

nephos_cloud::parts! {
    filter: webhook::filter,
}

nephos_cloud::service! {
    CODEPIPELINE = "codepipeline", "Delivery pipelines and their executions, action types and webhooks.";
    shape {
        api_version: "2015-07-09",
        protocol: Protocol::AwsJson { target: "CodePipeline_20150709.", version: "1.1", message: "message" },
        shows_values: false,
        tag_names: TagNames::LowerCase,
        invalid: &errors::VALIDATION,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}"])],
    }
    kinds { Pipeline, PipelineExecution, ActionType }
    operations {
        CreatePipeline, GetPipeline, ListPipelines, UpdatePipeline, DeletePipeline,
        StartPipelineExecution, StopPipelineExecution, GetPipelineExecution, ListPipelineExecutions, ListActionExecutions,
        GetPipelineState, EnableStageTransition, DisableStageTransition, PutApprovalResult, RetryStageExecution, RollbackStage,
        OverrideStageCondition, ListRuleExecutions, ListRuleTypes, PutActionRevision,
        PollForJobs, AcknowledgeJob, GetJobDetails, PutJobSuccessResult, PutJobFailureResult,
        PollForThirdPartyJobs, AcknowledgeThirdPartyJob, GetThirdPartyJobDetails, PutThirdPartyJobSuccessResult,
        PutThirdPartyJobFailureResult,
        CreateCustomActionType, DeleteCustomActionType, ListActionTypes, GetActionType, UpdateActionType,
        PutWebhook, ListWebhooks, DeleteWebhook, RegisterWebhookWithThirdParty, DeregisterWebhookWithThirdParty,
        TagResource, UntagResource, ListTagsForResource,
    }
    calls { PipelineCreate, PipelineGet, PipelineUpdate, PipelineStopExecution, PipelineTag, PipelineUntag, PipelineListTags, ActionTypeGet, ActionTypeUpdate }
    controls { "pipeline-actions" => SetPipelineActions }
    views { views::SHOW }
    works { execution::CompleteAction, execution::ExpireApproval }
    tables {
        Pipeline, pipeline::VersionRow, pipeline::ActionSecretsRow, action_type::CustomTypeRow, webhook::WebhookRow,
        execution::ExecutionRow, execution::ExecutionIdRow, execution::LiveExecutionRow, execution::StageRow,
        execution::ActionRunRow, execution::LatestRunRow, execution::RuleRunRow, execution::ActionOutcomeRow, job::JobRow, job::QueuedJobRow,
    }
    access {
        find_resource: Some(access::find_resource),
    }
    event_targets { "" needs "codepipeline:StartPipelineExecution" => execution::event_target::put }
    tagged { tagging::TAGGED }
    http { webhook::FRONT }
}
