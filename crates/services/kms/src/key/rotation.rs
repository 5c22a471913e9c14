//! Automatic rotation of the material of symmetric encryption keys.

use crate::{
    CryptoKey, CryptoKeyManager, KeyOrigin, KeySpec, errors,
    import::origin_invalid,
    key::{
        KeyIdOrArn, KeyRow, KeyState, create, find, replica::change_related,
        rotation_on_demand::OnDemandRotation,
    },
};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{
    Empty, Error, Record, Result, SignedDuration, Timestamp, choices, field_value::FieldType, operation,
    record_of,
};

/// Rotation period if the caller gives none, in days.
const DEFAULT_PERIOD: i64 = 365;

choices! {
    /// Cause of a rotation.
    #[derive(Eq)]
    pub enum RotationType {
        /// The end of the rotation period.
        Automatic = "AUTOMATIC",
        /// A request.
        OnDemand = "ON_DEMAND",
    }
}

/// Rotation of the material of a key.
#[derive(Record)]
#[record(row)]
pub(crate) struct Rotation {
    /// Period of automatic rotation in days; absent if the key is not rotated automatically.
    pub(crate) period_in_days: Option<i64>,
    /// Time of the next automatic rotation. It is in the past if the key was disabled then.
    pub(crate) next: Option<Timestamp>,
    /// Start of a rotation on demand that is in progress.
    pub(crate) on_demand_start: Option<Timestamp>,
}

/// Rotates the material of a key automatically, for the first time after a period from now.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "enable_rotation", on_model, effect = write)]
pub struct EnableKeyRotation {
    /// Rotation period in days; 365 by default.
    #[field(range(90..=2560), condition = "kms:RotationPeriodInDays")]
    pub rotation_period_in_days: Option<i64>,
}

impl Handler for EnableKeyRotation {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut key = require_automatic(cx, &self.key_id)?;
        key.check_rotatable(cx)?;
        let rotation = key.rotation.get_or_insert_with(Rotation::blank);
        let period = self.rotation_period_in_days.or(rotation.period_in_days).unwrap_or(DEFAULT_PERIOD);
        if rotation.period_in_days != Some(period) {
            rotation.period_in_days = Some(period);
            rotation.next = Some(after_days(cx.now(), period));
            schedule(cx, &key)?;
            cx.put(key)?;
        }
        Ok(Empty {})
    }
}

/// Ends the automatic rotation of the material of a key.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "disable_rotation", on_model, effect = write)]
pub struct DisableKeyRotation {}

impl Handler for DisableKeyRotation {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut key = require_automatic(cx, &self.key_id)?;
        if let Some(rotation) = &mut key.rotation {
            (rotation.period_in_days, rotation.next) = (None, None);
            key.settle_rotation();
            cx.put(key)?;
        }
        Ok(Empty {})
    }
}

/// Returns a key whose automatic rotation can be changed, if it is of a spec that rotates: origin and state are checked before
/// the spec.
fn require_automatic(cx: &Tx<'_>, id: &str) -> Result<KeyRow> {
    let key = find::require_own(cx, id)?;
    key.check_not_managed(cx)?;
    if *key.origin() != KeyOrigin::ProviderCrypto {
        return Err(origin_invalid(cx, &key));
    }
    key.check_not_replica(cx)?;
    key.check_changeable(cx)?;
    Ok(key)
}

/// Returns the status of the rotation of a key.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "rotation_status", on_model, effect = read,
    output = KeyRotationStatus
)]
pub struct GetKeyRotationStatus {}

/// Status of the rotation of a key.
#[record_of(of = CryptoKey, takes(arn as key_id), answer, name = "GetKeyRotationStatusResponse")]
pub struct KeyRotationStatus {
    /// True if the key is rotated automatically.
    key_rotation_enabled: Option<bool>,
    /// Period of automatic rotation in days.
    rotation_period_in_days: Option<i64>,
    /// Time of the next automatic rotation.
    next_rotation_date: Option<Timestamp>,
    /// Start of a rotation on demand that is in progress.
    on_demand_rotation_start_date: Option<Timestamp>,
}

impl Handler for GetKeyRotationStatus {
    fn run(self, cx: &mut Tx<'_>) -> Result<KeyRotationStatus> {
        find::check_no_alias(&self.key_id)?;
        find::with_key(cx, &self.key_id, "GetKeyRotationStatus", |cx, key| {
            let primary = key.primary_region.as_ref().filter(|_| key.is_replica(cx));
            let shared = match primary {
                Some(region) => {
                    let there = nephos_cloud::Scope::new(cx.scope().account(), region);
                    cx.in_scope(&there, |cx| find::require_by_id(cx, key.id()))?.rotation
                }
                None => key.rotation.clone(),
            };
            let rotation = shared.unwrap_or_else(Rotation::blank);
            let is_pending =
                matches!(key.state(), KeyState::PendingDeletion | KeyState::PendingReplicaDeletion);
            let is_enabled = (rotation.period_in_days.is_some() || key.is_managed()) && !is_pending;
            Ok(KeyRotationStatus {
                key_rotation_enabled: Some(is_enabled),
                rotation_period_in_days: rotation.period_in_days.filter(|_| is_enabled),
                next_rotation_date: rotation.next.filter(|_| is_enabled),
                on_demand_rotation_start_date: rotation.on_demand_start,
                key_id: Some(key.arn(cx.scope()).into()),
            })
        })
    }
}

/// Work that rotates the material of a key at the end of its rotation period.
#[record_of(of = CryptoKey, takes(key_id), row)]
pub(crate) struct AutomaticRotation {}

impl Work for AutomaticRotation {
    const NAME: &'static str = "kms/rotate";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut key) = find::find_by_id(cx, self.key_id.as_deref().unwrap_or_default())? else {
            return Ok(());
        };
        // The period may have been changed, or the primary Region.
        if key.rotation.as_ref().and_then(|rotation| rotation.next) != Some(cx.now()) {
            return Ok(());
        }
        // A key that is not enabled is rotated when it is enabled again.
        if !matches!(key.state(), KeyState::Enabled | KeyState::Updating) {
            return Ok(());
        }
        rotate_automatically(cx, &mut key)?;
        cx.put(key)
    }
}

/// Rotates a key that is enabled again, if a rotation was due in the meantime.
pub(crate) fn resume(cx: &mut Tx<'_>, key: &mut KeyRow) -> Result<()> {
    let next = key.rotation.as_ref().and_then(|rotation| rotation.next);
    if *key.state() == KeyState::Enabled && next.is_some_and(|next| next <= cx.now()) {
        rotate_automatically(cx, key)?;
    }
    Ok(())
}

/// Rotates a key, and schedules the next rotation.
fn rotate_automatically(cx: &mut Tx<'_>, key: &mut KeyRow) -> Result<()> {
    rotate_to_generated(cx, key, &RotationType::Automatic)?;
    if let Some(rotation) = &mut key.rotation {
        let period = rotation.period_in_days.unwrap_or(DEFAULT_PERIOD);
        rotation.next = Some(after_days(cx.now(), period));
    }
    schedule(cx, key)
}

/// Generates new material for a key and its replicas, and makes it the current one.
pub(crate) fn rotate_to_generated(cx: &mut Tx<'_>, key: &mut KeyRow, cause: &RotationType) -> Result<()> {
    let stored = create::generate(cx, key.spec())?;
    key.add_material(cx, &stored, Some(cause))?;
    change_related(cx, key, |cx, related| related.add_material(cx, &stored, Some(cause)))
}

/// Schedules the rotations of a key.
pub(crate) fn schedule(cx: &mut Tx<'_>, key: &KeyRow) -> Result<()> {
    let Some(rotation) = &key.rotation else { return Ok(()) };
    if let Some(next) = rotation.next {
        cx.schedule(next, &AutomaticRotation { key_id: key.key_id.clone() })?;
    }
    if rotation.on_demand_start.is_some() {
        OnDemandRotation::schedule(cx, key)?;
    }
    Ok(())
}

/// Returns the time some days after `time`.
pub(crate) fn after_days(time: Timestamp, days: i64) -> Timestamp {
    time.checked_add(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MAX)
}

impl KeyRow {
    /// Refuses a key that does not rotate: one that is not a symmetric encryption key.
    pub(crate) fn check_rotatable(&self, cx: &Tx<'_>) -> Result<()> {
        let unsupported = |error: Error| errors::rotation_unsupported().with_hint(error.to_string());
        self.check_symmetric(cx).map_err(unsupported)
    }

    /// Refuses a key that is not a symmetric encryption key.
    pub(crate) fn check_symmetric(&self, cx: &Tx<'_>) -> Result<()> {
        match self.spec() {
            KeySpec::SymmetricDefault => Ok(()),
            spec => Err(errors::spec_invalid(self.arn(cx.scope()), spec)),
        }
    }

    /// Removes the rotation if nothing of it is left.
    pub(crate) fn settle_rotation(&mut self) {
        let is_left =
            |rotation: &Rotation| rotation.period_in_days.is_some() || rotation.on_demand_start.is_some();
        self.rotation = self.rotation.take().filter(is_left);
    }
}
