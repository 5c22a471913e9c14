//! Tags of automated backups, which the operations on their database take.

use crate::{TagSpecification, errors, tagging::RULES};
use nephos_cloud::{Stored, Tx, tags::to_list};
use nephos_core::{Map, Record, Result, Tag, Text, tags::to_map};

/// Type of the automated backups of an instance.
pub(crate) const OF_INSTANCE: &str = "auto-backup";

/// Type of the automated backups of a cluster.
pub(crate) const OF_CLUSTER: &str = "cluster-auto-backup";

/// Row with the tags of the automated backups of a database.
#[derive(Record)]
#[record(row)]
pub(crate) struct BackupTagsRow {
    /// ARN of the automated backups.
    backups_arn: Option<Text>,
    /// Tags.
    tag_list: Option<Vec<Tag>>,
}

nephos_cloud::stored!(BackupTagsRow in "rds/backup-tags" by backups_arn);

/// Reads the tags of automated backups of a type; tags of other resources are refused.
pub(crate) fn read_tags(given: Option<&[TagSpecification]>, kind: &str) -> Result<Map<Text>> {
    let mut tags = Vec::new();
    for specification in given.unwrap_or_default() {
        let own = specification.resource_type.as_deref().unwrap_or_default();
        if own != kind {
            return Err(errors::tagged_type_invalid(own, kind).with_field("TagSpecifications"));
        }
        tags.extend(specification.tags.iter().flatten().cloned());
    }
    RULES.read_list(&tags).map_err(|error| error.with_field("TagSpecifications"))
}

/// Returns the tags of the automated backups with this ARN.
pub(crate) fn tags_of(cx: &Tx<'_>, backups_arn: &str) -> Result<Vec<Tag>> {
    let row: Option<BackupTagsRow> = cx.get(&BackupTagsRow::table(cx.scope()).text(backups_arn))?;
    Ok(row.and_then(|row| row.tag_list).unwrap_or_default())
}

/// Adds tags to the automated backups with this ARN; tags with the same keys are replaced.
pub(crate) fn add_tags(cx: &mut Tx<'_>, backups_arn: &str, given: Map<Text>) -> Result<()> {
    if given.is_empty() {
        return Ok(());
    }
    let tags = RULES.add(to_map(&tags_of(cx, backups_arn)?), given)?;
    cx.put(BackupTagsRow { backups_arn: Some(backups_arn.into()), tag_list: to_list(tags) })
}

/// Removes the tags of the automated backups with this ARN.
pub(crate) fn remove_tags(cx: &mut Tx<'_>, backups_arn: &str) -> Result<()> {
    let row: Option<BackupTagsRow> = cx.get(&BackupTagsRow::table(cx.scope()).text(backups_arn))?;
    row.map_or(Ok(()), |row| cx.remove(&row))
}
