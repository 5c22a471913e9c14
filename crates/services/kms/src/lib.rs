//! Crypto keys: encryption, signatures, message authentication and key agreement.

mod specs;

pub use specs::*;
