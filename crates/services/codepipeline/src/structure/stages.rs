//! Checks of stages: numbers, names, sources, and conditions.

use super::{action_path, find_repeated};
use crate::{
    errors,
    pipeline::{ConditionResult, PipelineDeclaration, StageDeclaration},
};
use nephos_core::Result;

/// Minimum number of stages of a pipeline.
const MIN_STAGES: usize = 2;
/// Maximum number of stages of a pipeline.
const MAX_STAGES: usize = 50;
/// Maximum number of actions of a stage.
const MAX_STAGE_ACTIONS: usize = 50;
/// Maximum number of actions of a pipeline.
const MAX_ACTIONS: usize = 500;

/// Refuses stages that are too few or too many, have the same name, or contain source actions in the wrong place.
pub(super) fn check(pipeline: &PipelineDeclaration) -> Result<()> {
    let stages = pipeline.all_stages();
    let refused = |error: nephos_core::Error| Err(error.with_field("stages"));
    if stages.len() < MIN_STAGES {
        return refused(errors::too_few_stages(stages.len()));
    }
    if stages.len() > MAX_STAGES {
        return refused(errors::too_many_stages(stages.len()));
    }
    let actions = pipeline.all_actions().count();
    if actions > MAX_ACTIONS {
        return refused(errors::too_many_actions(actions));
    }
    if let Some(name) = find_repeated(stages.iter().map(StageDeclaration::own_name)) {
        return refused(errors::stage_repeated(name));
    }
    for (n, stage) in stages.iter().enumerate() {
        check_stage(stage).map_err(|error| error.with_field(format!("stages[{n}]")))?;
        let misplaced = stage.all_actions().iter().position(|action| action.is_source() != (n == 0));
        if let Some(action) = misplaced {
            return Err(errors::source_stage().with_field(action_path(n, action)));
        }
    }
    Ok(())
}

fn check_stage(stage: &StageDeclaration) -> Result<()> {
    let name = stage.own_name();
    let actions = stage.all_actions();
    if stage.blockers.as_ref().is_some_and(|blockers| !blockers.is_empty()) {
        return Err(errors::blockers_reserved(name));
    }
    if actions.is_empty() {
        return Err(errors::stage_without_actions(name));
    }
    if actions.len() > MAX_STAGE_ACTIONS {
        return Err(errors::stage_with_many_actions(name, actions.len()));
    }
    if let Some(action) = find_repeated(actions.iter().filter_map(|action| action.name.as_deref())) {
        return Err(errors::action_repeated(action, name));
    }
    if let Some(failure) = &stage.on_failure
        && failure.retry_configuration.is_some()
        && failure.result != Some(ConditionResult::Retry)
    {
        return Err(errors::retry_configuration_without_retry(name));
    }
    for condition in stage.all_conditions() {
        let rules = condition.rules.iter().flatten().filter_map(|rule| rule.name.as_deref());
        if let Some(rule) = find_repeated(rules) {
            return Err(errors::rule_repeated(rule, name));
        }
    }
    Ok(())
}
