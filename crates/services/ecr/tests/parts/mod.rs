//! Tests of parts of the service that no case can show alone.

mod image;
mod policy;
mod protocol;
mod wildcard;
