//! The operation that copies a snapshot of an instance.

use super::{
    DBSnapshot, DBSnapshotManager,
    family::{self, CopyRequest, Readable},
};
use crate::{engine, errors, instance};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Tag, Text, operation};

/// Copies a snapshot: within the Region, from another Region, or from another account that shares it.
#[operation(
    of = DBSnapshot, call = "copy", on_model(target_db_snapshot_identifier), wraps(db_snapshot(name = "DBSnapshot")),
    effect = write, also_requires("AddTagsToResource" = "Tags?"),
    subject = "snapshot:{SourceDBSnapshotIdentifier} + snapshot:{TargetDBSnapshotIdentifier} + \
        OptionGroupName? og:{OptionGroupName}"
)]
pub struct CopyDBSnapshot {
    /// Identifier of the snapshot to copy; the ARN of one of another Region or account.
    #[field(name = "SourceDBSnapshotIdentifier", from_field = "DBSnapshotArn")]
    pub source_db_snapshot_identifier: Text,
    /// Identifier of the copy.
    #[field(name = "TargetDBSnapshotIdentifier")]
    pub target_db_snapshot_identifier: Text,
    /// Crypto key of the copy; by default the one of the source. It is needed for an encrypted source of another Region or account.
    #[field(wire = "KmsKeyId")]
    pub crypto_key_id: Option<Text>,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<Tag>>,
    /// True to copy the tags of the source, too.
    pub copy_tags: Option<bool>,
    /// A signed request to the Region of the source. It is not needed: the transaction reads other Regions.
    #[field(sensitive, no_effect)]
    pub pre_signed_url: Option<Text>,
    /// Option group of the copy. By default the one of the source, or the default one of the version in another Region or account.
    pub option_group_name: Option<Text>,
    /// Zone of a customer. There are none, so every one is refused.
    pub target_custom_availability_zone: Option<Text>,
    /// Place of the copy: region. There are no Outposts and no local zones, so others are refused.
    pub snapshot_target: Option<Text>,
    /// True to copy the option group to the account, too. It is refused.
    pub copy_option_group: Option<bool>,
    /// Zone of the copy in a local zone. There are none, so every one is refused.
    pub snapshot_availability_zone: Option<Text>,
}

impl Handler for CopyDBSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.refuse_unsupported()?;
        let request = CopyRequest {
            source: (&self.source_db_snapshot_identifier, "SourceDBSnapshotIdentifier"),
            target: (&self.target_db_snapshot_identifier, "TargetDBSnapshotIdentifier"),
            crypto_key: self.crypto_key_id.as_deref(),
            copy_tags: self.copy_tags,
            tags: self.tags.as_deref(),
        };
        let (mut copy, source) = request.make::<DBSnapshot>(cx)?;
        copy.option_group_name = self.choose_option_group(cx, &source)?;
        copy.source_region = Some(source.scope.region().into());
        family::store_copy(cx, &copy, &source)?;
        Ok(copy.into())
    }
}

impl CopyDBSnapshot {
    /// Refuses what no account here can have.
    fn refuse_unsupported(&self) -> Result<()> {
        if let Some(zone) = &self.target_custom_availability_zone {
            let error = errors::custom_zone_not_found(zone);
            return Err(error.with_field("TargetCustomAvailabilityZone"));
        }
        let target = self.snapshot_target.as_deref();
        instance::refuse_given(
            &[("SnapshotTarget", target.is_some_and(|target| target != "region"))],
            errors::outposts_unsupported,
        )?;
        instance::refuse_given(
            &[
                ("CopyOptionGroup", self.copy_option_group == Some(true)),
                ("SnapshotAvailabilityZone", self.snapshot_availability_zone.is_some()),
            ],
            errors::snapshot_copy_unsupported,
        )
    }

    /// Returns the name of the option group of the copy.
    fn choose_option_group(&self, cx: &Tx<'_>, source: &Readable<DBSnapshot>) -> Result<Option<Text>> {
        let snapshot = &source.snapshot;
        if self.option_group_name.is_none() && source.scope == *cx.scope() {
            return Ok(snapshot.option_group_name.clone());
        }
        let engine = engine::require(snapshot.engine.as_deref().unwrap_or_default())?;
        let version = engine.version(snapshot.engine_version.as_deref().unwrap_or_default())?;
        let default = version.default_option_group();
        let name = self.option_group_name.as_deref().unwrap_or(&default);
        instance::require_option_group(cx, name, version).map(Some)
    }
}
