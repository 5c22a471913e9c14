//! JSON in and out, under the specification's names or the wire's.
//!
//! Reading and writing are by hand because they are what a model layer does most: a record is filled straight from
//! the text, guided by its shape, at several times the speed of a general deserializer. See
//! `docs/decisions/0006-hand-written-json-parser.md`.

mod in_order;
mod input;
mod read;
mod write;

#[doc(hidden)]
pub use in_order::InOrder;
pub(crate) use in_order::Read;
#[doc(hidden)]
pub use input::Input;
pub(crate) use read::read_noting;
pub use read::{parse, read};
#[doc(hidden)]
pub use write::{Writer, write_record};
pub use write::{Writing, Written, write, write_bytes, write_to};
pub(crate) use write::{close, write_scalar};
