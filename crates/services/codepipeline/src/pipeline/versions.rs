//! Versions of a pipeline before the current one.

use super::{Pipeline, PipelineDeclaration};
use nephos_cloud::{Key, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, Timestamp};

/// Row of a version that was replaced by an update.
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

/// Keeps the current version of a pipeline, which an update replaces.
pub(super) fn keep(cx: &mut Tx<'_>, pipeline: Pipeline) -> Result<()> {
    let name = pipeline.name.clone();
    let number = pipeline.version;
    let updated = pipeline.updated;
    cx.put(VersionRow { name, number, updated, declaration: Some(pipeline.into()) })
}

/// Finds an earlier version of a pipeline.
pub(super) fn find(cx: &Tx<'_>, pipeline: &Pipeline, number: i64) -> Result<Option<VersionRow>> {
    cx.get(&versions_key(cx, pipeline.own_name()).number(number))
}

/// Removes all earlier versions of a pipeline.
pub(super) fn remove_all(cx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<()> {
    let range = versions_key(cx, pipeline.own_name()).prefix_range();
    cx.remove_all(&range).map(drop)
}
