//! Operations that restore an instance: from a snapshot, or to a point in time.

use super::{
    CreateDBInstance, DBInstance, DBInstanceManager, InstanceDomain, InstanceGroups, ManagedPassword,
    create::INSTANCES,
};
use crate::{
    DBClusterSnapshot, DBSnapshot, TagSpecification,
    backup::{self, RestoreTime},
    errors,
    event::known,
    identifier::{self, MAX_LENGTH},
    master_user::{self, NewMasterUser},
    snapshot::{
        SavedClusterRow, SavedInstanceRow, SavedRow,
        family::{self, Readable},
    },
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Error, Record, Result, Secret, Text, Timestamp, operation};

/// Parameter with the identifier of a snapshot of a cluster.
const CLUSTER_SNAPSHOT: &str = "DBClusterSnapshotIdentifier";

/// Parameters of a restore that are no fields of an instance.
#[derive(Record)]
#[record(shared)]
pub struct InstanceRestore {
    /// True to use the default features of the processor instead of those of the source.
    use_default_processor_features: Option<bool>,
    /// Password of the key store of transparent encryption. There are none, so that it is refused.
    #[field(sensitive)]
    tde_credential_password: Option<Secret>,
    /// Tags of the automated backups, as those of the resource type `auto-backup`.
    #[field(item = "item")]
    tag_specifications: Option<Vec<TagSpecification>>,
}

/// Restores an instance from a snapshot. It has most settings of the instance that the snapshot was made of, the default security
/// group and the default parameter group.
#[operation(
    of = DBInstance, call = "restore_from_snapshot", needs(db_instance_identifier),
    include(InstanceGroups, InstanceDomain, ManagedPassword, InstanceRestore),
    takes(
        settable, db_instance_port(wire = "Port"), tag_list(wire = "Tags"),
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        customer_owned_ip_enabled(wire = "EnableCustomerOwnedIp"),
        enabled_log_exports(wire = "EnableCloudwatchLogsExports")
    ),
    except(
        automation_mode, aws_backup_recovery_point_arn, character_set_name, crypto_key_id, database_insights_mode,
        db_capacity_reservation_identifier, db_cluster_identifier, db_system_id, engine_version, master_username,
        max_allocated_storage, monitoring_interval, monitoring_role_arn, multi_tenant, nchar_character_set_name,
        performance_insights_crypto_key_id, performance_insights_enabled, performance_insights_retention_period,
        preferred_maintenance_window, promotion_tier, replica_mode, storage_encrypted, timezone
    ),
    wraps(db_instance(name = "DBInstance")), effect = write, also_requires("AddTagsToResource" = "TagList?"),
    subject = "db:{DBInstanceIdentifier} + DBSnapshotIdentifier? snapshot:{DBSnapshotIdentifier} + \
        DBClusterSnapshotIdentifier? cluster-snapshot:{DBClusterSnapshotIdentifier} + \
        DBParameterGroupName? pg:{DBParameterGroupName} + OptionGroupName? og:{OptionGroupName} + \
        DBSubnetGroupName? subgrp:{DBSubnetGroupName}"
)]
pub struct RestoreDBInstanceFromDBSnapshot {
    /// Identifier of the snapshot; the ARN of one of another account.
    #[field(name = "DBSnapshotIdentifier")]
    pub db_snapshot_identifier: Option<Text>,
    /// Identifier of a snapshot of a cluster in several zones, instead of one of an instance.
    #[field(name = "DBClusterSnapshotIdentifier")]
    pub db_cluster_snapshot_identifier: Option<Text>,
}

impl Handler for RestoreDBInstanceFromDBSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "DBSnapshotIdentifier";
        let (snapshot, source) = match (&self.db_snapshot_identifier, &self.db_cluster_snapshot_identifier) {
            (Some(id), None) => {
                let found = family::require_restorable::<DBSnapshot>(cx, id, field)?;
                (identifier::name_anywhere::<DBSnapshot>(id), RestoreSource::of_snapshot(cx, &found)?)
            }
            (None, Some(id)) => {
                let found = family::require_restorable::<DBClusterSnapshot>(cx, id, CLUSTER_SNAPSHOT)?;
                let source = RestoreSource::of_cluster_snapshot(cx, &found)?;
                (identifier::name_anywhere::<DBClusterSnapshot>(id), source)
            }
            (Some(_), Some(_)) => return Err(errors::restore_sources().with_field(field)),
            (None, None) => return Err(errors::parameter_blank(field).with_field(field)),
        };
        let id = self.db_instance_identifier.clone();
        let restored = source.restore(cx, &id, self)?;
        restored.record(cx, &known::RESTORED_FROM_SNAPSHOT, &[&snapshot])?;
        Ok(restored.into())
    }
}

/// Restores an instance to a point in time, from its automated backups. It has most settings of the source, the default security
/// group, the default subnet group and the default parameter group.
#[operation(
    of = DBInstance, call = "restore_to_point_in_time",
    include(InstanceGroups, InstanceDomain, ManagedPassword, InstanceRestore),
    takes(
        settable, db_instance_port(wire = "Port"), tag_list(wire = "Tags"),
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        customer_owned_ip_enabled(wire = "EnableCustomerOwnedIp"),
        enabled_log_exports(wire = "EnableCloudwatchLogsExports")
    ),
    except(
        automation_mode, aws_backup_recovery_point_arn, character_set_name, crypto_key_id, database_insights_mode,
        db_capacity_reservation_identifier, db_cluster_identifier, db_instance_identifier, db_system_id, engine_version,
        master_username, monitoring_interval, monitoring_role_arn, multi_tenant, nchar_character_set_name,
        performance_insights_crypto_key_id, performance_insights_enabled, performance_insights_retention_period,
        preferred_maintenance_window, promotion_tier, replica_mode, storage_encrypted, timezone
    ),
    wraps(db_instance(name = "DBInstance")), effect = write, also_requires("AddTagsToResource" = "TagList?"),
    subject = "db:{TargetDBInstanceIdentifier} + SourceDBInstanceIdentifier? db:{SourceDBInstanceIdentifier} + \
        SourceDbiResourceId? db:{SourceDbiResourceId} + \
        SourceDBInstanceAutomatedBackupsArn? {SourceDBInstanceAutomatedBackupsArn} + \
        DBParameterGroupName? pg:{DBParameterGroupName} + OptionGroupName? og:{OptionGroupName} + \
        DBSubnetGroupName? subgrp:{DBSubnetGroupName}"
)]
pub struct RestoreDBInstanceToPointInTime {
    /// Identifier of the restored instance.
    #[field(name = "TargetDBInstanceIdentifier")]
    pub target_db_instance_identifier: Text,
    /// Identifier of the source.
    #[field(name = "SourceDBInstanceIdentifier")]
    pub source_db_instance_identifier: Option<Text>,
    /// Resource ID of the source, which may be deleted.
    pub source_dbi_resource_id: Option<Text>,
    /// ARN of the automated backups of the source, which may be deleted.
    #[field(name = "SourceDBInstanceAutomatedBackupsArn")]
    pub source_db_instance_automated_backups_arn: Option<Text>,
    /// Time to restore to.
    pub restore_time: Option<Timestamp>,
    /// True for the latest time that the source can be restored to.
    pub use_latest_restorable_time: Option<bool>,
}

impl Handler for RestoreDBInstanceToPointInTime {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "TargetDBInstanceIdentifier";
        let id = identifier::read(&self.target_db_instance_identifier, field, MAX_LENGTH)?;
        let time = RestoreTime::read("RestoreTime", self.restore_time, self.use_latest_restorable_time)?;
        let source = backup::find_source(
            cx,
            self.source_db_instance_identifier.as_deref(),
            self.source_dbi_resource_id.as_deref(),
            self.source_db_instance_automated_backups_arn.as_deref(),
        )?;
        let time = time.read_within(source.earliest, source.latest, "instance")?;
        let source_id = source.id;
        let source = RestoreSource {
            saved: source.saved,
            password: source.password,
            too_small: errors::storage_less_than_source,
        };
        let restored = source.restore(cx, &id, self).map_err(|error| rename_identifier(error, field))?;
        let time = time.strftime("%Y-%m-%d %H:%M:%S").to_string();
        restored.record(cx, &known::RESTORED_TO_TIME, &[&source_id, &time])?;
        Ok(restored.into())
    }
}

/// Names the parameter with the identifier of the restored instance in an error.
fn rename_identifier(error: Error, field: &str) -> Error {
    if error.field() == Some("DBInstanceIdentifier") { error.with_field(field) } else { error }
}

/// What an instance is restored from.
struct RestoreSource {
    saved: SavedInstanceRow,
    password: Option<Secret>,
    /// Error for storage that is smaller than that of the source.
    too_small: fn() -> Error,
}

impl RestoreSource {
    /// Reads what a snapshot keeps.
    fn of_snapshot(cx: &mut Tx<'_>, found: &Readable<DBSnapshot>) -> Result<Self> {
        let snapshot = &found.snapshot;
        let is_other = found.scope != *cx.scope();
        found.check_encryption(cx, "DBSnapshotIdentifier")?;
        let kept = SavedInstanceRow::find_in(cx, &found.scope, snapshot.own_arn())?;
        let missing = || errors::snapshot_not_found(snapshot.own_name()).with_field("DBSnapshotIdentifier");
        let (mut saved, password) = kept.ok_or_else(missing)?;
        // A snapshot may be upgraded or encrypted after it was made.
        saved.engine_version.clone_from(&snapshot.engine_version);
        saved.storage_encrypted = snapshot.encrypted;
        saved.crypto_key_id.clone_from(&snapshot.crypto_key_id);
        saved.option_group_name.clone_from(&snapshot.option_group_name);
        if is_other {
            (saved.option_group_name, saved.tag_list) = (None, None);
        }
        Ok(Self { saved, password, too_small: errors::storage_less_than_snapshot })
    }

    /// Reads what a snapshot of a cluster in several zones keeps.
    fn of_cluster_snapshot(cx: &mut Tx<'_>, found: &Readable<DBClusterSnapshot>) -> Result<Self> {
        found.check_encryption(cx, CLUSTER_SNAPSHOT)?;
        let snapshot = &found.snapshot;
        let kept = SavedClusterRow::find_in(cx, &found.scope, snapshot.own_arn())?;
        let missing = || errors::cluster_snapshot_not_found(snapshot.own_name()).with_field(CLUSTER_SNAPSHOT);
        let (cluster, password) = kept.ok_or_else(missing)?;
        if cluster.db_cluster_instance_class.is_none() {
            return Err(errors::snapshot_not_in_zones().with_field(CLUSTER_SNAPSHOT));
        }
        let mut saved = SavedInstanceRow::from_given(cluster.clone());
        saved.db_instance_class = cluster.db_cluster_instance_class;
        saved.db_name = cluster.database_name;
        saved.db_instance_port = cluster.port;
        saved.storage_encrypted = snapshot.storage_encrypted;
        saved.crypto_key_id.clone_from(&snapshot.crypto_key_id);
        Ok(Self { saved, password, too_small: errors::storage_less_than_snapshot })
    }

    /// Restores an instance with the parameters of an operation; settings that are not given are the ones of the source.
    fn restore(mut self, cx: &mut Tx<'_>, id: &str, mut restore: impl Record + Clone) -> Result<DBInstance> {
        let given = SavedInstanceRow::from_given(restore.clone());
        let name = self.saved.engine.clone().unwrap_or_default();
        Self::check_engine(&name, &given)?;
        self.fit_storage(&name, &given)?;
        if given.preferred_backup_window.is_some() {
            // A window of the source may overlap with the new one.
            self.saved.preferred_maintenance_window = None;
        }
        if InstanceRestore::from_given(restore.clone()).use_default_processor_features == Some(true) {
            if given.processor_features.is_some() {
                return Err(errors::default_processor_features().with_field("ProcessorFeatures"));
            }
            self.saved.processor_features = None;
        }
        let engine = given.engine.unwrap_or_else(|| name.clone());
        let class = given.db_instance_class.or(self.saved.db_instance_class.take());
        let mut create = CreateDBInstance::new(id, class.unwrap_or_default(), engine);
        create.take_given(&mut self.saved);
        create.take_given(&mut restore);
        create.iops = create.iops.filter(|iops| *iops != 0);
        let user = NewMasterUser {
            name: create.master_username.as_ref(),
            password: None,
            is_managed: create.manage_master_user_password,
            crypto_key: create.master_user_secret_crypto_key_id.as_ref(),
            authentication: None,
        };
        let mut instance = create.build(cx)?;
        user.check_restored(&name)?;
        INSTANCES.add_one(cx, errors::too_many_instances)?;
        instance.master_user_secret = user.store(cx, &instance.database())?;
        if let Some(password) = self.password.filter(|_| instance.master_user_secret.is_none()) {
            master_user::keep_password(cx, instance.database().resource_id, &password)?;
        }
        instance.tag_backups(cx, create.backup_tags()?)?;
        for group in instance.option_group_memberships.iter_mut().flatten() {
            group.status = Some("pending-apply".into());
        }
        instance.store_new(cx)?;
        instance.described(cx)
    }

    /// Refuses another engine, unless it is another edition, and a name of the database where it stays.
    fn check_engine(name: &str, given: &SavedInstanceRow) -> Result<()> {
        let family = |engine: &str| engine.split('-').next().unwrap_or_default().to_owned();
        let has_editions = name.starts_with("oracle") || name.starts_with("sqlserver");
        let is_compatible = |other: &str| other == name || (has_editions && family(other) == family(name));
        if let Some(other) = given.engine.as_deref().filter(|other| !is_compatible(other)) {
            return Err(errors::engine_not_changeable(name, other).with_field("Engine"));
        }
        if given.db_name.is_some() && !has_editions {
            return Err(errors::db_name_of_restored().with_field("DBName"));
        }
        Ok(())
    }

    /// Leaves out what does not fit to another size or type of storage, and refuses a smaller size.
    fn fit_storage(&mut self, name: &str, given: &SavedInstanceRow) -> Result<()> {
        let field = "AllocatedStorage";
        if given.allocated_storage.is_some() && name.starts_with("sqlserver") {
            return Err(errors::cluster_parameter_unsupported(field, name).with_field(field));
        }
        if given.allocated_storage.is_some() && given.allocated_storage < self.saved.allocated_storage {
            return Err((self.too_small)().with_field(field));
        }
        let no_provisioned = given.iops == Some(0);
        if no_provisioned {
            self.saved.storage_type = None;
        }
        let keeps_type = given.storage_type.is_none() || given.storage_type == self.saved.storage_type;
        let keeps_size =
            given.allocated_storage.is_none() || given.allocated_storage == self.saved.allocated_storage;
        let is_general = self.saved.storage_type.as_deref() == Some("gp3");
        if no_provisioned || !keeps_type || (is_general && !keeps_size) {
            (self.saved.iops, self.saved.storage_throughput) = (None, None);
        }
        if given.allocated_storage.is_some_and(|size| Some(size) >= self.saved.max_allocated_storage) {
            self.saved.max_allocated_storage = None;
        }
        Ok(())
    }
}
