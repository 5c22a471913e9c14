//! The identity of the caller.

use super::World;
use crate::CallerIdentity;
use nephos_cloud::testing::OTHER_ACCOUNT;
use nephos_core::{ErrorKind, Record, Resource, Result};

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
