//! Actions that validate JSON Web Tokens.

use crate::errors;
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// Format of a claim.
    pub enum ClaimFormat {
        /// A single string.
        SingleString = "single-string",
        /// A list of strings.
        StringArray = "string-array",
        /// Values separated by spaces.
        SpaceSeparatedValues = "space-separated-values",
    }
}

/// A claim that a token must have.
#[derive(Record)]
#[record(name = "JwtValidationActionAdditionalClaim", check = check_claim)]
pub struct JwtAdditionalClaim {
    /// Format of the claim.
    #[field(required)]
    format: Option<ClaimFormat>,
    /// Name of the claim.
    #[field(required, length(1..=256))]
    name: Option<Text>,
    /// Allowed values of the claim.
    #[field(required, length(1..=10), each(length(1..=256)))]
    values: Option<Vec<Text>>,
}

/// Claims that are always validated.
const RESERVED_CLAIMS: [&str; 4] = ["exp", "iss", "nbf", "iat"];

fn check_claim(claim: &JwtAdditionalClaim) -> Result<()> {
    if let Some(name) = claim.name.as_deref().filter(|name| RESERVED_CLAIMS.contains(name)) {
        return Err(errors::claim_reserved(name).with_field("Name"));
    }
    let has_space = |value: &&Text| value.contains(' ');
    if claim.format == Some(ClaimFormat::SpaceSeparatedValues)
        && let Some(value) = claim.values.iter().flatten().find(has_space)
    {
        return Err(errors::claim_value_with_space(value).with_field("Values"));
    }
    Ok(())
}

/// Validation of the JSON Web Tokens of requests.
#[derive(Record)]
pub struct JwtValidationConfig {
    /// Endpoint of the keys (JWKS) that tokens are signed with.
    #[field(required, length(..=256), pattern = "https://.+")]
    jwks_endpoint: Option<Text>,
    /// Issuer of the tokens.
    #[field(required, length(1..=256))]
    issuer: Option<Text>,
    /// Additional claims that tokens must have.
    #[field(length(..=10))]
    additional_claims: Option<Vec<JwtAdditionalClaim>>,
}
