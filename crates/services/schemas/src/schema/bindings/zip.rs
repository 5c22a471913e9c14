//! ZIP archives of uncompressed files.

/// A file of an archive: its path and content.
pub(super) type File = (String, String);

/// Version of the format that an archive of plain files needs: 1.0.
const VERSION: u16 = 10;

/// Flag of names in UTF-8.
const UTF8: u16 = 1 << 11;

/// Date of all files, as the format stores it: January 1, 1980, the earliest.
const DATE: u16 = 1 << 5 | 1;

/// Writes an archive. The same files result in the same bytes.
pub(super) fn write_archive(files: &[File]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (path, content) in files {
        let start = length(&archive);
        let entry = describe_entry(path, content);
        archive.extend(b"PK\x03\x04");
        archive.extend(&entry);
        archive.extend(path.as_bytes());
        archive.extend(content.as_bytes());
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&entry);
        // Without comment, on the first disk, without attributes.
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(path.as_bytes());
    }
    let (start, size) = (length(&archive), length(&directory));
    let count = u16::try_from(files.len()).unwrap_or(u16::MAX).to_le_bytes();
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend(size.to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

/// Returns the fields that the header of a file and its entry in the directory share.
fn describe_entry(path: &str, content: &str) -> Vec<u8> {
    let (method, time, extra) = (0_u16, 0_u16, 0_u16);
    let size = length(content.as_bytes());
    let mut entry = Vec::new();
    for part in [VERSION, UTF8, method, time, DATE] {
        entry.extend(part.to_le_bytes());
    }
    for part in [checksum(content.as_bytes()), size, size] {
        entry.extend(part.to_le_bytes());
    }
    for part in [u16::try_from(path.len()).unwrap_or(u16::MAX), extra] {
        entry.extend(part.to_le_bytes());
    }
    entry
}

/// Returns the length of some bytes. An archive is generated from a document of at most 100,000 characters.
fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Returns the CRC-32 of some bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        let step = |crc: u32, _| (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
        (0..8).fold(crc ^ u32::from(*byte), step)
    })
}
