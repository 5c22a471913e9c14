//! Pipelines: stages of actions that a change passes through, and their versions.

mod action;
mod artifact_store;
mod calls;
mod operations;
mod relations;
mod secrets;
mod stage;
mod trigger;
mod versions;

pub use action::*;
pub use artifact_store::*;
pub use calls::*;
pub use operations::*;
pub(crate) use secrets::{ActionSecretsRow, SECRET_MASK, hide_secrets, open_secrets};
pub use stage::*;
pub use trigger::*;
pub(crate) use versions::VersionRow;

use crate::errors;
use nephos_cloud::{Addressed, StoredResource, Tx};
use nephos_core::{Map, Resource, Result, Slot, Tag, Text, Timestamp, choices, record_of};

choices! {
    /// Handling of executions that overlap.
    #[derive(Eq)]
    pub enum ExecutionMode {
        /// Executions wait for each other.
        Queued = "QUEUED",
        /// A newer execution replaces those that wait.
        Superseded = "SUPERSEDED",
        /// Executions run independently.
        Parallel = "PARALLEL",
    }
}

choices! {
    /// Type of a pipeline, which says what it can have.
    #[derive(Eq)]
    pub enum PipelineType {
        /// Stages and actions.
        V1 = "V1",
        /// Triggers, variables and execution modes, too.
        V2 = "V2",
    }
}

/// A pipeline: stages of actions that a change passes through.
#[derive(Resource)]
#[resource(
    case = "camel",
    arn("pipelineArn", "{name}"),
    name = "name",
    pk = "name",
    exists_if = "created",
    tags = "Tags",
    not_found = |name| errors::pipeline_missing(name),
    relation(executions, many = crate::PipelineExecution, with = relations::find_executions)
)]
#[cfg_attr(feature = "iam", resource(relation(role, one = nephos_iam::Role, with = relations::find_role)))]
#[cfg_attr(
    feature = "kms",
    resource(relation(artifact_key, one = nephos_kms::CryptoKey, with = relations::find_artifact_key))
)]
pub struct Pipeline {
    /// Name of the pipeline, unique within account and Region.
    #[field(required, fixed, like = ActionDeclaration::name)]
    pub(crate) name: Option<Text>,
    /// ARN of the role that the service assumes.
    #[field(not_in_list, like = ActionDeclaration::role_arn)]
    pub(crate) role_arn: Option<Text>,
    /// Store of artifacts; with actions in several Regions, one for each of them in `artifactStores`.
    #[field(not_in_list)]
    pub(crate) artifact_store: Option<ArtifactStore>,
    /// Stores of artifacts by Region.
    #[field(not_in_list)]
    pub(crate) artifact_stores: Option<Map<ArtifactStore>>,
    /// Stages, in the order in which a change passes through them.
    #[field(not_in_list)]
    pub(crate) stages: Option<Vec<StageDeclaration>>,
    /// Number of the version, which begins with 1 and grows with every update; that of a caller is not used.
    #[field(range(1..))]
    pub(crate) version: Option<i64>,
    /// Handling of executions that overlap; `SUPERSEDED` by default.
    pub(crate) execution_mode: Option<ExecutionMode>,
    /// Type of the pipeline; `V1` by default.
    pub(crate) pipeline_type: Option<PipelineType>,
    /// Variables.
    #[field(not_in_list, length(..=50))]
    pub(crate) variables: Option<Vec<PipelineVariableDeclaration>>,
    /// Triggers.
    #[field(not_in_list, no_effect, length(..=50))]
    pub(crate) triggers: Option<Vec<PipelineTriggerDeclaration>>,
    /// ARN of the pipeline.
    #[field(service_set, not_in_list)]
    pub(crate) pipeline_arn: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) created: Option<Timestamp>,
    /// Time of the last update.
    #[field(service_set)]
    pub(crate) updated: Option<Timestamp>,
    /// Tags.
    #[field(not_in_list, name = "Tags", not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    Pipeline in "codepipeline/pipeline" by name;
    arn pipeline_arn
}

impl Pipeline {
    /// Reads the structure of a stored pipeline, in its current version.
    pub(crate) fn declaration(&self, cx: &Tx<'_>) -> Result<PipelineDeclaration> {
        declaration_of_version(cx, self.own_name(), self.version.unwrap_or_default())
    }

    /// Sets the stored pipeline to a new version of its structure.
    fn put_version(&mut self, cx: &Tx<'_>, declaration: &PipelineDeclaration) {
        self.version = declaration.version;
        self.execution_mode.clone_from(&declaration.execution_mode);
        self.pipeline_type.clone_from(&declaration.pipeline_type);
        self.updated = Some(cx.now());
    }
}

/// A pipeline as the service takes and returns it: its structure, without metadata.
#[record_of(
    of = Pipeline, case = "camel",
    takes(
        name(required), role_arn(required), artifact_store, artifact_stores, stages(required), version, execution_mode, pipeline_type,
        variables, triggers
    )
)]
pub struct PipelineDeclaration {}

impl PipelineDeclaration {
    /// Sets what is not given to the values that the service returns.
    pub(crate) fn set_defaults(&mut self) {
        self.execution_mode.get_or_insert(ExecutionMode::Superseded);
        self.pipeline_type.get_or_insert(PipelineType::V1);
        let stages = self.stages.iter_mut().flatten();
        stages.flat_map(|stage| stage.actions.iter_mut().flatten()).for_each(ActionDeclaration::set_defaults);
    }

    /// Name of the pipeline.
    pub(crate) fn own_name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Stages of the pipeline.
    pub(crate) fn all_stages(&self) -> &[StageDeclaration] {
        self.stages.as_deref().unwrap_or_default()
    }

    /// Store of the artifacts of actions in a Region.
    pub(crate) fn store_of(&self, region: &str) -> Option<&ArtifactStore> {
        let of_region = || self.artifact_stores.as_ref().and_then(|stores| stores.get(region));
        self.artifact_store.as_ref().or_else(of_region)
    }

    /// Actions of all stages, in their order.
    pub(crate) fn all_actions(&self) -> impl Iterator<Item = &ActionDeclaration> {
        self.all_stages().iter().flat_map(StageDeclaration::all_actions)
    }
}

/// Finds the pipeline with this name, or refuses.
pub(crate) fn require(cx: &Tx<'_>, name: &str) -> Result<Pipeline> {
    require_as(cx, name, "name")
}

/// Finds the pipeline with the name in a parameter, or refuses.
pub(crate) fn require_as(cx: &Tx<'_>, name: &str, parameter: &str) -> Result<Pipeline> {
    let missing = || errors::pipeline_not_found(cx.scope().account(), name).with_field(parameter);
    Pipeline::find_by(cx, &[name])?.ok_or_else(missing)
}

/// Finds the structure of the pipeline with the name in a parameter, or refuses.
pub(crate) fn require_declaration(cx: &Tx<'_>, name: &str, parameter: &str) -> Result<PipelineDeclaration> {
    require_as(cx, name, parameter)?.declaration(cx)
}

/// Reads the structure of a pipeline in one of its versions, or refuses.
pub(crate) fn declaration_of_version(cx: &Tx<'_>, name: &str, version: i64) -> Result<PipelineDeclaration> {
    let missing = || errors::pipeline_not_found(cx.scope().account(), name);
    versions::find(cx, name, version)?.and_then(|row| row.declaration).ok_or_else(missing)
}
