//! Operations that start, stop and reboot clusters, and let another instance take writes.

use super::{DBCluster, DBClusterManager, require};
use crate::{DBInstance, errors, event::known};
use nephos_cloud::{Addressed, Handler, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, operation};

/// Days after which a stopped cluster is started again.
const MAX_STOPPED_DAYS: i64 = 7;

impl DBCluster {
    /// Gives the cluster and those of its members that `of_member` accepts a status, and stores them.
    pub(super) fn move_to(
        &mut self,
        cx: &mut Tx<'_>,
        status: &str,
        of_member: impl Fn(&DBInstance) -> bool,
    ) -> Result<()> {
        self.status = Some(status.into());
        for member in self.members() {
            let id = member.db_instance_identifier.as_deref().unwrap_or_default();
            if let Some(mut instance) = DBInstance::find_by(cx, &[id])?.filter(|one| of_member(one)) {
                instance.db_instance_status = Some(status.into());
                cx.put_and_schedule_transition(instance)?;
            }
        }
        cx.put_and_schedule_transition(self.clone())
    }

    /// Starts the stopped cluster and its members.
    fn start_again(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.automatic_restart_time = None;
        self.move_to(cx, "starting", |_| true)
    }

    /// Ends a reboot: changed parameters are in effect.
    pub(super) fn finish_reboot(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        for member in self.db_cluster_members.iter_mut().flatten() {
            member.db_cluster_parameter_group_status = Some("in-sync".into());
        }
        self.settle_members(cx)
    }

    /// Refuses to stop or start a cluster in several zones.
    fn check_stoppable(&self) -> Result<()> {
        let engine = self.engine.as_deref().unwrap_or_default();
        match self.is_multi_zone() {
            true => Err(errors::clusters_not_stoppable(engine).with_field("DBClusterIdentifier")),
            false => Ok(()),
        }
    }
}

/// Starts a stopped cluster and its instances.
#[operation(
    of = DBCluster, call = "start", on_model, needs(db_cluster_identifier), wraps(db_cluster(name = "DBCluster")), effect = write
)]
pub struct StartDBCluster {}

impl Handler for StartDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        cluster.check_stoppable()?;
        cluster.check_status(&["stopped", "inaccessible-encryption-credentials-recoverable"])?;
        // The answer still has the status before.
        let answer = cluster.clone().described(cx)?;
        cluster.start_again(cx)?;
        Ok(answer.into())
    }
}

/// Stops a cluster and its instances. It is started again after seven days.
#[operation(
    of = DBCluster, call = "stop", on_model, needs(db_cluster_identifier), wraps(db_cluster(name = "DBCluster")), effect = write
)]
pub struct StopDBCluster {}

impl Handler for StopDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        cluster.check_stoppable()?;
        cluster.check_available()?;
        // The answer still has the status before.
        let answer = cluster.clone().described(cx)?;
        let time = cx.now().checked_add(SignedDuration::from_hours(24 * MAX_STOPPED_DAYS));
        let time = time.unwrap_or(Timestamp::MAX);
        cluster.automatic_restart_time = Some(time);
        let work = ClusterStartWork {
            db_cluster_identifier: cluster.db_cluster_identifier.clone(),
            time: Some(time),
        };
        cx.schedule(time, &work)?;
        cluster.move_to(cx, "stopping", |_| true)?;
        Ok(answer.into())
    }
}

/// Due work: starts a cluster that was stopped for seven days.
#[derive(Record)]
pub(crate) struct ClusterStartWork {
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier")]
    db_cluster_identifier: Option<Text>,
    /// Time for which it was scheduled. Nothing happens if the cluster was stopped again.
    time: Option<Timestamp>,
}

impl Work for ClusterStartWork {
    const NAME: &'static str = "rds/cluster-start";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_cluster_identifier.unwrap_or_default();
        match DBCluster::find_by(cx, &[&id])? {
            Some(cluster)
                if cluster.status_text() == "stopped" && cluster.automatic_restart_time == self.time =>
            {
                cluster.record(cx, &known::CLUSTER_STARTED_AGAIN, &[])?;
                cluster.start_again(cx)
            }
            _ => Ok(()),
        }
    }
}

/// Reboots all instances of a cluster in several zones. Other clusters are rebooted instance by instance.
#[operation(
    of = DBCluster, call = "reboot", on_model, needs(db_cluster_identifier), wraps(db_cluster(name = "DBCluster")), effect = write
)]
pub struct RebootDBCluster {}

impl Handler for RebootDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        cluster.check_available()?;
        if !cluster.is_multi_zone() {
            return Err(errors::cluster_not_rebootable(cluster.id()).with_field("DBClusterIdentifier"));
        }
        cluster.enter(cx, "rebooting")?;
        Ok(cluster.described(cx)?.into())
    }
}

/// Lets a reader of a cluster take writes: the given one, or the first one with the lowest order of promotion.
#[operation(
    of = DBCluster, call = "failover", on_model, needs(db_cluster_identifier), wraps(db_cluster(name = "DBCluster")),
    effect = write,
    subject = "cluster:{DBClusterIdentifier} + TargetDBInstanceIdentifier? db:{TargetDBInstanceIdentifier}"
)]
pub struct FailoverDBCluster {
    /// Identifier of the instance that takes writes.
    #[field(name = "TargetDBInstanceIdentifier")]
    pub target_db_instance_identifier: Option<Text>,
}

impl Handler for FailoverDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        cluster.check_available()?;
        if cluster.members().len() < 2 {
            return Err(errors::too_few_members(cluster.id()).with_field("DBClusterIdentifier"));
        }
        if self.target_db_instance_identifier.is_some() && cluster.engine.as_deref() == Some("mysql") {
            let field = "TargetDBInstanceIdentifier";
            return Err(errors::cluster_parameter_unsupported(field, "mysql").with_field(field));
        }
        let target = match &self.target_db_instance_identifier {
            Some(id) => {
                let id = id.to_ascii_lowercase();
                if cluster.member_mut(&id).is_none() {
                    let error = errors::failover_target_unknown(id);
                    return Err(error.with_field("TargetDBInstanceIdentifier"));
                }
                Some(Text::from(id))
            }
            None => cluster.next_writer().map(Text::new),
        };
        // The answer still has the status and the writer before.
        let answer = cluster.clone().described(cx)?;
        cluster.record_failover(cx, cluster.writer(), target.as_deref().unwrap_or_default())?;
        cluster.set_writer(target.as_deref());
        cluster.status = Some("failing-over".into());
        cx.put_and_schedule_transition(cluster)?;
        Ok(answer.into())
    }
}
