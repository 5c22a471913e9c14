//! Operations on pipelines: create, get, list, update and delete.

use super::{Pipeline, PipelineDeclaration, PipelineManager, hide_secrets, require, secrets, versions};
use crate::{errors, execution, paging::Page, structure, tagging};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, own_arn, tags::to_list};
use nephos_core::{Empty, Record, Result, Tag, Timestamp, field_value::FieldType, operation, record_of};

/// Quota of pipelines per account and Region.
const PIPELINES: Quota = Quota { counter: "codepipeline/pipeline", max: 1000, what: "pipelines" };

/// Creates a pipeline, and starts an execution of it.
#[operation(
    of = Pipeline, case = "camel", effect = write, output = CreatePipelineOutput, subject = "{pipeline.name}",
    also_requires("iam:PassRole" = "{pipeline.roleArn}")
)]
pub struct CreatePipeline {
    /// Structure of the pipeline; its version is ignored.
    pub pipeline: PipelineDeclaration,
    /// Tags.
    pub tags: Option<Vec<Tag>>,
}

/// Answer of [`CreatePipeline`].
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CreatePipelineOutput {
    /// Structure of the pipeline.
    pipeline: Option<PipelineDeclaration>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

impl Handler for CreatePipeline {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let Self { pipeline: mut declaration, tags } = self;
        let tags = tagging::RULES.read_list(&tags.unwrap_or_default())?;
        let name = declaration.own_name();
        if Pipeline::find_by(cx, &[name])?.is_some() {
            return Err(errors::name_in_use(name, cx.scope().account()).with_field("pipeline.name"));
        }
        declaration.set_defaults();
        structure::check(cx, &declaration)?;
        PIPELINES.add_one(cx, errors::too_many_pipelines)?;
        declaration.version = Some(1);
        hide_secrets(cx, &mut declaration, None)?;
        let mut pipeline = Pipeline::blank();
        pipeline.name.clone_from(&declaration.name);
        pipeline.tags = to_list(tags);
        pipeline.pipeline_arn = own_arn(&pipeline, cx.scope());
        pipeline.created = Some(cx.now());
        pipeline.put_version(cx, &declaration);
        let tags = pipeline.tags.clone();
        versions::add(cx, &declaration)?;
        cx.put(pipeline)?;
        execution::start_first(cx, &declaration)?;
        Ok(CreatePipelineOutput { pipeline: Some(declaration), tags })
    }
}

/// Facts about a pipeline beside its structure.
#[record_of(of = Pipeline, case = "camel", takes(pipeline_arn, created, updated), answer)]
pub struct PipelineMetadata {
    /// Time at which the service stopped polling for changes, because the pipeline was not used.
    polling_disabled_at: Option<Timestamp>,
}

/// Returns the structure of a pipeline and facts about it.
#[operation(of = Pipeline, case = "camel", needs(name), effect = read, output = GetPipelineOutput)]
pub struct GetPipeline {
    /// Number of the version; the current one if it is not given.
    #[field(range(1..))]
    pub version: Option<i64>,
}

/// Answer of [`GetPipeline`].
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct GetPipelineOutput {
    /// Structure of the pipeline.
    pub(super) pipeline: Option<PipelineDeclaration>,
    /// Facts about the pipeline.
    pub(super) metadata: Option<PipelineMetadata>,
}

impl Handler for GetPipeline {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = require(cx, &self.name)?;
        let number = self.version.or(pipeline.version).unwrap_or_default();
        // The service answers a missing version as a missing pipeline.
        let missing = || errors::pipeline_not_found(cx.scope().account(), &self.name).with_field("version");
        let version = versions::find(cx, &self.name, number)?.ok_or_else(missing)?;
        let mut metadata = PipelineMetadata::from(pipeline);
        metadata.updated = version.updated;
        Ok(GetPipelineOutput { pipeline: version.declaration, metadata: Some(metadata) })
    }
}

/// A pipeline in a listing.
#[record_of(
    of = Pipeline, case = "camel", takes(name, version, pipeline_type, execution_mode, created, updated), answer
)]
pub struct PipelineSummary {}

// Listings read only these fields of the rows of pipelines.
nephos_cloud::stored!(PipelineSummary in "codepipeline/pipeline" by name);

/// Lists pipelines, in order of their names.
#[operation(
    of = Pipeline, case = "camel", call = "list", page(pipelines: PipelineSummary => to_pipelines, next_token), include(Page),
    effect = read
)]
pub struct ListPipelines {}

/// Returns the pipelines of a listing, without their structures.
fn to_pipelines(summaries: Vec<PipelineSummary>) -> Vec<Pipeline> {
    summaries.into_iter().map(Pipeline::from_given).collect()
}

impl Handler for ListPipelines {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let rows = Pipeline::table(cx.scope());
        Ok(cx.page_rows(&self, &rows, |summary: PipelineSummary| Ok(Some(summary)))?.into())
    }
}

/// Replaces the structure of a pipeline; its version grows by one.
#[operation(
    of = Pipeline, case = "camel", wraps(pipeline: PipelineDeclaration), effect = write, subject = "{pipeline.name}",
    also_requires("iam:PassRole" = "{pipeline.roleArn}")
)]
pub struct UpdatePipeline {
    /// New structure of the pipeline; its version is ignored.
    pub pipeline: PipelineDeclaration,
}

impl Handler for UpdatePipeline {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut declaration = self.pipeline;
        let name = declaration.own_name();
        let missing =
            || errors::pipeline_not_included(cx.scope().account(), name).with_field("pipeline.name");
        let mut pipeline = Pipeline::find_by(cx, &[name])?.ok_or_else(missing)?;
        declaration.set_defaults();
        structure::check(cx, &declaration)?;
        hide_secrets(cx, &mut declaration, Some(&pipeline.declaration(cx)?))?;
        declaration.version = pipeline.version.map(|version| version + 1);
        pipeline.put_version(cx, &declaration);
        versions::add(cx, &declaration)?;
        cx.put(pipeline)?;
        Ok(declaration.into())
    }
}

/// Deletes a pipeline, with all its versions and executions. A pipeline that does not exist is no error.
#[operation(of = Pipeline, case = "camel", call = "delete", on_model, needs(name), effect = write)]
pub struct DeletePipeline {}

impl Handler for DeletePipeline {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let Some(pipeline) = Pipeline::find_by(cx, &[&self.name])? else { return Ok(Empty {}) };
        PIPELINES.remove_one(cx)?;
        versions::remove_all(cx, &pipeline)?;
        secrets::remove_all(cx, &pipeline)?;
        execution::remove_all(cx, &self.name)?;
        cx.remove(&pipeline)?;
        Ok(Empty {})
    }
}
