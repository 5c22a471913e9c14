//! Resource policies of accounts and log groups.

use super::{HOUR, World, ask, errors};
use nephos_core::Result;
use nephos_logs::{
    DeleteResourcePolicy, DescribeResourcePolicies, LogGroup, PutResourcePolicy, ResourcePolicy,
    ResourcePolicyScope,
};

const DOCUMENT: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
    "Principal": {"Service": "route53.amazonaws.com"}, "Action": ["logs:PutLogEvents", "logs:CreateLogStream"],
    "Resource": "arn:aws:logs:us-east-1:123456789012:log-group:/web:*"}]}"#;

const ARN: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/web";

fn put(name: &str) -> PutResourcePolicy {
    PutResourcePolicy::new(name, DOCUMENT)
}

fn describe(world: &World, describe: DescribeResourcePolicies) -> Result<Vec<ResourcePolicy>> {
    let (mut found, mut describe) = (Vec::new(), describe.limit(2));
    loop {
        let page = ask(&world.session(), describe.clone())?;
        found.extend_from_slice(page.resource_policies().unwrap_or_default());
        let Some(token) = page.next_token() else { return Ok(found) };
        describe = describe.next_token(token);
    }
}

fn policy_names(policies: &[ResourcePolicy]) -> Vec<&str> {
    policies.iter().filter_map(ResourcePolicy::policy_name).collect()
}

pub(super) fn resource_policies_are_put_and_deleted_by_name(world: &World) -> Result<()> {
    let session = world.session();
    let answer = ask(&session, put("dns"))?;
    let policy = answer.resource_policy().expect("the answer has the policy");
    assert_eq!((policy.policy_name(), policy.policy_document()), (Some("dns"), Some(DOCUMENT)));
    assert_eq!(policy.policy_scope(), Some(&ResourcePolicyScope::Account));
    assert_eq!(policy.last_updated_time(), Some(world.now()));
    assert_eq!((answer.revision_id(), policy.revision_id(), policy.resource_arn()), (None, None, None));
    for name in ["b", "a"] {
        ask(&session, put(name))?;
    }
    let found = describe(world, DescribeResourcePolicies::new())?;
    assert_eq!(policy_names(&found), ["a", "b", "dns"]);
    assert_eq!(&found[2], policy);
    world.advance(HOUR)?;
    let changed = DOCUMENT.replace("route53", "es");
    ask(&session, PutResourcePolicy::new("dns", changed.as_str()))?;
    let found = describe(world, DescribeResourcePolicies::new())?;
    assert_eq!((found.len(), found[2].policy_document()), (3, Some(changed.as_str())));
    assert_eq!(found[2].last_updated_time(), Some(world.now()));
    let delete = || DeleteResourcePolicy::new("dns");
    ask(&session, delete())?;
    assert_eq!(describe(world, DescribeResourcePolicies::new())?.len(), 2);
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, delete()));
    assert_eq!(error.message(), "Policy with name [dns] does not exist.");
    Ok(())
}

/// Policies of log groups do not count.
pub(super) fn account_has_at_most_10_resource_policies(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let session = world.session();
    for n in 0..10 {
        ask(&session, put(&format!("policy-{n}")))?;
    }
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || ask(&session, put("one more")));
    assert_eq!(error.message(), "Resource limit exceeded.");
    ask(&session, put("policy-7"))?;
    ask(&session, put("of group").resource_arn(ARN))?;
    ask(&world.other_region(), put("one more"))?;
    ask(&session, DeleteResourcePolicy::new("policy-7"))?;
    ask(&session, put("one more"))?;
    Ok(())
}

/// A change needs the revision that the caller has read.
pub(super) fn policy_of_a_log_group_has_revisions(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let session = world.session();
    let put = || put("web").resource_arn(format!("{ARN}:*"));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, put().expected_revision_id("one")));
    let answer = ask(&session, put())?;
    let first = answer.revision_id().expect("the answer has a revision").to_owned();
    let found = describe(world, DescribeResourcePolicies::new().resource_arn(ARN))?;
    assert_eq!(found.as_slice(), answer.resource_policy().map_or(&[][..], std::slice::from_ref));
    assert_eq!((found[0].resource_arn(), found[0].revision_id()), (Some(ARN), Some(first.as_str())));
    assert_eq!(found[0].policy_scope(), Some(&ResourcePolicyScope::Resource));
    world.assert_invalid("expectedRevisionId", || ask(&session, put()));
    let second = ask(&session, put().expected_revision_id(&first))?;
    let second = second.revision_id().expect("the answer has a revision");
    assert_ne!(second, first);
    world.refused(&errors::ABORTED, "expectedRevisionId", || {
        ask(&session, put().expected_revision_id(&first))
    });

    assert_eq!(describe(world, DescribeResourcePolicies::new())?, []);
    let scoped = |scope| DescribeResourcePolicies::new().policy_scope(scope);
    assert_eq!(policy_names(&describe(world, scoped(ResourcePolicyScope::Resource))?), ["web"]);
    assert_eq!(describe(world, scoped(ResourcePolicyScope::Account))?, []);
    world.assert_invalid("resourceArn", || {
        ask(&session, scoped(ResourcePolicyScope::Account).resource_arn(ARN))
    });

    let delete = || DeleteResourcePolicy::new("web").resource_arn(ARN);
    world.assert_invalid("expectedRevisionId", || ask(&session, delete()));
    world.refused(&errors::ABORTED, "expectedRevisionId", || {
        ask(&session, delete().expected_revision_id(&first))
    });
    world.refused(&errors::NOT_FOUND, None, || {
        ask(&session, DeleteResourcePolicy::new("other").resource_arn(ARN).expected_revision_id(second))
    });
    world.refused(&errors::NOT_FOUND, None, || ask(&session, DeleteResourcePolicy::new("web")));
    ask(&session, delete().expected_revision_id(second))?;
    assert_eq!(describe(world, DescribeResourcePolicies::new().resource_arn(ARN))?, []);
    Ok(())
}

pub(super) fn resource_policy_is_removed_with_its_log_group(world: &World) -> Result<()> {
    let before = world.state()?;
    world.create_group("/web")?;
    ask(&world.session(), put("web").resource_arn(ARN))?;
    LogGroup::objects(&world.session()).delete("/web").wait()?;
    world.assert_unchanged(&before)
}

pub(super) fn invalid_resource_policies_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let session = world.session();
    let of_user =
        DOCUMENT.replace(r#"{"Service": "route53.amazonaws.com"}"#, r#"{"AWS": "route53.amazonaws.com"}"#);
    for document in ["{}", "policy", of_user.as_str()] {
        let error =
            world.assert_invalid("policyDocument", || ask(&session, PutResourcePolicy::new("p", document)));
        assert_eq!(error.message(), "Could not convert to persistable policy.");
    }
    world.assert_invalid("policyDocument", || ask(&session, PutResourcePolicy::new("p", "")));
    world.assert_invalid("policyName", || ask(&session, put("")));
    world.assert_invalid("policyName", || ask(&session, DeleteResourcePolicy::new("")));
    world.assert_invalid("expectedRevisionId", || ask(&session, put("p").expected_revision_id("one")));
    for arn in ["/web", "arn:aws:logs:us-east-1:123456789012:destination:d"] {
        world.assert_invalid("resourceArn", || ask(&session, put("p").resource_arn(arn)));
        world.assert_invalid("resourceArn", || {
            ask(&session, DescribeResourcePolicies::new().resource_arn(arn))
        });
    }
    world.refused(&errors::NOT_FOUND, None, || ask(&session, put("p").resource_arn(format!("{ARN}/none"))));
    Ok(())
}

pub(super) fn resource_policies_are_managed_with_log_groups(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let objects = LogGroup::objects(&world.session());
    for n in 0..3 {
        objects.put_resource_policy(format!("policy-{n}"), DOCUMENT).wait()?;
    }
    let put = objects.put_resource_policy("web", DOCUMENT).resource_arn(ARN).wait()?;
    let policies = objects.resource_policies().limit(2).wait()?;
    assert_eq!(policy_names(&policies), ["policy-0", "policy-1", "policy-2"]);
    let found = objects.resource_policies().resource_arn(ARN).wait()?;
    assert_eq!(found.first().and_then(ResourcePolicy::revision_id), put.revision_id());
    objects.delete_resource_policy("policy-1").wait()?;
    assert_eq!(policy_names(&objects.resource_policies().wait()?), ["policy-0", "policy-2"]);
    Ok(())
}
