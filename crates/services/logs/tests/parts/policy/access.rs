//! Tests of `policy::access`.

use nephos_logs::parts::access::*;

const ARN: &str = "arn:aws:logs:us-east-1:210987654321:destination:central";

fn document(principal: &str, more: &str) -> String {
    format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": {principal},
        "Action": "logs:PutSubscriptionFilter", "Resource": "{ARN}"{more}}}]}}"#
    )
}

#[test]
fn policy_allows_the_accounts_that_it_names() {
    let condition = |text: &str| document(r#""*""#, &format!(r#", "Condition": {{{text}}}"#));
    for (document, expected) in [
        (document(r#""*""#, ""), true),
        (document(r#"{"AWS": "123456789012"}"#, ""), true),
        (document(r#"{"AWS": ["111111111111", "arn:aws:iam::123456789012:root"]}"#, ""), true),
        (document(r#"{"AWS": "111111111111"}"#, ""), false),
        (document(r#"{"AWS": "arn:aws:iam::123456789012:user/ann"}"#, ""), false),
        (document(r#""*""#, "").replace("PutSubscriptionFilter", "PutLogEvents"), false),
        (document(r#""*""#, "").replace("central", "other"), false),
        (document(r#""*""#, "").replace("Allow", "Deny"), false),
        (condition(r#""StringLike": {"aws:SourceAccount": "1234*"}"#), true),
        (condition(r#""StringEquals": {"aws:PrincipalAccount": "111111111111"}"#), false),
        (condition(r#""StringEquals": {"aws:PrincipalOrgID": "o-1"}"#), false),
    ] {
        assert_eq!(allows(&parse(&document).unwrap(), "123456789012", ARN), expected, "{document}");
    }
}

#[test]
fn policy_that_names_an_organization_is_recognized() {
    let condition = r#", "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}"#;
    assert!(!names_organization(&parse(&document(r#""*""#, "")).unwrap()));
    assert!(names_organization(&parse(&document(r#""*""#, condition)).unwrap()));
}
