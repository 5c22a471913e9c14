//! Database instances.

mod create;
mod delete;
mod describe;
mod domain;
mod events;
pub(crate) mod features;
mod lifecycle;
pub(crate) mod modification;
mod modify;
mod parameters;
mod pending;
pub(crate) mod power;
mod relations;
pub(crate) mod replica;
mod restore;
mod roles;
pub(crate) mod storage;

pub(crate) use create::INSTANCES;
pub use create::*;
pub use delete::*;
pub use describe::*;
pub(crate) use lifecycle::InstancePasswordRotation;
pub use modify::*;
pub(crate) use parameters::refuse_given;
pub use parameters::*;
pub(crate) use pending::InstanceMaintenance;
pub use power::*;
pub use relations::DBInstanceCredentials;
pub use replica::*;
pub use restore::*;
pub use roles::*;

use crate::{
    ActivityStreamMode, ActivityStreamStatus, CertificateDetails, DBSubnetGroup, DatabaseInsightsMode,
    DomainMembership, Endpoint, MasterUserSecret, PendingLogExports, ProcessorFeature, StorageEncryptionType,
    UpgradeRolloutOrder, UsedSubnetGroup, VpcSecurityGroupMembership, engine::Version, errors, identifier,
    option_group, parameter_group,
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
use nephos_ec2 as ec2;

choices! {
    /// Mode of a read replica of Oracle.
    pub enum ReplicaMode {
        /// It serves reads.
        OpenReadOnly = "open-read-only",
        /// It only receives changes.
        Mounted = "mounted",
    }
}

choices! {
    /// Automation of a custom instance.
    pub enum AutomationMode {
        /// All work is automatic.
        Full = "full",
        /// Automatic work is paused.
        AllPaused = "all-paused",
    }
}

choices! {
    /// Status of the policy of an activity stream.
    pub enum ActivityStreamPolicyStatus {
        /// The policy cannot be changed.
        Locked = "locked",
        /// The policy can be changed.
        Unlocked = "unlocked",
        /// The policy is being locked.
        LockingPolicy = "locking-policy",
        /// The policy is being unlocked.
        UnlockingPolicy = "unlocking-policy",
    }
}

/// A DB security group of an instance. Accounts of today have none.
#[derive(Record)]
pub struct DBSecurityGroupMembership {
    /// Name of the group.
    #[field(name = "DBSecurityGroupName")]
    db_security_group_name: Option<Text>,
    /// Status of the membership.
    status: Option<Text>,
}

/// The parameter group of an instance.
#[derive(Record)]
pub struct DBParameterGroupStatus {
    /// Name of the group.
    #[field(name = "DBParameterGroupName")]
    pub(crate) db_parameter_group_name: Option<Text>,
    /// Status: in-sync, or pending-reboot if the instance must be rebooted for a change.
    pub(crate) parameter_apply_status: Option<Text>,
}

/// The option group of an instance.
#[derive(Record)]
pub struct OptionGroupMembership {
    /// Name of the group.
    pub(crate) option_group_name: Option<Text>,
    /// Status: in-sync, pending-apply or applying.
    pub(crate) status: Option<Text>,
}

/// Status of the replication of an instance.
#[derive(Record)]
pub struct DBInstanceStatusInfo {
    /// What it is about: `read replication`.
    pub(crate) status_type: Option<Text>,
    /// True if nothing is wrong.
    pub(crate) normal: Option<bool>,
    /// Status: replicating, or error.
    pub(crate) status: Option<Text>,
    /// Details of an error.
    pub(crate) message: Option<Text>,
}

/// A role with which an instance uses a feature.
#[derive(Record)]
pub struct DBInstanceRole {
    /// ARN of the role.
    pub(crate) role_arn: Option<Text>,
    /// Feature that the role is for.
    pub(crate) feature_name: Option<Text>,
    /// Status: ACTIVE, PENDING or INVALID.
    pub(crate) status: Option<Text>,
}

/// Automated backups of an instance in another Region.
#[derive(Record)]
pub struct DBInstanceAutomatedBackupsReplication {
    /// ARN of the automated backups.
    #[field(name = "DBInstanceAutomatedBackupsArn")]
    db_instance_automated_backups_arn: Option<Text>,
}

/// A further storage volume of an instance of Oracle or SQL Server.
#[derive(Record)]
pub struct AdditionalStorageVolume {
    /// Name of the volume: rdsdbdata2, rdsdbdata3 or rdsdbdata4.
    #[field(required)]
    pub(crate) volume_name: Option<Text>,
    /// Status of the volume.
    #[field(service_set)]
    pub(crate) storage_volume_status: Option<Text>,
    /// Status of a change of the volume.
    #[field(service_set)]
    storage_operation_status: Option<Text>,
    /// Progress of a change of the volume in percent.
    #[field(service_set)]
    storage_operation_percent_progress: Option<i64>,
    /// Size in GiB.
    pub(crate) allocated_storage: Option<i64>,
    /// Provisioned input and output operations per second.
    #[field(name = "IOPS")]
    pub(crate) iops: Option<i64>,
    /// Size in GiB up to which the volume grows by itself.
    pub(crate) max_allocated_storage: Option<i64>,
    /// Throughput in MiB per second.
    pub(crate) storage_throughput: Option<i64>,
    /// Type of storage: gp3 or io2.
    pub(crate) storage_type: Option<Text>,
}

/// Changes of an instance that are not applied yet.
#[derive(Record)]
pub struct PendingModifiedValues {
    /// New class.
    #[field(name = "DBInstanceClass")]
    pub(crate) db_instance_class: Option<Text>,
    /// New size of the storage.
    pub(crate) allocated_storage: Option<i64>,
    /// Mask of a new password of the master user.
    pub(crate) master_user_password: Option<Text>,
    /// New port.
    pub(crate) port: Option<i64>,
    /// New number of days that automated backups are kept.
    pub(crate) backup_retention_period: Option<i64>,
    /// New use of a standby in another zone.
    #[field(name = "MultiAZ")]
    pub(crate) multi_az: Option<bool>,
    /// New version of the engine.
    pub(crate) engine_version: Option<Text>,
    /// New licence model.
    pub(crate) license_model: Option<Text>,
    /// New provisioned input and output operations per second.
    pub(crate) iops: Option<i64>,
    /// New throughput of the storage.
    pub(crate) storage_throughput: Option<i64>,
    /// New identifier.
    #[field(name = "DBInstanceIdentifier")]
    pub(crate) db_instance_identifier: Option<Text>,
    /// New type of storage.
    pub(crate) storage_type: Option<Text>,
    /// New certificate authority.
    #[field(name = "CACertificateIdentifier")]
    pub(crate) ca_certificate_identifier: Option<Text>,
    /// New subnet group.
    #[field(name = "DBSubnetGroupName")]
    pub(crate) db_subnet_group_name: Option<Text>,
    /// Changes of the export of logs.
    #[field(wire = "PendingCloudwatchLogsExports")]
    pub(crate) pending_log_exports: Option<PendingLogExports>,
    /// New features of the processor.
    #[field(item = "ProcessorFeature")]
    pub(crate) processor_features: Option<Vec<ProcessorFeature>>,
    /// New automation.
    pub(crate) automation_mode: Option<AutomationMode>,
    /// Time when all work becomes automatic again.
    pub(crate) resume_full_automation_mode_time: Option<Timestamp>,
    /// New use of several tenant databases.
    pub(crate) multi_tenant: Option<bool>,
    /// New use of credentials of the account for signing in.
    #[field(name = "IAMDatabaseAuthenticationEnabled")]
    pub(crate) iam_database_authentication_enabled: Option<bool>,
    /// New use of a volume for logs.
    pub(crate) dedicated_log_volume: Option<bool>,
    /// New engine.
    pub(crate) engine: Option<Text>,
    /// New further storage volumes.
    pub(crate) additional_storage_volumes: Option<Vec<AdditionalStorageVolume>>,
    /// New capacity reservation.
    #[field(name = "DBCapacityReservationIdentifier")]
    pub(crate) db_capacity_reservation_identifier: Option<Text>,
}

/// A database instance.
#[derive(Resource)]
#[resource(
    arn("DBInstanceArn", "db:{DBInstanceIdentifier}"),
    not_found = |id| errors::instance_not_found(id),
    name = "DBInstanceIdentifier", pk = "DBInstanceArn", exists_if = "DBInstanceArn", tags = "TagList",
    derive_fields = leave_to_cluster,
    relation(subnet_group, one = DBSubnetGroup, with = relations::find_subnet_group),
    relation(vpc, one = ec2::Vpc, with = relations::find_vpc),
    relation(subnets, many = ec2::Subnet, with = relations::find_subnets),
    relation(security_groups, many = ec2::SecurityGroup, with = relations::find_security_groups),
    relation(cluster, one = crate::DBCluster, with = relations::find_cluster),
    relation(snapshots, many = crate::DBSnapshot, with = relations::find_snapshots),
    relation(document_cluster, one = crate::DocDBCluster, with = relations::find_document_cluster),
    relation(source, one = DBInstance, with = relations::find_source),
    relation(replicas, many = DBInstance, with = relations::find_replicas),
    relation(managed_secret, one = nephos_secrets::Secret, with = relations::find_managed_secret)
)]
#[cfg_attr(feature = "kms", resource(relation(crypto_key, one = nephos_kms::CryptoKey, with = relations::find_crypto_key)))]
pub struct DBInstance {
    /// Identifier, unique within account and Region and kept in lower case: a letter, then letters, digits and single hyphens.
    #[field(name = "DBInstanceIdentifier", required, fixed, length(1..))]
    pub(crate) db_instance_identifier: Option<Text>,
    /// Class: `db.t4g.micro`, for example.
    #[field(name = "DBInstanceClass", required, condition = "rds:DatabaseClass")]
    pub(crate) db_instance_class: Option<Text>,
    /// Engine: mysql, mariadb, postgres, aurora-mysql, aurora-postgresql, docdb, neptune, or an edition of oracle, sqlserver or db2.
    #[field(required, condition = "rds:DatabaseEngine")]
    pub(crate) engine: Option<Text>,
    /// Status: creating, backing-up, available, modifying, rebooting, stopping, stopped, starting, deleting and others.
    #[field(name = "DBInstanceStatus", service_set)]
    pub(crate) db_instance_status: Option<Text>,
    /// Name of the master user.
    #[field(fixed)]
    pub(crate) master_username: Option<Text>,
    /// Name of the first database; for Oracle, its system ID.
    #[field(name = "DBName", fixed, condition = "rds:DatabaseName")]
    pub(crate) db_name: Option<Text>,
    /// Address and port. There is none while the instance is being created.
    #[field(service_set)]
    pub(crate) endpoint: Option<Endpoint>,
    /// Size of the storage in GiB.
    #[field(condition = "rds:StorageSize")]
    pub(crate) allocated_storage: Option<i64>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) instance_create_time: Option<Timestamp>,
    /// Window of the day in which automated backups are made: `05:30-06:00` in UTC, at least half an hour.
    pub(crate) preferred_backup_window: Option<Text>,
    /// Days that automated backups are kept; 0 for none. 1 by default.
    #[field(default = 1)]
    pub(crate) backup_retention_period: Option<i64>,
    /// DB security groups.
    #[field(name = "DBSecurityGroups", item = "DBSecurityGroup", service_set)]
    pub(crate) db_security_groups: Option<Vec<DBSecurityGroupMembership>>,
    /// Security groups.
    #[field(item = "VpcSecurityGroupMembership", service_set)]
    pub(crate) vpc_security_groups: Option<Vec<VpcSecurityGroupMembership>>,
    /// Parameter group.
    #[field(name = "DBParameterGroups", item = "DBParameterGroup", service_set)]
    pub(crate) db_parameter_groups: Option<Vec<DBParameterGroupStatus>>,
    /// Zone of the instance.
    #[field(fixed)]
    pub(crate) availability_zone: Option<Text>,
    /// Subnet group.
    #[field(name = "DBSubnetGroup", service_set)]
    pub(crate) db_subnet_group: Option<UsedSubnetGroup>,
    /// Window of the week in which changes are applied: `sun:23:00-mon:01:30` in UTC, at least half an hour.
    pub(crate) preferred_maintenance_window: Option<Text>,
    /// Order in which automatic upgrades reach the instance.
    #[field(service_set)]
    pub(crate) upgrade_rollout_order: Option<UpgradeRolloutOrder>,
    /// Changes that are not applied yet.
    #[field(service_set)]
    pub(crate) pending_modified_values: Option<PendingModifiedValues>,
    /// Latest time that the instance can be restored to.
    #[field(service_set)]
    pub(crate) latest_restorable_time: Option<Timestamp>,
    /// True for a standby in another zone.
    #[field(name = "MultiAZ", condition = "rds:MultiAz")]
    pub(crate) multi_az: Option<bool>,
    /// Version of the engine; a major version stands for its newest minor version.
    #[field(required)]
    pub(crate) engine_version: Option<Text>,
    /// True if new minor versions are installed in the maintenance window; true by default.
    #[field(default = true)]
    pub(crate) auto_minor_version_upgrade: Option<bool>,
    /// Instance that this one is a read replica of; its ARN if it is in another Region.
    #[field(name = "ReadReplicaSourceDBInstanceIdentifier", service_set)]
    pub(crate) read_replica_source_db_instance_identifier: Option<Text>,
    /// Read replicas of the instance.
    #[field(
        name = "ReadReplicaDBInstanceIdentifiers",
        item = "ReadReplicaDBInstanceIdentifier",
        service_set
    )]
    pub(crate) read_replica_db_instance_identifiers: Option<Vec<Text>>,
    /// Clusters that are read replicas of the instance.
    #[field(name = "ReadReplicaDBClusterIdentifiers", item = "ReadReplicaDBClusterIdentifier", service_set)]
    pub(crate) read_replica_db_cluster_identifiers: Option<Vec<Text>>,
    /// Mode of a read replica of Oracle.
    pub(crate) replica_mode: Option<ReplicaMode>,
    /// Licence model.
    pub(crate) license_model: Option<Text>,
    /// Provisioned input and output operations per second.
    #[field(condition = "rds:Piops")]
    pub(crate) iops: Option<i64>,
    /// Throughput of the storage in MiB per second, for gp3.
    pub(crate) storage_throughput: Option<i64>,
    /// Option group.
    #[field(item = "OptionGroupMembership", service_set)]
    pub(crate) option_group_memberships: Option<Vec<OptionGroupMembership>>,
    /// Character set, for Oracle and SQL Server.
    #[field(fixed, no_effect)]
    pub(crate) character_set_name: Option<Text>,
    /// National character set, for Oracle.
    #[field(fixed, no_effect)]
    pub(crate) nchar_character_set_name: Option<Text>,
    /// Zone of the standby.
    #[field(service_set)]
    pub(crate) secondary_availability_zone: Option<Text>,
    /// True if the instance can be reached from outside of its VPC.
    pub(crate) publicly_accessible: Option<bool>,
    /// Status of the replication of a read replica.
    #[field(item = "DBInstanceStatusInfo", service_set)]
    pub(crate) status_infos: Option<Vec<DBInstanceStatusInfo>>,
    /// Type of storage: gp2, gp3, io1, io2 or standard.
    pub(crate) storage_type: Option<Text>,
    /// Encryption of the storage.
    #[field(service_set)]
    pub(crate) storage_encryption_type: Option<StorageEncryptionType>,
    /// ARN of the key store of transparent encryption. There are none, so every one is refused.
    pub(crate) tde_credential_arn: Option<Text>,
    /// Port. Answers have 0 for an instance outside a cluster: its port is that of the endpoint.
    #[field(range(0..=65535))]
    pub(crate) db_instance_port: Option<i64>,
    /// Identifier of the cluster of the instance.
    #[field(name = "DBClusterIdentifier", fixed)]
    pub(crate) db_cluster_identifier: Option<Text>,
    /// True if the storage is encrypted; true by default.
    #[field(fixed, default = true, condition = "rds:StorageEncrypted")]
    pub(crate) storage_encrypted: Option<bool>,
    /// ARN of the crypto key of the storage; the one of the service by default.
    #[field(wire = "KmsKeyId", fixed)]
    pub(crate) crypto_key_id: Option<Text>,
    /// Identifier that no other instance ever has.
    #[field(service_set)]
    pub(crate) dbi_resource_id: Option<Text>,
    /// Certificate authority of the server.
    #[field(name = "CACertificateIdentifier")]
    pub(crate) ca_certificate_identifier: Option<Text>,
    /// Memberships in directories of users.
    #[field(item = "DomainMembership", service_set)]
    pub(crate) domain_memberships: Option<Vec<DomainMembership>>,
    /// True if snapshots get the tags of the instance.
    pub(crate) copy_tags_to_snapshot: Option<bool>,
    /// Seconds between two measurements of the operating system; 0 for none.
    pub(crate) monitoring_interval: Option<i64>,
    /// ARN of the log stream of the measurements.
    #[field(service_set)]
    pub(crate) enhanced_monitoring_resource_arn: Option<Text>,
    /// ARN of the role that writes the measurements.
    pub(crate) monitoring_role_arn: Option<Text>,
    /// Order in which replicas of a cluster become the writer, the lowest first.
    #[field(range(0..=15))]
    pub(crate) promotion_tier: Option<i64>,
    /// ARN.
    #[field(name = "DBInstanceArn", service_set)]
    pub(crate) db_instance_arn: Option<Text>,
    /// Time zone, for SQL Server and Db2.
    #[field(fixed, no_effect)]
    pub(crate) timezone: Option<Text>,
    /// True if users can sign in with credentials of the account.
    #[field(name = "IAMDatabaseAuthenticationEnabled")]
    pub(crate) iam_database_authentication_enabled: Option<bool>,
    /// Use of the performance data.
    #[field(no_effect)]
    pub(crate) database_insights_mode: Option<DatabaseInsightsMode>,
    /// True if performance data are kept.
    pub(crate) performance_insights_enabled: Option<bool>,
    /// ARN of the crypto key of the performance data.
    #[field(wire = "PerformanceInsightsKMSKeyId")]
    pub(crate) performance_insights_crypto_key_id: Option<Text>,
    /// Days that performance data are kept: 7, 731, or a number of months times 31.
    pub(crate) performance_insights_retention_period: Option<i64>,
    /// Types of logs that are exported to log groups.
    #[field(wire = "EnabledCloudwatchLogsExports", fixed)]
    pub(crate) enabled_log_exports: Option<Vec<Text>>,
    /// Features of the processor, for Oracle and SQL Server.
    #[field(item = "ProcessorFeature")]
    pub(crate) processor_features: Option<Vec<ProcessorFeature>>,
    /// True if the instance cannot be deleted.
    pub(crate) deletion_protection: Option<bool>,
    /// Roles.
    #[field(item = "DBInstanceRole", service_set)]
    pub(crate) associated_roles: Option<Vec<DBInstanceRole>>,
    /// Address and port of the listener of SQL Server.
    #[field(service_set)]
    pub(crate) listener_endpoint: Option<Endpoint>,
    /// Size in GiB up to which the storage grows by itself.
    #[field(no_effect)]
    pub(crate) max_allocated_storage: Option<i64>,
    /// Tags.
    #[field(item = "Tag", alias = "Tags")]
    pub(crate) tag_list: Option<Vec<Tag>>,
    /// Automation of a custom instance. There are none, so it is refused.
    pub(crate) automation_mode: Option<AutomationMode>,
    /// Time when all work becomes automatic again.
    #[field(service_set)]
    pub(crate) resume_full_automation_mode_time: Option<Timestamp>,
    /// True for an address of a customer on an Outpost. There are none, so true is refused.
    pub(crate) customer_owned_ip_enabled: Option<bool>,
    /// Type of addresses: IPV4. Subnets have no others.
    pub(crate) network_type: Option<Text>,
    /// Status of the activity stream.
    #[field(service_set)]
    pub(crate) activity_stream_status: Option<ActivityStreamStatus>,
    /// ARN of the crypto key of the activity stream.
    #[field(wire = "ActivityStreamKmsKeyId", service_set)]
    pub(crate) activity_stream_crypto_key_id: Option<Text>,
    /// Name of the stream that receives the activity.
    #[field(service_set)]
    pub(crate) activity_stream_kinesis_stream_name: Option<Text>,
    /// Mode of the activity stream.
    #[field(service_set)]
    pub(crate) activity_stream_mode: Option<ActivityStreamMode>,
    /// True if the activity stream has the audit fields of the engine.
    #[field(service_set)]
    pub(crate) activity_stream_engine_native_audit_fields_included: Option<bool>,
    /// ARN of a recovery point of a backup plan. There are none, so every one is refused.
    pub(crate) aws_backup_recovery_point_arn: Option<Text>,
    /// Automated backups in other Regions.
    #[field(
        name = "DBInstanceAutomatedBackupsReplications",
        item = "DBInstanceAutomatedBackupsReplication",
        service_set
    )]
    pub(crate) db_instance_automated_backups_replications: Option<Vec<DBInstanceAutomatedBackupsReplication>>,
    /// Place of backups: region. There are no Outposts, so others are refused.
    #[field(fixed, condition = "rds:BackupTarget")]
    pub(crate) backup_target: Option<Text>,
    /// Time when a stopped instance is started again.
    #[field(service_set)]
    pub(crate) automatic_restart_time: Option<Timestamp>,
    /// Instance profile of a custom instance. There are none, so it is refused.
    #[field(fixed)]
    pub(crate) custom_iam_instance_profile: Option<Text>,
    /// Status of the policy of the activity stream.
    #[field(service_set)]
    pub(crate) activity_stream_policy_status: Option<ActivityStreamPolicyStatus>,
    /// Certificate of the server.
    #[field(service_set)]
    pub(crate) certificate_details: Option<CertificateDetails>,
    /// System ID of Oracle for custom instances. There are none, so it is refused.
    #[field(name = "DBSystemId", fixed)]
    pub(crate) db_system_id: Option<Text>,
    /// Secret with the password of the master user.
    #[field(service_set)]
    pub(crate) master_user_secret: Option<MasterUserSecret>,
    /// Cluster that this instance is a read replica of.
    #[field(name = "ReadReplicaSourceDBClusterIdentifier", service_set)]
    pub(crate) read_replica_source_db_cluster_identifier: Option<Text>,
    /// Progress of a long change in percent.
    #[field(service_set)]
    pub(crate) percent_progress: Option<Text>,
    /// True for several tenant databases, for Oracle with containers.
    pub(crate) multi_tenant: Option<bool>,
    /// True for a volume of its own for logs.
    #[field(no_effect)]
    pub(crate) dedicated_log_volume: Option<bool>,
    /// True if the storage can be moved to a newer form.
    #[field(service_set)]
    pub(crate) is_storage_config_upgrade_available: Option<bool>,
    /// Support after the end of the standard support of the version.
    #[field(no_effect)]
    pub(crate) engine_lifecycle_support: Option<Text>,
    /// Further storage volumes, for Oracle and SQL Server.
    pub(crate) additional_storage_volumes: Option<Vec<AdditionalStorageVolume>>,
    /// Status of the storage volumes.
    #[field(service_set)]
    pub(crate) storage_volume_status: Option<Text>,
    /// Status of a change of the storage.
    #[field(service_set)]
    pub(crate) storage_operation_status: Option<Text>,
    /// Progress of a change of the storage in percent.
    #[field(service_set)]
    pub(crate) storage_operation_percent_progress: Option<i64>,
    /// Capacity reservation. There are none, so every one is refused.
    #[field(name = "DBCapacityReservationIdentifier")]
    pub(crate) db_capacity_reservation_identifier: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBInstance in "rds/instance" by db_instance_identifier;
    arn db_instance_arn;
    states(
        "DBInstanceStatus":
        "creating" => "backing-up" 300 then DBInstance::finish_creation,
        "backing-up" => "available" 120 then DBInstance::finish_backup,
        "modifying" => "available" 180 then DBInstance::finish_modification,
        "upgrading" => "available" 600 then DBInstance::apply_pending,
        "renaming" => "available" 60 then DBInstance::apply_pending,
        "resetting-master-credentials" => "available" 30 then DBInstance::finish_reset,
        "stopping" => "stopped" 180 then DBInstance::finish_stop,
        "starting" => "available" 240 then DBInstance::finish_start,
        "rebooting" => "available" 60 then DBInstance::finish_reboot,
        "deleting" => removed 240 then DBInstance::clean_up
    )
}

/// Fills in what a model of a member of a cluster leaves to the cluster.
fn leave_to_cluster(instance: &mut DBInstance) {
    if instance.db_cluster_identifier.is_none() || instance.db_instance_arn.is_some() {
        return;
    }
    instance.storage_encrypted = instance.storage_encrypted.filter(|is_encrypted| !is_encrypted);
    instance.backup_retention_period = instance.backup_retention_period.filter(|days| *days != 1);
}

/// Finds the parameter group of an instance of this version, or refuses.
pub(crate) fn require_parameter_group(cx: &Tx<'_>, name: &str, version: Version) -> Result<Text> {
    let group = parameter_group::require(cx, name, version.major.family, "DBParameterGroupName")?;
    Ok(group.db_parameter_group_name.unwrap_or_default())
}

/// Finds the option group of an instance of this version, or refuses.
pub(crate) fn require_option_group(cx: &Tx<'_>, name: &str, version: Version) -> Result<Text> {
    let group = option_group::require(cx, name, version.engine, version, "OptionGroupName")?;
    Ok(group.option_group_name.unwrap_or_default())
}

/// Finds the instance with this identifier or ARN, in any case, or refuses.
pub(crate) fn require(cx: &Tx<'_>, given: &str, parameter: &str) -> Result<DBInstance> {
    let id = identifier::read_or_arn::<DBInstance>(cx, given, parameter)?;
    DBInstance::find_by(cx, &[&id])?.ok_or_else(|| errors::instance_not_found(&id).with_field(parameter))
}

impl DBInstance {
    /// Identifier of the instance.
    pub(crate) fn id(&self) -> &str {
        self.db_instance_identifier.as_deref().unwrap_or_default()
    }

    /// ARN of the instance.
    pub(crate) fn own_arn(&self) -> &str {
        self.db_instance_arn.as_deref().unwrap_or_default()
    }

    /// Status of the instance.
    pub(crate) fn status(&self) -> &str {
        self.db_instance_status.as_deref().unwrap_or_default()
    }
}

/// Marks an instance for a reboot, after which changed parameters are in effect. No effect on other databases.
pub(crate) fn mark_for_reboot(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    let names = DBInstance::read_arn(arn).unwrap_or_default();
    let Some(mut instance) = DBInstance::find_by(cx, &names)? else { return Ok(()) };
    for group in instance.db_parameter_groups.iter_mut().flatten() {
        group.parameter_apply_status = Some("pending-reboot".into());
    }
    cx.put(instance)
}
