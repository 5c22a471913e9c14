//! Cache subnet groups and tags by ARN.

use super::{World, subnets};
use nephos_core::{Pk, Result, Session, prelude::*};
use nephos_ec2::{Subnet, Vpc};
use nephos_elasticache::{
    AddTagsToResource, CacheSubnetGroup, CacheSubnetGroupManager, CreateCacheSubnetGroup,
    DeleteCacheSubnetGroup, ListTagsForResource, ModifyCacheSubnetGroup, RemoveTagsFromResource, errors,
};
use nephos_testing::{ask, names};

fn groups(session: &Session) -> CacheSubnetGroupManager {
    CacheSubnetGroup::objects(session)
}

fn create(session: &Session, name: &str) -> Result<CacheSubnetGroup> {
    let group =
        CacheSubnetGroup::builder().cache_subnet_group_name(name).cache_subnet_group_description("web");
    groups(session).create(&group.subnet_ids(subnets(session)).build()?).tags([("team", "web")]).wait()
}

pub(super) fn subnet_group_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "Web-1")?;
    assert_eq!(created.require_name()?, "web-1", "names are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:subnetgroup:web-1");
    assert_eq!(created.pk()?, Pk::Single(created.require_arn()?.into()));
    let mut found = groups(&session).get("WEB-1").wait()?.unwrap();
    assert_eq!(found.subnets().unwrap().len(), 3);
    assert_eq!(found.subnets().unwrap()[0].subnet_availability_zone().unwrap().name(), Some("us-east-1a"));
    assert_eq!(found.vpc().wait()?.unwrap().is_default(), Some(true));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    found.set_cache_subnet_group_description("other")?;
    found.set_subnet_ids(subnets(&session)[1..].to_vec())?;
    found.save().wait()?;
    let found = groups(&session).get("web-1").wait()?.unwrap();
    assert_eq!(found.subnets().unwrap().len(), 2);
    assert_eq!(found.cache_subnet_group_description(), Some("other"));
    assert_eq!(names(&groups(&session).list().results().all().wait()?)?, ["default", "web-1"]);
    found.delete().wait()?;
    assert_eq!(groups(&session).get("web-1").wait()?, None);
    Ok(())
}

pub(super) fn default_group_exists_and_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let default = groups(&session).get("default").wait()?.unwrap();
    assert_eq!(default.subnets().unwrap().len(), 3);
    world.refused(&errors::INVALID, "CacheSubnetGroupName", || {
        ask(&session, DeleteCacheSubnetGroup::new("default"))
    });
    let error =
        world.refused(&errors::SUBNET_GROUP_EXISTS, "CacheSubnetGroupName", || create(&session, "default"));
    assert_eq!(error.message(), "Cache subnet group default already exists.");
    Ok(())
}

pub(super) fn subnet_groups_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let request = |name: &str| CreateCacheSubnetGroup::new(name, "web", subnets(&session));
    for name in ["1a", "a--b", "a-", "a_b", "a.b"] {
        let error = world.refused(&errors::INVALID, "CacheSubnetGroupName", || ask(&session, request(name)));
        assert!(error.message().starts_with("The parameter CacheSubnetGroupName is not a valid identifier."));
    }
    let unknown = CreateCacheSubnetGroup::new("api", "web", ["subnet-0123456789abcdef0"]);
    let error = world.refused(&errors::INVALID, "SubnetIds", || ask(&session, unknown));
    assert_eq!(error.message(), "Some input subnets in :[subnet-0123456789abcdef0] are invalid.");
    let none = CreateCacheSubnetGroup::new("api", "web", Vec::new());
    let error = world.refused(&errors::INVALID, "SubnetIds", || ask(&session, none));
    assert_eq!(error.message(), "The parameter SubnetIds must be provided.");
    let first = subnets(&session)[0].clone();
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let other = Subnet::builder().vpc_id(vpc.vpc_id().unwrap()).cidr_block("10.0.0.0/24").build()?;
    let other = Subnet::objects(&session).create(&other).wait()?;
    let mixed = vec![first, other.subnet_id().unwrap().into()];
    let mixed = ModifyCacheSubnetGroup::new("web").subnet_ids(mixed);
    world.refused(&errors::INVALID_SUBNET, "SubnetIds", || ask(&session, mixed));
    let error = world.refused(&errors::SUBNET_GROUP_NOT_FOUND, "CacheSubnetGroupName", || {
        ask(&session, ModifyCacheSubnetGroup::new("none").cache_subnet_group_description("a"))
    });
    assert_eq!(error.message(), "Cache subnet group none not found.");
    let error = world.refused(&errors::SUBNET_GROUP_NOT_FOUND, "CacheSubnetGroupName", || {
        ask(&session, DeleteCacheSubnetGroup::new("none"))
    });
    assert_eq!(error.message(), "Cache Subnet Group none does not exist.");
    Ok(())
}

pub(super) fn tags_are_changed_by_arn(world: &World) -> Result<()> {
    let session = world.session();
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    let added = ask(&session, AddTagsToResource::new(arn.as_str(), [("stage", "test")]))?;
    assert_eq!(added.tag_list().unwrap().len(), 2);
    let left = ask(&session, RemoveTagsFromResource::new(arn.as_str(), ["team"]))?;
    assert_eq!(left.tag_list().unwrap().len(), 1);
    let missing = arn.replace(":web", ":none");
    for (arn, code, text) in [
        ("web", &errors::INVALID_ARN, "Input ARN string does not have 7 components."),
        (
            &arn.replace("aws:", "gcp:"),
            &errors::INVALID_ARN,
            "partition field is wrong. Expected value is aws",
        ),
        (
            &arn.replace("elasticache", "rds"),
            &errors::INVALID_ARN,
            "service field is wrong. Expected value is elasticache",
        ),
        (
            &arn.replace("us-east-1", "eu-west-1"),
            &errors::INVALID_ARN,
            "Unauthorized call. Please check the region or customer id",
        ),
        (
            &arn.replace("123456789012", "210987654321"),
            &errors::INVALID_ARN,
            "The resource ARN does not belong to the caller's account.",
        ),
        (&missing, &errors::SUBNET_GROUP_NOT_FOUND, "none is not present"),
    ] {
        let error = world.refused(code, "ResourceName", || ask(&session, ListTagsForResource::new(arn)));
        assert_eq!(error.message(), text);
    }
    Ok(())
}
