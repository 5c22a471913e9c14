//! The default network of every account.

use super::{
    World, ask, create_instance, create_vpc, default_group, default_subnets, default_vpc, refused, summarize,
};
use nephos_core::{Result, prelude::*};
use nephos_ec2::{
    CreateDefaultSubnet, CreateDefaultVpc, DescribeAvailabilityZones, DescribeRegions, Instance, OptInStatus,
    SecurityGroup, Subnet, SubnetState, Vpc, VpcState, errors,
};

pub(super) fn every_account_has_a_default_network_in_every_region(world: &World) -> Result<()> {
    let before = world.state()?;
    let mut ids = Vec::new();
    for (session, region) in [
        (world.session(), "us-east-1"),
        (world.other_account(), "us-east-1"),
        (world.other_region(), "eu-west-1"),
    ] {
        let [vpc] = &Vpc::objects(&session).list().results().all().wait()?[..] else {
            panic!("expected one VPC")
        };
        assert_eq!((vpc.cidr_block(), vpc.is_default()), (Some("172.31.0.0/16"), Some(true)));
        assert_eq!((vpc.state(), vpc.owner_id()), (Some(&VpcState::Available), Some(session.account())));
        let id = vpc.vpc_id().unwrap();
        assert_eq!(id.len(), "vpc-".len() + 17);

        let subnets = default_subnets(&session)?;
        let ranges: Vec<_> = subnets.iter().map(|subnet| subnet.cidr_block().unwrap()).collect();
        assert_eq!(ranges, ["172.31.0.0/20", "172.31.16.0/20", "172.31.32.0/20"]);
        let zones: Vec<_> =
            subnets.iter().map(|subnet| subnet.availability_zone().unwrap().to_owned()).collect();
        assert_eq!(zones, ["a", "b", "c"].map(|letter| format!("{region}{letter}")));
        for subnet in &subnets {
            assert_eq!((subnet.vpc_id(), subnet.default_for_az()), (Some(id), Some(true)));
            assert_eq!(
                (subnet.state(), subnet.available_ip_address_count()),
                (Some(&SubnetState::Available), Some(4091))
            );
            assert_eq!(subnet.map_public_ip_on_launch(), Some(true));
        }

        let [group] = &SecurityGroup::objects(&session).list().results().all().wait()?[..] else {
            panic!("expected one security group")
        };
        assert_eq!((group.require_name()?, group.vpc_id()), ("default", Some(id)));
        let own = group.group_id().unwrap();
        assert_eq!(
            summarize(group.ip_permissions().unwrap()),
            [("-1".to_owned(), None, vec![own.to_owned()])]
        );
        let out = summarize(group.ip_permissions_egress().unwrap());
        assert_eq!(out, [("-1".to_owned(), None, vec!["0.0.0.0/0".to_owned()])]);
        assert_eq!(Instance::objects(&session).list().results().count().wait()?, 0);

        assert_eq!(Vpc::objects(&session).get(id).wait()?.as_ref(), Some(vpc));
        assert_eq!(
            Subnet::objects(&session).get(subnets[1].subnet_id().unwrap()).wait()?.as_ref(),
            Some(&subnets[1])
        );
        assert_eq!(SecurityGroup::objects(&session).get(own).wait()?.as_ref(), Some(group));
        ids.extend([id.to_owned(), own.to_owned()]);
        ids.extend(subnets.iter().map(|subnet| subnet.subnet_id().unwrap().to_owned()));
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 15, "the IDs differ by account and Region");
    world.assert_unchanged(&before)
}

pub(super) fn zones_and_regions_are_described(world: &World) -> Result<()> {
    let zones = ask(&world.session(), DescribeAvailabilityZones::new())?;
    let names_and_ids = |zones: &[nephos_ec2::AvailabilityZone]| -> Vec<_> {
        zones
            .iter()
            .map(|zone| [zone.zone_name(), zone.zone_id()].map(|name| name.unwrap().to_owned()))
            .collect()
    };
    let names = names_and_ids(zones.availability_zones().unwrap());
    assert_eq!(names, [["us-east-1a", "use1-az1"], ["us-east-1b", "use1-az2"], ["us-east-1c", "use1-az3"]]);
    let chosen =
        DescribeAvailabilityZones::new().zone_names(["us-east-1b", "us-east-1a"]).zone_ids(["use1-az2"]);
    let chosen = ask(&world.session(), chosen)?;
    assert_eq!(names_and_ids(chosen.availability_zones().unwrap()), [["us-east-1b", "use1-az2"]]);
    let local = ask(&world.session(), DescribeAvailabilityZones::new().zone_names(["us-east-1-bos-1a"]))?;
    let [boston] = local.availability_zones().unwrap() else { panic!("expected one zone") };
    assert_eq!((boston.zone_id(), boston.zone_type()), (Some("use1-bos1-az1"), Some("local-zone")));
    assert_eq!(
        (boston.group_name(), boston.opt_in_status()),
        (Some("us-east-1-bos-1"), Some(&OptInStatus::OptedIn))
    );
    let all = ask(&world.session(), DescribeAvailabilityZones::new().all_availability_zones(true))?;
    assert_eq!(all.availability_zones().unwrap().len(), 3 + 14);
    let elsewhere = ask(&world.other_region(), DescribeAvailabilityZones::new())?;
    assert_eq!(elsewhere.availability_zones().unwrap()[0].zone_id(), Some("euw1-az1"));
    for (field, call) in [
        ("ZoneNames", DescribeAvailabilityZones::new().zone_names(["us-east-1d"])),
        ("ZoneIds", DescribeAvailabilityZones::new().zone_ids(["euw1-az1"])),
    ] {
        refused(world, &errors::INVALID, field, || ask(&world.session(), call));
    }

    let regions = ask(&world.session(), DescribeRegions::new())?;
    assert!(regions.regions().unwrap().iter().any(|region| region.region_name() == Some("eu-west-1")));
    let one = ask(&world.session(), DescribeRegions::new().region_names(["us-east-1"]))?;
    let [region] = one.regions().unwrap() else { panic!("expected one Region") };
    assert_eq!(region.endpoint(), Some("ec2.us-east-1.amazonaws.com"));
    let call = || ask(&world.session(), DescribeRegions::new().region_names(["us-east-9"]));
    refused(world, &errors::INVALID, "RegionNames", call);
    Ok(())
}

pub(super) fn changed_default_vpc_is_listed_once(world: &World) -> Result<()> {
    let session = world.session();
    let mut vpc = default_vpc(&session)?;
    vpc.set_tags([("team", "web")])?;
    vpc.save().wait()?;
    let found = Vpc::objects(&session).list().results().all().wait()?;
    assert_eq!(found, [vpc.clone()]);
    assert_eq!(found[0].tags_map().wait()?.get("team").map(|value| value.as_str()), Some("web"));
    assert_eq!(default_vpc(&session)?, vpc, "the VPC is still the default VPC");
    assert_eq!(default_vpc(&world.other_region())?.tags(), None);
    Ok(())
}

pub(super) fn deleted_default_vpc_can_be_recreated(world: &World) -> Result<()> {
    let session = world.session();
    let first = default_vpc(&session)?;
    let id = first.vpc_id().unwrap();
    refused(world, &errors::DEPENDENCY, "VpcId", || first.delete().wait());
    for subnet in default_subnets(&session)? {
        subnet.delete().wait()?;
        assert_eq!(Subnet::objects(&session).get(subnet.subnet_id().unwrap()).wait()?, None);
    }
    refused(world, &errors::NO_SUBNET, "", || create_instance(&session, "").wait());
    first.delete().wait()?;
    assert_eq!(Vpc::objects(&session).get(id).wait()?, None);
    assert_eq!(Vpc::objects(&session).list().results().count().wait()?, 0);
    assert_eq!(Subnet::objects(&session).list().results().count().wait()?, 0);
    assert_eq!(
        SecurityGroup::objects(&session).list().results().count().wait()?,
        0,
        "the default security group is deleted with the VPC"
    );
    refused(world, &errors::VPC_NOT_FOUND, "VpcId", || first.delete().wait());
    refused(world, &errors::VPC_NOT_SPECIFIED, "", || create_instance(&session, "").wait());
    let group = SecurityGroup::builder().group_name("web").description("d").build()?;
    refused(world, &errors::VPC_NOT_SPECIFIED, "", || SecurityGroup::objects(&session).create(&group).wait());
    let zone = || CreateDefaultSubnet::new().availability_zone("us-east-1a");
    refused(world, &errors::NO_DEFAULT_VPC, "", || ask(&session, zone()));
    assert_eq!(default_subnets(&world.other_account())?.len(), 3, "other accounts are not affected");

    let created = ask(&session, CreateDefaultVpc::new())?;
    let created = created.vpc().unwrap();
    assert_eq!((created.is_default(), created.cidr_block()), (Some(true), Some("172.31.0.0/16")));
    assert_ne!(created.vpc_id(), Some(id));
    assert_eq!(default_subnets(&session)?.len(), 3);
    assert!(default_group(&session, created.vpc_id().unwrap())?.ip_permissions().is_some());
    assert_eq!(create_instance(&session, "").wait()?.vpc_id(), created.vpc_id());
    refused(world, &errors::DEFAULT_VPC_EXISTS, "", || ask(&session, CreateDefaultVpc::new()));
    Ok(())
}

pub(super) fn deleted_default_subnet_can_be_recreated(world: &World) -> Result<()> {
    let session = world.session();
    let subnets = default_subnets(&session)?;
    subnets[1].delete().wait()?;
    refused(world, &errors::MISSING, "AvailabilityZone", || ask(&session, CreateDefaultSubnet::new()));
    let taken = || ask(&session, CreateDefaultSubnet::new().availability_zone("us-east-1a"));
    refused(world, &errors::DEFAULT_SUBNET_EXISTS, "", taken);
    let created = ask(&session, CreateDefaultSubnet::new().availability_zone_id("use1-az2"))?;
    let created = created.subnet().unwrap();
    assert_eq!(
        (created.cidr_block(), created.availability_zone()),
        (Some("172.31.16.0/20"), Some("us-east-1b"))
    );
    assert_eq!((created.default_for_az(), created.map_public_ip_on_launch()), (Some(true), Some(true)));
    assert_ne!(created.subnet_id(), subnets[1].subnet_id());
    assert_eq!(default_subnets(&session)?.len(), 3);

    // Subnets of another VPC are not default subnets.
    let own = create_vpc(&session, "10.0.0.0/16")?;
    super::create_subnet(&session, own.vpc_id().unwrap(), "10.0.0.0/24")?;
    assert_eq!(default_subnets(&session)?.len(), 3);
    Ok(())
}
