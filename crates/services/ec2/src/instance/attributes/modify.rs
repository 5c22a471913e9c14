//! Changing an attribute of an instance.

use super::{
    AttributeBooleanValue, AttributeValue, InstanceAttributeName, InstanceAttributeName as Name,
    SecureBlobAttributeValue,
};
use crate::{
    calls::DryRun,
    check_dry_run, errors,
    instance::{
        EnclaveOptions, Instance, InstanceBlockDeviceMappingSpecification, InstanceLifecycleType,
        InstanceManager, InstanceStateName, ShutdownBehavior, devices, hardware,
        launch::{self, LaunchRow, attach, plan, run},
    },
    network::{self, Member},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Choice as _, Empty, Result, Secret, Text, field_value::FieldType, operation};

/// Changes one attribute of an instance: that of the only parameter that is set, or the one that `Attribute` names, to
/// `Value`. Instance type, kernel, RAM disk, user data, enclaves and the bandwidth and networking options change only while
/// the instance is stopped.
#[operation(
    of = Instance, call = "modify_attribute", on_model, include(DryRun),
    needs(instance_id(wire = "instanceId", condition = "ec2:InstanceID")), effect = write,
    subject = "instance/{InstanceId} + Groups? security-group/{Groups}"
)]
pub struct ModifyInstanceAttribute {
    /// Check of source and destination addresses. Nothing is sent over the network here.
    #[field(no_effect)]
    pub source_dest_check: Option<AttributeBooleanValue>,
    /// Nitro Enclaves.
    pub enclave_options: Option<EnclaveOptions>,
    /// Protection from being stopped.
    pub disable_api_stop: Option<AttributeBooleanValue>,
    /// Name of the attribute that `Value` is for.
    #[field(wire = "attribute")]
    pub attribute: Option<InstanceAttributeName>,
    /// New value of the attribute that `Attribute` names: a text, `true` or `false`, or user data in Base64.
    #[field(wire = "value", sensitive)]
    pub value: Option<Secret>,
    /// Deletion of volumes with the instance.
    #[field(wire = "blockDeviceMapping")]
    pub block_device_mappings: Option<Vec<InstanceBlockDeviceMappingSpecification>>,
    /// Protection from being terminated.
    #[field(wire = "disableApiTermination")]
    pub disable_api_termination: Option<AttributeBooleanValue>,
    /// Type of the machine, of the same architecture.
    #[field(wire = "instanceType")]
    pub instance_type: Option<AttributeValue>,
    /// ID of the kernel.
    #[field(wire = "kernel", no_effect)]
    pub kernel: Option<AttributeValue>,
    /// ID of the RAM disk.
    #[field(wire = "ramdisk", no_effect)]
    pub ramdisk: Option<AttributeValue>,
    /// Data for the first start.
    #[field(wire = "userData")]
    pub user_data: Option<SecureBlobAttributeValue>,
    /// Action when the instance shuts itself down: `stop` or `terminate`. Nothing runs on instances here.
    #[field(wire = "instanceInitiatedShutdownBehavior", no_effect)]
    pub instance_initiated_shutdown_behavior: Option<AttributeValue>,
    /// IDs of the security groups, which replace those of the instance.
    #[field(wire = "GroupId")]
    pub groups: Option<Vec<Text>>,
    /// Bandwidth of its own for volumes.
    #[field(wire = "ebsOptimized", no_effect)]
    pub ebs_optimized: Option<AttributeBooleanValue>,
    /// Enhanced networking with an Intel interface: `simple`. It cannot be turned off.
    #[field(wire = "sriovNetSupport", no_effect)]
    pub sriov_net_support: Option<AttributeValue>,
    /// Enhanced networking with ENA.
    #[field(wire = "enaSupport", no_effect)]
    pub ena_support: Option<AttributeBooleanValue>,
}

/// New value of an attribute.
enum NewValue {
    Flag(bool),
    Text(Text),
    UserData(Secret),
    Devices(Vec<InstanceBlockDeviceMappingSpecification>),
    Groups(Vec<Text>),
}

impl NewValue {
    /// Reads the text that is the new value of an attribute.
    fn parse(attribute: &InstanceAttributeName, text: &Secret) -> Result<Self> {
        let name = attribute.as_str();
        match attribute {
            Name::DisableApiTermination
            | Name::DisableApiStop
            | Name::SourceDestCheck
            | Name::EbsOptimized
            | Name::EnaSupport
            | Name::EnclaveOptions => match text.expose() {
                "true" => Ok(Self::Flag(true)),
                "false" => Ok(Self::Flag(false)),
                other => Err(errors::attribute_value_invalid(other, name)
                    .with_hint("expected true or false")
                    .with_field("Value")),
            },
            Name::InstanceType
            | Name::Kernel
            | Name::Ramdisk
            | Name::InstanceInitiatedShutdownBehavior
            | Name::SriovNetSupport => Ok(Self::Text(text.expose().into())),
            Name::UserData => Ok(Self::UserData(text.clone())),
            Name::GroupSet => Err(errors::parameter_missing("GroupId").with_field("Groups")),
            Name::BlockDeviceMapping => {
                Err(errors::parameter_missing("blockDeviceMapping").with_field("BlockDeviceMappings"))
            }
            Name::RootDeviceName | Name::ProductCodes | Name::Unknown(_) => {
                Err(errors::attribute_not_modifiable(name).with_field("Attribute"))
            }
        }
    }
}

/// A change of an attribute.
struct Change {
    attribute: InstanceAttributeName,
    /// Parameter with the new value.
    field: &'static str,
    value: NewValue,
}

impl ModifyInstanceAttribute {
    /// Returns the changes of all parameters with the name of an attribute. One without a value is not on the wire.
    fn take_changes(&mut self) -> Vec<Change> {
        let enclaves = self.enclave_options.take().and_then(|options| options.enabled);
        let flag = |value: &mut Option<AttributeBooleanValue>| {
            value.take().and_then(|value| value.value).map(NewValue::Flag)
        };
        let text = |value: &mut Option<AttributeValue>| {
            value.take().and_then(|value| value.value).map(NewValue::Text)
        };
        let data = self.user_data.take().and_then(|data| data.value);
        let devices = self.block_device_mappings.take().filter(|devices| !devices.is_empty());
        let groups = self.groups.take().filter(|groups| !groups.is_empty());
        let behavior = text(&mut self.instance_initiated_shutdown_behavior);
        let given = [
            (Name::SourceDestCheck, "SourceDestCheck", flag(&mut self.source_dest_check)),
            (Name::EnclaveOptions, "EnclaveOptions", enclaves.map(NewValue::Flag)),
            (Name::DisableApiStop, "DisableApiStop", flag(&mut self.disable_api_stop)),
            (Name::BlockDeviceMapping, "BlockDeviceMappings", devices.map(NewValue::Devices)),
            (Name::DisableApiTermination, "DisableApiTermination", flag(&mut self.disable_api_termination)),
            (Name::InstanceType, "InstanceType", text(&mut self.instance_type)),
            (Name::Kernel, "Kernel", text(&mut self.kernel)),
            (Name::Ramdisk, "Ramdisk", text(&mut self.ramdisk)),
            (Name::UserData, "UserData", data.map(|data| NewValue::UserData(data.to_base64().into()))),
            (Name::InstanceInitiatedShutdownBehavior, "InstanceInitiatedShutdownBehavior", behavior),
            (Name::GroupSet, "Groups", groups.map(NewValue::Groups)),
            (Name::EbsOptimized, "EbsOptimized", flag(&mut self.ebs_optimized)),
            (Name::SriovNetSupport, "SriovNetSupport", text(&mut self.sriov_net_support)),
            (Name::EnaSupport, "EnaSupport", flag(&mut self.ena_support)),
        ];
        let given = given.into_iter();
        given
            .filter_map(|(attribute, field, value)| Some(Change { attribute, field, value: value? }))
            .collect()
    }

    /// Returns the only change.
    fn read(&mut self) -> Result<Change> {
        let mut changes = self.take_changes();
        match (self.attribute.take(), self.value.take()) {
            (None, None) => {}
            (None, Some(_)) => return Err(errors::parameter_missing("attribute").with_field("Attribute")),
            (Some(attribute), value) => {
                // The name may stand beside the parameter of the same attribute.
                let has_own = changes.iter().any(|change| change.attribute == attribute);
                match value {
                    Some(_) if has_own => {
                        let error = errors::parameters_combined("value", attribute.as_str());
                        return Err(error.with_field("Value"));
                    }
                    Some(value) => {
                        let value = NewValue::parse(&attribute, &value)?;
                        changes.push(Change { attribute, field: "Value", value });
                    }
                    None if has_own => {}
                    None => return Err(errors::parameter_missing("value").with_field("Value")),
                }
            }
        }
        if changes.len() > 1 {
            let names: Vec<&str> = changes.iter().map(|change| change.attribute.as_str()).collect();
            return Err(errors::several_attributes(names.join(", ")));
        }
        changes.pop().ok_or_else(errors::no_attribute)
    }
}

impl Handler for ModifyInstanceAttribute {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        let change = self.read()?;
        let instance: Instance = network::require(cx, &self.instance_id, "InstanceId")?;
        let instance = instance.described(cx)?;
        change.check_state(&instance)?;
        let row = LaunchRow::find(cx, &instance)?.unwrap_or_else(LaunchRow::blank);
        let (mut changed, mut changed_row, field) = (instance.clone(), row.clone(), change.field);
        change.apply(cx, &mut changed, &mut changed_row).map_err(|error| match error.field() {
            None => error.with_field(field),
            Some(_) => error,
        })?;
        check_dry_run(self.dry_run)?;
        if changed_row != row {
            changed_row.save(cx, &instance)?;
        }
        if changed.security_groups != instance.security_groups {
            attach::store_groups(cx, &changed)?;
        }
        if changed != instance {
            changed.set_derived(&cx.scope().clone());
            cx.put(changed)?;
        }
        Ok(Empty {})
    }
}

impl Change {
    /// Refuses a change that the state of the instance does not allow.
    fn check_state(&self, instance: &Instance) -> Result<()> {
        let needs_stop = matches!(
            self.attribute,
            Name::InstanceType
                | Name::Kernel
                | Name::Ramdisk
                | Name::UserData
                | Name::EbsOptimized
                | Name::EnaSupport
                | Name::SriovNetSupport
                | Name::EnclaveOptions
        );
        let error = match instance.state_name() {
            Some(InstanceStateName::Stopped) => return Ok(()),
            _ if needs_stop => errors::instance_not_stopped(instance.id()),
            Some(InstanceStateName::ShuttingDown | InstanceStateName::Terminated) => {
                errors::instance_in_wrong_state(instance.id(), "modified")
            }
            _ => return Ok(()),
        };
        Err(error.with_field("InstanceId"))
    }

    /// Changes the attribute, of the instance or of the row of its launch.
    fn apply(self, cx: &mut Tx<'_>, instance: &mut Instance, row: &mut LaunchRow) -> Result<()> {
        let name = self.attribute.as_str();
        match (&self.attribute, self.value) {
            (Name::DisableApiTermination | Name::DisableApiStop, NewValue::Flag(_))
                if instance.instance_lifecycle == Some(InstanceLifecycleType::Spot) =>
            {
                return Err(errors::spot_attribute_unsupported(name));
            }
            (Name::DisableApiTermination, NewValue::Flag(value)) => row.disable_api_termination = Some(value),
            (Name::DisableApiStop, NewValue::Flag(value)) => row.disable_api_stop = Some(value),
            (Name::InstanceInitiatedShutdownBehavior, NewValue::Text(text)) => {
                let behavior = match text.as_str() {
                    "stop" => ShutdownBehavior::Stop,
                    "terminate" => ShutdownBehavior::Terminate,
                    other => {
                        let error = errors::attribute_value_invalid(other, name);
                        return Err(error.with_hint("expected stop or terminate"));
                    }
                };
                row.instance_initiated_shutdown_behavior = Some(behavior);
            }
            (_, NewValue::UserData(data)) => {
                launch::check_user_data(&data)?;
                row.seal_user_data(cx, instance, &data)?;
            }
            (Name::InstanceType, NewValue::Text(new)) => change_type(instance, new)?,
            (Name::Kernel, NewValue::Text(id)) => {
                run::check_kernel(&id)?;
                instance.kernel_id = Some(id);
            }
            (Name::Ramdisk, NewValue::Text(id)) => {
                run::check_ramdisk(&id)?;
                instance.ramdisk_id = Some(id);
            }
            (Name::SriovNetSupport, NewValue::Text(text)) => match text.as_str() {
                "simple" => instance.sriov_net_support = Some(text),
                other => {
                    return Err(errors::attribute_value_invalid(other, name).with_hint("expected simple"));
                }
            },
            (Name::EbsOptimized, NewValue::Flag(value)) => instance.ebs_optimized = Some(value),
            (Name::EnaSupport, NewValue::Flag(value)) => instance.ena_support = Some(value),
            (Name::EnclaveOptions, NewValue::Flag(value)) => {
                instance.enclave_options = Some(EnclaveOptions { enabled: Some(value) });
            }
            (Name::SourceDestCheck, NewValue::Flag(value)) => {
                instance.check_single_interface()?;
                instance.source_dest_check = Some(value);
                for interface in instance.network_interfaces.iter_mut().flatten() {
                    interface.source_dest_check = Some(value);
                }
            }
            (_, NewValue::Devices(mappings)) => devices::modify(instance, &mappings)?,
            (_, NewValue::Groups(ids)) => {
                instance.check_single_interface()?;
                let vpc = instance.vpc_id.as_deref().unwrap_or_default();
                let groups = plan::require_groups(cx, &ids, vpc, "Groups", |_| errors::networks_differ())?;
                let groups = plan::identify_groups(groups, "Groups")?;
                for interface in instance.network_interfaces.iter_mut().flatten() {
                    interface.groups = Some(groups.clone());
                }
                instance.security_groups = Some(groups);
            }
            _ => return Err(errors::attribute_not_modifiable(name).with_field("Attribute")),
        }
        Ok(())
    }
}

/// Changes the type of an instance. The processor is that of the new type.
fn change_type(instance: &mut Instance, new: Text) -> Result<()> {
    if !hardware::is_type(&new) {
        return Err(errors::instance_type_unknown(&new).with_hint("expected a type like t3.micro"));
    }
    let old = instance.instance_type.clone().unwrap_or_default();
    if hardware::architecture(&old) != hardware::architecture(&new) {
        let hint = "the architecture of an instance does not change";
        return Err(errors::instance_type_not_allowed(old, new).with_hint(hint));
    }
    if old != new {
        (instance.instance_type, instance.cpu_options) = (Some(new), None);
    }
    Ok(())
}
