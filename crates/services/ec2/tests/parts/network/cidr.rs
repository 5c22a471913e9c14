//! Tests of `network::cidr`.

use nephos_ec2::parts::cidr::*;
use std::net::Ipv4Addr;

fn cidr(text: &str) -> Cidr {
    text.parse().unwrap()
}

#[test]
fn cidr_blocks_are_normalized_to_their_canonical_form() {
    for (text, canonical) in [
        ("10.0.0.0/16", "10.0.0.0/16"),
        ("10.0.1.7/16", "10.0.0.0/16"),
        ("100.68.0.18/18", "100.68.0.0/18"),
        ("1.2.3.4/32", "1.2.3.4/32"),
        ("1.2.3.4/0", "0.0.0.0/0"),
    ] {
        assert_eq!(cidr(text).to_string(), canonical);
    }
    for text in
        ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0/8", "a/8", "::/0", "10.0.0.0/8/8"]
    {
        assert_eq!(text.parse::<Cidr>(), Err(()), "{text}");
    }
    let canonical = |text: &str| text.parse::<Cidr6>().map(|block| block.to_string());
    assert_eq!(canonical("2001:DB8::1/32").as_deref(), Ok("2001:db8::/32"));
    assert_eq!(canonical("::1/0").as_deref(), Ok("::/0"));
    assert_eq!(canonical("10.0.0.0/8"), Err(()));
}

#[test]
fn cidr_blocks_contain_and_overlap_others() {
    let vpc = cidr("10.0.0.0/16");
    assert!(vpc.contains(cidr("10.0.255.0/24")) && vpc.contains(vpc) && !vpc.contains(cidr("10.1.0.0/24")));
    assert!(!vpc.contains(cidr("10.0.0.0/15")) && vpc.overlaps(cidr("10.0.0.0/15")));
    assert!(!cidr("10.0.0.0/24").overlaps(cidr("10.0.1.0/24")));
    assert!(cidr("0.0.0.0/0").contains(cidr("255.255.255.255/32")));
}

#[test]
fn ipv6_blocks_contain_addresses_and_blocks() {
    let block: Cidr6 = "2001:db8::/56".parse().unwrap();
    let inner: Cidr6 = "2001:db8:0:1::/64".parse().unwrap();
    assert!(block.contains(inner) && !inner.contains(block) && inner.overlaps(block));
    assert_eq!(inner.address(u64::MAX).to_string(), "2001:db8:0:1:ffff:ffff:ffff:ffff");
    assert!(inner.contains_address(inner.address(5)) && !inner.contains_address(block.address(5)));
}

#[test]
fn cidr_block_converts_between_addresses_and_offsets() {
    let range = cidr("172.31.16.0/20");
    assert_eq!((range.size(), range.bits()), (4096, 20));
    assert_eq!(range.address(4), Ipv4Addr::new(172, 31, 16, 4));
    assert_eq!(range.offset_of(Ipv4Addr::new(172, 31, 17, 1)), Some(257));
    assert_eq!(range.offset_of(Ipv4Addr::new(172, 31, 32, 0)), None);
    let parts: Vec<_> = cidr("172.31.0.0/16").split(18).map(|part| part.to_string()).collect();
    assert_eq!(parts, ["172.31.0.0/18", "172.31.64.0/18", "172.31.128.0/18", "172.31.192.0/18"]);
    assert_eq!(range.split(16).count(), 0);
    assert_eq!(cidr("0.0.0.0/0").split(0).count(), 1);
}
