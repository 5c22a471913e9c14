//! Ranges of addresses: `10.0.0.0/16`, `2001:db8::/32`.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A range of IPv4 addresses that share their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cidr {
    first: u32,
    bits: u8,
}

impl Cidr {
    /// The range of the addresses that share `bits` bits with `address`.
    const fn of(address: Ipv4Addr, bits: u8) -> Self {
        Self { first: address.to_bits() & mask(bits), bits }
    }

    /// How many bits its addresses share.
    pub(super) fn bits(self) -> u8 {
        self.bits
    }

    /// How many addresses it has, if it is not all of them.
    pub(super) fn size(self) -> u32 {
        u32::try_from(1_u64 << (32 - self.bits)).unwrap_or(u32::MAX)
    }

    /// The address at a place in it.
    pub(super) fn address(self, place: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.first.wrapping_add(place))
    }

    /// The place of an address in it.
    pub(super) fn place(self, address: Ipv4Addr) -> Option<u32> {
        (address.to_bits() & mask(self.bits) == self.first).then(|| address.to_bits() - self.first)
    }

    /// Whether all addresses of `other` are in it.
    pub(super) fn contains(self, other: Self) -> bool {
        self.bits <= other.bits && other.first & mask(self.bits) == self.first
    }

    /// Whether there is an address in both.
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// The ranges with this many shared bits that it is made of, in order.
    pub(super) fn parts(self, bits: u8) -> impl Iterator<Item = Self> {
        let count = if bits < self.bits { 0 } else { 1_u64 << (bits - self.bits) };
        (0..count).map(move |n| {
            let step = u32::try_from(n << (32 - bits)).unwrap_or_default();
            Self { first: self.first.wrapping_add(step), bits }
        })
    }
}

/// The bits that addresses of a range share.
const fn mask(bits: u8) -> u32 {
    match bits {
        0 => 0,
        bits => u32::MAX << (32 - bits),
    }
}

impl FromStr for Cidr {
    type Err = ();

    /// The range that `text` says; bits of the address that are not shared are passed over.
    fn from_str(text: &str) -> Result<Self, ()> {
        match split(text)? {
            (IpAddr::V4(address), bits) => Ok(Self::of(address, bits)),
            (IpAddr::V6(_), _) => Err(()),
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from_bits(self.first), self.bits)
    }
}

/// An IPv6 range in its canonical form.
pub(super) fn canonical_v6(text: &str) -> Option<String> {
    let (IpAddr::V6(address), bits) = split(text).ok()? else { return None };
    let mask = if bits == 0 { 0 } else { u128::MAX << (128 - bits) };
    Some(format!("{}/{bits}", Ipv6Addr::from_bits(address.to_bits() & mask)))
}

/// An address and a number of bits that it has.
fn split(text: &str) -> Result<(IpAddr, u8), ()> {
    let (address, bits) = text.split_once('/').ok_or(())?;
    let address: IpAddr = address.parse().map_err(drop)?;
    if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(());
    }
    let bits: u8 = bits.parse().map_err(drop)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    if bits <= most { Ok((address, bits)) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidr(text: &str) -> Cidr {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_are_read_and_written_in_their_canonical_form() {
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
        assert_eq!(canonical_v6("2001:DB8::1/32").as_deref(), Some("2001:db8::/32"));
        assert_eq!(canonical_v6("::1/0").as_deref(), Some("::/0"));
        assert_eq!(canonical_v6("10.0.0.0/8"), None);
    }

    #[test]
    fn ranges_contain_and_overlap() {
        let vpc = cidr("10.0.0.0/16");
        assert!(
            vpc.contains(cidr("10.0.255.0/24")) && vpc.contains(vpc) && !vpc.contains(cidr("10.1.0.0/24"))
        );
        assert!(!vpc.contains(cidr("10.0.0.0/15")) && vpc.overlaps(cidr("10.0.0.0/15")));
        assert!(!cidr("10.0.0.0/24").overlaps(cidr("10.0.1.0/24")));
        assert!(cidr("0.0.0.0/0").contains(cidr("255.255.255.255/32")));
    }

    #[test]
    fn addresses_have_places() {
        let range = cidr("172.31.16.0/20");
        assert_eq!((range.size(), range.bits()), (4096, 20));
        assert_eq!(range.address(4), Ipv4Addr::new(172, 31, 16, 4));
        assert_eq!(range.place(Ipv4Addr::new(172, 31, 17, 1)), Some(257));
        assert_eq!(range.place(Ipv4Addr::new(172, 31, 32, 0)), None);
        let parts: Vec<_> = cidr("172.31.0.0/16").parts(18).map(|part| part.to_string()).collect();
        assert_eq!(parts, ["172.31.0.0/18", "172.31.64.0/18", "172.31.128.0/18", "172.31.192.0/18"]);
        assert_eq!(range.parts(16).count(), 0);
        assert_eq!(cidr("0.0.0.0/0").parts(0).count(), 1);
    }
}
