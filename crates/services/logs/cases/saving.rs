//! Calls on models: save, delete and wait.

use super::{OTHER_ACCOUNT, World, errors};
use nephos_core::python::PythonModel as _;
use nephos_core::{ErrorKind, Record, Resource, Result, Tagged, Value};
use nephos_logs::{LogGroup, LogGroupClass, LogStream};
use std::time::Duration;

/// A saved model has the service-set fields.
pub(super) fn save_creates_then_updates(world: &World) -> Result<()> {
    let mut group = LogGroup::builder().log_group_name("/web").retention_in_days(30).build()?;
    group.set_session(world.session());
    group.save().creating(|create| create.tags([("team", "web")])).wait()?;
    assert!(group.is_saved() && group.changed().is_empty());
    assert_eq!(group.creation_time(), Some(world.now()));
    assert_eq!(group.log_group_class(), Some(&LogGroupClass::Standard));
    assert_eq!(group, world.get_group("/web")?);
    assert_eq!(group.tags_map().wait()?.len(), 1);

    group.set_retention_in_days(90)?;
    group.tags_mut().wait()?.insert("stage", "live")?;
    group.save().wait()?;
    assert_eq!(world.get_group("/web")?.retention_in_days(), Some(90));
    assert_eq!(group, world.get_group("/web")?);
    let before = world.state()?;
    group.save().wait()?;
    world.assert_unchanged(&before)
}

/// A new model never updates an existing group.
pub(super) fn save_with_existing_name_is_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let mut group = LogGroup::builder().log_group_name("/web").retention_in_days(30).build()?;
    group.set_session(world.session());
    world.refused(&errors::EXISTS, None, || group.save().wait());
    assert!(!group.is_saved());
    let mut nameless = LogGroup::builder().build()?;
    nameless.set_session(world.session());
    world.assert_invalid("logGroupName", || nameless.save().wait());
    Ok(())
}

/// A model without a session returns an error.
pub(super) fn model_uses_its_own_session(world: &World) -> Result<()> {
    let mut group = LogGroup::builder().log_group_name("/web").build()?;
    let before = world.state()?;
    for result in [group.save().wait(), group.delete().wait()] {
        let error = result.expect_err("the model has no session");
        assert_eq!(error.kind(), ErrorKind::NoSession);
    }
    world.assert_unchanged(&before)?;
    group.set_session(world.other_account());
    group.save().wait()?;
    assert!(group.require_arn()?.contains(OTHER_ACCOUNT));
    assert_eq!(LogGroup::objects(&world.session()).get("/web").wait()?, None);
    assert!(LogGroup::objects(&world.other_account()).get("/web").wait()?.is_some());
    Ok(())
}

pub(super) fn model_deletes_its_log_group(world: &World) -> Result<()> {
    let group = world.create_group("/web")?;
    world.create_group("/web2")?;
    group.delete().wait()?;
    assert_eq!(world.group_names()?, ["/web2"]);
    world.refused(&errors::NOT_FOUND, None, || group.delete().wait());
    let listed = world.first_listed_group()?;
    listed.delete().wait()?;
    assert_eq!(world.group_names()?, [""; 0]);
    Ok(())
}

pub(super) fn unsaved_model_has_no_arn(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").build()?;
    assert_eq!(group.require_name()?, "/web");
    assert_eq!(group.arn()?, None, "the model is not saved");
    assert!(group.require_arn().expect_err("the model has no ARN").is_value_error());
    assert!(world.create_group("/web")?.arn()?.is_some());
    Ok(())
}

/// The model counts as saved, so it is updated.
pub(super) fn model_read_from_json_is_saved(world: &World) -> Result<()> {
    let mut read = LogGroup::from_json(world.create_group("/web")?.to_json())?;
    read.set_session(world.session());
    assert!(read.is_saved());
    read.save().wait()?;
    let mut read = LogGroup::from_json(read.to_json())?;
    read.set_session(world.session());
    read.set_retention_in_days(7)?;
    read.save().wait()?;
    assert_eq!(world.get_group("/web")?.retention_in_days(), Some(7));
    Ok(())
}

/// The fields that were set are sent.
pub(super) fn constructed_model_is_saved(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let values: [(&str, Value); 3] =
        [("logGroupName", "/web".into()), ("creationTime", 1.into()), ("retentionInDays", 7.into())];
    let mut group =
        LogGroup::model_construct(None, values.into_iter().map(|(key, value)| (key.into(), value)).collect());
    group.set_session(world.session());
    group.save().wait()?;
    assert_eq!(world.get_group("/web")?.retention_in_days(), Some(7));
    Ok(())
}

/// Log streams can only be created and deleted.
pub(super) fn log_stream_is_not_updatable(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let mut stream = LogStream::builder().log_group_name("/web").log_stream_name("main").build()?;
    stream.set_session(world.session());
    stream.save().wait()?;
    assert_eq!(stream.creation_time(), Some(world.now()));
    let before = world.state()?;
    let error = stream.save().wait().expect_err("log streams have no update");
    assert_eq!(error.kind(), ErrorKind::NotUpdatable);
    world.assert_unchanged(&before)?;
    stream.delete().wait()?;
    assert_eq!(LogStream::objects(&world.session()).get("/web", "main").wait()?, None);
    Ok(())
}

/// A waiter fails if the group was deleted.
pub(super) fn waiter_advances_a_frozen_clock(world: &World) -> Result<()> {
    let group = world.create_group("/web")?;
    let start = world.now();
    let session = world.session();
    let error = group
        .wait_until(|group| group.retention_in_days() == Some(7))
        .every(Duration::from_secs(60))
        .at_most(4)
        .wait()
        .expect_err("the group does not change");
    assert_eq!(error.kind(), ErrorKind::Expired);
    assert_eq!(world.now() - start, 3 * super::MINUTE);
    LogGroup::objects(&session).delete("/web").wait()?;
    let error = group.wait_until(|_| true).wait().expect_err("the group was deleted");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    Ok(())
}
