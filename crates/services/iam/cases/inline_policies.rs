//! Inline policies of users and groups.

use super::{DOCUMENT, World, ask, errors};
use nephos_core::Result;
use nephos_iam::{GetUserPolicy, Group, ListUserPolicies, PutUserPolicy, User};

/// The service returns documents percent-encoded; the typed API decodes them.
pub(super) fn inline_policy_is_put_read_and_deleted(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("Ann")?, world.create_group("Web")?);
    ann.put_policy("read", DOCUMENT).wait()?;
    web.put_inline_policy("read", DOCUMENT).wait()?;
    let found = User::objects(&world.session()).get_policy("ann", "read").wait()?;
    assert_eq!((found.user_name(), found.policy_name()), (Some("Ann"), Some("read")));
    assert_eq!(found.policy_document(), Some(DOCUMENT));
    let found = Group::objects(&world.session()).get_policy("web", "read").wait()?;
    assert_eq!((found.group_name(), found.policy_document()), (Some("Web"), Some(DOCUMENT)));
    let encoded = ask(&world.session(), GetUserPolicy::new("ann", "read"))?;
    let encoded = encoded.policy_document().unwrap_or_default();
    assert!(encoded.starts_with("%7B%22") && !encoded.contains(['{', '"', ' ']), "{encoded}");
    let replaced = DOCUMENT.replace("Allow", "Deny");
    ann.put_policy("read", replaced.as_str()).wait()?;
    assert_eq!(ann.get_policy("read").wait()?.policy_document(), Some(replaced.as_str()));
    assert_eq!(ann.list_policies().wait()?, ["read"]);
    ann.delete_policy("read").wait()?;
    web.remove_inline_policy("read").wait()?;
    assert!(ann.list_policies().wait()?.is_empty() && web.inline_policies().wait()?.is_empty());
    let error = world.refused(&errors::NOT_FOUND, None, || ann.get_policy("read").wait());
    assert_eq!(error.message(), "The user policy with name read cannot be found.");
    let error = world.refused(&errors::NOT_FOUND, None, || web.remove_inline_policy("read").wait());
    assert_eq!(error.message(), "The group policy with name read cannot be found.");
    Ok(())
}

pub(super) fn invalid_inline_policies_are_refused(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let put = |user: &str, name: &str, document: &str| {
        ask(&world.session(), PutUserPolicy::new(user, name, document))
    };
    world.refused(&errors::MALFORMED_POLICY, "PolicyDocument", || put("ann", "read", "{}"));
    world.refused(&errors::INVALID, "PolicyName", || put("ann", "a b", DOCUMENT));
    world.refused(&errors::INVALID, "PolicyDocument", || put("ann", "read", ""));
    world.refused(&errors::NOT_FOUND, None, || put("bea", "read", DOCUMENT));
    Ok(())
}

/// All inline policies of an entity count together.
pub(super) fn size_of_inline_policies_is_limited(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    let document = |length: usize| {
        let sid = "a".repeat(length - DOCUMENT.replace(' ', "").len() - "\"Sid\":\"\",".len());
        DOCUMENT.replace("{\"Effect\"", &format!("{{\"Sid\": \"{sid}\", \"Effect\""))
    };
    ann.put_policy("one", document(1024)).wait()?;
    let put = |length| ann.put_policy("two", document(length)).wait();
    let error = world.refused(&errors::LIMIT_EXCEEDED, "PolicyDocument", || put(1025));
    assert_eq!(error.message(), "Maximum policy size of 2048 bytes exceeded for user ann");
    put(1024)?;
    ann.put_policy("one", document(1000)).wait()?;
    put(1048)?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, "PolicyDocument", || {
        web.put_inline_policy("one", document(5121)).wait()
    });
    assert_eq!(error.message(), "Maximum policy size of 5120 bytes exceeded for group web");
    web.put_inline_policy("one", document(5120)).wait()?;
    Ok(())
}

pub(super) fn names_of_inline_policies_are_paginated(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    for name in ["c", "a", "b"] {
        ann.put_policy(name, DOCUMENT).wait()?;
    }
    for size in [1, 2, 3] {
        let names = User::objects(&world.session()).list_policies("ann").max_items(size).wait()?;
        assert_eq!(names, ["a", "b", "c"], "{size}");
    }
    let page = ask(&world.session(), ListUserPolicies::new("ann").max_items(2))?;
    assert_eq!((page.policy_names().map(<[_]>::len), page.is_truncated()), (Some(2), Some(true)));
    Ok(())
}

/// A renamed entity keeps its inline policies.
pub(super) fn entity_with_inline_policies_cannot_be_deleted(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    ann.put_policy("read", DOCUMENT).wait()?;
    web.put_inline_policy("read", DOCUMENT).wait()?;
    let bea = User::objects(&world.session()).update(&ann).new_user_name("bea").wait()?;
    assert_eq!(bea.list_policies().wait()?, ["read"]);
    let error = world.refused(&errors::DELETE_CONFLICT, None, || bea.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must delete policies first.");
    world.refused(&errors::DELETE_CONFLICT, None, || web.delete().wait());
    bea.delete_policy("read").wait()?;
    web.remove_inline_policy("read").wait()?;
    bea.delete().wait()?;
    web.delete().wait()
}
