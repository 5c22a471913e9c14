//! Chains of roles: sessions of roles that assume roles.

use super::{ACCOUNT, ALL_ACTIONS, World, assume, assume_with, trust};
use nephos_core::{Resource, Result, Session, Tag};
use nephos_sts::errors;

/// Returns a session of a role with these tags, of which the first is transitive.
fn tagged(world: &World, role: &str, tags: &[(&str, &str)]) -> Result<Session> {
    let list: Vec<Tag> = tags.iter().copied().map(Tag::from).collect();
    let answer = assume_with(&world.session(), role, |operation| {
        operation.tags(list).transitive_tag_keys([tags[0].0])
    })?;
    Ok(world.session_with(answer.to_credentials().unwrap()))
}

pub(super) fn chained_session_lasts_an_hour(world: &World) -> Result<()> {
    world.create_open_role("first")?;
    let mut second = world.create_open_role("second")?;
    second.set_max_session_duration(7200)?;
    second.save().wait()?;
    let first = world.session_with(assume(&world.session(), "first")?.to_credentials().unwrap());
    assume(&first, "second")?;
    let error = world.refused(&errors::INVALID, "DurationSeconds", || {
        assume_with(&first, "second", |operation| operation.duration_seconds(3601))
    });
    let text =
        "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.";
    assert_eq!(error.message(), text);
    Ok(())
}

pub(super) fn session_tags_need_permission(world: &World) -> Result<()> {
    let session = world.session();
    world.create_role("plain", &trust(r#""sts:AssumeRole""#, ACCOUNT, "{}"))?;
    let tags = || vec![Tag::new("team", "web")];
    let error = world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        assume_with(&session, "plain", |operation| operation.tags(tags()))
    });
    assert!(error.message().contains("perform: sts:TagSession on"), "{error}");
    let condition = r#"{"StringEquals": {"aws:RequestTag/team": "web"},
        "ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}"#;
    world.create_role("tagged", &trust(ALL_ACTIONS, ACCOUNT, condition))?;
    let answer = assume_with(&session, "tagged", |operation| operation.tags(tags()))?;
    assert_eq!(answer.packed_policy_size(), Some(1));
    for tags in [vec![Tag::new("team", "api")], vec![Tag::new("team", "web"), Tag::new("size", "1")]] {
        world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
            assume_with(&session, "tagged", |operation| operation.tags(tags.clone()))
        });
    }
    world.create_open_role("web")?;
    let duplicates = [Tag::new("Team", "1"), Tag::new("team", "2")];
    let error = world.refused(&errors::INVALID_PARAMETER, "Tags", || {
        assume_with(&session, "web", |operation| operation.tags(duplicates.clone()))
    });
    let text = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
    assert_eq!(error.message(), text);
    let error = world.refused(&errors::INVALID_PARAMETER, "TransitiveTagKeys", || {
        assume_with(&session, "web", |operation| operation.tags(tags()).transitive_tag_keys(["size"]))
    });
    assert!(error.message().contains("must be included in the requested tags"), "{error}");
    Ok(())
}

pub(super) fn transitive_tags_are_inherited(world: &World) -> Result<()> {
    world.create_open_role("first")?;
    let condition =
        r#"{"StringEquals": {"aws:PrincipalTag/team": "web"}, "Null": {"aws:PrincipalTag/size": "true"}}"#;
    world.create_role("third", &trust(ALL_ACTIONS, ACCOUNT, condition))?;
    world.create_open_role("second")?;
    let first = tagged(world, "first", &[("team", "web"), ("size", "1")])?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&first, "third"));
    let second = world.session_with(assume(&first, "second")?.to_credentials().unwrap());
    assume(&second, "third")?;
    for (session, key) in [(&first, "team"), (&second, "Team")] {
        let error = world.refused(&errors::INVALID_PARAMETER, "Tags", || {
            assume_with(session, "second", |operation| operation.tags([Tag::new(key, "api")]))
        });
        assert!(error.message().contains("conflicts with a transitive tag key from the calling session"));
    }
    assume_with(&first, "second", |operation| operation.tags([Tag::new("size", "2")]))?;
    world.create_role("plain", &trust(r#""sts:AssumeRole""#, ACCOUNT, "{}"))?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&first, "plain"));
    Ok(())
}

pub(super) fn source_identity_is_kept(world: &World) -> Result<()> {
    let session = world.session();
    world.create_role("plain", &trust(r#""sts:AssumeRole""#, ACCOUNT, "{}"))?;
    let error = world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        assume_with(&session, "plain", |operation| operation.source_identity("ann"))
    });
    assert!(error.message().contains("perform: sts:SetSourceIdentity on"), "{error}");
    let condition = r#"{"StringEquals": {"sts:SourceIdentity": "ann"}}"#;
    world.create_role("first", &trust(ALL_ACTIONS, ACCOUNT, condition))?;
    let answer = assume_with(&session, "first", |operation| operation.source_identity("ann"))?;
    assert_eq!(answer.source_identity(), Some("ann"));
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        assume_with(&session, "first", |operation| operation.source_identity("bea"))
    });
    let first = world.session_with(answer.to_credentials().unwrap());
    let condition = r#"{"StringEquals": {"aws:SourceIdentity": "ann"}}"#;
    world.create_role("second", &trust(ALL_ACTIONS, ACCOUNT, condition))?;
    assert_eq!(assume(&first, "second")?.source_identity(), Some("ann"));
    assume_with(&first, "second", |operation| operation.source_identity("ann"))?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        assume_with(&first, "second", |operation| operation.source_identity("bea"))
    });
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&first, "plain"));
    Ok(())
}
