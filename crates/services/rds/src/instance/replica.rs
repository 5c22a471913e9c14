//! Read replicas: instances that follow another instance, or a cluster in several zones.
//!
//! A replica and its source name each other by identifier, or by ARN if they are in different Regions.

mod create;
mod promote;
mod source;

pub use create::*;
pub use promote::*;
pub(crate) use source::check_cluster_source;

use super::{DBInstance, DBInstanceStatusInfo};
use crate::{
    DBCluster, cluster,
    engine::{Engine, Version},
    errors,
    event::known,
};
use nephos_cloud::{Addressed, Scope, Stored, Tx};
use nephos_core::{Arn, Result, Text};

/// Returns the scope and the identifier of the instance that has this name for instances in `scope`.
pub(super) fn locate(scope: &Scope, name: &str) -> (Scope, Text) {
    match (Arn::parts(name), DBInstance::read_arn(name)) {
        (Some([_, _, region, account, _]), Some(id)) => (Scope::new(account, region), id.concat().into()),
        _ => (scope.clone(), name.into()),
    }
}

/// Finds the instance that has this name for instances in `scope`, and its scope.
pub(super) fn find_named(cx: &Tx<'_>, scope: &Scope, name: &str) -> Result<Option<(Scope, DBInstance)>> {
    let (scope, id) = locate(scope, name);
    let found = cx.get_in::<DBInstance>(&scope, &DBInstance::table(&scope).text(&id))?;
    Ok(found.map(|found| (scope, found)))
}

/// Changes the instance that has this name for instances of the caller, if it exists. `by` gets its scope, too.
fn change_named(cx: &mut Tx<'_>, name: &str, by: impl FnOnce(&mut DBInstance, &Scope)) -> Result<()> {
    let Some((scope, mut found)) = find_named(cx, cx.scope(), name)? else { return Ok(()) };
    by(&mut found, &scope);
    cx.in_scope(&scope, |cx| cx.put(found))
}

/// Status of a replication.
fn replication(status: &str, is_normal: bool) -> Option<Vec<DBInstanceStatusInfo>> {
    Some(vec![DBInstanceStatusInfo {
        status_type: Some("read replication".into()),
        normal: Some(is_normal),
        status: Some(status.into()),
        message: None,
    }])
}

/// True for engines whose replicas have a mode.
pub(super) fn has_replica_mode(engine: &Engine) -> bool {
    engine.is_oracle() || engine.name.starts_with("db2")
}

impl DBInstance {
    /// True for a read replica.
    pub(crate) fn is_replica(&self) -> bool {
        self.read_replica_source_db_instance_identifier.is_some()
            || self.read_replica_source_db_cluster_identifier.is_some()
    }

    /// Names of the read replicas.
    fn replica_names(&self) -> &[Text] {
        self.read_replica_db_instance_identifiers.as_deref().unwrap_or_default()
    }

    /// Number of instances and clusters that are read replicas.
    pub(super) fn replica_count(&self) -> usize {
        self.replica_names().len() + self.read_replica_db_cluster_identifiers.as_ref().map_or(0, Vec::len)
    }

    /// Name of this instance for instances in `scope`: its identifier, or its ARN in another Region.
    fn name_in(&self, scope: &Scope) -> Text {
        if scope.owns(self.own_arn()) { self.id().into() } else { self.own_arn().into() }
    }

    /// Adds a read replica.
    fn add_replica(&mut self, name: Text) {
        self.read_replica_db_instance_identifiers.get_or_insert_default().push(name);
    }

    /// Removes a read replica.
    fn remove_replica(&mut self, name: &str) {
        self.read_replica_db_instance_identifiers.get_or_insert_default().retain(|known| known != name);
    }

    /// Starts the replication of a replica that was created.
    pub(super) fn start_replication(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if !self.is_replica() {
            return Ok(());
        }
        self.status_infos = replication("replicating", true);
        self.record(cx, &known::REPLICATION_STARTED, &[])
    }

    /// Makes a replica independent. Its source does not list it any longer.
    pub(crate) fn leave_source(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.status_infos = None;
        self.replica_mode = None;
        if let Some(source) = self.read_replica_source_db_instance_identifier.take() {
            change_named(cx, &source, |source, scope| source.remove_replica(&self.name_in(scope)))?;
        }
        let cluster = self.read_replica_source_db_cluster_identifier.take();
        let id = self.id();
        cluster::members::change(cx, cluster.as_deref(), |cluster| cluster.remove_replica(id))
    }

    /// Leaves the replicas of an instance that is being deleted to themselves: they become independent. The replication of a
    /// PostgreSQL replica in another Region ends, but it stays a replica until it is promoted.
    pub(super) fn release_replicas(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let is_postgres = self.engine.as_deref() == Some("postgres");
        let own = cx.scope().clone();
        for name in self.read_replica_db_instance_identifiers.replace(Vec::new()).unwrap_or_default() {
            change_named(cx, &name, |replica, scope| {
                if is_postgres && *scope != own {
                    replica.status_infos = replication("terminated", false);
                } else {
                    replica.read_replica_source_db_instance_identifier = None;
                    replica.status_infos = None;
                    replica.replica_mode = None;
                }
            })?;
        }
        for id in self.read_replica_db_cluster_identifiers.take().unwrap_or_default() {
            cluster::members::change(cx, Some(&id), |cluster| {
                cluster.replication_source_identifier = None;
                cluster.status_infos = None;
            })?;
        }
        Ok(())
    }

    /// Corrects the name of an instance that has another identifier than `before`, where its source and its replicas name it.
    pub(super) fn rename_in_replication(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        for name in self.replica_names() {
            change_named(cx, name, |replica, scope| {
                replica.read_replica_source_db_instance_identifier = Some(self.name_in(scope));
            })?;
        }
        if let Some(source) = &self.read_replica_source_db_instance_identifier {
            change_named(cx, source, |source, scope| {
                let old = before.name_in(scope);
                for name in source.read_replica_db_instance_identifiers.iter_mut().flatten() {
                    if *name == old {
                        *name = self.name_in(scope);
                    }
                }
            })?;
        }
        for id in self.read_replica_db_cluster_identifiers.iter().flatten() {
            cluster::members::change(cx, Some(id), |cluster| {
                cluster.replication_source_identifier.clone_from(&self.db_instance_arn);
            })?;
        }
        cluster::members::change(cx, self.read_replica_source_db_cluster_identifier.as_deref(), |cluster| {
            cluster.rename_replica(before.id(), self.id());
        })
    }

    /// Number of sources above the instance: 0 for an instance that is no replica.
    fn replication_depth(&self, cx: &Tx<'_>, scope: &Scope) -> Result<usize> {
        let mut depth = usize::from(self.is_replica());
        let mut place = scope.clone();
        let mut source = self.read_replica_source_db_instance_identifier.clone();
        while let Some(name) = source {
            let Some((scope, found)) = find_named(cx, &place, &name)? else { break };
            depth += usize::from(found.is_replica());
            place = scope;
            source = found.read_replica_source_db_instance_identifier;
        }
        Ok(depth)
    }

    /// True if a source with this version takes its replicas in the Region along to another version: PostgreSQL does to another
    /// major version.
    fn upgrades_replicas(from: Version, to: Version) -> bool {
        from.engine.name == "postgres" && from.is_other_major(to)
    }

    /// Refuses a newer version while a replica has an older one.
    pub(super) fn check_versions_of_replicas(&self, cx: &Tx<'_>, from: Version, to: Version) -> Result<()> {
        let mut older = Vec::new();
        for name in self.replica_names() {
            let Some((scope, replica)) = find_named(cx, cx.scope(), name)? else { continue };
            let is_taken_along = scope == *cx.scope() && Self::upgrades_replicas(from, to);
            if !is_taken_along && replica.own_version()?.can_upgrade_to(to) {
                older.push(name.as_str());
            }
        }
        for id in self.read_replica_db_cluster_identifiers.iter().flatten() {
            let cluster = DBCluster::find_by(cx, &[id])?;
            if let Some(cluster) = cluster
                && cluster.version()?.can_upgrade_to(to)
            {
                older.push(id.as_str());
            }
        }
        match older.is_empty() {
            true => Ok(()),
            false => Err(errors::replicas_not_upgraded(older.join(", ")).with_field("EngineVersion")),
        }
    }

    /// Upgrades the replicas in the Region that follow an upgrade of their source.
    pub(super) fn upgrade_replicas(&self, cx: &mut Tx<'_>, from: Version, to: Version) -> Result<()> {
        if !Self::upgrades_replicas(from, to) {
            return Ok(());
        }
        for name in self.replica_names() {
            let Some((scope, mut replica)) = find_named(cx, cx.scope(), name)? else { continue };
            if scope == *cx.scope() && replica.own_version()?.can_upgrade_to(to) {
                let before = replica.clone();
                replica.follow_version(&to.name())?;
                replica.attach(cx, Some(&before))?;
                cx.put(replica.clone())?;
                replica.upgrade_replicas(cx, from, to)?;
            }
        }
        Ok(())
    }

    /// Refuses automated backups of a replica whose engine has none.
    pub(super) fn check_backups_of_replica(&self, days: i64) -> Result<()> {
        let version = self.own_version()?;
        let has_backups = match version.engine.name {
            // Since version 14.
            "postgres" => version.major.version.parse::<u32>().is_ok_and(|major| major >= 14),
            name => !name.starts_with("sqlserver"),
        };
        match days > 0 && self.is_replica() && !has_backups {
            true => {
                let error = errors::replica_without_backups(version.engine.name);
                Err(error.with_field("BackupRetentionPeriod"))
            }
            false => Ok(()),
        }
    }
}
