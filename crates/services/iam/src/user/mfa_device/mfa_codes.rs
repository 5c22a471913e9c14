//! Codes of MFA devices: they assign a device to a user, correct its clock, and authenticate a user.

use crate::{
    User, VirtualMFADevice, VirtualMFADeviceManager,
    entity::{self, Entity},
    errors,
    identity::in_account,
    user::{
        ExistingUser,
        access_key::Owner,
        mfa_device::{
            self, DeviceSeedRow, ExistingDevice, IN_USE_COUNTER, totp,
            user_mfa_devices::{self, UserDeviceRow},
        },
    },
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Arn, Empty, Record, Result, Text, operation};

/// Maximum number of MFA devices of a user.
const MAX_DEVICES: usize = 8;

/// Number of steps that the clock of a device can differ when it is enabled: five minutes.
const MAX_DRIFT: i64 = 10;

/// Number of steps that the clock of a device can differ when it is resynchronized: a day.
const MAX_RESYNC_DRIFT: i64 = 2880;

/// Place of the sealed seed of a device.
pub(crate) fn place(serial_number: &str) -> [&str; 2] {
    [DeviceSeedRow::TABLE, serial_number]
}

/// Two consecutive codes of a device.
#[derive(Record)]
#[record(shared)]
pub struct Codes {
    /// Code of the device.
    #[field(required, length(6..=6), pattern = r"[\d]+")]
    authentication_code1: Option<Text>,
    /// Code of the device after the first.
    #[field(required, length(6..=6), pattern = r"[\d]+")]
    authentication_code2: Option<Text>,
}

impl DeviceSeedRow {
    /// Accepts `codes` if they are those of consecutive steps that follow the last accepted one and differ from the expected
    /// step by at most `max_drift`; returns true if they are.
    fn accept(&mut self, cx: &Tx<'_>, codes: &[&str], max_drift: i64) -> Result<bool> {
        let place = place(self.serial_number.as_deref().unwrap_or_default());
        let seed = cx.open(&place, self.seed.as_ref().unwrap_or(&Default::default()))?;
        let now = totp::step_at(cx.now());
        let expected = now + self.drift.unwrap_or_default();
        let first = (expected - max_drift).max(self.last_step.map_or(i64::MIN, |last| last + 1));
        let Some(step) = totp::find_step(&seed, first..=expected + max_drift, codes) else {
            return Ok(false);
        };
        let last = step + codes.len() as i64 - 1;
        self.last_step = Some(last);
        self.drift = Some(if (last - now).abs() <= 1 { 0 } else { last - now });
        Ok(true)
    }
}

/// Assigns a virtual MFA device to a user, who proves with two consecutive codes to have its seed.
#[operation(
    of = VirtualMFADevice, call = "enable", on_model(user_name, authentication_code1, authentication_code2), include(ExistingDevice, ExistingUser, Codes),
    effect = write, subject = "user/{UserName}"
)]
pub struct EnableMFADevice {}

impl Handler for EnableMFADevice {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let user: User = entity::require(cx, &self.user_name)?;
        let mut device = mfa_device::require(cx, &self.serial_number)?;
        let mut row = DeviceSeedRow::require(cx, &self.serial_number)?;
        if let Some(owner) = &row.user_id {
            let name = user.user_name.as_deref().unwrap_or_default();
            let is_own = owner == user.id();
            return Err(if is_own {
                errors::mfa_device_of_user(name)
            } else {
                errors::mfa_device_assigned()
            });
        }
        if user_mfa_devices::devices_of(cx, user.id())?.len() >= MAX_DEVICES {
            return Err(errors::quota_exceeded("MfaDevicesPerUser", MAX_DEVICES));
        }
        row.drift = None;
        if !row.accept(cx, &[&self.authentication_code1, &self.authentication_code2], MAX_DRIFT)? {
            return Err(errors::code_invalid());
        }
        row.user_id = user.user_id.clone();
        device.enable_date = Some(cx.now());
        cx.put(UserDeviceRow { user_id: user.user_id, serial_number: Some(self.serial_number) })?;
        cx.put(row)?;
        cx.put(device)?;
        cx.add_to_count(IN_USE_COUNTER, 1)?;
        Ok(Empty {})
    }
}

/// Finds the device, which the user must have, or refuses.
fn require_of_user(cx: &Tx<'_>, serial_number: &str, user_id: &str) -> Result<DeviceSeedRow> {
    let row = DeviceSeedRow::require(cx, serial_number)?;
    if row.user_id.as_deref() != Some(user_id) {
        return Err(errors::mfa_device_of_other_user());
    }
    Ok(row)
}

/// Takes an MFA device from a user; without a name, from the caller.
#[operation(
    of = VirtualMFADevice, call = "deactivate", on_model, include(ExistingDevice), effect = write, subject = "user/{UserName}"
)]
pub struct DeactivateMFADevice {
    /// Name of the user, ignoring case.
    #[field(like = ExistingUser::user_name, from_field = "UserName")]
    pub user_name: Option<Text>,
}

impl Handler for DeactivateMFADevice {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let mut row = require_of_user(cx, &self.serial_number, &owner.id)?;
        let mut device = mfa_device::require(cx, &self.serial_number)?;
        cx.remove(&UserDeviceRow { user_id: row.user_id.take(), serial_number: Some(self.serial_number) })?;
        device.enable_date = None;
        cx.put(row)?;
        cx.put(device)?;
        cx.add_to_count(IN_USE_COUNTER, -1)?;
        Ok(Empty {})
    }
}

/// Corrects the time of an MFA device of a user by two consecutive codes.
#[operation(
    of = VirtualMFADevice, call = "resync", on_model(user_name, authentication_code1, authentication_code2), include(ExistingDevice, ExistingUser, Codes),
    effect = write, subject = "user/{UserName}"
)]
pub struct ResyncMFADevice {}

impl Handler for ResyncMFADevice {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let user: User = entity::require(cx, &self.user_name)?;
        let mut row = require_of_user(cx, &self.serial_number, user.id())?;
        row.drift = None;
        // A device whose clock was ahead may have used later steps.
        row.last_step = row.last_step.filter(|last| *last <= totp::step_at(cx.now()));
        if !row.accept(cx, &[&self.authentication_code1, &self.authentication_code2], MAX_RESYNC_DRIFT)? {
            return Err(errors::code_invalid());
        }
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Verifies the current code of the MFA device of a user; a code is accepted once. False if the code is wrong, or the user
/// does not have the device.
pub fn verify_mfa(cx: &mut Tx<'_>, user_id: &str, serial_number: &str, code: &str) -> Result<bool> {
    let Some([_, "iam", _, account, _]) = Arn::parts(serial_number) else { return Ok(false) };
    in_account(cx, account, |cx| {
        let row: Option<DeviceSeedRow> = cx.get(&DeviceSeedRow::table(cx.scope()).text(serial_number))?;
        let Some(mut row) = row.filter(|row| row.user_id.as_deref() == Some(user_id)) else {
            return Ok(false);
        };
        let is_accepted = row.accept(cx, &[code], 1)?;
        if is_accepted {
            cx.put(row)?;
        }
        Ok(is_accepted)
    })
}
