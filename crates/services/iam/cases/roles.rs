//! Roles.

use super::{DOCUMENT, TRUST, World, ask, errors, names};
use nephos_core::{Resource, Result, Tag, Tagged};
use nephos_iam::{
    CreateRole, EntityType, GetRole, GetRolePolicy, ListEntitiesForPolicy, ListRoles, Policy, Role,
    UpdateAssumeRolePolicy, UpdateRole, UpdateRoleDescription,
};

fn existing(world: &World, name: &str) -> Result<Role> {
    let found = Role::objects(&world.session()).get(name).wait()?;
    Ok(found.unwrap_or_else(|| panic!("role {name} does not exist")))
}

pub(super) fn created_role_is_returned_by_get(world: &World) -> Result<()> {
    let model = Role::builder().role_name("Web").path("/team/").description("Runs the web.");
    let model = model.assume_role_policy_document(TRUST).tags([("a", "1")]).build()?;
    let role = Role::objects(&world.session()).create(&model).wait()?;
    assert_eq!(role.require_arn()?, "arn:aws:iam::123456789012:role/team/Web");
    let id = role.role_id().unwrap_or_default();
    assert!(id.starts_with("AROA") && id.len() == 21, "{id}");
    assert_eq!(role.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    // The service answers the duration and the last use later only.
    assert_eq!((role.max_session_duration(), role.description()), (None, Some("Runs the web.")));
    assert_eq!(role.assume_role_policy_document(), Some(TRUST));
    let found = existing(world, "wEB")?;
    assert_eq!((found.max_session_duration(), found.role_id()), (Some(3600), role.role_id()));
    assert!(found.role_last_used().is_some_and(|used| used.last_used_date().is_none()));
    let limited = Role::builder().role_name("Short").assume_role_policy_document(TRUST);
    let limited =
        Role::objects(&world.session()).create(&limited.max_session_duration(7200).build()?).wait()?;
    assert_eq!(limited.max_session_duration(), Some(7200));
    Ok(())
}

pub(super) fn role_name_is_unique_ignoring_case(world: &World) -> Result<()> {
    world.create_role("Web")?;
    let error = world.refused(&errors::EXISTS, None, || world.create_role("web"));
    assert_eq!(error.message(), "Role with name web already exists.");
    Ok(())
}

pub(super) fn missing_role_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let objects = Role::objects(&session);
    assert!(objects.get("web").wait()?.is_none());
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, GetRole::new("web")));
    assert_eq!(error.message(), "The role with name web cannot be found.");
    world.refused(&errors::NOT_FOUND, None, || objects.delete("web").wait());
    world.refused(&errors::NOT_FOUND, None, || ask(&session, UpdateRole::new("web").description("x")));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, UpdateRoleDescription::new("web", "x")));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, UpdateAssumeRolePolicy::new("web", TRUST)));
    world.refused(&errors::NOT_FOUND, None, || objects.list_tags("web").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.list_attached_policies("web").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.put_policy("web", "read", DOCUMENT).wait());
    world.refused(&errors::NOT_FOUND, None, || objects.delete_permission_boundary("web").wait());
    Ok(())
}

pub(super) fn trust_policy_is_checked(world: &World) -> Result<()> {
    world.create_role("web")?;
    for (document, text) in [
        ("{", "This policy contains invalid Json"),
        ("{}", "Syntax errors in policy."),
        (r#"{"Statement": []}"#, "Syntax errors in policy."),
        (&TRUST.replace("Allow", "Permit"), "Syntax errors in policy."),
        (&TRUST.replace("\"Effect\"", "\"Resource\": \"*\", \"Effect\""), "Has prohibited field Resource"),
        (DOCUMENT, "Has prohibited field Resource"),
        (
            &TRUST.replace("\"Effect\"", "\"NotResource\": \"*\", \"Effect\""),
            "Has prohibited field NotResource",
        ),
        (
            &TRUST.replace("{\"Service\": \"ec2.amazonaws.com\"}", "{\"AWS\": \"ann\"}"),
            "Invalid principal in policy: \"AWS\":\"ann\"",
        ),
        (
            r#"{"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole"}}"#,
            "Missing required field Principal",
        ),
        (
            &TRUST.replace("sts:AssumeRole", "s3:GetObject"),
            "AssumeRole policy may only specify STS AssumeRole actions.",
        ),
    ] {
        let create = || ask(&world.session(), CreateRole::new("new", document));
        let error = world.refused(&errors::MALFORMED_POLICY, "AssumeRolePolicyDocument", create);
        assert_eq!(error.message(), text, "{document}");
        let update = || ask(&world.session(), UpdateAssumeRolePolicy::new("web", document));
        world.refused(&errors::MALFORMED_POLICY, "PolicyDocument", update);
    }
    let one = r#"{"Statement": {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}}"#;
    ask(&world.session(), UpdateAssumeRolePolicy::new("web", one))?;
    assert_eq!(existing(world, "web")?.assume_role_policy_document(), Some(one));
    Ok(())
}

pub(super) fn trust_policy_size_is_limited(world: &World) -> Result<()> {
    let document = |length: usize| {
        let sid = "a".repeat(length - TRUST.replace(' ', "").len() - "\"Sid\":\"\",".len());
        TRUST.replace("{\"Effect\"", &format!("{{\"Sid\": \"{sid}\", \"Effect\""))
    };
    let create = |length| ask(&world.session(), CreateRole::new("web", document(length)));
    let error = world.refused(&errors::LIMIT_EXCEEDED, "AssumeRolePolicyDocument", || create(2049));
    assert_eq!(error.message(), "Cannot exceed quota for ACLSizePerRole: 2048");
    create(2048)?;
    Ok(())
}

/// The service returns trust policies percent-encoded; the typed API decodes them.
pub(super) fn trust_policy_is_percent_encoded(world: &World) -> Result<()> {
    world.create_role("web")?;
    let found = ask(&world.session(), GetRole::new("web"))?;
    let encoded = found.role().and_then(|role| role.assume_role_policy_document()).unwrap_or_default();
    assert!(encoded.starts_with("%7B%22Version%22%3A%20"), "{encoded}");
    let page = ask(&world.session(), ListRoles::new())?;
    assert_eq!(page.roles().unwrap_or_default()[0].assume_role_policy_document(), Some(encoded));
    let listed =
        Role::objects(&world.session()).list().results().first().wait()?.expect("the role is listed");
    assert_eq!(listed.assume_role_policy_document(), Some(TRUST));
    Ok(())
}

pub(super) fn session_duration_is_checked(world: &World) -> Result<()> {
    let create = |seconds| CreateRole::new("web", TRUST).max_session_duration(seconds);
    for seconds in [0, 3599, 43_201] {
        world.refused(&errors::INVALID, "MaxSessionDuration", || ask(&world.session(), create(seconds)));
    }
    ask(&world.session(), create(43_200))?;
    ask(&world.session(), UpdateRole::new("web").description("x"))?;
    assert_eq!(existing(world, "web")?.max_session_duration(), Some(43_200));
    let changed = ask(&world.session(), UpdateRoleDescription::new("web", "y"))?;
    assert_eq!(changed.role().and_then(|role| role.description()), Some("y"));
    Ok(())
}

pub(super) fn save_changes_role(world: &World) -> Result<()> {
    let mut role = Role::builder().role_name("web").assume_role_policy_document(TRUST).build()?;
    role.set_session(world.session());
    role.save().wait()?;
    let before = world.state()?;
    role.save().wait()?;
    world.assert_unchanged(&before)?;
    let other = TRUST.replace("ec2", "lambda");
    role.set_assume_role_policy_document(other.as_str())?;
    role.set_description("Runs functions.")?;
    role.set_max_session_duration(7200)?;
    role.tags_mut().wait()?.insert("a", "1")?;
    role.save().wait()?;
    let found = existing(world, "web")?;
    assert_eq!(found.assume_role_policy_document(), Some(other.as_str()));
    assert_eq!((found.description(), found.max_session_duration()), (Some("Runs functions."), Some(7200)));
    assert_eq!(found.tags(), Some(&[Tag::new("a", "1")][..]));
    Ok(())
}

pub(super) fn role_has_tags(world: &World) -> Result<()> {
    let role = world.create_role("web")?;
    let objects = Role::objects(&world.session());
    objects.tag("web", vec![Tag::new("b", "2"), Tag::new("a", "1")]).wait()?;
    assert_eq!(role.list_tags().wait()?, [Tag::new("a", "1"), Tag::new("b", "2")]);
    objects.untag("web", vec!["A".into()]).wait()?;
    assert_eq!(objects.list_tags("web").wait()?, [Tag::new("b", "2")]);
    world.refused(&errors::INVALID_INPUT, "Tags[B]", || {
        objects.tag("web", vec![Tag::new("b", "1"), Tag::new("B", "2")]).wait()
    });
    Ok(())
}

pub(super) fn roles_are_listed_and_paginated(world: &World) -> Result<()> {
    for (path, name) in [("/", "c"), ("/web/", "B"), ("/web/api/", "a"), ("/", "d")] {
        ask(&world.session(), CreateRole::new(name, TRUST).path(path).tags(vec![Tag::new("a", "1")]))?;
    }
    let objects = Role::objects(&world.session());
    for size in [1, 3, 4, 100] {
        let all = objects.list().max_items(size).results().all().wait()?;
        assert_eq!(names(&all)?, ["a", "B", "c", "d"], "{size}");
        assert!(all.iter().all(|role| role.tags().is_none()));
        let below = objects.list().path_prefix("/web/").max_items(size).results().all().wait()?;
        assert_eq!(names(&below)?, ["B", "a"], "{size}");
    }
    Ok(())
}

pub(super) fn role_has_policies_and_boundary(world: &World) -> Result<()> {
    let read = world.create_policy("read")?;
    let arn = read.require_arn()?;
    ask(&world.session(), CreateRole::new("web", TRUST).permissions_boundary(arn))?;
    let role = existing(world, "web")?;
    let boundary = role.permissions_boundary().and_then(|boundary| boundary.permissions_boundary_arn());
    assert_eq!(boundary, Some(arn));
    role.attach_policy(arn).wait()?;
    assert_eq!(role.list_attached_policies().wait()?.len(), 1);
    world.create_user("web")?.attach_policy(arn).wait()?;
    let roles = ask(&world.session(), ListEntitiesForPolicy::new(arn).entity_filter(EntityType::Role))?;
    assert_eq!(roles.policy_roles().unwrap_or_default()[0].role_id(), role.role_id());
    assert_eq!(
        (roles.policy_roles().map(<[_]>::len), roles.policy_users().map(<[_]>::len)),
        (Some(1), Some(0))
    );
    let counted = Policy::objects(&world.session()).get(arn).wait()?.expect("the policy exists");
    let counts = (counted.attachment_count(), counted.permissions_boundary_usage_count());
    assert_eq!(counts, (Some(2), Some(1)));
    role.put_policy("inline", DOCUMENT).wait()?;
    assert_eq!(role.get_policy("inline").wait()?.policy_document(), Some(DOCUMENT));
    assert_eq!(role.list_policies().wait()?, ["inline"]);
    role.delete_policy("inline").wait()?;
    let get = || ask(&world.session(), GetRolePolicy::new("web", "inline"));
    let error = world.refused(&errors::NOT_FOUND, None, get);
    assert_eq!(error.message(), "The role policy with name inline cannot be found.");
    role.put_permission_boundary(arn).wait()?;
    role.delete_permission_boundary().wait()?;
    assert!(existing(world, "web")?.permissions_boundary().is_none());
    Ok(())
}

pub(super) fn role_with_policies_cannot_be_deleted(world: &World) -> Result<()> {
    let (role, read) = (world.create_role("web")?, world.create_policy("read")?);
    role.attach_policy(read.require_arn()?).wait()?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || role.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must detach all policies first.");
    role.detach_policy(read.require_arn()?).wait()?;
    role.put_policy("inline", DOCUMENT).wait()?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || role.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must delete policies first.");
    role.delete_policy("inline").wait()?;
    role.delete().wait()
}

pub(super) fn deleted_role_leaves_no_rows(world: &World) -> Result<()> {
    let read = world.create_policy("read")?;
    let before = world.state()?;
    let create = CreateRole::new("web", TRUST).path("/web/").permissions_boundary(read.require_arn()?);
    ask(&world.session(), create)?;
    existing(world, "web")?.delete().wait()?;
    world.assert_unchanged(&before)
}
