//! JSON Web Tokens: reading, and verification of signatures with the key set (JWKS) of the issuer.

use aws_lc_rs::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use nephos_core::{Value, json};

/// A token whose signature is not verified yet.
pub struct Token<'t> {
    /// Header and claims as they are signed.
    pub signed: &'t str,
    pub header: Value,
    /// Claims of the token.
    pub(crate) claims: Value,
    signature: Vec<u8>,
}

/// Result of the verification of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// The signature is that of a key of the key set.
    Valid,
    /// The signature is not that of the key, or of none of the keys.
    Invalid,
    /// The key set has no key for the token.
    NoKey,
}

impl<'t> Token<'t> {
    /// Reads a token; `None` if it does not have the form of one.
    pub fn read(text: &'t str) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let object = |part: &str| {
            let value = json::parse(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()?;
            matches!(value, Value::Map(_)).then_some(value)
        };
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        Some(Self { signed, header: object(header)?, claims: object(claims)?, signature })
    }

    /// Returns a claim that is a text.
    pub fn text(&self, claim: &str) -> Option<&str> {
        self.claims.get(claim)?.as_text()
    }

    /// Returns a claim that is a text or a list of texts.
    pub(crate) fn texts(&self, claim: &str) -> Vec<&str> {
        match self.claims.get(claim) {
            Some(Value::List(items)) => items.iter().filter_map(Value::as_text).collect(),
            Some(value) => value.as_text().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Returns a claim that is a time, in seconds since 1970.
    pub(crate) fn time(&self, claim: &str) -> Option<i64> {
        match self.claims.get(claim)? {
            Value::Int(seconds) => Some(*seconds),
            Value::Float(seconds) => Some(*seconds as i64),
            _ => None,
        }
    }

    /// Verifies the signature with the keys of a key set. A token that names a key is verified with that one only.
    pub fn verify(&self, keys: &Value) -> Verification {
        let Some(Value::List(keys)) = keys.get("keys") else { return Verification::NoKey };
        let algorithm = self.header.get("alg").and_then(Value::as_text);
        // Extensions that must be understood are not.
        let Some(algorithm) = algorithm.filter(|_| self.header.get("crit").is_none()) else {
            return Verification::Invalid;
        };
        let wanted = self.header.get("kid").and_then(Value::as_text);
        let member = |key: &Value, name: &str| key.get(name).and_then(Value::as_text).map(str::to_owned);
        let is_candidate = |key: &&Value| {
            (wanted.is_none() || member(key, "kid").as_deref() == wanted)
                && member(key, "use").is_none_or(|purpose| purpose == "sig")
                && member(key, "alg").is_none_or(|own| own == algorithm)
        };
        let mut candidates = keys.iter().filter(is_candidate).peekable();
        if candidates.peek().is_none() {
            return Verification::NoKey;
        }
        match candidates.any(|key| self.is_signed_with(algorithm, key).unwrap_or(false)) {
            true => Verification::Valid,
            false => Verification::Invalid,
        }
    }

    /// True if the signature is that of this key; `None` if the key is not one for the algorithm.
    fn is_signed_with(&self, algorithm: &str, key: &Value) -> Option<bool> {
        let text = |name: &str| key.get(name).and_then(Value::as_text);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        let message = self.signed.as_bytes();
        let rsa: Option<&'static RsaParameters> = match algorithm {
            "RS256" => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
            "RS384" => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
            "RS512" => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
            _ => None,
        };
        if let Some(parameters) = rsa {
            let key = RsaPublicKeyComponents { n: bytes("n")?, e: bytes("e")? };
            return (text("kty")? == "RSA").then(|| key.verify(parameters, message, &self.signature).is_ok());
        }
        let (curve, length, parameters) = match algorithm {
            "ES256" => ("P-256", 32, &signature::ECDSA_P256_SHA256_FIXED),
            "ES384" => ("P-384", 48, &signature::ECDSA_P384_SHA384_FIXED),
            _ => return None,
        };
        let (x, y) = (bytes("x")?, bytes("y")?);
        if text("kty")? != "EC" || text("crv")? != curve || (x.len(), y.len()) != (length, length) {
            return None;
        }
        // The form of a point that is not compressed.
        let point = [&[4][..], &x, &y].concat();
        Some(UnparsedPublicKey::new(parameters, point).verify(message, &self.signature).is_ok())
    }
}
