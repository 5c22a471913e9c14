//! The identity of the caller.

use super::{World, assume};
use nephos_core::{ErrorKind, Record, Resource, Result};
use nephos_sts::{CallerIdentity, errors};
use nephos_testing::OTHER_ACCOUNT;

pub(super) fn caller_is_the_root_of_its_account(world: &World) -> Result<()> {
    let before = world.state()?;
    for (session, account) in [
        (world.session(), "123456789012"),
        (world.other_account(), OTHER_ACCOUNT),
        (world.other_region(), "123456789012"),
    ] {
        let identity = CallerIdentity::objects(&session).get().wait()?;
        assert_eq!((identity.user_id(), identity.account()), (Some(account), Some(account)));
        assert_eq!(identity.require_arn()?, format!("arn:aws:iam::{account}:root"));
    }
    world.assert_unchanged(&before)
}

pub(super) fn identity_cannot_be_changed(world: &World) -> Result<()> {
    let mut identity = CallerIdentity::objects(&world.session()).get().wait()?;
    assert_eq!(identity.set("Account", OTHER_ACCOUNT).unwrap_err().kind(), ErrorKind::Frozen);
    assert_eq!(identity.save().wait().unwrap_err().kind(), ErrorKind::Frozen);
    Ok(())
}

pub(super) fn access_key_has_an_account(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let session = assume(&world.session(), "web")?;
    let temporary = session.to_credentials().unwrap().access_key_id;
    let ann = world.create_user("ann")?;
    let long_term = ann.credentials().unwrap().access_key_id.clone();
    let objects = CallerIdentity::objects(&world.other_account());
    for id in [temporary.as_str(), long_term.as_str()] {
        assert_eq!(objects.account_of_access_key(id).wait()?, "123456789012");
    }
    let account = |id: &str| objects.account_of_access_key(id).wait();
    for id in ["not-an-id-of-a-key", "NOTANACCESSKEYID1"] {
        world.refused(&errors::INVALID, "AccessKeyId", || account(id));
    }
    Ok(())
}

pub(super) fn invalid_messages_are_not_decoded(world: &World) -> Result<()> {
    let decode = |message: &str| CallerIdentity::objects(&world.session()).decode_message(message).wait();
    for message in ["x", "AAAA", "not a message"] {
        let error = world.refused(&errors::INVALID_MESSAGE, "EncodedMessage", || decode(message));
        assert_eq!(error.message(), "Message is not valid");
    }
    Ok(())
}
