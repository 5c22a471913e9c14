//! Instance profiles.

use super::{TRUST, World, ask, errors, names};
use nephos_core::{Resource, Result, Tag, Tagged};
use nephos_iam::{CreateInstanceProfile, GetInstanceProfile, InstanceProfile, ListInstanceProfilesForRole};

fn create(world: &World, name: &str) -> Result<InstanceProfile> {
    let model = InstanceProfile::builder().instance_profile_name(name).build()?;
    InstanceProfile::objects(&world.session()).create(&model).wait()
}

fn existing(world: &World, name: &str) -> Result<InstanceProfile> {
    let found = InstanceProfile::objects(&world.session()).get(name).wait()?;
    Ok(found.unwrap_or_else(|| panic!("instance profile {name} does not exist")))
}

pub(super) fn created_instance_profile_is_returned_by_get(world: &World) -> Result<()> {
    let model = InstanceProfile::builder().instance_profile_name("Web").path("/team/");
    let model = model.tags([("a", "1")]).build()?;
    let profile = InstanceProfile::objects(&world.session()).create(&model).wait()?;
    assert_eq!(profile.require_arn()?, "arn:aws:iam::123456789012:instance-profile/team/Web");
    let id = profile.instance_profile_id().unwrap_or_default();
    assert!(id.starts_with("AIPA") && id.len() == 21, "{id}");
    assert_eq!(profile.roles(), Some(&[][..]));
    assert_eq!(existing(world, "WEB")?, profile);
    let error = world.refused(&errors::EXISTS, None, || create(world, "web"));
    assert_eq!(error.message(), "Instance Profile web already exists.");
    Ok(())
}

/// The service returns the trust policy of the role percent-encoded; the typed API decodes it.
pub(super) fn instance_profile_has_one_role(world: &World) -> Result<()> {
    let (profile, role) = (create(world, "profile")?, world.create_role("web")?);
    world.create_role("api")?;
    profile.add_role("web").wait()?;
    for name in ["web", "api"] {
        let error = world.refused(&errors::LIMIT_EXCEEDED, None, || profile.add_role(name).wait());
        assert_eq!(error.message(), "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1");
    }
    let found = existing(world, "profile")?;
    let roles = found.roles().unwrap_or_default();
    assert_eq!(
        (names(roles)?, roles[0].assume_role_policy_document()),
        (vec!["web".to_owned()], Some(TRUST))
    );
    let answer = ask(&world.session(), GetInstanceProfile::new("profile"))?;
    let encoded = answer.instance_profile().and_then(|profile| profile.roles()).unwrap_or_default();
    assert!(encoded[0].assume_role_policy_document().is_some_and(|policy| policy.starts_with("%7B")));
    world.refused(&errors::NOT_FOUND, None, || profile.remove_role("api").wait());
    let error = world.refused(&errors::DELETE_CONFLICT, None, || role.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must remove roles from instance profile first.");
    world.refused(&errors::DELETE_CONFLICT, None, || profile.delete().wait());
    profile.remove_role("web").wait()?;
    role.delete().wait()?;
    profile.delete().wait()
}

pub(super) fn missing_instance_profile_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let objects = InstanceProfile::objects(&session);
    world.create_role("web")?;
    assert!(objects.get("none").wait()?.is_none());
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, GetInstanceProfile::new("none")));
    assert_eq!(error.message(), "Instance Profile none cannot be found.");
    world.refused(&errors::NOT_FOUND, None, || objects.delete("none").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.add_role("none", "web").wait());
    world.refused(&errors::NOT_FOUND, None, || objects.list_tags("none").wait());
    world.refused(&errors::NOT_FOUND, None, || ask(&session, ListInstanceProfilesForRole::new("none")));
    create(world, "profile")?;
    world.refused(&errors::NOT_FOUND, None, || objects.add_role("profile", "none").wait());
    Ok(())
}

pub(super) fn instance_profiles_are_listed_and_paginated(world: &World) -> Result<()> {
    world.create_role("web")?;
    let objects = InstanceProfile::objects(&world.session());
    for (path, name) in [("/", "c"), ("/web/", "B"), ("/web/api/", "a"), ("/", "d")] {
        ask(&world.session(), CreateInstanceProfile::new(name).path(path).tags(vec![Tag::new("a", "1")]))?;
        if name != "d" {
            objects.add_role(name, "web").wait()?;
        }
    }
    for size in [1, 3, 4, 100] {
        let all = objects.list().max_items(size).results().all().wait()?;
        assert_eq!(names(&all)?, ["a", "B", "c", "d"], "{size}");
        assert!(all.iter().all(|profile| profile.tags().is_none()));
        assert_eq!(all[0].roles().unwrap_or_default()[0].assume_role_policy_document(), Some(TRUST));
        let below = objects.list().path_prefix("/web/").max_items(size).results().all().wait()?;
        assert_eq!(names(&below)?, ["B", "a"], "{size}");
        let of_role = objects.list_for_role("web").max_items(size).results().all().wait()?;
        assert_eq!(names(&of_role)?, ["a", "B", "c"], "{size}");
    }
    Ok(())
}

pub(super) fn instance_profile_has_tags(world: &World) -> Result<()> {
    let mut profile = create(world, "web")?;
    let objects = InstanceProfile::objects(&world.session());
    objects.tag("web", vec![Tag::new("b", "2"), Tag::new("a", "1")]).wait()?;
    objects.untag("web", vec!["B".into()]).wait()?;
    profile.tags_mut().wait()?.insert("c", "3")?;
    profile.save().wait()?;
    assert_eq!(profile.list_tags().wait()?, [Tag::new("a", "1"), Tag::new("c", "3")]);
    Ok(())
}
