//! Security groups.

use super::{
    World, ask, create_group, create_instance, create_vpc, default_group, default_vpc, refused, summarize,
    tcp,
};
use nephos_core::{Result, Text, prelude::*, wait};
use nephos_ec2::{
    CreateSecurityGroup, DeleteSecurityGroup, DescribeSecurityGroups, IpPermission, SecurityGroup,
    UserIdGroupPair, errors,
};

pub(super) fn created_security_group_can_be_read(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let model = SecurityGroup::builder()
        .group_name("web (1)")
        .description("what serves")
        .vpc_id(own.vpc_id().unwrap());
    let created = SecurityGroup::objects(&session).create(&model.tags([("a", "b")]).build()?).wait()?;
    let found = SecurityGroup::objects(&session).get(created.group_id().unwrap()).wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!((found.require_name()?, found.description()), ("web (1)", Some("what serves")));
    assert_eq!(found.vpc_id(), own.vpc_id());
    assert_eq!(found.tags_map().wait()?.get("a").map(|value| value.as_str()), Some("b"));
    assert_eq!(summarize(found.ip_permissions().unwrap_or_default()), []);
    let out = summarize(found.ip_permissions_egress().unwrap());
    assert_eq!(out, [("-1".to_owned(), None, vec!["0.0.0.0/0".to_owned()])]);
    let arn = format!("arn:aws:ec2:us-east-1:123456789012:security-group/{}", found.group_id().unwrap());
    assert_eq!(found.require_arn()?, arn);
    assert_eq!(wait(found.vpc())?.as_ref().as_ref().and_then(|vpc| vpc.vpc_id()), own.vpc_id());
    let model = SecurityGroup::builder().group_name("api").description("d").build()?;
    let created = SecurityGroup::objects(&session).create(&model).wait()?;
    assert_eq!(created.vpc_id(), default_vpc(&session)?.vpc_id(), "the default VPC by default");
    Ok(())
}

pub(super) fn security_group_name_is_unique_in_a_vpc(world: &World) -> Result<()> {
    let session = world.session();
    let (first, second) = (default_vpc(&session)?, create_vpc(&session, "10.0.0.0/16")?);
    create_group(&session, first.vpc_id().unwrap(), "web")?;
    create_group(&session, second.vpc_id().unwrap(), "web")?;
    let again = || create_group(&session, first.vpc_id().unwrap(), "web");
    refused(world, &errors::GROUP_EXISTS, "GroupName", again);
    create_group(&session, first.vpc_id().unwrap(), "Web")?;
    Ok(())
}

pub(super) fn invalid_names_and_descriptions_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let create = |name: &str, description: &str| ask(&session, CreateSecurityGroup::new(description, name));
    let long = "x".repeat(256);
    for name in ["", "default", "sg-web", "é", "a\nb", long.as_str()] {
        refused(world, &errors::INVALID, "GroupName", || create(name, "d"));
    }
    for description in ["", "é", "a\tb", long.as_str()] {
        refused(world, &errors::INVALID, "Description", || create("web", description));
    }
    create("._-:/()#,@[]+=&;{}!$* aZ09", &"x".repeat(255))?;
    assert!(SecurityGroup::builder().group_name("web").build().is_err(), "a description is required");
    let elsewhere = || ask(&session, CreateSecurityGroup::new("d", "web").vpc_id("vpc-12345678"));
    refused(world, &errors::VPC_NOT_FOUND, "VpcId", elsewhere);
    Ok(())
}

pub(super) fn security_groups_of_the_default_vpc_are_found_by_name(world: &World) -> Result<()> {
    let session = world.session();
    let (first, second) = (default_vpc(&session)?, create_vpc(&session, "10.0.0.0/16")?);
    let own = create_group(&session, first.vpc_id().unwrap(), "web")?;
    create_group(&session, second.vpc_id().unwrap(), "api")?;
    let found = ask(&session, DescribeSecurityGroups::new().group_names(["web", "default"]))?;
    let mut names: Vec<_> =
        found.security_groups().unwrap().iter().map(|group| group.require_name().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["default", "web"]);
    let other = || ask(&session, DescribeSecurityGroups::new().group_names(["api"]));
    refused(world, &errors::GROUP_NOT_FOUND, "GroupNames", other);
    let other = || ask(&session, DeleteSecurityGroup::new().group_name("api"));
    refused(world, &errors::GROUP_NOT_FOUND, "GroupName", other);
    let both = || ask(&session, DeleteSecurityGroup::new().group_name("web").group_id(own.clone()));
    refused(world, &errors::COMBINATION, "", both);
    refused(world, &errors::MISSING, "GroupId", || ask(&session, DeleteSecurityGroup::new()));
    let deleted = ask(&session, DeleteSecurityGroup::new().group_name("web"))?;
    assert_eq!((deleted.r#return(), deleted.group_id()), (Some(true), Some(own.as_str())));
    Ok(())
}

pub(super) fn default_security_group_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    for vpc in [own.vpc_id().unwrap(), default_vpc(&session)?.vpc_id().unwrap()] {
        let group = default_group(&session, vpc)?;
        refused(world, &errors::CANNOT_DELETE, "", || group.delete().wait());
        let duplicate =
            SecurityGroup::builder().group_name("default").description("d").vpc_id(vpc).build()?;
        refused(world, &errors::INVALID, "GroupName", || {
            SecurityGroup::objects(&session).create(&duplicate).wait()
        });
    }
    Ok(())
}

pub(super) fn security_group_in_use_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    let id = vpc.vpc_id().unwrap();
    let (used, user): (Text, Text) =
        (create_group(&session, id, "used")?, create_group(&session, id, "user")?);
    let objects = SecurityGroup::objects(&session);
    let from_used = || {
        let pair = UserIdGroupPair::builder().group_id(used.clone()).build()?;
        IpPermission::builder().ip_protocol("-1").user_id_group_pairs(vec![pair]).build()
    };
    objects.authorize_ingress(user.clone(), vec![from_used()?]).wait()?;
    refused(world, &errors::DEPENDENCY, "", || objects.delete(used.clone()).wait());
    objects.revoke_ingress(user.clone(), vec![from_used()?]).wait()?;

    let instance =
        create_instance(&session, "").security_group_ids(vec![used.clone(), user.clone()]).wait()?;
    for group in [&used, &user] {
        refused(world, &errors::DEPENDENCY, "", || objects.delete(group.clone()).wait());
    }
    instance.delete().wait()?;
    // A reference of a group to itself does not count as use.
    objects.authorize_ingress(used.clone(), vec![from_used()?, tcp(80, &["0.0.0.0/0"])]).wait()?;
    objects.delete(used.clone()).wait()?;
    assert_eq!(objects.get(used.clone()).wait()?, None);
    refused(world, &errors::GROUP_NOT_FOUND, "GroupId", || objects.delete(used.clone()).wait());
    refused(world, &errors::GROUP_MALFORMED, "GroupId", || objects.delete("web").wait());
    Ok(())
}
