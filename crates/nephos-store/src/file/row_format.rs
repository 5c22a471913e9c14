//! The stored form of rows: values with checksums.

use crate::{Error, ErrorKind, Result};
use std::borrow::Cow;

/// Layout of the values in the table of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowFormat {
    /// Values without checksums, in files of format 1.
    Plain,
    /// Values that are followed by the checksum of their row.
    Checked,
}

impl RowFormat {
    /// Returns the stored form of `value` at `key`.
    pub(super) fn encode<'v>(self, key: &[u8], value: &'v [u8]) -> Cow<'v, [u8]> {
        match self {
            Self::Plain => value.into(),
            Self::Checked => [value, &row_checksum(key, value).to_le_bytes()].concat().into(),
        }
    }

    /// Returns the value in its stored form `stored` at `key`; an error if the row does not match its checksum.
    pub(super) fn decode<'v>(self, key: &[u8], stored: &'v [u8]) -> Result<&'v [u8]> {
        if self == Self::Plain {
            return Ok(stored);
        }
        match stored.split_last_chunk() {
            Some((value, checksum)) if row_checksum(key, value) == u64::from_le_bytes(*checksum) => Ok(value),
            _ => {
                let message = "a row does not match its checksum: the state is damaged";
                Err(Error::new(ErrorKind::Corrupt, message))
            }
        }
    }
}

/// Returns `value` with the checksum of its row, as backends store it.
pub fn encode_row(key: &[u8], value: &[u8]) -> Vec<u8> {
    RowFormat::Checked.encode(key, value).into_owned()
}

/// Returns the value in the result of [`encode_row`]; an error if the row does not match its checksum.
pub fn decode_row<'v>(key: &[u8], stored: &'v [u8]) -> Result<&'v [u8]> {
    RowFormat::Checked.decode(key, stored)
}

/// Start of every checksum, and factors of its steps: arbitrary odd numbers.
const START: u64 = 0x94D0_49BB_1331_11EB;
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const END: u64 = 0xBF58_476D_1CE4_E5B9;

/// Returns the checksum of a row. It is part of the file format.
fn row_checksum(key: &[u8], value: &[u8]) -> u64 {
    mix_bytes(mix_bytes(START, key), value)
}

/// Mixes `bytes` and their number into `sum`, 16 bytes at a time; the last ones are filled up with zeros.
fn mix_bytes(mut sum: u64, bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<16>();
    for chunk in chunks {
        sum = mix(sum, chunk, STEP);
    }
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    mix(sum, &last, END ^ bytes.len() as u64)
}

/// Multiplies the two halves of `chunk`, changed by `sum` and `factor`, to 128 bits, and folds these to 64.
fn mix(sum: u64, chunk: &[u8; 16], factor: u64) -> u64 {
    let both = u128::from_le_bytes(*chunk);
    let product = u128::from(both as u64 ^ sum) * u128::from((both >> 64) as u64 ^ factor);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_never_changes() {
        let rows: [(&[u8], &[u8], u64); 3] = [
            (b"", b"", 0xE92E_B87C_4502_9182),
            (b"logs/log-group", b"{\"creationTime\":1794805112107}", 0x5FA9_9796_126D_8EFD),
            (&[7; 16], &[0; 100], 0x3EAD_D00F_C483_3F02),
        ];
        let found = rows.map(|(key, value, _)| row_checksum(key, value));
        assert_eq!(found, rows.map(|(_, _, expected)| expected));
    }

    #[test]
    fn every_changed_bit_and_every_moved_border_is_found() {
        let (key, value) = (b"a key of twenty-five byte".as_slice(), (0..70).collect::<Vec<u8>>());
        let stored = RowFormat::Checked.encode(key, &value);
        assert_eq!(RowFormat::Checked.decode(key, &stored).unwrap(), value);
        for bit in 0..stored.len() * 8 {
            let mut changed = stored.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(RowFormat::Checked.decode(key, &changed).is_err(), "bit {bit} of the value");
        }
        for bit in 0..key.len() * 8 {
            let mut changed = key.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(RowFormat::Checked.decode(&changed, &stored).is_err(), "bit {bit} of the key");
        }
        for len in 0..stored.len() {
            assert!(RowFormat::Checked.decode(key, &stored[..len]).is_err(), "{len} bytes");
        }
        assert!(RowFormat::Checked.decode(&key[..24], &[&key[24..], &stored].concat()).is_err());
        assert!(RowFormat::Checked.decode(&[key, b"\0"].concat(), &stored).is_err());
        assert_eq!(RowFormat::Plain.decode(key, &RowFormat::Plain.encode(key, &value)).unwrap(), value);
    }
}
