//! The operation that deletes an instance.

use super::{DBInstance, DBInstanceManager, require};
use crate::{DBCluster, DBSnapshot, errors, snapshot::family};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Error, Result, Text, operation};

/// Deletes an instance. A last snapshot is made, unless it is skipped.
#[operation(
    of = DBInstance, call = "delete", on_model, needs(db_instance_identifier), wraps(db_instance(name = "DBInstance")), effect = write
)]
pub struct DeleteDBInstance {
    /// True to make no last snapshot.
    pub skip_final_snapshot: Option<bool>,
    /// Identifier of the last snapshot.
    #[field(name = "FinalDBSnapshotIdentifier")]
    pub final_db_snapshot_identifier: Option<Text>,
    /// False to keep the automated backups until their retention ends.
    pub delete_automated_backups: Option<bool>,
}

impl Handler for DeleteDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        if let Some(id) = self.check(cx, &instance)? {
            instance.take_snapshot(cx, id, None, "DBInstanceIdentifier")?;
        }
        instance.end_backups(cx, self.delete_automated_backups == Some(false))?;
        instance.release_replicas(cx)?;
        instance.db_instance_status = Some("deleting".into());
        instance.store(cx)?;
        Ok(instance.described(cx)?.into())
    }
}

impl DeleteDBInstance {
    /// Refuses an instance that cannot be deleted. Returns the identifier of the last snapshot, if there is to be one.
    fn check(&self, cx: &Tx<'_>, instance: &DBInstance) -> Result<Option<Text>> {
        let refuse = |error: Error, field: &str| Err(error.with_field(field));
        let id_field = "DBInstanceIdentifier";
        if instance.status() == "deleting" {
            return refuse(errors::instance_being_deleted(instance.id()), id_field);
        }
        if instance.deletion_protection == Some(true) {
            return refuse(errors::instance_protected(), id_field);
        }
        let field = "FinalDBSnapshotIdentifier";
        let skips = self.skip_final_snapshot == Some(true);
        let is_replica = instance.is_replica();
        let is_member = instance.db_cluster_identifier.is_some();
        let snapshot = match self.final_db_snapshot_identifier.as_deref() {
            Some(_) if is_replica => return refuse(errors::snapshot_of_replica(), field),
            Some(_) if is_member => return refuse(errors::snapshot_of_member(), field),
            Some(_) if skips => return refuse(errors::snapshot_skipped(), field),
            Some(id) => Some(family::read_last::<DBSnapshot>(cx, id)?),
            None if !skips && !is_member && !is_replica => return refuse(errors::snapshot_needed(), field),
            None => None,
        };
        self.check_cluster(cx, instance)?;
        Ok(snapshot)
    }

    /// Refuses an instance that its cluster needs.
    fn check_cluster(&self, cx: &Tx<'_>, instance: &DBInstance) -> Result<()> {
        let Some(id) = instance.db_cluster_identifier.as_deref() else { return Ok(()) };
        let Some(cluster) = DBCluster::find_by(cx, &[id])? else { return Ok(()) };
        let field = "DBInstanceIdentifier";
        if cluster.is_multi_zone() {
            let engine = instance.engine.as_deref().unwrap_or_default();
            return Err(errors::member_of_multi_zone_cluster(engine).with_field(field));
        }
        if cluster.members().len() == 1 && cluster.read_replica_identifiers.iter().flatten().next().is_some()
        {
            return Err(errors::last_member_of_source().with_field(field));
        }
        Ok(())
    }
}
