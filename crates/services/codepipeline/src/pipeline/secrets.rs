//! Secret values of the configuration of actions: sealed, and never returned.

use super::{ActionDeclaration, Pipeline, PipelineDeclaration};
use crate::action_type;
use nephos_cloud::{Key, Stored, StoredResource, Tx};
use nephos_core::{Blob, Map, Record, Result, Text};

/// Mask of a secret value in answers.
pub(crate) const SECRET_MASK: &str = "****";

/// A sealed value of a configuration.
#[derive(Record)]
#[record(row)]
pub(crate) struct SealedValue {
    /// Name of the property.
    name: Option<Text>,
    /// Value, sealed.
    #[field(sensitive)]
    value: Option<Blob>,
}

/// Row of the secret values of an action.
#[derive(Record)]
#[record(row)]
pub(crate) struct ActionSecretsRow {
    /// Name of the pipeline.
    pipeline: Option<Text>,
    /// Name of the stage.
    stage: Option<Text>,
    /// Name of the action.
    action: Option<Text>,
    /// Values.
    values: Option<Vec<SealedValue>>,
}

nephos_cloud::stored!(ActionSecretsRow in "codepipeline/action-secrets" by pipeline, stage, action);

fn secrets_key(cx: &Tx<'_>, pipeline: &str) -> Key {
    ActionSecretsRow::table(cx.scope()).text(pipeline)
}

/// Seals the secret values of a pipeline and puts masks into their places. A mask in an action that is otherwise as it was `before`
/// keeps the value.
pub(crate) fn hide_secrets(
    cx: &mut Tx<'_>,
    declaration: &mut PipelineDeclaration,
    before: Option<&PipelineDeclaration>,
) -> Result<()> {
    let pipeline = declaration.own_name().to_owned();
    let kept: Vec<ActionSecretsRow> = cx.all(&secrets_key(cx, &pipeline))?;
    let range = secrets_key(cx, &pipeline).prefix_range();
    cx.remove_all(&range)?;
    for stage in declaration.stages.iter_mut().flatten() {
        let stage_name = stage.own_name().to_owned();
        for action in stage.actions.iter_mut().flatten() {
            let name = action.name.clone().unwrap_or_default();
            let names = secret_properties(cx, action)?;
            let kept = kept
                .iter()
                .find(|row| row.stage.as_deref() == Some(&stage_name) && row.action.as_ref() == Some(&name));
            let given = action.clone();
            let mut values = Vec::new();
            for property in names {
                let Some(value) = action.configuration.as_mut().and_then(|all| all.get_mut(&property)) else {
                    continue;
                };
                let place = [ActionSecretsRow::TABLE, &pipeline, &stage_name, &name, &property];
                let same = kept.filter(|_| value == SECRET_MASK && is_unchanged(&given, before, &stage_name));
                let same = same.and_then(|row| {
                    row.values.iter().flatten().find(|one| one.name.as_ref() == Some(&property))
                });
                let sealed = match same.and_then(|one| one.value.clone()) {
                    Some(sealed) => sealed,
                    None => cx.seal(&place, value.as_bytes())?,
                };
                *value = SECRET_MASK.into();
                values.push(SealedValue { name: Some(property), value: Some(sealed) });
            }
            if !values.is_empty() {
                let (pipeline, stage) = (Some(pipeline.as_str().into()), Some(stage_name.as_str().into()));
                cx.put(ActionSecretsRow { pipeline, stage, action: Some(name), values: Some(values) })?;
            }
        }
    }
    Ok(())
}

/// Opens the secret values of an action, which only job workers receive.
pub(crate) fn open_secrets(cx: &Tx<'_>, pipeline: &str, stage: &str, action: &str) -> Result<Map<Text>> {
    let row: Option<ActionSecretsRow> = cx.get(&secrets_key(cx, pipeline).text(stage).text(action))?;
    let mut opened = Map::default();
    for one in row.and_then(|row| row.values).iter().flatten() {
        let (Some(name), Some(value)) = (&one.name, &one.value) else { continue };
        let bytes = cx.open(&[ActionSecretsRow::TABLE, pipeline, stage, action, name], value)?;
        opened.insert(name.clone(), String::from_utf8_lossy(&bytes).as_ref().into());
    }
    Ok(opened)
}

/// Names of the secret properties of the action's type.
fn secret_properties(cx: &Tx<'_>, action: &ActionDeclaration) -> Result<Vec<Text>> {
    let Some(id) = &action.action_type_id else { return Ok(Vec::new()) };
    let Some(found) = action_type::find(cx, id)? else { return Ok(Vec::new()) };
    let secret = found.properties_list().iter().filter(|property| property.secret == Some(true));
    Ok(secret.filter_map(|property| property.name.clone()).collect())
}

/// True if the pipeline had the same action before, in the same stage.
fn is_unchanged(action: &ActionDeclaration, before: Option<&PipelineDeclaration>, stage: &str) -> bool {
    let stages = before.map(PipelineDeclaration::all_stages).unwrap_or_default();
    let mut actions = stages.iter().filter(|one| one.own_name() == stage).flat_map(|one| one.all_actions());
    actions.any(|one| one == action)
}

/// Removes the secret values of a pipeline.
pub(super) fn remove_all(cx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<()> {
    let range = secrets_key(cx, pipeline.own_name()).prefix_range();
    cx.remove_all(&range).map(drop)
}
