//! What a snapshot keeps of an instance that its record does not show: settings for restores, and the password of the master user.

use crate::{DBInstance, master_user};
use nephos_cloud::{Scope, Stored, Tx};
use nephos_core::{Blob, Result, Secret, Text, record_of};

/// Row with what is kept of an instance, for a snapshot of it or for its automated backups.
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
        let resource_id = instance.dbi_resource_id.as_deref().unwrap_or_default();
        let password = master_user::read_password(cx, resource_id, instance.master_user_secret.as_ref())?;
        Self::of_instance(instance).put(cx, owner, password.as_ref())
    }

    fn put(mut self, cx: &mut Tx<'_>, owner: &str, password: Option<&Secret>) -> Result<()> {
        self.owner_arn = Some(owner.into());
        self.password = password.map(|password| seal(cx, owner, password)).transpose()?;
        cx.put(self)
    }

    /// Finds what is kept for an owner in this scope.
    pub(crate) fn find(cx: &Tx<'_>, owner: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(owner))
    }

    /// Returns the password of the master user, for the owner in this scope.
    pub(crate) fn open_password(&self, cx: &Tx<'_>) -> Result<Option<Secret>> {
        let Some(sealed) = &self.password else { return Ok(None) };
        let owner = self.owner_arn.as_deref().unwrap_or_default();
        let opened = cx.open(&[Self::TABLE, owner], sealed)?;
        Ok(Some(Secret::from(String::from_utf8_lossy(&opened).as_ref())))
    }

    /// Copies what is kept for an owner in another scope to another owner in this one.
    pub(crate) fn copy(cx: &mut Tx<'_>, source: &Scope, from: &str, to: &str) -> Result<()> {
        let found = cx.in_scope(source, |cx| {
            let Some(saved) = Self::find(cx, from)? else { return Ok(None) };
            let password = saved.open_password(cx)?;
            Ok::<_, nephos_core::Error>(Some((saved, password)))
        })?;
        match found {
            Some((saved, password)) => saved.put(cx, to, password.as_ref()),
            None => Ok(()),
        }
    }

    /// Removes what is kept for an owner.
    pub(crate) fn remove(cx: &mut Tx<'_>, owner: &str) -> Result<()> {
        match Self::find(cx, owner)? {
            Some(saved) => cx.remove(&saved),
            None => Ok(()),
        }
    }
}

fn seal(cx: &mut Tx<'_>, owner: &str, password: &Secret) -> Result<Blob> {
    cx.seal(&[SavedInstanceRow::TABLE, owner], password.expose().as_bytes())
}
