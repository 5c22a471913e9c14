//! Tests of `network::interface`.

use nephos_core::{ErrorKind, Result, Text};
use nephos_ec2 as ec2;
use nephos_ec2::{SecurityGroup, Subnet};
use nephos_ec2_cases::Cloud;
use std::net::Ipv4Addr;

const OWNER: &str = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/web/1";

fn attach(cloud: &Cloud, groups: &[&str]) -> Result<(Subnet, Ipv4Addr)> {
    let groups: Vec<_> = groups.iter().map(|group| Text::new(group)).collect();
    cloud.run_in_transaction(move |cx| {
        let subnet = ec2::default_subnets(cx)?.remove(0);
        let address = ec2::attach(cx, OWNER, &subnet, &groups)?;
        Ok((subnet, address))
    })
}

#[test]
fn subnet_and_group_in_use_by_another_service_cannot_be_deleted() -> Result<()> {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let group = SecurityGroup::builder().group_name("web").description("d").build()?;
    let group = SecurityGroup::objects(&session).create(&group).wait()?;
    let id = group.group_id().unwrap_or_default();
    let before = cloud.rows()?;

    let (subnet, address) = attach(&cloud, &[id])?;
    assert_eq!(address, Ipv4Addr::new(172, 31, 0, 4));
    let subnet_id = Text::new(subnet.subnet_id().unwrap_or_default());
    let subnets = Subnet::objects(&session);
    let free = || {
        let found = subnets.get(subnet_id.clone()).wait()?;
        Ok::<_, nephos_core::Error>(found.and_then(|subnet| subnet.available_ip_address_count()))
    };
    assert_eq!((subnet.available_ip_address_count(), free()?), (Some(4091), Some(4090)));
    assert_eq!(group.delete().wait().unwrap_err().code(), "DependencyViolation");
    assert_eq!(subnets.delete(subnet_id.clone()).wait().unwrap_err().kind(), ErrorKind::InState);

    assert_eq!(attach(&cloud, &[])?.1, address, "the address stays, the groups change");
    assert_eq!(free()?, Some(4090));
    assert_eq!(attach(&cloud, &[id])?.1, address);
    let elsewhere = subnet_id.clone();
    cloud.run_in_transaction(move |cx| {
        ec2::detach(cx, "arn:of:another", &elsewhere)?;
        ec2::detach(cx, OWNER, &elsewhere)?;
        ec2::detach(cx, OWNER, &elsewhere)
    })?;
    assert_eq!(cloud.rows()?, before);
    group.delete().wait()?;
    subnets.delete(subnet_id).wait()
}

#[test]
fn addresses_that_became_free_are_used_when_none_is_left_after_the_last() -> Result<()> {
    let cloud = Cloud::in_memory();
    let default = cloud.run_in_transaction(|cx| Ok(ec2::default_subnets(cx)?.remove(0)))?;
    let vpc = default.vpc_id().unwrap_or_default();
    let subnet = Subnet::builder().vpc_id(vpc).cidr_block("172.31.96.0/28").build()?;
    let subnet = Subnet::objects(&cloud.session()).create(&subnet).wait()?;
    let attach = |n: usize| {
        let subnet = subnet.clone();
        cloud.run_in_transaction(move |cx| ec2::attach(cx, &format!("{OWNER}{n}"), &subnet, &[]))
    };
    let last_byte = |n: usize| attach(n).map(|address| address.octets()[3]);
    for n in 0..11 {
        assert_eq!(usize::from(last_byte(n)?), n + 4);
    }
    assert_eq!(attach(11).unwrap_err().code(), "InsufficientFreeAddressesInSubnet");
    for n in [3, 5, 10] {
        let id = Text::new(subnet.subnet_id().unwrap_or_default());
        cloud.run_in_transaction(move |cx| ec2::detach(cx, &format!("{OWNER}{n}"), &id))?;
    }
    assert_eq!([last_byte(12)?, last_byte(13)?, last_byte(14)?], [14, 7, 9]);
    assert!(attach(15).is_err());
    Ok(())
}
