//! Tests of parts of `user::mfa_device`.

mod totp;
