//! Blocks of addresses.

use std::net::IpAddr;

/// A block of addresses: `10.0.0.0/8`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    base: IpAddr,
    /// Number of bits that all its addresses have in common.
    pub(super) bits: u32,
}

impl Block {
    /// The block that `text` is; none if it is no block.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (base, bits) = text.split_once('/')?;
        let (base, length) = (base.parse::<IpAddr>().ok()?, bits.len());
        let bits = bits.parse::<u32>().ok().filter(|bits| bits.to_string().len() == length)?;
        (bits <= width(base)).then_some(Self { base, bits })
    }

    /// Whether it is one of IPv6 addresses.
    pub(super) fn is_v6(&self) -> bool {
        self.base.is_ipv6()
    }

    /// Whether the address is in it.
    pub(super) fn holds(&self, address: IpAddr) -> bool {
        let free = width(self.base) - self.bits;
        address.is_ipv6() == self.is_v6() && shifted(address, free) == shifted(self.base, free)
    }
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv6() { 128 } else { 32 }
}

fn shifted(address: IpAddr, by: u32) -> u128 {
    let number = match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    };
    number.checked_shr(by).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_its_addresses() {
        let holds = |block: &str, address: &str| {
            Block::read(block).is_some_and(|block| block.holds(address.parse().unwrap()))
        };
        assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("0.0.0.0/0", "8.8.8.8") && !holds("0.0.0.0/0", "::1"));
        assert!(holds("10.1.2.3/32", "10.1.2.3") && !holds("10.1.2.3/32", "10.1.2.4"));
        assert!(holds("2001:db8::/32", "2001:db8:1::1") && !holds("2001:db8::/32", "2001:db9::1"));
        assert!(holds("::/0", "::1"));
        for bad in ["10.0.0.0", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/+8", "10.0.0.0/08", ""] {
            assert!(Block::read(bad).is_none(), "{bad}");
        }
    }
}
