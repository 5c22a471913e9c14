//! Crypto keys: encryption, signatures, message authentication and key agreement.

#[cfg_attr(not(test), allow(dead_code, unused_imports, reason = "operations use it"))]
mod material;
mod specs;

pub use specs::*;
