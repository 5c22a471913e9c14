//! Events of clusters.

use super::DBCluster;
use crate::{
    DBInstance, SourceType,
    event::{self, KnownEvent, Source, known},
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Result, Text};

impl DBCluster {
    /// Records an event of the cluster, with the arguments of its message.
    pub(crate) fn record(&self, cx: &mut Tx<'_>, event: &KnownEvent, arguments: &[&str]) -> Result<()> {
        let source = Source { kind: SourceType::DbCluster, id: self.id(), arn: self.own_arn(), logged: None };
        event::record(cx, &source, event, arguments)
    }

    /// Records that another instance is to take writes.
    pub(super) fn record_failover(&self, cx: &mut Tx<'_>, from: Option<&str>, to: &str) -> Result<()> {
        let zone = |id: &str| -> Result<Option<Text>> {
            Ok(DBInstance::find_by(cx, &[id])?.and_then(|instance| instance.availability_zone))
        };
        let is_same_zone = zone(from.unwrap_or_default())? == zone(to)?;
        let event = if is_same_zone { &known::SAME_ZONE_FAILOVER_STARTED } else { &known::FAILOVER_STARTED };
        self.record(cx, event, &[to])
    }

    /// Ends a failover: the instances were restarted, one of them takes writes.
    pub(super) fn finish_failover(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        for member in self.members() {
            let id = member.db_instance_identifier.as_deref().unwrap_or_default();
            if let Some(instance) = DBInstance::find_by(cx, &[id])? {
                instance.record(cx, &known::INSTANCE_RESTARTED, &[])?;
            }
        }
        self.record(cx, &known::FAILOVER_COMPLETED, &[self.writer().unwrap_or_default()])
    }

    /// Ends a stop.
    pub(super) fn finish_stop(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.record(cx, &known::CLUSTER_STOPPED, &[])
    }

    /// Ends a start.
    pub(super) fn finish_start(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.record(cx, &known::CLUSTER_STARTED, &[])
    }

    /// Records that pending changes were applied.
    pub(super) fn record_applied(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        let Some(pending) = &before.pending_modified_values else { return Ok(()) };
        if pending.engine_version.is_some() {
            let is_major = before.version()?.is_other_major(self.version()?);
            let event = if is_major { &known::CLUSTER_UPGRADED } else { &known::CLUSTER_PATCHED };
            self.record(cx, event, &[])?;
        }
        if pending.master_user_password.is_some() {
            self.record(cx, &known::PASSWORD_RESET, &[])?;
        }
        if before.id() != self.id() {
            self.record(cx, &known::CLUSTER_RENAMED, &[before.id(), self.id()])?;
        }
        Ok(())
    }
}
