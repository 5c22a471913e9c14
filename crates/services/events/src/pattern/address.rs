//! IP addresses and their ranges.

use super::{PatternError, reasons};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// Parses a text that is an address. The parts of an IPv4 address may have leading zeros.
pub(super) fn parse(text: &str) -> Option<IpAddr> {
    let can_begin = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':';
    if text.len() > 45 || !text.as_bytes().first().is_some_and(can_begin) {
        return None;
    }
    match form(text)? {
        Form::V4 => parse_v4(text).map(IpAddr::V4),
        Form::V6 => {
            let address: Ipv6Addr = text.parse().ok()?;
            Some(address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4))
        }
    }
}

enum Form {
    V4,
    V6,
}

/// Returns the form of a text that has only the characters of an address.
fn form(text: &str) -> Option<Form> {
    let bytes = text.as_bytes();
    if bytes.contains(&b':') && bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b':') {
        return Some(Form::V6);
    }
    let mut parts = bytes.split(|byte| *byte == b'.');
    let is_v4 =
        parts.by_ref().take(4).filter(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit)).count()
            == 4
            && parts.next().is_none();
    is_v4.then_some(Form::V4)
}

fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0; 4];
    for (octet, part) in octets.iter_mut().zip(text.split('.')) {
        *octet = part.parse::<u32>().ok().and_then(|part| u8::try_from(part).ok())?;
    }
    Some(octets.into())
}

/// Range of addresses of the operator `cidr`, from the address of the pattern to the last one of its network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Network {
    pub(super) first: IpAddr,
    pub(super) bits: u8,
}

impl Network {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let error = |reason: &str| PatternError::new(reason.to_owned());
        // The provider ignores empty parts at the end.
        let parts: Vec<&str> = text.trim_end_matches('/').split('/').collect();
        let [address, bits] = *parts else { return Err(error(reasons::CIDR_SLASH)) };
        let bits: i32 = bits.parse().map_err(|_| error(reasons::CIDR_INTEGER))?;
        if bits < 0 {
            return Err(error(reasons::CIDR_NEGATIVE));
        }
        if form(address).is_none() {
            return Err(error(&reasons::nonstandard_address(address)));
        }
        let first = parse(address).ok_or_else(|| error(&reasons::invalid_address(address)))?;
        let (width, reason) = match first {
            IpAddr::V4(_) => (32, reasons::CIDR_V4_BITS),
            IpAddr::V6(_) => (128, reasons::CIDR_V6_BITS),
        };
        match u8::try_from(bits) {
            Ok(bits) if bits < width => Ok(Self { first, bits }),
            _ => Err(error(reason)),
        }
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let (first, address) = (first.to_bits(), address.to_bits());
                (first..=first | (u32::MAX >> self.bits)).contains(&address)
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let (first, address) = (first.to_bits(), address.to_bits());
                (first..=first | (u128::MAX >> self.bits)).contains(&address)
            }
            _ => false,
        }
    }
}

/// Returns the network of `bits` bits that has the address, as a number.
pub(super) fn network_of(address: IpAddr, bits: u8) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits() & !(u32::MAX >> bits.min(31))),
        IpAddr::V6(address) => address.to_bits() & !(u128::MAX >> bits.min(127)),
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}
