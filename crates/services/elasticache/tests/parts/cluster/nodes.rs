//! Tests of `cluster::nodes`.

use nephos_elasticache::parts::nodes::region_code;

#[test]
fn region_codes_are_those_of_host_names() {
    for (region, code) in [
        ("us-east-1", "use1"),
        ("us-west-2", "usw2"),
        ("eu-west-1", "euw1"),
        ("eu-central-1", "euc1"),
        ("ap-northeast-1", "apne1"),
        ("ap-southeast-2", "apse2"),
    ] {
        assert_eq!(region_code(region), code);
    }
}
