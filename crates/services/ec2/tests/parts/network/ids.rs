//! Tests of `network::ids`.

use nephos_cloud::Scope;
use nephos_ec2::parts::ids::*;

#[test]
fn default_ids_differ_by_account_region_and_kind() {
    let here = Scope::new("123456789012", "us-east-1");
    let (vpc, twin) = (default_id(&here, "vpc", ""), default_id(&here, "vpc", ""));
    assert_eq!((vpc.as_str(), &vpc), ("vpc-08bffbfbac3fae795", &twin));
    let elsewhere = [Scope::new("210987654321", "us-east-1"), Scope::new("123456789012", "eu-west-1")];
    assert!(elsewhere.iter().all(|scope| default_id(scope, "vpc", "") != vpc));
    assert_ne!(default_id(&here, "subnet", "a"), default_id(&here, "subnet", "b"));
}

#[test]
fn malformed_ids_are_refused() {
    let malformed =
        |id: &str| nephos_ec2::errors::VPC_MALFORMED.with_message(format!("Invalid id: \"{id}\""));
    for id in ["vpc-12345678", "vpc-0123456789abcdef0"] {
        assert!(check(id, "vpc", malformed).is_ok());
    }
    for id in
        ["", "vpc", "vpc-", "vpc-1234567", "vpc-1234567G", "vpc-ABCDEF01", "subnet-12345678", "vpc-é2345678"]
    {
        assert_eq!(check(id, "vpc", malformed).unwrap_err().code(), "InvalidVpcID.Malformed");
    }
}
