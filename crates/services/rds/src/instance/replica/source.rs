//! The source of a read replica.

use super::{super::DBInstance, find_named};
use crate::{DBCluster, cluster, engine::Engine, errors, identifier};
use nephos_cloud::{Addressed, Scope, Tx};
use nephos_core::{Arn, Error, Result};

/// Longest series of replicas, each of which is the source of the next.
const MAX_DEPTH: usize = 3;

/// The source of a read replica.
pub(super) struct Source {
    /// The instance; of a cluster, the instance that takes writes.
    pub(super) instance: DBInstance,
    /// Account and Region of the source.
    pub(super) scope: Scope,
    /// The cluster, if the source is one.
    pub(super) cluster: Option<DBCluster>,
    /// True if the source was given by its ARN.
    pub(super) is_by_arn: bool,
    /// Parameter that names the source.
    pub(super) field: &'static str,
}

/// Largest number of replicas of a source.
fn max_replicas(engine: &Engine) -> usize {
    match engine.name {
        "mysql" | "mariadb" | "postgres" => 15,
        name if name.starts_with("oracle-ee") => 5,
        "sqlserver-ee" => 5,
        name if name.starts_with("db2") => 3,
        _ => 0,
    }
}

/// True for engines whose replicas can have replicas.
fn has_series(engine: &Engine) -> bool {
    ["mysql", "mariadb", "postgres"].contains(&engine.name)
}

/// Refuses an instance that cannot be the source of a cluster in several zones.
pub(crate) fn check_cluster_source(instance: &DBInstance) -> Result<()> {
    if !["available", "storage-optimization"].contains(&instance.status()) {
        return Err(errors::instance_not_available().with_hint(instance.status()));
    }
    if instance.is_replica() || instance.db_cluster_identifier.is_some() {
        return Err(errors::cluster_replica_of_replica());
    }
    if instance.backup_retention_period.unwrap_or_default() == 0 {
        return Err(errors::replica_needs_backups());
    }
    if instance.master_user_secret.is_some() {
        return Err(errors::replica_of_managed_password());
    }
    let max = max_replicas(instance.own_engine()?);
    match instance.replica_count() >= max {
        true => Err(errors::too_many_replicas(max)),
        false => Ok(()),
    }
}

impl Source {
    /// Finds the instance with this identifier in the Region, or with this ARN in any Region of the account.
    pub(super) fn of_instance(cx: &Tx<'_>, given: &str) -> Result<Self> {
        let field = "SourceDBInstanceIdentifier";
        let is_by_arn = DBInstance::read_arn(given).is_some();
        let owner = Arn::parts(given).map(|[_, _, _, account, _]| account);
        let name = if is_by_arn {
            given.to_ascii_lowercase()
        } else {
            identifier::read(given, field, 63)?.to_string()
        };
        let found = match owner {
            // Instances of other accounts are not shared.
            Some(account) if account != cx.scope().account() => None,
            _ => find_named(cx, cx.scope(), &name)?,
        };
        let Some((scope, instance)) = found else {
            return Err(errors::instance_not_found(given).with_field(field));
        };
        Ok(Self { instance, scope, cluster: None, is_by_arn, field })
    }

    /// Finds the cluster in several zones with this identifier or ARN.
    pub(super) fn of_cluster(cx: &Tx<'_>, given: &str) -> Result<Self> {
        let field = "SourceDBClusterIdentifier";
        let cluster = cluster::require(cx, given, field)?;
        if !cluster.is_multi_zone() {
            let engine = cluster.engine.as_deref().unwrap_or_default();
            return Err(errors::replicas_unsupported(engine).with_field(field));
        }
        let writer = cluster.writer().unwrap_or_default();
        let instance = DBInstance::find_by(cx, &[writer])?;
        let instance =
            instance.ok_or_else(|| errors::cluster_not_available(cluster.id()).with_field(field))?;
        let scope = cx.scope().clone();
        Ok(Self { instance, scope, cluster: Some(cluster), is_by_arn: true, field })
    }

    /// True if the replica is in another Region.
    pub(super) fn is_elsewhere(&self, cx: &Tx<'_>) -> bool {
        self.scope != *cx.scope()
    }

    /// Resource ID of the instance or the cluster, which has the password of the master user.
    pub(super) fn resource_id(&self) -> &str {
        let cluster = self.cluster.as_ref().map(|cluster| &cluster.db_cluster_resource_id);
        cluster.unwrap_or(&self.instance.dbi_resource_id).as_deref().unwrap_or_default()
    }

    /// Lets the replica and its source name each other.
    pub(super) fn add(&self, cx: &mut Tx<'_>, replica: &mut DBInstance) -> Result<()> {
        if let Some(cluster) = &self.cluster {
            replica.read_replica_source_db_cluster_identifier.clone_from(&cluster.db_cluster_identifier);
            return cluster::members::change(cx, Some(cluster.id()), |cluster| {
                cluster.add_replica(replica.id())
            });
        }
        replica.read_replica_source_db_instance_identifier = Some(self.instance.name_in(cx.scope()));
        let mut source = self.instance.clone();
        source.add_replica(replica.name_in(&self.scope));
        cx.in_scope(&self.scope, |cx| cx.put(source))
    }

    fn refuse<T>(&self, error: Error) -> Result<T> {
        Err(error.with_field(self.field))
    }

    /// Refuses a source that cannot have a further replica.
    pub(super) fn check(&self, cx: &Tx<'_>) -> Result<()> {
        let engine = self.instance.own_engine()?;
        let max = max_replicas(engine);
        if max == 0 {
            return self.refuse(errors::replicas_unsupported(engine.name));
        }
        if self.is_elsewhere(cx) && engine.is_sqlserver() {
            return self.refuse(errors::replicas_in_region_only(engine.name));
        }
        if let Some(cluster) = &self.cluster {
            cluster.check_available().map_err(|error| error.with_field(self.field))?;
        } else {
            self.check_instance(cx, engine)?;
        }
        let (count, secret) = match &self.cluster {
            Some(cluster) => {
                (cluster.read_replica_identifiers.as_ref().map_or(0, Vec::len), &cluster.master_user_secret)
            }
            None => (self.instance.replica_count(), &self.instance.master_user_secret),
        };
        if secret.is_some() && !engine.is_sqlserver() {
            return self.refuse(errors::replica_of_managed_password());
        }
        if count >= max {
            return self.refuse(errors::too_many_replicas(max));
        }
        Ok(())
    }

    /// Refuses an instance that is not available, or has no backups, or is the last of a series of replicas.
    fn check_instance(&self, cx: &Tx<'_>, engine: &Engine) -> Result<()> {
        let instance = &self.instance;
        if instance.db_cluster_identifier.is_some() {
            return self.refuse(errors::replica_of_member());
        }
        if !["available", "storage-optimization"].contains(&instance.status()) {
            return self.refuse(errors::instance_not_available().with_hint(instance.status()));
        }
        if instance.is_replica() && !has_series(engine) {
            return self.refuse(errors::replica_of_replica(engine.name));
        }
        if instance.backup_retention_period.unwrap_or_default() == 0 {
            return self.refuse(errors::replica_needs_backups());
        }
        match instance.replication_depth(cx, &self.scope)? >= MAX_DEPTH {
            true => self.refuse(errors::replica_series_too_long(MAX_DEPTH)),
            false => Ok(()),
        }
    }
}
