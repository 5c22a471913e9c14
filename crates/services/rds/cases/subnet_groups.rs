//! DB subnet groups and tags by ARN.

use super::{World, subnets};
use nephos_core::{Result, Session, prelude::*};
use nephos_ec2::{Subnet, Vpc};
use nephos_rds::{
    AddTagsToResource, CreateDBSubnetGroup, DBSubnetGroup, DBSubnetGroupManager, DeleteDBSubnetGroup,
    ListTagsForResource, ModifyDBSubnetGroup, RemoveTagsFromResource, errors,
};
use nephos_testing::{ask, names};

fn groups(session: &Session) -> DBSubnetGroupManager {
    DBSubnetGroup::objects(session)
}

fn create(session: &Session, name: &str) -> Result<DBSubnetGroup> {
    let group = DBSubnetGroup::builder().db_subnet_group_name(name).db_subnet_group_description("web");
    groups(session).create(&group.subnet_ids(subnets(session)).build()?).tags([("team", "web")]).wait()
}

pub(super) fn subnet_group_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "Web.1")?;
    assert_eq!(created.require_name()?, "web.1", "names are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:rds:us-east-1:123456789012:subgrp:web.1");
    assert_eq!(created.subnet_group_status(), Some("Complete"));
    let mut found = groups(&session).get("WEB.1").wait()?.unwrap();
    let subnet = &found.subnets().unwrap()[0];
    assert_eq!(subnet.subnet_availability_zone().unwrap().name(), Some("us-east-1a"));
    assert_eq!(subnet.subnet_status(), Some("Active"));
    assert_eq!(found.vpc().wait()?.unwrap().is_default(), Some(true));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    found.set_db_subnet_group_description("other")?;
    found.set_subnet_ids(subnets(&session)[1..].to_vec())?;
    found.save().wait()?;
    let found = groups(&session).get("web.1").wait()?.unwrap();
    assert_eq!((found.subnets().unwrap().len(), found.db_subnet_group_description()), (2, Some("other")));
    assert_eq!(names(&groups(&session).list().results().all().wait()?)?, ["default", "web.1"]);
    found.delete().wait()?;
    assert_eq!(groups(&session).get("web.1").wait()?, None);
    Ok(())
}

pub(super) fn default_group_exists_and_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let default = groups(&session).get("default").wait()?.unwrap();
    assert_eq!(
        (default.subnets().unwrap().len(), default.db_subnet_group_description()),
        (3, Some("default"))
    );
    world.refused(&errors::SUBNET_GROUP_STATE, "DBSubnetGroupName", || {
        ask(&session, DeleteDBSubnetGroup::new("default"))
    });
    world.refused(&errors::INVALID, "DBSubnetGroupName", || create(&session, "default"));
    Ok(())
}

pub(super) fn subnet_groups_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let error = world.refused(&errors::SUBNET_GROUP_EXISTS, "DBSubnetGroupName", || create(&session, "WEB"));
    assert_eq!(error.message(), "The DB subnet group 'web' already exists.");
    let request = |name: &str| CreateDBSubnetGroup::new(name, "web", subnets(&session));
    for name in ["a/b", "a,b"] {
        world.refused(&errors::INVALID, "DBSubnetGroupName", || ask(&session, request(name)));
    }
    let unknown = CreateDBSubnetGroup::new("api", "web", ["subnet-0123456789abcdef0"]);
    let error = world.refused(&errors::INVALID, "SubnetIds", || ask(&session, unknown));
    assert_eq!(error.message(), "Some input subnets in :[subnet-0123456789abcdef0] are invalid.");
    let first = subnets(&session)[0].clone();
    let one_zone = CreateDBSubnetGroup::new("api", "web", [first.as_str()]);
    let error = world.refused(&errors::TOO_FEW_ZONES, "SubnetIds", || ask(&session, one_zone));
    assert!(error.message().ends_with("Current coverage: 1"));
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let other = Subnet::builder().vpc_id(vpc.vpc_id().unwrap()).cidr_block("10.0.0.0/24").build()?;
    let other = Subnet::objects(&session).create(&other).wait()?;
    let mixed = ModifyDBSubnetGroup::new("web", [first.as_str(), other.subnet_id().unwrap()]);
    world.refused(&errors::INVALID_SUBNET, "SubnetIds", || ask(&session, mixed));
    let error = world.refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", || {
        ask(&session, ModifyDBSubnetGroup::new("none", subnets(&session)))
    });
    assert_eq!(error.message(), "DBSubnetGroup 'none' not found.");
    world.refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", || {
        ask(&session, DeleteDBSubnetGroup::new("none"))
    });
    Ok(())
}

pub(super) fn tags_are_changed_by_arn(world: &World) -> Result<()> {
    let session = world.session();
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    ask(&session, AddTagsToResource::new(arn.as_str(), [("stage", "test")]))?;
    ask(&session, RemoveTagsFromResource::new(arn.as_str(), ["team"]))?;
    let left = ask(&session, ListTagsForResource::new(arn.as_str()))?;
    assert_eq!(left.tag_list().unwrap().len(), 1);
    let missing = arn.replace(":web", ":none");
    for (arn, code) in [
        ("web", &errors::INVALID),
        (&arn.replace("us-east-1", "eu-west-1"), &errors::INVALID),
        (&missing, &errors::SUBNET_GROUP_NOT_FOUND),
    ] {
        world.refused(code, "ResourceName", || ask(&session, ListTagsForResource::new(arn)));
    }
    Ok(())
}
