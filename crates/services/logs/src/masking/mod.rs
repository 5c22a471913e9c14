//! Data protection policies: detect sensitive values in messages and mask them.

mod checks;
mod document;
mod finder;
mod identifiers;
mod keywords;

use finder::Finder;
use nephos_core::{Error, Result};
use std::{borrow::Cow, ops::Range};

/// Name of the parameter with a policy document.
const FIELD: &str = "policyDocument";

/// Returns the error for a policy document that is invalid for this reason.
fn invalid(reason: impl Into<String>) -> Error {
    super::errors::invalid_data_protection_policy().with_field(FIELD).with_hint(reason)
}

/// A data protection policy, ready to mask messages.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    finders: Vec<Finder>,
}

impl Policy {
    /// Parses a policy document.
    ///
    /// A managed data identifier that cannot be detected here is an error, as its values would not be masked.
    pub(super) fn parse(document: &str) -> Result<Self> {
        Ok(Self { finders: document::parse_finders(document)? })
    }

    /// Replaces every character of the sensitive values in the message with an asterisk.
    pub(super) fn mask<'a>(&self, message: &'a str) -> Cow<'a, str> {
        let mut found: Vec<Range<usize>> = Vec::new();
        self.finders.iter().for_each(|finder| finder.find(message, &mut found));
        if found.is_empty() {
            return Cow::Borrowed(message);
        }
        found.sort_unstable_by_key(|range| range.start);
        let mut masked = String::with_capacity(message.len());
        let mut at = 0;
        for range in found {
            // Values may overlap, like a phone number in an account number.
            let start = range.start.max(at);
            let end = range.end.max(at);
            masked.push_str(&message[at..start]);
            masked.extend(message[start..end].chars().map(|_| '*'));
            at = end;
        }
        masked.push_str(&message[at..]);
        Cow::Owned(masked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::pattern::tests::random_numbers;

    /// Returns a policy that masks the managed data identifiers with these names.
    pub(super) fn policy(names: &[&str]) -> Policy {
        let arns: Vec<_> = names.iter().map(|name| arn(name)).collect();
        Policy::parse(&document(&arns.join(", "), "")).unwrap()
    }

    /// Returns the ARN of a managed data identifier, in quotes.
    pub(super) fn arn(name: &str) -> String {
        format!("\"arn:aws:dataprotection::aws:data-identifier/{name}\"")
    }

    /// Returns a policy document with these data identifiers and additional properties.
    pub(super) fn document(identifiers: &str, more: &str) -> String {
        format!(
            r#"{{"Name": "policy", "Version": "2021-06-01", {more} "Statement": [
                {{"Sid": "audit", "DataIdentifier": [{identifiers}],
                  "Operation": {{"Audit": {{"FindingsDestination": {{}}}}}}}},
                {{"Sid": "redact", "DataIdentifier": [{identifiers}],
                  "Operation": {{"Deidentify": {{"MaskConfig": {{}}}}}}}}]}}"#
        )
    }

    #[test]
    fn each_character_of_a_sensitive_value_becomes_an_asterisk() {
        let policy = policy(&["EmailAddress", "IpAddress"]);
        assert_eq!(policy.mask("from ann@example.com at 10.0.0.1, é"), "from *************** at ********, é");
        assert!(matches!(policy.mask("nothing here"), Cow::Borrowed("nothing here")));
        assert_eq!(policy.mask(""), "");
    }

    #[test]
    fn overlapping_values_are_masked_once() {
        let custom = r#""Configuration": {"CustomDataIdentifier": [
            {"Name": "Whole", "Regex": "id-[a-z@.]+"}, {"Name": "Part", "Regex": "[a-z]+@"}]},"#;
        let identifiers = format!("\"Whole\", \"Part\", {}", arn("EmailAddress"));
        let policy = Policy::parse(&document(&identifiers, custom)).unwrap();
        assert_eq!(policy.mask("x id-ann@example.com é ann@ z"), "x ****************** é **** z");
    }

    #[test]
    fn a_custom_regex_masks_characters_not_bytes() {
        let custom = r#""Configuration": {"CustomDataIdentifier": [
            {"Name": "Employee", "Regex": "EmployeeId-\\d{9}"}, {"Name": "Loose", "Regex": "<?.>"}]},"#;
        let custom = custom.replace("<?.>", "x.?x*");
        let policy = Policy::parse(&document("\"Employee\", \"Loose\"", &custom)).unwrap();
        assert_eq!(
            policy.mask("EmployeeId-123456789 EmployeeId-12 xéx"),
            "******************** EmployeeId-12 ***"
        );
    }

    #[test]
    fn masking_random_messages_does_not_panic() {
        let policy = policy(&identifiers::detectable().collect::<Vec<_>>());
        #[rustfmt::skip]
        const PIECES: [&str; 30] = [
            "4539148803436467", "card ", "iban", "DE89370400440532013000", "ann@", "example", ".com", "@",
            "10.0.0.1", "::", ":1", "fe80", "-", " ", "é", "日", "-----BEGIN RSA PRIVATE KEY-----",
            "-----END", "ssn", "078-05-1120", "+1", "212", "5550123", "\n", "tel", "0", "9", "/", "vin",
            "1HGCM82633A004352",
        ];
        let mut next = random_numbers(0x2545_F491_4F6C_DD1D);
        let mut changed = 0;
        for _ in 0..1000 {
            let message: String = (0..next(20)).map(|_| PIECES[next(PIECES.len())]).collect();
            let masked = policy.mask(&message);
            assert_eq!(masked.chars().count(), message.chars().count());
            assert!(masked.chars().zip(message.chars()).all(|(masked, was)| masked == was || masked == '*'));
            changed += usize::from(masked != message);
        }
        assert!(changed > 200, "only {changed} of the random messages were masked");
    }
}
