//! Checking the tokens that come with requests.

use nephos_core::{Error, Record, Result, Text, choices};

choices! {
    /// How a claim is written.
    pub enum ClaimFormat {
        /// As one text.
        SingleString = "single-string",
        /// As a list of texts.
        StringArray = "string-array",
        /// As texts with spaces between them.
        SpaceSeparatedValues = "space-separated-values",
    }
}

/// A claim that a token has to make.
#[derive(Record)]
#[record(name = "JwtValidationActionAdditionalClaim", check = check_claim)]
pub struct JwtAdditionalClaim {
    /// How it is written.
    #[field(required)]
    format: Option<ClaimFormat>,
    /// Its name.
    #[field(required, length(1..=256))]
    name: Option<Text>,
    /// What it may say.
    #[field(required, length(1..=10), each(length(1..=256)))]
    values: Option<Vec<Text>>,
}

/// Claims that are checked anyway.
const RESERVED_CLAIMS: [&str; 4] = ["exp", "iss", "nbf", "iat"];

fn check_claim(claim: &JwtAdditionalClaim) -> Result<()> {
    if let Some(name) = claim.name.as_deref().filter(|name| RESERVED_CLAIMS.contains(name)) {
        return Err(Error::invalid("Name", format!("claim {name} is always validated and cannot be added")));
    }
    let has_space = |value: &&Text| value.contains(' ');
    if claim.format == Some(ClaimFormat::SpaceSeparatedValues)
        && let Some(value) = claim.values.iter().flatten().find(has_space)
    {
        return Err(Error::invalid(
            "Values",
            format!("{value:?} must not contain a space, which separates values"),
        ));
    }
    Ok(())
}

/// What tokens that come with requests have to say.
#[derive(Record)]
pub struct JwtValidationConfig {
    /// Endpoint of the keys that tokens are signed with.
    #[field(required, length(..=256), pattern = "https://.+")]
    jwks_endpoint: Option<Text>,
    /// Issuer of the tokens.
    #[field(required, length(1..=256))]
    issuer: Option<Text>,
    /// Further claims that tokens must make.
    #[field(length(..=10))]
    additional_claims: Option<Vec<JwtAdditionalClaim>>,
}
