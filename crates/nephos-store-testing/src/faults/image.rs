//! Contents of a simulated disk, copied only where they change.

use std::{fmt, io, sync::Arc};

const BLOCK: usize = 4096;

type Block = [u8; BLOCK];

/// Bytes of a disk at one moment. Images share equal blocks, so that keeping many is cheap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Image {
    /// Blocks; one that was never written is a hole and reads as zeros.
    blocks: Vec<Option<Arc<Block>>>,
    len: u64,
    written: u64,
}

impl Image {
    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of written bytes, in whole blocks.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Reads the bytes at `offset`; all of them must exist.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset + out.len() as u64 > self.len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a read beyond the end of the disk"));
        }
        for (block, within, part) in parts(offset, out.len()) {
            match &self.blocks[block] {
                Some(bytes) => out[part.clone()].copy_from_slice(&bytes[within..within + part.len()]),
                None => out[part].fill(0),
            }
        }
        Ok(())
    }

    /// Writes `data` at `offset`, extending the image if necessary.
    pub fn write(&mut self, offset: u64, data: &[u8]) {
        if offset + data.len() as u64 > self.len {
            self.set_len(offset + data.len() as u64);
        }
        for (block, within, part) in parts(offset, data.len()) {
            let block = &mut self.blocks[block];
            if block.is_none() {
                self.written += BLOCK as u64;
            }
            let bytes = Arc::make_mut(block.get_or_insert_with(|| Arc::new([0; BLOCK])));
            bytes[within..within + part.len()].copy_from_slice(&data[part]);
        }
    }

    /// Extends the image with zeros, or truncates it.
    pub fn set_len(&mut self, len: u64) {
        let blocks = (len as usize).div_ceil(BLOCK);
        let removed = self.blocks.iter().skip(blocks).flatten().count();
        self.written -= (removed * BLOCK) as u64;
        self.blocks.resize(blocks, None);
        let within = len as usize % BLOCK;
        if len < self.len
            && within > 0
            && let Some(Some(last)) = self.blocks.last_mut()
        {
            Arc::make_mut(last)[within..].fill(0);
        }
        self.len = len;
    }
}

/// Splits a range of bytes by blocks: number of the block, offset in it, and range of the bytes.
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == len {
            return None;
        }
        let at = offset as usize + done;
        let within = at % BLOCK;
        let part = done..len.min(done + BLOCK - within);
        done = part.end;
        Some((at / BLOCK, within, part))
    })
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image").field("len", &self.len).finish_non_exhaustive()
    }
}
