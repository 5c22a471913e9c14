//! Tests of parts of `user`.

mod mfa_device;
