//! Attachments of managed policies, permissions boundaries, and the entities that use a policy.

use super::{World, ask, errors, names};
use nephos_core::{Resource, Result, Text};
use nephos_iam::{
    CreateUser, DetachUserPolicy, EntityType, GetUser, Group, ListAttachedUserPolicies,
    ListEntitiesForPolicy, ListEntitiesForPolicyResponse, Policy, PolicyScope, PolicyUsage, User,
};

const UNKNOWN: &str = "arn:aws:iam::123456789012:policy/none";

/// Returns the number of attachments and of boundaries of a policy.
fn counts(world: &World, policy: &Policy) -> Result<(Option<i64>, Option<i64>)> {
    let found = Policy::objects(&world.session()).get(policy.require_arn()?).wait()?;
    let found = found.expect("the policy exists");
    Ok((found.attachment_count(), found.permissions_boundary_usage_count()))
}

/// Returns the names of the groups and of the users that use a policy.
fn entity_names(found: &ListEntitiesForPolicyResponse) -> [Vec<&str>; 2] {
    let groups = found.policy_groups().unwrap_or_default().iter();
    let users = found.policy_users().unwrap_or_default().iter();
    [
        groups.map(|group| group.group_name().unwrap_or_default()).collect(),
        users.map(|user| user.user_name().unwrap_or_default()).collect(),
    ]
}

pub(super) fn policy_is_attached_and_detached(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    let (read, write) = (world.create_policy("Read")?, world.create_policy("write")?);
    ann.attach_policy(write.require_arn()?).wait()?;
    ann.attach_policy(read.require_arn()?).wait()?;
    web.attach_policy(read.require_arn()?).wait()?;
    let before = world.state()?;
    ann.attach_policy(read.require_arn()?).wait()?;
    world.assert_unchanged(&before)?;
    let attached = ann.list_attached_policies().wait()?;
    let found: Vec<_> = attached.iter().map(|policy| (policy.policy_name(), policy.policy_arn())).collect();
    assert_eq!(found, [(Some("Read"), read.arn()?), (Some("write"), write.arn()?)]);
    assert_eq!(web.attached_policies().wait()?.len(), 1);
    assert_eq!((counts(world, &read)?.0, counts(world, &write)?.0), (Some(2), Some(1)));
    let error = world.refused(&errors::DELETE_CONFLICT, None, || read.delete().wait());
    assert_eq!(error.message(), "Cannot delete a policy attached to entities.");
    ann.detach_policy(read.require_arn()?).wait()?;
    web.detach_policy(read.require_arn()?).wait()?;
    assert_eq!(counts(world, &read)?.0, Some(0));
    read.delete().wait()
}

pub(super) fn unknown_policy_cannot_be_attached(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    let read = world.create_policy("read")?;
    let error = world.refused(&errors::NOT_FOUND, None, || ann.attach_policy(UNKNOWN).wait());
    assert_eq!(error.message(), format!("Policy {UNKNOWN} does not exist or is not attachable."));
    world.refused(&errors::NOT_FOUND, None, || web.attach_policy(UNKNOWN).wait());
    world.refused(&errors::INVALID, "PolicyArn", || ann.attach_policy("x".repeat(20)).wait());
    let detach = |user: &str| ask(&world.session(), DetachUserPolicy::new(user, read.require_arn()?));
    let error = world.refused(&errors::NOT_FOUND, None, || detach("ann"));
    assert_eq!(error.message(), format!("Policy {} was not found.", read.require_arn()?));
    world.refused(&errors::NOT_FOUND, None, || detach("bea"));
    Ok(())
}

pub(super) fn ten_policies_can_be_attached(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    let arns: Vec<Text> = (0..11)
        .map(|n| Ok(world.create_policy(&format!("policy-{n:02}"))?.require_arn()?.into()))
        .collect::<Result<_>>()?;
    for arn in &arns[..10] {
        ann.attach_policy(arn.clone()).wait()?;
        web.attach_policy(arn.clone()).wait()?;
    }
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || ann.attach_policy(arns[10].clone()).wait());
    assert_eq!(error.message(), "Cannot exceed quota for PoliciesPerUser: 10");
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || web.attach_policy(arns[10].clone()).wait());
    assert_eq!(error.message(), "Cannot exceed quota for PoliciesPerGroup: 10");
    ann.attach_policy(arns[3].clone()).wait()?;
    for size in [1, 3, 10] {
        let objects = User::objects(&world.session());
        let listed = objects.list_attached_policies("ann").max_items(size).wait()?;
        let listed: Vec<_> = listed.iter().filter_map(|policy| policy.policy_arn()).collect();
        assert_eq!(listed, arns[..10], "{size}");
    }
    let page = ask(&world.session(), ListAttachedUserPolicies::new("ann").max_items(9))?;
    assert_eq!((page.attached_policies().map(<[_]>::len), page.is_truncated()), (Some(9), Some(true)));
    let page = ask(&world.session(), ListAttachedUserPolicies::new("ann").path_prefix("/web/"))?;
    assert_eq!(page.attached_policies().map(<[_]>::len), Some(0));
    Ok(())
}

pub(super) fn renamed_entities_keep_policies(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    let read = world.create_policy("read")?;
    ann.attach_policy(read.require_arn()?).wait()?;
    ann.put_permission_boundary(read.require_arn()?).wait()?;
    web.attach_policy(read.require_arn()?).wait()?;
    User::objects(&world.session()).update(&ann).new_user_name("Bea").wait()?;
    Group::objects(&world.session()).update(&web).new_group_name("Api").wait()?;
    assert_eq!(entity_names(&read.list_entities().wait()?), [vec!["Api"], vec!["Bea"]]);
    let user = world.existing_user("bea")?;
    assert_eq!(user.list_attached_policies().wait()?.len(), 1);
    user.detach_policy(read.require_arn()?).wait()?;
    assert_eq!(entity_names(&read.list_entities().wait()?), [vec!["Api"], vec!["Bea"]]);
    user.delete_permission_boundary().wait()?;
    assert_eq!(entity_names(&read.list_entities().wait()?), [vec!["Api"], vec![]]);
    Ok(())
}

pub(super) fn entities_of_policy_are_filtered_and_paginated(world: &World) -> Result<()> {
    let read = world.create_policy("read")?;
    let arn = read.require_arn()?;
    for name in ["c", "B", "a"] {
        world.create_user_in("/web/", name)?.attach_policy(arn).wait()?;
    }
    world.create_user("d")?.put_permission_boundary(arn).wait()?;
    User::objects(&world.session()).put_permission_boundary("a", arn).wait()?;
    world.create_group("web")?.attach_policy(arn).wait()?;
    let list = || ListEntitiesForPolicy::new(arn);
    let session = world.session();
    let none: Vec<&str> = Vec::new();
    for (query, expected) in [
        (list(), [vec!["web"], vec!["a", "B", "c", "d"]]),
        (list().entity_filter(EntityType::User), [none.clone(), vec!["a", "B", "c", "d"]]),
        (list().entity_filter(EntityType::Group), [vec!["web"], none.clone()]),
        (list().entity_filter(EntityType::Role), [none.clone(), none.clone()]),
        (list().path_prefix("/web/"), [none.clone(), vec!["a", "B", "c"]]),
        (list().policy_usage_filter(PolicyUsage::PermissionsBoundary), [none.clone(), vec!["a", "d"]]),
        (list().policy_usage_filter(PolicyUsage::PermissionsPolicy), [vec!["web"], vec!["a", "B", "c"]]),
    ] {
        assert_eq!(entity_names(&ask(&session, query)?), expected);
    }
    let (mut seen, mut marker): (Vec<String>, Option<Text>) = (Vec::new(), None);
    loop {
        let mut query = list().max_items(2);
        query.marker = marker;
        let page = ask(&session, query)?;
        seen.extend(entity_names(&page).concat().into_iter().map(str::to_owned));
        marker = page.marker().map(Text::new);
        assert_eq!(page.is_truncated(), Some(marker.is_some()));
        if marker.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["web", "a", "B", "c", "d"]);
    Ok(())
}

pub(super) fn permissions_boundary_is_set_and_removed(world: &World) -> Result<()> {
    let (read, write) = (world.create_policy("read")?, world.create_policy("write")?);
    let session = world.session();
    let create = CreateUser::new("ann").permissions_boundary(read.require_arn()?);
    let created = ask(&session, create)?;
    let boundary = |name: &str| -> Result<Option<String>> {
        let found = ask(&session, GetUser::new().user_name(name))?;
        let boundary = found.user().and_then(|user| user.permissions_boundary());
        Ok(boundary.and_then(|boundary| boundary.permissions_boundary_arn()).map(str::to_owned))
    };
    assert!(created.user().and_then(|user| user.permissions_boundary()).is_some());
    assert_eq!(boundary("ann")?.as_deref(), read.arn()?);
    assert_eq!(counts(world, &read)?, (Some(0), Some(1)));
    let ann = world.existing_user("ann")?;
    ann.put_permission_boundary(write.require_arn()?).wait()?;
    ann.put_permission_boundary(write.require_arn()?).wait()?;
    assert_eq!(boundary("ann")?.as_deref(), write.arn()?);
    assert_eq!((counts(world, &read)?.1, counts(world, &write)?.1), (Some(0), Some(1)));
    world.refused(&errors::DELETE_CONFLICT, None, || write.delete().wait());
    let objects = Policy::objects(&session);
    let bounding = objects.list().policy_usage_filter(PolicyUsage::PermissionsBoundary);
    assert_eq!(super::names(&bounding.results().all().wait()?)?, ["write"]);
    world.refused(&errors::NOT_FOUND, None, || ann.put_permission_boundary(UNKNOWN).wait());
    world.refused(&errors::NOT_FOUND, None, || {
        ask(&session, CreateUser::new("bea").permissions_boundary(UNKNOWN))
    });
    ann.delete_permission_boundary().wait()?;
    assert_eq!((boundary("ann")?, counts(world, &write)?.1), (None, Some(0)));
    ann.put_permission_boundary(write.require_arn()?).wait()?;
    ann.delete().wait()?;
    assert_eq!(counts(world, &write)?.1, Some(0));
    write.delete().wait()
}

pub(super) fn entities_with_policies_cannot_be_deleted(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    let read = world.create_policy("read")?;
    ann.attach_policy(read.require_arn()?).wait()?;
    web.attach_policy(read.require_arn()?).wait()?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must detach all policies first.");
    world.refused(&errors::DELETE_CONFLICT, None, || web.delete().wait());
    ann.detach_policy(read.require_arn()?).wait()?;
    web.detach_policy(read.require_arn()?).wait()?;
    ann.delete().wait()?;
    web.delete().wait()
}

pub(super) fn policies_in_use_are_listed(world: &World) -> Result<()> {
    let (read, write) = (world.create_policy("read")?, world.create_policy("write")?);
    world.create_policy("unused")?;
    world.create_group("web")?.attach_policy(read.require_arn()?).wait()?;
    world.create_role("web")?.put_permission_boundary(write.require_arn()?).wait()?;
    let objects = Policy::objects(&world.session());
    assert_eq!(names(&objects.in_use().wait()?)?, ["read", "write"]);
    assert_eq!(names(&objects.in_use().path_prefix("/web/").wait()?)?, [""; 0]);
    assert_eq!(names(&objects.not_in_use().scope(PolicyScope::Local).wait()?)?, ["unused"]);
    let unused = names(&objects.not_in_use().wait()?)?;
    assert!(unused.iter().any(|name| name == "AdministratorAccess") && !unused.contains(&"read".to_owned()));
    Ok(())
}
