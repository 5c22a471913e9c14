//! Dry runs.

use super::{World, ask, create_group, create_instance, default_subnets, default_vpc, refused, tcp};
use nephos_core::{Result, Text};
use nephos_ec2::{
    AuthorizeSecurityGroupEgress, AuthorizeSecurityGroupIngress, CreateDefaultSubnet, CreateSecurityGroup,
    CreateSubnet, CreateTags, CreateVpc, DeleteSecurityGroup, DeleteSubnet, DeleteTags, DeleteVpc,
    DescribeAvailabilityZones, DescribeInstanceAttribute, DescribeInstances, DescribeRegions,
    DescribeSecurityGroups, DescribeSubnets, DescribeTags, DescribeVpcs, InstanceAttributeName,
    ModifyInstanceAttribute, RevokeSecurityGroupEgress, RevokeSecurityGroupIngress, RunInstances,
    StartInstances, StopInstances, Tag, TerminateInstances, errors,
};

pub(super) fn dry_run_of_a_valid_call_changes_nothing(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = Text::new(default_vpc(&session)?.vpc_id().unwrap());
    let own = Text::new(super::create_vpc(&session, "10.0.0.0/16")?.vpc_id().unwrap());
    let group = create_group(&session, &vpc, "web")?;
    let instance = Text::new(create_instance(&session, "").wait()?.instance_id().unwrap());
    let subnets = default_subnets(&session)?;
    subnets[1].delete().wait()?;
    let last = subnets[2].subnet_id().unwrap();
    let rules = || vec![tcp(80, &["10.0.0.0/8"])];
    ask(&session, AuthorizeSecurityGroupIngress::new().group_id(group.clone()).ip_permissions(rules()))?;
    ask(&session, AuthorizeSecurityGroupEgress::new(group.clone()).ip_permissions(rules()))?;
    macro_rules! assert_dry_runs {
        ($($call:expr),+ $(,)?) => {
            $(refused(world, &errors::DRY_RUN, "", || ask(&session, $call.dry_run(true)));)+
        };
    }
    assert_dry_runs!(
        CreateVpc::new().cidr_block("10.0.0.0/16"),
        DeleteVpc::new(own),
        CreateSubnet::new(vpc.clone()).cidr_block("172.31.48.0/20"),
        CreateDefaultSubnet::new().availability_zone("us-east-1b"),
        DeleteSubnet::new(last),
        CreateSecurityGroup::new("d", "api"),
        DeleteSecurityGroup::new().group_name("web").group_id(None::<Text>),
        AuthorizeSecurityGroupIngress::new()
            .group_id(group.clone())
            .ip_permissions(vec![tcp(81, &["10.0.0.0/8"])]),
        AuthorizeSecurityGroupEgress::new(group.clone()).ip_permissions(vec![tcp(81, &["10.0.0.0/8"])]),
        RevokeSecurityGroupIngress::new().group_id(group.clone()).ip_permissions(rules()),
        RevokeSecurityGroupEgress::new(group.clone()).ip_permissions(rules()),
        RunInstances::new(1, 1).image_id("ami-12345678"),
        StartInstances::new([instance.as_str()]),
        StopInstances::new([instance.as_str()]),
        TerminateInstances::new([instance.as_str()]),
        CreateTags::new([vpc.as_str()], vec![Tag::from(("a", "b"))]),
        DeleteTags::new([vpc.as_str()]),
        DescribeVpcs::new(),
        DescribeSubnets::new(),
        DescribeSecurityGroups::new(),
        DescribeInstances::new(),
        DescribeInstanceAttribute::new(instance.clone(), InstanceAttributeName::Kernel),
        ModifyInstanceAttribute::new(instance.clone()).disable_api_stop(true),
        DescribeTags::new(),
        DescribeAvailabilityZones::new(),
        DescribeRegions::new(),
    );
    ask(&session, DescribeVpcs::new().dry_run(false))?;
    Ok(())
}

pub(super) fn dry_run_of_an_invalid_call_is_refused_with_its_error(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = Text::new(default_vpc(&session)?.vpc_id().unwrap());
    let call = || ask(&session, CreateVpc::new().cidr_block("10.0.0.0/8").dry_run(true));
    refused(world, &errors::VPC_RANGE, "CidrBlock", call);
    refused(world, &errors::DEPENDENCY, "VpcId", || ask(&session, DeleteVpc::new(vpc).dry_run(true)));
    let call = || ask(&session, DescribeVpcs::new().vpc_ids(["vpc-12345678"]).dry_run(true));
    refused(world, &errors::VPC_NOT_FOUND, "VpcIds", call);
    let call = || ask(&session, TerminateInstances::new(["i-12345678"]).dry_run(true));
    refused(world, &errors::INSTANCE_NOT_FOUND, "InstanceIds", call);
    Ok(())
}
