//! Subnets.

use super::{World, create_instance, create_subnet, create_vpc, default_vpc, refused};
use nephos_core::{Result, prelude::*, wait};
use nephos_ec2::{Subnet, SubnetState, errors};

pub(super) fn created_subnet_can_be_read(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let id = own.vpc_id().unwrap();
    let model = Subnet::builder().vpc_id(id).cidr_block("10.0.1.0/24").availability_zone("us-east-1c");
    let created = Subnet::objects(&session).create(&model.tags([("a", "b")]).build()?).wait()?;
    assert_eq!(
        (created.state(), created.available_ip_address_count()),
        (Some(&SubnetState::Pending), Some(251))
    );
    let found = Subnet::objects(&session).get(created.subnet_id().unwrap()).wait()?.unwrap();
    assert_eq!((found.state(), found.cidr_block()), (Some(&SubnetState::Available), Some("10.0.1.0/24")));
    assert_eq!(
        (found.availability_zone(), found.availability_zone_id()),
        (Some("us-east-1c"), Some("use1-az3"))
    );
    assert_eq!((found.default_for_az(), found.map_public_ip_on_launch()), (Some(false), Some(false)));
    assert_eq!(found.tags_map().wait()?.get("a").map(|value| value.as_str()), Some("b"));
    let arn = format!("arn:aws:ec2:us-east-1:123456789012:subnet/{}", found.subnet_id().unwrap());
    assert_eq!(found.require_arn()?, arn);
    assert_eq!(wait(found.vpc())?.as_ref().as_ref().and_then(|vpc| vpc.vpc_id()), Some(id));
    Ok(())
}

pub(super) fn invalid_cidr_blocks_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let id = own.vpc_id().unwrap();
    for range in ["x", "10.0.0.0", "10.0.0.0/40"] {
        refused(world, &errors::INVALID, "CidrBlock", || create_subnet(&session, id, range));
    }
    for range in ["10.1.0.0/24", "10.0.0.0/15", "10.0.0.0/29", "11.0.0.0/16"] {
        refused(world, &errors::SUBNET_RANGE, "CidrBlock", || create_subnet(&session, id, range));
    }
    assert_eq!(create_subnet(&session, id, "10.0.1.9/24")?.cidr_block(), Some("10.0.1.0/24"));
    for range in ["10.0.1.0/24", "10.0.0.0/16", "10.0.1.128/25", "10.0.0.0/23"] {
        refused(world, &errors::SUBNET_CONFLICT, "CidrBlock", || create_subnet(&session, id, range));
    }
    create_subnet(&session, id, "10.0.2.0/24")?;
    assert_eq!(create_subnet(&session, id, "10.0.0.0/28")?.available_ip_address_count(), Some(11));
    // CIDR blocks of subnets in another VPC do not conflict.
    let other = create_vpc(&session, "10.0.0.0/16")?;
    assert_eq!(
        create_subnet(&session, other.vpc_id().unwrap(), "10.0.0.0/16")?.available_ip_address_count(),
        Some(65531)
    );
    let first = default_vpc(&session)?;
    refused(world, &errors::SUBNET_CONFLICT, "CidrBlock", || {
        create_subnet(&session, first.vpc_id().unwrap(), "172.31.0.0/24")
    });
    create_subnet(&session, first.vpc_id().unwrap(), "172.31.48.0/20")?;
    Ok(())
}

pub(super) fn zone_is_set_by_name_or_id(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let model = || Subnet::builder().vpc_id(own.vpc_id().unwrap()).cidr_block("10.0.0.0/24");
    let create = |model: Subnet| Subnet::objects(&session).create(&model).wait();
    let both = model().availability_zone("us-east-1a").availability_zone_id("use1-az1").build()?;
    refused(world, &errors::COMBINATION, "", || create(both));
    let wrong = model().availability_zone("eu-west-1a").build()?;
    refused(world, &errors::INVALID, "AvailabilityZone", || create(wrong));
    let wrong = model().availability_zone_id("use1-az4").build()?;
    refused(world, &errors::INVALID, "AvailabilityZoneId", || create(wrong));
    let created = create(model().availability_zone_id("use1-az2").build()?)?;
    assert_eq!(created.availability_zone(), Some("us-east-1b"));
    created.delete().wait()?;
    let local = create(model().availability_zone("us-east-1-bos-1a").build()?)?;
    assert_eq!(local.availability_zone_id(), Some("use1-bos1-az1"));
    local.delete().wait()?;
    let wrong = model().availability_zone("us-west-2-lax-1a").build()?;
    refused(world, &errors::INVALID, "AvailabilityZone", || create(wrong));
    assert_eq!(
        create(model().build()?)?.availability_zone(),
        Some("us-east-1a"),
        "the first zone by default"
    );
    refused(world, &errors::VPC_NOT_FOUND, "VpcId", || {
        create_subnet(&session, "vpc-12345678", "10.0.0.0/24")
    });
    Ok(())
}

pub(super) fn subnet_in_use_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let created = create_subnet(&session, own.vpc_id().unwrap(), "10.0.0.0/24")?;
    let id = created.subnet_id().unwrap();
    let instance = create_instance(&session, id).wait()?;
    let free = || {
        Ok::<_, nephos_core::Error>(
            Subnet::objects(&session).get(id).wait()?.unwrap().available_ip_address_count(),
        )
    };
    assert_eq!(free()?, Some(250));
    refused(world, &errors::DEPENDENCY, "SubnetId", || created.delete().wait());
    instance.delete().wait()?;
    assert_eq!(free()?, Some(251));
    created.delete().wait()?;
    assert_eq!(Subnet::objects(&session).get(id).wait()?, None);
    refused(world, &errors::SUBNET_NOT_FOUND, "SubnetId", || created.delete().wait());
    refused(world, &errors::SUBNET_MALFORMED, "SubnetId", || Subnet::objects(&session).delete("x").wait());
    Ok(())
}
