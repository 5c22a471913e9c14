//! Filters of listings.

use super::{
    World, ask, create_group, create_instance, create_subnet, create_vpc, default_subnets, default_vpc,
    refused,
};
use nephos_core::{Result, prelude::*};
use nephos_ec2::{
    DescribeAvailabilityZones, DescribeInstances, DescribeSubnets, DescribeVpcs, Filter, Instance,
    SecurityGroup, Subnet, Vpc, errors,
};

fn filter(name: &str, values: &[&str]) -> Filter {
    let values: Vec<_> = values.iter().map(|value| nephos_core::Text::new(value)).collect();
    Filter::builder().name(name).values(values).build().unwrap()
}

/// Counts the VPCs that match.
fn count_vpcs(world: &World, filters: Vec<Filter>) -> Result<usize> {
    let found = ask(&world.session(), DescribeVpcs::new().filters(filters))?;
    Ok(found.vpcs().unwrap_or_default().len())
}

pub(super) fn filters_match_fields(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let id = own.vpc_id().unwrap();
    for (name, value, count) in [
        ("vpc-id", id, 1),
        ("cidr", "10.0.0.0/16", 1),
        ("cidr", "10.0.0.0", 0),
        ("is-default", "true", 1),
        ("isDefault", "false", 1),
        ("state", "available", 2),
        ("state", "pending", 0),
        ("owner-id", "123456789012", 2),
        ("owner-id", "210987654321", 0),
    ] {
        assert_eq!(count_vpcs(world, vec![filter(name, &[value])])?, count, "{name} {value}");
    }
    assert_eq!(
        count_vpcs(world, vec![filter("vpc-id", &[id, "x", default_vpc(&session)?.vpc_id().unwrap()])])?,
        2
    );
    assert_eq!(
        count_vpcs(world, vec![filter("vpc-id", &[id]), filter("is-default", &["true"])])?,
        0,
        "all filters must match"
    );
    let subnets = |name: &str, value: &str| {
        let found = ask(&session, DescribeSubnets::new().filters(vec![filter(name, &[value])]))?;
        Ok::<_, nephos_core::Error>(found.subnets().unwrap_or_default().len())
    };
    create_subnet(&session, id, "10.0.0.0/24")?;
    for (name, value, count) in [
        ("availability-zone", "us-east-1a", 2),
        ("availability-zone-id", "use1-az2", 1),
        ("default-for-az", "true", 3),
        ("available-ip-address-count", "251", 1),
        ("cidrBlock", "10.0.0.0/24", 1),
        ("vpc-id", id, 1),
    ] {
        assert_eq!(subnets(name, value)?, count, "{name} {value}");
    }
    let zones = ask(&session, DescribeAvailabilityZones::new().filters(vec![filter("zone-name", &["*b"])]))?;
    assert_eq!(zones.availability_zones().unwrap().len(), 1);
    Ok(())
}

pub(super) fn filters_match_nested_fields(world: &World) -> Result<()> {
    let session = world.session();
    assert_eq!(count_vpcs(world, vec![filter("cidr-block-association.cidr-block", &["172.31.0.0/16"])])?, 1);
    assert_eq!(count_vpcs(world, vec![filter("cidr-block-association.state", &["associated"])])?, 1);
    create_instance(&session, "").wait()?;
    let instances = |name: &str, value: &str| {
        let found = ask(&session, DescribeInstances::new().filters(vec![filter(name, &[value])]))?;
        Ok::<_, nephos_core::Error>(found.reservations().unwrap_or_default().len())
    };
    let zone = default_subnets(&session)?[0].availability_zone().unwrap().to_owned();
    for (name, value, count) in [
        ("instance-state-name", "running", 1),
        ("instance-state-code", "16", 1),
        ("instance-state-name", "stopped", 0),
        ("availability-zone", zone.as_str(), 1),
        ("instance.group-name", "default", 1),
        ("network-interface.private-ip-address", "172.31.0.4", 1),
        ("image-id", "ami-12345678", 1),
    ] {
        assert_eq!(instances(name, value)?, count, "{name} {value}");
    }
    let groups = SecurityGroup::objects(&session).list();
    assert_eq!(
        groups
            .clone()
            .filters(vec![filter("egress.ip-permission.cidr", &["0.0.0.0/0"])])
            .results()
            .count()
            .wait()?,
        1
    );
    assert_eq!(
        groups.filters(vec![filter("ip-permission.cidr", &["0.0.0.0/0"])]).results().count().wait()?,
        0
    );
    Ok(())
}

pub(super) fn filter_values_match_with_wildcards(world: &World) -> Result<()> {
    let session = world.session();
    let id = default_vpc(&session)?.vpc_id().unwrap().to_owned();
    for name in ["web", "web*", "webs", "we"] {
        create_group(&session, &id, name)?;
    }
    for (value, expected) in [
        ("web", &["web"][..]),
        ("web*", &["web", "web*", "webs"]),
        ("web?", &["web", "web*", "webs"]),
        (r"web\*", &["web*"]),
        ("*e*", &["default", "we", "web", "web*", "webs"]),
        ("WEB", &[]),
    ] {
        let list = SecurityGroup::objects(&session).list().filters(vec![filter("group-name", &[value])]);
        let mut names: Vec<_> = list
            .results()
            .all()
            .wait()?
            .iter()
            .map(|group| group.require_name().unwrap().to_owned())
            .collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{value}");
    }
    Ok(())
}

pub(super) fn filters_match_tags(world: &World) -> Result<()> {
    let session = world.session();
    let model = Vpc::builder().cidr_block("10.0.0.0/16").tags([("team", "web"), ("a:b", "")]).build()?;
    Vpc::objects(&session).create(&model).wait()?;
    for (name, value, count) in [
        ("tag:team", "web", 1),
        ("tag:team", "w*", 1),
        ("tag:team", "api", 0),
        ("tag:Team", "web", 0),
        ("tag:a:b", "", 1),
        ("tag-key", "team", 1),
        ("tag-key", "web", 0),
    ] {
        assert_eq!(count_vpcs(world, vec![filter(name, &[value])])?, count, "{name} {value}");
    }
    Ok(())
}

pub(super) fn invalid_filters_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let describe = |filters: Vec<Filter>| ask(&session, DescribeVpcs::new().filters(filters));
    let unknown =
        refused(world, &errors::INVALID, "Filters[0].Name", || describe(vec![filter("vpcid", &["x"])]));
    assert_eq!(unknown.message(), "The filter 'vpcid' is invalid");
    let valid = filter("vpc-id", &["x"]);
    refused(world, &errors::INVALID, "Filters[1].Name", || {
        describe(vec![valid.clone(), filter("x", &["x"])])
    });
    refused(world, &errors::MISSING, "Filters[0].Name", || describe(vec![filter("", &["x"])]));
    refused(world, &errors::MISSING, "Filters[0].Values", || describe(vec![filter("vpc-id", &[])]));
    refused(world, &errors::TOO_MANY_FILTERS, "Filters", || describe(vec![valid.clone(); 51]));
    refused(world, &errors::TOO_MANY_FILTERS, "Filters[0].Values", || {
        describe(vec![filter("vpc-id", &["x"; 201])])
    });
    describe(vec![filter("vpc-id", &["x"; 200]); 50])?;
    let tagless = || ask(&session, DescribeAvailabilityZones::new().filters(vec![filter("tag:a", &["b"])]));
    refused(world, &errors::INVALID, "Filters[0].Name", tagless);
    Ok(())
}

pub(super) fn predicate_translated_to_a_filter_finds_the_same(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let id = own.vpc_id().unwrap();
    create_subnet(&session, id, "10.0.0.0/24")?;
    for (field, value) in [
        ("VpcId", id.into()),
        ("DefaultForAz", nephos_core::Value::from(true)),
        ("AvailableIpAddressCount", 251.into()),
    ] {
        let all = Subnet::objects(&session).list().results().all().wait()?;
        let expected = all.iter().filter(|subnet| subnet.get(field).unwrap() == value).count();
        let found = Subnet::objects(&session).list().results().filter_by([(field, value)])?.count().wait()?;
        assert_eq!(expected, found, "{field}");
        assert!(found > 0);
    }
    create_group(&session, id, "a*")?;
    create_group(&session, id, "ab")?;
    let groups = SecurityGroup::objects(&session).list().results();
    assert_eq!(
        groups.clone().filter(SecurityGroup::FIELDS.group_name.eq("a*")).count().wait()?,
        1,
        "an exact match has no wildcards"
    );
    let named = groups.filter_by([("GroupName__in", ["a*", "ab", "x"])])?;
    assert_eq!(named.count().wait()?, 2);
    create_instance(&session, "").wait()?;
    let by_type = Instance::objects(&session).list().results().filter_by([("InstanceType", "t3.micro")])?;
    assert_eq!(by_type.count().wait()?, 1);
    Ok(())
}
