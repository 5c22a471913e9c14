//! Checks of artifact stores: one for each Region that has actions.

use super::action_path;
use crate::{errors, pipeline::PipelineDeclaration};
use nephos_cloud::Tx;
use nephos_core::Result;

/// Refuses a pipeline without an artifact store, with both forms of it, or with actions in a Region without a store.
pub(super) fn check(cx: &Tx<'_>, pipeline: &PipelineDeclaration) -> Result<()> {
    let own = cx.scope().region();
    let stores = match (&pipeline.artifact_store, &pipeline.artifact_stores) {
        (None, None) => return Err(errors::no_artifact_store().with_field("artifactStore")),
        (Some(_), Some(_)) => return Err(errors::both_artifact_stores().with_field("artifactStores")),
        (_, stores) => stores.as_ref(),
    };
    if stores.is_some_and(|stores| stores.get(own).is_none()) {
        return Err(errors::own_region_without_store(own).with_field("artifactStores"));
    }
    for (at, stage) in pipeline.all_stages().iter().enumerate() {
        for (n, action) in stage.all_actions().iter().enumerate() {
            let Some(region) = action.region.as_deref().filter(|region| *region != own) else { continue };
            // A source action of another Region is refused for that.
            if !action.is_source() && stores.is_none_or(|stores| stores.get(region).is_none()) {
                let name = action.name.as_deref().unwrap_or_default();
                return Err(errors::region_without_store(name, region).with_field(action_path(at, n)));
            }
        }
    }
    Ok(())
}
