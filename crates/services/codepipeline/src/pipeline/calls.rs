//! Calls of the manager that take or return whole pipelines: create, get and update.

use super::{
    CreatePipeline, EnvironmentVariableType, GetPipeline, GetPipelineOutput, Pipeline, PipelineDeclaration,
    PipelineManager, UpdatePipeline,
};
use crate::errors;
use nephos_core::{
    ManagerOperation, Record, Resource, Result, Tag, Text, WorkflowContext, field_value::FieldType,
    operation, operation::beside_model, retag, with_tags,
};

/// Creates a pipeline.
#[operation(kind = Pipeline, case = "camel", call = "create", effect = write, output = Pipeline)]
pub struct PipelineCreate {
    /// The pipeline.
    #[field(model, name = "model")]
    pub model: Pipeline,
    /// Tags; they override tags of the model with the same key.
    pub tags: Option<Vec<Tag>>,
}

impl ManagerOperation for PipelineCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Pipeline> {
        let mut create: CreatePipeline = beside_model(&self.model, self)?;
        create.pipeline = to_declaration(&self.model)?;
        let name = create.pipeline.own_name().to_owned();
        context.call(create).await?;
        read(context, &name).await
    }
}

/// Gets a pipeline; none if it does not exist, or has no such version.
#[operation(kind = Pipeline, case = "camel", call = "get", effect = read, output = Option<Pipeline>)]
pub struct PipelineGet {
    /// Name of the pipeline.
    #[field(like = Pipeline::name)]
    pub name: Text,
    /// Number of the version; the current one if it is not given.
    #[field(range(1..))]
    pub version: Option<i64>,
}

impl ManagerOperation for PipelineGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Pipeline>> {
        let mut get = GetPipeline::new(self.name.clone());
        get.version = self.version;
        let Some(found) = context.find(get).await? else { return Ok(None) };
        with_tags(context, to_pipeline(found)).await.map(Some)
    }
}

/// Sends what changed in a pipeline, and its tags. A pipeline without changes keeps its version.
#[operation(kind = Pipeline, case = "camel", call = "update", effect = write, output = Pipeline)]
pub struct PipelineUpdate {
    /// The pipeline.
    #[field(model, name = "model")]
    pub model: Pipeline,
}

impl ManagerOperation for PipelineUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Pipeline> {
        let model = &self.model;
        model.check_changes()?;
        let name = model.name.clone().unwrap_or_default();
        let current = read(context, &name).await?;
        let changed = merge_changes(model, &current);
        if changed != current {
            let update = UpdatePipeline::new(to_declaration(&changed)?);
            context.call(update).await?;
        }
        retag(context, model, &current).await?;
        read(context, &name).await
    }
}

/// Returns the current pipeline with the changes of a model: an update replaces the whole structure.
fn merge_changes(model: &Pipeline, current: &Pipeline) -> Pipeline {
    let mut merged = current.clone();
    for field in model.changed() {
        match field {
            "roleArn" => merged.role_arn.clone_from(&model.role_arn),
            "artifactStore" => merged.artifact_store.clone_from(&model.artifact_store),
            "artifactStores" => merged.artifact_stores.clone_from(&model.artifact_stores),
            "stages" => merged.stages.clone_from(&model.stages),
            "executionMode" => merged.execution_mode.clone_from(&model.execution_mode),
            "pipelineType" => merged.pipeline_type.clone_from(&model.pipeline_type),
            "variables" => merged.variables.clone_from(&model.variables),
            "triggers" => merged.triggers.clone_from(&model.triggers),
            _ => {}
        }
    }
    merged
}

/// Returns the structure of a pipeline for the service, which does not know all values of the specification.
fn to_declaration(pipeline: &Pipeline) -> Result<PipelineDeclaration> {
    let declaration = PipelineDeclaration::from(pipeline.clone());
    let uses_parameter_store = declaration.all_actions().any(|action| {
        let mut variables = action.environment_variables.iter().flatten();
        variables.any(|variable| variable.r#type == Some(EnvironmentVariableType::ParameterStore))
    });
    if uses_parameter_store {
        return Err(errors::parameter_store_unsupported().with_field("stages"));
    }
    Ok(declaration)
}

async fn read(context: &WorkflowContext, name: &str) -> Result<Pipeline> {
    let found = context.run(PipelineGet::new(name)).await?;
    found.ok_or_else(|| errors::pipeline_not_found(context.session().account(), name).with_field("name"))
}

/// Returns the pipeline of an answer, without its tags.
fn to_pipeline(found: GetPipelineOutput) -> Pipeline {
    let mut pipeline = Pipeline::blank();
    if let Some(mut declaration) = found.pipeline {
        pipeline.take_given(&mut declaration);
    }
    if let Some(mut metadata) = found.metadata {
        pipeline.take_given(&mut metadata);
    }
    pipeline
}
