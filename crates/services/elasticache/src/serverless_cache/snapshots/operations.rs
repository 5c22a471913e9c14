//! Operations on snapshots of serverless caches.

use super::{
    ServerlessCacheSnapshot, ServerlessCacheSnapshotManager, ServerlessCacheSnapshotStatus,
    ServerlessCacheSnapshotType, check_quota, read_new_name, require,
};
use crate::{
    serverless_cache::{self, ServerlessPage, check_key},
    tagging,
};
use nephos_cloud::{Handler, Stored, StoredResource, Tx, tags::to_list};
use nephos_core::{Result, Tag, Text, operation, with_tags};

/// Takes a snapshot of a serverless cache.
#[operation(
    of = ServerlessCacheSnapshot, call = "create", model, overrides(tags),
    needs(serverless_cache_snapshot_name, serverless_cache_name(wire = "ServerlessCacheName")),
    takes(crypto_key_id, tags), wraps(serverless_cache_snapshot), effect = write,
    subject = "serverlesscachesnapshot:{ServerlessCacheSnapshotName} + serverlesscache:{ServerlessCacheName}", also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateServerlessCacheSnapshot {}

impl Handler for CreateServerlessCacheSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let field = "ServerlessCacheSnapshotName";
        let name = read_new_name(cx, &self.serverless_cache_snapshot_name, field)?;
        let cache = serverless_cache::require(cx, &self.serverless_cache_name)?;
        cache.check_available()?;
        check_quota(cx, cache.own_name())?;
        let mut snapshot = ServerlessCacheSnapshot::of_cache(cx, &cache, name);
        snapshot.crypto_key_id = self.crypto_key_id.or(snapshot.crypto_key_id);
        snapshot.tags = to_list(tags);
        check_key(cx, snapshot.own_arn(), snapshot.crypto_key_id.as_deref())?;
        cx.put_and_schedule_transition(snapshot.clone())?;
        Ok(snapshot.into())
    }
}

/// Copies a snapshot of a serverless cache. The copy is kept until it is deleted.
#[operation(
    of = ServerlessCacheSnapshot, call = "copy", on_model(target_serverless_cache_snapshot_name),
    wraps(serverless_cache_snapshot), effect = write,
    subject = "serverlesscachesnapshot:{SourceServerlessCacheSnapshotName} \
        + serverlesscachesnapshot:{TargetServerlessCacheSnapshotName}", also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CopyServerlessCacheSnapshot {
    /// Name of the snapshot.
    #[field(from_field = "ServerlessCacheSnapshotName")]
    pub source_serverless_cache_snapshot_name: Text,
    /// Name of the copy.
    #[field(length(1..=255))]
    pub target_serverless_cache_snapshot_name: Text,
    /// KMS key that the copy is encrypted with; the key of the snapshot by default.
    #[field(wire = "KmsKeyId", length(1..=2048), condition = "elasticache:KmsKeyId")]
    pub crypto_key_id: Option<Text>,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CopyServerlessCacheSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let field = "SourceServerlessCacheSnapshotName";
        let mut copy = require(cx, &self.source_serverless_cache_snapshot_name, field)?;
        copy.check_available(field)?;
        let field = "TargetServerlessCacheSnapshotName";
        let name = read_new_name(cx, &self.target_serverless_cache_snapshot_name, field)?;
        check_quota(cx, copy.serverless_cache_name.as_deref().unwrap_or_default())?;
        copy.complete_new(cx, name);
        copy.crypto_key_id = self.crypto_key_id.or(copy.crypto_key_id);
        copy.tags = to_list(tags);
        check_key(cx, copy.own_arn(), copy.crypto_key_id.as_deref())?;
        cx.put_and_schedule_transition(copy.clone())?;
        Ok(copy.into())
    }
}

/// Deletes a snapshot of a serverless cache.
#[operation(
    of = ServerlessCacheSnapshot, call = "delete", on_model, needs(serverless_cache_snapshot_name),
    wraps(serverless_cache_snapshot), effect = write
)]
pub struct DeleteServerlessCacheSnapshot {}

impl Handler for DeleteServerlessCacheSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "ServerlessCacheSnapshotName";
        let mut snapshot = require(cx, &self.serverless_cache_snapshot_name, field)?;
        snapshot.check_available(field)?;
        snapshot.status = Some(ServerlessCacheSnapshotStatus::Deleting);
        cx.put_and_schedule_transition(snapshot.clone())?;
        Ok(snapshot.into())
    }
}

/// Describes snapshots of serverless caches, in order of their names.
#[operation(
    of = ServerlessCacheSnapshot, call = "list",
    page(serverless_cache_snapshots(item = "ServerlessCacheSnapshot"), next_token), include(ServerlessPage),
    find(serverless_cache_snapshot_name), with = with_tags, effect = read,
    subject = "serverlesscachesnapshot:{ServerlessCacheSnapshotName} \
        + ServerlessCacheName? serverlesscache:{ServerlessCacheName}"
)]
pub struct DescribeServerlessCacheSnapshots {
    /// Name of the cache whose snapshots are described.
    pub serverless_cache_name: Option<Text>,
    /// Name of one snapshot.
    pub serverless_cache_snapshot_name: Option<Text>,
    /// Type of the snapshots.
    pub snapshot_type: Option<ServerlessCacheSnapshotType>,
}

impl Handler for DescribeServerlessCacheSnapshots {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cache = self.serverless_cache_name.as_ref().map(|name| name.to_ascii_lowercase());
        let is_selected = |snapshot: &ServerlessCacheSnapshot| {
            let is_of_cache =
                cache.is_none() || snapshot.serverless_cache_name.as_deref() == cache.as_deref();
            is_of_cache && (self.snapshot_type.is_none() || snapshot.snapshot_type == self.snapshot_type)
        };
        let page = match &self.serverless_cache_snapshot_name {
            Some(name) => {
                let found = require(cx, name, "ServerlessCacheSnapshotName")?;
                cx.page_list(&self, Some(found).filter(is_selected))?
            }
            None => {
                let snapshots = ServerlessCacheSnapshot::table(cx.scope());
                cx.page_rows(&self, &snapshots, |snapshot| Ok(Some(snapshot).filter(is_selected)))?
            }
        };
        Ok(page.into())
    }
}
