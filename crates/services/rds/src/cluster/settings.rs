//! Settings that clusters are created with and that can be changed.

use super::{DBCluster, LocalWriteForwardingStatus, multi_zone};
use crate::{
    DBSubnetGroup, MasterUserAuthenticationType,
    engine::{self, Engine, Version},
    errors,
    instance::features::{is_retention, is_role},
    parameter_group, settings, subnet_group, uses,
};
use nephos_cloud::{StoredResource, Tx};
use nephos_core::{Record, Result, Secret, SignedDuration, Text, Timestamp};
use nephos_ec2 as ec2;

/// Days after which the storage can be optimized again.
const STORAGE_DAYS: i64 = 30;

/// Capacity of a cluster of the first serverless form. No account has one today, so it is refused.
#[derive(Record)]
pub struct ScalingConfiguration {
    /// Least capacity.
    min_capacity: Option<i64>,
    /// Largest capacity.
    max_capacity: Option<i64>,
    /// True to pause the cluster without connections.
    auto_pause: Option<bool>,
    /// Seconds without connections after which the cluster is paused.
    seconds_until_auto_pause: Option<i64>,
    /// What happens if a change of capacity takes too long.
    timeout_action: Option<Text>,
    /// Seconds after which a change of capacity takes too long.
    seconds_before_timeout: Option<i64>,
}

/// Parameter group, network and master user of a cluster.
#[derive(Record)]
#[record(shared)]
pub struct DBClusterAccess {
    /// Name of the parameter group; the default one of the version by default.
    #[field(name = "DBClusterParameterGroupName")]
    pub(super) db_cluster_parameter_group_name: Option<Text>,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(item = "VpcSecurityGroupId")]
    pub(super) vpc_security_group_ids: Option<Vec<Text>>,
    /// Password of the master user: at least 8 printable characters, without `/`, `"`, `@` and spaces.
    #[field(sensitive)]
    pub(super) master_user_password: Option<Secret>,
    /// True for a password that the service manages in a secret.
    #[field(condition = "rds:ManageMasterUserPassword")]
    pub(super) manage_master_user_password: Option<bool>,
    /// Crypto key of the managed secret.
    #[field(wire = "MasterUserSecretKmsKeyId")]
    pub(super) master_user_secret_crypto_key_id: Option<Text>,
}

/// Settings of a cluster of relational databases that are no fields of it.
#[derive(Record)]
#[record(shared)]
pub struct DBClusterFeatures {
    /// How the master user signs in.
    pub(super) master_user_authentication_type: Option<MasterUserAuthenticationType>,
    /// Name of the option group. Clusters have the default one of their version, so every other one is refused.
    option_group_name: Option<Text>,
    /// Directory of users. There are none, so every one is refused.
    domain: Option<Text>,
    /// Role for calls to the directory.
    #[field(name = "DomainIAMRoleName")]
    domain_iam_role_name: Option<Text>,
    /// Capacity of the first serverless form. No account has it today, so it is refused.
    scaling_configuration: Option<ScalingConfiguration>,
    /// True to forward writes in a global cluster. There are none, so it is refused.
    enable_global_write_forwarding: Option<bool>,
    /// True to forward writes from readers to the writer, for Aurora.
    enable_local_write_forwarding: Option<bool>,
    /// True for shards. There are none, so it is refused.
    enable_limitless_database: Option<bool>,
    /// Certificate of the servers, for clusters in several zones.
    #[field(name = "CACertificateIdentifier")]
    ca_certificate_identifier: Option<Text>,
}

impl DBClusterAccess {
    /// Returns the name of the parameter group, which must be one of the family of the version.
    pub(super) fn read_parameter_group(&self, cx: &Tx<'_>, version: Version) -> Result<Option<Text>> {
        let Some(name) = &self.db_cluster_parameter_group_name else { return Ok(None) };
        let field = "DBClusterParameterGroupName";
        let group = parameter_group::cluster::require(cx, name, version.major.family, field)?;
        Ok(group.db_cluster_parameter_group_name)
    }
}

impl DBClusterFeatures {
    /// Refuses what no account here can have, and what the engine does not have.
    pub(super) fn refuse_unsupported(&self, version: Version) -> Result<()> {
        if let Some(domain) = &self.domain {
            return Err(errors::domain_not_found(domain).with_field("Domain"));
        }
        let options = version.default_option_group();
        if self.option_group_name.as_deref().is_some_and(|name| name != options) {
            return Err(errors::cluster_feature_unsupported("OptionGroupName").with_field("OptionGroupName"));
        }
        refuse_given(&[
            ("DomainIAMRoleName", self.domain_iam_role_name.is_some()),
            ("ScalingConfiguration", self.scaling_configuration.is_some()),
            ("EnableGlobalWriteForwarding", self.enable_global_write_forwarding == Some(true)),
            ("EnableLimitlessDatabase", self.enable_limitless_database == Some(true)),
        ])?;
        refuse_for_engine(
            version.engine,
            &[
                (
                    "EnableLocalWriteForwarding",
                    self.enable_local_write_forwarding == Some(true) && !is_aurora(version.engine),
                ),
                (
                    "CACertificateIdentifier",
                    self.ca_certificate_identifier.is_some() && !multi_zone::is_engine(version.engine.name),
                ),
            ],
        )
    }

    /// Certificate authority of the servers.
    pub(super) fn certificate(&self) -> Option<&Text> {
        self.ca_certificate_identifier.as_ref()
    }

    /// Returns the new status of forwarding writes, if it changes.
    pub(super) fn write_forwarding(&self) -> Option<LocalWriteForwardingStatus> {
        self.enable_local_write_forwarding.map(|enabled| match enabled {
            true => LocalWriteForwardingStatus::Enabled,
            false => LocalWriteForwardingStatus::Disabled,
        })
    }
}

/// True for Aurora.
pub(super) fn is_aurora(engine: &Engine) -> bool {
    engine.is_aurora()
}

/// Refuses the first of these parameters that is given: no cluster has it.
pub(super) fn refuse_given(parameters: &[(&str, bool)]) -> Result<()> {
    match parameters.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(errors::cluster_feature_unsupported(name).with_field(*name)),
        None => Ok(()),
    }
}

/// Refuses the first of these parameters that is given: clusters of the engine do not have it.
pub(super) fn refuse_for_engine(engine: &Engine, parameters: &[(&str, bool)]) -> Result<()> {
    match parameters.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(errors::cluster_parameter_unsupported(name, engine.name).with_field(*name)),
        None => Ok(()),
    }
}

/// Refuses an interval of measurements without a role, and a role without an interval.
fn check_monitoring(interval: Option<i64>, role: Option<&Text>) -> Result<()> {
    let interval = interval.unwrap_or_default();
    if ![0, 1, 5, 10, 15, 30, 60].contains(&interval) {
        return Err(errors::monitoring_interval_invalid(interval).with_field("MonitoringInterval"));
    }
    match (interval, role) {
        (0, Some(_)) => Err(errors::monitoring_interval_needed().with_field("MonitoringInterval")),
        (1.., None) => Err(errors::monitoring_role_needed().with_field("MonitoringRoleArn")),
        (_, Some(role)) if !is_role(role) => {
            Err(errors::monitoring_role_invalid().with_field("MonitoringRoleArn"))
        }
        _ => Ok(()),
    }
}

impl DBCluster {
    /// Version of the engine.
    pub(crate) fn version(&self) -> Result<Version> {
        let engine = engine::require(self.engine.as_deref().unwrap_or_default())?;
        engine.version(self.engine_version.as_deref().unwrap_or_default())
    }

    /// Checks the settings that were given, completes those that were not, and resolves the names of crypto keys. `before` is
    /// the cluster before a change.
    pub(super) fn check_settings(
        &mut self,
        cx: &mut Tx<'_>,
        engine: &Engine,
        before: Option<&Self>,
    ) -> Result<()> {
        let is_multi_zone = multi_zone::is_engine(engine.name);
        settings::check_network_type(self.network_type.as_deref())?;
        self.network_type = Some("IPV4".into());
        refuse_given(&[("AwsBackupRecoveryPointArn", self.aws_backup_recovery_point_arn.is_some())])?;
        refuse_for_engine(
            engine,
            &[
                (
                    "BacktrackWindow",
                    self.backtrack_window.unwrap_or_default() > 0 && engine.name != "aurora-mysql",
                ),
                ("EnableHttpEndpoint", self.http_endpoint_enabled == Some(true) && !is_aurora(engine)),
                (
                    "EnableIAMDatabaseAuthentication",
                    self.iam_database_authentication_enabled == Some(true) && engine.name == "docdb",
                ),
                ("DBClusterInstanceClass", self.db_cluster_instance_class.is_some() && !is_multi_zone),
                ("Iops", self.iops.is_some() && !is_multi_zone),
            ],
        )?;
        self.set_monitoring(before)?;
        let maintenance = self.preferred_maintenance_window.as_deref();
        let (maintenance, backup) =
            settings::read_windows(cx, maintenance, self.preferred_backup_window.as_deref())?;
        (self.preferred_maintenance_window, self.preferred_backup_window) = (Some(maintenance), Some(backup));
        if !is_multi_zone {
            self.change_storage_type(cx.now(), engine, before)?;
        }
        self.set_performance_insights(cx, before)
    }

    /// Checks the settings of measurements. The role is kept no longer than they are made.
    fn set_monitoring(&mut self, before: Option<&Self>) -> Result<()> {
        let known = before.and_then(|before| before.monitoring_role_arn.as_ref());
        if self.monitoring_interval == Some(0) && self.monitoring_role_arn.as_ref() == known {
            self.monitoring_role_arn = None;
        }
        check_monitoring(self.monitoring_interval, self.monitoring_role_arn.as_ref())
    }

    /// Checks the type of storage. The default one is not returned.
    fn change_storage_type(&mut self, now: Timestamp, engine: &Engine, before: Option<&Self>) -> Result<()> {
        let (default, optimized) =
            if is_aurora(engine) { ("aurora", "aurora-iopt1") } else { ("standard", "iopt1") };
        let Some(given) = self.storage_type.take() else { return Ok(()) };
        if given != default && given != optimized {
            return Err(errors::cluster_storage_type_invalid(given, engine.name).with_field("StorageType"));
        }
        if given == default {
            return Ok(());
        }
        let was_optimized = before.is_some_and(|before| before.storage_type.as_ref() == Some(&given));
        if let Some(time) = self.io_optimized_next_allowed_modification_time
            && !was_optimized
            && now < time
        {
            return Err(errors::optimized_storage_too_early(time).with_field("StorageType"));
        }
        if !was_optimized {
            let next = now.checked_add(SignedDuration::from_hours(24 * STORAGE_DAYS));
            self.io_optimized_next_allowed_modification_time = next.ok();
        }
        self.storage_type = Some(given);
        Ok(())
    }

    /// Completes the settings of performance data, which are kept a week by default.
    fn set_performance_insights(&mut self, cx: &mut Tx<'_>, before: Option<&Self>) -> Result<()> {
        if self.performance_insights_enabled != Some(true) {
            if let Some(before) = before.filter(|before| before.performance_insights_enabled == Some(true)) {
                // They are kept no longer.
                let key = self.performance_insights_crypto_key_id.take();
                self.performance_insights_crypto_key_id =
                    key.filter(|key| before.performance_insights_crypto_key_id.as_ref() != Some(key));
                let days = self.performance_insights_retention_period.take();
                self.performance_insights_retention_period =
                    days.filter(|_| days != before.performance_insights_retention_period);
            }
            return refuse_given(&[
                ("PerformanceInsightsCryptoKeyId", self.performance_insights_crypto_key_id.is_some()),
                ("PerformanceInsightsRetentionPeriod", self.performance_insights_retention_period.is_some()),
            ]);
        }
        let days = *self.performance_insights_retention_period.get_or_insert(7);
        if !is_retention(days) {
            let error = errors::performance_insights_retention(days);
            return Err(error.with_field("PerformanceInsightsRetentionPeriod"));
        }
        let known = before.and_then(|before| before.performance_insights_crypto_key_id.as_ref());
        if known.is_none() || known != self.performance_insights_crypto_key_id.as_ref() {
            let (arn, given) = (self.own_arn().to_owned(), self.performance_insights_crypto_key_id.take());
            let field = "PerformanceInsightsCryptoKeyId";
            self.performance_insights_crypto_key_id =
                settings::find_crypto_key(cx, &arn, given.as_deref(), field)?;
        }
        Ok(())
    }

    /// The subnet group.
    pub(crate) fn subnet_group_row(&self, cx: &Tx<'_>) -> Result<Option<DBSubnetGroup>> {
        subnet_group::find(cx, self.db_subnet_group.as_deref().unwrap_or_default())
    }

    /// Sets the security groups to the given ones, or to the default one of the VPC.
    pub(crate) fn set_security_groups(&mut self, cx: &Tx<'_>, given: Option<&[Text]>) -> Result<()> {
        let group = self.subnet_group_row(cx)?;
        let vpc = group.and_then(|group| group.vpc_id).unwrap_or_default();
        self.vpc_security_groups = Some(settings::read_security_groups(cx, &vpc, given)?);
        Ok(())
    }

    /// Groups that the cluster uses, by ARN.
    pub(super) fn used_groups(&self, cx: &Tx<'_>) -> Result<Vec<Text>> {
        let subnets = self.subnet_group_row(cx)?.map(|group| Text::new(StoredResource::own_arn(&group)));
        let parameters = self.db_cluster_parameter_group.as_deref().unwrap_or_default();
        let parameters = cx.scope().arn("rds", &["cluster-pg:", parameters]).to_string();
        Ok(subnets.into_iter().chain([parameters.into()]).collect())
    }

    /// Subnets in which the cluster has a network interface: the first one of its group in each of its zones.
    fn used_subnets(&self, cx: &Tx<'_>) -> Result<Vec<Text>> {
        let group = self.subnet_group_row(cx)?;
        let subnets = group.and_then(|group| group.subnets).unwrap_or_default();
        let zones = self.availability_zones.iter().flatten();
        let in_zone = |zone: &Text| subnets.iter().find(|subnet| subnet.zone() == zone.as_str());
        Ok(zones.filter_map(in_zone).filter_map(|subnet| subnet.subnet_identifier.clone()).collect())
    }

    /// Notes what the cluster uses: groups, subnets and security groups. `before` is the cluster before a change.
    pub(crate) fn note_uses(&self, cx: &mut Tx<'_>, before: Option<&Self>) -> Result<()> {
        let used = before.map_or(Ok(Vec::new()), |before| before.used_groups(cx))?;
        let uses = self.used_groups(cx)?;
        uses::update(cx, self.own_arn(), &used, &uses)?;
        let subnets = self.used_subnets(cx)?;
        let ids = settings::group_ids(self.vpc_security_groups.as_deref());
        ec2::update_attachments(cx, self.own_arn(), &[], &subnets, &ids)
    }

    /// Removes the notes of what the cluster uses.
    pub(crate) fn remove_uses(&self, cx: &mut Tx<'_>) -> Result<()> {
        let (used, subnets) = (self.used_groups(cx)?, self.used_subnets(cx)?);
        uses::update(cx, self.own_arn(), &used, &[])?;
        ec2::update_attachments(cx, self.own_arn(), &subnets, &[], &[])
    }

    /// Refuses a change of a cluster that is not available.
    pub(crate) fn check_available(&self) -> Result<()> {
        self.check_status(&["available"])
    }

    /// Refuses an operation on a cluster that has none of these statuses.
    pub(super) fn check_status(&self, expected: &[&str]) -> Result<()> {
        if expected.contains(&self.status_text()) {
            return Ok(());
        }
        let expected = expected.join(",");
        let error = errors::cluster_status_unexpected(self.id(), self.status_text(), expected);
        Err(error.with_field("DBClusterIdentifier"))
    }
}
