//! Identity providers: issuers of tokens and of assertions that principals exchange for temporary credentials.

pub(crate) mod open_id_keys;
pub(crate) mod open_id_provider;
pub(crate) mod saml_keys;
pub(crate) mod saml_metadata;
pub(crate) mod saml_provider;

pub use open_id_keys::*;
pub use open_id_provider::*;
pub use saml_keys::{NewPrivateKey, SamlPrivateKey};
pub use saml_provider::*;
