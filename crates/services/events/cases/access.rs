//! Resources of requests in decisions.

use super::{QUEUE, World};
use nephos_cloud::Scope;
use nephos_core::{Arn, Request, Resource, Result, operation::WireOperation};
use nephos_events::{
    DeleteApiDestination, DescribeConnection, DescribeEventBus, DescribeRule, EventTarget, PutPermission,
    PutRule, PutTargets, TagResource, access::find_subjects,
};

/// Returns the resources of a request for an action; `None` if they are those of the template.
fn subjects(
    world: &World,
    operation: impl WireOperation,
    action: &'static str,
) -> Result<Option<Vec<String>>> {
    let request = Request::new(operation);
    let scope = Scope::new("123456789012", "us-east-1");
    let arn: Arn = scope.arn("events", &["x"]);
    let found = world
        .cloud()
        .run_in_transaction(move |cx| cx.in_scope(&scope, |cx| find_subjects(cx, &request, action, &arn)))?;
    Ok(found.map(|found| found.iter().map(ToString::to_string).collect()))
}

pub(super) fn resources_are_named_by_their_real_arns(world: &World) -> Result<()> {
    let own = "arn:aws:events:us-east-1:123456789012:";
    let expect = |resource: &str| Some(vec![format!("{own}{resource}")]);
    let describe = |bus: Option<&str>| {
        let mut describe = DescribeRule::new("r");
        describe.event_bus_name = bus.map(Into::into);
        subjects(world, describe, "events:DescribeRule")
    };
    assert_eq!(describe(None)?, expect("rule/r"));
    assert_eq!(describe(Some("default"))?, expect("rule/r"));
    assert_eq!(describe(Some("a"))?, expect("rule/a/r"));
    assert_eq!(describe(Some(&format!("{own}event-bus/a")))?, expect("rule/a/r"));
    assert_eq!(describe(Some("arn:aws:events:us-east-1:210987654321:event-bus/a"))?, None);
    let target = EventTarget::builder().id("t").arn(QUEUE).build()?;
    let put = PutTargets::new("r", vec![target]);
    assert_eq!(subjects(world, put, "events:PutTargets")?, expect("rule/r"));
    let describe = DescribeEventBus::new();
    assert_eq!(subjects(world, describe, "events:DescribeEventBus")?, expect("event-bus/default"));
    let put = PutPermission::new();
    assert_eq!(subjects(world, put, "events:PutPermission")?, expect("event-bus/default"));
    assert_eq!(subjects(world, PutRule::new("r"), "iam:PassRole")?, None);
    // A connection and an API destination have an ID in their ARNs, if they exist.
    assert_eq!(subjects(world, DescribeConnection::new("c"), "events:DescribeConnection")?, None);
    let connection = world.create_connection("c")?;
    let found = subjects(world, DescribeConnection::new("c"), "events:DescribeConnection")?;
    assert_eq!(found, Some(vec![connection.require_arn()?.to_owned()]));
    let destination = world.create_destination("d", "c", "http://localhost/")?;
    let found = subjects(world, DeleteApiDestination::new("d"), "events:DeleteApiDestination")?;
    assert_eq!(found, Some(vec![destination.require_arn()?.to_owned()]));
    let tag = TagResource::new(format!("{own}rule/a/r"), vec![]);
    assert_eq!(subjects(world, tag, "events:TagResource")?, None);
    Ok(())
}
