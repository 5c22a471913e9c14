//! Versions of a pipeline, which hold its structure: the row of the pipeline itself has only what listings show.

use super::{Pipeline, PipelineDeclaration};
use nephos_cloud::{Key, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, Timestamp};

/// Row of a version of a pipeline.
#[derive(Record)]
#[record(row, name = "PipelineVersionRow")]
pub(crate) struct VersionRow {
    /// Name of the pipeline.
    name: Option<Text>,
    /// Number of the version.
    number: Option<i64>,
    /// Structure of the version.
    pub(super) declaration: Option<PipelineDeclaration>,
    /// Time at which the version began.
    pub(super) updated: Option<Timestamp>,
}

nephos_cloud::stored!(VersionRow in "codepipeline/pipeline-version" by name, number);

fn versions_key(cx: &Tx<'_>, name: &str) -> Key {
    VersionRow::table(cx.scope()).text(name)
}

/// Adds a version of a pipeline, which begins now.
pub(super) fn add(cx: &mut Tx<'_>, declaration: &PipelineDeclaration) -> Result<()> {
    let name = declaration.name.clone();
    let number = declaration.version;
    let updated = Some(cx.now());
    cx.put(VersionRow { name, number, updated, declaration: Some(declaration.clone()) })
}

/// Finds a version of the pipeline with this name.
pub(super) fn find(cx: &Tx<'_>, name: &str, number: i64) -> Result<Option<VersionRow>> {
    cx.get(&versions_key(cx, name).number(number))
}

/// Removes all versions of a pipeline.
pub(super) fn remove_all(cx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<()> {
    let range = versions_key(cx, pipeline.own_name()).prefix_range();
    cx.remove_all(&range).map(drop)
}
