//! Options of instances that a launch sets and descriptions return.

use nephos_core::{Record, Text, Timestamp, choices};

choices! {
    /// State of a feature.
    pub enum EnabledState {
        /// It is on.
        Enabled = "enabled",
        /// It is off.
        Disabled = "disabled",
    }
}

/// Processor of an instance; that of its type by default.
#[derive(Record)]
#[record(wire = "camel")]
pub struct CpuOptions {
    /// Number of cores.
    #[field(no_effect, range(1..))]
    pub(super) core_count: Option<i64>,
    /// Number of threads of a core.
    #[field(no_effect, range(1..=2))]
    pub(super) threads_per_core: Option<i64>,
    /// Encryption of the memory by AMD SEV-SNP.
    #[field(no_effect, condition = "ec2:CpuOptionsAmdSevSnp")]
    amd_sev_snp: Option<EnabledState>,
    /// Nested virtualization.
    #[field(no_effect)]
    nested_virtualization: Option<EnabledState>,
}

choices! {
    /// Use of capacity reservations.
    pub enum CapacityReservationPreference {
        /// Only in a reservation.
        CapacityReservationsOnly = "capacity-reservations-only",
        /// In any open reservation, if there is one.
        Open = "open",
        /// In no reservation.
        None = "none",
    }
}

/// Use of capacity reservations by an instance; `open` by default.
#[derive(Record)]
#[record(wire = "camel")]
pub struct CapacityReservationSpecification {
    /// Preference.
    #[field(no_effect)]
    pub(super) capacity_reservation_preference: Option<CapacityReservationPreference>,
    /// Reservation to use. There are no capacity reservations here, so it is refused.
    pub(super) capacity_reservation_target: Option<CapacityReservationTarget>,
}

/// A capacity reservation, or a group of them.
#[derive(Record)]
#[record(wire = "camel")]
pub struct CapacityReservationTarget {
    /// ID of the capacity reservation.
    pub(super) capacity_reservation_id: Option<Text>,
    /// ARN of a resource group of capacity reservations.
    pub(super) capacity_reservation_resource_group_arn: Option<Text>,
}

/// Hibernation of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct HibernationOptions {
    /// True if the instance can be stopped by hibernation.
    pub(super) configured: Option<bool>,
}

/// Nitro Enclaves of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct EnclaveOptions {
    /// True if the instance can have enclaves.
    #[field(no_effect)]
    pub(super) enabled: Option<bool>,
}

choices! {
    /// Form of the private DNS name of an instance.
    pub enum HostnameType {
        /// Made from the IPv4 address.
        IpName = "ip-name",
        /// Made from the ID of the instance.
        ResourceName = "resource-name",
    }
}

/// Private DNS names of an instance, or of the instances of a subnet.
#[derive(Record)]
#[record(wire = "camel")]
pub struct PrivateDnsNameOptions {
    /// Form of the name; `ip-name` by default.
    pub(crate) hostname_type: Option<HostnameType>,
    /// DNS A records for names made from the ID.
    #[field(no_effect)]
    pub(crate) enable_resource_name_dns_a_record: Option<bool>,
    /// DNS AAAA records for names made from the ID.
    #[field(no_effect, name = "EnableResourceNameDnsAAAARecord", wire = "enableResourceNameDnsAAAARecord")]
    pub(crate) enable_resource_name_dns_aaaa_record: Option<bool>,
}

impl PrivateDnsNameOptions {
    /// Sets what is not set to the default.
    pub(crate) fn complete(&mut self) {
        self.hostname_type.get_or_insert(HostnameType::IpName);
        self.enable_resource_name_dns_a_record.get_or_insert(false);
        self.enable_resource_name_dns_aaaa_record.get_or_insert(false);
    }
}

choices! {
    /// Weighting of the bandwidth of an instance.
    pub enum InstanceBandwidthWeighting {
        /// That of the instance type.
        Default = "default",
        /// More for the network.
        Vpc1 = "vpc-1",
        /// More for volumes.
        Ebs1 = "ebs-1",
    }
}

/// Network performance of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceNetworkPerformanceOptions {
    /// Weighting of the bandwidth; `default` by default.
    #[field(no_effect, condition = "ec2:InstanceBandwidthWeighting")]
    pub(super) bandwidth_weighting: Option<InstanceBandwidthWeighting>,
}

choices! {
    /// Tokens in requests for metadata.
    pub enum HttpTokensState {
        /// Requests may have a token.
        Optional = "optional",
        /// Requests must have a token.
        Required = "required",
    }
}

choices! {
    /// State of a change of the metadata options.
    pub enum InstanceMetadataOptionsState {
        /// It is being made.
        Pending = "pending",
        /// It was made.
        Applied = "applied",
    }
}

/// Metadata service of an instance, as it is returned.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceMetadataOptionsResponse {
    /// State of the last change.
    pub(super) state: Option<InstanceMetadataOptionsState>,
    /// Tokens in requests; `optional` by default.
    pub(super) http_tokens: Option<HttpTokensState>,
    /// Maximum number of hops of an answer with a token; 1 by default.
    pub(super) http_put_response_hop_limit: Option<i64>,
    /// Endpoint; `enabled` by default.
    pub(super) http_endpoint: Option<EnabledState>,
    /// IPv6 endpoint; `disabled` by default.
    pub(super) http_protocol_ipv6: Option<EnabledState>,
    /// Tags of the instance in the metadata; `disabled` by default.
    pub(super) instance_metadata_tags: Option<EnabledState>,
}

/// Metadata service of a new instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceMetadataOptionsRequest {
    /// Tokens in requests.
    #[field(no_effect, condition = "ec2:MetadataHttpTokens")]
    http_tokens: Option<HttpTokensState>,
    /// Maximum number of hops of an answer with a token.
    #[field(no_effect, range(1..=64), condition = "ec2:MetadataHttpPutResponseHopLimit")]
    http_put_response_hop_limit: Option<i64>,
    /// Endpoint.
    #[field(no_effect, condition = "ec2:MetadataHttpEndpoint")]
    http_endpoint: Option<EnabledState>,
    /// IPv6 endpoint.
    #[field(no_effect)]
    http_protocol_ipv6: Option<EnabledState>,
    /// Tags of the instance in the metadata.
    #[field(no_effect, condition = "ec2:InstanceMetadataTags")]
    instance_metadata_tags: Option<EnabledState>,
}

impl InstanceMetadataOptionsResponse {
    /// Sets what is not set to the default.
    pub(super) fn complete(&mut self, is_pending: bool) {
        self.state = Some(if is_pending {
            InstanceMetadataOptionsState::Pending
        } else {
            InstanceMetadataOptionsState::Applied
        });
        self.http_tokens.get_or_insert(HttpTokensState::Optional);
        self.http_put_response_hop_limit.get_or_insert(1);
        self.http_endpoint.get_or_insert(EnabledState::Enabled);
        self.http_protocol_ipv6.get_or_insert(EnabledState::Disabled);
        self.instance_metadata_tags.get_or_insert(EnabledState::Disabled);
    }
}

choices! {
    /// Maintenance of an instance by the service.
    pub enum InstanceMaintenanceState {
        /// It is not done.
        Disabled = "disabled",
        /// It is done as the instance type supports it.
        Default = "default",
    }
}

/// Maintenance of an instance, as it is returned.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceMaintenanceOptions {
    /// Recovery after a fault of the hardware; `default` by default.
    pub(super) auto_recovery: Option<InstanceMaintenanceState>,
    /// Migration at a scheduled reboot.
    pub(super) reboot_migration: Option<InstanceMaintenanceState>,
}

/// Maintenance of a new instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceMaintenanceOptionsRequest {
    /// Recovery after a fault of the hardware.
    #[field(no_effect, condition = "ec2:InstanceAutoRecovery")]
    auto_recovery: Option<InstanceMaintenanceState>,
}

/// Instance profile of an instance, as it is returned.
#[derive(Record)]
#[record(wire = "camel")]
pub struct IamInstanceProfile {
    /// ARN of the profile.
    pub(super) arn: Option<Text>,
    /// ID of the profile.
    pub(super) id: Option<Text>,
}

/// Instance profile of a new instance, by ARN or by name. Any profile is assumed to exist.
#[derive(Record)]
#[record(wire = "camel")]
pub struct IamInstanceProfileSpecification {
    /// ARN of the profile.
    #[field(no_effect, condition = "ec2:InstanceProfile")]
    pub(super) arn: Option<Text>,
    /// Name of the profile.
    #[field(no_effect)]
    pub(super) name: Option<Text>,
}

choices! {
    /// State of the detailed monitoring of an instance.
    pub enum MonitoringState {
        /// It is off.
        Disabled = "disabled",
        /// It is being switched off.
        Disabling = "disabling",
        /// It is on.
        Enabled = "enabled",
        /// It is being switched on.
        Pending = "pending",
    }
}

/// Detailed monitoring of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Monitoring {
    /// State.
    pub(super) state: Option<MonitoringState>,
}

/// Service that manages a resource for the account.
#[derive(Record)]
#[record(wire = "camel")]
pub struct OperatorResponse {
    /// True if a service manages the resource.
    pub(super) managed: Option<bool>,
    /// Principal of the service.
    pub(super) principal: Option<Text>,
    /// True if listings leave the resource out by default.
    pub(super) hidden_by_default: Option<bool>,
}

/// License configuration of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct LicenseConfiguration {
    /// ARN of the license configuration.
    pub(super) license_configuration_arn: Option<Text>,
}

choices! {
    /// Type of a product code.
    pub enum ProductCodeValues {
        /// Of DevPay.
        Devpay = "devpay",
        /// Of the marketplace.
        Marketplace = "marketplace",
    }
}

/// Product code of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct ProductCode {
    /// Product code.
    #[field(wire = "productCode")]
    product_code_id: Option<Text>,
    /// Type of the product code.
    #[field(wire = "type")]
    product_code_type: Option<ProductCodeValues>,
}

/// Elastic GPU of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct ElasticGpuAssociation {
    /// ID of the elastic GPU.
    elastic_gpu_id: Option<Text>,
    /// ID of the association.
    elastic_gpu_association_id: Option<Text>,
    /// State of the association.
    elastic_gpu_association_state: Option<Text>,
    /// Time of the association.
    elastic_gpu_association_time: Option<Text>,
}

/// Elastic inference accelerator of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct ElasticInferenceAcceleratorAssociation {
    /// ARN of the accelerator.
    elastic_inference_accelerator_arn: Option<Text>,
    /// ID of the association.
    elastic_inference_accelerator_association_id: Option<Text>,
    /// State of the association.
    elastic_inference_accelerator_association_state: Option<Text>,
    /// Time of the association.
    elastic_inference_accelerator_association_time: Option<Timestamp>,
}
