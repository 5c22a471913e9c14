//! Operations that restore a cluster: from a snapshot, or to a point in time.

use super::{
    CreateDBCluster, DBCluster, DBClusterFeatures, DBClusterManager, RdsCustomClusterConfiguration,
    ScalingConfiguration,
    create::CLUSTERS,
    multi_zone, require,
    settings::{is_aurora, refuse_for_engine, refuse_given},
};
use crate::{
    DBClusterAutomatedBackup, DBClusterSnapshot, DBSnapshot, TagSpecification,
    backup::{AutomatedBackup, RestoreTime},
    engine, errors, identifier, master_user,
    snapshot::{
        SavedClusterRow, SavedInstanceRow, SavedRow,
        family::{self, Readable},
    },
    tagging,
};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx, tags::to_list};
use nephos_core::{Error, Record, Result, Secret, Text, Timestamp, field_value::FieldType, operation};

/// Parameter with the identifier of a snapshot.
const SNAPSHOT: &str = "SnapshotIdentifier";

/// Parameters of a restore that are no fields of a cluster.
#[derive(Record)]
#[record(shared)]
pub struct DBClusterRestore {
    /// Name of the parameter group; the default one of the version by default.
    #[field(name = "DBClusterParameterGroupName")]
    db_cluster_parameter_group_name: Option<Text>,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(item = "VpcSecurityGroupId")]
    vpc_security_group_ids: Option<Vec<Text>>,
    /// Name of the option group. Clusters have the default one of their version, so every other one is refused.
    option_group_name: Option<Text>,
    /// Directory of users. There are none, so every one is refused.
    domain: Option<Text>,
    /// Role for calls to the directory.
    #[field(name = "DomainIAMRoleName")]
    domain_iam_role_name: Option<Text>,
    /// Capacity of the first serverless form. No account has it today, so it is refused.
    scaling_configuration: Option<ScalingConfiguration>,
    /// Settings of a custom cluster. There are none, so they are refused.
    rds_custom_cluster_configuration: Option<RdsCustomClusterConfiguration>,
    /// Tags of the automated backups, as those of the resource type `cluster-auto-backup`.
    #[field(item = "item")]
    tag_specifications: Option<Vec<TagSpecification>>,
    /// False for a cluster outside of a VPC. It is refused.
    #[field(name = "EnableVPCNetworking")]
    enable_vpc_networking: Option<bool>,
    /// True to reach the cluster over the internet without a VPC. It is refused.
    enable_internet_access_gateway: Option<bool>,
}

/// Restores a cluster from a snapshot of a cluster, or from one of an instance of MySQL or PostgreSQL. It has no instances yet, the
/// default security group and the default parameter group.
#[operation(
    of = DBCluster, call = "restore_from_snapshot", needs(db_cluster_identifier, engine),
    takes(
        settable, db_subnet_group as db_subnet_group_name(name = "DBSubnetGroupName"), tag_list(wire = "Tags"),
        enabled_log_exports(wire = "EnableCloudwatchLogsExports"),
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        performance_insights_enabled(wire = "EnablePerformanceInsights")
    ),
    except(
        allocated_storage, auto_minor_version_upgrade, aws_backup_recovery_point_arn, character_set_name,
        cluster_scalability_type, database_insights_mode, db_system_id, global_cluster_identifier, http_endpoint_enabled,
        master_username, preferred_maintenance_window, replication_source_identifier, storage_encrypted
    ),
    include(DBClusterRestore), wraps(db_cluster(name = "DBCluster")), effect = write, also_requires(
        "AddTagsToResource" = "TagList?",
        "iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"
    ),
    subject = "cluster:{DBClusterIdentifier} + cluster-snapshot:{SnapshotIdentifier} + \
        DBClusterParameterGroupName? cluster-pg:{DBClusterParameterGroupName} + DBSubnetGroupName? subgrp:{DBSubnetGroupName} + \
        OptionGroupName? og:{OptionGroupName}"
)]
pub struct RestoreDBClusterFromSnapshot {
    /// Identifier or ARN of a snapshot of a cluster, or the ARN of a snapshot of an instance.
    pub snapshot_identifier: Text,
}

impl Handler for RestoreDBClusterFromSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let source = match DBSnapshot::read_arn(&self.snapshot_identifier) {
            Some(_) => {
                let found =
                    family::require_restorable::<DBSnapshot>(cx, &self.snapshot_identifier, SNAPSHOT)?;
                ClusterSource::of_instance_snapshot(cx, &found, &self.engine)?
            }
            None => {
                let id = &self.snapshot_identifier;
                let found = family::require_restorable::<DBClusterSnapshot>(cx, id, SNAPSHOT)?;
                ClusterSource::of_snapshot(cx, &found)?
            }
        };
        let (id, engine) = (self.db_cluster_identifier.clone(), self.engine.clone());
        let cluster = source.restore(cx, &id, &engine, self)?;
        cluster.store_new(cx)?;
        Ok(cluster.into())
    }
}

/// Restores a cluster to a point in time, from its automated backups, or clones it. It has the settings of the source, no instances
/// yet, the default security group and the default parameter group.
#[operation(
    of = DBCluster, call = "restore_to_point_in_time", needs(db_cluster_identifier),
    takes(
        settable, db_subnet_group as db_subnet_group_name(name = "DBSubnetGroupName"), tag_list(wire = "Tags"),
        enabled_log_exports(wire = "EnableCloudwatchLogsExports"),
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        performance_insights_enabled(wire = "EnablePerformanceInsights")
    ),
    except(
        allocated_storage, auto_minor_version_upgrade, availability_zones, aws_backup_recovery_point_arn, character_set_name,
        cluster_scalability_type, database_insights_mode, database_name, db_system_id, engine, engine_version,
        global_cluster_identifier, http_endpoint_enabled, master_username, preferred_maintenance_window,
        replication_source_identifier, storage_encrypted
    ),
    include(DBClusterRestore), wraps(db_cluster(name = "DBCluster")), effect = write, also_requires(
        "AddTagsToResource" = "TagList?",
        "iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"
    ),
    subject = "cluster:{DBClusterIdentifier} + SourceDBClusterIdentifier? cluster:{SourceDBClusterIdentifier} + \
        SourceDbClusterResourceId? cluster:{SourceDbClusterResourceId} + \
        DBClusterParameterGroupName? cluster-pg:{DBClusterParameterGroupName} + DBSubnetGroupName? subgrp:{DBSubnetGroupName} + \
        OptionGroupName? og:{OptionGroupName}"
)]
pub struct RestoreDBClusterToPointInTime {
    /// Type: full-copy by default, or copy-on-write for a clone.
    pub restore_type: Option<Text>,
    /// Identifier of the source.
    #[field(name = "SourceDBClusterIdentifier")]
    pub source_db_cluster_identifier: Option<Text>,
    /// Resource ID of the source, which may be deleted.
    pub source_db_cluster_resource_id: Option<Text>,
    /// Time to restore to.
    pub restore_to_time: Option<Timestamp>,
    /// True for the latest time that the source can be restored to.
    pub use_latest_restorable_time: Option<bool>,
}

impl Handler for RestoreDBClusterToPointInTime {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let is_clone = self.read_type()?;
        let (mut source, live) = self.find_source(cx)?;
        if let Some(cluster) = live.as_ref().filter(|_| is_clone) {
            refuse_for_engine(cluster.version()?.engine, &[("RestoreType", cluster.is_multi_zone())])?;
        }
        if self.crypto_key_id.is_some() && source.saved.storage_encrypted != Some(true) {
            return Err(errors::key_for_unencrypted_source().with_field("CryptoKeyId"));
        }
        // The port is the default one of the engine.
        source.saved.port = None;
        let (id, engine) =
            (self.db_cluster_identifier.clone(), source.saved.engine.clone().unwrap_or_default());
        let mut cluster = source.restore(cx, &id, &engine, self)?;
        if let Some(original) = live.filter(|_| is_clone) {
            cluster.join_clones(cx, original)?;
        }
        cluster.store_new(cx)?;
        Ok(cluster.into())
    }
}

impl RestoreDBClusterToPointInTime {
    /// Reads the type of the restore; true for a clone.
    fn read_type(&self) -> Result<bool> {
        match self.restore_type.as_deref() {
            None | Some("full-copy") => Ok(false),
            Some("copy-on-write") if self.restore_to_time.is_some() => {
                Err(errors::restore_time_of_clone().with_field("RestoreToTime"))
            }
            Some("copy-on-write") => Ok(true),
            Some(other) => Err(errors::restore_type_invalid(other).with_field("RestoreType")),
        }
    }

    /// Finds the source, and checks the time. Also returns the cluster, unless it is deleted.
    fn find_source(&self, cx: &mut Tx<'_>) -> Result<(ClusterSource, Option<DBCluster>)> {
        let field = "SourceDBClusterIdentifier";
        let is_clone = self.read_type()?;
        let latest = self.use_latest_restorable_time.or(is_clone.then_some(true));
        let time = RestoreTime::read("RestoreToTime", self.restore_to_time, latest)?;
        let (found, field) = match (&self.source_db_cluster_identifier, &self.source_db_cluster_resource_id) {
            (Some(id), None) => (Some(require(cx, id, field)?), field),
            (None, Some(id)) => {
                let clusters: Vec<DBCluster> = cx.all(&DBCluster::table(cx.scope()))?;
                let is_meant = |cluster: &DBCluster| cluster.db_cluster_resource_id.as_ref() == Some(id);
                (clusters.into_iter().find(is_meant), "SourceDbClusterResourceId")
            }
            (None, None) => return Err(errors::parameter_blank(field).with_field(field)),
            (Some(_), Some(_)) => return Err(errors::restore_sources().with_field(field)),
        };
        if let Some(cluster) = found.filter(|cluster| cluster.status_text() != "deleting") {
            let Some((earliest, latest)) = cluster.restorable(cx.now()) else {
                return Err(errors::cluster_not_available(cluster.id()).with_field(field));
            };
            time.read_within(earliest, latest, "cluster")?;
            return Ok((ClusterSource::of_cluster(cx, &cluster)?, Some(cluster)));
        }
        let Some(id) = &self.source_db_cluster_resource_id else {
            let id = self.source_db_cluster_identifier.as_deref().unwrap_or_default();
            return Err(errors::cluster_not_available(id).with_field(field));
        };
        refuse_given(&[("RestoreType", is_clone)])?;
        let missing = || errors::cluster_backup_not_found(id).with_field(field);
        let backup = DBClusterAutomatedBackup::find_retained(cx, id)?.ok_or_else(missing)?;
        let (earliest, latest) = backup.restorable().ok_or_else(missing)?;
        time.read_within(earliest, latest, "cluster")?;
        let kept = SavedClusterRow::find(cx, backup.backups_arn())?.ok_or_else(missing)?;
        let password = kept.open_password(cx)?;
        Ok((ClusterSource { saved: kept, password }, None))
    }
}

impl DBCluster {
    /// Notes that the cluster is a clone of another one: all clones have the same group.
    fn join_clones(&mut self, cx: &mut Tx<'_>, mut original: Self) -> Result<()> {
        if original.clone_group_id.is_none() {
            original.clone_group_id = Some(cx.ids().uuid());
            cx.put(original.clone())?;
        }
        self.clone_group_id = original.clone_group_id;
        Ok(())
    }
}

/// What a cluster is restored from.
struct ClusterSource {
    saved: SavedClusterRow,
    password: Option<Secret>,
}

impl ClusterSource {
    /// Reads a cluster as it is now.
    fn of_cluster(cx: &mut Tx<'_>, cluster: &DBCluster) -> Result<Self> {
        let resource_id = cluster.db_cluster_resource_id.as_deref().unwrap_or_default();
        let password = master_user::read_password(cx, resource_id, cluster.master_user_secret.as_ref())?;
        Ok(Self { saved: SavedClusterRow::of_cluster(cluster), password })
    }

    /// Reads what a snapshot of a cluster keeps.
    fn of_snapshot(cx: &mut Tx<'_>, found: &Readable<DBClusterSnapshot>) -> Result<Self> {
        found.check_encryption(cx, SNAPSHOT)?;
        let snapshot = &found.snapshot;
        let kept = SavedClusterRow::find_in(cx, &found.scope, snapshot.own_arn())?;
        let missing = || errors::cluster_snapshot_not_found(snapshot.own_name()).with_field(SNAPSHOT);
        let (mut saved, password) = kept.ok_or_else(missing)?;
        // A copy may have another key.
        saved.storage_encrypted = snapshot.storage_encrypted;
        saved.crypto_key_id.clone_from(&snapshot.crypto_key_id);
        Ok(Self { saved, password })
    }

    /// Reads what a snapshot of an instance keeps, for a cluster of the corresponding engine.
    fn of_instance_snapshot(cx: &mut Tx<'_>, found: &Readable<DBSnapshot>, engine: &str) -> Result<Self> {
        found.check_encryption(cx, SNAPSHOT)?;
        let snapshot = &found.snapshot;
        let own = snapshot.engine.as_deref().unwrap_or_default();
        if !matches!((own, engine), ("mysql", "aurora-mysql") | ("postgres", "aurora-postgresql")) {
            return Err(errors::engine_not_changeable(own, engine).with_field("Engine"));
        }
        let kept = SavedInstanceRow::find_in(cx, &found.scope, snapshot.own_arn())?;
        let missing = || errors::snapshot_not_found(snapshot.own_name()).with_field(SNAPSHOT);
        let (instance, password) = kept.ok_or_else(missing)?;
        let mut saved = SavedClusterRow::blank();
        saved.engine = Some(engine.into());
        saved.master_username = instance.master_username;
        saved.database_name = instance.db_name;
        saved.port = instance.db_instance_port;
        saved.backup_retention_period = instance.backup_retention_period.filter(|days| *days > 0);
        saved.preferred_backup_window = instance.preferred_backup_window;
        saved.storage_encrypted = snapshot.encrypted;
        saved.crypto_key_id.clone_from(&snapshot.crypto_key_id);
        Ok(Self { saved, password })
    }

    /// Restores a cluster with the parameters of an operation; settings that are not given are the ones of the source. It is not
    /// stored yet.
    fn restore(
        mut self,
        cx: &mut Tx<'_>,
        id: &str,
        name: &str,
        mut restore: impl Record + Clone,
    ) -> Result<DBCluster> {
        let field = "DBClusterIdentifier";
        let id = identifier::read(id, field, multi_zone::max_identifier(name))?;
        if DBCluster::find_by(cx, &[&id])?.is_some() {
            return Err(errors::cluster_exists().with_field(field));
        }
        let engine = engine::require(name)?;
        let given = CreateDBCluster::from_given(restore.clone());
        self.check(&given, name)?;
        let others = DBClusterRestore::from_given(restore.clone());
        refuse_given(&[
            ("EnableVPCNetworking", others.enable_vpc_networking == Some(false)),
            ("EnableInternetAccessGateway", others.enable_internet_access_gateway == Some(true)),
        ])?;
        if given.preferred_backup_window.is_some() {
            // A window of the source may overlap with the new one.
            self.saved.preferred_maintenance_window = None;
        }
        let mut create = CreateDBCluster::new(id.clone(), name);
        create.take_given(&mut self.saved);
        create.take_given(&mut restore);
        if create.crypto_key_id.is_some() {
            create.storage_encrypted = Some(true);
        }
        let tags = tagging::RULES.read_list(create.tag_list.as_deref().unwrap_or_default())?;
        let backup_tags = create.backup_tags()?;
        let mut cluster = create.build(cx, id, engine, None)?;
        cluster.tag_list = Some(to_list(tags).unwrap_or_default());
        CLUSTERS.add_one(cx, errors::too_many_clusters)?;
        cluster.tag_backups(cx, backup_tags)?;
        if let Some(password) = &self.password {
            let resource_id = cluster.db_cluster_resource_id.clone().unwrap_or_default();
            master_user::keep_password(cx, &resource_id, password)?;
        }
        if cluster.is_multi_zone() {
            cluster.create_members(cx, DBClusterFeatures::from_given(create).certificate())?;
        }
        Ok(cluster)
    }

    /// Refuses another engine, an older version, and settings that restored clusters of Aurora do not have at first.
    fn check(&self, given: &CreateDBCluster, name: &str) -> Result<()> {
        let own = self.saved.engine.as_deref().unwrap_or_default();
        if own != name {
            return Err(errors::engine_not_changeable(own, name).with_field("Engine"));
        }
        let engine = engine::require(name)?;
        let version =
            self.saved.engine_version.as_deref().map(|version| engine.version(version)).transpose()?;
        if let (Some(own), Some(version)) = (version, given.engine_version.as_deref()) {
            let version = engine.version(version)?;
            if version.name() != own.name() && !own.can_upgrade_to(version) {
                let error = errors::cannot_upgrade(name, own.name(), version.name());
                return Err(error.with_field("EngineVersion"));
            }
        }
        let monitoring = [
            ("MonitoringInterval", given.monitoring_interval.is_some()),
            ("MonitoringRoleArn", given.monitoring_role_arn.is_some()),
            ("PerformanceInsightsEnabled", given.performance_insights_enabled.is_some()),
            ("PerformanceInsightsCryptoKeyId", given.performance_insights_crypto_key_id.is_some()),
            ("PerformanceInsightsRetentionPeriod", given.performance_insights_retention_period.is_some()),
        ];
        let refusal: fn() -> Error = errors::monitoring_of_restored;
        if is_aurora(engine) { crate::instance::refuse_given(&monitoring, refusal) } else { Ok(()) }
    }
}
