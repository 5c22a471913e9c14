//! CIDR blocks: ranges of addresses such as `10.0.0.0/16` and `2001:db8::/32`.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// An IPv4 CIDR block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    first: u32,
    bits: u8,
}

impl Cidr {
    /// Creates the block with this prefix length that contains `address`.
    pub(crate) const fn new(address: Ipv4Addr, bits: u8) -> Self {
        Self { first: address.to_bits() & mask(bits), bits }
    }

    /// Prefix length.
    pub fn bits(self) -> u8 {
        self.bits
    }

    /// Number of addresses; `u32::MAX` for the block of all addresses.
    pub fn size(self) -> u32 {
        u32::try_from(1_u64 << (32 - self.bits)).unwrap_or(u32::MAX)
    }

    /// Returns the address at an offset from the first one.
    pub fn address(self, offset: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.first.wrapping_add(offset))
    }

    /// Returns the offset of an address from the first one; `None` if it is not in the block.
    pub fn offset_of(self, address: Ipv4Addr) -> Option<u32> {
        (address.to_bits() & mask(self.bits) == self.first).then(|| address.to_bits() - self.first)
    }

    /// True if all addresses of `other` are in this block.
    pub fn contains(self, other: Self) -> bool {
        self.bits <= other.bits && other.first & mask(self.bits) == self.first
    }

    /// True if the blocks have an address in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// Splits the block into blocks with this prefix length, in order.
    pub fn split(self, bits: u8) -> impl Iterator<Item = Self> {
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
pub struct Cidr6 {
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
    pub fn address(self, offset: u64) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.first | (u128::from(offset) & !mask6(self.bits)))
    }

    /// True if the address is in this block.
    pub fn contains_address(self, address: Ipv6Addr) -> bool {
        address.to_bits() & mask6(self.bits) == self.first
    }

    /// True if all addresses of `other` are in this block.
    pub fn contains(self, other: Self) -> bool {
        self.bits <= other.bits && other.first & mask6(self.bits) == self.first
    }

    /// True if the blocks have an address in common.
    pub fn overlaps(self, other: Self) -> bool {
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
