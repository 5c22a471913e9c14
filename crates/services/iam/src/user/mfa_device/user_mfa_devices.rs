//! MFA devices of users.

use crate::{
    VirtualMFADevice, VirtualMFADeviceManager,
    paging::Page,
    user::{ExistingUser, access_key::Owner, mfa_device},
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{Record, Result, Text, operation, record_of};

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
#[record_of(of = VirtualMFADevice, answer, name = "MFADevice", takes(user_name, serial_number, enable_date))]
pub struct MfaDevice {}

/// Lists the MFA devices of a user; without a name, of the caller.
#[operation(
    of = VirtualMFADevice, call = "list_for_user", include(Page),
    page(mfa_devices(name = "MFADevices"): MfaDevice, marker, is_truncated), effect = read, subject = "user/{UserName}"
)]
pub struct ListMFADevices {
    /// Name of the user, ignoring case.
    #[field(like = ExistingUser::user_name)]
    pub user_name: Option<Text>,
}

impl Handler for ListMFADevices {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let rows = UserDeviceRow::table(cx.scope()).text(&owner.id);
        let convert = |row: UserDeviceRow| {
            let device = mfa_device::require(cx, row.serial_number.as_deref().unwrap_or_default())?;
            let mut device = MfaDevice::from(device);
            device.user_name = owner.name.clone();
            Ok(Some(device))
        };
        Ok(cx.page_rows(&self, &rows, convert)?.into())
    }
}
