//! Why a signature is refused, and how each protocol says so.

use nephos_core::{Code, Error, ErrorKind, shape::Protocol};

/// Why the signature of a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is none.
    Missing,
    /// It lacks something, or something of it cannot be read; what.
    Incomplete(String),
    /// Nobody knows the access key, or the session token is not its own.
    UnknownKey,
    /// It is for something else; for what.
    WrongScope(String),
    /// The request is not as it was signed, or was signed with another secret.
    Mismatch,
    /// It was signed too long ago, or for later; when.
    Expired(String),
}

/// The codes of one family of protocols, in the order of [`Refused`].
struct Codes {
    missing: Code,
    incomplete: Code,
    unknown_key: Code,
    mismatch: Code,
    expired: Code,
}

const fn code(code: &'static str, status: u16, kind: ErrorKind, meaning: &'static str) -> Code {
    Code { code, status, kind, meaning }
}

const MISSING: &str = "The request is not signed.";
const INCOMPLETE: &str = "The signature lacks something.";
const UNKNOWN_KEY: &str = "Nobody knows the access key.";
const MISMATCH: &str = "The request is not as it was signed.";
const EXPIRED: &str = "The signature is too old, or for later.";

const fn json_codes(status: u16) -> Codes {
    Codes {
        missing: code("MissingAuthenticationTokenException", status, ErrorKind::Denied, MISSING),
        incomplete: code("IncompleteSignatureException", status, ErrorKind::Denied, INCOMPLETE),
        unknown_key: code("UnrecognizedClientException", status, ErrorKind::Denied, UNKNOWN_KEY),
        mismatch: code("InvalidSignatureException", status, ErrorKind::Denied, MISMATCH),
        expired: code("InvalidSignatureException", status, ErrorKind::Expired, EXPIRED),
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
};

static EC2: Codes = Codes {
    missing: code("MissingAuthenticationToken", 403, ErrorKind::Denied, MISSING),
    incomplete: code("IncompleteSignature", 400, ErrorKind::Denied, INCOMPLETE),
    unknown_key: code("AuthFailure", 401, ErrorKind::Denied, UNKNOWN_KEY),
    mismatch: code("AuthFailure", 401, ErrorKind::Denied, MISMATCH),
    expired: code("RequestExpired", 400, ErrorKind::Expired, EXPIRED),
};

impl Refused {
    /// The refusal as a service of `protocol` tells it.
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
            Self::Incomplete(why) => codes.incomplete.with_message(why),
            Self::UnknownKey if ec2 => codes.unknown_key.with_message(not_valid),
            Self::UnknownKey => {
                codes.unknown_key.with_message("The security token included in the request is invalid.")
            }
            Self::WrongScope(why) => codes.mismatch.with_message(why),
            Self::Mismatch if ec2 => codes.mismatch.with_message(not_valid),
            Self::Mismatch => codes.mismatch.with_message(
                "The request signature we calculated does not match the signature you provided. Check your AWS \
                 Secret Access Key and signing method. Consult the service documentation for details.",
            ),
            Self::Expired(why) => codes.expired.with_message(why),
        }
    }
}

/// The date cannot be read.
pub(super) fn no_date(date: &str) -> Refused {
    Refused::Incomplete(format!("Date must be in ISO-8601 'basic format'. Got '{date}'."))
}
