//! The operation that creates an instance.

use super::{
    DBInstance, DBInstanceManager, DBParameterGroupStatus, InstanceDomain, InstanceGroups, ManagedPassword,
    MasterSignIn, OptionGroupMembership, PendingModifiedValues,
    parameters::refuse_given,
    storage::{GivenStorage, Storage},
};
use crate::{
    CertificateDetails, DBCluster, StorageEncryptionType, UpgradeRolloutOrder, backup, certificate, cluster,
    engine::{self, CharacterSet, Engine, Version, classes},
    errors,
    identifier::{self, MAX_LENGTH},
    master_user::{Database, MASK, NewMasterUser},
    settings::{self, Hosts},
    subnet_group::{self, DBSubnetGroup},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, Tx, own_arn, tags::to_list};
use nephos_core::{
    Map, Record, Result, SignedDuration, Text, Timestamp, field_value::FieldType, nearest, operation,
};

/// Quota of instances of an account in a Region.
pub(crate) const INSTANCES: Quota = Quota { counter: "rds/instances", max: 40, what: "DB instances" };

/// Creates an instance.
#[operation(
    of = DBInstance, call = "create", model, needs(db_instance_identifier, db_instance_class, engine),
    include(InstanceGroups, InstanceDomain, ManagedPassword, MasterSignIn),
    overrides(InstanceGroups, InstanceDomain, ManagedPassword, MasterSignIn),
    takes(
        settable, db_instance_port(wire = "Port"), tag_list(wire = "Tags"),
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        performance_insights_enabled(wire = "EnablePerformanceInsights"),
        customer_owned_ip_enabled(wire = "EnableCustomerOwnedIp"),
        enabled_log_exports(wire = "EnableCloudwatchLogsExports")
    ),
    except(replica_mode, automation_mode, aws_backup_recovery_point_arn),
    wraps(db_instance(name = "DBInstance")), effect = write, also_requires(
        "AddTagsToResource" = "TagList?",
        "iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"
    ),
    subject = "db:{DBInstanceIdentifier} + DBParameterGroupName? pg:{DBParameterGroupName} + \
        OptionGroupName? og:{OptionGroupName} + DBSubnetGroupName? subgrp:{DBSubnetGroupName} + \
        DBClusterIdentifier? cluster:{DBClusterIdentifier}"
)]
pub struct CreateDBInstance {
    /// DB security groups. Accounts of today have none, so that they are refused.
    #[field(name = "DBSecurityGroups", item = "DBSecurityGroupName")]
    pub db_security_groups: Option<Vec<Text>>,
}

impl Handler for CreateDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = self.build(cx)?;
        let user = self.master_user();
        if instance.db_cluster_identifier.is_none() {
            user.check(engine::require(&self.engine)?)?;
        }
        INSTANCES.add_one(cx, errors::too_many_instances)?;
        let database = instance.database();
        instance.master_user_secret = user.store(cx, &database)?;
        if self.master_user_password.is_some() {
            instance
                .pending_modified_values
                .get_or_insert_with(PendingModifiedValues::blank)
                .master_user_password = Some(MASK.into());
        }
        instance.tag_backups(cx, self.backup_tags()?)?;
        instance.store_new(cx)?;
        Ok(instance.described(cx)?.into())
    }
}

impl CreateDBInstance {
    /// The master user.
    fn master_user(&self) -> NewMasterUser<'_> {
        NewMasterUser {
            name: self.master_username.as_ref(),
            password: self.master_user_password.as_ref(),
            is_managed: self.manage_master_user_password,
            crypto_key: self.master_user_secret_crypto_key_id.as_ref(),
            authentication: self.master_user_authentication_type.as_ref(),
        }
    }

    /// Builds the instance with defaults, and validates it. The master user is not checked: a restored instance has one already.
    pub(crate) fn build(&self, cx: &mut Tx<'_>) -> Result<DBInstance> {
        let engine = engine::require(&self.engine)?;
        let cluster = self.db_cluster_identifier.as_deref();
        let cluster = cluster.map(|id| cluster::require(cx, id, "DBClusterIdentifier")).transpose()?;
        self.check_cluster(engine, cluster.as_ref())?;
        self.build_in(cx, cluster.as_ref())
    }

    /// Builds an instance that the service makes for a cluster.
    pub(crate) fn build_member(&self, cx: &mut Tx<'_>, cluster: &DBCluster) -> Result<DBInstance> {
        self.build_in(cx, Some(cluster))
    }

    fn build_in(&self, cx: &mut Tx<'_>, cluster: Option<&DBCluster>) -> Result<DBInstance> {
        let engine = engine::require(&self.engine)?;
        let max = if engine.is_sqlserver() { 15 } else { MAX_LENGTH };
        let id = identifier::read(&self.db_instance_identifier, "DBInstanceIdentifier", max)?;
        let tags = tagging::RULES.read_list(self.tag_list.as_deref().unwrap_or_default())?;
        self.refuse_unsupported()?;
        self.backup_tags()?;
        let own = cluster.and_then(|cluster| cluster.engine_version.as_deref());
        let version = match self.engine_version.as_deref().or(own) {
            Some(version) => engine.version(version)?,
            None => engine.default_version()?,
        };
        if DBInstance::find_by(cx, &[&id])?.is_some() {
            return Err(errors::instance_exists().with_field("DBInstanceIdentifier"));
        }
        let license = self.read_license(version, cluster)?;
        let mut instance = DBInstance::blank();
        instance.instance_create_time = Some(cx.now());
        instance.db_instance_identifier = Some(id);
        instance.db_instance_arn = own_arn(&instance, cx.scope());
        instance.dbi_resource_id = Some(settings::new_resource_id(cx, "db"));
        instance.db_instance_class = Some(self.db_instance_class.clone());
        instance.engine = Some(engine.name.into());
        instance.engine_version = Some(version.name().into());
        instance.license_model = Some(license);
        instance.tag_list = Some(to_list(tags).unwrap_or_default());
        self.set_names(&mut instance, engine)?;
        self.set_groups(cx, &mut instance, version, cluster)?;
        self.set_storage(cx, &mut instance, engine, cluster)?;
        self.set_monitoring(cx, &mut instance)?;
        self.set_backups(cx, &mut instance, cluster)?;
        self.set_rest(cx, &mut instance, version)?;
        let membership = InstanceDomain::from_given(self.clone()).read(cx, engine)?;
        instance.domain_memberships = Some(membership.into_iter().collect());
        if let Some(cluster) = cluster {
            instance.follow_cluster(cluster)?;
            instance.promotion_tier.get_or_insert(cluster::members::DEFAULT_TIER);
        }
        Ok(instance)
    }

    /// Tags of the automated backups.
    pub(crate) fn backup_tags(&self) -> Result<Map<Text>> {
        backup::read_tags(self.tag_specifications.as_deref(), backup::OF_INSTANCE)
    }

    /// Refuses what no account here can have.
    fn refuse_unsupported(&self) -> Result<()> {
        let groups = self.db_security_groups.as_ref().is_some_and(|groups| !groups.is_empty());
        refuse_given(&[("DBSecurityGroups", groups)], errors::db_security_groups_refused)?;
        let key_store = [
            ("TdeCredentialArn", self.tde_credential_arn.is_some()),
            ("TdeCredentialPassword", self.tde_credential_password.is_some()),
        ];
        refuse_given(&key_store, errors::key_store_unsupported)?;
        let custom = [
            ("CustomIamInstanceProfile", self.custom_iam_instance_profile.is_some()),
            ("DBSystemId", self.db_system_id.is_some()),
        ];
        refuse_given(&custom, errors::custom_unsupported)?;
        let outpost = [
            ("CustomerOwnedIpEnabled", self.customer_owned_ip_enabled == Some(true)),
            ("BackupTarget", self.backup_target.as_deref().is_some_and(|target| target != "region")),
        ];
        refuse_given(&outpost, errors::outposts_unsupported)?;
        let reservation = self.db_capacity_reservation_identifier.is_some();
        refuse_given(&[("DBCapacityReservationIdentifier", reservation)], errors::reservations_unsupported)?;
        settings::check_network_type(self.network_type.as_deref())
    }

    /// Refuses an instance that does not fit to its cluster, and settings that the cluster has.
    fn check_cluster(&self, engine: &Engine, cluster: Option<&DBCluster>) -> Result<()> {
        let field = "DBClusterIdentifier";
        let Some(cluster) = cluster else {
            return match engine.in_clusters {
                true => Err(errors::parameter_blank(field).with_field(field)),
                false => Ok(()),
            };
        };
        let own = cluster.engine.as_deref().unwrap_or_default();
        if own != engine.name {
            return Err(errors::engine_of_cluster(engine.name, own).with_field("Engine"));
        }
        if cluster.is_multi_zone() {
            return Err(errors::members_of_multi_zone_cluster().with_field(field));
        }
        if !["available", "creating", "backing-up", "modifying"].contains(&cluster.status_text()) {
            let error = errors::cluster_not_available(cluster.id()).with_hint(cluster.status_text());
            return Err(error.with_field(field));
        }
        let settings = [
            ("master user name", "MasterUsername", self.master_username.is_some()),
            ("master user password", "MasterUserPassword", self.master_user_password.is_some()),
            (
                "master user password",
                "ManageMasterUserPassword",
                self.manage_master_user_password == Some(true),
            ),
            ("database name", "DBName", self.db_name.is_some()),
            ("backup retention period", "BackupRetentionPeriod", self.backup_retention_period.is_some()),
            ("encryption", "StorageEncrypted", self.storage_encrypted.is_some()),
            ("encryption key", "CryptoKeyId", self.crypto_key_id.is_some()),
            ("allocated storage", "AllocatedStorage", self.allocated_storage.is_some()),
        ];
        match settings.into_iter().find(|(_, _, is_given)| *is_given) {
            Some((what, field, _)) => Err(errors::set_for_cluster(what).with_field(field)),
            None => Ok(()),
        }
    }

    fn read_license(&self, version: Version, cluster: Option<&DBCluster>) -> Result<Text> {
        let licenses = version.engine.licenses;
        let license = self.license_model.as_deref().or(licenses.first().copied()).unwrap_or_default();
        let class = &self.db_instance_class;
        if !classes::is_known(class) {
            return Err(errors::class_invalid(class).with_field("DBInstanceClass"));
        }
        let is_offered = match cluster.is_some_and(DBCluster::is_multi_zone) {
            true => classes::is_offered_to_clusters(version, class),
            false => classes::is_offered(version, class),
        };
        let field = match licenses.contains(&license) {
            false => "LicenseModel",
            true if !is_offered => "DBInstanceClass",
            true => return Ok(license.into()),
        };
        let error = errors::combination_unsupported(class, version.engine.name, version.name(), license);
        Err(error.with_field(field))
    }

    /// Sets the names of the first database and of the master user.
    fn set_names(&self, instance: &mut DBInstance, engine: &Engine) -> Result<()> {
        instance.master_username.clone_from(&self.master_username);
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && name.bytes().all(is_part)
        };
        let is_oracle = engine.is_oracle();
        match self.db_name.as_deref() {
            Some(_) if engine.is_sqlserver() => {
                return Err(errors::db_name_for_sqlserver().with_field("DBName"));
            }
            Some(name) if !is_name(name) || name.len() > if is_oracle { 8 } else { 64 } => {
                return Err(errors::db_name_invalid().with_field("DBName"));
            }
            None if is_oracle => instance.db_name = Some("ORCL".into()),
            name => instance.db_name = name.map(Text::new),
        }
        Ok(())
    }

    /// Sets character sets and the time zone, which only some engines have.
    fn set_language(&self, instance: &mut DBInstance, engine: &Engine) -> Result<()> {
        let sets = engine.character_sets();
        let names = |sets: &[CharacterSet]| sets.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        for (given, known, field) in [
            (&self.character_set_name, names(&sets), "CharacterSetName"),
            (&self.nchar_character_set_name, names(engine.nchar_character_sets()), "NcharCharacterSetName"),
            (&self.timezone, engine.timezones().to_vec(), "Timezone"),
        ] {
            let Some(given) = given.as_deref().filter(|given| !known.contains(given)) else { continue };
            let hint = nearest::hint(given, known.iter().copied());
            let error = errors::language_unsupported(field, given, engine.name);
            return Err(error.with_field(field).with_hint(hint));
        }
        instance.character_set_name.clone_from(&self.character_set_name);
        instance.nchar_character_set_name.clone_from(&self.nchar_character_set_name);
        instance.timezone.clone_from(&self.timezone);
        Ok(())
    }

    /// Sets what places the instance into a network, and its groups.
    fn set_groups(
        &self,
        cx: &Tx<'_>,
        instance: &mut DBInstance,
        version: Version,
        cluster: Option<&DBCluster>,
    ) -> Result<()> {
        let of_cluster = cluster.and_then(|cluster| cluster.db_subnet_group.as_deref());
        let name = of_cluster.or(self.db_subnet_group_name.as_deref()).unwrap_or(subnet_group::DEFAULT);
        let group = subnet_group::require(cx, name, "DBSubnetGroupName")?;
        let vpc = group.vpc_id.clone().unwrap_or_default();
        instance.vpc_security_groups = Some(match cluster {
            Some(cluster) => cluster.vpc_security_groups.clone().unwrap_or_default(),
            None => settings::read_security_groups(cx, &vpc, self.vpc_security_group_ids.as_deref())?,
        });
        instance.db_security_groups = Some(Vec::new());
        self.set_zones(cx, instance, &group)?;
        let parameters = version.default_parameter_group();
        let parameters = self.db_parameter_group_name.as_deref().unwrap_or(&parameters);
        let group_name = super::require_parameter_group(cx, parameters, version)?;
        instance.db_parameter_groups = Some(vec![DBParameterGroupStatus::in_sync(group_name)]);
        let options = version.default_option_group();
        let options = self.option_group_name.as_deref().unwrap_or(&options);
        let group_name = super::require_option_group(cx, options, version)?;
        instance.option_group_memberships = Some(vec![OptionGroupMembership {
            option_group_name: Some(group_name),
            status: Some("in-sync".into()),
        }]);
        instance.set_subnet_group(group);
        let is_default =
            self.db_subnet_group_name.as_deref().is_none_or(|name| name == subnet_group::DEFAULT);
        let public = self.publicly_accessible.unwrap_or(is_default && !version.engine.in_clusters);
        instance.check_public(cx, public)?;
        instance.publicly_accessible = Some(public);
        let port = self.db_instance_port.or(cluster.and_then(|cluster| cluster.port));
        let port = port.filter(|port| *port != 0).unwrap_or(version.engine.port);
        if !(1150..=65535).contains(&port) {
            return Err(errors::port_invalid(port).with_field("DbInstancePort"));
        }
        instance.endpoint = Some(Hosts::of(cx, version.engine.name).instance(instance.id(), port));
        instance.db_instance_port = Some(0);
        instance.network_type = Some("IPV4".into());
        Ok(())
    }

    fn set_zones(&self, cx: &Tx<'_>, instance: &mut DBInstance, group: &DBSubnetGroup) -> Result<()> {
        let zones = settings::zones_of(group);
        let is_multi_zone = self.multi_az == Some(true);
        if is_multi_zone && self.availability_zone.is_some() {
            return Err(errors::zone_with_multi_az().with_field("AvailabilityZone"));
        }
        let zone = match &self.availability_zone {
            Some(zone) if !zones.contains(zone) => {
                return Err(errors::zone_without_subnet(zone).with_field("AvailabilityZone"));
            }
            Some(zone) => zone.clone(),
            None => choose(cx, &zones),
        };
        instance.set_secondary_zone(is_multi_zone, &zone, &zones);
        instance.availability_zone = Some(zone);
        Ok(())
    }

    fn set_storage(
        &self,
        cx: &mut Tx<'_>,
        instance: &mut DBInstance,
        engine: &Engine,
        cluster: Option<&DBCluster>,
    ) -> Result<()> {
        if cluster.is_some() {
            return Ok(());
        }
        let given = GivenStorage {
            kind: self.storage_type.as_deref(),
            size: self.allocated_storage,
            iops: self.iops,
            throughput: self.storage_throughput,
        };
        instance.set_storage(given.read(engine)?);
        if self.max_allocated_storage.is_some_and(|max| Some(max) <= self.allocated_storage) {
            return Err(errors::max_storage_too_small().with_field("MaxAllocatedStorage"));
        }
        instance.max_allocated_storage = self.max_allocated_storage;
        let is_encrypted = self.storage_encrypted == Some(true) || self.crypto_key_id.is_some();
        if self.storage_encrypted == Some(false) && self.crypto_key_id.is_some() {
            return Err(errors::key_without_encryption().with_field("CryptoKeyId"));
        }
        if is_encrypted {
            let key = self.crypto_key_id.as_deref();
            instance.crypto_key_id = settings::find_crypto_key(cx, instance.own_arn(), key, "CryptoKeyId")?;
        }
        instance.storage_encrypted = Some(is_encrypted);
        instance.storage_encryption_type = Some(match is_encrypted {
            true => StorageEncryptionType::SseKms,
            false => StorageEncryptionType::None,
        });
        let volumes = self.additional_storage_volumes.as_deref().unwrap_or_default();
        instance.set_volumes(engine, volumes)
    }

    fn set_monitoring(&self, cx: &mut Tx<'_>, instance: &mut DBInstance) -> Result<()> {
        let role = self.monitoring_role_arn.as_deref();
        instance.set_monitoring(self.monitoring_interval, role)?;
        let enabled = self.performance_insights_enabled;
        let retention = self.performance_insights_retention_period;
        let key = self.performance_insights_crypto_key_id.as_deref();
        instance.set_performance_insights(cx, enabled, retention, key)?;
        instance.database_insights_mode =
            Some(self.database_insights_mode.clone().unwrap_or(crate::DatabaseInsightsMode::Standard));
        Ok(())
    }

    fn set_backups(&self, cx: &Tx<'_>, instance: &mut DBInstance, cluster: Option<&DBCluster>) -> Result<()> {
        let retention = self.backup_retention_period.unwrap_or(1);
        if !(0..=35).contains(&retention) {
            return Err(errors::retention_invalid(retention).with_field("BackupRetentionPeriod"));
        }
        instance.backup_retention_period = Some(retention);
        let of_cluster = cluster.and_then(|cluster| cluster.preferred_backup_window.as_deref());
        let backup = of_cluster.or(self.preferred_backup_window.as_deref());
        let (maintenance, backup) =
            settings::read_windows(cx, self.preferred_maintenance_window.as_deref(), backup)?;
        instance.preferred_maintenance_window = Some(maintenance);
        instance.preferred_backup_window = Some(backup);
        instance.copy_tags_to_snapshot = Some(self.copy_tags_to_snapshot == Some(true));
        instance.backup_target = Some("region".into());
        Ok(())
    }

    fn set_rest(&self, cx: &Tx<'_>, instance: &mut DBInstance, version: Version) -> Result<()> {
        let engine = version.engine;
        let logs = self.enabled_log_exports.as_deref().unwrap_or_default();
        settings::check_log_types(version, logs, "EnabledLogExports")?;
        instance.enabled_log_exports = Some(logs.to_vec()).filter(|logs| !logs.is_empty());
        let authority = match &self.ca_certificate_identifier {
            Some(authority) => authority.clone(),
            None => certificate::default_authority(cx)?,
        };
        instance.set_certificate(cx, &authority)?;
        if self.multi_tenant == Some(true) && !engine.name.ends_with("-cdb") {
            return Err(errors::multi_tenant_unsupported(engine.name).with_field("MultiTenant"));
        }
        let features = self.processor_features.as_deref().unwrap_or_default();
        instance.choose_processor_features(version, features)?;
        instance.multi_tenant = self.multi_tenant;
        instance.promotion_tier = self.promotion_tier;
        self.set_language(instance, engine)?;
        instance.engine_lifecycle_support = Some(
            self.engine_lifecycle_support
                .clone()
                .unwrap_or_else(|| "open-source-rds-extended-support".into()),
        );
        instance.dedicated_log_volume = Some(self.dedicated_log_volume == Some(true));
        instance.iam_database_authentication_enabled =
            Some(self.iam_database_authentication_enabled == Some(true));
        instance.deletion_protection = Some(self.deletion_protection == Some(true));
        instance.auto_minor_version_upgrade = Some(self.auto_minor_version_upgrade.unwrap_or(true));
        instance.customer_owned_ip_enabled = Some(false);
        instance.read_replica_db_instance_identifiers = Some(Vec::new());
        instance.associated_roles = Some(Vec::new());
        instance.upgrade_rollout_order = Some(UpgradeRolloutOrder::Second);
        instance.is_storage_config_upgrade_available = Some(false);
        instance.pending_modified_values = Some(PendingModifiedValues::blank());
        instance.db_instance_status = Some("creating".into());
        Ok(())
    }
}

/// Chooses one of the zones.
fn choose(cx: &Tx<'_>, zones: &[Text]) -> Text {
    let limit = u64::try_from(zones.len()).unwrap_or(1).max(1);
    let chosen = usize::try_from(cx.ids().below(limit)).unwrap_or_default();
    zones.get(chosen).cloned().unwrap_or_default()
}

impl DBParameterGroupStatus {
    /// A group all of whose values are in effect.
    pub(crate) fn in_sync(name: Text) -> Self {
        Self { db_parameter_group_name: Some(name), parameter_apply_status: Some("in-sync".into()) }
    }
}

impl DBInstance {
    /// The instance as a database with a master user.
    pub(crate) fn database(&self) -> Database<'_> {
        Database {
            kind: "db",
            arn: self.own_arn(),
            resource_id: self.dbi_resource_id.as_deref().unwrap_or_default(),
        }
    }

    /// Sets the settings that an instance has from its cluster.
    pub(crate) fn follow_cluster(&mut self, cluster: &DBCluster) -> Result<()> {
        self.db_cluster_identifier.clone_from(&cluster.db_cluster_identifier);
        self.db_name.clone_from(&cluster.database_name);
        self.master_username.clone_from(&cluster.master_username);
        self.backup_retention_period = cluster.backup_retention_period;
        self.preferred_backup_window.clone_from(&cluster.preferred_backup_window);
        self.storage_encrypted = cluster.storage_encrypted;
        self.storage_encryption_type.clone_from(&cluster.storage_encryption_type);
        self.crypto_key_id.clone_from(&cluster.crypto_key_id);
        self.engine_version.clone_from(&cluster.engine_version);
        self.iam_database_authentication_enabled = cluster.iam_database_authentication_enabled;
        self.vpc_security_groups.clone_from(&cluster.vpc_security_groups);
        self.multi_az = Some(false);
        let is_aurora = self.engine.as_deref().is_some_and(|engine| engine.starts_with("aurora"));
        self.allocated_storage = is_aurora.then_some(1);
        self.storage_type = Some(cluster.storage_type.clone().unwrap_or_else(|| "aurora".into()));
        if !cluster.is_multi_zone() {
            return Ok(());
        }
        self.db_instance_class.clone_from(&cluster.db_cluster_instance_class);
        self.allocated_storage = cluster.allocated_storage;
        self.iops = cluster.iops;
        self.storage_throughput = cluster.storage_throughput;
        self.preferred_maintenance_window.clone_from(&cluster.preferred_maintenance_window);
        self.auto_minor_version_upgrade = cluster.auto_minor_version_upgrade;
        self.copy_tags_to_snapshot = cluster.copy_tags_to_snapshot;
        self.enabled_log_exports.clone_from(&cluster.enabled_log_exports);
        self.performance_insights_enabled = Some(cluster.performance_insights_enabled == Some(true));
        self.performance_insights_crypto_key_id.clone_from(&cluster.performance_insights_crypto_key_id);
        self.performance_insights_retention_period = cluster.performance_insights_retention_period;
        self.certificate_details = cluster.certificate_details.clone().or(self.certificate_details.take());
        let certificate = self.certificate_details.as_ref();
        self.ca_certificate_identifier = certificate.and_then(|details| details.ca_identifier.clone());
        let interval = cluster.monitoring_interval.unwrap_or_default();
        self.set_monitoring(Some(interval), cluster.monitoring_role_arn.as_deref())
    }

    /// Storage of the instance.
    pub(crate) fn storage(&self) -> Storage {
        Storage {
            kind: self.storage_type.clone().unwrap_or_default(),
            size: self.allocated_storage.unwrap_or_default(),
            iops: self.iops,
            throughput: self.storage_throughput,
        }
    }

    /// Sets the storage.
    pub(crate) fn set_storage(&mut self, storage: Storage) {
        self.storage_type = Some(storage.kind);
        self.allocated_storage = Some(storage.size);
        (self.iops, self.storage_throughput) = (storage.iops, storage.throughput);
    }

    /// Sets the zone of the standby: another zone of the subnet group, if there is a standby.
    pub(crate) fn set_secondary_zone(&mut self, is_multi_zone: bool, zone: &Text, zones: &[Text]) {
        self.multi_az = Some(is_multi_zone);
        let other = zones.iter().find(|other| *other != zone);
        self.secondary_availability_zone = other.filter(|_| is_multi_zone).cloned();
    }

    /// Sets the certificate of the server, which is valid for a year.
    pub(crate) fn set_certificate(&mut self, cx: &Tx<'_>, authority: &str) -> Result<()> {
        let authority = certificate::require(authority, "CACertificateIdentifier")?;
        let year = SignedDuration::from_hours(24 * 365);
        self.ca_certificate_identifier = Some(authority.into());
        self.certificate_details = Some(CertificateDetails {
            ca_identifier: Some(authority.into()),
            valid_till: Some(cx.now().checked_add(year).unwrap_or(Timestamp::MAX)),
        });
        Ok(())
    }
}
