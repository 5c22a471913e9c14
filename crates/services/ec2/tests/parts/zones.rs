//! Tests of `zones`.

use nephos_cloud::Scope;
use nephos_ec2::parts::zones::*;

#[test]
fn zone_ids_have_the_code_of_their_region() {
    for (region, id) in [
        ("us-east-1", "use1-az2"),
        ("eu-central-1", "euc1-az2"),
        ("ap-southeast-2", "apse2-az2"),
        ("ap-south-1", "aps1-az2"),
        ("us-gov-west-1", "usgw1-az2"),
        ("il-central-1", "ilc1-az2"),
    ] {
        let scope = Scope::new("123456789012", region);
        assert_eq!(id_of(&scope, &format!("{region}b")).as_deref(), Some(id));
        assert_eq!(id_of(&scope, &format!("{region}d")), None);
    }
    let scope = Scope::new("123456789012", "us-west-2");
    assert_eq!(id_of(&scope, "us-west-2-lax-1b").as_deref(), Some("usw2-lax1-az2"));
    assert_eq!(id_of(&scope, "us-west-2-bos-1a"), None, "the Local Zone is in another Region");
}
