//! Changes of an instance that are not applied yet, and the maintenance window in which they are.

use super::{
    DBInstance, DBParameterGroupStatus, OptionGroupMembership, PendingModifiedValues, storage::Storage,
};
use crate::{
    LogsExportConfiguration, cluster,
    engine::{self, Engine, Version},
    errors,
    event::known,
    master_user, settings,
    settings::Hosts,
    subnet_group,
};
use nephos_cloud::{Addressed, Tx, Work, own_arn};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, field_value::FieldType};

impl DBInstance {
    /// Engine of the instance.
    pub(crate) fn own_engine(&self) -> Result<&'static Engine> {
        engine::require(self.engine.as_deref().unwrap_or_default())
    }

    /// Version of the engine.
    pub(crate) fn own_version(&self) -> Result<Version> {
        self.own_engine()?.version(self.engine_version.as_deref().unwrap_or_default())
    }

    /// Port of the instance.
    pub(crate) fn own_port(&self) -> Option<i64> {
        self.endpoint.as_ref().and_then(|endpoint| endpoint.port)
    }

    /// True if other instances or clusters are read replicas of this one.
    pub(crate) fn has_replicas(&self) -> bool {
        self.replica_count() > 0
    }

    /// Refuses access from outside of a VPC without an internet gateway. Only the default VPC has one.
    pub(crate) fn check_public(&self, cx: &Tx<'_>, public: bool) -> Result<()> {
        let group = subnet_group::find(cx, self.subnet_group_name())?;
        let vpc = group.and_then(|group| group.vpc_id);
        let default = nephos_ec2::default_vpc(cx)?;
        match !public || default.is_some_and(|default| default.vpc_id() == vpc.as_deref()) {
            true => Ok(()),
            false => Err(errors::no_internet_gateway().with_field("PubliclyAccessible")),
        }
    }

    /// Changes the types of logs that are exported.
    pub(crate) fn change_log_exports(
        &mut self,
        version: Version,
        change: &LogsExportConfiguration,
    ) -> Result<()> {
        let added = change.enable_log_types.as_deref().unwrap_or_default();
        let removed = change.disable_log_types.as_deref().unwrap_or_default();
        let field = "LogsExportConfiguration";
        settings::check_log_types(version, added, field)?;
        settings::check_log_types(version, removed, field)?;
        let mut types = self.enabled_log_exports.take().unwrap_or_default();
        types.retain(|one| !removed.contains(one));
        types.extend(added.iter().filter(|one| !types.contains(one)).cloned().collect::<Vec<_>>());
        self.enabled_log_exports = Some(types).filter(|types| !types.is_empty());
        Ok(())
    }

    /// The status while the pending changes are applied; none if nothing is pending.
    pub(crate) fn pending_work(&self) -> Option<&'static str> {
        let pending = self.pending_modified_values.as_ref()?;
        let mut others = pending.clone();
        // A password is applied by itself.
        others.master_user_password = None;
        if others == PendingModifiedValues::blank() {
            return None;
        }
        Some(match pending {
            _ if pending.engine_version.is_some() => "upgrading",
            _ if pending.db_instance_identifier.is_some() => "renaming",
            _ => "modifying",
        })
    }

    /// Ends the change of the password of the master user.
    pub(super) fn finish_reset(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        master_user::activate(self.master_user_secret.as_mut());
        if let Some(pending) = &mut self.pending_modified_values {
            pending.master_user_password = None;
        }
        self.record(cx, &known::PASSWORD_RESET, &[])
    }

    /// Applies the pending changes.
    pub(super) fn apply_pending(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let before = self.clone();
        let pending = self.pending_modified_values.replace(PendingModifiedValues::blank());
        let pending = pending.unwrap_or_else(PendingModifiedValues::blank);
        master_user::activate(self.master_user_secret.as_mut());
        if let Some(engine) = pending.engine {
            self.engine = Some(engine);
        }
        if let Some(version) = &pending.engine_version {
            let old = self.own_version()?;
            self.follow_version(version)?;
            self.upgrade_replicas(cx, old, self.own_version()?)?;
        }
        self.db_instance_class = pending.db_instance_class.or(self.db_instance_class.take());
        self.license_model = pending.license_model.or(self.license_model.take());
        if let Some(kind) = pending.storage_type.or(self.storage_type.clone()) {
            let keeps = before.storage_type.as_ref() == Some(&kind);
            let size = pending.allocated_storage.or(self.allocated_storage).unwrap_or_default();
            let iops = pending.iops.or(self.iops.filter(|_| keeps));
            let throughput = pending.storage_throughput.or(self.storage_throughput.filter(|_| keeps));
            if self.db_cluster_identifier.is_none() {
                self.set_storage(Storage { kind, size, iops, throughput });
            }
        }
        self.backup_retention_period = pending.backup_retention_period.or(self.backup_retention_period);
        if let Some(features) = pending.processor_features {
            self.processor_features = Some(features).filter(|features| !features.is_empty());
        }
        if let Some(volumes) = pending.additional_storage_volumes {
            let engine = self.own_engine()?;
            self.set_volumes(engine, &volumes)?;
        }
        self.multi_tenant = pending.multi_tenant.or(self.multi_tenant);
        self.dedicated_log_volume = pending.dedicated_log_volume.or(self.dedicated_log_volume);
        if let Some(authority) = pending.ca_certificate_identifier {
            self.set_certificate(cx, &authority)?;
        }
        self.move_to(cx, pending.db_subnet_group_name.as_deref(), pending.multi_az)?;
        // An identifier that another instance has got meanwhile is dropped.
        match &pending.db_instance_identifier {
            Some(id) if Self::find_by(cx, &[id])?.is_none() => self.rename(cx, &before, id)?,
            _ => self.attach(cx, Some(&before))?,
        }
        let port = pending.port.or(self.own_port()).unwrap_or_default();
        self.endpoint =
            Some(Hosts::of(cx, self.engine.as_deref().unwrap_or_default()).instance(self.id(), port));
        self.record_applied(cx, &before)?;
        if self.follow_retention(cx, before.backup_retention_period)? {
            self.db_instance_status = Some("backing-up".into());
        }
        Ok(())
    }

    /// Moves the instance to a new version. Default groups of the old one are replaced by those of the new one.
    pub(super) fn follow_version(&mut self, version: &str) -> Result<()> {
        let (before, after) = (self.own_version()?, self.own_engine()?.version(version)?);
        self.engine_version = Some(after.name().into());
        if !before.is_other_major(after) {
            return Ok(());
        }
        if self.parameter_group() == Some(before.default_parameter_group().as_str()) {
            let name = after.default_parameter_group();
            self.db_parameter_groups = Some(vec![DBParameterGroupStatus::in_sync(name.into())]);
        }
        self.option_group_memberships = Some(vec![OptionGroupMembership {
            option_group_name: Some(after.default_option_group().into()),
            status: Some("in-sync".into()),
        }]);
        Ok(())
    }

    /// Moves the instance to another subnet group, and gives it a standby in another zone, or takes it away.
    fn move_to(&mut self, cx: &Tx<'_>, group: Option<&str>, multi_az: Option<bool>) -> Result<()> {
        let name = group.unwrap_or(self.subnet_group_name());
        let Some(found) = subnet_group::find(cx, name)? else { return Ok(()) };
        let zones = settings::zones_of(&found);
        let zone = self.availability_zone.clone().unwrap_or_default();
        let zone = if zones.contains(&zone) { zone } else { zones.first().cloned().unwrap_or_default() };
        if group.is_some() {
            let vpc = found.vpc_id.clone().unwrap_or_default();
            self.vpc_security_groups = Some(settings::read_security_groups(cx, &vpc, None)?);
        }
        let is_multi_zone = multi_az.or(self.multi_az) == Some(true);
        self.set_secondary_zone(is_multi_zone, &zone, &zones);
        self.availability_zone = Some(zone);
        self.set_subnet_group(found);
        Ok(())
    }

    /// Gives the instance another identifier, also where others refer to it.
    fn rename(&mut self, cx: &mut Tx<'_>, before: &Self, id: &Text) -> Result<()> {
        before.detach(cx)?;
        cx.remove(before)?;
        self.db_instance_identifier = Some(id.clone());
        self.db_instance_arn = own_arn(self, cx.scope());
        self.attach(cx, None)?;
        self.schedule_rotation(cx)?;
        self.schedule_backup(cx)?;
        let old = before.id();
        cluster::members::change(cx, self.db_cluster_identifier.as_deref(), |cluster| {
            if let Some(member) = cluster.member_mut(old) {
                member.db_instance_identifier = Some(id.clone());
            }
        })?;
        self.rename_in_replication(cx, before)
    }

    /// Starts to apply the pending changes, with the status for that.
    pub(crate) fn begin_pending(&mut self, cx: &mut Tx<'_>, status: &str) -> Result<()> {
        self.record_started(cx)?;
        self.db_instance_status = Some(status.into());
        self.store(cx)
    }

    /// Schedules the pending changes for the next maintenance window.
    pub(crate) fn schedule_maintenance(&self, cx: &mut Tx<'_>) -> Result<()> {
        self.schedule_maintenance_after(cx, cx.now())
    }

    fn schedule_maintenance_after(&self, cx: &mut Tx<'_>, time: Timestamp) -> Result<()> {
        let window = self.preferred_maintenance_window.as_deref().unwrap_or_default();
        let time = settings::read_maintenance_window(window)?.next(time);
        cx.schedule(
            time,
            &InstanceMaintenance { db_instance_identifier: self.db_instance_identifier.clone() },
        )
    }
}

/// Due work: applies the pending changes of an instance in its maintenance window.
#[derive(Record)]
pub(crate) struct InstanceMaintenance {
    /// Identifier of the instance.
    db_instance_identifier: Option<Text>,
}

impl Work for InstanceMaintenance {
    const NAME: &'static str = "rds/instance-maintenance";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_instance_identifier.unwrap_or_default();
        let Some(mut instance) = DBInstance::find_by(cx, &[&id])? else { return Ok(()) };
        let Some(status) = instance.pending_work() else { return Ok(()) };
        if instance.status() == "deleting" {
            return Ok(());
        }
        if instance.status() != "available" {
            // The next window is after this one.
            let later = cx.now().checked_add(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MAX);
            return instance.schedule_maintenance_after(cx, later);
        }
        instance.begin_pending(cx, status)
    }
}
