//! Artifacts of runs: places in the artifact store of the Region of the action.

use super::{ActionRunRow, ArtifactDetail, S3Location};
use crate::pipeline::{ActionDeclaration, InputArtifact, PipelineDeclaration};
use nephos_core::{Ids, Text};

/// Maximum number of characters of the pipeline's name in the key of an artifact.
const MAX_PIPELINE_PART: usize = 20;
/// Maximum number of characters of the artifact's name in the key of an artifact.
const MAX_ARTIFACT_PART: usize = 10;
/// Number of random characters at the end of the key of an artifact.
const RANDOM_PART: usize = 7;

/// Returns the artifacts that an action produces, at new places of the artifact store.
pub(super) fn new_outputs(
    ids: &Ids,
    own_region: &str,
    pipeline: &PipelineDeclaration,
    action: &ActionDeclaration,
) -> Vec<ArtifactDetail> {
    let region = action.region.as_deref().unwrap_or(own_region);
    let bucket = pipeline.store_of(region).and_then(|store| store.location.clone());
    let cut = |text: &str, max: usize| text.chars().take(max).collect::<String>();
    let to_place = |name: &Text| {
        let pipeline = cut(pipeline.own_name(), MAX_PIPELINE_PART);
        let artifact = cut(name, MAX_ARTIFACT_PART);
        let key = format!("{pipeline}/{artifact}/{}", ids.alphanumeric(RANDOM_PART));
        let s3location = Some(S3Location { bucket: bucket.clone(), key: Some(key.into()) });
        ArtifactDetail { name: Some(name.clone()), s3location }
    };
    let outputs = action.output_artifacts.iter().flatten();
    outputs.filter_map(|output| output.name.as_ref()).map(to_place).collect()
}

/// Returns artifacts as the runs before produced them.
pub(super) fn find_named<'a>(
    wanted: impl Iterator<Item = &'a InputArtifact>,
    runs: &[ActionRunRow],
) -> Vec<ArtifactDetail> {
    let produced = |name: &Text| {
        let current = runs.iter().rev().filter(|run| run.is_current() && run.is_succeeded());
        let mut outputs = current.flat_map(|run| run.output_artifacts.iter().flatten());
        outputs.find(|output| output.name.as_ref() == Some(name)).cloned()
    };
    wanted.filter_map(|input| input.name.as_ref()).filter_map(produced).collect()
}
