//! Tests of `trust_store::bucket`.

use nephos_cloud::Scope;
use nephos_elbv2::parts::bucket::*;

#[test]
fn bucket_names_are_letters_digits_hyphens_and_dots() {
    for name in ["abc", "trust-1", "a.b", &"a".repeat(63)] {
        assert!(is_bucket_name(name), "{name}");
    }
    for name in ["", "ab", "Trust", "a_b", "-abc", "abc.", "a b c", &"a".repeat(64)] {
        assert!(!is_bucket_name(name), "{name}");
    }
}

#[test]
fn address_of_an_object_is_percent_encoded() {
    let address = |region: &str, key: &str, version: Option<&str>| {
        object_address(&Scope::new("123456789012", region), "trust", key, version)
    };
    assert_eq!(
        address("us-east-1", "ca/b 1.pem", None),
        "https://trust.s3.us-east-1.amazonaws.com/ca/b%201.pem"
    );
    assert_eq!(
        address("cn-north-1", "é", Some("a/b")),
        "https://trust.s3.cn-north-1.amazonaws.com.cn/%C3%A9?versionId=a%2Fb"
    );
}
