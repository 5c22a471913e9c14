//! QR codes as images in the format PNG.

use miniz_oxide::deflate::compress_to_vec_zlib;
use qrcodegen::{QrCode, QrCodeEcc};

/// Width of a module, in pixels.
const SCALE: usize = 4;

/// Width of the empty border, in modules.
const BORDER: i32 = 4;

/// Compression level.
const LEVEL: u8 = 6;

/// Returns the image of a text; none if the text is too long for a QR code.
pub(crate) fn to_png(text: &str) -> Option<Vec<u8>> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    let modules = -BORDER..code.size() + BORDER;
    let side = u32::try_from(modules.len() * SCALE).ok()?.to_be_bytes();
    let mut rows = Vec::new();
    for y in modules.clone() {
        // Each row begins with its filter: none.
        let mut row = vec![0];
        for x in modules.clone() {
            row.extend([if code.get_module(x, y) { 0 } else { u8::MAX }; SCALE]);
        }
        rows.extend(row.repeat(SCALE));
    }
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    // Eight bits of gray for each pixel.
    add_chunk(&mut png, b"IHDR", &[&side, &side, &[8, 0, 0, 0, 0][..]].concat())?;
    add_chunk(&mut png, b"IDAT", &compress_to_vec_zlib(&rows, LEVEL))?;
    add_chunk(&mut png, b"IEND", &[])?;
    Some(png)
}

/// Adds a chunk: its length, its name, its data, and the checksum of name and data.
fn add_chunk(png: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) -> Option<()> {
    png.extend(u32::try_from(data.len()).ok()?.to_be_bytes());
    let named = [&name[..], data].concat();
    png.extend(&named);
    png.extend(crc32(&named).to_be_bytes());
    Some(())
}

/// Checksum of a chunk.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let shift = |crc: u32| (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| shift(crc)))
}
