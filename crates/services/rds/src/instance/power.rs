//! Operations that stop, start and reboot instances.

use super::{DBInstance, DBInstanceManager, require};
use crate::{
    DBSnapshot, errors,
    event::known,
    snapshot::family::{self, Snapshot},
};
use nephos_cloud::{Addressed, Handler, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, operation};

/// Days after which a stopped database is started again.
pub(crate) const RESTART_DAYS: i64 = 7;

/// Stops an instance. After seven days, it is started again.
#[operation(
    of = DBInstance, call = "stop", on_model, needs(db_instance_identifier), wraps(db_instance(name = "DBInstance")), effect = write,
    subject = "db:{DBInstanceIdentifier} + DBSnapshotIdentifier? snapshot:{DBSnapshotIdentifier}"
)]
pub struct StopDBInstance {
    /// Identifier of a snapshot to make before.
    #[field(name = "DBSnapshotIdentifier")]
    pub db_snapshot_identifier: Option<Text>,
}

impl Handler for StopDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        instance.check_power()?;
        if instance.status() != "available" {
            let error = errors::instance_not_in_available_state(instance.id()).with_hint(instance.status());
            return Err(error.with_field("DBInstanceIdentifier"));
        }
        if let Some(id) = &self.db_snapshot_identifier {
            let id = family::read_manual::<DBSnapshot>(cx, id, DBSnapshot::IDENTIFIER)?;
            instance.take_snapshot(cx, id, None, "DBInstanceIdentifier")?;
        }
        instance.latest_restorable_time = instance.latest_restorable(cx.now());
        instance.db_instance_status = Some("stopping".into());
        instance.store(cx)?;
        Ok(instance.described(cx)?.into())
    }
}

/// Starts a stopped instance.
#[operation(
    of = DBInstance, call = "start", on_model, needs(db_instance_identifier), wraps(db_instance(name = "DBInstance")), effect = write
)]
pub struct StartDBInstance {}

impl Handler for StartDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        instance.check_power()?;
        if instance.status() != "stopped" {
            let error = errors::instance_not_stopped(instance.id()).with_hint(instance.status());
            return Err(error.with_field("DBInstanceIdentifier"));
        }
        instance.begin_start(cx)?;
        Ok(instance.described(cx)?.into())
    }
}

/// Reboots an instance. Changes of parameters that need it are then in effect.
#[operation(
    of = DBInstance, call = "reboot", on_model, needs(db_instance_identifier), wraps(db_instance(name = "DBInstance")), effect = write
)]
pub struct RebootDBInstance {
    /// True to let the standby take over.
    pub force_failover: Option<bool>,
}

impl Handler for RebootDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        if instance.status() != "available" {
            let error = errors::cannot_reboot().with_hint(instance.status());
            return Err(error.with_field("DBInstanceIdentifier"));
        }
        if self.force_failover == Some(true) {
            if instance.multi_az != Some(true) {
                return Err(errors::failover_without_standby().with_field("ForceFailover"));
            }
            instance.record(cx, &known::STANDBY_FAILOVER_STARTED, &[])?;
            std::mem::swap(&mut instance.availability_zone, &mut instance.secondary_availability_zone);
            instance.record(cx, &known::STANDBY_FAILOVER_COMPLETED, &[])?;
        }
        instance.record(cx, &known::INSTANCE_SHUTDOWN, &[])?;
        instance.db_instance_status = Some("rebooting".into());
        instance.store(cx)?;
        Ok(instance.described(cx)?.into())
    }
}

impl DBInstance {
    /// Refuses to stop or start an instance that cannot be: a replica, its source, or a member of a cluster.
    fn check_power(&self) -> Result<()> {
        let field = "DBInstanceIdentifier";
        if self.db_cluster_identifier.is_some() {
            let engine = self.engine.as_deref().unwrap_or_default();
            return Err(errors::instances_not_stoppable(engine).with_field(field));
        }
        if self.is_replica() || self.has_replicas() {
            return Err(errors::power_of_replica().with_field(field));
        }
        Ok(())
    }

    /// Starts the instance.
    pub(crate) fn begin_start(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.db_instance_status = Some("starting".into());
        self.automatic_restart_time = None;
        self.store(cx)
    }

    /// Ends a stop: after seven days, the instance is started again.
    pub(super) fn finish_stop(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.record(cx, &known::INSTANCE_SHUTDOWN, &[])?;
        self.record(cx, &known::INSTANCE_STOPPED, &[])?;
        if self.db_cluster_identifier.is_some() {
            return Ok(());
        }
        let days = SignedDuration::from_hours(24 * RESTART_DAYS);
        let time = cx.now().checked_add(days).unwrap_or(Timestamp::MAX);
        self.automatic_restart_time = Some(time);
        cx.schedule(time, &InstanceRestart { db_instance_identifier: self.db_instance_identifier.clone() })
    }

    /// Ends a start: changes of parameters are in effect.
    pub(super) fn finish_start(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.use_changed_parameters();
        self.record(cx, &known::INSTANCE_STARTED, &[])
    }

    /// Ends a reboot: changes of parameters are in effect.
    pub(crate) fn finish_reboot(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.use_changed_parameters();
        self.record(cx, &known::INSTANCE_RESTARTED, &[])
    }

    fn use_changed_parameters(&mut self) {
        for group in self.db_parameter_groups.iter_mut().flatten() {
            group.parameter_apply_status = Some("in-sync".into());
        }
    }
}

/// Due work: starts an instance that was stopped for seven days.
#[derive(Record)]
pub(crate) struct InstanceRestart {
    /// Identifier of the instance.
    db_instance_identifier: Option<Text>,
}

impl Work for InstanceRestart {
    const NAME: &'static str = "rds/instance-restart";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_instance_identifier.unwrap_or_default();
        let Some(mut instance) = DBInstance::find_by(cx, &[&id])? else { return Ok(()) };
        // An instance that was started and stopped again since has a later time.
        if instance.status() != "stopped"
            || instance.automatic_restart_time.is_none_or(|time| time > cx.now())
        {
            return Ok(());
        }
        instance.record(cx, &known::INSTANCE_STARTED_AGAIN, &[])?;
        instance.begin_start(cx)
    }
}
