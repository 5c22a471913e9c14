//! Server certificates and signing certificates, and the formats of certificates and keys.

pub(crate) mod der;
pub(crate) mod md5;
pub(crate) mod rsa_public_key;
pub(crate) mod server_certificate;
pub(crate) mod signing_certificate;
pub(crate) mod x509;

pub use server_certificate::*;
pub use signing_certificate::*;
