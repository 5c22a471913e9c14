//! The operation that changes an instance.

use super::{
    DBInstance, DBInstanceManager, DBParameterGroupStatus, InstanceDomain, InstanceGroups, ManagedPassword,
    MasterSignIn, OptionGroupMembership, PendingModifiedValues, modification::Modification,
    parameters::refuse_given, replica::has_replica_mode, require, require_option_group,
    require_parameter_group, storage::GivenStorage,
};
use crate::{
    DBCluster, LogsExportConfiguration, backup, certificate,
    engine::{Engine, Version, classes},
    errors,
    event::known,
    identifier::{self, MAX_LENGTH},
    master_user::{MASK, PasswordChange},
    settings, subnet_group,
};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Error, Record, Result, Text, field_value::FieldType, operation};

/// Parameters of a change that are no fields of an instance.
#[derive(Record)]
#[record(shared)]
pub struct InstanceChange {
    /// True to apply the change at once instead of in the maintenance window.
    apply_immediately: Option<bool>,
    /// True to allow another major version.
    allow_major_version_upgrade: Option<bool>,
    /// New identifier. The instance is rebooted.
    #[field(name = "NewDBInstanceIdentifier")]
    new_db_instance_identifier: Option<Text>,
    /// New port. The instance is restarted at once.
    #[field(name = "DBPortNumber", from_field = "DbInstancePort")]
    db_port_number: Option<i64>,
    /// Types of logs to export, or to export no longer.
    #[field(wire = "CloudwatchLogsExportConfiguration")]
    logs_export_configuration: Option<LogsExportConfiguration>,
    /// True to remove the features of the processor.
    use_default_processor_features: Option<bool>,
    /// False to change the certificate without a restart.
    certificate_rotation_restart: Option<bool>,
    /// Minutes after which all work becomes automatic again, for custom instances. There are none, so it is refused.
    #[field(range(60..=1440))]
    resume_full_automation_mode_minutes: Option<i64>,
    /// True to rotate the managed password of the master user. It needs `ApplyImmediately`.
    rotate_master_user_password: Option<bool>,
    /// True to leave the directory of users.
    disable_domain: Option<bool>,
    /// DB security groups. Accounts of today have none, so that they are refused.
    #[field(name = "DBSecurityGroups", item = "DBSecurityGroupName")]
    db_security_groups: Option<Vec<Text>>,
}

/// Changes an instance. Class, storage, version, zones and subnet group change in the maintenance window, or at once with
/// `ApplyImmediately`; other settings change at once.
#[operation(
    of = DBInstance, needs(db_instance_identifier),
    include(InstanceGroups, InstanceDomain, ManagedPassword, MasterSignIn, InstanceChange),
    takes(
        changeable,
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        performance_insights_enabled(wire = "EnablePerformanceInsights"),
        customer_owned_ip_enabled(wire = "EnableCustomerOwnedIp")
    ),
    except(tag_list, db_instance_port), wraps(db_instance(name = "DBInstance")), effect = write,
    also_requires("iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"),
    subject = "db:{DBInstanceIdentifier} + DBParameterGroupName? pg:{DBParameterGroupName} + \
        OptionGroupName? og:{OptionGroupName} + DBSubnetGroupName? subgrp:{DBSubnetGroupName}"
)]
pub struct ModifyDBInstance {}

/// Changes an instance to what the model describes: what was changed since the model was read.
#[operation(
    kind = DBInstance, call = "update", changes(ModifyDBInstance),
    include(InstanceGroups, InstanceDomain, ManagedPassword, MasterSignIn, InstanceChange), effect = write
)]
pub struct DBInstanceUpdate {}

fn refuse<T>(error: Error, field: &str) -> Result<T> {
    Err(error.with_field(field))
}

/// Notes a new value as pending; one that the instance has already is pending no longer.
fn pend<T: Clone + PartialEq>(pending: &mut Option<T>, current: Option<&T>, given: Option<&T>) {
    if given.is_some() {
        *pending = given.filter(|_| given != current).cloned();
    }
}

impl Handler for ModifyDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        self.refuse_unsupported()?;
        match instance.status() {
            "available" | "storage-optimization" => {}
            "stopped" => return refuse(errors::instance_stopped(), "DBInstanceIdentifier"),
            status => {
                let error = errors::instance_not_available().with_hint(status);
                return refuse(error, "DBInstanceIdentifier");
            }
        }
        self.refuse_of_cluster(cx, &instance)?;
        let before = instance.clone();
        let mut pending = before.pending_modified_values.clone().unwrap_or_else(PendingModifiedValues::blank);
        let version = self.change_version(cx, &instance, &mut pending)?;
        self.change_capacity(cx, &instance, version, &mut pending)?;
        self.change_place(cx, &instance, &mut pending)?;
        self.change_settings(cx, &mut instance, version)?;
        self.change_domain(cx, &mut instance)?;
        let backup_tags = backup::read_tags(self.tag_specifications.as_deref(), backup::OF_INSTANCE)?;
        self.change_certificate(cx, &mut instance, &mut pending)?;
        let is_immediate = self.apply_immediately == Some(true);
        let password = self.password(is_immediate);
        password.check(instance.own_engine()?, instance.master_user_secret.as_ref())?;
        let restarts = self.db_port_number.is_some_and(|port| Some(port) != instance.own_port());
        let mut secret = instance.master_user_secret.take();
        let resets =
            password.apply(cx, &instance.database(), instance.master_username.as_ref(), &mut secret)?;
        instance.master_user_secret = secret;
        if before.master_user_secret != instance.master_user_secret {
            instance.schedule_rotation(cx)?;
        }
        if self.master_user_password.is_some() {
            pending.master_user_password = Some(MASK.into());
        }
        if before.preferred_backup_window != instance.preferred_backup_window {
            instance.schedule_backup(cx)?;
        }
        instance.tag_backups(cx, backup_tags)?;
        instance.attach(cx, Some(&before))?;
        instance.pending_modified_values = Some(pending);
        let answer = instance.clone();
        let work = instance.pending_work();
        instance.record_changed_settings(cx, &before)?;
        if work.is_some() && !is_immediate {
            instance.schedule_maintenance(cx)?;
        }
        match work {
            Some(status) if is_immediate => instance.begin_pending(cx, status)?,
            _ if restarts => {
                instance.record(cx, &known::INSTANCE_SHUTDOWN, &[])?;
                instance.begin_modification(cx, Modification::Restart, None)?;
            }
            _ => {
                let status = if resets { "resetting-master-credentials" } else { "available" };
                instance.db_instance_status = Some(status.into());
                instance.store(cx)?;
            }
        }
        Ok(answer.described(cx)?.into())
    }
}

impl ModifyDBInstance {
    fn password(&self, apply_immediately: bool) -> PasswordChange<'_> {
        PasswordChange {
            password: self.master_user_password.as_ref(),
            is_managed: self.manage_master_user_password,
            rotate: self.rotate_master_user_password,
            crypto_key: self.master_user_secret_crypto_key_id.as_ref(),
            apply_immediately,
        }
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
            ("AutomationMode", self.automation_mode.is_some()),
            ("ResumeFullAutomationModeMinutes", self.resume_full_automation_mode_minutes.is_some()),
        ];
        refuse_given(&custom, errors::custom_unsupported)?;
        let outpost = [("CustomerOwnedIpEnabled", self.customer_owned_ip_enabled == Some(true))];
        refuse_given(&outpost, errors::outposts_unsupported)?;
        let reservation = self.db_capacity_reservation_identifier.is_some();
        refuse_given(&[("DBCapacityReservationIdentifier", reservation)], errors::reservations_unsupported)?;
        if let Some(arn) = &self.aws_backup_recovery_point_arn {
            return refuse(errors::recovery_point_not_found(arn), "AwsBackupRecoveryPointArn");
        }
        settings::check_network_type(self.network_type.as_deref())
    }

    /// Refuses changes of a member of a cluster that the cluster has.
    fn refuse_of_cluster(&self, cx: &Tx<'_>, instance: &DBInstance) -> Result<()> {
        let Some(cluster) = &instance.db_cluster_identifier else { return Ok(()) };
        if DBCluster::find_by(cx, &[cluster])?.is_some_and(|cluster| cluster.is_multi_zone()) {
            let engine = instance.engine.as_deref().unwrap_or_default();
            return refuse(errors::member_not_changeable(engine), "DBInstanceIdentifier");
        }
        let settings = [
            ("the DB engine version", "EngineVersion", self.engine_version.is_some()),
            ("backup retention", "BackupRetentionPeriod", self.backup_retention_period.is_some()),
            ("the backup window", "PreferredBackupWindow", self.preferred_backup_window.is_some()),
            ("the master user password", "MasterUserPassword", self.master_user_password.is_some()),
            (
                "the master user password",
                "ManageMasterUserPassword",
                self.manage_master_user_password.is_some(),
            ),
            ("security groups", "VpcSecurityGroupIds", self.vpc_security_group_ids.is_some()),
            ("storage", "AllocatedStorage", self.allocated_storage.is_some()),
            ("the storage type", "StorageType", self.storage_type.is_some()),
            ("the port", "DBPortNumber", self.db_port_number.is_some()),
            ("the availability", "MultiAZ", self.multi_az == Some(true)),
            ("the DB subnet group", "DBSubnetGroupName", self.db_subnet_group_name.is_some()),
        ];
        match settings.into_iter().find(|(_, _, is_given)| *is_given) {
            Some((what, field, _)) => refuse(errors::change_cluster_instead(what), field),
            None => Ok(()),
        }
    }

    /// Reads a new version, which must be newer. Returns the version that the instance will have.
    fn change_version(
        &self,
        cx: &Tx<'_>,
        instance: &DBInstance,
        pending: &mut PendingModifiedValues,
    ) -> Result<Version> {
        let current = instance.own_version()?;
        let name = current.engine.name;
        if let Some(engine) = self.engine.as_deref().filter(|engine| *engine != name) {
            // Oracle becomes a container database.
            if format!("{name}-cdb") != engine {
                return refuse(errors::engine_not_changeable(name, engine), "Engine");
            }
            pending.engine = Some(engine.into());
        }
        let Some(given) = self.engine_version.as_deref() else {
            let waiting = pending.engine_version.as_deref();
            return waiting.map_or(Ok(current), |version| current.engine.version(version));
        };
        let version = current.engine.version(given)?;
        let (from, to) = (current.name(), version.name());
        if from == to {
            pending.engine_version = None;
            return Ok(current);
        }
        if !current.can_upgrade_to(version) {
            return refuse(errors::cannot_upgrade(name, from, to), "EngineVersion");
        }
        if current.is_other_major(version) && self.allow_major_version_upgrade != Some(true) {
            return refuse(errors::major_version_flag(), "AllowMajorVersionUpgrade");
        }
        instance.check_versions_of_replicas(cx, current, version)?;
        pending.engine_version = Some(to.into());
        Ok(version)
    }

    /// Reads a new class, storage and licence.
    fn change_capacity(
        &self,
        cx: &Tx<'_>,
        instance: &DBInstance,
        version: Version,
        pending: &mut PendingModifiedValues,
    ) -> Result<()> {
        let engine = version.engine;
        if let Some(given) = &self.db_instance_class {
            if !classes::is_known(given) {
                return refuse(errors::class_invalid(given), "DBInstanceClass");
            }
            if !classes::is_offered(version, given) {
                let license = instance.license_model.as_deref().unwrap_or_default();
                let error = errors::combination_unsupported(given, engine.name, version.name(), license);
                return refuse(error, "DBInstanceClass");
            }
        }
        pend(
            &mut pending.db_instance_class,
            instance.db_instance_class.as_ref(),
            self.db_instance_class.as_ref(),
        );
        if let Some(license) = self.license_model.as_deref().filter(|given| !engine.licenses.contains(given))
        {
            let class = instance.db_instance_class.as_deref().unwrap_or_default();
            let error = errors::combination_unsupported(class, engine.name, version.name(), license);
            return refuse(error, "LicenseModel");
        }
        pend(&mut pending.license_model, instance.license_model.as_ref(), self.license_model.as_ref());
        self.change_storage(instance, engine, pending)?;
        if self.use_default_processor_features == Some(true) {
            if self.processor_features.is_some() {
                return refuse(errors::default_processor_features(), "ProcessorFeatures");
            }
            pending.processor_features = instance.processor_features.is_some().then(Vec::new);
        } else if let Some(features) = self.processor_features.as_deref() {
            let mut changed = instance.clone();
            changed.db_instance_class = pending.db_instance_class.clone().or(changed.db_instance_class);
            changed.choose_processor_features(version, features)?;
            pending.processor_features = Some(features.to_vec());
        }
        if let Some(volumes) = self.additional_storage_volumes.as_deref() {
            instance.clone().set_volumes(engine, volumes)?;
            pending.additional_storage_volumes = Some(volumes.to_vec());
        }
        if self.multi_tenant == Some(false) && instance.multi_tenant == Some(true) {
            return refuse(errors::multi_tenant_kept(), "MultiTenant");
        }
        if self.multi_tenant == Some(true) {
            if !engine.name.ends_with("-cdb") {
                return refuse(errors::multi_tenant_unsupported(engine.name), "MultiTenant");
            }
            if self.apply_immediately != Some(true) {
                return refuse(errors::multi_tenant_not_immediate(), "ApplyImmediately");
            }
        }
        pend(&mut pending.multi_tenant, instance.multi_tenant.as_ref(), self.multi_tenant.as_ref());
        pend(
            &mut pending.dedicated_log_volume,
            instance.dedicated_log_volume.as_ref(),
            self.dedicated_log_volume.as_ref(),
        );
        if let Some(days) = self.backup_retention_period {
            if !(0..=35).contains(&days) {
                return refuse(errors::retention_invalid(days), "BackupRetentionPeriod");
            }
            if days == 0 && instance.has_replicas() {
                return refuse(errors::backups_needed_for_replicas(), "BackupRetentionPeriod");
            }
            instance.check_backups_of_replica(days)?;
        }
        let (current, given) = (instance.backup_retention_period, self.backup_retention_period);
        pend(&mut pending.backup_retention_period, current.as_ref(), given.as_ref());
        if let Some(given) = self.new_db_instance_identifier.as_deref() {
            let field = "NewDBInstanceIdentifier";
            let id = identifier::read(given, field, MAX_LENGTH)?;
            if id != instance.id() && DBInstance::find_by(cx, &[&id])?.is_some() {
                return refuse(errors::instance_exists(), field);
            }
            pend(&mut pending.db_instance_identifier, instance.db_instance_identifier.as_ref(), Some(&id));
        }
        Ok(())
    }

    fn change_storage(
        &self,
        instance: &DBInstance,
        engine: &Engine,
        pending: &mut PendingModifiedValues,
    ) -> Result<()> {
        let current = instance.allocated_storage.unwrap_or_default();
        // The size itself as its limit turns the growth of the storage off.
        if self.max_allocated_storage.is_some_and(|max| max < self.allocated_storage.unwrap_or(current)) {
            return refuse(errors::max_storage_too_small(), "MaxAllocatedStorage");
        }
        if self.allocated_storage.is_none()
            && self.storage_type.is_none()
            && self.iops.is_none()
            && self.storage_throughput.is_none()
        {
            return Ok(());
        }
        let given = GivenStorage {
            kind: self.storage_type.as_deref(),
            size: self.allocated_storage.or(pending.allocated_storage),
            iops: self.iops,
            throughput: self.storage_throughput,
        };
        let storage = given.change(&instance.storage(), engine)?;
        pend(&mut pending.allocated_storage, instance.allocated_storage.as_ref(), Some(&storage.size));
        pend(&mut pending.storage_type, instance.storage_type.as_ref(), Some(&storage.kind));
        pend(&mut pending.iops, instance.iops.as_ref(), storage.iops.as_ref());
        pend(
            &mut pending.storage_throughput,
            instance.storage_throughput.as_ref(),
            storage.throughput.as_ref(),
        );
        Ok(())
    }

    /// Reads a new subnet group, a standby in another zone, and a new port.
    fn change_place(
        &self,
        cx: &Tx<'_>,
        instance: &DBInstance,
        pending: &mut PendingModifiedValues,
    ) -> Result<()> {
        pend(&mut pending.multi_az, instance.multi_az.as_ref(), self.multi_az.as_ref());
        if let Some(name) = self.db_subnet_group_name.as_deref() {
            let group = subnet_group::require(cx, name, "DBSubnetGroupName")?;
            let current = Text::new(instance.subnet_group_name());
            pend(&mut pending.db_subnet_group_name, Some(&current), group.db_subnet_group_name.as_ref());
        }
        if let Some(port) = self.db_port_number {
            if !(1150..=65535).contains(&port) {
                return refuse(errors::port_invalid(port), "DBPortNumber");
            }
            pend(&mut pending.port, instance.own_port().as_ref(), Some(&port));
        }
        Ok(())
    }

    /// Changes the settings that are in effect at once.
    fn change_settings(&self, cx: &mut Tx<'_>, instance: &mut DBInstance, version: Version) -> Result<()> {
        if self.preferred_backup_window.is_some() || self.preferred_maintenance_window.is_some() {
            let own = &instance.preferred_maintenance_window;
            let maintenance = self.preferred_maintenance_window.as_deref().or(own.as_deref());
            let own = &instance.preferred_backup_window;
            let backup = self.preferred_backup_window.as_deref().or(own.as_deref());
            let (maintenance, backup) = settings::read_windows(cx, maintenance, backup)?;
            instance.preferred_maintenance_window = Some(maintenance);
            instance.preferred_backup_window = Some(backup);
        }
        if let Some(ids) = self.vpc_security_group_ids.as_deref() {
            let group = subnet_group::require(cx, instance.subnet_group_name(), "DBSubnetGroupName")?;
            let vpc = group.vpc_id.unwrap_or_default();
            instance.vpc_security_groups = Some(settings::read_security_groups(cx, &vpc, Some(ids))?);
        }
        if let Some(name) = &self.db_parameter_group_name {
            let name = require_parameter_group(cx, name, version)?;
            let current = instance.db_parameter_groups.iter().flatten().next();
            if current.is_none_or(|group| group.db_parameter_group_name.as_ref() != Some(&name)) {
                instance.db_parameter_groups = Some(vec![DBParameterGroupStatus {
                    db_parameter_group_name: Some(name),
                    parameter_apply_status: Some("pending-reboot".into()),
                }]);
            }
        }
        if let Some(name) = &self.option_group_name {
            let name = require_option_group(cx, name, version)?;
            instance.option_group_memberships = Some(vec![OptionGroupMembership {
                option_group_name: Some(name),
                status: Some("in-sync".into()),
            }]);
        }
        if self.monitoring_interval.is_some() || self.monitoring_role_arn.is_some() {
            instance.set_monitoring(self.monitoring_interval, self.monitoring_role_arn.as_deref())?;
        }
        let enabled = self.performance_insights_enabled;
        let retention = self.performance_insights_retention_period;
        let key = self.performance_insights_crypto_key_id.as_deref();
        if enabled.is_some() || retention.is_some() || key.is_some() {
            instance.set_performance_insights(cx, enabled, retention, key)?;
        }
        if let Some(public) = self.publicly_accessible {
            instance.check_public(cx, public)?;
            instance.publicly_accessible = Some(public);
        }
        if let Some(change) = &self.logs_export_configuration {
            instance.change_log_exports(version, change)?;
        }
        if self.replica_mode.is_some() {
            if !has_replica_mode(version.engine) || !instance.is_replica() {
                return refuse(errors::replica_mode_unsupported(), "ReplicaMode");
            }
            instance.replica_mode.clone_from(&self.replica_mode);
        }
        let keep = |given: Option<bool>, current: &mut Option<bool>| *current = given.or(*current);
        keep(self.auto_minor_version_upgrade, &mut instance.auto_minor_version_upgrade);
        keep(self.copy_tags_to_snapshot, &mut instance.copy_tags_to_snapshot);
        keep(self.deletion_protection, &mut instance.deletion_protection);
        keep(self.iam_database_authentication_enabled, &mut instance.iam_database_authentication_enabled);
        if let Some(max) = self.max_allocated_storage {
            let grows = Some(max) > self.allocated_storage.or(instance.allocated_storage);
            instance.max_allocated_storage = grows.then_some(max);
        }
        if let Some(tier) = self.promotion_tier {
            instance.promotion_tier = Some(tier);
            let id = Text::new(instance.id());
            crate::cluster::members::change(cx, instance.db_cluster_identifier.as_deref(), |cluster| {
                if let Some(member) = cluster.member_mut(&id) {
                    member.promotion_tier = Some(tier);
                }
            })?;
        }
        if self.database_insights_mode.is_some() {
            instance.database_insights_mode.clone_from(&self.database_insights_mode);
        }
        if self.engine_lifecycle_support.is_some() {
            instance.engine_lifecycle_support.clone_from(&self.engine_lifecycle_support);
        }
        Ok(())
    }

    /// Joins another directory of users, or leaves the one that the instance is in.
    fn change_domain(&self, cx: &mut Tx<'_>, instance: &mut DBInstance) -> Result<()> {
        let mut given = InstanceDomain::from_given(self.clone());
        let leaves = given.domain.take_if(|domain| domain.as_str() == "none").is_some()
            || self.disable_domain == Some(true);
        let membership = given.read(cx, instance.own_engine()?)?;
        if leaves && membership.is_some() {
            return refuse(errors::domain_and_removal(), "DisableDomain");
        }
        if leaves || membership.is_some() {
            instance.domain_memberships = Some(membership.into_iter().collect());
            instance.join_domains();
        }
        Ok(())
    }

    /// Changes the certificate: at once without a restart, else with the other changes that wait.
    fn change_certificate(
        &self,
        cx: &Tx<'_>,
        instance: &mut DBInstance,
        pending: &mut PendingModifiedValues,
    ) -> Result<()> {
        let Some(authority) = &self.ca_certificate_identifier else { return Ok(()) };
        let authority = &Text::new(certificate::require(authority, "CACertificateIdentifier")?);
        if self.certificate_rotation_restart == Some(false) {
            return instance.set_certificate(cx, authority);
        }
        let current = instance.ca_certificate_identifier.as_ref();
        pend(&mut pending.ca_certificate_identifier, current, Some(authority));
        Ok(())
    }
}
