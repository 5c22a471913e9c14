//! Network interfaces of instances: those of a launch, and as they are described.

use super::{GroupIdentifier, NetworkInterfaceStatus, OperatorResponse};
use nephos_core::{Record, Text, Timestamp, choices};

choices! {
    /// Status of an attachment.
    pub enum AttachmentStatus {
        /// It is being attached.
        Attaching = "attaching",
        /// It is attached.
        Attached = "attached",
        /// It is being detached.
        Detaching = "detaching",
        /// It was detached.
        Detached = "detached",
    }
}

/// A network interface of a new instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceNetworkInterfaceSpecification {
    /// Public address; as the subnet says by default. Only if the instance has one network interface.
    #[field(condition = "ec2:AssociatePublicIpAddress")]
    pub(super) associate_public_ip_address: Option<bool>,
    /// Deletion with the instance; true by default. Here interfaces are always deleted with their instance.
    #[field(no_effect)]
    pub(super) delete_on_termination: Option<bool>,
    /// Description.
    #[field(no_effect)]
    pub(super) description: Option<Text>,
    /// Index of the device; the primary network interface has 0.
    #[field(range(0..))]
    pub(super) device_index: Option<i64>,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(wire = "SecurityGroupId", condition = "ec2:SecurityGroupID")]
    pub(super) groups: Option<Vec<Text>>,
    /// Number of IPv6 addresses of the subnet.
    #[field(range(0..))]
    pub(super) ipv6_address_count: Option<i64>,
    /// IPv6 addresses.
    #[field(wire = "Ipv6Addresses")]
    pub(super) ipv6_addresses: Option<Vec<InstanceIpv6Address>>,
    /// ID of an existing network interface. There are none without an instance here, so it is refused.
    pub(super) network_interface_id: Option<Text>,
    /// Address in the subnet; a free one by default.
    pub(super) private_ip_address: Option<Text>,
    /// Addresses in the subnet, of which one may be primary.
    #[field(wire = "PrivateIpAddresses")]
    pub(super) private_ip_addresses: Option<Vec<PrivateIpAddressSpecification>>,
    /// Number of addresses besides the primary one.
    #[field(range(0..))]
    pub(super) secondary_private_ip_address_count: Option<i64>,
    /// ID of the subnet; a default subnet by default.
    #[field(condition = "ec2:SubnetID")]
    pub(super) subnet_id: Option<Text>,
    /// Address of a carrier. There are no Wavelength Zones here, so true is refused.
    #[field(wire = "AssociateCarrierIpAddress")]
    pub(super) associate_carrier_ip_address: Option<bool>,
    /// Type; `interface` by default.
    #[field(wire = "InterfaceType", no_effect)]
    pub(super) interface_type: Option<Text>,
    /// Index of the network card; 0 by default.
    #[field(wire = "NetworkCardIndex", no_effect, range(0..))]
    pub(super) network_card_index: Option<i64>,
    /// Blocks of 16 addresses of the subnet.
    #[field(wire = "Ipv4Prefix")]
    pub(super) ipv4_prefixes: Option<Vec<InstanceIpv4Prefix>>,
    /// Number of blocks of 16 addresses of the subnet.
    #[field(wire = "Ipv4PrefixCount", range(0..))]
    pub(super) ipv4_prefix_count: Option<i64>,
    /// IPv6 blocks of the subnet with the prefix length 80.
    #[field(wire = "Ipv6Prefix")]
    pub(super) ipv6_prefixes: Option<Vec<InstanceIpv6Prefix>>,
    /// Number of IPv6 blocks of the subnet with the prefix length 80.
    #[field(wire = "Ipv6PrefixCount", range(0..))]
    pub(super) ipv6_prefix_count: Option<i64>,
    /// True if the first IPv6 address is primary.
    #[field(wire = "PrimaryIpv6")]
    pub(super) primary_ipv6: Option<bool>,
    /// ENA Express.
    #[field(wire = "EnaSrdSpecification")]
    pub(super) ena_srd_specification: Option<EnaSrdSpecification>,
    /// Timeouts of tracked connections.
    #[field(wire = "ConnectionTrackingSpecification")]
    pub(super) connection_tracking_specification: Option<ConnectionTrackingConfiguration>,
    /// Number of queues.
    #[field(wire = "EnaQueueCount", no_effect)]
    pub(super) ena_queue_count: Option<i64>,
}

/// An address of a new network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct PrivateIpAddressSpecification {
    /// True for the primary address.
    pub(super) primary: Option<bool>,
    /// Address.
    pub(super) private_ip_address: Option<Text>,
}

/// An IPv6 address of a network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceIpv6Address {
    /// Address.
    pub(super) ipv6_address: Option<Text>,
    /// True for the primary address.
    pub(super) is_primary_ipv6: Option<bool>,
}

/// A block of 16 addresses of a network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceIpv4Prefix {
    /// CIDR block.
    pub(super) ipv4_prefix: Option<Text>,
}

/// An IPv6 block of a network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceIpv6Prefix {
    /// CIDR block.
    pub(super) ipv6_prefix: Option<Text>,
}

/// ENA Express of a network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct EnaSrdSpecification {
    /// True if it is on.
    #[field(no_effect)]
    ena_srd_enabled: Option<bool>,
    /// ENA Express for UDP.
    ena_srd_udp_specification: Option<EnaSrdUdpSpecification>,
}

/// ENA Express of a network interface for UDP.
#[derive(Record)]
#[record(wire = "camel")]
pub struct EnaSrdUdpSpecification {
    /// True if it is on.
    #[field(no_effect)]
    ena_srd_udp_enabled: Option<bool>,
}

/// Timeouts of tracked connections, in seconds.
#[derive(Record)]
#[record(wire = "camel")]
pub struct ConnectionTrackingConfiguration {
    /// Of an idle TCP connection.
    #[field(no_effect, range(60..=432_000))]
    tcp_established_timeout: Option<i64>,
    /// Of an idle UDP flow with several requests.
    #[field(no_effect, range(60..=180))]
    udp_stream_timeout: Option<i64>,
    /// Of an idle UDP flow with one request or one answer.
    #[field(no_effect, range(30..=60))]
    udp_timeout: Option<i64>,
}

/// Network interface of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceNetworkInterface {
    /// Public address.
    pub(super) association: Option<InstanceNetworkInterfaceAssociation>,
    /// Attachment to the instance.
    pub(super) attachment: Option<InstanceNetworkInterfaceAttachment>,
    /// Description.
    pub(super) description: Option<Text>,
    /// Security groups.
    #[field(wire = "groupSet")]
    pub(super) groups: Option<Vec<GroupIdentifier>>,
    /// IPv6 addresses.
    #[field(wire = "ipv6AddressesSet")]
    pub(super) ipv6_addresses: Option<Vec<InstanceIpv6Address>>,
    /// Address of the hardware.
    pub(super) mac_address: Option<Text>,
    /// ID.
    pub(super) network_interface_id: Option<Text>,
    /// Account of the owner.
    pub(super) owner_id: Option<Text>,
    /// DNS name of the address.
    pub(super) private_dns_name: Option<Text>,
    /// Primary address.
    pub(super) private_ip_address: Option<Text>,
    /// All addresses.
    #[field(wire = "privateIpAddressesSet")]
    pub(super) private_ip_addresses: Option<Vec<InstancePrivateIpAddress>>,
    /// Check of source and destination addresses.
    pub(super) source_dest_check: Option<bool>,
    /// Status.
    pub(super) status: Option<NetworkInterfaceStatus>,
    /// ID of the subnet.
    pub(super) subnet_id: Option<Text>,
    /// ID of the VPC.
    pub(super) vpc_id: Option<Text>,
    /// Type.
    pub(super) interface_type: Option<Text>,
    /// Blocks of 16 addresses.
    #[field(wire = "ipv4PrefixSet")]
    pub(super) ipv4_prefixes: Option<Vec<InstanceIpv4Prefix>>,
    /// IPv6 blocks.
    #[field(wire = "ipv6PrefixSet")]
    pub(super) ipv6_prefixes: Option<Vec<InstanceIpv6Prefix>>,
    /// Timeouts of tracked connections.
    pub(super) connection_tracking_configuration: Option<ConnectionTrackingConfiguration>,
    /// Service that manages the network interface.
    pub(super) operator: Option<OperatorResponse>,
}

/// Public address of a network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceNetworkInterfaceAssociation {
    /// Address of a carrier.
    pub(super) carrier_ip: Option<Text>,
    /// Address of the customer.
    pub(super) customer_owned_ip: Option<Text>,
    /// Owner of the address.
    pub(super) ip_owner_id: Option<Text>,
    /// DNS name of the address.
    pub(super) public_dns_name: Option<Text>,
    /// Address.
    pub(super) public_ip: Option<Text>,
}

/// Attachment of a network interface to an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceNetworkInterfaceAttachment {
    /// Time of the attachment.
    pub(super) attach_time: Option<Timestamp>,
    /// ID of the attachment.
    pub(super) attachment_id: Option<Text>,
    /// Deletion with the instance.
    pub(super) delete_on_termination: Option<bool>,
    /// Index of the device.
    pub(super) device_index: Option<i64>,
    /// Status.
    pub(super) status: Option<AttachmentStatus>,
    /// Index of the network card.
    pub(super) network_card_index: Option<i64>,
    /// ENA Express.
    pub(super) ena_srd_specification: Option<EnaSrdSpecification>,
    /// Number of queues.
    pub(super) ena_queue_count: Option<i64>,
}

/// An address of a network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstancePrivateIpAddress {
    /// Public address.
    pub(super) association: Option<InstanceNetworkInterfaceAssociation>,
    /// True for the primary address.
    pub(super) primary: Option<bool>,
    /// DNS name of the address.
    pub(super) private_dns_name: Option<Text>,
    /// Address.
    pub(super) private_ip_address: Option<Text>,
}

choices! {
    /// Type of a secondary network interface.
    pub enum SecondaryInterfaceType {
        /// The only type.
        Secondary = "secondary",
    }
}

choices! {
    /// Status of a secondary network interface.
    pub enum SecondaryInterfaceStatus {
        /// It is not attached.
        Available = "available",
        /// It is attached.
        InUse = "in-use",
    }
}

/// A secondary network interface of a new instance.
#[derive(Record)]
pub struct InstanceSecondaryInterfaceSpecification {
    /// Deletion with the instance.
    delete_on_termination: Option<bool>,
    /// Index of the device.
    device_index: Option<i64>,
    /// Addresses in the secondary subnet.
    #[field(wire = "PrivateIpAddress")]
    private_ip_addresses: Option<Vec<SecondaryInterfaceAddressRequest>>,
    /// Number of addresses.
    private_ip_address_count: Option<i64>,
    /// ID of the secondary subnet. There are none here, so every one is refused.
    pub(super) secondary_subnet_id: Option<Text>,
    /// Type.
    interface_type: Option<SecondaryInterfaceType>,
    /// Index of the network card.
    network_card_index: Option<i64>,
}

/// An address of a new secondary network interface.
#[derive(Record)]
pub struct SecondaryInterfaceAddressRequest {
    /// Address.
    #[field(required)]
    private_ip_address: Option<Text>,
}

/// A secondary network interface of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceSecondaryInterface {
    /// Attachment to the instance.
    attachment: Option<InstanceSecondaryInterfaceAttachment>,
    /// Address of the hardware.
    mac_address: Option<Text>,
    /// ID.
    secondary_interface_id: Option<Text>,
    /// Account of the owner.
    owner_id: Option<Text>,
    /// Addresses.
    #[field(wire = "privateIpAddressSet")]
    private_ip_addresses: Option<Vec<SecondaryInterfaceAddress>>,
    /// Check of source and destination addresses.
    source_dest_check: Option<bool>,
    /// Status.
    status: Option<SecondaryInterfaceStatus>,
    /// ID of the secondary subnet.
    secondary_subnet_id: Option<Text>,
    /// ID of the secondary network.
    secondary_network_id: Option<Text>,
    /// Type.
    interface_type: Option<SecondaryInterfaceType>,
}

/// Attachment of a secondary network interface to an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceSecondaryInterfaceAttachment {
    /// Time of the attachment.
    attach_time: Option<Timestamp>,
    /// ID of the attachment.
    attachment_id: Option<Text>,
    /// Deletion with the instance.
    delete_on_termination: Option<bool>,
    /// Index of the device.
    device_index: Option<i64>,
    /// Status.
    status: Option<AttachmentStatus>,
    /// Index of the network card.
    network_card_index: Option<i64>,
}

/// An address of a secondary network interface.
#[derive(Record)]
#[record(wire = "camel")]
pub struct SecondaryInterfaceAddress {
    /// Address.
    private_ip_address: Option<Text>,
}
