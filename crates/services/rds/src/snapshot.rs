//! Snapshots: the settings and the storage of a database at a time, from which databases are restored.

mod attributes;
mod cluster;
mod copy;
pub(crate) mod family;
mod modify;
pub(crate) mod operations;
mod saved;
pub(crate) mod sharing;

pub use attributes::*;
pub use cluster::*;
pub use copy::*;
pub use modify::*;
pub use operations::*;
pub(crate) use saved::{SavedClusterRow, SavedInstanceRow, SavedRow};

use crate::{
    AdditionalStorageVolume, DBInstance, ProcessorFeature, SourceType, StorageEncryptionType, errors,
    event::{KnownEvent, known},
    identifier, subnet_group,
};
use family::{Parts, PartsMut, Snapshot, Step};
use nephos_cloud::{Quota, Scope, StoredResource, Tx, own_arn};
use nephos_core::{Error, Resource, Result, Slot, Tag, Text, Timestamp, field_value::FieldType};

/// A snapshot of an instance.
#[derive(Resource)]
#[resource(
    arn("DBSnapshotArn", "snapshot:{DBSnapshotIdentifier}"), not_found = |id| errors::snapshot_not_found(id),
    name = "DBSnapshotIdentifier", pk = "DBSnapshotArn", exists_if = "DBSnapshotArn", tags = "TagList",
    relation(source, one = DBInstance, with = find_source)
)]
pub struct DBSnapshot {
    /// Identifier, unique within account and Region and kept in lower case: a letter, then letters, digits and single hyphens. Those
    /// that the service makes begin with `rds:`.
    #[field(name = "DBSnapshotIdentifier", required, fixed, length(1..))]
    pub(crate) db_snapshot_identifier: Option<Text>,
    /// Identifier of the instance.
    #[field(name = "DBInstanceIdentifier", required, fixed, length(1..))]
    pub(crate) db_instance_identifier: Option<Text>,
    /// Time of the snapshot, or of the copy. There is none while it is being created.
    #[field(service_set)]
    pub(crate) snapshot_create_time: Option<Timestamp>,
    /// Engine.
    #[field(service_set)]
    pub(crate) engine: Option<Text>,
    /// Size of the storage in GiB.
    #[field(service_set)]
    pub(crate) allocated_storage: Option<i64>,
    /// Status: creating, available or upgrading.
    #[field(service_set)]
    pub(crate) status: Option<Text>,
    /// Port of the instance.
    #[field(service_set)]
    pub(crate) port: Option<i64>,
    /// Zone of the instance.
    #[field(service_set)]
    pub(crate) availability_zone: Option<Text>,
    /// ID of the VPC of the instance.
    #[field(service_set)]
    pub(crate) vpc_id: Option<Text>,
    /// Time of creation of the instance.
    #[field(service_set)]
    pub(crate) instance_create_time: Option<Timestamp>,
    /// Name of the master user.
    #[field(service_set)]
    pub(crate) master_username: Option<Text>,
    /// Version of the engine. It can be upgraded.
    pub(crate) engine_version: Option<Text>,
    /// Licence model.
    #[field(service_set)]
    pub(crate) license_model: Option<Text>,
    /// Type: manual or automated; shared or public for a snapshot of another account.
    #[field(service_set)]
    pub(crate) snapshot_type: Option<Text>,
    /// Provisioned input and output operations per second.
    #[field(service_set)]
    pub(crate) iops: Option<i64>,
    /// Throughput of the storage in MiB per second.
    #[field(service_set)]
    pub(crate) storage_throughput: Option<i64>,
    /// Name of the option group. It can be changed for Oracle, together with the version.
    pub(crate) option_group_name: Option<Text>,
    /// Progress of the creation in percent.
    #[field(service_set)]
    pub(crate) percent_progress: Option<i64>,
    /// Region of the snapshot that this one was copied from.
    #[field(service_set)]
    pub(crate) source_region: Option<Text>,
    /// ARN of the snapshot that this one was copied from.
    #[field(name = "SourceDBSnapshotIdentifier", service_set)]
    pub(crate) source_db_snapshot_identifier: Option<Text>,
    /// Type of storage.
    #[field(service_set)]
    pub(crate) storage_type: Option<Text>,
    /// ARN of the key store of transparent encryption.
    #[field(service_set)]
    pub(crate) tde_credential_arn: Option<Text>,
    /// True if the snapshot is encrypted.
    #[field(service_set)]
    pub(crate) encrypted: Option<bool>,
    /// Encryption of the snapshot.
    #[field(service_set)]
    pub(crate) storage_encryption_type: Option<StorageEncryptionType>,
    /// Days that automated backups of the instance are kept.
    #[field(service_set)]
    pub(crate) backup_retention_period: Option<i64>,
    /// Window of the automated backups of the instance.
    #[field(service_set)]
    pub(crate) preferred_backup_window: Option<Text>,
    /// ARN of the crypto key.
    #[field(wire = "KmsKeyId", service_set)]
    pub(crate) crypto_key_id: Option<Text>,
    /// ARN.
    #[field(name = "DBSnapshotArn", service_set)]
    pub(crate) db_snapshot_arn: Option<Text>,
    /// Time zone, for SQL Server and Db2.
    #[field(service_set)]
    pub(crate) timezone: Option<Text>,
    /// True if users can sign in with credentials of the account.
    #[field(name = "IAMDatabaseAuthenticationEnabled", service_set)]
    pub(crate) iam_database_authentication_enabled: Option<bool>,
    /// Features of the processor.
    #[field(item = "ProcessorFeature", service_set)]
    pub(crate) processor_features: Option<Vec<ProcessorFeature>>,
    /// Identifier of the instance that no other instance ever has.
    #[field(service_set)]
    pub(crate) dbi_resource_id: Option<Text>,
    /// Tags.
    #[field(item = "Tag", alias = "Tags")]
    pub(crate) tag_list: Option<Vec<Tag>>,
    /// Place of the snapshot: region.
    #[field(service_set)]
    pub(crate) snapshot_target: Option<Text>,
    /// Time of the first snapshot. A copy has the one of its source.
    #[field(service_set)]
    pub(crate) original_snapshot_create_time: Option<Timestamp>,
    /// Time of the last change of the database that the snapshot has.
    #[field(service_set)]
    pub(crate) snapshot_database_time: Option<Timestamp>,
    /// System ID of Oracle.
    #[field(name = "DBSystemId", service_set)]
    pub(crate) db_system_id: Option<Text>,
    /// True for several tenant databases.
    #[field(service_set)]
    pub(crate) multi_tenant: Option<bool>,
    /// True for a volume of its own for logs.
    #[field(service_set)]
    pub(crate) dedicated_log_volume: Option<bool>,
    /// Further storage volumes.
    #[field(service_set)]
    pub(crate) additional_storage_volumes: Option<Vec<AdditionalStorageVolume>>,
    /// Zone of the snapshot in a local zone.
    #[field(service_set)]
    snapshot_availability_zone: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBSnapshot in "rds/snapshot" by db_snapshot_identifier;
    arn db_snapshot_arn;
    states(
        "Status":
        "creating" => "available" 60 then DBSnapshot::finish_creation,
        "upgrading" => "available" 300
    )
}

impl Snapshot for DBSnapshot {
    const IDENTIFIER: &'static str = "DBSnapshotIdentifier";
    const MAX_LENGTH: usize = 255;
    const QUOTA: Quota = Quota { counter: "rds/snapshots", max: 100, what: "manual snapshots" };

    const COPIES_CAN_ENCRYPT: bool = true;
    const COPYING: &'static str = "creating";
    const SOURCE: SourceType = SourceType::DbSnapshot;

    fn exists(id: &str) -> Error {
        errors::snapshot_exists(id)
    }

    fn not_available(id: &str, status: &str) -> Error {
        errors::snapshot_not_available(id, status)
    }

    fn not_deletable() -> Error {
        errors::automated_snapshot_kept()
    }

    fn not_shareable() -> Error {
        errors::automated_snapshot_not_shareable()
    }

    fn remove_saved(&self, cx: &mut Tx<'_>) -> Result<()> {
        SavedInstanceRow::remove(cx, self.own_arn())
    }

    fn copy_saved(&self, cx: &mut Tx<'_>, source: &Scope, arn: &str) -> Result<()> {
        SavedInstanceRow::copy(cx, source, arn, self.own_arn())
    }

    fn event_of(&self, step: Step, scope: &Scope) -> Option<(&'static KnownEvent, Vec<Text>)> {
        if let (Some(source), Step::Started | Step::Created) = (&self.source_db_snapshot_identifier, step) {
            return Some(self.copy_event(source, step, scope));
        }
        let event = match (step, self.is_manual()) {
            (Step::Started, true) => &known::SNAPSHOT_STARTED,
            (Step::Created, true) => &known::SNAPSHOT_CREATED,
            (Step::Deleted, _) => &known::SNAPSHOT_DELETED,
            (Step::Started, false) => &known::AUTOMATED_SNAPSHOT_STARTED,
            (Step::Created, false) => &known::AUTOMATED_SNAPSHOT_CREATED,
        };
        Some((event, Vec::new()))
    }

    fn parts(&self) -> Parts<'_> {
        Parts {
            status: self.status.as_deref(),
            snapshot_type: self.snapshot_type.as_deref(),
            encrypted: self.encrypted == Some(true),
            crypto_key: self.crypto_key_id.as_deref(),
            tags: self.tag_list.as_deref(),
        }
    }

    fn parts_mut(&mut self) -> PartsMut<'_> {
        PartsMut {
            identifier: &mut self.db_snapshot_identifier,
            arn: &mut self.db_snapshot_arn,
            status: &mut self.status,
            snapshot_type: &mut self.snapshot_type,
            percent_progress: &mut self.percent_progress,
            snapshot_create_time: &mut self.snapshot_create_time,
            encrypted: &mut self.encrypted,
            encryption_type: &mut self.storage_encryption_type,
            crypto_key: &mut self.crypto_key_id,
            source_snapshot: &mut self.source_db_snapshot_identifier,
            tags: &mut self.tag_list,
        }
    }
}

impl DBSnapshot {
    /// Describes an instance as it is now, in a snapshot of a type that is being created.
    pub(crate) fn of_instance(
        cx: &Tx<'_>,
        instance: &DBInstance,
        id: Text,
        snapshot_type: &str,
    ) -> Result<Self> {
        let mut snapshot = Self::blank();
        snapshot.db_snapshot_identifier = Some(id);
        snapshot.db_snapshot_arn = own_arn(&snapshot, cx.scope());
        snapshot.begin(snapshot_type);
        snapshot.db_instance_identifier.clone_from(&instance.db_instance_identifier);
        snapshot.dbi_resource_id.clone_from(&instance.dbi_resource_id);
        snapshot.instance_create_time = instance.instance_create_time;
        snapshot.engine.clone_from(&instance.engine);
        snapshot.engine_version.clone_from(&instance.engine_version);
        snapshot.license_model.clone_from(&instance.license_model);
        snapshot.master_username.clone_from(&instance.master_username);
        snapshot.port = instance.own_port();
        snapshot.availability_zone.clone_from(&instance.availability_zone);
        snapshot.vpc_id =
            subnet_group::find(cx, instance.subnet_group_name())?.and_then(|group| group.vpc_id);
        snapshot.allocated_storage = instance.allocated_storage;
        snapshot.storage_type.clone_from(&instance.storage_type);
        (snapshot.iops, snapshot.storage_throughput) = (instance.iops, instance.storage_throughput);
        snapshot.additional_storage_volumes.clone_from(&instance.additional_storage_volumes);
        snapshot.dedicated_log_volume = instance.dedicated_log_volume;
        snapshot.encrypted = instance.storage_encrypted;
        snapshot.storage_encryption_type.clone_from(&instance.storage_encryption_type);
        snapshot.crypto_key_id.clone_from(&instance.crypto_key_id);
        snapshot.option_group_name = instance.option_group_name().map(Text::new);
        snapshot.backup_retention_period = instance.backup_retention_period;
        snapshot.preferred_backup_window.clone_from(&instance.preferred_backup_window);
        snapshot.timezone.clone_from(&instance.timezone);
        snapshot.multi_tenant = instance.multi_tenant;
        snapshot.iam_database_authentication_enabled = instance.iam_database_authentication_enabled;
        snapshot.processor_features = Some(instance.processor_features.clone().unwrap_or_default());
        snapshot.snapshot_target = Some("region".into());
        snapshot.snapshot_database_time = Some(cx.now());
        Ok(snapshot)
    }

    /// Event of a step of a copy of the snapshot `source`.
    fn copy_event(&self, source: &Text, step: Step, scope: &Scope) -> (&'static KnownEvent, Vec<Text>) {
        let name = identifier::name_anywhere::<Self>(source);
        let region = self.source_region.clone().unwrap_or_default();
        let is_here = region == scope.region();
        match (step, is_here) {
            (Step::Started, true) => (&known::COPY_STARTED, vec![name, region]),
            (Step::Started, false) => (&known::COPY_FROM_REGION_STARTED, vec![name, region]),
            (_, true) => (&known::COPY_FINISHED, vec![name, region]),
            // It takes a minute.
            (_, false) => (&known::COPY_FROM_REGION_FINISHED, vec![name, region, "1".into()]),
        }
    }

    /// Ends the creation, or a copy.
    fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.original_snapshot_create_time.get_or_insert(cx.now());
        self.finish(cx)
    }
}

/// Finds the instance that a snapshot was made of, if it still exists.
async fn find_source(snapshot: &DBSnapshot) -> Result<Option<DBInstance>> {
    let Some(id) = snapshot.db_instance_identifier.clone() else { return Ok(None) };
    let found = DBInstance::objects(snapshot.require_session()?).get(id).await?;
    // Another instance may have the identifier by now.
    let is_same = |instance: &DBInstance| instance.dbi_resource_id == snapshot.dbi_resource_id;
    Ok(found.filter(is_same))
}
