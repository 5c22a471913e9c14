//! Start of executions, by a call or by the creation of a pipeline.

use super::{
    ExecutionRow, ExecutionTrigger, PipelineVariable, ResolvedPipelineVariable, TriggerType, advance,
    row::NewExecution, source,
};
use crate::{
    Pipeline, PipelineManager, errors,
    pipeline::{self, ActionDeclaration, ExecutionMode, PipelineDeclaration},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, choices, operation};

/// Maximum number of executions of a pipeline that have not ended, in the modes `QUEUED` and `PARALLEL`.
const MAX_LIVE_EXECUTIONS: usize = 50;

choices! {
    /// Type of a revision that a caller chooses.
    #[derive(Eq)]
    pub enum SourceRevisionType {
        /// ID of a commit.
        CommitId = "COMMIT_ID",
        /// Digest of an image.
        ImageDigest = "IMAGE_DIGEST",
        /// Version of an object.
        ObjectVersionId = "S3_OBJECT_VERSION_ID",
        /// Key of an object.
        ObjectKey = "S3_OBJECT_KEY",
    }
}

/// Revision that a source action fetches in one execution.
#[derive(Record)]
#[record(case = "camel")]
pub struct SourceRevisionOverride {
    /// Name of the source action.
    #[field(required, like = ActionDeclaration::name)]
    pub(crate) action_name: Option<Text>,
    /// Type of the revision.
    #[field(required)]
    pub(crate) revision_type: Option<SourceRevisionType>,
    /// The revision.
    #[field(required, length(1..=1500))]
    pub(crate) revision_value: Option<Text>,
}

/// Starts an execution of a pipeline; returns its ID.
#[operation(
    of = Pipeline, case = "camel", call = "start_execution", on_model, needs(name), wraps(pipeline_execution_id: Text),
    effect = write
)]
pub struct StartPipelineExecution {
    /// Values of variables of the pipeline.
    #[field(length(1..=50))]
    pub variables: Option<Vec<PipelineVariable>>,
    /// Idempotency token: a repeated call with the same token returns the same execution and starts no other.
    #[field(idempotency_token, length(1..=128), pattern = "[a-zA-Z0-9-]+")]
    pub client_request_token: Option<Text>,
    /// Revisions that source actions fetch in place of the current ones.
    #[field(length(..=50))]
    pub source_revisions: Option<Vec<SourceRevisionOverride>>,
}

impl Handler for StartPipelineExecution {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pipeline = pipeline::require_declaration(cx, &self.name, "name")?;
        let once = cx.once(&self, &[&self.name])?;
        if let Some(id) = once.earlier(errors::token_mismatch)? {
            return Ok(Text::from(id).into());
        }
        let variables = resolve_variables(&pipeline, self.variables.as_deref().unwrap_or_default())?;
        let revision_overrides = self.source_revisions.unwrap_or_default();
        source::check_overrides(&pipeline, &revision_overrides)?;
        let detail = cx.caller().principal().arn;
        let trigger = ExecutionTrigger {
            trigger_type: Some(TriggerType::StartPipelineExecution),
            trigger_detail: Some(detail),
        };
        let id = start(cx, &pipeline, NewExecution { trigger, variables, revision_overrides })?;
        once.keep(cx, &id)?;
        Ok(id.into())
    }
}

/// Starts an execution and advances the pipeline; returns the ID of the execution.
pub(crate) fn start(cx: &mut Tx<'_>, pipeline: &PipelineDeclaration, new: NewExecution) -> Result<Text> {
    let name = pipeline.own_name();
    let is_limited = pipeline.execution_mode != Some(ExecutionMode::Superseded) && cx.has_quotas();
    if is_limited && ExecutionRow::live(cx, name)?.len() >= MAX_LIVE_EXECUTIONS {
        return Err(errors::too_many_executions(name, MAX_LIVE_EXECUTIONS));
    }
    let execution = ExecutionRow::create(cx, pipeline, new)?;
    advance::advance_from(cx, &execution)?;
    Ok(execution.pipeline_execution_id.unwrap_or_default())
}

/// Starts the execution of a pipeline that was created.
pub(crate) fn start_first(cx: &mut Tx<'_>, pipeline: &PipelineDeclaration) -> Result<()> {
    let trigger_detail = Some(cx.caller().principal().arn);
    let trigger = ExecutionTrigger { trigger_type: Some(TriggerType::CreatePipeline), trigger_detail };
    let variables = resolve_variables(pipeline, &[])?;
    start(cx, pipeline, NewExecution { trigger, variables, revision_overrides: Vec::new() }).map(drop)
}

/// Returns the variables of the pipeline with the given values, or their defaults. A variable without either has no value.
pub(crate) fn resolve_variables(
    pipeline: &PipelineDeclaration,
    given: &[PipelineVariable],
) -> Result<Vec<ResolvedPipelineVariable>> {
    let declared = pipeline.variables.as_deref().unwrap_or_default();
    for (n, variable) in given.iter().enumerate() {
        let name = variable.name.as_deref().unwrap_or_default();
        let refused = if !declared.iter().any(|one| one.name == variable.name) {
            errors::variable_not_declared(name)
        } else if given[..n].iter().any(|one| one.name == variable.name) {
            errors::variable_given_twice(name)
        } else {
            continue;
        };
        return Err(refused.with_field(format!("variables[{n}].name")));
    }
    let resolve = |declared: &pipeline::PipelineVariableDeclaration| {
        let value = given.iter().find(|one| one.name == declared.name).and_then(|one| one.value.clone());
        let resolved_value = Some(value.or_else(|| declared.default_value.clone())?);
        Some(ResolvedPipelineVariable { name: declared.name.clone(), resolved_value })
    };
    Ok(declared.iter().filter_map(resolve).collect())
}
