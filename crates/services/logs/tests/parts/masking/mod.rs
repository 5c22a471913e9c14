//! Tests of `masking`.

mod checks;
mod document;
mod identifiers;
mod keywords;

use crate::parts::filter::pattern::random_numbers;
use nephos_logs::masking::*;
use std::borrow::Cow;

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
    let policy = policy(&nephos_logs::masking::identifiers::detectable().collect::<Vec<_>>());
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
