//! Clusters of databases: storage that several instances share, or instances of one database in several zones.

pub(crate) mod capacity;
mod create;
mod delete;
pub(crate) mod describe;
mod events;
pub(crate) mod members;
mod modify;
pub(crate) mod multi_zone;
mod pending;
mod power;
pub(crate) mod relations;
mod replica;
mod restore;
mod roles;
mod settings;

pub use create::*;
pub use delete::*;
pub use describe::*;
pub(crate) use modify::send_changes;
pub use modify::*;
pub(crate) use pending::{ClusterMaintenanceWork, ClusterRotationWork, PendingClusterRow};
pub(crate) use power::ClusterStartWork;
pub use power::*;
pub use relations::DBClusterCredentials;
pub use replica::*;
pub use restore::*;
pub use roles::*;
pub use settings::*;

use crate::{
    ActivityStreamMode, ActivityStreamStatus, CertificateDetails, DBSubnetGroup, DatabaseInsightsMode,
    DomainMembership, MasterUserSecret, PendingLogExports, StorageEncryptionType, UpgradeRolloutOrder,
    VpcSecurityGroupMembership, errors, identifier,
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
use nephos_ec2 as ec2;

choices! {
    /// Status of forwarding writes from a reader.
    pub enum WriteForwardingStatus {
        /// Writes are forwarded.
        Enabled = "enabled",
        /// Writes are not forwarded.
        Disabled = "disabled",
        /// Forwarding is being turned on.
        Enabling = "enabling",
        /// Forwarding is being turned off.
        Disabling = "disabling",
        /// It is not known.
        UnknownStatus = "unknown",
    }
}

choices! {
    /// Status of forwarding writes from a reader of the same cluster.
    pub enum LocalWriteForwardingStatus {
        /// Writes are forwarded.
        Enabled = "enabled",
        /// Writes are not forwarded.
        Disabled = "disabled",
        /// Forwarding is being turned on.
        Enabling = "enabling",
        /// Forwarding is being turned off.
        Disabling = "disabling",
        /// Forwarding was asked for.
        Requested = "requested",
    }
}

choices! {
    /// How a cluster grows.
    pub enum ClusterScalabilityType {
        /// By larger instances and more readers.
        Standard = "standard",
        /// By shards.
        Limitless = "limitless",
    }
}

/// The option group of a cluster.
#[derive(Record)]
pub struct DBClusterOptionGroupStatus {
    /// Name of the group.
    #[field(name = "DBClusterOptionGroupName")]
    db_cluster_option_group_name: Option<Text>,
    /// Status of the group.
    status: Option<Text>,
}

/// Status of the replication of a cluster.
#[derive(Record)]
pub struct DBClusterStatusInfo {
    /// What it is about.
    pub(crate) status_type: Option<Text>,
    /// True if nothing is wrong.
    pub(crate) normal: Option<bool>,
    /// Status of the replication.
    pub(crate) status: Option<Text>,
    /// Details of an error.
    pub(crate) message: Option<Text>,
}

/// An instance of a cluster.
#[derive(Record)]
pub struct DBClusterMember {
    /// Identifier of the instance.
    #[field(name = "DBInstanceIdentifier")]
    pub(crate) db_instance_identifier: Option<Text>,
    /// True for the instance that takes writes.
    pub(crate) is_cluster_writer: Option<bool>,
    /// Status of the parameter group of the cluster: in-sync or pending-reboot.
    #[field(name = "DBClusterParameterGroupStatus")]
    pub(crate) db_cluster_parameter_group_status: Option<Text>,
    /// Order in which readers become the writer, the lowest first.
    pub(crate) promotion_tier: Option<i64>,
}

/// A role with which a cluster uses a feature.
#[derive(Record)]
pub struct DBClusterRole {
    /// ARN of the role.
    pub(crate) role_arn: Option<Text>,
    /// Status: ACTIVE, PENDING or INVALID.
    pub(crate) status: Option<Text>,
    /// Feature that the role is for.
    pub(crate) feature_name: Option<Text>,
}

/// Capacity of the serverless instances of a cluster.
#[derive(Record)]
pub struct ServerlessV2ScalingConfiguration {
    /// Least capacity in units, in steps of a half.
    pub(crate) min_capacity: Option<f64>,
    /// Largest capacity in units, in steps of a half.
    pub(crate) max_capacity: Option<f64>,
    /// Seconds without connections after which the instances are paused.
    pub(crate) seconds_until_auto_pause: Option<i64>,
}

/// Capacity of a cluster of the first serverless form. No account has one today.
#[derive(Record)]
pub struct ScalingConfigurationInfo {
    /// Least capacity.
    min_capacity: Option<i64>,
    /// Largest capacity.
    max_capacity: Option<i64>,
    /// True if the cluster is paused without connections.
    auto_pause: Option<bool>,
    /// Seconds without connections after which the cluster is paused.
    seconds_until_auto_pause: Option<i64>,
    /// What happens if a change of capacity takes too long.
    timeout_action: Option<Text>,
    /// Seconds after which a change of capacity takes too long.
    seconds_before_timeout: Option<i64>,
}

/// Settings of a custom cluster. There are none.
#[derive(Record)]
pub struct RdsCustomClusterConfiguration {
    /// ID of the subnet of the connection.
    interconnect_subnet_id: Option<Text>,
    /// Settings of the transit gateway.
    transit_gateway_multicast_domain_id: Option<Text>,
    /// Mode of replicas.
    replica_mode: Option<crate::ReplicaMode>,
}

/// Status of a cluster with shards. There are none.
#[derive(Record)]
pub struct LimitlessDatabase {
    /// Status of the shards.
    status: Option<Text>,
    /// Least capacity that is needed.
    min_required_acu: Option<f64>,
}

/// Changes of a cluster that are not applied yet.
#[derive(Record)]
pub struct ClusterPendingModifiedValues {
    /// Changes of the export of logs.
    #[field(wire = "PendingCloudwatchLogsExports")]
    pub(crate) pending_log_exports: Option<PendingLogExports>,
    /// New identifier.
    #[field(name = "DBClusterIdentifier")]
    pub(crate) db_cluster_identifier: Option<Text>,
    /// Mask of a new password of the master user.
    pub(crate) master_user_password: Option<Text>,
    /// New use of credentials of the account for signing in.
    #[field(name = "IAMDatabaseAuthenticationEnabled")]
    pub(crate) iam_database_authentication_enabled: Option<bool>,
    /// New version of the engine.
    pub(crate) engine_version: Option<Text>,
    /// New number of days that automated backups are kept.
    pub(crate) backup_retention_period: Option<i64>,
    /// New type of storage.
    pub(crate) storage_type: Option<Text>,
    /// New size of the storage.
    pub(crate) allocated_storage: Option<i64>,
    /// Settings of a custom cluster.
    pub(crate) rds_custom_cluster_configuration: Option<RdsCustomClusterConfiguration>,
    /// New provisioned input and output operations per second.
    pub(crate) iops: Option<i64>,
    /// New certificate.
    pub(crate) certificate_details: Option<CertificateDetails>,
}

/// A cluster of databases.
#[derive(Resource)]
#[resource(
    arn("DBClusterArn", "cluster:{DBClusterIdentifier}"),
    not_found = |id| errors::cluster_not_found(id),
    name = "DBClusterIdentifier", pk = "DBClusterArn", exists_if = "DBClusterArn", tags = "TagList",
    relation(subnet_group, one = DBSubnetGroup, with = relations::find_subnet_group),
    relation(vpc, one = ec2::Vpc, with = relations::find_vpc),
    relation(subnets, many = ec2::Subnet, with = relations::find_subnets),
    relation(security_groups, many = ec2::SecurityGroup, with = relations::find_security_groups),
    relation(managed_secret, one = nephos_secrets::Secret, with = relations::find_secret),
    relation(instances, many = crate::DBInstance, with = relations::find_instances),
    relation(snapshots, many = crate::DBClusterSnapshot, with = relations::find_snapshots)
)]
#[cfg_attr(feature = "kms", resource(relation(crypto_key, one = nephos_kms::CryptoKey, with = relations::find_crypto_key)))]
pub struct DBCluster {
    /// Size of the storage in GiB, for clusters in several zones.
    pub(crate) allocated_storage: Option<i64>,
    /// Zones of the storage.
    #[field(item = "AvailabilityZone", fixed)]
    pub(crate) availability_zones: Option<Vec<Text>>,
    /// Days that automated backups are kept.
    #[field(range(1..=35))]
    pub(crate) backup_retention_period: Option<i64>,
    /// Character set.
    #[field(fixed, no_effect)]
    pub(crate) character_set_name: Option<Text>,
    /// Name of the first database.
    #[field(fixed, condition = "rds:DatabaseName")]
    pub(crate) database_name: Option<Text>,
    /// Identifier, unique within account and Region and kept in lower case: a letter, then letters, digits and single hyphens.
    #[field(name = "DBClusterIdentifier", required, fixed, length(1..))]
    pub(crate) db_cluster_identifier: Option<Text>,
    /// Name of the parameter group.
    #[field(name = "DBClusterParameterGroup", service_set)]
    pub(crate) db_cluster_parameter_group: Option<Text>,
    /// Name of the subnet group; `default` by default.
    #[field(name = "DBSubnetGroup", fixed)]
    pub(crate) db_subnet_group: Option<Text>,
    /// Status: creating, available, modifying, failing-over, stopping, stopped, starting, deleting and others.
    #[field(service_set)]
    pub(crate) status: Option<Text>,
    /// Progress of a long change in percent.
    #[field(service_set)]
    pub(crate) percent_progress: Option<Text>,
    /// Earliest time that the cluster can be restored to.
    #[field(service_set)]
    pub(crate) earliest_restorable_time: Option<Timestamp>,
    /// Host name of the writer.
    #[field(service_set)]
    pub(crate) endpoint: Option<Text>,
    /// Host name of the readers.
    #[field(service_set)]
    pub(crate) reader_endpoint: Option<Text>,
    /// Host names that were added.
    #[field(service_set)]
    pub(crate) custom_endpoints: Option<Vec<Text>>,
    /// True if there are instances in several zones.
    #[field(name = "MultiAZ", service_set)]
    pub(crate) multi_az: Option<bool>,
    /// Engine: aurora-mysql, aurora-postgresql, docdb, neptune; mysql or postgres for a cluster in several zones.
    #[field(required, fixed, condition = "rds:DatabaseEngine")]
    pub(crate) engine: Option<Text>,
    /// Version of the engine; the newest by default.
    pub(crate) engine_version: Option<Text>,
    /// Latest time that the cluster can be restored to.
    #[field(service_set)]
    pub(crate) latest_restorable_time: Option<Timestamp>,
    /// Port.
    #[field(range(1150..=65535))]
    pub(crate) port: Option<i64>,
    /// Name of the master user.
    #[field(fixed)]
    pub(crate) master_username: Option<Text>,
    /// Option groups.
    #[field(name = "DBClusterOptionGroupMemberships", item = "DBClusterOptionGroup", service_set)]
    pub(crate) db_cluster_option_group_memberships: Option<Vec<DBClusterOptionGroupStatus>>,
    /// Window of the day in which automated backups are made: `05:30-06:00` in UTC, at least half an hour.
    pub(crate) preferred_backup_window: Option<Text>,
    /// Window of the week in which changes are applied: `sun:23:00-mon:01:30` in UTC, at least half an hour.
    pub(crate) preferred_maintenance_window: Option<Text>,
    /// Order in which automatic upgrades reach the cluster.
    #[field(service_set)]
    pub(crate) upgrade_rollout_order: Option<UpgradeRolloutOrder>,
    /// ARN of the database that this cluster is a read replica of.
    #[field(fixed)]
    pub(crate) replication_source_identifier: Option<Text>,
    /// Read replicas of the cluster.
    #[field(item = "ReadReplicaIdentifier", service_set)]
    pub(crate) read_replica_identifiers: Option<Vec<Text>>,
    /// Status of the replication.
    #[field(item = "DBClusterStatusInfo", service_set)]
    pub(crate) status_infos: Option<Vec<DBClusterStatusInfo>>,
    /// Instances.
    #[field(name = "DBClusterMembers", item = "DBClusterMember", service_set)]
    pub(crate) db_cluster_members: Option<Vec<DBClusterMember>>,
    /// Security groups.
    #[field(item = "VpcSecurityGroupMembership", service_set)]
    pub(crate) vpc_security_groups: Option<Vec<VpcSecurityGroupMembership>>,
    /// Hosted zone of the host names.
    #[field(service_set)]
    pub(crate) hosted_zone_id: Option<Text>,
    /// True if the storage is encrypted.
    #[field(fixed, condition = "rds:StorageEncrypted")]
    pub(crate) storage_encrypted: Option<bool>,
    /// Encryption of the storage.
    #[field(service_set)]
    pub(crate) storage_encryption_type: Option<StorageEncryptionType>,
    /// ARN of the crypto key of the storage; the one of the service by default.
    #[field(wire = "KmsKeyId", fixed)]
    pub(crate) crypto_key_id: Option<Text>,
    /// Identifier that no other cluster ever has.
    #[field(service_set)]
    pub(crate) db_cluster_resource_id: Option<Text>,
    /// ARN.
    #[field(name = "DBClusterArn", service_set)]
    pub(crate) db_cluster_arn: Option<Text>,
    /// Roles.
    #[field(item = "DBClusterRole", service_set)]
    pub(crate) associated_roles: Option<Vec<DBClusterRole>>,
    /// True if users can sign in with credentials of the account.
    #[field(name = "IAMDatabaseAuthenticationEnabled")]
    pub(crate) iam_database_authentication_enabled: Option<bool>,
    /// Identifier that all clones of a cluster share.
    #[field(service_set)]
    pub(crate) clone_group_id: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) cluster_create_time: Option<Timestamp>,
    /// Earliest time that the cluster can be moved back to.
    #[field(service_set)]
    pub(crate) earliest_backtrack_time: Option<Timestamp>,
    /// Seconds that the cluster can be moved back, for aurora-mysql.
    #[field(no_effect, range(0..=259_200))]
    pub(crate) backtrack_window: Option<i64>,
    /// Number of stored changes.
    #[field(service_set)]
    pub(crate) backtrack_consumed_change_records: Option<i64>,
    /// Types of logs that are exported to log groups.
    #[field(wire = "EnabledCloudwatchLogsExports", fixed)]
    pub(crate) enabled_log_exports: Option<Vec<Text>>,
    /// Capacity of a cluster of the first serverless form.
    #[field(service_set)]
    pub(crate) capacity: Option<i64>,
    /// Changes that are not applied yet.
    #[field(service_set)]
    pub(crate) pending_modified_values: Option<ClusterPendingModifiedValues>,
    /// Mode of the engine: provisioned.
    #[field(fixed)]
    pub(crate) engine_mode: Option<Text>,
    /// Capacity of a cluster of the first serverless form.
    #[field(service_set)]
    pub(crate) scaling_configuration_info: Option<ScalingConfigurationInfo>,
    /// Settings of a custom cluster.
    #[field(service_set)]
    pub(crate) rds_custom_cluster_configuration: Option<RdsCustomClusterConfiguration>,
    /// Class of the instances, for clusters in several zones.
    #[field(name = "DBClusterInstanceClass", condition = "rds:DatabaseClass")]
    pub(crate) db_cluster_instance_class: Option<Text>,
    /// Type of storage: aurora or aurora-iopt1; standard or iopt1 for document databases; gp3, io1 or io2 for clusters in several zones.
    pub(crate) storage_type: Option<Text>,
    /// Provisioned input and output operations per second, for clusters in several zones.
    #[field(condition = "rds:Piops")]
    pub(crate) iops: Option<i64>,
    /// Throughput of the storage, for clusters in several zones.
    #[field(service_set)]
    pub(crate) storage_throughput: Option<i64>,
    /// Time when the type of storage can be changed again.
    #[field(name = "IOOptimizedNextAllowedModificationTime", service_set)]
    pub(crate) io_optimized_next_allowed_modification_time: Option<Timestamp>,
    /// True if the cluster can be reached from outside of its VPC, for clusters in several zones.
    #[field(fixed)]
    pub(crate) publicly_accessible: Option<bool>,
    /// True if new minor versions are installed in the maintenance window.
    pub(crate) auto_minor_version_upgrade: Option<bool>,
    /// True if the cluster cannot be deleted.
    pub(crate) deletion_protection: Option<bool>,
    /// True if statements can be sent over HTTP.
    #[field(no_effect)]
    pub(crate) http_endpoint_enabled: Option<bool>,
    /// Mode of the activity stream.
    #[field(service_set)]
    pub(crate) activity_stream_mode: Option<ActivityStreamMode>,
    /// Status of the activity stream.
    #[field(service_set)]
    pub(crate) activity_stream_status: Option<ActivityStreamStatus>,
    /// ARN of the crypto key of the activity stream.
    #[field(wire = "ActivityStreamKmsKeyId", service_set)]
    pub(crate) activity_stream_crypto_key_id: Option<Text>,
    /// Name of the stream that receives the activity.
    #[field(service_set)]
    pub(crate) activity_stream_kinesis_stream_name: Option<Text>,
    /// True if snapshots get the tags of the cluster.
    pub(crate) copy_tags_to_snapshot: Option<bool>,
    /// True for a clone in another account.
    #[field(service_set)]
    pub(crate) cross_account_clone: Option<bool>,
    /// Memberships in directories of users.
    #[field(item = "DomainMembership", service_set)]
    pub(crate) domain_memberships: Option<Vec<DomainMembership>>,
    /// Tags.
    #[field(item = "Tag", alias = "Tags")]
    pub(crate) tag_list: Option<Vec<Tag>>,
    /// Global cluster of the cluster. There are none, so every one is refused.
    #[field(fixed, length(1..=255), pattern = r"[A-Za-z][0-9A-Za-z-:._]*")]
    pub(crate) global_cluster_identifier: Option<Text>,
    /// Status of forwarding writes in a global cluster.
    #[field(service_set)]
    pub(crate) global_write_forwarding_status: Option<WriteForwardingStatus>,
    /// True if writes are to be forwarded in a global cluster.
    #[field(service_set)]
    pub(crate) global_write_forwarding_requested: Option<bool>,
    /// Type of addresses: IPV4. Subnets have no others.
    pub(crate) network_type: Option<Text>,
    /// Time when a stopped cluster is started again.
    #[field(service_set)]
    pub(crate) automatic_restart_time: Option<Timestamp>,
    /// Capacity of serverless instances.
    #[field(wire = "ServerlessV2ScalingConfiguration")]
    pub(crate) serverless_v2_scaling_configuration: Option<ServerlessV2ScalingConfiguration>,
    /// Version of the platform of serverless instances.
    #[field(service_set)]
    pub(crate) serverless_v2_platform_version: Option<Text>,
    /// Seconds between two measurements of the operating system; 0 for none. For clusters in several zones.
    #[field(no_effect)]
    pub(crate) monitoring_interval: Option<i64>,
    /// ARN of the role that writes the measurements.
    #[field(no_effect)]
    pub(crate) monitoring_role_arn: Option<Text>,
    /// Use of the performance data.
    #[field(no_effect)]
    pub(crate) database_insights_mode: Option<DatabaseInsightsMode>,
    /// True if performance data are kept.
    #[field(no_effect)]
    pub(crate) performance_insights_enabled: Option<bool>,
    /// ARN of the crypto key of the performance data.
    #[field(wire = "PerformanceInsightsKMSKeyId", no_effect)]
    pub(crate) performance_insights_crypto_key_id: Option<Text>,
    /// Days that performance data are kept.
    #[field(no_effect)]
    pub(crate) performance_insights_retention_period: Option<i64>,
    /// System ID of Oracle for custom clusters. There are none, so it is refused.
    #[field(name = "DBSystemId", fixed)]
    pub(crate) db_system_id: Option<Text>,
    /// Secret with the password of the master user.
    #[field(service_set)]
    pub(crate) master_user_secret: Option<MasterUserSecret>,
    /// Status of forwarding writes from readers.
    #[field(service_set)]
    pub(crate) local_write_forwarding_status: Option<LocalWriteForwardingStatus>,
    /// ARN of a recovery point of a backup plan. There are none, so every one is refused.
    pub(crate) aws_backup_recovery_point_arn: Option<Text>,
    /// Status of a cluster with shards.
    #[field(service_set)]
    pub(crate) limitless_database: Option<LimitlessDatabase>,
    /// How the cluster grows. There are no shards, so only standard is accepted.
    #[field(fixed)]
    pub(crate) cluster_scalability_type: Option<ClusterScalabilityType>,
    /// Certificate of the servers.
    #[field(service_set)]
    pub(crate) certificate_details: Option<CertificateDetails>,
    /// Support after the end of the standard support of the version.
    #[field(no_effect)]
    pub(crate) engine_lifecycle_support: Option<Text>,
    /// True if the cluster is in a VPC.
    #[field(name = "VPCNetworkingEnabled", service_set)]
    pub(crate) vpc_networking_enabled: Option<bool>,
    /// True if the cluster can be reached over the internet without a VPC.
    #[field(service_set)]
    pub(crate) internet_access_gateway_enabled: Option<bool>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBCluster in "rds/cluster" by db_cluster_identifier;
    arn db_cluster_arn;
    states(
        "Status":
        "creating" => "available" 60 then DBCluster::finish_creation,
        "backing-up" => "available" 60,
        "modifying" => "available" 60 then DBCluster::settle,
        "scaling-compute" => "available" 600 then DBCluster::finish_change,
        "scaling-storage" => "available" 600 then DBCluster::finish_change,
        "promoting" => "available" 120 then DBCluster::finish_promotion,
        "upgrading" => "available" 900 then DBCluster::finish_change,
        "renaming" => "available" 60 then DBCluster::finish_change,
        "resetting-master-credentials" => "available" 60 then DBCluster::finish_change,
        "failing-over" => "available" 30 then DBCluster::finish_failover,
        "rebooting" => "available" 60 then DBCluster::finish_reboot,
        "stopping" => "stopped" 180 then DBCluster::finish_stop,
        "starting" => "available" 300 then DBCluster::finish_start,
        "deleting" => removed 60 then DBCluster::clean_up
    )
}

/// Finds the cluster with this identifier or ARN, in any case, or refuses.
pub(crate) fn require(cx: &Tx<'_>, given: &str, parameter: &str) -> Result<DBCluster> {
    let id = identifier::read_or_arn::<DBCluster>(cx, given, parameter).map_err(|error| {
        let is_long = given.len() > identifier::MAX_LENGTH;
        if is_long { error } else { errors::cluster_identifier_invalid(parameter).with_field(parameter) }
    })?;
    DBCluster::find_by(cx, &[&id])?.ok_or_else(|| errors::cluster_not_found(&id).with_field(parameter))
}

impl DBCluster {
    /// Identifier of the cluster.
    pub(crate) fn id(&self) -> &str {
        self.db_cluster_identifier.as_deref().unwrap_or_default()
    }

    /// ARN of the cluster.
    pub(crate) fn own_arn(&self) -> &str {
        self.db_cluster_arn.as_deref().unwrap_or_default()
    }

    /// Status of the cluster.
    pub(crate) fn status_text(&self) -> &str {
        self.status.as_deref().unwrap_or_default()
    }

    /// Members of the cluster.
    pub(crate) fn members(&self) -> &[DBClusterMember] {
        self.db_cluster_members.as_deref().unwrap_or_default()
    }

    /// True for a cluster of instances in several zones, which the service makes itself.
    pub(crate) fn is_multi_zone(&self) -> bool {
        self.db_cluster_instance_class.is_some()
    }
}
