//! Parameters of a launch that descriptions do not return, or return in another form.

use super::{
    IamInstanceProfileSpecification, Instance, InstanceMaintenanceOptionsRequest,
    InstanceMetadataOptionsRequest, LicenseConfiguration,
    devices::BlockDeviceMapping,
    interfaces::{
        InstanceIpv6Address, InstanceNetworkInterfaceSpecification, InstanceSecondaryInterfaceSpecification,
    },
};
use crate::{
    errors,
    network::{Member, ids},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use nephos_cloud::{Stored as _, Tx};
use nephos_core::{
    Blob, Record, Result, Secret, Text, Timestamp, choices, field_value::FieldType, record_of,
};

pub(crate) mod attach;
pub(crate) mod plan;
pub(crate) mod run;

pub use run::*;

/// Maximum length of the user data, in bytes before the encoding.
const MAX_USER_DATA: usize = 16_384;

/// Parameters of a launch that are no fields of an instance.
#[derive(Record)]
#[record(shared)]
pub struct LaunchOptions {
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(wire = "SecurityGroupId", condition = "ec2:SecurityGroupID")]
    security_group_ids: Option<Vec<Text>>,
    /// Network interfaces, instead of a subnet, security groups and addresses of the instance.
    #[field(wire = "NetworkInterface")]
    network_interfaces: Option<Vec<InstanceNetworkInterfaceSpecification>>,
    /// Secondary network interfaces.
    #[field(wire = "SecondaryInterface")]
    secondary_interfaces: Option<Vec<InstanceSecondaryInterfaceSpecification>>,
    /// Number of IPv6 addresses of the subnet.
    #[field(range(0..))]
    ipv6_address_count: Option<i64>,
    /// IPv6 addresses.
    #[field(wire = "Ipv6Address")]
    ipv6_addresses: Option<Vec<InstanceIpv6Address>>,
    /// True if the first IPv6 address is primary.
    enable_primary_ipv6: Option<bool>,
    /// Block devices besides those of the image, or instead of them.
    #[field(wire = "BlockDeviceMapping")]
    block_device_mappings: Option<Vec<BlockDeviceMapping>>,
    /// Metadata service.
    metadata_options: Option<InstanceMetadataOptionsRequest>,
    /// Maintenance by the service.
    maintenance_options: Option<InstanceMaintenanceOptionsRequest>,
    /// Instance profile. Any profile is assumed to exist.
    #[field(wire = "iamInstanceProfile")]
    iam_instance_profile: Option<IamInstanceProfileSpecification>,
    /// Detailed monitoring.
    monitoring: Option<RunInstancesMonitoringEnabled>,
    /// Service that manages the instances.
    operator: Option<OperatorRequest>,
    /// Data for the first start, in Base64; at most 16 KiB before the encoding.
    #[field(sensitive, no_effect)]
    user_data: Option<Secret>,
    /// Reserved by the provider.
    #[field(wire = "additionalInfo", no_effect)]
    additional_info: Option<Text>,
    /// Protection from being stopped.
    disable_api_stop: Option<bool>,
    /// Protection from being terminated.
    #[field(wire = "disableApiTermination")]
    disable_api_termination: Option<bool>,
    /// Action when the instance shuts itself down; `stop` by default. Nothing runs on instances here.
    #[field(wire = "instanceInitiatedShutdownBehavior", no_effect)]
    instance_initiated_shutdown_behavior: Option<ShutdownBehavior>,
    /// Credits of a burstable instance.
    credit_specification: Option<CreditSpecification>,
    /// Market that the capacity is bought in; on demand by default.
    instance_market_options: Option<InstanceMarketOptions>,
    /// Launch template. There are none here, so every one is refused.
    launch_template: Option<LaunchTemplateSpecification>,
    /// License configurations. There are none here, so every one is refused.
    #[field(wire = "LicenseSpecification")]
    license_specifications: Option<Vec<LicenseConfiguration>>,
    /// Elastic GPUs. The provider has withdrawn them, so they are refused.
    elastic_gpu_specification: Option<Vec<ElasticGpuSpecification>>,
    /// Elastic inference accelerators. The provider has withdrawn them, so they are refused.
    #[field(wire = "ElasticInferenceAccelerator")]
    elastic_inference_accelerators: Option<Vec<ElasticInferenceAccelerator>>,
}

/// Detailed monitoring of a new instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct RunInstancesMonitoringEnabled {
    /// True for detailed monitoring.
    #[field(required)]
    pub(super) enabled: Option<bool>,
}

/// Service that manages a new instance.
#[derive(Record)]
pub struct OperatorRequest {
    /// Principal of the service.
    pub(super) principal: Option<Text>,
}

choices! {
    /// Action when an instance shuts itself down.
    pub enum ShutdownBehavior {
        /// It is stopped.
        Stop = "stop",
        /// It is terminated.
        Terminate = "terminate",
    }
}

/// Credits of a burstable instance.
#[derive(Record)]
pub struct CreditSpecification {
    /// Use of credits: `standard` or `unlimited`.
    #[field(required, no_effect)]
    cpu_credits: Option<Text>,
}

choices! {
    /// Market that capacity is bought in.
    pub enum MarketType {
        /// Spare capacity.
        Spot = "spot",
        /// A capacity block.
        CapacityBlock = "capacity-block",
        /// A capacity reservation that can be interrupted.
        InterruptibleCapacityReservation = "interruptible-capacity-reservation",
        /// On demand.
        OnDemand = "on-demand",
    }
}

choices! {
    /// Lifetime of a Spot request.
    pub enum SpotInstanceType {
        /// It ends with its instance.
        OneTime = "one-time",
        /// It replaces its instance.
        Persistent = "persistent",
    }
}

choices! {
    /// Action when a Spot instance is interrupted.
    pub enum InstanceInterruptionBehavior {
        /// It is hibernated.
        Hibernate = "hibernate",
        /// It is stopped.
        Stop = "stop",
        /// It is terminated.
        Terminate = "terminate",
    }
}

choices! {
    /// Market that an instance was bought in, unless on demand.
    pub enum InstanceLifecycleType {
        /// Spare capacity.
        Spot = "spot",
        /// A schedule.
        Scheduled = "scheduled",
        /// A capacity block.
        CapacityBlock = "capacity-block",
        /// A capacity reservation that can be interrupted.
        InterruptibleCapacityReservation = "interruptible-capacity-reservation",
    }
}

/// Market that the capacity of an instance is bought in.
#[derive(Record)]
pub struct InstanceMarketOptions {
    /// Market. There are no capacity blocks and reservations here, so they are refused.
    #[field(condition = "ec2:InstanceMarketType")]
    market_type: Option<MarketType>,
    /// Options of a Spot instance. It is never interrupted here.
    spot_options: Option<SpotMarketOptions>,
}

/// Options of a Spot instance.
#[derive(Record)]
pub struct SpotMarketOptions {
    /// Maximum price per hour.
    #[field(no_effect)]
    max_price: Option<Text>,
    /// Lifetime of the request.
    #[field(no_effect)]
    spot_instance_type: Option<SpotInstanceType>,
    /// Duration without interruption, in minutes.
    #[field(no_effect)]
    block_duration_minutes: Option<i64>,
    /// End of the request.
    #[field(no_effect)]
    valid_until: Option<Timestamp>,
    /// Action when the instance is interrupted.
    #[field(no_effect)]
    instance_interruption_behavior: Option<InstanceInterruptionBehavior>,
}

/// A launch template, by ID or by name.
#[derive(Record)]
pub struct LaunchTemplateSpecification {
    /// ID.
    launch_template_id: Option<Text>,
    /// Name.
    launch_template_name: Option<Text>,
    /// Version; the default version by default.
    version: Option<Text>,
}

/// An elastic GPU.
#[derive(Record)]
pub struct ElasticGpuSpecification {
    /// Type.
    #[field(required)]
    r#type: Option<Text>,
}

/// Elastic inference accelerators of a type.
#[derive(Record)]
pub struct ElasticInferenceAccelerator {
    /// Type.
    #[field(required)]
    r#type: Option<Text>,
    /// Number; 1 by default.
    #[field(range(1..))]
    count: Option<i64>,
}

/// Row of what a launch set and descriptions do not return. There is none if nothing of it was set.
#[record_of(
    of = LaunchOptions, row,
    takes(
        block_device_mappings, additional_info, disable_api_stop, disable_api_termination,
        instance_initiated_shutdown_behavior, credit_specification, instance_market_options
    )
)]
pub(crate) struct LaunchRow {
    /// ID of the instance.
    instance_id: Option<Text>,
    /// Public address of the primary network interface.
    associate_public_ip_address: Option<bool>,
    /// Data for the first start, sealed: they often contain passwords.
    sealed_user_data: Option<Blob>,
}

nephos_cloud::stored!(LaunchRow in "ec2/launch" by instance_id);

impl LaunchRow {
    /// Finds the row of an instance.
    pub(super) fn find(cx: &Tx<'_>, instance: &Instance) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(instance.id()))
    }

    /// Removes the row of an instance, if there is one.
    pub(super) fn remove(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
        Self::find(cx, instance)?.map_or(Ok(()), |row| cx.remove(&row))
    }

    /// Stores the row of a new instance, unless nothing is set.
    pub(super) fn put(
        mut self,
        cx: &mut Tx<'_>,
        instance: &Instance,
        user_data: Option<&Secret>,
    ) -> Result<()> {
        if let Some(data) = user_data {
            self.seal_user_data(cx, instance, data)?;
        }
        if self == Self::blank() { Ok(()) } else { self.save(cx, instance) }
    }

    /// Stores the row of an instance, or removes it if nothing is set.
    pub(super) fn save(mut self, cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
        self.instance_id = None;
        if self == Self::blank() {
            return Self::remove(cx, instance);
        }
        self.instance_id.clone_from(&instance.instance_id);
        cx.put(self)
    }

    /// Sets the user data, sealed; none if they are empty.
    pub(super) fn seal_user_data(
        &mut self,
        cx: &mut Tx<'_>,
        instance: &Instance,
        data: &Secret,
    ) -> Result<()> {
        self.sealed_user_data = match data.expose().as_bytes() {
            b"" => None,
            data => Some(cx.seal(&[Self::TABLE, instance.id()], data)?),
        };
        Ok(())
    }

    /// Opens the user data, if there are any.
    pub(super) fn open_user_data(&self, cx: &Tx<'_>, instance: &Instance) -> Result<Option<Secret>> {
        let Some(sealed) = &self.sealed_user_data else { return Ok(None) };
        let data = cx.open(&[Self::TABLE, instance.id()], sealed)?;
        Ok(Some(String::from_utf8_lossy(&data).as_ref().into()))
    }
}

/// Refuses a launch template: there are none.
pub(super) fn check_template(template: &LaunchTemplateSpecification) -> Result<()> {
    let error = match (&template.launch_template_id, &template.launch_template_name) {
        (Some(id), None) => {
            ids::check(id, "lt", errors::launch_template_malformed)?;
            errors::launch_template_not_found(id)
        }
        (None, Some(name)) => errors::launch_template_name_not_found(name),
        _ => errors::launch_template_unclear(),
    };
    Err(error.with_field("LaunchTemplate"))
}

/// Refuses user data that are too long or not in Base64.
pub(super) fn check_user_data(data: &Secret) -> Result<()> {
    let encoded: String = data.expose().split_ascii_whitespace().collect();
    match BASE64_STANDARD.decode(encoded) {
        Ok(data) if data.len() > MAX_USER_DATA => Err(errors::user_data_too_long()),
        Ok(_) => Ok(()),
        Err(_) => Err(errors::user_data_malformed()),
    }
}

/// Refuses a use of credits that does not exist.
pub(super) fn check_credits(credits: &CreditSpecification) -> Result<()> {
    match credits.cpu_credits.as_deref() {
        Some("standard" | "unlimited") => Ok(()),
        other => Err(errors::cpu_credits_unknown(other.unwrap_or_default())
            .with_hint("expected standard or unlimited")
            .with_field("CreditSpecification.CpuCredits")),
    }
}

/// Returns the market that an instance is bought in, unless on demand.
pub(super) fn read_market(options: &InstanceMarketOptions) -> Result<Option<InstanceLifecycleType>> {
    let is_spot = options.market_type == Some(MarketType::Spot);
    if options.spot_options.is_some() && !is_spot {
        return Err(errors::spot_options_without_spot().with_field("InstanceMarketOptions.SpotOptions"));
    }
    match options.market_type {
        Some(MarketType::CapacityBlock | MarketType::InterruptibleCapacityReservation) => {
            Err(errors::no_reserved_capacity().with_field("InstanceMarketOptions.MarketType"))
        }
        _ => Ok(is_spot.then_some(InstanceLifecycleType::Spot)),
    }
}
