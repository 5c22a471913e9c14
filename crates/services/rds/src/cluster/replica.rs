//! Replication of clusters in several zones: from an instance, and to instances.

use super::{CreateDBCluster, DBCluster, DBClusterManager, DBClusterStatusInfo, multi_zone, require};
use crate::{
    DBInstance,
    engine::{Engine, Version},
    errors,
    instance::replica,
};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Arn, Error, Result, operation};

/// Parameter that names the source of a replica.
const FIELD: &str = "ReplicationSourceIdentifier";

fn refuse<T>(error: Error) -> Result<T> {
    Err(error.with_field(FIELD))
}

impl CreateDBCluster {
    /// Finds the instance that the cluster is a read replica of, if it is one. Only clusters in several zones can be.
    pub(super) fn find_source(&self, cx: &Tx<'_>, engine: &Engine) -> Result<Option<DBInstance>> {
        let Some(given) = &self.replication_source_identifier else { return Ok(None) };
        let id = match (Arn::parts(given), DBInstance::read_arn(given)) {
            (Some([_, _, region, ..]), _) if region != cx.scope().region() => {
                return refuse(errors::cluster_feature_unsupported(FIELD));
            }
            (Some(_), Some(id)) if multi_zone::is_engine(engine.name) && cx.scope().owns(given) => {
                id.concat()
            }
            _ => return refuse(errors::replication_in_region()),
        };
        let Some(source) = DBInstance::find_by(cx, &[&id])? else {
            return refuse(errors::instance_not_found(id));
        };
        if source.engine.as_deref() != Some(engine.name) {
            let own = source.engine.as_deref().unwrap_or_default();
            return Err(errors::engine_of_source(engine.name, own).with_field("Engine"));
        }
        replica::check_cluster_source(&source).map_err(|error| error.with_field(FIELD))?;
        self.check_replica(&source)?;
        Ok(Some(source))
    }

    /// Refuses parameters that a replica has from its source, and less storage.
    fn check_replica(&self, source: &DBInstance) -> Result<()> {
        let inherited = [
            ("MasterUsername", self.master_username.is_some()),
            ("MasterUserPassword", self.master_user_password.is_some()),
            ("ManageMasterUserPassword", self.manage_master_user_password.is_some()),
            ("DatabaseName", self.database_name.is_some()),
        ];
        if let Some((name, _)) = inherited.into_iter().find(|(_, is_given)| *is_given) {
            return Err(errors::replica_has_setting(name).with_field(name));
        }
        match self.allocated_storage.is_some() && self.allocated_storage < source.allocated_storage {
            true => Err(errors::replica_storage_small().with_field("AllocatedStorage")),
            false => Ok(()),
        }
    }

    /// Version of a replica: that of its source by default, or a newer one of the same major version.
    pub(super) fn version_of_replica(&self, source: &DBInstance) -> Result<Version> {
        let own = source.own_version()?;
        let Some(given) = &self.engine_version else { return Ok(own) };
        let version = own.engine.version(given)?;
        match version.is_other_major(own) || version.can_upgrade_to(own) {
            true => Err(errors::replica_version(version.name(), own.name()).with_field("EngineVersion")),
            false => Ok(version),
        }
    }
}

impl DBCluster {
    /// True for a read replica.
    pub(crate) fn is_replica(&self) -> bool {
        self.replication_source_identifier.is_some()
    }

    /// Takes what a new replica has from its source. The source names the replica.
    pub(super) fn follow_source(&mut self, cx: &mut Tx<'_>, source: DBInstance) -> Result<()> {
        self.replication_source_identifier = source.db_instance_arn.clone();
        self.master_username.clone_from(&source.master_username);
        self.database_name.clone_from(&source.db_name);
        let mut source = source;
        let replicas = source.read_replica_db_cluster_identifiers.get_or_insert_default();
        replicas.extend(self.db_cluster_identifier.clone());
        cx.put(source)
    }

    /// Starts the replication of a replica that was created.
    pub(super) fn start_replication(&mut self) {
        let status = DBClusterStatusInfo {
            status_type: Some("read replication".into()),
            normal: Some(true),
            status: Some("replicating".into()),
            message: None,
        };
        self.status_infos = self.is_replica().then(|| vec![status]);
    }

    /// Makes a replica independent. Its source does not list it any longer.
    pub(crate) fn leave_source(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.status_infos = None;
        let Some(source) = self.replication_source_identifier.take() else { return Ok(()) };
        let names = DBInstance::read_arn(&source).unwrap_or_default();
        let Some(mut source) = DBInstance::find_by(cx, &names)? else { return Ok(()) };
        source.read_replica_db_cluster_identifiers.get_or_insert_default().retain(|known| known != self.id());
        cx.put(source)
    }

    /// Corrects the identifier of a replica, which was `old`, where its source and its replicas name it.
    pub(super) fn rename_in_replication(&self, cx: &mut Tx<'_>, old: &str) -> Result<()> {
        if let Some(source) = &self.replication_source_identifier {
            let names = DBInstance::read_arn(source).unwrap_or_default();
            if let Some(mut source) = DBInstance::find_by(cx, &names)? {
                for known in source.read_replica_db_cluster_identifiers.iter_mut().flatten() {
                    if known == old {
                        *known = self.id().into();
                    }
                }
                cx.put(source)?;
            }
        }
        for id in self.read_replica_identifiers.iter().flatten() {
            if let Some(mut replica) = DBInstance::find_by(cx, &[id])? {
                replica.read_replica_source_db_cluster_identifier = Some(self.id().into());
                cx.put(replica)?;
            }
        }
        Ok(())
    }

    /// Leaves the replicas of a cluster that is being deleted to themselves: they become independent.
    pub(super) fn release_replicas(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        for id in self.read_replica_identifiers.replace(Vec::new()).unwrap_or_default() {
            if let Some(mut replica) = DBInstance::find_by(cx, &[&id])? {
                replica.read_replica_source_db_cluster_identifier = None;
                replica.status_infos = None;
                cx.put(replica)?;
            }
        }
        Ok(())
    }

    /// Refuses a newer version while a read replica has an older one.
    pub(super) fn check_versions_of_replicas(&self, cx: &Tx<'_>, to: Version) -> Result<()> {
        let mut older = Vec::new();
        for id in self.read_replica_identifiers.iter().flatten() {
            let replica = DBInstance::find_by(cx, &[id])?;
            if let Some(replica) = replica
                && replica.own_version()?.can_upgrade_to(to)
            {
                older.push(id.as_str());
            }
        }
        match older.is_empty() {
            true => Ok(()),
            false => Err(errors::cluster_replicas_not_upgraded(older.join(", ")).with_field("EngineVersion")),
        }
    }

    /// Ends the promotion of a replica.
    pub(super) fn finish_promotion(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.leave_source(cx)
    }
}

/// Makes a cluster in several zones that is a read replica independent.
#[operation(
    of = DBCluster, call = "promote", on_model, needs(db_cluster_identifier), wraps(db_cluster(name = "DBCluster")), effect = write
)]
pub struct PromoteReadReplicaDBCluster {}

impl Handler for PromoteReadReplicaDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "DBClusterIdentifier";
        let mut cluster = require(cx, &self.db_cluster_identifier, field)?;
        if !cluster.is_replica() {
            return Err(errors::cluster_is_no_replica(cluster.id()).with_field(field));
        }
        cluster.check_available()?;
        cluster.enter(cx, "promoting")?;
        Ok(cluster.described(cx)?.into())
    }
}
