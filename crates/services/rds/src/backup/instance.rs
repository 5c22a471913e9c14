//! Automated backups of instances.

use super::{
    AutomatedBackup, OF_INSTANCE, RestoreWindow, add_tags, all_of, backups_arn, earliest, expire,
    last_stored, new_identifier, note, remove_tags, tags_of,
};
use crate::{
    DBInstance, DBInstanceManager, DBSnapshot, errors,
    event::known,
    filters::{self, Filter},
    identifier::{self, Page},
    settings,
    snapshot::{
        SavedInstanceRow,
        family::{AUTOMATED, Snapshot},
    },
    subnet_group,
};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx, Work};
use nephos_core::{Map, Record, Result, Tag, Text, Timestamp, operation, record_of};

/// Filters of automated backups.
const FILTERS: &[&str] = &["status", "db-instance-id", "dbi-resource-id"];

/// The automated backups of an instance, or of a deleted one whose backups are kept.
#[record_of(
    of = DBInstance,
    takes(
        db_instance_arn, dbi_resource_id, db_instance_identifier, allocated_storage, availability_zone, instance_create_time,
        master_username, engine, engine_version, license_model, iops, storage_throughput, tde_credential_arn,
        storage_encrypted as encrypted, storage_encryption_type, storage_type, crypto_key_id, timezone,
        iam_database_authentication_enabled, backup_retention_period, preferred_backup_window,
        db_instance_automated_backups_replications, backup_target, multi_tenant, aws_backup_recovery_point_arn,
        dedicated_log_volume, additional_storage_volumes
    ),
    answer
)]
pub struct DBInstanceAutomatedBackup {
    /// ARN of the automated backups.
    #[field(name = "DBInstanceAutomatedBackupsArn")]
    db_instance_automated_backups_arn: Option<Text>,
    /// Status: creating, active or retained.
    status: Option<Text>,
    /// Region of the automated backups.
    region: Option<Text>,
    /// Times that the instance can be restored to.
    restore_window: Option<RestoreWindow>,
    /// Port of the instance.
    port: Option<i64>,
    /// ID of the VPC of the instance.
    vpc_id: Option<Text>,
    /// Name of the option group.
    option_group_name: Option<Text>,
    /// Tags of the automated backups.
    #[field(item = "Tag")]
    tag_list: Option<Vec<Tag>>,
}

nephos_cloud::stored!(DBInstanceAutomatedBackup in "rds/automated-backup" by dbi_resource_id);

impl AutomatedBackup for DBInstanceAutomatedBackup {
    type Snapshot = DBSnapshot;
    type Saved = SavedInstanceRow;

    const IS_CONTINUOUS: bool = false;

    fn resource_id(&self) -> &str {
        self.dbi_resource_id.as_deref().unwrap_or_default()
    }

    fn backups_arn(&self) -> &str {
        self.db_instance_automated_backups_arn.as_deref().unwrap_or_default()
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
        cx.schedule(time, &RetainedBackupExpiry { dbi_resource_id: self.dbi_resource_id.clone() })
    }
}

impl DBInstanceAutomatedBackup {
    /// Describes the automated backups of an instance.
    fn of_instance(cx: &Tx<'_>, instance: &DBInstance) -> Result<Self> {
        let mut backup = Self::from(instance.clone());
        let arn = instance.backups_arn(cx);
        backup.tag_list = Some(tags_of(cx, &arn)?);
        backup.db_instance_automated_backups_arn = Some(arn);
        backup.region = Some(cx.scope().region().into());
        let (earliest_time, latest_time) = instance.restorable(cx)?.unzip();
        backup.status = Some(if latest_time.is_some() { "active".into() } else { "creating".into() });
        backup.restore_window = Some(RestoreWindow { earliest_time, latest_time });
        backup.port = instance.own_port();
        backup.vpc_id = subnet_group::find(cx, instance.subnet_group_name())?.and_then(|group| group.vpc_id);
        backup.option_group_name = instance.option_group_name().map(Text::new);
        Ok(backup)
    }

    /// True for the backups with this ARN.
    pub(crate) fn has_arn(&self, arn: &str) -> bool {
        self.backups_arn() == arn
    }

    /// Finds the instance of the backups, unless it is deleted.
    pub(crate) fn instance(&self, cx: &Tx<'_>) -> Result<Option<DBInstance>> {
        if self.is_retained() {
            return Ok(None);
        }
        DBInstance::find_by(cx, &[self.db_instance_identifier.as_deref().unwrap_or_default()])
    }
}

/// Returns the automated backups of the account: those of instances, and those that are kept of deleted ones.
fn all(cx: &Tx<'_>) -> Result<Vec<DBInstanceAutomatedBackup>> {
    let mut all: Vec<DBInstanceAutomatedBackup> = cx.all(&DBInstanceAutomatedBackup::table(cx.scope()))?;
    let instances: Vec<DBInstance> = cx.all(&DBInstance::table(cx.scope()))?;
    // The backups of an instance that is being deleted are removed, or kept already.
    let is_shown = |instance: &&DBInstance| instance.has_backups() && instance.status() != "deleting";
    for instance in instances.iter().filter(is_shown) {
        all.push(DBInstanceAutomatedBackup::of_instance(cx, instance)?);
    }
    all.sort_by(|one, other| one.dbi_resource_id.cmp(&other.dbi_resource_id));
    Ok(all)
}

/// Finds automated backups.
pub(super) fn find(
    cx: &Tx<'_>,
    is_meant: impl Fn(&DBInstanceAutomatedBackup) -> bool,
) -> Result<Option<DBInstanceAutomatedBackup>> {
    Ok(all(cx)?.into_iter().find(|backup| is_meant(backup)))
}

/// Describes automated backups of instances and of deleted instances, in order of resource IDs.
#[operation(
    of = DBInstance, call = "automated_backups",
    page(
        db_instance_automated_backups(name = "DBInstanceAutomatedBackups", item = "DBInstanceAutomatedBackup"): DBInstanceAutomatedBackup,
        marker
    ),
    include(Page), effect = read, access = list, subject = "*"
)]
pub struct DescribeDBInstanceAutomatedBackups {
    /// Resource ID of the instance.
    pub dbi_resource_id: Option<Text>,
    /// Identifier of the instance.
    #[field(name = "DBInstanceIdentifier")]
    pub db_instance_identifier: Option<Text>,
    /// Filters: status, db-instance-id or dbi-resource-id.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// ARN of the automated backups.
    #[field(name = "DBInstanceAutomatedBackupsArn")]
    pub db_instance_automated_backups_arn: Option<Text>,
}

impl Handler for DescribeDBInstanceAutomatedBackups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        let mut found = all(cx)?;
        let has_id = |backup: &DBInstanceAutomatedBackup, id: &str| {
            backup.db_instance_identifier.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(id))
        };
        found.retain(|backup| {
            self.dbi_resource_id.as_deref().is_none_or(|id| backup.is_of(id))
                && self.db_instance_identifier.as_deref().is_none_or(|id| has_id(backup, id))
                && self.db_instance_automated_backups_arn.as_deref().is_none_or(|arn| backup.has_arn(arn))
        });
        let given = [
            (&self.dbi_resource_id, "DbiResourceId"),
            (&self.db_instance_identifier, "DBInstanceIdentifier"),
            (&self.db_instance_automated_backups_arn, "DBInstanceAutomatedBackupsArn"),
        ];
        let given = given.into_iter().find_map(|(given, field)| given.as_ref().map(|given| (given, field)));
        if let Some((given, field)) = given.filter(|_| found.is_empty()) {
            return Err(errors::automated_backup_not_found(given).with_field(field));
        }
        found.retain(|backup| {
            filters.match_all(|name, value| match name {
                "status" => backup.status.as_deref() == Some(value),
                "db-instance-id" => has_id(backup, &identifier::name_of::<DBInstance>(cx, value)),
                "dbi-resource-id" => backup.is_of(value),
                _ => false,
            })
        });
        Ok(cx.page_items(&self, found, |backup| backup.resource_id().into())?.into())
    }
}

/// Deletes the kept automated backups of a deleted instance.
#[operation(
    of = DBInstance, call = "delete_automated_backup",
    wraps(db_instance_automated_backup(name = "DBInstanceAutomatedBackup"): DBInstanceAutomatedBackup), effect = write,
    subject = "*"
)]
pub struct DeleteDBInstanceAutomatedBackup {
    /// Resource ID of the instance.
    pub dbi_resource_id: Option<Text>,
    /// ARN of the automated backups.
    #[field(name = "DBInstanceAutomatedBackupsArn")]
    pub db_instance_automated_backups_arn: Option<Text>,
}

impl Handler for DeleteDBInstanceAutomatedBackup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (found, given, field) = match (&self.dbi_resource_id, &self.db_instance_automated_backups_arn) {
            (Some(id), None) => (find(cx, |backup| backup.is_of(id))?, id, "DbiResourceId"),
            (None, Some(arn)) => {
                (find(cx, |backup| backup.has_arn(arn))?, arn, "DBInstanceAutomatedBackupsArn")
            }
            (Some(_), Some(_)) => return Err(errors::backup_id_and_arn().with_field("DbiResourceId")),
            (None, None) => return Err(errors::parameter_blank("DbiResourceId").with_field("DbiResourceId")),
        };
        let missing = || errors::automated_backup_not_found(given).with_field(field);
        let mut found = found.ok_or_else(missing)?;
        if !found.is_retained() {
            return Err(errors::automated_backup_in_use().with_field(field));
        }
        found.remove(cx)?;
        found.status = Some("deleting".into());
        found.restore_window = Some(RestoreWindow { earliest_time: None, latest_time: None });
        Ok(found.into())
    }
}

impl DBInstance {
    /// ARN of the automated backups.
    fn backups_arn(&self, cx: &Tx<'_>) -> Text {
        backups_arn(cx, OF_INSTANCE, self.dbi_resource_id.as_deref().unwrap_or_default())
    }

    /// Adds tags to the automated backups.
    pub(crate) fn tag_backups(&self, cx: &mut Tx<'_>, tags: Map<Text>) -> Result<()> {
        add_tags(cx, &self.backups_arn(cx), tags)
    }

    /// Latest time that the instance can be restored to; none before the first backup.
    pub(crate) fn latest_restorable(&self, now: Timestamp) -> Option<Timestamp> {
        let stored = self.latest_restorable_time?;
        match self.status() {
            // A stopped instance does not change.
            "stopping" | "stopped" | "starting" => Some(stored),
            _ => Some(stored.max(last_stored(now))),
        }
    }

    /// Earliest and latest time that the instance can be restored to; none before the first backup.
    pub(crate) fn restorable(&self, cx: &Tx<'_>) -> Result<Option<(Timestamp, Timestamp)>> {
        let days = self.backup_retention_period.unwrap_or_default();
        let earliest = earliest(cx, self.dbi_resource_id.as_deref().unwrap_or_default(), days)?;
        let window = earliest.zip(self.latest_restorable(cx.now()));
        Ok(window.map(|(earliest, latest)| (earliest, latest.max(earliest))))
    }

    /// Makes an automated snapshot.
    pub(crate) fn back_up(&self, cx: &mut Tx<'_>) -> Result<()> {
        let id = new_identifier(cx, self.id());
        if DBSnapshot::find_by(cx, &[&id])?.is_some() {
            return Ok(());
        }
        self.record(cx, &known::BACKUP_STARTED, &[])?;
        let mut snapshot = DBSnapshot::of_instance(cx, self, id.clone(), AUTOMATED)?;
        let copied = self.tag_list.clone().filter(|_| self.copy_tags_to_snapshot == Some(true));
        snapshot.tag_list = Some(copied.unwrap_or_default());
        SavedInstanceRow::keep(cx, self, snapshot.own_arn())?;
        snapshot.store_new(cx)?;
        note(cx, self.dbi_resource_id.as_deref().unwrap_or_default(), &id)
    }

    /// Makes the first automated snapshot, unless there is one, and schedules the next.
    pub(crate) fn begin_backups(&self, cx: &mut Tx<'_>) -> Result<()> {
        if all_of(cx, self.dbi_resource_id.as_deref().unwrap_or_default())?.is_empty() {
            self.back_up(cx)?;
        }
        self.schedule_backup(cx)
    }

    /// Schedules the next automated snapshot, if there are any.
    pub(crate) fn schedule_backup(&self, cx: &mut Tx<'_>) -> Result<()> {
        if !self.has_backups() {
            return Ok(());
        }
        let window = self.preferred_backup_window.as_deref().unwrap_or_default();
        let time = settings::read_backup_window(window)?.next_start(cx.now());
        let work = InstanceBackup {
            db_instance_identifier: self.db_instance_identifier.clone(),
            window: Some(window.into()),
        };
        cx.schedule(time, &work)
    }

    /// Follows a change of the retention: backups that it no longer covers are removed, and the first one is made. True if it is.
    pub(crate) fn follow_retention(&mut self, cx: &mut Tx<'_>, before: Option<i64>) -> Result<bool> {
        if self.backup_retention_period == before || self.db_cluster_identifier.is_some() {
            return Ok(false);
        }
        let days = self.backup_retention_period.unwrap_or_default();
        let resource_id = self.dbi_resource_id.clone().unwrap_or_default();
        expire::<DBSnapshot>(cx, &resource_id, days)?;
        if days == 0 {
            self.latest_restorable_time = None;
        }
        let begins = days > 0 && before.unwrap_or_default() == 0;
        if begins {
            self.begin_backups(cx)?;
        }
        Ok(begins)
    }

    /// Ends the automated backups of an instance that is deleted: they are removed, or kept until their retention ends.
    pub(crate) fn end_backups(&self, cx: &mut Tx<'_>, is_kept: bool) -> Result<()> {
        let resource_id = self.dbi_resource_id.as_deref().unwrap_or_default();
        let mut backup = DBInstanceAutomatedBackup::of_instance(cx, self)?;
        remove_tags(cx, backup.backups_arn())?;
        if !is_kept || all_of(cx, resource_id)?.is_empty() {
            return expire::<DBSnapshot>(cx, resource_id, 0).map(drop);
        }
        backup.status = Some("retained".into());
        SavedInstanceRow::keep(cx, self, backup.backups_arn())?;
        backup.keep(cx)
    }
}

/// Due work: makes an automated snapshot of an instance, every day.
#[derive(Record)]
pub(crate) struct InstanceBackup {
    /// Identifier of the instance.
    db_instance_identifier: Option<Text>,
    /// Window when it was scheduled. In another one, the snapshot is made later.
    window: Option<Text>,
}

impl Work for InstanceBackup {
    const NAME: &'static str = "rds/instance-backup";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_instance_identifier.unwrap_or_default();
        let Some(mut instance) = DBInstance::find_by(cx, &[&id])? else { return Ok(()) };
        if instance.status() == "deleting" {
            return Ok(());
        }
        instance.schedule_backup(cx)?;
        let is_due = instance.has_backups() && instance.preferred_backup_window == self.window;
        if !is_due || instance.status() != "available" {
            return Ok(());
        }
        let days = instance.backup_retention_period.unwrap_or_default();
        expire::<DBSnapshot>(cx, instance.dbi_resource_id.as_deref().unwrap_or_default(), days)?;
        instance.back_up(cx)?;
        instance.db_instance_status = Some("backing-up".into());
        instance.store(cx)
    }
}

/// Due work: removes kept backups of a deleted instance after their retention.
#[derive(Record)]
pub(crate) struct RetainedBackupExpiry {
    /// Resource ID of the instance.
    dbi_resource_id: Option<Text>,
}

impl Work for RetainedBackupExpiry {
    const NAME: &'static str = "rds/retained-backup-expiry";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.dbi_resource_id.unwrap_or_default();
        match DBInstanceAutomatedBackup::find_retained(cx, &id)? {
            Some(backup) => backup.keep(cx),
            None => Ok(()),
        }
    }
}
