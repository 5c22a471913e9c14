//! Checks of the structure of a pipeline, in the order of the service: stores and role, stages, actions, artifacts.

mod actions;
mod artifacts;
mod roles;
mod stages;
mod stores;

use crate::{
    errors,
    pipeline::{ExecutionMode, PipelineDeclaration, PipelineType},
};
use nephos_cloud::Tx;
use nephos_core::{Error, Result};
use std::collections::HashSet;

/// Refuses a pipeline whose structure is invalid.
pub(crate) fn check(cx: &mut Tx<'_>, pipeline: &PipelineDeclaration) -> Result<()> {
    let result = actions::check_maps(pipeline)
        .and_then(|()| stores::check(cx, pipeline))
        .and_then(|()| stages::check(pipeline))
        .and_then(|()| actions::check(cx, pipeline))
        .and_then(|()| artifacts::check(pipeline))
        .and_then(|()| check_type(pipeline))
        .and_then(|()| check_triggers(pipeline))
        .and_then(|()| roles::check(cx, pipeline));
    result.map_err(|error| error.in_field("pipeline"))
}

/// Returns the first text that occurs twice.
fn find_repeated<'t>(texts: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    let mut seen = HashSet::new();
    let mut texts = texts;
    texts.find(|text| !seen.insert(*text))
}

/// Path of an action in a pipeline.
fn action_path(stage: usize, action: usize) -> String {
    format!("stages[{stage}].actions[{action}]")
}

/// Refuses what only pipelines of the second type have, and variables with the same name.
fn check_type(pipeline: &PipelineDeclaration) -> Result<()> {
    let variables = pipeline.variables.as_deref().unwrap_or_default();
    if let Some(name) = find_repeated(variables.iter().filter_map(|one| one.name.as_deref())) {
        return Err(errors::variable_repeated(name).with_field("variables"));
    }
    if pipeline.pipeline_type == Some(PipelineType::V2) {
        return Ok(());
    }
    let refused = |what: &str, field: &str| -> Result<()> { Err(errors::only_v2(what).with_field(field)) };
    if !variables.is_empty() {
        return refused("Variables", "variables");
    }
    if pipeline.triggers.as_ref().is_some_and(|triggers| !triggers.is_empty()) {
        return refused("Triggers", "triggers");
    }
    match pipeline.execution_mode {
        None | Some(ExecutionMode::Superseded) => {}
        Some(_) => return refused("Execution modes QUEUED and PARALLEL", "executionMode"),
    }
    match pipeline.all_stages().iter().position(|stage| stage.all_conditions().next().is_some()) {
        Some(n) => refused("Stage conditions", &format!("stages[{n}]")),
        None => Ok(()),
    }
}

/// Refuses triggers of actions that are no connections to repositories, or that have a trigger already.
fn check_triggers(pipeline: &PipelineDeclaration) -> Result<()> {
    let refused = |n: usize, error: Error| Err(error.with_field(format!("triggers[{n}].gitConfiguration")));
    let mut used = HashSet::new();
    for (n, trigger) in pipeline.triggers.iter().flatten().enumerate() {
        let Some(git) = &trigger.git_configuration else { continue };
        let name = git.source_action_name.as_deref().unwrap_or_default();
        let is_connection = pipeline.all_actions().any(|action| {
            let provider = action.action_type_id.as_ref().and_then(|id| id.provider.as_deref());
            action.name.as_deref() == Some(name)
                && action.is_source()
                && provider == Some("CodeStarSourceConnection")
        });
        if !is_connection {
            return refused(n, errors::trigger_source_missing(name));
        }
        if !used.insert(name) {
            return refused(n, errors::trigger_source_repeated(name));
        }
        let mut filters = git.push.iter().flatten();
        if filters.any(|one| one.tags.is_some() && (one.branches.is_some() || one.file_paths.is_some())) {
            return refused(n, errors::trigger_tags_and_branches());
        }
    }
    Ok(())
}
