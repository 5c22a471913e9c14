//! Operations that change the role of a read replica: it becomes independent, or changes places with its source.

use super::{
    super::{DBInstance, DBInstanceManager, modification::Modification, require},
    change_named, find_named, has_replica_mode, locate, replication,
};
use crate::{TagSpecification, backup, errors, event::known, settings};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Result, Text, operation};

/// Makes a read replica an independent instance.
#[operation(
    of = DBInstance, call = "promote", on_model, needs(db_instance_identifier),
    takes(backup_retention_period, preferred_backup_window), wraps(db_instance(name = "DBInstance")), effect = write
)]
pub struct PromoteReadReplica {
    /// Tags of the automated backups, as those of the resource type `auto-backup`.
    #[field(item = "item")]
    pub tag_specifications: Option<Vec<TagSpecification>>,
}

impl Handler for PromoteReadReplica {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "DBInstanceIdentifier";
        let mut instance = require(cx, &self.db_instance_identifier, field)?;
        if !instance.is_replica() {
            return Err(errors::not_a_replica().with_field(field));
        }
        instance.check_available_replica()?;
        let tags = backup::read_tags(self.tag_specifications.as_deref(), backup::OF_INSTANCE)?;
        let field = "BackupRetentionPeriod";
        let own = instance.backup_retention_period.unwrap_or_default();
        let days = self.backup_retention_period.unwrap_or(own.max(1));
        if !(0..=35).contains(&days) {
            return Err(errors::retention_invalid(days).with_field(field));
        }
        if days == 0 && instance.has_replicas() {
            return Err(errors::backups_needed_for_replicas().with_field(field));
        }
        if let Some(window) = self.preferred_backup_window.as_deref() {
            let maintenance = instance.preferred_maintenance_window.as_deref();
            let (_, backup) = settings::read_windows(cx, maintenance, Some(window))?;
            instance.preferred_backup_window = Some(backup);
            instance.schedule_backup(cx)?;
        }
        instance.tag_backups(cx, tags)?;
        instance.begin_modification(cx, Modification::Promotion, Some(days))?;
        Ok(instance.described(cx)?.into())
    }
}

/// Lets a read replica of Oracle change places with its source, in the Region of the replica.
#[operation(
    of = DBInstance, call = "switch_over", on_model, needs(db_instance_identifier), wraps(db_instance(name = "DBInstance")),
    effect = write
)]
pub struct SwitchoverReadReplica {}

impl Handler for SwitchoverReadReplica {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "DBInstanceIdentifier";
        let mut instance = require(cx, &self.db_instance_identifier, field)?;
        let engine = instance.own_engine()?;
        if !engine.is_oracle() || !has_replica_mode(engine) {
            return Err(errors::switchover_unsupported(engine.name).with_field(field));
        }
        let source = match &instance.read_replica_source_db_instance_identifier {
            Some(name) => find_named(cx, cx.scope(), name)?,
            None => None,
        };
        let Some((scope, mut source)) = source else {
            return Err(errors::not_a_replica().with_field(field));
        };
        instance.check_available_replica()?;
        source.check_available_replica()?;
        // The replica becomes a source, which needs backups.
        if instance.backup_retention_period.unwrap_or_default() == 0 {
            return Err(errors::replica_needs_backups().with_field(field));
        }
        instance.record(cx, &known::SWITCHOVER_STARTED, &[])?;
        instance.begin_modification(cx, Modification::Switchover, None)?;
        cx.in_scope(&scope, |cx| source.begin_modification(cx, Modification::Demotion, None))?;
        Ok(instance.described(cx)?.into())
    }
}

impl DBInstance {
    /// Refuses a change of role of an instance that is not available.
    fn check_available_replica(&self) -> Result<()> {
        match self.status() {
            "available" | "storage-optimization" => Ok(()),
            status => {
                let error = errors::instance_not_available().with_hint(status);
                Err(error.with_field("DBInstanceIdentifier"))
            }
        }
    }

    /// Ends a promotion. An instance that gets automated backups makes the first one.
    pub(in crate::instance) fn finish_promotion(&mut self, cx: &mut Tx<'_>, days: Option<i64>) -> Result<()> {
        self.leave_source(cx)?;
        self.record(cx, &known::REPLICATION_ENDED, &[])?;
        let before = self.backup_retention_period;
        self.backup_retention_period = days.or(before);
        if self.follow_retention(cx, before)? {
            self.db_instance_status = Some("backing-up".into());
        }
        Ok(())
    }

    /// Ends a switchover: the source becomes a replica of its replica, and so do the other replicas of the source.
    pub(in crate::instance) fn finish_switchover(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        // A source that was deleted meanwhile has left its replicas to themselves.
        let Some(name) = self.read_replica_source_db_instance_identifier.take() else { return Ok(()) };
        let Some((scope, mut source)) = find_named(cx, cx.scope(), &name)? else { return Ok(()) };
        let own = cx.scope().clone();
        let others = source.read_replica_db_instance_identifiers.replace(Vec::new()).unwrap_or_default();
        source.read_replica_source_db_instance_identifier = Some(self.name_in(&scope));
        source.status_infos = replication("replicating", true);
        source.replica_mode = self.replica_mode.take();
        self.status_infos = None;
        self.add_replica(source.name_in(&own));
        cx.in_scope(&scope, |cx| cx.put(source))?;
        for name in others {
            let (place, id) = locate(&scope, &name);
            if place == own && id == self.id() {
                continue;
            }
            let name = name_from(&place, &id, &own);
            change_named(cx, &name, |other, scope| {
                other.read_replica_source_db_instance_identifier = Some(self.name_in(scope));
            })?;
            self.add_replica(name);
        }
        Ok(())
    }
}

/// Name of the instance with this identifier in `place` for instances in `scope`.
fn name_from(place: &Scope, id: &Text, scope: &Scope) -> Text {
    if place == scope { id.clone() } else { Text::new(place.arn("rds", &["db:", id]).as_str()) }
}
