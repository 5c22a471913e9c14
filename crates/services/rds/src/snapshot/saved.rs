//! What snapshots and automated backups keep of a database that their records do not show: settings for restores, and the password of
//! the master user.

use crate::{
    DBCluster, DBInstance,
    master_user::{self, Database},
};
use nephos_cloud::{Scope, Stored, Tx};
use nephos_core::{Blob, Error, Result, Secret, Text, record_of};

/// Row with what is kept of a database, for the owner with an ARN: a snapshot, or automated backups.
pub(crate) trait SavedRow: Stored + Clone {
    /// ARN of the owner, and the password, sealed.
    fn kept(&self) -> (Option<&Text>, Option<&Blob>);

    /// Sets the ARN of the owner, and the password, sealed.
    fn set_kept(&mut self, owner: &str, password: Option<Blob>);

    /// Stores the row for an owner.
    fn put(mut self, cx: &mut Tx<'_>, owner: &str, password: Option<&Secret>) -> Result<()> {
        let seal = |password: &Secret| cx.seal(&[Self::TABLE, owner], password.expose().as_bytes());
        let sealed = password.map(seal).transpose()?;
        self.set_kept(owner, sealed);
        cx.put(self)
    }

    /// Finds what is kept for an owner in this scope.
    fn find(cx: &Tx<'_>, owner: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(owner))
    }

    /// Finds what is kept for an owner in a scope, and the password.
    fn find_in(cx: &mut Tx<'_>, scope: &Scope, owner: &str) -> Result<Option<(Self, Option<Secret>)>> {
        cx.in_scope(scope, |cx| {
            let Some(saved) = Self::find(cx, owner)? else { return Ok(None) };
            let password = saved.open_password(cx)?;
            Ok::<_, Error>(Some((saved, password)))
        })
    }

    /// Returns the password of the master user, for the owner in this scope.
    fn open_password(&self, cx: &Tx<'_>) -> Result<Option<Secret>> {
        let (Some(owner), Some(sealed)) = self.kept() else { return Ok(None) };
        let opened = cx.open(&[Self::TABLE, owner], sealed)?;
        Ok(Some(Secret::from(String::from_utf8_lossy(&opened).as_ref())))
    }

    /// Copies what is kept for an owner in another scope to another owner in this one.
    fn copy(cx: &mut Tx<'_>, source: &Scope, from: &str, to: &str) -> Result<()> {
        match Self::find_in(cx, source, from)? {
            Some((saved, password)) => saved.put(cx, to, password.as_ref()),
            None => Ok(()),
        }
    }

    /// Removes what is kept for an owner.
    fn remove(cx: &mut Tx<'_>, owner: &str) -> Result<()> {
        match Self::find(cx, owner)? {
            Some(saved) => cx.remove(&saved),
            None => Ok(()),
        }
    }
}

/// Row with what is kept of an instance.
#[record_of(
    of = DBInstance,
    takes(
        db_instance_class, engine, engine_version, license_model, master_username, db_name, db_instance_port, allocated_storage,
        storage_type, iops, storage_throughput, max_allocated_storage, additional_storage_volumes, dedicated_log_volume,
        storage_encrypted, crypto_key_id, character_set_name, nchar_character_set_name, timezone, multi_tenant,
        processor_features, backup_retention_period, preferred_backup_window, preferred_maintenance_window,
        auto_minor_version_upgrade, engine_lifecycle_support, tag_list
    ),
    row
)]
pub(crate) struct SavedInstanceRow {
    /// ARN of the snapshot, or of the automated backups.
    owner_arn: Option<Text>,
    /// Name of the option group.
    pub(crate) option_group_name: Option<Text>,
    /// Password of the master user, sealed.
    #[field(sensitive)]
    password: Option<Blob>,
}

nephos_cloud::stored!(SavedInstanceRow in "rds/saved-instance" by owner_arn);

impl SavedRow for SavedInstanceRow {
    fn kept(&self) -> (Option<&Text>, Option<&Blob>) {
        (self.owner_arn.as_ref(), self.password.as_ref())
    }

    fn set_kept(&mut self, owner: &str, password: Option<Blob>) {
        (self.owner_arn, self.password) = (Some(owner.into()), password);
    }
}

impl SavedInstanceRow {
    /// Describes an instance as it is now.
    pub(crate) fn of_instance(instance: &DBInstance) -> Self {
        let mut saved = Self::from(instance.clone());
        saved.db_instance_port = instance.own_port();
        saved.option_group_name = instance.option_group_name().map(Text::new);
        saved
    }

    /// Keeps an instance and its password for the owner with this ARN.
    pub(crate) fn keep(cx: &mut Tx<'_>, instance: &DBInstance, owner: &str) -> Result<()> {
        let Database { resource_id, .. } = instance.database();
        let password = master_user::read_password(cx, resource_id, instance.master_user_secret.as_ref())?;
        Self::of_instance(instance).put(cx, owner, password.as_ref())
    }
}

/// Row with what is kept of a cluster.
#[record_of(
    of = DBCluster,
    takes(
        engine, engine_version, database_name, master_username, port, backup_retention_period, preferred_backup_window,
        preferred_maintenance_window, storage_encrypted, crypto_key_id, storage_type, serverless_v2_scaling_configuration,
        backtrack_window, character_set_name, db_cluster_instance_class, allocated_storage, iops, engine_lifecycle_support
    ),
    row
)]
pub(crate) struct SavedClusterRow {
    /// ARN of the snapshot, or of the automated backups.
    owner_arn: Option<Text>,
    /// Password of the master user, sealed.
    #[field(sensitive)]
    password: Option<Blob>,
}

nephos_cloud::stored!(SavedClusterRow in "rds/saved-cluster" by owner_arn);

impl SavedRow for SavedClusterRow {
    fn kept(&self) -> (Option<&Text>, Option<&Blob>) {
        (self.owner_arn.as_ref(), self.password.as_ref())
    }

    fn set_kept(&mut self, owner: &str, password: Option<Blob>) {
        (self.owner_arn, self.password) = (Some(owner.into()), password);
    }
}

impl SavedClusterRow {
    /// Describes a cluster as it is now.
    pub(crate) fn of_cluster(cluster: &DBCluster) -> Self {
        let mut saved = Self::from(cluster.clone());
        if !cluster.is_multi_zone() {
            // The storage of others grows by itself.
            saved.allocated_storage = None;
        }
        saved
    }

    /// Keeps a cluster and its password for the owner with this ARN.
    pub(crate) fn keep(cx: &mut Tx<'_>, cluster: &DBCluster, owner: &str) -> Result<()> {
        let resource_id = cluster.db_cluster_resource_id.as_deref().unwrap_or_default();
        let password = master_user::read_password(cx, resource_id, cluster.master_user_secret.as_ref())?;
        Self::of_cluster(cluster).put(cx, owner, password.as_ref())
    }
}
