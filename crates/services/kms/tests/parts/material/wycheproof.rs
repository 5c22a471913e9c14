//! Vectors of Project Wycheproof.

use super::hex;
use aws_lc_rs::digest;
use nephos_kms::{EncryptionAlgorithm, KeySpec, SigningAlgorithm, WrappingAlgorithm, material::*};
use std::str::FromStr;

/// A group of test cases with the same key.
struct Group<'a> {
    operation: &'a str,
    spec: &'a str,
    algorithm: &'a str,
    key: Vec<u8>,
}

const VECTORS: &str = include_str!("wycheproof.txt");

#[test]
fn all_vectors() {
    let (mut group, mut tested) = (None, 0);
    for line in VECTORS.lines() {
        if let Some(head) = Group::parse(line) {
            group = Some(head);
        } else if line.starts_with("valid") || line.starts_with("invalid") {
            let words: Vec<_> = line.split(' ').collect();
            let [result, number, input, output] = words[..] else { panic!("{line}") };
            let group = group.as_ref().expect("a group");
            let (input, output) = (hex(input.trim_matches('-')), hex(output.trim_matches('-')));
            let found = group.run(&input, &output);
            let name = format!("{} {} {} {number}", group.operation, group.spec, group.algorithm);
            assert_eq!(found, result == "valid", "{name}");
            tested += 1;
        }
    }
    assert_eq!(tested, 103);
}

/// PKCS #8 of an RSA key of the vectors. `None` for other specs.
pub(super) fn rsa_key(spec: &KeySpec) -> Option<Vec<u8>> {
    let groups = VECTORS.lines().filter_map(Group::parse);
    let mut keys =
        groups.filter(|group| group.operation == "decrypt" && choice::<KeySpec>(group.spec) == *spec);
    keys.next().map(|group| group.key)
}

impl<'a> Group<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let words: Vec<_> = line.strip_prefix('[')?.strip_suffix(']')?.split(' ').collect();
        let [_, operation, spec, algorithm, key] = words[..] else { panic!("{line}") };
        Some(Self { operation, spec, algorithm, key: hex(key) })
    }

    /// True if the operation succeeds and returns `output`.
    fn run(&self, input: &[u8], output: &[u8]) -> bool {
        let spec: KeySpec = choice(self.spec);
        match self.operation {
            "verify" => self.verify(&spec, input, output),
            "decrypt" => {
                let algorithm: EncryptionAlgorithm = choice(self.algorithm);
                decrypt_rsa(&spec, &self.key, &algorithm, input).is_ok_and(|bytes| *bytes == output)
            }
            "unwrap" => {
                let algorithm: WrappingAlgorithm = choice(self.algorithm);
                unwrap(&self.key, &algorithm, input).is_ok_and(|bytes| *bytes == output)
            }
            "unwrap-padded" => wrapping::unwrap_padded(&self.key, input).is_ok_and(|bytes| *bytes == output),
            "agree" => agree(&spec, &self.key, input).is_ok_and(|bytes| *bytes == output),
            "public-key" => public_key(&spec, &self.key).is_ok_and(|bytes| bytes == output),
            other => panic!("{other}"),
        }
    }

    /// Verifies the message and, where the algorithm has one, its digest, which have the same result.
    fn verify(&self, spec: &KeySpec, message: &[u8], signature: &[u8]) -> bool {
        let algorithm: SigningAlgorithm = choice(self.algorithm);
        let valid =
            verify(spec, &self.key, &algorithm, Message::Raw(message), signature).expect("a valid key");
        if let Some(digest) = digest_of(self.algorithm, message) {
            let digest = Message::Digest(digest.as_ref());
            assert_eq!(verify(spec, &self.key, &algorithm, digest, signature), Ok(valid));
        }
        valid
    }
}

fn choice<C: FromStr<Err = nephos_core::Error>>(text: &str) -> C {
    text.parse().expect("a value of the specification")
}

/// Digest of a message with the algorithm that a signing algorithm of RSA or ECDSA names.
pub(super) fn digest_of(algorithm: &str, message: &[u8]) -> Option<digest::Digest> {
    if !algorithm.starts_with("RSA") && !algorithm.starts_with("ECDSA") {
        return None;
    }
    let digest = match &algorithm[algorithm.len() - 3..] {
        "256" => &digest::SHA256,
        "384" => &digest::SHA384,
        _ => &digest::SHA512,
    };
    Some(digest::digest(digest, message))
}
