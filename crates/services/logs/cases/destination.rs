//! Destinations, and subscription filters for them.

use super::{HOUR, OTHER_ACCOUNT, World, ask, errors, names};
use nephos_core::{Map, Resource, Result, Tagged, Text};
use nephos_logs::{
    Destination, LogGroup, PutDestination, PutDestinationPolicy, PutSubscriptionFilter, TagResource,
    UntagResource,
};

const STREAM: &str = "arn:aws:kinesis:us-east-1:123456789012:stream/central";
const ROLE: &str = "arn:aws:iam::123456789012:role/central";
const ARN: &str = "arn:aws:logs:us-east-1:123456789012:destination:central";

/// Returns a policy that allows a principal to create subscription filters.
fn policy_for(principal: &str) -> String {
    format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": {{"AWS": "{principal}"}},
        "Action": "logs:PutSubscriptionFilter", "Resource": "{ARN}"}}]}}"#
    )
}

fn build_destination(name: &str) -> Result<Destination> {
    Destination::builder().destination_name(name).target_arn(STREAM).role_arn(ROLE).build()
}

fn get(world: &World, name: &str) -> Result<Destination> {
    let found = Destination::objects(&world.session()).get(name).wait()?;
    Ok(found.expect("the destination exists"))
}

pub(super) fn get_returns_a_destination_as_created(world: &World) -> Result<()> {
    let policy = policy_for(OTHER_ACCOUNT);
    let destination = Destination::builder()
        .destination_name("central")
        .target_arn(STREAM)
        .role_arn(ROLE)
        .access_policy(policy.as_str())
        .tags([("team", "web")])
        .build()?;
    let created = Destination::objects(&world.session()).create(&destination).wait()?;
    world.advance(HOUR)?;
    let found = get(world, "central")?;
    assert_eq!((found.require_name()?, found.require_arn()?), ("central", ARN));
    assert_eq!((found.target_arn(), found.role_arn()), (Some(STREAM), Some(ROLE)));
    assert_eq!(found.access_policy(), Some(policy.as_str()));
    assert_eq!(found.creation_time(), Some(world.now() - HOUR));
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("web"));
    assert_eq!(created, found);
    for name in ["centra", "central2", "CENTRAL"] {
        assert_eq!(Destination::objects(&world.session()).get(name).wait()?, None, "{name}");
    }
    assert_eq!(Destination::objects(&world.other_account()).get("central").wait()?, None);
    Ok(())
}

/// Create requires a new name, update an existing one.
pub(super) fn destination_create_update_and_delete(world: &World) -> Result<()> {
    let objects = Destination::objects(&world.session());
    let destination = build_destination("central")?;
    world.refused(&errors::NOT_FOUND, None, || objects.update(&destination).wait());
    let mut destination = objects.create(&destination).wait()?;
    world.refused(&errors::EXISTS, None, || objects.create(&build_destination("central")?).wait());
    let before = world.state()?;
    destination.save().wait()?;
    world.assert_unchanged(&before)?;
    let other = "arn:aws:firehose:us-east-1:123456789012:deliverystream/central";
    destination.set_target_arn(other)?;
    destination.set_access_policy(policy_for(OTHER_ACCOUNT))?;
    destination.tags_mut().wait()?.insert("team", "web")?;
    destination.save().wait()?;
    let found = get(world, "central")?;
    assert_eq!((found.target_arn(), found.tags_map().wait()?.len()), (Some(other), 1));
    assert_eq!(found.access_policy(), Some(policy_for(OTHER_ACCOUNT).as_str()));
    destination.set_access_policy(None::<&str>)?;
    world.assert_invalid("accessPolicy", || objects.update(&destination).wait());
    found.delete().wait()?;
    assert_eq!(objects.get("central").wait()?, None);
    let error = world.refused(&errors::NOT_FOUND, None, || objects.delete("central").wait());
    assert_eq!(error.message(), "The specified destination does not exist.");
    world.assert_invalid("destinationName", || {
        ask(&world.session(), PutDestinationPolicy::new("central", policy_for("*")))
    });
    Ok(())
}

pub(super) fn put_destination_keeps_the_access_policy(world: &World) -> Result<()> {
    let session = world.session();
    let tags = |key: &str| -> Map<Text> { [(Text::new(key), Text::new("x"))].into_iter().collect() };
    let put = PutDestination::new("central", STREAM, ROLE);
    let answer = ask(&session, put.clone().tags(tags("a")))?;
    let put_answer = answer.destination().expect("the answer has the destination");
    assert_eq!((put_answer.require_arn()?, put_answer.creation_time()), (ARN, Some(world.now())));
    ask(&session, PutDestinationPolicy::new("central", policy_for(OTHER_ACCOUNT)))?;
    world.advance(HOUR)?;
    let answer = ask(&session, put.tags(tags("b")))?;
    let put_answer = answer.destination().expect("the answer has the destination");
    assert_eq!(put_answer.access_policy(), Some(policy_for(OTHER_ACCOUNT).as_str()));
    assert_eq!(put_answer.creation_time(), Some(world.now() - HOUR));
    assert_eq!(get(world, "central")?.tags_map().wait()?.len(), 2);
    Ok(())
}

pub(super) fn list_returns_destinations_in_ascii_order(world: &World) -> Result<()> {
    for name in ["b", "a/2", "a", "B"] {
        Destination::objects(&world.session()).create(&build_destination(name)?).wait()?;
    }
    let list = || Destination::objects(&world.session()).list();
    for limit in [1, 2, 50] {
        assert_eq!(names(&list().limit(limit).results().all().wait()?)?, ["B", "a", "a/2", "b"]);
    }
    assert_eq!(names(&list().destination_name_prefix("a").results().all().wait()?)?, ["a", "a/2"]);
    assert_eq!(list().results().first().wait()?.and_then(|first| first.tags().map(<[_]>::len)), None);
    for limit in [0, 51] {
        world.assert_invalid("limit", || list().limit(limit).results().all().wait());
    }
    assert_eq!(Destination::objects(&world.other_region()).list().results().count().wait()?, 0);
    Ok(())
}

pub(super) fn invalid_destinations_are_rejected(world: &World) -> Result<()> {
    let session = world.session();
    for target in ["central", "arn:aws:lambda:us-east-1:123456789012:function:f", "arn:aws:s3:::bucket"] {
        let error =
            world.assert_invalid("targetArn", || ask(&session, PutDestination::new("d", target, ROLE)));
        assert!(error.message().starts_with("Could not deliver test message"), "{error}");
    }
    for role in ["role", "arn:aws:iam::123456789012:user/ann"] {
        world.assert_invalid("roleArn", || ask(&session, PutDestination::new("d", STREAM, role)));
    }
    for name in ["", "a:b", "a*", &"d".repeat(513)] {
        world.assert_invalid("destinationName", || ask(&session, PutDestination::new(name, STREAM, ROLE)));
    }
    let tags: Map<Text> = [(Text::new("aws:x"), Text::new("x"))].into_iter().collect();
    world.assert_invalid("tags[aws:x]", || ask(&session, PutDestination::new("d", STREAM, ROLE).tags(tags)));
    Ok(())
}

pub(super) fn invalid_access_policies_are_rejected(world: &World) -> Result<()> {
    Destination::objects(&world.session()).create(&build_destination("central")?).wait()?;
    let put = |policy: &str| ask(&world.session(), PutDestinationPolicy::new("central", policy));
    let of_other_service = policy_for("*").replace("logs:PutSubscriptionFilter", "s3:GetObject");
    for policy in ["", "{}", "policy", &of_other_service, &policy_for("ann")] {
        world.assert_invalid("accessPolicy", || put(policy));
    }
    let longest = format!("{}{}", policy_for("*"), " ".repeat(5120 - policy_for("*").len()));
    put(&longest)?;
    world.assert_invalid("accessPolicy", || put(&format!("{longest} ")));
    Ok(())
}

/// Accounts lose access by such a change.
pub(super) fn organization_policy_requires_force_update(world: &World) -> Result<()> {
    Destination::objects(&world.session()).create(&build_destination("central")?).wait()?;
    let organization = policy_for("*")
        .replace("\"Action\"", r#""Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, "Action""#);
    let put = |policy: &str| PutDestinationPolicy::new("central", policy);
    let session = world.session();
    ask(&session, put(&policy_for(OTHER_ACCOUNT)))?;
    for force in [None, Some(false)] {
        world.assert_invalid("forceUpdate", || ask(&session, put(&organization).force_update(force)));
    }
    ask(&session, put(&organization).force_update(true))?;
    ask(&session, put(&organization))?;
    ask(&session, put(&policy_for(OTHER_ACCOUNT)))?;
    Ok(())
}

/// The account of the destination needs no policy.
pub(super) fn access_policy_decides_for_other_accounts(world: &World) -> Result<()> {
    let put = |arn: &str| PutSubscriptionFilter::new("/web", "out", "", arn);
    for session in [world.session(), world.other_account(), world.other_region()] {
        let group = LogGroup::builder().log_group_name("/web").build()?;
        LogGroup::objects(&session).create(&group).wait()?;
    }
    let (own, other) = (world.session(), world.other_account());
    let error = world.assert_invalid("destinationArn", || ask(&own, put(ARN)));
    let text = "Could not deliver test message to specified destination. Check if the destination is valid.";
    assert_eq!(error.message(), text);
    world.assert_invalid("destinationArn", || ask(&own, put(&ARN.replace("destination", "log-group"))));
    Destination::objects(&own).create(&build_destination("central")?).wait()?;
    ask(&own, put(ARN))?;
    let denied = format!(
        "User with accountId: {OTHER_ACCOUNT} is not authorized to perform: logs:PutSubscriptionFilter on resource: {ARN}"
    );
    for policy in [None, Some(policy_for("333333333333"))] {
        if let Some(policy) = policy {
            ask(&own, PutDestinationPolicy::new("central", policy))?;
        }
        let error = world.refused(&errors::DENIED, "destinationArn", || ask(&other, put(ARN)));
        assert_eq!(error.message(), denied);
    }
    ask(&own, PutDestinationPolicy::new("central", policy_for(OTHER_ACCOUNT)))?;
    ask(&other, put(ARN))?;
    world.assert_invalid("destinationArn", || ask(&world.other_region(), put(ARN)));
    Ok(())
}

pub(super) fn destination_tags_are_changed_by_arn(world: &World) -> Result<()> {
    Destination::objects(&world.session()).create(&build_destination("central")?).wait()?;
    let session = world.session();
    let tags = || -> Map<Text> { [(Text::new("team"), Text::new("web"))].into_iter().collect() };
    ask(&session, TagResource::new(ARN, tags()))?;
    assert_eq!(get(world, "central")?.tags_map().wait()?, tags());
    ask(&session, UntagResource::new(ARN, vec![Text::new("team")]))?;
    assert!(get(world, "central")?.tags_map().wait()?.is_empty());
    for arn in [ARN.replace("central", "none"), ARN.replace("us-east-1", "eu-west-1")] {
        world.refused(&errors::NOT_FOUND, None, || ask(&session, TagResource::new(arn.as_str(), tags())));
    }
    world.refused(&errors::NOT_FOUND, None, || ask(&world.other_account(), TagResource::new(ARN, tags())));
    Ok(())
}
