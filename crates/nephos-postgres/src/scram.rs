//! Authentication with a password that the database does not learn: SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::io;
use zeroize::Zeroizing;

/// Name of the mechanism.
pub(crate) const MECHANISM: &str = "SCRAM-SHA-256";

/// Header of the client's messages: no channel binding.
const HEADER: &str = "n,,";

/// Maximum number of iterations that a server may ask for.
const MAX_ITERATIONS: u32 = 1_000_000;

/// An authentication in progress.
pub(crate) struct Scram {
    password: Zeroizing<Vec<u8>>,
    nonce: String,
    /// First message, without its header.
    first: String,
    server_signature: Vec<u8>,
}

fn refused(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("cannot log in to the database: {message}"))
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

impl Scram {
    /// Begins with a nonce, which must be random and without commas.
    pub(crate) fn new(password: &str, nonce: &str) -> Self {
        let password = Zeroizing::new(password.as_bytes().to_vec());
        Self {
            password,
            nonce: nonce.to_owned(),
            first: format!("n=,r={nonce}"),
            server_signature: Vec::new(),
        }
    }

    /// First message.
    pub(crate) fn first(&self) -> String {
        format!("{HEADER}{}", self.first)
    }

    /// Returns the second message, which proves that the client knows the password.
    pub(crate) fn answer(&mut self, challenge: &[u8]) -> io::Result<String> {
        let challenge = std::str::from_utf8(challenge).map_err(|_| refused("its challenge is not UTF-8"))?;
        let field = |name: &str| challenge.split(',').find_map(|field| field.strip_prefix(name));
        let nonce = field("r=").ok_or_else(|| refused("its challenge has no nonce"))?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(refused("its challenge has another nonce"));
        }
        let salt = field("s=").and_then(|salt| STANDARD.decode(salt).ok());
        let salt = salt.ok_or_else(|| refused("its challenge has no salt"))?;
        let iterations = field("i=").and_then(|count| count.parse().ok());
        let iterations = iterations.filter(|count| (1..=MAX_ITERATIONS).contains(count));
        let iterations =
            iterations.ok_or_else(|| refused("its challenge has no valid number of iterations"))?;
        let mut salted = Zeroizing::new([0; 32]);
        pbkdf2::pbkdf2_hmac::<Sha256>(&self.password, &salt, iterations, &mut *salted);
        let client_key = Zeroizing::new(hmac(&*salted, &[b"Client Key"]));
        let stored_key: [u8; 32] = Sha256::digest(*client_key).into();
        let last = format!("c={},r={nonce}", STANDARD.encode(HEADER));
        let signed: [&[u8]; 5] = [self.first.as_bytes(), b",", challenge.as_bytes(), b",", last.as_bytes()];
        let signature = hmac(&stored_key, &signed);
        let proof: Vec<u8> = client_key.iter().zip(signature).map(|(key, byte)| key ^ byte).collect();
        let server_key = hmac(&*salted, &[b"Server Key"]);
        self.server_signature = hmac(&server_key, &signed).to_vec();
        Ok(format!("{last},p={}", STANDARD.encode(proof)))
    }

    /// Verifies that the server knows the password, too.
    pub(crate) fn finish(&self, last: &[u8]) -> io::Result<()> {
        let signature = last.strip_prefix(b"v=").and_then(|text| STANDARD.decode(text).ok());
        match signature {
            Some(signature) if !signature.is_empty() && signature == self.server_signature => Ok(()),
            _ => Err(refused("it does not know the password itself")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exchange of RFC 7677, section 3; PostgreSQL ignores the user name in it.
    #[test]
    fn exchange_of_the_rfc() {
        let mut scram = Scram::new("pencil", "rOprNGfwEbeRWgbNEkqO");
        assert_eq!(scram.first(), "n,,n=,r=rOprNGfwEbeRWgbNEkqO");
        scram.first = "n=user,r=rOprNGfwEbeRWgbNEkqO".to_owned();
        let challenge: &[u8] =
            b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let answer = scram.answer(challenge).unwrap();
        let expected = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
        assert_eq!(answer, expected);
        scram.finish(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=").unwrap();
        assert!(scram.finish(b"v=AAAA").is_err());
    }

    #[test]
    fn malformed_challenges_are_refused() {
        for challenge in [
            "",
            "r=abc,s=AAAA,i=1",
            "r=abX,s=AAAA,i=1",
            "r=abcd,s=!,i=1",
            "r=abcd,s=AAAA,i=0",
            "r=abcd,s=AAAA",
        ] {
            assert!(Scram::new("p", "abc").answer(challenge.as_bytes()).is_err(), "{challenge}");
        }
        assert!(Scram::new("p", "abc").finish(b"v=").is_err(), "before the challenge");
    }
}
