//! JSON, with names of the specification or of the wire.
//!
//! The decoder and encoder are written by hand because a model layer spends most of its time in them: a record is
//! filled directly from the text, guided by its shape, several times faster than by a general deserializer. See
//! `docs/decisions/0006-hand-written-json-parser.md`.

mod count;
mod in_order;
mod input;
mod read;
mod write;

#[doc(hidden)]
pub use count::has_more_values;
#[doc(hidden)]
pub use in_order::InOrder;
pub(crate) use in_order::ReadState;
#[doc(hidden)]
pub use input::Input;
pub(crate) use read::read_tracked;
pub use read::{parse, read};
#[doc(hidden)]
pub use write::{Writer, write_record};
pub use write::{Writing, Written, write, write_bytes, write_to};
pub(crate) use write::{close, write_scalar};
