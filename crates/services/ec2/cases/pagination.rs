//! Pagination of listings.

use super::{World, ask, create_group, default_vpc, refused};
use nephos_core::{Result, Text};
use nephos_ec2::{DescribeInstances, DescribeSecurityGroups, DescribeVpcs, Filter, SecurityGroup, errors};

pub(super) fn pages_contain_every_item_once(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    let mut created = Vec::new();
    for n in 0..12 {
        created.push(create_group(&session, vpc.vpc_id().unwrap(), &format!("g{n}"))?);
    }
    created.sort_unstable();
    let filters = vec![Filter::builder().name("group-name").values(["g*"]).build()?];
    let list = DescribeSecurityGroups::new().filters(filters).max_results(5);
    let (mut described, mut token, mut sizes) = (Vec::new(), None, Vec::new());
    loop {
        let page = ask(&session, list.clone().next_token(token.clone()))?;
        let ids = page.security_groups().unwrap().iter().map(|group| Text::new(group.group_id().unwrap()));
        sizes.push(ids.len());
        described.extend(ids);
        token = page.next_token().map(Text::new);
        if token.is_none() {
            break;
        }
        // A deletion between two pages does not shift the next one.
        SecurityGroup::objects(&session).delete(described[0].clone()).wait().ok();
    }
    assert_eq!((described, sizes), (created.clone(), vec![5, 5, 2]));
    let few = SecurityGroup::objects(&session).list().max_results(5).results();
    assert_eq!(few.count().wait()?, 12, "one of 12 groups was deleted, and the default group is listed");
    let named = DescribeSecurityGroups::new().group_ids(created[1..].to_vec()).max_results(10);
    let first = ask(&session, named.clone())?;
    assert_eq!(first.security_groups().unwrap().len(), 10);
    let second = ask(&session, named.next_token(first.next_token().map(Text::new)))?;
    assert_eq!((second.security_groups().unwrap().len(), second.next_token()), (1, None));
    Ok(())
}

pub(super) fn pagination_token_is_valid_for_one_account_region_and_query(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    for n in 0..6 {
        create_group(&session, vpc.vpc_id().unwrap(), &format!("g{n}"))?;
    }
    let first = ask(&session, DescribeSecurityGroups::new().max_results(5))?;
    let token = Text::new(first.next_token().unwrap());
    let next = || DescribeSecurityGroups::new().next_token(token.clone());
    for other in [world.other_account(), world.other_region()] {
        refused(world, &errors::INVALID, "NextToken", || ask(&other, next()));
    }
    let filters = vec![Filter::builder().name("group-name").values(["g*"]).build()?];
    refused(world, &errors::INVALID, "NextToken", || ask(&session, next().filters(filters)));
    refused(world, &errors::INVALID, "NextToken", || {
        ask(&session, DescribeVpcs::new().next_token(token.clone()))
    });
    assert_eq!(ask(&session, next())?.security_groups().unwrap().len(), 2);
    for limit in [0, 4, 1001] {
        refused(world, &errors::INVALID, "MaxResults", || {
            ask(&session, DescribeVpcs::new().max_results(limit))
        });
    }
    let both = || ask(&session, DescribeInstances::new().instance_ids(["i-12345678"]).max_results(5));
    refused(world, &errors::COMBINATION, "MaxResults", both);
    Ok(())
}
