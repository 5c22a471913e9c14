//! Errors of signatures, and their codes in each protocol.

use nephos_core::{Code, Error, ErrorKind, shape::Protocol};

/// Error of the verification of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// The request has no signature.
    Missing,
    /// A part of the signature is missing or malformed; with a message.
    Incomplete(String),
    /// The access key is unknown, or the session token does not match it.
    UnknownKey,
    /// The temporary credentials have expired.
    TokenExpired,
    /// The credential scope or the signed headers do not fit the request; with a message.
    WrongScope(String),
    /// The request was changed after signing, or was signed with another secret.
    Mismatch,
    /// The signature has expired or is not yet valid; with a message.
    Expired(String),
}

/// Error codes of one family of protocols, in the order of [`SignatureError`].
struct Codes {
    missing: Code,
    incomplete: Code,
    unknown_key: Code,
    mismatch: Code,
    expired: Code,
    token_expired: Code,
}

const fn code(code: &'static str, status: u16, kind: ErrorKind, meaning: &'static str) -> Code {
    Code { code, status, kind, meaning, texts: &[] }
}

const MISSING: &str = "The request is not signed.";
const INCOMPLETE: &str = "A part of the signature is missing or malformed.";
const UNKNOWN_KEY: &str = "The access key is unknown.";
const MISMATCH: &str = "The signature does not match the request.";
const TOKEN_EXPIRED: &str = "The temporary credentials have expired.";
const EXPIRED: &str = "The signature has expired or is not yet valid.";

const fn json_codes(status: u16) -> Codes {
    Codes {
        missing: code("MissingAuthenticationTokenException", status, ErrorKind::Denied, MISSING),
        incomplete: code("IncompleteSignatureException", status, ErrorKind::Denied, INCOMPLETE),
        unknown_key: code("UnrecognizedClientException", status, ErrorKind::Denied, UNKNOWN_KEY),
        mismatch: code("InvalidSignatureException", status, ErrorKind::Denied, MISMATCH),
        expired: code("InvalidSignatureException", status, ErrorKind::Expired, EXPIRED),
        token_expired: code("ExpiredTokenException", status, ErrorKind::Expired, TOKEN_EXPIRED),
    }
}

static JSON: Codes = json_codes(400);
static REST: Codes = json_codes(403);

static QUERY: Codes = Codes {
    missing: code("MissingAuthenticationToken", 403, ErrorKind::Denied, MISSING),
    incomplete: code("IncompleteSignature", 400, ErrorKind::Denied, INCOMPLETE),
    unknown_key: code("InvalidClientTokenId", 403, ErrorKind::Denied, UNKNOWN_KEY),
    mismatch: code("SignatureDoesNotMatch", 403, ErrorKind::Denied, MISMATCH),
    expired: code("SignatureDoesNotMatch", 403, ErrorKind::Expired, EXPIRED),
    token_expired: code("ExpiredToken", 403, ErrorKind::Expired, TOKEN_EXPIRED),
};

static EC2: Codes = Codes {
    missing: code("MissingAuthenticationToken", 403, ErrorKind::Denied, MISSING),
    incomplete: code("IncompleteSignature", 400, ErrorKind::Denied, INCOMPLETE),
    unknown_key: code("AuthFailure", 401, ErrorKind::Denied, UNKNOWN_KEY),
    mismatch: code("AuthFailure", 401, ErrorKind::Denied, MISMATCH),
    expired: code("RequestExpired", 400, ErrorKind::Expired, EXPIRED),
    token_expired: code("RequestExpired", 400, ErrorKind::Expired, TOKEN_EXPIRED),
};

impl SignatureError {
    /// Converts it to the error of a service of `protocol`.
    pub fn into_error(self, protocol: Protocol) -> Error {
        let (codes, ec2) = match protocol {
            Protocol::AwsJson { .. } => (&JSON, false),
            Protocol::RestJson => (&REST, false),
            Protocol::AwsQuery { .. } => (&QUERY, false),
            Protocol::Ec2Query { .. } => (&EC2, true),
        };
        let not_valid = "AWS was not able to validate the provided access credentials";
        match self {
            Self::Missing => codes.missing.with_message("Request is missing Authentication Token"),
            Self::Incomplete(message) => codes.incomplete.with_message(message),
            Self::UnknownKey if ec2 => codes.unknown_key.with_message(not_valid),
            Self::UnknownKey => {
                codes.unknown_key.with_message("The security token included in the request is invalid.")
            }
            Self::TokenExpired if ec2 => codes.token_expired.with_message("Request has expired."),
            Self::TokenExpired => {
                codes.token_expired.with_message("The security token included in the request is expired")
            }
            Self::WrongScope(message) => codes.mismatch.with_message(message),
            Self::Mismatch if ec2 => codes.mismatch.with_message(not_valid),
            Self::Mismatch => codes.mismatch.with_message(
                "The request signature we calculated does not match the signature you provided. Check your AWS \
                 Secret Access Key and signing method. Consult the service documentation for details.",
            ),
            Self::Expired(message) => codes.expired.with_message(message),
        }
    }
}

/// Creates the error for a date that cannot be parsed.
pub(super) fn invalid_date(date: &str) -> SignatureError {
    SignatureError::Incomplete(format!("Date must be in ISO-8601 'basic format'. Got '{date}'."))
}
