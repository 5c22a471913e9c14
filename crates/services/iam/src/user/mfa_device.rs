//! Virtual MFA devices: seeds of one-time codes, which users authenticate with in addition to their keys.

pub(crate) mod mfa_codes;
pub(crate) mod qr_code;
pub(crate) mod totp;
pub(crate) mod user_mfa_devices;

pub use mfa_codes::*;
pub use user_mfa_devices::*;

use crate::{
    User,
    account::account_alias,
    entity::{self, ROOT_PATH},
    errors,
    paging::Page,
    tagging,
};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{
    Blob, Empty, ManagerOperation, Map, Record, Resource, Result, Slot, Tag, Text, Timestamp,
    WorkflowContext, choices, field_value::FieldType, operation, record_of,
};

/// Counter of the virtual MFA devices of an account.
pub(crate) const COUNTER: &str = "iam/mfa-devices";

/// Counter of the virtual MFA devices of an account that users have.
pub(crate) const IN_USE_COUNTER: &str = "iam/mfa-devices-in-use";

/// Number of bytes of a seed.
const SEED_LENGTH: usize = 40;

/// A virtual MFA device: a seed of one-time codes.
#[derive(Resource)]
#[resource(
    arn("SerialNumber", "mfa{Path: /=/}{VirtualMFADeviceName}"), name = "VirtualMFADeviceName", pk = "SerialNumber",
    exists_if = "SerialNumber", tags = "Tags", not_found = |serial| errors::mfa_device_not_found(serial)
)]
pub struct VirtualMFADevice {
    /// Serial number of the device, which is its ARN.
    #[field(service_set, length(9..=256), pattern = r"[\w+=/:,.@-]+")]
    pub(crate) serial_number: Option<Text>,
    /// Name of the device, unique within its path.
    #[field(required, fixed, not_on_wire, name = "VirtualMFADeviceName", length(1..=226), pattern = r"[\w+=,.@-]+")]
    virtual_mfa_device_name: Option<Text>,
    /// Path of the device: `/` or `/team/web/`.
    #[field(fixed, not_on_wire, like = User::path)]
    path: Option<Text>,
    /// Seed in base32. Only the creation returns it.
    #[field(service_set, sensitive)]
    base32_string_seed: Option<Blob>,
    /// QR code of the seed, which apps for one-time codes scan: an image in the format PNG. Only the creation returns it.
    #[field(service_set, sensitive, name = "QRCodePNG")]
    qr_code_png: Option<Blob>,
    /// User of the device. Only a listing returns it.
    #[field(service_set)]
    user: Option<User>,
    /// Name of the user of the device; absent for a device without a user.
    #[field(service_set, not_on_wire)]
    user_name: Option<Text>,
    /// Time at which the device was enabled; absent for a device without a user.
    #[field(service_set)]
    pub(crate) enable_date: Option<Timestamp>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(VirtualMFADevice in "iam/mfa-device" by serial_number);

/// Row of the seed of a device, and of its user.
#[derive(Record)]
#[record(row)]
pub(crate) struct DeviceSeedRow {
    /// Serial number of the device.
    pub(crate) serial_number: Option<Text>,
    /// Unique ID of the user; absent for a device without a user.
    pub(crate) user_id: Option<Text>,
    /// Seed, sealed.
    #[field(sensitive)]
    pub(crate) seed: Option<Blob>,
    /// Number of steps that the clock of the device is ahead.
    pub(crate) drift: Option<i64>,
    /// Step of the last code that was accepted.
    pub(crate) last_step: Option<i64>,
}

nephos_cloud::stored!(DeviceSeedRow in "iam/mfa-seed" by serial_number);

impl DeviceSeedRow {
    /// Finds the seed of a device, or refuses.
    pub(crate) fn require(cx: &Tx<'_>, serial_number: &str) -> Result<Self> {
        let found = cx.get(&Self::table(cx.scope()).text(serial_number))?;
        found.ok_or_else(|| errors::mfa_device_not_found(serial_number))
    }
}

impl VirtualMFADevice {
    /// Adds name and path, which the service does not return.
    fn with_name(mut self) -> Self {
        if let Some([path, name]) = self.serial_number.as_deref().and_then(Self::read_arn).as_deref() {
            self.path = Some(Text::new(path));
            self.virtual_mfa_device_name = Some(Text::new(name));
        }
        self.user_name = self.user.as_ref().and_then(|user| user.user_name.clone()).or(self.user_name);
        self
    }
}

async fn named(_: &WorkflowContext, device: VirtualMFADevice) -> Result<VirtualMFADevice> {
    Ok(device.with_name())
}

fn with_names(devices: Vec<VirtualMFADevice>) -> Vec<VirtualMFADevice> {
    devices.into_iter().map(VirtualMFADevice::with_name).collect()
}

/// Finds the device with this serial number, or refuses.
pub(crate) fn require(cx: &Tx<'_>, serial_number: &str) -> Result<VirtualMFADevice> {
    VirtualMFADevice::find_by(cx, &[serial_number])?.ok_or_else(|| VirtualMFADevice::not_found(serial_number))
}

/// Serial number of an existing device.
#[derive(Record)]
#[record(shared)]
pub struct ExistingDevice {
    /// Serial number of the device.
    #[field(required, like = VirtualMFADevice::serial_number)]
    serial_number: Option<Text>,
}

/// Creates a virtual MFA device without a user, and returns its seed.
#[operation(
    of = VirtualMFADevice, call = "create", model, needs(virtual_mfa_device_name), takes(settable),
    wraps(virtual_mfa_device(name = "VirtualMFADevice")), with = named, effect = write,
    also_requires("TagMFADevice" = "Tags?")
)]
pub struct CreateVirtualMFADevice {}

impl Handler for CreateVirtualMFADevice {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::read(self.tags.as_deref())?;
        let path = self.path.as_deref().unwrap_or(ROOT_PATH);
        let serial =
            Text::from(VirtualMFADevice::arn_with(cx.scope(), &[path, &self.virtual_mfa_device_name]));
        if VirtualMFADevice::find_by(cx, &[&serial])?.is_some() {
            return Err(errors::mfa_device_exists().with_hint(&*serial));
        }
        let mut seed = [0; SEED_LENGTH];
        cx.ids().fill(&mut seed);
        let mut device = VirtualMFADevice::blank();
        device.serial_number = Some(serial.clone());
        device.tags = tags;
        cx.put(device.clone())?;
        let sealed = cx.seal(&mfa_codes::place(&serial), &seed)?;
        cx.put(DeviceSeedRow {
            serial_number: Some(serial),
            user_id: None,
            seed: Some(sealed),
            drift: None,
            last_step: None,
        })?;
        cx.add_to_count(COUNTER, 1)?;
        let seed = totp::to_base32(&seed);
        let account = account_alias::find(cx)?.unwrap_or_else(|| cx.scope().account().into());
        let issuer = "Amazon%20Web%20Services";
        let label = format!("{issuer}:{}@{account}", self.virtual_mfa_device_name);
        let code = qr_code::to_png(&format!("otpauth://totp/{label}?secret={seed}&issuer={issuer}"));
        device.qr_code_png = code.map(Blob);
        device.base32_string_seed = Some(Blob(seed.into_bytes()));
        Ok(device.into())
    }
}

/// Returns the user of an MFA device, and the time at which it was enabled.
#[operation(
    of = VirtualMFADevice, include(ExistingDevice), effect = read, output = GetMfaDeviceResponse,
    subject = "user/{UserName}"
)]
pub struct GetMFADevice {
    /// Name of the user, ignoring case; any by default.
    #[field(like = User::user_name)]
    pub user_name: Option<Text>,
}

/// User of an MFA device.
#[record_of(
    of = VirtualMFADevice, answer, name = "GetMFADeviceResponse", takes(user_name, serial_number, enable_date)
)]
pub struct GetMfaDeviceResponse {
    /// Certifications of the device: none for virtual devices.
    certifications: Option<Map<Text>>,
}

impl Handler for GetMFADevice {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetMfaDeviceResponse> {
        let wanted: Option<User> =
            self.user_name.as_ref().map(|name| entity::require(cx, name)).transpose()?;
        let mut device = require(cx, &self.serial_number)?;
        let user = user_of(cx, &self.serial_number)?;
        let user_name = user.and_then(|user| user.user_name);
        if wanted.is_some_and(|wanted| wanted.user_name != user_name) {
            return Err(errors::mfa_device_not_found(&self.serial_number).with_hint("another user has it"));
        }
        device.user_name = user_name;
        Ok(device.into())
    }
}

fn user_of(cx: &Tx<'_>, serial_number: &str) -> Result<Option<User>> {
    let row = DeviceSeedRow::require(cx, serial_number)?;
    row.user_id.map_or(Ok(None), |id| entity::find_by_id(cx, &id))
}

/// Returns the virtual MFA device with this serial number, if it exists.
#[operation(
    kind = VirtualMFADevice, call = "get", include(ExistingDevice), effect = read, output = Option<VirtualMFADevice>
)]
pub struct VirtualMFADeviceGet {}

impl ManagerOperation for VirtualMFADeviceGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<VirtualMFADevice>> {
        let Some(found) = context.find(GetMFADevice::new(self.serial_number.clone())).await? else {
            return Ok(None);
        };
        let tags = context.run(tagging::ListMFADeviceTags::new(self.serial_number.clone())).await?;
        let mut device = VirtualMFADevice::from_given(found);
        device.tags = Some(tags).filter(|tags| !tags.is_empty());
        Ok(Some(device.with_name()))
    }
}

/// Changes the tags of a virtual MFA device, where the model was changed.
#[operation(kind = VirtualMFADevice, call = "update", changes(), effect = write)]
pub struct VirtualMFADeviceUpdate {}

choices! {
    /// Assignment of virtual MFA devices to users.
    pub enum AssignmentStatus {
        /// Devices that a user has.
        Assigned,
        /// Devices that no user has.
        Unassigned,
        /// All devices.
        Any,
    }
}

/// Lists virtual MFA devices in order of their serial numbers, with their users.
#[operation(
    of = VirtualMFADevice, call = "list", include(Page),
    page(virtual_mfa_devices(name = "VirtualMFADevices") => with_names, marker, is_truncated), effect = read,
    subject = "mfa/*"
)]
pub struct ListVirtualMFADevices {
    /// Assignment of the devices; any by default.
    pub assignment_status: Option<AssignmentStatus>,
}

impl Handler for ListVirtualMFADevices {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let convert = |mut device: VirtualMFADevice| {
            let is_listed = match self.assignment_status {
                Some(AssignmentStatus::Assigned) => device.enable_date.is_some(),
                Some(AssignmentStatus::Unassigned) => device.enable_date.is_none(),
                _ => true,
            };
            if !is_listed {
                return Ok(None);
            }
            let serial = device.serial_number.as_deref().unwrap_or_default();
            device.user = user_of(cx, serial)?.map(User::for_listing);
            Ok(Some(device))
        };
        let table = VirtualMFADevice::table(cx.scope());
        Ok(cx.page_rows(&self, &table, convert)?.into())
    }
}

/// Deletes a virtual MFA device that no user has.
#[operation(of = VirtualMFADevice, call = "delete", on_model, include(ExistingDevice), effect = write)]
pub struct DeleteVirtualMFADevice {}

impl Handler for DeleteVirtualMFADevice {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let device = require(cx, &self.serial_number)?;
        let seed = DeviceSeedRow::require(cx, &self.serial_number)?;
        if seed.user_id.is_some() {
            return Err(errors::mfa_device_in_use());
        }
        cx.remove(&seed)?;
        cx.remove(&device)?;
        cx.add_to_count(COUNTER, -1)?;
        Ok(Empty {})
    }
}
