//! VPCs.

use super::{World, ask, create_group, create_subnet, create_vpc, default_group, default_vpc, refused};
use nephos_core::{Result, prelude::*, wait};
use nephos_ec2::{
    CreateVpc, DescribeVpcAttribute, DescribeVpcs, Tenancy, Vpc, VpcAttributeName, VpcState, errors,
};

pub(super) fn created_vpc_can_be_read(world: &World) -> Result<()> {
    let session = world.session();
    let model =
        Vpc::builder().cidr_block("10.1.0.0/16").instance_tenancy(Tenancy::Dedicated).tags([("a", "b")]);
    let created = Vpc::objects(&session).create(&model.build()?).wait()?;
    assert_eq!((created.state(), created.is_default()), (Some(&VpcState::Pending), Some(false)));
    let id = created.vpc_id().unwrap();
    let found = Vpc::objects(&session).get(id).wait()?.unwrap();
    assert_eq!(found.state(), Some(&VpcState::Available));
    assert_eq!(
        (found.cidr_block(), found.instance_tenancy()),
        (Some("10.1.0.0/16"), Some(&Tenancy::Dedicated))
    );
    assert_eq!(found.tags_map().wait()?.get("a").map(|value| value.as_str()), Some("b"));
    assert_eq!(found.dhcp_options_id(), default_vpc(&session)?.dhcp_options_id());
    let [range] = found.cidr_block_association_set().unwrap() else { panic!("expected one CIDR block") };
    assert_eq!(range.cidr_block(), Some("10.1.0.0/16"));
    assert!(found.name().is_err() && found.arn().is_err(), "a VPC has an ID, but no name and no ARN");
    assert_eq!(Vpc::objects(&session).list().results().count().wait()?, 2);

    let created = create_subnet(&session, id, "10.1.0.0/24")?;
    let subnets = wait(found.subnets())?;
    assert_eq!(subnets.iter().map(|own| own.subnet_id()).collect::<Vec<_>>(), [created.subnet_id()]);
    let groups = wait(found.security_groups())?;
    assert_eq!(groups.iter().map(|own| own.require_name()).collect::<Result<Vec<_>>>()?, ["default"]);
    assert_eq!(groups[0].group_id(), default_group(&session, id)?.group_id());
    Ok(())
}

pub(super) fn invalid_cidr_blocks_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    for range in ["", "10.0.0.0", "10.0.0.0/x", "10.0.0/16", "10.0.0.256/16", "::/56", "10.0.0.0/33"] {
        refused(world, &errors::INVALID, "CidrBlock", || create_vpc(&session, range));
    }
    for range in ["10.0.0.0/15", "10.0.0.0/29", "0.0.0.0/0", "10.0.0.0/32"] {
        refused(world, &errors::VPC_RANGE, "CidrBlock", || create_vpc(&session, range));
    }
    for (range, canonical) in [("10.0.0.0/28", "10.0.0.0/28"), ("10.0.3.7/16", "10.0.0.0/16")] {
        assert_eq!(create_vpc(&session, range)?.cidr_block(), Some(canonical));
    }
    // CIDR blocks of VPCs may overlap.
    create_vpc(&session, "10.0.0.0/16")?;
    refused(world, &errors::MISSING, "CidrBlock", || ask(&session, CreateVpc::new()));
    let host = || ask(&session, CreateVpc::new().cidr_block("10.0.0.0/16").instance_tenancy(Tenancy::Host));
    refused(world, &errors::INVALID, "InstanceTenancy", host);
    assert!(Vpc::builder().build().is_err(), "a CIDR block is required");
    Ok(())
}

pub(super) fn attributes_are_read_and_changed_one_at_a_time(world: &World) -> Result<()> {
    let session = world.session();
    let (own, default) = (create_vpc(&session, "10.0.0.0/16")?, default_vpc(&session)?);
    let has_names = |vpc: &Vpc| -> Result<Option<bool>> {
        let answer = ask(
            &session,
            DescribeVpcAttribute::new(vpc.vpc_id().unwrap(), VpcAttributeName::EnableDnsHostnames),
        )?;
        assert!(answer.enable_dns_support().is_none(), "only what was asked for");
        Ok(answer.enable_dns_hostnames().and_then(|value| value.value()))
    };
    assert_eq!((has_names(&own)?, has_names(&default)?), (Some(false), Some(true)));
    own.set_attribute().enable_dns_hostnames(true).wait()?;
    assert_eq!(has_names(&own)?, Some(true));
    let support = own.get_attribute(VpcAttributeName::EnableDnsSupport).wait()?;
    assert_eq!(support.enable_dns_support().and_then(|value| value.value()), Some(true));
    world.refused(&errors::COMBINATION, None, || {
        own.set_attribute().enable_dns_hostnames(true).enable_dns_support(false).wait()
    });
    world.refused(&errors::COMBINATION, None, || own.set_attribute().wait());
    own.delete().wait()?;
    refused(world, &errors::VPC_NOT_FOUND, "VpcId", || own.set_attribute().enable_dns_support(false).wait());
    Ok(())
}

pub(super) fn vpc_in_use_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_vpc(&session, "10.0.0.0/16")?;
    let id = created.vpc_id().unwrap();
    let subnet = create_subnet(&session, id, "10.0.0.0/24")?;
    let group = create_group(&session, id, "web")?;
    refused(world, &errors::DEPENDENCY, "VpcId", || created.delete().wait());
    subnet.delete().wait()?;
    refused(world, &errors::DEPENDENCY, "VpcId", || created.delete().wait());
    nephos_ec2::SecurityGroup::objects(&session).delete(group).wait()?;
    created.delete().wait()?;
    assert_eq!(Vpc::objects(&session).get(id).wait()?, None);
    refused(world, &errors::VPC_NOT_FOUND, "VpcId", || created.delete().wait());
    let groups = nephos_ec2::SecurityGroup::objects(&session).list().results();
    assert_eq!(groups.count().wait()?, 1, "the default security group is deleted with the VPC");
    Ok(())
}

pub(super) fn malformed_vpc_ids_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    assert_eq!(Vpc::objects(&session).get("vpc-12345678").wait()?, None);
    for id in ["", "x", "vpc-", "vpc-1234567", "subnet-12345678", "vpc-0123456789ABCDEF0"] {
        refused(world, &errors::VPC_MALFORMED, "VpcIds", || Vpc::objects(&session).get(id).wait());
        refused(world, &errors::VPC_MALFORMED, "VpcId", || Vpc::objects(&session).delete(id).wait());
    }
    let own = default_vpc(&session)?;
    let ids = || [own.vpc_id().unwrap(), "vpc-12345678"];
    let describe = || ask(&session, DescribeVpcs::new().vpc_ids(ids()));
    refused(world, &errors::VPC_NOT_FOUND, "VpcIds", describe);
    Ok(())
}

pub(super) fn vpcs_of_other_accounts_and_regions_are_not_found(world: &World) -> Result<()> {
    let created = create_vpc(&world.session(), "10.0.0.0/16")?;
    let id = created.vpc_id().unwrap();
    for session in [world.other_account(), world.other_region()] {
        assert_eq!(Vpc::objects(&session).get(id).wait()?, None);
        assert_eq!(Vpc::objects(&session).list().results().count().wait()?, 1);
        refused(world, &errors::VPC_NOT_FOUND, "VpcId", || Vpc::objects(&session).delete(id).wait());
        refused(world, &errors::VPC_NOT_FOUND, "VpcId", || create_subnet(&session, id, "10.0.0.0/24"));
    }
    Ok(())
}

pub(super) fn preview_of_create_shows_changes_and_writes_nothing(world: &World) -> Result<()> {
    let (session, before) = (world.session(), world.state()?);
    let model = Vpc::builder().cidr_block("10.0.0.0/16").build()?;
    let preview = Vpc::objects(&session).create(&model).preview().wait()?;
    assert_eq!(preview.answer.state(), Some(&VpcState::Pending));
    let rows: Vec<_> =
        preview.changes.iter().map(|change| change.row.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(rows, ["security-group", "vpc"]);
    world.assert_unchanged(&before)
}
