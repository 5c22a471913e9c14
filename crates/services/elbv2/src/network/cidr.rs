//! CIDR blocks.

use std::net::IpAddr;

/// A CIDR block: `10.0.0.0/8`.
#[derive(Clone, Copy)]
pub struct Cidr {
    base: IpAddr,
    /// Prefix length: number of leading bits that all addresses share.
    pub(crate) prefix_length: u32,
}

impl Cidr {
    /// Parses a CIDR block; `None` if `text` is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (base, prefix_length) = text.split_once('/')?;
        let (base, length) = (base.parse::<IpAddr>().ok()?, prefix_length.len());
        let prefix_length = prefix_length
            .parse::<u32>()
            .ok()
            .filter(|prefix_length| prefix_length.to_string().len() == length)?;
        (prefix_length <= address_bits(base)).then_some(Self { base, prefix_length })
    }

    /// True for a block of IPv6 addresses.
    pub(crate) fn is_ipv6(&self) -> bool {
        self.base.is_ipv6()
    }

    /// True if the block contains the address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let host_bits = address_bits(self.base) - self.prefix_length;
        address.is_ipv6() == self.is_ipv6()
            && network_bits(address, host_bits) == network_bits(self.base, host_bits)
    }
}

fn address_bits(address: IpAddr) -> u32 {
    if address.is_ipv6() { 128 } else { 32 }
}

fn network_bits(address: IpAddr, host_bits: u32) -> u128 {
    let number = match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    };
    number.checked_shr(host_bits).unwrap_or(0)
}
