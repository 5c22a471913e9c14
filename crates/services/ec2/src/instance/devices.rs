//! Block devices of instances: volumes with an ID, of which nothing can be read.

use super::{Instance, OperatorResponse, interfaces::AttachmentStatus};
use crate::{
    errors,
    network::{self, ids},
};
use nephos_cloud::Tx;
use nephos_core::{Choice as _, Error, Record, Result, Text, Timestamp, choices, field_value::FieldType};
use std::collections::HashSet;

/// Devices of root volumes. That of an image is unknown: it is the one that a launch mentions, or the first.
pub(super) const ROOT_DEVICES: [&str; 2] = ["/dev/xvda", "/dev/sda1"];

choices! {
    /// Type of the root device.
    pub enum DeviceType {
        /// A volume.
        Ebs = "ebs",
        /// A disk of the host.
        InstanceStore = "instance-store",
    }
}

choices! {
    /// Type of a volume.
    pub enum VolumeType {
        /// Magnetic.
        Standard = "standard",
        /// Provisioned IOPS SSD.
        Io1 = "io1",
        /// Provisioned IOPS SSD of the second generation.
        Io2 = "io2",
        /// General purpose SSD.
        Gp2 = "gp2",
        /// Cold HDD.
        Sc1 = "sc1",
        /// Throughput optimized HDD.
        St1 = "st1",
        /// General purpose SSD of the third generation.
        Gp3 = "gp3",
    }
}

/// A block device of a new instance: a volume, a disk of the host, or none instead of that of the image.
#[derive(Record)]
#[record(wire = "camel")]
pub struct BlockDeviceMapping {
    /// Volume.
    #[field(wire = "Ebs")]
    ebs: Option<EbsBlockDevice>,
    /// No device, with any value.
    #[field(wire = "NoDevice")]
    no_device: Option<Text>,
    /// Name of the device, such as `/dev/sdh`.
    #[field(wire = "DeviceName")]
    device_name: Option<Text>,
    /// Disk of the host, such as `ephemeral0`.
    #[field(wire = "VirtualName", no_effect)]
    virtual_name: Option<Text>,
}

/// A volume of a new instance.
#[derive(Record)]
pub struct EbsBlockDevice {
    /// Deletion with the instance; true by default.
    #[field(no_effect)]
    delete_on_termination: Option<bool>,
    /// Number of operations per second.
    #[field(no_effect, range(1..), condition = "ec2:VolumeIops")]
    iops: Option<i64>,
    /// ID of the snapshot. There are no snapshots here, so it is refused.
    snapshot_id: Option<Text>,
    /// Size in GiB.
    #[field(no_effect, condition = "ec2:VolumeSize")]
    volume_size: Option<i64>,
    /// Type; `gp2` by default.
    #[field(no_effect, condition = "ec2:VolumeType")]
    volume_type: Option<VolumeType>,
    /// Key of an encrypted volume. It is not looked up.
    #[field(no_effect)]
    kms_key_id: Option<Text>,
    /// Throughput in MiB per second, of type `gp3` only.
    #[field(no_effect, range(125..=2000), condition = "ec2:VolumeThroughput")]
    throughput: Option<i64>,
    /// ARN of an Outpost. There are none here, so it is refused.
    outpost_arn: Option<Text>,
    /// Zone of the volume, which must be that of the instance.
    availability_zone: Option<Text>,
    /// Encryption.
    #[field(no_effect, condition = "ec2:Encrypted")]
    encrypted: Option<bool>,
    /// Rate of the initialization from a snapshot, in MiB per second; needs a snapshot.
    #[field(range(100..=300))]
    volume_initialization_rate: Option<i64>,
    /// ID of the zone of the volume, which must be that of the instance.
    availability_zone_id: Option<Text>,
    /// Index of the card for volumes.
    #[field(no_effect, range(0..))]
    ebs_card_index: Option<i64>,
}

/// A block device of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceBlockDeviceMapping {
    /// Name of the device.
    device_name: Option<Text>,
    /// Volume.
    pub(super) ebs: Option<EbsInstanceBlockDevice>,
}

/// A volume of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct EbsInstanceBlockDevice {
    /// Time of the attachment.
    attach_time: Option<Timestamp>,
    /// Deletion with the instance.
    delete_on_termination: Option<bool>,
    /// Status of the attachment.
    pub(super) status: Option<AttachmentStatus>,
    /// ID of the volume.
    volume_id: Option<Text>,
    /// ARN of the resource that the volume is managed by.
    associated_resource: Option<Text>,
    /// Account of a volume of another account.
    volume_owner_id: Option<Text>,
    /// Service that manages the volume.
    operator: Option<OperatorResponse>,
    /// Index of the card for volumes.
    ebs_card_index: Option<i64>,
}

/// A change of a block device of an instance: only the deletion of its volume can be changed.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceBlockDeviceMappingSpecification {
    /// Name of the device.
    device_name: Option<Text>,
    /// Volume.
    ebs: Option<EbsInstanceBlockDeviceSpecification>,
    /// Disk of the host. It can be chosen at the launch only, so it is refused.
    virtual_name: Option<Text>,
    /// No device. It can be chosen at the launch only, so it is refused.
    no_device: Option<Text>,
}

/// A change of a volume of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct EbsInstanceBlockDeviceSpecification {
    /// ID of the volume, which must be that of the device.
    volume_id: Option<Text>,
    /// Deletion with the instance; true by default.
    #[field(no_effect)]
    delete_on_termination: Option<bool>,
}

/// Validates the block devices of a launch.
pub(super) fn check(mappings: &[BlockDeviceMapping], zone: (Option<&str>, Option<&str>)) -> Result<()> {
    let mut names = HashSet::new();
    for (n, mapping) in mappings.iter().enumerate() {
        let in_item = |error: Error| error.in_field(&format!("BlockDeviceMappings[{n}]"));
        let name = network::require_parameter(mapping.device_name.as_ref(), "DeviceName").map_err(in_item)?;
        if !names.insert(name.clone()) {
            return Err(in_item(errors::device_name_repeated(&name).with_field("DeviceName")));
        }
        if mapping.ebs.is_some() && mapping.virtual_name.is_some() {
            return Err(in_item(errors::volume_and_virtual_name(&name).with_field("VirtualName")));
        }
        mapping
            .ebs
            .as_ref()
            .map_or(Ok(()), |ebs| ebs.check(zone, ROOT_DEVICES.contains(&name.as_str())))
            .map_err(|error| in_item(error.in_field("Ebs")))?;
    }
    Ok(())
}

impl EbsBlockDevice {
    /// Validates the volume. The root volume has a size, that of the image.
    fn check(&self, (zone, zone_id): (Option<&str>, Option<&str>), is_root: bool) -> Result<()> {
        if let Some(snapshot) = &self.snapshot_id {
            return Err(errors::snapshot_not_found(snapshot).with_field("SnapshotId"));
        }
        if self.volume_initialization_rate.is_some() {
            return Err(errors::initialization_rate_without_snapshot().with_field("VolumeInitializationRate"));
        }
        if let Some(outpost) = &self.outpost_arn {
            return Err(errors::outpost_not_found(outpost).with_field("OutpostArn"));
        }
        for (field, given, own) in [
            ("AvailabilityZone", &self.availability_zone, zone),
            ("AvailabilityZoneId", &self.availability_zone_id, zone_id),
        ] {
            if let Some(other) = given.as_deref().filter(|given| Some(*given) != own) {
                return Err(errors::volume_in_other_zone(other, own.unwrap_or_default()).with_field(field));
            }
        }
        if self.kms_key_id.is_some() && self.encrypted != Some(true) {
            return Err(errors::key_without_encryption().with_field("KmsKeyId"));
        }
        let volume_type = self.volume_type.as_ref().unwrap_or(&VolumeType::Gp2);
        let (min, max) = match volume_type {
            VolumeType::Io1 | VolumeType::Gp2 => (1, 16_384),
            VolumeType::Io2 | VolumeType::Gp3 => (1, 65_536),
            VolumeType::Sc1 | VolumeType::St1 => (125, 16_384),
            _ => (1, 1024),
        };
        let named = volume_type.as_str();
        match self.volume_size {
            Some(size) if !(min..=max).contains(&size) => {
                let error = if size < min {
                    errors::volume_too_small(size, min, named)
                } else {
                    errors::volume_too_large(size, max, named)
                };
                return Err(error.with_field("VolumeSize"));
            }
            None if !is_root => return Err(errors::volume_without_size().with_field("VolumeSize")),
            _ => {}
        }
        let takes_iops = matches!(volume_type, VolumeType::Io1 | VolumeType::Io2 | VolumeType::Gp3);
        if self.iops.is_some() && !takes_iops {
            return Err(errors::volume_parameter_unsupported("iops", named).with_field("Iops"));
        }
        if self.iops.is_none() && matches!(volume_type, VolumeType::Io1 | VolumeType::Io2) {
            return Err(errors::volume_without_iops(named).with_field("Iops"));
        }
        if self.throughput.is_some() && *volume_type != VolumeType::Gp3 {
            return Err(errors::volume_parameter_unsupported("throughput", named).with_field("Throughput"));
        }
        Ok(())
    }
}

/// Attaches the volumes of a new instance: the root volume, and those of the launch.
pub(super) fn attach(cx: &Tx<'_>, instance: &mut Instance, mappings: &[BlockDeviceMapping]) {
    let mut devices = Vec::new();
    let mut add = |name: &str, volume: Option<&EbsBlockDevice>| {
        let mut ebs = EbsInstanceBlockDevice::blank();
        ebs.attach_time = Some(cx.now());
        ebs.delete_on_termination =
            Some(volume.and_then(|volume| volume.delete_on_termination).unwrap_or(true));
        ebs.volume_id = Some(ids::new(cx, "vol"));
        ebs.ebs_card_index = volume.and_then(|volume| volume.ebs_card_index);
        devices.push(InstanceBlockDeviceMapping { device_name: Some(name.into()), ebs: Some(ebs) });
    };
    let root = ROOT_DEVICES.into_iter().find_map(|device| {
        let is_root = |mapping: &&BlockDeviceMapping| mapping.device_name.as_deref() == Some(device);
        mappings.iter().find(is_root).map(|mapping| (device, mapping.ebs.as_ref()))
    });
    let (root, volume) = root.unwrap_or((ROOT_DEVICES[0], None));
    add(root, volume);
    for mapping in mappings {
        if let (Some(name), Some(volume)) =
            (mapping.device_name.as_deref().filter(|name| *name != root), &mapping.ebs)
        {
            add(name, Some(volume));
        }
    }
    instance.root_device_name = Some(root.into());
    instance.block_device_mappings = Some(devices);
}

/// Changes the deletion of volumes of an instance.
pub(super) fn modify(
    instance: &mut Instance,
    changes: &[InstanceBlockDeviceMappingSpecification],
) -> Result<()> {
    let mut names = HashSet::new();
    for (n, change) in changes.iter().enumerate() {
        let in_item = |error: Error| error.in_field(&format!("BlockDeviceMappings[{n}]"));
        let name = network::require_parameter(change.device_name.as_ref(), "DeviceName").map_err(in_item)?;
        if !names.insert(&change.device_name) {
            return Err(in_item(errors::device_name_repeated(&name).with_field("DeviceName")));
        }
        for (field, is_given) in
            [("VirtualName", change.virtual_name.is_some()), ("NoDevice", change.no_device.is_some())]
        {
            if is_given {
                return Err(in_item(errors::device_not_modifiable(&name).with_field(field)));
            }
        }
        let mut devices = instance.block_device_mappings.iter_mut().flatten();
        let device = devices.find(|device| device.device_name.as_ref() == Some(&name));
        let Some(volume) = device.and_then(|device| device.ebs.as_mut()) else {
            return Err(in_item(errors::device_not_mapped(&name).with_field("DeviceName")));
        };
        let wanted = change.ebs.as_ref().and_then(|ebs| ebs.volume_id.as_ref());
        if let Some(wanted) = wanted.filter(|wanted| Some(*wanted) != volume.volume_id.as_ref()) {
            return Err(in_item(errors::volume_not_mapped(wanted, &name).with_field("Ebs.VolumeId")));
        }
        let deletion = change.ebs.as_ref().and_then(|ebs| ebs.delete_on_termination);
        volume.delete_on_termination = deletion.or(Some(true));
    }
    Ok(())
}
