//! JSON Web Tokens: reading, and verification of signatures with the key set (JWKS) of the issuer.

use aws_lc_rs::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use nephos_core::{Value, json};

/// A token whose signature is not verified yet.
pub(crate) struct Token<'t> {
    /// Header and claims as they are signed.
    signed: &'t str,
    header: Value,
    /// Claims of the token.
    pub(crate) claims: Value,
    signature: Vec<u8>,
}

/// Result of the verification of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    /// The signature is that of a key of the key set.
    Valid,
    /// The signature is not that of the key, or of none of the keys.
    Invalid,
    /// The key set has no key for the token.
    NoKey,
}

impl<'t> Token<'t> {
    /// Reads a token; `None` if it does not have the form of one.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
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
    pub(crate) fn text(&self, claim: &str) -> Option<&str> {
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
    pub(crate) fn verify(&self, keys: &Value) -> Verification {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A key of each algorithm that the behaviour cases do not use.
    const KEYS: &str = r#"{"keys": [
        {"kty": "RSA", "e": "AQAB", "n": "5ORXCo_PEhVGFz5iDR1FKqlAJzEY81LWwjHNTd_HbJnR5ldepNTr_tTwpUePcTMiCShqNiEbjCgA0md3805wuDkk2wFgxeT1W7BfnLfA7TTIbWBXsrW0geJuy2ZKquwC_3YX15WTY95sPcDFj3MILErzuH-qzcQ_VQsHV8x655cusjgBL-sUAvAx_VnfqtwnYqqRiL7vHbXq7B3PVSRq_iPoYXbePPsI88QQAk-zalZr5eHRCeApRegvXcXUZ-3qga4mWVsQa8wNLNBAsDoHzKeklH8UybnKgqDh9OSn43KCEAT1JsmRRVbstYoXbsD-MMvg9T0OwFC7CVYVQ0LnGw"},
        {"kty": "EC", "crv": "P-384", "x": "pp-m4CzzWIwEfW_LyWhyPHAABsc8U7agZvJ-APyNgawel0aG0WQydNN4CmrMMIuv",
         "y": "qj3qnhsRcHZj5443kj93gT1OiMwb14mb5gK98Vszdl5Ut-EEKYEd4cb86BGOXS-E"}]}"#;

    /// Tokens with the claims `{"sub":"ann"}`, signed by another program.
    const TOKENS: [&str; 4] = [
        "eyJhbGciOiAiUlMyNTYifQ.eyJzdWIiOiJhbm4ifQ.S63gyMgARKmOlXPEzqGXp6vOczCdRfBdpe-JQkxkx6juKAHOY5EqUAzyzCemIKjlWGlTDpcg6BIQKZaP_O-M1TCEaJZ9DCgdGuSSLp4oqI9skFPztZMvbse2H0YdxqGoY6ezFBc1nOzutmiJIBuKsP69HsaGKtdae-nXZ-Bajr61sK_i7ac9kNAByyN8DebS9ABdNbQ-3BQsC9gA3QV4gVrIfHgIDaTzz7nTKcqwqkGXXwUZrlzlUKW4fgzZXOxziBmCeyLmZWQal-dRrOCkEkF6bOqnGRNJVZ_jUstfP6h0JoCOoLmtqZ6f3D8FjWKVzE3xW0ONoE4Kn0pUE6Gazg",
        "eyJhbGciOiAiUlMzODQifQ.eyJzdWIiOiJhbm4ifQ.eIXz3KEnWuv83UTAWX618T7DXALubmnqoQonn8zvhbK9ycTS7NVhQdqjZK7JlAdibv-gOvs-sVEcxkq_Sji5FDpN3FtC2ZDf-ptkOAro40ejzdDcDuB8HXSE-6spK5tlis-LUC0w4-1vBAvR62P_Y7oj5bNlyXbhgvDtauvNUaSS5pDUxDtHHjXDO9W0CY2qqmuwQ3ulUciSHYA9X7ECmkuF8odljI5HrCg_Wxd6gQno6SZoVmS5QqFD-DoWVdeTDGyLX_5b8wImx2saf7hc4MVsoetknu9fe1kuKI_-A63pyoq0F86fs7c9mRfeELwyLnbPo6q6cMz7_PU8U7OGrg",
        "eyJhbGciOiAiUlM1MTIifQ.eyJzdWIiOiJhbm4ifQ.LzR0cz0DVU8cNFNurZhl1EXkYOQ6msgS0aMDY38-PaSNNf5fKGDSdZUxw1sThHq3GonuxfEevS5LMFGZu8yWipx5-WVPgezppk9knVp289W8EHuGZT0LI_x8CNO1OYkE6cVMxkIbRC0ULOBngVvHZOIZIWpOuDUB88rV9_SXBZ_QOMi_cyFdshnrHeWQoEQQVHc3QaFj5BRxu5SjRp7Jq80m22hp8lujTTq30PeOgwytXbjKm4tEtIq8y8bkkqPkG4k4XhXzIyj4Ti8VF2rGlY4seMXETusModqO6K0ZZr9BPGP71g6hWPSnxCnmjSIgjiLQ8toVRBxzyR7e6x1-XQ",
        "eyJhbGciOiAiRVMzODQifQ.eyJzdWIiOiJhbm4ifQ.B2-Llf2kZB-6sdQ-WQrlciWI01sMK5uKP6ugJQF4RYKfdO8O94iixp0OtsHLqSWcGHr6sGdOiHaXQE8ThPIIlWlps-ZyyOs2unRmi_RRA4j0sfjrYUMI2iz_T-kQ5UwT",
    ];

    #[test]
    fn signatures_of_all_algorithms_are_verified() {
        let keys = json::parse(KEYS.as_bytes()).expect("the key set is JSON");
        let signed =
            |text: &str| text.rsplit_once('.').map(|(signed, _)| signed.to_owned()).unwrap_or_default();
        for (n, text) in TOKENS.iter().enumerate() {
            let mut token = Token::read(text).expect("it is a token");
            assert_eq!(token.text("sub"), Some("ann"));
            assert_eq!(token.verify(&keys), Verification::Valid, "{n}");
            let other = signed(TOKENS[(n + 1) % TOKENS.len()]);
            token.signed = &other;
            assert_eq!(token.verify(&keys), Verification::Invalid, "{n}");
            for header in [r#"{"alg": "none"}"#, r#"{"alg": "RS256", "crit": ["exp"]}"#, "{}"] {
                let mut token = Token::read(text).expect("it is a token");
                token.header = json::parse(header.as_bytes()).expect("it is JSON");
                assert_eq!(token.verify(&keys), Verification::Invalid, "{header}");
            }
        }
        for text in ["", "a", "a.b", "e30.e30", "e30.W10.", "!.e30."] {
            assert!(Token::read(text).is_none(), "{text}");
        }
    }
}
