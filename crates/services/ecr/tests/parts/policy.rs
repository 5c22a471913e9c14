//! Tests of `policy`.

use nephos_core::json;
use nephos_ecr::policy::*;

#[test]
fn documents_are_formatted_as_the_service_does() {
    let text = r#"{"Version":"2008-10-17","Statement":[{"Sid":"a b","Principal":{"AWS":["1","2"]},"Action":[]},{}]}"#;
    let formatted = format(&json::parse(text.as_bytes()).unwrap());
    let expected = r#"{
  "Version" : "2008-10-17",
  "Statement" : [ {
    "Sid" : "a b",
    "Principal" : {
      "AWS" : [ "1", "2" ]
    },
    "Action" : [ ]
  }, { } ]
}"#;
    assert_eq!(formatted, expected);
}
