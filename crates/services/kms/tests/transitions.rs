//! Realistic transitions: states of multi-Region keys, and rotations on demand that are in progress.

use nephos_cloud::Transitions;
use nephos_core::{Error, ErrorKind, Resource, Result, Session, SignedDuration};
use nephos_kms::{CryptoKey, KeyState};
use nephos_kms_cases::{Cloud, Services};
use nephos_testing::{OTHER_REGION, clock, options};

fn realistic_cloud() -> Cloud {
    options::<Services>().clock(clock()).transitions(Transitions::Realistic).in_memory()
}

fn create_primary(session: &Session) -> Result<CryptoKey> {
    CryptoKey::objects(session).create(&CryptoKey::builder().multi_region(true).build()?).wait()
}

/// Asserts that the state of a key does not allow a call.
#[track_caller]
fn assert_in_state<T: std::fmt::Debug>(called: Result<T>, text: &str) {
    let error: Error = called.expect_err("the state does not allow it");
    assert_eq!(error.kind(), ErrorKind::InState, "{error}");
    assert!(error.message().ends_with(text), "{error}");
}

#[test]
fn replica_is_not_usable_until_it_is_created() -> Result<()> {
    let cloud = realistic_cloud();
    let (here, there) = (cloud.session(), cloud.session().with_region(OTHER_REGION));
    let primary = create_primary(&here)?;
    let id = primary.key_id().unwrap();
    CryptoKey::objects(&here).replicate(id, OTHER_REGION).wait()?;
    let replicas = CryptoKey::objects(&there);
    let state = || -> Result<_> { Ok(replicas.get(id).wait()?.unwrap().key_state().cloned()) };
    assert_eq!(state()?, Some(KeyState::Creating));
    assert_in_state(replicas.encrypt(id, b"plain".as_slice()).wait(), "is creating.");
    assert_in_state(replicas.disable(id).wait(), "is creating.");
    let moved = CryptoKey::objects(&here).update_primary_region(id, OTHER_REGION).wait();
    assert_in_state(moved, "is creating.");
    replicas.create_alias("alias/there", id).wait()?;
    cloud.clock().advance(SignedDuration::from_secs(10))?;
    assert_eq!(state()?, Some(KeyState::Enabled));
    replicas.encrypt(id, b"plain".as_slice()).wait()?;
    Ok(())
}

#[test]
fn keys_are_usable_while_the_primary_region_changes() -> Result<()> {
    let cloud = realistic_cloud();
    let (here, there) = (cloud.session(), cloud.session().with_region(OTHER_REGION));
    let (old, new) = (CryptoKey::objects(&here), CryptoKey::objects(&there));
    let primary = create_primary(&here)?;
    let id = primary.key_id().unwrap();
    old.replicate(id, OTHER_REGION).wait()?;
    cloud.clock().advance(SignedDuration::from_secs(10))?;
    new.disable(id).wait()?;
    old.update_primary_region(id, OTHER_REGION).wait()?;
    let states = || -> Result<_> {
        let state = |key: Option<CryptoKey>| key.unwrap().key_state().cloned().unwrap();
        Ok([state(old.get(id).wait()?), state(new.get(id).wait()?)])
    };
    assert_eq!(states()?, [KeyState::Updating, KeyState::Updating]);
    old.encrypt(id, b"plain".as_slice()).wait()?;
    assert_in_state(old.disable(id).wait(), "is updating.");
    assert_in_state(new.replicate(id, "us-west-2").wait(), "is updating.");
    assert_in_state(new.delete(id).wait(), "is updating.");
    cloud.clock().advance(SignedDuration::from_secs(10))?;
    assert_eq!(states()?, [KeyState::Enabled, KeyState::Disabled], "each has its state of before");
    Ok(())
}

#[test]
fn rotation_on_demand_is_in_progress_for_a_minute() -> Result<()> {
    let cloud = realistic_cloud();
    let keys = CryptoKey::objects(&cloud.session());
    let key = keys.create(&CryptoKey::builder().build()?).wait()?;
    key.rotate_on_demand().wait()?;
    let start = || -> Result<_> { Ok(key.rotation_status().wait()?.on_demand_rotation_start_date()) };
    assert_eq!(start()?, key.creation_date());
    assert_eq!(Some(&*key.rotate_on_demand().wait()?), key.arn()?, "it is rotated once");
    assert_eq!(key.list_rotations().wait()?.len(), 0);
    cloud.clock().advance(SignedDuration::from_mins(1))?;
    assert_eq!((start()?, key.list_rotations().wait()?.len()), (None, 1));
    Ok(())
}
