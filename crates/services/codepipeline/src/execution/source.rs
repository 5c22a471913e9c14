//! Revisions that actions work on. Sources fetch the one that was chosen for the execution, or else their current one.

use super::{
    ActionRevision, ActionRunRow, ArtifactRevision, ExecutionRow, LatestRunRow, SourceRevision,
    SourceRevisionType, run::RunResult, variables,
};
use crate::{
    errors,
    execution::SourceRevisionOverride,
    pipeline::{ActionDeclaration, PipelineDeclaration},
};
use nephos_cloud::Tx;
use nephos_core::{Ids, Map, Result, Text, Timestamp, field_value::FieldType};

/// Records the revision of a run that succeeded; returns the variables of a source.
pub(super) fn record_revision(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    run: &ActionRunRow,
    action: &ActionDeclaration,
    result: &RunResult,
) -> Result<Map<Text>> {
    let mut latest = LatestRunRow::read(cx, execution.pipeline(), run.stage_name(), run.action_name())?;
    if !action.is_source() {
        if result.revision.is_some() {
            latest.revision.clone_from(&result.revision);
            cx.put(latest)?;
        }
        return Ok(Map::default());
    }
    let ids = execution.ids_of_run(run.sequence.unwrap_or_default(), true);
    let mut overrides = execution.revision_overrides.iter().flatten();
    let chosen = overrides.find(|one| one.action_name == run.action).cloned();
    let object_key =
        chosen.as_ref().filter(|one| one.is_object_key()).and_then(|one| one.revision_value.clone());
    let chosen = chosen.filter(|one| !one.is_object_key()).and_then(|one| one.revision_value);
    let chosen = chosen.map(|id| new_revision(id, &ids, cx.now()));
    let revision = result.revision.clone().or(chosen).or_else(|| latest.revision.clone());
    let revision = revision.unwrap_or_else(|| new_revision(new_revision_id(&ids, action), &ids, cx.now()));
    latest.revision = Some(revision.clone());
    cx.put(latest)?;
    let id = revision.revision_id.clone().unwrap_or_default();
    add_to_execution(execution, run, action, revision, result.revision_summary.as_ref());
    let mut variables = variables::source_variables(action, &id, cx.scope().account());
    if let Some(key) = object_key {
        variables.insert("ObjectKey".into(), key);
    }
    Ok(variables)
}

fn new_revision(id: Text, ids: &Ids, now: Timestamp) -> ActionRevision {
    ActionRevision { revision_id: Some(id), revision_change_id: Some(ids.uuid()), created: Some(now) }
}

/// Adds the revision of a source to those of the execution.
fn add_to_execution(
    execution: &mut ExecutionRow,
    run: &ActionRunRow,
    action: &ActionDeclaration,
    revision: ActionRevision,
    summary: Option<&Text>,
) {
    let sources = execution.source_revisions.get_or_insert_default();
    sources.retain(|one| one.action_name != run.action);
    sources.push(SourceRevision {
        action_name: run.action.clone(),
        revision_id: revision.revision_id.clone(),
        revision_summary: summary.cloned(),
        ..SourceRevision::blank()
    });
    let outputs = action.output_artifacts.iter().flatten().filter_map(|output| output.name.clone());
    let artifacts = execution.artifact_revisions.get_or_insert_default();
    for name in outputs {
        artifacts.retain(|one| one.name.as_ref() != Some(&name));
        artifacts.push(ArtifactRevision {
            name: Some(name),
            revision_id: revision.revision_id.clone(),
            revision_change_identifier: revision.revision_change_id.clone(),
            revision_summary: summary.cloned(),
            created: revision.created,
            ..ArtifactRevision::blank()
        });
    }
}

impl SourceRevisionOverride {
    /// True if the caller chose another object, and not one of its versions.
    fn is_object_key(&self) -> bool {
        self.revision_type == Some(SourceRevisionType::ObjectKey)
    }

    /// True if sources of the provider have revisions of this type.
    fn fits_to(&self, provider: &str) -> bool {
        match provider {
            "S3" => matches!(
                self.revision_type,
                Some(SourceRevisionType::ObjectVersionId | SourceRevisionType::ObjectKey)
            ),
            "ECR" => self.revision_type == Some(SourceRevisionType::ImageDigest),
            "CodeCommit" | "CodeStarSourceConnection" | "GitHub" => {
                self.revision_type == Some(SourceRevisionType::CommitId)
            }
            _ => true,
        }
    }
}

/// Refuses revisions of actions that are no source actions, and those of a type that the source does not have.
pub(super) fn check_overrides(
    pipeline: &PipelineDeclaration,
    given: &[SourceRevisionOverride],
) -> Result<()> {
    for (n, one) in given.iter().enumerate() {
        let mut sources = pipeline.all_actions().filter(|action| action.is_source());
        let name = one.action_name.as_deref().unwrap_or_default();
        let refused = match sources.find(|action| action.name == one.action_name) {
            None => errors::no_source_action(name).with_field(format!("sourceRevisions[{n}].actionName")),
            Some(action) if !one.fits_to(action.provider()) => {
                let revision_type = one.revision_type.as_ref().map(ToString::to_string).unwrap_or_default();
                let refused = errors::revision_type_invalid(revision_type, name);
                refused.with_field(format!("sourceRevisions[{n}].revisionType"))
            }
            Some(_) => continue,
        };
        return Err(refused);
    }
    Ok(())
}

/// Returns the ID of a first revision, in the form of the provider.
fn new_revision_id(ids: &Ids, action: &ActionDeclaration) -> Text {
    match action.provider() {
        "S3" => ids.alphanumeric(32),
        "ECR" => format!("sha256:{}", ids.hex(64)).into(),
        _ => ids.hex(40),
    }
}
