//! X.509 certificates: validity, names and public key. Signatures are not verified.

use crate::{
    certificate::der::{
        self, BIT_STRING, GENERALIZED_TIME, INTEGER, OCTET_STRING, Reader, SEQUENCE, UTC_TIME, Value,
    },
    errors,
};
use nephos_core::{Result, Secret, Text, Timestamp};

/// Tag of the version of a certificate.
const VERSION: u8 = 0xa0;
/// Tag of the public key in a private key for elliptic curves.
const EC_PUBLIC_KEY: u8 = 0xa1;

/// A certificate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    not_before: Timestamp,
    not_after: Timestamp,
    issuer: Vec<u8>,
    subject: Vec<u8>,
    /// Modulus of an RSA key, or point of a key on an elliptic curve.
    key: Vec<u8>,
}

impl Certificate {
    /// Parses the only certificate of a PEM text.
    pub(crate) fn from_pem(text: &str) -> Option<Self> {
        let mut all = Self::all_from_pem(text)?;
        all.pop().filter(|_| all.is_empty())
    }

    /// Parses the certificates of a PEM text.
    fn all_from_pem(text: &str) -> Option<Vec<Self>> {
        let blocks = der::decode_pem(text)?;
        let parse = |block: &der::PemBlock| match block.label.as_str() {
            "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE" => Self::parse(&block.content.0),
            _ => None,
        };
        blocks.iter().map(parse).collect()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut outer = Reader::of_sequence(bytes)?;
        let signed = outer.take(SEQUENCE)?;
        outer.take(SEQUENCE)?;
        outer.take(BIT_STRING)?;
        let mut fields = Reader::new(signed.content);
        fields.skip(VERSION);
        fields.take(INTEGER)?;
        fields.take(SEQUENCE)?;
        let issuer = fields.take(SEQUENCE)?.whole.to_vec();
        let mut validity = Reader::new(fields.take(SEQUENCE)?.content);
        let (not_before, not_after) = (parse_time(validity.next()?)?, parse_time(validity.next()?)?);
        let subject = fields.take(SEQUENCE)?.whole.to_vec();
        let key = parse_public_key(fields.take(SEQUENCE)?)?;
        Some(Self { not_before, not_after, issuer, subject, key })
    }

    /// True if the certificate is valid at this time.
    pub(crate) fn is_valid_at(&self, time: Timestamp) -> bool {
        (self.not_before..=self.not_after).contains(&time)
    }

    /// Describes the time in which the certificate is valid, for people.
    pub(crate) fn describe_validity(&self) -> String {
        format!("it is valid from {} to {}", self.not_before, self.not_after)
    }

    /// True if `other` can have signed this certificate, by its name.
    fn is_issued_by(&self, other: &Self) -> bool {
        self.issuer == other.subject
    }

    /// True if the private key, which was parsed, belongs to this certificate.
    fn has_key(&self, key: &PrivateKey) -> bool {
        // A private key on an elliptic curve need not contain its public key.
        key.public.as_ref().is_none_or(|public| *public == self.key)
    }
}

fn parse_time(value: Value<'_>) -> Option<Timestamp> {
    let text = std::str::from_utf8(value.content).ok()?.strip_suffix('Z')?;
    let (year, rest) = match value.tag {
        UTC_TIME => {
            let (year, rest) = text.split_at_checked(2)?;
            let century = if year < "50" { "20" } else { "19" };
            ([century, year].concat(), rest)
        }
        GENERALIZED_TIME => text.split_at_checked(4).map(|(year, rest)| (year.to_owned(), rest))?,
        _ => return None,
    };
    let part = |at: usize| rest.get(2 * at..2 * at + 2);
    let parts = (part(0)?, part(1)?, part(2)?, part(3)?, part(4)?);
    let (month, day, hour, minute, second) = parts;
    format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").parse().ok().filter(|_| rest.len() == 10)
}

fn parse_public_key(value: Value<'_>) -> Option<Vec<u8>> {
    let mut fields = Reader::new(value.content);
    fields.take(SEQUENCE)?;
    let (unused_bits, key) = fields.take(BIT_STRING)?.content.split_first()?;
    if *unused_bits != 0 {
        return None;
    }
    match Reader::of_sequence(key) {
        Some(mut rsa) => Some(rsa.take(INTEGER)?.content.to_vec()),
        None => Some(key.to_vec()),
    }
}

/// A private key that was parsed. The key itself is not kept.
#[derive(Debug)]
struct PrivateKey {
    /// Modulus of an RSA key, or point of a key on an elliptic curve that contains it.
    public: Option<Vec<u8>>,
}

impl PrivateKey {
    /// Parses a private key that is not encrypted: PKCS #1, PKCS #8 or SEC 1 in PEM.
    fn from_pem(text: &str) -> Option<Self> {
        let blocks = der::decode_pem(text)?;
        let is_key = |block: &&der::PemBlock| {
            matches!(&*block.label, "PRIVATE KEY" | "RSA PRIVATE KEY" | "EC PRIVATE KEY")
        };
        let mut keys = blocks.iter().filter(is_key);
        let key = keys.next().filter(|_| keys.next().is_none())?;
        Self::parse(&key.content.0)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Reader::of_sequence(bytes)?;
        fields.take(INTEGER)?;
        let second = fields.next()?;
        match second.tag {
            INTEGER => Some(Self { public: Some(second.content.to_vec()) }),
            SEQUENCE => Self::parse(fields.take(OCTET_STRING)?.content),
            OCTET_STRING => {
                let mut public = None;
                while let Some(field) = fields.next() {
                    if field.tag == EC_PUBLIC_KEY {
                        let bits = Reader::new(field.content).take(BIT_STRING)?.content;
                        public = Some(bits.get(1..)?.to_vec());
                    }
                }
                Some(Self { public })
            }
            _ => None,
        }
    }
}

/// Checks a certificate, its private key and its chain; returns the time at which the certificate expires.
pub(crate) fn check_key_pair(
    now: Timestamp,
    body: &str,
    key: &Secret,
    chain: Option<&Text>,
) -> Result<Timestamp> {
    let certificate = Certificate::from_pem(body);
    let certificate =
        certificate.ok_or_else(|| errors::certificate_not_parsed().with_field("CertificateBody"))?;
    let private = PrivateKey::from_pem(key.expose());
    let private = private.ok_or_else(|| errors::private_key_not_parsed().with_field("PrivateKey"))?;
    if !certificate.has_key(&private) {
        return Err(errors::key_pair_mismatch().with_field("PrivateKey"));
    }
    if !certificate.is_valid_at(now) {
        let refused = errors::certificate_not_valid_now().with_field("CertificateBody");
        return Err(refused.with_hint(certificate.describe_validity()));
    }
    let expiration = certificate.not_after;
    let Some(chain) = chain else { return Ok(expiration) };
    let invalid = |index: i64| errors::chain_invalid(index).with_field("CertificateChain");
    let signers = Certificate::all_from_pem(chain).filter(|signers| !signers.is_empty());
    let mut issued = certificate;
    // The certificate itself is before the first of the chain.
    for (index, signer) in (-1..).zip(signers.ok_or_else(|| invalid(-1))?) {
        if !issued.is_issued_by(&signer) {
            return Err(invalid(index));
        }
        issued = signer;
    }
    Ok(expiration)
}
