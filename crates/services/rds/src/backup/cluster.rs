//! Automated backups of clusters.

use super::{
    AutomatedBackup, OF_CLUSTER, RestoreWindow, add_tags, all_of, backups_arn, expire, new_identifier, note,
    remove_tags, tags_of,
};
use crate::{
    DBCluster, DBClusterManager, DBClusterSnapshot, engine, errors,
    filters::{self, Filter},
    identifier::{self, Page},
    settings,
    snapshot::{
        SavedClusterRow,
        family::{AUTOMATED, Snapshot},
    },
};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx, Work};
use nephos_core::{Map, Record, Result, SignedDuration, Tag, Text, Timestamp, operation, record_of};

/// Filters of automated backups.
const FILTERS: &[&str] = &["status", "db-cluster-id", "db-cluster-resource-id"];

/// The automated backups of a cluster, or of a deleted one whose backups are kept.
#[record_of(
    of = DBCluster,
    takes(
        engine, db_cluster_identifier, master_username, db_cluster_resource_id, iam_database_authentication_enabled,
        cluster_create_time, storage_encrypted, storage_encryption_type, allocated_storage, engine_version, db_cluster_arn,
        backup_retention_period, preferred_backup_window, engine_mode, availability_zones, port, crypto_key_id, storage_type, iops,
        storage_throughput, aws_backup_recovery_point_arn
    ),
    answer
)]
pub struct DBClusterAutomatedBackup {
    /// ARN of the automated backups.
    #[field(name = "DBClusterAutomatedBackupsArn")]
    db_cluster_automated_backups_arn: Option<Text>,
    /// Status: active or retained.
    status: Option<Text>,
    /// Region of the automated backups.
    region: Option<Text>,
    /// Times that the cluster can be restored to.
    restore_window: Option<RestoreWindow>,
    /// ID of the VPC of the cluster.
    vpc_id: Option<Text>,
    /// Licence model.
    license_model: Option<Text>,
    /// Tags of the automated backups.
    #[field(item = "Tag")]
    tag_list: Option<Vec<Tag>>,
}

nephos_cloud::stored!(DBClusterAutomatedBackup in "rds/cluster-automated-backup" by db_cluster_resource_id);

impl AutomatedBackup for DBClusterAutomatedBackup {
    type Snapshot = DBClusterSnapshot;
    type Saved = SavedClusterRow;

    const IS_CONTINUOUS: bool = true;

    fn resource_id(&self) -> &str {
        self.db_cluster_resource_id.as_deref().unwrap_or_default()
    }

    fn backups_arn(&self) -> &str {
        self.db_cluster_automated_backups_arn.as_deref().unwrap_or_default()
    }

    fn status_text(&self) -> &str {
        self.status.as_deref().unwrap_or_default()
    }

    fn retention(&self) -> i64 {
        self.backup_retention_period.unwrap_or_default()
    }

    fn window(&self) -> Option<&RestoreWindow> {
        self.restore_window.as_ref()
    }

    fn set_earliest(&mut self, time: Timestamp) {
        if let Some(window) = &mut self.restore_window {
            window.earliest_time = Some(time);
        }
    }

    fn schedule_expiry(&self, cx: &mut Tx<'_>, time: Timestamp) -> Result<()> {
        let work =
            RetainedClusterBackupExpiry { db_cluster_resource_id: self.db_cluster_resource_id.clone() };
        cx.schedule(time, &work)
    }
}

impl DBClusterAutomatedBackup {
    /// Describes the automated backups of a cluster.
    fn of_cluster(cx: &Tx<'_>, cluster: &DBCluster) -> Result<Self> {
        let mut backup = Self::from(cluster.clone());
        let arn = cluster.backups_arn(cx);
        backup.tag_list = Some(tags_of(cx, &arn)?);
        backup.db_cluster_automated_backups_arn = Some(arn);
        backup.region = Some(cx.scope().region().into());
        backup.status = Some("active".into());
        let (earliest_time, latest_time) = cluster.restorable(cx.now()).unzip();
        backup.restore_window = Some(RestoreWindow { earliest_time, latest_time });
        backup.vpc_id = cluster.subnet_group_row(cx)?.and_then(|group| group.vpc_id);
        let license = engine::find(cluster.engine.as_deref().unwrap_or_default());
        let license = license.and_then(|engine| engine.licenses.first());
        backup.license_model = license.map(|license| Text::new(license));
        Ok(backup)
    }
}

/// Returns the automated backups of the account: those of clusters, and those that are kept of deleted ones.
fn all(cx: &Tx<'_>) -> Result<Vec<DBClusterAutomatedBackup>> {
    let mut all: Vec<DBClusterAutomatedBackup> = cx.all(&DBClusterAutomatedBackup::table(cx.scope()))?;
    let clusters: Vec<DBCluster> = cx.all(&DBCluster::table(cx.scope()))?;
    // The backups of a cluster that is being deleted are removed, or kept already.
    for cluster in clusters.iter().filter(|cluster| cluster.status_text() != "deleting") {
        all.push(DBClusterAutomatedBackup::of_cluster(cx, cluster)?);
    }
    all.sort_by(|one, other| one.db_cluster_resource_id.cmp(&other.db_cluster_resource_id));
    Ok(all)
}

/// Describes automated backups of clusters and of deleted clusters, in order of resource IDs.
#[operation(
    of = DBCluster, call = "automated_backups",
    page(
        db_cluster_automated_backups(name = "DBClusterAutomatedBackups", item = "DBClusterAutomatedBackup"): DBClusterAutomatedBackup,
        marker
    ),
    include(Page), effect = read, access = list, subject = "*"
)]
pub struct DescribeDBClusterAutomatedBackups {
    /// Resource ID of the cluster.
    pub db_cluster_resource_id: Option<Text>,
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier")]
    pub db_cluster_identifier: Option<Text>,
    /// Filters: status, db-cluster-id or db-cluster-resource-id.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeDBClusterAutomatedBackups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        let mut found = all(cx)?;
        let has_id = |backup: &DBClusterAutomatedBackup, id: &str| {
            backup.db_cluster_identifier.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(id))
        };
        found.retain(|backup| {
            self.db_cluster_resource_id.as_deref().is_none_or(|id| backup.is_of(id))
                && self.db_cluster_identifier.as_deref().is_none_or(|id| has_id(backup, id))
        });
        let given = [
            (&self.db_cluster_resource_id, "DbClusterResourceId"),
            (&self.db_cluster_identifier, "DBClusterIdentifier"),
        ];
        let given = given.into_iter().find_map(|(given, field)| given.as_ref().map(|given| (given, field)));
        if let Some((given, field)) = given.filter(|_| found.is_empty()) {
            return Err(errors::cluster_backup_not_found(given).with_field(field));
        }
        found.retain(|backup| {
            filters.match_all(|name, value| match name {
                "status" => backup.status_text() == value,
                "db-cluster-id" => has_id(backup, &identifier::name_of::<DBCluster>(cx, value)),
                "db-cluster-resource-id" => backup.is_of(value),
                _ => false,
            })
        });
        Ok(cx.page_items(&self, found, |backup| backup.resource_id().into())?.into())
    }
}

/// Deletes the kept automated backups of a deleted cluster.
#[operation(
    of = DBCluster, call = "delete_automated_backup",
    wraps(db_cluster_automated_backup(name = "DBClusterAutomatedBackup"): DBClusterAutomatedBackup), effect = write,
    subject = "*"
)]
pub struct DeleteDBClusterAutomatedBackup {
    /// Resource ID of the cluster.
    pub db_cluster_resource_id: Text,
}

impl Handler for DeleteDBClusterAutomatedBackup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (id, field) = (&self.db_cluster_resource_id, "DbClusterResourceId");
        let found = all(cx)?.into_iter().find(|backup| backup.is_of(id));
        let mut found = found.ok_or_else(|| errors::cluster_backup_not_found(id).with_field(field))?;
        if !found.is_retained() {
            return Err(errors::cluster_backup_in_use().with_field(field));
        }
        found.remove(cx)?;
        found.status = Some("deleting".into());
        found.restore_window = Some(RestoreWindow { earliest_time: None, latest_time: None });
        Ok(found.into())
    }
}

impl DBCluster {
    /// ARN of the automated backups.
    fn backups_arn(&self, cx: &Tx<'_>) -> Text {
        backups_arn(cx, OF_CLUSTER, self.db_cluster_resource_id.as_deref().unwrap_or_default())
    }

    /// Adds tags to the automated backups.
    pub(crate) fn tag_backups(&self, cx: &mut Tx<'_>, tags: Map<Text>) -> Result<()> {
        add_tags(cx, &self.backups_arn(cx), tags)
    }

    /// Earliest and latest time that the cluster can be restored to; none while it is being created.
    pub(crate) fn restorable(&self, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let created = self.cluster_create_time.filter(|_| self.status_text() != "creating")?;
        let days = self.backup_retention_period.unwrap_or(1);
        let oldest = now.checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or(created);
        Some((oldest.max(created), now))
    }

    /// Schedules the next automated snapshot.
    pub(crate) fn schedule_backup(&self, cx: &mut Tx<'_>) -> Result<()> {
        let window = self.preferred_backup_window.as_deref().unwrap_or_default();
        let time = settings::read_backup_window(window)?.next_start(cx.now());
        let work = ClusterBackup {
            db_cluster_identifier: self.db_cluster_identifier.clone(),
            window: Some(window.into()),
        };
        cx.schedule(time, &work)
    }

    /// Makes an automated snapshot, and removes those whose retention is over.
    fn back_up(&self, cx: &mut Tx<'_>) -> Result<()> {
        let resource_id = self.db_cluster_resource_id.as_deref().unwrap_or_default();
        expire::<DBClusterSnapshot>(cx, resource_id, self.backup_retention_period.unwrap_or(1))?;
        let id = new_identifier(cx, self.id());
        if DBClusterSnapshot::find_by(cx, &[&id])?.is_some() {
            return Ok(());
        }
        let mut snapshot = DBClusterSnapshot::of_cluster(cx, self, id.clone(), AUTOMATED)?;
        let copied = self.tag_list.clone().filter(|_| self.copy_tags_to_snapshot == Some(true));
        snapshot.tag_list = Some(copied.unwrap_or_default());
        SavedClusterRow::keep(cx, self, snapshot.own_arn())?;
        snapshot.store_new(cx)?;
        note(cx, resource_id, &id)
    }

    /// Removes the automated snapshots that a shorter retention no longer covers.
    pub(crate) fn follow_retention(&self, cx: &mut Tx<'_>) -> Result<()> {
        let resource_id = self.db_cluster_resource_id.as_deref().unwrap_or_default();
        if all_of(cx, resource_id)?.is_empty() {
            return Ok(());
        }
        expire::<DBClusterSnapshot>(cx, resource_id, self.backup_retention_period.unwrap_or(1)).map(drop)
    }

    /// Ends the automated backups of a cluster that is deleted: they are removed, or kept until their retention ends.
    pub(crate) fn end_backups(&self, cx: &mut Tx<'_>, is_kept: bool) -> Result<()> {
        let mut backup = DBClusterAutomatedBackup::of_cluster(cx, self)?;
        remove_tags(cx, backup.backups_arn())?;
        if !is_kept {
            return expire::<DBClusterSnapshot>(cx, backup.resource_id(), 0).map(drop);
        }
        backup.status = Some("retained".into());
        SavedClusterRow::keep(cx, self, backup.backups_arn())?;
        backup.keep(cx)
    }
}

/// Due work: makes an automated snapshot of a cluster, every day.
#[derive(Record)]
pub(crate) struct ClusterBackup {
    /// Identifier of the cluster.
    #[field(name = "DBClusterIdentifier")]
    db_cluster_identifier: Option<Text>,
    /// Window when it was scheduled. In another one, the snapshot is made later.
    window: Option<Text>,
}

impl Work for ClusterBackup {
    const NAME: &'static str = "rds/cluster-backup";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_cluster_identifier.unwrap_or_default();
        let Some(mut cluster) = DBCluster::find_by(cx, &[&id])? else { return Ok(()) };
        if cluster.status_text() == "deleting" {
            return Ok(());
        }
        cluster.schedule_backup(cx)?;
        if cluster.preferred_backup_window != self.window || cluster.status_text() != "available" {
            return Ok(());
        }
        cluster.back_up(cx)?;
        cluster.status = Some("backing-up".into());
        cx.put_and_schedule_transition(cluster)
    }
}

/// Due work: removes kept backups of a deleted cluster after their retention.
#[derive(Record)]
pub(crate) struct RetainedClusterBackupExpiry {
    /// Resource ID of the cluster.
    db_cluster_resource_id: Option<Text>,
}

impl Work for RetainedClusterBackupExpiry {
    const NAME: &'static str = "rds/retained-cluster-backup-expiry";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_cluster_resource_id.unwrap_or_default();
        match DBClusterAutomatedBackup::find_retained(cx, &id)? {
            Some(backup) => backup.keep(cx),
            None => Ok(()),
        }
    }
}
