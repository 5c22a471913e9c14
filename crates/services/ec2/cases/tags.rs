//! Tags.

use super::{World, ask, create_instance, default_group, default_subnets, default_vpc, refused};
use nephos_core::{Result, Text, prelude::*};
use nephos_ec2::{
    CreateTags, CreateVpc, DeleteTags, DescribeTags, Filter, Instance, SecurityGroup, Subnet, Tag,
    TagSpecification, Vpc, errors,
};

fn tags(given: &[(&str, &str)]) -> Vec<Tag> {
    given.iter().map(|(key, value)| Tag::from((*key, *value))).collect()
}

/// Reads the tags of the default VPC.
fn vpc_tags(world: &World) -> Result<Vec<(String, String)>> {
    let map = default_vpc(&world.session())?.tags_map().wait()?;
    Ok(map.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect())
}

fn pairs(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

pub(super) fn tags_are_created_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let id = Text::new(default_vpc(&session)?.vpc_id().unwrap());
    let put = |given: &[(&str, &str)]| ask(&session, CreateTags::new([id.as_str()], tags(given)));
    put(&[("a", "1"), ("b", "2"), ("c", "")])?;
    put(&[("b", "3")])?;
    assert_eq!(vpc_tags(world)?, pairs(&[("a", "1"), ("b", "3"), ("c", "")]));
    let take = |tags: Vec<Tag>| ask(&session, DeleteTags::new([id.as_str()]).tags(tags));
    let key = |key: &str| Tag::builder().key(key).build().unwrap();
    take(vec![Tag::from(("b", "2"))])?;
    assert_eq!(vpc_tags(world)?.len(), 3, "a tag with another value is not deleted");
    take(vec![key("a"), Tag::from(("b", "3")), key("x")])?;
    assert_eq!(vpc_tags(world)?, pairs(&[("c", "")]));
    put(&[("d", "4")])?;
    ask(&session, DeleteTags::new([id.as_str()]))?;
    assert_eq!(vpc_tags(world)?, [], "all tags are deleted if none are named");
    // A call without an effect writes nothing.
    let before = world.state()?;
    ask(&session, DeleteTags::new([id.as_str()]))?;
    world.assert_unchanged(&before)
}

pub(super) fn tags_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    let subnet = default_subnets(&session)?.remove(0);
    let group = default_group(&session, vpc.vpc_id().unwrap())?;
    let instance = create_instance(&session, "").wait()?;
    let ids = [vpc.vpc_id(), subnet.subnet_id(), group.group_id(), instance.instance_id()]
        .map(|id| Text::new(id.unwrap()));
    ask(&session, CreateTags::new(ids.to_vec(), tags(&[("team", "web"), ("cost", "1")])))?;
    let all = ask(&session, DescribeTags::new())?;
    let described: Vec<_> =
        all.tags().unwrap().iter().map(|tag| [tag.resource_type(), tag.key()].map(Option::unwrap)).collect();
    let expected =
        ["instance", "security-group", "subnet", "vpc"].map(|kind| [[kind, "cost"], [kind, "team"]]);
    assert_eq!(described, expected.concat());
    let filters =
        |name: &str, value: &str| vec![Filter::builder().name(name).values([value]).build().unwrap()];
    for (name, value, count) in [
        ("key", "team", 4),
        ("value", "1", 4),
        ("resource-type", "vpc", 2),
        ("resource-id", ids[1].as_str(), 2),
    ] {
        let found = ask(&session, DescribeTags::new().filters(filters(name, value)))?;
        assert_eq!(found.tags().unwrap().len(), count, "{name}");
    }
    let first = ask(&session, DescribeTags::new().max_results(5))?;
    let second = ask(&session, DescribeTags::new().next_token(first.next_token().map(Text::new)))?;
    let pages: Vec<_> = [first.tags().unwrap(), second.tags().unwrap()].concat();
    assert_eq!((pages.as_slice(), second.next_token()), (all.tags().unwrap(), None));
    assert_eq!(ask(&world.other_region(), DescribeTags::new())?.tags().unwrap_or_default(), []);
    Ok(())
}

pub(super) fn saving_a_model_updates_its_tags(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    let mut group = default_group(&session, vpc.vpc_id().unwrap())?;
    group.tags_mut().wait()?.extend([("team", "web"), ("cost", "1")])?;
    group.save().wait()?;
    group.tags_mut().wait()?.remove("cost")?;
    group.tags_mut().wait()?.insert("team", "api")?;
    group.save().wait()?;
    let found = SecurityGroup::objects(&session).get(group.group_id().unwrap()).wait()?.unwrap();
    assert_eq!(found, group);
    let described: Vec<_> = found.tags_map().wait()?.into_iter().collect();
    assert_eq!(described, [("team".into(), "api".into())]);

    let mut subnet = default_subnets(&session)?.remove(0);
    subnet.set_tags([("a", "b")])?;
    subnet.save().wait()?;
    assert!(
        Subnet::objects(&session)
            .get(subnet.subnet_id().unwrap())
            .wait()?
            .is_some_and(|found| found == subnet)
    );
    let mut instance = create_instance(&session, "").wait()?;
    instance.set_tags([("a", "b")])?;
    instance.save().wait()?;
    let found = Instance::objects(&session).get(instance.instance_id().unwrap()).wait()?.unwrap();
    assert_eq!(found.tags(), instance.tags());

    group.set_description("another")?;
    refused(world, &errors::INVALID, "Description", || group.save().wait());
    let mut vpc = Vpc::builder().cidr_block("10.0.0.0/16").build()?;
    vpc.set_session(session);
    vpc.save().wait()?;
    assert!(vpc.vpc_id().is_some());
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let id = Text::new(default_vpc(&session)?.vpc_id().unwrap());
    let put = |given: Vec<Tag>| ask(&session, CreateTags::new([id.as_str()], given));
    refused(world, &errors::INVALID, "Tags[aws:x]", || put(tags(&[("aws:x", "1")])));
    refused(world, &errors::INVALID, "Tags[a]", || put(tags(&[("a", "1"), ("a", "2")])));
    refused(world, &errors::INVALID, "Tags[0].Key", || put(tags(&[("", "1")])));
    put(tags(&[("k0", "<a & b!>, #1")]))?;
    refused(world, &errors::MISSING, "Tags", || put(Vec::new()));
    let many: Vec<_> = (0..50).map(|n| Tag::from((format!("k{n}"), "v"))).collect();
    put(many.clone())?;
    put(many.clone())?;
    refused(world, &errors::TOO_MANY_TAGS, "Tags", || put(tags(&[("one more", "1")])));
    let more = [many, tags(&[("one more", "1")])].concat();
    refused(world, &errors::TOO_MANY_TAGS, "Tags", || put(more));
    let one = || tags(&[("k0", "1")]);
    for (code, resource) in [
        (&errors::ID, "x"),
        (&errors::ID, "eni-12345678"),
        (&errors::VPC_MALFORMED, "vpc-x"),
        (&errors::VPC_NOT_FOUND, "vpc-12345678"),
        (&errors::SUBNET_NOT_FOUND, "subnet-12345678"),
        (&errors::GROUP_NOT_FOUND, "sg-12345678"),
        (&errors::INSTANCE_NOT_FOUND, "i-12345678"),
    ] {
        // Either all resources change, or none.
        refused(world, code, "Resources", || ask(&session, CreateTags::new([id.as_str(), resource], one())));
        refused(world, code, "Resources", || ask(&session, DeleteTags::new([id.as_str(), resource])));
    }
    refused(world, &errors::MISSING, "Resources", || ask(&session, DeleteTags::new(Vec::<Text>::new())));
    let reserved = || ask(&session, DeleteTags::new([id.as_str()]).tags(tags(&[("aws:x", "1")])));
    refused(world, &errors::INVALID, "Tags[0].Key", reserved);
    let other = TagSpecification::builder().resource_type("subnet").tags(one()).build()?;
    let other = || ask(&session, CreateVpc::new().cidr_block("10.0.0.0/16").tag_specifications(vec![other]));
    refused(world, &errors::INVALID, "TagSpecifications[0].ResourceType", other);
    let own = TagSpecification::builder().resource_type("vpc").tags(tags(&[("aws:x", "1")])).build()?;
    let own = || ask(&session, CreateVpc::new().cidr_block("10.0.0.0/16").tag_specifications(vec![own]));
    refused(world, &errors::INVALID, "TagSpecifications.Tags[aws:x]", own);
    Ok(())
}
