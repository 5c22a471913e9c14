//! Snapshots of clusters.

mod operations;

pub use operations::*;

use super::{
    SavedClusterRow, SavedRow,
    family::{Parts, PartsMut, Snapshot, Step},
};
use crate::{
    DBCluster, SourceType, StorageEncryptionType, engine, errors,
    event::{KnownEvent, known},
};
use nephos_cloud::{Quota, Scope, StoredResource, Tx, own_arn};
use nephos_core::{Error, Resource, Result, Slot, Tag, Text, Timestamp, field_value::FieldType};

/// A snapshot of a cluster.
#[derive(Resource)]
#[resource(
    arn("DBClusterSnapshotArn", "cluster-snapshot:{DBClusterSnapshotIdentifier}"),
    not_found = |id| errors::cluster_snapshot_not_found(id),
    name = "DBClusterSnapshotIdentifier", pk = "DBClusterSnapshotArn", exists_if = "DBClusterSnapshotArn", tags = "TagList",
    relation(source, one = DBCluster, with = find_source)
)]
pub struct DBClusterSnapshot {
    /// Zones of the storage.
    #[field(item = "AvailabilityZone", service_set)]
    availability_zones: Option<Vec<Text>>,
    /// Identifier, unique within account and Region and kept in lower case: a letter, then letters, digits and single hyphens. Those
    /// that the service makes begin with `rds:`.
    #[field(name = "DBClusterSnapshotIdentifier", required, fixed, length(1..))]
    pub(crate) db_cluster_snapshot_identifier: Option<Text>,
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier", required, fixed, length(1..))]
    pub(crate) db_cluster_identifier: Option<Text>,
    /// Time of the snapshot, or of the copy. There is none while it is being created.
    #[field(service_set)]
    pub(crate) snapshot_create_time: Option<Timestamp>,
    /// Engine.
    #[field(service_set)]
    pub(crate) engine: Option<Text>,
    /// Mode of the engine.
    #[field(service_set)]
    engine_mode: Option<Text>,
    /// Size of the storage in GiB; 0 if it grows by itself.
    #[field(service_set)]
    pub(crate) allocated_storage: Option<i64>,
    /// Status: creating, copying or available.
    #[field(service_set)]
    pub(crate) status: Option<Text>,
    /// Port of a cluster in several zones; 0 for others.
    #[field(service_set)]
    port: Option<i64>,
    /// ID of the VPC of the cluster.
    #[field(service_set)]
    vpc_id: Option<Text>,
    /// Time of creation of the cluster.
    #[field(service_set)]
    cluster_create_time: Option<Timestamp>,
    /// Name of the master user.
    #[field(service_set)]
    pub(crate) master_username: Option<Text>,
    /// Version of the engine.
    #[field(service_set)]
    pub(crate) engine_version: Option<Text>,
    /// Licence model.
    #[field(service_set)]
    license_model: Option<Text>,
    /// Type: manual or automated; shared or public for a snapshot of another account.
    #[field(service_set)]
    pub(crate) snapshot_type: Option<Text>,
    /// Progress of the creation in percent.
    #[field(service_set)]
    pub(crate) percent_progress: Option<i64>,
    /// True if the snapshot is encrypted.
    #[field(service_set)]
    pub(crate) storage_encrypted: Option<bool>,
    /// Encryption of the snapshot.
    #[field(service_set)]
    pub(crate) storage_encryption_type: Option<StorageEncryptionType>,
    /// Days that automated backups of the cluster are kept.
    #[field(service_set)]
    backup_retention_period: Option<i64>,
    /// Window of the automated backups of the cluster.
    #[field(service_set)]
    preferred_backup_window: Option<Text>,
    /// ARN of the crypto key.
    #[field(wire = "KmsKeyId", service_set)]
    pub(crate) crypto_key_id: Option<Text>,
    /// ARN.
    #[field(name = "DBClusterSnapshotArn", service_set)]
    pub(crate) db_cluster_snapshot_arn: Option<Text>,
    /// ARN of the snapshot that this one was copied from.
    #[field(name = "SourceDBClusterSnapshotArn", service_set)]
    source_db_cluster_snapshot_arn: Option<Text>,
    /// True if users can sign in with credentials of the account.
    #[field(name = "IAMDatabaseAuthenticationEnabled", service_set)]
    iam_database_authentication_enabled: Option<bool>,
    /// Tags.
    #[field(item = "Tag", alias = "Tags")]
    pub(crate) tag_list: Option<Vec<Tag>>,
    /// Type of storage.
    #[field(service_set)]
    storage_type: Option<Text>,
    /// Throughput of the storage.
    #[field(service_set)]
    storage_throughput: Option<i64>,
    /// Identifier of the cluster that no other cluster ever has.
    #[field(service_set)]
    pub(crate) db_cluster_resource_id: Option<Text>,
    /// System ID of Oracle for custom clusters.
    #[field(name = "DBSystemId", service_set)]
    db_system_id: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBClusterSnapshot in "rds/cluster-snapshot" by db_cluster_snapshot_identifier;
    arn db_cluster_snapshot_arn;
    states(
        "Status":
        "creating" => "available" 60 then DBClusterSnapshot::finish_creation,
        "copying" => "available" 60 then DBClusterSnapshot::finish_creation
    )
}

impl Snapshot for DBClusterSnapshot {
    const IDENTIFIER: &'static str = "DBClusterSnapshotIdentifier";
    const MAX_LENGTH: usize = 63;
    const QUOTA: Quota =
        Quota { counter: "rds/cluster-snapshots", max: 100, what: "manual snapshots of clusters" };
    const COPIES_CAN_ENCRYPT: bool = false;
    const COPYING: &'static str = "copying";
    const SOURCE: SourceType = SourceType::DbClusterSnapshot;

    fn exists(id: &str) -> Error {
        errors::cluster_snapshot_exists(id)
    }

    fn not_available(id: &str, status: &str) -> Error {
        errors::cluster_snapshot_not_available(id, status)
    }

    fn not_deletable() -> Error {
        errors::automated_cluster_snapshot_kept()
    }

    fn not_shareable() -> Error {
        errors::automated_cluster_snapshot_not_shareable()
    }

    fn remove_saved(&self, cx: &mut Tx<'_>) -> Result<()> {
        SavedClusterRow::remove(cx, self.own_arn())
    }

    fn copy_saved(&self, cx: &mut Tx<'_>, source: &Scope, arn: &str) -> Result<()> {
        SavedClusterRow::copy(cx, source, arn, self.own_arn())
    }

    fn event_of(&self, step: Step, _scope: &Scope) -> Option<(&'static KnownEvent, Vec<Text>)> {
        let event = match (step, self.is_manual()) {
            (Step::Started, true) => &known::CLUSTER_SNAPSHOT_STARTED,
            (Step::Created, true) => &known::CLUSTER_SNAPSHOT_CREATED,
            (Step::Started, false) => &known::AUTOMATED_CLUSTER_SNAPSHOT_STARTED,
            (Step::Created, false) => &known::AUTOMATED_CLUSTER_SNAPSHOT_CREATED,
            (Step::Deleted, _) => return None,
        };
        Some((event, Vec::new()))
    }

    fn parts(&self) -> Parts<'_> {
        Parts {
            status: self.status.as_deref(),
            snapshot_type: self.snapshot_type.as_deref(),
            encrypted: self.storage_encrypted == Some(true),
            crypto_key: self.crypto_key_id.as_deref(),
            tags: self.tag_list.as_deref(),
        }
    }

    fn parts_mut(&mut self) -> PartsMut<'_> {
        PartsMut {
            identifier: &mut self.db_cluster_snapshot_identifier,
            arn: &mut self.db_cluster_snapshot_arn,
            status: &mut self.status,
            snapshot_type: &mut self.snapshot_type,
            percent_progress: &mut self.percent_progress,
            snapshot_create_time: &mut self.snapshot_create_time,
            encrypted: &mut self.storage_encrypted,
            encryption_type: &mut self.storage_encryption_type,
            crypto_key: &mut self.crypto_key_id,
            source_snapshot: &mut self.source_db_cluster_snapshot_arn,
            tags: &mut self.tag_list,
        }
    }
}

impl DBClusterSnapshot {
    /// Describes a cluster as it is now, in a snapshot of a type that is being created.
    pub(crate) fn of_cluster(
        cx: &Tx<'_>,
        cluster: &DBCluster,
        id: Text,
        snapshot_type: &str,
    ) -> Result<Self> {
        let mut snapshot = Self::blank();
        snapshot.db_cluster_snapshot_identifier = Some(id);
        snapshot.db_cluster_snapshot_arn = own_arn(&snapshot, cx.scope());
        snapshot.begin(snapshot_type);
        snapshot.db_cluster_identifier.clone_from(&cluster.db_cluster_identifier);
        snapshot.db_cluster_resource_id.clone_from(&cluster.db_cluster_resource_id);
        snapshot.cluster_create_time = cluster.cluster_create_time;
        snapshot.availability_zones.clone_from(&cluster.availability_zones);
        snapshot.engine.clone_from(&cluster.engine);
        snapshot.engine_version.clone_from(&cluster.engine_version);
        snapshot.engine_mode.clone_from(&cluster.engine_mode);
        snapshot.master_username.clone_from(&cluster.master_username);
        let license = engine::find(cluster.engine.as_deref().unwrap_or_default());
        let license = license.and_then(|engine| engine.licenses.first());
        snapshot.license_model = license.map(|license| Text::new(license));
        let in_zones = cluster.is_multi_zone();
        snapshot.allocated_storage = cluster.allocated_storage.filter(|_| in_zones).or(Some(0));
        snapshot.port = cluster.port.filter(|_| in_zones).or(Some(0));
        snapshot.vpc_id = cluster.subnet_group_row(cx)?.and_then(|group| group.vpc_id);
        snapshot.storage_encrypted = cluster.storage_encrypted;
        snapshot.storage_encryption_type.clone_from(&cluster.storage_encryption_type);
        snapshot.crypto_key_id.clone_from(&cluster.crypto_key_id);
        snapshot.storage_type.clone_from(&cluster.storage_type);
        snapshot.storage_throughput = cluster.storage_throughput;
        snapshot.backup_retention_period = cluster.backup_retention_period;
        snapshot.preferred_backup_window.clone_from(&cluster.preferred_backup_window);
        snapshot.iam_database_authentication_enabled = cluster.iam_database_authentication_enabled;
        Ok(snapshot)
    }

    /// Ends the creation, or a copy.
    fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.finish(cx)
    }
}

/// Finds the cluster that a snapshot was made of, if it still exists.
async fn find_source(snapshot: &DBClusterSnapshot) -> Result<Option<DBCluster>> {
    let Some(id) = snapshot.db_cluster_identifier.clone() else { return Ok(None) };
    let found = DBCluster::objects(snapshot.require_session()?).get(id).await?;
    // Another cluster may have the identifier by now.
    let is_same = |cluster: &DBCluster| cluster.db_cluster_resource_id == snapshot.db_cluster_resource_id;
    Ok(found.filter(is_same))
}
