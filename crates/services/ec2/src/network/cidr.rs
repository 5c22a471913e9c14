//! CIDR blocks: ranges of addresses such as `10.0.0.0/16` and `2001:db8::/32`.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// An IPv4 CIDR block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr {
    first: u32,
    bits: u8,
}

impl Cidr {
    /// Creates the block with this prefix length that contains `address`.
    pub(crate) const fn new(address: Ipv4Addr, bits: u8) -> Self {
        Self { first: address.to_bits() & mask(bits), bits }
    }

    /// Prefix length.
    pub(crate) fn bits(self) -> u8 {
        self.bits
    }

    /// Number of addresses; `u32::MAX` for the block of all addresses.
    pub(crate) fn size(self) -> u32 {
        u32::try_from(1_u64 << (32 - self.bits)).unwrap_or(u32::MAX)
    }

    /// Returns the address at an offset from the first one.
    pub(crate) fn address(self, offset: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.first.wrapping_add(offset))
    }

    /// Returns the offset of an address from the first one; `None` if it is not in the block.
    pub(crate) fn offset_of(self, address: Ipv4Addr) -> Option<u32> {
        (address.to_bits() & mask(self.bits) == self.first).then(|| address.to_bits() - self.first)
    }

    /// True if all addresses of `other` are in this block.
    pub(crate) fn contains(self, other: Self) -> bool {
        self.bits <= other.bits && other.first & mask(self.bits) == self.first
    }

    /// True if the blocks have an address in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// Splits the block into blocks with this prefix length, in order.
    pub(crate) fn split(self, bits: u8) -> impl Iterator<Item = Self> {
        let count = if bits < self.bits { 0 } else { 1_u64 << (bits - self.bits) };
        (0..count).map(move |n| {
            let step = u32::try_from(n << (32 - bits)).unwrap_or_default();
            Self { first: self.first.wrapping_add(step), bits }
        })
    }
}

/// Bit mask of a prefix length.
const fn mask(bits: u8) -> u32 {
    match bits {
        0 => 0,
        bits => u32::MAX << (32 - bits),
    }
}

impl FromStr for Cidr {
    type Err = ();

    /// Parses a block. Address bits after the prefix are ignored.
    fn from_str(text: &str) -> Result<Self, ()> {
        match parse(text)? {
            (IpAddr::V4(address), bits) => Ok(Self::new(address, bits)),
            (IpAddr::V6(_), _) => Err(()),
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from_bits(self.first), self.bits)
    }
}

/// An IPv6 CIDR block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr6 {
    first: u128,
    bits: u8,
}

impl Cidr6 {
    /// Creates the block with this prefix length that contains `address`.
    pub(crate) const fn new(address: Ipv6Addr, bits: u8) -> Self {
        Self { first: address.to_bits() & mask6(bits), bits }
    }

    /// Prefix length.
    pub(crate) fn bits(self) -> u8 {
        self.bits
    }

    /// Returns the address at an offset from the first one.
    pub(crate) fn address(self, offset: u64) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.first | (u128::from(offset) & !mask6(self.bits)))
    }

    /// True if the address is in this block.
    pub(crate) fn contains_address(self, address: Ipv6Addr) -> bool {
        address.to_bits() & mask6(self.bits) == self.first
    }

    /// True if all addresses of `other` are in this block.
    pub(crate) fn contains(self, other: Self) -> bool {
        self.bits <= other.bits && other.first & mask6(self.bits) == self.first
    }

    /// True if the blocks have an address in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }
}

/// Bit mask of a prefix length of IPv6.
const fn mask6(bits: u8) -> u128 {
    match bits {
        0 => 0,
        bits => u128::MAX << (128 - bits),
    }
}

impl FromStr for Cidr6 {
    type Err = ();

    /// Parses a block. Address bits after the prefix are ignored.
    fn from_str(text: &str) -> Result<Self, ()> {
        match parse(text)? {
            (IpAddr::V6(address), bits) => Ok(Self::new(address, bits)),
            (IpAddr::V4(_), _) => Err(()),
        }
    }
}

impl fmt::Display for Cidr6 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Ipv6Addr::from_bits(self.first), self.bits)
    }
}

/// Parses an address and a prefix length.
fn parse(text: &str) -> Result<(IpAddr, u8), ()> {
    let (address, bits) = text.split_once('/').ok_or(())?;
    let address: IpAddr = address.parse().map_err(drop)?;
    if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(());
    }
    let bits: u8 = bits.parse().map_err(drop)?;
    let max = if address.is_ipv4() { 32 } else { 128 };
    if bits <= max { Ok((address, bits)) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidr(text: &str) -> Cidr {
        text.parse().unwrap()
    }

    #[test]
    fn cidr_blocks_are_normalized_to_their_canonical_form() {
        for (text, canonical) in [
            ("10.0.0.0/16", "10.0.0.0/16"),
            ("10.0.1.7/16", "10.0.0.0/16"),
            ("100.68.0.18/18", "100.68.0.0/18"),
            ("1.2.3.4/32", "1.2.3.4/32"),
            ("1.2.3.4/0", "0.0.0.0/0"),
        ] {
            assert_eq!(cidr(text).to_string(), canonical);
        }
        for text in [
            "",
            "10.0.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/+8",
            "10.0.0/8",
            "a/8",
            "::/0",
            "10.0.0.0/8/8",
        ] {
            assert_eq!(text.parse::<Cidr>(), Err(()), "{text}");
        }
        let canonical = |text: &str| text.parse::<Cidr6>().map(|block| block.to_string());
        assert_eq!(canonical("2001:DB8::1/32").as_deref(), Ok("2001:db8::/32"));
        assert_eq!(canonical("::1/0").as_deref(), Ok("::/0"));
        assert_eq!(canonical("10.0.0.0/8"), Err(()));
    }

    #[test]
    fn cidr_blocks_contain_and_overlap_others() {
        let vpc = cidr("10.0.0.0/16");
        assert!(
            vpc.contains(cidr("10.0.255.0/24")) && vpc.contains(vpc) && !vpc.contains(cidr("10.1.0.0/24"))
        );
        assert!(!vpc.contains(cidr("10.0.0.0/15")) && vpc.overlaps(cidr("10.0.0.0/15")));
        assert!(!cidr("10.0.0.0/24").overlaps(cidr("10.0.1.0/24")));
        assert!(cidr("0.0.0.0/0").contains(cidr("255.255.255.255/32")));
    }

    #[test]
    fn ipv6_blocks_contain_addresses_and_blocks() {
        let block: Cidr6 = "2001:db8::/56".parse().unwrap();
        let inner: Cidr6 = "2001:db8:0:1::/64".parse().unwrap();
        assert!(block.contains(inner) && !inner.contains(block) && inner.overlaps(block));
        assert_eq!(inner.address(u64::MAX).to_string(), "2001:db8:0:1:ffff:ffff:ffff:ffff");
        assert!(inner.contains_address(inner.address(5)) && !inner.contains_address(block.address(5)));
    }

    #[test]
    fn cidr_block_converts_between_addresses_and_offsets() {
        let range = cidr("172.31.16.0/20");
        assert_eq!((range.size(), range.bits()), (4096, 20));
        assert_eq!(range.address(4), Ipv4Addr::new(172, 31, 16, 4));
        assert_eq!(range.offset_of(Ipv4Addr::new(172, 31, 17, 1)), Some(257));
        assert_eq!(range.offset_of(Ipv4Addr::new(172, 31, 32, 0)), None);
        let parts: Vec<_> = cidr("172.31.0.0/16").split(18).map(|part| part.to_string()).collect();
        assert_eq!(parts, ["172.31.0.0/18", "172.31.64.0/18", "172.31.128.0/18", "172.31.192.0/18"]);
        assert_eq!(range.split(16).count(), 0);
        assert_eq!(cidr("0.0.0.0/0").split(0).count(), 1);
    }
}
