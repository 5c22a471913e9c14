//! Operations on snapshots of clusters.

use super::{DBClusterSnapshot, DBClusterSnapshotManager};
use crate::{
    DBCluster, SnapshotTypes, cluster, errors,
    filters::{self, Filter, Filters},
    identifier::{self, Page},
    snapshot::{
        SavedClusterRow,
        family::{self, CopyRequest, MANUAL, Snapshot},
        operations::is_same,
        sharing::{self, SharingChange},
    },
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Record, Result, Tag, Text, operation};

/// Filters of snapshots of clusters.
const FILTERS: &[&str] = &["db-cluster-id", "db-cluster-snapshot-id", "snapshot-type", "engine"];

/// Makes a snapshot of a cluster, which must be available.
#[operation(
    of = DBClusterSnapshot, call = "create", model, overrides(tag_list),
    needs(db_cluster_snapshot_identifier, db_cluster_identifier), takes(tag_list(wire = "Tags")),
    wraps(db_cluster_snapshot(name = "DBClusterSnapshot")), effect = write, also_requires("AddTagsToResource" = "TagList?"),
    subject = "cluster-snapshot:{DBClusterSnapshotIdentifier} + cluster:{DBClusterIdentifier}"
)]
pub struct CreateDBClusterSnapshot {}

impl Handler for CreateDBClusterSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = cluster::require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        let field = DBClusterSnapshot::IDENTIFIER;
        let id = family::read_manual::<DBClusterSnapshot>(cx, &self.db_cluster_snapshot_identifier, field)?;
        let snapshot = cluster.take_snapshot(cx, id, self.tag_list.as_deref())?;
        cluster.status = Some("backing-up".into());
        cx.put_and_schedule_transition(cluster)?;
        Ok(snapshot.into())
    }
}

impl DBCluster {
    /// Makes a manual snapshot of the cluster, which must be available. Its status does not change. The tags of the cluster are copied
    /// if it is set up so; given ones win.
    pub(crate) fn take_snapshot(
        &self,
        cx: &mut Tx<'_>,
        id: Text,
        tags: Option<&[Tag]>,
    ) -> Result<DBClusterSnapshot> {
        if self.status_text() != "available" {
            let error = errors::cluster_not_available_for_snapshot(self.id()).with_hint(self.status_text());
            return Err(error.with_field("DBClusterIdentifier"));
        }
        let mut snapshot = DBClusterSnapshot::of_cluster(cx, self, id, MANUAL)?;
        let copied = self.tag_list.as_deref().filter(|_| self.copy_tags_to_snapshot == Some(true));
        snapshot.tag_list = Some(family::merge_tags(tags, copied)?);
        SavedClusterRow::keep(cx, self, snapshot.own_arn())?;
        snapshot.store_manual(cx)?;
        Ok(snapshot)
    }
}

/// Describes snapshots of clusters, in order of their identifiers: those of the account, and shared ones if they are asked for.
#[operation(
    of = DBClusterSnapshot, call = "list",
    page(db_cluster_snapshots(name = "DBClusterSnapshots", item = "DBClusterSnapshot"), marker), include(Page),
    find(db_cluster_snapshot_identifier), effect = read, access = list
)]
pub struct DescribeDBClusterSnapshots {
    /// Identifier of a cluster: only its snapshots. Not together with one of a snapshot.
    #[field(name = "DBClusterIdentifier")]
    pub db_cluster_identifier: Option<Text>,
    /// Identifier of one snapshot; the ARN of one of another account.
    #[field(name = "DBClusterSnapshotIdentifier")]
    pub db_cluster_snapshot_identifier: Option<Text>,
    /// Type: manual, automated, shared, public or awsbackup. Manual and automated ones by default.
    pub snapshot_type: Option<Text>,
    /// Filters: db-cluster-id, db-cluster-snapshot-id, snapshot-type or engine.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// True for snapshots that other accounts share with this one, too.
    pub include_shared: Option<bool>,
    /// True for snapshots that other accounts share with all, too.
    pub include_public: Option<bool>,
    /// Resource ID of a cluster: only its snapshots.
    pub db_cluster_resource_id: Option<Text>,
}

impl Handler for DescribeDBClusterSnapshots {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        if self.db_cluster_identifier.is_some() && self.db_cluster_snapshot_identifier.is_some() {
            return Err(errors::cluster_and_snapshot().with_field("DBClusterIdentifier"));
        }
        let types = SnapshotTypes::read(
            self.snapshot_type.as_deref(),
            self.include_shared == Some(true),
            self.include_public == Some(true),
        )?;
        let cluster =
            self.db_cluster_identifier.as_deref().map(|id| identifier::name_of::<DBCluster>(cx, id));
        let is_shown = |snapshot: &DBClusterSnapshot| {
            types.has(snapshot.snapshot_type.as_deref())
                && is_same(cluster.as_deref(), snapshot.db_cluster_identifier.as_deref())
                && is_same(self.db_cluster_resource_id.as_deref(), snapshot.db_cluster_resource_id.as_deref())
                && snapshot.matches(&filters)
        };
        let id = self.db_cluster_snapshot_identifier.as_deref();
        Ok(types.page(cx, &self, id, is_shown)?.into())
    }
}

impl DBClusterSnapshot {
    /// True if the snapshot matches all filters.
    fn matches(&self, filters: &Filters<'_>) -> bool {
        filters.match_all(|name, value| match name {
            "db-cluster-id" => {
                // An ARN ends with the identifier.
                let id = value.rsplit(':').next().unwrap_or(value);
                is_same(Some(id), self.db_cluster_identifier.as_deref())
            }
            "db-cluster-snapshot-id" => {
                is_same(Some(value), self.db_cluster_snapshot_identifier.as_deref())
                    || is_same(Some(value), self.db_cluster_snapshot_arn.as_deref())
            }
            "snapshot-type" => self.snapshot_type.as_deref() == Some(value),
            "engine" => self.engine.as_deref() == Some(value),
            _ => false,
        })
    }
}

/// Changes the tags of a snapshot of a cluster.
#[operation(kind = DBClusterSnapshot, call = "update", changes(), effect = write)]
pub struct DBClusterSnapshotUpdate {}

/// Deletes a manual snapshot of a cluster. A copy that is being made ends.
#[operation(
    of = DBClusterSnapshot, call = "delete", on_model, needs(db_cluster_snapshot_identifier),
    wraps(db_cluster_snapshot(name = "DBClusterSnapshot")), effect = write
)]
pub struct DeleteDBClusterSnapshot {}

impl Handler for DeleteDBClusterSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let snapshot: DBClusterSnapshot = family::delete(cx, &self.db_cluster_snapshot_identifier)?;
        Ok(snapshot.into())
    }
}

/// Copies a snapshot of a cluster: within the Region, from another Region, or from another account that shares it.
#[operation(
    of = DBClusterSnapshot, call = "copy", on_model(target_db_cluster_snapshot_identifier),
    wraps(db_cluster_snapshot(name = "DBClusterSnapshot")), effect = write, also_requires("AddTagsToResource" = "Tags?"),
    subject = "cluster-snapshot:{SourceDBClusterSnapshotIdentifier} + cluster-snapshot:{TargetDBClusterSnapshotIdentifier}"
)]
pub struct CopyDBClusterSnapshot {
    /// Identifier of the snapshot to copy; the ARN of one of another Region or account.
    #[field(name = "SourceDBClusterSnapshotIdentifier", from_field = "DBClusterSnapshotArn")]
    pub source_db_cluster_snapshot_identifier: Text,
    /// Identifier of the copy.
    #[field(name = "TargetDBClusterSnapshotIdentifier")]
    pub target_db_cluster_snapshot_identifier: Text,
    /// Crypto key of the copy of an encrypted snapshot; by default the one of the source. It is needed for a source of another Region
    /// or account.
    #[field(wire = "KmsKeyId")]
    pub crypto_key_id: Option<Text>,
    /// A signed request to the Region of the source. It is not needed: the transaction reads other Regions.
    #[field(sensitive, no_effect)]
    pub pre_signed_url: Option<Text>,
    /// True to copy the tags of the source, too.
    pub copy_tags: Option<bool>,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CopyDBClusterSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let request = CopyRequest {
            source: (&self.source_db_cluster_snapshot_identifier, "SourceDBClusterSnapshotIdentifier"),
            target: (&self.target_db_cluster_snapshot_identifier, "TargetDBClusterSnapshotIdentifier"),
            crypto_key: self.crypto_key_id.as_deref(),
            copy_tags: self.copy_tags,
            tags: self.tags.as_deref(),
        };
        let (copy, source) = request.make::<DBClusterSnapshot>(cx)?;
        family::store_copy(cx, &copy, &source)?;
        Ok(copy.into())
    }
}

/// An attribute of a snapshot of a cluster.
#[derive(Record)]
#[record(answer)]
pub struct DBClusterSnapshotAttribute {
    /// Name: restore.
    attribute_name: Option<Text>,
    /// Accounts that may copy the snapshot and restore clusters from it; `all` for all accounts.
    #[field(item = "AttributeValue")]
    attribute_values: Option<Vec<Text>>,
}

/// The attributes of a snapshot of a cluster.
#[derive(Record)]
#[record(answer)]
pub struct DBClusterSnapshotAttributesResult {
    /// Identifier of the snapshot.
    #[field(name = "DBClusterSnapshotIdentifier")]
    db_cluster_snapshot_identifier: Option<Text>,
    /// Attributes.
    #[field(name = "DBClusterSnapshotAttributes", item = "DBClusterSnapshotAttribute")]
    db_cluster_snapshot_attributes: Option<Vec<DBClusterSnapshotAttribute>>,
}

impl DBClusterSnapshotAttributesResult {
    fn new(snapshot: &DBClusterSnapshot, accounts: Vec<Text>) -> Self {
        let restore = DBClusterSnapshotAttribute {
            attribute_name: Some(sharing::RESTORE.into()),
            attribute_values: Some(accounts),
        };
        Self {
            db_cluster_snapshot_identifier: snapshot.db_cluster_snapshot_identifier.clone(),
            db_cluster_snapshot_attributes: Some(vec![restore]),
        }
    }
}

/// Describes the attributes of a snapshot of a cluster.
#[operation(
    of = DBClusterSnapshot, call = "attributes", on_model, needs(db_cluster_snapshot_identifier),
    wraps(
        db_cluster_snapshot_attributes_result(name = "DBClusterSnapshotAttributesResult"): DBClusterSnapshotAttributesResult
    ),
    effect = read, access = list
)]
pub struct DescribeDBClusterSnapshotAttributes {}

impl Handler for DescribeDBClusterSnapshotAttributes {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let snapshot: DBClusterSnapshot =
            family::require(cx, &self.db_cluster_snapshot_identifier, DBClusterSnapshot::IDENTIFIER)?;
        let accounts = sharing::accounts(cx, snapshot.own_arn())?;
        Ok(DBClusterSnapshotAttributesResult::new(&snapshot, accounts).into())
    }
}

/// Shares a manual snapshot of a cluster with accounts, or no longer. An encrypted one is shared with named accounts only, and not if
/// it is encrypted under the default crypto key of the service.
#[operation(
    of = DBClusterSnapshot, call = "modify_attribute", on_model(attribute_name), needs(db_cluster_snapshot_identifier),
    wraps(
        db_cluster_snapshot_attributes_result(name = "DBClusterSnapshotAttributesResult"): DBClusterSnapshotAttributesResult
    ),
    effect = write
)]
pub struct ModifyDBClusterSnapshotAttribute {
    /// Name of the attribute: restore.
    pub attribute_name: Text,
    /// Accounts to share the snapshot with; `all` for all accounts.
    #[field(item = "AttributeValue")]
    pub values_to_add: Option<Vec<Text>>,
    /// Accounts to share the snapshot with no longer.
    #[field(item = "AttributeValue")]
    pub values_to_remove: Option<Vec<Text>>,
}

impl Handler for ModifyDBClusterSnapshotAttribute {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let snapshot: DBClusterSnapshot =
            family::require(cx, &self.db_cluster_snapshot_identifier, DBClusterSnapshot::IDENTIFIER)?;
        let change = SharingChange {
            attribute: &self.attribute_name,
            add: self.values_to_add.as_deref().unwrap_or_default(),
            remove: self.values_to_remove.as_deref().unwrap_or_default(),
        };
        let accounts = change.apply(cx, &snapshot)?;
        Ok(DBClusterSnapshotAttributesResult::new(&snapshot, accounts).into())
    }
}
