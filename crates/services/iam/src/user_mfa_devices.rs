//! MFA devices of users.

use super::{
    VirtualMFADevice, VirtualMFADeviceManager, access_key::Owner, mfa_device, paging::Page,
    user::ExistingUser,
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{Record, Result, Text, Timestamp, operation};

/// Row of a device of a user.
#[derive(Record)]
#[record(row)]
pub(crate) struct UserDeviceRow {
    /// Unique ID of the user.
    pub(crate) user_id: Option<Text>,
    /// Serial number of the device.
    pub(crate) serial_number: Option<Text>,
}

nephos_cloud::stored!(UserDeviceRow in "iam/user-mfa-device" by user_id, serial_number);

/// Returns the devices of a user.
pub(crate) fn devices_of(cx: &Tx<'_>, user_id: &str) -> Result<Vec<UserDeviceRow>> {
    cx.all(&UserDeviceRow::table(cx.scope()).text(user_id))
}

/// True if the user has devices.
pub(crate) fn has_devices(cx: &Tx<'_>, user_id: &str) -> Result<bool> {
    Ok(!devices_of(cx, user_id)?.is_empty())
}

/// An MFA device of a user.
#[derive(Record)]
#[record(answer, name = "MFADevice")]
pub struct MfaDevice {
    /// Name of the user.
    user_name: Option<Text>,
    /// Serial number of the device.
    serial_number: Option<Text>,
    /// Time at which the device was enabled.
    enable_date: Option<Timestamp>,
}

/// Lists the MFA devices of a user; without a name, of the caller.
#[operation(
    of = VirtualMFADevice, call = "list_for_user", also(Page),
    gives(mfa_devices: Vec<MfaDevice>, marker), effect = read, output = MfaDevices, subject = "user/{UserName}"
)]
pub struct ListMFADevices {
    /// Name of the user, ignoring case.
    #[field(like = ExistingUser::user_name)]
    pub user_name: Option<Text>,
}

nephos_core::page! {
    /// A page of the MFA devices of a user.
    #[record(name = "ListMFADevicesResponse")]
    pub struct MfaDevices {
        #[field(name = "MFADevices")]
        mfa_devices: MfaDevice,
        marker,
        is_truncated,
    }
}

impl Handler for ListMFADevices {
    fn run(self, cx: &mut Tx<'_>) -> Result<MfaDevices> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let rows = UserDeviceRow::table(cx.scope()).text(&owner.id);
        let convert = |row: UserDeviceRow| {
            let device = mfa_device::require(cx, row.serial_number.as_deref().unwrap_or_default())?;
            Ok(Some(MfaDevice {
                user_name: owner.name.clone(),
                serial_number: device.serial_number,
                enable_date: device.enable_date,
            }))
        };
        Ok(cx.page_rows(&self, &rows, convert)?.into())
    }
}
