//! Revisions that source actions fetch.

use super::{ActionRevision, ActionRunRow, ArtifactRevision, ExecutionRow, LatestRunRow, SourceRevision};
use crate::pipeline::ActionDeclaration;
use nephos_cloud::Tx;
use nephos_core::{Ids, Result, Text, Timestamp, field_value::FieldType};

/// Returns the revision that the caller chose for a source action of the execution.
pub(super) fn chosen_revision(
    execution: &ExecutionRow,
    run: &ActionRunRow,
    ids: &Ids,
    now: Timestamp,
) -> Option<ActionRevision> {
    let mut overrides = execution.revision_overrides.iter().flatten();
    let chosen = overrides.find(|one| one.action_name == run.action)?;
    Some(new_revision(chosen.revision_value.clone()?, ids, now))
}

fn new_revision(id: Text, ids: &Ids, now: Timestamp) -> ActionRevision {
    ActionRevision { revision_id: Some(id), revision_change_id: Some(ids.uuid()), created: Some(now) }
}

/// Records the revision that a source action fetched: the one that was chosen, or else the current one of the action. Returns its ID.
pub(super) fn set_revision(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    run: &ActionRunRow,
    action: &ActionDeclaration,
    chosen: Option<ActionRevision>,
    ids: &Ids,
) -> Result<Text> {
    let mut latest = LatestRunRow::read(cx, execution.pipeline(), run.stage_name(), run.action_name())?;
    let revision = chosen.or_else(|| latest.revision.clone());
    let revision = revision.unwrap_or_else(|| new_revision(new_revision_id(ids, action), ids, cx.now()));
    latest.revision = Some(revision.clone());
    cx.put(latest)?;
    let source = SourceRevision {
        action_name: run.action.clone(),
        revision_id: revision.revision_id.clone(),
        ..SourceRevision::blank()
    };
    let sources = execution.source_revisions.get_or_insert_default();
    sources.retain(|one| one.action_name != run.action);
    sources.push(source);
    let outputs = action.output_artifacts.iter().flatten().filter_map(|output| output.name.clone());
    let artifacts = execution.artifact_revisions.get_or_insert_default();
    for name in outputs {
        artifacts.retain(|one| one.name.as_ref() != Some(&name));
        artifacts.push(ArtifactRevision {
            name: Some(name),
            revision_id: revision.revision_id.clone(),
            revision_change_identifier: revision.revision_change_id.clone(),
            created: revision.created,
            ..ArtifactRevision::blank()
        });
    }
    Ok(revision.revision_id.unwrap_or_default())
}

/// Returns the ID of a first revision, in the form of the provider.
fn new_revision_id(ids: &Ids, action: &ActionDeclaration) -> Text {
    match action.provider() {
        "S3" => ids.alphanumeric(32),
        "ECR" => format!("sha256:{}", ids.hex(64)).into(),
        _ => ids.hex(40),
    }
}
