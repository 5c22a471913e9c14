//! Changes of a cluster that are not applied yet: a new identifier, a new password, a new version. They are applied at once, or in
//! the maintenance window.

use super::{ClusterPendingModifiedValues, DBCluster};
use crate::{DBInstance, DBParameterGroupStatus, engine::Version, event::known, master_user, settings};
use nephos_cloud::{Addressed, Stored, Tx, Work, own_arn};
use nephos_core::{Blob, Record, Result, Secret, SignedDuration, Text, Timestamp, field_value::FieldType};

/// Row with what pending changes need and what is not shown.
#[derive(Record)]
#[record(row)]
pub(crate) struct PendingClusterRow {
    /// Identifier of the cluster.
    db_cluster_identifier: Option<Text>,
    /// New password, sealed.
    #[field(sensitive)]
    password: Option<Blob>,
    /// Parameter group of the new version.
    pub(super) parameter_group: Option<Text>,
    /// Parameter group of the members of the new version.
    pub(super) member_parameter_group: Option<Text>,
    /// New class of the instances of a cluster in several zones.
    pub(super) instance_class: Option<Text>,
}

nephos_cloud::stored!(PendingClusterRow in "rds/cluster-pending" by db_cluster_identifier);

impl PendingClusterRow {
    /// Finds the row of a cluster; an empty one if there is none.
    pub(super) fn of(cx: &Tx<'_>, cluster: &DBCluster) -> Result<Self> {
        let row: Option<Self> = cx.get(&Self::table(cx.scope()).text(cluster.id()))?;
        Ok(row.unwrap_or_else(|| {
            let mut row = Self::blank();
            row.db_cluster_identifier.clone_from(&cluster.db_cluster_identifier);
            row
        }))
    }

    /// Keeps a new password.
    pub(super) fn set_password(&mut self, cx: &mut Tx<'_>, password: &Secret) -> Result<()> {
        let id = self.db_cluster_identifier.clone().unwrap_or_default();
        self.password = Some(cx.seal(&[Self::TABLE, &id], password.expose().as_bytes())?);
        Ok(())
    }

    /// Returns the new password.
    fn open_password(&self, cx: &Tx<'_>) -> Result<Option<Secret>> {
        let id = self.db_cluster_identifier.as_deref().unwrap_or_default();
        let Some(sealed) = &self.password else { return Ok(None) };
        let opened = cx.open(&[Self::TABLE, id], sealed)?;
        Ok(Some(Secret::from(String::from_utf8_lossy(&opened).as_ref())))
    }
}

impl DBCluster {
    /// Changes that are not applied yet.
    pub(super) fn pending(&mut self) -> &mut ClusterPendingModifiedValues {
        self.pending_modified_values.get_or_insert_with(ClusterPendingModifiedValues::blank)
    }

    /// Status while the pending changes are applied; none if there are none.
    pub(super) fn status_of_pending(&self, row: &PendingClusterRow) -> Option<&'static str> {
        let blank = ClusterPendingModifiedValues::blank();
        let pending = self.pending_modified_values.as_ref().unwrap_or(&blank);
        if pending.engine_version.is_some() {
            Some("upgrading")
        } else if pending.db_cluster_identifier.is_some() {
            Some("renaming")
        } else if pending.allocated_storage.is_some()
            || pending.storage_type.is_some()
            || pending.iops.is_some()
        {
            Some("scaling-storage")
        } else if row.instance_class.is_some() {
            Some("scaling-compute")
        } else if pending.master_user_password.is_some() {
            Some("resetting-master-credentials")
        } else {
            None
        }
    }

    /// Ends the creation.
    pub(super) fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.start_replication();
        self.record(cx, &known::CLUSTER_CREATED, &[])?;
        self.settle(cx)
    }

    /// Ends a change that leaves what is pending.
    pub(super) fn settle(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        master_user::activate(self.master_user_secret.as_mut());
        self.settle_members(cx)
    }

    /// Ends a change by applying what is pending.
    pub(super) fn finish_change(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let before = self.clone();
        let pending = self.pending_modified_values.replace(ClusterPendingModifiedValues::blank());
        let pending = pending.unwrap_or_else(ClusterPendingModifiedValues::blank);
        let row = PendingClusterRow::of(cx, self)?;
        if let Some(password) = row.open_password(cx)? {
            let resource_id = self.db_cluster_resource_id.clone().unwrap_or_default();
            master_user::keep_password(cx, &resource_id, &password)?;
        }
        if let Some(version) = &pending.engine_version {
            self.upgrade(cx, version, &row)?;
        }
        self.apply_hardware(&pending, &row)?;
        cx.remove(&row)?;
        // An identifier that another cluster has got meanwhile is dropped.
        if let Some(id) = pending.db_cluster_identifier
            && Self::find_by(cx, &[&id])?.is_none()
        {
            self.rename(cx, id)?;
        }
        self.record_applied(cx, &before)?;
        self.settle(cx)
    }

    /// Moves the cluster and its members to another version. With another major version they get other parameter groups.
    fn upgrade(&mut self, cx: &mut Tx<'_>, version: &str, row: &PendingClusterRow) -> Result<()> {
        let before = self.clone();
        let old = self.version()?;
        let new: Version = old.engine.version(version)?;
        self.engine_version = Some(version.into());
        let default = Text::from(new.default_parameter_group());
        let is_major = old.is_other_major(new);
        if is_major {
            self.db_cluster_parameter_group =
                Some(row.parameter_group.clone().unwrap_or_else(|| default.clone()));
        }
        let group = row.member_parameter_group.clone().unwrap_or(default);
        self.change_members(cx, |instance, _| {
            instance.engine_version = Some(version.into());
            if is_major {
                instance.db_parameter_groups = Some(vec![DBParameterGroupStatus {
                    db_parameter_group_name: Some(group.clone()),
                    parameter_apply_status: Some("in-sync".into()),
                }]);
            }
            Ok(())
        })?;
        self.note_uses(cx, Some(&before))
    }

    /// Gives the cluster another identifier, and so another ARN and other host names. Its row is stored by the caller.
    fn rename(&mut self, cx: &mut Tx<'_>, id: Text) -> Result<()> {
        self.remove_uses(cx)?;
        cx.remove(self)?;
        let old = self.db_cluster_identifier.replace(id.clone()).unwrap_or_default();
        self.db_cluster_arn = own_arn(self, cx.scope());
        self.set_hosts(cx);
        self.note_uses(cx, None)?;
        self.schedule_backup(cx)?;
        self.change_members(cx, |instance, _| {
            instance.db_cluster_identifier = Some(id.clone());
            Ok(())
        })?;
        self.rename_in_replication(cx, &old)?;
        self.schedule_rotation(cx)
    }

    /// Changes the rows of all members, and notes what they use.
    pub(super) fn change_members(
        &self,
        cx: &mut Tx<'_>,
        change: impl Fn(&mut DBInstance, &mut Tx<'_>) -> Result<()>,
    ) -> Result<()> {
        for member in self.members() {
            let id = member.db_instance_identifier.as_deref().unwrap_or_default();
            if let Some(mut instance) = DBInstance::find_by(cx, &[id])? {
                let before = instance.clone();
                change(&mut instance, cx)?;
                instance.attach(cx, Some(&before))?;
                cx.put(instance)?;
            }
        }
        Ok(())
    }

    /// Schedules the pending changes for the next maintenance window. Within a window that is not over for them, they are due at once.
    pub(super) fn schedule_pending(&self, cx: &mut Tx<'_>, is_over: bool) -> Result<()> {
        let window = self.preferred_maintenance_window.as_deref().unwrap_or_default();
        let window = settings::read_maintenance_window(window)?;
        let length = SignedDuration::from_mins(if is_over { window.minutes() } else { 0 });
        let time = window.next(cx.now().checked_add(length).unwrap_or(Timestamp::MAX));
        let id = self.db_cluster_identifier.clone();
        cx.schedule(time, &ClusterMaintenanceWork { db_cluster_identifier: id })
    }

    /// Schedules the next rotation of the managed password, if there is one.
    pub(super) fn schedule_rotation(&self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(secret) = &self.master_user_secret else { return Ok(()) };
        let work = ClusterRotationWork {
            db_cluster_arn: self.db_cluster_arn.clone(),
            secret_arn: secret.secret_arn.clone(),
        };
        let time = master_user::next_rotation(cx);
        cx.schedule(time, &work)
    }
}

/// Due work: applies the pending changes of a cluster in its maintenance window.
#[derive(Record)]
pub(crate) struct ClusterMaintenanceWork {
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier")]
    db_cluster_identifier: Option<Text>,
}

impl Work for ClusterMaintenanceWork {
    const NAME: &'static str = "rds/cluster-maintenance";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_cluster_identifier.unwrap_or_default();
        let Some(mut cluster) = DBCluster::find_by(cx, &[&id])? else { return Ok(()) };
        match cluster.status_of_pending(&PendingClusterRow::of(cx, &cluster)?) {
            None => Ok(()),
            // A cluster that is not available now is changed in the next window.
            Some(_) if cluster.status_text() != "available" => cluster.schedule_pending(cx, true),
            Some(status) => cluster.enter(cx, status),
        }
    }
}

/// Due work: rotates the managed password of a cluster.
#[derive(Record)]
pub(crate) struct ClusterRotationWork {
    /// ARN of the cluster.
    #[field(name = "DBClusterArn")]
    db_cluster_arn: Option<Text>,
    /// ARN of the secret. Nothing happens if the cluster has another one.
    secret_arn: Option<Text>,
}

impl Work for ClusterRotationWork {
    const NAME: &'static str = "rds/cluster-rotation";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let arn = self.db_cluster_arn.unwrap_or_default();
        let names = DBCluster::read_arn(&arn).unwrap_or_default();
        let Some(cluster) = DBCluster::find_by(cx, &names)? else { return Ok(()) };
        let is_same = |secret: &&crate::MasterUserSecret| secret.secret_arn == self.secret_arn;
        let Some(secret) = cluster.master_user_secret.as_ref().filter(is_same) else { return Ok(()) };
        master_user::rotate(cx, secret, cluster.master_username.as_ref())?;
        cluster.schedule_rotation(cx)
    }
}
