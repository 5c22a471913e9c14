//! Encoding and decoding of records as XML elements.

mod read;
mod scan;
mod write;

pub(crate) use read::Document;
pub(crate) use write::Writer;
