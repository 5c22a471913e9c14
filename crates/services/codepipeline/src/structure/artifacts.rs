//! Checks of artifacts: each is produced once, by an action before those that take it.

use super::{action_path, find_repeated};
use crate::{
    errors,
    pipeline::{ActionDeclaration, PipelineDeclaration},
};
use nephos_core::Result;
use std::collections::HashMap;

/// Refuses outputs with the same name, and inputs that no earlier action produces: of an earlier stage, or of a lower run order.
pub(super) fn check(pipeline: &PipelineDeclaration) -> Result<()> {
    let mut produced: HashMap<&str, (usize, i64)> = HashMap::new();
    for_each(pipeline, |position, action| {
        for output in action.output_artifacts.iter().flatten().filter_map(|one| one.name.as_deref()) {
            if produced.insert(output, position).is_some() {
                return Err(errors::output_repeated(output));
            }
        }
        Ok(())
    })?;
    for_each(pipeline, |position, action| {
        let name = action.name.as_deref().unwrap_or_default();
        let inputs = || action.input_artifacts.iter().flatten().filter_map(|one| one.name.as_deref());
        if let Some(input) = find_repeated(inputs()) {
            return Err(errors::input_repeated(input, name));
        }
        for input in inputs() {
            if produced.get(input).is_none_or(|at| *at >= position) {
                return Err(errors::input_not_produced(input, name));
            }
        }
        Ok(())
    })
}

/// Calls `check` with each action and its position: its stage and run order.
fn for_each<'p>(
    pipeline: &'p PipelineDeclaration,
    mut check: impl FnMut((usize, i64), &'p ActionDeclaration) -> Result<()>,
) -> Result<()> {
    for (at, stage) in pipeline.all_stages().iter().enumerate() {
        for (n, action) in stage.all_actions().iter().enumerate() {
            let position = (at, action.run_order.unwrap_or(1));
            check(position, action).map_err(|error| error.with_field(action_path(at, n)))?;
        }
    }
    Ok(())
}
