//! Pagination and quotas of users and groups.

use super::{TRUST, World, ask, errors, names};
use nephos_core::{Result, Text};
use nephos_iam::{
    CreateGroup, CreateInstanceProfile, CreateRole, CreateServiceLinkedRole, CreateUser, GetGroup, Group,
    InstanceProfile, ListGroups, ListGroupsForUser, ListUsers, Policy, Role, User,
};

/// Creates `count` users, and returns their names in order.
fn create_users(world: &World, count: usize) -> Result<Vec<String>> {
    let mut all: Vec<_> = (0..count).map(|n| format!("user-{:03}", n * 7 % count)).collect();
    for name in &all {
        ask(&world.session(), CreateUser::new(name.as_str()))?;
    }
    all.sort();
    Ok(all)
}

pub(super) fn pagination_returns_each_user_once(world: &World) -> Result<()> {
    let all = create_users(world, 23)?;
    for size in [1, 2, 5, 22, 23, 24, 1000] {
        let list = User::objects(&world.session()).list().max_items(size);
        assert_eq!(names(&list.results().all().wait()?)?, all, "{size}");
    }
    let last = ask(&world.session(), ListUsers::new().max_items(23))?;
    assert_eq!((last.is_truncated(), last.marker()), (Some(false), None));
    for size in [0, 1001] {
        world.refused(&errors::INVALID, "MaxItems", || {
            ask(&world.session(), ListUsers::new().max_items(size))
        });
    }
    Ok(())
}

pub(super) fn default_page_has_one_hundred_users(world: &World) -> Result<()> {
    create_users(world, 101)?;
    let page = ask(&world.session(), ListUsers::new())?;
    assert_eq!((page.users().map(<[_]>::len), page.is_truncated()), (Some(100), Some(true)));
    assert_eq!(User::objects(&world.session()).list().results().count().wait()?, 101);
    Ok(())
}

/// The provider does not match parts of a path element: a prefix is a text.
pub(super) fn path_prefix_selects_users_and_groups(world: &World) -> Result<()> {
    for (path, name) in [("/", "a"), ("/web/", "c"), ("/web/api/", "b"), ("/web/", "B2"), ("/website/", "d")]
    {
        world.create_user_in(path, name)?;
        ask(&world.session(), CreateGroup::new(name).path(path))?;
    }
    for (prefix, expected) in [
        ("/", &["a", "b", "B2", "c", "d"][..]),
        ("/web/", &["B2", "c", "b"]),
        ("/web", &["B2", "c", "b", "d"]),
        ("/web/api/", &["b"]),
        ("/other/", &[]),
    ] {
        for size in [1, 2, 100] {
            let users = User::objects(&world.session()).list().path_prefix(prefix).max_items(size);
            assert_eq!(names(&users.results().all().wait()?)?, expected, "{prefix} {size}");
            let groups = Group::objects(&world.session()).list().path_prefix(prefix).max_items(size);
            assert_eq!(names(&groups.results().all().wait()?)?, expected, "{prefix} {size}");
        }
    }
    world.refused(&errors::INVALID, "PathPrefix", || {
        ask(&world.session(), ListUsers::new().path_prefix("web"))
    });
    Ok(())
}

pub(super) fn users_of_group_are_paginated(world: &World) -> Result<()> {
    let all = create_users(world, 8)?;
    let web = world.create_group("web")?;
    all.iter().try_for_each(|name| web.add_user(name.as_str()).wait().map(drop))?;
    for size in [1, 3, 8, 9] {
        let users = Group::objects(&world.session()).users("web").max_items(size).wait()?;
        assert_eq!(names(&users)?, all, "{size}");
    }
    let page = ask(&world.session(), GetGroup::new("web").max_items(6))?;
    assert_eq!((page.users().map(<[_]>::len), page.is_truncated()), (Some(6), Some(true)));
    assert_eq!(page.group().and_then(|group| group.group_name()), Some("web"));
    Ok(())
}

pub(super) fn groups_of_user_are_paginated(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    for name in ["c", "B", "a", "d"] {
        world.create_group(name)?;
        ann.add_to_group(name).wait()?;
    }
    for size in [1, 2, 4, 5] {
        let groups = Group::objects(&world.session()).list_for_user("ann").max_items(size).wait()?;
        assert_eq!(names(&groups)?, ["a", "B", "c", "d"], "{size}");
    }
    let page = ask(&world.session(), ListGroupsForUser::new("ann").max_items(3))?;
    assert_eq!((page.groups().map(<[_]>::len), page.is_truncated()), (Some(3), Some(true)));
    Ok(())
}

pub(super) fn marker_is_bound_to_account_and_query(world: &World) -> Result<()> {
    create_users(world, 4)?;
    let page = ask(&world.session(), ListUsers::new().max_items(2))?;
    let marker: Text = page.marker().expect("there is another page").into();
    let next = || ListUsers::new().marker(marker.clone());
    assert_eq!(ask(&world.session(), next())?.users().map(<[_]>::len), Some(2));
    assert_eq!(ask(&world.other_region(), next())?.users().map(<[_]>::len), Some(2));
    world.refused(&errors::INVALID, "Marker", || ask(&world.other_account(), next()));
    world.refused(&errors::INVALID, "Marker", || ask(&world.session(), next().path_prefix("/web/")));
    world.refused(&errors::INVALID, "Marker", || {
        ask(&world.session(), ListGroups::new().marker(marker.clone()))
    });
    world.refused(&errors::INVALID, "Marker", || ask(&world.session(), ListUsers::new().marker("forged")));
    Ok(())
}

pub(super) fn number_of_groups_is_limited(world: &World) -> Result<()> {
    for n in 0..300 {
        ask(&world.session(), CreateGroup::new(format!("group-{n}")))?;
    }
    let create = || ask(&world.session(), CreateGroup::new("more"));
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, create);
    assert_eq!(error.message(), "Cannot exceed quota for GroupsPerAccount: 300");
    Group::objects(&world.session()).delete("group-7").wait()?;
    create()?;
    Ok(())
}

/// Creates resources until the quota is reached; the next one is refused.
fn fill(world: &World, quota: &str, max: usize, create: impl Fn(&str) -> Result<()>) -> Result<()> {
    (0..max).try_for_each(|n| create(&format!("name-{n}")))?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || create("more"));
    assert_eq!(error.message(), format!("Cannot exceed quota for {quota}: {max}"));
    Ok(())
}

pub(super) fn number_of_roles_is_limited(world: &World) -> Result<()> {
    fill(world, "RolesPerAccount", 1000, |name| {
        ask(&world.session(), CreateRole::new(name, TRUST)).map(drop)
    })?;
    world.refused(&errors::LIMIT_EXCEEDED, None, || {
        ask(&world.session(), CreateServiceLinkedRole::new("ecs.amazonaws.com"))
    });
    Role::objects(&world.session()).delete("name-7").wait()?;
    world.create_role("more").map(drop)
}

pub(super) fn number_of_instance_profiles_is_limited(world: &World) -> Result<()> {
    let create = |name: &str| ask(&world.session(), CreateInstanceProfile::new(name)).map(drop);
    fill(world, "InstanceProfilesPerAccount", 1000, create)?;
    InstanceProfile::objects(&world.session()).delete("name-7").wait()?;
    create("more")
}

/// Policies of the provider do not count.
pub(super) fn number_of_policies_is_limited(world: &World) -> Result<()> {
    fill(world, "PoliciesPerAccount", 1500, |name| world.create_policy(name).map(drop))?;
    let arn = "arn:aws:iam::123456789012:policy/name-7";
    Policy::objects(&world.session()).delete(arn).wait()?;
    world.create_policy("more").map(drop)
}
