//! Deletion of keys after a waiting period.

use crate::{
    CryptoKey, CryptoKeyManager, alias, errors, grant,
    key::{
        KeyIdOrArn, KeyRow, KeyState, create, find, material_row, policy, replica::change_related,
        rotation::after_days,
    },
};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{Result, Text, operation, record_of};

/// Waiting period if the caller gives none, in days.
const DEFAULT_WINDOW: i64 = 30;

/// Schedules the deletion of a key for the end of a waiting period, in which it cannot be used.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "delete", on_model, effect = write, output = ScheduledDeletion
)]
pub struct ScheduleKeyDeletion {
    /// Waiting period in days, from 7 to 30; 30 by default.
    #[field(range(1..=365), condition = "kms:ScheduleKeyDeletionPendingWindowInDays")]
    pub pending_window_in_days: Option<i64>,
}

/// A scheduled deletion of a key.
#[record_of(
    of = CryptoKey, takes(arn as key_id, deletion_date, key_state), answer, name = "ScheduleKeyDeletionResponse"
)]
pub struct ScheduledDeletion {
    /// Waiting period in days.
    pending_window_in_days: Option<i64>,
}

impl Handler for ScheduleKeyDeletion {
    fn run(self, cx: &mut Tx<'_>) -> Result<ScheduledDeletion> {
        let days = self.pending_window_in_days.unwrap_or(DEFAULT_WINDOW);
        match days {
            ..7 => return Err(errors::window_out_of_range(days).with_field("PendingWindowInDays")),
            31.. => return Err(errors::window_too_long(days).with_field("PendingWindowInDays")),
            _ => {}
        }
        let mut key = find::require_own(cx, &self.key_id)?;
        key.check_not_managed(cx)?;
        key.check_settled(cx)?;
        if key.replica_regions().is_empty() || key.is_replica(cx) {
            schedule(cx, &mut key, days)?;
        } else {
            // The waiting period of a primary begins when its last replica is deleted.
            key.key_state = Some(KeyState::PendingReplicaDeletion);
            key.pending_deletion_window_in_days = Some(days);
        }
        let scheduled = ScheduledDeletion { pending_window_in_days: Some(days), ..key.describe(cx).into() };
        cx.put(key)?;
        Ok(scheduled)
    }
}

/// Sets the time at which a key is deleted.
pub(crate) fn schedule(cx: &mut Tx<'_>, key: &mut KeyRow, days: i64) -> Result<()> {
    let time = after_days(cx.now(), days);
    key.key_state = Some(KeyState::PendingDeletion);
    key.deletion_date = Some(time);
    key.pending_deletion_window_in_days = None;
    cx.schedule(time, &KeyPurge { key_id: key.key_id.clone() })
}

/// Cancels the scheduled deletion of a key. It is disabled afterwards.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "cancel_deletion", on_model, wraps(key_id: Text), effect = write
)]
pub struct CancelKeyDeletion {}

impl Handler for CancelKeyDeletion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut key = find::require_own(cx, &self.key_id)?;
        let arn = key.arn(cx.scope());
        if !matches!(key.state(), KeyState::PendingDeletion | KeyState::PendingReplicaDeletion) {
            return Err(errors::key_not_pending_deletion(arn));
        }
        key.key_state = Some(KeyState::Disabled);
        key.deletion_date = None;
        key.pending_deletion_window_in_days = None;
        key.settle_import(cx)?;
        cx.put(key)?;
        Ok(Text::from(arn).into())
    }
}

/// Work that deletes a key at the end of its waiting period.
#[record_of(of = CryptoKey, takes(key_id), row)]
pub(crate) struct KeyPurge {}

impl Work for KeyPurge {
    const NAME: &'static str = "kms/purge";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.key_id.unwrap_or_default();
        let Some(key) = find::find_by_id(cx, &id)? else { return Ok(()) };
        // The deletion may have been cancelled, and scheduled again for later.
        if key.deletion_date != Some(cx.now()) {
            return Ok(());
        }
        purge(cx, &key)
    }
}

/// Deletes a key with everything that belongs to it.
pub(crate) fn purge(cx: &mut Tx<'_>, key: &KeyRow) -> Result<()> {
    alias::remove_all(cx, key.id())?;
    grant::remove_all(cx, key.id())?;
    policy::remove(cx, key.id())?;
    let materials = material_row::prefix(cx, key.id());
    cx.remove_all(&materials.prefix_range())?;
    create::KEYS.remove_one(cx)?;
    leave_related(cx, key)?;
    cx.remove(key)
}

/// Removes a replica from the related keys. A primary that waits for the deletion of its last replica begins its waiting period.
fn leave_related(cx: &mut Tx<'_>, key: &KeyRow) -> Result<()> {
    let here = Text::from(cx.scope().region());
    change_related(cx, key, |cx, related| {
        let mut replicas = related.replica_regions.take().unwrap_or_default();
        replicas.retain(|region| *region != here);
        related.set_regions(related.primary_region.clone().unwrap_or_default(), replicas);
        let is_last = related.replica_regions().is_empty();
        match related.pending_deletion_window_in_days {
            Some(days) if is_last && !related.is_replica(cx) => schedule(cx, related, days),
            _ => Ok(()),
        }
    })
}
