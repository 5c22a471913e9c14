//! Tests of parts of `saml`.

mod canonical;
mod certificate;
