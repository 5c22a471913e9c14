//! Tests of `network::cidr`.

use nephos_elbv2::network::cidr::*;

#[test]
fn cidr_contains_its_addresses() {
    let contains = |cidr: &str, address: &str| {
        Cidr::parse(cidr).is_some_and(|cidr| cidr.contains(address.parse().unwrap()))
    };
    assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
    assert!(contains("0.0.0.0/0", "8.8.8.8") && !contains("0.0.0.0/0", "::1"));
    assert!(contains("10.1.2.3/32", "10.1.2.3") && !contains("10.1.2.3/32", "10.1.2.4"));
    assert!(contains("2001:db8::/32", "2001:db8:1::1") && !contains("2001:db8::/32", "2001:db9::1"));
    assert!(contains("::/0", "::1"));
    for bad in ["10.0.0.0", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/+8", "10.0.0.0/08", ""] {
        assert!(Cidr::parse(bad).is_none(), "{bad}");
    }
}
