//! Ids: a word for the kind, and seventeen digits.

use nephos_cloud::{Scope, Tx};
use nephos_core::{Code, Result, Text};
use sha2::{Digest, Sha256};

/// How many digits follow the word.
const DIGITS: usize = 17;

/// How many digits the ids of resources of old have.
const OLD_DIGITS: usize = 8;

/// A new id.
pub(super) fn new(cx: &Tx<'_>, word: &str) -> Text {
    [word, "-0", &cx.ids().hex(DIGITS - 1)].concat().into()
}

/// The id of what an account has from the start in a Region: it follows from both, so that nothing has to be written to
/// know it.
pub(super) fn initial(scope: &Scope, word: &str, which: &str) -> Text {
    let mut hash = Sha256::new();
    for part in [scope.account(), scope.region(), word, which] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    [word, "-0", &hex(&hash.finalize()[..DIGITS / 2])].concat().into()
}

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Refuses, with `code`, what is not written like an id with this word.
pub(super) fn check(id: &str, word: &str, code: &'static Code) -> Result<()> {
    let digits = id.strip_prefix(word).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if matches!(digits.len(), OLD_DIGITS | DIGITS) && digits.bytes().all(is_digit) {
        return Ok(());
    }
    Err(code.with_message(format!("Invalid id: {id:?} (expecting \"{word}-...\")")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_ids_differ_by_account_region_and_kind() {
        let here = Scope::new("123456789012", "us-east-1");
        let (vpc, twin) = (initial(&here, "vpc", ""), initial(&here, "vpc", ""));
        assert_eq!((vpc.as_str(), &vpc), ("vpc-08bffbfbac3fae795", &twin));
        let elsewhere = [Scope::new("210987654321", "us-east-1"), Scope::new("123456789012", "eu-west-1")];
        assert!(elsewhere.iter().all(|scope| initial(scope, "vpc", "") != vpc));
        assert_ne!(initial(&here, "subnet", "a"), initial(&here, "subnet", "b"));
    }

    #[test]
    fn ids_have_a_form() {
        let code = &super::super::errors::VPC_MALFORMED;
        for id in ["vpc-12345678", "vpc-0123456789abcdef0"] {
            assert!(check(id, "vpc", code).is_ok());
        }
        for id in [
            "",
            "vpc",
            "vpc-",
            "vpc-1234567",
            "vpc-1234567G",
            "vpc-ABCDEF01",
            "subnet-12345678",
            "vpc-é2345678",
        ] {
            assert_eq!(check(id, "vpc", code).unwrap_err().code(), "InvalidVpcID.Malformed");
        }
    }
}
