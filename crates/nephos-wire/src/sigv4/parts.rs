//! Parts of the signature of a request.

use super::{ALGORITHM, SignatureError, TERMINATOR, error::invalid_date, from_hex, parse_date};
use crate::{HttpRequest, uri};
use http::{HeaderName, HeaderValue, header};
use nephos_core::{Secret, Text, time};
use std::fmt;

/// Maximum validity of a presigned request: seven days.
const MAX_EXPIRES: u32 = 604_800;

static DATE: HeaderName = HeaderName::from_static("x-amz-date");
static SECURITY_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");

/// Credential scope of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Day: `20260131`.
    pub date: Text,
    /// Region of the request.
    pub region: Text,
    /// Signing name of the service.
    pub service: Text,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{TERMINATOR}", self.date, self.region, self.service)
    }
}

/// Parts of the signature of a request, not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureParts {
    /// ID of the access key.
    pub access_key_id: Text,
    /// Credential scope.
    pub scope: Scope,
    /// Time of the signature: `20260131T120000Z`.
    pub date: Text,
    /// Names of the signed headers, in lower case, separated by semicolons.
    pub signed_headers: Text,
    /// Signature.
    pub signature: [u8; 32],
    /// Session token, for temporary credentials.
    pub session_token: Option<Secret>,
    /// Validity in seconds, for a presigned request.
    pub expires: Option<u32>,
}

impl SignatureParts {
    /// Names of the signed headers.
    pub fn signed_header_names(&self) -> impl Iterator<Item = &str> {
        self.signed_headers.split(';')
    }

    /// Reads the signature of `message` from its header, or from its query string.
    pub fn from_request(message: &HttpRequest) -> Result<Self, SignatureError> {
        let query = message.uri().query().unwrap_or_default();
        let presigned = query.split('&').any(|pair| pair.starts_with("X-Amz-Algorithm="));
        let mut headers = message.headers().get_all(header::AUTHORIZATION).iter();
        match (headers.next(), headers.next(), presigned) {
            (None, _, false) => Err(SignatureError::Missing),
            (None, _, true) => Self::from_query(query),
            (Some(header), None, false) => Self::from_header(
                message,
                to_text(header).ok_or_else(|| incomplete("the header is not valid text"))?,
            ),
            _ => Err(incomplete("Only one auth mechanism allowed")),
        }
    }

    fn from_header(message: &HttpRequest, header: &str) -> Result<Self, SignatureError> {
        let (algorithm, rest) = header.split_once(' ').unwrap_or((header, ""));
        check_algorithm(algorithm)?;
        const NAMES: [&str; 3] = ["Credential", "SignedHeaders", "Signature"];
        let (mut found, mut twice) = ([None; NAMES.len()], [false; NAMES.len()]);
        for pair in uri::split(rest, b',') {
            let pair = pair.trim_ascii();
            let value_of = |name: &str| pair.strip_prefix(name)?.strip_prefix('=');
            let named = NAMES.iter().enumerate().find_map(|(n, name)| Some((n, value_of(name)?)));
            if let Some((n, value)) = named {
                twice[n] = found[n].replace(value).is_some();
            }
        }
        let find = |n: usize| {
            let one = found[n].filter(|_| !twice[n]);
            one.ok_or_else(|| {
                incomplete(format!("Authorization header requires one '{}' parameter.", NAMES[n]))
            })
        };
        let (credential, headers, signature) = (find(0)?, find(1)?, find(2)?);
        let text = |name: &HeaderName| {
            let mut values = message.headers().get_all(name).iter();
            match (values.next(), values.next()) {
                (None, _) => Ok(None),
                (Some(value), None) => {
                    value.to_str().map(Some).map_err(|_| incomplete(format!("{name} is not valid text")))
                }
                _ => Err(incomplete(format!("duplicate header {name}"))),
            }
        };
        let date = match text(&DATE)? {
            Some(date) => date.into(),
            None => match text(&header::DATE)? {
                Some(date) => to_basic_format(date).ok_or_else(|| invalid_date(date))?,
                None => {
                    return Err(incomplete(
                        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
                    ));
                }
            },
        };
        let session_token = text(&SECURITY_TOKEN)?.map(Secret::from);
        Self::from_parts(credential, date, headers, signature, session_token, None)
    }

    fn from_query(query: &str) -> Result<Self, SignatureError> {
        let pairs = uri::parse_pairs(query).map_err(|error| incomplete(error.message()))?;
        let find = |name: &str| {
            let mut found = pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
            match (found.next(), found.next()) {
                (Some(_), Some(_)) => Err(incomplete(format!("duplicate parameter {name}"))),
                (found, _) => Ok(found),
            }
        };
        let need = |name: &str| {
            find(name)?
                .ok_or_else(|| incomplete(format!("AWS query-string parameters must include '{name}'")))
        };
        check_algorithm(need("X-Amz-Algorithm")?)?;
        let expires = need("X-Amz-Expires")?;
        let expires = expires.parse().ok().filter(|seconds| (1..=MAX_EXPIRES).contains(seconds));
        let expires = expires
            .ok_or_else(|| incomplete(format!("X-Amz-Expires must be from 1 to {MAX_EXPIRES} seconds")))?;
        let session_token = find("X-Amz-Security-Token")?.map(Secret::from);
        let (credential, headers) = (need("X-Amz-Credential")?, need("X-Amz-SignedHeaders")?);
        let (date, signature) = (need("X-Amz-Date")?.into(), need("X-Amz-Signature")?);
        Self::from_parts(credential, date, headers, signature, session_token, Some(expires))
    }

    fn from_parts(
        credential: &str,
        date: Text,
        headers: &str,
        signature: &str,
        session_token: Option<Secret>,
        expires: Option<u32>,
    ) -> Result<Self, SignatureError> {
        // Only the ID may contain slashes.
        let mut parts = credential.rsplitn(5, '/');
        let mut part = || parts.next();
        let [Some(terminator), Some(service), Some(region), Some(day), Some(access_key_id)] =
            [part(), part(), part(), part(), part()]
        else {
            return Err(incomplete(format!(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got \
                 '{credential}'"
            )));
        };
        if terminator != TERMINATOR {
            return Err(incomplete(format!(
                "Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'."
            )));
        }
        if access_key_id.is_empty() || service.is_empty() || region.is_empty() {
            return Err(incomplete("Credential has an empty element"));
        }
        if parse_date(&date).is_none() {
            return Err(invalid_date(&date));
        }
        let signature =
            from_hex(signature).ok_or_else(|| incomplete("the signature must have 64 hexadecimal digits"))?;
        Ok(Self {
            access_key_id: access_key_id.into(),
            scope: Scope { date: day.into(), region: region.into(), service: service.into() },
            date,
            signed_headers: headers.into(),
            signature,
            session_token,
            expires,
        })
    }
}

/// Returns the text of a header, if it is ASCII. It looks at many bytes at a time, because these headers are long.
fn to_text(header: &HeaderValue) -> Option<&str> {
    std::str::from_utf8(header.as_bytes()).ok().filter(|text| text.is_ascii())
}

fn check_algorithm(algorithm: &str) -> Result<(), SignatureError> {
    if algorithm == ALGORITHM {
        return Ok(());
    }
    Err(incomplete(format!("Unsupported AWS 'algorithm': '{algorithm}'")))
}

fn incomplete(message: impl Into<String>) -> SignatureError {
    SignatureError::Incomplete(message.into())
}

/// Converts the date of a header to the basic format of signatures.
fn to_basic_format(date: &str) -> Option<Text> {
    let mut text = Vec::new();
    time::write(&mut text, time::parse(date)?, nephos_core::TimeForm::Iso8601);
    let text = String::from_utf8(text).ok()?;
    Some(text.chars().filter(|c| !matches!(c, '-' | ':')).collect())
}
