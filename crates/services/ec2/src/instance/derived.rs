//! Fields of instances that follow from others, and the filters of instances.

use super::{
    ArchitectureValues, AttachmentStatus, CapacityReservationPreference, CapacityReservationSpecification,
    CpuOptions, DeviceType, EnclaveOptions, HibernationOptions, HostnameType, HypervisorType, Instance,
    InstanceBandwidthWeighting, InstanceBootModeValues, InstanceMaintenanceOptions, InstanceMaintenanceState,
    InstanceMetadataOptionsResponse, InstanceNetworkInterface, InstanceNetworkInterfaceAssociation,
    InstanceNetworkPerformanceOptions, InstancePrivateIpAddress, InstanceStateName, Monitoring,
    MonitoringState, NetworkInterfaceStatus, OperatorResponse, PrivateDnsNameOptions, StateReason,
    VirtualizationType, devices, hardware, launch::run::DEFAULT_TYPE,
};
use crate::{
    network::{self, interface},
    subnet::Subnet,
};
use nephos_cloud::{Scope, Tx};
use nephos_core::{Result, Text, field_value::FieldType};

/// Makes a DNS name from an address: `ip-10-0-0-4.ec2.internal`.
fn dns_name(address: &str, prefix: &str, suffix: &str) -> Text {
    [prefix, "-", &address.replace('.', "-"), suffix].concat().into()
}

impl Instance {
    /// Sets the fields that are derived from other fields and the scope.
    pub(super) fn set_derived(&mut self, scope: &Scope) {
        self.set_hardware();
        self.set_options();
        let is_pending = self.state_name() == Some(&InstanceStateName::Pending);
        let pending = Some(Text::new("pending"));
        if is_pending {
            self.state_reason = Some(StateReason { code: pending.clone(), message: pending });
        } else if self.state_reason.as_ref().is_some_and(|reason| reason.code == pending) {
            self.state_reason = None;
        }
        self.metadata_options.get_or_insert_with(InstanceMetadataOptionsResponse::blank).complete(is_pending);
        let monitoring = self.monitoring.get_or_insert_with(Monitoring::blank);
        monitoring.state = Some(match (&monitoring.state, is_pending) {
            (Some(MonitoringState::Enabled | MonitoringState::Pending), true) => MonitoringState::Pending,
            (Some(MonitoringState::Enabled | MonitoringState::Pending), false) => MonitoringState::Enabled,
            _ => MonitoringState::Disabled,
        });
        self.set_names(scope);
        let status = if is_pending { AttachmentStatus::Attaching } else { AttachmentStatus::Attached };
        for device in self.block_device_mappings.iter_mut().flatten() {
            device.ebs.iter_mut().for_each(|volume| volume.status = Some(status.clone()));
        }
        for interface in self.network_interfaces.iter_mut().flatten() {
            interface.attachment.iter_mut().for_each(|attachment| attachment.status = Some(status.clone()));
        }
    }

    /// Sets what follows from the instance type.
    fn set_hardware(&mut self) {
        let instance_type = self.instance_type.as_deref().unwrap_or(DEFAULT_TYPE);
        let architecture = hardware::architecture(instance_type);
        let (cores, threads) = hardware::cores(instance_type);
        let cpu = self.cpu_options.get_or_insert_with(CpuOptions::blank);
        cpu.core_count.get_or_insert(cores);
        cpu.threads_per_core.get_or_insert(threads);
        self.current_instance_boot_mode = Some(match architecture {
            ArchitectureValues::X8664 => InstanceBootModeValues::LegacyBios,
            _ => InstanceBootModeValues::Uefi,
        });
        self.architecture = Some(architecture);
        self.hypervisor = Some(HypervisorType::Xen);
        self.virtualization_type = Some(VirtualizationType::Hvm);
        self.ena_support.get_or_insert(true);
        self.root_device_name.get_or_insert_with(|| devices::ROOT_DEVICES[0].into());
        self.root_device_type = Some(DeviceType::Ebs);
        (self.platform_details, self.usage_operation) =
            (Some("Linux/UNIX".into()), Some("RunInstances".into()));
        self.product_codes = Some(Vec::new());
    }

    /// Sets options that the launch did not set to their defaults.
    fn set_options(&mut self) {
        self.ebs_optimized.get_or_insert(false);
        self.block_device_mappings.get_or_insert_default();
        if self.network_interfaces.as_ref().is_some_and(|interfaces| !interfaces.is_empty()) {
            self.source_dest_check.get_or_insert(true);
        }
        self.usage_operation_update_time = self.usage_operation_update_time.or(self.launch_time);
        let reservation = self
            .capacity_reservation_specification
            .get_or_insert_with(CapacityReservationSpecification::blank);
        reservation.capacity_reservation_preference.get_or_insert(CapacityReservationPreference::Open);
        self.hibernation_options
            .get_or_insert_with(HibernationOptions::blank)
            .configured
            .get_or_insert(false);
        self.enclave_options.get_or_insert_with(EnclaveOptions::blank).enabled.get_or_insert(false);
        self.private_dns_name_options.get_or_insert_with(PrivateDnsNameOptions::blank).complete();
        let performance =
            self.network_performance_options.get_or_insert_with(InstanceNetworkPerformanceOptions::blank);
        performance.bandwidth_weighting.get_or_insert(InstanceBandwidthWeighting::Default);
        let maintenance = self.maintenance_options.get_or_insert_with(InstanceMaintenanceOptions::blank);
        maintenance.auto_recovery.get_or_insert(InstanceMaintenanceState::Default);
        maintenance.reboot_migration.get_or_insert(InstanceMaintenanceState::Default);
        let operator = self.operator.get_or_insert_with(OperatorResponse::blank);
        operator.managed.get_or_insert(false);
    }

    /// Sets the DNS names, and the public address of the network interface.
    fn set_names(&mut self, scope: &Scope) {
        let (private, public) = match scope.region() {
            "us-east-1" => (".ec2.internal".to_owned(), ".compute-1.amazonaws.com".to_owned()),
            region => (format!(".{region}.compute.internal"), format!(".{region}.compute.amazonaws.com")),
        };
        let hostname =
            self.private_dns_name_options.as_ref().and_then(|options| options.hostname_type.as_ref());
        let by_id = hostname == Some(&HostnameType::ResourceName);
        self.private_dns_name = match &self.instance_id {
            Some(id) if by_id && self.subnet_id.is_some() => Some([id, private.as_str()].concat().into()),
            _ => self.private_ip_address.as_deref().map(|address| dns_name(address, "ip", &private)),
        };
        self.public_dns_name =
            self.public_ip_address.as_deref().map(|address| dns_name(address, "ec2", &public));
        let association =
            self.public_ip_address.as_ref().map(|address| InstanceNetworkInterfaceAssociation {
                ip_owner_id: Some("amazon".into()),
                public_dns_name: self.public_dns_name.clone(),
                public_ip: Some(address.clone()),
                ..InstanceNetworkInterfaceAssociation::blank()
            });
        for (n, interface) in self.network_interfaces.iter_mut().flatten().enumerate() {
            interface.association = association.clone().filter(|_| n == 0);
            for address in interface.private_ip_addresses.iter_mut().flatten() {
                let is_primary = n == 0 && address.primary == Some(true);
                address.association = association.clone().filter(|_| is_primary);
                address.private_dns_name = if is_primary {
                    self.private_dns_name.clone()
                } else {
                    address.private_ip_address.as_deref().map(|text| dns_name(text, "ip", &private))
                };
            }
            let first = interface.private_ip_addresses.iter().flatten().next();
            interface.private_dns_name = first.and_then(|address| address.private_dns_name.clone());
        }
    }

    /// Finds the network interface of an instance of an earlier version, which did not store it with the instance.
    pub(super) fn find_interfaces(&self, cx: &Tx<'_>) -> Result<Vec<InstanceNetworkInterface>> {
        let (Some(subnet), Some(address)) = (&self.subnet_id, &self.private_ip_address) else {
            return Ok(Vec::new());
        };
        let Some(subnet) = network::find::<Subnet>(cx, subnet)? else { return Ok(Vec::new()) };
        let found = interface::find(cx, &subnet, address)?.map(|row| {
            let mut interface = InstanceNetworkInterface::blank();
            interface.groups.clone_from(&self.security_groups);
            interface.network_interface_id = row.network_interface_id;
            interface.owner_id = Some(cx.scope().account().into());
            interface.private_ip_address.clone_from(&self.private_ip_address);
            let mut address = InstancePrivateIpAddress::blank();
            (address.primary, address.private_ip_address) = (Some(true), self.private_ip_address.clone());
            interface.private_ip_addresses = Some(vec![address]);
            interface.status = Some(NetworkInterfaceStatus::InUse);
            (interface.subnet_id, interface.vpc_id) = (self.subnet_id.clone(), self.vpc_id.clone());
            interface
        });
        Ok(found.into_iter().collect())
    }
}

/// Names of filters, and the paths of the fields that they match.
pub(super) const FILTERS: &[(&str, &str)] = &[
    ("affinity", "Placement.Affinity"),
    ("architecture", "Architecture"),
    ("availability-zone", "Placement.AvailabilityZone"),
    ("availability-zone-id", "Placement.AvailabilityZoneId"),
    ("block-device-mapping.attach-time", "BlockDeviceMappings.Ebs.AttachTime"),
    ("block-device-mapping.delete-on-termination", "BlockDeviceMappings.Ebs.DeleteOnTermination"),
    ("block-device-mapping.device-name", "BlockDeviceMappings.DeviceName"),
    ("block-device-mapping.status", "BlockDeviceMappings.Ebs.Status"),
    ("block-device-mapping.volume-id", "BlockDeviceMappings.Ebs.VolumeId"),
    ("boot-mode", "BootMode"),
    ("capacity-reservation-id", "CapacityReservationId"),
    (
        "capacity-reservation-specification.capacity-reservation-preference",
        "CapacityReservationSpecification.CapacityReservationPreference",
    ),
    ("client-token", "ClientToken"),
    ("current-instance-boot-mode", "CurrentInstanceBootMode"),
    ("dns-name", "PublicDnsName"),
    ("ebs-optimized", "EbsOptimized"),
    ("ena-support", "EnaSupport"),
    ("enclave-options.enabled", "EnclaveOptions.Enabled"),
    ("hibernation-options.configured", "HibernationOptions.Configured"),
    ("host-id", "Placement.HostId"),
    ("hypervisor", "Hypervisor"),
    ("iam-instance-profile.arn", "IamInstanceProfile.Arn"),
    ("iam-instance-profile.id", "IamInstanceProfile.Id"),
    ("image-id", "ImageId"),
    ("instance-id", "InstanceId"),
    ("instance-lifecycle", "InstanceLifecycle"),
    ("instance-state-code", "State.Code"),
    ("instance-state-name", "State.Name"),
    ("instance-type", "InstanceType"),
    ("instance.group-id", "SecurityGroups.GroupId"),
    ("instance.group-name", "SecurityGroups.GroupName"),
    ("ip-address", "PublicIpAddress"),
    ("ipv6-address", "Ipv6Address"),
    ("kernel-id", "KernelId"),
    ("key-name", "KeyName"),
    ("launch-index", "AmiLaunchIndex"),
    ("launch-time", "LaunchTime"),
    ("maintenance-options.auto-recovery", "MaintenanceOptions.AutoRecovery"),
    ("metadata-options.http-endpoint", "MetadataOptions.HttpEndpoint"),
    ("metadata-options.http-protocol-ipv6", "MetadataOptions.HttpProtocolIpv6"),
    ("metadata-options.http-put-response-hop-limit", "MetadataOptions.HttpPutResponseHopLimit"),
    ("metadata-options.http-tokens", "MetadataOptions.HttpTokens"),
    ("metadata-options.instance-metadata-tags", "MetadataOptions.InstanceMetadataTags"),
    ("metadata-options.state", "MetadataOptions.State"),
    ("monitoring-state", "Monitoring.State"),
    (
        "network-interface.addresses.association.ip-owner-id",
        "NetworkInterfaces.PrivateIpAddresses.Association.IpOwnerId",
    ),
    (
        "network-interface.addresses.association.public-ip",
        "NetworkInterfaces.PrivateIpAddresses.Association.PublicIp",
    ),
    ("network-interface.addresses.primary", "NetworkInterfaces.PrivateIpAddresses.Primary"),
    (
        "network-interface.addresses.private-ip-address",
        "NetworkInterfaces.PrivateIpAddresses.PrivateIpAddress",
    ),
    ("network-interface.association.ip-owner-id", "NetworkInterfaces.Association.IpOwnerId"),
    ("network-interface.association.public-ip", "NetworkInterfaces.Association.PublicIp"),
    ("network-interface.attachment.attach-time", "NetworkInterfaces.Attachment.AttachTime"),
    ("network-interface.attachment.attachment-id", "NetworkInterfaces.Attachment.AttachmentId"),
    (
        "network-interface.attachment.delete-on-termination",
        "NetworkInterfaces.Attachment.DeleteOnTermination",
    ),
    ("network-interface.attachment.device-index", "NetworkInterfaces.Attachment.DeviceIndex"),
    ("network-interface.attachment.status", "NetworkInterfaces.Attachment.Status"),
    ("network-interface.description", "NetworkInterfaces.Description"),
    ("network-interface.group-id", "NetworkInterfaces.Groups.GroupId"),
    ("network-interface.group-name", "NetworkInterfaces.Groups.GroupName"),
    ("network-interface.ipv6-addresses.ipv6-address", "NetworkInterfaces.Ipv6Addresses.Ipv6Address"),
    ("network-interface.mac-address", "NetworkInterfaces.MacAddress"),
    ("network-interface.network-interface-id", "NetworkInterfaces.NetworkInterfaceId"),
    ("network-interface.owner-id", "NetworkInterfaces.OwnerId"),
    ("network-interface.private-dns-name", "NetworkInterfaces.PrivateDnsName"),
    ("network-interface.private-ip-address", "NetworkInterfaces.PrivateIpAddress"),
    ("network-interface.source-dest-check", "NetworkInterfaces.SourceDestCheck"),
    ("network-interface.status", "NetworkInterfaces.Status"),
    ("network-interface.subnet-id", "NetworkInterfaces.SubnetId"),
    ("network-interface.vpc-id", "NetworkInterfaces.VpcId"),
    ("network-performance-options.bandwidth-weighting", "NetworkPerformanceOptions.BandwidthWeighting"),
    ("operator.managed", "Operator.Managed"),
    ("operator.principal", "Operator.Principal"),
    ("placement-group-name", "Placement.GroupName"),
    ("placement-partition-number", "Placement.PartitionNumber"),
    ("platform", "Platform"),
    ("platform-details", "PlatformDetails"),
    ("private-dns-name", "PrivateDnsName"),
    (
        "private-dns-name-options.enable-resource-name-dns-a-record",
        "PrivateDnsNameOptions.EnableResourceNameDnsARecord",
    ),
    (
        "private-dns-name-options.enable-resource-name-dns-aaaa-record",
        "PrivateDnsNameOptions.EnableResourceNameDnsAAAARecord",
    ),
    ("private-dns-name-options.hostname-type", "PrivateDnsNameOptions.HostnameType"),
    ("private-ip-address", "PrivateIpAddress"),
    ("ramdisk-id", "RamdiskId"),
    ("reason", "StateTransitionReason"),
    ("reservation-id", "ReservationId"),
    ("root-device-name", "RootDeviceName"),
    ("root-device-type", "RootDeviceType"),
    ("source-dest-check", "SourceDestCheck"),
    ("spot-instance-request-id", "SpotInstanceRequestId"),
    ("state-reason-code", "StateReason.Code"),
    ("state-reason-message", "StateReason.Message"),
    ("subnet-id", "SubnetId"),
    ("tenancy", "Placement.Tenancy"),
    ("tpm-support", "TpmSupport"),
    ("usage-operation", "UsageOperation"),
    ("usage-operation-update-time", "UsageOperationUpdateTime"),
    ("virtualization-type", "VirtualizationType"),
    ("vpc-id", "VpcId"),
];
