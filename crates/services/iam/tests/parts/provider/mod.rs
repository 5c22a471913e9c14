//! Tests of parts of `provider`.

mod saml_metadata;
