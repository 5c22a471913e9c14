//! Checks of actions: types, numbers of artifacts, configuration, commands and namespaces.

use super::action_path;
use crate::{
    action_type::{self, ActionType, ArtifactDetails, owner_on_wire},
    errors,
    pipeline::{
        ActionCategory, ActionDeclaration, ActionOwner, EnvironmentVariableType, PipelineDeclaration,
        StageDeclaration,
    },
};
use nephos_cloud::Tx;
use nephos_core::Result;
use std::collections::HashSet;

/// Maximum number of characters of the name of a property.
const MAX_KEY_LENGTH: usize = 50;
/// Maximum number of characters of a value, which is more than the service's model says.
const MAX_VALUE_LENGTH: usize = 50_000;

/// Refuses names and values of configurations that are too short or too long.
pub(super) fn check_maps(pipeline: &PipelineDeclaration) -> Result<()> {
    for_each_action(pipeline, |place, _, action| {
        let path =
            || format!("pipeline.stages.{}.member.actions.{}.member.configuration", place.0 + 1, place.1 + 1);
        for (key, value) in action.configuration.iter().flatten() {
            if !(1..=MAX_KEY_LENGTH).contains(&key.chars().count()) {
                return Err(errors::map_key_length(path()));
            }
            if !(1..=MAX_VALUE_LENGTH).contains(&value.chars().count()) {
                return Err(errors::map_value_length(path(), MAX_VALUE_LENGTH));
            }
        }
        Ok(())
    })
}

/// Refuses actions that do not fit to their types, and namespaces that are used twice.
pub(super) fn check(cx: &Tx<'_>, pipeline: &PipelineDeclaration) -> Result<()> {
    let mut namespaces = HashSet::new();
    for_each_action(pipeline, |_, stage, action| {
        check_action(cx, action)?;
        match action.namespace.as_deref() {
            Some(namespace) if !namespaces.insert(namespace) => {
                Err(errors::namespace_repeated(stage.own_name(), name_of(action), namespace))
            }
            _ => Ok(()),
        }
    })
}

/// Calls `check` with the position of each action, its stage, and the action. An error is one of that action.
fn for_each_action<'p>(
    pipeline: &'p PipelineDeclaration,
    mut check: impl FnMut((usize, usize), &'p StageDeclaration, &'p ActionDeclaration) -> Result<()>,
) -> Result<()> {
    for (at, stage) in pipeline.all_stages().iter().enumerate() {
        for (n, action) in stage.all_actions().iter().enumerate() {
            check((at, n), stage, action).map_err(|error| error.with_field(action_path(at, n)))?;
        }
    }
    Ok(())
}

fn name_of(action: &ActionDeclaration) -> &str {
    action.name.as_deref().unwrap_or_default()
}

fn check_action(cx: &Tx<'_>, action: &ActionDeclaration) -> Result<()> {
    let name = name_of(action);
    let region = action.region.as_deref().unwrap_or(cx.scope().region());
    if action.is_source() && region != cx.scope().region() {
        return Err(errors::source_in_other_region(name, region));
    }
    let found = find_type(cx, action, region)?;
    let inputs = action.input_artifacts.iter().flatten().count();
    check_count(name, "input", inputs, found.input_artifact_details.as_ref())?;
    let outputs = action.output_artifacts.iter().flatten().count();
    check_count(name, "output", outputs, found.output_artifact_details.as_ref())?;
    check_configuration(action, &found)?;
    check_commands(action)?;
    if action.timeout_in_minutes.is_some() && action.category() != Some(&ActionCategory::Approval) {
        return Err(errors::timeout_of_action(name));
    }
    let mut variables = action.environment_variables.iter().flatten();
    if variables.any(|one| one.r#type == Some(EnvironmentVariableType::ParameterStore)) {
        return Err(errors::parameter_store_unsupported());
    }
    Ok(())
}

fn find_type(cx: &Tx<'_>, action: &ActionDeclaration, region: &str) -> Result<ActionType> {
    let id = action.action_type_id.as_ref();
    if let Some(found) = id.map(|id| action_type::find(cx, id)).transpose()?.flatten() {
        return Ok(found);
    }
    let category = action.category().map(ToString::to_string).unwrap_or_default();
    let owner = id.and_then(|id| id.owner.as_ref()).map(owner_on_wire).unwrap_or_default();
    let provider = id.and_then(|id| id.provider.as_deref()).unwrap_or_default();
    let version = id.and_then(|id| id.version.as_deref()).unwrap_or_default();
    let region = region.to_uppercase().replace('-', "_");
    Err(errors::action_type_unavailable(category, provider, owner, version, name_of(action), region))
}

fn check_count(action: &str, direction: &str, count: usize, details: Option<&ArtifactDetails>) -> Result<()> {
    let count = count as i64;
    let min = details.and_then(|details| details.minimum_count).unwrap_or_default();
    let max = details.and_then(|details| details.maximum_count).unwrap_or(i64::MAX);
    if count < min {
        return Err(errors::too_few_artifacts(action, count, direction, min));
    }
    if count > max {
        return Err(errors::too_many_artifacts(action, count, direction, max));
    }
    Ok(())
}

/// Refuses a configuration without a required property. The properties of a custom type are complete, so that others are refused.
fn check_configuration(action: &ActionDeclaration, found: &ActionType) -> Result<()> {
    let name = name_of(action);
    let properties = found.properties_list();
    let has = |property: &str| action.configuration.as_ref().is_some_and(|all| all.get(property).is_some());
    let required = properties.iter().filter(|property| property.required == Some(true));
    for property in required.filter_map(|property| property.name.as_deref()) {
        if !has(property) {
            return Err(errors::configuration_missing(name, property));
        }
    }
    if found.owner() != Some(&ActionOwner::Custom) {
        return Ok(());
    }
    let is_known = |key: &str| properties.iter().any(|property| property.name.as_deref() == Some(key));
    match action.configuration.iter().flatten().find(|(key, _)| !is_known(key)) {
        Some((key, _)) => Err(errors::configuration_unknown(name, key)),
        None => Ok(()),
    }
}

/// Refuses commands and what belongs to them in actions of other providers, and a compute action without commands.
fn check_commands(action: &ActionDeclaration) -> Result<()> {
    let name = name_of(action);
    if action.category() == Some(&ActionCategory::Compute) {
        let commands = action.commands.as_deref().unwrap_or_default();
        if commands.is_empty() {
            return Err(errors::commands_missing(name));
        }
        return match commands.iter().any(|command| command.contains('\n')) {
            true => Err(errors::multi_line_command(name)),
            false => Ok(()),
        };
    }
    let given = [
        ("commands", action.commands.is_some()),
        ("outputVariables", action.output_variables.is_some()),
        ("environmentVariables", action.environment_variables.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((member, _)) => Err(errors::only_commands(name, member)),
        None => Ok(()),
    }
}
