//! Details of known events.

use nephos_core::{Map, Record, Text, Timestamp, Value};

/// Defines records with the names of members as events have them.
macro_rules! records {
    ($($(#[doc = $docs:literal])+ $name:ident {
        $($(#[doc = $field_docs:literal])+ $member:literal $field:ident: $ty:ident $(<$of:ident>)? $(, $required:ident)?;)*
    })+) => {$(
        $(#[doc = $docs])+
        #[derive(Record)]
        pub struct $name {
            $($(#[doc = $field_docs])+ #[field(name = $member $(, $required)?)] $field: Option<$ty $(<$of>)?>,)*
        }
    )+};
}

records! {
    /// A call of an operation.
    ApiCall {
        /// Version of the form of these events.
        "eventVersion" event_version: Text, required;
        /// Time of the call.
        "eventTime" event_time: Timestamp, required;
        /// Service of the operation: `elasticloadbalancing.amazonaws.com`.
        "eventSource" event_source: Text, required;
        /// Name of the operation.
        "eventName" event_name: Text, required;
        /// Region of the call.
        "awsRegion" aws_region: Text, required;
        /// Caller.
        "userIdentity" user_identity: UserIdentity;
        /// Address of the client.
        "sourceIPAddress" source_ip_address: Text;
        /// Software of the client.
        "userAgent" user_agent: Text;
        /// Parameters of the call. The names of members can begin with small letters.
        "requestParameters" request_parameters: Value;
        /// Answer of the call.
        "responseElements" response_elements: Value;
        /// ID of the request.
        "requestID" request_id: Text;
        /// ID of the event in the trail.
        "eventID" event_id: Text;
        /// True if the operation only reads.
        "readOnly" read_only: bool;
        /// Resources of the call.
        "resources" resources: Value;
        /// Type of the event in the trail: `AwsApiCall`.
        "eventType" event_type: Text;
        /// Version of the API.
        "apiVersion" api_version: Text;
        /// True for operations on resources, and not on data.
        "managementEvent" management_event: bool;
        /// Account that receives the event.
        "recipientAccountId" recipient_account_id: Text;
        /// Category of the event in the trail: `Management`.
        "eventCategory" event_category: Text;
        /// Encryption of the connection.
        "tlsDetails" tls_details: Value;
        /// True, as a text, if the call was made in the web console.
        "sessionCredentialFromConsole" session_credential_from_console: Value;
    }

    /// Caller of an operation.
    UserIdentity {
        /// Type of the caller: `Root`, `IAMUser`, `AssumedRole`.
        "type" r#type: Text;
        /// Unique ID of the caller.
        "principalId" principal_id: Text;
        /// ARN of the caller.
        "arn" arn: Text;
        /// Account of the caller.
        "accountId" account_id: Text;
        /// ID of the access key.
        "accessKeyId" access_key_id: Text;
        /// Name of the user.
        "userName" user_name: Text;
        /// Service that made the call for the caller.
        "invokedBy" invoked_by: Text;
        /// The session, and the role that issued it.
        "sessionContext" session_context: Value;
    }

    /// An action on an image.
    EcrImageAction {
        /// Action: `PUSH` or `DELETE`.
        "action-type" action_type: Text, required;
        /// Name of the repository.
        "repository-name" repository_name: Text, required;
        /// Result: `SUCCESS` or `FAILURE`.
        "result" result: Text, required;
        /// Digest of the image.
        "image-digest" image_digest: Text;
        /// Tag of the image.
        "image-tag" image_tag: Text;
        /// Media type of the manifest.
        "manifest-media-type" manifest_media_type: Text;
        /// Media type of the artifact.
        "artifact-media-type" artifact_media_type: Text;
    }

    /// A scan of an image.
    EcrImageScan {
        /// Name of the repository.
        "repository-name" repository_name: Text, required;
        /// State of the scan: `COMPLETE` or `FAILED`.
        "scan-status" scan_status: Text, required;
        /// Digest of the image.
        "image-digest" image_digest: Text;
        /// Tags of the image.
        "image-tags" image_tags: Vec<Text>;
        /// Numbers of findings by severity.
        "finding-severity-counts" finding_severity_counts: Map<Value>;
    }

    /// A pull of an image from another registry.
    EcrPullThroughCacheAction {
        /// State of the pull: `SUCCESS` or `FAILED`.
        "sync-status" sync_status: Text, required;
        /// Prefix of repositories of the other registry.
        "ecr-repository-prefix" ecr_repository_prefix: Text, required;
        /// Name of the repository.
        "repository-name" repository_name: Text, required;
        /// Address of the other registry.
        "upstream-registry-url" upstream_registry_url: Text, required;
        /// Tag of the image.
        "image-tag" image_tag: Text;
        /// Digest of the image.
        "image-digest" image_digest: Text;
        /// Code of the failure.
        "failure-code" failure_code: Text;
        /// Text of the failure.
        "failure-reason" failure_reason: Text;
    }

    /// A replication of an image.
    EcrReplicationAction {
        /// Action: `PUSH`.
        "action-type" action_type: Text, required;
        /// Digest of the image.
        "image-digest" image_digest: Text, required;
        /// Tag of the image.
        "image-tag" image_tag: Text, required;
        /// Name of the repository.
        "repository-name" repository_name: Text, required;
        /// Result: `SUCCESS` or `FAILURE`.
        "result" result: Text, required;
        /// Account that the image came from.
        "source-account" source_account: Text, required;
        /// Region that the image came from.
        "source-region" source_region: Text, required;
    }

    /// A change of scan settings.
    EcrScanResourceChange {
        /// Action: `SCAN_FREQUENCY_CHANGE`.
        "action-type" action_type: Text, required;
        /// Type of the resources: `REPOSITORY`.
        "resource-type" resource_type: Text, required;
        /// Type of scans: `ENHANCED` or `BASIC`.
        "scan-type" scan_type: Text, required;
        /// Repositories whose settings changed.
        "repositories" repositories: Vec<ScannedRepository>;
    }

    /// A repository whose scan settings changed.
    ScannedRepository {
        /// Name of the repository.
        "repository-name" repository_name: Text;
        /// ARN of the repository.
        "repository-arn" repository_arn: Text;
        /// Scan frequency: `SCAN_ON_PUSH`, `CONTINUOUS_SCAN` or `MANUAL`.
        "scan-frequency" scan_frequency: Text;
        /// Scan frequency before.
        "previous-scan-frequency" previous_scan_frequency: Text;
    }

    /// A change of a pipeline execution.
    PipelineExecutionStateChange {
        /// Name of the pipeline.
        "pipeline" pipeline: Text, required;
        /// ID of the execution.
        "execution-id" execution_id: Text, required;
        /// State: `STARTED`, `SUCCEEDED`, `FAILED`.
        "state" state: Text, required;
        /// Version of the pipeline, as a text or a number.
        "version" version: Value, required;
        /// Time at which the execution started.
        "start-time" start_time: Timestamp;
        /// Cause of the execution.
        "execution-trigger" execution_trigger: ExecutionTrigger;
        /// Number of the attempt.
        "pipeline-execution-attempt" pipeline_execution_attempt: Value;
        /// Comments of the one who stopped the execution.
        "stop-execution-comments" stop_execution_comments: Text;
    }

    /// Cause of a pipeline execution.
    ExecutionTrigger {
        /// Type of the cause: `StartPipelineExecution`.
        "trigger-type" trigger_type: Text;
        /// Details of the cause, such as the ARN of the caller.
        "trigger-detail" trigger_detail: Text;
    }

    /// A change of a stage of a pipeline execution.
    PipelineStageStateChange {
        /// Name of the pipeline.
        "pipeline" pipeline: Text, required;
        /// ID of the execution.
        "execution-id" execution_id: Text, required;
        /// State: `STARTED`, `SUCCEEDED`, `FAILED`.
        "state" state: Text, required;
        /// Version of the pipeline, as a text or a number.
        "version" version: Value, required;
        /// Name of the stage.
        "stage" stage: Text, required;
        /// Time at which the stage started.
        "start-time" start_time: Timestamp;
        /// Cause of the execution.
        "execution-trigger" execution_trigger: ExecutionTrigger;
        /// Number of the attempt.
        "pipeline-execution-attempt" pipeline_execution_attempt: Value;
    }

    /// A change of an action of a pipeline execution.
    PipelineActionStateChange {
        /// Name of the pipeline.
        "pipeline" pipeline: Text, required;
        /// ID of the execution.
        "execution-id" execution_id: Text, required;
        /// State: `STARTED`, `SUCCEEDED`, `FAILED`.
        "state" state: Text, required;
        /// Version of the pipeline, as a text or a number.
        "version" version: Value, required;
        /// Name of the stage.
        "stage" stage: Text, required;
        /// Name of the action.
        "action" action: Text, required;
        /// Region of the action.
        "region" region: Text, required;
        /// Type of the action.
        "type" r#type: PipelineActionType, required;
        /// ID of the execution of the action.
        "action-execution-id" action_execution_id: Text;
        /// Time at which the action started.
        "start-time" start_time: Timestamp;
        /// Result of the service that executed the action.
        "execution-result" execution_result: PipelineActionResult;
        /// Artifacts that the action read.
        "input-artifacts" input_artifacts: Vec<PipelineArtifact>;
        /// Artifacts that the action made.
        "output-artifacts" output_artifacts: Vec<PipelineArtifact>;
        /// Number of the attempt.
        "pipeline-execution-attempt" pipeline_execution_attempt: Value;
    }

    /// Type of an action.
    PipelineActionType {
        /// Category: `Build`, `Source`.
        "category" category: Text;
        /// Owner: `AWS`, `Custom`, `ThirdParty`.
        "owner" owner: Text;
        /// Provider: `CodeBuild`.
        "provider" provider: Text;
        /// Version of the type.
        "version" version: Text;
    }

    /// Result of an action at the service that executed it.
    PipelineActionResult {
        /// Address of the execution.
        "external-execution-url" external_execution_url: Text;
        /// Summary.
        "external-execution-summary" external_execution_summary: Text;
        /// ID of the execution.
        "external-execution-id" external_execution_id: Text;
    }

    /// An artifact of an action.
    PipelineArtifact {
        /// Name of the artifact.
        "name" name: Text;
        /// Location of the artifact.
        "s3location" s3location: PipelineArtifactLocation;
    }

    /// Location of an artifact.
    PipelineArtifactLocation {
        /// Name of the bucket.
        "bucket" bucket: Text;
        /// Key of the object.
        "key" key: Text;
    }

    /// A change of a cache or its snapshot.
    CacheChange {
        /// Categories of the change.
        "EventCategories" event_categories: Vec<Text>;
        /// ID of the change, such as `SERVERLESS-EVENT-0003`.
        "EventID" event_id: Text;
        /// Text about the change.
        "Message" message: Text;
        /// ARN of the cache or snapshot.
        "SourceArn" source_arn: Text;
        /// Name of the cache or snapshot.
        "SourceIdentifier" source_identifier: Text;
        /// Type of the resource: `SERVERLESS-CACHE`.
        "SourceType" source_type: Text;
    }

    /// A new schema or version.
    SchemaChange {
        /// Name of the schema.
        "SchemaName" schema_name: Text;
        /// Type of the document.
        "SchemaType" schema_type: Text;
        /// Name of the registry.
        "RegistryName" registry_name: Text;
        /// Time at which it was created.
        "CreationDate" creation_date: Timestamp;
        /// Version number.
        "Version" version: Text;
    }

    /// An occurrence of a schedule, without members.
    ScheduledEvent {}
}
