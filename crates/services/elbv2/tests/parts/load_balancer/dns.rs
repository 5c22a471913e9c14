//! Tests of `load_balancer::dns`.

use nephos_core::Record as _;
use nephos_elbv2::parts::dns::*;
use nephos_elbv2::parts::load_balancer::LoadBalancer;
use nephos_elbv2::parts::load_balancer::LoadBalancerType;
use std::collections::BTreeSet;

#[test]
fn hosted_zones_are_unique_per_region() {
    let regions: BTreeSet<_> = HOSTED_ZONES.iter().map(|(region, ..)| region).collect();
    let zones: BTreeSet<_> = HOSTED_ZONES.iter().flat_map(|(_, one, other)| [one, other]).collect();
    assert_eq!((regions.len(), zones.len()), (HOSTED_ZONES.len(), 2 * HOSTED_ZONES.len()));
    assert!(zones.iter().all(|zone| zone.starts_with('Z')), "{zones:?}");
}

#[test]
fn dns_name_is_in_the_domain_of_the_region() {
    let name = |balancer_type: LoadBalancerType, region| {
        let balancer = format!(
            r#"{{"LoadBalancerName": "Web", "LoadBalancerArn": "loadbalancer/x/Web/00000000000000ff", "Type": "{balancer_type}"}}"#
        );
        dns_name(&LoadBalancer::from_json(balancer).unwrap(), region)
    };
    for (balancer_type, region, expected) in [
        (LoadBalancerType::Application, "us-east-1", "web-255.us-east-1.elb.amazonaws.com"),
        (LoadBalancerType::Application, "cn-north-1", "web-255.cn-north-1.elb.amazonaws.com.cn"),
        (LoadBalancerType::Network, "cn-north-1", "web-00000000000000ff.elb.cn-north-1.amazonaws.com.cn"),
    ] {
        assert_eq!(name(balancer_type, region).as_deref(), Some(expected));
    }
    assert_eq!(name(LoadBalancerType::Gateway, "us-east-1"), None);
}
