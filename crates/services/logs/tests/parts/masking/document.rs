//! Tests of `masking::document`.

use super::{arn, document, policy};
use nephos_logs::masking::Policy;

const AUDIT: &str = r#""Audit": {"FindingsDestination": {}}"#;
const MASK: &str = r#""Deidentify": {"MaskConfig": {}}"#;

/// Asserts that the document is rejected with a message that contains `expected`.
fn assert_rejected(text: &str, expected: &str) {
    let error = Policy::parse(text).map(|_| text).unwrap_err();
    assert_eq!(error.field(), Some("policyDocument"));
    assert!(error.to_string().contains(expected), "{text} was rejected with: {error}");
}

#[test]
fn the_documented_policy_is_parsed() {
    let text = r#"{"Name": "example", "Description": "An example", "Version": "2021-06-01",
        "Configuration": {"CustomDataIdentifier": [{"Name": "EmployeeId", "Regex": "EmployeeId-\\d{9}"}]},
        "Statement": [
          {"Sid": "audit",
           "DataIdentifier": ["EmployeeId", "arn:aws-cn:dataprotection::aws:data-identifier/IpAddress"],
           "Operation": {"Audit": {"FindingsDestination": {"S3": {"Bucket": "findings"},
             "CloudWatchLogs": {"LogGroup": "/audit"}, "Firehose": {"DeliveryStream": "stream"}}}}},
          {"DataIdentifier": ["EmployeeId", "arn:aws-cn:dataprotection::aws:data-identifier/IpAddress"],
           "Operation": {"Deidentify": {"MaskConfig": {}}}}]}"#;
    let policy = Policy::parse(text).unwrap();
    assert_eq!(policy.mask("EmployeeId-123456789 from 10.0.0.1"), "******************** from ********");
}

#[test]
fn an_undetectable_managed_identifier_is_rejected() {
    for name in ["Name", "Address", "DriversLicense-US", "PassportNumber-FR", "BankAccountNumber-US"] {
        let expected = format!("{name} is not supported: its values cannot be detected");
        assert_rejected(&document(&arn(name), ""), &expected);
    }
}

#[test]
fn unknown_identifiers_are_rejected() {
    for (identifiers, expected) in [
        (&*arn("EmailAdress"), "\"EmailAdress\"; did you mean EmailAddress?"),
        (&arn("Ssn"), "did you mean Ssn-"),
        (&arn("qqq"), "unknown managed data identifier \"qqq\""),
        ("\"EmailAddress\"", "use its ARN arn:aws:dataprotection::aws:data-identifier/EmailAddress"),
        ("\"arn:aws:s3:::bucket\"", "unknown custom data identifier or ARN"),
        ("", "Statement[0].DataIdentifier must be a list of strings"),
        ("5", "Statement[0].DataIdentifier must be a list of strings"),
    ] {
        assert_rejected(&document(identifiers, ""), expected);
    }
    let custom = r#""Configuration": {"CustomDataIdentifier": [{"Name": "EmployeeId", "Regex": "E"}]},"#;
    assert_rejected(&document("\"EmployeeID2\"", custom), "did you mean EmployeeId?");
}

#[test]
fn invalid_custom_identifiers_are_rejected() {
    let custom = |rows: &str| {
        let rows = format!("\"Configuration\": {{\"CustomDataIdentifier\": [{rows}]}},");
        document(&arn("EmailAddress"), &rows)
    };
    let row = |name: &str, regex: &str| format!(r#"{{"Name": "{name}", "Regex": "{regex}"}}"#);
    assert!(Policy::parse(&custom(&row(&"n".repeat(128), &"r".repeat(200)))).is_ok());
    let eleven: Vec<_> = (0..11).map(|n| row(&format!("n{n}"), "r")).collect();
    assert!(Policy::parse(&custom(&eleven[1..].join(","))).is_ok());
    for (rows, expected) in [
        (row(&"n".repeat(129), "r"), "CustomDataIdentifier[0].Name must have at most 128"),
        (row("a b", "r"), "letters, digits, _ and -"),
        (row("n", &"r".repeat(201)), "Regex must have at most 200 characters"),
        (row("n", "(r)"), "parentheses are not supported"),
        (row("n", "a:b"), "':' is not supported"),
        (row("EmailAddress", "r"), "EmailAddress is a managed data identifier"),
        (format!("{0}, {0}", row("n", "r")), "n is defined twice"),
        (r#"{"Name": "n"}"#.to_owned(), "CustomDataIdentifier[0].Regex is missing"),
        (eleven.join(","), "at most 10 custom data identifiers, got 11"),
    ] {
        assert_rejected(&custom(&rows), expected);
    }
}

#[test]
fn invalid_documents_are_rejected() {
    assert_rejected("", "invalid JSON");
    assert_rejected("{", "invalid JSON");
    assert_rejected("[]", "the policy must be an object");
    assert_rejected(
        r#"{"Name": "n", "Version": "2021-06-01", "Statement": []}"#,
        "Statement must have 2 items",
    );
    assert_rejected(r#"{"Name": "n", "Version": "2021-06-01"}"#, "Statement is missing");
    let good = document(&arn("EmailAddress"), "");
    assert_rejected(&format!("{good}{}", " ".repeat(30_720)), "at most 30720 characters, got");
    let findings = r#""FindingsDestination": {}"#;
    for (valid, invalid, expected) in [
        (r#""Name": "policy","#, "", "Name is missing"),
        (r#""policy""#, "5", "Name must be a string"),
        ("\"Version\"", "\"Verson\"", "unknown property of the policy \"Verson\"; did you mean Version?"),
        ("2021-06-01", "2012-10-17", "Version must be \"2021-06-01\", got \"2012-10-17\""),
        (MASK, AUDIT, "both statements have Audit"),
        (AUDIT, "", "Statement[0].Operation must have either"),
        (findings, "", "Statement[0].Operation.Audit.FindingsDestination is missing"),
        (findings, r#""FindingsDestination": {"S3": {}}"#, "S3.Bucket is missing"),
        (findings, r#""FindingsDestination": {"SQS": {}}"#, "\"SQS\""),
        (r#""MaskConfig": {}"#, r##""MaskConfig": {"MaskWithCharacter": "#"}"##, "MaskConfig must be empty"),
        ("EmailAddress", "IpAddress", "must have the same DataIdentifier"),
        (r#""Sid": "audit""#, r#""Effect": "Deny""#, "property of Statement[0] \"Effect\""),
    ] {
        assert!(good.contains(valid), "{valid}");
        assert_rejected(&good.replacen(valid, invalid, 1), expected);
    }
}

#[test]
fn the_two_statements_can_be_in_any_order() {
    let good = document(&arn("EmailAddress"), "");
    let swapped = good.replace(AUDIT, "HERE").replace(MASK, AUDIT).replace("HERE", MASK);
    assert_eq!(Policy::parse(&swapped).unwrap().mask("a@b.io"), policy(&["EmailAddress"]).mask("a@b.io"));
}
