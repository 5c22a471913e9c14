//! Pages of listings.

use super::{World, ask, default_vpc, group, refused};
use crate::{DescribeInstances, DescribeSecurityGroups, DescribeVpcs, Filter, SecurityGroup, errors};
use nephos_core::{Result, Text};

pub(super) fn every_one_is_told_once(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    let mut made = Vec::new();
    for n in 0..12 {
        made.push(group(&session, vpc.vpc_id().unwrap(), &format!("g{n}"))?);
    }
    made.sort_unstable();
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
        // What comes and goes in between shifts nothing.
        SecurityGroup::objects(&session).delete(described[0].clone()).wait().ok();
    }
    assert_eq!((described, sizes), (made.clone(), vec![5, 5, 2]));
    let few = SecurityGroup::objects(&session).list().max_results(5).results();
    assert_eq!(few.count().wait()?, 12, "one was deleted, and the default one is there");
    let named = DescribeSecurityGroups::new().group_ids(made[1..].to_vec()).max_results(10);
    let first = ask(&session, named.clone())?;
    assert_eq!(first.security_groups().unwrap().len(), 10);
    let second = ask(&session, named.next_token(first.next_token().map(Text::new)))?;
    assert_eq!((second.security_groups().unwrap().len(), second.next_token()), (1, None));
    Ok(())
}

pub(super) fn tokens_are_for_one_account_region_and_query(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?;
    for n in 0..6 {
        group(&session, vpc.vpc_id().unwrap(), &format!("g{n}"))?;
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
