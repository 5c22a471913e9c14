//! Operations on snapshots of clusters.

use super::{CacheSnapshot, CacheSnapshotManager, find, require};
use crate::{CacheCluster, cluster, engine::Engine, errors, identifier, replication_group, tagging};
use nephos_cloud::{Addressed, Handler, Stored, Tx, own_arn, tags::to_list};
use nephos_core::{Result, SignedDuration, Text, operation, with_tags};

/// Maximum length of the name of a snapshot.
const MAX_NAME_LENGTH: usize = 255;

/// Maximum number of manual snapshots of a cluster within a day.
const MAX_PER_DAY: usize = 20;

/// Reads the name of a new snapshot; refuses one that is taken.
pub(crate) fn read_new_name(cx: &Tx<'_>, given: &str, field: &str) -> Result<Text> {
    let name = identifier::read(given, field, MAX_NAME_LENGTH)?;
    match find(cx, &name)? {
        Some(_) => Err(errors::snapshot_exists(&name).with_field(field.to_owned())),
        None => Ok(name),
    }
}

/// Refuses a snapshot of a cluster whose engine has none, and more than can be taken within a day.
pub(crate) fn check_cluster(cx: &Tx<'_>, cluster: &CacheCluster, field: &str) -> Result<()> {
    if cluster.own_engine()? == Engine::Memcached {
        return Err(errors::snapshot_feature_unsupported().with_field(field.to_owned()));
    }
    let mut all: Vec<CacheSnapshot> = cx.all(&CacheSnapshot::table(cx.scope()))?;
    let day = SignedDuration::from_hours(24);
    all.retain(|snapshot| {
        let is_recent = snapshot.time().is_some_and(|time| cx.now().duration_since(time) < day);
        !snapshot.is_automatic() && is_recent && snapshot.cache_cluster_id == cluster.cache_cluster_id
    });
    if cx.has_quotas() && all.len() >= MAX_PER_DAY {
        return Err(errors::too_many_snapshots());
    }
    Ok(())
}

/// Takes a snapshot of a cluster.
#[operation(
    of = CacheSnapshot, call = "create", model, overrides(tags), needs(snapshot_name), takes(settable), wraps(snapshot: CacheSnapshot),
    effect = write, subject = "snapshot:{SnapshotName} + CacheClusterId? cluster:{CacheClusterId} + \
        ReplicationGroupId? replicationgroup:{ReplicationGroupId}",
    also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateSnapshot {}

impl Handler for CreateSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = read_new_name(cx, &self.snapshot_name, "SnapshotName")?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let mut snapshot = match (&self.cache_cluster_id, &self.replication_group_id) {
            (Some(id), None) => {
                let mut cluster = cluster::require(cx, id)?;
                cluster.check_available()?;
                check_cluster(cx, &cluster, "CacheClusterId")?;
                let snapshot = CacheSnapshot::of_cluster(cx, &cluster, name, "manual")?;
                cluster.cache_cluster_status = Some("snapshotting".into());
                cx.put_and_schedule_transition(cluster)?;
                snapshot
            }
            (None, Some(id)) => {
                let mut group = replication_group::require_available(cx, id)?;
                let snapshot = group.take_snapshot(cx, name, "manual")?;
                group.status = Some("snapshotting".into());
                cx.put_and_schedule_transition(group)?;
                snapshot
            }
            _ => return Err(errors::snapshot_source_count().with_field("CacheClusterId")),
        };
        snapshot.tags = to_list(tags);
        snapshot.crypto_key_id = self.crypto_key_id.or(snapshot.crypto_key_id);
        cx.put_and_schedule_transition(snapshot.clone())?;
        Ok(snapshot.into())
    }
}

/// Copies a snapshot.
#[operation(
    of = CacheSnapshot, call = "copy", on_model(target_snapshot_name), wraps(snapshot: CacheSnapshot), effect = write,
    subject = "snapshot:{SourceSnapshotName} + snapshot:{TargetSnapshotName}", also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CopySnapshot {
    /// Name of the snapshot to copy.
    #[field(from_field = "SnapshotName")]
    pub source_snapshot_name: Text,
    /// Name of the copy.
    pub target_snapshot_name: Text,
    /// Bucket to export the snapshot to. There are no buckets, so that it is refused.
    pub target_bucket: Option<Text>,
    /// ID or ARN of the crypto key of the copy.
    #[field(wire = "KmsKeyId", condition = "elasticache:KmsKeyId")]
    pub crypto_key_id: Option<Text>,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<nephos_core::Tag>>,
}

impl Handler for CopySnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let source = require(cx, &self.source_snapshot_name, "SourceSnapshotName")?;
        source.check_available("SourceSnapshotName")?;
        if self.target_bucket.is_some() {
            return Err(errors::snapshot_objects_unsupported().with_field("TargetBucket"));
        }
        let name = read_new_name(cx, &self.target_snapshot_name, "TargetSnapshotName")?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let mut copy = source;
        copy.snapshot_name = Some(name);
        copy.arn = own_arn(&copy, cx.scope());
        copy.snapshot_source = Some("manual".into());
        copy.snapshot_status = Some("copying".into());
        copy.crypto_key_id = self.crypto_key_id.or(copy.crypto_key_id);
        copy.tags = to_list(tags);
        cx.put_and_schedule_transition(copy.clone())?;
        Ok(copy.into())
    }
}

/// Describes snapshots, in order of their names.
#[operation(
    of = CacheSnapshot, call = "list", page(snapshots(item = "Snapshot"), marker), find(snapshot_name), with = with_tags,
    effect = read, access = list
)]
pub struct DescribeSnapshots {
    /// ID of a replication group: only its snapshots.
    pub replication_group_id: Option<Text>,
    /// ID of a cluster: only its snapshots.
    pub cache_cluster_id: Option<Text>,
    /// Name of one snapshot.
    pub snapshot_name: Option<Text>,
    /// Source: system for automatic snapshots, user for others.
    pub snapshot_source: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size = 50, range(20..=50))]
    pub max_records: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// True for the settings of shards, too.
    pub show_node_group_config: Option<bool>,
}

impl Handler for DescribeSnapshots {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let source = match self.snapshot_source.as_deref() {
            None => None,
            Some("system") => Some(true),
            Some("user") => Some(false),
            Some(other) => return Err(errors::snapshot_source_invalid(other).with_field("SnapshotSource")),
        };
        let of = |given: &Option<Text>, own: &Option<Text>| {
            given
                .as_deref()
                .is_none_or(|given| own.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(given)))
        };
        let is_shown = |snapshot: &CacheSnapshot| {
            source.is_none_or(|automatic| snapshot.is_automatic() == automatic)
                && of(&self.cache_cluster_id, &snapshot.cache_cluster_id)
                && of(&self.replication_group_id, &snapshot.replication_group_id)
        };
        let shown = |mut snapshot: CacheSnapshot| {
            if self.show_node_group_config != Some(true) {
                for node in snapshot.node_snapshots.iter_mut().flatten() {
                    node.node_group_configuration = None;
                }
            }
            is_shown(&snapshot).then_some(snapshot)
        };
        let table = CacheSnapshot::table(cx.scope());
        if let Some(id) = &self.cache_cluster_id
            && CacheCluster::find_by(cx, &[id])?.is_none()
            && !cx
                .all(&table)?
                .iter()
                .any(|snapshot: &CacheSnapshot| of(&self.cache_cluster_id, &snapshot.cache_cluster_id))
        {
            // A cluster that was deleted is known by its snapshots.
            return Err(errors::cluster_not_found(id).with_field("CacheClusterId"));
        }
        let page = match &self.snapshot_name {
            Some(name) => cx.page_list(&self, shown(require(cx, name, "SnapshotName")?))?,
            None => cx.page_rows(&self, &table, |snapshot| Ok(shown(snapshot)))?,
        };
        Ok(page.into())
    }
}

/// Changes the tags of a snapshot.
#[operation(kind = CacheSnapshot, call = "update", changes(), effect = write)]
pub struct CacheSnapshotUpdate {}

/// Deletes a snapshot.
#[operation(
    of = CacheSnapshot, call = "delete", on_model, needs(snapshot_name), wraps(snapshot: CacheSnapshot), effect = write
)]
pub struct DeleteSnapshot {}

impl Handler for DeleteSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut snapshot = require(cx, &self.snapshot_name, "SnapshotName")?;
        snapshot.check_available("SnapshotName")?;
        snapshot.snapshot_status = Some("deleting".into());
        cx.put_and_schedule_transition(snapshot.clone())?;
        Ok(snapshot.into())
    }
}
