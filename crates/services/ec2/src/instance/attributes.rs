//! Attributes of instances, of which one is described or changed at a time.

use super::{
    EnclaveOptions, GroupIdentifier, Instance, InstanceBlockDeviceMapping, InstanceManager, ProductCode,
    ShutdownBehavior, launch::LaunchRow,
};
use crate::{
    calls::DryRun,
    check_dry_run, errors,
    network::{self, Member},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Blob, Choice as _, IntoOptional, Record, Result, Secret, Text, choices, field_value::FieldType, operation,
};

mod modify;

pub use modify::*;

choices! {
    /// Name of an attribute of an instance.
    pub enum InstanceAttributeName {
        /// Type of the machine.
        InstanceType = "instanceType",
        /// ID of the kernel.
        Kernel = "kernel",
        /// ID of the RAM disk.
        Ramdisk = "ramdisk",
        /// Data for the first start.
        UserData = "userData",
        /// Protection from being terminated.
        DisableApiTermination = "disableApiTermination",
        /// Action when the instance shuts itself down.
        InstanceInitiatedShutdownBehavior = "instanceInitiatedShutdownBehavior",
        /// Device of the root volume.
        RootDeviceName = "rootDeviceName",
        /// Block devices.
        BlockDeviceMapping = "blockDeviceMapping",
        /// Product codes.
        ProductCodes = "productCodes",
        /// Check of source and destination addresses.
        SourceDestCheck = "sourceDestCheck",
        /// Security groups.
        GroupSet = "groupSet",
        /// Bandwidth of its own for volumes.
        EbsOptimized = "ebsOptimized",
        /// Enhanced networking with an Intel interface.
        SriovNetSupport = "sriovNetSupport",
        /// Enhanced networking with ENA.
        EnaSupport = "enaSupport",
        /// Nitro Enclaves.
        EnclaveOptions = "enclaveOptions",
        /// Protection from being stopped.
        DisableApiStop = "disableApiStop",
    }
}

/// A text as the value of an attribute.
#[derive(Record)]
#[record(wire = "camel")]
pub struct AttributeValue {
    /// Value; none if it is not set.
    value: Option<Text>,
}

impl IntoOptional<AttributeValue> for &str {
    fn into_optional(self) -> Option<AttributeValue> {
        Some(AttributeValue { value: Some(self.into()) })
    }
}

/// A boolean as the value of an attribute.
#[derive(Record)]
#[record(wire = "camel")]
pub struct AttributeBooleanValue {
    /// Value.
    value: Option<bool>,
}

impl IntoOptional<AttributeBooleanValue> for bool {
    fn into_optional(self) -> Option<AttributeBooleanValue> {
        Some(AttributeBooleanValue { value: Some(self) })
    }
}

/// New user data of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct SecureBlobAttributeValue {
    /// Data, at most 16 KiB; empty to remove them.
    #[field(sensitive, no_effect)]
    value: Option<Blob>,
}

impl IntoOptional<SecureBlobAttributeValue> for &str {
    fn into_optional(self) -> Option<SecureBlobAttributeValue> {
        Some(SecureBlobAttributeValue { value: Some(Blob::from(self)) })
    }
}

/// User data of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct UserDataAttributeValue {
    /// Data in Base64; none if the instance has none.
    #[field(sensitive)]
    value: Option<Secret>,
}

/// An attribute of an instance. Only the attribute that the call names is set.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceAttribute {
    /// Block devices.
    #[field(wire = "blockDeviceMapping")]
    block_device_mappings: Option<Vec<InstanceBlockDeviceMapping>>,
    /// Protection from being terminated.
    disable_api_termination: Option<AttributeBooleanValue>,
    /// Enhanced networking with ENA.
    ena_support: Option<AttributeBooleanValue>,
    /// Nitro Enclaves.
    enclave_options: Option<EnclaveOptions>,
    /// Bandwidth of its own for volumes.
    ebs_optimized: Option<AttributeBooleanValue>,
    /// ID of the instance.
    instance_id: Option<Text>,
    /// Action when the instance shuts itself down.
    instance_initiated_shutdown_behavior: Option<AttributeValue>,
    /// Type of the machine.
    instance_type: Option<AttributeValue>,
    /// ID of the kernel.
    #[field(wire = "kernel")]
    kernel_id: Option<AttributeValue>,
    /// Product codes.
    product_codes: Option<Vec<ProductCode>>,
    /// ID of the RAM disk.
    #[field(wire = "ramdisk")]
    ramdisk_id: Option<AttributeValue>,
    /// Device of the root volume.
    root_device_name: Option<AttributeValue>,
    /// Check of source and destination addresses.
    source_dest_check: Option<AttributeBooleanValue>,
    /// Enhanced networking with an Intel interface.
    sriov_net_support: Option<AttributeValue>,
    /// Data for the first start.
    user_data: Option<UserDataAttributeValue>,
    /// Protection from being stopped.
    disable_api_stop: Option<AttributeBooleanValue>,
    /// Security groups.
    #[field(wire = "groupSet")]
    groups: Option<Vec<GroupIdentifier>>,
}

/// Describes an attribute of an instance.
#[operation(
    of = Instance, call = "attribute", include(DryRun),
    needs(instance_id(wire = "instanceId", condition = "ec2:InstanceID")),
    effect = read, output = InstanceAttribute, access = list
)]
pub struct DescribeInstanceAttribute {
    /// Name of the attribute.
    #[field(wire = "attribute")]
    pub attribute: InstanceAttributeName,
}

impl Handler for DescribeInstanceAttribute {
    fn run(self, cx: &mut Tx<'_>) -> Result<InstanceAttribute> {
        let instance: Instance = network::require(cx, &self.instance_id, "InstanceId")?;
        let answer = instance.described(cx)?.into_attribute(cx, &self.attribute)?;
        check_dry_run(self.dry_run)?;
        Ok(answer)
    }
}

impl Instance {
    /// Returns an attribute.
    fn into_attribute(self, cx: &Tx<'_>, name: &InstanceAttributeName) -> Result<InstanceAttribute> {
        use InstanceAttributeName as Name;

        let flag = |value: Option<bool>| Some(AttributeBooleanValue { value });
        let text = |value: Option<Text>| Some(AttributeValue { value });
        let row = LaunchRow::find(cx, &self)?.unwrap_or_else(LaunchRow::blank);
        let mut answer = InstanceAttribute::blank();
        match name {
            Name::InstanceType => answer.instance_type = text(self.instance_type),
            Name::Kernel => answer.kernel_id = text(self.kernel_id),
            Name::Ramdisk => answer.ramdisk_id = text(self.ramdisk_id),
            Name::UserData => {
                answer.user_data = Some(UserDataAttributeValue { value: row.open_user_data(cx, &self)? });
            }
            Name::DisableApiTermination => {
                answer.disable_api_termination = flag(row.disable_api_termination.or(Some(false)));
            }
            Name::InstanceInitiatedShutdownBehavior => {
                let behavior = row.instance_initiated_shutdown_behavior.unwrap_or(ShutdownBehavior::Stop);
                answer.instance_initiated_shutdown_behavior = text(Some(behavior.as_str().into()));
            }
            Name::RootDeviceName => answer.root_device_name = text(self.root_device_name),
            Name::BlockDeviceMapping => answer.block_device_mappings = self.block_device_mappings,
            Name::ProductCodes => answer.product_codes = self.product_codes,
            Name::SourceDestCheck => {
                self.check_single_interface()?;
                answer.source_dest_check = flag(self.source_dest_check);
            }
            Name::GroupSet => {
                self.check_single_interface()?;
                answer.groups = self.security_groups;
            }
            Name::EbsOptimized => answer.ebs_optimized = flag(self.ebs_optimized),
            Name::SriovNetSupport => answer.sriov_net_support = text(self.sriov_net_support),
            Name::EnaSupport => answer.ena_support = flag(self.ena_support),
            Name::EnclaveOptions => answer.enclave_options = self.enclave_options,
            Name::DisableApiStop => answer.disable_api_stop = flag(row.disable_api_stop.or(Some(false))),
            Name::Unknown(_) => {}
        }
        answer.instance_id = self.instance_id;
        Ok(answer)
    }

    /// Refuses an attribute of network interfaces for an instance with several of them.
    fn check_single_interface(&self) -> Result<()> {
        match self.network_interfaces.as_deref() {
            Some([_, _, ..]) => Err(errors::several_interfaces(self.id()).with_field("InstanceId")),
            _ => Ok(()),
        }
    }
}
