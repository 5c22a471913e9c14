//! Message authentication codes.

use crate::{
    CryptoKey, CryptoKeyManager, KeyUsage, MacAlgorithm,
    crypto::{DryRun, Use, check_algorithm, check_dry_run, to_error},
    errors,
    key::{KeyName, describe::GrantTokens},
    material,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Record, Result, operation, record_of};

/// A message to authenticate, and the algorithm.
#[derive(Record)]
#[record(shared)]
pub struct AuthenticatedMessage {
    /// Message.
    #[field(sensitive, required, length(1..=4096))]
    message: Option<Blob>,
    /// Algorithm of message authentication.
    #[field(required, condition = "kms:MacAlgorithm")]
    mac_algorithm: Option<MacAlgorithm>,
}

/// Computes the authentication code of a message.
#[operation(
    of = CryptoKey, include(KeyName, AuthenticatedMessage, GrantTokens, DryRun), call = "generate_mac",
    effect = read, access = write, output = GenerateMacResponse
)]
pub struct GenerateMac {}

/// A message authentication code.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct GenerateMacResponse {
    /// Code.
    mac: Option<Blob>,
    /// Algorithm of the code.
    mac_algorithm: Option<MacAlgorithm>,
}

impl Handler for GenerateMac {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateMacResponse> {
        const USE: Use = Use::new("GenerateMac", &KeyUsage::GenerateVerifyMac);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let spec = key.spec();
            check_algorithm(spec, spec.mac_algorithms(), &self.mac_algorithm, "MacAlgorithm")?;
            check_dry_run(self.dry_run)?;
            let code = material::mac(&self.mac_algorithm, &key.open_material(cx)?, &self.message.0);
            Ok(GenerateMacResponse {
                mac: Some(Blob(code.map_err(to_error)?)),
                mac_algorithm: Some(self.mac_algorithm),
                key_id: Some(key.arn(cx.scope()).into()),
            })
        })
    }
}

/// Verifies the authentication code of a message.
#[operation(
    of = CryptoKey, include(KeyName, AuthenticatedMessage, GrantTokens, DryRun), call = "verify_mac", effect = read,
    access = write, output = VerifyMacResponse
)]
pub struct VerifyMac {
    /// Code to verify.
    #[field(length(1..=6144))]
    pub mac: Blob,
}

/// A valid message authentication code. A code that is not valid is refused.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct VerifyMacResponse {
    /// True: the code is valid.
    mac_valid: Option<bool>,
    /// Algorithm of the code.
    mac_algorithm: Option<MacAlgorithm>,
}

impl Handler for VerifyMac {
    fn run(self, cx: &mut Tx<'_>) -> Result<VerifyMacResponse> {
        const USE: Use = Use::new("VerifyMac", &KeyUsage::GenerateVerifyMac);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let spec = key.spec();
            check_algorithm(spec, spec.mac_algorithms(), &self.mac_algorithm, "MacAlgorithm")?;
            let stored = key.open_material(cx)?;
            let verified = material::verify_mac(&self.mac_algorithm, &stored, &self.message.0, &self.mac.0);
            if !verified.map_err(to_error)? {
                return Err(errors::invalid_mac().with_field("Mac"));
            }
            check_dry_run(self.dry_run)?;
            Ok(VerifyMacResponse {
                key_id: Some(key.arn(cx.scope()).into()),
                mac_valid: Some(true),
                mac_algorithm: Some(self.mac_algorithm),
            })
        })
    }
}
