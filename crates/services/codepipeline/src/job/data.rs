//! Data of a job, as workers receive it.

use super::JobRow;
use crate::{
    execution::{ActionRunRow, ArtifactDetail, ExecutionRow, find_action},
    pipeline::{self, ActionTypeId, EncryptionKey},
};
use nephos_cloud::{Tx, new_access_key_id, new_secret_access_key};
use nephos_core::{Map, Record, Result, Secret, Text, choices};

/// Number of characters of a session token.
const SESSION_TOKEN_LENGTH: usize = 356;

choices! {
    /// Type of the place of an artifact.
    pub enum ArtifactLocationType {
        /// An object in a bucket.
        S3 = "S3",
    }
}

/// Configuration of the action of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionConfiguration {
    /// Properties, with secret values.
    configuration: Option<Map<Secret>>,
}

/// Stage of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct StageContext {
    /// Name.
    name: Option<Text>,
}

/// Action of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ActionContext {
    /// Name.
    name: Option<Text>,
    /// ID of the run.
    action_execution_id: Option<Text>,
}

/// Pipeline of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct PipelineContext {
    /// Name of the pipeline.
    pipeline_name: Option<Text>,
    /// Stage.
    stage: Option<StageContext>,
    /// Action.
    action: Option<ActionContext>,
    /// ARN of the pipeline.
    pipeline_arn: Option<Text>,
    /// ID of the execution.
    pipeline_execution_id: Option<Text>,
}

/// An object in a bucket.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct S3ArtifactLocation {
    /// Name of the bucket.
    #[field(required)]
    bucket_name: Option<Text>,
    /// Key of the object.
    #[field(required)]
    object_key: Option<Text>,
}

/// Place of an artifact.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ArtifactLocation {
    /// Type of the place.
    r#type: Option<ArtifactLocationType>,
    /// The object.
    #[field(name = "s3Location")]
    s3_location: Option<S3ArtifactLocation>,
}

/// An artifact of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Artifact {
    /// Name.
    name: Option<Text>,
    /// ID of the revision.
    revision: Option<Text>,
    /// Place.
    location: Option<ArtifactLocation>,
}

/// Temporary credentials for the artifacts of a job.
#[derive(Record)]
#[record(answer, case = "camel", name = "AWSSessionCredentials")]
pub struct ArtifactCredentials {
    /// ID of the access key.
    #[field(required)]
    access_key_id: Option<Secret>,
    /// Secret access key.
    #[field(required)]
    secret_access_key: Option<Secret>,
    /// Token that requests with the key must have.
    #[field(required)]
    session_token: Option<Secret>,
}

/// Data of a job.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct JobData {
    /// Type of the action.
    action_type_id: Option<ActionTypeId>,
    /// Configuration of the action.
    action_configuration: Option<ActionConfiguration>,
    /// Pipeline, stage and action.
    pipeline_context: Option<PipelineContext>,
    /// Artifacts that the action takes.
    input_artifacts: Option<Vec<Artifact>>,
    /// Artifacts that the action produces.
    output_artifacts: Option<Vec<Artifact>>,
    /// Credentials for the artifacts.
    artifact_credentials: Option<ArtifactCredentials>,
    /// Token with which a worker continues an earlier job.
    continuation_token: Option<Text>,
    /// Key that encrypts the artifacts.
    encryption_key: Option<EncryptionKey>,
}

/// Returns the data of a job.
pub(super) fn to_data(
    cx: &Tx<'_>,
    job: &JobRow,
    execution: &ExecutionRow,
    run: &ActionRunRow,
) -> Result<JobData> {
    let declaration = execution.declaration(cx)?;
    let action = find_action(&declaration, run.position());
    let region = action.and_then(|action| action.region.as_deref()).unwrap_or(cx.scope().region());
    let mut configuration = run.resolved_configuration.clone().unwrap_or_default();
    configuration.extend(pipeline::open_secrets(
        cx,
        execution.pipeline(),
        run.stage_name(),
        run.action_name(),
    )?);
    let configuration = configuration.into_iter().map(|(name, value)| (name, Secret::from(value))).collect();
    let revision = |name: Option<&Text>| {
        let mut revisions = execution.artifact_revisions.iter().flatten();
        revisions.find(|one| one.name.as_ref() == name)?.revision_id.clone()
    };
    let to_artifact = |artifact: &ArtifactDetail| {
        let place = artifact.s3location.as_ref();
        let s3_location = S3ArtifactLocation {
            bucket_name: place.and_then(|place| place.bucket.clone()),
            object_key: place.and_then(|place| place.key.clone()),
        };
        Artifact {
            name: artifact.name.clone(),
            revision: revision(artifact.name.as_ref()),
            location: Some(ArtifactLocation {
                r#type: Some(ArtifactLocationType::S3),
                s3_location: Some(s3_location),
            }),
        }
    };
    Ok(JobData {
        action_type_id: job.action_type_id.clone(),
        action_configuration: Some(ActionConfiguration { configuration: Some(configuration) }),
        pipeline_context: Some(PipelineContext {
            pipeline_name: run.pipeline.clone(),
            stage: Some(StageContext { name: run.stage.clone() }),
            action: Some(ActionContext { name: run.action.clone(), action_execution_id: run.id.clone() }),
            pipeline_arn: Some(cx.scope().arn("codepipeline", &[execution.pipeline()]).into()),
            pipeline_execution_id: execution.pipeline_execution_id.clone(),
        }),
        input_artifacts: Some(run.input_artifacts.iter().flatten().map(to_artifact).collect()),
        output_artifacts: Some(run.output_artifacts.iter().flatten().map(to_artifact).collect()),
        artifact_credentials: Some(ArtifactCredentials {
            access_key_id: Some(new_access_key_id(cx.ids(), cx.scope().account()).into()),
            secret_access_key: Some(new_secret_access_key(cx.ids())),
            session_token: Some(cx.ids().alphanumeric(SESSION_TOKEN_LENGTH).into()),
        }),
        continuation_token: job.continuation_token.clone(),
        encryption_key: declaration.store_of(region).and_then(|store| store.encryption_key.clone()),
    })
}
