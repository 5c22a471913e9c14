//! Records as XML elements, and back.

mod read;
mod scan;
mod write;

pub(crate) use read::Document;
pub(crate) use write::Writer;
