//! CIDR blocks.

use std::net::IpAddr;

/// A CIDR block: `10.0.0.0/8`.
#[derive(Clone, Copy)]
pub(crate) struct Cidr {
    base: IpAddr,
    /// Prefix length: number of leading bits that all addresses share.
    pub(crate) prefix_length: u32,
}

impl Cidr {
    /// Parses a CIDR block; `None` if `text` is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
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
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cidr_contains_its_addresses() {
        let contains = |cidr: &str, address: &str| {
            Cidr::parse(cidr).is_some_and(|cidr| cidr.contains(address.parse().unwrap()))
        };
        assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("0.0.0.0/0", "8.8.8.8") && !contains("0.0.0.0/0", "::1"));
        assert!(contains("10.1.2.3/32", "10.1.2.3") && !contains("10.1.2.3/32", "10.1.2.4"));
        assert!(contains("2001:db8::/32", "2001:db8:1::1") && !contains("2001:db8::/32", "2001:db9::1"));
        assert!(contains("::/0", "::1"));
        for bad in ["10.0.0.0", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/+8", "10.0.0.0/08", ""] {
            assert!(Cidr::parse(bad).is_none(), "{bad}");
        }
    }
}
