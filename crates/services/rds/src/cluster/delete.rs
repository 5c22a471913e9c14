//! The operation that deletes a cluster.

use super::{DBCluster, DBClusterManager, create::CLUSTERS, pending::PendingClusterRow, require};
use crate::{DBClusterSnapshot, DBInstance, errors, event::known, master_user, snapshot::family};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{Result, Text, operation};

/// Deletes a cluster, after its instances; those of a cluster in several zones are deleted with it. Its automated backups are removed,
/// unless they are to be kept; a last snapshot stays.
#[operation(
    of = DBCluster, call = "delete", on_model, needs(db_cluster_identifier), wraps(db_cluster(name = "DBCluster")),
    effect = write,
    subject = "cluster:{DBClusterIdentifier} + FinalDBSnapshotIdentifier? cluster-snapshot:{FinalDBSnapshotIdentifier}"
)]
pub struct DeleteDBCluster {
    /// True to make no last snapshot.
    pub skip_final_snapshot: Option<bool>,
    /// Identifier of the last snapshot, which is needed unless it is skipped.
    #[field(name = "FinalDBSnapshotIdentifier")]
    pub final_db_snapshot_identifier: Option<Text>,
    /// False to keep the automated backups until their retention ends.
    pub delete_automated_backups: Option<bool>,
}

impl Handler for DeleteDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        if cluster.deletion_protection == Some(true) {
            return Err(errors::cluster_protected().with_field("DBClusterIdentifier"));
        }
        let snapshot = self.read_snapshot(cx, &cluster)?;
        cluster.check_available()?;
        if !cluster.is_multi_zone() && cluster.has_remaining_members(cx)? {
            return Err(errors::cluster_has_members().with_field("DBClusterIdentifier"));
        }
        if let Some(id) = snapshot {
            cluster.take_snapshot(cx, id, None)?;
        }
        cluster.end_backups(cx, self.delete_automated_backups == Some(false))?;
        cluster.release_replicas(cx)?;
        match cluster.is_multi_zone() {
            true => cluster.enter(cx, "deleting")?,
            false => cluster.move_to(cx, "deleting", |instance| instance.status() != "deleting")?,
        }
        Ok(cluster.described(cx)?.into())
    }
}

impl DeleteDBCluster {
    /// Returns the identifier of the last snapshot, if there is to be one.
    fn read_snapshot(&self, cx: &Tx<'_>, cluster: &DBCluster) -> Result<Option<Text>> {
        let field = "FinalDBSnapshotIdentifier";
        match (&self.final_db_snapshot_identifier, self.skip_final_snapshot == Some(true)) {
            (Some(_), true) => Err(errors::cluster_snapshot_and_skip().with_field(field)),
            (None, true) => Ok(None),
            (None, false) => Err(errors::snapshot_needed().with_field(field)),
            (Some(id), false) => {
                let id = family::read_last::<DBClusterSnapshot>(cx, id)?;
                if cluster.status_text() != "available" {
                    let error = errors::cluster_not_available_for_snapshot(cluster.id());
                    return Err(error.with_field("DBClusterIdentifier"));
                }
                Ok(Some(id))
            }
        }
    }
}

impl DBCluster {
    /// True if an instance of the cluster is not being deleted.
    fn has_remaining_members(&self, cx: &Tx<'_>) -> Result<bool> {
        for member in self.members() {
            let id = member.db_instance_identifier.as_deref().unwrap_or_default();
            if DBInstance::find_by(cx, &[id])?.is_some_and(|instance| instance.status() != "deleting") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes what a deleted cluster leaves behind.
    pub(super) fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.record(cx, &known::CLUSTER_DELETED, &[])?;
        self.remove_members(cx)?;
        self.leave_source(cx)?;
        self.remove_uses(cx)?;
        let resource_id = self.db_cluster_resource_id.clone().unwrap_or_default();
        master_user::remove(cx, &resource_id, self.master_user_secret.as_ref())?;
        let pending: Option<PendingClusterRow> =
            cx.get(&PendingClusterRow::table(cx.scope()).text(self.id()))?;
        if let Some(row) = pending {
            cx.remove(&row)?;
        }
        CLUSTERS.remove_one(cx)
    }
}
