//! Updating log groups: only changes are sent, in one transaction.

use super::{HOUR, World, ask, errors};
use nephos_core::{Resource, Result, Tagged};
use nephos_logs::{
    AssociateKmsKey, DeleteRetentionPolicy, DisassociateKmsKey, LogGroup, LogGroupClass,
    PutBearerTokenAuthentication, PutRetentionPolicy,
};

/// The call returns the updated group.
pub(super) fn update_changes_all_changed_fields(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    let mut group = LogGroup::builder()
        .log_group_name("/web")
        .retention_in_days(30)
        .tags([("team", "web"), ("old", "1")])
        .build()?;
    world.create(&group)?;
    group = world.get_group("/web")?;
    let created = group.creation_time();
    world.advance(HOUR)?;
    group.set_retention_in_days(90)?;
    group.set_deletion_protection_enabled(true)?;
    group.set_kms_key_id(key.as_str())?;
    group.tags_mut().wait()?.replace([("team", "api"), ("new", "2")])?;
    let updated = LogGroup::objects(&world.session()).update(&group).wait()?;
    assert_eq!(updated, world.get_group("/web")?);
    assert_eq!(updated.retention_in_days(), Some(90));
    assert_eq!(updated.deletion_protection_enabled(), Some(true));
    assert_eq!(updated.kms_key_id(), Some(key.as_str()));
    let tags: Vec<_> = updated.tags_map().wait()?.into_iter().collect();
    assert_eq!(tags, [("team".into(), "api".into()), ("new".into(), "2".into())]);
    assert_eq!(updated.creation_time(), created);
    assert!(updated.changed().is_empty() && updated.session().is_some());
    Ok(())
}

pub(super) fn update_clears_fields_set_to_none(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    let group = LogGroup::builder()
        .log_group_name("/web")
        .retention_in_days(30)
        .kms_key_id(key.as_str())
        .deletion_protection_enabled(true)
        .tags([("team", "web")])
        .build()?;
    let mut group = world.create(&group)?;
    group.set_retention_in_days(None)?;
    group.set_kms_key_id(None::<&str>)?;
    group.set_deletion_protection_enabled(None)?;
    group.tags_mut().wait()?.clear()?;
    let updated = LogGroup::objects(&world.session()).update(&group).wait()?;
    assert_eq!((updated.retention_in_days(), updated.kms_key_id()), (None, None));
    assert_eq!(updated.deletion_protection_enabled(), Some(false));
    assert!(updated.tags_map().wait()?.is_empty());
    Ok(())
}

/// An update does not undo changes of another client.
pub(super) fn update_sends_only_changed_fields(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").tags([("team", "web")]).build()?;
    let (mut mine, mut theirs) = (world.create(&group)?, world.get_group("/web")?);
    theirs.set_retention_in_days(7)?;
    theirs.tags_mut().wait()?.insert("theirs", "1")?;
    mine.set_deletion_protection_enabled(true)?;
    let objects = LogGroup::objects(&world.session());
    objects.update(&theirs).wait()?;
    let updated = objects.update(&mine).wait()?;
    assert_eq!(updated.retention_in_days(), Some(7));
    assert_eq!(updated.deletion_protection_enabled(), Some(true));
    assert_eq!(updated.tags_map().wait()?.len(), 2);
    Ok(())
}

/// A listing does not fetch tags.
pub(super) fn update_of_a_listed_group_keeps_its_tags(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").tags([("team", "web")]).build()?;
    world.create(&group)?;
    let mut listed = world.first_listed_group()?;
    assert_eq!(listed.tags(), None);
    listed.set_retention_in_days(5)?;
    let updated = LogGroup::objects(&world.session()).update(&listed).wait()?;
    assert_eq!((updated.retention_in_days(), updated.tags_map().wait()?.len()), (Some(5), 1));
    Ok(())
}

/// Setting a field to its current value is no change.
pub(super) fn update_without_changes_is_a_no_op(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").retention_in_days(7).build()?;
    let mut group = world.create(&group)?;
    let before = world.state()?;
    let objects = LogGroup::objects(&world.session());
    assert_eq!(objects.update(&group).wait()?, group);
    group.set_retention_in_days(14)?;
    group.set_retention_in_days(7)?;
    group.set_log_group_class(LogGroupClass::Standard)?;
    objects.update(&group).wait()?;
    let built = LogGroup::builder().log_group_name("/web").retention_in_days(7).build()?;
    objects.update(&built).wait()?;
    world.assert_unchanged(&before)?;
    // A fixed value can be set to its current value.
    let delivery = LogGroup::builder().log_group_name("/delivery").log_group_class(LogGroupClass::Delivery);
    let mut delivery = world.create(&delivery.build()?)?;
    delivery.set_retention_in_days(7)?;
    delivery.set_retention_in_days(1)?;
    let before = world.state()?;
    objects.update(&delivery).wait()?;
    world.assert_unchanged(&before)
}

/// The update is rejected as a whole.
pub(super) fn log_group_class_cannot_be_changed(world: &World) -> Result<()> {
    let mut group = world.create_group("/web")?;
    group.set_retention_in_days(7)?;
    group.set_deletion_protection_enabled(true)?;
    group.tags_mut().wait()?.insert("team", "web")?;
    group.set_log_group_class(LogGroupClass::InfrequentAccess)?;
    world.assert_invalid("logGroupClass", || LogGroup::objects(&world.session()).update(&group).wait());
    world.assert_invalid("logGroupClass", || group.save().wait());
    assert_eq!(world.get_group("/web")?.retention_in_days(), None);
    Ok(())
}

/// A renamed model does not change the group that has the new name.
pub(super) fn log_group_name_cannot_be_changed(world: &World) -> Result<()> {
    let mut group = world.create_group("/web")?;
    world.create_group("/api")?;
    group.set_log_group_name("/api")?;
    group.set_retention_in_days(7)?;
    world.assert_invalid("logGroupName", || LogGroup::objects(&world.session()).update(&group).wait());
    world.assert_invalid("logGroupName", || group.save().wait());
    group.set_log_group_name(None::<&str>)?;
    world.assert_invalid("logGroupName", || LogGroup::objects(&world.session()).update(&group).wait());
    Ok(())
}

/// If one operation fails, the operations before it are rolled back.
pub(super) fn failed_update_is_rolled_back(world: &World) -> Result<()> {
    let mut group = world.create_group("/web")?;
    group.set_retention_in_days(7)?;
    group.set_kms_key_id("arn:aws:kms:eu-west-1:123456789012:key/elsewhere")?;
    group.set_deletion_protection_enabled(true)?;
    world.assert_invalid("kmsKeyId", || LogGroup::objects(&world.session()).update(&group).wait());
    let delivery = LogGroup::builder().log_group_name("/delivery").log_group_class(LogGroupClass::Delivery);
    let mut delivery = world.create(&delivery.build()?)?;
    delivery.set_deletion_protection_enabled(true)?;
    delivery.tags_mut().wait()?.insert("team", "web")?;
    delivery.set_retention_in_days(7)?;
    world.assert_invalid("retentionInDays", || LogGroup::objects(&world.session()).update(&delivery).wait());
    Ok(())
}

pub(super) fn update_of_missing_log_group_is_not_found(world: &World) -> Result<()> {
    let objects = LogGroup::objects(&world.session());
    let group = LogGroup::builder().log_group_name("/web").retention_in_days(7).build()?;
    world.refused(&errors::NOT_FOUND, None, || objects.update(&group).wait());
    let mut group = world.create_group("/web")?;
    objects.delete("/web").wait()?;
    group.set_retention_in_days(7)?;
    world.refused(&errors::NOT_FOUND, None, || objects.update(&group).wait());
    world.refused(&errors::NOT_FOUND, None, || group.save().wait());
    let nameless = LogGroup::builder().retention_in_days(7).build()?;
    world.assert_invalid("logGroupName", || objects.update(&nameless).wait());
    Ok(())
}

pub(super) fn each_setting_has_its_own_operation(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    let group = world.create_group("/web")?;
    let session = world.session();
    ask(&session, PutRetentionPolicy::new("/web", 5))?;
    assert_eq!(world.get_group("/web")?.retention_in_days(), Some(5));
    for _ in 0..2 {
        ask(&session, DeleteRetentionPolicy::new("/web"))?;
        assert_eq!(world.get_group("/web")?.retention_in_days(), None);
    }
    ask(&session, AssociateKmsKey::new(key.as_str()).log_group_name("/web"))?;
    assert_eq!(world.get_group("/web")?.kms_key_id(), Some(key.as_str()));
    ask(&session, DisassociateKmsKey::new().resource_identifier(group.require_arn()?))?;
    assert_eq!(world.get_group("/web")?.kms_key_id(), None);
    ask(&session, AssociateKmsKey::new(key.as_str()).resource_identifier(group.require_arn()?))?;
    assert_eq!(world.get_group("/web")?.kms_key_id(), Some(key.as_str()));
    for on in [true, false] {
        ask(&session, PutBearerTokenAuthentication::new(group.require_arn()?, on))?;
        assert_eq!(world.get_group("/web")?.bearer_token_authentication_enabled(), Some(on));
    }
    LogGroup::objects(&session).put_bearer_token_authentication("/web", true).wait()?;
    assert_eq!(world.get_group("/web")?.bearer_token_authentication_enabled(), Some(true));
    group.put_bearer_token_authentication(false).wait()?;
    assert_eq!(world.get_group("/web")?.bearer_token_authentication_enabled(), Some(false));
    Ok(())
}

/// Both or neither is an error.
pub(super) fn kms_key_operations_require_either_name_or_identifier(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    let group = world.create_group("/web")?;
    let (session, arn) = (world.session(), group.require_arn()?);
    world.assert_invalid("logGroupName", || ask(&session, AssociateKmsKey::new(key.as_str())));
    world.refused(&errors::VALIDATION, "logGroupName", || {
        ask(&session, AssociateKmsKey::new(key.as_str()).log_group_name("/web").resource_identifier(arn))
    });
    world.assert_invalid("logGroupName", || ask(&session, DisassociateKmsKey::new()));
    world.refused(&errors::VALIDATION, "logGroupName", || {
        ask(&session, DisassociateKmsKey::new().log_group_name("/web").resource_identifier(arn))
    });
    world.assert_invalid("kmsKeyId", || ask(&session, AssociateKmsKey::new("one").log_group_name("/web")));
    Ok(())
}
