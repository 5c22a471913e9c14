//! IPv6 CIDR blocks of VPCs and subnets, and pools of addresses.

use super::Cidr6;
use crate::{
    errors,
    vpc::{VpcCidrBlockState, VpcCidrBlockStateCode},
};
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// Range of IPv6 addresses.
    pub enum Ipv6AddressAttribute {
        /// Reachable from the internet.
        Public = "public",
        /// Not reachable from the internet.
        Private = "private",
    }
}

choices! {
    /// Source of IPv6 addresses.
    pub enum IpSource {
        /// The provider.
        Amazon = "amazon",
        /// The account.
        Byoip = "byoip",
        /// None.
        None = "none",
    }
}

/// An IPv6 CIDR block of a VPC.
#[derive(Record)]
#[record(wire = "camel")]
pub struct VpcIpv6CidrBlockAssociation {
    /// ID of the association.
    association_id: Option<Text>,
    /// CIDR block.
    ipv6_cidr_block: Option<Text>,
    /// State of the association.
    ipv6_cidr_block_state: Option<VpcCidrBlockState>,
    /// Group of zones that announces the addresses.
    network_border_group: Option<Text>,
    /// Pool of the addresses.
    ipv6_pool: Option<Text>,
    /// Range of the addresses.
    ipv6_address_attribute: Option<Ipv6AddressAttribute>,
    /// Source of the addresses.
    ip_source: Option<IpSource>,
}

impl VpcIpv6CidrBlockAssociation {
    /// Creates the association of a block of the provider.
    pub(crate) fn new(id: Text, block: Cidr6, border_group: Text) -> Self {
        Self {
            association_id: Some(id),
            ipv6_cidr_block: Some(block.to_string().into()),
            ipv6_cidr_block_state: Some(VpcCidrBlockState::new(VpcCidrBlockStateCode::Associated)),
            network_border_group: Some(border_group),
            ipv6_pool: Some("Amazon".into()),
            ipv6_address_attribute: Some(Ipv6AddressAttribute::Public),
            ip_source: Some(IpSource::Amazon),
        }
    }

    /// CIDR block.
    pub(crate) fn block(&self) -> Option<Cidr6> {
        self.ipv6_cidr_block.as_deref()?.parse().ok()
    }
}

/// An IPv6 CIDR block of a subnet.
#[derive(Record)]
#[record(wire = "camel")]
pub struct SubnetIpv6CidrBlockAssociation {
    /// ID of the association.
    association_id: Option<Text>,
    /// CIDR block.
    ipv6_cidr_block: Option<Text>,
    /// State of the association.
    ipv6_cidr_block_state: Option<VpcCidrBlockState>,
    /// Range of the addresses.
    ipv6_address_attribute: Option<Ipv6AddressAttribute>,
    /// Source of the addresses.
    ip_source: Option<IpSource>,
}

impl SubnetIpv6CidrBlockAssociation {
    /// Creates the association of a block of the provider.
    pub(crate) fn new(id: Text, block: Cidr6) -> Self {
        Self {
            association_id: Some(id),
            ipv6_cidr_block: Some(block.to_string().into()),
            ipv6_cidr_block_state: Some(VpcCidrBlockState::new(VpcCidrBlockStateCode::Associated)),
            ipv6_address_attribute: Some(Ipv6AddressAttribute::Public),
            ip_source: Some(IpSource::Amazon),
        }
    }

    /// CIDR block.
    pub(crate) fn block(&self) -> Option<Cidr6> {
        self.ipv6_cidr_block.as_deref()?.parse().ok()
    }
}

choices! {
    /// Block of access to and from the internet.
    pub enum BlockPublicAccessMode {
        /// Nothing is blocked.
        Off = "off",
        /// Both directions are blocked.
        BlockBidirectional = "block-bidirectional",
        /// Access from the internet is blocked.
        BlockIngress = "block-ingress",
    }
}

/// Block of access to and from the internet.
#[derive(Record)]
#[record(wire = "camel")]
pub struct BlockPublicAccessStates {
    /// Block of access through internet gateways.
    internet_gateway_block_mode: Option<BlockPublicAccessMode>,
}

impl BlockPublicAccessStates {
    /// Returns the state in which nothing is blocked.
    pub(crate) fn off() -> Self {
        Self { internet_gateway_block_mode: Some(BlockPublicAccessMode::Off) }
    }
}

/// Pools that the addresses of a VPC or subnet come from. There are none here, so every one is refused.
#[derive(Record)]
#[record(shared)]
pub struct IpamPools {
    /// ID of the IPAM pool of the IPv4 CIDR block.
    ipv4_ipam_pool_id: Option<Text>,
    /// Prefix length of the IPv4 CIDR block of the pool.
    #[field(range(0..=32))]
    ipv4_netmask_length: Option<i64>,
    /// ID of the IPAM pool of the IPv6 CIDR block.
    ipv6_ipam_pool_id: Option<Text>,
    /// Prefix length of the IPv6 CIDR block of the pool.
    #[field(range(0..=128))]
    ipv6_netmask_length: Option<i64>,
}

/// Refuses IPAM pools, and prefix lengths without a pool: for each version of the protocol its name, the pool and the length.
pub(crate) fn check_pools(pools: [(&str, Option<&Text>, Option<i64>); 2]) -> Result<()> {
    for (family, pool, length) in pools {
        if let Some(id) = pool {
            return Err(errors::ipam_pool_not_found(id).with_field(format!("{family}IpamPoolId")));
        }
        if length.is_some() {
            return Err(errors::netmask_without_pool(family).with_field(format!("{family}NetmaskLength")));
        }
    }
    Ok(())
}
