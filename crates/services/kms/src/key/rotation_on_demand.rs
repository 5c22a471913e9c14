//! Rotation of the material of symmetric encryption keys on demand.

use crate::{
    CryptoKey, CryptoKeyManager, KeyOrigin, RotationType, errors,
    key::{
        KeyIdOrArn, KeyRow, find, material_row,
        replica::change_related,
        rotation::{Rotation, rotate_to_generated},
    },
};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{Result, SignedDuration, Text, field_value::FieldType, operation, record_of};

/// Maximum number of rotations on demand of a key.
const MAX_ON_DEMAND: usize = 25;

/// Time before an automatic rotation in which a rotation on demand is refused.
const BEFORE_AUTOMATIC: SignedDuration = SignedDuration::from_mins(20);

/// Duration of a rotation on demand at the provider.
const DURATION: SignedDuration = SignedDuration::from_mins(1);

/// Rotates the material of a key now; one that is being rotated is rotated once. A key with imported material changes to the material that was imported for it.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "rotate_on_demand", on_model, wraps(key_id: Text), effect = write
)]
pub struct RotateKeyOnDemand {}

impl Handler for RotateKeyOnDemand {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut key = find::require_own(cx, &self.key_id)?;
        key.check_not_managed(cx)?;
        key.check_changeable(cx)?;
        key.check_rotatable(cx)?;
        key.check_not_replica(cx)?;
        let (arn, now) = (key.arn(cx.scope()), cx.now());
        let rotation = key.rotation.get_or_insert_with(Rotation::blank);
        if rotation.on_demand_start.is_some() {
            return Ok(Text::from(arn).into());
        }
        if rotation.next.is_some_and(|next| next.duration_since(now) <= BEFORE_AUTOMATIC) {
            return Err(errors::rotation_in_progress(arn));
        }
        rotation.on_demand_start = Some(now);
        let materials = material_row::find_all(cx, key.id())?;
        let done = materials.iter().filter(|row| row.rotation_type == Some(RotationType::OnDemand)).count();
        if done >= MAX_ON_DEMAND {
            return Err(errors::too_many_rotations(arn));
        }
        if *key.origin() == KeyOrigin::External && !material_row::is_rotation_pending(cx, &key)? {
            return Err(errors::rotation_not_pending(arn));
        }
        OnDemandRotation::schedule(cx, &key)?;
        cx.put(key)?;
        Ok(Text::from(arn).into())
    }
}

/// Work that completes a rotation on demand.
#[record_of(of = CryptoKey, takes(key_id), row)]
pub(crate) struct OnDemandRotation {}

impl OnDemandRotation {
    /// Schedules the completion of a rotation of a key.
    pub(crate) fn schedule(cx: &mut Tx<'_>, key: &KeyRow) -> Result<()> {
        cx.schedule_transition(DURATION, &Self { key_id: key.key_id.clone() })
    }
}

impl Work for OnDemandRotation {
    const NAME: &'static str = "kms/rotate-on-demand";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut key) = find::find_by_id(cx, self.key_id.as_deref().unwrap_or_default())? else {
            return Ok(());
        };
        let started = key.rotation.as_mut().and_then(|rotation| rotation.on_demand_start.take());
        if started.is_none() {
            return Ok(());
        }
        key.settle_rotation();
        match key.origin() {
            KeyOrigin::External => rotate_to_imported(cx, &mut key)?,
            _ => rotate_to_generated(cx, &mut key, &RotationType::OnDemand)?,
        }
        cx.put(key)
    }
}

/// Makes the material that is pending rotation the current one, here and at the replicas. It may have been deleted or have
/// expired since the rotation was started.
fn rotate_to_imported(cx: &mut Tx<'_>, key: &mut KeyRow) -> Result<()> {
    if !material_row::is_rotation_pending(cx, key)? {
        return Ok(());
    }
    key.rotate_to_pending(cx)?;
    change_related(cx, key, |cx, related| related.rotate_to_pending(cx))
}
