//! Instances: machines in a subnet. They have states, addresses and security groups, but nothing runs on them.

use super::{
    Tag, errors,
    network::Member,
    security_group::SecurityGroup,
    subnet::Subnet,
    vpc::{Tenancy, Vpc},
};
use nephos_cloud::{Filterable, Scope, Tx};
use nephos_core::{Choice as _, Error, Record, Resource, Result, Slot, Text, Timestamp, choices};

mod attributes;
mod derived;
mod devices;
pub(crate) mod hardware;
mod interfaces;
mod launch;
mod operations;
mod options;
pub(crate) mod states;

pub use attributes::*;
pub use devices::*;
pub use hardware::*;
pub use interfaces::*;
pub(crate) use launch::LaunchRow;
pub use launch::*;
pub use operations::*;
pub use options::*;
pub(crate) use states::InstanceRemoval;
pub use states::*;

choices! {
    /// State of an instance.
    pub enum InstanceStateName {
        /// It is starting.
        Pending = "pending",
        /// It is running.
        Running = "running",
        /// It is being terminated.
        ShuttingDown = "shutting-down",
        /// It was terminated, and is listed for another hour.
        Terminated = "terminated",
        /// It is stopping.
        Stopping = "stopping",
        /// It is stopped and can be started.
        Stopped = "stopped",
    }
}

/// State of an instance, as a number and a name.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceState {
    /// Number of the state.
    code: Option<i64>,
    /// Name of the state.
    name: Option<InstanceStateName>,
}

impl From<InstanceStateName> for InstanceState {
    fn from(name: InstanceStateName) -> Self {
        let code = match name {
            InstanceStateName::Pending => Some(0),
            InstanceStateName::Running => Some(16),
            InstanceStateName::ShuttingDown => Some(32),
            InstanceStateName::Terminated => Some(48),
            InstanceStateName::Stopping => Some(64),
            InstanceStateName::Stopped => Some(80),
            InstanceStateName::Unknown(_) => None,
        };
        Self { code, name: Some(name) }
    }
}

/// Reason for the state of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct StateReason {
    /// Code of the reason.
    code: Option<Text>,
    /// Text of the reason.
    message: Option<Text>,
}

/// Placement of an instance: its zone and hardware.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Placement {
    /// ID of the zone.
    availability_zone_id: Option<Text>,
    /// Affinity to a dedicated host. There are none here, so it is refused.
    affinity: Option<Text>,
    /// Name of a placement group. There are none here, so it is refused.
    group_name: Option<Text>,
    /// Number of a partition of the placement group; refused without one.
    partition_number: Option<i64>,
    /// ID of a dedicated host. There are none here, so it is refused.
    host_id: Option<Text>,
    /// Hardware that the instance runs on.
    #[field(condition = "ec2:Tenancy")]
    tenancy: Option<Tenancy>,
    /// Reserved by the provider.
    #[field(no_effect)]
    spread_domain: Option<Text>,
    /// ARN of a group of dedicated hosts. There are none here, so it is refused.
    host_resource_group_arn: Option<Text>,
    /// ID of a placement group. There are none here, so it is refused.
    group_id: Option<Text>,
    /// Name of the zone.
    #[field(condition = "ec2:AvailabilityZone")]
    availability_zone: Option<Text>,
}

/// A security group by ID and name.
#[derive(Record)]
#[record(wire = "camel")]
pub struct GroupIdentifier {
    /// ID.
    group_id: Option<Text>,
    /// Name.
    group_name: Option<Text>,
}

choices! {
    /// Status of a network interface.
    pub enum NetworkInterfaceStatus {
        /// It is not attached.
        Available = "available",
        /// It is associated with something.
        Associated = "associated",
        /// It is being attached.
        Attaching = "attaching",
        /// It is attached.
        InUse = "in-use",
        /// It is being detached.
        Detaching = "detaching",
    }
}

/// An instance.
#[derive(Resource)]
#[resource(
    wire = "camel", arn("instance/{InstanceId}"), pk = "InstanceId", exists_if = "InstanceId", tags = "Tags",
    not_found = |id| errors::instance_not_found(id),
    relation(subnet, one = Subnet, with = operations::subnet_of),
    relation(vpc, one = Vpc, with = operations::vpc_of),
    relation(groups, many = SecurityGroup, with = operations::groups_of)
)]
pub struct Instance {
    /// ID.
    #[field(service_set)]
    instance_id: Option<Text>,
    /// ID of the image; any ID of the right form is accepted.
    #[field(required, fixed, condition = "ec2:ImageID")]
    image_id: Option<Text>,
    /// Type of the machine; `m1.small` by default.
    #[field(fixed, condition = "ec2:InstanceType")]
    instance_type: Option<Text>,
    /// Name of the key pair.
    #[field(fixed, length(1..=255), condition = "ec2:KeyPairName")]
    key_name: Option<Text>,
    /// ID of the subnet; a default subnet by default.
    #[field(fixed, condition = "ec2:SubnetID")]
    subnet_id: Option<Text>,
    /// Address in the subnet; a free one by default.
    #[field(fixed)]
    private_ip_address: Option<Text>,
    /// Zone and hardware.
    #[field(fixed)]
    placement: Option<Placement>,
    /// Bandwidth of its own for volumes.
    #[field(fixed, no_effect, condition = "ec2:EbsOptimized")]
    ebs_optimized: Option<bool>,
    /// ID of the kernel.
    #[field(fixed, no_effect)]
    kernel_id: Option<Text>,
    /// ID of the RAM disk.
    #[field(fixed, no_effect)]
    ramdisk_id: Option<Text>,
    /// Processor; that of the instance type by default.
    #[field(fixed)]
    cpu_options: Option<CpuOptions>,
    /// Use of capacity reservations.
    #[field(fixed)]
    capacity_reservation_specification: Option<CapacityReservationSpecification>,
    /// Hibernation.
    #[field(fixed)]
    hibernation_options: Option<HibernationOptions>,
    /// Nitro Enclaves.
    #[field(fixed)]
    enclave_options: Option<EnclaveOptions>,
    /// Private DNS names.
    #[field(fixed)]
    private_dns_name_options: Option<PrivateDnsNameOptions>,
    /// Network performance.
    #[field(fixed)]
    network_performance_options: Option<InstanceNetworkPerformanceOptions>,
    /// Metadata service.
    #[field(service_set)]
    metadata_options: Option<InstanceMetadataOptionsResponse>,
    /// Maintenance by the service.
    #[field(service_set)]
    maintenance_options: Option<InstanceMaintenanceOptions>,
    /// Instance profile.
    #[field(service_set)]
    iam_instance_profile: Option<IamInstanceProfile>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// State.
    #[field(service_set, wire = "instanceState")]
    state: Option<InstanceState>,
    /// Reason for the state.
    #[field(service_set)]
    state_reason: Option<StateReason>,
    /// Cause and time of the last change of state.
    #[field(service_set, wire = "reason")]
    state_transition_reason: Option<Text>,
    /// Security groups.
    #[field(service_set, wire = "groupSet")]
    security_groups: Option<Vec<GroupIdentifier>>,
    /// ID of the VPC.
    #[field(service_set)]
    vpc_id: Option<Text>,
    /// DNS name of the address.
    #[field(service_set)]
    private_dns_name: Option<Text>,
    /// Public address; only while the instance is running.
    #[field(service_set, wire = "ipAddress")]
    public_ip_address: Option<Text>,
    /// DNS name of the public address.
    #[field(service_set, wire = "dnsName")]
    public_dns_name: Option<Text>,
    /// Time of the last start.
    #[field(service_set)]
    launch_time: Option<Timestamp>,
    /// Index among the instances of the reservation.
    #[field(service_set)]
    ami_launch_index: Option<i64>,
    /// Idempotency token of the call that ran the instance.
    #[field(service_set)]
    client_token: Option<Text>,
    /// Network interfaces.
    #[field(service_set, wire = "networkInterfaceSet")]
    network_interfaces: Option<Vec<InstanceNetworkInterface>>,
    /// Block devices.
    #[field(service_set, wire = "blockDeviceMapping")]
    block_device_mappings: Option<Vec<InstanceBlockDeviceMapping>>,
    /// Device of the root volume.
    #[field(service_set)]
    root_device_name: Option<Text>,
    /// Type of the root device.
    #[field(service_set)]
    root_device_type: Option<DeviceType>,
    /// Architecture of the processor.
    #[field(service_set)]
    architecture: Option<ArchitectureValues>,
    /// Hypervisor.
    #[field(service_set)]
    hypervisor: Option<HypervisorType>,
    /// Virtualization.
    #[field(service_set)]
    virtualization_type: Option<VirtualizationType>,
    /// Enhanced networking with ENA.
    #[field(service_set)]
    ena_support: Option<bool>,
    /// Enhanced networking with an Intel interface.
    #[field(service_set)]
    sriov_net_support: Option<Text>,
    /// Check of source and destination addresses.
    #[field(service_set)]
    source_dest_check: Option<bool>,
    /// Detailed monitoring.
    #[field(service_set)]
    monitoring: Option<Monitoring>,
    /// First IPv6 address.
    #[field(service_set)]
    ipv6_address: Option<Text>,
    /// Secondary network interfaces.
    #[field(service_set, wire = "secondaryInterfaceSet")]
    secondary_interfaces: Option<Vec<InstanceSecondaryInterface>>,
    /// Market that the instance was bought in, unless on demand.
    #[field(service_set)]
    instance_lifecycle: Option<InstanceLifecycleType>,
    /// ID of the Spot request.
    #[field(service_set)]
    spot_instance_request_id: Option<Text>,
    /// ID of the capacity block.
    #[field(service_set)]
    capacity_block_id: Option<Text>,
    /// ID of the capacity reservation.
    #[field(service_set)]
    capacity_reservation_id: Option<Text>,
    /// Elastic GPUs.
    #[field(service_set, wire = "elasticGpuAssociationSet")]
    elastic_gpu_associations: Option<Vec<ElasticGpuAssociation>>,
    /// Elastic inference accelerators.
    #[field(service_set, wire = "elasticInferenceAcceleratorAssociationSet")]
    elastic_inference_accelerator_associations: Option<Vec<ElasticInferenceAcceleratorAssociation>>,
    /// License configurations.
    #[field(service_set, wire = "licenseSet")]
    licenses: Option<Vec<LicenseConfiguration>>,
    /// Product codes.
    #[field(service_set)]
    product_codes: Option<Vec<ProductCode>>,
    /// Platform, unless it is Linux.
    #[field(service_set)]
    platform: Option<PlatformValues>,
    /// Platform, for the bill.
    #[field(service_set)]
    platform_details: Option<Text>,
    /// Operation, for the bill.
    #[field(service_set)]
    usage_operation: Option<Text>,
    /// Time since which the operation is billed.
    #[field(service_set)]
    usage_operation_update_time: Option<Timestamp>,
    /// Boot mode of the image.
    #[field(service_set)]
    boot_mode: Option<BootModeValues>,
    /// Boot mode.
    #[field(service_set)]
    current_instance_boot_mode: Option<InstanceBootModeValues>,
    /// Version of the trusted platform module.
    #[field(service_set)]
    tpm_support: Option<Text>,
    /// ARN of the Outpost.
    #[field(service_set)]
    outpost_arn: Option<Text>,
    /// Service that manages the instance.
    #[field(service_set)]
    operator: Option<OperatorResponse>,
    /// ID of the reservation.
    #[field(service_set, not_on_wire)]
    reservation_id: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored! {
    Instance in "ec2/instance" by instance_id;
    derived(
        private_dns_name, public_dns_name, root_device_type, architecture, hypervisor, virtualization_type,
        platform_details, usage_operation, current_instance_boot_mode, product_codes
    ) => set_derived
}

impl Instance {
    /// Name of the state.
    pub fn state_name(&self) -> Option<&InstanceStateName> {
        self.state.as_ref().and_then(|state| state.name.as_ref())
    }

    /// Name of the state as a text: `running`, for example.
    pub fn state_text(&self) -> &str {
        self.state_name().map_or("", |state| state.as_str())
    }
}

impl Member for Instance {
    type Described = Self;

    const ID_PREFIX: &'static str = "i";
    const MALFORMED: fn(&str) -> Error = |id| errors::instance_malformed(id);

    fn id(&self) -> &str {
        self.instance_id.as_deref().unwrap_or_default()
    }

    fn condition_values(&self, _scope: &Scope) -> Vec<(&'static str, Option<Text>)> {
        let zone = self.placement.as_ref().and_then(|placement| placement.availability_zone.clone());
        vec![
            ("ec2:InstanceID", self.instance_id.clone()),
            ("ec2:InstanceType", self.instance_type.clone()),
            ("ec2:AvailabilityZone", zone),
        ]
    }

    fn described(mut self, cx: &Tx<'_>) -> Result<Self> {
        if self.network_interfaces.is_none() {
            self.network_interfaces = Some(self.find_interfaces(cx)?);
            self.set_derived(cx.scope());
        }
        Ok(self)
    }
}

impl Filterable for Instance {
    const FILTERS: &'static [(&'static str, &'static str)] = derived::FILTERS;
}
